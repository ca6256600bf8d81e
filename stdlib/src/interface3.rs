//! Which functions of Puppet's have a form of the 3.x interface too: Ruby calls it as a method of the scope, `function_NAME`.
//! The names are those below `lib/puppet/parser/functions` of Puppet 7.23, 8.10 and OpenVox 9.0.0~rc1, which have the same, and the
//! levels of the log.

use bunraku_vm::diagnostic::Severity;

/// What the 3.x form of a function of Puppet's does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form3x {
    /// What the function does.
    Works,
    /// It is an error that tells to call it otherwise.
    Refuses,
}

/// What the 3.x form of Puppet's function of this name does; none where it has no such form.
pub fn form_3x(name: &str) -> Option<Form3x> {
    match name {
        _ if WORKS.contains(&name) || Severity::by_name(name).is_some() => Some(Form3x::Works),
        _ if REFUSES.contains(&name) => Some(Form3x::Refuses),
        _ => None,
    }
}

const WORKS: [&str; 21] = [
    "contain",
    "create_resources",
    "digest",
    "fail",
    "file",
    "fqdn_rand",
    "generate",
    "include",
    "inline_template",
    "md5",
    "realize",
    "require",
    "scanf",
    "sha1",
    "sha256",
    "shellquote",
    "sprintf",
    "tag",
    "tagged",
    "template",
    "versioncmp",
];

const REFUSES: [&str; 31] = [
    "assert_type",
    "binary_file",
    "break",
    "defined",
    "dig",
    "each",
    "epp",
    "filter",
    "find_file",
    "hiera",
    "hiera_array",
    "hiera_hash",
    "hiera_include",
    "inline_epp",
    "lest",
    "lookup",
    "map",
    "match",
    "new",
    "next",
    "reduce",
    "regsubst",
    "return",
    "reverse_each",
    "slice",
    "split",
    "step",
    "strftime",
    "then",
    "type",
    "with",
];
