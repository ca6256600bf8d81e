//! Exported resources of compiles that are trials: stores that are lent to them.

use crate::compiler::Compiler;
use crate::settings::Exported;
use bunraku_stores::{Meeting, MeetingOver, Once, Store};
use std::fmt::{Debug, Formatter};
use std::sync::Arc;

pub use bunraku_stores::Exports;

/// A store that is made for trials, and is there for as long as somebody has it. What is compiled with it can't be stored in it:
/// it is for [`Compiler::trial`] and [`Compiler::see`].
#[derive(Clone)]
pub struct LentStore(Arc<dyn Store>);

impl Debug for LentStore {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        // What it holds is as large as a fleet.
        f.write_str("LentStore")
    }
}

impl PartialEq for LentStore {
    fn eq(&self, other: &LentStore) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for LentStore {}

impl LentStore {
    pub(crate) fn store(&self) -> Arc<dyn Store> {
        self.0.clone()
    }
}

impl Compiler {
    /// The same place with answers that stay as they are first given, so that two compiles see the same, whoever exports what
    /// meanwhile. It keeps all answers: it is to be made for each node anew.
    ///
    /// # Errors
    /// When the place can't be opened.
    pub fn frozen_answers(&self, place: &Exported) -> Result<Exported, String> {
        Ok(Exported::Lent(LentStore(Arc::new(Once::new(self.store(place)?)))))
    }
}

/// Where the nodes of one run meet: what they export is gathered while each is compiled for the first time, and collected
/// when those that collect are compiled for the second.
#[derive(Clone, Debug, Default)]
pub struct ExportedMeeting(Arc<Meeting>);

impl ExportedMeeting {
    /// Takes in what a node exports, once, and until [`ExportedMeeting::answer`].
    pub fn take_in(&self, node: &str, exports: Exports) {
        self.0.take_in(node, exports);
    }

    /// From now on compiles collect what was gathered.
    pub fn answer(&self) {
        self.0.answer();
    }

    /// Whether a node has asked for exported resources.
    pub fn has_asked(&self, node: &str) -> bool {
        self.0.has_asked(node)
    }

    /// What a compile is given: this meeting, and for nodes that were not gathered what another place has of them.
    ///
    /// # Errors
    /// When that place can't be opened.
    pub fn over(&self, compiler: &Compiler, before: Option<&Exported>) -> Result<Exported, String> {
        let before = before.map(|place| compiler.store(place)).transpose()?;
        Ok(Exported::Lent(LentStore(Arc::new(MeetingOver::new(self.0.clone(), before)))))
    }
}
