//! Expressions of types that are literals: with nothing to compute, so that they may be told without any code of an environment.
//! Source: the oracle (`TypeParser#interpret_any` of Puppet 7.23).

use bunraku_compiler::ast::{Expr, ExprKind, Span, UnaryOp};
use bunraku_compiler::extent::tree_text;
use bunraku_compiler::literal::{no_type, parts};

/// The types that are known where no code is: those of the language, and the resource types that Puppet counts among them, in lower
/// case.
const KNOWN: &str = "annotation any array binary boolean callable catalogentry class collection component data default deferred enum \
    exec file filebucket float group hash init integer iterable iterator node notify notundef numeric object optional package pattern \
    pcore puppet::lookupkey puppet::lookupvalue regexp resource resources richdata richdatakey runtime scalar scalardata schedule \
    semver semverrange sensitive service stage string struct tidy timespan timestamp tuple type typealias typereference typeset undef \
    uri user variant whit";

/// A type that is a literal.
#[derive(Debug, Default)]
pub(crate) struct LiteralType {
    /// Its text, in which arrays and hashes of a size and no type are of `Default`, which Puppet takes them for.
    pub(crate) text: String,
    /// Names in it of types that are not known.
    pub(crate) unknown: Vec<String>,
}

/// An expression as a type.
///
/// # Errors
/// Puppet's message where it is none, or something in it has to be computed.
pub(crate) fn literal_type(expr: &Expr<'_>, source: &str) -> Result<LiteralType, String> {
    let mut reader = Reader { source, edits: Vec::new(), unknown: Vec::new() };
    reader.literal(expr)?;
    Ok(LiteralType { text: reader.edited(expr), unknown: reader.unknown })
}

struct Reader<'s> {
    source: &'s str,
    /// Places that are to be read as something else, in order.
    edits: Vec<(Span, String)>,
    unknown: Vec<String>,
}

impl Reader<'_> {
    /// Looks at a type, or a literal that may stand in one.
    fn literal(&mut self, expr: &Expr<'_>) -> Result<(), String> {
        match expr.kind {
            ExprKind::TypeName(name) => {
                if !is_known(name) {
                    self.unknown.push(name.trim_start_matches(':').to_owned());
                }
                Ok(())
            }
            ExprKind::Access { left: left @ Expr { kind: ExprKind::TypeName(name), .. }, keys } => {
                self.literal(left)?;
                let edits = self.edits.len();
                keys.iter().try_for_each(|key| self.literal(key))?;
                if is_known(name) {
                    return self.sized(expr, name, keys);
                }
                // It stays as it is written.
                self.edits.truncate(edits);
                Ok(())
            }
            _ => match parts(expr) {
                Some(parts) => parts.into_iter().try_for_each(|part| self.literal(part)),
                None => Err(self.no_type(expr)),
            },
        }
    }

    fn no_type(&self, expr: &Expr<'_>) -> String {
        no_type(tree_text(expr, self.source))
    }

    /// Arrays and hashes whose first key is a size: an array of one size is no type. Lists are no keys but of `Callable`.
    fn sized(&mut self, expr: &Expr<'_>, name: &str, keys: &[Expr<'_>]) -> Result<(), String> {
        if name != "Callable" && keys.iter().any(|key| matches!(key.kind, ExprKind::Array(_))) {
            return Err(self.no_type(expr));
        }
        let is_size = |key: &Expr<'_>| {
            let is_negative = matches!(key.kind, ExprKind::Unary { op: UnaryOp::Minus, .. });
            is_negative || matches!(key.kind, ExprKind::Int { .. } | ExprKind::Default)
        };
        let instead = match name {
            "Array" => "Array[Default",
            "Hash" => "Hash[Default, Default",
            _ => return Ok(()),
        };
        match keys {
            [one] if name == "Array" && is_size(one) => return Err(self.no_type(expr)),
            [from, to] if is_size(from) && is_size(to) => {
                let [from, to] = [from, to].map(|key| tree_text(key, self.source));
                self.edits.push((expr.span, format!("{instead}, {from}, {to}]")));
            }
            _ => {}
        }
        Ok(())
    }

    /// The text of an expression with its edits.
    fn edited(&self, expr: &Expr<'_>) -> String {
        let text = tree_text(expr, self.source);
        let start = expr.span.start;
        let (mut out, mut at) = (String::with_capacity(text.len()), 0);
        for (span, instead) in &self.edits {
            let [from, to] = [span.start, span.end].map(|place| place.saturating_sub(start) as usize);
            out.push_str(text.get(at..from).unwrap_or_default());
            out.push_str(instead);
            at = to;
        }
        out.push_str(text.get(at..).unwrap_or_default());
        out
    }
}

fn is_known(name: &str) -> bool {
    let name = name.trim_start_matches(':').to_ascii_lowercase();
    KNOWN.split(' ').any(|known| known == name)
}
