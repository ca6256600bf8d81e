//! Texts of other syntaxes: JSON, Base64, and Puppet's own, by the checkers that come with Puppet.

use super::{CheckOptions, Location, check_within as check_program, json};
use crate::parse::{ParseLimits, parse};
use crate::source::{SourceFile, SourceKind};
use bumpalo::Bump;
use bunraku_vm::cause::Cause;
use bunraku_vm::diagnostic::{Diagnostic, Severity};

/// What a checker says of a text that is not of its syntax.
#[derive(Clone, Debug)]
pub enum SyntaxFault {
    /// An issue it reports.
    Issue {
        /// Puppet's code.
        code: &'static str,
        /// What is wrong.
        message: String,
        /// Every fault and warning of a text in Puppet's language.
        inner: Vec<Diagnostic>,
    },
    /// It is not for this syntax: an error of the caller's, to Puppet.
    Misused(String),
    /// Puppet code in heredocs of Puppet code, and so on, deeper than [`MAX_DEPTH`]: Ruby's stack ends here, too.
    TooDeep,
}

/// What Ruby says then.
pub const TOO_DEEP: &str = "stack level too deep";
/// In how many others Puppet code may stand that is checked.
pub const MAX_DEPTH: u32 = 400;
/// What one more of them takes of the stack: as much as the parser's own nesting, and the rules beside it.
const STACK: usize = 2 << 20;

/// The message of a produced text that a checker does not take.
pub fn invalid(syntax: &str, message: &str) -> String {
    format!("Invalid produced text having syntax: '{syntax}'. {message}")
}

/// The names that a syntax goes by, from the most specific: `a+b+c`, `b+c`, `c`.
pub fn names(syntax: &str) -> impl Iterator<Item = &str> {
    std::iter::once(syntax).chain(syntax.match_indices('+').map(|(at, _)| &syntax[at + 1..]))
}

/// The checker of Puppet's that a syntax has.
pub fn checker(syntax: &str) -> Option<&str> {
    names(syntax).find(|name| matches!(*name, "json" | "base64" | "pp" | "epp"))
}

/// Checks a constant text by Puppet's checker for its syntax; where there is none, it is any text.
pub(super) fn check_within(
    syntax: &str,
    text: &str,
    options: &CheckOptions<'_>,
    depth: u32,
) -> Result<(), SyntaxFault> {
    checker(syntax).map_or(Ok(()), |name| check_at(name, syntax, text, options, depth))
}

/// Checks a text by one of Puppet's checkers: `json`, `base64`, `pp` or `epp`; Puppet code is checked as `options` say.
///
/// # Errors
/// What it finds.
pub fn check_by(
    checker: &str,
    syntax: &str,
    text: &str,
    options: &CheckOptions<'_>,
) -> Result<(), SyntaxFault> {
    check_at(checker, syntax, text, options, 0)
}

fn check_at(
    checker: &str,
    syntax: &str,
    text: &str,
    options: &CheckOptions<'_>,
    depth: u32,
) -> Result<(), SyntaxFault> {
    let issue = |code, found: Option<String>| match found {
        None => Ok(()),
        Some(message) => Err(SyntaxFault::Issue { code, message, inner: Vec::new() }),
    };
    let (code, kind) = match checker {
        "json" => return issue("ILLEGAL_JSON", json_fault(text, options)),
        "base64" => {
            let fault = base64_fault(text);
            return issue(
                "ILLEGAL_BASE64",
                fault.map(|fault| {
                    format!("Base64 syntax checker: Cannot parse invalid Base64 string - {fault}")
                }),
            );
        }
        // The checkers of Puppet's own syntaxes only take them under their plain names.
        _ if checker != syntax => {
            return Err(SyntaxFault::Misused(format!(
                "{} syntax checker: the syntax identifier must be a String, e.g. pp",
                checker.to_uppercase()
            )));
        }
        "pp" => ("ILLEGAL_PP", SourceKind::Manifest),
        _ => ("ILLEGAL_EPP", SourceKind::Epp),
    };
    if depth >= MAX_DEPTH {
        return Err(SyntaxFault::TooDeep);
    }
    match stacker::maybe_grow(STACK, 2 * STACK, || puppet_fault(text, kind, options, depth + 1))? {
        None => Ok(()),
        Some((message, inner)) => Err(SyntaxFault::Issue { code, message, inner }),
    }
}

fn json_fault(text: &str, options: &CheckOptions<'_>) -> Option<String> {
    let fault: String = json::without_comments(text, options.compat).err()?.chars().take(100).collect();
    Some(format!("JSON syntax checker: Cannot parse invalid JSON string. \"{}\"", escape_breaks(&fault)))
}

fn puppet_fault(
    text: &str,
    kind: SourceKind,
    options: &CheckOptions<'_>,
    depth: u32,
) -> Result<Option<(String, Vec<Diagnostic>)>, SyntaxFault> {
    let arena = Bump::new();
    let source = SourceFile { path: None, text, kind };
    let diagnostics = match parse(&arena, &source, &ParseLimits::default()) {
        Err(diagnostics) => diagnostics,
        Ok(parsed) => {
            let options = CheckOptions { location: Location::Free, ..*options };
            check_program(&parsed.program, &source, &options, depth)
        }
    };
    let errors: Vec<&Diagnostic> =
        diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Err).collect();
    let warnings = diagnostics.len() - errors.len();
    let message = match (errors.as_slice(), warnings) {
        ([], _) => return Ok(None),
        // No checker catches that.
        ([only], _) if only.cause == Cause::StackTooDeep => return Err(SyntaxFault::TooDeep),
        ([only], _) => only.to_string(),
        (several, 0) => format!("Language validation logged {} errors. Giving up", several.len()),
        (several, warnings) => {
            format!("Language validation logged {} errors, and {warnings} warnings. Giving up", several.len())
        }
    };
    let message: String = message.chars().take(500).collect();
    let name = if kind == SourceKind::Epp { "EPP" } else { "PP" };
    Ok(Some((format!("{name} syntax checker: \"{}\"", escape_breaks(&message)), diagnostics)))
}

fn escape_breaks(text: &str) -> String {
    text.replace("\r\n", "\\n").replace('\n', "\\n")
}

/// What is wrong with text as strict Base64, in which space, `?` and line breaks do not count.
fn base64_fault(text: &str) -> Option<&'static str> {
    let kept: Vec<u8> = text
        .chars()
        .filter(|character| !matches!(character, '\r' | '?' | '\n' | ' ' | '\t'))
        .flat_map(|character| character.to_string().into_bytes())
        .collect();
    let padding = kept.iter().rev().take_while(|byte| **byte == b'=').count();
    let digits = &kept[..kept.len() - padding];
    let in_range = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    // Bits that padding cuts off are zero.
    let cut = match padding {
        1 => 0b11,
        2 => 0b1111,
        _ => 0,
    };
    let clean = digits.last().is_none_or(|last| base64_value(*last) & cut == 0);
    if kept.len().is_multiple_of(4) && padding <= 2 && digits.iter().all(in_range) && clean {
        return None;
    }
    Some(if (kept.len() * 8).is_multiple_of(6) {
        "contains letters outside strict base 64 range (or whitespace)"
    } else {
        "padding is not correct"
    })
}

fn base64_value(byte: u8) -> u8 {
    match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    }
}
