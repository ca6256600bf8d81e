//! Renders a lowered template. Nothing it does can be seen from outside until it is done: whenever something comes up
//! that is not certain, it stops, and Ruby renders the template from its begin.

use super::budget::{self, Used};
use super::changes::Lent;
use super::compare;
use super::methods::{self, Method};
use super::text;
use super::tree::{Block, Body, Call, Node, Options, Target, Template};
use super::value::{Ask, Class, Known, Map, V};
use crate::compile::Compile;
use bunraku_vm::diagnostic::Severity;
use bunraku_vm::regex;
use bunraku_vm::scope::Scope;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use std::cell::RefCell;
use std::rc::Rc;

/// Ranges go no further, so that their ends can be added to.
const FURTHEST: u64 = 1 << 40;
/// Bytes a rendering may put out.
const LARGEST: usize = 16 << 20;

/// How deep templates that render templates may nest.
const DEEPEST: usize = 20;

/// How deep a template's own methods may call each other.
const DEEPEST_CALL: usize = 50;

/// Why an expression gives no value.
pub(super) enum Stop<'c> {
    Ask(Ask),
    Next(V<'c>),
    Break(V<'c>),
    Return(V<'c>),
    /// An `ArgumentError`. Where nothing rescues it, it is Ruby's to say.
    Raise,
}

impl From<Ask> for Stop<'_> {
    fn from(ask: Ask) -> Self {
        Stop::Ask(ask)
    }
}

pub(super) type Done<'c, T = V<'c>> = Result<T, Stop<'c>>;

/// One rendering.
pub(super) struct Renderer<'e, 'c> {
    pub compile: &'e Compile<'c>,
    pub vm: &'e mut Vm<'c>,
    pub scope: &'c Scope<'c>,
    used: &'e Used,
    template: &'c Template,
    locals: Vec<V<'c>>,
    /// Instance variables as far as they were asked for.
    variables: Vec<Option<V<'c>>>,
    /// All variables of the scope, once they were asked for.
    pub all_variables: Option<Value<'c>>,
    out: String,
    /// How many templates are around this one.
    depth: usize,
    /// What of the template was reached that is not known.
    reason: Option<u32>,
    last: Last<'c>,
    logs: Vec<(Severity, String)>,
    /// Arrays and hashes of Puppet's that it may change.
    lent: Vec<Lent<'c>>,
    /// Methods that have been defined so far, and how many calls of them are under way.
    defined: Vec<u32>,
    calls: usize,
}

/// The groups of the last match.
enum Last<'c> {
    Known(Option<Rc<Vec<V<'c>>>>),
    /// Something matched that does not keep them.
    Unknown,
}

/// What a rendering gives: the text, what is to be logged, and variables of the scope that have been changed in place.
pub(super) struct Rendered<'c> {
    pub text: String,
    pub logs: Vec<(Severity, String)>,
    pub changed: Vec<(String, Value<'c>)>,
}

/// Why a rendering was given up: what of the values, or the number of what of the template.
pub(super) struct Stopped {
    pub ask: Ask,
    pub reason: Option<u32>,
}

/// Renders a template in a scope.
///
/// # Errors
/// Why Ruby has to do it.
pub(super) fn render<'c>(
    compile: &Compile<'c>,
    vm: &mut Vm<'c>,
    scope: &'c Scope<'c>,
    template: &'c Template,
) -> Result<Rendered<'c>, Stopped> {
    budget::with(|used| render_with(used, compile, vm, scope, template))
}

fn render_with<'c>(
    used: &Used,
    compile: &Compile<'c>,
    vm: &mut Vm<'c>,
    scope: &'c Scope<'c>,
    template: &'c Template,
) -> Result<Rendered<'c>, Stopped> {
    let mut renderer = Renderer {
        compile,
        vm,
        scope,
        used,
        template,
        locals: vec![V::Nil; template.slots],
        variables: vec![None; template.variables.len()],
        all_variables: None,
        out: String::with_capacity(template.size + template.size / 4 + 64),
        depth: compile.erb_depth.get(),
        reason: None,
        last: Last::Known(None),
        logs: Vec::new(),
        lent: Vec::new(),
        defined: Vec::new(),
        calls: 0,
    };
    if renderer.depth == 0 {
        used.begin();
    }
    match renderer.eval(&template.body) {
        Ok(_) => match renderer.changed() {
            Ok(changed) => Ok(Rendered { text: renderer.out, logs: renderer.logs, changed }),
            Err(ask) => Err(Stopped { ask, reason: None }),
        },
        Err(Stop::Ask(ask)) => Err(Stopped { ask, reason: renderer.reason }),
        Err(_) => Err(Stopped { ask: Ask("`next` or `break` outside of a block"), reason: None }),
    }
}

impl<'c> Renderer<'_, 'c> {
    /// The value of an expression.
    pub(super) fn eval(&mut self, node: &'c Node) -> Done<'c> {
        Ok(match node {
            Node::Nil => V::Nil,
            Node::Bool(b) => V::Bool(*b),
            Node::Int(n) => V::Int(*n),
            Node::Float(n) => V::Float(*n),
            Node::String(text) => V::Str(text),
            Node::Symbol(name) => V::Symbol(name),
            Node::Class(class) => V::Class(*class),
            Node::Scope => V::Scope,
            Node::Local(slot) => self.locals[*slot as usize].clone(),
            Node::Variable(number) => self.variable(*number)?,
            Node::Text(text) => self.put(text)?,
            // Only these can go on for long, or deep; a loop counts each of its rounds.
            composed => {
                self.used.enter()?;
                let value = self.composed(composed);
                self.used.leave();
                return value;
            }
        })
    }

    /// The value of an expression that has others in it.
    fn composed(&mut self, node: &'c Node) -> Done<'c> {
        Ok(match node {
            Node::Insert(value) => {
                let value = self.eval(value)?;
                text::put(&mut self.out, &value)?;
                self.limit()?;
                V::Void
            }
            Node::Sequence(nodes) => {
                let mut last = V::Nil;
                for node in nodes {
                    last = match node {
                        Node::Text(text) => self.put(text)?,
                        node => self.eval(node)?,
                    };
                }
                last
            }
            Node::SetLocal(slot, value) => {
                let value = self.eval(value)?;
                self.locals[*slot as usize] = value.clone();
                value
            }
            Node::SetVariable(number, value) => {
                let value = self.eval(value)?;
                self.variables[*number as usize] = Some(value.clone());
                value
            }
            Node::IsVariable(number) => match self.variable(*number)? {
                // One that was set to nil is defined, one that was never set is not.
                V::Nil if self.is_unset(*number) => V::Nil,
                _ => V::Str("instance-variable"),
            },
            Node::SetMany(targets, value) => {
                let value = self.eval(value)?;
                self.assign(targets, value.clone())?;
                value
            }
            Node::If(parts) => {
                let (condition, then, other) = &**parts;
                let chosen = if self.eval(condition)?.truthy() { then } else { other };
                self.eval(chosen)?
            }
            Node::And(pair) => match self.eval(&pair.0)? {
                left if left.truthy() => self.eval(&pair.1)?,
                left => left,
            },
            Node::Or(pair) => match self.eval(&pair.0)? {
                left if left.truthy() => left,
                _ => self.eval(&pair.1)?,
            },
            Node::Not(value) => V::Bool(!self.eval(value)?.truthy()),
            Node::Call(call) => self.call(call)?,
            other => self.rare(other)?,
        })
    }

    /// Expressions that are seldom met.
    fn rare(&mut self, node: &'c Node) -> Done<'c> {
        Ok(match node {
            Node::Fresh(value) => {
                let value = self.eval(value)?;
                match value.text() {
                    Some(text) => V::made(text.to_owned()),
                    None => value,
                }
            }
            Node::Join(pieces) => {
                let mut text = String::new();
                for piece in pieces {
                    let piece = self.eval(piece)?;
                    text::put(&mut text, &piece)?;
                }
                V::made(text)
            }
            Node::Regexp(source, options) => self.regexp(source, *options)?,
            Node::Array(items) => V::list(self.values(items)?),
            Node::Hash(pairs) => {
                let mut map = Map::default();
                for (key, value) in pairs {
                    let key = self.eval(key)?;
                    let value = self.eval(value)?;
                    map.set(key, value)?;
                }
                V::Map(Rc::new(RefCell::new(map)))
            }
            Node::Range(ends, open) => match (self.eval(&ends.0)?, self.eval(&ends.1)?) {
                (V::Int(from), V::Int(to)) if from.abs_diff(0).max(to.abs_diff(0)) < FURTHEST => {
                    V::Range(from, to, *open)
                }
                _ => return Err(Ask("a range of other than integers").into()),
            },
            Node::While(parts, wanted) => {
                let (condition, body) = &**parts;
                loop {
                    self.used.spend(1)?;
                    if self.eval(condition)?.truthy() != *wanted {
                        break V::Nil;
                    }
                    match self.eval(body) {
                        Ok(_) => {}
                        Err(Stop::Break(value)) => break value,
                        Err(stop) => return Err(stop),
                    }
                }
            }
            Node::Case(case) => {
                let subject = case.subject.as_ref().map(|subject| self.eval(subject)).transpose()?;
                for (patterns, body) in &case.branches {
                    for pattern in patterns {
                        let pattern = self.eval(pattern)?;
                        let met = match &subject {
                            Some(subject) => self.case_equal(&pattern, subject)?,
                            None => pattern.truthy(),
                        };
                        if met {
                            return self.eval(body);
                        }
                    }
                }
                self.eval(&case.otherwise)?
            }
            Node::AppendLocal(slot, value) => {
                let value = self.eval(value)?;
                let slot = *slot as usize;
                if let V::Made(text) = &mut self.locals[slot] {
                    let added = value.text().ok_or(Ask("`<<` of other than a string"))?;
                    // Only where nothing else knows the string.
                    let text = Rc::get_mut(text).ok_or(Ask("a change of a string that others know"))?;
                    budget::made(added.len());
                    if text.len() + added.len() > LARGEST {
                        return Err(Ask("much text").into());
                    }
                    text.push_str(added);
                    return Ok(V::Void);
                }
                let list = self.locals[slot].clone();
                methods::call(self, list, methods::Method::Append, &[value], None)?
            }
            Node::Group(number) => match &self.last {
                Last::Known(groups) => {
                    groups.as_ref().and_then(|groups| groups.get(*number).cloned()).unwrap_or(V::Nil)
                }
                Last::Unknown => return Err(Ask("groups of a match").into()),
            },
            Node::Next(value) => return Err(Stop::Next(self.eval(value)?)),
            Node::Break(value) => return Err(Stop::Break(self.eval(value)?)),
            Node::Return(value) => return Err(Stop::Return(self.eval(value)?)),
            Node::Rescue(parts, slot) => match self.eval(&parts.0) {
                Err(Stop::Raise) => {
                    if let Some(slot) = slot {
                        self.locals[*slot as usize] = V::Void;
                    }
                    self.eval(&parts.1)?
                }
                other => other?,
            },
            Node::Define(number) => {
                self.defined.push(*number);
                V::Void
            }
            Node::CallOwn(number, args) => self.call_own(*number, args)?,
            Node::Splat(_) => return Err(Ask("a splat").into()),
            Node::Ask(number) => {
                self.reason = Some(*number);
                return Err(Ask("what is not known").into());
            }
            _ => return Err(Ask("an expression").into()),
        })
    }

    /// `===` of `case`, which keeps the groups of a match.
    fn case_equal(&mut self, pattern: &V<'c>, subject: &V<'c>) -> Done<'c, bool> {
        if self.names_groups() && matches!(pattern, V::Regexp(_)) && subject.text().is_some() {
            let place = methods::call(
                self,
                pattern.clone(),
                methods::Method::Matches,
                std::slice::from_ref(subject),
                None,
            )?;
            return Ok(place.truthy());
        }
        Ok(case_equal(pattern, subject)?)
    }

    /// Puts text of the template out.
    #[inline]
    fn put(&mut self, text: &str) -> Known<V<'c>> {
        self.out.push_str(text);
        self.limit()?;
        Ok(V::Void)
    }

    fn limit(&self) -> Known<()> {
        if self.out.len() > LARGEST { Err(Ask("much text")) } else { Ok(()) }
    }

    /// Values of arguments or elements.
    fn values(&mut self, nodes: &'c [Node]) -> Done<'c, Vec<V<'c>>> {
        if nodes.is_empty() {
            return Ok(Vec::new());
        }
        let mut values = Vec::with_capacity(nodes.len());
        for node in nodes {
            match node {
                Node::Splat(inner) => match self.eval(inner)? {
                    V::Nil => {}
                    list => values.extend(list.items()?.ok_or(Ask("a splat of other than an array"))?),
                },
                node => values.push(self.eval(node)?),
            }
        }
        Ok(values)
    }

    fn variable(&mut self, number: u32) -> Known<V<'c>> {
        let place = number as usize;
        if let Some(value) = &self.variables[place] {
            return Ok(value.clone());
        }
        let name = &*self.template.variables[place];
        let scope = if methods::SHARED.contains(&name) { self.vm.top } else { self.scope };
        let symbol = self.vm.symbols.get(name);
        if let Some(value) = self.compile.set_by_templates.find(symbol, scope, name) {
            self.variables[place] = Some(value.clone());
            return Ok(value);
        }
        let found = symbol.and_then(|symbol| scope.lookup(symbol));
        let value = match found {
            Some(found) => self.lend(name, found)?,
            None => V::Nil,
        };
        // What has no value stays unset, so that `defined?` can tell.
        if !matches!(value, V::Nil) {
            self.variables[place] = Some(value.clone());
        }
        Ok(value)
    }

    /// A variable's value: a copy where the template may change it.
    pub(super) fn lend(&mut self, name: &str, value: Value<'c>) -> Known<V<'c>> {
        // `$facts` and the like are frozen.
        if !self.template.changes || methods::SHARED.contains(&name) {
            return Ok(V::from(value));
        }
        if let Some(lent) = self.lent.iter().find(|lent| lent.name == name) {
            return Ok(lent.copy.clone());
        }
        match Lent::new(name, value)? {
            None => Ok(V::from(value)),
            Some(lent) => {
                let copy = lent.copy.clone();
                self.lent.push(lent);
                Ok(copy)
            }
        }
    }

    /// The variables whose values have been changed in place.
    fn changed(&self) -> Known<Vec<(String, Value<'c>)>> {
        let mut changed = Vec::new();
        for lent in &self.lent {
            if lent.is_changed()? {
                // What is around would not see it; and a worker remembers variables.
                if self.depth > 0 || self.compile.ruby.has_worker() {
                    return Err(Ask("a change of what is Puppet's"));
                }
                changed.push((lent.name.clone(), lent.copy.to_value(self.vm)?));
            }
        }
        Ok(changed)
    }

    fn is_unset(&self, number: u32) -> bool {
        self.variables[number as usize].is_none()
    }

    fn regexp(&mut self, source: &'c Node, options: Options) -> Done<'c> {
        let source = match source {
            Node::String(text) => text.to_string(),
            Node::Join(pieces) => {
                let mut text = String::new();
                for piece in pieces {
                    let piece = self.eval(piece)?;
                    text::put(&mut text, &piece)?;
                }
                text
            }
            _ => return Err(Ask("a regular expression").into()),
        };
        let source = regex::with_options(&source, options.ignore_case, options.multiline, options.extended);
        regex::check(&source).map_err(|_| Ask("a regular expression that is not understood"))?;
        Ok(V::Regexp(source.into()))
    }

    fn call(&mut self, call: &'c Call) -> Done<'c> {
        if let Some(value) = self.one_of_all_variables(call)? {
            return Ok(value);
        }
        let receiver = match &call.receiver {
            Some(receiver) => self.eval(receiver)?,
            None => {
                let args = self.values(&call.args)?;
                return methods::function(self, call.method, &args, call.block.as_ref());
            }
        };
        if call.safe && matches!(receiver, V::Nil) {
            return Ok(V::Nil);
        }
        let block = call.block.as_ref();
        // Hardly a call has more than one.
        let result = match &*call.args {
            [] => methods::call(self, receiver, call.method, &[], block),
            [arg] if !matches!(arg, Node::Splat(_)) => {
                let arg = [self.eval(arg)?];
                methods::call(self, receiver, call.method, &arg, block)
            }
            args => {
                let args = self.values(args)?;
                methods::call(self, receiver, call.method, &args, block)
            }
        };
        match result {
            Err(Stop::Break(value)) if call.block.is_some() => Ok(value),
            other => other,
        }
    }

    /// `scope.to_hash[name]` and `scope.to_hash.has_key?(name)` need no hash of all variables.
    fn one_of_all_variables(&mut self, call: &'c Call) -> Done<'c, Option<V<'c>>> {
        let (Some(Node::Call(all)), [name], None) = (&call.receiver, &*call.args, &call.block) else {
            return Ok(None);
        };
        let Call { receiver: Some(Node::Scope), method: Method::Variables, args, block: None, .. } = &**all
        else {
            return Ok(None);
        };
        if !args.is_empty()
            || !matches!(call.method, Method::Element | Method::HasKey | Method::Include)
            || !matches!(name, Node::String(_) | Node::Local(_))
            || self.compile.set_by_templates.any_seen_from(self.scope)
        {
            return Ok(None);
        }
        let name = self.eval(name)?;
        let Some(name) = name.text() else { return Ok(None) };
        let found = self.vm.symbols.get(name).and_then(|symbol| self.scope.lookup(symbol));
        let found = found.filter(|value| !value.is_undef());
        Ok(Some(match call.method {
            Method::Element => found.map_or(V::Nil, V::from),
            _ => V::Bool(found.is_some()),
        }))
    }

    /// Calls a method that the template has defined, with locals of its own.
    fn call_own(&mut self, number: u32, args: &'c [Node]) -> Done<'c> {
        let args = self.values(args)?;
        let template = self.template;
        let body = &template.methods[number as usize];
        if !self.defined.contains(&number) || args.len() != body.params.len() {
            return Err(Ask("a method that is not defined so").into());
        }
        if self.calls >= DEEPEST_CALL {
            return Err(Ask("a deep recursion").into());
        }
        let own = body.own.0 as usize..body.own.1 as usize;
        let saved = self.locals[own.clone()].to_vec();
        let last = std::mem::replace(&mut self.last, Last::Known(None));
        self.enter(body);
        self.assign_many(&body.params, args)?;
        self.calls += 1;
        let result = self.eval(&body.body);
        self.calls -= 1;
        self.last = last;
        self.locals[own].clone_from_slice(&saved);
        match result {
            Err(Stop::Return(value)) => Ok(value),
            other => other,
        }
    }

    /// Another template rendered in the same scope. It may not nest for ever.
    pub(super) fn nested(&mut self, name: &str) -> Known<String> {
        if self.depth > DEEPEST {
            return Err(Ask("templates in templates in templates"));
        }
        if !self.changed()?.is_empty() {
            return Err(Ask("a change that another template may see"));
        }
        let depth = self.compile.erb_depth.replace(self.depth + 1);
        let rendered = self.compile.render_nested(self.vm, self.scope, name);
        self.compile.erb_depth.set(depth);
        let Rendered { text, logs, .. } = rendered?;
        self.logs.extend(logs);
        Ok(text)
    }

    /// Notes a message, to be logged when all has gone well.
    pub(super) fn log(&mut self, level: Severity, message: String) {
        self.logs.push((level, message));
    }

    /// Whether the template names groups of matches.
    pub(super) fn names_groups(&self) -> bool {
        self.template.groups
    }

    /// Remembers the groups of a match.
    pub(super) fn set_last(&mut self, groups: Option<Rc<Vec<V<'c>>>>) {
        self.last = Last::Known(groups);
    }

    /// Something has matched whose groups are not kept.
    pub(super) fn forget_last(&mut self) {
        self.last = Last::Unknown;
    }

    /// Runs a block with a key and its value, which make a pair where it has one parameter.
    pub(super) fn yield_pair(&mut self, block: &'c Block, key: V<'c>, value: V<'c>) -> Done<'c> {
        match block {
            Block::Body(body) if body.params.len() == 2 => self.yield_two(block, key, value),
            _ => self.yield_one(block, V::pair(key, value)),
        }
    }

    /// Runs a block with one value: an array is spread where the block has several parameters.
    pub(super) fn yield_one(&mut self, block: &'c Block, value: V<'c>) -> Done<'c> {
        match block {
            Block::Method(method) => methods::call(self, value, *method, &[], None),
            Block::Body(body) => {
                self.enter(body);
                match &*body.params {
                    [] => {}
                    [one] if !body.spreads => self.assign_one(one, value)?,
                    params => {
                        let values = match value.items()? {
                            Some(items) => items,
                            None => vec![value],
                        };
                        self.assign_many(params, values)?;
                    }
                }
                self.run(body)
            }
        }
    }

    /// Runs a block with two values.
    pub(super) fn yield_two(&mut self, block: &'c Block, first: V<'c>, second: V<'c>) -> Done<'c> {
        match block {
            Block::Method(method) => methods::call(self, first, *method, &[second], None),
            Block::Body(body) => {
                self.enter(body);
                match &*body.params {
                    [Target::Local(a), Target::Local(b)] => {
                        self.locals[*a as usize] = first;
                        self.locals[*b as usize] = second;
                    }
                    params => self.assign_many(params, vec![first, second])?,
                }
                self.run(body)
            }
        }
    }

    fn enter(&mut self, body: &Body) {
        for slot in body.own.0..body.own.1 {
            self.locals[slot as usize] = V::Nil;
        }
    }

    fn run(&mut self, body: &'c Body) -> Done<'c> {
        self.used.spend(1)?;
        match self.eval(&body.body) {
            Err(Stop::Next(value)) => Ok(value),
            other => other,
        }
    }

    fn assign_one(&mut self, target: &Target, value: V<'c>) -> Known<()> {
        match target {
            Target::Rest(_) => self.assign_many(std::slice::from_ref(target), vec![value]),
            target => self.assign(target, value),
        }
    }

    fn assign(&mut self, target: &Target, value: V<'c>) -> Known<()> {
        match target {
            Target::Local(slot) => {
                self.locals[*slot as usize] = value;
                Ok(())
            }
            Target::Rest(slot) => {
                if let Some(slot) = slot {
                    self.locals[*slot as usize] = value;
                }
                Ok(())
            }
            Target::Many(targets) => {
                let values = match value.items()? {
                    Some(items) => items,
                    None => vec![value],
                };
                self.assign_many(targets, values)
            }
        }
    }

    fn assign_many(&mut self, targets: &[Target], values: Vec<V<'c>>) -> Known<()> {
        let rest = targets.iter().position(|target| matches!(target, Target::Rest(_)));
        let behind = rest.map_or(0, |rest| targets.len() - rest - 1);
        let count = values.len();
        let mut values = values.into_iter();
        for (n, target) in targets.iter().enumerate() {
            let value = if Some(n) == rest {
                let taken = count.saturating_sub(n + behind);
                V::list(values.by_ref().take(taken).collect())
            } else {
                values.next().unwrap_or(V::Nil)
            };
            self.assign(target, value)?;
        }
        Ok(())
    }
}

/// `===`, with which `case` and `grep` choose.
pub(super) fn case_equal<'c>(pattern: &V<'c>, subject: &V<'c>) -> Known<bool> {
    Ok(match (pattern, subject) {
        (V::Class(class), subject) => is_a(subject, *class)?,
        (V::Regexp(source), V::Str(_) | V::Made(_)) => {
            let text = subject.text().unwrap_or_default();
            regex::is_match(source, text).map_err(|_| Ask("a match"))?
        }
        (V::Regexp(_), V::Nil | V::Bool(_) | V::Int(_) | V::Float(_) | V::Array(_) | V::List(_)) => false,
        (V::Regexp(_), _) => return Err(Ask("a match of such a value")),
        (V::Range(from, to, open), V::Int(n)) => n >= from && if *open { n < to } else { n <= to },
        (V::Range(..), _) => return Err(Ask("a range as a pattern")),
        (pattern, subject) => compare::equal(pattern, subject, false)?,
    })
}

/// `is_a?`
pub(super) fn is_a(value: &V<'_>, class: Class) -> Known<bool> {
    Ok(class.covers(value.class()?))
}
