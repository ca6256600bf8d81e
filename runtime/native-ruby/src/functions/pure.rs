//! Functions of Puppet's and of modules that have no effects and always give the same.

/// Functions without effects that `scope.function_…` and `scope.call_function` both call. Puppet's other functions
/// refuse the former.
pub(crate) const PURE: &[&str] =
    &["versioncmp", "sha1", "sha256", "md5", "shellquote", "sprintf", "fqdn_rand"];
/// Functions without effects that only `scope.call_function` calls; those of modules by their native twins.
const PURE_NEW: &[&str] = &[
    "regsubst",
    "split",
    "camelcase",
    "capitalize",
    "chomp",
    "chop",
    "compare",
    "dig",
    "get",
    "lstrip",
    "rstrip",
    "apache::bool2httpd",
    "memcached::max_memory",
    "postgresql::postgresql_password",
    "bool2num",
    "bool2str",
    "empty",
    "flatten",
    "join",
    "keys",
    "length",
    "mysql::password",
    "num2bool",
    "size",
    "sort",
    "str2bool",
    "strip",
    "unique",
    "upcase",
    "downcase",
    "values",
    "stdlib::to_json",
    "to_json",
    "stdlib::to_yaml",
    "to_yaml",
    "to_json_pretty",
    "stdlib::to_json_pretty",
    "base64",
    "uriescape",
    "stdlib::shell_escape",
    "shell_escape",
    "is_service_default",
    "normalize_ip_for_uri",
];

/// Whether a function has no effects and always gives the same: it does not matter how often it is called.
pub(crate) fn is_pure(name: &str) -> bool {
    PURE.contains(&name) || PURE_NEW.contains(&name)
}
