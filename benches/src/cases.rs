//! What Puppet and Bunraku are measured by: small programs that each do much of one thing, environments made for the
//! purpose, and the nodes of the fixture.

use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// A job under a name.
pub struct Case {
    /// What the table calls it.
    pub name: String,
    /// A job of `batch`.
    pub job: Value,
}

/// Name and code of the small programs.
pub const PROGRAMS: &[(&str, &str)] = &[
    ("empty catalog", ""),
    ("fib(22)", "function fib(Integer $n) { if $n < 2 { $n } else { fib($n - 1) + fib($n - 2) } } fib(22)"),
    ("each over 100,000", "Integer[1, 100000].each |$i| { $i + 1 }"),
    ("map with interpolation over 100,000", "Integer[1, 100000].map |$i| { \"v${i}\" }"),
    ("filter over 100,000", "Integer[1, 100000].filter |$i| { $i % 3 == 0 }"),
    ("reduce over 100,000", "Integer[1, 100000].reduce(0) |$sum, $i| { $sum + $i }"),
    ("a hash of 5,000 by reduce", "Integer[1, 5000].reduce({}) |$hash, $i| { $hash + {$i => $i} }"),
    (
        "5,000 files by each",
        "Integer[1, 5000].each |$i| { file { \"/tmp/f${i}\": ensure => file, mode => '0644', content => \"x${i}\" } }",
    ),
    (
        "2,000 typed defines",
        "define d(Integer $n, String $s = 'a') { notify { \"${title}-${n}\": message => $s } }\n\
         Integer[1, 2000].each |$i| { d { \"t${i}\": n => $i } }",
    ),
    (
        "11 collectors over 1,500 virtual users",
        "Integer[1, 1500].each |$i| { @user { \"u${i}\": uid => $i, tag => \"g${$i % 11}\" } }\n\
         User <| tag == 'g0' |> User <| tag == 'g1' |> User <| tag == 'g2' |> User <| tag == 'g3' |>\n\
         User <| tag == 'g4' |> User <| tag == 'g5' |> User <| tag == 'g6' |> User <| tag == 'g7' |>\n\
         User <| tag == 'g8' |> User <| tag == 'g9' |> User <| tag == 'g10' |>",
    ),
    (
        "50,000 selectors with regular expressions",
        "Integer[1, 50000].each |$i| { $x = \"v${i}\" ? { /^v(\\d)5/ => $1, /9$/ => 'n', default => 'd' } }",
    ),
    ("20,000 regsubst", "Integer[1, 20000].each |$i| { regsubst(\"a${i}b\", '[0-9]+', 'x', 'G') }"),
    (
        "2,000 EPP renderings",
        "Integer[1, 2000].each |$i| {\n\
         inline_epp('<%- | $x | -%>\nvalue <%= $x %>\n<% if $x > 5 { %>big<% } %>\n', {x => $i}) }",
    ),
    (
        "20,000 checks of a Struct",
        "$ok = Integer[1, 20000].filter |$i| {\n\
         {a => $i, b => 'x', c => [1, 2]} =~ Struct[{a => Integer, b => String, Optional[c] => Array[Integer]}] }",
    ),
    (
        "type inference of 2,000 values",
        "Integer[1, 2000].each |$i| { type([$i, \"s${i}\", {k => [$i, 1.5]}], 'generalized') }",
    ),
    (
        "3,000 resources in a chain",
        "Integer[1, 3000].each |$i| { notify { \"n${i}\": } if $i > 1 { Notify[\"n${$i - 1}\"] -> Notify[\"n${i}\"] } }",
    ),
    (
        "20,000 checks against aliases and variants",
        "type Port = Variant[Integer[1, 65535], Pattern[/\\A\\d+\\z/]] type Ports = Variant[Port, Array[Port]]\n\
         $ok = Integer[1, 20000].filter |$i| { [$i, \"${i}\"] =~ Ports }",
    ),
    (
        "20,000 expressions of many kinds",
        "Integer[1, 20000].each |$i| {\n\
         $h = {a => $i, b => [$i, $i + 1], c => \"s${i}\"}\n\
         $x = if $h['a'] > 10 and $i in $h['b'] { $h['b'][1] * 2 } else { -$i }\n\
         $y = case $h['c'] { 's1', 's2': { 1 } default: { $x % 7 } }\n\
         $z = \"${h['c']}-${y}-${h['b'][0]}\" }",
    ),
    (
        "50,000 qualified variables",
        "class a::b { $x = 1 } include a::b\nInteger[1, 50000].each |$i| { $y = $a::b::x }",
    ),
];

/// All of them; environments are made under `work`.
///
/// # Errors
/// When files can't be written.
pub fn all(work: &Path) -> Result<Vec<Case>, String> {
    let mut all: Vec<Case> = PROGRAMS
        .iter()
        .map(|(name, code)| Case { name: (*name).to_owned(), job: json!({"code": code}) })
        .collect();
    let made = |error: std::io::Error| error.to_string();
    all.push(many_modules(&work.join("many")).map_err(made)?);
    all.push(functions(&work.join("functions")).map_err(made)?);
    all.extend(layers(&work.join("hiera")).map_err(made)?);
    all.extend(fixture().map_err(made)?);
    Ok(all)
}

/// Classes of the corpus that call most functions and templates in Ruby, on Debian 12.
///
/// # Errors
/// When the facts can't be read.
pub fn ruby_heavy() -> Result<Vec<Case>, String> {
    let facts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.cache/corpus/facts/debian12.json");
    let text = std::fs::read_to_string(&facts).map_err(|error| format!("{}: {error}", facts.display()))?;
    let facts: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let classes = [
        "mcollective",
        "sssd",
        "swift::keystone::auth",
        "neutron::plugins::ml2::ovn",
        "keystone",
        "etcd",
        "apache",
        "collectd::plugin::redis",
        "apt::backports",
        "memcached",
    ];
    let settings = json!({"strict": "warning", "strict_variables": false});
    let modules = crate::modules();
    let case = |class: &&str| Case {
        name: format!("include {class}"),
        job: json!({"code": format!("include {class}"), "modulepath": [modules], "facts": facts, "settings": settings}),
    };
    Ok(classes.iter().map(case).collect())
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text)
}

/// 100 modules, each with a class that includes another of its own.
fn many_modules(root: &Path) -> std::io::Result<Case> {
    let mut site = String::new();
    for n in 0..100 {
        let folder = root.join(format!("modules/m{n}/manifests"));
        let init = format!(
            "class m{n}(String $p = 'x', Integer $q = {n}) {{ include m{n}::more  notify {{ \"m{n}-${{p}}\": }} }}\n"
        );
        write(&folder.join("init.pp"), &init)?;
        let more = format!("class m{n}::more {{ file {{ \"/m{n}\": content => \"${{m{n}::q}}\" }} }}\n");
        write(&folder.join("more.pp"), &more)?;
        let _ = writeln!(site, "include m{n}");
    }
    write(&root.join("manifests/site.pp"), &site)?;
    Ok(Case { name: "100 modules".to_owned(), job: json!({"environment": root}) })
}

/// 100 functions, each in its own file, called 20 times.
fn functions(root: &Path) -> std::io::Result<Case> {
    let mut site = String::new();
    for n in 0..100 {
        let text =
            format!("function f::f{n}(Integer $x, String $s = 'y') >> String {{ \"${{x}}${{s}}{n}\" }}\n");
        write(&root.join(format!("modules/f/functions/f{n}.pp")), &text)?;
        let _ = writeln!(site, "Integer[1, 20].each |$i| {{ f::f{n}($i) }}");
    }
    write(&root.join("manifests/site.pp"), &site)?;
    Ok(Case { name: "100 functions of a module, 2,000 calls".to_owned(), job: json!({"environment": root}) })
}

/// Look-ups through levels, the last of which knows all keys and the others some; a third are merged deeply.
fn hiera(root: &Path, name: &str, levels: &[(&str, &str)], code: &str) -> std::io::Result<Case> {
    let mut config =
        "version: 5\ndefaults:\n  datadir: data\n  data_hash: yaml_data\nhierarchy:\n".to_owned();
    for (level, _) in levels {
        let _ = writeln!(config, "  - name: \"{level}\"\n    path: \"{level}.yaml\"");
    }
    write(&root.join("hiera.yaml"), &config)?;
    for (n, (_, file)) in levels.iter().enumerate() {
        let mut data = "---\n".to_owned();
        for key in (0..300).filter(|key| n + 1 == levels.len() || key % levels.len() == n) {
            let _ = writeln!(
                data,
                "key{key}: \"value {key} of {file} for %{{facts.role}}\"\nhash{key}:\n  l{n}: {key}\n  deep:\n    \
                 k{n}: [1, 2, {key}]"
            );
        }
        write(&root.join(format!("data/{file}.yaml")), &data)?;
    }
    write(&root.join("manifests/site.pp"), code)?;
    let facts = json!({"role": "web", "os": "Debian"});
    Ok(Case { name: name.to_owned(), job: json!({"environment": root, "facts": facts}) })
}

/// Hiera by depth and by merge.
fn layers(root: &Path) -> std::io::Result<Vec<Case>> {
    let five = [
        ("nodes/%{trusted.certname}", "nodes/localhost"),
        ("roles/%{facts.role}", "roles/web"),
        ("os/%{facts.os}", "os/Debian"),
        ("site", "site"),
        ("common", "common"),
    ];
    let mixed = "Integer[1, 10].each |$round| { Integer[0, 199].each |$i| { lookup(\"key${i}\") }\n\
                 Integer[0, 99].each |$i| { lookup(\"hash${i}\", Hash, 'deep') } }\n";
    let names: Vec<String> = (1..=12).map(|n| format!("level{n}")).collect();
    let twelve: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), name.as_str())).collect();
    let merged = |how: &str| {
        format!(
            "Integer[1, 10].each |$round| {{ Integer[0, 99].each |$i| {{ lookup(\"hash${{i}}\", Hash, '{how}') }} }}\n"
        )
    };
    let first = "Integer[1, 10].each |$round| { Integer[0, 99].each |$i| { lookup(\"key${i}\") } }\n";
    Ok(vec![
        hiera(&root.join("five"), "3,000 look-ups through five levels", &five, mixed)?,
        hiera(&root.join("one"), "1,000 look-ups through one level", &five[4..], first)?,
        hiera(&root.join("twelve"), "1,000 look-ups through twelve levels", &twelve, first)?,
        hiera(&root.join("hash"), "1,000 hash merges through twelve levels", &twelve, &merged("hash"))?,
        hiera(&root.join("deep"), "1,000 deep merges through twelve levels", &twelve, &merged("deep"))?,
    ])
}

/// The nodes of `fixtures/control-repo`.
fn fixture() -> std::io::Result<Vec<Case>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/control-repo").canonicalize()?;
    let mut all = Vec::new();
    let mut files: Vec<_> =
        std::fs::read_dir(root.join("facts"))?.flatten().map(|entry| entry.path()).collect();
    files.sort();
    for facts in files {
        let node = facts.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
        all.push(Case {
            name: format!("the fixture's {node}"),
            job: json!({"environment": root, "node": node, "facts": facts}),
        });
    }
    Ok(all)
}
