//! What is made ahead of time of texts that stand in code and data: automata of regular expressions, and templates that
//! `inline_template` and `inline_epp` are given as text.
//!
//! Key: the text itself, and what it is for. Bound: the texts in the code and data of the tree. Never stale: what is made of a text
//! depends on nothing but the text, the compiler and the version of the language, and an archive is for one of each. Test:
//! `runtime/compile/tests/archive.rs`.

use crate::units;
use bunraku_native_ruby::Lowered;
use bunraku_vm::archive::layout::Section;
use bunraku_vm::archive::writer::Literals;
use bunraku_vm::compat::Compat;
use bunraku_vm::regex;
use bunraku_vm::unit::constant_arguments::constant_arguments;
use bunraku_vm::unit::reader::Unit;

/// A text, and the section of an archive that has what is made of it.
pub(super) type Literal = (String, Section);

const ERB: &str = "inline_template";
const EPP: &str = "inline_epp";
/// What is in every template with code in it.
const TAG: &str = "<%";

/// The texts of a unit that something is made of, and those of ERB with the line where a call names them. ERB is often
/// kept in a variable, so whatever text has a tag counts, unless it is given to `inline_epp`.
pub(super) fn of_unit(unit: &Unit<'_>) -> (Vec<Literal>, Vec<(u32, String)>) {
    let expressions = unit.regexps().map(|source| (source.to_owned(), Section::Automata));
    let mut all: Vec<Literal> = expressions.collect();
    let given = constant_arguments(unit, &[ERB, EPP]).unwrap_or_default();
    let (epp, erb): (Vec<_>, Vec<_>) = given.into_iter().partition(|given| given.function == EPP);
    let is_epp = |text: &str| epp.iter().any(|given| given.text == text);
    let tagged = unit.texts().filter(|text| text.contains(TAG) && !is_epp(text));
    let templates = tagged.chain(erb.iter().map(|given| given.text));
    all.extend(templates.map(|text| (text.to_owned(), Section::Templates)));
    all.extend(epp.iter().map(|given| (given.text.to_owned(), Section::Units)));
    (all, erb.into_iter().map(|given| (given.line, given.text.to_owned())).collect())
}

/// What is made of a text for a section, if anything is: whoever meets one that nothing is made of does as without an archive.
pub(super) fn make(text: &str, section: Section, compat: Compat) -> Option<Vec<u8>> {
    match section {
        Section::Automata => regex::made(text),
        Section::Templates => {
            Some(Lowered::new(text.as_bytes())).filter(Lowered::is_lowered).and_then(|it| it.encode())
        }
        Section::Units => units::of_text(text, compat).map(|words| bytemuck::cast_slice(&words).to_vec()),
        _ => None,
    }
}

/// Why a template of ERB that is given as text needs Ruby, first; none where it does not.
pub(super) fn needs_ruby(text: String, made: &Literals) -> Option<String> {
    let literal = (text, Section::Templates);
    let lowered = made.get(&literal).and_then(|bytes| Lowered::decode(bytes));
    let lowered = lowered.unwrap_or_else(|| Lowered::new(literal.0.as_bytes()));
    lowered.reasons().first().map(ToString::to_string)
}
