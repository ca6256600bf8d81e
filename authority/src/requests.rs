//! Requests for certificates: what they ask for, and whether they may. Source: Puppet Server 7.9.5, whose words these are.
//!
//! What is refused here and not there: alternative names that are neither DNS names nor addresses, or have a wildcard, even where
//! alternative names are allowed; extensions that are asked for twice; keys too short to be checked. And no more requests wait at
//! once than [`crate::authority`] has room for.

use crate::certificates::first_common_name;
use crate::extensions;
use crate::fault::Fault;
use crate::keys;
use crate::oids;
use crate::pem;
use der::asn1::BitString;
use der::{AnyRef, Decode, Encode, Sequence};
use x509_cert::attr::Attributes;
use x509_cert::ext::Extension;
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::name::Name;
use x509_cert::spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned};

/// A request, read.
#[derive(Clone, Debug)]
pub struct Request {
    der: Vec<u8>,
    /// The first common name; empty where there is none.
    pub name: String,
    /// The key that is to be certified.
    pub key: SubjectPublicKeyInfoOwned,
    /// The extensions that are asked for.
    pub extensions: Vec<Extension>,
}

/// What requests may ask for besides a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allowed {
    /// Alternative names: `allow-subject-alt-names`.
    pub names: bool,
    /// Extensions for authorisation: `allow-authorization-extensions`.
    pub authorization: bool,
}

/// The outer form. What is signed is kept as it came.
#[derive(Sequence)]
struct Outer<'a> {
    info: AnyRef<'a>,
    algorithm: AlgorithmIdentifierOwned,
    signature: BitString,
}

/// What is signed. Some tools write another version than there is.
#[derive(Sequence)]
struct Info {
    version: u8,
    subject: Name,
    key: SubjectPublicKeyInfoOwned,
    #[asn1(context_specific = "0", tag_mode = "IMPLICIT", optional = "true")]
    attributes: Option<Attributes>,
}

impl Request {
    /// Reads the first request of a text.
    ///
    /// # Errors
    /// When there is none, or it is damaged.
    pub fn read(text: &[u8]) -> Result<Request, Fault> {
        let der = pem::request(text)?;
        let damaged =
            |error: der::Error| Fault::Refused(format!("The certificate request can't be read: {error}"));
        let outer = Outer::from_der(&der).map_err(damaged)?;
        let info = Info::from_der(&outer.info.to_der()?).map_err(damaged)?;
        let mut extensions = Vec::new();
        let attributes = info.attributes.iter().flat_map(|all| all.iter());
        for attribute in attributes.filter(|attribute| attribute.oid == oids::REQUESTED) {
            for value in attribute.values.iter() {
                extensions.extend(Vec::<Extension>::from_der(&value.to_der()?).map_err(damaged)?);
            }
        }
        let name = first_common_name(&info.subject).unwrap_or_default();
        Ok(Request { name, key: info.key, extensions, der })
    }

    /// As it was encoded.
    pub fn der(&self) -> &[u8] {
        &self.der
    }

    /// As a text.
    ///
    /// # Errors
    /// When it can't be encoded.
    pub fn text(&self) -> Result<String, Fault> {
        pem::text_of(pem::REQUEST, &self.der)
    }

    /// The alternative names that are asked for.
    ///
    /// # Errors
    /// When they can't be read.
    pub fn alternative_names(&self) -> Result<Vec<GeneralName>, Fault> {
        alternative_names(&self.extensions)
    }

    /// Whether it may be signed: its extensions, in Puppet Server's order, and that whoever sends it has the key.
    ///
    /// # Errors
    /// Why it may not.
    pub fn check(&self, allowed: Allowed) -> Result<(), Fault> {
        self.check_alternative_names(allowed)?;
        let authorizes = |extension: &Extension| oids::is_of(&extension.extn_id, '3');
        if !allowed.authorization && self.extensions.iter().any(authorizes) {
            return Err(Fault::Refused(format!(
                "CSR '{}' contains an authorization extension, which is disallowed. To allow authorization extensions, set \
                 allow-authorization-extensions to true in your ca.conf file. Then restart the puppetserver and try signing \
                 this certificate again.",
                self.name
            )));
        }
        let known = |extension: &&Extension| {
            let number = &extension.extn_id;
            *number != oids::ALTERNATIVE_NAMES
                && (*number == oids::CLI_AUTH || !['1', '2', '3'].iter().any(|b| oids::is_of(number, *b)))
        };
        let wrong: Vec<String> =
            self.extensions.iter().filter(known).map(|extension| extension.extn_id.to_string()).collect();
        if !wrong.is_empty() {
            let message = format!("Found extensions that are not permitted: {}", wrong.join(", "));
            return Err(Fault::Refused(message));
        }
        for (place, extension) in self.extensions.iter().enumerate() {
            if self.extensions.iter().take(place).any(|before| before.extn_id == extension.extn_id) {
                let message = format!("The extension {} is asked for twice", extension.extn_id);
                return Err(Fault::Refused(message));
            }
        }
        self.check_signature()
    }

    fn check_alternative_names(&self, allowed: Allowed) -> Result<(), Fault> {
        let names = self.alternative_names()?;
        // Also of a request that was laid there by hand, or before this was asked of those that come.
        extensions::check_signs(&names)?;
        let shown = extensions::shown(&names);
        let own = format!("DNS:{}", self.name);
        let others: Vec<&str> = shown.iter().map(String::as_str).filter(|name| *name != own).collect();
        if !allowed.names && !others.is_empty() {
            return Err(Fault::Refused(format!(
                "CSR '{}' contains extra subject alternative names ({}), which are disallowed. To allow subject alternative \
                 names, set allow-subject-alt-names to true in your ca.conf file. Then restart the puppetserver and try \
                 signing this certificate again.",
                self.name,
                others.join(", ")
            )));
        }
        if shown.len() != names.len() {
            let why = "Only DNS and IP names are allowed in the Subject Alternative Names extension";
            return Err(Fault::Refused(why.to_owned()));
        }
        names.iter().try_for_each(|name| match name {
            GeneralName::DnsName(text) => extensions::check_alternative(text.as_str()),
            _ => Ok(()),
        })
    }

    fn check_signature(&self) -> Result<(), Fault> {
        let outer = Outer::from_der(&self.der)?;
        if let Some(what) = keys::unsupported(&self.key, &outer.algorithm) {
            return Err(Fault::Refused(format!("CSR '{}' has {what}, which is not supported", self.name)));
        }
        let signed = outer.info.to_der()?;
        match keys::is_signed_by(&self.key, &outer.algorithm, &signed, &outer.signature) {
            true => Ok(()),
            false => {
                let why = "CSR contains a public key that does not correspond to the signing key";
                Err(Fault::Refused(why.to_owned()))
            }
        }
    }

    /// The extensions that its certificate gets: those it asks for, its name among the alternative ones.
    ///
    /// # Errors
    /// When they can't be read or written.
    pub fn granted(&self) -> Result<Vec<Extension>, Fault> {
        let mut names = extensions::shown(&self.alternative_names()?);
        let own = format!("DNS:{}", self.name);
        if !names.contains(&own) {
            names.push(own);
        }
        let others = self.extensions.iter().filter(|one| one.extn_id != oids::ALTERNATIVE_NAMES);
        let mut granted: Vec<Extension> = others.cloned().collect();
        granted.push(extensions::alternative_names(names.iter().map(String::as_str))?);
        Ok(granted)
    }
}

/// The alternative names among extensions.
///
/// # Errors
/// When they can't be read.
pub fn alternative_names(extensions: &[Extension]) -> Result<Vec<GeneralName>, Fault> {
    let mut all = Vec::new();
    for extension in extensions.iter().filter(|one| one.extn_id == oids::ALTERNATIVE_NAMES) {
        let read = SubjectAltName::from_der(extension.extn_value.as_bytes());
        let wrong = |error| Fault::Refused(format!("The alternative names can't be read: {error}"));
        all.extend(read.map_err(wrong)?.0);
    }
    Ok(all)
}
