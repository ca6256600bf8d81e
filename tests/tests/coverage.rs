//! `bunraku coverage`: what it says has run is what the evaluator of real Puppet has evaluated, line by line; arms of conditions,
//! definitions and what is read, on a site of which that is known; its reports; the same of a folder, an archive and a version in git.

use bunraku_tests::corpus::fetch;
use bunraku_tests::programs::is_installed;
use bunraku_tests::{bunraku, control_repo, oracle, paths, repository};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// What `ran` stands on is run by `a.example.com` alone, `not` by neither node.
const FILES: &[(&str, &str)] = &[
    ("environment.conf", "modulepath = modules\n"),
    (
        "hiera.yaml",
        "version: 5\nhierarchy:\n  - {name: Nodes, path: \"nodes/%{trusted.certname}.yaml\"}\n  - {name: Common, path: common.yaml}\n",
    ),
    ("data/common.yaml", "site::given: 1\nsite::never: 2\n"),
    ("data/nodes/old.example.com.yaml", "site::older: 3\n"),
    ("manifests/site.pp", "node 'a.example.com' {\n  include site\n}\nnode default {\n  $x = 1\n}\n"),
    (
        "modules/site/manifests/init.pp",
        "class site(\n\
        \x20 Integer $given,\n\
        \x20 Integer $default = 2, # ran\n\
        \x20 Integer $unused = $default + 1, # ran\n\
        ) {\n\
        \x20 if $given == 1 { # ran\n\
        \x20   notify { 'one': } # ran\n\
        \x20 } else {\n\
        \x20   notify { 'other': } # not\n\
        \x20 }\n\
        \x20 unless $given == 1 { # ran\n\
        \x20   notify { 'unless': } # not\n\
        \x20 }\n\
        \x20 case $default { # ran\n\
        \x20   1: { notify { 'c1': } } # ran\n\
        \x20   2: {\n\
        \x20     notify { 'c2': # ran\n\
        \x20       message => 'x', # ran\n\
        \x20     }\n\
        \x20   }\n\
        \x20   default: {\n\
        \x20     fail('no') # not\n\
        \x20   }\n\
        \x20 }\n\
        \x20 $list = { # ran\n\
        \x20   'a' => [ # ran\n\
        \x20     1, # ran\n\
        \x20   ],\n\
        \x20 }\n\
        \x20 $chosen = $given ? { # ran\n\
        \x20   1       => 'x', # ran\n\
        \x20   default => $list['b'] # not\n\
        \x20 }\n\
        \x20 if $given == 1 or $default == 7 { $u = 1 } # ran\n\
        \x20 if $given == 2 and $default == 7 { $v = 1 } # ran\n\
        \x20 [].each |$i| { # ran\n\
        \x20   notify { $i: } # not\n\
        \x20 }\n\
        \x20 file { '/t': content => epp('site/t.epp'), source => 'puppet:///modules/site/f' } # ran\n\
        \x20 $r = site::f(2) # ran\n\
        \x20 site::d { 'd': } # ran\n\
        }\n",
    ),
    ("modules/site/manifests/d.pp", "define site::d {\n  notify { \"d ${title}\": } # ran\n}\n"),
    ("modules/site/manifests/dead.pp", "class site::dead {\n  include site # not\n}\n"),
    (
        "modules/site/functions/f.pp",
        "function site::f($x) {\n  if $x > 1 { # ran\n    return 1 # ran\n  }\n  2 # not\n}\n",
    ),
    (
        "modules/site/templates/t.epp",
        "a\n<% if true { -%>\n<%= 'yes' %># ran\n<% } else { -%>\n<%= 'no' %># not\n<% } -%>\n",
    ),
    ("modules/site/templates/dead.erb", "x\n"),
    ("modules/site/files/f", "x\n"),
    ("modules/site/files/dead", "x\n"),
    ("facts/a.example.com.json", "{}"),
    ("facts/b.example.com.json", "{}"),
];

fn site() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    paths::write_all(folder.path(), FILES);
    folder
}

fn coverage(tree: &str, facts: &Path, more: &[&str]) -> (Value, String) {
    let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
    command.args(["coverage", tree, "--json", "--factpath"]).arg(facts).args(more);
    // A version is one of the repository that one stands in.
    command.current_dir(facts.parent().expect("a folder"));
    let output = command.output().expect("Bunraku starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    (serde_json::from_slice(&output.stdout).expect("it is JSON"), said)
}

/// The lines of each file, and how many nodes have run them; those of definitions by themselves.
type Lines = BTreeMap<String, (BTreeMap<u64, u64>, BTreeSet<u64>)>;

fn lines(told: &Value) -> Lines {
    let files = told["files"].as_array().expect("a list");
    files
        .iter()
        .map(|file| {
            let lines = file["lines"].as_object().expect("an object").iter();
            let lines =
                lines.map(|(line, nodes)| (line.parse().expect("a line"), nodes.as_u64().expect("a number")));
            let definitions = file["definitions"].as_array().expect("a list").iter();
            let own = definitions.map(|one| one["line"].as_u64().expect("a line")).collect();
            (file["file"].as_str().expect("a name").to_owned(), (lines.collect(), own))
        })
        .collect()
}

#[test]
fn lines_arms_and_definitions_are_told() {
    let site = site();
    let (told, _) =
        coverage(&site.path().display().to_string(), &site.path().join("facts"), &["--no-archives"]);
    assert_eq!(told["nodes"], 2);
    let found = lines(&told);
    for (name, text) in FILES.iter().filter(|(_, text)| text.contains("# ran") || text.contains("# not")) {
        let (lines, definitions) = &found[*name];
        for (number, line) in (1u64..).zip(text.lines()) {
            let wanted = match () {
                () if definitions.contains(&number) => continue,
                () if line.contains("# ran") => Some(1),
                () if line.contains("# not") => Some(0),
                () => continue,
            };
            assert_eq!(lines.get(&number).copied(), wanted, "{name}:{number}: {line}");
        }
    }
    let branches = |name: &str| -> Vec<(String, u64, Vec<u64>)> {
        let files = told["files"].as_array().expect("a list");
        let file = files.iter().find(|file| file["file"] == name).expect("it is there");
        let all = file["branches"].as_array().expect("a list").iter();
        all.map(|one| {
            let arms = one["arms"]
                .as_array()
                .expect("a list")
                .iter()
                .map(|arm| arm["nodes"].as_u64().expect("a number"));
            (
                one["kind"].as_str().expect("a text").to_owned(),
                one["line"].as_u64().expect("a line"),
                arms.collect(),
            )
        })
        .collect()
    };
    let of = |kind: &str, line, arms: &[u64]| (kind.to_owned(), line, arms.to_vec());
    let class = branches("modules/site/manifests/init.pp");
    for wanted in [
        of("if", 6, &[1, 0]),
        of("unless", 11, &[0, 1]),
        of("case", 14, &[0, 1, 0]),
        of("selector", 30, &[1, 0]),
        of("or", 34, &[1, 0]),
        of("and", 35, &[1, 0]),
        of("if", 35, &[0, 1]),
    ] {
        assert!(class.contains(&wanted), "{wanted:?} is not among {class:?}");
    }
    assert_eq!(branches("modules/site/functions/f.pp"), [of("if", 2, &[1, 0])]);
    let pieces = told["pieces"].as_array().expect("a list");
    let used: BTreeMap<String, bool> = pieces
        .iter()
        .map(|one| {
            (
                format!("{} {}", one["kind"].as_str().unwrap(), one["name"].as_str().unwrap()),
                one["used"] == true,
            )
        })
        .collect();
    for (name, is_used) in [
        ("template site/t.epp", true),
        ("template site/dead.erb", false),
        ("file site/f", true),
        ("file site/dead", false),
        ("data data/common.yaml", true),
        ("data data/nodes/old.example.com.yaml", false),
        ("key site::given", true),
        ("key site::never", false),
    ] {
        assert_eq!(used.get(name), Some(&is_used), "{name} in {used:?}");
    }
    let nodes = |name: &str| {
        let all = told["files"]
            .as_array()
            .expect("a list")
            .iter()
            .flat_map(|file| file["definitions"].as_array().unwrap());
        all.filter(|one| one["name"] == name).map(|one| one["nodes"].as_u64().unwrap()).next()
    };
    for (name, count) in [
        ("site", 1),
        ("site::d", 1),
        ("site::dead", 0),
        ("site::f", 1),
        ("'a.example.com'", 1),
        ("default", 1),
    ] {
        assert_eq!(nodes(name), Some(count), "{name}");
    }
}

#[test]
fn folders_archives_and_versions_are_told_alike() {
    let site = site();
    let facts = site.path().join("facts");
    repository::of_folder(site.path());
    let work = tempfile::tempdir().expect("a folder");
    let archive = work.path().join("site.bnr");
    bunraku::build(site.path(), &archive, &["--embed"]);
    let bare = work.path().join("bare.bnr");
    bunraku::build(site.path(), &bare, &[]);
    let output = Command::new(bunraku::binary().expect("Bunraku builds"))
        .arg("coverage")
        .arg(&bare)
        .arg("--factpath")
        .arg(&facts)
        .output()
        .expect("Bunraku starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains("which was built without --embed"), "{said}");
    let folder = site.path().display().to_string();
    let cache = work.path().join("cache").display().to_string();
    let (plain, _) = coverage(&folder, &facts, &["--no-archives"]);
    let totals = |told: &Value| told["total"].clone();
    for (tree, more) in [
        (folder.clone(), vec!["--cache", &cache]),
        (archive.display().to_string(), vec![]),
        ("git:HEAD".to_owned(), vec!["--cache", &cache]),
    ] {
        let (told, said) = coverage(&tree, &facts, &more);
        assert_eq!(totals(&told), totals(&plain), "{tree}: {said}");
        let by_name = |told: &Value| -> Vec<Value> {
            let files = told["files"].as_array().expect("a list").iter();
            files.map(|file| json!([file["lines"], file["branches"], file["definitions"]])).collect()
        };
        assert_eq!(by_name(&told), by_name(&plain), "{tree}");
    }
}

#[test]
fn reports_say_the_same() {
    let site = site();
    let facts = site.path().join("facts");
    let work = tempfile::tempdir().expect("a folder");
    let place = |name: &str| work.path().join(name).display().to_string();
    let (lcov, xml, page, pages) = (place("l.info"), place("c.xml"), place("c.html"), place("pages"));
    let folder = site.path().display().to_string();
    let more = ["--no-archives", "--lcov", &lcov, "--cobertura", &xml, "--html", &page];
    let (told, _) = coverage(&folder, &facts, &more);
    coverage(&folder, &facts, &["--no-archives", "--html", &pages]);
    let text = |name: &str| fs::read_to_string(name).expect("it was written");
    // What a reader of a tracefile makes of it is what is told.
    let (mut file, mut read) = (String::new(), BTreeMap::new());
    for line in text(&lcov).lines() {
        match line.split_once(':') {
            Some(("SF", name)) => file = name.to_owned(),
            Some(("DA", rest)) => {
                let (line, nodes) = rest.split_once(',').expect("two numbers");
                read.insert((file.clone(), line.parse::<u64>().unwrap()), nodes.parse::<u64>().unwrap());
            }
            _ => {}
        }
    }
    let wanted: BTreeMap<(String, u64), u64> = lines(&told)
        .into_iter()
        .flat_map(|(file, (lines, _))| {
            lines.into_iter().map(move |(line, nodes)| ((file.clone(), line), nodes))
        })
        .collect();
    assert_eq!(read, wanted);
    let (total, xml) = (&told["total"], text(&xml));
    let counts = format!(
        "lines-covered=\"{}\" lines-valid=\"{}\" branches-covered=\"{}\" branches-valid=\"{}\"",
        total["lines"]["covered"],
        total["lines"]["all"],
        total["branches"]["covered"],
        total["branches"]["all"]
    );
    assert!(xml.contains(&counts), "{counts}");
    assert!(xml.contains("<line number=\"6\" hits=\"1\" branch=\"true\" condition-coverage=\"50% (1/2)\"/>"));
    let page = text(&page);
    for part in [
        "<h1>Coverage</h1>",
        "notify { &#39;other&#39;: }",
        "if: never arm 2 of 2 at line 9",
        "class=\"not\"",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("<script") && !page.contains("http"), "it is self-contained");
    let index = text(&format!("{pages}/index.html"));
    let count = told["files"].as_array().expect("a list").len();
    for number in 0..count {
        assert!(index.contains(&format!("file-{number}.html")));
        assert!(text(&format!("{pages}/file-{number}.html")).contains("<pre>"));
    }
}

/// Elements of `coverage-04.dtd`, what stands in each, and the attributes that each has to have.
const ELEMENTS: [(&str, &str, &[&str]); 12] = [
    (
        "coverage",
        "(sources?, packages)",
        &[
            "line-rate",
            "branch-rate",
            "lines-covered",
            "lines-valid",
            "branches-covered",
            "branches-valid",
            "complexity",
            "version",
            "timestamp",
        ],
    ),
    ("sources", "(source*)", &[]),
    ("source", "(#PCDATA)", &[]),
    ("packages", "(package*)", &[]),
    ("package", "(classes)", &["name", "line-rate", "branch-rate", "complexity"]),
    ("classes", "(class*)", &[]),
    ("class", "(methods, lines)", &["name", "filename", "line-rate", "branch-rate", "complexity"]),
    ("methods", "(method*)", &[]),
    ("method", "(lines)", &["name", "signature", "line-rate", "branch-rate", "complexity"]),
    ("lines", "(line*)", &[]),
    ("line", "(conditions*)", &["number", "hits"]),
    ("conditions", "(condition*)", &[]),
];

/// The same as a DTD.
fn dtd() -> String {
    let mut text = String::from(
        "<!ATTLIST line branch CDATA \"false\" condition-coverage CDATA \"100%\">\n\
         <!ELEMENT condition EMPTY>\n\
         <!ATTLIST condition number CDATA #REQUIRED type CDATA #REQUIRED coverage CDATA #REQUIRED>\n",
    );
    for (name, inner, attributes) in ELEMENTS {
        text.push_str(&format!("<!ELEMENT {name} {inner}>\n"));
        for attribute in attributes {
            text.push_str(&format!("<!ATTLIST {name} {attribute} CDATA #REQUIRED>\n"));
        }
    }
    text
}

/// A file that xmllint (Debian: libxml2-utils) finds to be as the DTD says, or what is wrong with it; none where it is not installed and
/// can't be.
fn valid(file: &str, folder: &Path) -> Option<Result<(), String>> {
    if !is_installed("xmllint", "libxml2-utils") {
        eprintln!("SKIPPED: xmllint is not installed (Debian: libxml2-utils)");
        return None;
    }
    let rules = folder.join("coverage.dtd");
    fs::write(&rules, dtd()).expect("it can be written");
    let mut command = Command::new("xmllint");
    command.args(["--noout", "--nonet", "--dtdvalid"]).arg(rules).arg(file);
    let output = command.output().expect("it starts");
    Some(match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    })
}

#[test]
fn coberturas_xml_is_as_its_dtd_says() {
    let site = site();
    let work = tempfile::tempdir().expect("a folder");
    let xml = work.path().join("c.xml").display().to_string();
    let folder = site.path().display().to_string();
    coverage(&folder, &site.path().join("facts"), &["--no-archives", "--cobertura", &xml]);
    let Some(found) = valid(&xml, work.path()) else { return };
    assert_eq!(found, Ok(()));
    // What is wrong is found.
    let wrong = fs::read_to_string(&xml).expect("it was written").replacen(" filename=", " file=", 1);
    fs::write(&xml, wrong).expect("it can be written");
    assert!(
        valid(&xml, work.path()).is_some_and(|found| found.is_err_and(|error| error.contains("filename")))
    );
}

/// Code that has run is that which Puppet's evaluator has been given: lines on which an expression begins, but for those that only
/// declare (definitions themselves, whose bodies count; types of parameters; what node definitions match), which
/// `tests/oracle/coverage.rb` leaves out.
#[test]
fn lines_are_those_that_puppet_evaluates() {
    if !oracle::installed() {
        eprintln!("SKIPPED: no Puppet here to ask what it evaluates");
        return;
    }
    let repo = paths::root().join("fixtures/control-repo");
    let facts = repo.join("facts");
    let jobs = ["web01.example.com", "db01.example.com"].map(|node| {
        let known = fs::read_to_string(facts.join(format!("{node}.json"))).expect("the facts can be read");
        let known: Value = serde_json::from_str(&known).expect("the facts are JSON");
        json!({"id": node, "node": node, "facts": known, "environment": repo, "environment_name": "production"})
    });
    let (told, _) = coverage(&repo.display().to_string(), &facts, &["--no-archives"]);
    let (compared, not_run, elsewhere) = against_puppet(&repo, &told, &jobs);
    assert!(compared > 200 && not_run > 10, "{compared} lines have run, {not_run} have not");
    // Templates that are written where they are rendered are in no file.
    assert_eq!(elsewhere, ["inlined-epp-text"]);
}

/// The same of machines as sites have them, with the modules of the corpus.
#[test]
fn lines_of_whole_machines_are_those_that_puppet_evaluates() {
    if !oracle::installed() {
        eprintln!("SKIPPED: no Puppet here to ask what it evaluates");
        return;
    }
    if let Err(reason) = fetch::fetch() {
        eprintln!("SKIPPED coverage of the control repo, since {reason}");
        return;
    }
    let (repo, modules) = (control_repo::root(), paths::modules().display().to_string());
    let jobs = control_repo::NODES.map(control_repo::job);
    let more = ["--no-archives", "--compat", "7", "--modules", &modules];
    let (told, _) = coverage(&repo.display().to_string(), &repo.join("facts"), &more);
    let (compared, not_run, elsewhere) = against_puppet(&repo, &told, &jobs);
    assert!(compared > 2000 && not_run > 2000, "{compared} lines have run, {not_run} have not");
    assert!(elsewhere.is_empty(), "{elsewhere:?}");
}

/// Holds what is told of a tree's lines against what Puppet evaluates in these jobs: how many lines have run with both, how many
/// have not, and what Puppet has evaluated beside the files of the tree.
fn against_puppet(repo: &Path, told: &Value, jobs: &[Value]) -> (usize, usize, Vec<String>) {
    let mut evaluated: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
    for result in asked(jobs) {
        assert_eq!(result["ok"], true, "{result}");
        for (file, lines) in result["evaluated"].as_object().expect("an object") {
            let lines = lines.as_array().expect("a list").iter().filter_map(Value::as_u64);
            evaluated.entry(file.clone()).or_default().extend(lines);
        }
    }
    let (mut compared, mut not_run, mut differ) = (0, 0, Vec::new());
    for (name, (lines, definitions)) in lines(told) {
        let own = |lines: BTreeSet<u64>| -> BTreeSet<u64> { &lines - &definitions };
        let puppets = own(evaluated.remove(&repo.join(&name).display().to_string()).unwrap_or_default());
        let ran = own(lines.iter().filter(|(_, nodes)| **nodes > 0).map(|(line, _)| *line).collect());
        if ran != puppets {
            let (more, fewer) = (&ran - &puppets, &puppets - &ran);
            differ.push(format!("{name}: Bunraku alone {more:?}, Puppet alone {fewer:?}"));
        }
        compared += ran.len();
        not_run += own(lines.keys().copied().collect()).len() - ran.len();
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    (compared, not_run, evaluated.into_keys().collect())
}

fn asked(jobs: &[Value]) -> Vec<Value> {
    use std::io::Write;
    use std::process::Stdio;
    let mut process = oracle::SEVEN
        .script("coverage.rb")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the oracle starts");
    let mut stdin = process.stdin.take().expect("it reads");
    let jobs: String = jobs.iter().map(|job| format!("{job}\n")).collect();
    stdin.write_all(jobs.as_bytes()).expect("it takes jobs");
    drop(stdin);
    let output = process.wait_with_output().expect("it ends");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect()
}
