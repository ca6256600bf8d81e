//! What the files of certificates say, for people: whose they are, until when they are good, and what about them will keep agents out.

use crate::tls::Files;
use bunraku::files::{owner, read};
use bunraku_authority::certificates::{first_common_name, is_signed_by};
use bunraku_authority::{pem, times};
use std::path::Path;
use x509_cert::Certificate;
use x509_cert::crl::CertificateList;
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::name::Name;

/// Bytes that a file of them may hold.
const MAX_FILE: u64 = 64 << 20;

/// What files of certificates say.
#[derive(Debug, Default)]
pub struct Said {
    /// Of each setting what it names.
    pub lines: Vec<(&'static str, String)>,
    /// What will keep agents out, now or soon.
    pub doubts: Vec<String>,
}

impl Said {
    /// What is said by the files of a server that calls itself `certname`.
    ///
    /// # Errors
    /// The first file that can't be read, by its setting.
    pub fn of(files: &Files, certname: &str) -> Result<Said, String> {
        let own = read("hostcert", &files.certificate, pem::certificates)?;
        let authorities = read("localcacert", &files.authorities, pem::certificates)?;
        let lists = read("hostcrl", &files.revoked, pem::lists)?;
        let mut said = Said::default();
        said.lines.push(("hostprivkey", files.key.display().to_string()));
        if let Some(own) = own.first() {
            said.own(own, &authorities, (&files.certificate, certname));
            if lists.iter().any(|list| revokes(list, own)) {
                said.doubts.push("hostcert is revoked, by hostcrl: agents will refuse it".to_owned());
            }
        }
        said.authorities(&files.authorities, &authorities, &lists);
        said.lists(&files.revoked, &lists);
        Ok(said)
    }

    fn own(&mut self, own: &Certificate, authorities: &[Certificate], (file, certname): (&Path, &str)) {
        let tbs = &own.tbs_certificate;
        let name = first_common_name(&tbs.subject).unwrap_or_default();
        let called: Vec<String> = alternative_names(own).into_iter().filter(|other| *other != name).collect();
        let called = match called.as_slice() {
            [] => String::new(),
            names => format!(", also called {}", names.join(", ")),
        };
        let (until, signer) = (times::text(&tbs.validity.not_after), short(&tbs.issuer));
        let line = format!("{} ({name}{called}; by {signer}; until {until})", file.display());
        self.lines.push(("hostcert", line));
        if name != certname {
            self.doubts.push(format!("hostcert is of '{name}', and certname is '{certname}'"));
        }
        let signed = |one: &Certificate| is_signed_by(own, &one.tbs_certificate.subject_public_key_info);
        if !authorities.iter().any(signed) {
            self.doubts
                .push("hostcert is signed by no authority of localcacert: agents will refuse it".to_owned());
        }
        let now = times::now();
        if tbs.validity.not_before.to_unix_duration().as_secs() > now {
            let from = times::text(&tbs.validity.not_before);
            self.doubts
                .push(format!("hostcert is good from {from} on only: agents will refuse it until then"));
        }
        self.ends(
            "hostcert",
            tbs.validity.not_after.to_unix_duration().as_secs(),
            &until,
            "agents will refuse it",
        );
    }

    fn authorities(&mut self, file: &Path, authorities: &[Certificate], lists: &[CertificateList]) {
        let names: Vec<String> = authorities.iter().map(|one| short(&one.tbs_certificate.subject)).collect();
        self.lines.push(("localcacert", format!("{} ({})", file.display(), names.join("; "))));
        for (one, name) in authorities.iter().zip(&names) {
            let subject = &one.tbs_certificate.subject;
            if !lists.iter().any(|list| short(&list.tbs_cert_list.issuer) == short(subject)) {
                let why = "whoever has a certificate by it is refused";
                self.doubts.push(format!(
                    "hostcrl has no revocation list of {name}, an authority of localcacert: {why}"
                ));
            }
            let until = times::text(&one.tbs_certificate.validity.not_after);
            let seconds = one.tbs_certificate.validity.not_after.to_unix_duration().as_secs();
            self.ends(
                &format!("The authority {name}"),
                seconds,
                &until,
                "agents will refuse what it has signed",
            );
        }
    }

    fn lists(&mut self, file: &Path, lists: &[CertificateList]) {
        let mut told = Vec::new();
        for list in lists {
            let (list, name) = (&list.tbs_cert_list, short(&list.tbs_cert_list.issuer));
            let count = list.revoked_certificates.as_ref().map_or(0, Vec::len);
            let until = list.next_update.as_ref().map_or_else(|| "for ever".to_owned(), times::text);
            told.push(format!("of {name}: {count} revoked; until {until}"));
            if let Some(end) = &list.next_update {
                let what = format!("The revocation list of {name} in hostcrl");
                self.ends(
                    &what,
                    end.to_unix_duration().as_secs(),
                    &until,
                    "nobody with a certificate by it is let in",
                );
            }
        }
        self.lines.push(("hostcrl", format!("{} ({})", file.display(), told.join("; "))));
    }

    /// A doubt where something has ended, or will soon.
    fn ends(&mut self, what: &str, end: u64, until: &str, then: &str) {
        let now = times::now();
        if end < now {
            self.doubts.push(format!("{what} is out of date since {until}: {then}"));
        } else if end - now < times::SOON {
            self.doubts.push(format!("{what} is good until {until} only: {then} after that"));
        }
    }
}

fn read<T>(
    setting: &str,
    file: &Path,
    parse: impl Fn(&[u8]) -> Result<Vec<T>, bunraku_authority::Fault>,
) -> Result<Vec<T>, String> {
    let wrong = |why: &dyn std::fmt::Display| {
        format!("The setting {setting} names {}, which can't be used: {why}", file.display())
    };
    let bytes = read::regular(file, MAX_FILE).map_err(|error| wrong(&owner::refusal(file, &error)))?;
    parse(&bytes).map_err(|fault| wrong(&fault))
}

/// The common name, or the whole where there is none.
fn short(name: &Name) -> String {
    first_common_name(name).unwrap_or_else(|| name.to_string())
}

/// Whether a list has a certificate.
fn revokes(list: &CertificateList, certificate: &Certificate) -> bool {
    let (list, tbs) = (&list.tbs_cert_list, &certificate.tbs_certificate);
    let mut revoked = list.revoked_certificates.iter().flatten();
    list.issuer == tbs.issuer && revoked.any(|one| one.serial_number == tbs.serial_number)
}

fn alternative_names(certificate: &Certificate) -> Vec<String> {
    let Ok(Some((_, SubjectAltName(names)))) = certificate.tbs_certificate.get::<SubjectAltName>() else {
        return Vec::new();
    };
    let dns = |name: &GeneralName| match name {
        GeneralName::DnsName(name) => Some(name.to_string()),
        _ => None,
    };
    names.iter().filter_map(dns).collect()
}
