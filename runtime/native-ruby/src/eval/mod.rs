//! Renders a lowered template. Nothing it does can be seen from outside until it is done: whenever something comes up
//! that is not certain, it stops, and Ruby renders the template from its begin.

mod blocks;
mod invoke;
mod rare;
mod statements;
mod stop;
mod variables;

use crate::budget::{self, RenderBudget};
use crate::erb::templating::Templating;
use crate::for_ruby::{ForRuby, OrRuby};
use crate::tree::{Expr, Program};
use crate::value::V;
use crate::world::TemplateWorld;
use bunraku_vm::diagnostic::Severity;
use bunraku_vm::scope::Scope;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use std::rc::Rc;

pub(crate) use stop::Unwind;
use variables::{VariableState, Variables};

/// Most bytes that a rendering puts out.
const LARGEST: usize = 16 << 20;

pub(crate) type Done<'c, T = V<'c>> = Result<T, Unwind<'c>>;

/// One rendering.
pub(crate) struct Run<'e, 'c> {
    pub engine: &'e Templating<'c>,
    pub world: &'e dyn TemplateWorld<'c>,
    pub vm: &'e mut Vm<'c>,
    pub scope: &'c Scope<'c>,
    used: &'e RenderBudget,
    template: &'c Program,
    locals: Vec<V<'c>>,
    pub variables: Variables<'c>,
    out: String,
    /// How many templates are around this one.
    depth: usize,
    /// The number of the [`Unsupported`](crate::tree::Unsupported) that was reached.
    reason: Option<u32>,
    last: LastMatch<'c>,
    logs: Vec<(Severity, String)>,
    own: OwnMethods,
}

/// Methods that the template defines itself.
#[derive(Default)]
struct OwnMethods {
    /// Those that have been defined so far.
    defined: Vec<u32>,
    /// How many calls of them are under way.
    calls: usize,
}

/// The groups of the last match.
enum LastMatch<'c> {
    Known(Option<Rc<Vec<V<'c>>>>),
    /// Something has matched whose groups were not kept.
    Unknown,
}

/// What a rendering gives: the text, what is to be logged, and variables of the scope that have been changed in place.
pub struct Rendered<'c> {
    /// What it puts out.
    pub text: String,
    /// Messages, in order.
    pub logs: Vec<(Severity, String)>,
    /// Names of variables as the scope sees them, and what they have become.
    pub changed: Vec<(String, Value<'c>)>,
}

/// Why a rendering was given up: for a value, or for what the template has under a number.
pub(crate) struct Stopped {
    pub ask: ForRuby,
    pub reason: Option<u32>,
}

/// Renders a template in a scope.
///
/// # Errors
/// Why Ruby has to do it.
pub(crate) fn render<'c>(
    engine: &Templating<'c>,
    world: &dyn TemplateWorld<'c>,
    vm: &mut Vm<'c>,
    scope: &'c Scope<'c>,
    template: &'c Program,
) -> Result<Rendered<'c>, Stopped> {
    budget::with(|used| {
        let mut run = Run {
            engine,
            world,
            vm,
            scope,
            used,
            template,
            locals: (0..template.slots).map(|_| V::Nil).collect(),
            variables: Variables::new(template, engine),
            out: String::with_capacity(template.size + template.size / 4 + 64),
            depth: engine.depth(),
            reason: None,
            last: LastMatch::Known(None),
            logs: Vec::new(),
            own: OwnMethods::default(),
        };
        if run.depth == 0 {
            used.begin();
        }
        match run.statement(&template.body) {
            Ok(()) => match run.changed() {
                Ok(changed) => Ok(Rendered { text: run.out, logs: run.logs, changed }),
                Err(ask) => Err(Stopped { ask, reason: None }),
            },
            Err(stop) => Err(match stop.for_ruby() {
                Some(ask) => Stopped { ask, reason: run.reason },
                None => Stopped { ask: ForRuby("`next` or `break` outside of a block"), reason: None },
            }),
        }
    })
}

impl<'c> Run<'_, 'c> {
    /// The value of an expression.
    pub(crate) fn eval(&mut self, node: &'c Expr) -> Done<'c> {
        Ok(match node {
            Expr::Nil => V::Nil,
            Expr::Bool(b) => V::Bool(*b),
            Expr::Int(n) => V::Int(*n),
            Expr::Float(n) => V::Float(*n),
            Expr::String(text) => V::Str(text),
            Expr::Symbol(name) => V::Symbol(name),
            Expr::Class(class) => V::Class(*class),
            Expr::Scope => V::Scope,
            Expr::Local(slot) => self.locals[*slot as usize].clone(),
            Expr::Variable(number) => self.variable(*number)?.clone(),
            // Only these can go on for long, or deep; a loop counts each of its rounds.
            composed => return self.composed(composed),
        })
    }

    /// The value of an expression that has others in it.
    #[inline(never)]
    fn composed(&mut self, node: &'c Expr) -> Done<'c> {
        self.used.enter()?;
        let value = match node {
            Expr::Call(call) => self.call(call),
            Expr::Key(on, key) => self.at_key(on, key),
            node => self.common(node),
        };
        self.used.leave();
        value
    }

    /// Expressions that are met often, but for calls and keys.
    fn common(&mut self, node: &'c Expr) -> Done<'c> {
        Ok(match node {
            Expr::Text(_) | Expr::Insert(_) => {
                self.statement(node)?;
                V::Void
            }
            Expr::Sequence(nodes) => match nodes.split_last() {
                Some((last, nodes)) => {
                    nodes.iter().try_for_each(|node| self.statement(node))?;
                    self.eval(last)?
                }
                None => V::Nil,
            },
            Expr::SetLocal(slot, value) => {
                let value = self.eval(value)?;
                self.locals[*slot as usize] = value.clone();
                value
            }
            Expr::SetVariable(number, value) => {
                let value = self.eval(value)?;
                self.variables.seen[*number as usize] = VariableState::Set(value.clone());
                value
            }
            Expr::IsVariable(number) => {
                self.look_up(*number)?;
                // One that was set to nil is defined, one that was never set is not.
                match self.variables.seen[*number as usize] {
                    VariableState::Set(_) => V::Str("instance-variable"),
                    _ => V::Nil,
                }
            }
            Expr::SetMany(targets, value) => {
                let value = self.eval(value)?;
                self.assign(targets, value.clone())?;
                value
            }
            Expr::If(parts) => {
                let (condition, then, other) = &**parts;
                let chosen = if self.truth(condition)? { then } else { other };
                self.eval(chosen)?
            }
            Expr::And(pair) => match self.eval(&pair.0)? {
                left if left.truthy() => self.eval(&pair.1)?,
                left => left,
            },
            Expr::Or(pair) => match self.eval(&pair.0)? {
                left if left.truthy() => left,
                _ => self.eval(&pair.1)?,
            },
            Expr::Not(value) => V::Bool(!self.truth(value)?),
            other => return self.rare(other),
        })
    }

    fn limit(&self) -> OrRuby<()> {
        if self.out.len() > LARGEST { Err(ForRuby("much text")) } else { Ok(()) }
    }

    /// Values of arguments or elements.
    fn values(&mut self, nodes: &'c [Expr]) -> Done<'c, Vec<V<'c>>> {
        if nodes.is_empty() {
            return Ok(Vec::new());
        }
        let mut values = Vec::with_capacity(nodes.len());
        for node in nodes {
            match node {
                Expr::Splat(inner) => match self.eval(inner)? {
                    V::Nil => {}
                    list => values.extend(list.items()?.ok_or(ForRuby("a splat of other than an array"))?),
                },
                node => values.push(self.eval(node)?),
            }
        }
        Ok(values)
    }

    /// Notes a message, to be logged when all has gone well.
    pub(crate) fn log(&mut self, level: Severity, message: String) {
        self.logs.push((level, message));
    }

    /// Whether the template names groups of matches.
    pub(crate) fn names_groups(&self) -> bool {
        self.template.groups
    }

    /// Remembers the groups of a match.
    pub(crate) fn set_last(&mut self, groups: Option<Rc<Vec<V<'c>>>>) {
        self.last = LastMatch::Known(groups);
    }

    /// Something has matched whose groups are not kept.
    pub(crate) fn forget_last(&mut self) {
        self.last = LastMatch::Unknown;
    }
}
