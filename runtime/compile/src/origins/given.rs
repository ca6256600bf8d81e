//! What has set parameters, sorted by their resources: it was noted in the order in which it came.

use crate::state::recorded::{Given, Recorded};
use bunraku_vm::host::Site;
use bunraku_vm::scope::ResourceId;

/// See the module.
pub(super) struct GivenByResource {
    /// Numbers of notes, those of one resource side by side and in order.
    notes: Vec<u32>,
    /// Where those of each resource begin among them, and where the last ones end.
    begins: Vec<u32>,
}

impl GivenByResource {
    /// Sorts what was noted of so many resources.
    pub fn new(recorded: &Recorded<'_>, resources: usize) -> GivenByResource {
        let given = recorded.given.borrow();
        let mut begins = vec![0; resources + 1];
        given.iter().for_each(|(id, ..)| begins[id.0 as usize + 1] += 1);
        for number in 0..resources {
            begins[number + 1] += begins[number];
        }
        let (mut next, mut notes) = (begins.clone(), vec![0; given.len()]);
        for (number, (id, ..)) in (0u32..).zip(given.iter()) {
            let at = &mut next[id.0 as usize];
            notes[*at as usize] = number;
            *at += 1;
        }
        GivenByResource { notes, begins }
    }

    /// What has set a parameter last; of arrows, the places of all that came behind one another.
    pub fn of<'c>(
        &self,
        recorded: &Recorded<'c>,
        id: ResourceId,
        name: &str,
    ) -> (Option<Given<'c>>, Vec<Site<'c>>) {
        let number = id.0 as usize;
        let given = recorded.given.borrow();
        let notes = &self.notes[self.begins[number] as usize..self.begins[number + 1] as usize];
        let notes = notes.iter().map(|note| &given[*note as usize]).filter(|(_, other, _)| *other == name);
        let notes: Vec<_> = notes.map(|(.., given)| given).collect();
        let arrow = |given: &&Given<'c>| match given {
            Given::Arrow(site) => Some(*site),
            _ => None,
        };
        let mut arrows: Vec<Site<'c>> = notes.iter().rev().map_while(arrow).collect();
        arrows.reverse();
        (notes.last().map(|given| (*given).clone()), arrows)
    }
}
