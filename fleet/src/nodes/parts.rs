//! The parts of something large that were read last: nodes are asked for in their order, so by the time another part is wanted
//! the first is done with. What is kept is never stale, for whoever has it forgets all where parts are counted anew; its
//! bound is [`KEPT`] parts, whatever the number of threads.

use std::sync::{Arc, Mutex};

/// How many parts are kept: threads may be at the end of one, and some at the begin of the next.
const KEPT: usize = 3;

/// Parts by number.
pub struct Parts<T>(Mutex<Vec<(usize, Arc<T>)>>);

impl<T> Default for Parts<T> {
    fn default() -> Self {
        Parts(Mutex::default())
    }
}

impl<T> Parts<T> {
    /// A part; it is made if it is not there, while others wait for it rather than make it, too.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn get(&self, number: usize, make: impl FnOnce() -> Result<T, String>) -> Result<Arc<T>, String> {
        let mut kept = self.0.lock().unwrap_or_else(|held| held.into_inner());
        if let Some(at) = kept.iter().position(|(own, _)| *own == number) {
            let found = kept.remove(at);
            let part = Arc::clone(&found.1);
            kept.push(found);
            return Ok(part);
        }
        let part = Arc::new(make()?);
        if kept.len() == KEPT {
            kept.remove(0);
        }
        kept.push((number, Arc::clone(&part)));
        Ok(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_were_asked_for_last_are_kept() {
        let (parts, mut made) = (Parts::default(), Vec::new());
        for number in [0, 0, 1, 2, 0, 3, 1, 0] {
            let part = parts.get(number, || {
                made.push(number);
                Ok(number * 10)
            });
            assert_eq!(*part.unwrap(), number * 10);
        }
        assert_eq!(made, [0, 1, 2, 3, 1]);
        assert_eq!(parts.get(7, || Err("no".to_owned())).unwrap_err(), "no");
    }
}
