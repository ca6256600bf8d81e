//! What a Ruby expression is worth, as far as it can be said without running it: literals, and the few calls that
//! types use to put literals together. Everything else is [`Value::Unknown`].

use super::source::{Code, Program};
use bunraku_vm::regex;
use std::cell::Cell;
use std::collections::HashMap;

/// A value of Ruby.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Nil,
    Bool(bool),
    Number(usize),
    Text(String),
    Symbol(String),
    /// By its source, options around it.
    Regex(String),
    Array(Vec<Value>),
    Hash(Vec<(Value, Value)>),
    /// A block that gives back what it takes.
    Identity,
    Unknown,
}

impl Value {
    /// The text of a string or symbol.
    pub fn name(&self) -> Option<&str> {
        match self {
            Value::Text(text) | Value::Symbol(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a key that is a symbol or string.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let Value::Hash(pairs) = self else { return None };
        pairs.iter().find(|(name, _)| name.name() == Some(key)).map(|(_, value)| value)
    }

    pub fn truth(&self) -> Option<bool> {
        match self {
            Value::Unknown => None,
            value => Some(!matches!(value, Value::Nil | Value::Bool(false))),
        }
    }
}

/// Local variables, and the module whose code runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    pub locals: HashMap<String, Value>,
    pub module: String,
}

impl Scope {
    /// Forgets what the variables hold that some code mentions: it may have changed them.
    fn forget(&mut self, code: Code<'_>) {
        self.locals.iter_mut().filter(|(name, _)| code.mentions(&[name])).for_each(|(_, value)| {
            *value = Value::Unknown;
        });
    }

    /// The array of a variable has been changed in place; others that held an equal one may hold the same.
    fn change(&mut self, name: &str, value: Value) {
        let Some(old) = self.locals.insert(name.to_owned(), value) else { return };
        self.locals.iter_mut().filter(|(other, value)| *other != name && **value == old).for_each(
            |(_, value)| {
                *value = Value::Unknown;
            },
        );
    }
}

/// How many nodes are looked at for one file; no type comes near it.
const BUDGET: u32 = 200_000;
/// How deep expressions and calls may nest.
const DEPTH: u32 = 64;

/// Says what expressions are worth.
pub(super) struct Evaluator<'p, 't> {
    pub program: &'p Program<'t>,
    left: Cell<u32>,
    depth: Cell<u32>,
}

impl<'p, 't> Evaluator<'p, 't> {
    pub fn new(program: &'p Program<'t>) -> Self {
        Evaluator { program, left: Cell::new(BUDGET), depth: Cell::new(0) }
    }

    /// Takes a step of what one file may cost; false at the end.
    pub fn step(&self) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        left > 0
    }

    /// Runs `work` one level deeper, or gives `none` where that is too deep.
    pub fn deeper<T>(&self, none: T, work: impl FnOnce() -> T) -> T {
        if self.depth.get() >= DEPTH || !self.step() {
            return none;
        }
        self.depth.set(self.depth.get() + 1);
        let result = work();
        self.depth.set(self.depth.get() - 1);
        result
    }

    /// The value of an expression.
    pub fn value(&self, code: Code<'t>, scope: &mut Scope) -> Value {
        self.deeper(Value::Unknown, || self.expression(code, scope))
    }

    fn expression(&self, code: Code<'t>, scope: &mut Scope) -> Value {
        match code.node.kind() {
            "nil" => Value::Nil,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "simple_symbol" => Value::Symbol(code.text().trim_start_matches(':').to_owned()),
            "hash_key_symbol" | "bare_symbol" => Value::Symbol(code.text().to_owned()),
            "delimited_symbol" => self.pieces(code, scope).map_or(Value::Unknown, Value::Symbol),
            "string" | "bare_string" => self.pieces(code, scope).map_or(Value::Unknown, Value::Text),
            "regex" => self.regex(code, scope),
            "array" | "string_array" | "symbol_array" => self.list(code, scope),
            "hash" => self.hash(code, scope),
            "identifier" => match scope.locals.get(code.text()) {
                Some(value) => value.clone(),
                None => self.call_method(code.text(), None, Vec::new(), scope),
            },
            "constant" | "scope_resolution" => match self.program.constant(code.text(), &scope.module) {
                Some(value) => {
                    self.value(value, &mut Scope { module: scope.module.clone(), ..Scope::default() })
                }
                None => Value::Unknown,
            },
            "parenthesized_statements" | "body_statement" | "block_body" | "then" | "else" => {
                self.statements(code, scope)
            }
            "assignment" => self.assign(code, scope, None),
            "operator_assignment" => {
                let old = code.field("left").map_or(Value::Unknown, |left| self.value(left, scope));
                self.assign(code, scope, Some(old))
            }
            "return" => {
                match code.children().into_iter().find(|child| child.node.kind() == "argument_list") {
                    Some(list) => {
                        list.children().first().map_or(Value::Nil, |value| self.value(*value, scope))
                    }
                    None => Value::Nil,
                }
            }
            "if" | "unless" => self.condition(code, scope),
            "binary" => self.binary(code, scope),
            "unary" if code.text().starts_with('!') => {
                let operand =
                    code.field("operand").map_or(Value::Unknown, |operand| self.value(operand, scope));
                operand.truth().map_or(Value::Unknown, |truth| Value::Bool(!truth))
            }
            "element_reference" => self.element(code, scope),
            "integer" => code.text().parse().map_or(Value::Unknown, Value::Number),
            "lambda" => identity(code),
            "call" => self.call(code, scope),
            _ => Value::Unknown,
        }
    }

    /// The value of the last of some statements.
    pub fn statements(&self, code: Code<'t>, scope: &mut Scope) -> Value {
        let mut last = Value::Nil;
        for statement in code.children() {
            last = self.value(statement, scope);
            if last == Value::Unknown {
                scope.forget(statement);
            }
            if statement.node.kind() == "return" {
                break;
            }
        }
        last
    }

    fn assign(&self, code: Code<'t>, scope: &mut Scope, old: Option<Value>) -> Value {
        let (Some(left), Some(right)) = (code.field("left"), code.field("right")) else {
            return Value::Unknown;
        };
        let mut value = self.value(right, scope);
        if let Some(old) = old {
            value = match (old, value) {
                (Value::Array(mut old), Value::Array(new)) if code.text().contains("+=") => {
                    old.extend(new);
                    Value::Array(old)
                }
                _ => Value::Unknown,
            };
        }
        match left.node.kind() {
            "identifier" => drop(scope.locals.insert(left.text().to_owned(), value.clone())),
            // `list[0] = 1`, `a, b = 1, 2`
            _ => scope.forget(left),
        }
        value
    }

    fn condition(&self, code: Code<'t>, scope: &mut Scope) -> Value {
        let truth = code.field("condition").and_then(|condition| self.value(condition, scope).truth());
        let Some(truth) = truth else { return Value::Unknown };
        let arm = if truth == (code.node.kind() == "if") { "consequence" } else { "alternative" };
        code.field(arm).map_or(Value::Nil, |arm| self.value(arm, scope))
    }

    fn binary(&self, code: Code<'t>, scope: &mut Scope) -> Value {
        let (Some(left), Some(operator), Some(right)) =
            (code.field("left"), code.field("operator"), code.field("right"))
        else {
            return Value::Unknown;
        };
        let target = left;
        let left = self.value(left, scope);
        match operator.text() {
            "<<" => {
                let item = self.value(right, scope);
                self.extended(target, left, vec![item], scope)
            }
            "and" | "&&" => match left.truth() {
                Some(true) => self.value(right, scope),
                Some(false) => left,
                None => Value::Unknown,
            },
            "or" | "||" => match left.truth() {
                Some(false) => self.value(right, scope),
                Some(true) => left,
                None => Value::Unknown,
            },
            operator => match (left, operator, self.value(right, scope)) {
                (Value::Unknown, ..) | (.., Value::Unknown) => Value::Unknown,
                (left, "==", right) => Value::Bool(left == right),
                (left, "!=", right) => Value::Bool(left != right),
                (Value::Array(mut left), "+", Value::Array(right)) => {
                    left.extend(right);
                    Value::Array(left)
                }
                (Value::Text(left), "+", Value::Text(right)) => Value::Text(left + &right),
                _ => Value::Unknown,
            },
        }
    }

    /// An array with more items; the variable that holds it has them, too.
    fn extended(&self, target: Code<'t>, list: Value, more: Vec<Value>, scope: &mut Scope) -> Value {
        let Value::Array(mut items) = list else { return Value::Unknown };
        items.extend(more);
        let list = Value::Array(items);
        if target.node.kind() == "identifier" && scope.locals.contains_key(target.text()) {
            scope.change(target.text(), list.clone());
        }
        list
    }

    /// `list[0]`, `hash[:key]`
    fn element(&self, code: Code<'t>, scope: &mut Scope) -> Value {
        let parts: Vec<Value> = code.children().into_iter().map(|part| self.value(part, scope)).collect();
        match parts.as_slice() {
            [Value::Array(items), Value::Number(at)] => items.get(*at).cloned().unwrap_or(Value::Nil),
            [Value::Hash(pairs), key] if *key != Value::Unknown => {
                pairs.iter().find(|(known, _)| known == key).map_or(Value::Nil, |(_, value)| value.clone())
            }
            _ => Value::Unknown,
        }
    }

    fn list(&self, code: Code<'t>, scope: &mut Scope) -> Value {
        let mut items = Vec::new();
        for child in code.children() {
            match child.node.kind() {
                "splat_argument" => match child.children().first().map(|inner| self.value(*inner, scope)) {
                    Some(Value::Array(more)) => items.extend(more),
                    _ => return Value::Unknown,
                },
                _ => items.push(self.value(child, scope)),
            }
        }
        Value::Array(items)
    }

    /// The pairs of a hash, or of the arguments of a call.
    pub fn hash(&self, code: Code<'t>, scope: &mut Scope) -> Value {
        let mut all = Vec::new();
        for pair in code.children() {
            match pair.node.kind() {
                "pair" => {}
                // `**COMMON`
                "hash_splat_argument" => {
                    match pair.children().first().map(|inner| self.value(*inner, scope)) {
                        Some(Value::Hash(more)) => {
                            more.into_iter().for_each(|(key, value)| set(&mut all, key, value));
                        }
                        _ => all.push((Value::Unknown, Value::Unknown)),
                    }
                    continue;
                }
                _ => continue,
            }
            let (Some(key), Some(value)) = (pair.field("key"), pair.field("value")) else { continue };
            let key = match key.node.kind() {
                "string" if pair.text().as_bytes().get(key.text().len()) == Some(&b':') => {
                    self.pieces(key, scope).map_or(Value::Unknown, Value::Symbol)
                }
                _ => self.value(key, scope),
            };
            let value = self.value(value, scope);
            set(&mut all, key, value);
        }
        Value::Hash(all)
    }

    /// The text between quotes.
    fn pieces(&self, code: Code<'t>, scope: &mut Scope) -> Option<String> {
        let single = code.text().starts_with(['\'', ':']) && !code.text().starts_with(":\"");
        let mut out = String::new();
        for child in code.children() {
            match child.node.kind() {
                "string_content" => out.push_str(child.text()),
                "escape_sequence" => match child.text() {
                    "\\\\" => out.push('\\'),
                    "\\'" => out.push('\''),
                    text if single => out.push_str(text),
                    "\\\"" => out.push('"'),
                    "\\n" => out.push('\n'),
                    "\\t" => out.push('\t'),
                    _ => return None,
                },
                "interpolation" => match self.statements(child, scope) {
                    Value::Text(text) | Value::Symbol(text) => out.push_str(&text),
                    _ => return None,
                },
                _ => return None,
            }
        }
        Some(out)
    }

    fn regex(&self, code: Code<'t>, scope: &mut Scope) -> Value {
        let mut out = String::new();
        for child in code.children() {
            match child.node.kind() {
                "string_content" => out.push_str(child.text()),
                "escape_sequence" if child.text() == "\\/" => out.push('/'),
                "escape_sequence" => out.push_str(child.text()),
                "interpolation" => match self.statements(child, scope) {
                    Value::Text(text) | Value::Symbol(text) => out.push_str(&text),
                    Value::Regex(source) => out.push_str(&standing_alone(&source)),
                    _ => return Value::Unknown,
                },
                _ => return Value::Unknown,
            }
        }
        let text = code.text();
        let options = text.rsplit(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        let has = |letter| options.contains(letter);
        Value::Regex(regex::with_options(&out, has('i'), has('m'), has('x')))
    }

    fn call(&self, code: Code<'t>, scope: &mut Scope) -> Value {
        let Some(method) = code.field("method") else { return Value::Unknown };
        let arguments = code.field("arguments").map_or(Vec::new(), |list| self.arguments(list, scope));
        let Some(receiver) = code.field("receiver") else {
            if matches!(method.text(), "lambda" | "proc") {
                return identity(code);
            }
            return self.call_method(method.text(), None, arguments, scope);
        };
        let is_constant = matches!(receiver.node.kind(), "constant" | "scope_resolution");
        match (receiver.text(), method.text(), arguments.as_slice()) {
            ("Regexp", "new", [Value::Regex(source)]) => return Value::Regex(source.clone()),
            ("Regexp", "new", [Value::Text(source)]) => return Value::Regex(source.clone()),
            ("Regexp", "escape", [Value::Text(text)]) => return Value::Text(regex::escape(text)),
            _ => {}
        }
        if (is_constant && self.program.is_module(receiver.text())) || receiver.text() == "self" {
            let module = (receiver.text() != "self").then(|| receiver.text());
            return self.call_method(method.text(), module, arguments, scope);
        }
        let target = receiver;
        let receiver = self.value(receiver, scope);
        match (receiver, method.text(), arguments.as_slice()) {
            (value, "freeze" | "dup", []) => value,
            (Value::Text(text) | Value::Symbol(text), "to_sym" | "intern", []) => Value::Symbol(text),
            (Value::Text(text) | Value::Symbol(text), "to_s", []) => Value::Text(text),
            (Value::Array(items), "empty?", []) => Value::Bool(items.is_empty()),
            (Value::Hash(pairs), "empty?", []) => Value::Bool(pairs.is_empty()),
            (Value::Hash(pairs), "keys", []) => Value::Array(pairs.into_iter().map(|(key, _)| key).collect()),
            (Value::Hash(pairs), "values", []) => Value::Array(pairs.into_iter().map(|(_, v)| v).collect()),
            (list @ Value::Array(_), "concat", [Value::Array(more)]) => {
                self.extended(target, list, more.clone(), scope)
            }
            (list @ Value::Array(_), "push" | "append", _) => self.extended(target, list, arguments, scope),
            _ => Value::Unknown,
        }
    }

    /// The arguments of a call: values, and the pairs at the end as one hash.
    pub fn arguments(&self, list: Code<'t>, scope: &mut Scope) -> Vec<Value> {
        let mut values = Vec::new();
        let mut pairs = false;
        for child in list.children() {
            match child.node.kind() {
                "pair" | "hash_splat_argument" => pairs = true,
                "block_argument" => {}
                "splat_argument" => match child.children().first().map(|inner| self.value(*inner, scope)) {
                    Some(Value::Array(more)) => values.extend(more),
                    _ => values.push(Value::Unknown),
                },
                _ => values.push(self.value(child, scope)),
            }
        }
        if pairs {
            values.push(self.hash(list, scope));
        }
        values
    }

    /// What a method of a module gives that lies in the sources.
    fn call_method(&self, name: &str, module: Option<&str>, arguments: Vec<Value>, scope: &Scope) -> Value {
        let Some((body, module)) = self.program.method(module.unwrap_or(&scope.module), name) else {
            return Value::Unknown;
        };
        let mut inner = Scope { module, ..Scope::default() };
        self.bind(body, arguments, &mut inner);
        body.field("body").map_or(Value::Nil, |body| self.value(body, &mut inner))
    }

    /// Binds the parameters of a method or block.
    pub fn bind(&self, code: Code<'t>, arguments: Vec<Value>, scope: &mut Scope) {
        let Some(parameters) = code.field("parameters") else { return };
        let mut given = arguments.into_iter();
        for parameter in parameters.children() {
            let name = parameter.field("name").unwrap_or(parameter).text().to_owned();
            let value = match parameter.node.kind() {
                "splat_parameter" => Value::Array(given.by_ref().collect()),
                "block_parameter" => continue,
                "optional_parameter" => match (given.next(), parameter.field("value")) {
                    (Some(value), _) => value,
                    (None, Some(default)) => self.value(default, scope),
                    (None, None) => Value::Unknown,
                },
                _ => given.next().unwrap_or(Value::Nil),
            };
            scope.locals.insert(name, value);
        }
    }
}

/// Sets a key of a hash: the last value that it is given is its own.
fn set(pairs: &mut Vec<(Value, Value)>, key: Value, value: Value) {
    match pairs.iter_mut().find(|(known, _)| *known == key && key != Value::Unknown) {
        Some((_, old)) => *old = value,
        None => pairs.push((key, value)),
    }
}

/// A regular expression as it stands in another (Ruby: `Regexp#to_s`).
fn standing_alone(source: &str) -> String {
    if source.starts_with("(?") && source.ends_with(')') {
        return source.to_owned();
    }
    format!("(?-mix:{source})")
}

/// A lambda that gives back its one parameter.
fn identity(code: Code<'_>) -> Value {
    let block = code.field("block").unwrap_or(code);
    let one = |list: Code<'_>| match list.children().as_slice() {
        [one] => Some(one.text().to_owned()),
        _ => None,
    };
    let parameter = block.field("parameters").or_else(|| code.field("parameters")).and_then(one);
    let mut body = block.field("body");
    while let Some(inner) = body.filter(|body| body.node.kind() == "block") {
        body = inner.field("body");
    }
    match (parameter, body.and_then(one)) {
        (Some(parameter), Some(result)) if parameter == result => Value::Identity,
        _ => Value::Unknown,
    }
}
