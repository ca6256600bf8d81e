//! `bunraku affected`: whom a change can touch.

use crate::compile_arguments::CompileArguments;
use crate::confine::Confine;
use crate::nodes::{NodeChoice, of_trees, threads};
use crate::render::{ColorChoice, MessageFormat, Renderer};
use crate::trees::{TreeArguments, refuse_other_trees, with_tree_for_nodes};
use crate::{FAILED, output};
use bunraku::bench::Target;
use bunraku_fleet::affected::{Affected, Question, Reason, TargetOf, affected, change};
use bunraku_fleet::choice::show;
use bunraku_fleet::nodes::Nodes;
use bunraku_fleet::report::counted;
use bunraku_fleet::tree::{Tree, open_both};
use clap::{Args, ValueEnum};
use serde_json::json;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The form of what is printed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// The names on stdout, a line each; on stderr why, those reasons first that touch most nodes.
    Text,
    /// One document: names with all their reasons.
    Json,
}

/// Name the nodes that a change can touch, of a tree or of their facts, and say why.
///
/// A node is compiled from the tree as it is, once, and what it reads is kept: files, paths that it looked for in vain, folders
/// that it listed, keys of data, facts and trusted data as deep as code looked into them. It is touched where the change answers
/// one of these questions otherwise; every other node is sure to keep its catalog. Which files Ruby reads in a process of its own
/// is not known: a change of the tree counts as touching such nodes, and it is said.
///
/// Exit status: 0 where no node is touched, 2 where some are, 1 where something went wrong, the arguments among it.
#[derive(Args)]
#[command(mut_args(of_trees))]
pub struct Arguments {
    /// The tree as it is: a folder, an archive, or `git:REV[:PATH]`.
    #[arg(long, value_name = "TREE", required_unless_present = "tree")]
    from: Option<String>,
    /// The tree as it is to be.
    #[arg(long, value_name = "TREE", default_value = ".")]
    to: String,
    /// The tree, where it stays as it is and facts change.
    #[arg(long, value_name = "TREE", conflicts_with_all = ["from", "to"], requires = "to_facts")]
    tree: Option<String>,
    /// The facts that nodes are to have in place of those of `--facts`: a snapshot, a folder with a file for each node,
    /// `puppetdb:URL`. Nodes that only one of the two has count as touched.
    #[arg(long = "to-facts", value_name = "FACTS")]
    to_facts: Option<PathBuf>,
    #[command(flatten, next_help_heading = "Which nodes")]
    choice: NodeChoice,
    /// How many nodes are compiled side by side [default: one a core].
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Form of what is printed.
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: Form,
    #[command(flatten, next_help_heading = "Trees")]
    trees: TreeArguments,
    #[command(flatten)]
    confine: Confine,
    #[command(flatten)]
    color: ColorChoice,
    #[command(flatten)]
    inputs: CompileArguments,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    let mut renderer = Renderer::stderr(arguments.color.color, MessageFormat::Text);
    let inputs = &arguments.inputs;
    let refused = inputs
        .no_trusted("affected")
        .and_then(|()| refuse_other_trees(inputs, "affected", "--from and --to"));
    if let Err(message) = refused {
        return renderer.failure(&message, FAILED);
    }
    match answer(arguments, &mut renderer) {
        Ok(answer) => tell(&answer, arguments.format, &mut renderer),
        Err(message) => renderer.failure(&message, FAILED),
    }
}

fn answer(arguments: &Arguments, renderer: &mut Renderer) -> Result<Affected, String> {
    arguments.inputs.check_programs(&arguments.confine)?;
    let mut nodes = arguments.inputs.nodes()?;
    let preparation = arguments.trees.preparation(&arguments.inputs)?;
    let trees = match (&arguments.tree, &arguments.from) {
        (Some(tree), _) => (tree, tree),
        (None, from) => (from.as_ref().ok_or("Which tree? --from or --tree names it")?, &arguments.to),
    };
    let (from, to) = open_both((trees.0, trees.1), &preparation)?;
    from.warnings.iter().chain(&to.warnings).for_each(|warning| renderer.warning(warning));
    preparation.modules.iter().filter_map(|modules| within_one(modules, [&from, &to])).for_each(|told| {
        renderer.warning(&told);
    });
    let [before, after] = [&from, &to].map(|tree| with_tree_for_nodes(&arguments.inputs, tree));
    let [old, new] = [before.prepare_catalogs()?, after.prepare_catalogs()?];
    let compiler = arguments.confine.compiler().with_fixed_environments();
    let choice = arguments.choice.choice(arguments.inputs.node.as_deref())?;
    let threads = threads(arguments.threads);
    let keep = |nodes: &mut Nodes| {
        choice.keep(nodes, threads, |known, see| show(&compiler, &old.target_of(known)?, see)).map(drop)
    };
    keep(&mut nodes)?;
    let later = arguments.to_facts.as_ref().map(|place| {
        let inputs =
            CompileArguments { facts: Some(place.clone()), factpath: None, ..arguments.inputs.clone() };
        let mut nodes = inputs.nodes()?;
        keep(&mut nodes).map(|()| nodes)
    });
    let later = later.transpose()?;
    let target = |name: &str| old.target_of(&nodes.node(name)?);
    let new_target = |name: &str| new.target_of(&nodes.node(name)?);
    let change = change(&compiler, nodes.names(), [&target, &new_target])?.ok_or("No node fits")?;
    let becomes = |name: &str| match &later {
        Some(later) if later.names().binary_search_by(|other| other.as_str().cmp(name)).is_err() => Ok(None),
        Some(later) => old.target_of(&later.node(name)?).map(Some),
        None => target(name).map(Some),
    };
    let becomes: &TargetOf<'_, Option<Target>> = &becomes;
    let given = old.given(&nodes)?;
    let mut answer = affected(&Question {
        given: Some(&*given),
        becomes: later.is_some().then_some(becomes),
        cache: preparation.cache.as_deref(),
        threads,
        ..Question::of(&compiler, nodes.names(), &target, &change)
    })?;
    for name in later.iter().flat_map(|later| later.names()) {
        if nodes.names().binary_search(name).is_err() {
            answer.asked += 1;
            answer.nodes.insert(name.clone(), vec![Reason::Presence("new")]);
        }
    }
    compiler.end_without_freeing();
    old.warnings().iter().for_each(|warning| renderer.warning(warning));
    Ok(answer)
}

/// What is to be said of modules for both trees that lie within one of them: their files are that one's own, and the other has them under
/// names that differ.
fn within_one(modules: &Path, trees: [&Tree; 2]) -> Option<String> {
    let place = modules.canonicalize().ok()?;
    let real = |tree: &&Tree| tree.folder.as_ref().and_then(|folder| folder.canonicalize().ok());
    let is_within = |tree: &&Tree| real(tree).is_some_and(|folder| place.starts_with(folder));
    let within: Vec<&Tree> = trees.into_iter().filter(is_within).collect();
    let [tree] = within[..] else { return None };
    Some(format!(
        "--modules {} lies within {}, and not within the other tree, so every node counts as touched: from a folder beside both, it is \
         told file by file",
        modules.display(),
        tree.label
    ))
}

/// How many reasons are told in text; JSON has all.
const SHOWN: usize = 20;

fn tell(answer: &Affected, form: Form, renderer: &mut Renderer) -> ExitCode {
    let names = || answer.nodes.keys().chain(answer.failed.keys());
    let status = match (answer.failed.is_empty(), answer.nodes.is_empty()) {
        (false, _) => ExitCode::from(FAILED),
        (true, false) => ExitCode::from(2),
        (true, true) => ExitCode::SUCCESS,
    };
    if form == Form::Json {
        let nodes: serde_json::Map<_, _> = answer
            .nodes
            .iter()
            .map(|(node, reasons)| {
                let reasons =
                    reasons.iter().map(|reason| json!({"kind": reason.kind(), "what": reason.to_string()}));
                (node.clone(), reasons.collect())
            })
            .collect();
        let whole = json!({"asked": answer.asked, "compiled": answer.compiled, "nodes": nodes, "failed": answer.failed});
        return output::finish(renderer, &format!("{whole}\n"), "the answer", status);
    }
    let reasons = answer.by_reason();
    let count = |count: usize| counted(count, "node");
    for (reason, nodes) in reasons.iter().take(SHOWN) {
        output::note(&format!("{reason}: {}", count(nodes.len())));
    }
    if reasons.len() > SHOWN {
        output::note(&format!("and {} reasons more", reasons.len() - SHOWN));
    }
    for (node, message) in &answer.failed {
        output::note(&format!("{node} may be touched, for it is not known: {message}"));
    }
    let touched = answer.nodes.len() + answer.failed.len();
    output::note(&format!("{touched} of {} can be touched", count(answer.asked)));
    let text: String = names().map(|name| format!("{name}\n")).collect();
    output::finish(renderer, &text, "the names", status)
}
