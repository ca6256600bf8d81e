//! Diffs and fleets whose nodes others compile, by way of an engine: what is published, what is gathered.

use crate::engines::{On, OnArguments, Opened, Tls};
use crate::nodes::bar;
use crate::output;
use crate::render::When;
use crate::reports::{Form, Report};
use crate::told::{FailOn, Told};
use bunraku::Compiler;
use bunraku::bench::Target;
use bunraku_fleet::compile::save::Folder;
use bunraku_fleet::compile::{Fleet, Node, compile};
use bunraku_fleet::diff::{self, Sides};
use bunraku_fleet::engine::coordinator::{Gathering, Left, gather};
use bunraku_fleet::engine::job::Want;
use bunraku_fleet::engine::outcome::Outcome;
use bunraku_fleet::engine::plan::{Plan, Work, prepare};
use bunraku_fleet::engine::worker::Comparison;
use bunraku_fleet::engine::{Engine, Hash};
use bunraku_fleet::report::Head;
use bunraku_fleet::tree::{Preparation, Tree, whole};
use serde_json::json;

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
    /// What compiles nodes that workers leave.
    pub compiler: &'d Compiler,
    /// Both sides, as they are here.
    pub sides: &'d Sides<'d>,
    /// Whether what files hold is compared.
    pub compares_files: bool,
    /// The nodes that are compared.
    pub names: &'d [String],
    /// How many are compiled here side by side.
    pub threads: usize,
}

/// What is told, and how: heads, forms, the status, and nodes that stay the same.
pub type Telling<'t> = (Head, (Form, &'t [Report], When), FailOn, Vec<String>);

/// Has a diff done on an engine; the exit status.
///
/// # Errors
/// When something can't go to other processes, or the engine fails.
pub fn diff(on: &On, work: &Diff<'_>, (head, form, fail_on, untouched): Telling<'_>) -> Result<u8, String> {
    let opened = on.open(&work.tls, &work.arguments.patience)?;
    let archives = [whole(work.trees[0], work.preparation)?, whole(work.trees[1], work.preparation)?];
    let comparison = Comparison {
        rules: work.sides.rules.clone(),
        compares_files: work.compares_files,
        folders: work.trees.iter().map(|tree| tree.folder.clone()).collect(),
        modulepaths: work.trees.iter().map(|tree| tree.modulepath.clone()).collect(),
    };
    let targets = |name: &str| -> Result<Vec<Target>, String> {
        Ok(vec![(work.sides.from.target)(name)?, (work.sides.to.target)(name)?])
    };
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
    let mut told = Told::new(head, form, fail_on, untouched)?;
    gathered(opened.engine(), (&run, &plan), (&left, true, None), &mut |name, outcome| {
        if let Outcome::Compared(found) = outcome {
            told.add(name, &found);
        }
    })?;
    told.finish()
}

/// A fleet that is compiled.
pub struct Compile<'c> {
    /// How jobs are handed out.
    pub arguments: &'c OnArguments,
    /// Certificates for the engine.
    pub tls: Tls,
    /// The tree.
    pub tree: &'c Tree,
    /// How it is prepared.
    pub preparation: &'c Preparation,
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
    let opened = on.open(&work.tls, &work.arguments.patience)?;
    let archive = [whole(work.tree, work.preparation)?];
    let want = if work.save.is_some() { Want::Catalogs } else { Want::Outcome };
    let (run, plan) = prepare(
        opened.engine(),
        &Work {
            names: work.fleet.names,
            shard: work.arguments.shard.get(),
            targets: &|name| (work.fleet.target)(name).map(|target| vec![target]),
            threads: work.fleet.threads,
            archives: &archive,
            rules: serde_json::to_vec(&Comparison::default()).map_err(|error| error.to_string())?,
            want,
            report: json!({"command": "compile"}),
        },
    )?;
    if started(&opened, (&run, &plan), work.arguments)? {
        return Ok(false);
    }
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

/// Publishes a run, and says what it is called; whether that is all.
fn started(opened: &Opened, (run, plan): (&Hash, &Plan), arguments: &OnArguments) -> Result<bool, String> {
    opened.start(run, plan, arguments.submit.as_deref())?;
    let name = opened.name(run);
    match arguments.detach {
        true => output::print(&format!("{name}\n")).map_err(|error| error.to_string())?,
        false => output::note(&format!("run {name}: {} nodes in {} shards", plan.nodes(), plan.shards.len())),
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
