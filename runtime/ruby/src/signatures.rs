//! Functions in Ruby that have been loaded, and their signatures: made of what the worker tells of a file.

use bunraku_vm::cause::Cause;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format;
use bunraku_vm::types::{self, Alias, Range, Signature, Type};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use std::cell::Cell;

/// A function whose file has been loaded.
pub(super) struct Loaded<'c> {
    /// What it is called.
    pub name: String,
    /// The module that it lies in: several may have a function of the 4.x interface of one name, for themselves and those that depend
    /// on them.
    pub module: String,
    /// What messages call it.
    pub subject: String,
    /// Who chooses its signature.
    pub chosen_by: Chooser,
    /// Its signatures in order; none of a function of the 3.x interface.
    pub overloads: Vec<Overload<'c>>,
    /// Whether it may be run without Ruby.
    pub native: bool,
    /// Whether Ruby has loaded it.
    pub in_ruby: Cell<bool>,
}

/// Who chooses a function's signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chooser {
    /// The compiler: the first that takes the arguments.
    Compiler,
    /// The function: it has a `call` of its own, or is of the 3.x interface.
    Function,
}

/// One signature of a function.
pub(super) struct Overload<'c> {
    /// What it takes and yields.
    pub signature: Signature<'c>,
    /// The method that is called.
    pub method: String,
    /// Whether that method is one that tells what is wrong with the arguments.
    pub tells_mismatch: bool,
}

impl<'c> Loaded<'c> {
    /// The signatures that messages tell of: those that yield a result.
    pub fn told(&self) -> Vec<Signature<'c>> {
        let told = self.overloads.iter().filter(|overload| !overload.tells_mismatch);
        told.map(|overload| overload.signature.clone()).collect()
    }
}

/// Local types of a function, by name.
pub(super) type LocalTypes<'c> = Vec<(&'c str, &'c Type<'c>)>;

/// What the worker says of a function it has loaded.
pub(super) fn described<'c>(
    vm: &mut Vm<'c>,
    (name, module): (&str, &str),
    subject: String,
    description: Value<'c>,
) -> Eval<'c, Loaded<'c>> {
    let [own_call, locals, dispatches] = parts(description)?;
    let locals = local_types(vm, items(locals)).map_err(|flow| load_error(name, flow))?;
    let mut loaded = Loaded {
        name: name.to_owned(),
        module: module.to_owned(),
        subject,
        chosen_by: if own_call.truthy() { Chooser::Function } else { Chooser::Compiler },
        overloads: Vec::new(),
        native: false,
        in_ruby: Cell::new(true),
    };
    for dispatch in items(dispatches) {
        let [mismatch, params, block, block_name, returns, method] = parts(*dispatch)?;
        let mut signature =
            signature(vm, items(params), block, returns, &locals).map_err(|flow| load_error(name, flow))?;
        signature.block_name = block_name.as_str().unwrap_or("block");
        let (method, tells_mismatch) = (format::to_interpolated(method), mismatch.truthy());
        loaded.overloads.push(Overload { signature, method, tells_mismatch });
    }
    Ok(loaded)
}

/// The types that a function names for itself: `Alias = Type`, each a text. They may refer to each other.
pub(super) fn local_types<'c>(vm: &mut Vm<'c>, texts: &[Value<'c>]) -> Eval<'c, LocalTypes<'c>> {
    let mut locals: LocalTypes<'c> = Vec::new();
    let mut bodies = Vec::new();
    for text in texts {
        let text = text.as_str().unwrap_or_default();
        let Some((name, body)) = text.split_once('=') else {
            return Err(Flow::raw(format!(
                "Expected a type alias assignment on the form 'AliasType = T', got '{text}'."
            )));
        };
        let name = name.trim();
        let alias: &'c Alias<'c> = vm.arena.alloc(Alias::new(name));
        locals.push((name, Type::Alias(alias).alloc(vm.arena)));
        bodies.push((alias, body));
    }
    for (alias, body) in bodies {
        let body = types::parse_with(vm, body, &locals)?;
        types::set_alias(vm.arena, alias, body)?;
    }
    Ok(locals)
}

fn signature<'c>(
    vm: &mut Vm<'c>,
    params: &[Value<'c>],
    block: Value<'c>,
    returns: Value<'c>,
    locals: &LocalTypes<'c>,
) -> Eval<'c, Signature<'c>> {
    let mut list = Vec::new();
    let mut names = Vec::new();
    let (mut least, mut most) = (0, Some(0));
    for param in params {
        let [ty, name, often] = parts(*param)?;
        list.push(type_of(vm, ty, locals)?);
        names.push(name.as_str().unwrap_or_default());
        let Value::Int(often) = often else { return Err(malformed()) };
        least += i64::from(often == 0 || often == 3);
        most = if often < 2 { most.map(|n: i64| n + 1) } else { None };
    }
    let size = (least == 0 || most != Some(least)).then_some(Range { min: Some(least), max: most });
    let block = match block {
        Value::Undef => None,
        block => {
            let [ty, optional] = parts(block)?;
            let ty = type_of(vm, ty, locals)?;
            Some(if optional.truthy() { types::optional(vm.arena, ty) } else { ty })
        }
    };
    let returns = match returns {
        Value::Undef => None,
        ty => Some(type_of(vm, ty, locals)?),
    };
    match types::callable(vm.arena, &list, size, block, returns) {
        Type::Callable(callable) => Ok(Signature { callable: *callable, names, block_name: "block" }),
        _ => Err(malformed()),
    }
}

/// The error of a description that is none.
pub(super) fn malformed<'c>() -> Box<Flow<'c>> {
    Flow::raw("the Ruby worker described a function in a form that is not known")
}

fn items(value: Value<'_>) -> &[Value<'_>] {
    match value {
        Value::Array(items) => items.items(),
        _ => &[],
    }
}

fn parts<'c, const N: usize>(value: Value<'c>) -> Eval<'c, [Value<'c>; N]> {
    items(value).try_into().map_err(|_| malformed())
}

fn type_of<'c>(vm: &mut Vm<'c>, ty: Value<'c>, locals: &LocalTypes<'c>) -> Eval<'c, &'c Type<'c>> {
    match ty {
        Value::Type(ty) => Ok(ty),
        Value::Str(text) => types::parse_with(vm, &text, locals).map_err(|flow| match *flow {
            Flow::Fault(fault) => Flow::raw(format!(
                "Parsing of type string '\"{}\"' failed with message: <{}>.\n",
                text.as_str(),
                fault.diagnostic.message
            )),
            _ => flow,
        }),
        _ => Err(malformed()),
    }
}

fn load_error<'c>(name: &str, flow: Box<Flow<'c>>) -> Box<Flow<'c>> {
    match *flow {
        Flow::Fault(fault) => {
            let message = format!("Function Load Error for function '{name}': {}", fault.diagnostic.message);
            Flow::caused(Cause::FunctionLoad, message)
        }
        _ => flow,
    }
}
