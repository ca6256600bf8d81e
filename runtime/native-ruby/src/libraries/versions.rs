//! Versions: how Puppet compares those of packages.

use crate::eval::{Done, Run};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::value::V;

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
