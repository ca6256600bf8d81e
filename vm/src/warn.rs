//! Warnings that Puppet gives once a run.

use crate::diagnostic::Severity;
use crate::host::Site;
use crate::vm::Vm;

/// How many different ones Puppet gives at most.
const MOST: usize = 100;

/// Warns unless a warning of the same key was given before. Puppet writes the place below the message, and
/// that there is none where there is none.
pub fn once<'c>(vm: &mut Vm<'c>, key: &str, message: &str, site: Option<Site<'c>>) {
    if vm.warned.len() >= MOST || !vm.warned.insert(key.into()) {
        return;
    }
    let place = match site {
        None => "(file & line not available)".to_owned(),
        Some(Site { file, line: 0, .. }) => format!("(file: {})", file.unwrap_or("unknown")),
        Some(Site { file, line, .. }) => format!("(file: {}, line: {line})", file.unwrap_or("unknown")),
    };
    vm.host.log(Severity::Warning, &format!("{message}\n   {place}"), None);
}
