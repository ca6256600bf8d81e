//! Legacy facts, by version.

use bunraku_configuration::table::Table;
use bunraku_configuration::value::Raw;
use bunraku_vm::compat::Compat;

pub use bunraku_nodes::legacy_facts::{instead as structured_fact, is_in_mebibytes};

/// Whether agents of a version send legacy facts unless they are told otherwise: the default of `include_legacy_facts`.
pub fn sends_legacy_facts(compat: Compat) -> bool {
    let setting = Table::of(compat).find("include_legacy_facts");
    setting.is_none_or(|setting| setting.default() == Raw::Boolean(true))
}
