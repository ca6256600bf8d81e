//! IP addresses as Ruby's `IPAddr` reads, compares and prints them.

use bunraku_vm::regex;
use std::net::Ipv6Addr;

/// An address or network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IpAddress {
    v4: bool,
    /// The address, its bits beyond the mask cleared.
    bits: u128,
    /// How many leading bits count.
    prefix: u32,
    /// `%eth0`, or nothing.
    zone: String,
}

impl IpAddress {
    /// Reads `1.2.3.4`, `::1`, `[::1]`, with `/length` or `/mask` behind.
    ///
    /// # Errors
    /// Ruby's message.
    pub(crate) fn parse(text: &str) -> Result<IpAddress, String> {
        let (address, length) = match text.split_once('/') {
            Some((address, length)) => (address, Some(length)),
            None => (text, None),
        };
        let bracketed = address.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let (plain, zone) = match bracketed.unwrap_or(address).split_once('%') {
            Some((plain, zone)) if is_zone(zone) => (plain, format!("%{zone}")),
            Some(_) => return Err(INVALID.to_owned()),
            None => (bracketed.unwrap_or(address), String::new()),
        };
        let (v4, bits) = match v4(plain).filter(|_| bracketed.is_none()) {
            Some(found) => (true, u128::from(found?)),
            None => (false, plain.parse::<Ipv6Addr>().map_err(|_| INVALID)?.into()),
        };
        let width = if v4 { 32 } else { 128 };
        let prefix = match length {
            None => width,
            Some(length) => prefix_length(length, v4, bits)?,
        };
        let mask = if prefix == 0 { 0 } else { u128::MAX << (width - prefix) };
        Ok(IpAddress { v4, bits: bits & mask, prefix, zone })
    }

    /// Whether it is of version 4.
    pub(crate) fn is_v4(&self) -> bool {
        self.v4
    }

    /// Whether another address or network lies in this one.
    pub(crate) fn includes(&self, other: &IpAddress) -> bool {
        let width = if self.v4 { 32 } else { 128 };
        let shift = width - self.prefix;
        let top = |bits: u128| if shift >= 128 { 0 } else { bits >> shift };
        self.v4 == other.v4 && other.prefix >= self.prefix && top(self.bits) == top(other.bits)
    }
}

impl std::fmt::Display for IpAddress {
    /// As `IPAddr#to_s`: without the mask, the longest run of zeroes left out.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.v4 {
            return write!(f, "{}", std::net::Ipv4Addr::from(self.bits as u32));
        }
        let words: Vec<String> =
            Ipv6Addr::from(self.bits).segments().iter().map(|w| format!("{w:x}")).collect();
        let mut text = words.join(":");
        for count in (2..=8).rev() {
            let run = vec!["0"; count].join(":");
            let pattern = if count == 8 { format!(r"\A{run}\z") } else { format!(r"\b{run}\b") };
            if let Ok(Some(found)) = regex::captures_from(&pattern, &text, 0) {
                let with = if count == 8 { "::" } else { ":" };
                text.replace_range(found.start()..found.end(), with);
                break;
            }
        }
        if let Ok(Some(found)) = regex::captures_from(":{3,}", &text, 0) {
            text.replace_range(found.start()..found.end(), "::");
        }
        let mapped = regex::is_match(r"(?i)\A::(ffff:)?([\da-f]{1,4}):([\da-f]{1,4})\z", &text);
        if mapped.unwrap_or(false) {
            let lead = if text.starts_with("::ffff:") { "::ffff:" } else { "::" };
            text = format!("{lead}{}", std::net::Ipv4Addr::from(self.bits as u32));
        }
        write!(f, "{text}{}", self.zone)
    }
}

/// Ruby means to name the address, which it does not know yet.
const INVALID: &str = "invalid address: ";

/// Four numbers with dots; none where it does not look like that.
fn v4(text: &str) -> Option<Result<u32, String>> {
    let parts: Vec<&str> = text.split('.').collect();
    let looks_right =
        parts.len() == 4 && parts.iter().all(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()));
    if !looks_right {
        return None;
    }
    let mut bits = 0u32;
    for part in parts {
        if part.len() > 1 && part.starts_with('0') {
            return Some(Err("zero-filled number in IPv4 address is ambiguous: ".to_owned()));
        }
        match part.parse::<u8>() {
            Ok(octet) => bits = bits << 8 | u32::from(octet),
            Err(_) => return Some(Err(INVALID.to_owned())),
        }
    }
    Some(Ok(bits))
}

fn is_zone(zone: &str) -> bool {
    !zone.is_empty() && zone.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// How many bits `/length` or `/255.255.0.0` keeps; messages name the address as a number.
fn prefix_length(text: &str, is_v4: bool, address: u128) -> Result<u32, String> {
    let width = if is_v4 { 32 } else { 128 };
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        if text.len() > 1 && text.starts_with('0') {
            return Err("leading zeros in prefix".to_owned());
        }
        return text.parse().ok().filter(|n| *n <= width).ok_or_else(|| format!("invalid length: {address}"));
    }
    let mask = match (v4(text), is_v4) {
        (Some(mask), true) => u128::from(mask?) << 96,
        (None, false) => text.parse::<Ipv6Addr>().map_err(|_| INVALID)?.into(),
        _ => return Err(INVALID.to_owned()),
    };
    if mask.count_ones() != mask.leading_ones() {
        return Err(format!("invalid mask {text}: {address}"));
    }
    Ok(mask.leading_ones())
}

#[cfg(test)]
mod tests {
    use super::IpAddress;

    #[test]
    fn addresses_print_as_in_ruby() {
        for (text, printed) in [
            ("10.1.2.3/8", "10.0.0.0"),
            ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
            ("0:0:0:0:0:0:0:0", "::"),
            ("::1", "::1"),
            ("fe80::1%eth0", "fe80::1%eth0"),
            ("::ffff:1.2.3.4", "::ffff:1.2.3.4"),
            ("[2001:DB8::5]", "2001:db8::5"),
        ] {
            assert_eq!(IpAddress::parse(text).map(|a| a.to_string()).as_deref(), Ok(printed));
        }
        assert!(IpAddress::parse("10.0.0.0/8").unwrap().includes(&IpAddress::parse("10.9.9.9").unwrap()));
    }
}
