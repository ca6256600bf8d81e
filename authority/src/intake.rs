//! Requests as they come, wait and are signed.

use crate::authority::Authority;
use crate::directory::{self, Held, PUBLIC};
use crate::extensions;
use crate::fault::Fault;
use crate::names;
use crate::requests::Request;
use x509_cert::Certificate;

/// Requests that wait, at most.
const MAX_WAITING: usize = 20_000;

impl Authority {
    /// Takes a request that a node sends by its name, and signs it at once where `autosign` says so.
    ///
    /// # Errors
    /// When it is refused. Where that was because it may not be signed at once, it waits all the same.
    pub fn submit(&self, name: &str, text: &[u8]) -> Result<(), Fault> {
        let request = Request::read(text)?;
        // What can't be read later would be in the way of whoever lists what waits.
        extensions::check_signs(&request.alternative_names()?)?;
        let held = self.layout().lock()?;
        self.check_duplicates(&request.name)?;
        names::check(name, &request.name)?;
        self.check_room()?;
        let text = request.text()?;
        self.layout().write(&self.layout().request(name), &text, PUBLIC)?;
        // A program may take its time, and others need not wait for it.
        drop(held);
        let decision = self.settings().autosign.decide(name, &text)?;
        decision.told.iter().for_each(|(level, message)| self.say(level, message));
        if !decision.signs {
            return Ok(());
        }
        let held = self.layout().lock()?;
        // Somebody may have signed or removed it in the meantime.
        if directory::bytes_if_there(&self.layout().request(name))?.as_deref() != Some(text.as_bytes()) {
            return Ok(());
        }
        request.check(self.settings().allowed)?;
        self.grant(&held, &request, self.settings().to_live).map(drop)
    }

    /// Anybody may send requests; so that nobody fills the disk with them, so many wait at most.
    fn check_room(&self) -> Result<(), Fault> {
        let folder = &self.layout().requests;
        let failed = |error| Fault::Failed(format!("{} can't be read: {error}", folder.display()));
        match std::fs::read_dir(folder).map_err(failed)?.take(MAX_WAITING).count() {
            MAX_WAITING => {
                Err(Fault::Refused(format!("{MAX_WAITING} certificate requests wait; no more are taken")))
            }
            _ => Ok(()),
        }
    }

    fn check_duplicates(&self, name: &str) -> Result<(), Fault> {
        let state = match (self.has_certificate(name), self.has_request(name)) {
            (true, _) => {
                let serial = self.signed(name)?.tbs_certificate.serial_number;
                match self.lists()?.has(&self.issuer()?, &serial)? {
                    true => "revoked",
                    false => "signed",
                }
            }
            (false, true) => "requested",
            (false, false) => return Ok(()),
        };
        if self.settings().duplicates {
            let message =
                format!("{name} already has a {state} certificate; new certificate will overwrite it");
            self.say("info", &message);
            return Ok(());
        }
        Err(Fault::Refused(format!("{name} already has a {state} certificate; ignoring certificate request")))
    }

    /// A node's request, read.
    ///
    /// # Errors
    /// When there is none, or it can't be read.
    pub fn requested(&self, name: &str) -> Result<Request, Fault> {
        Request::read(&self.request(name)?)
    }

    /// Whether a request that waits may be signed.
    ///
    /// # Errors
    /// Why it may not.
    pub fn check(&self, name: &str) -> Result<(), Fault> {
        let request = self.requested(name)?;
        names::check(name, &request.name)?;
        request.check(self.settings().allowed)
    }

    /// Signs a request that waits, for so many seconds, or for as long as `ca_ttl` says.
    ///
    /// # Errors
    /// When there is none, or it may not be signed.
    pub fn sign(&self, name: &str, to_live: Option<u64>) -> Result<Certificate, Fault> {
        let held = self.layout().lock()?;
        let request = self.requested(name)?;
        names::check(name, &request.name)?;
        request.check(self.settings().allowed)?;
        self.grant(&held, &request, to_live.unwrap_or(self.settings().to_live))
    }

    /// Signs a request that was checked, and removes it.
    fn grant(&self, held: &Held, request: &Request, to_live: u64) -> Result<Certificate, Fault> {
        let (key, more) = (request.key.clone(), request.granted()?);
        let certificate = self.issue(held, &request.name, key, more, to_live)?;
        self.layout().remove(&self.layout().request(&request.name))?;
        self.say("info", &format!("Signed certificate request for {}", request.name));
        Ok(certificate)
    }
}
