//! What has been issued: the next number, and the inventory of all certificates. Source: files that Puppet Server 7.9.5 wrote.

use crate::directory::{self, Layout, PUBLIC};
use crate::fault::Fault;
use crate::times;
use std::collections::BTreeMap;
use x509_cert::Certificate;
use x509_cert::name::Name;
use x509_cert::serial_number::SerialNumber;

/// A number as the file of the next one has it, and the inventory behind `0x`: at least four digits.
pub fn number(serial: u64) -> String {
    format!("{serial:04X}")
}

/// Takes the next number; whoever asks holds the lock. The file says the one after it before this returns, so that none is ever
/// given twice.
///
/// # Errors
/// When the file holds no number, or can't be written.
pub fn next(layout: &Layout) -> Result<u64, Fault> {
    let serial = directory::read_as(&layout.serial, |bytes| {
        let text = std::str::from_utf8(bytes).unwrap_or_default().trim();
        u64::from_str_radix(text, 16)
            .ok()
            .filter(|serial| (1..1 << 62).contains(serial))
            .ok_or_else(|| Fault::Failed("it holds no number for the next certificate".to_owned()))
    })?;
    layout.write(&layout.serial, &number(serial + 1), PUBLIC)?;
    Ok(serial)
}

/// Writes a certificate into the inventory: `0x0003 2026-11-23T07:11:01UTC 2031-11-23T07:11:01UTC /CN=web01`.
///
/// # Errors
/// When the file can't be written.
pub fn note(layout: &Layout, certificate: &Certificate) -> Result<(), Fault> {
    layout.append(&layout.inventory, &line(certificate))
}

/// A certificate's line in the inventory.
pub fn line(certificate: &Certificate) -> String {
    let tbs = &certificate.tbs_certificate;
    let [from, until] = [&tbs.validity.not_before, &tbs.validity.not_after].map(times::text);
    let serial = match serial(certificate) {
        Some(serial) => number(serial),
        None => tbs.serial_number.as_bytes().iter().map(|byte| format!("{byte:02X}")).collect(),
    };
    format!("0x{serial} {from} {until} /{}\n", spelt(&tbs.subject))
}

/// The numbers of all certificates that a name was given here, by the inventory. Where a number stands there more than once, since an
/// authority before this one gave it, too, it is that of the last line.
///
/// # Errors
/// When the file can't be read.
pub fn numbers_of(layout: &Layout, name: &str) -> Result<Vec<SerialNumber>, Fault> {
    let inventory = directory::bytes_if_there(&layout.inventory)?.unwrap_or_default();
    let inventory = String::from_utf8_lossy(&inventory);
    let mut holders = BTreeMap::new();
    for line in inventory.lines() {
        let mut parts = line.splitn(4, ' ');
        if let (Some(number), Some(holder)) = (parts.next().and_then(bytes_of), parts.nth(2)) {
            holders.insert(number, holder);
        }
    }
    let subject = format!("/CN={name}");
    let own = holders.into_iter().filter(|(_, holder)| *holder == subject);
    own.map(|(number, _)| SerialNumber::new(&number).map_err(Fault::from)).collect()
}

/// The bytes of a number as the inventory has it, without zeroes in front.
fn bytes_of(number: &str) -> Option<Vec<u8>> {
    let digits =
        number.strip_prefix("0x").filter(|digits| digits.bytes().all(|one| one.is_ascii_hexdigit()))?;
    let even = format!("{}{digits}", if digits.len() % 2 == 1 { "0" } else { "" });
    let pair = |at: usize| u8::from_str_radix(even.get(at..at + 2)?, 16).ok();
    let bytes: Vec<u8> = (0..even.len()).step_by(2).map(pair).collect::<Option<_>>()?;
    Some(bytes.into_iter().skip_while(|byte| *byte == 0).collect())
        .filter(|bytes: &Vec<u8>| !bytes.is_empty())
}

/// A name as the inventory has it.
fn spelt(name: &Name) -> String {
    crate::certificates::first_common_name(name)
        .map_or_else(|| name.to_string(), |common| format!("CN={common}"))
}

/// A certificate's number, where it is not larger than any that is given here.
pub fn serial(certificate: &Certificate) -> Option<u64> {
    let bytes = certificate.tbs_certificate.serial_number.as_bytes();
    let significant = bytes.iter().skip_while(|byte| **byte == 0).count();
    (significant <= 8).then(|| bytes.iter().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits_at_least() {
        assert_eq!([1, 31, 0xffff, 0x10000].map(number), ["0001", "001F", "FFFF", "10000"]);
        for (text, bytes) in [
            ("0x0001", Some(vec![1])),
            ("0x1FF", Some(vec![1, 255])),
            ("0x0000", None),
            ("0xÄ1", None),
            ("1", None),
        ] {
            assert_eq!(bytes_of(text), bytes, "{text}");
        }
    }
}
