//! `bunraku unused`: on a site with planted dead code it finds all of that; and what it names, deleted piece by piece and all at once,
//! changes no catalog, of that site and of the control repos.

use bunraku_tests::corpus::fetch;
use bunraku_tests::{bunraku, control_repo, paths};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// What is used has `used` in its name or is asked for by what does; what is planted has `dead`; what a computed name may mean has `maybe`.
const FILES: &[(&str, &str)] = &[
    (
        "hiera.yaml",
        "version: 5\nhierarchy:\n  - {name: Nodes, path: \"nodes/%{trusted.certname}.yaml\"}\n  \
         - {name: Dead layer, path: \"dead/%{facts.nothing}.yaml\"}\n  - {name: Common, path: common.yaml}\n",
    ),
    (
        "data/common.yaml",
        "mode_base: &mode '0600'\nrole::used::mode: *mode\nrole::used::dead_parameter: 1\nrole::dead::x: 2\nplain_used: a\nplain_dead:\n  a: b\n  c: d\n\
         chosen: picked_used\npicked_used: x\npicked_maybe: y\nby_linux: 1\nby_maybe: 2\nclasses:\n  - role::named_used\nmore:\n  - role::named_maybe\n  - picked_maybe\n",
    ),
    ("data/nodes/a.example.com.yaml", "plain_used: of a\ndead_here: 1\n"),
    ("data/nodes/dead.example.com.yaml", "plain_used: of old\n"),
    ("data/dead/x.yaml", "plain_used: of dead\n"),
    (
        "manifests/site.pp",
        "node default {\n  include role::used\n  lookup('classes').include\n}\n\
         node 'dead.example.com' {\n  include role::dead\n}\n\
         class dead_in_site {\n  notify { 'x': }\n}\n\
         define dead_in_site_define {\n  notify { 'y': }\n}\n\
         function dead_in_site_function() {\n  1\n}\n",
    ),
    (
        "modules/role/manifests/used.pp",
        "class role::used(\n  String $mode,\n) {\n  role::used_define { 'a': }\n  \
         file { '/a': content => template('role/used.erb'), mode => $mode }\n  \
         file { '/b': content => epp('role/used.epp') }\n  \
         file { '/c': content => file('role/read_used.txt') }\n  \
         file { '/d': ensure => directory, recurse => true, source => 'puppet:///modules/role/tree_used' }\n  \
         file { '/e': source => ['puppet:///modules/role/served_used.txt', 'puppet:///modules/role/none'] }\n  \
         notify { role::used(): }\n  notify { role::used_in_ruby(): }\n  notify { role_used_old(): }\n  \
         notify { \"1 ${lookup('plain_used')}\": }\n  notify { \"2 ${lookup(lookup('chosen'))}\": }\n  \
         notify { \"3 ${lookup(\"by_${facts['kernel']}\")}\": }\n  include dyn\n}\n",
    ),
    (
        "modules/role/manifests/used_define.pp",
        "define role::used_define(Role::Used $x = 'x') {\n  notify { $x: }\n}\n",
    ),
    ("modules/role/manifests/named_used.pp", "class role::named_used {\n}\n"),
    ("modules/role/manifests/named_maybe.pp", "class role::named_maybe {\n}\n"),
    (
        "modules/role/manifests/dead.pp",
        "class role::dead($x) {\n  role::dead_define { 'a': }\n  include role::dead_too\n}\n",
    ),
    ("modules/role/manifests/dead_too.pp", "class role::dead_too {\n}\n"),
    ("modules/role/manifests/dead_define.pp", "define role::dead_define {\n}\n"),
    ("modules/role/types/used.pp", "type Role::Used = String\n"),
    ("modules/role/types/dead.pp", "type Role::Dead = Integer\n"),
    ("modules/role/functions/used.pp", "function role::used() {\n  'f'\n}\n"),
    ("modules/role/functions/dead.pp", "function role::dead() {\n  'f'\n}\n"),
    (
        "modules/role/lib/puppet/functions/role/used_in_ruby.rb",
        "Puppet::Functions.create_function(:'role::used_in_ruby') do\n  def used_in_ruby\n    'r'\n  end\nend\n",
    ),
    (
        "modules/role/lib/puppet/functions/role/dead_in_ruby.rb",
        "Puppet::Functions.create_function(:'role::dead_in_ruby') do\n  def dead_in_ruby\n    'r'\n  end\nend\n",
    ),
    (
        "modules/role/lib/puppet/parser/functions/role_used_old.rb",
        "module Puppet::Parser::Functions\n  newfunction(:role_used_old, type: :rvalue) { |args| 'o' }\nend\n",
    ),
    (
        "modules/role/lib/puppet/parser/functions/role_dead_old.rb",
        "module Puppet::Parser::Functions\n  newfunction(:role_dead_old, type: :rvalue) { |args| 'o' }\nend\n",
    ),
    ("modules/role/templates/used.erb", "<%= @mode %>\n"),
    ("modules/role/templates/used.epp", "x\n"),
    ("modules/role/templates/dead.erb", "x\n"),
    ("modules/role/templates/dead/deep.epp", "<% include role::dead %>\n"),
    ("modules/role/files/read_used.txt", "x\n"),
    ("modules/role/files/served_used.txt", "x\n"),
    ("modules/role/files/tree_used/a/b", "x\n"),
    ("modules/role/files/dead.txt", "x\n"),
    (
        "modules/dyn/manifests/init.pp",
        "class dyn {\n  $name_of = \"dyn/${facts['kernel']}.erb\"\n  file { '/dyn': content => template($name_of) }\n  \
         include \"dyn::by::${facts['kernel']}\"\n}\n",
    ),
    ("modules/dyn/manifests/by/linux.pp", "class dyn::by::linux {\n}\n"),
    ("modules/dyn/manifests/by/maybe.pp", "class dyn::by::maybe {\n}\n"),
    ("modules/dyn/manifests/dead.pp", "class dyn::dead {\n}\n"),
    ("modules/dyn/templates/linux.erb", "x\n"),
    ("modules/dyn/templates/maybe.erb", "x\n"),
    (
        "modules/gone/manifests/init.pp",
        "class gone {\n  file { '/g': content => template('gone/dead.erb') }\n}\n",
    ),
    ("modules/gone/templates/dead.erb", "x\n"),
    ("facts/a.example.com.json", r#"{"kernel": "linux"}"#),
    ("facts/b.example.com.json", r#"{"kernel": "linux"}"#),
];

fn site() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    paths::write_all(folder.path(), FILES);
    folder
}

/// A tree with the facts of its nodes, and arguments for both commands.
struct Tree<'t> {
    folder: &'t Path,
    facts: PathBuf,
    more: Vec<String>,
}

impl Tree<'_> {
    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
        command.args(name.split(' ')).arg("--factpath").arg(&self.facts).args(&self.more);
        command
    }

    /// What is said to be unused.
    fn unused(&self, more: &[&str]) -> Value {
        let output = self.command("unused --no-archives --format json").args(more).arg(self.folder).output();
        let output = output.expect("Bunraku starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 2)), "{said}");
        serde_json::from_slice(&output.stdout).expect("it is JSON")
    }

    /// The catalogs of all nodes, by the nodes' names.
    fn catalogs(&self) -> Vec<(String, Value)> {
        let mut nodes: Vec<PathBuf> = fs::read_dir(&self.facts)
            .expect("there are facts")
            .map(|entry| entry.expect("a file").path())
            .collect();
        nodes.sort();
        nodes
            .iter()
            .map(|file| {
                let node = file.file_stem().expect("a name").to_str().expect("UTF-8").to_owned();
                let mut command = self.command("compile --environment_name production");
                let output = command.arg(&node).arg("--environment").arg(self.folder).output();
                let output = output.expect("Bunraku starts");
                assert!(output.status.success(), "{node}: {}", String::from_utf8_lossy(&output.stderr));
                let mut catalog: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
                for own in ["version", "catalog_uuid"] {
                    catalog[own] = Value::Null;
                }
                (node, catalog)
            })
            .collect()
    }
}

fn of(unused: &Value) -> impl Iterator<Item = &Value> {
    unused["unused"].as_array().expect("a list").iter()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().expect("a text")
}

/// What is planted in the site, by what the names in [`FILES`] say.
fn planted(part: &str) -> BTreeSet<String> {
    let all: &[(&str, &str)] = &[
        ("layer", "Dead layer"),
        ("data", "data/nodes/dead.example.com.yaml"),
        ("data", "data/dead/x.yaml"),
        ("key", "role::used::dead_parameter"),
        ("key", "role::dead::x"),
        ("key", "plain_dead"),
        ("key", "picked_maybe"),
        ("key", "by_maybe"),
        ("key", "dead_here"),
        ("node", "dead.example.com"),
        ("class", "dead_in_site"),
        ("define", "dead_in_site_define"),
        ("function", "dead_in_site_function"),
        ("class", "role::named_maybe"),
        ("class", "role::dead"),
        ("class", "role::dead_too"),
        ("define", "role::dead_define"),
        ("type", "role::dead"),
        ("function", "role::dead"),
        ("function", "role::dead_in_ruby"),
        ("function", "role_dead_old"),
        ("template", "role/dead.erb"),
        ("template", "role/dead/deep.epp"),
        ("file", "role/dead.txt"),
        ("class", "dyn::by::maybe"),
        ("class", "dyn::dead"),
        ("template", "dyn/maybe.erb"),
        ("class", "gone"),
        ("template", "gone/dead.erb"),
    ];
    let is_maybe = |name: &str| name.contains("maybe");
    // Nobody asks for `more`, which is what makes it possible that its value is looked up.
    let fits = |name: &str| part == "all" || is_maybe(name) == (part == "maybe");
    let mut planted: BTreeSet<String> =
        all.iter().filter(|(_, name)| fits(name)).map(|(kind, name)| format!("{kind} {name}")).collect();
    if part != "maybe" {
        planted.insert("key more".to_owned());
    }
    planted
}

fn names<'v>(all: impl Iterator<Item = &'v Value>) -> BTreeSet<String> {
    all.map(|one| format!("{} {}", text(one, "kind"), text(one, "name"))).collect()
}

#[test]
fn planted_dead_code_is_found() {
    let site = site();
    let tree = Tree { folder: site.path(), facts: site.path().join("facts"), more: Vec::new() };
    let unused = tree.unused(&[]);
    assert_eq!(unused["nodes"], 2);
    assert_eq!(names(of(&unused)), planted("all"));
    assert_eq!(names(of(&unused).filter(|one| one["certain"] == true)), planted("certain"));
    assert_eq!(names(of(&tree.unused(&["--certain"]))), planted("certain"));
    assert_eq!(names(of(&tree.unused(&["--module", "gone"]))).len(), 2);
    assert_eq!(unused["modules"], serde_json::json!(["gone"]));
    let doubts = |name: &str| {
        let one = of(&unused).find(|one| one["name"] == name).expect("it is unused");
        one["doubts"].to_string()
    };
    for (name, place) in [
        ("dyn/maybe.erb", "modules/dyn/manifests/init.pp:3"),
        ("dyn::by::maybe", "modules/dyn/manifests/init.pp:4"),
        ("role::named_maybe", "manifests/site.pp:3"),
    ] {
        assert!(doubts(name).contains(place), "{name}: {}", doubts(name));
    }
    let reason = |name: &str| {
        let one = of(&unused).find(|one| one["name"] == name && one["kind"] == "key").expect("it is unused");
        text(one, "reason").to_owned()
    };
    assert!(reason("role::used::dead_parameter").ends_with("role::used has no such parameter"));
    assert!(reason("role::dead::x").ends_with("no node declares role::dead"));
}

/// Deletes a piece; lines of what remains stay where they are.
fn delete(folder: &Path, piece: &Value) {
    let file = folder.join(text(piece, "file"));
    let Some(line) = piece["line"].as_u64() else {
        return fs::remove_file(&file).expect("it can be deleted");
    };
    if file.extension().is_some_and(|ending| ending == "json") {
        let data = fs::read(&file).expect("it can be read");
        let mut data: serde_json::Map<String, Value> = serde_json::from_slice(&data).expect("it is JSON");
        data.remove(text(piece, "name")).expect("the key is there");
        return fs::write(&file, Value::from(data).to_string()).expect("it can be written");
    }
    let source = fs::read_to_string(&file).expect("it can be read");
    let mut lines: Vec<&str> = source.lines().collect();
    let at = line as usize - 1;
    let indent = |line: &str| line.len() - line.trim_start().len();
    let (first, own) = (lines[at], indent(lines[at]));
    let is_code = file.extension().is_some_and(|ending| ending == "pp");
    let is_whole = is_code && first.trim_end().ends_with('}')
        || is_code && text(piece, "kind") == "type" && !first.contains('{');
    lines[at] = "";
    for line in lines[at + 1..].iter_mut().take_while(|_| !is_whole) {
        let closes = is_code && indent(line) == own && line.trim_start().starts_with('}');
        let parameters = closes && line.trim_end().ends_with('{');
        let belongs = is_code
            || indent(line) > own
            || (line.trim_start().starts_with("- ") && text(piece, "kind") == "key");
        if !belongs {
            break;
        }
        *line = "";
        if closes && !parameters {
            break;
        }
    }
    fs::write(&file, lines.join("\n") + "\n").expect("it can be written");
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("folders can be made");
    for entry in fs::read_dir(from).expect("it can be listed") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("it can be copied");
        }
    }
}

/// Deletes each unused piece by itself, and all together, and holds the catalogs to what they were.
fn deleting_changes_nothing(source: &Path, more: &[&str]) {
    let work = tempfile::tempdir().expect("a folder");
    let folder = work.path().join("tree");
    let fresh = || {
        let _ = fs::remove_dir_all(&folder);
        copy(source, &folder);
    };
    fresh();
    let more = more.iter().map(|&argument| argument.to_owned()).collect();
    let tree = Tree { folder: &folder, facts: source.join("facts"), more };
    let (unused, before) = (tree.unused(&[]), tree.catalogs());
    assert!(of(&unused).count() > 0, "{unused}");
    for piece in of(&unused) {
        fresh();
        delete(&folder, piece);
        assert!(tree.catalogs() == before, "catalogs differ without {piece}");
    }
    fresh();
    for piece in of(&unused) {
        // Lines of a file stay where they are, so each is found.
        delete(&folder, piece);
    }
    assert!(tree.catalogs() == before, "catalogs differ without all of it");
    for module in unused["modules"].as_array().expect("a list") {
        let module = module.as_str().expect("a name");
        for modules in ["modules", "site-modules"] {
            let _ = fs::remove_dir_all(folder.join(modules).join(module));
        }
    }
    assert!(tree.catalogs() == before, "catalogs differ without the modules");
}

#[test]
fn what_is_unused_can_be_deleted() {
    let site = site();
    deleting_changes_nothing(site.path(), &[]);
    // Catalogs do tell what is missing.
    let tree = Tree { folder: site.path(), facts: site.path().join("facts"), more: Vec::new() };
    let before = tree.catalogs();
    fs::write(site.path().join("modules/role/templates/used.epp"), "another\n").expect("it can be written");
    assert!(tree.catalogs() != before);
}

#[test]
fn what_the_control_repos_do_not_use_can_be_deleted() {
    let fixtures = paths::root().join("fixtures");
    let hiera = fixtures.join("hiera-repo");
    let work = tempfile::tempdir().expect("a folder");
    copy(&hiera, work.path());
    for entry in fs::read_dir(work.path().join("facts")).expect("there are facts") {
        let file = entry.expect("a file").path();
        let facts = fs::read_to_string(&file).expect("it can be read");
        let mut facts: Value = serde_json::from_str(&facts).expect("it is JSON");
        facts["keys"] = serde_json::json!(hiera.join("keys"));
        fs::write(&file, facts.to_string()).expect("it can be written");
    }
    let global = hiera.join("global/hiera.yaml");
    let global = global.to_str().expect("UTF-8");
    deleting_changes_nothing(work.path(), &["--compat", "7", "--hiera_config", global]);
}

/// Five machines of up to 3,400 resources, and nearly a hundred modules of which they use a part: all that is unused is deleted at once.
#[test]
fn what_the_large_control_repo_does_not_use_can_be_deleted() {
    if let Err(message) = fetch::fetch() {
        eprintln!("SKIPPED: {message}");
        return;
    }
    let work = tempfile::tempdir().expect("a folder");
    let (folder, modules) = (work.path().join("tree"), work.path().join("others"));
    copy(&control_repo::root(), &folder);
    copy(&paths::modules(), &modules);
    let settings = ["--compat", "7", "--no-strict_variables"].map(str::to_owned).to_vec();
    let tree = Tree { folder: &folder, facts: folder.join("facts"), more: settings.clone() };
    let unused = tree.unused(&["--modules", modules.to_str().expect("UTF-8")]);
    assert_eq!(unused["nodes"], 5);
    assert!(of(&unused).count() > 1000);
    let path = format!("{}:{}", folder.join("site-modules").display(), modules.display());
    let more = settings.into_iter().chain(["--modulepath".to_owned(), path]).collect();
    let compiled = Tree { folder: &folder, facts: folder.join("facts"), more };
    let before = compiled.catalogs();
    of(&unused)
        .filter(|piece| folder.join(text(piece, "file")).exists())
        .for_each(|piece| delete(&folder, piece));
    assert!(compiled.catalogs() == before, "catalogs differ");
}

/// A module that the tree has not is no module without anything unused.
#[test]
fn a_module_that_is_not_there_is_refused() {
    let site = site();
    let unused = |module: &str| {
        let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
        let command = command.args(["unused", "--no-archives", "--module", module, "--factpath"]);
        command.arg(site.path().join("facts")).arg(site.path()).output().expect("Bunraku starts")
    };
    let output = unused("nope");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), said.contains("--module nope: ")), (Some(1), true), "{said}");
    assert_eq!(unused("gone").status.code(), Some(2));
}

/// What is not sure to be known is not certain.
#[test]
fn nodes_that_do_not_compile_leave_nothing_certain() {
    let site = site();
    fs::write(site.path().join("facts/c.example.com.json"), r#"{"kernel": "unheard"}"#)
        .expect("it can be written");
    let facts = site.path().join("facts");
    let output = Command::new(bunraku::binary().expect("Bunraku builds"))
        .args(["unused", "--no-archives", "--format", "json", "--factpath"])
        .arg(&facts)
        .arg(site.path())
        .output()
        .expect("Bunraku starts");
    assert_eq!(output.status.code(), Some(1));
    let unused: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert!(unused["failed"]["c.example.com"].is_string());
    assert!(of(&unused).count() > 10 && of(&unused).all(|one| one["certain"] == false));
}
