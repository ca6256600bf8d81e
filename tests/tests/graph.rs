//! `bunraku graph`: its graphs are those that an agent of real Puppet writes of the same catalog; parts, cycles, pictures.

use bunraku_tests::{bunraku, oracle, paths, repository};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
    command.args(arguments);
    command
}

fn run(command: &mut Command) -> Output {
    command.output().expect("Bunraku starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// What a run prints that has to succeed, and what it says besides.
fn told(command: &mut Command) -> (String, String) {
    let output = run(command);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (text(&output.stdout), text(&output.stderr))
}

/// A site whose main manifest is this, with the modules that are given as name and text of their `init.pp`.
fn site(manifest: &str, modules: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    paths::write(&folder.path().join("manifests/site.pp"), manifest);
    for (name, text) in modules {
        paths::write(&folder.path().join(format!("modules/{name}/manifests/init.pp")), text);
    }
    folder
}

fn graph(folder: &Path, more: &[&str]) -> Command {
    let mut command = program(&["graph", "n.example.com", "--environment"]);
    command.arg(folder).args(more);
    command
}

const KINDS: [&str; 3] = ["resources", "relationships", "expanded_relationships"];

/// The graphs that real Puppet makes of a catalog.
fn puppets(catalog: &Path, folder: &Path, plain: bool) -> [String; 3] {
    fs::create_dir_all(folder).expect("a folder can be made");
    let script = paths::root().join("tests/oracle/graphs.rb");
    let mut ruby = Command::new("ruby");
    ruby.arg(script).arg(catalog).arg(folder).args(plain.then_some("plain"));
    let output = ruby.output().expect("Ruby starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    KINDS.map(|kind| {
        fs::read_to_string(folder.join(format!("{kind}.dot"))).expect("Puppet has written its graphs")
    })
}

/// The edges of a graph in Puppet's form.
fn edges(dot: &str) -> BTreeSet<&str> {
    dot.lines().filter(|line| line.contains("\" -> \"")).collect()
}

/// Aliases, relationships said twice, in arrays and of containers, nested defined types, stages, names that need quotes.
const VARIED: &str = r#"
define outer($x) { inner { "${x}-1": } -> inner { "${x}-2": } }
define inner { notify { "in \"${title}\"": } }
class empty { }
class one { file { '/tmp/a': ensure => file, require => [Class['two'], Notify['last'], Notify['last']] } }
class two { exec { 'run it': command => '/bin/true', alias => 'other' } contain empty }
class early { notify { 'early': } }
stage { 'first': before => Stage['main'] }
node default {
  class { 'early': stage => 'first' }
  include one, two
  outer { 'o': x => 'y', before => Exec['other'] }
  notify { 'last': notify => Outer['o'] }
  @notify { 'never': require => File['/tmp/a'] }
  Class['empty'] -> Class['one']
  Class['two'] ~> File['/tmp/a'] <~ Notify['last']
}
"#;

#[test]
fn graphs_are_an_agents() {
    if !oracle::installed() {
        eprintln!("SKIPPED: no Puppet here whose graphs these are to be");
        return;
    }
    let work = tempfile::tempdir().expect("a folder");
    let varied = site(VARIED, &[]);
    let repo = paths::root().join("fixtures/control-repo");
    let facts = |node: &str| repo.join("facts").join(format!("{node}.json")).display().to_string();
    let nodes = ["web01.example.com", "db01.example.com", "n.example.com"];
    for node in nodes {
        let folder = work.path().join(node);
        fs::create_dir_all(&folder).expect("a folder can be made");
        let environment = if node == "n.example.com" { varied.path() } else { &repo };
        let mut more = vec!["--environment_name", "production", "--no-strict_variables"];
        let facts = facts(node);
        if node != "n.example.com" {
            more.extend(["--facts", &facts]);
        }
        let start = |name: &str| {
            let mut command = program(&[name, node, "--environment"]);
            command.arg(environment).args(&more);
            command
        };
        let catalog = folder.join("catalog.json");
        told(start("compile").arg("-o").arg(&catalog));
        let wanted = puppets(&catalog, &folder.join("plain"), true);
        let whole = puppets(&catalog, &folder.join("whole"), false);
        for ((kind, wanted), whole) in KINDS.iter().zip(wanted).zip(whole) {
            let (got, _) = told(start("graph").args(["--kind", kind]));
            assert!(edges(&got).len() > 5, "{node}, {kind}: {got}");
            assert!(got == wanted, "{node}, {kind}:\n{got}\nwhere Puppet writes\n{wanted}");
            // What an agent adds takes nothing away.
            assert!(edges(&got).is_subset(&edges(&whole)), "{node}, {kind}");
        }
    }
}

/// The lines of a picture, by the names of their ends: `A -> B`, with `dashed`, `thick` and `red`.
fn lines(dot: &str) -> BTreeSet<String> {
    let mut names = Vec::new();
    let mut lines = BTreeSet::new();
    for line in dot.lines().map(str::trim) {
        if let Some((_, rest)) = line.split_once(" [label=\"").filter(|(head, _)| head.starts_with('n')) {
            names.push(rest.split_once("\", tooltip").expect("it has a name").0.to_owned());
        } else if let Some((from, rest)) = line.split_once(" -> ") {
            let (to, look) =
                rest.trim_end_matches(';').split_once(' ').unwrap_or((rest.trim_end_matches(';'), ""));
            let name = |vertex: &str| names[vertex[1..].parse::<usize>().expect("a number")].clone();
            let mut line = format!("{} -> {}", name(from), name(to));
            let words = [("dashed", "dashed"), ("penwidth=2", "thick"), ("color=red", "red")];
            words.iter().filter(|(part, _)| look.contains(part)).for_each(|(_, word)| {
                line.push(' ');
                line.push_str(word);
            });
            lines.insert(line);
        }
    }
    lines
}

fn set<const N: usize>(all: [&str; N]) -> BTreeSet<String> {
    all.map(str::to_owned).into()
}

const CHAIN: &str = r"
node default {
  notify { 'a': } -> notify { 'b': } ~> notify { 'c': } -> notify { 'd': }
  include web
}
";
const WEB: (&str, &str) = (
    "web",
    "class web { package { 'nginx': } -> web::site { 'x': } ~> service { 'nginx': } contain web::log }\n\
     define web::site { file { \"/${title}\": } }\nclass web::log { file { '/log': } }\n",
);

#[test]
fn parts_are_drawn() {
    let site = site(CHAIN, &[WEB]);
    let drawn = |more: &[&str]| lines(&told(&mut graph(site.path(), more)).0);
    assert_eq!(
        drawn(&["--around", "Notify['b']", "--kind", "all"]),
        set([
            "Node[default] -> Notify[a] dashed",
            "Node[default] -> Notify[b] dashed",
            "Node[default] -> Notify[c] dashed",
            "Notify[a] -> Notify[b]",
            "Notify[b] -> Notify[c] thick"
        ])
    );
    assert_eq!(
        drawn(&["--around", "file[/log]", "--depth", "2"]),
        set(["Class[Web::Log] -> File[/log] dashed", "Class[Web] -> Class[Web::Log] dashed",])
    );
    let web = set([
        "Class[Web] -> Class[Web::Log] dashed",
        "Class[Web] -> Package[nginx] dashed",
        "Class[Web] -> Service[nginx] dashed",
        "Class[Web] -> Web::Site[x] dashed",
        "Class[Web::Log] -> File[/log] dashed",
        "Package[nginx] -> Web::Site[x]",
        "Web::Site[x] -> File[/x] dashed",
        "Web::Site[x] -> Service[nginx] thick",
    ]);
    assert_eq!(drawn(&["--class", "web"]), web);
    assert_eq!(drawn(&["--class", "Class['::web']"]), web);
    let depth = |depth: &str| {
        let (dot, _) = told(&mut graph(
            site.path(),
            &["--around", "Notify[a]", "--depth", depth, "--kind", "relationships"],
        ));
        edges(&dot).len()
    };
    assert_eq!(["0", "1", "2", "3", "99"].map(depth), [0, 1, 2, 3, 3]);
}

#[test]
fn what_is_not_there_is_said() {
    let site = site(CHAIN, &[WEB]);
    for (more, said) in [
        (["--around", "Notify[aa]"], "The catalog of n.example.com has no Notify[aa]; is it Notify[a]"),
        (["--class", "webb"], "has no Class[webb]; is it Class[Web]"),
    ] {
        let output = run(&mut graph(site.path(), &more));
        assert_eq!(output.status.code(), Some(1), "{more:?}");
        let err = text(&output.stderr);
        assert!(err.contains(said), "{err}");
        assert!(output.stdout.is_empty());
    }
    assert_eq!(run(&mut graph(site.path(), &["--depth", "2"])).status.code(), Some(2));
}

#[test]
fn cycles_are_red_and_told() {
    let code = "node default {\n  include loop\n  notify { 'x': } -> Class['loop'] -> notify { 'y': } -> notify { 'z': }\n}\n";
    let module = ("loop", "class loop { notify { 'in': require => Notify['y'] } notify { 'by': } }\n");
    let site = site(code, &[module]);
    let (dot, said) = told(&mut graph(site.path(), &[]));
    let checked =
        run(program(&["compile", "n.example.com", "--check-cycles", "--environment"]).arg(site.path()));
    let message = said.trim_end();
    assert!(message.starts_with("Found 1 dependency cycle:\n("), "{said}");
    assert!(text(&checked.stderr).contains(message), "{}", text(&checked.stderr));
    let red: BTreeSet<String> = lines(&dot).into_iter().filter(|line| line.ends_with("red")).collect();
    // What else is in the class is between its beginning and its end, but on no way back.
    assert_eq!(
        red,
        set([
            "Class[Loop] -> Notify[in] dashed red",
            "Class[Loop] -> Notify[y] red",
            "Notify[y] -> Notify[in] red"
        ])
    );
    let (dot, _) = told(&mut graph(site.path(), &["--kind", "expanded_relationships"]));
    assert_eq!(dot.matches("color = red").count(), 6, "{dot}");
    let (dot, _) = told(&mut graph(site.path(), &["--kind", "resources", "--collapse", "always"]));
    assert!(dot.contains("label = \"Class[Loop]\n2 resources in it\""), "{dot}");
}

/// Many classes with many resources each, in a chain.
fn large(classes: usize, resources: usize) -> TempDir {
    let mut code = String::new();
    for class in 0..classes {
        code += &format!(
            "class c{class} {{ Integer[1, {resources}].each |$n| {{ file {{ \"/{class}/${{n}}\": notify => Notify['{class}'] }} }} notify {{ '{class}': }} }}\n"
        );
    }
    code += "node default {\n";
    (0..classes).for_each(|class| code += &format!("  include c{class}\n"));
    (1..classes).for_each(|class| code += &format!("  Class['c{}'] -> Class['c{class}']\n", class - 1));
    site(&(code + "}\n"), &[])
}

#[test]
fn much_is_drawn_by_class() {
    let site = large(30, 100);
    let (dot, _) = told(&mut graph(site.path(), &["--collapse", "always"]));
    assert!(dot.contains("label=\"Class[C7]\\n101 resources in it\""), "{dot}");
    let drawn = lines(&dot);
    assert!(
        drawn.contains("Class[C7]\\n101 resources in it -> Class[C8]\\n101 resources in it"),
        "{drawn:?}"
    );
    assert!(drawn.len() < 100, "{}", drawn.len());
    let (whole, _) = told(&mut graph(site.path(), &[]));
    assert!(lines(&whole).len() > 6000);
}

fn has_graphviz() -> bool {
    Command::new("dot").arg("-V").output().is_ok_and(|output| output.status.success())
}

#[test]
fn pictures_are_drawn_by_graphviz() {
    let site = site(CHAIN, &[WEB]);
    let output = run(graph(site.path(), &["--format", "svg"]).env("PATH", "/nowhere"));
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains("Graphviz") && said.contains("'dot' is not installed"), "{said}");
    if !has_graphviz() {
        eprintln!("SKIPPED: no Graphviz here that draws");
        return;
    }
    for kind in ["all", "resources", "relationships", "expanded_relationships"] {
        let (svg, said) = told(&mut graph(site.path(), &["--format", "svg", "--kind", kind]));
        assert_eq!(said, "");
        assert!(svg.contains("</svg>") && svg.contains("Notify[a]"), "{svg}");
    }
    let large = large(30, 100);
    let (svg, _) = told(&mut graph(large.path(), &["--format", "svg"]));
    assert!(svg.contains("101 resources in it") && svg.matches("<g id=\"node").count() < 40);
    let slow = run(&mut graph(large.path(), &["--format", "svg", "--collapse", "never", "--patience", "1"]));
    assert_eq!(slow.status.code(), Some(1));
    assert!(text(&slow.stderr).contains("more than 1 seconds"), "{}", text(&slow.stderr));
}

/// Titles with whatever Graphviz could take for its own, and control characters.
#[test]
fn titles_are_drawn_as_they_are() {
    let title = "\"q\" \\n \\\\N <b> {x|y} \\u{7} ü \\\\";
    let site = site(&format!("node default {{ notify {{ \"{}\": }} }}\n", title.replace('"', "\\\"")), &[]);
    for kind in ["all", "resources", "expanded_relationships"] {
        let (dot, _) = told(&mut graph(site.path(), &["--kind", kind]));
        let dot = dot.replace(" \\n \\\\N", " \n \\\\N");
        assert!(dot.contains("\\\"q\\\" \n \\\\N <b> {x|y} \u{fffd} ü \\\\"), "{dot}");
    }
    if has_graphviz() {
        let (svg, _) = told(&mut graph(site.path(), &["--format", "svg"]));
        assert!(svg.contains("\\N &lt;b&gt; {x|y} \u{fffd} ü \\"), "{svg}");
    }
}

#[test]
fn a_version_in_git_is_drawn() {
    let site = site(CHAIN, &[WEB]);
    repository::of_folder(site.path());
    let (of_folder, _) = told(&mut graph(site.path(), &["--environment_name", "production"]));
    fs::write(site.path().join("manifests/site.pp"), "node default { }\n").expect("it can be written");
    let cache = tempfile::tempdir().expect("a folder");
    for command in ["graph", "why"] {
        let mut command = program(&[command, "n.example.com", "--tree", "git:main", "--cache"]);
        command.arg(cache.path()).current_dir(site.path());
        if command.get_args().any(|argument| argument == "why") {
            assert!(told(command.arg("Notify[c]")).0.contains("resource expression"));
        } else {
            assert_eq!(told(&mut command).0, of_folder);
        }
    }
}
