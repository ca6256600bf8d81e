//! Reports that agents send, for processors in Ruby: a compile that runs no code of the Puppet language, whose Ruby the
//! processor runs in. So it has settings, facts, a log and limits as functions in Ruby have them.

use crate::compile::Compile;
use crate::inputs::{AgentReport, Node};
use bunraku_vm::cause::UNCAUGHT;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use std::path::PathBuf;

impl<'c> Compile<'c> {
    /// Hands a report to its processor; there is no catalog. That nobody has the processor is a warning, in Puppet's words.
    ///
    /// # Errors
    /// When its file can't be loaded, or the limits of Ruby ended it.
    pub(crate) fn process_report(
        &self,
        vm: &mut Vm<'c>,
        node: &Node,
        report: &AgentReport,
    ) -> Eval<'c, (String, Value<'c>)> {
        self.add_main_stage(vm, node)?;
        self.set_node_parameters(vm, node)?;
        let AgentReport { processor, json, further } = report;
        match self.processor_file(processor, further) {
            None => self.warn_once(format!("No report named '{processor}'")),
            Some(file) => {
                self.talk().process_report(vm, processor, &file, json).map_err(without_node)?;
            }
        }
        Ok((String::new(), Value::Undef))
    }

    /// The first file that defines a processor: of the modules, in their order, then of the folder `libdir`, then of further ones.
    fn processor_file(&self, name: &str, further: &[PathBuf]) -> Option<PathBuf> {
        let modules = self.environment.modules.iter().map(|module| module.path.join("lib"));
        let folders = modules.chain(self.library()).chain(further.iter().cloned());
        let mut files = folders.map(|folder| folder.join(format!("puppet/reports/{name}.rb")));
        files.find(|file| file.is_file())
    }

    /// The folder of Ruby that the setting `libdir` names, where a configuration has been read.
    pub(crate) fn library(&self) -> Option<PathBuf> {
        let folder =
            self.environment.configuration().is_read().then(|| self.setting_in_force("libdir"))??;
        folder.text().map(PathBuf::from)
    }
}

/// No node's name is put behind what goes wrong: it is no fault of the node's.
fn without_node(mut flow: Box<Flow<'_>>) -> Box<Flow<'_>> {
    if let Flow::Fault(fault) = &mut *flow {
        fault.diagnostic.code = Some(UNCAUGHT);
    }
    flow
}
