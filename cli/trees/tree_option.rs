//! The option `--tree` of commands that compile one node: its code as other commands call it.

use super::{TreeArguments, with_tree};
use crate::FAILED;
use crate::compile_arguments::{CompileArguments, Purpose};
use crate::render::Renderer;
use bunraku::bench::Target;
use bunraku::{Compilation, Compiler};
use bunraku_fleet::tree;
use clap::Args;
use std::process::ExitCode;

/// A tree.
#[derive(Args, Clone)]
pub struct TreeOption {
    /// The code: a folder, an archive, or `git:REV[:PATH]`, a version in the repository one stands in. In place of `--environment` and
    /// `--archive`.
    #[arg(long, value_name = "TREE", conflicts_with_all = ["environment", "archive", "modulepath"])]
    tree: Option<String>,
    #[command(flatten, next_help_heading = "Trees")]
    trees: TreeArguments,
}

impl TreeOption {
    /// The arguments with the tree in the place of the environment, where one is named.
    ///
    /// # Errors
    /// When it can't be opened or prepared.
    pub fn inputs(
        &self,
        inputs: &CompileArguments,
        renderer: &mut Renderer,
    ) -> Result<CompileArguments, String> {
        let Some(name) = &self.tree else { return Ok(inputs.clone()) };
        let tree = tree::open(name, &self.trees.preparation(inputs)?)?;
        tree.warnings.iter().for_each(|warning| renderer.warning(warning));
        // A version lies in a folder that is called anyhow.
        let is_version = !std::path::Path::new(name).is_dir();
        let environment_name =
            inputs.environment_name.clone().or_else(|| is_version.then(|| "production".to_owned()));
        Ok(CompileArguments { environment_name, ..with_tree(inputs, &tree) })
    }

    /// Compiles a node, by its name, for what `ask` tells of it.
    ///
    /// # Errors
    /// The status to leave with where there is nothing to tell; what is wrong has been said then.
    pub fn ask<T>(
        &self,
        name: &str,
        inputs: &CompileArguments,
        renderer: &mut Renderer,
        ask: impl FnOnce(&Compiler, &Target) -> Compilation<T>,
    ) -> Result<T, ExitCode> {
        let target = self.inputs(inputs, renderer).and_then(|inputs| {
            inputs.target_for(Some(name), Purpose::Catalog, &mut |warning| renderer.warning(warning))
        });
        let target = target.map_err(|message| renderer.failure(&message, FAILED))?;
        let compiler = Compiler::new();
        let told = ask(&compiler, &target);
        compiler.end_without_freeing();
        renderer.logs(&told.logs);
        told.result.map_err(|diagnostic| {
            renderer.formed(&diagnostic);
            ExitCode::from(FAILED)
        })
    }
}
