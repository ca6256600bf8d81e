//! Which code the nodes of a fleet have run, summed up file by file: what is kept does not grow with the number of nodes.

use bunraku::coverage::{JUMPED, Lowered, RAN, RanUnit};
use std::collections::HashMap;

/// Which code nodes have run, summed up by file: how many of them have run each word of its code.
#[derive(Debug, Default)]
pub(crate) struct Ran(HashMap<String, RanFile>);

/// How many nodes have run each word of a file's code, and how many have taken each jump.
#[derive(Debug)]
pub(crate) struct RanFile {
    fingerprint: u64,
    pub ran: Vec<u32>,
    pub jumped: Vec<u32>,
    /// Whether units of different texts have come from it.
    is_mixed: bool,
}

impl Ran {
    /// Takes in what a node has run.
    pub fn take_in(&mut self, units: &[RanUnit]) {
        for unit in units {
            let Some(file) = &unit.file else { continue };
            let known = self.0.entry(file.clone()).or_insert_with(|| RanFile {
                fingerprint: unit.fingerprint,
                ran: vec![0; unit.marks.len()],
                jumped: vec![0; unit.marks.len()],
                is_mixed: false,
            });
            if known.fingerprint != unit.fingerprint || known.ran.len() != unit.marks.len() {
                known.is_mixed = true;
                continue;
            }
            for ((mark, ran), jumped) in unit.marks.iter().zip(&mut known.ran).zip(&mut known.jumped) {
                *ran += u32::from(mark & RAN != 0);
                *jumped += u32::from(mark & JUMPED != 0);
            }
        }
    }

    /// What has run of a file; none of it where nobody has loaded it.
    ///
    /// # Errors
    /// When what has run was made of another text than this one.
    pub fn of(&self, file: &str, source: &Lowered) -> Result<Option<&RanFile>, String> {
        match self.0.get(file) {
            Some(ran) if ran.is_mixed || ran.fingerprint != source.fingerprint => {
                Err("what has run was made of another text than it has now".to_owned())
            }
            other => Ok(other),
        }
    }
}
