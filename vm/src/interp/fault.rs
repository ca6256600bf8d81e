//! Completes a fault at the innermost instruction: Puppet's prefix, label and place.

use crate::error::{Blame, Eval, Flow, Stage};
use crate::label;
use crate::value::Value;
use crate::vm::Vm;

impl<'c> Vm<'c> {
    /// Completes a flow that leaves the innermost frame; what is complete passes through.
    #[cold]
    pub(crate) fn place_flow(&self, mut flow: Box<Flow<'c>>) -> Box<Flow<'c>> {
        let Flow::Fault(fault) = &mut *flow else { return flow };
        let Some(frame) = self.frames.last() else { return flow };
        let unit = frame.linked.unit;
        let position = unit.unit.position(&frame.linked.code.chunk, frame.pc);
        let diagnostic = &mut fault.diagnostic;
        match fault.stage {
            Stage::Formed => return flow,
            Stage::Passing => {
                fault.stage = Stage::Raw;
                return flow;
            }
            // Puppet does not evaluate what an alias stands for: what is wrong with it is wrong where it is used.
            Stage::Raw if self.types.resolving > 0 => return flow,
            Stage::Raw => {
                let label = label::a_an(position.map_or("", |p| p.label));
                diagnostic.message =
                    format!("Evaluation Error: Error while evaluating {label}, {}", diagnostic.message);
                diagnostic.code.get_or_insert("RUNTIME_ERROR");
                diagnostic.cause = std::mem::take(&mut diagnostic.cause).around();
            }
            Stage::Issue => diagnostic.message.insert_str(0, "Evaluation Error: "),
        }
        fault.stage = Stage::Formed;
        // Whatever it was: Ruby knows what the evaluator has put something around as an error of the evaluator's.
        fault.raised = None;
        diagnostic.place = frame.site_of(fault.blame).place();
        diagnostic.stack = self.stack().iter().map(|site| site.place()).collect();
        flow
    }

    /// Has a text that a heredoc has made checked. What is wrong with it is at the text, not at the heredoc's tag.
    #[cold]
    pub(crate) fn check_syntax(&mut self, syntax: &str, text: Value<'c>) -> Eval<'c, ()> {
        let (Some(frame), Some(text)) = (self.frames.last(), text.as_str()) else { return Ok(()) };
        let place = frame.site_of(Blame::Left).place();
        self.host.check_syntax(self, syntax, text, place)
    }
}
