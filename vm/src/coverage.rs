//! What code a machine has run, instruction by instruction, where somebody wants to know (`bunraku coverage`, `bunraku why-not`). The
//! loop comes twice: one that notes and one that does not ask. Which of them runs is decided where stacks grow, which is looked at
//! before every eighth call: a machine that notes looks there before each.

use crate::error::Eval;
use crate::loaded::{Linked, LoadedUnit};
use crate::scope::Scope;
use crate::vm::Vm;
use bumpalo::Bump;
use hashbrown::HashMap;
use std::cell::Cell;
use std::collections::BTreeMap;

/// Set of an instruction that has been run.
pub const RAN: u8 = 1;
/// Set of a conditional jump that was taken.
pub const JUMPED: u8 = 2;
/// Set of an instruction before which a register is looked at.
const WATCHED: u8 = 4;

/// How many values are kept of a watched register.
const MOST_VALUES: usize = 4;

/// Calls between two looks at how much stack is left, less one: a power of two.
const BETWEEN_LOOKS: usize = 7;

/// Registers to be looked at: by file and the place of an instruction among the unit's, the register whose value is kept before it runs.
pub type Watches = HashMap<String, BTreeMap<u32, u8>>;

/// What of a unit has been run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RanUnit {
    /// Its file; none for code given as text.
    pub file: Option<String>,
    /// See [`Unit::fingerprint`](crate::unit::reader::Unit::fingerprint).
    pub fingerprint: u64,
    /// For each word of the code of all chunks, [`RAN`] and [`JUMPED`].
    pub marks: Vec<u8>,
    /// Of watched registers the values that they had, as `%p` prints them, each once.
    pub values: BTreeMap<u32, Vec<String>>,
}

type Dispatch<'c> = fn(&mut Vm<'c>, &'c Linked<'c>, &'c Scope<'c>, usize) -> Eval<'c>;

/// Which loop runs.
pub(crate) struct Running<'c> {
    /// Calls between two looks at the stack, less one.
    pub between: usize,
    /// The loop where the stack has been looked at.
    pub dispatch: Dispatch<'c>,
    noted: Option<Noted<'c>>,
}

/// What is noted.
#[derive(Default)]
struct Noted<'c> {
    /// By the number of the unit.
    units: Vec<Option<&'c [Cell<u8>]>>,
    watches: Watches,
    values: HashMap<(u32, u32), Vec<String>>,
}

impl<'c> Running<'c> {
    /// The loop that notes nothing.
    pub fn plainly() -> Running<'c> {
        Running { between: BETWEEN_LOOKS, dispatch: Vm::dispatch::<false>, noted: None }
    }
}

impl<'c> LoadedUnit<'c> {
    /// Where a linked chunk's code begins in that of the unit.
    fn begin_of(&self, linked: &Linked<'c>) -> usize {
        let place = |words: &[u32]| words.as_ptr() as usize / size_of::<u32>();
        place(linked.code.chunk.code) - place(self.unit.code())
    }
}

impl<'c> Vm<'c> {
    /// From now on, what is run is noted, and the watched registers are looked at.
    pub fn cover(&mut self, watches: Watches) {
        let noted = Noted { watches, ..Noted::default() };
        self.running = Running { between: 0, dispatch: Vm::dispatch::<true>, noted: Some(noted) };
    }

    /// What has been run since [`Vm::cover`], unit by unit; those of which nothing has are left out.
    pub fn covered(&self) -> Vec<RanUnit> {
        let Some(noted) = &self.running.noted else { return Vec::new() };
        let units = noted.units.iter().enumerate();
        units
            .filter_map(|(number, marks)| {
                let loaded = self.code.unit(crate::unit::UnitId(number as u32));
                let values = noted.values.iter().filter(|((unit, _), _)| *unit == number as u32);
                Some(RanUnit {
                    file: loaded.file.map(str::to_owned),
                    fingerprint: loaded.unit.fingerprint(),
                    marks: marks.as_ref()?.iter().map(|mark| mark.get() & (RAN | JUMPED)).collect(),
                    values: values.map(|((_, at), values)| (*at, values.clone())).collect(),
                })
            })
            .collect()
    }

    /// The marks of a chunk, an instruction's word each.
    pub(crate) fn marks_of(&mut self, linked: &'c Linked<'c>) -> &'c [Cell<u8>] {
        let arena = self.arena;
        let Some(noted) = &mut self.running.noted else { return &[] };
        let number = linked.unit.id.0 as usize;
        if noted.units.len() <= number {
            noted.units.resize(number + 1, None);
        }
        let marks = match noted.units[number] {
            Some(marks) => marks,
            None => {
                let marks = fresh_marks(arena, linked.unit, &noted.watches);
                noted.units[number] = Some(marks);
                marks
            }
        };
        let begin = linked.unit.begin_of(linked);
        &marks[begin..begin + linked.code.chunk.code.len()]
    }

    /// Keeps the value of a watched register, if the mark says that there is one.
    #[inline]
    pub(crate) fn look_at_watched(
        &mut self,
        mark: &Cell<u8>,
        linked: &'c Linked<'c>,
        pc: usize,
        base: usize,
    ) {
        if mark.get() & WATCHED != 0 {
            self.keep_watched(linked, pc, base);
        }
    }

    #[cold]
    #[inline(never)]
    fn keep_watched(&mut self, linked: &'c Linked<'c>, pc: usize, base: usize) {
        let at = (linked.unit.begin_of(linked) + pc) as u32;
        let file = linked.unit.file.unwrap_or_default();
        let register =
            self.running.noted.as_ref().and_then(|noted| noted.watches.get(file)?.get(&at).copied());
        let Some(register) = register.filter(|register| u32::from(*register) < linked.code.chunk.registers)
        else {
            return;
        };
        let value = self.registers[base + usize::from(register)];
        let text = crate::format::convert::repr(self, value);
        let Some(noted) = &mut self.running.noted else { return };
        let kept = noted.values.entry((linked.unit.id.0, at)).or_default();
        if kept.len() < MOST_VALUES && !kept.contains(&text) {
            kept.push(text);
        }
    }

    /// Notes that a chunk was not run because its value is known: a default of a parameter that does nothing but load one.
    pub(crate) fn note_unrun(&mut self, unit: &'c LoadedUnit<'c>, chunk: u32) {
        if self.running.noted.is_some()
            && let Ok(linked) = unit.link(self.arena, &self.symbols, chunk)
        {
            self.marks_of(linked).iter().for_each(|mark| mark.set(mark.get() | RAN));
        }
    }
}

fn fresh_marks<'c>(arena: &'c Bump, unit: &LoadedUnit<'c>, watches: &Watches) -> &'c [Cell<u8>] {
    let marks = arena.alloc_slice_fill_with(unit.unit.code().len(), |_| Cell::new(0));
    let watched = unit.file.and_then(|file| watches.get(file));
    for at in watched.into_iter().flat_map(BTreeMap::keys) {
        if let Some(mark) = marks.get(*at as usize) {
            mark.set(WATCHED);
        }
    }
    marks
}
