//! Who a client is: what its verified certificate says.

use crate::oids::Names;
pub use bunraku_authority::names::is_certname;
use der::asn1::{Ia5StringRef, ObjectIdentifier, PrintableStringRef, Utf8StringRef};
use der::{AnyRef, Decode};
use x509_cert::Certificate;

/// Common names.
const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");

/// What a certificate proves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// The one common name, in lower case; none where there is not just one, or it is no node's name. Alternative names are
    /// never looked at.
    pub certname: Option<String>,
    /// Its extensions that are texts, in the certificate's order.
    pub extensions: Vec<Extension>,
}

/// An extension of a certificate that is a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extension {
    /// Its number: `1.3.6.1.4.1.34380.1.1.13`.
    pub number: String,
    /// What `$trusted` calls it: its short name, or its number where it has none. None where it is not one of Puppet's.
    pub name: Option<String>,
    /// Its text.
    pub value: String,
}

/// Reads a certificate (DER) whose chain has been verified; one that is none proves nothing.
pub fn of(certificate: &[u8], names: &Names) -> Identity {
    let Ok(certificate) = Certificate::from_der(certificate) else { return Identity::default() };
    let tbs = &certificate.tbs_certificate;
    let mut common = Vec::new();
    for attribute in tbs.subject.0.iter().flat_map(|part| part.0.iter()) {
        if attribute.oid == COMMON_NAME {
            common.push(text((&attribute.value).into()));
        }
    }
    let certname = match common.as_slice() {
        [Some(one)] => Some(one.to_ascii_lowercase()).filter(|name| is_certname(name)),
        _ => None,
    };
    let extension = |extension: &x509_cert::ext::Extension| {
        let number = extension.extn_id.to_string();
        let bytes = extension.extn_value.as_bytes();
        // Old tools wrote the bytes of the text alone.
        let value = match AnyRef::from_der(bytes) {
            Ok(value) => text(value)?,
            Err(_) => std::str::from_utf8(bytes).ok()?.to_owned(),
        };
        Some(Extension { name: names.of(&number), number, value })
    };
    let extensions = tbs.extensions.iter().flatten().filter_map(extension).collect();
    Identity { certname, extensions }
}

/// A text of any of the kinds that certificates have.
fn text(value: AnyRef<'_>) -> Option<String> {
    let utf8 = value.decode_as::<Utf8StringRef<'_>>().map(|text| text.as_str().to_owned());
    let printable = || value.decode_as::<PrintableStringRef<'_>>().map(|text| text.as_str().to_owned());
    let ia5 = || value.decode_as::<Ia5StringRef<'_>>().map(|text| text.as_str().to_owned());
    utf8.or_else(|_| printable()).or_else(|_| ia5()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_certificate_proves_nothing() {
        assert_eq!(of(b"", &Names::default()), Identity::default());
        assert_eq!(of(b"\x30\x03\x02\x01\x01", &Names::default()), Identity::default());
    }
}
