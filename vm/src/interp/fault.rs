//! Completes a fault at the innermost instruction: Puppet's prefix, label and place.

use crate::diagnostic::Place;
use crate::error::{Flow, Stage};
use crate::vm::Vm;

/// `a` or `an`, by the first letter of what may be quoted.
pub(crate) fn article(label: &str) -> &'static str {
    let first = label.trim_start_matches(['\'', '"']).chars().next().unwrap_or(' ');
    if "aeiouyAEIOUY".contains(first) { "an" } else { "a" }
}

impl<'c> Vm<'c> {
    /// Completes a flow that leaves the innermost frame; what is complete passes through.
    #[cold]
    pub(crate) fn place_flow(&self, mut flow: Box<Flow<'c>>) -> Box<Flow<'c>> {
        let Flow::Fault(fault) = &mut *flow else { return flow };
        let Some(frame) = self.frames.last() else { return flow };
        let unit = frame.linked.unit;
        let position = unit.unit.position(&frame.linked.chunk, frame.pc);
        let diagnostic = &mut fault.diagnostic;
        let label = position.map_or("", |p| p.label);
        let mut at = position.map_or((0, 0), |p| p.at);
        match fault.stage {
            Stage::Formed => return flow,
            Stage::Raw => {
                diagnostic.message = format!(
                    "Evaluation Error: Error while evaluating {} {label}, {}",
                    article(label),
                    diagnostic.message
                );
                diagnostic.code.get_or_insert("RUNTIME_ERROR");
            }
            Stage::Issue => diagnostic.message.insert_str(0, "Evaluation Error: "),
            Stage::IssueLeft | Stage::IssueRight => {
                diagnostic.message.insert_str(0, "Evaluation Error: ");
                let operand =
                    position.map(|p| if fault.stage == Stage::IssueLeft { p.left } else { p.right });
                at = operand.filter(|o| o.0 != 0).unwrap_or(at);
            }
        }
        fault.stage = Stage::Formed;
        let known = |n: u32| (n != 0).then_some(n);
        diagnostic.place = Place { file: unit.file.map(Into::into), line: known(at.0), column: known(at.1) };
        diagnostic.stack = self.stack().iter().map(|site| site.place()).collect();
        flow
    }
}
