//! What helps where an error may be due to missing arguments.

use bunraku::bench::Target;
use bunraku::{Cause, Diagnostic};

/// An error with a word of help, where it may be that facts were forgotten.
pub fn with_hint(mut diagnostic: Diagnostic, target: &Target) -> Diagnostic {
    let fits = matches!(diagnostic.cause, Cause::UnknownVariable | Cause::UndefAccessed);
    let none = !target.node.has_facts() && target.settings.exported.is_none();
    if fits && diagnostic.help.is_none() && none {
        diagnostic.help = Some("no facts were given: --facts FILE, or --factpath DIR, names them".to_owned());
    }
    diagnostic
}
