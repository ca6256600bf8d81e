//! Calls as they stand in manifests, documentation and comments: found by the function's name, without a parser, for
//! half of these texts are none of a language.

use super::literal::Literal;
use bumpalo::Bump;
use bunraku_compiler::ast::ExprKind;
use bunraku_compiler::{ParseLimits, SourceFile, parse};
use regex_lite::Regex;

/// The longest list of arguments that is taken, in bytes.
const LONGEST: usize = 400;

/// The arguments of each call of `name` in a text, where their parentheses and quotes match.
pub(super) fn calls(text: &str, name: &str) -> Vec<Vec<Literal>> {
    let mut all = Vec::new();
    let start = format!("{name}(");
    for (at, _) in text.match_indices(&start) {
        let before = text[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':' || c == '.') {
            continue;
        }
        if let Some(arguments) = arguments(&text[at + start.len()..]) {
            all.push(arguments);
        }
    }
    all
}

/// Splits what stands up to the closing parenthesis at its commas.
fn arguments(text: &str) -> Option<Vec<Literal>> {
    let mut open = Vec::new();
    let mut all = Vec::new();
    let mut from = 0;
    let mut quote: Option<char> = None;
    let mut escaped = false;
    for (at, c) in text.char_indices().take_while(|(at, _)| *at < LONGEST) {
        if let Some(end) = quote {
            if escaped {
                escaped = false;
            } else if c == '\\' {
                escaped = true;
            } else if c == end {
                quote = None;
            }
            continue;
        }
        match c {
            '\'' | '"' => quote = Some(c),
            '(' | '[' | '{' => open.push(c),
            ')' if open.is_empty() => {
                let last = text[from..at].trim();
                if !last.is_empty() {
                    all.push(argument(last)?);
                }
                return Some(all);
            }
            ')' | ']' | '}' => {
                let fits = matches!((open.pop(), c), (Some('('), ')') | (Some('['), ']') | (Some('{'), '}'));
                if !fits {
                    return None;
                }
            }
            ',' if open.is_empty() => {
                all.push(argument(text[from..at].trim())?);
                from = at + 1;
            }
            '#' | ';' => return None,
            _ => {}
        }
    }
    None
}

/// An argument as code. Variables outside of texts become texts, for nothing here gives them values.
fn argument(text: &str) -> Option<Literal> {
    let variable =
        Regex::new(r"\$\{?(::)?[a-z0-9_]\w*(::\w+)*\}?(\[[^\[\]]*\])*").expect("a valid expression");
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() || line.contains("...") || line.contains("::new") {
        return None;
    }
    if line.contains('"') {
        // Within double quotes an unknown variable is nothing.
        return (!line.starts_with('$') && is_value(&line)).then_some(Literal::Code(line));
    }
    let code = variable.replace_all(&line, "'value'").into_owned();
    (!code.contains('$') && is_value(&code)).then_some(Literal::Code(code))
}

/// Whether a text is one expression in the language.
fn is_value(text: &str) -> bool {
    let code = format!("$x = ({text})");
    match parse(&Bump::new(), &SourceFile::manifest(&code), &ParseLimits::default()) {
        Ok(parsed) => !matches!(parsed.program.body.kind, ExprKind::Block(all) if all.len() > 1),
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_end_where_their_parentheses_do() {
        let text = "x = sum([1, 2], 'a)') and sum($a['b'], {c => f(1)}) but checksum(1) and sum(1, ...)";
        let found: Vec<Vec<String>> =
            calls(text, "sum").iter().map(|all| all.iter().map(Literal::code).collect()).collect();
        assert_eq!(found, [vec!["[1, 2]", "'a)'"], vec!["'value'", "{c => f(1)}"]]);
    }
}
