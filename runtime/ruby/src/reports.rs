//! Report processors of modules: their Ruby is handed the reports that agents send.

use super::protocol::Request;
use super::talk::RequestArgument;
use super::{Talk, subject, text};
use bunraku_vm::error::Eval;
use bunraku_vm::vm::Vm;
use std::path::Path;

impl<'c> Talk<'_, 'c> {
    /// Hands a report, as JSON in Puppet's one form, to the processor `name` that a file defines. What the processor raises is
    /// logged, as Puppet does.
    ///
    /// # Errors
    /// When the file can't be loaded; when the processor runs for too long, needs too much memory or ends its process.
    pub fn process_report(&self, vm: &mut Vm<'c>, name: &str, file: &Path, report: &str) -> Eval<'c, ()> {
        self.world.refuse_irregular(file)?;
        let subject = subject("report processor", name, file);
        let arguments =
            [vm.string(name), vm.string(&text(file)), vm.string(report)].map(RequestArgument::Value);
        self.request(vm, &subject, Request::ProcessReport, &arguments).map(drop)
    }
}
