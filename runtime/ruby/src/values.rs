//! Values that the other side of a conversation knows by number: types, lambdas, objects, scopes; objects of Ruby's; arrays
//! and hashes that are one object on both sides.

use super::shared::Shared;
use bunraku_native_ruby::{SHARED, add_places};
use bunraku_vm::closure::Closure;
use bunraku_vm::scope::{Filled, Scope};
use bunraku_vm::types::Type;
use bunraku_vm::value::{HashBuilder, Held, Object, Str, Value};
use bunraku_vm::vm::Vm;
use hashbrown::HashSet;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

/// A value that Ruby knows by number.
#[derive(Clone, Copy)]
pub(super) enum Handle<'c> {
    Type(&'c Type<'c>),
    Closure(&'c Closure<'c>),
    Object(&'c Object<'c>),
}

/// What both sides know by number, for as long as the compile lasts.
#[derive(Default)]
pub(super) struct Values<'c> {
    handles: RefCell<Vec<Handle<'c>>>,
    /// The numbers of references that parameters hold, by their address.
    held: RefCell<HashMap<usize, u32>>,
    scopes: RefCell<Vec<&'c Scope<'c>>>,
    /// The index of each scope in `scopes`, by the scope's id.
    scope_numbers: RefCell<HashMap<u32, u32>>,
    /// Arrays and hashes that the worker knows.
    pub shared: RefCell<Shared<'c>>,
    /// Where the arrays and hashes of `$facts` and the like lie, which nothing may change. They are set before any code runs.
    frozen: OnceCell<HashSet<usize>>,
    frozen_texts: RefCell<FrozenPlaces>,
    /// The bytes of strings whose encoding in Ruby is binary, by where their text lies and its length: copies share it.
    bytes: RefCell<HashMap<(usize, usize), &'c [u8]>>,
    /// Where arrays and hashes lie that variables hold and that have been looked through for what Ruby has changed, with all
    /// that is in them. As many as the compile has made; it is the compile's and no longer kept.
    pub seen: RefCell<HashSet<usize>>,
    /// How far the scopes had got, by id, all of whose arrays and hashes are among these. None that is local.
    pub seen_scopes: RefCell<hashbrown::HashMap<u32, Filled>>,
    /// Ruby's own objects, by the worker's number.
    pub objects: RefCell<HashMap<u32, &'c Object<'c>>>,
    /// Symbols, classes and modules of Ruby's, by their class and text: no worker need have them.
    named: RefCell<Named<'c>>,
}

/// Where the texts lie that are frozen: those of [`bunraku_vm::frozen`], and those in `$facts` and the like.
#[derive(Default)]
struct FrozenPlaces {
    places: HashSet<usize>,
    /// How many of the machine's are among them.
    taken: usize,
}

type Named<'c> = HashMap<(String, String), &'c Object<'c>>;

/// Numbers from here on stand for what has a name in Ruby.
const FIRST_NAMED: u32 = 1 << 31;

/// An object of Ruby's that has no form of its own in the Puppet language.
pub(super) fn foreign<'c>(vm: &Vm<'c>, number: u32, class: &str, text: &str) -> &'c Object<'c> {
    let class = &*vm.arena.alloc_str(class);
    let mut data = HashBuilder::new(vm.arena);
    data.insert_str("to_s", vm.string(text));
    vm.arena.alloc(Object {
        ty: Type::Runtime { runtime: Some("ruby"), name: Some(class) }.alloc(vm.arena),
        type_name: class,
        attributes: HashBuilder::new(vm.arena).finish(),
        held: Held::InRuby(number),
        data: Some(data.finish()),
        plain: None,
    })
}

/// Whether a number stands for what has a name in Ruby.
pub(super) fn is_named(number: u32) -> bool {
    number >= FIRST_NAMED && number != u32::MAX
}

impl<'c> Values<'c> {
    /// A number for a value.
    pub fn handle(&self, handle: Handle<'c>) -> u32 {
        let mut all = self.handles.borrow_mut();
        all.push(handle);
        (all.len() - 1) as u32
    }

    /// A number for a reference that a parameter holds: the same for the same one, which is one object in Ruby.
    pub fn held_handle(&self, ty: &'c Type<'c>) -> u32 {
        let address = std::ptr::from_ref(ty).addr();
        *self.held.borrow_mut().entry(address).or_insert_with(|| self.handle(Handle::Type(ty)))
    }

    /// The value of a number; none where no value has it.
    pub fn handle_of(&self, number: usize) -> Option<Handle<'c>> {
        self.handles.borrow().get(number).copied()
    }

    /// The number of a scope; top scope's is 0.
    pub fn scope_number(&self, scope: &'c Scope<'c>) -> u32 {
        *self.scope_numbers.borrow_mut().entry(scope.id).or_insert_with(|| {
            let mut all = self.scopes.borrow_mut();
            all.push(scope);
            (all.len() - 1) as u32
        })
    }

    /// The scope of a number; none where no scope has it.
    pub fn scope_of(&self, number: usize) -> Option<&'c Scope<'c>> {
        self.scopes.borrow().get(number).copied()
    }

    /// The symbol, class or module of a name, which is one object however it comes here.
    pub fn named(&self, vm: &Vm<'c>, class: &str, text: &str) -> &'c Object<'c> {
        let mut named = self.named.borrow_mut();
        let number = FIRST_NAMED + named.len() as u32;
        let key = (class.to_owned(), text.to_owned());
        named.entry(key).or_insert_with(|| foreign(vm, number, class, text))
    }

    /// The same, if it has come here.
    pub fn known_by_name(&self, class: &str, text: &str) -> Option<&'c Object<'c>> {
        let named = self.named.borrow();
        if named.is_empty() {
            return None;
        }
        named.get(&(class.to_owned(), text.to_owned())).copied()
    }

    /// A string of bytes: what of it is no text is shown as such.
    pub fn string_of_bytes(&self, vm: &Vm<'c>, bytes: &[u8]) -> Str<'c> {
        let text = Str::new(vm.arena, &String::from_utf8_lossy(bytes));
        let bytes = &*vm.arena.alloc_slice_copy(bytes);
        self.bytes.borrow_mut().insert(place(text), bytes);
        text
    }

    /// The bytes of a string that is one of bytes.
    pub fn bytes_of(&self, text: Str<'c>) -> Option<&'c [u8]> {
        let all = self.bytes.borrow();
        if all.is_empty() {
            return None;
        }
        all.get(&place(text)).copied()
    }

    /// Whether there is any string of bytes.
    pub fn has_bytes(&self) -> bool {
        !self.bytes.borrow().is_empty()
    }

    /// Whether an array or hash lies in `$facts` or the like. Those that a witness of an upgrade reads are not frozen.
    pub fn is_frozen(&self, vm: &Vm<'c>, value: Value<'c>) -> bool {
        if vm.host.is_witness() {
            return false;
        }
        let frozen = self.frozen.get_or_init(|| {
            let mut places = HashSet::new();
            let shared = |name: &str| vm.top.lookup(vm.symbols.get(name)?);
            for value in SHARED.into_iter().filter_map(shared) {
                add_places(&mut places, value);
            }
            places
        });
        value.address().is_some_and(|place| frozen.contains(&place))
    }

    /// Whether Ruby may not change a text: see [`bunraku_vm::frozen`]. So it is with all in `$facts` and the like.
    pub fn is_frozen_text(&self, vm: &Vm<'c>, text: Str<'c>) -> bool {
        if vm.host.is_witness() {
            return false;
        }
        let FrozenPlaces { places, taken } = &mut *self.frozen_texts.borrow_mut();
        if places.is_empty() {
            let shared = |name: &str| vm.top.lookup(vm.symbols.get(name)?);
            SHARED.into_iter().filter_map(shared).for_each(|value| add_texts(places, value));
        }
        let new = vm.frozen.since(*taken);
        *taken += new.len();
        places.extend(new);
        places.contains(&text.address())
    }

    /// Drops all that lies on the heap but what goes with it.
    pub fn release(&self) {
        let Values {
            handles,
            held,
            scopes,
            scope_numbers,
            shared,
            frozen: _,
            frozen_texts,
            bytes,
            seen,
            seen_scopes,
            objects,
            named,
        } = self;
        handles.take();
        held.take();
        scopes.take();
        scope_numbers.take();
        shared.take();
        frozen_texts.take();
        bytes.take();
        seen.take();
        seen_scopes.take();
        objects.take();
        named.take();
    }
}

fn place(text: Str<'_>) -> (usize, usize) {
    (text.as_ptr().addr(), text.len())
}

/// Adds where the texts in a value lie. That is not to read them.
fn add_texts(places: &mut HashSet<usize>, value: Value<'_>) {
    match value {
        Value::Str(text) => _ = places.insert(text.address()),
        Value::Array(items) => items.items().iter().for_each(|item| add_texts(places, *item)),
        Value::Hash(hash) => hash.entries_unasked().iter().for_each(|(key, value)| {
            add_texts(places, *key);
            add_texts(places, *value);
        }),
        _ => {}
    }
}
