//! Addresses of the Internet, as `IPAddr` has them: one, or a network.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

/// `Socket::AF_INET`
pub(crate) const INET: i64 = 2;
/// `Socket::AF_INET6`
pub(crate) const INET6: i64 = 10;

/// An address with the length of its prefix; what stands behind that is 0.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Address {
    pub v6: bool,
    bits: u128,
    pub prefix: u32,
}

impl Address {
    /// An address of an IPv4 or IPv6 text without a prefix.
    pub fn parse(text: &str) -> Option<Address> {
        if let Ok(v4) = text.parse::<Ipv4Addr>() {
            return Some(Address { v6: false, bits: u32::from(v4).into(), prefix: 32 });
        }
        let v6 = text.parse::<Ipv6Addr>().ok()?;
        Some(Address { v6: true, bits: v6.into(), prefix: 128 })
    }

    /// An address of a number, of a family by the number that Linux has for it.
    pub fn of_number(number: u128, family: i64) -> Option<Address> {
        match family {
            INET if number <= u32::MAX.into() => Some(Address { v6: false, bits: number, prefix: 32 }),
            INET6 => Some(Address { v6: true, bits: number, prefix: 128 }),
            _ => None,
        }
    }

    /// How many bits there are.
    pub fn width(self) -> u32 {
        if self.v6 { 128 } else { 32 }
    }

    /// The bits behind a prefix.
    fn host_bits(self, prefix: u32) -> u128 {
        match self.width() - prefix {
            128 => u128::MAX,
            free => (1u128 << free) - 1,
        }
    }

    /// The same with other bits, as far as there is room for them.
    pub fn with_bits(self, bits: u128) -> Address {
        Address { bits: bits & (u128::MAX >> (128 - self.width())), ..self }
    }

    /// The network of a prefix.
    pub fn masked(self, prefix: u32) -> Address {
        Address { bits: self.bits & !self.host_bits(prefix), prefix, ..self }
    }

    /// The length of the prefix that a netmask stands for.
    pub fn netmask(self) -> Option<u32> {
        let prefix = (0..=self.width()).find(|prefix| self.bits == self.mask_bits(*prefix));
        prefix.filter(|_| self.prefix == self.width())
    }

    fn mask_bits(self, prefix: u32) -> u128 {
        let all = if self.v6 { u128::MAX } else { u128::from(u32::MAX) };
        all & !self.host_bits(prefix)
    }

    /// Its first and last address.
    pub fn ends(self) -> (Address, Address) {
        let single = |bits| Address { bits, prefix: self.width(), ..self };
        (single(self.bits), single(self.bits | self.host_bits(self.prefix)))
    }

    /// Whether another lies within it; of the other kind none does.
    pub fn includes(self, other: Address) -> bool {
        let ((first, last), (low, high)) = (self.ends(), other.ends());
        self.v6 == other.v6 && first.bits <= low.bits && high.bits <= last.bits
    }

    pub fn number(self) -> u128 {
        self.bits
    }

    /// The address that follows.
    pub fn next(self) -> Option<Address> {
        let bits = self.bits.checked_add(1).filter(|bits| self.v6 || *bits <= u32::MAX.into())?;
        Some(Address { bits, prefix: self.width(), ..self })
    }

    /// Whether it stands for an IPv4 address: Ruby treats those in ways of their own.
    pub fn is_mapped(self) -> bool {
        self.v6 && (self.bits >> 32 == 0xffff || self.bits >> 32 == 0)
    }

    /// The short form, as `to_s` gives it.
    pub fn shown(self) -> String {
        let number = self.number();
        match self.is_mapped() && number > 0xffff {
            true => {
                let mapped = if number >> 32 == 0 { "" } else { "ffff:" };
                format!("::{mapped}{}", Ipv4Addr::from(number as u32))
            }
            false => self.to_string(),
        }
    }

    /// All its digits.
    pub fn in_full(self) -> String {
        match self.v6 {
            false => self.to_string(),
            true => {
                let groups = (0..8).rev().map(|n| format!("{:04x}", (self.bits >> (16 * n)) as u16));
                groups.collect::<Vec<_>>().join(":")
            }
        }
    }

    /// The name it has in the reverse zones.
    pub fn reverse(self) -> String {
        match self.v6 {
            false => {
                let [a, b, c, d] = (self.bits as u32).to_be_bytes();
                format!("{d}.{c}.{b}.{a}.in-addr.arpa")
            }
            true => {
                let digits = (0..32).map(|n| format!("{:x}", (self.bits >> (4 * n)) as u8 & 15));
                format!("{}.ip6.arpa", digits.collect::<Vec<_>>().join("."))
            }
        }
    }

    /// The mask of its prefix.
    pub fn mask(self) -> Address {
        Address { bits: self.mask_bits(self.prefix), prefix: self.width(), ..self }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.v6 {
            false => Ipv4Addr::from(self.bits as u32).fmt(f),
            true => Ipv6Addr::from(self.bits).fmt(f),
        }
    }
}
