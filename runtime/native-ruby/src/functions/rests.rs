//! What a call of a function rests on: whether the same arguments give the same in every compile of a snapshot.
//!
//! Two things are asked for it. The code is looked at once in a compile, when it has first found nothing: each call in it is one of a method that only
//! computes, or reads files, or asks the context of a look-up, or of one that the file defines itself; anything else
//! might know more than its arguments. Whatever such a call then asks beyond its arguments and the files of the snapshot is
//! noted while it runs. Code of which this is not certain rests on more, which only means that it is called each time.

use crate::method::Method;
use crate::tree::{
    AssignTarget, Block, BlockBody, Case, Expr, Handler, Keyword, MethodBody, MethodCall, Params, Program,
    Rescue,
};
use crate::value::Class;
use bunraku_vm::value::{Hash, Value};
use std::cell::Cell;
use std::path::PathBuf;

/// What a call has rested on beyond its arguments, its code and the files of the snapshot.
#[derive(Default)]
pub struct RestsOn<'c> {
    /// Paths outside of the environment at which there was nothing.
    pub absent: Vec<PathBuf>,
    /// Keys, as the context of a look-up writes them, for which that kept nothing.
    pub uncached: Vec<String>,
    /// What the call has had that context keep, in that order: values that are the same wherever they come from.
    pub cached: Vec<(String, Value<'c>)>,
    /// Lists and hashes that the context has made in the call: nobody else has them.
    pub fresh: Vec<Value<'c>>,
    /// Whether it was anything else.
    pub more: bool,
}

impl<'c> RestsOn<'c> {
    /// Whether a value is the same wherever it comes from; a list or hash is an object, which may stand elsewhere, too, unless the context
    /// has made it.
    pub(crate) fn is_alone(&self, value: Value<'c>) -> bool {
        match value {
            Value::Undef | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Str(_) => true,
            Value::Array(_) | Value::Hash(_) => self.fresh.iter().any(|fresh| fresh.identical(value)),
            _ => false,
        }
    }
}

/// A call of a look-up's function that gives the same for the same arguments in each compile of a snapshot.
pub struct CertainCall<'c> {
    /// What it has rested on.
    pub rests: RestsOn<'c>,
    /// The hashes that it has asked for the key, where it has done no more with that and there is nothing for it.
    pub without_key: Option<Vec<Hash<'c>>>,
}

/// A string as the context of a look-up writes it as a key.
pub(crate) fn key_of_text(text: &str) -> String {
    format!("s{text}")
}

/// Classes and modules whose own methods know nothing but their arguments; what reads a file or asks Puppet is noted when it does.
const CLASSES: [&str; 22] = [
    "Array",
    "Base64",
    "Comparable",
    "Enumerable",
    "File",
    "FalseClass",
    "Float",
    "Gem::Version",
    "Hash",
    "Integer",
    "JSON",
    "Kernel",
    "Math",
    "NilClass",
    "Numeric",
    "Puppet",
    "Regexp",
    "Shellwords",
    "String",
    "Symbol",
    "TrueClass",
    "YAML",
];

/// Functions that are called without a receiver and in no table. A file that the function requires may define others.
const FUNCTIONS: [&str; 4] = ["_", "block_given?", "fail", "raise"];

/// Methods that are in no table and only compute, or note what they ask for.
const NAMES: [&str; 27] = [
    "absolute_path?",
    "basename",
    "cache",
    "cache_all",
    "cache_has_key",
    "cached_file_data",
    "cached_value",
    "debug",
    "decode64",
    "directory?",
    "dirname",
    "encode64",
    "escape",
    "exist?",
    "exists?",
    "extname",
    "file?",
    "info",
    "interpolate",
    "load",
    "message",
    "new",
    "not_found",
    "parse",
    "readable?",
    "safe_load",
    "warning",
];

/// What the methods of a file do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Methods {
    /// They compute, or ask for what is noted, and change nothing in place.
    Compute,
    /// They do that, and may change something in place.
    Change,
    /// They do more, or it is not certain.
    More,
}

impl Methods {
    /// What those of a file do.
    pub fn of(program: &Program) -> Methods {
        let own: Vec<&str> = program.methods.iter().map(|method| &*method.name).collect();
        let look = Look { own, changes: Cell::new(false) };
        match program.methods.iter().all(|method| look.method(method)) {
            true if look.changes.get() => Methods::Change,
            true => Methods::Compute,
            false => Methods::More,
        }
    }
}

struct Look<'p> {
    /// The methods that the file defines.
    own: Vec<&'p str>,
    /// Whether a call has been met that may change something in place.
    changes: Cell<bool>,
}

impl Look<'_> {
    fn method(&self, method: &MethodBody) -> bool {
        self.params(&method.params) && self.expr(&method.body)
    }

    fn params(&self, params: &Params) -> bool {
        let Params { required, optional, rest, after, keywords, keyword_rest, block } = params;
        let targets = required.iter().chain(rest).chain(after).chain(keyword_rest).chain(block);
        targets.chain(optional.iter().map(|(target, _)| target)).all(is_local)
            && optional.iter().all(|(_, value)| self.expr(value))
            && keywords.iter().all(|Keyword { target, default, .. }| {
                is_local(target) && default.as_ref().is_none_or(|value| self.expr(value))
            })
    }

    fn all(&self, exprs: &[Expr]) -> bool {
        exprs.iter().all(|expr| self.expr(expr))
    }

    fn expr(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Nil
            | Expr::Bool(_)
            | Expr::Int(_)
            | Expr::Float(_)
            | Expr::String(_)
            | Expr::Symbol(_)
            | Expr::Local(_)
            | Expr::Group(_)
            | Expr::Itself
            // Reached, it leaves the call to Ruby.
            | Expr::Unsupported(_) => true,
            Expr::Class(class) => is_plain_class(class.name()),
            Expr::Constant(path) => is_plain_class(path),
            Expr::Fresh(one)
            | Expr::Regexp(one, _)
            | Expr::Splat(one)
            | Expr::SetLocal(_, one)
            | Expr::Not(one)
            | Expr::Key(one, _)
            | Expr::Return(one)
            | Expr::Next(one)
            | Expr::Break(one, _) => self.expr(one),
            Expr::AppendLocal(_, one) => {
                self.changes.set(true);
                self.expr(one)
            }
            Expr::Sequence(all) | Expr::Join(all) | Expr::Array(all) | Expr::Yield(all) => self.all(all),
            Expr::Hash(pairs) => pairs.iter().all(|(key, value)| self.expr(key) && self.expr(value)),
            Expr::Range(pair, _)
            | Expr::While(pair, _)
            | Expr::And(pair)
            | Expr::Or(pair)
            | Expr::Ensure(pair) => self.expr(&pair.0) && self.expr(&pair.1),
            Expr::SetMany(target, value) => is_local(target) && self.expr(value),
            Expr::If(parts) => self.expr(&parts.0) && self.expr(&parts.1) && self.expr(&parts.2),
            Expr::Case(case) => self.case(case),
            Expr::Call(call) | Expr::Unread(call, _) => self.call(call),
            Expr::Rescue(rescue) => self.rescue(rescue),
            Expr::Lambda(block) => self.block(block),
            // Templates, what the function's object and modules keep, what is defined as it runs.
            Expr::Text(_)
            | Expr::Insert(_)
            | Expr::Variable(_)
            | Expr::SetVariable(..)
            | Expr::IsVariable(_)
            | Expr::Scope
            | Expr::Define(..)
            | Expr::SetConstant(..)
            | Expr::Module(..)
            | Expr::Singleton(_)
            | Expr::Super(_)
            | Expr::IsDefined(_) => false,
        }
    }

    fn case(&self, case: &Case) -> bool {
        case.subject.as_ref().is_none_or(|subject| self.expr(subject))
            && case.branches.iter().all(|(values, body)| self.all(values) && self.expr(body))
            && self.expr(&case.otherwise)
    }

    fn rescue(&self, rescue: &Rescue) -> bool {
        // An exception is only compared with a class.
        let is_class = |class: &Expr| matches!(class, Expr::Constant(_)) || self.expr(class);
        let handler = |Handler { classes, target, body }: &Handler| {
            classes.iter().all(is_class) && target.as_ref().is_none_or(is_local) && self.expr(body)
        };
        self.expr(&rescue.body) && rescue.handlers.iter().all(handler) && self.expr(&rescue.otherwise)
    }

    fn block(&self, block: &BlockBody) -> bool {
        block.params.iter().all(is_local)
            && block.full.as_ref().is_none_or(|params| self.params(params))
            && self.expr(&block.body)
    }

    fn call(&self, call: &MethodCall) -> bool {
        let MethodCall { receiver, method, name, args, block, .. } = call;
        let name = &**name;
        self.changes.set(self.changes.get() || method.changes());
        let is_known = match (method, receiver) {
            (Method::Other, None) => self.own.contains(&name) || FUNCTIONS.contains(&name),
            (Method::Other, Some(_)) => self.own.contains(&name) || NAMES.contains(&name),
            (method, _) => only_computes_in_table(*method),
        };
        is_known
            && receiver.as_ref().is_none_or(|receiver| self.expr(receiver))
            && self.all(args)
            && match block {
                None => true,
                Some(Block::Body(body)) => self.block(body),
                Some(Block::Method(method)) => only_computes_in_table(*method),
                Some(Block::Given(value)) => self.expr(value),
                Some(Block::Passed) => false,
            }
    }
}

fn is_local(target: &AssignTarget) -> bool {
    match target {
        AssignTarget::Local(_) | AssignTarget::Rest(_) => true,
        AssignTarget::Many(all) => all.iter().all(is_local),
        AssignTarget::Variable(_) => false,
    }
}

fn is_plain_class(path: &str) -> bool {
    CLASSES.contains(&path) || Class::by_name(path).is_some_and(Class::is_exception)
}

/// Whether a method of the tables is neither one of chance, nor of templates, nor calls what only a value tells.
fn only_computes_in_table(method: Method) -> bool {
    use Method::{
        EqualIs, Global, HasVariable, Inspect, InstanceVariables, IsVariable, Log, LookUp, Other, Puppet,
        Rand, RespondTo, Sample, Send, SetVariable, Shuffle, ShuffleIn, Srand, Template, Variables,
    };
    !matches!(
        method,
        EqualIs
            | Global
            | HasVariable
            | Inspect
            | InstanceVariables
            | IsVariable
            | Log
            | LookUp
            | Other
            | Puppet
            | Rand
            | RespondTo
            | Sample
            | Send
            | SetVariable
            | Shuffle
            | ShuffleIn
            | Srand
            | Template
            | Variables
    )
}
