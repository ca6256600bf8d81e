//! Exported resources of nodes that are compiled to be compared: both sides of a node see the same of them, as the store has
//! them, or each side sees what all its nodes export ([`crate::two_passes`]).

use bunraku::bench::Target;
use bunraku::{CatalogView, Compiler, ExportedMeeting, Exports};
use std::cell::OnceCell;

/// Where the nodes of each side meet.
#[derive(Default)]
pub(crate) struct Meetings(pub [ExportedMeeting; 2]);

/// What a node exports on each side; nothing is known of a side that fails.
#[derive(Default)]
pub(crate) struct Exported([OnceCell<Exports>; 2]);

impl Exported {
    /// Notes what a side's catalog exports.
    pub fn note(&self, side: usize, node: &str, catalog: &CatalogView<'_>) {
        self.0[side].get_or_init(|| catalog.exports(node));
    }

    /// Both sides, as one where they are equal: mostly they are.
    pub fn shared(self) -> [Option<Exports>; 2] {
        let [old, new] = self.0.map(OnceCell::into_inner);
        match old == new {
            true => [old.clone(), old],
            false => [old, new],
        }
    }
}

/// Has a target collect what is gathered of its side, over the store that it would ask otherwise.
///
/// # Errors
/// When the store can't be opened.
pub(crate) fn meet(
    compiler: &Compiler,
    target: &mut Target,
    meeting: &ExportedMeeting,
) -> Result<(), String> {
    target.settings.exported = Some(meeting.over(compiler, target.settings.exported.as_ref())?);
    Ok(())
}

/// A node's two targets with what their collectors ask: the same answers for both, or what is gathered of their side.
///
/// # Errors
/// When the store can't be opened.
pub(crate) fn given(
    compiler: &Compiler,
    mut targets: [Target; 2],
    meetings: Option<&Meetings>,
) -> Result<[Target; 2], String> {
    let [old, new] = &mut targets;
    if let Some(place) =
        old.settings.exported.as_ref().filter(|place| new.settings.exported.as_ref() == Some(place))
    {
        let frozen = compiler.frozen_answers(place)?;
        new.settings.exported = Some(frozen.clone());
        old.settings.exported = Some(frozen);
    }
    for (target, meeting) in targets.iter_mut().zip(meetings.iter().flat_map(|Meetings(both)| both)) {
        meet(compiler, target, meeting)?;
    }
    Ok(targets)
}
