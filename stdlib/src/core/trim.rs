//! Taking characters off the ends of strings.

use super::case::shallow;
use bunraku_vm::error::Eval;
use bunraku_vm::function::Call;
use bunraku_vm::vm::Vm;

natives! {
    /// The text without blanks at its ends.
    function "strip" {
        dispatch strip(param "Numeric" arg);
        dispatch strip(param "String" arg);
        dispatch strip(param "Iterable[Variant[String, Numeric]]" arg);
    }
    /// The text without blanks at its start.
    function "lstrip" {
        dispatch lstrip(param "Numeric" arg);
        dispatch lstrip(param "String" arg);
        dispatch lstrip(param "Iterable[Variant[String, Numeric]]" arg);
    }
    /// The text without blanks at its end.
    function "rstrip" {
        dispatch rstrip(param "Numeric" arg);
        dispatch rstrip(param "String" arg);
        dispatch rstrip(param "Iterable[Variant[String, Numeric]]" arg);
    }
    /// The text without the line end at its end.
    function "chomp" {
        dispatch chomp(param "Numeric" arg);
        dispatch chomp(param "String" arg);
        dispatch chomp(param "Iterable[Variant[String, Numeric]]" arg);
    }
    /// The text without its last character.
    function "chop" {
        dispatch chop(param "Numeric" arg);
        dispatch chop(param "String" arg);
        dispatch chop(param "Iterable[Variant[String, Numeric]]" arg);
    }
}

/// What Ruby strips: ASCII blanks and null.
fn is_blank(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\x0b' | '\x0c' | '\r' | ' ' | '\0')
}

fn strip<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    shallow(vm, "strip", call.args[0], |text| text.trim_matches(is_blank).to_owned())
}

fn lstrip<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    shallow(vm, "lstrip", call.args[0], |text| text.trim_start_matches(is_blank).to_owned())
}

fn rstrip<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    shallow(vm, "rstrip", call.args[0], |text| text.trim_end_matches(is_blank).to_owned())
}

fn chomp<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    shallow(vm, "chomp", call.args[0], |text| {
        let ends = ["\r\n", "\n", "\r"];
        ends.iter().find_map(|end| text.strip_suffix(end)).unwrap_or(text).to_owned()
    })
}

fn chop<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    shallow(vm, "chop", call.args[0], |text| match text.strip_suffix("\r\n") {
        Some(rest) => rest.to_owned(),
        None => {
            let mut chars = text.chars();
            chars.next_back();
            chars.as_str().to_owned()
        }
    })
}
