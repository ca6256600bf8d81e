//! Variables: looking up, setting, unpacking; what is wrong with each in Puppet's words.

use crate::cause::Cause;
use crate::diagnostic::Severity;
use crate::error::{Blame, Eval, Flow};
use crate::host::Change;
use crate::host::request::Strict;
use crate::loaded::{Linked, LoadedUnit, Slot, reserved};
use crate::names;
use crate::scope::{Scope, ScopeKind};
use crate::symbol::{Symbol, known};
use crate::types::ty::Type;
use crate::value::{Hash, Value};
use crate::vm::Vm;

impl<'c> Vm<'c> {
    /// The variable as seen from `scope`.
    #[inline(never)]
    pub(crate) fn variable(&mut self, name: Symbol, scope: &'c Scope<'c>) -> Eval<'c> {
        match scope.lookup(name) {
            Some(value) => Ok(value),
            None => self.unknown_variable(self.symbols.text(name)),
        }
    }

    /// The variable as seen from the scopes around `scope`, whose own slot is unassigned.
    #[inline(never)]
    pub(crate) fn outer_variable(&mut self, name: Symbol, scope: &'c Scope<'c>) -> Eval<'c> {
        match self.uses_later_parameter(name, scope) {
            true => Err(Flow::raw(String::new())),
            false => self.variable(name, scope),
        }
    }

    /// Whether a variable without value is a parameter of those whose default is being evaluated: it comes later, or was
    /// not given. That is noted, and will be the default's error.
    fn uses_later_parameter(&mut self, name: Symbol, scope: &'c Scope<'c>) -> bool {
        let Some(pending) = self.default_of.as_mut().filter(|pending| std::ptr::eq(pending.scope, scope))
        else {
            return false;
        };
        let used = pending.params.iter().position(|param| param.symbol == name);
        pending.illegal = pending.illegal.or(used);
        used.is_some()
    }

    /// Slot `slot` of the scope `up` levels out, or what its name means from there.
    #[inline(never)]
    pub(crate) fn up_variable(
        &mut self,
        linked: &'c Linked<'c>,
        scope: &'c Scope<'c>,
        up: usize,
        slot: usize,
        name: u32,
    ) -> Eval<'c> {
        let mut outer = scope;
        for _ in 0..up {
            match outer.parent {
                Some(parent) => outer = parent,
                None => break,
            }
        }
        if let Some(value) = outer.slots.get(slot).and_then(|slot| slot.get()) {
            return Ok(value);
        }
        let name = linked.unit.symbol(&self.symbols, name);
        self.variable(name, scope)
    }

    /// `$a::b`: a variable of a class that has been evaluated, or of a class it inherits; `$::b` of top scope.
    #[inline(never)]
    pub(crate) fn qualified_variable(&mut self, unit: &'c LoadedUnit<'c>, number: u32) -> Eval<'c> {
        if let Some(value) = unit.known_qualified(number) {
            return Ok(value);
        }
        let found = match unit.split_name(&self.symbols, number) {
            Some((class, leaf)) => self.find_with_slot(class, leaf),
            None => self.find_split(unit.name(number)),
        };
        let Some((value, slot)) = found else {
            // A parameter of the class whose default is being evaluated.
            if self.default_of.as_ref().is_some_and(|pending| pending.illegal.is_some()) {
                return Err(Flow::raw(String::new()));
            }
            let name = unit.name(number);
            self.seek_class_of(name)?;
            return self.unknown_variable(name);
        };
        if let Some(slot) = slot {
            unit.keep_qualified(self.arena, number, slot);
        }
        Ok(value)
    }

    /// The value of `a::b` or `::b`; none where it is unknown.
    pub fn find_qualified(&mut self, name: &str) -> Option<Value<'c>> {
        self.find_split(name).map(|(value, _)| value)
    }

    /// Has the class of a variable that is nowhere looked for, unless that has been evaluated: its manifest is read then, which may have
    /// something to say. What is wrong with it is no error of who asks for the variable.
    ///
    /// # Errors
    /// Where a limit is reached, or what Ruby was asked for ends all.
    #[cold]
    pub fn seek_class_of(&mut self, name: &str) -> Eval<'c, ()> {
        let bare = name.strip_prefix("::").unwrap_or(name);
        let Some((class, _)) = names::split_last(bare) else { return Ok(()) };
        if self.host.class_scope(class).is_some() {
            return Ok(());
        }
        let Err(flow) = self.host.class_exists(self, class) else { return Ok(()) };
        match &*flow {
            Flow::Fault(fault) if !fault.diagnostic.cause.ends_all() => Ok(()),
            _ => Err(flow),
        }
    }

    fn find_split(&mut self, name: &str) -> Option<(Value<'c>, Option<Slot<'c>>)> {
        let bare = name.strip_prefix("::").unwrap_or(name);
        let (class, leaf) = names::split_last(bare).unwrap_or(("", bare));
        let leaf = self.symbols.intern(leaf);
        self.find_with_slot(class, leaf)
    }

    /// The same, with the slot that will always hold it: a class's own variable stays what it is, while what a class
    /// inherits it may still set itself. A fact may have a name with a class in it, too.
    fn find_with_slot(&mut self, class: &str, symbol: Symbol) -> Option<(Value<'c>, Option<Slot<'c>>)> {
        if class.is_empty() {
            return Some((self.top.own(symbol)?, None));
        }
        self.find_in_class(class, symbol).or_else(|| {
            let name = [class, "::", self.symbols.text(symbol)].concat();
            Some((self.top.own(self.symbols.get(&name)?)?, None))
        })
    }

    fn find_in_class(&mut self, class: &str, symbol: Symbol) -> Option<(Value<'c>, Option<Slot<'c>>)> {
        let mut scope = self.host.class_scope(class)?;
        let settings = scope;
        if let Some(slot) = scope.cell(symbol)
            && let Some(value) = slot.get()
        {
            return Some((value, Some(slot)));
        }
        loop {
            if let Some(value) = scope.own(symbol) {
                return Some((value, None));
            }
            if self.uses_later_parameter(symbol, scope) {
                return None;
            }
            match scope.parent.filter(|parent| parent.kind == ScopeKind::Class) {
                Some(parent) => scope = parent,
                None if class == "settings" => {
                    // One of Puppet's settings that nobody has asked for yet.
                    let name = self.symbols.text(symbol);
                    let value = self.host.setting(name)?;
                    match self.host.is_witness() {
                        // Each place is to be told.
                        true => self.witness(Change::Setting, name),
                        false => settings.set(symbol, value),
                    }
                    return Some((value, None));
                }
                None => return None,
            }
        }
    }

    #[cold]
    fn unknown_variable(&mut self, name: &str) -> Eval<'c> {
        let message = format!("Unknown variable: '{name}'.");
        // `title`, `name` and `module_name` always exist.
        if matches!(name, "module_name" | "caller_module_name") {
            return Ok(Value::Undef);
        }
        if self.host.is_witness() {
            if let Some(value) = self.withheld_fact(name) {
                return Ok(value);
            }
            self.witness(Change::UnknownVariable, name);
        }
        let strict = if self.host.strict_variables() { Strict::Error } else { self.host.strict() };
        match strict {
            Strict::Error => {
                return Err(Flow::issue("UNKNOWN_VARIABLE", message).because(Cause::UnknownVariable));
            }
            Strict::Warning => {
                let place = self.site().place();
                self.host.log(Severity::Warning, &message, Some(place));
            }
            Strict::Off => {}
        }
        Ok(Value::Undef)
    }

    /// The value of a variable that no scope has, where it is a fact that newer agents do not send: told to the witness.
    #[cold]
    pub fn withheld_fact(&self, name: &str) -> Option<Value<'c>> {
        let name = name.strip_prefix("::").unwrap_or(name);
        let value = self.host.withheld_fact(name)?;
        self.witness(Change::LegacyFact, name);
        Some(value)
    }

    /// The same of a key that a hash has not, if the hash is `$facts`; undef for any other.
    #[inline(never)]
    pub fn missing_key(&self, hash: Hash<'c>, key: Value<'c>) -> Value<'c> {
        if !self.host.is_witness() || !self.host.is_all_facts(hash) {
            return Value::Undef;
        }
        key.as_str().and_then(|key| self.withheld_fact(key)).unwrap_or(Value::Undef)
    }

    /// Tells the witness of the place where code is.
    #[cold]
    pub fn witness(&self, change: Change, subject: &str) {
        self.host.witness(change, subject, self.site().place());
    }

    /// Sets a variable of `scope` that must not be set yet.
    #[inline(never)]
    pub(crate) fn set_variable(
        &mut self,
        name: Symbol,
        value: Value<'c>,
        scope: &'c Scope<'c>,
    ) -> Eval<'c, ()> {
        if matches!(name, known::FACTS | known::TRUSTED) && !std::ptr::eq(scope, self.top) {
            return Err(Flow::raw(reserved(self.symbols.text(name))));
        }
        if name == known::SERVER_FACTS || scope.own(name).is_some() {
            return Err(self.reassigned(name));
        }
        scope.set(name, value);
        Ok(())
    }

    #[cold]
    pub(crate) fn reassigned(&mut self, name: Symbol) -> Box<Flow<'c>> {
        let text = self.symbols.text(name);
        if name.is_reserved() {
            let message = format!("Attempt to assign to a reserved variable name: '${text}'");
            return Flow::issue("ILLEGAL_RESERVED_ASSIGNMENT", message);
        }
        let what = match name {
            known::TITLE | known::NAME => "built in (or already assigned) variable",
            _ => "variable",
        };
        Flow::issue("ILLEGAL_REASSIGNMENT", format!("Cannot reassign {what} '${text}'"))
    }

    /// Puts the values that the names of a multiple assignment get into registers, from `to` on.
    #[inline(never)]
    pub(crate) fn unpack_to(
        &mut self,
        unit: &'c LoadedUnit<'c>,
        value: Value<'c>,
        list: u32,
        to: usize,
    ) -> Eval<'c, ()> {
        let values = self.unpack(unit, value, list)?;
        self.registers[to..to + values.len()].copy_from_slice(&values);
        Ok(())
    }

    /// The key that the names of a multiple assignment within another are: an array of them, from how Ruby shows it.
    fn key_of_names(&self, shown: &str) -> Value<'c> {
        let mut open: Vec<Vec<Value<'c>>> = Vec::new();
        for part in shown.split_inclusive([',', '[', ']']) {
            let name = part.trim_end_matches([',', '[', ']']).trim().trim_matches('"');
            if let Some(names) = open.last_mut()
                && !name.is_empty()
            {
                names.push(self.string(name));
            }
            match part.chars().next_back() {
                Some('[') => open.push(Vec::new()),
                Some(']') => {
                    let list = self.array(&open.pop().unwrap_or_default());
                    match open.last_mut() {
                        Some(outer) => outer.push(list),
                        None => return list,
                    }
                }
                _ => {}
            }
        }
        Value::Undef
    }

    /// The values that the names of a multiple assignment get.
    fn unpack(&mut self, unit: &'c LoadedUnit<'c>, value: Value<'c>, list: u32) -> Eval<'c, Vec<Value<'c>>> {
        let names = unit.unit.list(list).unwrap_or_default();
        match value {
            Value::Hash(hash) => names
                .iter()
                .map(|name| {
                    let name = unit.name(*name);
                    let found = match name.starts_with('[') {
                        true => hash.get(self.key_of_names(name)),
                        false => hash.get_str(name),
                    };
                    found.ok_or_else(|| {
                        Flow::issue(
                            "MISSING_MULTI_ASSIGNMENT_KEY",
                            format!(
                                "No value for required key '{name}' in assignment to variables from hash"
                            ),
                        )
                    })
                })
                .collect(),
            Value::Type(Type::Class(Some(class))) => {
                let class = class.to_lowercase();
                if self.host.class_scope(&class).is_none() {
                    return Err(Flow::issue_at(
                        Blame::Right,
                        "UNKNOWN_RESOURCE",
                        format!("Resource not found: Class['{class}']"),
                    ));
                }
                let mut values = Vec::new();
                for (n, name) in names.iter().enumerate() {
                    let qualified = format!("{class}::{}", unit.name(*name));
                    let value = self.find_qualified(&qualified).ok_or_else(|| {
                        Flow::issue_at(Blame::Key(n + 1), "MISSING_MULTI_ASSIGNMENT_VARIABLE",
                            format!("No value for required variable '${qualified}' in assignment to variables from class reference"),
                        )
                    })?;
                    values.push(value);
                }
                Ok(values)
            }
            other => {
                let values = match other {
                    Value::Array(items) => items.items().to_vec(),
                    single => vec![single],
                };
                if values.len() != names.len() {
                    let message = format!(
                        "Mismatched number of assignable entries and values, expected {}, got {}",
                        names.len(),
                        values.len()
                    );
                    return Err(Flow::issue("ILLEGAL_MULTI_ASSIGNMENT_SIZE", message));
                }
                Ok(values)
            }
        }
    }
}
