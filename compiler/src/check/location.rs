//! What a file's place in a module allows in it. The autoloader finds definitions by the names of files, so a
//! definition under another name would never be found.

use super::Checker;
use crate::ast::{Expr, ExprKind, Program};
use crate::label::label;

/// What the place of a file says about the names in it.
#[derive(Clone, Debug, Default, Copy, PartialEq, Eq)]
pub enum Location<'s> {
    /// Nothing: no file, a main manifest, or a file outside of the module path.
    #[default]
    Free,
    /// A file of a module: definitions have names that start with this one, which is in lower case.
    Namespace(&'s str),
    /// A file of a module, but not one that the autoloader looks at.
    Misplaced,
}

/// The namespace of a file of a module, from its path within the module path (`apache/manifests/vhost.pp`):
/// none if it is not in a folder that the autoloader looks at.
///
/// Files whose name does not end in `.pp` have no such rule; for them, say [`Location::Free`].
pub fn namespace_of(relative_path: &str) -> Option<String> {
    let path = relative_path.to_lowercase();
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let [module, folder, inner @ .., file] = parts.as_slice() else { return None };
    if !matches!(*folder, "manifests" | "functions" | "types" | "plans") {
        return None;
    }
    let mut names = vec![*module];
    names.extend(inner);
    if !(inner.is_empty() && *file == "init.pp") {
        names.push(file.strip_suffix(".pp").unwrap_or(file));
    }
    Some(names.join("::"))
}

impl<'a> Checker<'_, '_> {
    /// A module's file holds definitions and nothing else.
    pub(super) fn top_constructs(&mut self, program: &Program<'a>) {
        if self.options.location == Location::Free || self.source.path.is_none() {
            return;
        }
        let statements = match program.body.kind {
            ExprKind::Nop => return,
            ExprKind::Block(statements) => statements,
            _ => std::slice::from_ref(program.body),
        };
        for statement in statements {
            // Nodes are defined in main manifests alone.
            if !statement.kind.is_definition() || matches!(statement.kind, ExprKind::Node { .. }) {
                self.report.error(
                    "ILLEGAL_TOP_CONSTRUCT_LOCATION",
                    statement.span,
                    format!(
                        "This {} is unacceptable as a top level construct in this location",
                        label(statement)
                    ),
                );
            }
        }
    }

    /// A definition's name starts with the file's.
    pub(super) fn file_namespace(&mut self, expr: &Expr<'a>, name: &str) {
        let Some(file) = self.source.path.filter(|path| !path.is_empty()) else { return };
        let fits = match self.options.location {
            Location::Free => true,
            Location::Namespace(namespace) => name.to_lowercase().starts_with(namespace),
            Location::Misplaced => false,
        };
        if !fits {
            self.report.error(
                "ILLEGAL_DEFINITION_LOCATION",
                expr.span,
                format!("Unacceptable location. The name '{name}' is unacceptable in file '{file}'"),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces() {
        let namespace = |path| namespace_of(path);
        assert_eq!(namespace("apache/manifests/init.pp").as_deref(), Some("apache"));
        assert_eq!(namespace("Apache/manifests/Mod/ssl.pp").as_deref(), Some("apache::mod::ssl"));
        assert_eq!(namespace("apache/manifests/mod/init.pp").as_deref(), Some("apache::mod::init"));
        assert_eq!(namespace("apache/types/port.pp").as_deref(), Some("apache::port"));
        assert_eq!(namespace("apache/examples/init.pp"), None);
    }
}
