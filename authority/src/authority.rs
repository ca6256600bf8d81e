//! An authority at work: requests that come, certificates that are signed, renewed, revoked and removed. Nothing is kept between two
//! questions: the files say what is so.

use crate::certificates::{Ask, Issuer};
use crate::directory::{self, Held, Layout, PUBLIC};
use crate::fault::Fault;
use crate::issued;
use crate::lists::Lists;
use crate::names;
use crate::oids;
use crate::pem;
use crate::settings::Settings;
use crate::times;
use der::Decode;
use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;
use std::time::SystemTime;
use x509_cert::Certificate;
use x509_cert::ext::Extension;
use x509_cert::spki::SubjectPublicKeyInfoOwned;

/// Where is told what is done: a level as Puppet has them, and words.
pub type Tell = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// An authority.
#[derive(Clone)]
pub struct Authority {
    settings: Settings,
    tell: Tell,
}

impl Debug for Authority {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.debug_struct("Authority").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Authority {
    /// Opens one whose files are there and can be read.
    ///
    /// # Errors
    /// When there is none, or some of its files are missing, or damaged.
    pub fn open(settings: Settings, tell: Tell) -> Result<Authority, Fault> {
        if !settings.layout.is_there()? {
            let folder = settings.layout.folder.display();
            return Err(Fault::Missing(format!(
                "There is no authority in {folder}: `bunraku ca init` makes one"
            )));
        }
        settings.layout.complete()?;
        let authority = Authority { settings, tell };
        let issuer = authority.issuer()?;
        authority.lists()?.own(&issuer)?;
        Ok(authority)
    }

    /// What is in force.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.settings.layout
    }

    pub(crate) fn say(&self, level: &str, message: &str) {
        (self.tell)(level, message);
    }

    /// Its certificate and key.
    ///
    /// # Errors
    /// When they can't be read.
    pub fn issuer(&self) -> Result<Issuer, Fault> {
        let key = directory::bytes(&self.layout().key)?;
        let file = &self.layout().certificate;
        directory::read_as(file, |certificates| Issuer::read(certificates, &key))
    }

    /// Who is revoked.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn lists(&self) -> Result<Lists, Fault> {
        directory::read_as(&self.layout().lists, Lists::read)
    }

    /// The text of a node's certificate, or of the authority's own, which is called `ca`.
    ///
    /// # Errors
    /// When there is none.
    pub fn certificate(&self, name: &str) -> Result<Vec<u8>, Fault> {
        match name {
            "ca" => directory::bytes(&self.layout().certificate),
            name => self.text_of_node(name),
        }
    }

    /// The text of a node's certificate; of a node that is called `ca`, too.
    fn text_of_node(&self, name: &str) -> Result<Vec<u8>, Fault> {
        let found = match names::is_certname(name) {
            true => directory::bytes_if_there(&self.layout().signed(name))?,
            false => None,
        };
        found.ok_or_else(|| Fault::Missing(format!("Could not find certificate {name}")))
    }

    /// The text of a node's request.
    ///
    /// # Errors
    /// When there is none.
    pub fn request(&self, name: &str) -> Result<Vec<u8>, Fault> {
        let found = match names::is_certname(name) {
            true => directory::bytes_if_there(&self.layout().request(name))?,
            false => None,
        };
        found.ok_or_else(|| Fault::Missing(format!("Could not find certificate_request {name}")))
    }

    /// The text of the revocation lists, and when they were written.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn list_text(&self) -> Result<(Vec<u8>, SystemTime), Fault> {
        let file = &self.layout().lists;
        let failed = |error| Fault::Failed(format!("{} can't be read: {error}", file.display()));
        let written = std::fs::metadata(file).and_then(|found| found.modified()).map_err(failed)?;
        Ok((directory::bytes(file)?, written))
    }

    /// Whether a node has a certificate, revoked or not.
    pub fn has_certificate(&self, name: &str) -> bool {
        names::is_certname(name) && self.layout().signed(name).exists()
    }

    /// Whether a request of a node waits.
    pub fn has_request(&self, name: &str) -> bool {
        names::is_certname(name) && self.layout().request(name).exists()
    }

    /// A node's certificate.
    ///
    /// # Errors
    /// When there is none, or it can't be read.
    pub fn signed(&self, name: &str) -> Result<Certificate, Fault> {
        let text = self.text_of_node(name)?;
        let wrong = |fault| Fault::Failed(format!("{}: {fault}", self.layout().signed(name).display()));
        let all = pem::certificates(&text).map_err(wrong)?;
        all.into_iter().next().ok_or_else(|| Fault::Missing(format!("Could not find certificate {name}")))
    }

    /// Signs a key for a name, with no request; `more` are alternative names and Puppet's extensions. Whoever asks holds the lock.
    ///
    /// # Errors
    /// When it can't be signed or written.
    pub fn issue(
        &self,
        _held: &Held,
        name: &str,
        key: SubjectPublicKeyInfoOwned,
        more: Vec<Extension>,
        to_live: u64,
    ) -> Result<Certificate, Fault> {
        issue(&self.settings.layout, &self.issuer()?, name, key, more, to_live)
    }

    /// The folder's lock.
    ///
    /// # Errors
    /// When the folder is not there.
    pub fn lock(&self) -> Result<Held, Fault> {
        self.layout().lock()
    }

    /// Signs a node's own key once more. The certificate that it shows has to be the last that it was given, not revoked.
    ///
    /// # Errors
    /// When it is not; when certificates are not renewed here.
    pub fn renew(&self, shown: &[u8]) -> Result<Certificate, Fault> {
        let Some(to_live) = self.settings.renewal else { return Err(Fault::Missing("Not Found".to_owned())) };
        let refused = || Fault::Refused("Certificate present, but does not match signature".to_owned());
        let certificate = Certificate::from_der(shown).map_err(|_| refused())?;
        let tbs = &certificate.tbs_certificate;
        let name = crate::certificates::first_common_name(&tbs.subject).ok_or_else(refused)?;
        let held = self.layout().lock()?;
        let issuer = self.issuer()?;
        let is_last = self.has_certificate(&name) && self.signed(&name)? == certificate;
        if !is_last || !issuer.has_signed(&certificate) || self.lists()?.has(&issuer, &tbs.serial_number)? {
            return Err(refused());
        }
        let kept = tbs.extensions.iter().flatten().filter(|one| {
            one.extn_id == oids::ALTERNATIVE_NAMES
                || ['1', '2', '3'].iter().any(|b| oids::is_of(&one.extn_id, *b))
        });
        let (key, kept) = (tbs.subject_public_key_info.clone(), kept.cloned().collect());
        let renewed = self.issue(&held, &name, key, kept, to_live)?;
        self.say("info", &format!("Renewed certificate of {name}"));
        Ok(renewed)
    }

    /// Whether a server may pass on the certificates of others, to have them renewed: `infra_inventory.txt` has a line with its name.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn passes_on(&self, server: &str) -> Result<bool, Fault> {
        let listed =
            directory::bytes_if_there(&self.layout().infra("infra_inventory.txt"))?.unwrap_or_default();
        Ok(String::from_utf8_lossy(&listed).lines().any(|line| line.trim() == server))
    }

    /// Revokes the certificates of nodes, those that were renewed before included; they stay where they are.
    ///
    /// # Errors
    /// When a node has none, or has another authority's.
    pub fn revoke(&self, names: &[&str]) -> Result<(), Fault> {
        let _held = self.layout().lock()?;
        let (issuer, mut lists) = (self.issuer()?, self.lists()?);
        let mut serials = Vec::new();
        for name in names {
            let tbs = self.signed(name)?.tbs_certificate;
            if &tbs.issuer != issuer.name() {
                let message = format!("The certificate of {name} is another authority's");
                return Err(Fault::Refused(message));
            }
            serials.push(tbs.serial_number);
            serials.extend(issued::numbers_of(self.layout(), name)?);
        }
        match lists.revoke(&issuer, &serials)? {
            true => {
                self.put_lists(&lists)?;
                let count = names.len();
                let noun = if count == 1 { "certificate" } else { "certificates" };
                self.say("info", &format!("Revoked {count} {noun}: {}", names.join(", ")));
            }
            false => self.say("info", "No revoke action needed. The certs are already in the CRL."),
        }
        Ok(())
    }

    /// Renews its own revocation list, whoever is on it.
    ///
    /// # Errors
    /// When it can't be read, signed or written.
    pub fn renew_list(&self) -> Result<(), Fault> {
        self.renew_list_if(|_, _| Ok(true))
    }

    /// Renews its own revocation list where it is out of date, or soon will be: as Puppet Server 8 does once a day.
    ///
    /// # Errors
    /// As of [`Authority::renew_list`].
    pub fn renew_list_in_time(&self) -> Result<(), Fault> {
        self.renew_list_if(|lists, issuer| lists.ends_within(issuer, times::SOON))
    }

    fn renew_list_if(
        &self,
        is_due: impl FnOnce(&Lists, &Issuer) -> Result<bool, Fault>,
    ) -> Result<(), Fault> {
        let _held = self.layout().lock()?;
        let (issuer, mut lists) = (self.issuer()?, self.lists()?);
        if is_due(&lists, &issuer)? {
            lists.renew(&issuer)?;
            self.put_lists(&lists)?;
            self.say("notice", "The authority's revocation list was renewed");
        }
        Ok(())
    }

    /// Takes in newer revocation lists of the authorities above this one.
    ///
    /// # Errors
    /// When there is none in the text, or one is refused.
    pub fn update_lists(&self, text: &[u8]) -> Result<(), Fault> {
        let incoming =
            Lists::read(text).map_err(|_| Fault::Refused("No valid CRLs submitted.".to_owned()))?;
        let _held = self.layout().lock()?;
        let (issuer, mut lists) = (self.issuer()?, self.lists()?);
        lists.update(&issuer, incoming)?;
        self.put_lists(&lists)
    }

    fn put_lists(&self, lists: &Lists) -> Result<(), Fault> {
        put_lists(&self.settings, lists)
    }

    /// Removes a node's certificate; whether there was one. It is not revoked by that.
    ///
    /// # Errors
    /// When it can't be removed.
    pub fn remove_certificate(&self, name: &str) -> Result<bool, Fault> {
        let _held = self.layout().lock()?;
        Ok(names::is_certname(name) && self.layout().remove(&self.layout().signed(name))?)
    }

    /// Removes a node's request; whether there was one.
    ///
    /// # Errors
    /// When it can't be removed.
    pub fn remove_request(&self, name: &str) -> Result<bool, Fault> {
        let _held = self.layout().lock()?;
        Ok(names::is_certname(name) && self.layout().remove(&self.layout().request(name))?)
    }
}

/// Signs a key for a name and writes what that leaves: the next number, the inventory, the certificate. Whoever asks holds the lock.
///
/// # Errors
/// When it can't be signed or written.
pub(crate) fn issue(
    layout: &Layout,
    issuer: &Issuer,
    name: &str,
    key: SubjectPublicKeyInfoOwned,
    more: Vec<Extension>,
    to_live: u64,
) -> Result<Certificate, Fault> {
    let extensions = crate::extensions::of_node(&key, &issuer.certificate, more)?;
    let serial = issued::next(layout)?;
    let certificate = issuer.sign(&Ask { name: name.to_owned(), key, serial, to_live, extensions })?;
    issued::note(layout, &certificate)?;
    layout.write(&layout.signed(name), &pem::text(pem::CERTIFICATE, &certificate)?, PUBLIC)?;
    Ok(certificate)
}

/// Writes the revocation lists, and this machine's copy of them (`hostcrl`), as Puppet Server keeps one.
///
/// # Errors
/// When one of them can't be written.
pub(crate) fn put_lists(settings: &Settings, lists: &Lists) -> Result<(), Fault> {
    let (layout, text) = (&settings.layout, lists.text()?);
    layout.write(&layout.lists, &text, PUBLIC)?;
    let copy = &settings.own.lists;
    let is_one = || layout.lists.canonicalize().ok() == copy.canonicalize().ok();
    match copy.parent() {
        Some(folder) if folder.is_dir() && !is_one() => layout.write(copy, &text, PUBLIC),
        _ => Ok(()),
    }
}
