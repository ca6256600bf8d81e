//! Node definitions and the names of hosts.

use super::Checker;
use super::walk::Around;
use crate::ast::{Expr, ExprKind, HostMatch, Part};
use crate::label::a_an_uc;

impl<'a> Checker<'_, '_> {
    pub(super) fn node(
        &mut self,
        expr: &Expr<'a>,
        matches: &[HostMatch<'a>],
        parent: Option<&Expr<'a>>,
        body: &Expr<'a>,
        around: Around,
    ) {
        for host in matches {
            self.host(host);
        }
        self.top_level(expr, around);
        self.no_idem_last(expr, body);
        if let Some(parent) = parent {
            self.report.error(
                "ILLEGAL_NODE_INHERITANCE",
                parent.span,
                "Node inheritance is not supported in Puppet >= 4.0.0. See \
                 http://links.puppet.com/puppet-node-inheritance-deprecation",
            );
        }
    }

    fn host(&mut self, host: &HostMatch<'a>) {
        match host {
            HostMatch::Regex(..) | HostMatch::Default(_) => {}
            HostMatch::Name(name, span) => {
                let legal = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
                if !name.bytes().all(legal) {
                    self.report.error(
                        "ILLEGAL_HOSTNAME_CHARS",
                        *span,
                        format!(
                            "The hostname '{name}' contains illegal characters (only letters, digits, '_', '-', \
                             and '.' are allowed)"
                        ),
                    );
                }
            }
            HostMatch::Other(Expr { kind: ExprKind::Concat(parts), .. }) => {
                let inner = parts.iter().find_map(|part| match part {
                    Part::Expr(inner) => Some(inner),
                    Part::Text(..) => None,
                });
                if let Some(inner) = inner {
                    self.report.error(
                        "ILLEGAL_HOSTNAME_INTERPOLATION",
                        inner.span,
                        "An interpolated expression is not allowed in a hostname of a node",
                    );
                }
            }
            HostMatch::Other(other) => self.report.error(
                "ILLEGAL_EXPRESSION",
                other.span,
                format!(
                    "Illegal expression. {} is unacceptable as hostname in a Node Definition",
                    a_an_uc(other)
                ),
            ),
        }
    }
}
