//! Variables of the scope as a template sees them: looked up when they are asked for, and lent as copies where the
//! template may change them.

use super::{Done, Run};
use crate::erb::templating::Templating;
use crate::for_ruby::{CHANGE, ForRuby, OrRuby};
use crate::functions::copies::{Changes, Lending, add_places, has_place};
use crate::method::Method;
use crate::tree::{Expr, InstanceVariable, Lends, MethodCall, Program, SHARED};
use crate::value::V;
use crate::world::WorkerState;
use bunraku_vm::value::Value;
use hashbrown::HashSet;
use std::cell::RefCell;
use std::rc::Rc;

/// The variables of one rendering.
pub(crate) struct Variables<'c> {
    /// The template's instance variables, as far as they were asked for.
    pub(crate) seen: Vec<VariableState<'c>>,
    /// All variables of the scope, once they were asked for.
    pub all: Option<Value<'c>>,
    /// Arrays and hashes of Puppet's that it may change.
    lent: Lending<'c>,
    /// Values of variables that are not lent, of a template that changes others: what is changed may be in them.
    plain: Vec<Value<'c>>,
    /// Whether the template lies in a file.
    pub of_file: bool,
    /// How many variables templates of the compile had set before it began: it sees no others as its own.
    set_before: usize,
    /// Whether its scope sees any of those, and how many there were when that was found out.
    sees_set: Option<(usize, bool)>,
}

/// An instance variable.
pub(crate) enum VariableState<'c> {
    /// Nobody has asked for it.
    Unasked,
    /// It has no value: `defined?` tells it from one that was set to nil.
    Unset,
    Set(V<'c>),
}

impl<'c> VariableState<'c> {
    pub(crate) fn value(&self) -> &V<'c> {
        match self {
            VariableState::Set(value) => value,
            VariableState::Unasked | VariableState::Unset => &V::Nil,
        }
    }
}

impl<'c> Variables<'c> {
    /// Nobody has asked for any yet.
    pub(crate) fn new(template: &Program, engine: &Templating<'c>) -> Self {
        Variables {
            seen: template.variables.iter().map(|_| VariableState::Unasked).collect(),
            all: None,
            lent: Lending::default(),
            plain: Vec::new(),
            of_file: false,
            set_before: engine.set_by_templates.count(),
            sees_set: None,
        }
    }
}

impl<'c> Run<'_, 'c> {
    /// Whether a template's own code runs, whose instance variables are those of the scope.
    pub(crate) fn is_template(&self) -> bool {
        matches!(self.frame.this, V::Main) && self.journal.is_none()
    }

    pub(super) fn variable_name(&self, number: u32) -> &'c str {
        &self.frame.program.variables[number as usize].name.text
    }

    /// The value of an instance variable.
    pub(super) fn variable(&mut self, number: u32) -> OrRuby<V<'c>> {
        if !self.is_template() {
            let name = self.variable_name(number);
            return Ok(self.own_variable(name)?.unwrap_or(V::Nil));
        }
        self.look_up(number)?;
        Ok(self.variables.seen[number as usize].value().clone())
    }

    /// An instance variable of `self`; none where it was never set.
    pub(super) fn own_variable(&self, name: &str) -> OrRuby<Option<V<'c>>> {
        let of = |variables: &RefCell<Vec<(&'c str, V<'c>)>>| {
            variables.borrow().iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone())
        };
        match &self.frame.this {
            V::Object(object) => Ok(of(&object.variables)),
            V::Module(module) => {
                let here =
                    self.of_modules.iter().find(|(of, known, _)| Rc::ptr_eq(of, module) && *known == name);
                match here.map(|(.., value)| value.clone()).or_else(|| of(&module.variables)) {
                    // An earlier call may have left something, with Ruby or without.
                    None if !self.space.is_loading() => {
                        Err(ForRuby("a variable of a module that is not set yet"))
                    }
                    value => Ok(value),
                }
            }
            _ => Err(ForRuby("an instance variable of such an object")),
        }
    }

    /// Sets an instance variable.
    pub(super) fn set_variable(&mut self, number: u32, value: V<'c>) -> OrRuby<()> {
        if self.is_template() {
            self.variables.seen[number as usize] = VariableState::Set(value);
            return Ok(());
        }
        let name = self.variable_name(number);
        let variables = match &self.frame.this {
            // A function that ends in Ruby after all would find there what it did not set.
            V::Object(object) if object.class.is_function() && !object.class.sets_first.get() => {
                return Err(ForRuby("an instance variable of a function"));
            }
            V::Object(object) => &object.variables,
            V::Module(module) if self.space.is_loading() => &module.variables,
            V::Module(module) => {
                let at_load = module.variables.borrow().iter().any(|(known, _)| *known == name);
                if at_load || !self.begins_with_setting(number) {
                    return Err(ForRuby("a variable of a module"));
                }
                let module = module.clone();
                self.of_modules.retain(|(of, known, _)| !Rc::ptr_eq(of, &module) || *known != name);
                self.of_modules.push((module, name, value));
                return Ok(());
            }
            _ => return Err(ForRuby("an instance variable of such an object")),
        };
        let mut variables = variables.borrow_mut();
        match variables.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => variables.push((name, value)),
        }
        Ok(())
    }

    /// Whether the method that runs begins with setting an instance variable, and goes on with something else: each call sets
    /// it anew then, and nothing of the value is left to the next.
    fn begins_with_setting(&self, number: u32) -> bool {
        let Some((_, body)) = &self.frame.method else { return false };
        let Expr::Sequence(statements) = &body.body else { return false };
        let is_set = |statement: &&Expr| matches!(statement, Expr::SetVariable(..));
        let begin = statements.iter().take_while(is_set).collect::<Vec<_>>();
        begin.len() < statements.len()
            && begin.iter().any(|statement| matches!(statement, Expr::SetVariable(set, _) if *set == number))
    }

    /// What the scope sees under a name, a fact that is withheld from it included.
    fn found_in_scope(&self, name: &str) -> Option<Value<'c>> {
        let found = self.vm.symbols.get(name).and_then(|symbol| self.scope.lookup(symbol));
        found.or_else(|| self.vm.withheld_fact(name))
    }

    /// The value of a template's instance variable by its name with `@`.
    pub(super) fn variable_named(&mut self, name: &V<'c>) -> OrRuby<V<'c>> {
        let name = match name {
            V::Symbol(name) => (*name).to_owned(),
            name => name.text().map(|name| name.to_string()).unwrap_or_default(),
        };
        let is_word = |name: &str| {
            let rest = name.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == '_');
            rest.len() < name.len() && rest.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric())
        };
        // The others are the template's own, or an error.
        let plain = name.strip_prefix('@').filter(|plain| !plain.starts_with("__") && is_word(plain));
        let plain = plain.ok_or(ForRuby("an instance variable of another name"))?;
        let variables = &self.frame.program.variables;
        if let Some(number) = variables.iter().position(|known| *known.name.text == *plain) {
            return self.variable(number as u32);
        }
        // Another template's method has no variables: those of this one it would not find.
        let is_own = self.rendered.is_some_and(|program| std::ptr::eq(program, self.frame.program));
        // A worker may have changed what templates have set.
        let is_only_here = self.world.worker() == WorkerState::None && !self.sees_set_by_templates();
        if !is_own || SHARED.contains(&plain) || !is_only_here {
            return Err(ForRuby("an instance variable by its name"));
        }
        match self.found_in_scope(plain) {
            None | Some(Value::Undef) => Ok(V::Nil),
            Some(Value::Array(_) | Value::Hash(_)) if !matches!(&self.frame.program.lends, Lends::Variables(names) if names.is_empty()) => {
                Err(ForRuby(CHANGE))
            }
            Some(found) => Ok(V::from(found)),
        }
    }

    /// Looks up an instance variable unless it has been looked up before.
    #[inline]
    pub(crate) fn look_up(&mut self, number: u32) -> OrRuby<()> {
        match self.variables.seen[number as usize] {
            VariableState::Unasked => self.look_up_now(number),
            _ => Ok(()),
        }
    }

    fn look_up_now(&mut self, number: u32) -> OrRuby<()> {
        let InstanceVariable { name, shared } = &self.frame.program.variables[number as usize];
        let scope = if *shared { self.vm.top } else { self.scope };
        let symbol = self.vm.symbols.get_kept(name);
        if self.sees_set_by_templates()
            && let Some(value) =
                self.engine.set_by_templates.find(symbol, scope, &name.text, self.variables.set_before)?
        {
            self.variables.seen[number as usize] = VariableState::Set(value);
            return Ok(());
        }
        let found = symbol.and_then(|symbol| scope.lookup(symbol));
        let found = found.or_else(|| self.vm.withheld_fact(&name.text));
        self.variables.seen[number as usize] = match found {
            None | Some(Value::Undef) => VariableState::Unset,
            // `$facts` and the like are frozen.
            Some(found) if *shared => VariableState::Set(V::from(found)),
            Some(found) => VariableState::Set(self.lend(&name.text, found)?),
        };
        Ok(())
    }

    /// `instance_variables` of a template: its own two, and one for each variable of the scope.
    ///
    /// # Errors
    /// That it is no template's own code that asks, or that it has set variables, whose places in the list are Ruby's.
    pub(crate) fn instance_variables(&mut self) -> OrRuby<V<'c>> {
        if !self.is_template() || self.sees_set_by_templates() {
            return Err(ForRuby("instance variables of another object"));
        }
        let of_scope = self.variables_of_scope();
        let is_own = |(seen, found): (&VariableState<'c>, &Option<Value<'c>>)| {
            matches!(seen, VariableState::Set(_)) && found.is_none_or(|found| found.is_undef())
        };
        if self.variables.seen.iter().zip(&of_scope).any(is_own) {
            return Err(ForRuby("instance variables that the template has set"));
        }
        let all = self.world.variables(self.vm, self.scope);
        let mut names = vec![V::Symbol("@__scope__")];
        if self.variables.of_file {
            names.push(V::Symbol("@__file__"));
        }
        for (name, _) in V::from(all).entries()?.unwrap_or_default() {
            let name = name.text().map(|name| name.to_string()).unwrap_or_default();
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let name: String = name.chars().map(|c| if word(c) { c } else { '_' }).collect();
            names.push(self.symbol(&format!("@{name}")));
        }
        Ok(V::list(names))
    }

    /// Whether it sees any variable that templates have set.
    pub(crate) fn sees_set_by_templates(&mut self) -> bool {
        let set = &self.engine.set_by_templates;
        match self.variables.sees_set {
            Some((count, sees)) if count == set.count() => sees,
            _ => {
                let sees = set.any_seen_from(self.scope);
                self.variables.sees_set = Some((set.count(), sees));
                sees
            }
        }
    }

    /// A variable's value: a copy where the template may change it.
    pub(crate) fn lend(&mut self, name: &str, value: Value<'c>) -> OrRuby<V<'c>> {
        let lends = &self.frame.program.lends;
        // `$facts` and the like are frozen.
        if SHARED.contains(&name) || !matches!(value, Value::Array(_) | Value::Hash(_)) {
            return Ok(V::from(value));
        }
        if lends.has(name) {
            return self.variables.lent.lend(value, 0);
        }
        if !matches!(lends, Lends::Variables(names) if names.is_empty()) {
            self.variables.plain.push(value);
        }
        Ok(V::from(value))
    }

    /// Whether a template notes what it calls: as long as it has done nothing else that Ruby would ask of the compile. Templates of
    /// templates do not, for Ruby has them rendered.
    pub(crate) fn notes_calls(&self) -> bool {
        self.depth == 0
            && self.logs.is_empty()
            && !self.has_nested
            && !self.engine.set_by_templates.was_used()
    }

    /// Whether it has a copy of some variable's value that it may change.
    pub(crate) fn lends_any(&self) -> bool {
        !self.variables.lent.is_empty()
    }

    /// The values of a template's instance variables as the scope has them now.
    pub(crate) fn variables_of_scope(&self) -> Vec<Option<Value<'c>>> {
        let all = &self.frame.program.variables;
        let value = |one: &InstanceVariable| self.scope.lookup(self.vm.symbols.get_kept(&one.name)?);
        all.iter().map(value).collect()
    }

    /// Whether any array or hash of variables has been changed in place.
    pub(crate) fn has_changed(&self) -> OrRuby<bool> {
        Ok(!self.variables.lent.is_empty() && self.variables.lent.has_changed()?)
    }

    /// Where the arrays and hashes lie that nothing may change: `$facts` and the like, and what they hold.
    pub(crate) fn frozen(&self) -> Rc<HashSet<usize>> {
        let shared = |name: &&str| self.vm.top.lookup(self.vm.symbols.get(name)?);
        self.space.frozen_of(SHARED.iter().filter_map(shared))
    }

    /// The arrays and hashes of variables that have been changed in place.
    pub(crate) fn changed(&mut self) -> OrRuby<Changes<'c>> {
        if !self.has_changed()? {
            return Ok(Changes::new());
        }
        // The template around this one has read the value before.
        if self.depth > 0 {
            return Err(ForRuby(CHANGE));
        }
        let changed = self.variables.lent.changed(self.vm)?;
        let frozen = self.frozen();
        let mut others = HashSet::new();
        let all = self.variables.all.iter().chain(&self.variables.plain);
        all.for_each(|value| add_places(&mut others, *value));
        // It is frozen, or the template has seen another value that it is a part of.
        if changed.iter().any(|(old, _)| has_place(&others, *old) || has_place(&frozen, *old)) {
            return Err(ForRuby(CHANGE));
        }
        Ok(changed)
    }

    /// `scope.to_hash[name]` and `scope.to_hash.has_key?(name)` need no hash of all variables.
    pub(crate) fn one_of_all_variables(
        &mut self,
        all: &'c MethodCall,
        call: &'c MethodCall,
    ) -> Done<'c, Option<V<'c>>> {
        let MethodCall { receiver: Some(Expr::Scope), method: Method::Variables, args, block: None, .. } =
            all
        else {
            return Ok(None);
        };
        let ([name], None) = (&*call.args, &call.block) else { return Ok(None) };
        if !args.is_empty()
            || !matches!(call.method, Method::Element | Method::HasKey | Method::Include)
            || !matches!(name, Expr::String(_) | Expr::Local(_))
            || self.sees_set_by_templates()
        {
            return Ok(None);
        }
        let name = self.eval(name)?;
        let Some(name) = name.text() else { return Ok(None) };
        let found = self.found_in_scope(&name).filter(|value| !value.is_undef());
        Ok(Some(match call.method {
            Method::Element => found.map_or(V::Nil, V::from),
            _ => V::Bool(found.is_some()),
        }))
    }
}
