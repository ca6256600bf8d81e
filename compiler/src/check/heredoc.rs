//! Text of a known syntax in heredocs. Text without interpolation is checked here; other text when it has been made.

use super::Checker;
use super::syntax::{self, SyntaxFault};
use crate::ast::{Expr, ExprKind};
use bunraku_vm::cause::Cause;

impl<'a> Checker<'_, '_> {
    pub(super) fn heredoc_syntax(&mut self, syntax: &str, text: &Expr<'a>) {
        let ExprKind::Str(content) = text.kind else { return };
        match syntax::check_within(syntax, content, self.options, self.depth) {
            Ok(()) => {}
            Err(SyntaxFault::Issue { code, message, inner }) => {
                self.report.fatal(code, text.span, syntax::invalid(syntax, &message), inner);
            }
            Err(SyntaxFault::Misused(message)) => {
                self.report.crash(
                    Cause::Other,
                    &message,
                    "Only '@(END:pp)' and '@(END:epp)' are checked as Puppet's own syntax",
                );
            }
            Err(SyntaxFault::TooDeep) => {
                let help = format!("Text of Puppet's own syntax may stand in {} others", syntax::MAX_DEPTH);
                self.report.crash(Cause::StackTooDeep, syntax::TOO_DEEP, &help);
            }
        }
    }
}
