//! What there is to be said of certificates and requests, in the form of Puppet Server's answers.

use crate::authority::Authority;
use crate::certificates::first_common_name;
use crate::extensions;
use crate::fault::Fault;
use crate::issued;
use crate::names;
use crate::oids;
use crate::requests;
use crate::times;
use der::Encode;
use serde_json::{Map, Value, json};
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};
use std::path::Path;
use x509_cert::Certificate;
use x509_cert::ext::Extension;

/// Which state something is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// A request that waits.
    Requested,
    /// A certificate that is good.
    Signed,
    /// A certificate that was revoked.
    Revoked,
}

impl State {
    /// All of them, in the order of lists.
    pub const ALL: [State; 3] = [State::Requested, State::Signed, State::Revoked];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            State::Requested => "requested",
            State::Signed => "signed",
            State::Revoked => "revoked",
        }
    }
}

/// A certificate or request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The node.
    pub name: String,
    /// Its state.
    pub state: State,
    /// Its alternative names, with their kinds.
    pub alternative_names: Vec<String>,
    /// Extensions for authorisation, by their names.
    pub authorization: Vec<(String, String)>,
    /// Hashes, of SHA-1, SHA-256 and SHA-512.
    pub fingerprints: [String; 3],
    /// Of a certificate: until and from when it is good, and its number.
    pub details: Option<(String, String, Value)>,
}

impl Status {
    /// The form of answers.
    pub fn to_json(&self) -> Value {
        let dns: Vec<&String> =
            self.alternative_names.iter().filter(|name| name.starts_with("DNS:")).collect();
        let authorization: Map<String, Value> =
            self.authorization.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        let [sha1, sha256, sha512] = &self.fingerprints;
        let mut status = json!({
            "name": self.name, "state": self.state.name(), "dns_alt_names": dns,
            "subject_alt_names": self.alternative_names, "authorization_extensions": authorization,
            "fingerprint": sha256,
            "fingerprints": {"SHA1": sha1, "SHA256": sha256, "SHA512": sha512, "default": sha256},
        });
        if let (Some((until, from, serial)), Some(all)) = (&self.details, status.as_object_mut()) {
            all.insert("not_after".to_owned(), json!(until));
            all.insert("not_before".to_owned(), json!(from));
            all.insert("serial_number".to_owned(), serial.clone());
        }
        status
    }
}

impl Authority {
    /// What is to be said of a node: of its certificate, or of its request where there is none.
    ///
    /// # Errors
    /// When there is neither, or it can't be read.
    pub fn status(&self, name: &str) -> Result<Status, Fault> {
        match self.has_certificate(name) {
            true => {
                let revoked = self.revoked()?;
                of_certificate(name, &self.signed(name)?, &revoked)
            }
            false => self.status_of_request(name),
        }
    }

    /// All requests and certificates of the states that are wanted; requests first, each by name.
    ///
    /// # Errors
    /// When a folder can't be read, or the revocation list.
    pub fn statuses(&self, wanted: &[State]) -> Result<Vec<Status>, Fault> {
        let mut all = Vec::new();
        let layout = &self.settings().layout;
        if wanted.contains(&State::Requested) {
            for name in names_in(&layout.requests)? {
                all.extend(self.if_readable(&name, self.status_of_request(&name)));
            }
        }
        if wanted.iter().any(|state| *state != State::Requested) {
            let revoked = self.revoked()?;
            for name in names_in(&layout.signed)? {
                let status = self.signed(&name).and_then(|signed| of_certificate(&name, &signed, &revoked));
                let status = self.if_readable(&name, status);
                all.extend(status.filter(|status| wanted.contains(&status.state)));
            }
        }
        Ok(all)
    }

    /// A status; none where the file has gone in the meantime. One that can't be read is told of, and in nobody's way.
    fn if_readable(&self, name: &str, status: Result<Status, Fault>) -> Option<Status> {
        match status {
            Ok(status) => Some(status),
            Err(Fault::Missing(_)) => None,
            Err(fault) => {
                self.say("err", &format!("{name} is left out of the list: {fault}"));
                None
            }
        }
    }

    fn status_of_request(&self, name: &str) -> Result<Status, Fault> {
        let request = self.requested(name)?;
        Ok(Status {
            name: name.to_owned(),
            state: State::Requested,
            alternative_names: extensions::shown(&request.alternative_names()?),
            authorization: authorization(&request.extensions),
            fingerprints: fingerprints(request.der()),
            details: None,
        })
    }

    /// The numbers of all that are revoked.
    fn revoked(&self) -> Result<std::collections::BTreeSet<Vec<u8>>, Fault> {
        let (issuer, lists) = (self.issuer()?, self.lists()?);
        let own = lists.own(&issuer)?.tbs_cert_list.revoked_certificates.iter().flatten();
        Ok(own.map(|one| one.serial_number.as_bytes().to_vec()).collect())
    }

    /// Until when the authority's certificates and lists are good.
    ///
    /// # Errors
    /// When they can't be read.
    pub fn expirations(&self) -> Result<Value, Fault> {
        let mut certificates = Map::new();
        for one in self.issuer()?.bundle {
            let tbs = one.tbs_certificate;
            if let Some(name) = first_common_name(&tbs.subject) {
                certificates.insert(name, json!(times::text(&tbs.validity.not_after)));
            }
        }
        let lists: Map<String, Value> =
            self.lists()?.expirations().into_iter().map(|(name, until)| (name, json!(until))).collect();
        Ok(json!({"ca-certs": certificates, "crls": lists}))
    }
}

fn of_certificate(
    name: &str,
    certificate: &Certificate,
    revoked: &std::collections::BTreeSet<Vec<u8>>,
) -> Result<Status, Fault> {
    let tbs = &certificate.tbs_certificate;
    let extensions = tbs.extensions.clone().unwrap_or_default();
    let state = match revoked.contains(tbs.serial_number.as_bytes()) {
        true => State::Revoked,
        false => State::Signed,
    };
    let hex = || tbs.serial_number.as_bytes().iter().map(|byte| format!("{byte:02X}")).collect::<String>();
    // Numbers larger than any that is given here are told as texts.
    let serial =
        issued::serial(certificate).map_or_else(|| json!(format!("0x{}", hex())), |serial| json!(serial));
    let validity = &tbs.validity;
    Ok(Status {
        name: name.to_owned(),
        state,
        alternative_names: extensions::shown(&requests::alternative_names(&extensions)?),
        authorization: authorization(&extensions),
        fingerprints: fingerprints(&certificate.to_der()?),
        details: Some((times::text(&validity.not_after), times::text(&validity.not_before), serial)),
    })
}

fn authorization(extensions: &[Extension]) -> Vec<(String, String)> {
    let ours = extensions.iter().filter(|one| oids::is_of(&one.extn_id, '3'));
    ours.map(|one| {
        let number = one.extn_id.to_string();
        (oids::name(&number).map_or(number, str::to_owned), extensions::text(one))
    })
    .collect()
}

fn fingerprints(der: &[u8]) -> [String; 3] {
    let shown = |hash: &[u8]| hash.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(":");
    [shown(&Sha1::digest(der)), shown(&Sha256::digest(der)), shown(&Sha512::digest(der))]
}

/// The nodes that a folder has files of, by name.
fn names_in(folder: &Path) -> Result<Vec<String>, Fault> {
    let failed = |error| Fault::Failed(format!("{} can't be read: {error}", folder.display()));
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        let name = name.to_str().and_then(|name| name.strip_suffix(".pem"));
        all.extend(name.filter(|name| names::is_certname(name)).map(str::to_owned));
    }
    all.sort_unstable();
    Ok(all)
}
