//! Scopes: a shape (names in slot order), the slots, a parent; dynamic names beside them, where any exist. And
//! closures: a chunk of code with the scope it was written in.

use crate::matches::Match;
use crate::symbol::Symbol;
use crate::unit::ChunkRef;
use crate::value::Value;
use bumpalo::Bump;
use bumpalo::collections::Vec as BumpVec;
use hashbrown::{DefaultHashBuilder, HashMap};
use std::cell::{Cell, RefCell};

/// What a scope belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeKind {
    /// Top scope.
    Top,
    /// The one node scope.
    Node,
    /// A class's body.
    Class,
    /// A defined type's body.
    Define,
    /// A lambda's, function's or template's body.
    Local,
}

/// Variables without slots, in the order in which they were first set.
struct Extra<'c> {
    all: BumpVec<'c, (Symbol, Value<'c>)>,
    /// Where those are that are too many to be compared.
    places: HashMap<Symbol, u32, DefaultHashBuilder, &'c Bump>,
    /// Who notes what is asked for.
    watch: Option<&'c Watch<'c>>,
    /// How many variables with slots, and how many of these, were set when the body began.
    before_body: Option<(usize, usize)>,
}

/// Which variables of a scope have been asked for: those that it had when the watch began, by their places, and those that it had
/// not.
struct Watch<'c> {
    found: &'c [Cell<bool>],
    missed: RefCell<HashMap<Symbol, (), DefaultHashBuilder, &'c Bump>>,
    all: Cell<bool>,
}

impl Watch<'_> {
    #[cold]
    fn asked(&self, place: Option<usize>, name: Symbol) {
        match place {
            Some(place) => self.found.get(place).into_iter().for_each(|found| found.set(true)),
            None => _ = self.missed.borrow_mut().insert(name, ()),
        }
    }
}

/// How far the variables of a scope have got: as long as it stays the same, so do they and their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filled {
    slots: usize,
    others: usize,
    replaced: u32,
}

/// Up to so many variables without slots are searched one by one; beyond that, by hash.
const FEW: usize = 8;

impl<'c> Extra<'c> {
    fn new(arena: &'c Bump) -> Self {
        Extra { all: BumpVec::new_in(arena), places: HashMap::new_in(arena), watch: None, before_body: None }
    }

    fn place(&self, name: Symbol) -> Option<usize> {
        match self.all.len() > FEW {
            true => self.places.get(&name).map(|place| *place as usize),
            false => self.all.iter().position(|(n, _)| *n == name),
        }
    }

    fn get(&self, name: Symbol) -> Option<Value<'c>> {
        let place = self.place(name);
        if let Some(watch) = self.watch {
            watch.asked(place, name);
        }
        place.map(|place| self.all[place].1)
    }

    /// Sets a variable; whether it has been set before.
    fn set(&mut self, name: Symbol, value: Value<'c>) -> bool {
        if let Some(place) = self.place(name) {
            self.all[place].1 = value;
            return true;
        }
        self.all.push((name, value));
        let placed = if self.all.len() == FEW + 1 { 0 } else { self.all.len() - 1 };
        if self.all.len() > FEW {
            let new = self.all.iter().enumerate().skip(placed);
            self.places.extend(new.map(|(place, (name, _))| (*name, place as u32)));
        }
        false
    }
}

/// The resource a scope's body builds: an index the runtime gives meaning to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResourceId(pub u32);

/// A scope. `Cell`s because a scope is shared by every closure written in it.
pub struct Scope<'c> {
    /// What it belongs to.
    pub kind: ScopeKind,
    /// Number of the scope within the compile; the runtime keys resource defaults by it.
    pub id: u32,
    /// Names in slot order.
    pub names: &'c [Symbol],
    /// Values in slot order; none is "not assigned yet".
    pub slots: &'c [Cell<Option<Value<'c>>>],
    /// Most scopes have none.
    extra: Cell<Option<&'c RefCell<Extra<'c>>>>,
    /// Where variables are looked up next (static scope): the inherited class, the node, top; for a lambda the
    /// scope it is written in.
    pub parent: Option<&'c Scope<'c>>,
    /// The scope that declared this class or defined type first (dynamic scope: resource defaults).
    pub declared_in: Option<&'c Scope<'c>>,
    /// The resource whose body this scope is: `Class[x]`, a defined type's, `Node[x]`.
    pub resource: Cell<Option<ResourceId>>,
    /// The class, defined type or node whose body this scope is: a number the runtime gives meaning to.
    pub source: Cell<Option<u32>>,
    /// Name of the class or defined type (lower case, no leading `::`); empty for top and node.
    pub name: &'c str,
    /// Module the body's source belongs to; empty for none.
    pub module: &'c str,
    arena: &'c Bump,
    /// How often a variable that was set has been set to another value.
    replaced: Cell<u32>,
    /// Whether something may refer to the scope when the call it was made for is over.
    kept: Cell<bool>,
    /// Whether it is a body's own: that of a class, defined type, node or manifest, of a function, of a template that sees no others.
    is_body: Cell<bool>,
    /// The last match of the body that is in force.
    pub(crate) matches: Cell<Option<&'c Match<'c>>>,
    /// The next one of a closure's spare scopes.
    pub(crate) next: Cell<Option<&'c Scope<'c>>>,
}

/// What a new scope is made of.
pub struct ScopeSpec<'c> {
    /// See [`Scope::kind`].
    pub kind: ScopeKind,
    /// See [`Scope::names`].
    pub names: &'c [Symbol],
    /// See [`Scope::parent`].
    pub parent: Option<&'c Scope<'c>>,
    /// See [`Scope::declared_in`].
    pub declared_in: Option<&'c Scope<'c>>,
    /// See [`Scope::name`].
    pub name: &'c str,
    /// See [`Scope::module`].
    pub module: &'c str,
}

impl<'c> Scope<'c> {
    /// A scope with every slot unassigned. `id` comes from [`crate::vm::Vm::new_scope`], which calls this.
    pub(crate) fn new(arena: &'c Bump, id: u32, spec: ScopeSpec<'c>) -> &'c Scope<'c> {
        let ScopeSpec { kind, names, parent, declared_in, name, module } = spec;
        let slots = arena.alloc_slice_fill_with(names.len(), |_| Cell::new(None));
        let resource = Cell::new(match kind {
            ScopeKind::Local => parent.and_then(|p| p.resource.get()),
            _ => None,
        });
        let extra = Cell::new(None);
        arena.alloc(Scope {
            kind,
            id,
            names,
            slots,
            extra,
            parent,
            declared_in,
            resource,
            source: Cell::new(None),
            name,
            module,
            arena,
            replaced: Cell::new(0),
            kept: Cell::new(false),
            is_body: Cell::new(kind != ScopeKind::Local),
            matches: Cell::new(None),
            next: Cell::new(None),
        })
    }

    /// The scope for something that may refer to it when the call it was made for is over: a closure, a resource, an
    /// evaluation put off. It is not used again then. What only looks at a scope need not keep it.
    #[inline]
    pub fn keep(&'c self) -> &'c Scope<'c> {
        self.kept.set(true);
        self
    }

    /// Makes every slot unassigned. False, and nothing done, where something may still look at them.
    fn clear(&self) -> bool {
        if self.kept.get() || self.extra.get().is_some() {
            return false;
        }
        for slot in self.slots {
            slot.set(None);
        }
        true
    }

    /// The slot of a name. Bodies have few names, or few look-ups by name: nothing is hashed.
    fn slot(&self, name: Symbol) -> Option<usize> {
        // Eight at a time are compared without a branch.
        let (eights, rest) = self.names.as_chunks::<8>();
        let mut at = 0;
        for eight in eights {
            if eight.iter().fold(false, |found, n| found | (*n == name)) {
                return eight.iter().position(|n| *n == name).map(|slot| at + slot);
            }
            at += 8;
        }
        rest.iter().position(|n| *n == name).map(|slot| at + slot)
    }

    /// Where the value of a variable with a slot lies.
    pub(crate) fn cell(&self, name: Symbol) -> Option<&'c Cell<Option<Value<'c>>>> {
        self.slot(name).map(|slot| &self.slots[slot])
    }

    /// The variable of this very scope, parents not asked.
    pub fn own(&self, name: Symbol) -> Option<Value<'c>> {
        if let Some(slot) = self.slot(name)
            && let Some(value) = self.slots[slot].get()
        {
            return Some(value);
        }
        self.extra.get()?.borrow().get(name)
    }

    /// The variable as seen from here: this scope, then its parents.
    pub fn lookup(&self, name: Symbol) -> Option<Value<'c>> {
        let mut scope = self;
        loop {
            if let Some(value) = scope.own(name) {
                return Some(value);
            }
            scope = scope.parent?;
        }
    }

    /// Sets a variable of this scope whether it was set or not; the caller has checked for reassignment.
    pub fn set(&self, name: Symbol, value: Value<'c>) {
        let was_set = match self.slot(name) {
            Some(slot) => self.slots[slot].replace(Some(value)).is_some(),
            None => self.extras().borrow_mut().set(name, value),
        };
        self.replaced.set(self.replaced.get().wrapping_add(was_set.into()));
    }

    /// How far its variables have got. To be asked only of scopes that are not used again for other calls: of none that is local.
    pub fn filled(&self) -> Filled {
        // The machine fills slots in, each once; all else goes through `set`.
        Filled {
            slots: self.slots.iter().filter(|slot| slot.get().is_some()).count(),
            others: self.extra.get().map_or(0, |extra| extra.borrow().all.len()),
            replaced: self.replaced.get(),
        }
    }

    /// Where variables without slots lie.
    fn extras(&self) -> &'c RefCell<Extra<'c>> {
        self.extra.get().unwrap_or_else(|| {
            let new = &*self.arena.alloc(RefCell::new(Extra::new(self.arena)));
            self.extra.set(Some(new));
            new
        })
    }

    /// Makes room for so many variables that have no slots.
    pub fn reserve(&self, count: usize) {
        let mut extra = self.extras().borrow_mut();
        extra.all.reserve(count);
        if count > FEW {
            extra.places.reserve(count);
        }
    }

    /// The body begins: parameters have been set, metaparameters, which have no slots, among them. What the body sets stands behind
    /// all of these where variables are gone through.
    pub fn begin_body(&self) {
        if let Some(extra) = self.extra.get() {
            let slots = self.slots.iter().take_while(|slot| slot.get().is_some()).count();
            let mut extra = extra.borrow_mut();
            extra.before_body = Some((slots, extra.all.len()));
        }
    }

    /// The variables set in this very scope, those from before its body first: each time those with slots in slot order, then the
    /// others as they were set. All of these count as asked for.
    pub fn own_variables(&self) -> Vec<(Symbol, Value<'c>)> {
        let watch = self.extra.get().and_then(|extra| extra.borrow().watch);
        watch.into_iter().for_each(|watch| watch.all.set(true));
        let mut all = Vec::new();
        self.each_own(|name, value| all.push((name, value)));
        all
    }

    /// Looks at the variables set in this very scope, in the same order, for a use that no code sees: none counts as asked
    /// for. The closure must not set variables.
    pub fn each_own(&self, mut look: impl FnMut(Symbol, Value<'c>)) {
        let extra = self.extra.get().map(|extra| extra.borrow());
        let others = extra.as_ref().map_or(&[][..], |extra| &extra.all);
        let (slots, count) = extra.as_ref().and_then(|extra| extra.before_body).unwrap_or_default();
        let with_slots = |places: std::ops::Range<usize>| {
            let all = self.names[places.clone()].iter().zip(&self.slots[places]);
            all.filter_map(|(name, slot)| Some((*name, slot.get()?)))
        };
        let (before, behind) = others.split_at(count);
        let all = with_slots(0..slots).chain(before.iter().copied());
        let all = all.chain(with_slots(slots..self.slots.len())).chain(behind.iter().copied());
        all.for_each(|(name, value)| look(name, value));
    }

    /// Begins to note which of its variables without slots are asked for.
    pub fn watch(&self) {
        let mut extra = self.extras().borrow_mut();
        extra.watch = Some(self.arena.alloc(Watch {
            found: self.arena.alloc_slice_fill_with(extra.all.len(), |_| Cell::new(false)),
            missed: RefCell::new(HashMap::new_in(self.arena)),
            all: Cell::new(false),
        }));
    }

    /// What has been noted: the names of those that it had when that began and that were asked for, and of those that it had not;
    /// none where all were asked for.
    pub fn asked(&self) -> Option<Vec<Symbol>> {
        let Some(extra) = self.extra.get() else { return Some(Vec::new()) };
        let extra = extra.borrow();
        let Some(watch) = extra.watch else { return Some(Vec::new()) };
        let found =
            extra.all.iter().zip(watch.found).filter(|(_, found)| found.get()).map(|((name, _), _)| *name);
        (!watch.all.get()).then(|| found.chain(watch.missed.borrow().keys().copied()).collect())
    }

    /// The scope as one that has a body of its own.
    pub(crate) fn as_body(&'c self) -> &'c Scope<'c> {
        self.is_body.set(true);
        self
    }

    /// The scope of the body that code of this scope stands in.
    #[inline]
    pub(crate) fn body(&'c self) -> &'c Scope<'c> {
        let mut scope = self;
        while let (false, Some(parent)) = (scope.is_body.get(), scope.parent) {
            scope = parent;
        }
        scope
    }

    /// The scope this one's resources, defaults and tags belong to: itself, or for a lambda the nearest one
    /// around it that is not local.
    pub fn container(&'c self) -> &'c Scope<'c> {
        let mut scope = self;
        while let (ScopeKind::Local, Some(parent)) = (scope.kind, scope.parent) {
            scope = parent;
        }
        scope
    }
}

/// The scope a call stands in, as a function gets it. There is no way to it but these two, so that whoever hands it
/// on says whether it may outlive the call.
#[derive(Clone, Copy)]
pub struct CallScope<'c>(&'c Scope<'c>);

impl<'c> CallScope<'c> {
    /// The scope for something that may refer to it when the call is over: see [`Scope::keep`].
    pub fn keep(self) -> &'c Scope<'c> {
        self.0.keep()
    }

    /// The scope to be looked at while the call lasts, by whoever keeps no reference to it.
    pub fn look(self) -> &'c Scope<'c> {
        self.0
    }
}

impl<'c> From<&'c Scope<'c>> for CallScope<'c> {
    fn from(scope: &'c Scope<'c>) -> Self {
        CallScope(scope)
    }
}

/// A chunk and the scope it was written in.
pub struct Closure<'c> {
    /// Code, parameters, positions.
    pub chunk: ChunkRef,
    /// What its free variables mean.
    pub scope: &'c Scope<'c>,
    /// Name of the function; none for a lambda.
    pub name: Option<&'c str>,
    /// Scopes of calls that are over, and that nobody has kept ([`Scope::keep`]), linked by their `next`: the next
    /// call takes one, so that a lambda called 100,000 times needs one scope and not 100,000.
    spare: Cell<Option<&'c Scope<'c>>>,
}

impl<'c> Closure<'c> {
    /// A closure over `scope`.
    pub fn new(chunk: ChunkRef, scope: &'c Scope<'c>, name: Option<&'c str>) -> Self {
        Closure { chunk, scope, name, spare: Cell::new(None) }
    }

    /// A scope of an earlier call, every slot unassigned.
    pub(crate) fn take_spare(&self) -> Option<&'c Scope<'c>> {
        let scope = self.spare.get()?;
        self.spare.set(scope.next.take());
        Some(scope)
    }

    /// Takes the scope of a call that is over for a later one, unless somebody has kept it.
    pub(crate) fn give_back(&self, scope: &'c Scope<'c>) {
        if scope.clear() {
            scope.next.set(self.spare.replace(Some(scope)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_without_slots_keep_the_order_they_were_set_in() {
        let arena = Bump::new();
        let slots = [Symbol(500)];
        let spec = ScopeSpec {
            kind: ScopeKind::Class,
            names: &slots,
            parent: None,
            declared_in: None,
            name: "",
            module: "",
        };
        let scope = Scope::new(&arena, 0, spec);
        // Fewer than are compared, then more; set again, they stay in their places.
        for count in [3, FEW, FEW + 1, 40] {
            let names: Vec<Symbol> = (0..count).map(|n| Symbol(400 - 7 * n as u32)).collect();
            for round in 0..2 {
                for (n, name) in names.iter().enumerate() {
                    scope.set(*name, Value::Int((round * 1000 + n) as i64));
                }
            }
            let found = scope.own_variables();
            assert_eq!(found.iter().map(|(name, _)| *name).collect::<Vec<_>>(), names);
            for (n, name) in names.iter().enumerate() {
                assert!(matches!(scope.own(*name), Some(Value::Int(v)) if v == 1000 + n as i64), "{n}");
            }
            assert!(scope.own(Symbol(401)).is_none());
        }
        // What is set behind the begin of the body stands behind what was set before.
        scope.begin_body();
        scope.set(Symbol(401), Value::Int(2));
        let before = scope.filled();
        scope.set(Symbol(500), Value::Int(1));
        let names: Vec<Symbol> = scope.own_variables().iter().map(|(name, _)| *name).collect();
        assert_eq!((names.len(), &names[40..]), (42, &[Symbol(500), Symbol(401)][..]));
        assert_ne!(scope.filled(), before);
    }

    #[test]
    fn whatever_is_set_tells_that_variables_have_changed() {
        let arena = Bump::new();
        let slots = [Symbol(1), Symbol(2)];
        let kind = ScopeKind::Class;
        let spec = ScopeSpec { kind, names: &slots, parent: None, declared_in: None, name: "", module: "" };
        let scope = Scope::new(&arena, 0, spec);
        let mut known = vec![scope.filled()];
        // A slot, a variable without one, and both again.
        for name in [1, 9, 1, 9] {
            scope.set(Symbol(name), Value::Int(0));
            assert!(!known.contains(&scope.filled()), "{name}");
            known.push(scope.filled());
            assert_eq!(scope.filled(), scope.filled());
        }
        scope.slots[1].set(Some(Value::Undef));
        assert!(!known.contains(&scope.filled()));
    }
}
