//! Text of a known syntax in heredocs. Only text without interpolation can be checked before it is made.

use super::{CheckOptions, Checker, check, json};
use crate::ast::{Expr, ExprKind};
use crate::parse::{ParseLimits, parse};
use crate::source::{SourceFile, SourceKind};
use bumpalo::Bump;
use bunraku_vm::diagnostic::{Diagnostic, Severity};

impl<'a> Checker<'_, '_> {
    pub(super) fn heredoc_syntax(&mut self, syntax: &str, text: &Expr<'a>) {
        let ExprKind::Str(content) = text.kind else { return };
        // The most specific of the syntaxes that is known; those to the right are more general.
        let known = syntax.match_indices('+').map(|(at, _)| &syntax[at + 1..]);
        let Some(known) = std::iter::once(syntax).chain(known).find(|name| is_known(name)) else { return };
        let mut inner = Vec::new();
        let fault = match known {
            "json" => json::check(content).map(|fault| {
                let fault: String = fault.chars().take(100).collect();
                format!(
                    "JSON syntax checker: Cannot parse invalid JSON string. \"{}\"",
                    escape_breaks(&fault)
                )
            }),
            "base64" => base64_fault(content)
                .map(|fault| format!("Base64 syntax checker: Cannot parse invalid Base64 string - {fault}")),
            // The checkers of Puppet's own syntaxes only take them under their plain names.
            "pp" | "epp" if known != syntax => Some(format!(
                "{} syntax checker: the syntax identifier must be a String, e.g. pp",
                known.to_uppercase()
            )),
            "pp" => self.puppet_fault(content, SourceKind::Manifest, &mut inner),
            _ => self.puppet_fault(content, SourceKind::Epp, &mut inner),
        };
        if let Some(fault) = fault {
            let code = match known {
                "json" => "ILLEGAL_JSON",
                "base64" => "ILLEGAL_BASE64",
                "pp" => "ILLEGAL_PP",
                _ => "ILLEGAL_EPP",
            };
            let message = format!("Invalid produced text having syntax: '{syntax}'. {fault}");
            self.report.fatal(code, text.span, message, inner);
        }
    }

    /// What is wrong with a text in Puppet's language; `inner` gets every fault of it.
    fn puppet_fault(&self, content: &str, kind: SourceKind, inner: &mut Vec<Diagnostic>) -> Option<String> {
        let arena = Bump::new();
        let source = SourceFile { path: None, text: content, kind };
        let diagnostics = match parse(&arena, &source, &ParseLimits::default()) {
            Err(diagnostics) => diagnostics,
            Ok(parsed) => {
                let options = CheckOptions { strict: self.options.strict, ..CheckOptions::default() };
                check(&parsed.program, &source, &options)
            }
        };
        let errors: Vec<&Diagnostic> =
            diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Err).collect();
        let warnings = diagnostics.len() - errors.len();
        let message = match (errors.as_slice(), warnings) {
            ([], _) => return None,
            ([only], _) => only.to_string(),
            (several, 0) => format!("Language validation logged {} errors. Giving up", several.len()),
            (several, warnings) => format!(
                "Language validation logged {} errors, and {warnings} warnings. Giving up",
                several.len()
            ),
        };
        let message: String = message.chars().take(500).collect();
        *inner = diagnostics;
        let name = if kind == SourceKind::Epp { "EPP" } else { "PP" };
        Some(format!("{name} syntax checker: \"{}\"", escape_breaks(&message)))
    }
}

fn is_known(syntax: &str) -> bool {
    matches!(syntax, "json" | "base64" | "pp" | "epp")
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
