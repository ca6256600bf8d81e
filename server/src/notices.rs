//! What the server has to say besides its answers: warnings, and what reports of nodes say where they are to be logged. The
//! library prints nothing; whoever starts it says where notices go.

use std::fmt::{self, Debug, Formatter};
use std::sync::{Arc, Mutex, PoisonError};

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Puppet's level: `debug`, `info`, `notice`, `warning`, `err`, `alert`, `emerg`, `crit`.
    pub level: String,
    /// Who says it: `Puppet`, or a resource of a node.
    pub source: String,
    /// What it says.
    pub message: String,
}

/// Where notices go.
#[derive(Clone)]
pub struct Notices(Arc<dyn Fn(Notice) + Send + Sync>);

impl Notices {
    /// To a function, which may be called from any thread.
    pub fn to(function: impl Fn(Notice) + Send + Sync + 'static) -> Notices {
        Notices(Arc::new(function))
    }

    /// To a list that is handed out with it, for tests and programs that ask afterwards: the last `most` of them.
    pub fn kept(most: usize) -> (Notices, Arc<Mutex<Vec<Notice>>>) {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let list = Arc::clone(&kept);
        let notices = Notices::to(move |notice| {
            let mut list = list.lock().unwrap_or_else(PoisonError::into_inner);
            list.push(notice);
            let beyond = list.len().saturating_sub(most);
            list.drain(..beyond);
        });
        (notices, kept)
    }

    /// Says something.
    pub fn say(&self, level: &str, source: &str, message: impl Into<String>) {
        (self.0)(Notice { level: level.to_owned(), source: source.to_owned(), message: message.into() });
    }
}

/// Nowhere.
impl Default for Notices {
    fn default() -> Notices {
        Notices::to(drop)
    }
}

impl Debug for Notices {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str("Notices")
    }
}
