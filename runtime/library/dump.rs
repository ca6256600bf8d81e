//! The syntax tree of a text, in the forms of `puppet parser dump`.

use bumpalo::Bump;
use bunraku_compiler::dump::{Notation, nested};
use bunraku_compiler::{ParseLimits, SourceFile, parse};
use bunraku_vm::diagnostic::Diagnostic;
use bunraku_vm::format::float_to_s;
use serde_json::Value as Json;

/// How a syntax tree is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeForm {
    /// Nested parentheses, Puppet's `old`.
    Nested,
    /// Puppet's notation, in one line.
    Notation,
    /// The same in many lines.
    PrettyNotation,
    /// The same as JSON, in one line.
    Json,
}

/// The tree of a manifest or template, as Puppet 7, 8 and 9 print it.
///
/// # Errors
/// The syntax errors.
pub fn syntax_tree(source: &SourceFile<'_>, form: TreeForm) -> Result<String, Vec<Diagnostic>> {
    let arena = Bump::new();
    let parsed = parse(&arena, source, &ParseLimits::default())?;
    Ok(match form {
        TreeForm::Nested => nested(&parsed.program),
        TreeForm::Notation => Notation::of(&parsed.program).to_string(),
        TreeForm::PrettyNotation => Notation::of(&parsed.program).pretty(),
        TreeForm::Json => {
            let mut out = String::new();
            write(&Notation::of(&parsed.program), &mut out);
            out
        }
    })
}

/// Numbers are written as Ruby writes them, which serde_json can't be told.
fn write(notation: &Notation<'_>, out: &mut String) {
    let text = |text: &str| Json::String(text.to_owned()).to_string();
    match notation {
        Notation::Call(name, elements) => {
            out.push_str("{\"^\":[");
            out.push_str(&text(name));
            elements.iter().for_each(|element| {
                out.push(',');
                write(element, out);
            });
            out.push_str("]}");
        }
        Notation::List(elements) => {
            out.push('[');
            for (n, element) in elements.iter().enumerate() {
                out.push_str(if n > 0 { "," } else { "" });
                write(element, out);
            }
            out.push(']');
        }
        Notation::Map(entries) => {
            out.push_str("{\"#\":[");
            for (n, (key, value)) in entries.iter().enumerate() {
                out.push_str(if n > 0 { "," } else { "" });
                out.push_str(&text(key));
                out.push(',');
                write(value, out);
            }
            out.push_str("]}");
        }
        Notation::Text(value) => out.push_str(&text(value)),
        Notation::Integer(value) => out.push_str(&value.to_string()),
        Notation::Float(value) => out.push_str(&float_to_s(*value)),
        Notation::Boolean(value) => out.push_str(&value.to_string()),
        Notation::Nil => out.push_str("null"),
    }
}
