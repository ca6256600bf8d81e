//! Certificates: those by which this machine speaks to PuppetDB and would serve agents.

use super::finding::Finding;
use bunraku::Configuration;
use bunraku::files::read;
use bunraku_authority::{pem, times};
use std::path::Path;

const AREA: &str = "Certificates";

/// Bytes of a file of certificates that are read.
const MOST: u64 = 16 << 20;

/// How many days before its end a certificate is told of.
const SOON: u64 = 30;

/// Reads them. Where the machine has none at all, that is one finding.
pub fn look(configuration: &Configuration) -> Vec<Finding> {
    let path = |setting: &str| configuration.get(setting).map(|found| found.text);
    let (own, authorities, key, revoked) =
        match (path("hostcert"), path("localcacert"), path("hostprivkey"), path("hostcrl")) {
            (Ok(own), Ok(authorities), Ok(key), Ok(revoked)) => (own, authorities, key, revoked),
            (own, authorities, key, revoked) => {
                let faults = [own, authorities, key, revoked].into_iter().filter_map(Result::err);
                return faults.map(|fault| Finding::fails(AREA, fault, "no certificate is found")).collect();
            }
        };
    if !Path::new(&own).exists() {
        let consequence = "bunraku server does not start, and no PuppetDB is spoken to over TLS";
        return vec![Finding::note(AREA, format!("{own} is not there"), consequence)];
    }
    let mut found: Vec<Finding> =
        [&own, &authorities].into_iter().map(|file| of_certificates(file)).collect();
    found.push(of_key(&key));
    found.push(of_lists(&revoked));
    found
}

fn bytes(file: &str) -> Result<Vec<u8>, String> {
    read::regular(Path::new(file), MOST).map_err(|error| format!("{file} can't be read: {error}"))
}

/// The first certificate of a file to run out says how long it is good.
fn of_certificates(file: &str) -> Finding {
    let consequence = "bunraku server does not start, and no PuppetDB is spoken to over TLS";
    let read =
        bytes(file).and_then(|bytes| pem::certificates(&bytes).map_err(|fault| format!("{file}: {fault}")));
    let all = match read {
        Ok(all) => all,
        Err(message) => return Finding::fails(AREA, message, consequence),
    };
    let ends = all.iter().map(|one| one.tbs_certificate.validity.not_after);
    match ends.min_by_key(|end| end.to_unix_duration()) {
        Some(end) => until(file, &times::text(&end), end.to_unix_duration().as_secs()),
        None => Finding::fails(AREA, format!("{file} holds no certificate"), consequence),
    }
}

fn of_key(file: &str) -> Finding {
    match bytes(file) {
        Ok(_) => Finding::fine(AREA, file),
        Err(message) => {
            Finding::fails(AREA, message, "nothing is spoken to over TLS, and no agent is served")
        }
    }
}

/// A list of revoked certificates that is out of date lets nobody in.
fn of_lists(file: &str) -> Finding {
    let consequence =
        "bunraku server does not start: it lets nobody in without lists of revoked certificates";
    let read = bytes(file).and_then(|bytes| pem::lists(&bytes).map_err(|fault| format!("{file}: {fault}")));
    let all = match read {
        Ok(all) => all,
        Err(message) => return Finding::note(AREA, message, consequence),
    };
    let ends = all.iter().filter_map(|one| one.tbs_cert_list.next_update);
    match ends.min_by_key(|end| end.to_unix_duration()) {
        Some(end) => until(file, &times::text(&end), end.to_unix_duration().as_secs()),
        None => Finding::fine(AREA, file),
    }
}

fn until(file: &str, text: &str, seconds: u64) -> Finding {
    let (now, soon) = (times::now(), SOON * times::DAY);
    if seconds <= now {
        return Finding::fails(AREA, format!("{file} ran out at {text}"), "nobody takes it any more");
    }
    if seconds - now < soon {
        return Finding::note(AREA, format!("{file} runs out at {text}"), "nobody takes it after that");
    }
    Finding::fine(AREA, format!("{file}, good until {text}"))
}
