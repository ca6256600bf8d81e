//! Extensions as Puppet Server writes them into certificates. Source: what Puppet Server 7.9.5 has signed.

use crate::fault::Fault;
use crate::oids;
use der::asn1::{Ia5String, ObjectIdentifier, OctetString, Utf8StringRef};
use der::{AnyRef, Decode, Encode};
use sha1::{Digest, Sha1};
use std::net::IpAddr;
use x509_cert::Certificate;
use x509_cert::ext::Extension;
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::pkix::{
    AuthorityKeyIdentifier, BasicConstraints, ExtendedKeyUsage, KeyUsage, KeyUsages, SubjectAltName,
};
use x509_cert::spki::SubjectPublicKeyInfoOwned;

/// What every certificate of Puppet's is commented with.
const COMMENT: &str = "Puppet Server Internal Certificate";

/// One extension.
///
/// # Errors
/// When the value can't be encoded.
pub fn of(number: ObjectIdentifier, critical: bool, value: &impl Encode) -> Result<Extension, Fault> {
    Ok(Extension { extn_id: number, critical, extn_value: OctetString::new(value.to_der()?)? })
}

/// One of Puppet's own: a text.
///
/// # Errors
/// As of [`of`].
pub fn of_text(number: ObjectIdentifier, text: &str) -> Result<Extension, Fault> {
    of(number, false, &Utf8StringRef::new(text)?)
}

/// The comment.
///
/// # Errors
/// As of [`of`].
pub fn comment() -> Result<Extension, Fault> {
    of(oids::COMMENT, false, &Ia5String::new(COMMENT)?)
}

/// The identifier of a key: the hash of its bits.
///
/// # Errors
/// When the key has no bits.
pub fn key_identifier(key: &SubjectPublicKeyInfoOwned) -> Result<OctetString, Fault> {
    let bits = key.subject_public_key.as_bytes();
    let bits = bits.ok_or_else(|| Fault::Refused("The public key is none".to_owned()))?;
    Ok(OctetString::new(Sha1::digest(bits).to_vec())?)
}

/// The identifier of an authority's key, as its certificate has it.
///
/// # Errors
/// As of [`key_identifier`].
pub fn identifier_of(authority: &Certificate) -> Result<OctetString, Fault> {
    let tbs = &authority.tbs_certificate;
    let said = tbs.extensions.iter().flatten().find(|one| one.extn_id == oids::SUBJECT_KEY);
    match said {
        Some(extension) => Ok(OctetString::from_der(extension.extn_value.as_bytes())?),
        None => key_identifier(&tbs.subject_public_key_info),
    }
}

/// Those of an authority that signs itself, before its own certificate is there.
///
/// # Errors
/// As of [`of`] and [`key_identifier`].
pub fn of_authority(key: &SubjectPublicKeyInfoOwned) -> Result<Vec<Extension>, Fault> {
    let identifier = key_identifier(key)?;
    let of_issuer = AuthorityKeyIdentifier {
        key_identifier: Some(identifier.clone()),
        authority_cert_issuer: None,
        authority_cert_serial_number: None,
    };
    Ok(vec![
        comment()?,
        of(oids::AUTHORITY_KEY, false, &of_issuer)?,
        of(oids::SUBJECT_KEY, false, &identifier)?,
        of(oids::CONSTRAINTS, true, &BasicConstraints { ca: true, path_len_constraint: None })?,
        of(oids::KEY_USAGE, true, &KeyUsage(KeyUsages::KeyCertSign | KeyUsages::CRLSign))?,
    ])
}

/// Those of a node or server that an authority signs, with more between them: alternative names, Puppet's own.
///
/// # Errors
/// As of [`of`] and [`key_identifier`].
pub fn of_node(
    key: &SubjectPublicKeyInfoOwned,
    authority: &Certificate,
    more: Vec<Extension>,
) -> Result<Vec<Extension>, Fault> {
    let tbs = &authority.tbs_certificate;
    let of_issuer = AuthorityKeyIdentifier {
        key_identifier: Some(identifier_of(authority)?),
        authority_cert_issuer: Some(vec![GeneralName::DirectoryName(tbs.issuer.clone())]),
        authority_cert_serial_number: Some(tbs.serial_number.clone()),
    };
    let mut all = vec![
        comment()?,
        of(oids::AUTHORITY_KEY, false, &of_issuer)?,
        of(oids::SUBJECT_KEY, false, &key_identifier(key)?)?,
    ];
    all.extend(more);
    all.extend([
        of(oids::CONSTRAINTS, true, &BasicConstraints { ca: false, path_len_constraint: None })?,
        of(oids::EXTENDED_USAGE, true, &ExtendedKeyUsage(vec![oids::FOR_SERVERS, oids::FOR_CLIENTS]))?,
        of(oids::KEY_USAGE, true, &KeyUsage(KeyUsages::DigitalSignature | KeyUsages::KeyEncipherment))?,
    ]);
    Ok(all)
}

/// Alternative names, as `puppetserver ca` takes them: `DNS:name`, `IP:address`, or a name alone.
///
/// # Errors
/// When one of them is no address, has a wildcard, or is not ASCII.
pub fn alternative_names<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<Extension, Fault> {
    let mut all: Vec<GeneralName> = Vec::new();
    for name in names {
        let name = name.trim();
        let one = match name.strip_prefix("IP:") {
            Some(address) => {
                let address = address.trim().parse::<IpAddr>();
                let bytes = match address.map_err(|_| Fault::Refused(format!("'{name}' is no address")))? {
                    IpAddr::V4(four) => four.octets().to_vec(),
                    IpAddr::V6(six) => six.octets().to_vec(),
                };
                GeneralName::IpAddress(OctetString::new(bytes)?)
            }
            None => {
                let dns = name.strip_prefix("DNS:").unwrap_or(name).trim();
                check_alternative(dns)?;
                let text =
                    Ia5String::new(dns).map_err(|_| Fault::Refused(format!("'{dns}' is no DNS name")))?;
                GeneralName::DnsName(text)
            }
        };
        if !all.contains(&one) {
            all.push(one);
        }
    }
    of(oids::ALTERNATIVE_NAMES, false, &SubjectAltName(all))
}

/// Whether all DNS names among alternative ones have only signs that can be shown: a space and a control sign are in no name.
///
/// # Errors
/// When one of them has another, with the name as it can be shown.
pub fn check_signs(names: &[GeneralName]) -> Result<(), Fault> {
    let is_odd = |name: &&str| name.bytes().any(|byte| !byte.is_ascii_graphic());
    let mut dns = names.iter().filter_map(|name| match name {
        GeneralName::DnsName(text) => Some(text.as_str()),
        _ => None,
    });
    match dns.find(is_odd) {
        Some(odd) => {
            let shown = odd.escape_default();
            Err(Fault::Refused(format!("An alternative name has signs that no name has: {shown}")))
        }
        None => Ok(()),
    }
}

/// Whether a DNS name may be an alternative one.
///
/// # Errors
/// When it has a wildcard, or is empty.
pub fn check_alternative(name: &str) -> Result<(), Fault> {
    match (name.contains('*'), name.is_empty()) {
        (true, _) => {
            let why = "Cert subjectAltName contains a wildcard, which is not allowed";
            Err(Fault::Refused(format!("{why}: {name}")))
        }
        (_, true) => Err(Fault::Refused("An alternative name is empty".to_owned())),
        _ => Ok(()),
    }
}

/// Alternative names as statuses show them: `IP:` ones first; none for kinds that are neither.
pub fn shown(names: &[GeneralName]) -> Vec<String> {
    let address = |name: &GeneralName| match name {
        GeneralName::IpAddress(bytes) => address(bytes.as_bytes()).map(|address| format!("IP:{address}")),
        _ => None,
    };
    let dns = |name: &GeneralName| match name {
        GeneralName::DnsName(text) => Some(format!("DNS:{}", text.as_str())),
        _ => None,
    };
    names.iter().filter_map(address).chain(names.iter().filter_map(dns)).collect()
}

fn address(bytes: &[u8]) -> Option<IpAddr> {
    let four = <[u8; 4]>::try_from(bytes).map(IpAddr::from);
    four.or_else(|_| <[u8; 16]>::try_from(bytes).map(IpAddr::from)).ok()
}

/// The text of one of Puppet's own: a string of any kind, or the bytes alone, as old tools wrote them.
pub fn text(extension: &Extension) -> String {
    let bytes = extension.extn_value.as_bytes();
    let value = AnyRef::from_der(bytes).map_or(bytes, |value| value.value());
    String::from_utf8_lossy(value).into_owned()
}
