//! The world as the machine sees it: everything a manifest can reach outside its own values.
//!
//! The machine and the functions of the standard library ask through these traits, the ports; the runtime answers.
//! Each port is one subject; [`Host`] is all of them together. All methods take `&self`: a host keeps its state in
//! cells, because evaluating re-enters it.

mod catalog;
pub mod collect;
mod data;
pub mod declaration;
mod language;
pub mod request;
mod witness;

pub use crate::operand::{CollectorKind, Relation, ResourceForm};
pub use crate::site::{Site, Spot};
pub use catalog::{CatalogPort, ClassPort, ResourcePort};
pub use collect::{Collect, CollectorQuery};
pub use data::{FilePort, FormatPort, LookupPort, TemplatePort, no_data_file};
pub use declaration::{AttrOp, Attribute, Body, Declaration};
pub use language::{FunctionPort, LogPort, SettingsPort, TypePort};
pub use request::{Erb, Include, Lookup, ModuleFolder, ObjectClass, Strict};
pub use witness::{Change, WitnessPort};

/// The world around a compile: whatever implements all ports.
pub trait Host<'c>:
    LogPort<'c>
    + SettingsPort<'c>
    + FunctionPort<'c>
    + TypePort<'c>
    + ClassPort<'c>
    + ResourcePort<'c>
    + CatalogPort<'c>
    + FilePort<'c>
    + TemplatePort<'c>
    + FormatPort<'c>
    + LookupPort<'c>
    + WitnessPort<'c>
{
}

impl<'c, T> Host<'c> for T where
    T: LogPort<'c>
        + SettingsPort<'c>
        + FunctionPort<'c>
        + TypePort<'c>
        + ClassPort<'c>
        + ResourcePort<'c>
        + CatalogPort<'c>
        + FilePort<'c>
        + TemplatePort<'c>
        + FormatPort<'c>
        + LookupPort<'c>
        + WitnessPort<'c>
{
}
