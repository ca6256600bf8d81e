//! Calls of functions that modules other than puppetlabs-stdlib carry, and that have native twins: with facts, variables
//! and arguments that fit, and others.

use super::calls::Arg::{self, *};
use super::calls::arguments;
use super::rng::Rng;

const NAMES: Arg = One(&["'foo'", "'a b'", "''", "17", "'é'", "'0'", "-3"]);
const SHARES: Arg = One(&[
    "'50%'", "'95%'", "undef", "false", "'12.5%'", "'%'", "'1e1%'", "512", "'512'", "'64m'", "1.9", "true",
    "[]", "{}", "'-7'", "['50%']", "'-10%'", "'0'", "' 12'", "'1_000'",
]);
const MEMORY: &[&str] = &[
    r#""15.62 GiB""#,
    r#""512.00 MiB""#,
    r#""1.5 TiB""#,
    r#""987654 kB""#,
    r#""1000 B""#,
    r#""1000""#,
    r#""12 KiB""#,
    r#""7.81 EiB""#,
    r#""-3.7 GiB""#,
    r#""GiB""#,
    r#""""#,
    "null",
    "4096",
    r#""1e3M""#,
];
const LINES: Arg = One(&[
    "[]",
    "['local all all peer']",
    "['host all all 127.0.0.1/32 md5', 'host all all ::1/128 md5']",
    "['host db me 10.0.0.0 255.0.0.0 md5 clientcert=1 x=y']",
    "['hostssl all all 0.0.0.0/0 cert map=x y', 'local a b trust  one two']",
    "['local a b c', 'local a b c', \"host\\ta b c\"]",
    "['host all all', 'local all all peer']",
    "['local a b c', 'local a']",
    "[\"  host all\\nall example.com ldap x \"]",
    "['host a b 10.0.0.0 255.0.0.0']",
    "'local all all peer'",
    "[1]",
]);
const QUOTED: Arg = One(&[
    "'plain'",
    "'with $$ in it'",
    "'ends in $'",
    "''",
    "'$'",
    "'$$ ddc'",
    "'$$ abcdef'",
    "1",
    "'é $$'",
]);
const REPOSITORIES: Arg = One(&[
    "{'a' => {'baseurl' => 'x', 'enabled' => 1}, 'b' => {}}",
    "{}",
    "{'a' => {'nosuch' => 1}}",
    "{'a' => ['name', 'descr']}",
    "{'a' => [['gpgkey', 1], 'x']}",
    "{'a' => 'text'}",
    "{'a' => undef}",
    "{'a' => {1 => 2}}",
    "'x'",
    "[]",
]);
const PROCESSES: Arg = One(&[
    "[]",
    "['a', 'b', 'a']",
    "[{'name' => 'foo', 'regex' => '.*'}, 'alone']",
    "[{'regex' => 'x'}]",
    "[{'name' => undef}]",
    "{'foo' => {'regex' => 'x'}}",
    "'x'",
    "[1]",
    "undef",
]);
const VARIABLES: Arg = One(&[
    "'set'",
    "'::set'",
    "'unset'",
    "'nothing'",
    "'facts'",
    "'interfaces'",
    "'nosuch::x'",
    "'settings::noop'",
    "1",
    "''",
    "undef",
    "'list'",
]);
const MESSAGES: Arg =
    One(&["'plain'", "'%{a} of %{b}'", "'100%'", "'%s'", "'%<a>05d|'", "'%{z}'", "'%%{a}'", "1"]);
const VALUES: Arg =
    One(&["{'a' => 1, 'b' => 'x'}", "{}", "{1 => 2}", "undef", "{'a' => undef}", "{'a' => [1, 'y']}", "[1]"]);
const HOCON: Arg = One(&[
    "'a = 1'",
    "'{a: {b: [1, 2.5, null, true]}, c: x y}'",
    "\"a.b = 1\\na.c = 2 # x\\na { d = [] }\"",
    "'a = ${b}, b = 3'",
    "'a = ${nosuch}'",
    "'a = ${?nosuch}'",
    "'a = [1, 2'",
    "'[1, 2]'",
    "''",
    "'a'",
    "'a += 1, a += 2'",
    "'a = \"q\\n\", b = 10 seconds, c = 1e3, d = 007'",
    "'include \"x\"'",
    "'a = 1, a = {b = 2}, a = {c = 3}'",
]);
const INTERFACES: &[&str] = &[
    r#""eth0,lo,wlan0""#,
    r#""lo""#,
    r#""eth0""#,
    r#""eth0,,""#,
    r#"",,""#,
    r#""""#,
    "null",
    r#""lo,eth0:1""#,
];
const FILES: Arg =
    One(&["'mysql/my.cnf.pass.erb'", "'ntp/ntp.conf.epp'", "'nosuch/x'", "'/nosuch'", "'stdlib'"]);

const FUNCTIONS: &[(&str, &[Arg])] = &[
    ("apache::pw_hash", &[NAMES]),
    ("collectd_convert_processes", &[PROCESSES, Maybe, PROCESSES]),
    ("getvar_emptystring", &[VARIABLES]),
    ("getvar_emptystring", &[Maybe, VARIABLES, Maybe, VARIABLES]),
    ("ipaddresses", &[Maybe, Any]),
    ("mco_array_to_string", &[Any]),
    ("mco_array_to_string", &[Maybe, Many]),
    ("mco_array_to_string", &[Arr]),
    ("memcached::max_memory", &[SHARES]),
    ("memcached::max_memory", &[SHARES, Maybe, SHARES]),
    ("memcached::max_memory", &[Any]),
    ("mysql_password", &[Any]),
    ("mysql_password", &[One(&["'*6C8989366EAF75BB670AD8EA7A7FC1176A95CEF4'", "''", "'é'", "'x'", "undef"])]),
    ("mysql_password", &[Maybe, NAMES, Maybe, NAMES]),
    ("parsehocon", &[HOCON, Maybe, Any]),
    ("parsehocon", &[Str]),
    (
        "postgresql::postgresql_acls_to_resources_hash",
        &[LINES, NAMES, One(&["0", "1", "101", "-1", "99999"])],
    ),
    ("postgresql::postgresql_acls_to_resources_hash", &[LINES, One(&["'id'", "'x y'"]), One(&["0", "7"])]),
    ("postgresql::postgresql_escape", &[QUOTED]),
    ("postgresql::postgresql_password", &[NAMES, NAMES]),
    ("postgresql::postgresql_password", &[Any, Any]),
    ("postgresql_escape", &[QUOTED]),
    ("postgresql_password", &[Maybe, NAMES, NAMES]),
    ("template_body", &[Maybe, FILES, Maybe, FILES]),
    ("translate", &[MESSAGES, Maybe, VALUES]),
    ("translate", &[MESSAGES, VALUES]),
    ("validate_yum_hash", &[REPOSITORIES]),
    ("validate_yum_hash", &[Maybe, REPOSITORIES, Maybe, REPOSITORIES]),
];

/// A program that calls one of the functions, with facts and variables.
pub(super) fn program(rng: &mut Rng) -> String {
    let (name, kinds) = FUNCTIONS[rng.below(FUNCTIONS.len())];
    let args = arguments(rng, kinds).join(", ");
    let prelude = match name {
        "memcached::max_memory" => {
            format!("# facts: {{\"memorysize\": {}}}\n", MEMORY[rng.below(MEMORY.len())])
        }
        "ipaddresses" => format!(
            "# facts: {{\"interfaces\": {}, \"ipaddress_eth0\": \"10.0.0.1\", \"ipaddress6_eth0\": \"fe80::1\", \
             \"ipaddress_lo\": \"127.0.0.1\", \"ipaddress_wlan0\": \"10.0.0.2\", \"ipaddress6_wlan0\": null}}\n",
            INTERFACES[rng.below(INTERFACES.len())]
        ),
        "getvar_emptystring" => "$set = 'value'\n$nothing = undef\n$list = [1, undef]\n".to_owned(),
        _ => String::new(),
    };
    format!("{prelude}$r = {name}({args})")
}
