//! Types of classes' parameters as text, told without any code of an environment: what is not Puppet's own type stays a reference.
//! Source: the oracle (`TypeParser#interpret_any` of Puppet 7.23, where no loaders are at hand).

use crate::compiler::Compiler;
use crate::environment::Environment;
use crate::node::Node;
use crate::settings::Settings;
use bunraku_compile::functions::Embedded;
use bunraku_compiler::ast::{Expr, ExprKind, Span, UnaryOp};
use bunraku_compiler::extent::tree_text;
use bunraku_vm::compat::Compat;
use bunraku_vm::error::Flow;
use bunraku_vm::types;
use bunraku_vm::value::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Texts of types that are kept, which is more than an estate has; then all are forgotten.
const MAX_KNOWN: usize = 20_000;

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

/// Reads types.
pub(crate) struct TypeReader {
    compiler: Compiler,
    /// What the compile that runs is asked, and what it has answered.
    asked: Arc<Mutex<Option<(String, TypeText)>>>,
    known: Mutex<HashMap<(Compat, String), TypeText>>,
}

impl TypeReader {
    pub(crate) fn new() -> Result<TypeReader, String> {
        let asked: Arc<Mutex<Option<(String, TypeText)>>> = Arc::default();
        let shared = Arc::clone(&asked);
        let function = Embedded {
            name: FUNCTION.to_owned(),
            parameters: Vec::new(),
            body: Box::new(move |vm, _| {
                let mut asked = shared.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some((text, answer)) = asked.as_mut() {
                    *answer = match types::parse(vm, text) {
                        // As a value in others: no alias is followed by what it stands for.
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
        let mut edits = Vec::new();
        if !is_literal(expr, source, &mut edits) {
            return TypeText::Computed;
        }
        let key = (compat, edited(expr, source, &edits));
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = known.get(&key) {
            return answer.clone();
        }
        // The lock is held on: one compile at a time.
        let put = |asked| *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = asked;
        put(Some((key.1.clone(), TypeText::Computed)));
        let environment = Environment::of_code(format!("{FUNCTION}()"));
        let settings = Settings::of_compat(compat);
        let compiled = self.compiler.compile(&environment, &Node::new("types"), &settings);
        let answered = self.asked.lock().unwrap_or_else(PoisonError::into_inner).take();
        let answer = match (compiled.result, answered) {
            (Ok(_), Some((_, answer))) => answer,
            _ => TypeText::Computed,
        };
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(key, answer.clone());
        answer
    }
}

/// What becomes of a type that is refused: ranges that end before they begin are the only ones that Puppet has no words of its own
/// for, which costs the whole file.
fn refused(flow: &Flow<'_>) -> TypeText {
    match flow {
        Flow::Fault(fault)
            if fault.diagnostic.message.starts_with("'from' must be less or equal to 'to'.") =>
        {
            TypeText::Fault(fault.diagnostic.message.clone())
        }
        _ => TypeText::Computed,
    }
}

/// Whether an expression is a type or a literal that may stand in one, with nothing to compute. `edits` are places that are to be
/// read as something else: arrays and hashes of a size and no type, which Puppet takes for those of `Default`.
fn is_literal(expr: &Expr<'_>, source: &str, edits: &mut Vec<(Span, String)>) -> bool {
    let is_size = |key: &Expr<'_>| matches!(key.kind, ExprKind::Int { .. } | ExprKind::Default);
    match expr.kind {
        ExprKind::TypeName(_)
        | ExprKind::Name(_)
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
        ExprKind::Array(items) => items.iter().all(|item| is_literal(item, source, edits)),
        ExprKind::Hash(entries) => entries
            .iter()
            .all(|entry| is_literal(&entry.key, source, edits) && is_literal(&entry.value, source, edits)),
        ExprKind::Access { left: Expr { kind: ExprKind::TypeName(name), .. }, keys } => {
            let sizes = keys.iter().take_while(|key| is_size(key)).count();
            match (*name, sizes, keys) {
                ("Array", 1.., [_]) => return false,
                ("Array", 2.., [from, to]) => {
                    let sizes = [from, to].map(|key| tree_text(key, source)).join(", ");
                    edits.push((expr.span, format!("Array[Default, {sizes}]")));
                }
                ("Hash", 2.., [from, to]) => {
                    let sizes = [from, to].map(|key| tree_text(key, source)).join(", ");
                    edits.push((expr.span, format!("Hash[Default, Default, {sizes}]")));
                }
                _ => return keys.iter().all(|key| is_literal(key, source, edits)),
            }
            true
        }
        _ => false,
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
