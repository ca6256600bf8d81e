//! What a program has said of nodes (a classifier, one of trusted data), kept for as long as the server is told to: a script that is
//! asked takes as long as some twenty compiles. Key: the node's name. Bound: so many nodes, those not asked for longest going first.
//! Stale: after that time, or when the configuration is read anew. Who asks while the program is asked of a node waits for that answer.

use lru::LruCache;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Nodes that are kept.
const MOST: NonZeroUsize = NonZeroUsize::new(20_000).unwrap();

/// One node's answer, and since when it is there.
type Slot<Said> = Arc<Mutex<Option<(Instant, Said)>>>;

/// Answers by nodes.
pub struct AnswerCache<Said> {
    time: Duration,
    slots: Mutex<LruCache<String, Slot<Said>>>,
}

impl<Said: Clone> AnswerCache<Said> {
    /// Answers are kept so long; no time is that they are not kept.
    pub fn new(time: Duration) -> AnswerCache<Said> {
        AnswerCache { time, slots: Mutex::new(LruCache::new(MOST)) }
    }

    /// What is said of a node: kept, or `asked` now. Errors are not kept.
    ///
    /// # Errors
    /// As of `asked`.
    pub fn get(&self, name: &str, asked: impl FnOnce() -> Result<Said, String>) -> Result<Said, String> {
        if self.time.is_zero() {
            return asked();
        }
        let slot = {
            let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(slots.get_or_insert(name.to_owned(), Slot::default))
        };
        let mut kept = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((since, said)) = &*kept
            && since.elapsed() < self.time
        {
            return Ok(said.clone());
        }
        let said = asked()?;
        *kept = Some((Instant::now(), said.clone()));
        Ok(said)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bunraku::Node;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_classifier_is_asked_once_by_all_who_ask_at_once() {
        let (kept, asked) = (AnswerCache::new(Duration::from_secs(60)), AtomicUsize::new(0));
        let ask = || {
            kept.get("a", || {
                asked.fetch_add(1, Ordering::SeqCst);
                std::thread::sleep(Duration::from_millis(20));
                Ok((Node::new("a"), Some("test".to_owned())))
            })
        };
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| assert_eq!(ask().unwrap().1.as_deref(), Some("test")));
            }
        });
        assert_eq!(asked.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn answers_end_and_errors_are_not_kept() {
        let kept = AnswerCache::<Option<Node>>::new(Duration::from_millis(1));
        assert!(kept.get("a", || Err("it fails".to_owned())).is_err());
        assert!(kept.get("a", || Ok(None)).is_ok());
        std::thread::sleep(Duration::from_millis(5));
        assert!(kept.get("a", || Err("it fails again".to_owned())).is_err());
        // Without a time nothing is kept.
        let none = AnswerCache::<Option<Node>>::new(Duration::ZERO);
        assert!(none.get("a", || Ok(None)).is_ok());
        assert!(none.get("a", || Err("it is asked".to_owned())).is_err());
    }
}
