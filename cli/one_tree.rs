//! The argument of commands that compile from one tree and take it as it is called elsewhere: a folder, an archive, a version in git.

use crate::render::Renderer;
use crate::trees::TreeArguments;
use crate::world::{Purpose, World};
use crate::{FAILED, diff};
use bunraku::bench::Target;
use bunraku::{Compilation, Compiler};
use bunraku_fleet::tree;
use clap::Args;
use std::process::ExitCode;

/// A tree.
#[derive(Args, Clone)]
pub struct OneTree {
    /// The code: a folder, an archive, or `git:REV[:PATH]`, a version in the repository one stands in. In place of `--environment` and
    /// `--archive`.
    #[arg(long, value_name = "TREE", conflicts_with_all = ["environment", "archive", "modulepath"])]
    tree: Option<String>,
    #[command(flatten, next_help_heading = "Trees")]
    trees: TreeArguments,
}

impl OneTree {
    /// The arguments with the tree in the place of the environment, where one is named.
    ///
    /// # Errors
    /// When it can't be opened or prepared.
    pub fn world(&self, world: &World, renderer: &mut Renderer) -> Result<World, String> {
        let Some(name) = &self.tree else { return Ok(world.clone()) };
        let tree = tree::open(name, &self.trees.preparation(world)?)?;
        tree.warnings.iter().for_each(|warning| renderer.warning(warning));
        let (facts, factpath) = (world.facts.clone(), world.factpath.clone());
        // A version lies in a folder that is called anyhow.
        let is_version = !std::path::Path::new(name).is_dir();
        let environment_name =
            world.environment_name.clone().or_else(|| is_version.then(|| "production".to_owned()));
        Ok(World { facts, factpath, environment_name, ..diff::world(world, &tree) })
    }

    /// Compiles a node, by its name, for what `ask` tells of it.
    ///
    /// # Errors
    /// The status to leave with where there is nothing to tell; what is wrong has been said then.
    pub fn ask<T>(
        &self,
        name: &str,
        world: &World,
        renderer: &mut Renderer,
        ask: impl FnOnce(&Compiler, &Target) -> Compilation<T>,
    ) -> Result<T, ExitCode> {
        let target = self.world(world, renderer).and_then(|world| {
            world.target_for(Some(name), Purpose::Catalog, &mut |warning| renderer.warning(warning))
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
