//! Which of the PuppetDBs can be reached: each that can't be any more is told of once, and once it can be again.

use crate::notices::Notices;
use std::collections::HashSet;
use std::fmt::Display;
use std::sync::{Mutex, PoisonError};

/// What is known of servers by their URLs. It may be shared by threads.
#[derive(Debug)]
pub(super) struct Reached {
    /// Those that could not be reached when they were asked last.
    away: Mutex<HashSet<String>>,
    notices: Notices,
}

impl Reached {
    /// All can be, as far as is known.
    pub(super) fn new(notices: Notices) -> Reached {
        Reached { away: Mutex::default(), notices }
    }

    /// What a server has answered, with its status, or why it has not. One behind a proxy that can't reach it is away, too, and so
    /// is one that says that it is at rest.
    pub(super) fn tell(&self, url: &str, answer: &Result<(u16, String), impl Display>) {
        let why = match answer {
            Ok((502..=504, said)) => Some(said.clone()),
            Ok(_) => None,
            Err(error) => Some(error.to_string()),
        };
        let mut away = self.away.lock().unwrap_or_else(PoisonError::into_inner);
        match why {
            Some(why) if away.insert(url.to_owned()) => {
                self.notices.say("warning", "Puppet", format!("PuppetDB at {url} can't be reached: {why}"));
            }
            None if away.remove(url) => {
                self.notices.say("notice", "Puppet", format!("PuppetDB at {url} can be reached again"));
            }
            _ => {}
        }
    }
}
