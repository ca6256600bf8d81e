//! Completes a fault at the innermost instruction: Puppet's prefix, label and place.

use crate::diagnostic::Place;
use crate::error::{Blame, Flow, Stage};
use crate::label;
use crate::unit::layout::unpack_place;
use crate::vm::Vm;

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
        let part = |n: usize| position.and_then(|p| p.parts.get(n)).map(|word| unpack_place(*word));
        let at = match fault.blame {
            Blame::Whole => None,
            Blame::Left => part(0),
            Blame::Right => part(1),
            Blame::Key(n) => part(n + 1),
        };
        let at = at.filter(|at| at.0 != 0).or(position.map(|p| p.at)).unwrap_or((0, 0));
        match fault.stage {
            Stage::Formed => return flow,
            Stage::Raw => {
                let label = label::a_an(label);
                diagnostic.message =
                    format!("Evaluation Error: Error while evaluating {label}, {}", diagnostic.message);
                diagnostic.code.get_or_insert("RUNTIME_ERROR");
            }
            Stage::Issue => diagnostic.message.insert_str(0, "Evaluation Error: "),
        }
        fault.stage = Stage::Formed;
        let known = |n: u32| (n != 0).then_some(n);
        diagnostic.place = Place { file: unit.file.map(Into::into), line: known(at.0), column: known(at.1) };
        diagnostic.stack = self.stack().iter().map(|site| site.place()).collect();
        flow
    }
}
