//! The Puppet face beside real Puppet: the same arguments give the same output on the same streams, and the same status; and
//! the tools that run Puppet, unchanged, say the same with either.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use bunraku_tests::bunraku;
use bunraku_tests::oracle::{self, Oracle};
use regex_lite::Regex;
use tempfile::TempDir;

/// The versions of Puppet that are here.
fn puppets() -> Vec<u8> {
    oracle::seven_and_eight("the face").into_iter().map(|oracle| oracle.number).collect()
}

/// A folder with environments, facts and the links by which Bunraku is Puppet.
struct Site(TempDir);

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

impl Site {
    fn new() -> Site {
        let site = Site(tempfile::tempdir().expect("a folder"));
        for (name, text) in [
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
            ("var/yaml/facts/a.example.com.yaml", FACTS),
            ("var/client_yaml/facts/a.example.com.yaml", FACTS),
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
        ] {
            site.write(name, text);
        }
        bunraku::face(&site.path("bin"));
        site
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("it has one")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// Runs both with the same arguments, words of one line, in the folder.
    fn both(&self, version: u8, line: &str, input: &str) -> [Output; 2] {
        let words = self.words(line);
        let theirs = Oracle::of(&version.to_string()).expect("there is one").command();
        let ours = Command::new(self.path("bin").join(format!("puppet{version}")));
        [theirs, ours].map(|mut command| {
            command.args(&words).current_dir(self.0.path()).env("LANG", "C.UTF-8").env_remove("RUBYOPT");
            let mut child = command
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("it starts");
            // Who does not read it ends before.
            let _ = child.stdin.take().expect("it is piped").write_all(input.as_bytes());
            child.wait_with_output().expect("it ends")
        })
    }

    /// The words of a line; `@` is the folder, `SITE` the options that name it, and what is in braces one word.
    fn words(&self, line: &str) -> Vec<String> {
        const OPTIONS: &str =
            "--environmentpath=@/env --vardir=@/var --confdir=@ --ssldir=@/var/ssl --facts_terminus=yaml";
        let line = line.replace("SITE", OPTIONS).replace('@', &self.0.path().display().to_string());
        let mut words: Vec<String> = Vec::new();
        for (n, part) in line.split('`').enumerate() {
            match n % 2 {
                0 => words.extend(part.split_whitespace().map(str::to_owned)),
                _ => words.push(part.to_owned()),
            }
        }
        words
    }

    /// Both print the same, and leave with the same status.
    fn same(&self, version: u8, line: &str) {
        self.same_of(version, line, "");
    }

    fn same_of(&self, version: u8, line: &str, input: &str) {
        let [want, got] = self.both(version, line, input);
        let lines = |output: &Output| -> Vec<String> {
            let (out, err) = (plain(&output.stdout), plain(&output.stderr));
            let all = format!("status {:?}\nstdout:\n{out}\nstderr:\n{err}", output.status.code());
            all.lines().map(str::to_owned).collect()
        };
        let (want, got) = (lines(&want), lines(&got));
        let at = want.iter().zip(&got).take_while(|(want, got)| want == got).count();
        let from = |all: &[String]| all.iter().skip(at).take(5).cloned().collect::<Vec<_>>();
        assert!(
            want == got,
            "puppet {line} (Puppet {version}):\nwant {:#?}\ngot {:#?}",
            from(&want),
            from(&got)
        );
    }
}

/// The folders that Wikimedia's puppet-compiler prepares, and its command line.
#[test]
fn puppet_compilers_command_line_gives_puppets_catalog() {
    if !oracle::installed() {
        eprintln!("SKIPPED puppet-compiler's command line by Puppet 7.23.0: it is not installed");
        return;
    }
    let site = Site::new();
    for (name, text) in [
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
    ] {
        site.write(name, text);
    }
    let line = "catalog compile --facts_terminus=yaml --render-as=rich_data_json --vardir=@/pcc --modulepath=@/src/private:@/src/modules:@/none \
        --confdir=@/src --color=false --yamldir=@/facts/yaml --factpath=@/facts/yaml/facts --manifest=@/src/manifests \
        --environmentpath=@/src/environments a.example.com";
    let [want, _] = site.both(7, line, "");
    assert!(
        text(&want.stdout).contains("a:8080") && want.status.success(),
        "it has lost its point: {}",
        text(&want.stderr)
    );
    site.same(7, line);
    site.same(7, &format!("{line} --verbose --node_name_value=x"));
    site.same(7, &line.replace("a.example.com", "b.example.com"));
}

const METADATA: &str = "{\"name\": \"x-m\", \"version\": \"1.0.0\", \"author\": \"x\", \"license\": \"x\", \"summary\": \"x\", \
    \"source\": \"x\", \"dependencies\": []}";
const FACTS: &str =
    "--- !ruby/object:Puppet::Node::Facts\nname: a.example.com\nvalues:\n  os: {family: Debian}\n  n: 1\n";

fn text(output: &[u8]) -> String {
    String::from_utf8_lossy(output).into_owned()
}

/// What is printed without what is another in each run, and what Facter says of the machine.
fn plain(output: &[u8]) -> String {
    let mut text = text(output);
    for (of, with) in [
        (r"in \d+\.\d+ seconds", "in N seconds"),
        // In YAML one that begins as a number of base 8 is quoted.
        (r#"(catalog_uuid"?: ?"?)'?[0-9a-f-]{36}'?"#, "${1}UUID"),
        (r#"((^|[ ,{])"?version"?: ?)\d{10}"#, "${1}TIME"),
        (r#"(?m)(,\n *"expiration"|\nexpiration): .*"#, ""),
        (r"Catalog:0x[0-9a-f]+>", "Catalog>"),
        (r"(?m)^.*Facter: Permission denied.*\n", ""),
    ] {
        text = Regex::new(&format!("(?m){of}"))
            .expect("it is an expression")
            .replace_all(&text, with)
            .into_owned();
    }
    text
}

#[test]
fn arguments_are_taken_as_puppet_takes_them() {
    let site = Site::new();
    for version in puppets() {
        for line in [
            "",
            "nosuch",
            "nosuch --version",
            "--nosuch",
            "--version",
            "-V",
            "site.pp",
            "catalog",
            "catalog nosuch",
            "catalog --nosuch compile",
            "catalog --version",
            "catalog compile --nosuch=1",
            "catalog compile a --render-as nosuch",
            "catalog compile a --render-as",
            "catalog compile a --strict=foo",
            "catalog compile a --confdir",
            "catalog compile a --confdir --noop",
            "catalog compile a --noop=true",
            "catalog compile a --no-noop=true",
            "catalog compile a -x",
            "catalog SITE --render-as json compile --noop a.example.com --environment run --environment production",
            "parser nosuch --color=false",
            "parser --color false",
        ] {
            site.same(version, line);
        }
    }
}

#[test]
fn catalogs_are_printed_in_puppets_forms() {
    let site = Site::new();
    for version in puppets() {
        for form in
            ["", "--render-as json", "--render-as rich_data_json", "--render-as yaml", "--render-as console"]
        {
            site.same(version, &format!("catalog compile a.example.com SITE {form}"));
            site.same(version, &format!("catalog compile a.example.com SITE {form} --environment=rich"));
        }
        for line in [
            "catalog find a.example.com SITE --render-as s",
            "catalog compile b.example.com SITE --no-strict_variables --environment=logs",
            "catalog compile a.example.com SITE --environment=modules --modulepath=/nosuch:@/env/modules/modules",
            "catalog compile a.example.com SITE --manifest=@/logs.pp --noop --no-daemonize --no-storeconfigs --trace",
            "catalog compile a.example.com SITE --hiera_config=/nosuch --yamldir=@/var/yaml --factpath=/x",
        ] {
            site.same(version, line);
        }
    }
    if puppets().contains(&7) {
        site.same(7, "catalog compile a.example.com SITE --render-as pson");
        site.same(7, "catalog compile a.example.com SITE --render-as pson --environment=rich");
    }
}

#[test]
fn what_is_logged_goes_where_puppet_writes_it() {
    let site = Site::new();
    for version in puppets() {
        for line in
            ["", "--color=false", "--color=html", "--verbose", "--log_level=err", "--logdest=@/x.log", "-v"]
        {
            site.same(
                version,
                &format!("catalog compile a.example.com SITE --no-strict_variables --environment=logs --render-as json {line}"),
            );
        }
    }
    let output = Command::new(site.path("bin/puppet7"))
        .args(site.words("catalog compile a.example.com SITE --environment=logs --debug --color=false"))
        .output()
        .expect("it starts");
    assert!(text(&output.stdout).contains("\nDebug: Scope(Class[A]): d\n"), "{}", text(&output.stdout));
}

#[test]
fn errors_of_compiles_are_puppets() {
    let site = Site::new();
    for version in puppets() {
        for line in [
            "--environment=bad",
            "--environment=run",
            "--environment=faults",
            "--node_terminus=exec --external_nodes=/bin/false",
            "--node_terminus=exec",
            "--node_terminus=nosuch",
            "--facts_terminus=nosuch",
            "--strict=error --manifest=@/twice.pp",
        ] {
            site.same(version, &format!("catalog compile a.example.com SITE {line}"));
        }
        // Puppet shows where in its own code it met that.
        let [want, got] =
            site.both(version, "catalog compile a.example.com SITE --environment=none --color=false", "");
        assert_eq!((want.status.code(), got.status.code()), (Some(1), Some(1)));
        let message = text(&got.stderr);
        let message = message.trim_start_matches("Error: ").lines().next().expect("it says why");
        assert!(text(&want.stderr).contains(message), "{message}");
    }
}

#[test]
fn manifests_and_templates_are_validated() {
    let site = Site::new();
    for version in puppets() {
        for line in [
            "parser validate logs.pp",
            "parser validate nosuch.pp syntax.pp",
            "parser validate syntax.pp logs.pp faults.pp name.pp number.pp twice.pp",
            "parser validate syntax.pp faults.pp twice.pp --render-as json --strict=error",
            "parser validate twice.pp --strict=off",
            "parser validate @/env/bad",
            "parser validate @/env --environment run --environmentpath @/env",
            "epp validate a.epp fail.epp",
            "epp validate b.epp a.epp",
            "epp validate b.epp nosuch.epp --continue_on_error",
            "epp validate b.epp nosuch.epp --continue-on-error",
            "epp validate nosuch.epp",
            "epp validate m/t.epp --environmentpath=@/env --environment=modules",
        ] {
            site.same(version, line);
        }
        for input in ["notice(1)", "notice(1", "class a-b {}"] {
            site.same_of(version, "parser validate", input);
        }
        site.same_of(version, "epp validate", "<%= $a");
    }
}

#[test]
fn syntax_trees_are_dumped() {
    let site = Site::new();
    site.write("tree.pp", TREE);
    // Its notation fails in Puppet, by an error of its own.
    site.write("rest.pp", "function f(*$rest) { $rest }\n");
    site.write("umlaut.pp", "$a = \"ü ${1} \\u{1F600}\"\n");
    for version in puppets() {
        for line in [
            "parser dump tree.pp",
            "parser dump rest.pp umlaut.pp faults.pp syntax.pp",
            "parser dump syntax.pp nosuch.pp",
            "parser dump faults.pp --validate",
            "parser dump faults.pp --no-validate",
            "parser dump twice.pp tree.pp --validate --strict=error",
            "parser dump tree.pp --format pn",
            "parser dump tree.pp --format pn --pretty",
            "parser dump tree.pp --format json",
            "parser dump tree.pp --format json --pretty",
            "parser dump tree.pp --format old --pretty",
            "parser dump logs.pp tree.pp --format pn",
            "parser dump -e `$a = 1 + 2` --format pn",
            "parser dump --e `$a = ` --format pn",
            "parser dump -e `class a-b {}`",
            "epp dump a.epp",
            "epp dump a.epp b.epp nosuch.epp",
            "epp dump a.epp fail.epp",
            "epp dump a.epp fail.epp --no-header",
            "epp dump a.epp fail.epp --format json",
            "epp dump b.epp",
            "epp dump b.epp --no-validate",
            "epp dump a.epp --format pn --pretty",
            "epp dump -e `<%= 1 + %>`",
            "epp dump m/t.epp --environmentpath=@/env --environment=modules",
        ] {
            site.same(version, line);
        }
        for input in ["notice(1)", "notice(1", "class a-b {}"] {
            site.same_of(version, "parser dump", input);
            site.same_of(version, "parser dump --format json --validate", input);
        }
        for input in ["a <%= $a %>", "<%= $a"] {
            site.same_of(version, "epp dump", input);
        }
    }
}

#[test]
fn templates_are_rendered() {
    if !oracle::installed() {
        eprintln!("SKIPPED templates rendered by Puppet 7.23.0: it is not installed");
        return;
    }
    let site = Site::new();
    for line in [
        "epp render a.epp --facts facts.json",
        "epp render a.epp --facts facts.json --values `{a => [5, 'x']}`",
        "epp render a.epp --facts facts.json --values_file values.yaml",
        "epp render a.epp --facts facts.json --values_file values.pp",
        "epp render a.epp --facts facts.json --values_file values.pp --values `{a => 1}`",
        "epp render a.epp a.epp --facts facts.json",
        "epp render a.epp a.epp --facts facts.json --no-header",
        "epp render a.epp nosuch.epp fail.epp --facts facts.json",
        "epp render m/t.epp --facts facts.json --environmentpath=@/env --environment=modules",
        "epp render --facts facts.json -e `<%= 1 + 1 %>`",
        "epp render --facts facts.json --e `<%= $x %> a` --values `{x => 2}`",
        "epp render --facts facts.json -e `<%= 1 + %>`",
        "epp render --facts facts.json -e `<%= fail('x') %>`",
        "epp render b.epp --facts facts.json",
        "epp render nosuch.epp --facts facts.json",
    ] {
        site.same(7, line);
    }
    site.same_of(7, "epp render --facts facts.json", "<%= $facts['os']['family'] %>\n");
}

#[test]
fn settings_and_facts_are_printed() {
    let site = Site::new();
    for version in puppets() {
        for line in [
            "config print strict",
            "config print noop strict noop",
            "config print strict --render-as json",
            "config print strict noop runinterval --render-as json",
            "config print strict noop --render-as yaml",
            "config print strict --verbose",
            "config print nosuch",
            "config print nosuch strict",
            "config print strict --section server --environment nosuch --verbose",
            "config print certname hostcert --ssldir=/x",
            "config",
            "config print --section",
            "config print modulepath manifest --environmentpath=@/env --environment run",
            "facts find a.example.com SITE",
            "facts find a.example.com SITE --render-as yaml",
            "facts find b.example.com SITE",
        ] {
            site.same(version, line);
        }
    }
}

#[test]
fn keys_are_looked_up() {
    let site = Site::new();
    site.write("hiera.yaml", "version: 5\nhierarchy:\n  - {name: n, path: \"%{facts.os.family}.yaml\"}\n  - {name: c, path: c.yaml}\n");
    site.write("data/Debian.yaml", "k: {a: 1, l: [b, a]}\ns: \"t\\u00fc\"\n");
    site.write("data/c.yaml", "k: {b: 2, l: [c]}\nf: 1.0e+30\nlookup_options: {k: {merge: hash}}\n");
    const NODE: &str = "--node a.example.com --environmentpath=@/env --vardir=@/var --confdir=@";
    for version in puppets() {
        for line in [
            "k",
            "nosuch k",
            "nosuch",
            "s --render-as s",
            "f --render-as json",
            "k --render-as json --merge deep --sort-merged-arrays",
            "k --merge deep --knock-out-prefix=-- --render-as yaml",
            "k --explain",
            "k --explain --render-as json",
            "--explain-options",
            "nosuch --default 5",
            "s --type Integer",
            "k --merge foo",
            "k --sort-merged-arrays",
            "k --render-as foo",
            "k --nosuch",
            "",
            "k --compile --environment bad",
            "k --compile --environment run",
            "k --compile",
            "k --facts facts.json",
            "k --facts nosuch.json",
        ] {
            site.same(version, &format!("lookup {line} {NODE}"));
        }
        site.same(
            version,
            "lookup k --node b.example.com --environmentpath=@/env --vardir=@/var --confdir=@",
        );
    }
}

#[test]
fn what_is_not_built_in_is_handed_to_a_real_puppet() {
    let site = Site::new();
    let real = site.path("real");
    fs::write(&real, "#!/bin/sh\necho \"real $*\"\nexit 3\n").expect("a file");
    assert!(Command::new("chmod").arg("755").arg(&real).status().expect("chmod starts").success());
    let run = |name: &str, line: &str, real: Option<&Path>| {
        let mut command = Command::new(site.path("bin").join(name));
        command.args(site.words(line)).current_dir(site.0.path()).env_remove("BUNRAKU_PUPPET");
        if let Some(real) = real {
            command.env("BUNRAKU_PUPPET", real);
        }
        let output = command.output().expect("it starts");
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    for line in [
        "agent -t",
        "apply -e 1",
        "catalog apply",
        "config set strict error",
        "help",
        "--help",
        "catalog --help",
        "facts",
    ] {
        let (status, out, _) = run("puppet", line, Some(&real));
        assert_eq!((status, out), (Some(3), format!("real {line}\n")), "{line}");
        let (status, _, error) = run("puppet", &format!("{line} --color=false"), None);
        assert_eq!(status, Some(1));
        assert!(error.starts_with("Error: 'puppet ") && error.contains("BUNRAKU_PUPPET"), "{line}: {error}");
    }
    // Its own name is none.
    let (status, _, error) = run("puppet", "agent -t", Some(&site.path("bin/puppet")));
    assert!(status == Some(1) && error.contains("is Bunraku itself"), "{error}");
    // The file beside the links says it, too, and which version `puppet` is.
    assert_eq!(run("puppet", "--version", None).1, "7.23.0\n");
    let again = Command::new(bunraku::binary().expect("Bunraku builds"))
        .arg("face")
        .arg(site.path("bin"))
        .args(["--compat=8", "--puppet"])
        .arg(&real)
        .output()
        .expect("Bunraku starts");
    assert!(again.status.success(), "{}", text(&again.stderr));
    assert_eq!(run("puppet", "--version", None).1, "8.10.0\n");
    assert_eq!(run("puppet7", "--version", None).1, "7.23.0\n");
    assert_eq!(run("openvox", "--version", None).1, "9.0.0-rc1\n");
    assert_eq!(run("puppet", "module list", None).1, "real module list\n");
    // Settings that change what is compiled, and can't be heeded, are refused by name.
    let (status, out, error) =
        run("puppet7", "catalog compile a.example.com SITE --freeze_main --color=false", None);
    assert_eq!((status, out.as_str()), (Some(1), ""));
    assert!(error.contains("--freeze_main: The setting freeze_main = true is not supported"), "{error}");
    // A file that is no link is nobody's to replace.
    fs::remove_file(site.path("bin/puppet9")).expect("it is there");
    fs::write(site.path("bin/puppet9"), "mine").expect("a file");
    let refused =
        Command::new(bunraku::binary().expect("Bunraku builds")).arg("face").arg(site.path("bin")).output();
    assert!(text(&refused.expect("Bunraku starts").stderr).contains("puppet9 is there, and no link"));
    assert_eq!(fs::read_to_string(site.path("bin/puppet9")).expect("it is there"), "mine");
}
