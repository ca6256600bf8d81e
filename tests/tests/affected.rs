//! What a compile has read tells whom a change can touch: whatever is changed in a tree, the nodes that get another catalog
//! are among those that have asked a question which the change answers otherwise.
//!
//! `AFFECTED_CHANGES` says how many changes are tried on each tree, `AFFECTED_SEED` where they begin; `AFFECTED_REPORT=1`
//! prints how many nodes were touched beside those that changed.

use bunraku::{Compiler, Environment, Facts, How, Node, Part, PathQuestion, Reads, Settings, Touch};
use bunraku_tests::corpus::fetch;
use bunraku_tests::differential::rng::Rng;
use bunraku_tests::{control_repo, hiera_repo, paths};
use regex_lite::Regex;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use tempfile::TempDir;

/// A tree with its nodes, twice: as it is, and to be changed.
struct Site {
    name: &'static str,
    /// What is changed lies below.
    folder: TempDir,
    before: Environment,
    after: Environment,
    nodes: Vec<(Node, Settings)>,
}

/// What `bunraku diff` does not look at: the lines at which something is declared, or fails.
fn without_lines(text: &str) -> String {
    static LINES: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r#"("line":|line: )[0-9]+(, column: [0-9]+)?"#).expect("it is one"));
    LINES.replace_all(text, "$1?").into_owned()
}

/// A line that two compiles that are the same have in common: the catalog without what is new each time, or the error; neither with
/// lines.
fn outcome(
    compiler: &Compiler,
    environment: &Environment,
    (node, settings): &(Node, Settings),
) -> (String, Reads) {
    let compiled = compiler.compile(environment, node, settings);
    let text = match compiled.result {
        Ok(catalog) => {
            let mut json: serde_json::Value =
                serde_json::from_str(catalog.to_json()).expect("a catalog is JSON");
            let head = json.as_object_mut().expect("a catalog is an object");
            head.remove("version");
            head.remove("catalog_uuid");
            json.to_string()
        }
        Err(error) => error.to_string(),
    };
    (without_lines(&text), compiled.reads.expect("the settings ask for it"))
}

impl Site {
    fn new(
        name: &'static str,
        folders: &[(&Path, &str)],
        environment: impl Fn(&Path) -> Environment,
        nodes: Vec<(Node, Settings)>,
    ) -> Site {
        let folder = tempfile::tempdir().expect("a folder can be made");
        for side in ["before", "after"] {
            folders.iter().for_each(|(from, to)| paths::copy(from, &folder.path().join(side).join(to)));
        }
        let [before, after] = ["before", "after"].map(|side| environment(&folder.path().join(side)));
        let nodes =
            nodes.into_iter().map(|(node, settings)| (node, Settings { reads: true, ..settings })).collect();
        Site { name, folder, before, after, nodes }
    }

    fn fixture() -> Site {
        let repo = paths::root().join("fixtures/control-repo");
        let nodes = ["db01.example.com", "web01.example.com"].map(|name| {
            let facts = Facts::from_file(&repo.join(format!("facts/{name}.json"))).expect("there are facts");
            (Node::new(name).with_facts(facts), Settings::default())
        });
        Site::new("fixture", &[(&repo, "e")], |side| Environment::at(side.join("e")), nodes.into())
    }

    fn hiera() -> Site {
        let repo = hiera_repo::repo();
        let nodes = hiera_repo::NODES.map(|name| {
            let facts = Facts::from_file(&repo.join(format!("facts/{name}.json"))).expect("there are facts");
            let facts = facts.with("keys", repo.join("keys").to_string_lossy().into_owned().into());
            (Node::new(name).with_facts(facts), Settings::default())
        });
        let environment =
            |side: &Path| Environment::at(side.join("e")).with_hiera_config(side.join("e/global/hiera.yaml"));
        Site::new("hiera", &[(&repo, "e")], environment, nodes.into())
    }

    /// The one over the modules of the corpus.
    fn modules() -> Site {
        let repo = control_repo::root();
        let nodes = control_repo::NODES.map(|name| {
            let facts = Facts::from_file(&control_repo::facts(name)).expect("there are facts");
            (Node::new(name).with_facts(facts), Settings::of_compat(bunraku::Compat::V7))
        });
        let environment = |side: &Path| {
            Environment::at(side.join("e")).with_modulepath([side.join("e/site-modules"), side.join("m")])
        };
        Site::new("modules", &[(&repo, "e"), (&paths::modules(), "m")], environment, nodes.into())
    }

    /// A file of the tree that is to be changed, and what archives call it.
    fn name_of(&self, file: &Path) -> String {
        let below = file.strip_prefix(self.folder.path().join("after")).expect("it lies there");
        let below = below.to_string_lossy();
        match below.strip_prefix("m/") {
            Some(rest) => format!("m0/{rest}"),
            None => below.into_owned(),
        }
    }

    /// What a touch is a question about, where it is about a file of the tree.
    fn name_of_touch(&self, touch: Touch) -> String {
        let asked = [
            PathQuestion::Kind,
            PathQuestion::Names,
            PathQuestion::Content,
            PathQuestion::Outline,
            PathQuestion::Data,
            PathQuestion::Fault,
            PathQuestion::Below,
        ];
        let names: Vec<String> = self.files().iter().map(|file| self.name_of(file)).collect();
        let of_file = |name: &String| {
            let kind = asked.into_iter().find(|asked| Touch::of(*asked, name) == touch);
            kind.map(|kind| format!("{kind:?} of {name}"))
        };
        let found = names.iter().find_map(of_file);
        found.unwrap_or_else(|| format!("{touch:?}"))
    }

    fn files(&self) -> Vec<PathBuf> {
        let mut pending = vec![self.folder.path().join("after")];
        let mut files = Vec::new();
        while let Some(folder) = pending.pop() {
            for entry in fs::read_dir(folder).expect("a folder can be read").flatten() {
                match entry.path().is_dir() {
                    true => pending.push(entry.path()),
                    false => files.push(entry.path()),
                }
            }
        }
        files.sort();
        files
    }

    /// Tries so many changes. The answer: those whose nodes are not all among the touched; nodes that changed; touched ones.
    fn try_changes(&self, count: usize, seed: u64) -> (Vec<String>, usize, usize) {
        let (compiler, mut random) = (Compiler::new(), Rng::new(seed));
        let all = |environment: &Environment| -> Vec<(String, Reads)> {
            self.nodes.iter().map(|node| outcome(&compiler, environment, node)).collect()
        };
        // The second time out of what the first has left.
        let (first, usual) = (all(&self.before), all(&self.after));
        let again = all(&self.before);
        for ((first, again), (node, _)) in first.iter().zip(&again).zip(&self.nodes) {
            let only = |one: &Reads, other: &Reads| -> Vec<String> {
                let only = one.touches.iter().filter(|touch| other.touches.binary_search(touch).is_err());
                only.map(|touch| self.name_of_touch(*touch)).collect()
            };
            let differing = (only(&first.1, &again.1), only(&again.1, &first.1));
            let name = node.name();
            assert!(
                first.1 == again.1,
                "{} {name}: not the same reads the second time: {differing:?}",
                self.name
            );
        }
        let read: Vec<(PathBuf, bool)> = self
            .files()
            .into_iter()
            .map(|file| {
                let name = self.name_of(&file);
                let is_read = |asked| {
                    again
                        .iter()
                        .any(|(_, reads)| reads.touches.binary_search(&Touch::of(asked, &name)).is_ok())
                };
                let is_read = is_read(PathQuestion::Content)
                    || is_read(PathQuestion::Outline)
                    || is_read(PathQuestion::Data);
                (file, is_read)
            })
            .collect();
        let (mut wrong, mut changed, mut touched) = (Vec::new(), 0, 0);
        for number in 0..count {
            let Some(undo) = change(&mut random, &read) else { continue };
            let change =
                compiler.change(&self.before, &self.after, &self.nodes[0].1).expect("files can be read");
            assert!(!change.is_empty(), "{}: {}", self.name, undo.what);
            let now = all(&self.after);
            for ((((before, reads), (after, _)), (node, _)), (_, usual_reads)) in usual
                .iter()
                .map(|(text, _)| text)
                .zip(again.iter().map(|(_, reads)| reads))
                .zip(&now)
                .zip(&self.nodes)
                .zip(&usual)
            {
                assert_eq!(reads, usual_reads, "{}: two copies are read otherwise", self.name);
                let met = change.everything.is_some()
                    || !reads.unknown.is_empty()
                    || !change.met_by(&reads.touches).is_empty();
                let differs = before != after;
                (changed, touched) = (changed + usize::from(differs), touched + usize::from(met));
                if differs && !met {
                    wrong.push(format!("{} {number} {}: {}", self.name, node.name(), undo.what));
                }
            }
            undo.run();
        }
        (wrong, changed, touched)
    }
}

/// What takes a change back.
struct Undo {
    what: String,
    files: Vec<(PathBuf, Option<Vec<u8>>)>,
}

impl Undo {
    fn run(self) {
        for (file, content) in self.files {
            match content {
                Some(content) => fs::write(&file, content).expect("a file can be written"),
                None => fs::remove_file(&file).expect("a file can be removed"),
            }
        }
    }
}

/// Changes a line, moves, removes or adds a file; most often one that is read.
fn change(random: &mut Rng, files: &[(PathBuf, bool)]) -> Option<Undo> {
    let wants_read = random.chance(80);
    let fitting: Vec<&PathBuf> =
        files.iter().filter(|(_, read)| *read || !wants_read).map(|(file, _)| file).collect();
    let file = fitting[random.below(fitting.len())].clone();
    let content = fs::read(&file).ok()?;
    let text = String::from_utf8(content.clone()).ok()?;
    let says = |what: &str| format!("{what} {}", file.display());
    let write = |path: &Path, text: &str| fs::write(path, text).expect("a file can be written");
    Some(match random.below(10) {
        0 => {
            fs::remove_file(&file).expect("a file can be removed");
            Undo { what: says("removed"), files: vec![(file, Some(content))] }
        }
        1 => {
            let moved = file.with_file_name(format!("moved_{}", file.file_name()?.to_string_lossy()));
            fs::rename(&file, &moved).expect("a file can be moved");
            Undo { what: says("moved"), files: vec![(moved, None), (file, Some(content))] }
        }
        2 => {
            // Where other files of its kind are looked for, under a name that another folder has.
            let (other, _) = &files[random.below(files.len())];
            let added = file.with_file_name(other.file_name()?);
            if added.exists() {
                return None;
            }
            write(&added, &text);
            Undo {
                what: format!("{} as {}", says("added a copy of"), added.display()),
                files: vec![(added, None)],
            }
        }
        _ => {
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            if lines.is_empty() {
                return None;
            }
            let at = random.below(lines.len());
            let line = lines[at].clone();
            let changed = match random.below(4) {
                0 => String::new(),
                1 => line.replacen("'", "'x", 1),
                2 => line.replace("present", "absent").replace("true", "false"),
                _ => line.replace(['1', '2', '0'], "7") + " ",
            };
            if changed == line {
                return None;
            }
            lines[at] = changed;
            write(&file, &(lines.join("\n") + "\n"));
            Undo {
                what: format!("{} line {}: {line}", says("changed"), at + 1),
                files: vec![(file, Some(content))],
            }
        }
    })
}

fn number(name: &str, usual: usize) -> usize {
    std::env::var(name).map_or(usual, |text| text.parse().expect("a number"))
}

fn none_is_missed(site: &Site, changes: usize) {
    let (changes, seed) = (number("AFFECTED_CHANGES", changes), number("AFFECTED_SEED", 1));
    let (wrong, changed, touched) = site.try_changes(changes, seed as u64);
    if std::env::var_os("AFFECTED_REPORT").is_some() {
        eprintln!("{}: {changes} changes, {changed} nodes changed, {touched} touched", site.name);
    }
    assert!(changed > changes / 20, "{}: hardly a change changes anything: {changed}", site.name);
    assert!(wrong.is_empty(), "{} changed without being touched:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn no_node_of_the_fixture_is_missed() {
    none_is_missed(&Site::fixture(), 200);
}

#[test]
fn no_node_with_data_at_many_levels_is_missed() {
    none_is_missed(&Site::hiera(), 200);
}

#[test]
fn no_node_over_the_corpus_is_missed() {
    match fetch::fetch() {
        Ok(_) => none_is_missed(&Site::modules(), 30),
        Err(reason) => eprintln!("SKIPPED changes of the corpus' modules: {reason}"),
    }
}

#[test]
#[ignore = "a thousand changes take half an hour"]
fn of_a_thousand_changes_none_is_missed() {
    none_is_missed(&Site::fixture(), 400);
    none_is_missed(&Site::hiera(), 400);
    match fetch::fetch() {
        Ok(_) => none_is_missed(&Site::modules(), 200),
        Err(reason) => eprintln!("SKIPPED changes of the corpus' modules: {reason}"),
    }
}

#[test]
fn changes_are_told_by_their_paths_and_keys() {
    let site = Site::hiera();
    let file = site.folder.path().join("after/e/data/common.yaml");
    let text = fs::read_to_string(&file).expect("it can be read");
    fs::write(&file, format!("{text}\nnobody_asks_for_this: 1\n")).expect("it can be written");
    let compiler = Compiler::new();
    let (_, reads) = outcome(&compiler, &site.before, &site.nodes[0]);
    let change = compiler.change(&site.before, &site.after, &site.nodes[0].1).expect("files can be read");
    assert_eq!(change.paths.len(), 1);
    assert_eq!((change.paths[0].path.as_str(), change.paths[0].how), ("e/data/common.yaml", How::Changed));
    assert!(change.met_by(&reads.touches).is_empty(), "{:?}", change.met_by(&reads.touches));
}

#[test]
fn what_differs_in_a_manifest_touches_those_who_run_it() {
    let site = Site::new(
        "bodies",
        &[],
        |side| Environment::at(side.join("e")),
        ["one", "two"].map(|name| (Node::new(name), Settings::default())).into(),
    );
    let write = |side: &str, text: &str| {
        let folder = site.folder.path().join(side).join("e/manifests");
        fs::create_dir_all(&folder).expect("a folder can be made");
        fs::write(folder.join("site.pp"), text).expect("it can be written");
    };
    let manifest = "
function f() { 1 }
class a($x = f()) { notify { \"a${x}\": } }
define d { notify { \"d${title}\": } }
class json { $x = @(END:json)
  {}
  | END
}
node 'one' { include a }
node /two/ { d { 'x': } }
notify { 'all': }
";
    write("before", manifest);
    let touched = |from: &str, to: &str| -> Vec<String> {
        assert!(manifest.contains(from), "{from}");
        write("after", &manifest.replacen(from, to, 1));
        let compiler = Compiler::new();
        let before: Vec<_> = site.nodes.iter().map(|node| outcome(&compiler, &site.before, node)).collect();
        let change = compiler.change(&site.before, &site.after, &site.nodes[0].1).expect("files can be read");
        let met = before.iter().zip(&site.nodes);
        met.flat_map(|((_, reads), (node, _))| {
            let met = change.met_by(&reads.touches).into_iter();
            met.map(|met| match met.part {
                Some(Part::Body(defined)) => format!("{}: {defined}", node.name()),
                Some(Part::Key(_)) => unreachable!("no data is there"),
                None => format!("{}: the file", node.name()),
            })
        })
        .collect()
    };
    let both = ["one: the file".to_owned(), "two: the file".to_owned()];
    assert!(touched("class json", "# Said of it.\n\nclass json").is_empty());
    assert_eq!(touched("{ 1 }", "{ 2 }"), ["one: function f"]);
    assert_eq!(touched("\"a${x}\"", "\"b${x}\""), ["one: class a"]);
    assert_eq!(touched("\"d${title}\"", "'d'"), ["two: define d"]);
    assert_eq!(touched("{ include a }", "{ include json }"), ["one: node one"]);
    assert_eq!(touched("{ d {", "{ include a\n d {"), ["two: node /two/"]);
    assert_eq!(touched("$x = f()", "$x = 3"), both, "parameters are checked when the file is read");
    assert_eq!(touched("  {}", "  []"), both, "the text is checked when the file is read");
    assert_eq!(touched("'all'", "'each'"), both);
    assert_eq!(touched("{ 1 }", "{ 1 1 }"), both, "what is warned of may be an error");
}
