//! What is handed to a real Puppet: all that is an agent's, and what is not built here. Where none is named, it is refused by
//! name.

use super::Call;
use super::identity::{FILE, Identity, REAL_PUPPET};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// The variable that counts how often a command was handed over, by who was handed it: a script that is named as the real Puppet and calls
/// the link again would go on for ever.
const HANDED: &str = "BUNRAKU_HANDED";
/// What a real Puppet runs may well call the link again, and so on, but not so often.
const MOST_HANDED: usize = 10;

/// The real Puppet, where one is named that is not this very program.
pub fn real_puppet(identity: &Identity) -> Result<Option<PathBuf>, String> {
    let Some(named) = &identity.puppet else { return Ok(None) };
    let own = std::env::current_exe().and_then(|own| own.canonicalize());
    match (named.canonicalize(), own) {
        (Ok(real), Ok(own)) if real == own => {
            Err(format!("{} is Bunraku itself, and no real Puppet", named.display()))
        }
        (Ok(_), _) => Ok(Some(named.clone())),
        (Err(error), _) => Err(format!("The real Puppet {} can't be run: {error}", named.display())),
    }
}

/// Hands a whole command line over: this process becomes that Puppet.
///
/// # Errors
/// Says how to name one where none is named; when it can't be run, or hands the command back again and again.
pub fn over(identity: &Identity, arguments: &[String], what: &str) -> Result<ExitCode, String> {
    let Some(puppet) = real_puppet(identity)? else {
        return Err(format!(
            "'puppet {what}' is not built into Bunraku; a real Puppet gets it where {REAL_PUPPET} in the environment names one, or \
             puppet = \"/usr/bin/puppet\" in {}",
            match identity.file.as_os_str().is_empty() {
                true => FILE.to_owned(),
                false => identity.file.display().to_string(),
            }
        ));
    };
    let handed = std::env::var(HANDED).ok().and_then(|count| count.parse::<usize>().ok()).unwrap_or_default();
    if handed >= MOST_HANDED {
        return Err(format!(
            "The real Puppet {} calls Bunraku again: it was handed the command {handed} times",
            puppet.display()
        ));
    }
    let error = Command::new(&puppet).args(arguments).env(HANDED, (handed + 1).to_string()).exec();
    Err(format!("The real Puppet {} can't be run: {error}", puppet.display()))
}

impl Call {
    /// Hands this call over.
    ///
    /// # Errors
    /// As of [`over`].
    pub fn hand_over(&self, what: &str) -> Result<ExitCode, String> {
        over(&self.identity, &self.arguments, what)
    }
}
