//! The instruction set: one table from which opcode, encoder, decoder, disassembler, verifier and the
//! reference page come.
//!
//! ```text
//!            31      24 23      16 15       8 7        0
//!           ┌──────────┬──────────┬──────────┬──────────┐
//!   abc     │    c     │    b     │    a     │  opcode  │
//!           ├──────────┴──────────┼──────────┼──────────┤
//!   abx     │      x (16 bit)     │    a     │  opcode  │   asx: the same, x signed
//!           ├─────────────────────┴──────────┼──────────┤
//!   sx      │        x (24 bit, signed)      │  opcode  │
//!           └────────────────────────────────┴──────────┘
//!   abcw    as abc, and one whole word w behind it
//! ```
//!
//! `R` are the frame's registers, `S` the slots of the body's scope, `K` the unit's constants, `N` its names,
//! `L` its lists, `C` its chunks. Jumps count words from the end of the jumping instruction.

/// What an operand field means to the verifier and the disassembler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Not used; zero.
    None,
    /// A register.
    Reg,
    /// The first of a run of registers; how many is in field `c`, plus the given number.
    Run(u8),
    /// The first of a run of register pairs; how many pairs is in field `c`.
    Pairs,
    /// A plain number.
    Num,
    /// A slot of the scope's shape.
    Slot,
    /// A constant.
    Const,
    /// A name.
    Name,
    /// A chunk.
    Chunk,
    /// A list.
    List,
    /// A jump distance.
    Jump,
    /// A signed number.
    Int,
    /// A [`ResourceOperand`](crate::operand::ResourceOperand).
    Resource,
    /// A [`CollectorKind`](crate::operand::CollectorKind).
    Collector,
    /// A [`Relation`](crate::operand::Relation).
    Relation,
}

/// How the operands are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandFormat {
    /// Three bytes.
    Abc,
    /// A byte and 16 bits.
    Abx,
    /// A byte and 16 bits, signed.
    Asx,
    /// 24 bits, signed.
    Sx,
    /// Three bytes and a word behind.
    Abcw,
}

/// A decoded instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ins {
    /// What it does.
    pub op: Op,
    /// First field.
    pub a: u8,
    /// Second field, where the format has one.
    pub b: u8,
    /// Third field, where the format has one.
    pub c: u8,
    /// The 16-bit or 24-bit field, or the word behind, sign-extended where signed.
    pub x: i64,
}

macro_rules! instructions {
    ($($op:ident $format:ident ($($field:ident : $kind:expr),*) $doc:literal;)*) => {
        /// Operation codes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Op { $(#[doc = concat!("`", $doc, "`")] $op),* }

        impl Op {
            /// Every operation in opcode order.
            pub const ALL: &[Op] = &[$(Op::$op),*];

            /// The name.
            pub const fn name(self) -> &'static str {
                match self { $(Op::$op => stringify!($op)),* }
            }

            /// The layout.
            pub const fn format(self) -> OperandFormat {
                match self { $(Op::$op => OperandFormat::$format),* }
            }

            /// One line of meaning.
            pub const fn meaning(self) -> &'static str {
                match self { $(Op::$op => $doc),* }
            }

            /// Name and meaning of each operand, in field order.
            pub const fn fields(self) -> &'static [(&'static str, Field)] {
                match self { $(Op::$op => &[$((stringify!($field), $kind)),*]),* }
            }
        }
    };
}

use Field::{Chunk, Collector, Const, Int, Jump, List, Name, Num, Pairs, Reg, Relation, Resource, Run, Slot};

instructions! {
    LoadConst Abx (a: Reg, x: Const) "R[a] := K[x]";
    LoadInt Asx (a: Reg, x: Int) "R[a] := x";
    LoadUndef Abc (a: Reg) "R[a] := undef";
    LoadDefault Abc (a: Reg) "R[a] := default";
    LoadBool Abc (a: Reg, b: Num) "R[a] := b is not 0";
    Move Abc (a: Reg, b: Reg) "R[a] := R[b]";
    GetSlot Abx (a: Reg, x: Slot) "R[a] := S[x], or the outer variable of that name while S[x] is unassigned";
    GetUp Abcw (a: Reg, b: Num, c: Num, w: Name) "R[a] := slot c of the b-th scope out, or the variable N[w] further out";
    GetVar Abx (a: Reg, x: Name) "R[a] := variable N[x], from the current scope outwards";
    GetQualified Abx (a: Reg, x: Name) "R[a] := variable N[x] of a named scope";
    GetMatch Abx (a: Reg, x: Num) "R[a] := $x of the last match";
    SetSlot Abx (a: Reg, x: Slot) "S[x] := R[a], once";
    SetVar Abx (a: Reg, x: Name) "variable N[x] of the current scope := R[a], once";
    Unpack Abcw (a: Run(0), b: Reg, c: Num, w: List) "R[a] … R[a+c-1] := the c elements of R[b], or its values at the names in L[w]";
    Add Abc (a: Reg, b: Reg, c: Reg) "R[a] := R[b] + R[c]";
    Sub Abc (a: Reg, b: Reg, c: Reg) "R[a] := R[b] - R[c]";
    Mul Abc (a: Reg, b: Reg, c: Reg) "R[a] := R[b] * R[c]";
    Div Abc (a: Reg, b: Reg, c: Reg) "R[a] := R[b] / R[c]";
    Mod Abc (a: Reg, b: Reg, c: Reg) "R[a] := R[b] % R[c]";
    ShiftLeft Abc (a: Reg, b: Reg, c: Reg) "R[a] := R[b] << R[c]";
    ShiftRight Abc (a: Reg, b: Reg, c: Reg) "R[a] := R[b] >> R[c]";
    Negate Abc (a: Reg, b: Reg) "R[a] := -R[b]";
    Not Abc (a: Reg, b: Reg) "R[a] := !R[b]";
    Truth Abc (a: Reg, b: Reg) "R[a] := whether R[b] counts as true";
    Equal Abc (a: Reg, b: Reg, c: Reg) "R[a] := R[b] == R[c]";
    NotEqual Abc (a: Reg, b: Reg, c: Reg) "R[a] := R[b] != R[c]";
    Less Abc (a: Reg, b: Reg, c: Reg) "R[a] := R[b] < R[c]";
    LessEqual Abc (a: Reg, b: Reg, c: Reg) "R[a] := R[b] <= R[c]";
    Greater Abc (a: Reg, b: Reg, c: Reg) "R[a] := R[b] > R[c]";
    GreaterEqual Abc (a: Reg, b: Reg, c: Reg) "R[a] := R[b] >= R[c]";
    Match Abc (a: Reg, b: Reg, c: Reg) "R[a] := R[b] =~ R[c]; a match of a regular expression opens a match scope";
    NotMatch Abc (a: Reg, b: Reg, c: Reg) "R[a] := R[b] !~ R[c]; likewise";
    In Abc (a: Reg, b: Reg, c: Reg) "R[a] := R[b] in R[c]";
    Jump Sx (x: Jump) "go on x words further";
    JumpIf Asx (a: Reg, x: Jump) "go on x words further if R[a] counts as true";
    JumpUnless Asx (a: Reg, x: Jump) "go on x words further unless R[a] counts as true";
    Option Abc (a: Reg, b: Reg, c: Reg) "R[a] := whether the option R[c] of a case or selector fits R[b]";
    OptionAny Abc (a: Reg, b: Reg, c: Reg) "R[a] := whether any element of the splatted R[c] fits R[b]";
    NoOption Abc (b: Reg) "fails: no option of a selector fits R[b]";
    MarkMatches Abc (a: Reg) "R[a] := how many match scopes are open";
    DropMatches Abc (a: Reg) "closes the match scopes opened since the mark R[a]";
    Concat Abc (a: Reg, b: Run(0), c: Num) "R[a] := the strings of R[b] … R[b+c-1], joined";
    NewArray Abc (a: Reg, b: Run(0), c: Num) "R[a] := [R[b] … R[b+c-1]]";
    Append Abc (a: Reg, b: Run(0), c: Num) "R[a] := R[a] with R[b] … R[b+c-1] behind";
    Splat Abc (a: Reg, b: Reg) "R[a] := R[a] with the elements of *R[b] behind";
    NewHash Abc (a: Reg, b: Pairs, c: Num) "R[a] := {R[b] => R[b+1], …}, c entries";
    PutHash Abc (a: Reg, b: Pairs, c: Num) "R[a] := R[a] with c entries from R[b] set";
    Access Abc (a: Reg, b: Run(1), c: Num) "R[a] := R[b][R[b+1], … R[b+c]]";
    TypeName Abx (a: Reg, x: Name) "R[a] := the type named N[x]";
    TypeReference Abx (a: Reg, x: Name) "R[a] := the type named N[x], or a reference to it where there is none";
    Call Abcw (a: Reg, b: Run(0), c: Num, w: Name) "R[a] := function N[w] of R[b] … R[b+c-1]";
    CallMethod Abcw (a: Reg, b: Run(0), c: Num, w: Name) "R[a] := the member N[w] of R[b] where it has one, or function N[w] of R[b] … R[b+c-1]";
    CallBlock Abcw (a: Reg, b: Run(1), c: Num, w: Name) "R[a] := function N[w] of R[b] … R[b+c-1] with the lambda R[b+c]";
    CallMethodBlock Abcw (a: Reg, b: Run(1), c: Num, w: Name) "R[a] := the member N[w] of R[b] where it has one, or function N[w] of R[b] … R[b+c-1], with the lambda R[b+c]";
    CallSplat Abcw (a: Reg, b: Reg, c: Num, w: Name) "R[a] := function N[w] of the elements of R[b]; with the lambda R[b+1] if c is 1";
    Closure Abx (a: Reg, x: Chunk) "R[a] := the lambda C[x] over the current scope";
    Once Abx (a: Reg, x: Chunk) "R[a] := the value of C[x], found out once a compile";
    Title Abc (a: Reg) "fails unless R[a] may be a title: strings, default, arrays of them";
    Attributes Abc () "opens a list of attributes";
    Attribute Abx (a: Reg, x: Name) "adds N[x] => R[a] to the list";
    AttributeAppend Abx (a: Reg, x: Name) "adds N[x] +> R[a] to the list";
    AttributeSplat Abc (a: Reg) "adds the entries of the hash R[a] to the list";
    Exporting Abc () "says that exported resources are about to be evaluated: warns where nothing keeps them";
    Body Abc (a: Reg) "closes the list as a resource body with title R[a]";
    Resource Abcw (a: Reg, b: Reg, c: Resource, w: Num) "R[a] := references to the resources of the last w bodies, type R[b], form c; unnamed: R[b] is no name of a type, which fails; unused: nobody uses the references, R[a] is undef";
    Defaults Abc (a: Reg, b: Reg) "R[a] := R[b], whose resource defaults the closed list sets";
    Override Abc (a: Reg, b: Reg) "R[a] := R[b], the resources the closed list overrides";
    Collect Abcw (a: Reg, b: Reg, c: Collector, w: List) "R[a] := collector of the resources c of type R[b], query L[w] over R[b+1] …; the closed list overrides";
    Relate Abcw (a: Reg, b: Reg, c: Reg, w: Relation) "R[a] := R[c], after the relationship w from R[b] to R[c]";
    RenderText Abx (x: Const) "adds K[x] to the template's output";
    Render Abc (a: Reg) "adds the string of R[a] to the template's output";
    CheckSyntax Abx (a: Reg, x: Name) "fails if R[a] is no text of the syntax N[x] and a checker for that is known";
    NoteSyntax Abx (a: Reg, x: Name) "nothing: says to whoever loads the unit that R[a], the constant just loaded, is to be text of the syntax N[x]";
    ReservedWord Abx (x: Name) "fails: N[x] is a reserved word";
    BadCallee Abx (a: Reg, x: Const) "fails: K[x] can't be called";
    Fail Abx (x: Const) "fails with the message K[x]";
    Return Abc (a: Reg) "leaves the chunk with R[a]";
}

impl Op {
    /// The operation of an opcode byte.
    pub fn from_byte(byte: u8) -> Option<Op> {
        Op::ALL.get(byte as usize).copied()
    }

    /// How many words an instruction takes.
    pub fn words(self) -> usize {
        if self.format() == OperandFormat::Abcw { 2 } else { 1 }
    }
}

/// Encodes an instruction of format `abc` (and the first word of `abcw`).
pub fn abc(op: Op, a: u8, b: u8, c: u8) -> u32 {
    u32::from_le_bytes([op as u8, a, b, c])
}

/// Encodes format `abx`.
pub fn abx(op: Op, a: u8, x: u16) -> u32 {
    u32::from(op as u8) | u32::from(a) << 8 | u32::from(x) << 16
}

/// Encodes format `asx`.
pub fn asx(op: Op, a: u8, x: i16) -> u32 {
    abx(op, a, x as u16)
}

/// Encodes format `sx`; `x` must fit 24 bits.
pub fn sx(op: Op, x: i32) -> u32 {
    u32::from(op as u8) | (x as u32) << 8
}

/// Decodes the instruction at `pc`: the instruction and where the next one starts. None where the words are no
/// instruction.
pub fn decode(code: &[u32], pc: usize) -> Option<(Ins, usize)> {
    let word = *code.get(pc)?;
    let [op, a, b, c] = word.to_le_bytes();
    let op = Op::from_byte(op)?;
    let next = pc + op.words();
    let x = match op.format() {
        OperandFormat::Abc => 0,
        OperandFormat::Abx => i64::from(word >> 16),
        OperandFormat::Asx => i64::from((word as i32) >> 16),
        OperandFormat::Sx => i64::from((word as i32) >> 8),
        OperandFormat::Abcw => i64::from(*code.get(pc + 1)?),
    };
    Some((Ins { op, a, b, c, x }, next))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_survives_encoding() {
        for (byte, op) in Op::ALL.iter().enumerate() {
            assert_eq!(Op::from_byte(byte as u8), Some(*op));
            let (words, want): (Vec<u32>, _) = match op.format() {
                OperandFormat::Abc => (vec![abc(*op, 1, 2, 3)], Ins { op: *op, a: 1, b: 2, c: 3, x: 0 }),
                OperandFormat::Abx => {
                    (vec![abx(*op, 9, 65535)], Ins { op: *op, a: 9, b: 255, c: 255, x: 65535 })
                }
                OperandFormat::Asx => (vec![asx(*op, 9, -2)], Ins { op: *op, a: 9, b: 254, c: 255, x: -2 }),
                OperandFormat::Sx => (vec![sx(*op, -2)], Ins { op: *op, a: 254, b: 255, c: 255, x: -2 }),
                OperandFormat::Abcw => (vec![abc(*op, 1, 2, 3), 7], Ins { op: *op, a: 1, b: 2, c: 3, x: 7 }),
            };
            assert_eq!(decode(&words, 0), Some((want, words.len())));
        }
        assert!(Op::ALL.len() < 256);
    }
}
