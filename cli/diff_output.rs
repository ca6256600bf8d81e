//! What is told of a diff's nodes, as they come: their reports, and the exit status.

use crate::reports::{Report, ReportFormat, Reports};
use bunraku_fleet::diff::{Found, State, StateKind};
use bunraku_fleet::report::Head;
use std::collections::BTreeSet;

/// What makes the exit status other than 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum FailOn {
    /// Nothing.
    Never,
    /// Nodes that fail and did not before, or that could not be compiled at all.
    Error,
    /// The same, and changes of resources that are no classes or defined types.
    #[value(alias = "core_diff")]
    Core,
    /// The same, and all other changes.
    Diff,
}

impl FailOn {
    /// What `bunraku.toml`, or a run, says; where nothing is said, whatever changes.
    ///
    /// # Errors
    /// When it is none of them.
    pub fn of(text: Option<&str>) -> Result<FailOn, String> {
        let Some(text) = text else { return Ok(FailOn::Diff) };
        <FailOn as clap::ValueEnum>::from_str(text, false)
            .map_err(|_| format!("fail-on = \"{text}\" in bunraku.toml is none of never, error, core, diff"))
    }

    /// As it is written.
    pub fn text(self) -> &'static str {
        match self {
            FailOn::Never => "never",
            FailOn::Error => "error",
            FailOn::Core => "core",
            FailOn::Diff => "diff",
        }
    }

    /// The exit status for a node's state.
    fn status(self, state: &State) -> u8 {
        let (least, status) = match state.kind() {
            StateKind::Fails | StateKind::Skipped => (FailOn::Error, 1),
            StateKind::Core => (FailOn::Core, 2),
            StateKind::Diff | StateKind::Fixed => (FailOn::Diff, 2),
            StateKind::FailsBefore | StateKind::Same => return 0,
        };
        if self >= least { status } else { 0 }
    }
}

/// See the module.
pub struct DiffOutput {
    reports: Reports,
    fail_on: FailOn,
    statuses: BTreeSet<u8>,
    /// Whether a node could be compiled from either tree, or none had to be.
    is_anything_compared: bool,
    /// Nodes that stay the same without being compiled, those that come last first.
    untouched: Vec<String>,
    written: Result<(), String>,
}

impl DiffOutput {
    /// Nothing is told yet. `untouched` are nodes that stay the same, sorted: they are told of in their places.
    ///
    /// # Errors
    /// When stdout can't be written to.
    pub fn new(
        head: Head,
        (form, files, color): (ReportFormat, &[Report], crate::render::When),
        fail_on: FailOn,
        mut untouched: Vec<String>,
    ) -> Result<DiffOutput, String> {
        untouched.reverse();
        let reports = Reports::new(head, form, files, color)?;
        let told = DiffOutput {
            reports,
            fail_on,
            statuses: BTreeSet::new(),
            is_anything_compared: false,
            untouched,
            written: Ok(()),
        };
        Ok(told)
    }

    /// Tells of a node, and before of those that come before it.
    pub fn add(&mut self, name: &str, found: &Found) {
        while let Some(before) = self.untouched.pop_if(|before| before.as_str() < name) {
            self.one(&before, &Found::same());
        }
        self.one(name, found);
    }

    fn one(&mut self, name: &str, found: &Found) {
        let status = self.fail_on.status(&found.state);
        self.statuses.insert(status);
        self.is_anything_compared |= !matches!(found.state, State::FailsBefore(..));
        if self.written.is_ok() {
            self.written = self.reports.add(name, found, status);
        }
    }

    /// Tells of the rest, and writes all; the exit status. Where each node fails from both trees nothing was compared, which is
    /// no success.
    ///
    /// # Errors
    /// When a report can't be written.
    pub fn finish(mut self) -> Result<u8, String> {
        while let Some(name) = self.untouched.pop() {
            self.one(&name, &Found::same());
        }
        self.written?;
        self.reports.finish()?;
        if !self.statuses.is_empty() && !self.is_anything_compared && self.fail_on >= FailOn::Error {
            return Ok(1);
        }
        Ok([1, 2].into_iter().find(|status| self.statuses.contains(status)).unwrap_or(0))
    }
}
