//! Lists of revoked certificates: an authority's own, and a file that has those of the authorities above it, too.
//!
//! A list's number grows by one with each change; whoever is revoked is so for a compromised key, as Puppet Server has it.

use crate::certificates::{Issuer, first_common_name};
use crate::extensions;
use crate::fault::Fault;
use crate::oids;
use crate::pem;
use crate::times;
use der::Decode;
use der::asn1::{OctetString, Uint};
use x509_cert::Version;
use x509_cert::crl::{CertificateList, RevokedCert, TbsCertList};
use x509_cert::ext::Extension;
use x509_cert::ext::pkix::{AuthorityKeyIdentifier, CrlReason};
use x509_cert::serial_number::SerialNumber;

/// A file of lists.
#[derive(Clone, Debug)]
pub struct Lists(Vec<CertificateList>);

impl Lists {
    /// With an authority's own list, of nobody.
    ///
    /// # Errors
    /// When the key can't sign.
    pub fn new(issuer: &Issuer) -> Result<Lists, Fault> {
        Ok(Lists(vec![signed(issuer, Vec::new(), numbered(&[0], issuer)?)?]))
    }

    /// Reads a file's text.
    ///
    /// # Errors
    /// When there is no list in it, or one can't be read.
    pub fn read(text: &[u8]) -> Result<Lists, Fault> {
        pem::lists(text).map(Lists)
    }

    /// The file's text.
    ///
    /// # Errors
    /// When it can't be encoded.
    pub fn text(&self) -> Result<String, Fault> {
        self.0.iter().map(|list| pem::text(pem::LIST, list)).collect()
    }

    /// The authority's own.
    ///
    /// # Errors
    /// When there is none.
    pub fn own(&self, issuer: &Issuer) -> Result<&CertificateList, Fault> {
        let own = self.0.iter().find(|list| &list.tbs_cert_list.issuer == issuer.name());
        own.ok_or_else(|| Fault::Failed("There is no revocation list of the authority's own".to_owned()))
    }

    /// Whether the authority has revoked a certificate.
    ///
    /// # Errors
    /// As of [`Lists::own`].
    pub fn has(&self, issuer: &Issuer, serial: &SerialNumber) -> Result<bool, Fault> {
        let all = self.own(issuer)?.tbs_cert_list.revoked_certificates.iter().flatten();
        Ok(all.into_iter().any(|revoked| &revoked.serial_number == serial))
    }

    /// Revokes certificates; whether any of them was not revoked before.
    ///
    /// # Errors
    /// As of [`Lists::own`]; when the key can't sign.
    pub fn revoke(&mut self, issuer: &Issuer, serials: &[SerialNumber]) -> Result<bool, Fault> {
        let before = self.own(issuer)?.clone().tbs_cert_list;
        let mut revoked = before.revoked_certificates.unwrap_or_default();
        let count = revoked.len();
        let reason = extensions::of(oids::REASON, false, &CrlReason::KeyCompromise)?;
        let revocation_date = times::of_certificate(times::now())?;
        for serial in serials {
            if !revoked.iter().any(|one| &one.serial_number == serial) {
                revoked.push(RevokedCert {
                    serial_number: serial.clone(),
                    revocation_date,
                    crl_entry_extensions: Some(vec![reason.clone()]),
                });
            }
        }
        if revoked.len() == count {
            return Ok(false);
        }
        self.follow(issuer, before.crl_extensions, revoked)?;
        Ok(true)
    }

    /// Signs the authority's own once more, of the same certificates; from now on it is good for its whole time again.
    ///
    /// # Errors
    /// As of [`Lists::own`]; when the key can't sign.
    pub fn renew(&mut self, issuer: &Issuer) -> Result<(), Fault> {
        let before = self.own(issuer)?.clone().tbs_cert_list;
        self.follow(issuer, before.crl_extensions, before.revoked_certificates.unwrap_or_default())
    }

    /// Whether the authority's own is out of date, or will be within so many seconds.
    ///
    /// # Errors
    /// As of [`Lists::own`].
    pub fn ends_within(&self, issuer: &Issuer, seconds: u64) -> Result<bool, Fault> {
        let end = self.own(issuer)?.tbs_cert_list.next_update.as_ref();
        Ok(end.is_some_and(|end| end.to_unix_duration().as_secs() < times::now().saturating_add(seconds)))
    }

    /// Puts the next list in the place of the authority's own, which had these extensions.
    fn follow(
        &mut self,
        issuer: &Issuer,
        before: Option<Vec<Extension>>,
        revoked: Vec<RevokedCert>,
    ) -> Result<(), Fault> {
        let number = more(&number(before.iter().flatten())?);
        let kept = before.into_iter().flatten();
        let kept = kept.filter(|one| ![oids::LIST_NUMBER, oids::AUTHORITY_KEY].contains(&one.extn_id));
        let extensions = numbered(&number, issuer)?.into_iter().chain(kept).collect();
        let list = signed(issuer, revoked, extensions)?;
        self.put(list);
        Ok(())
    }

    /// Puts a list in the place of its issuer's, or before all others.
    fn put(&mut self, list: CertificateList) {
        let issuer = &list.tbs_cert_list.issuer;
        match self.0.iter_mut().find(|one| &one.tbs_cert_list.issuer == issuer) {
            Some(place) => *place = list,
            None => self.0.insert(0, list),
        }
    }

    /// Adds the authority's own, where none was brought along.
    ///
    /// # Errors
    /// When the key can't sign.
    pub fn complete(&mut self, issuer: &Issuer) -> Result<(), Fault> {
        if self.own(issuer).is_err() {
            let own = Lists::new(issuer)?;
            own.0.into_iter().for_each(|list| self.put(list));
        }
        Ok(())
    }

    /// Whether there is a good list of everyone in a bundle: signed by its issuer.
    ///
    /// # Errors
    /// Whose list is missing, or which has a bad signature.
    pub fn check(&self, issuer: &Issuer) -> Result<(), Fault> {
        for list in &self.0 {
            if issuer.signer_of(list).is_none() {
                let name = first_common_name(&list.tbs_cert_list.issuer).unwrap_or_default();
                let why =
                    format!("Invalid certs and/or CRLs: the list of '{name}' is by none of the certificates");
                return Err(Fault::Refused(why));
            }
        }
        Ok(())
    }

    /// Takes in newer lists of the authorities above this one. Its own is never replaced.
    ///
    /// # Errors
    /// When one of them says only what has changed, has no number, or its issuer's signature is not on it.
    pub fn update(&mut self, issuer: &Issuer, incoming: Lists) -> Result<(), Fault> {
        for list in &incoming.0 {
            let mut all = list.tbs_cert_list.crl_extensions.iter().flatten();
            if all.any(|one| one.extn_id == oids::DELTA) {
                return Err(Fault::Refused("Cannot support delta CRL.".to_owned()));
            }
        }
        for list in incoming.0 {
            let name = &list.tbs_cert_list.issuer;
            if name == issuer.name() {
                continue;
            }
            let before = self.0.iter().find(|one| &one.tbs_cert_list.issuer == name);
            let Some(before) = before else { continue };
            let number_of =
                |list: &CertificateList| number(list.tbs_cert_list.crl_extensions.iter().flatten());
            let (old, new) = (number_of(before)?, number_of(&list)?);
            if (old.len(), &old) >= (new.len(), &new) {
                continue;
            }
            Lists(vec![list.clone()]).check(issuer)?;
            self.put(list);
        }
        Ok(())
    }

    /// Each issuer's common name, and until when its list is good.
    pub fn expirations(&self) -> Vec<(String, String)> {
        let one = |list: &CertificateList| {
            let tbs = &list.tbs_cert_list;
            Some((first_common_name(&tbs.issuer)?, times::text(tbs.next_update.as_ref()?)))
        };
        self.0.iter().filter_map(one).collect()
    }
}

/// A list's number as bytes, the greatest first; 0 where it has none.
fn number<'e>(mut extensions: impl Iterator<Item = &'e Extension>) -> Result<Vec<u8>, Fault> {
    match extensions.find(|one| one.extn_id == oids::LIST_NUMBER) {
        Some(extension) => Ok(Uint::from_der(extension.extn_value.as_bytes())?.as_bytes().to_vec()),
        None => Ok(vec![0]),
    }
}

/// A number and one more.
fn more(number: &[u8]) -> Vec<u8> {
    let mut bytes = number.to_vec();
    for byte in bytes.iter_mut().rev() {
        let (sum, carries) = byte.overflowing_add(1);
        *byte = sum;
        if !carries {
            return bytes;
        }
    }
    bytes.insert(0, 1);
    bytes
}

fn numbered(number: &[u8], issuer: &Issuer) -> Result<Vec<Extension>, Fault> {
    let of_issuer = AuthorityKeyIdentifier {
        key_identifier: Some(OctetString::new(extensions::identifier_of(&issuer.certificate)?.as_bytes())?),
        authority_cert_issuer: None,
        authority_cert_serial_number: None,
    };
    Ok(vec![
        extensions::of(oids::LIST_NUMBER, false, &Uint::new(number)?)?,
        extensions::of(oids::AUTHORITY_KEY, false, &of_issuer)?,
    ])
}

fn signed(
    issuer: &Issuer,
    revoked: Vec<RevokedCert>,
    extensions: Vec<Extension>,
) -> Result<CertificateList, Fault> {
    let now = times::now();
    let tbs_cert_list = TbsCertList {
        version: Version::V2,
        signature: issuer.key.algorithm().clone(),
        issuer: issuer.name().clone(),
        this_update: times::of_certificate(now.saturating_sub(times::DAY))?,
        next_update: Some(times::of_certificate(now.saturating_add(times::LIST))?),
        revoked_certificates: (!revoked.is_empty()).then_some(revoked),
        crl_extensions: Some(extensions),
    };
    let signature = issuer.key.sign(&tbs_cert_list)?;
    Ok(CertificateList { tbs_cert_list, signature_algorithm: issuer.key.algorithm().clone(), signature })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_grow_by_one() {
        for (before, after) in [(&[0][..], &[1][..]), (&[1, 255], &[2, 0]), (&[255, 255], &[1, 0, 0])] {
            assert_eq!(more(before), after);
        }
    }
}
