//! A unit in a machine: its names bound to symbols, its constants made into values, its chunks verified and
//! linked, each on first need. The words themselves stay where they are.

use crate::diagnostic::{Diagnostic, Place};
use crate::error::{Eval, Flow};
use crate::frozen::FrozenTexts;
use crate::isa::Op;
use crate::learned::{Learned, UnitTexts};
use crate::site::LocatedChunk;
use crate::symbol::{Interner, Symbol};
use crate::types::ty::Type;
use crate::unit::layout::tag;
use crate::unit::reader::{Unit, UnitFault};
use crate::unit::{UnitId, verify};
use crate::value::{Hash, Str, Value};
use bumpalo::Bump;
use std::cell::{Cell, OnceCell};

/// The place of something callable in the machine's list of what is called.
#[derive(Clone, Copy)]
pub(crate) struct CalleeNumber(pub u32);

/// A unit in a machine.
pub(crate) struct LoadedUnit<'c> {
    pub id: UnitId,
    pub unit: Unit<'c>,
    pub file: Option<&'c str>,
    pub module: &'c str,
    /// Symbols of the names that the symbols' base does not have, by name number.
    names: OnceCell<&'c [Cell<Option<Symbol>>]>,
    consts: &'c [Cell<Option<Value<'c>>>],
    frozen: &'c FrozenTexts<'c>,
    chunks: &'c [OnceCell<&'c Linked<'c>>],
    /// The shape that was linked last: a body and the defaults of its parameters share one.
    shape: Cell<Option<(&'c [u32], &'c [Symbol])>>,
    /// What called names mean, by name number: places in the machine's list of what is called.
    pub callees: &'c [Cell<Option<CalleeNumber>>],
    passed: &'c verify::Passed,
    /// What earlier compiles have found out about the unit, where that is kept.
    pub learned: Option<&'c Learned>,
    /// Its texts, where they are kept.
    texts: Option<&'c UnitTexts>,
    /// The slots of the classes' variables that qualified names were found to mean, by name number.
    qualified: OnceCell<&'c [Cell<Option<Slot<'c>>>]>,
    /// The types that names were found to mean, by name number.
    types: OnceCell<&'c [Cell<Option<&'c Type<'c>>>]>,
}

/// The place of a variable's value in its scope.
pub(crate) type Slot<'c> = &'c Cell<Option<Value<'c>>>;

/// A chunk ready to run.
pub(crate) struct Linked<'c> {
    pub unit: &'c LoadedUnit<'c>,
    pub code: LocatedChunk<'c>,
    pub shape: &'c [Symbol],
    pub params: &'c [ParamInfo<'c>],
    pub param_types: &'c [OnceCell<&'c Type<'c>>],
    pub return_type: OnceCell<&'c Type<'c>>,
    /// Defaults of the parameters, once asked for: the value of a constant one; none inside for one that has to be run.
    pub literals: &'c [Cell<Option<Option<Value<'c>>>>],
    /// Whether parameters are nothing but names: no types, no defaults, no rest, none that is the compile's own.
    pub plain: bool,
    /// Whether one of them has a name that only the compile itself may set.
    pub refused: bool,
    /// The value of a chunk that is run once a compile.
    pub once: Cell<Option<Value<'c>>>,
}

/// The error for a unit whose words are out of order.
#[cold]
pub(crate) fn broken<'c>(file: Option<&str>, fault: UnitFault) -> Box<Flow<'c>> {
    let place = Place { file: file.map(Into::into), line: None, column: None };
    Flow::formed(Diagnostic::error(format!("Compiled code is damaged: {fault}")).at(place))
}

impl<'c> LoadedUnit<'c> {
    pub fn new(
        arena: &'c Bump,
        frozen: &'c FrozenTexts<'c>,
        id: UnitId,
        (unit, passed): (Unit<'c>, &'c verify::Passed),
        learned: Option<&'c Learned>,
        file: Option<&'c str>,
        module: &'c str,
    ) -> &'c Self {
        let count = unit.names() as usize;
        let callees = arena.alloc_slice_fill_with(count, |_| Cell::new(None));
        let consts = arena.alloc_slice_fill_with(unit.consts() as usize, |_| Cell::new(None));
        let chunks = arena.alloc_slice_fill_with(unit.chunks() as usize, |_| OnceCell::new());
        arena.alloc(LoadedUnit {
            id,
            unit,
            file,
            module,
            names: OnceCell::new(),
            consts,
            frozen,
            chunks,
            shape: Cell::new(None),
            callees,
            passed,
            learned,
            texts: learned.map(|_| &passed.texts),
            qualified: OnceCell::new(),
            types: OnceCell::new(),
        })
    }

    fn broken(&self, fault: UnitFault) -> Box<Flow<'c>> {
        broken(self.file, fault)
    }

    /// The symbol of a name the verifier has seen.
    #[inline]
    pub fn symbol(&self, symbols: &Interner<'c>, number: u32) -> Symbol {
        match self.texts.and_then(|texts| texts.symbol(symbols, number)) {
            Some(shared) => shared,
            None => self.own_symbol(symbols, number),
        }
    }

    #[inline(never)]
    fn own_symbol(&self, symbols: &Interner<'c>, number: u32) -> Symbol {
        let count = self.unit.names() as usize;
        let all =
            self.names.get_or_init(|| symbols.arena().alloc_slice_fill_with(count, |_| Cell::new(None)));
        let cell = &all[number as usize];
        cell.get().unwrap_or_else(|| {
            let symbol = match self.texts.and_then(|texts| texts.name(&self.unit, number)) {
                Some(name) => symbols.intern_kept(name),
                None => symbols.intern(self.name(number)),
            };
            cell.set(Some(symbol));
            symbol
        })
    }

    /// The class of a qualified name, none for top scope, and the symbol of the variable in it, where that is kept.
    pub fn split_name(&self, symbols: &Interner<'c>, number: u32) -> Option<(&'c str, Symbol)> {
        let (class, leaf) = self.texts?.name(&self.unit, number)?.split_last()?;
        Some((class.strip_prefix("::").unwrap_or(class), symbols.intern_kept(leaf)))
    }

    /// The text of a name the verifier has seen.
    pub fn name(&self, number: u32) -> &'c str {
        match self.texts {
            Some(texts) => texts.name(&self.unit, number).map_or("", |name| &name.text),
            None => self.unit.name(number).unwrap_or_default(),
        }
    }

    /// The value of the class's own variable that a qualified name was found to mean before.
    pub fn known_qualified(&self, number: u32) -> Option<Value<'c>> {
        self.qualified.get()?[number as usize].get()?.get()
    }

    /// Keeps the slot of the class's variable that a qualified name was found to mean.
    pub fn keep_qualified(&self, arena: &'c Bump, number: u32, slot: Slot<'c>) {
        let count = self.unit.names() as usize;
        let all = self.qualified.get_or_init(|| arena.alloc_slice_fill_with(count, |_| Cell::new(None)));
        all[number as usize].set(Some(slot));
    }

    /// The type that a name was found to mean before.
    pub fn known_type(&self, number: u32) -> Option<&'c Type<'c>> {
        self.types.get()?[number as usize].get()
    }

    /// Keeps the type that a name was found to mean.
    pub fn keep_type(&self, arena: &'c Bump, number: u32, ty: &'c Type<'c>) {
        let count = self.unit.names() as usize;
        let all = self.types.get_or_init(|| arena.alloc_slice_fill_with(count, |_| Cell::new(None)));
        all[number as usize].set(Some(ty));
    }

    /// The value of a chunk that does nothing but load one, as most defaults do: it need not be run.
    pub fn literal(&self, arena: &'c Bump, chunk: u32) -> Option<Value<'c>> {
        let chunk = self.unit.chunk(chunk).ok()?;
        let [load, end] = *chunk.code else { return None };
        self.passed.verify(&self.unit, &chunk).ok()?;
        let [op, to, low, high] = load.to_le_bytes();
        let [last, from, ..] = end.to_le_bytes();
        if Op::ALL.get(usize::from(last)) != Some(&Op::Return) || from != to {
            return None;
        }
        match Op::ALL.get(usize::from(op))? {
            Op::LoadUndef => Some(Value::Undef),
            Op::LoadBool => Some(Value::Bool(low != 0)),
            Op::LoadInt => Some(Value::Int(i16::from_le_bytes([low, high]).into())),
            Op::LoadConst => Some(self.constant(arena, u16::from_le_bytes([low, high]).into())),
            _ => None,
        }
    }

    /// The value of a constant the verifier has seen; made once.
    pub fn constant(&self, arena: &'c Bump, number: u32) -> Value<'c> {
        let cell = &self.consts[number as usize];
        match cell.get() {
            // An array or hash that is evaluated twice is two of them: Ruby can tell them apart.
            // The ones kept are flat: see `first_constant`.
            Some(Value::Array(items)) => Value::Array(items.again(arena)),
            Some(Value::Hash(hash)) => Value::Hash(hash.again(arena)),
            Some(value) => value,
            None => self.first_constant(arena, number),
        }
    }

    #[cold]
    fn first_constant(&self, arena: &'c Bump, number: u32) -> Value<'c> {
        let value = self.make_constant(arena, number);
        let is_list = |value: &Value<'c>| matches!(value, Value::Array(_) | Value::Hash(_));
        let is_flat = match value {
            Value::Array(items) => !items.items().iter().any(is_list),
            Value::Hash(hash) => !hash.entries().iter().any(|(key, value)| is_list(key) || is_list(value)),
            _ => true,
        };
        // An array or hash that holds others is made anew each time, with all in it.
        if is_flat {
            self.consts[number as usize].set(Some(value));
        }
        value
    }

    #[cold]
    fn make_constant(&self, arena: &'c Bump, number: u32) -> Value<'c> {
        let (tag, payload) = self.unit.constant(number).unwrap_or((tag::UNDEF, 0));
        let wide = || self.unit.wide_number(payload).unwrap_or_default();
        let text = || {
            let text = match self.texts {
                Some(texts) => texts.constant(&self.unit, number, payload),
                None => self.unit.string(payload).ok(),
            };
            Str::wrap(arena, text.unwrap_or_default())
        };
        let parts = || {
            let run = self.unit.wide_run(payload).unwrap_or_default();
            run.iter().map(|part| self.constant(arena, *part)).collect::<Vec<_>>()
        };
        match tag {
            tag::DEFAULT => Value::Default,
            tag::BOOL => Value::Bool(payload != 0),
            tag::INT => Value::Int(wide() as i64),
            tag::FLOAT => Value::Float(f64::from_bits(wide())),
            tag::STRING => Value::Str(self.frozen.with(text())),
            tag::QUOTED => Value::Str(text()),
            tag::REGEXP => Value::Regexp(text()),
            tag::ARRAY => Value::array(arena, &parts()),
            tag::HASH => {
                let entries: Vec<_> = parts().chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
                Value::Hash(Hash::from_entries(arena, &entries))
            }
            _ => Value::Undef,
        }
    }

    fn link_shape(&self, arena: &'c Bump, symbols: &Interner<'c>, names: &'c [u32]) -> &'c [Symbol] {
        if let Some((known, shape)) = self.shape.get()
            && std::ptr::eq(known, names)
        {
            return shape;
        }
        let shape = arena.alloc_slice_fill_iter(names.iter().map(|n| self.symbol(symbols, *n)));
        // Chunks of types have no names, and stand between those of defaults.
        if !names.is_empty() {
            self.shape.set(Some((names, shape)));
        }
        shape
    }

    /// Whether a chunk is the code of the file itself: the first one.
    pub fn is_program(&self, linked: &Linked<'c>) -> bool {
        let first = self.chunks.first().and_then(|chunk| chunk.get());
        first.is_some_and(|first| std::ptr::eq(*first, linked))
    }

    /// The chunk, verified and linked on first need.
    pub fn link(&'c self, arena: &'c Bump, symbols: &Interner<'c>, number: u32) -> Eval<'c, &'c Linked<'c>> {
        let cell =
            self.chunks.get(number as usize).ok_or_else(|| self.broken(UnitFault::ChunkNumber(number)))?;
        if let Some(linked) = cell.get() {
            return Ok(linked);
        }
        let chunk = self.unit.chunk(number).map_err(|f| self.broken(f))?;
        self.passed.verify(&self.unit, &chunk).map_err(|f| self.broken(f))?;
        let shape = self.link_shape(arena, symbols, chunk.shape);
        let count = chunk.param_count();
        let params = arena.alloc_slice_fill_iter((0..count).map(|n| {
            let param = chunk.param(n);
            let symbol = self.symbol(symbols, param.name);
            ParamInfo {
                name: symbols.text(symbol),
                symbol,
                slot: param.slot,
                typed: param.type_chunk.is_some(),
                has_default: param.default_chunk.is_some(),
                captures_rest: param.captures_rest,
            }
        }));
        let refused = params.iter().any(|p| p.symbol.is_reserved());
        let plain = !refused && params.iter().all(|p| !p.typed && !p.has_default && !p.captures_rest);
        let param_types = arena.alloc_slice_fill_with(count, |_| OnceCell::new());
        let linked = arena.alloc(Linked {
            unit: self,
            code: LocatedChunk { unit: self.unit, chunk, file: self.file },
            shape,
            params,
            param_types,
            return_type: OnceCell::new(),
            literals: arena.alloc_slice_fill_with(count, |_| Cell::new(None)),
            plain,
            refused,
            once: Cell::new(None),
        });
        Ok(cell.get_or_init(|| linked))
    }
}

/// A parameter of a chunk as the runtime needs it to bind class and defined-type parameters.
#[derive(Clone, Copy, Debug)]
pub struct ParamInfo<'c> {
    /// Name.
    pub name: &'c str,
    /// Name as a symbol.
    pub symbol: Symbol,
    /// Slot of the chunk's scope that holds it.
    pub slot: u32,
    /// Whether a type is declared.
    pub typed: bool,
    /// Whether there is a default.
    pub has_default: bool,
    /// Whether written with `*`.
    pub captures_rest: bool,
}

impl ParamInfo<'_> {
    /// Puppet's message where one of some parameters has a name that only the compile itself may set.
    pub fn refused(params: &[ParamInfo<'_>]) -> Option<String> {
        params.iter().find(|param| param.symbol.is_reserved()).map(|param| reserved(param.name))
    }
}

/// Puppet's message where code sets a variable that only the compile itself may set.
#[cold]
pub(crate) fn reserved(name: &str) -> String {
    format!("Attempt to assign to a reserved variable name: '{name}'")
}
