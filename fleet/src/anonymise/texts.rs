//! What is replaced inside of texts, by form or because it is known: a text is walked once from its begin, and at each place
//! where a word may begin the longest that is to be replaced is.

use super::secret::Secret;
use super::{Plan, addresses};
use std::net::{Ipv4Addr, Ipv6Addr};

/// What stands for a name: each label for itself, and the last of several, which says no more than `com` or `local`, as it is.
pub fn host_or_domain(secret: &Secret, name: &str) -> String {
    let labels: Vec<&str> = name.split('.').collect();
    let last = labels.len() - 1;
    let one = |(at, label): (usize, &&str)| match at == last && last > 0 || label.is_empty() {
        true => (*label).to_owned(),
        false => self::label(secret, label),
    };
    labels.iter().enumerate().map(one).collect::<Vec<_>>().join(".")
}

/// What stands for a label of a name: it begins with a letter, as names do.
fn label(secret: &Secret, label: &str) -> String {
    let mut stream = secret.stream("label", label.to_lowercase().as_bytes());
    "n".to_owned() + &stream.text(10, b"abcdefghijkmnpqrstuvwxyz23456789")
}

/// A text with all of that replaced. In versions no addresses are looked for: some have four numbers.
pub fn replaced(plan: &Plan, text: &str, is_version: bool) -> String {
    if let Some(other) = plan.own.get(text) {
        return other.clone();
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(sign) = text[at..].chars().next() {
        let is_begin = text[..at].chars().next_back().is_none_or(|before| !before.is_alphanumeric());
        let found = if is_begin && (sign.is_alphanumeric() || sign == ':') {
            word(plan, &text[at..], is_version)
        } else {
            None
        };
        match found {
            Some((length, other)) => {
                out.push_str(&other);
                at += length;
            }
            None => {
                out.push(sign);
                at += sign.len_utf8();
            }
        }
    }
    out
}

/// What is to be replaced at the begin of a text: its length, and what stands for it.
fn word(plan: &Plan, text: &str, is_version: bool) -> Option<(usize, String)> {
    let secret = &plan.secret;
    uuid(secret, text)
        .or_else(|| mac(secret, text))
        .or_else(|| own(plan, text))
        .or_else(|| if is_version { None } else { v4(plan, text).or_else(|| v6(secret, text)) })
        .or_else(|| mail(secret, text))
        .or_else(|| name(plan, text))
        .or_else(|| key(secret, text))
}

/// How many bytes at the begin of a text are of a kind.
fn run(text: &str, is_of: impl Fn(u8) -> bool) -> usize {
    text.bytes().take_while(|byte| is_of(*byte)).count()
}

/// Whether a word that ends there goes on.
fn goes_on(text: &str, end: usize) -> bool {
    text[end..].chars().next().is_some_and(char::is_alphanumeric)
}

/// A UUID at the begin of a text.
pub fn uuid(secret: &Secret, text: &str) -> Option<(usize, String)> {
    let found = text.get(..36).filter(|found| {
        let is_right = |(at, byte): (usize, u8)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        };
        found.bytes().enumerate().all(is_right)
    })?;
    let is_none = found.bytes().all(|byte| matches!(byte, b'0' | b'-'));
    if goes_on(text, 36) || is_none {
        return None;
    }
    Some((36, secret.stream("uuid", found.to_lowercase().as_bytes()).like_hex(found)))
}

fn mac(secret: &Secret, text: &str) -> Option<(usize, String)> {
    let found = text.get(..17).filter(|_| !goes_on(text, 17) && !text[17..].starts_with([':', '-']))?;
    let separator = found.as_bytes()[2];
    if !matches!(separator, b':' | b'-') {
        return None;
    }
    let mut bytes = [0; 6];
    let mut parts = found.split(char::from(separator));
    for byte in &mut bytes {
        *byte =
            parts.next().filter(|part| part.len() == 2).and_then(|part| u8::from_str_radix(part, 16).ok())?;
    }
    let is_upper = found.bytes().any(|byte| byte.is_ascii_uppercase());
    let hex = addresses::mac(secret, bytes).map(|byte| match is_upper {
        true => format!("{byte:02X}"),
        false => format!("{byte:02x}"),
    });
    Some((17, hex.join(&char::from(separator).to_string())))
}

/// A serial number inside of another text, where it is long enough to be meant.
fn own(plan: &Plan, text: &str) -> Option<(usize, String)> {
    let end = run(text, |byte| byte.is_ascii_graphic());
    let ends = (6..=end).rev().filter(|end| text.is_char_boundary(*end) && !goes_on(text, *end));
    ends.into_iter().find_map(|end| plan.own.get(&text[..end]).map(|other| (end, other.clone())))
}

fn v4(plan: &Plan, text: &str) -> Option<(usize, String)> {
    let end = run(text, |byte| byte.is_ascii_digit() || byte == b'.');
    let end = text[..end].trim_end_matches('.').len();
    let address: Ipv4Addr = text[..end].parse().ok()?;
    let behind = &text[end..];
    if goes_on(text, end) {
        return None;
    }
    let other = addresses::v4(&plan.secret, address);
    // A network's own address has no bits behind its mask.
    let length = behind.strip_prefix('/').map(|rest| &rest[..run(rest, |byte| byte.is_ascii_digit())]);
    let length = length.and_then(|length| length.parse::<u32>().ok()).filter(|length| *length <= 32);
    let of_length = length.map(|length| u32::MAX.checked_shl(32 - length).unwrap_or_default());
    let mask = plan.networks.get(&address).copied().or(of_length);
    let is_network = mask.is_some_and(|mask| address.to_bits() & !mask == 0);
    let bits = if is_network { other.to_bits() & mask.unwrap_or(u32::MAX) } else { other.to_bits() };
    Some((end, Ipv4Addr::from_bits(bits).to_string()))
}

fn v6(secret: &Secret, text: &str) -> Option<(usize, String)> {
    let end = run(text, |byte| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.'));
    let end = text[..end].trim_end_matches('.').len();
    let found = &text[..end];
    // Without a digit it may as well be the name of a class.
    if goes_on(text, end) || !found.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let address: Ipv6Addr = found.parse().ok()?;
    let other = addresses::v6(secret, address);
    Some((end, if other == address { found.to_owned() } else { other.to_string() }))
}

fn mail(secret: &Secret, text: &str) -> Option<(usize, String)> {
    let is_local = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'+' | b'-');
    let local = run(text, is_local);
    let rest = text[local..].strip_prefix('@')?;
    let domain = run(rest, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'));
    let domain = rest[..domain].trim_end_matches(['.', '-']);
    if local == 0 || !domain.contains('.') {
        return None;
    }
    let other = label(secret, &text[..local]);
    Some((local + 1 + domain.len(), format!("{other}@{}", host_or_domain(secret, domain))))
}

/// A machine's name, alone or with its domain; whatever is in a domain that machines are in.
fn name(plan: &Plan, text: &str) -> Option<(usize, String)> {
    let end = run(text, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'));
    let token = text[..end].trim_end_matches(['.', '-']).to_lowercase();
    let is_known = |name: &str| {
        let mut rest = name;
        loop {
            match rest {
                rest if plan.domains.contains(rest) => return true,
                _ => match rest.split_once('.') {
                    Some((_, parent)) => rest = parent,
                    None => return false,
                },
            }
        }
    };
    let ends = || (1..=token.len()).rev().filter(|end| !goes_on(&token, *end));
    let whole = ends().find(|end| token[..*end].contains('.') && is_known(&token[..*end]));
    if let Some(end) = whole {
        return Some((end, host_or_domain(&plan.secret, &text[..end])));
    }
    // A name of one or two letters may be anything.
    let host = ends().filter(|end| *end > 2).find(|end| plan.hosts.contains(&token[..*end]))?;
    Some((host, label(&plan.secret, &text[..host])))
}

/// Keys, fingerprints and the like: long runs of base64 or hexadecimal digits.
fn key(secret: &Secret, text: &str) -> Option<(usize, String)> {
    let hex = run(text, |byte| byte.is_ascii_hexdigit());
    if hex >= 16 && !goes_on(text, hex) && text[..hex].bytes().any(|byte| byte.is_ascii_alphabetic()) {
        return Some((
            hex,
            secret.stream("hex", text[..hex].to_lowercase().as_bytes()).like_hex(&text[..hex]),
        ));
    }
    let end = run(text, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='));
    let found = &text[..end];
    let has = |is_of: fn(&u8) -> bool| found.as_bytes().iter().any(is_of);
    let slashes = found.bytes().filter(|byte| *byte == b'/').count();
    let is_key = end >= 40
        && slashes * 10 <= end
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit);
    if !is_key {
        return None;
    }
    // What kind of key it is stands at its begin.
    let kept = if found.starts_with("AAAA") { 24 } else { 0 };
    Some((end, found[..kept].to_owned() + &secret.stream("key", found.as_bytes()).like(&found[kept..])))
}
