//! Versions: how Puppet compares those of packages; semantic ones, for the prelude.

use crate::eval::{Done, Run};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::value::V;
use bunraku_vm::semver::{self, Version};

/// Calls a method of `Puppet::Util::Package`.
pub(super) fn package<'c>(run: &mut Run<'_, 'c>, name: &str, args: &[V<'c>]) -> Done<'c, Option<V<'c>>> {
    if name != "versioncmp" || !(2..=3).contains(&args.len()) {
        return Ok(None);
    }
    if !args[..2].iter().all(|arg| arg.text().is_some()) {
        return Err(ForRuby("a version that is no string").into());
    }
    let args = args.iter().map(|arg| arg.to_value(run.vm)).collect::<OrRuby<Vec<_>>>()?;
    let native = run.vm.host.native("versioncmp", "").ok_or(ForRuby("a comparison of versions"))?;
    let order = run.vm.call_native(native, &args, None, run.scope);
    Ok(Some(V::from(order.map_err(|_| ForRuby("a comparison of versions"))?)))
}

/// Longer numbers are left to Ruby.
const MOST_DIGITS: usize = 18;

/// What the prelude asks of semantic versions and ranges, which are texts; none for what is not known. What may be at fault is
/// given as a pair: what it says, and the fault.
pub(super) fn semantic<'c>(name: &str, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    let texts: Option<Vec<String>> = args.iter().map(|arg| arg.text().map(|text| text.to_string())).collect();
    let texts = texts.ok_or(ForRuby("a version that is no string"))?;
    let is_long =
        |text: &String| text.split(|c: char| !c.is_ascii_digit()).any(|run| run.len() > MOST_DIGITS);
    if texts.iter().any(is_long) {
        return Err(ForRuby("a version of large numbers"));
    }
    let pair = |result: Result<V<'c>, String>| match result {
        Ok(value) => V::pair(value, V::Nil),
        Err(fault) => V::pair(V::Nil, V::made(fault)),
    };
    let order = |a: &str, b: &str| Some(Version::parse(a).ok()?.order(&Version::parse(b).ok()?));
    Ok(match (name, &texts[..]) {
        ("version", [text]) => Some(pair(Version::parse(text).map(|version| V::made(version.to_string())))),
        ("version_order", [a, b]) => order(a, b).map(|order| V::Int(order as i64)),
        ("version_range", [text]) => {
            let names =
                |named: &str| V::pair(V::made(named.to_owned()), V::made(semver::inspect_range(text)));
            Some(pair(semver::named_range(text).map(names)))
        }
        ("in_version_range", [range, version]) => Some(V::Bool(semver::range_includes(range, version))),
        _ => None,
    })
}
