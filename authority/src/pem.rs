//! Texts of keys, certificates, requests and lists.

use crate::fault::Fault;
use der::pem::LineEnding;
use der::{Decode, Encode};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, CertificateSigningRequestDer};
use x509_cert::Certificate;
use x509_cert::crl::CertificateList;

/// Certificates, as a file names them.
pub const CERTIFICATE: &str = "CERTIFICATE";
/// Requests.
pub const REQUEST: &str = "CERTIFICATE REQUEST";
/// Lists of revoked certificates.
pub const LIST: &str = "X509 CRL";
/// Private keys, of any kind.
pub const PRIVATE_KEY: &str = "PRIVATE KEY";
/// Public keys.
pub const PUBLIC_KEY: &str = "PUBLIC KEY";

/// The text of something.
///
/// # Errors
/// When it can't be encoded.
pub fn text(label: &str, what: &impl Encode) -> Result<String, Fault> {
    text_of(label, &what.to_der()?)
}

/// The text of what is encoded already.
///
/// # Errors
/// When the label is none.
pub fn text_of(label: &str, der: &[u8]) -> Result<String, Fault> {
    der::pem::encode_string(label, LineEnding::LF, der)
        .map_err(|error| Fault::Failed(format!("PEM can't be written: {error}")))
}

/// All certificates of a text; there is one, at least.
///
/// # Errors
/// When there is none, or one can't be read.
pub fn certificates(text: &[u8]) -> Result<Vec<Certificate>, Fault> {
    let blocks = CertificateDer::pem_slice_iter(text).map(|block| Ok(block?.to_vec()));
    all(blocks, "certificate")
}

/// All lists of a text; there is one, at least.
///
/// # Errors
/// As of [`certificates`].
pub fn lists(text: &[u8]) -> Result<Vec<CertificateList>, Fault> {
    let blocks = CertificateRevocationListDer::pem_slice_iter(text).map(|block| Ok(block?.to_vec()));
    all(blocks, "revocation list")
}

/// The first request of a text, as DER.
///
/// # Errors
/// When there is none.
pub fn request(text: &[u8]) -> Result<Vec<u8>, Fault> {
    let first = CertificateSigningRequestDer::from_pem_slice(text);
    first
        .map(|request| request.to_vec())
        .map_err(|error| Fault::Refused(format!("The certificate request can't be read: {error}")))
}

fn all<T: for<'any> Decode<'any>>(
    blocks: impl Iterator<Item = Result<Vec<u8>, rustls::pki_types::pem::Error>>,
    what: &str,
) -> Result<Vec<T>, Fault> {
    let wrong = |why: &dyn std::fmt::Display| Fault::Failed(format!("a {what} can't be read: {why}"));
    let mut found = Vec::new();
    for block in blocks {
        let block = block.map_err(|error| wrong(&error))?;
        found.push(T::from_der(&block).map_err(|error| wrong(&error))?);
    }
    match found.is_empty() {
        true => Err(Fault::Failed(format!("there is no {what} in it"))),
        false => Ok(found),
    }
}
