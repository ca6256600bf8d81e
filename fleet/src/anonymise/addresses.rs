//! Other addresses in the place of addresses: what is near stays near. Two addresses share as many leading bits as before, so
//! networks stay networks; private ranges stay within themselves; the last octet of an IPv4 address, and with it which machine
//! of a network is the gateway, is kept. Loopback, multicast, link-local prefixes and masks are no secrets and stay.

use super::secret::Secret;
use std::net::{Ipv4Addr, Ipv6Addr};

/// The other address.
pub fn v4(secret: &Secret, address: Ipv4Addr) -> Ipv4Addr {
    let octets = address.octets();
    // How many leading bits are kept: those that say what range it is of.
    let kept = match octets {
        [0 | 127 | 224..=255, ..] | [169, 254, ..] => return address,
        [10, ..] => 8,
        [172, 16..=31, ..] => 12,
        [100, 64..=127, ..] => 10,
        [192 | 172 | 100 | 169 | 198, ..] => 16,
        _ => 0,
    };
    let bits = u128::from(address.to_bits()) << 96;
    let other = Ipv4Addr::from_bits((flipped(secret, "v4", bits, kept.max(8), 24) >> 96) as u32);
    match (kept, other.octets()) {
        (0, [first, second, third, last]) => Ipv4Addr::new(public(secret, first), second, third, last),
        _ => other,
    }
}

/// The first octet of a public address that stands for another: each for one, and none of a range with a meaning.
fn public(secret: &Secret, first: u8) -> u8 {
    let is_plain = |octet: &u8| !matches!(octet, 0 | 10 | 100 | 127 | 169 | 172 | 192 | 198 | 224..=255);
    let plain: Vec<u8> = (0..=255).filter(is_plain).collect();
    let mut shuffled = plain.clone();
    shuffled.sort_by_cached_key(|octet| {
        let mut stream = secret.stream("octet", &[*octet]);
        [0; 8].map(|_: u8| stream.byte())
    });
    let at = plain.iter().position(|octet| *octet == first);
    at.map_or(first, |at| shuffled[at])
}

/// Bits `from..to`, counted from the front, each flipped or not by what stands before it.
fn flipped(secret: &Secret, kind: &str, bits: u128, from: u32, to: u32) -> u128 {
    let mut out = bits;
    for at in from..to {
        let before = bits & !u128::MAX.checked_shr(at).unwrap_or_default();
        let mut word = before.to_be_bytes().to_vec();
        word.push(at as u8);
        if secret.bit(kind, &word) {
            out ^= 1 << (127 - at);
        }
    }
    out
}

/// The other address.
pub fn v6(secret: &Secret, address: Ipv6Addr) -> Ipv6Addr {
    if let Some(inner) = address.to_ipv4_mapped() {
        return v4(secret, inner).to_ipv6_mapped();
    }
    let bits = address.to_bits();
    let kept = match address.segments()[0] {
        0 | 0xff00..=0xffff => return address,
        0xfe80..=0xfebf => 64,
        0xfc00..=0xfdff => 8,
        _ => 3,
    };
    let front = match kept {
        64 => bits,
        kept => flipped(secret, "v6", bits, kept, 64),
    };
    let interface = u128::from(interface(secret, bits as u64));
    Ipv6Addr::from_bits(front & !u128::from(u64::MAX) | interface)
}

/// The other interface identifier: one that is made of a MAC is made of the other MAC; small numbers, which people give, stay.
fn interface(secret: &Secret, id: u64) -> u64 {
    let [a, b, c, ff, fe, d, e, f] = id.to_be_bytes();
    if (ff, fe) == (0xff, 0xfe) {
        let [a, b, c, d, e, f] = mac(secret, [a ^ 2, b, c, d, e, f]);
        return u64::from_be_bytes([a ^ 2, b, c, 0xff, 0xfe, d, e, f]);
    }
    match id {
        0..=0xffff => id,
        _ => {
            let mut stream = secret.stream("interface", &id.to_be_bytes());
            u64::from_be_bytes([0; 8].map(|_: u8| stream.byte())) | 1 << 32
        }
    }
}

/// The other MAC: locally administered, of one machine. All zeros and all ones are no machine's.
pub fn mac(secret: &Secret, address: [u8; 6]) -> [u8; 6] {
    if address == [0; 6] || address == [0xff; 6] {
        return address;
    }
    let mut stream = secret.stream("mac", &address);
    let mut other = [0; 6].map(|_: u8| stream.byte());
    other[0] = other[0] & 0xfc | 2;
    other
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn secret() -> Secret {
        Secret::new(b"of the tests")
    }

    fn of(text: &str) -> Ipv4Addr {
        v4(&secret(), text.parse().unwrap())
    }

    fn shared(a: Ipv4Addr, b: Ipv4Addr) -> u32 {
        (a.to_bits() ^ b.to_bits()).leading_zeros()
    }

    #[test]
    fn addresses_share_as_many_bits_as_before() {
        let all = ["10.1.2.3", "10.1.2.200", "10.1.3.3", "10.200.2.3", "81.2.3.4", "81.2.3.5", "81.3.3.4"];
        for a in all {
            assert_ne!(of(a).to_string(), a);
            for b in all.into_iter().filter(|b| *b != a) {
                let [x, y]: [Ipv4Addr; 2] = [a.parse().unwrap(), b.parse().unwrap()];
                let is_same_first = x.octets()[0] == y.octets()[0];
                assert!(
                    !is_same_first || shared(x, y) == shared(of(a), of(b)),
                    "{a} {b}: {} {}",
                    of(a),
                    of(b)
                );
                assert!(is_same_first || x.octets()[0] == 10 || of(a).octets()[0] != of(b).octets()[0]);
            }
        }
        assert_eq!(of("10.1.2.1").octets()[3], 1);
    }

    #[test]
    fn ranges_with_a_meaning_keep_it() {
        for same in ["127.0.0.1", "0.0.0.0", "255.255.255.0", "169.254.1.2", "224.0.0.1"] {
            assert_eq!(of(same).to_string(), same);
        }
        assert!(
            of("10.1.2.3").is_private() && of("172.20.1.1").is_private() && of("192.168.1.1").is_private()
        );
        assert!(!of("8.8.8.8").is_private() && !of("172.40.1.1").is_private());
        let octets: BTreeSet<u8> = (1..=223).map(|first| of(&format!("{first}.1.1.1")).octets()[0]).collect();
        assert_eq!(octets.len(), 223);
    }

    #[test]
    fn a_mac_within_an_address_is_the_other_mac() {
        let secret = secret();
        let other = mac(&secret, [0x52, 0x54, 0, 1, 2, 3]);
        let [a, b, c, d, e, f] = other;
        let linked = v6(&secret, "fe80::5054:ff:fe01:203".parse().unwrap());
        let bytes = linked.octets();
        assert_eq!(bytes[8..], [a ^ 2, b, c, 0xff, 0xfe, d, e, f]);
        assert!(linked.to_string().starts_with("fe80::"));
        let global = v6(&secret, "2001:db8:1:2::53".parse().unwrap());
        assert_ne!(global.segments()[1], 0xdb8);
        assert_eq!(global.segments()[7], 0x53);
        for same in ["::1", "::", "ff02::1"] {
            assert_eq!(v6(&secret, same.parse().unwrap()).to_string(), same);
        }
    }
}
