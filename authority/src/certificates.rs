//! Certificates: what an authority signs, with its own certificate and key.

use crate::extensions;
use crate::fault::Fault;
use crate::keys::{self, Key};
use crate::oids;
use crate::pem;
use crate::times;
use der::asn1::{Any, BitString, SetOfVec};
use der::{AnyRef, Encode, Tag, Tagged};
use x509_cert::attr::AttributeTypeAndValue;
use x509_cert::crl::CertificateList;
use x509_cert::ext::Extension;
use x509_cert::name::{Name, RdnSequence, RelativeDistinguishedName};
use x509_cert::serial_number::SerialNumber;
use x509_cert::spki::SubjectPublicKeyInfoOwned;
use x509_cert::time::Validity;
use x509_cert::{Certificate, TbsCertificate, Version};

/// What a certificate is to say.
pub struct Ask {
    /// Whose it is: the one common name.
    pub name: String,
    /// The key.
    pub key: SubjectPublicKeyInfoOwned,
    /// The number.
    pub serial: u64,
    /// For how many seconds it is good; it is so from a day ago, for clocks that are behind.
    pub to_live: u64,
    /// What it says besides.
    pub extensions: Vec<Extension>,
}

/// An authority's certificate with its key, and the certificates of those above it.
pub struct Issuer {
    /// Its own certificate.
    pub certificate: Certificate,
    /// All certificates of its file, in order: its own among them.
    pub bundle: Vec<Certificate>,
    /// Its key.
    pub key: Key,
}

/// A name that is one common name.
///
/// # Errors
/// When it is too long.
pub fn common_name(name: &str) -> Result<Name, Fault> {
    let value = Any::new(Tag::Utf8String, name.as_bytes())?;
    let part = AttributeTypeAndValue { oid: oids::COMMON_NAME, value };
    Ok(RdnSequence(vec![RelativeDistinguishedName(SetOfVec::try_from(vec![part])?)]))
}

/// The first common name of a name.
pub fn first_common_name(name: &Name) -> Option<String> {
    let mut parts = name.0.iter().flat_map(|part| part.0.iter());
    let found = parts.find(|part| part.oid == oids::COMMON_NAME)?;
    text((&found.value).into())
}

/// A text of the kinds that names are written in.
fn text(value: AnyRef<'_>) -> Option<String> {
    match value.tag() {
        Tag::Utf8String | Tag::PrintableString | Tag::Ia5String | Tag::TeletexString => {
            std::str::from_utf8(value.value()).ok().map(str::to_owned)
        }
        _ => None,
    }
}

impl Issuer {
    /// Reads an authority: of several certificates, its own is the one that its key fits.
    ///
    /// # Errors
    /// When a text can't be read, or the key fits none.
    pub fn read(certificates: &[u8], key: &[u8]) -> Result<Issuer, Fault> {
        let (bundle, key) = (pem::certificates(certificates)?, Key::read(key)?);
        let own = bundle.iter().find(|one| &one.tbs_certificate.subject_public_key_info == key.public());
        match own.cloned() {
            Some(certificate) => Ok(Issuer { certificate, bundle, key }),
            None => Err(Fault::Failed("Could not find certificate matching private key".to_owned())),
        }
    }

    /// One that signs itself.
    ///
    /// # Errors
    /// When the key can't sign.
    pub fn of_itself(name: &str, key: Key, serial: u64, to_live: u64) -> Result<Issuer, Fault> {
        let extensions = extensions::of_authority(key.public())?;
        let ask = Ask { name: name.to_owned(), key: key.public().clone(), serial, to_live, extensions };
        let certificate = signed(&ask, common_name(name)?, &key)?;
        Ok(Issuer { bundle: vec![certificate.clone()], certificate, key })
    }

    /// Signs what is asked for, by this authority.
    ///
    /// # Errors
    /// When something can't be encoded, or the key can't sign.
    pub fn sign(&self, ask: &Ask) -> Result<Certificate, Fault> {
        signed(ask, self.name().clone(), &self.key)
    }

    /// Its name.
    pub fn name(&self) -> &Name {
        &self.certificate.tbs_certificate.subject
    }

    /// Who of the bundle has signed a list, if its signature is good.
    pub fn signer_of(&self, list: &CertificateList) -> Option<&Certificate> {
        let bytes = list.tbs_cert_list.to_der().ok()?;
        self.bundle.iter().find(|one| {
            let tbs = &one.tbs_certificate;
            let key = &tbs.subject_public_key_info;
            tbs.subject == list.tbs_cert_list.issuer
                && keys::is_signed_by(key, &list.signature_algorithm, &bytes, &list.signature)
        })
    }

    /// Whether a certificate is by this authority.
    pub fn has_signed(&self, certificate: &Certificate) -> bool {
        &certificate.tbs_certificate.issuer == self.name() && is_signed_by(certificate, self.key.public())
    }
}

/// Whether a certificate's signature is by a key.
pub fn is_signed_by(certificate: &Certificate, key: &SubjectPublicKeyInfoOwned) -> bool {
    let bytes = certificate.tbs_certificate.to_der();
    bytes.is_ok_and(|bytes| {
        keys::is_signed_by(key, &certificate.signature_algorithm, &bytes, &certificate.signature)
    })
}

fn signed(ask: &Ask, issuer: Name, key: &Key) -> Result<Certificate, Fault> {
    let now = times::now();
    let validity = Validity {
        not_before: times::of_certificate(now.saturating_sub(times::DAY))?,
        not_after: times::of_certificate(now.saturating_add(ask.to_live.min(times::LONGEST)))?,
    };
    let tbs_certificate = TbsCertificate {
        version: Version::V3,
        serial_number: SerialNumber::from(ask.serial),
        signature: key.algorithm().clone(),
        issuer,
        validity,
        subject: common_name(&ask.name)?,
        subject_public_key_info: ask.key.clone(),
        issuer_unique_id: None,
        subject_unique_id: None,
        extensions: Some(ask.extensions.clone()),
    };
    let signature: BitString = key.sign(&tbs_certificate)?;
    Ok(Certificate { tbs_certificate, signature_algorithm: key.algorithm().clone(), signature })
}
