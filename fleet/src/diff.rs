//! What a change does to nodes: each compiled from two trees, both catalogs in memory at once, and compared. Where the change touches
//! nothing that the first compile has read, as far as somebody [watches](Watch) that, there is no second.

use crate::affected::{Keeper, reasons};
use crate::compare::{Difference, Rules, Side, Sources, compare};
use crate::exported::{self, Exported, Meetings};
use crate::own_words::own_words;
use crate::pool;
use bunraku::bench::Target;
use bunraku::{CatalogView, Change, Compilation, Compiler, Diagnostic, Reads};
use std::path::PathBuf;

/// One side: what its catalogs are held against.
pub struct From<'a> {
    /// Where its tree lies.
    pub folder: Option<PathBuf>,
    /// What its modules' files hold; none where sources are not looked at.
    pub sources: Option<&'a dyn Sources>,
}

/// What becomes of a node.
#[derive(Clone, Debug)]
pub enum State {
    /// Both sides give the same catalog, as far as the rules go.
    Same,
    /// They give catalogs that differ.
    Changed(Vec<Difference>),
    /// The second side fails where the first does not: its message.
    Fails(Diagnostic),
    /// The first side fails where the second does not: its message.
    Fixed(Diagnostic),
    /// Both fail: the message of the second, and that of the first.
    FailsBefore(Diagnostic, Diagnostic),
    /// It was not compiled, and why: its facts can't be had.
    Skipped(String),
}

/// Which state a node is in, without what belongs to it. Listed as they are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateKind {
    /// The second side fails.
    Fails,
    /// Resources differ that are no classes or defined types.
    Core,
    /// Only classes or defined types differ.
    Diff,
    /// The first side fails.
    Fixed,
    /// Both fail.
    FailsBefore,
    /// It was not compiled.
    Skipped,
    /// Nothing differs.
    Same,
}

impl StateKind {
    /// All, in the order that they are counted.
    pub const ALL: [StateKind; 7] = [
        StateKind::Fails,
        StateKind::Core,
        StateKind::Diff,
        StateKind::Fixed,
        StateKind::FailsBefore,
        StateKind::Skipped,
        StateKind::Same,
    ];

    /// What it is called in reports.
    pub fn name(self) -> &'static str {
        match self {
            StateKind::Fails => "fails",
            StateKind::Core => "core",
            StateKind::Diff => "diff",
            StateKind::Fixed => "fixed",
            StateKind::FailsBefore => "failed before",
            StateKind::Skipped => "skipped",
            StateKind::Same => "same",
        }
    }

    /// What is said of one node.
    pub fn singular(self) -> &'static str {
        match self {
            StateKind::Fails => "fails now",
            StateKind::Core => "changes in resources",
            StateKind::Diff => "changes in defined types or classes only",
            StateKind::Fixed => "is fixed",
            StateKind::FailsBefore => "fails on both sides",
            StateKind::Skipped => "was skipped",
            StateKind::Same => "stays the same",
        }
    }

    /// What is said of several.
    pub fn plural(self) -> &'static str {
        match self {
            StateKind::Fails => "fail now",
            StateKind::Core => "change in resources",
            StateKind::Diff => "change in defined types or classes only",
            StateKind::Fixed => "are fixed",
            StateKind::FailsBefore => "fail on both sides",
            StateKind::Skipped => "were skipped",
            StateKind::Same => "stay the same",
        }
    }
}

impl State {
    /// Which of the kinds it is.
    pub fn kind(&self) -> StateKind {
        match self {
            State::Same => StateKind::Same,
            State::Changed(differences) if differences.iter().any(Difference::is_core) => StateKind::Core,
            State::Changed(_) => StateKind::Diff,
            State::Fails(_) => StateKind::Fails,
            State::Fixed(_) => StateKind::Fixed,
            State::FailsBefore(..) => StateKind::FailsBefore,
            State::Skipped(_) => StateKind::Skipped,
        }
    }

    /// What is said of it beside its name.
    pub fn message(&self) -> Option<&str> {
        match self {
            State::Fails(error) | State::Fixed(error) | State::FailsBefore(error, _) => Some(&error.message),
            State::Skipped(why) => Some(why),
            State::Same | State::Changed(_) => None,
        }
    }

    /// The differences, where there are any.
    pub fn differences(&self) -> &[Difference] {
        match self {
            State::Changed(differences) => differences,
            _ => &[],
        }
    }
}

/// What was found of a node.
#[derive(Clone, Debug)]
pub struct Found {
    /// What becomes of it.
    pub state: State,
    /// What its facts say that stands for this node alone: names and addresses.
    pub own: Vec<(String, &'static str)>,
}

impl Found {
    /// What is found of a node that stays the same.
    pub fn same() -> Found {
        Found { state: State::Same, own: Vec::new() }
    }
}

/// Both sides, and how their catalogs are compared.
pub struct Sides<'a> {
    /// A node as it is compiled from both, which may share what is known of it; a message where it can't be.
    pub targets: &'a (dyn Fn(&str) -> Result<[Target; 2], String> + Sync),
    /// As it is.
    pub from: From<'a>,
    /// As it is to be.
    pub to: From<'a>,
    /// What counts as a difference.
    pub rules: &'a Rules,
    /// Who is told of each compile what it has read.
    pub watch: Option<&'a dyn Watch>,
}

/// Somebody who is told what compiles have read.
pub trait Watch: Sync {
    /// Whether it wants to know that of a node on a side, 0 or 1.
    fn wants(&self, side: usize, node: &str) -> bool;

    /// What differs between both trees, where it is known: whom it does not touch is not compiled from the second.
    fn change(&self) -> Option<&Change>;

    /// What a compile has read, none where it was not begun or not brought to an end of its own, and the error that has ended it.
    fn compiled(&self, target: &Target, error: Option<&Diagnostic>, reads: Option<Reads>);
}

impl Watch for Keeper<'_> {
    fn wants(&self, side: usize, node: &str) -> bool {
        side == 0 && self.lacks(node)
    }

    fn change(&self) -> Option<&Change> {
        Some(Keeper::change(self))
    }

    fn compiled(&self, target: &Target, error: Option<&Diagnostic>, reads: Option<Reads>) {
        if let Some(reads) = reads {
            self.add(target, error.is_some(), reads);
        }
    }
}

/// Compiles nodes from both sides on so many threads; `done` gets what was found of each, in the order of their names. Exported
/// resources come from the store, the same ones for both sides; for another way see [`crate::two_passes`].
///
/// # Errors
/// When there are no threads to be had. What goes wrong in a compile is in what was found.
pub fn run(
    compiler: &Compiler,
    sides: &Sides<'_>,
    (names, threads): (&[String], usize),
    mut done: impl FnMut(&str, Found),
) -> Result<(), String> {
    pool::run(names, threads, |name| one(compiler, sides, name, None).0, |name, found| done(name, found))
}

/// Compiles a node from both sides and compares; with what it exports, where nodes meet.
pub(crate) fn one(
    compiler: &Compiler,
    Sides { targets, from, to, rules, watch }: &Sides<'_>,
    name: &str,
    meetings: Option<&Meetings>,
) -> (Found, Exported) {
    let exported = Exported::default();
    let targets = targets(name).and_then(|targets| exported::given(compiler, targets, meetings));
    let [mut old, mut new] = match targets {
        Ok(targets) => targets,
        Err(why) => return (Found { state: State::Skipped(why), own: Vec::new() }, exported),
    };
    let note = |side: usize, catalog: &CatalogView<'_>| {
        if meetings.is_some() {
            exported.note(side, name, catalog);
        }
    };
    let wants = |side: usize| watch.is_some_and(|watch| watch.wants(side, name));
    old.settings.reads |= wants(0);
    new.settings.reads |= wants(1);
    fn tell<T>(watch: Option<&dyn Watch>, target: &Target, compiled: &mut Compilation<T>) {
        if let Some(watch) = watch {
            watch.compiled(target, compiled.result.as_ref().err(), compiled.reads.take());
        }
    }
    let told = |side: usize| watch.filter(|watch| watch.wants(side, name));
    let mut compared = compiler.see_with_reads(&old, |before, read| {
        note(0, before);
        // Where nodes meet, what others export may differ, which no tree says.
        let known = told(0).and_then(Watch::change).zip(read).filter(|_| meetings.is_none());
        if known.is_some_and(|(change, read)| reasons(change, read).is_empty()) {
            return State::Same;
        }
        let mut after = compiler.see(&new, |after| {
            note(1, after);
            let before = Side { catalog: before, folder: from.folder.as_ref(), sources: from.sources };
            let after = Side { catalog: after, folder: to.folder.as_ref(), sources: to.sources };
            compare(&before, &after, rules)
        });
        tell(told(1), &new, &mut after);
        match after.result {
            Err(error) => State::Fails(error),
            Ok(differences) if differences.is_empty() => State::Same,
            Ok(differences) => State::Changed(differences),
        }
    });
    tell(told(0), &old, &mut compared);
    let state = compared.result.unwrap_or_else(|error| {
        let mut after = compiler.see(&new, |after| note(1, after));
        tell(told(1), &new, &mut after);
        match after.result {
            Ok(()) => State::Fixed(error),
            Err(now) => State::FailsBefore(now, error),
        }
    });
    let state = without_folders(state, (from.folder.as_ref(), to.folder.as_ref()));
    let own = match &state {
        State::Same | State::Skipped(_) => Vec::new(),
        _ => own_words(name, &new.node.facts()),
    };
    (Found { state, own }, exported)
}

/// The state with files named as they are in their tree: where that lies says nothing of the change.
fn without_folders(mut state: State, (from, to): (Option<&PathBuf>, Option<&PathBuf>)) -> State {
    let names = [from, to].map(|folder| folder.map(|folder| format!("{}/", folder.display())));
    let cut = |text: &mut String, name: &Option<String>| {
        if let Some(name) = name.as_deref().filter(|name| text.contains(*name)) {
            *text = text.replace(name, "");
        }
    };
    let message = |error: &mut Diagnostic| names.iter().for_each(|name| cut(&mut error.message, name));
    match &mut state {
        State::Fails(error) | State::Fixed(error) => message(error),
        State::FailsBefore(now, before) => {
            message(now);
            message(before);
        }
        State::Changed(differences) => {
            for one in differences {
                for (place, name) in [(&mut one.old_place, &names[0]), (&mut one.new_place, &names[1])] {
                    if let Some(file) = place.as_mut().and_then(|place| place.file.as_mut()) {
                        cut(file, name);
                    }
                }
            }
        }
        State::Same | State::Skipped(_) => {}
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;
    use bunraku::{Environment, Facts, Node, Settings};
    use std::path::Path;
    use std::sync::Mutex;

    /// Notes each compile: the folder's name and the node.
    struct Noting {
        change: Option<Change>,
        compiled: Mutex<Vec<String>>,
    }

    impl Watch for Noting {
        fn wants(&self, _: usize, _: &str) -> bool {
            true
        }

        fn change(&self) -> Option<&Change> {
            self.change.as_ref()
        }

        fn compiled(&self, target: &Target, error: Option<&Diagnostic>, reads: Option<Reads>) {
            assert!(error.is_none() && reads.is_some());
            let side = target.environment.folder().and_then(Path::file_name).unwrap_or_default();
            let side = side.to_string_lossy().into_owned();
            self.compiled.lock().unwrap().push(format!("{side} {}", target.node.name()));
        }
    }

    #[test]
    fn whom_a_change_does_not_touch_is_compiled_once() {
        let work = tempfile::tempdir().unwrap();
        let class = |tree: &str, name: &str, text: &str| {
            let folder = work.path().join(tree).join("modules").join(name).join("manifests");
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("init.pp"), format!("class {name} {{ notify {{ '{text}': }} }}"))
                .unwrap();
        };
        for (tree, text) in [("from", "old"), ("to", "new")] {
            class(tree, "one", text);
            class(tree, "other", "same");
        }
        let target = |tree: &str, name: &str| Target {
            environment: Environment::at(work.path().join(tree)).with_code("include $facts['role']"),
            node: Node::new(name).with_facts(Facts::from([("role", name.into())])),
            settings: Settings::default(),
        };
        let compiler = Compiler::new().with_fixed_environments();
        let both = |name: &str| Ok([target("from", name), target("to", name)]);
        let [old, new] = both("one").unwrap();
        let change = compiler.change(&old.environment, &new.environment, &old.settings).unwrap();
        let names = ["one".to_owned(), "other".to_owned()];
        for (change, wanted) in [
            (Some(change), &["to one", "from one", "from other"][..]),
            (None, &["to one", "from one", "to other", "from other"]),
        ] {
            let watch = Noting { change, compiled: Mutex::default() };
            let side = || From { folder: None, sources: None };
            let rules = &Rules::default();
            let sides = Sides { targets: &both, from: side(), to: side(), rules, watch: Some(&watch) };
            let mut found = Vec::new();
            run(&compiler, &sides, (&names, 1), |name, one| {
                found.push(format!("{name} {}", one.state.kind().name()))
            })
            .unwrap();
            assert_eq!(found, ["one core", "other same"]);
            assert_eq!(watch.compiled.into_inner().unwrap(), wanted);
        }
    }
}
