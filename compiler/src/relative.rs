//! References to classes and defined types that Puppet 3 would have looked up relative to where they stand.
//!
//! Since Puppet 4 every name is absolute. A manifest that was written for Puppet 3 may mean another class than
//! the one it now gets; whoever knows which classes exist can tell from what is found here.

use crate::ast::{Expr, ExprKind, Program, Span};
use crate::visit::{Lambdas, each_child};

/// A reference by a name that does not start with `::`, within a class or defined type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelativeName<'a> {
    /// Full name of the innermost class or defined type around.
    pub namespace: &'a str,
    /// The name as written.
    pub name: &'a str,
    /// What is meant: a class, or a defined type.
    pub class: bool,
    /// Place of the name.
    pub span: Span,
}

impl<'a> RelativeName<'a> {
    /// The names that Puppet 3 would have tried before the absolute one, in its order.
    pub fn candidates(&self) -> impl Iterator<Item = String> + use<'a> {
        let (namespace, name) = (self.namespace, self.name);
        let ends = namespace.match_indices("::").map(|(at, _)| at).chain([namespace.len()]);
        let ends: Vec<usize> = ends.collect();
        ends.into_iter().rev().map(move |end| format!("{}::{name}", &namespace[..end]))
    }
}

/// All relative references of a program, in the order of the source.
pub fn relative_names<'a>(program: &Program<'a>) -> Vec<RelativeName<'a>> {
    let mut found = Vec::new();
    visit(program.body, "", &mut found);
    found
}

fn visit<'a>(expr: &Expr<'a>, namespace: &'a str, found: &mut Vec<RelativeName<'a>>) {
    let mut inner = namespace;
    let mut note = |name: &'a str, class: bool, span: Span, namespace: &'a str| {
        if !name.starts_with("::") && !namespace.is_empty() {
            found.push(RelativeName { namespace, name, class, span });
        }
    };
    match expr.kind {
        ExprKind::Class { def, parent } => {
            inner = def.name;
            // The parent is looked up from where the class is defined.
            if let Some((parent, span)) = parent.filter(|(parent, _)| *parent != "default") {
                let outer = def.name.rsplit_once("::").map_or("", |(outer, _)| outer);
                note(parent, true, span, outer);
            }
        }
        ExprKind::Define(def) => inner = def.name,
        ExprKind::Call { functor: Expr { kind: ExprKind::Name(function), .. }, args, .. }
            if matches!(*function, "include" | "require" | "contain") =>
        {
            for argument in args {
                each_literal(argument, &mut |name, span| note(name, true, span, namespace));
            }
        }
        ExprKind::Resource { type_expr, bodies, .. } => match type_expr.kind {
            ExprKind::Name("class") => {
                for body in bodies {
                    each_literal(&body.title, &mut |name, span| note(name, true, span, namespace));
                }
            }
            ExprKind::Name(name) => note(name, false, type_expr.span, namespace),
            _ => {}
        },
        _ => {}
    }
    each_child(expr, Lambdas::Enter, &mut |child| visit(child, inner, found));
}

/// The literal names that an expression holds.
fn each_literal<'a>(expr: &Expr<'a>, note: &mut dyn FnMut(&'a str, Span)) {
    match expr.kind {
        ExprKind::Str(name) | ExprKind::Name(name) => note(name, expr.span),
        ExprKind::Array(values) => values.iter().for_each(|value| each_literal(value, note)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ParseLimits, SourceFile, parse};

    #[test]
    fn references() {
        let arena = bumpalo::Bump::new();
        let text = "include top
class a::b inherits params {
  include c, ::d
  contain(['e'])
  class { 'f': }
  g::h { 'x': }
  file { '/x': }
  define i { require j }
}";
        let parsed = parse(&arena, &SourceFile::manifest(text), &ParseLimits::default()).unwrap();
        let found: Vec<_> = relative_names(&parsed.program)
            .iter()
            .map(|name| format!("{} {} {}", name.namespace, name.name, name.class))
            .collect();
        assert_eq!(
            found,
            [
                "a params true",
                "a::b c true",
                "a::b e true",
                "a::b f true",
                "a::b g::h false",
                "a::b file false",
                "a::b::i j true"
            ]
        );
        let name = RelativeName { namespace: "a::b", name: "c", class: true, span: Span::default() };
        assert_eq!(name.candidates().collect::<Vec<_>>(), ["a::b::c", "a::c"]);
    }
}
