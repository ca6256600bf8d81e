//! Which instruction each expression of a source begins with: for whoever wants to say of a source what of it has been run. Lowering
//! notes it where that is asked for; the unit is the same, so it holds of every unit that the source was lowered to before.

use crate::ast::Span;
use bunraku_vm::unit::DefKind;
use bunraku_vm::unit::reader::{Unit, UnitFault};

/// An expression that has instructions of its own, or is a part of a constant that has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Where it is written.
    pub span: Span,
    /// Its first instruction, counted in words from the begin of the code of the unit.
    pub from: u32,
    /// The instruction behind it: when that is reached, its value is in the register, if it is a value.
    pub to: u32,
    /// The register that its value ends in; none of an attribute.
    pub register: Option<u8>,
}

/// What has arms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fork {
    /// `if`, `elsif`.
    If,
    /// `unless`.
    Unless,
    /// `case`.
    Case,
    /// `? {}`.
    Selector,
    /// `and`.
    And,
    /// `or`.
    Or,
}

impl Fork {
    /// The word it is written with.
    pub fn word(self) -> &'static str {
        match self {
            Fork::If => "if",
            Fork::Unless => "unless",
            Fork::Case => "case",
            Fork::Selector => "selector",
            Fork::And => "and",
            Fork::Or => "or",
        }
    }
}

/// An arm of a fork: it was taken if its instruction has run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arm {
    /// What it is an arm of.
    pub fork: Fork,
    /// Where that is written.
    pub of: Span,
    /// What is run if it is taken; none of an `else` or `default` that is not written.
    pub body: Option<Span>,
    /// The instruction, as in [`Point`].
    pub at: u32,
    /// Whether that has to have jumped: then the right side of `and` or `or` was not asked for.
    pub by_jump: bool,
}

/// A definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointOfDefinition {
    /// What it defines.
    pub kind: DefKind,
    /// Its name; of a node definition none.
    pub name: String,
    /// Where it is written: line and column.
    pub place: (u32, u32),
    /// The first instruction of its body.
    pub at: u32,
}

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Points {
    /// Expressions.
    pub points: Vec<Point>,
    /// Arms of forks, those of one fork together, in the order of the source.
    pub arms: Vec<Arm>,
    /// Definitions with bodies: classes, defined types, functions, nodes.
    pub definitions: Vec<PointOfDefinition>,
}

/// What is noted while chunks are lowered: places in chunks, with the chunk's number where it is known.
#[derive(Default)]
pub(super) struct Noted {
    points: Vec<(u32, Point)>,
    arms: Vec<(u32, Arm)>,
    /// How many constructs are being lowered whose expressions are no code of the language: declared types.
    pub silent: u32,
}

impl Noted {
    /// Takes in what a chunk has.
    pub fn take_in(&mut self, number: u32, chunk: ChunkNotes) {
        self.points.extend(chunk.points.into_iter().map(|point| (number, point)));
        self.arms.extend(chunk.arms.into_iter().map(|arm| (number, arm)));
    }

    /// All of it, as places in the unit it was lowered to.
    ///
    /// # Errors
    /// When the words are no unit.
    pub fn placed(self, words: &[u32]) -> Result<Points, UnitFault> {
        let unit = Unit::open(words)?;
        let begins = (0..unit.chunks()).map(|number| unit.begin(number)).collect::<Result<Vec<u32>, _>>()?;
        let mut points = Points::default();
        for (chunk, point) in self.points {
            let begin = begins[chunk as usize];
            points.points.push(Point { from: begin + point.from, to: begin + point.to, ..point });
        }
        for (chunk, arm) in self.arms {
            points.arms.push(Arm { at: begins[chunk as usize] + arm.at, ..arm });
        }
        points.arms.sort_by_key(|arm| (arm.of.start, arm.of.end, arm.at));
        for number in 0..unit.defs() {
            let def = unit.def(number)?;
            if matches!(def.kind, DefKind::Class | DefKind::Define | DefKind::Function | DefKind::Node) {
                points.definitions.push(PointOfDefinition {
                    kind: def.kind,
                    name: def.name.to_owned(),
                    place: (def.line, def.column),
                    at: unit.begin(def.chunk)?,
                });
            }
        }
        Ok(points)
    }
}

/// What a chunk under construction has noted.
#[derive(Default)]
pub(super) struct ChunkNotes {
    pub points: Vec<Point>,
    pub arms: Vec<Arm>,
}
