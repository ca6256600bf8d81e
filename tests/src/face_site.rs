//! A site that the Puppet face is tried with: environments, facts, manifests with and without faults, and the links by which Bunraku is
//! Puppet.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use regex_lite::Regex;
use tempfile::TempDir;

use crate::{bunraku, paths, recorded};

/// A folder with all of that.
pub struct Site(TempDir);

const SITE: &str = "notice('n')\nwarning('w')\ninfo('i')\ndebug('d')\nfile { '/tmp/a': content => Sensitive('pw'), ensure => file }\n\
    notify { \"${facts['os']['family']} ü \\u{1F600}\": message => Binary('aGVsbG8='), withpath => true }\n";
const LOGS: &str = "notice('top')\nclass a { notice('in class', 'two') debug('d') info('i') err('e') alert('al') crit('c') emerg('em')\n\
    warning(\"multi\\nline\") x { 't': } with(1) |$z| { notice('lambda') } b::f() $t = inline_template('<% scope.function_notice([\"erb\"]) %>') }\n\
    define x { notice('in def') $y = $nosuch }\nfunction b::f { notice('in function') }\nnode default { include a notice('in node') }\n";
const RICH: &str = "notify { 'bin': message => Binary('aGVsbG8=') }\nnotify { 're': message => /a.b/ }\n\
    notify { 'ts': message => Timestamp('2020-01-02T03:04:05.123456789 UTC') }\nnotify { 'span': message => Timespan('1-02:03:04.5') }\n\
    notify { 'semver': message => [SemVer('1.2.3-rc1'), SemVerRange('>=1.0.0 <2.0.0')] }\nnotify { 'default': message => default }\n\
    notify { 'sensitive': message => [Sensitive('x')] }\n\
    notify { 'keys': message => { 1 => 2, 'a' => [{ /x\\/y/ => default }], default => 3, undef => 4, [1] => 5, true => 1.5 } }\n\
    notify { 'deferred': message => Deferred('sprintf', ['%s', \"it's\", { a => [undef, 1] }]) }\n\
    notify { 'uri': message => [URI('http://a/b'), URI('x:y')] }\nnotify { 'ref': message => Notify['bin'] }\nnotify { 'empty': message => [[], { a => {} }] }\n";
const FAULTS: &str = "class a { $x = 1\n  $a::b = 2\n  1 + 1\n}\nif 1 { class c {} }\n";

/// Each kind of expression once.
const TREE: &str = r#"
$a = -1 + 0x1F * (010 - -2.50) % $b << [1, *$c]
$h = { a => 'x y', "b${c[1].d}" => undef, 3 => default }
$r = $a =~ /x\/"y/ and !($b in $c) or $d !~ Integer[0, default]
if $a { notice 1, 2 } elsif $b { } else { fail('x') }
unless $a { include a } else { $b }
case $x { 'a', /b/: { } default: { c() } }
$s = $x ? { 1 => 2, default => { y => 1 } }
$l = @("E":json/t)
  a ${b} "\t"
  | E
[1, 2].each |Integer $i = 1, $k| >> String { notice("v: ${i}") }
file { ['/a', '/b']: ensure => file, * => $attributes; default: mode +> '0644' }
@user { 'v': } -> @@user { 'e': uid => 1 }
File { owner => root }
File['/a'] { mode => '0600' }
User <| uid == 1 and title != 'x' |> { gid => 5 }
User <<| |>>
class a::b (String[1] $p = 'c', $q) inherits a { }
class c { }
define d ($x) { $x }
function f::g(Integer $i) >> Integer { $i + 1 }
type T::A = Variant[Integer, Enum['a']]
node 'a.b', /c/, default { }
node default inherits x { }
$m = $a::b.c(1) |$x| { $x }.d
A::B[c] ~> D['e'] <- F[1, 2] <~ G[h]
$o = 1.0e30
$x -= 1
"#;

/// Manifests, templates, data and facts.
const FILES: &[(&str, &str)] = &[
    ("env/production/manifests/site.pp", SITE),
    ("env/bad/manifests/site.pp", "file {"),
    ("env/run/manifests/site.pp", "notice(1)\ninclude nosuch"),
    ("env/rich/manifests/site.pp", RICH),
    ("env/logs/manifests/site.pp", LOGS),
    ("env/faults/manifests/site.pp", FAULTS),
    ("env/modules/modules/m/manifests/init.pp", "class m { notice('m') }"),
    ("env/modules/modules/m/templates/t.epp", "<%- | $a = 1 | -%>\nm <%= $a %>\n"),
    ("env/modules/modules/m/metadata.json", METADATA),
    ("env/modules/manifests/site.pp", "include m"),
    ("hidden/.site.pp", "class {"),
    ("hidden/.old/x.pp", "class {"),
    ("placed/m/manifests/b.pp", "class m::c { }"),
    ("placed/m/manifests/b/c.pp", "class m::b { }\nnotify { 'x': }"),
    ("placed/m/functions/f.pp", "function m::g() { 1 }"),
    ("placed/m/examples/init.pp", "class other { }\ninclude m"),
    ("var/yaml/facts/a.example.com.yaml", FACTS),
    ("var/client_yaml/facts/a.example.com.yaml", FACTS),
    // What runs in Puppet's mode `user` has a folder of facts of its own.
    (
        "var/yaml/facts/c.example.com.yaml",
        "--- !ruby/object:Puppet::Node::Facts\nname: c.example.com\nvalues: {own: server}\n",
    ),
    (
        "var/client_yaml/facts/c.example.com.yaml",
        "--- !ruby/object:Puppet::Node::Facts\nname: c.example.com\nvalues: {own: client}\n",
    ),
    ("own.pp", "notify { $own: }"),
    ("logs.pp", "notice(1)"),
    ("syntax.pp", "$x =\n"),
    ("name.pp", "class a-b {}\n"),
    ("number.pp", "$a = 0x\n"),
    ("twice.pp", "$a = {a=>1,a=>2}\n"),
    ("faults.pp", FAULTS),
    ("a.epp", "<%- | $a = 1 | -%>\nhi <%= $a %> <%= $facts['os']['family'] %>\n"),
    ("b.epp", "<%= $a"),
    ("fail.epp", "<%= fail('x') %>"),
    ("facts.json", "{\"os\": {\"family\": \"F\"}}"),
    ("values.yaml", "a: \"it's\"\n"),
    ("values.pp", "{ 'a' => 4 * 2 }"),
    ("tree.pp", TREE),
    // Its notation fails in Puppet, by an error of its own.
    ("rest.pp", "function f(*$rest) { $rest }\n"),
    ("umlaut.pp", "$a = \"ü ${1} \\u{1F600}\"\n"),
    // The folders that Wikimedia's puppet-compiler prepares.
    (
        "src/puppet.conf",
        "[master]\nnode_terminus = plain\ndefault_file_terminus = file_server\n[main]\nhiera_config = $confdir/hiera.yaml\n",
    ),
    (
        "src/hiera.yaml",
        "version: 5\ndefaults: {datadir: hieradata, data_hash: yaml_data}\nhierarchy:\n  - {name: host, path: \"%{trusted.certname}.yaml\"}\n  - {name: common, path: common.yaml}\n",
    ),
    ("src/hieradata/a.example.com.yaml", "web::port: 8080\n"),
    ("src/hieradata/common.yaml", "web::port: 80\nweb::names: [a, b]\n"),
    ("src/puppetdb.conf", "[main]\nserver_urls = https://puppetdb.example.com\n"),
    ("src/routes.yaml", "master:\n  facts: {terminus: yaml, cache: yaml}\n  catalog: {cache: json}\n"),
    ("src/manifests/site.pp", "node /^a/ { include role::web }\n"),
    (
        "src/modules/role/manifests/web.pp",
        "class role::web { include web  notify { 'r': message => Deferred('x', [1]) } }",
    ),
    ("src/modules/role/metadata.json", METADATA),
    (
        "src/private/web/manifests/init.pp",
        "class web(Integer $port, Array $names) {\n  file { '/etc/web': content => template('web/web.erb'), mode => web::mode($port), tag => $names }\n  service { 'web': ensure => running, subscribe => File['/etc/web'] }\n}\n",
    ),
    ("src/private/web/templates/web.erb", "<% @names.each do |n| %><%= n %>:<%= @port %>\n<% end %>"),
    (
        "src/private/web/lib/puppet/functions/web/mode.rb",
        "Puppet::Functions.create_function(:'web::mode') do\n  dispatch(:mode) { param 'Integer', :port }\n  def mode(port) = format('%04o', port % 512)\nend\n",
    ),
    ("src/private/web/metadata.json", METADATA),
    ("src/environments/production/environment.conf", "modulepath = nosuch\n"),
    (
        "facts/yaml/facts/a.example.com.yaml",
        "--- !ruby/object:Puppet::Node::Facts\nname: a.example.com\nvalues:\n  os: {family: Debian}\n  clientcert: a.example.com\n",
    ),
];

const METADATA: &str = "{\"name\": \"x-m\", \"version\": \"1.0.0\", \"author\": \"x\", \"license\": \"x\", \"summary\": \"x\", \
    \"source\": \"x\", \"dependencies\": []}";
const FACTS: &str =
    "--- !ruby/object:Puppet::Node::Facts\nname: a.example.com\nvalues:\n  os: {family: Debian}\n  n: 1\n";

impl Site {
    /// A new one.
    ///
    /// # Panics
    /// When its files can't be written, or Bunraku does not build.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Site {
        let site = Site(tempfile::tempdir().expect("a folder"));
        paths::write_all(site.folder(), FILES);
        bunraku::face(&site.path("bin"));
        site
    }

    /// Where it lies.
    pub fn folder(&self) -> &Path {
        self.0.path()
    }

    /// Where a file of it lies.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    /// The words of a line; `@` is the folder, `SITE` the options that name it, and what is in backquotes one word.
    pub fn words(&self, line: &str) -> Vec<String> {
        const OPTIONS: &str =
            "--environmentpath=@/env --vardir=@/var --confdir=@ --ssldir=@/var/ssl --facts_terminus=yaml";
        let line = line.replace("SITE", OPTIONS).replace('@', &self.folder().display().to_string());
        let mut words: Vec<String> = Vec::new();
        for (n, part) in line.split('`').enumerate() {
            match n % 2 {
                0 => words.extend(part.split_whitespace().map(str::to_owned)),
                _ => words.push(part.to_owned()),
            }
        }
        words
    }

    /// What real Puppet makes of a call.
    ///
    /// # Panics
    /// When it does not start.
    pub fn theirs(&self, version: u8, call: &recorded::Call) -> Output {
        self.run(recorded::puppet(version), call)
    }

    /// What Bunraku makes of it.
    ///
    /// # Panics
    /// When it does not start.
    pub fn ours(&self, version: u8, call: &recorded::Call) -> Output {
        self.run(Command::new(self.path("bin").join(format!("puppet{version}"))), call)
    }

    fn run(&self, mut command: Command, call: &recorded::Call) -> Output {
        command.args(self.words(&call.line)).current_dir(self.folder());
        command.env("LANG", "C.UTF-8").env("HOME", self.folder()).env_remove("RUBYOPT");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        // Who does not read it ends before.
        let _ = child.stdin.take().expect("it is piped").write_all(call.input.as_bytes());
        child.wait_with_output().expect("it ends")
    }

    /// What is printed without what is another in each run or on each machine.
    pub fn plain(&self, output: &[u8]) -> String {
        let mut text =
            String::from_utf8_lossy(output).replace(&self.folder().display().to_string(), "{site}");
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().to_lowercase();
        let host = host.split(['.', '\n']).next().unwrap_or_default();
        for (of, with) in [
            (r"in \d+\.\d+ seconds", "in N seconds"),
            // In YAML one that begins as a number of base 8 is quoted.
            (r#"(catalog_uuid"?: ?"?)'?[0-9a-f-]{36}'?"#, "${1}UUID"),
            (r#"((^|[ ,{])"?version"?: ?)\d{10}"#, "${1}TIME"),
            (r#"(?m)(,\n *"expiration"|\nexpiration): .*"#, ""),
            (r"Catalog:0x[0-9a-f]+>", "Catalog>"),
            (r"(?m)^.*Facter: Permission denied.*\n", ""),
            // Where in Ruby nobody caught an error, and its class.
            (r"^/\S+\.rb:\d+:in `[^']*': (.*) \(Puppet::\S+\)\n(\t.*\n)*", "${1}\n"),
            (&format!(r"(certname = |/certs/){host}(\.[a-z0-9.-]+?)??(\.pem)?$"), "${1}HOST${3}"),
        ] {
            let of = Regex::new(&format!("(?m){of}")).expect("it is an expression");
            text = of.replace_all(&text, with).into_owned();
        }
        text
    }
}
