//! `IPAddr`.

use crate::eval::{Done, Unwind};
use crate::for_ruby::ForRuby;
use crate::methods::is_plain;
use crate::value::address::{INET, INET6};
use crate::value::{Address, Class, V, large};
use num_traits::ToPrimitive as _;

const UNKNOWN: ForRuby = ForRuby("an address of another form");

/// Calls a method of the class; none for what is not known.
pub(crate) fn call<'c>(name: &str, args: &[V<'c>]) -> Done<'c, Option<V<'c>>> {
    match (name, args) {
        ("new", [text]) if text.text().is_some() => {
            Ok(Some(V::address(address(&text.text().unwrap_or_default())?)))
        }
        // What is no string needs its family told.
        ("new", [other]) if matches!(other, V::Nil | V::Other(_)) || is_plain(other) => {
            Err(Unwind::unsaid(Class::IpFamily))
        }
        ("new", [number @ (V::Int(_) | V::Big(_)), V::Int(family)]) => {
            let number = large::of(number).and_then(|number| number.to_u128()).ok_or(UNKNOWN)?;
            Ok(Some(V::address(Address::of_number(number, *family).ok_or(UNKNOWN)?)))
        }
        _ => Ok(None),
    }
}

/// The address that a text says. What is none for sure is an error that code may rescue.
fn address<'c>(text: &str) -> Done<'c, Address> {
    let (text, prefix) = match text.split_once('/') {
        Some((text, prefix)) => (text, Some(prefix)),
        None => (text, None),
    };
    let found = Address::parse(text).or_else(|| in_brackets(text)).ok_or_else(|| match is_none(text) {
        true => Unwind::unsaid(Class::IpInvalidAddress),
        false => UNKNOWN.into(),
    })?;
    let Some(prefix) = prefix else { return Ok(found) };
    Ok(found.masked(length(found, prefix)?))
}

/// The address of `[…]`, which is one of IPv6.
fn in_brackets(text: &str) -> Option<Address> {
    Address::parse(text.strip_prefix('[')?.strip_suffix(']')?).filter(|found| found.v6)
}

/// Whether Ruby takes a text for no address beyond doubt.
fn is_none(text: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '*');
    let of_address = |c: char| c.is_ascii_hexdigit() || matches!(c, ':' | '.');
    if text.chars().all(word) {
        return true;
    }
    let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let is_zone = |zone: &str| !zone.is_empty() && zone.chars().all(|c| c.is_alphanumeric() || c == '_');
    match inner.rsplit_once('%').filter(|(_, zone)| is_zone(zone)) {
        Some((address, _)) => !address.contains(':') || !address.chars().all(of_address),
        None => !inner.chars().all(of_address),
    }
}

/// How long the prefix is that stands behind a slash: as a number or as a mask.
fn length<'c>(found: Address, prefix: &str) -> Done<'c, u32> {
    let decimal = !prefix.is_empty() && prefix.bytes().all(|b| b.is_ascii_digit()) && prefix.len() < 6;
    if decimal && (prefix == "0" || !prefix.starts_with('0')) {
        let length: u32 = prefix.parse().map_err(|_| UNKNOWN)?;
        return match length <= found.width() {
            true => Ok(length),
            false => Err(Unwind::unsaid(Class::IpInvalidPrefix)),
        };
    }
    let mask = Address::parse(prefix).filter(|mask| mask.v6 == found.v6);
    Ok(mask.and_then(Address::netmask).ok_or(UNKNOWN)?)
}

/// Calls a method of an address; none for what is not known.
pub(crate) fn method<'c>(on: Address, name: &str, args: &[V<'c>]) -> Done<'c, Option<V<'c>>> {
    Ok(Some(match (name, args) {
        ("ipv4?", []) => V::Bool(!on.v6),
        ("ipv6?", []) => V::Bool(on.v6),
        ("to_s", []) => V::made(on.shown()),
        ("to_string", []) => V::made(on.in_full()),
        ("to_i", []) => large::value(on.number().into())?,
        ("family", []) => V::Int(if on.v6 { INET6 } else { INET }),
        ("inspect", []) => V::made(inspected(on)),
        ("prefix", []) => V::Int(on.prefix.into()),
        ("netmask", []) if !on.v6 => V::made(on.mask().shown()),
        ("reverse", []) => V::made(on.reverse()),
        ("succ", []) => V::address(on.next().ok_or(UNKNOWN)?),
        ("to_range", []) => {
            let (first, last) = on.ends();
            V::Span(std::rc::Rc::new((V::address(first), V::address(last), false)))
        }
        ("mask", [V::Int(length)]) => {
            let length = u32::try_from(*length).ok().filter(|length| *length <= on.width()).ok_or(UNKNOWN)?;
            V::address(on.masked(length))
        }
        ("mask", [mask]) => {
            let mask = mask.text().ok_or(UNKNOWN)?;
            V::address(on.masked(length(on, &mask)?))
        }
        ("|" | "&", [other]) => V::address(joined(on, name, other)?),
        ("~", []) => V::address(on.with_bits(!on.number())),
        ("include?" | "===", [other]) => V::Bool(includes(on, other)?),
        ("==", [V::Address(other)]) if !on.is_mapped() && !other.is_mapped() => {
            V::Bool(on.v6 == other.v6 && on.number() == other.number())
        }
        ("<=>", [V::Address(other)]) if on.v6 == other.v6 => V::Int(on.number().cmp(&other.number()) as i64),
        ("is_a?" | "kind_of?", [V::Class(class)]) => V::Bool(class.covers(Class::IpAddr)),
        ("instance_of?", [V::Class(class)]) => V::Bool(*class == Class::IpAddr),
        ("class", []) => V::Class(Class::IpAddr),
        ("nil?", []) => V::Bool(false),
        _ => return Ok(None),
    }))
}

/// The bits of two addresses of one kind, with the prefix of the first.
fn joined<'c>(on: Address, operator: &str, other: &V<'c>) -> Done<'c, Address> {
    let other = match other {
        V::Address(other) => **other,
        other => address(&other.text().ok_or(UNKNOWN)?)?,
    };
    if on.v6 != other.v6 || on.is_mapped() || other.is_mapped() {
        return Err(UNKNOWN.into());
    }
    let bits = match operator {
        "|" => on.number() | other.number(),
        _ => on.number() & other.number(),
    };
    Ok(on.with_bits(bits))
}

fn includes<'c>(on: Address, other: &V<'c>) -> Done<'c, bool> {
    let other = match other {
        V::Address(other) => **other,
        other => address(&other.text().ok_or(UNKNOWN)?)?,
    };
    match on.is_mapped() || other.is_mapped() {
        true => Err(UNKNOWN.into()),
        false => Ok(on.includes(other)),
    }
}

/// What `inspect` gives.
fn inspected(address: Address) -> String {
    let kind = if address.v6 { "IPv6" } else { "IPv4" };
    format!("#<IPAddr: {kind}:{}/{}>", address.in_full(), address.mask().in_full())
}
