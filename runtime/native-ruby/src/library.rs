//! The names of the files that `require` finds without a module: those of Puppet's own Ruby, in each version, and those of
//! Ruby's library.

use std::collections::HashSet;
use std::sync::LazyLock;

/// The names of the files of Puppet's own Ruby, as the worker reads them.
pub const PUPPET_FILES: &str = include_str!("prelude/puppet_files.rb");

/// Files, and folders of them, that come with every Ruby from 2.7 on, or with Puppet as one of the things that it needs.
const RUBY: &[&str] = &[
    "English",
    "base64",
    "benchmark",
    "cgi",
    "concurrent",
    "coverage",
    "csv",
    "date",
    "deep_merge",
    "delegate",
    "digest",
    "drb",
    "erb",
    "etc",
    "expect",
    "fcntl",
    "fiddle",
    "fileutils",
    "find",
    "forwardable",
    "getoptlong",
    "hiera",
    "hiera_puppet",
    "hocon",
    "io/console",
    "io/nonblock",
    "io/wait",
    "ipaddr",
    "json",
    "logger",
    "monitor",
    "net/http",
    "net/https",
    "net/protocol",
    "objspace",
    "observer",
    "open-uri",
    "open3",
    "openssl",
    "optparse",
    "ostruct",
    "pathname",
    "pp",
    "prettyprint",
    "pstore",
    "psych",
    "pty",
    "puppet_pal",
    "puppet_x",
    "rbconfig",
    "resolv",
    "ripper",
    "rubygems",
    "securerandom",
    "set",
    "shellwords",
    "singleton",
    "socket",
    "stringio",
    "strscan",
    "syslog",
    "tempfile",
    "thread",
    "time",
    "timeout",
    "tmpdir",
    "tsort",
    "un",
    "uri",
    "weakref",
    "yaml",
    "zlib",
];

/// Of these, the folders hold nothing but Ruby's own.
const FOLDERS: &[&str] =
    &["cgi", "digest", "drb", "erb", "json", "openssl", "optparse", "psych", "uri", "yaml"];

/// Files of Ruby's library and of Puppet's that change nothing that is run here when they are loaded.
const CHANGE_NOTHING: &[&str] = &[
    "base64",
    "bigdecimal",
    "cgi",
    "date",
    "digest",
    "digest/md5",
    "digest/sha1",
    "digest/sha2",
    "erb",
    "facter",
    "hocon",
    "hocon/config_error",
    "hocon/config_factory",
    "ipaddr",
    "json",
    "openssl",
    "pathname",
    "psych",
    "puppet",
    "puppet/error",
    "puppet/functions",
    "puppet/parser/functions",
    "puppet/util",
    "puppet/util/json",
    "puppet/util/package",
    "rubygems",
    "securerandom",
    "semantic_puppet",
    "set",
    "shellwords",
    "stringio",
    "tempfile",
    "time",
    "timeout",
    "uri",
    "yaml",
    "zlib",
    "English",
    "open3",
    "fileutils",
    "etc",
    "net/http",
    "pp",
    "socket",
    "resolv",
    "openssl/digest",
    "puppet/pops",
    "puppet/file_system",
    "puppet/parser",
    "puppet_x",
];

static PUPPET: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let mut files = HashSet::new();
    for (folder, names) in PUPPET_FILES.lines().filter_map(|line| line.trim().split_once(": ")) {
        for entry in names.split(' ') {
            let base = entry.split(':').next().unwrap_or_default();
            files.insert(match folder {
                "." => base.to_owned(),
                folder => format!("{folder}/{base}"),
            });
        }
    }
    files
});

/// Whether loading the file of that name changes nothing that is run here.
pub(crate) fn changes_nothing(name: &str) -> bool {
    CHANGE_NOTHING.contains(&name)
}

/// Whether a file of that name, without `.rb`, is one of Ruby's library that is always there, or of Puppet's own in any version:
/// what Debian's package of one version lacks, `puppet/resource_api` above all, other packages of it have. Of others it is not
/// known: a gem may have them.
pub fn is_library_file(name: &str) -> bool {
    let folder =
        || FOLDERS.iter().any(|folder| name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')));
    RUBY.contains(&name) || folder() || PUPPET.contains(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_puppet_and_of_ruby_are_known() {
        let known = [
            "puppet",
            "puppet/util/filetype",
            "puppet/resource_api",
            "facter",
            "json",
            "digest/sha2",
            "net/http",
        ];
        assert!(known.iter().all(|name| is_library_file(name)));
        let unknown = ["puppet/provider/firewall", "net/ssh", "jsonnet", "win32ole", "inifile", ""];
        assert!(!unknown.iter().any(|name| is_library_file(name)));
    }
}
