//! `bunraku diff`: what a change does to nodes.

use crate::compile_arguments::CompileArguments;
use crate::confine::Confine;
use crate::diff_output::{DiffOutput, FailOn};
use crate::engines::OnArguments;
use crate::exported::ExportedArgument;
use crate::nodes::{NodeChoice, of_trees, threads};
use crate::prepared::Prepared;
use crate::render::{ColorChoice, MessageFormat, Renderer};
use crate::reports::{Report, ReportFormat};
use crate::rules::RuleArguments;
use crate::trees::{TreeArguments, refuse_other_trees, with_tree_for_nodes};
use crate::{FAILED, distributed};
use bunraku::bench::Target;
use bunraku_fleet::affected::{Affected, Keeper, Question, affected, change};
use bunraku_fleet::choice::{See, show};
use bunraku_fleet::compare::Sources;
use bunraku_fleet::diff::{self, From, Sides, Watch};
use bunraku_fleet::nodes::{FleetNode, Nodes};
use bunraku_fleet::overrides::Override;
use bunraku_fleet::report::Head;
use bunraku_fleet::tree::{Files, Tree, open_both};
use bunraku_fleet::two_passes;
use clap::Args;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::process::ExitCode;

/// Say what a change does to nodes: compile them from two trees and compare their catalogs.
///
/// A tree is a folder, an archive, or `git:REV[:PATH]`, a version in the repository one stands in. What is the same after names and addresses of
/// nodes are left aside is told once, with the nodes it is of.
///
/// Exit status: 0 where nothing changes, 2 where something does, 1 where a node fails that did not before, where no node could be
/// compiled from either tree, or where the arguments are wrong.
#[derive(Args)]
#[command(mut_args(of_trees))]
pub struct Arguments {
    /// Certnames of the nodes [default: all with facts].
    #[arg(value_name = "NODE")]
    certnames: Vec<String>,
    /// The tree as it is.
    #[arg(long, value_name = "TREE")]
    from: String,
    /// The tree as it is to be.
    #[arg(long, value_name = "TREE", default_value = ".")]
    to: String,
    /// A fact on both sides, in place of the nodes' own: NAME=VALUE, with dots in the name for a fact within others.
    #[arg(long = "override", visible_alias = "fact-override", value_name = "FACT=VALUE", value_parser = Override::parse)]
    overrides: Vec<Override>,
    /// The same on the first side only.
    #[arg(long = "from-fact-override", value_name = "FACT=VALUE", value_parser = Override::parse)]
    from_overrides: Vec<Override>,
    /// The same on the second side only.
    #[arg(long = "to-fact-override", value_name = "FACT=VALUE", value_parser = Override::parse)]
    to_overrides: Vec<Override>,
    /// Compile all nodes from both trees, also those that the change can't touch by what is known of what they read (see `bunraku
    /// affected`).
    #[arg(long)]
    all: bool,
    /// How many nodes are compiled side by side [default: one a core].
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// What makes the exit status other than 0: whatever changes; only resources that are no classes or defined types; only
    /// nodes that fail; nothing [default: diff, unless bunraku.toml says otherwise].
    #[arg(long = "fail-on", value_name = "WHAT")]
    fail_on: Option<FailOn>,
    /// Form of what is printed.
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: ReportFormat,
    /// A further report, in a file: `markdown=diff.md`. It may be given several times.
    #[arg(long = "report", value_name = "FORM=FILE")]
    reports: Vec<Report>,
    #[command(flatten)]
    exported: ExportedArgument,
    #[command(flatten, next_help_heading = "Past one machine")]
    on: OnArguments,
    #[command(flatten, next_help_heading = "Nodes")]
    choice: NodeChoice,
    #[command(flatten, next_help_heading = "Trees")]
    trees: TreeArguments,
    #[command(flatten, next_help_heading = "What is compared")]
    rules: RuleArguments,
    #[command(flatten)]
    color: ColorChoice,
    #[command(flatten)]
    confine: Confine,
    #[command(flatten)]
    inputs: CompileArguments,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    let mut renderer = Renderer::stderr(arguments.color.color, MessageFormat::Text);
    let inputs = &arguments.inputs;
    let refused =
        inputs.no_trusted("diff").and_then(|()| refuse_other_trees(inputs, "diff", "--from and --to"));
    if let Err(message) = refused {
        return renderer.failure(&message, FAILED);
    }
    match compare(arguments, &mut renderer) {
        Ok(status) => ExitCode::from(status),
        Err(message) => renderer.failure(&message, FAILED),
    }
}

fn compare(arguments: &Arguments, renderer: &mut Renderer) -> Result<u8, String> {
    let mut nodes = arguments.inputs.nodes()?;
    let preparation = arguments.trees.preparation(&arguments.inputs)?;
    let (from, to) = open_both((&arguments.from, &arguments.to), &preparation)?;
    for warning in from.warnings.iter().chain(&to.warnings) {
        renderer.warning(warning);
    }
    // The rules of the tree as it is: what is to be merged can't hide itself.
    let (rules, file) = arguments.rules.rules(from.folder.as_deref())?;
    let fail_on = arguments.fail_on.map_or_else(|| FailOn::of(file.fail_on.as_deref()), Ok)?;
    let sides = [&from, &to].map(|tree| with_tree_for_nodes(&arguments.inputs, tree));
    let mut prepared = Vec::new();
    for inputs in &sides {
        inputs.check_programs(&arguments.confine)?;
        prepared.push(inputs.prepare_catalogs()?);
    }
    let compiler = arguments.confine.compiler().with_fixed_environments();
    let threads = threads(arguments.threads);
    let overrides = [&arguments.from_overrides, &arguments.to_overrides]
        .map(|own| arguments.overrides.iter().chain(own).collect::<Vec<_>>());
    let target = |side: usize, node: FleetNode| target(&prepared[side], node, &overrides[side]);
    choose(arguments, &mut nodes, (threads, renderer), |node, see| {
        show(&compiler, &target(0, node.clone())?, see)
    })?;
    let targets = [0, 1].map(|side| {
        let (nodes, target) = (&nodes, &target);
        move |name: &str| target(side, nodes.node(name)?)
    });
    // Its facts are read, and what an agent adds to them is added, once.
    let both = |name: &str| {
        let mut node = nodes.node(name)?;
        node.facts = node.facts.as_an_agent_sends_them(name, arguments.inputs.compat);
        Ok([target(0, node.clone())?, target(1, node)?])
    };
    let compares_files = arguments.rules.compares_files(&file);
    let files = [&from, &to].map(|tree| compares_files.then(|| files(tree)).flatten());
    let [from_side, to_side] = [(0, &from), (1, &to)].map(|(side, tree)| From {
        folder: tree.folder.clone(),
        sources: files[side].as_ref().map(|files| files as &dyn Sources),
    });
    let in_two_passes = arguments.exported.in_two_passes(&prepared[0])?;
    // Whom the change touches may export something else, and whom it does not may collect that. Facts that differ are no change
    // of the tree.
    let differ = !(arguments.from_overrides.is_empty() && arguments.to_overrides.is_empty());
    let untouchable = !(arguments.all || in_two_passes || differ);
    let cache = preparation.cache.as_deref();
    let change = match untouchable {
        true => change(&compiler, nodes.names(), [&targets[0], &targets[1]])?,
        false => None,
    };
    // Facts that are overridden are given after what is known of a node.
    let tellable = untouchable && overrides[0].is_empty();
    let given = tellable.then(|| prepared[0].given(&nodes)).transpose()?;
    let touched = change.as_ref().map(|change| {
        let question = Question::of(&compiler, nodes.names(), &targets[0], change);
        // Of those that nobody has compiled yet it is found out what they read by the one compile that is needed in any case; there
        // is a second where the change touches that.
        affected(&Question { cache, threads, compiles: false, given: given.as_deref(), ..question })
    });
    let touched = touched.transpose()?;
    let unread = touched.as_ref().map(Affected::unread).unwrap_or_default();
    let keeper = change.as_ref().map(|change| Keeper::new(cache, change, unread, given.as_deref()));
    let touched = touched.map(Affected::to_compare);
    let names = touched.as_deref().unwrap_or(nodes.names());
    let head = Head { from: arguments.from.clone(), to: arguments.to.clone() };
    let untouched = nodes.names().iter().filter(|name| names.binary_search(name).is_err());
    let untouched: Vec<String> = untouched.cloned().collect();
    let watch = keeper.as_ref().map(|keeper| keeper as &dyn Watch);
    let sides = Sides { targets: &both, from: from_side, to: to_side, rules: &rules, watch };
    let form = (arguments.format, &arguments.reports[..], arguments.color.color);
    if let Some(on) = &arguments.on.on {
        if in_two_passes {
            return Err("--exported two-pass needs all nodes in one process: it goes without --on".to_owned());
        }
        let work = distributed::Diff {
            arguments: &arguments.on,
            tls: arguments.inputs.tls(),
            trees: [&from, &to],
            preparation: &preparation,
            configurations: [0, 1].map(|side| prepared[side].configuration()),
            compiler: &compiler,
            sides: &sides,
            compares_files,
            leaves_untouched: untouchable,
            names,
            threads,
        };
        let status = distributed::diff(on, &work, (head, form, fail_on, untouched))?;
        compiler.end_without_freeing();
        return Ok(status);
    }
    let mut output = DiffOutput::new(head, form, fail_on, untouched)?;
    match in_two_passes {
        true => two_passes::run(&compiler, &sides, (names, threads), |name, found| output.add(name, &found))?,
        false => diff::run(&compiler, &sides, (names, threads), |name, found| output.add(name, &found))?,
    }
    keeper.map_or(Ok(()), Keeper::finish)?;
    compiler.end_without_freeing();
    let warnings: BTreeSet<String> = prepared.iter().flat_map(Prepared::warnings).collect();
    warnings.iter().for_each(|warning| renderer.warning(warning));
    output.finish()
}

/// Keeps the nodes that are meant.
fn choose(
    arguments: &Arguments,
    nodes: &mut Nodes,
    (threads, renderer): (usize, &mut Renderer),
    compile: impl Fn(&FleetNode, &mut See<'_>) -> Result<(), String> + Sync,
) -> Result<(), String> {
    let mut choice = arguments.choice.choice(arguments.inputs.node.as_deref())?;
    choice.names.extend_from_slice(&arguments.certnames);
    let chosen = choice.keep(nodes, threads, compile)?;
    if !chosen.failed.is_empty() && !choice.one_per_kind {
        let count = chosen.failed.len();
        renderer.warning(&format!("{count} nodes do not compile: whether they are meant is not known"));
    }
    Ok(())
}

fn files(tree: &Tree) -> Option<Files> {
    tree.folder.as_ref().map(|folder| Files::of(folder, tree.modulepath.as_deref()))
}

/// A node as it is compiled on a side.
fn target(side: &Prepared<'_>, mut node: FleetNode, overrides: &[&Override]) -> Result<Target, String> {
    node.facts = overrides.iter().fold(node.facts, |facts, one| one.apply(&facts));
    side.target_of(&node)
}
