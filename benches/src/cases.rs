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
    /// Look-ups it makes, where that is what it is about: it is then also run from a frozen archive.
    pub lookups: Option<u32>,
}

impl Case {
    fn new(name: impl Into<String>, job: Value) -> Case {
        Case { name: name.into(), job, lookups: None }
    }
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
        "50,000 qualified variables",
        "class a::b { $x = 1 } include a::b\nInteger[1, 50000].each |$i| { $y = $a::b::x }",
    ),
];

/// All of them; environments are made under `work`.
///
/// # Errors
/// When files can't be written.
pub fn all(work: &Path) -> Result<Vec<Case>, String> {
    let mut all: Vec<Case> =
        PROGRAMS.iter().map(|(name, code)| Case::new(*name, json!({"code": code}))).collect();
    let made = |error: std::io::Error| error.to_string();
    all.push(many_modules(&work.join("many")).map_err(made)?);
    all.push(functions(&work.join("functions")).map_err(made)?);
    all.push(hiera(&work.join("hiera")).map_err(made)?);
    all.extend(fixture().map_err(made)?);
    Ok(all)
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
    Ok(Case::new("100 modules", json!({"environment": root})))
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
    Ok(Case::new("100 functions of a module, 2,000 calls", json!({"environment": root})))
}

/// 3,000 look-ups through five levels, a third of them merged.
fn hiera(root: &Path) -> std::io::Result<Case> {
    let levels = ["nodes/%{trusted.certname}", "roles/%{facts.role}", "os/%{facts.os}", "site", "common"];
    let mut config =
        "version: 5\ndefaults:\n  datadir: data\n  data_hash: yaml_data\nhierarchy:\n".to_owned();
    for level in levels {
        let _ = writeln!(config, "  - name: \"{level}\"\n    path: \"{level}.yaml\"");
    }
    write(&root.join("hiera.yaml"), &config)?;
    let files = ["nodes/localhost", "roles/web", "os/Debian", "site", "common"];
    for (n, file) in files.iter().enumerate() {
        let mut data = "---\n".to_owned();
        for key in (0..300).filter(|key| n == 4 || key % 5 == n) {
            let _ = writeln!(
                data,
                "key{key}: \"value {key} of {file} for %{{facts.role}}\"\nhash{key}:\n  l{n}: {key}\n  deep:\n    \
                 k{n}: [1, 2, {key}]"
            );
        }
        write(&root.join(format!("data/{file}.yaml")), &data)?;
    }
    let code = "Integer[1, 10].each |$round| { Integer[0, 199].each |$i| { lookup(\"key${i}\") }\n\
                Integer[0, 99].each |$i| { lookup(\"hash${i}\", Hash, 'deep') } }\n";
    write(&root.join("manifests/site.pp"), code)?;
    let facts = json!({"role": "web", "os": "Debian"});
    Ok(Case {
        name: "3,000 look-ups through five levels".to_owned(),
        job: json!({"environment": root, "facts": facts}),
        lookups: Some(3000),
    })
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
        let job = json!({"environment": root, "node": node, "facts": facts});
        all.push(Case::new(format!("the fixture's {node}"), job));
    }
    Ok(all)
}
