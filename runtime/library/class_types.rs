//! Types of classes' parameters as text, told without any code of an environment: what is not Puppet's own type stays a reference.
//! Source: the oracle (`TypeParser#interpret_any` of Puppet 7.23, where no loaders are at hand).

use crate::compiler::Compiler;
use crate::environment::Environment;
use crate::literal_types::{LiteralType, literal_type};
use crate::node::Node;
use crate::settings::Settings;
use bunraku_compile::functions::Embedded;
use bunraku_compiler::ast::Expr;
use bunraku_compiler::literal::no_type;
use bunraku_vm::cause::Cause;
use bunraku_vm::compat::Compat;
use bunraku_vm::error::Flow;
use bunraku_vm::types::{self, Type};
use bunraku_vm::value::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Texts of types that are kept, which is more than an estate has; then all are forgotten.
const MAX_KNOWN: usize = 20_000;

/// How long one type may take, which takes microseconds.
const MOST: Duration = Duration::from_secs(10);

/// The function by which a compile of nothing else is asked.
const FUNCTION: &str = "bunraku::type_texts";

/// A type as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TypeText {
    /// As Puppet writes it.
    Text(String),
    /// It is no type, or has to be computed: Puppet's message.
    Computed(String),
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
                        Err(flow) => refused(&flow, text),
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
        let (text, unknown) = match literal_type(expr, source) {
            Ok(LiteralType { text, unknown }) => (text, unknown),
            Err(message) => return TypeText::Computed(message),
        };
        let key = (compat, text);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = known.get(&key) {
            return answer.clone();
        }
        // The lock is held on: one compile at a time.
        let put = |asked| *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = asked;
        let answer = TypeText::Computed(no_type(&key.1));
        put(Some(Asked { text: key.1.clone(), unknown, answer }));
        let environment = Environment::of_code(format!("{FUNCTION}()"));
        let mut settings = Settings::of_compat(compat);
        settings.limits.time = Some(MOST);
        let compiled = self.compiler.compile(&environment, &Node::new("types"), &settings);
        let answered = self.asked.lock().unwrap_or_else(PoisonError::into_inner).take();
        let answer = match (compiled.result, answered) {
            (Ok(_), Some(asked)) => asked.answer,
            _ => TypeText::Computed(no_type(&key.1)),
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
fn refused(flow: &Flow<'_>, text: &str) -> TypeText {
    match flow {
        Flow::Fault(fault) if fault.diagnostic.code.is_none() && fault.diagnostic.cause != Cause::Syntax => {
            TypeText::Fault(fault.diagnostic.message.clone())
        }
        _ => TypeText::Computed(no_type(text)),
    }
}
