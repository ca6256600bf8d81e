//! What compiles find out about a unit that is a function of files alone: kept beside the unit by whoever keeps the
//! files, so that the next compile need not find it out again. Nothing of a compile is in it.

use crate::symbol::{Interner, KeptName, Symbol};
use crate::types::lasting::LastingType;
use crate::unit::reader::Unit;
use std::sync::OnceLock;

/// What compiles have found out about a unit in its environment.
#[derive(Debug, Default)]
pub struct Learned {
    /// What is known of the parameters' types, by chunk.
    chunks: OnceLock<Box<[OnceLock<CheckedParams>]>>,
}

/// The texts of a unit, whatever environment it is in.
#[derive(Debug, Default)]
pub struct UnitTexts {
    /// Names, by number: each is checked to be text, and hashed, once for all compiles.
    names: OnceLock<Box<[OnceLock<KeptName>]>>,
    /// Texts of constants, by the constant's number: each is checked to be text once for all compiles.
    constants: OnceLock<Box<[OnceLock<Box<str>>]>>,
}

/// What is known of a chunk whose parameters' types can be evaluated, and come to the same in every compile.
#[derive(Debug)]
pub struct CheckedParams {
    /// The type of each parameter.
    pub types: Box<[LastingType]>,
    /// For each parameter, whether its default is a constant that is of the parameter's type.
    pub fits: Box<[bool]>,
}

impl Learned {
    pub(crate) fn get(&self, chunk: u32) -> Option<&CheckedParams> {
        self.chunks.get()?.get(chunk as usize)?.get()
    }

    pub(crate) fn keep(&self, chunks: u32, chunk: u32, checked: CheckedParams) {
        let all = self.chunks.get_or_init(|| (0..chunks).map(|_| OnceLock::new()).collect());
        if let Some(place) = all.get(chunk as usize) {
            let _ = place.set(checked);
        }
    }
}

impl UnitTexts {
    /// The symbol of the n-th name, where the base is known to have one.
    #[inline]
    pub(crate) fn symbol(&self, symbols: &Interner<'_>, number: u32) -> Option<Symbol> {
        self.names.get()?.get(number as usize)?.get()?.symbol(symbols)
    }

    /// The text of constant `number`, whose string has the number `string`.
    pub(crate) fn constant(&self, unit: &Unit<'_>, number: u32, string: u32) -> Option<&str> {
        let all = self.constants.get_or_init(|| (0..unit.consts()).map(|_| OnceLock::new()).collect());
        let place = all.get(number as usize)?;
        match place.get() {
            Some(text) => Some(text),
            None => {
                let text = unit.string(string).ok()?;
                Some(place.get_or_init(|| text.into()))
            }
        }
    }

    /// The n-th name of the unit.
    pub(crate) fn name(&self, unit: &Unit<'_>, number: u32) -> Option<&KeptName> {
        let all = self.names.get_or_init(|| (0..unit.names()).map(|_| OnceLock::new()).collect());
        let place = all.get(number as usize)?;
        match place.get() {
            Some(name) => Some(name),
            None => {
                let name = KeptName::new(unit.name(number).ok()?);
                Some(place.get_or_init(|| name))
            }
        }
    }
}
