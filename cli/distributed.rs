//! Diffs and fleets whose nodes others compile, by way of an engine: what is published, what is gathered.

use crate::diff_output::{DiffOutput, FailOn};
use crate::engines::{On, OnArguments, Opened, Tls};
use crate::nodes::{bar, threads};
use crate::output;
use crate::render::When;
use crate::reports::{Report, ReportFormat};
use bunraku::bench::Target;
use bunraku::{Compiler, Configuration, Lent};
use bunraku_fleet::compile::save::Folder;
use bunraku_fleet::compile::{Fleet, Node, compile};
use bunraku_fleet::diff::{self, Sides};
use bunraku_fleet::engine::coordinator::{Gathering, Left, gather, nobody};
use bunraku_fleet::engine::job::Want;
use bunraku_fleet::engine::lent::both;
use bunraku_fleet::engine::outcome::{Outcome, Printed};
use bunraku_fleet::engine::plan::{Plan, Work, prepare};
use bunraku_fleet::engine::worker::Comparison;
use bunraku_fleet::engine::{Engine, Hash};
use bunraku_fleet::report::Head;
use bunraku_fleet::report::counted;
use bunraku_fleet::tree::{Preparation, Tree, whole};
use serde_json::json;
use std::collections::BTreeMap;

/// A diff.
pub struct Diff<'d> {
    /// How jobs are handed out.
    pub arguments: &'d OnArguments,
    /// Certificates for the engine.
    pub tls: Tls,
    /// Both trees.
    pub trees: [&'d Tree; 2],
    /// How they are prepared.
    pub preparation: &'d Preparation,
    /// The machine's configuration as it is for each, where one is read.
    pub configurations: [Option<&'d Configuration>; 2],
    /// What compiles nodes that workers leave.
    pub compiler: &'d Compiler,
    /// Both sides, as they are here.
    pub sides: &'d Sides<'d>,
    /// Whether what files hold is compared.
    pub compares_files: bool,
    /// Whether nodes that the change does not touch are compiled from the tree as it was alone.
    pub leaves_untouched: bool,
    /// The nodes that are compared.
    pub names: &'d [String],
    /// How many are compiled here side by side.
    pub threads: usize,
}

/// What is told, and how: heads, forms, the status, and nodes that stay the same.
pub type Telling<'t> = (Head, (ReportFormat, &'t [Report], When), FailOn, Vec<String>);

/// Has a diff done on an engine; the exit status.
///
/// # Errors
/// When something can't go to other processes, or the engine fails.
pub fn diff(on: &On, work: &Diff<'_>, (head, form, fail_on, untouched): Telling<'_>) -> Result<u8, String> {
    let opened = on.open(&work.tls, &work.arguments.patience)?;
    let [from, to] = [0, 1].map(|side| whole(work.trees[side], work.preparation, work.configurations[side]));
    let archives = [from?, to?];
    let comparison = Comparison {
        rules: work.sides.rules.clone(),
        compares_files: work.compares_files,
        folders: work.trees.iter().map(|tree| tree.folder.clone()).collect(),
        modulepaths: work.trees.iter().map(|tree| tree.modulepath.clone()).collect(),
        leaves_untouched: work.leaves_untouched,
    };
    let targets = |name: &str| -> Result<Vec<Target>, String> { (work.sides.targets)(name).map(Vec::from) };
    let report = json!({
        "command": "diff", "from": head.from, "to": head.to, "fail_on": fail_on.text(), "untouched": untouched,
    });
    let (run, plan) = prepare(
        opened.engine(),
        &Work {
            names: work.names,
            shard: work.arguments.shard.get(),
            targets: &targets,
            threads: work.threads,
            archives: &archives,
            folders: &comparison.folders,
            lent: &lent(work.names, &targets)?,
            rules: serde_json::to_vec(&comparison).map_err(|error| error.to_string())?,
            want: Want::Differences,
            report,
        },
    )?;
    if started(&opened, (&run, &plan), work.arguments)? {
        return Ok(0);
    }
    let left = |left: &[(String, String)]| {
        let names: Vec<String> = left.iter().map(|(name, _)| name.clone()).collect();
        let mut done = Vec::new();
        diff::run(work.compiler, work.sides, (&names, work.threads), |name, found| {
            done.push((name.to_owned(), Outcome::Compared(found)));
        })?;
        Ok(done)
    };
    let mut told = DiffOutput::new(head, form, fail_on, untouched)?;
    gathered(opened.engine(), (&run, &plan), (&left, true, None), &mut |name, outcome| {
        if let Outcome::Compared(found) = outcome {
            told.add(name, &found);
        }
    })?;
    told.finish()
}

/// One tree that others compile from.
pub struct Sent<'s> {
    /// How jobs are handed out.
    pub arguments: &'s OnArguments,
    /// Certificates for the engine.
    pub tls: Tls,
    /// The tree.
    pub tree: &'s Tree,
    /// How it is prepared.
    pub preparation: &'s Preparation,
    /// The machine's configuration, where one is read.
    pub configuration: Option<&'s Configuration>,
}

/// What is compiled of each node, by name.
type TargetsOf<'t> = dyn Fn(&str) -> Result<Vec<Target>, String> + Sync + 't;

impl Sent<'_> {
    /// Publishes a run that compiles these nodes, on behalf of a command: what gathers it; none where that is not waited for.
    fn publish(
        &self,
        on: &On,
        (names, targets): (&[String], &TargetsOf<'_>),
        threads: usize,
        (want, command): (Want, &str),
    ) -> Result<Option<(Opened, Hash, Plan)>, String> {
        let opened = on.open(&self.tls, &self.arguments.patience)?;
        let archive = [whole(self.tree, self.preparation, self.configuration)?];
        let (run, plan) = prepare(
            opened.engine(),
            &Work {
                names,
                shard: self.arguments.shard.get(),
                targets,
                threads,
                archives: &archive,
                folders: std::slice::from_ref(&self.tree.folder),
                lent: &lent(names, targets)?,
                rules: serde_json::to_vec(&Comparison::default()).map_err(|error| error.to_string())?,
                want,
                report: json!({"command": command}),
            },
        )?;
        let is_all = started(&opened, (&run, &plan), self.arguments)?;
        Ok((!is_all).then_some((opened, run, plan)))
    }
}

/// A fleet that is compiled.
pub struct Compile<'c> {
    /// What from, and how.
    pub sent: Sent<'c>,
    /// The fleet as it is here.
    pub fleet: &'c Fleet<'c>,
    /// Where catalogs are kept.
    pub save: Option<&'c Folder>,
}

/// Has a fleet compiled on an engine: what came of its nodes; none where that is not waited for.
///
/// # Errors
/// As of [`diff`].
pub fn compiled(on: &On, work: &Compile<'_>, each: &mut dyn FnMut(&Node)) -> Result<bool, String> {
    let targets = |name: &str| (work.fleet.target)(name).map(|target| vec![target]);
    let want = if work.save.is_some() { Want::Catalogs } else { Want::Outcome };
    let nodes = (work.fleet.names, &targets as &TargetsOf<'_>);
    let published = work.sent.publish(on, nodes, work.fleet.threads, (want, "compile"))?;
    let Some((opened, run, plan)) = published else { return Ok(false) };
    let left = |left: &[(String, String)]| {
        let names: Vec<String> = left.iter().map(|(name, _)| name.clone()).collect();
        let mut done = Vec::new();
        compile(&Fleet { names: &names, ..*work.fleet }, |node| {
            done.push((node.name.clone(), Outcome::Compiled(node.clone())));
        })?;
        Ok(done)
    };
    gathered(opened.engine(), (&run, &plan), (&left, true, work.save), &mut |_, outcome| {
        if let Outcome::Compiled(node) = outcome {
            each(&node);
        }
    })?;
    Ok(true)
}

/// Nodes whose catalogs are printed.
pub struct Print<'p> {
    /// What from, and how.
    pub sent: Sent<'p>,
    /// The nodes, by name.
    pub targets: &'p BTreeMap<String, Target>,
}

/// Has nodes compiled on an engine: what was printed of each that did not fail; none where that is not waited for. Nodes that are not
/// among them are to be compiled here.
///
/// # Errors
/// As of [`diff`].
pub fn printed(on: &On, work: &Print<'_>) -> Result<Option<BTreeMap<String, Printed>>, String> {
    let names: Vec<String> = work.targets.keys().cloned().collect();
    let targets = |name: &str| {
        let target = work.targets.get(name).map(|target| vec![target.clone()]);
        target.ok_or_else(|| format!("{name} is none of the nodes"))
    };
    let nodes = (&names[..], &targets as &TargetsOf<'_>);
    let published = work.sent.publish(on, nodes, threads(None), (Want::Printed, "compile one"))?;
    let Some((opened, run, plan)) = published else { return Ok(None) };
    let mut all = BTreeMap::new();
    let left = |left: &[(String, String)]| Ok(nobody(Want::Printed, left));
    gathered(opened.engine(), (&run, &plan), (&left, true, None), &mut |name, outcome| {
        if let Outcome::Printed(Ok(printed)) = outcome {
            all.insert(name.to_owned(), printed);
        }
    })?;
    Ok(Some(all))
}

/// What this machine lends of its disk for these nodes. Which that is its configuration says, the same for all nodes of a tree: so it is
/// asked of the first that has one.
fn lent(names: &[String], targets: &dyn Fn(&str) -> Result<Vec<Target>, String>) -> Result<Lent, String> {
    let first = names.iter().find_map(|name| targets(name).ok()).unwrap_or_default();
    let nothing = Lent::new(Vec::new(), BTreeMap::new());
    first.iter().try_fold(nothing, |lent, target| both(lent, &target.environment.lent()?))
}

/// Publishes a run, and says what it is called; whether that is all.
fn started(opened: &Opened, (run, plan): (&Hash, &Plan), arguments: &OnArguments) -> Result<bool, String> {
    opened.start(run, plan, arguments.submit.as_deref())?;
    let name = opened.name(run);
    match arguments.detach {
        true => output::print(&format!("{name}\n")).map_err(|error| error.to_string())?,
        false => {
            let (nodes, shards) = (counted(plan.nodes(), "node"), counted(plan.shards.len(), "shard"));
            let waiting = match (opened, &arguments.submit) {
                (Opened::Index(_), None) => format!(
                    "; waiting for whoever does them, by `bunraku fleet shard {name} N` or `bunraku fleet worker --on`"
                ),
                _ => String::new(),
            };
            output::note(&format!("run {name}: {nodes} in {shards}{waiting}"));
        }
    }
    Ok(arguments.detach)
}

/// Gathers what came of a run, with a bar on the terminal.
///
/// # Errors
/// As of [`gather`].
pub fn gathered(
    engine: &dyn Engine,
    (run, plan): (&Hash, &Plan),
    (left, waits, save): (&Left<'_>, bool, Option<&Folder>),
    each: &mut dyn FnMut(&str, Outcome),
) -> Result<(), String> {
    let bar = bar(plan.nodes());
    let gathering = Gathering { engine, run, plan, left, waits, save };
    let mut progress = |results: usize| bar.set_message(format!("({results} results)"));
    let done = gather(&gathering, &mut progress, &mut |name, outcome| {
        bar.suspend(|| each(name, outcome));
        bar.inc(1);
    });
    bar.finish_and_clear();
    done
}
