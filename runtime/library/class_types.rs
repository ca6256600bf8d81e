//! Types of classes' parameters as text, told without any code of an environment: what is not Puppet's own type stays a reference.
//! Source: the oracle (`TypeParser#interpret_any` of Puppet 7.23, where no loaders are at hand).

use crate::compiler::Compiler;
use crate::environment::Environment;
use crate::node::Node;
use crate::settings::Settings;
use bunraku_compile::functions::Embedded;
use bunraku_compiler::ast::{Expr, ExprKind, Span, UnaryOp};
use bunraku_compiler::extent::tree_text;
use bunraku_vm::cause::Cause;
use bunraku_vm::compat::Compat;
use bunraku_vm::error::Flow;
use bunraku_vm::types::{self, Type};
use bunraku_vm::value::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Texts of types that are kept, which is more than an estate has; then all are forgotten.
const MAX_KNOWN: usize = 20_000;

/// The types that are known where no code is: those of the language, and the resource types that Puppet counts among them, in lower
/// case.
const KNOWN: [&str; 64] = [
    "any",
    "array",
    "binary",
    "boolean",
    "callable",
    "catalogentry",
    "class",
    "collection",
    "component",
    "data",
    "default",
    "deferred",
    "enum",
    "exec",
    "file",
    "filebucket",
    "float",
    "group",
    "hash",
    "init",
    "integer",
    "iterable",
    "iterator",
    "node",
    "notify",
    "notundef",
    "numeric",
    "object",
    "optional",
    "package",
    "pattern",
    "pcore",
    "puppet::lookupkey",
    "puppet::lookupvalue",
    "regexp",
    "resource",
    "resources",
    "richdata",
    "richdatakey",
    "runtime",
    "scalar",
    "scalardata",
    "schedule",
    "semver",
    "semverrange",
    "sensitive",
    "service",
    "stage",
    "string",
    "struct",
    "tidy",
    "timespan",
    "timestamp",
    "tuple",
    "type",
    "typealias",
    "typereference",
    "typeset",
    "undef",
    "uri",
    "user",
    "variant",
    "whit",
    "annotation",
];

/// The function by which a compile of nothing else is asked.
const FUNCTION: &str = "bunraku::type_texts";

/// A type as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TypeText {
    /// As Puppet writes it.
    Text(String),
    /// It is no type, or has to be computed.
    Computed,
    /// It can't be: Puppet's message, which it has of the whole file.
    Fault(String),
}

/// What a compile is asked.
struct Asked {
    text: String,
    /// Names in it that are to stay references.
    unknown: Vec<String>,
    answer: TypeText,
}

/// Reads types.
pub(crate) struct TypeReader {
    compiler: Compiler,
    /// What the compile that runs is asked, and what it has answered.
    asked: Arc<Mutex<Option<Asked>>>,
    known: Mutex<HashMap<(Compat, String), TypeText>>,
}

impl TypeReader {
    pub(crate) fn new() -> Result<TypeReader, String> {
        let asked: Arc<Mutex<Option<Asked>>> = Arc::default();
        let shared = Arc::clone(&asked);
        let function = Embedded {
            name: FUNCTION.to_owned(),
            parameters: Vec::new(),
            body: Box::new(move |vm, _| {
                let mut asked = shared.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(Asked { text, unknown, answer }) = asked.as_mut() {
                    let reference = |name: &str| &*vm.arena.alloc(Type::Reference(vm.arena.alloc_str(name)));
                    let unknown: Vec<_> =
                        unknown.iter().map(|name| (name.as_str(), reference(name))).collect();
                    *answer = match types::parse_with(vm, text, &unknown) {
                        Ok(ty @ (Type::Object { .. } | Type::TypeSet { .. })) => {
                            TypeText::Text(types::print(ty))
                        }
                        // As in other types: no alias is followed by what it stands for.
                        Ok(ty) => TypeText::Text(types::print_value(Value::Type(ty))),
                        Err(flow) => refused(&flow),
                    };
                }
                Ok(Value::Undef)
            }),
        };
        let compiler = Compiler::new().with_embedded(vec![function])?;
        Ok(TypeReader { compiler, asked, known: Mutex::default() })
    }

    /// The type that an expression is.
    pub(crate) fn read(&self, expr: &Expr<'_>, source: &str, compat: Compat) -> TypeText {
        let mut found = Found::default();
        if !is_literal(expr, source, &mut found) {
            return TypeText::Computed;
        }
        let Found { edits, unknown } = found;
        let key = (compat, edited(expr, source, &edits));
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = known.get(&key) {
            return answer.clone();
        }
        // The lock is held on: one compile at a time.
        let put = |asked| *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = asked;
        put(Some(Asked { text: key.1.clone(), unknown, answer: TypeText::Computed }));
        let environment = Environment::of_code(format!("{FUNCTION}()"));
        let settings = Settings::of_compat(compat);
        let compiled = self.compiler.compile(&environment, &Node::new("types"), &settings);
        let answered = self.asked.lock().unwrap_or_else(PoisonError::into_inner).take();
        let answer = match (compiled.result, answered) {
            (Ok(_), Some(asked)) => asked.answer,
            _ => TypeText::Computed,
        };
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(key, answer.clone());
        answer
    }
}

/// What becomes of a type that is refused: what the parser of types refuses is none, what the types themselves refuse costs the
/// whole file.
fn refused(flow: &Flow<'_>) -> TypeText {
    match flow {
        Flow::Fault(fault) if fault.diagnostic.code.is_none() && fault.diagnostic.cause != Cause::Syntax => {
            TypeText::Fault(fault.diagnostic.message.clone())
        }
        _ => TypeText::Computed,
    }
}

/// What is found in an expression.
#[derive(Default)]
struct Found {
    /// Places that are to be read as something else, in order: arrays and hashes of a size and no type, which Puppet takes for those
    /// of `Default`.
    edits: Vec<(Span, String)>,
    /// Names of types that are not known.
    unknown: Vec<String>,
}

/// Whether an expression is a type or a literal that may stand in one, with nothing to compute.
fn is_literal(expr: &Expr<'_>, source: &str, found: &mut Found) -> bool {
    match expr.kind {
        ExprKind::TypeName(name) => {
            if !is_known(name) {
                found.unknown.push(name.trim_start_matches(':').to_owned());
            }
            true
        }
        ExprKind::Name(_)
        | ExprKind::Str(_)
        | ExprKind::Int { .. }
        | ExprKind::Float(_)
        | ExprKind::Bool(_)
        | ExprKind::Regex(_)
        | ExprKind::Default
        | ExprKind::Undef => true,
        ExprKind::Unary { op: UnaryOp::Minus, expr } => {
            matches!(expr.kind, ExprKind::Int { .. } | ExprKind::Float(_))
        }
        ExprKind::Array(items) => items.iter().all(|item| is_literal(item, source, found)),
        ExprKind::Hash(entries) => entries
            .iter()
            .all(|entry| is_literal(&entry.key, source, found) && is_literal(&entry.value, source, found)),
        ExprKind::Access { left, keys } => {
            let ExprKind::TypeName(name) = left.kind else { return false };
            if !is_literal(left, source, found) {
                return false;
            }
            let edits = found.edits.len();
            if !keys.iter().all(|key| is_literal(key, source, found)) {
                return false;
            }
            if !is_known(name) {
                // It stays as it is written.
                found.edits.truncate(edits);
            }
            sized(expr, name, keys, source, found)
        }
        _ => false,
    }
}

fn is_known(name: &str) -> bool {
    KNOWN.contains(&name.trim_start_matches(':').to_ascii_lowercase().as_str())
}

/// Arrays and hashes whose first key is a size. An array of one size is no type.
fn sized(expr: &Expr<'_>, name: &str, keys: &[Expr<'_>], source: &str, found: &mut Found) -> bool {
    let is_size = |key: &Expr<'_>| {
        let negative = matches!(key.kind, ExprKind::Unary { op: UnaryOp::Minus, .. });
        negative || matches!(key.kind, ExprKind::Int { .. } | ExprKind::Default)
    };
    let instead = match name {
        "Array" => "Array[Default",
        "Hash" => "Hash[Default, Default",
        _ => return true,
    };
    match keys {
        [one] => name != "Array" || !is_size(one),
        [from, to] if is_size(from) && is_size(to) => {
            let [from, to] = [from, to].map(|key| tree_text(key, source));
            found.edits.push((expr.span, format!("{instead}, {from}, {to}]")));
            true
        }
        _ => true,
    }
}

/// The text of an expression with its edits, which are in its order.
fn edited(expr: &Expr<'_>, source: &str, edits: &[(Span, String)]) -> String {
    let text = tree_text(expr, source);
    let start = expr.span.start;
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for (span, instead) in edits {
        let [from, to] = [span.start, span.end].map(|place| place.saturating_sub(start) as usize);
        out.push_str(text.get(at..from).unwrap_or_default());
        out.push_str(instead);
        at = to;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}
