//! Lowered templates as bytes, for archives: in the order of the tree, numbers in groups of seven bits, texts with
//! their length in front.
//!
//! One list says, for each kind of expression, what it is made of; both ways are made from it, and a kind that is
//! missing does not compile. Bytes may be anybody's: every index is checked against what the head announces, nesting
//! and counts are bounded, and nothing is allocated that the bytes do not pay for.

mod parts;

use crate::method::Method;
use crate::tree::{
    AssignTarget, Block, BlockBody, Captures, Case, Expr, Handler, InstanceVariable, Keyword, Lends,
    MethodBody, MethodCall, Params, Program, RegexpOptions, Rescue, Unsupported,
};
use crate::value::Class;
use parts::{Coded, CodedIndex, Rest, number};

/// Deeper trees are not rendered anyway.
const DEEPEST: u32 = 500;
/// Templates with more locals than these are parsed anew.
const MOST_SLOTS: u64 = 1 << 16;
/// No template that is lowered is longer.
const MOST_TEXT: u64 = 1 << 20;

/// The bytes of a template or of why it is Ruby's; none for one beyond the bounds of this form.
pub(crate) fn encode(template: &Result<Program, Unsupported>) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    match template {
        Ok(template) => {
            out.push(0);
            template.put(&mut out);
        }
        Err(reason) => {
            out.push(1);
            reason.put(&mut out);
        }
    }
    // Only what can be decoded again is encoded.
    decode(&out).map(|_| out)
}

/// The template of some bytes; none if they are not exactly one.
pub(crate) fn decode(bytes: &[u8]) -> Option<Result<Program, Unsupported>> {
    let mut rest = Rest { bytes, depth: 0, slots: 0, variables: 0, methods: 0, reasons: 0 };
    let template = match rest.byte()? {
        0 => Ok(Program::take(&mut rest)?),
        1 => Err(Unsupported::take(&mut rest)?),
        _ => return None,
    };
    rest.bytes.is_empty().then_some(template)
}

impl Coded for Method {
    fn put(&self, out: &mut Vec<u8>) {
        (*self as usize).put(out);
    }

    fn take(rest: &mut Rest<'_>) -> Option<Method> {
        Method::ALL.get(usize::take(rest)?).copied()
    }
}

impl Coded for Class {
    fn put(&self, out: &mut Vec<u8>) {
        (*self as usize).put(out);
    }

    fn take(rest: &mut Rest<'_>) -> Option<Class> {
        Class::ALL.get(usize::take(rest)?).map(|(class, _)| *class)
    }
}

/// One field, there and back: an index where it says below what.
macro_rules! field {
    ($out:ident, put $field:expr) => {
        $field.put($out)
    };
    ($out:ident, put $field:expr, $limit:ident) => {
        $field.put_index($out)
    };
    ($rest:ident, take) => {
        Coded::take($rest)?
    };
    ($rest:ident, take $limit:ident) => {{
        let limit = $rest.$limit;
        CodedIndex::take_index($rest, limit)?
    }};
}

/// The form of an enum: its variants, in the order of their numbers, and their fields.
macro_rules! form {
    ($of:ident { $($variant:ident $(( $($field:ident $(< $limit:ident)?),* ))?;)* }) => {
        impl Coded for $of {
            fn put(&self, out: &mut Vec<u8>) {
                #[repr(u8)]
                enum ExprTag { $($variant),* }
                match self {
                    $($of::$variant $(( $($field),* ))? => {
                        out.push(ExprTag::$variant as u8);
                        $($( field!(out, put $field $(, $limit)?); )*)?
                    })*
                }
            }

            fn take(rest: &mut Rest<'_>) -> Option<$of> {
                #[repr(u8)]
                enum ExprTag { $($variant),* }
                let tag = rest.byte()?;
                rest.depth += 1;
                if rest.depth > DEEPEST {
                    return None;
                }
                let taken = match tag {
                    $(tag if tag == ExprTag::$variant as u8 => $of::$variant $(( $(field!(rest, take $($limit)?)),* ))?,)*
                    _ => return None,
                };
                rest.depth -= 1;
                Some(taken)
            }
        }
    };
}

/// The form of a structure: its fields in order.
macro_rules! record {
    ($of:ident { $($field:ident),* }) => {
        impl Coded for $of {
            fn put(&self, out: &mut Vec<u8>) {
                let $of { $($field),* } = self;
                $($field.put(out);)*
            }

            fn take(rest: &mut Rest<'_>) -> Option<$of> {
                Some($of { $($field: Coded::take(rest)?),* })
            }
        }
    };
}

form! { Expr {
    Nil;
    Bool(value);
    Int(value);
    Float(value);
    Text(text);
    Insert(value);
    Sequence(nodes);
    String(text);
    Fresh(value);
    Symbol(name);
    Join(pieces);
    Regexp(source, options);
    Array(items);
    Splat(value);
    Hash(pairs);
    Range(ends, open);
    Local(slot < slots);
    SetLocal(slot < slots, value);
    Variable(number < variables);
    SetVariable(number < variables, value);
    SetMany(targets, value);
    If(parts);
    While(parts, wanted);
    Case(case);
    And(pair);
    Or(pair);
    Not(value);
    Call(call);
    Unread(call, messages);
    Key(value, key);
    AppendLocal(slot < slots, value);
    Scope;
    Class(class);
    Group(number);
    Define(number < methods, singleton);
    Return(value);
    Rescue(parts);
    Ensure(parts);
    Constant(name);
    SetConstant(name, value);
    Module(number < methods, class, parent);
    Singleton(number < methods);
    Itself;
    Yield(args);
    Super(args);
    Lambda(body);
    IsDefined(value);
    IsVariable(number < variables);
    Next(value);
    Break(value, block);
    Unsupported(number < reasons);
} }

form! { Block {
    Body(body);
    Method(method);
    Given(value);
    Passed;
} }

form! { Captures {
    Nothing;
    Method;
    Block;
} }

form! { Lends {
    Variables(names);
    Anything;
} }

form! { AssignTarget {
    Local(slot < slots);
    Rest(slot < slots);
    Many(targets);
    Variable(number < variables);
} }

record! { RegexpOptions { ignore_case, multiline, extended } }
record! { Case { subject, branches, otherwise } }
record! { MethodCall { receiver, method, name, args, keywords, block, safe, line } }
record! { Handler { classes, target, body } }
record! { Keyword { name, target, default } }
record! { Rescue { body, handlers, otherwise } }
record! { MethodBody { name, params, names, body } }
record! { Params { required, optional, rest, after, keywords, keyword_rest, block } }
record! { Unsupported { line, what } }

impl Coded for InstanceVariable {
    fn put(&self, out: &mut Vec<u8>) {
        self.name.text.put(out);
    }

    fn take(rest: &mut Rest<'_>) -> Option<InstanceVariable> {
        <Box<str>>::take(rest).map(|name| InstanceVariable::new(&name))
    }
}

impl Coded for BlockBody {
    fn put(&self, out: &mut Vec<u8>) {
        let BlockBody { params, spreads, full, own, number: own_number, captures, body } = self;
        params.put(out);
        spreads.put(out);
        full.put(out);
        own_number.put(out);
        captures.put(out);
        number(u64::from(own.0), out);
        number(u64::from(own.1), out);
        body.put(out);
    }

    fn take(rest: &mut Rest<'_>) -> Option<BlockBody> {
        let (params, spreads, full) = (Coded::take(rest)?, Coded::take(rest)?, Coded::take(rest)?);
        let (number, captures) = (Coded::take(rest)?, Coded::take(rest)?);
        let after = rest.slots + 1;
        let own: (u32, u32) = (CodedIndex::take_index(rest, after)?, CodedIndex::take_index(rest, after)?);
        let body = Coded::take(rest)?;
        (own.0 <= own.1).then_some(BlockBody { params, spreads, full, own, number, captures, body })
    }
}

impl Coded for Program {
    fn put(&self, out: &mut Vec<u8>) {
        let Program { body, slots, variables, reasons, methods, defines, groups, lends, size } = self;
        slots.put(out);
        variables.put(out);
        reasons.put(out);
        defines.put(out);
        groups.put(out);
        lends.put(out);
        size.put(out);
        methods.put(out);
        body.put(out);
    }

    fn take(rest: &mut Rest<'_>) -> Option<Program> {
        let slots = rest.below(MOST_SLOTS)?;
        let (variables, reasons): (Vec<_>, Vec<_>) = (Coded::take(rest)?, Coded::take(rest)?);
        let (defines, groups, lends) = (Coded::take(rest)?, Coded::take(rest)?, Coded::take(rest)?);
        let size = rest.below(MOST_TEXT + 1)?;
        (rest.slots, rest.variables, rest.reasons) = (slots, variables.len() as u64, reasons.len() as u64);
        // Methods may call later ones, so their count stands before the first.
        let mut ahead = Rest { bytes: rest.bytes, ..*rest };
        rest.methods = ahead.number()?;
        let methods = Vec::take(rest)?;
        let body = Coded::take(rest)?;
        let (slots, size) = (slots as usize, size as usize);
        Some(Program { body, slots, variables, reasons, methods, defines, groups, lends, size })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::lower;

    /// Something of every kind.
    const TEMPLATE: &str = r#"<%# comment -%>
<% def double(x) return x * 2 end -%>
<% x = 1; y = -2.5; a, (b, *c) = [1, [2, 3, *x]] -%>
<%= "a#{@b}c" + double(x).to_s + scope['::d'].to_s %>
<%- @list.each_with_index do |one, n| next if one == :none -%>
<%= one =~ /^a(.)#{n}$/i ? $1 : 'no' %> <%= { 'k' => nil, :s => true }.map { |k, v| k }.join(",") %>
<%- end -%>
<% while x < 10 do x += 1; break unless false; end -%>
<% case y when 1, 2 then %>one<% when String %>text<% else %>other<% end -%>
<% text = ''; text << 'more'; @set = (1..3).map(&:to_s) if !defined?(@set) && (x or y) -%>
<% begin %><%= Integer('x') %><% rescue ArgumentError => e %>bad<% end -%>
<%= [scope, @list&.first, @map['key']] %><%= unknown_function(1) %>
"#;

    #[test]
    fn what_goes_in_comes_out() {
        for text in [TEMPLATE, "", "plain", "<%= @a", "<% if %>", "<%# coding: latin-1 %>"] {
            let lowered = lower(text);
            let bytes = encode(&lowered).expect("it is within bounds");
            let back = decode(&bytes).expect("it is whole");
            assert_eq!(format!("{back:?}"), format!("{lowered:?}"));
            assert_eq!(encode(&back), Some(bytes.clone()));
            for at in 0..bytes.len() {
                assert!(decode(&bytes[..at]).is_none());
            }
            assert!(decode(&[bytes, vec![0]].concat()).is_none());
        }
        assert!(lower(TEMPLATE).is_ok(), "it is lowered");
    }

    #[test]
    fn broken_bytes_are_refused_or_are_some_template() {
        let good = encode(&lower(TEMPLATE)).expect("it is within bounds");
        let mut refused = 0;
        for at in 0..good.len() {
            for bit in 0..8 {
                let mut bad = good.clone();
                bad[at] ^= 1 << bit;
                refused += usize::from(decode(&bad).is_none());
            }
        }
        assert!(refused > good.len(), "only {refused} refused");
    }

    #[test]
    fn nesting_and_counts_are_bounded() {
        // No slots, variables, reasons, definitions, groups, what is lent (a byte more), size, methods; then one `!` within another.
        let head = [0; 10];
        let mut not = Vec::new();
        Expr::Not(Box::new(Expr::Nil)).put(&mut not);
        let nested = |depth: usize| [&head[..], &not[..1].repeat(depth), &[0]].concat();
        assert!(decode(&nested(400)).is_some());
        assert!(decode(&nested(100_000)).is_none());
        let mut many = Vec::new();
        Expr::Array(Box::default()).put(&mut many);
        let huge = [&head[..], &many[..1], &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]].concat();
        assert!(decode(&huge).is_none());
        let locals = [&[0, 0xff, 0xff, 0xff, 0x7f][..], &[0; 10]].concat();
        assert!(decode(&locals).is_none());
    }
}
