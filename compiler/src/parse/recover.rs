//! Further syntax errors of a file, after the first.
//!
//! Puppet stops at the first, and so does a compile; whoever mends a file is helped by more. What follows it can be
//! judged only where something starts that does not depend on what came before: a definition at the very start of a
//! line. What stands between is skipped in silence.

use super::fault::ParseFault;
use super::statements::starts_expression;
use super::{ParseLimits, Parser};
use crate::lex::Lexed;
use crate::lex::token::Tok;
use bumpalo::Bump;

/// The errors behind a token at which the parser failed.
pub(super) fn further_faults<'a>(
    arena: &'a Bump,
    lexed: &Lexed<'a>,
    source: &str,
    limits: &ParseLimits,
    failed: usize,
) -> Vec<ParseFault> {
    let mut faults = Vec::new();
    let mut failed = failed;
    while faults.len() + 1 < limits.errors {
        let start = (failed + 1..lexed.tokens.len()).find(|at| starts_definition(lexed, source, *at));
        let Some(start) = start else { break };
        let mut parser = Parser::new(arena, lexed, limits);
        parser.at = start;
        while starts_expression(parser.kind()) {
            if let Err(fault) = parser.statements(None) {
                faults.push(*fault);
                break;
            }
        }
        if matches!(parser.kind(), Tok::End | Tok::Fault) {
            break;
        }
        failed = parser.at.max(start);
    }
    faults
}

/// Whether a definition starts at the token, without white space before it on its line.
fn starts_definition(lexed: &Lexed<'_>, source: &str, at: usize) -> bool {
    let token = &lexed.tokens[at];
    let keyword = matches!(token.kind, Tok::Class | Tok::Define | Tok::Node | Tok::Function);
    let start = token.start as usize;
    keyword && (start == 0 || source.as_bytes().get(start - 1) == Some(&b'\n'))
}
