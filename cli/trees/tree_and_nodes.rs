//! The arguments of commands that compile all nodes from one tree and say something of the tree: `unused`, `coverage`.

use super::{TreeArguments, refuse_other_trees, with_tree_for_nodes};
use crate::compile_arguments::CompileArguments;
use crate::confine::Confine;
use crate::nodes::{NodeChoice, bar, of_trees, threads};
use crate::render::Renderer;
use crate::{FAILED, status_of_usage};
use bunraku::Compiler;
use bunraku_fleet::choice::show;
use bunraku_fleet::tree;
use bunraku_fleet::unused::TargetOf;
use clap::Args;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// A tree, and the nodes that are compiled from it.
#[derive(Args)]
#[command(mut_args(of_trees))]
pub struct TreeAndNodes {
    /// The tree: a folder, an archive, or `git:REV[:PATH]`.
    #[arg(value_name = "TREE", default_value = ".")]
    tree: String,
    #[command(flatten, next_help_heading = "Which nodes")]
    choice: NodeChoice,
    /// How many nodes are compiled side by side [default: one a core].
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    #[command(flatten, next_help_heading = "Trees")]
    trees: TreeArguments,
    #[command(flatten)]
    confine: Confine,
    #[command(flatten)]
    inputs: CompileArguments,
}

/// The nodes of a tree, and how they are compiled, for whoever asks about them.
pub struct NodesOfTree<'a> {
    /// What compiles.
    pub compiler: &'a Compiler,
    /// The names of the nodes that are meant, sorted.
    pub names: &'a [String],
    /// How each is compiled.
    pub target: &'a TargetOf<'a>,
    /// How many at a time.
    pub threads: usize,
    /// To be called for each node that is done.
    pub each: &'a mut dyn FnMut(),
}

/// A message, and the status to leave with.
type Failure = (String, u8);

impl TreeAndNodes {
    /// Asks something of the tree's nodes; the answer, and the tree's folder, where it is one. `command` is named in errors.
    ///
    /// # Errors
    /// When the arguments do not fit, the tree or the nodes can't be read, or there is no answer.
    pub fn ask<T>(
        &self,
        command: &str,
        renderer: &mut Renderer,
        ask: impl FnOnce(NodesOfTree<'_>) -> Result<T, String>,
    ) -> Result<(T, Option<PathBuf>), Failure> {
        let wrong = |message: String| (message, status_of_usage(command));
        self.inputs.no_trusted(command).map_err(wrong)?;
        refuse_other_trees(&self.inputs, command, "TREE").map_err(wrong)?;
        self.answer(renderer, ask).map_err(|message| (message, FAILED))
    }

    fn answer<T>(
        &self,
        renderer: &mut Renderer,
        ask: impl FnOnce(NodesOfTree<'_>) -> Result<T, String>,
    ) -> Result<(T, Option<PathBuf>), String> {
        self.inputs.check_programs(&self.confine)?;
        let mut nodes = self.inputs.nodes()?;
        let tree = tree::open(&self.tree, &self.trees.preparation(&self.inputs)?)?;
        tree.warnings.iter().for_each(|warning| renderer.warning(warning));
        let inputs = with_tree_for_nodes(&self.inputs, &tree);
        let prepared = inputs.prepare_catalogs()?;
        let compiler = self.confine.compiler().with_fixed_environments();
        let threads = threads(self.threads);
        let choice = self.choice.choice(self.inputs.node.as_deref())?;
        choice.keep(&mut nodes, threads, |known, see| show(&compiler, &prepared.target_of(known)?, see))?;
        let target = |name: &str| prepared.target_of(&nodes.node(name)?);
        let bar = bar(nodes.names().len());
        let mut each = || bar.inc(1);
        let all = NodesOfTree {
            compiler: &compiler,
            names: nodes.names(),
            target: &target,
            threads,
            each: &mut each,
        };
        let answer = ask(all);
        bar.finish_and_clear();
        compiler.end_without_freeing();
        prepared.warnings().iter().for_each(|warning| renderer.warning(warning));
        Ok((answer?, tree.folder))
    }
}
