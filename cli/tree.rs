//! A tree as commands for whole fleets take it: the code that is compiled.

use crate::trees::TreeArguments;
use crate::world::World;
use bunraku::is_environment_name;
use bunraku_fleet::tree::{self, Preparation, Tree};
use std::path::Path;

/// The arguments with a tree as their environment: a folder, an archive (no source is looked at then), `git:REV[:PATH]`, or the
/// name of an environment that is configured; and the tree with how it was prepared, where it is one. `warn` is told what went wrong
/// and is no failure.
///
/// # Errors
/// When it is none of them, or can't be prepared.
pub fn opened(
    world: &World,
    trees: &TreeArguments,
    given: &str,
    warn: &mut dyn FnMut(&str),
) -> Result<(World, Option<(Tree, Preparation)>), String> {
    let mut world = world.clone();
    let configuration = match is_environment_name(given) && !Path::new(given).exists() {
        true => world.configuration()?,
        false => None,
    };
    if let Some(configuration) = configuration {
        // Said once here, where it is none, and not of each node.
        configuration.environment_folder(Some(given))?;
        world.environment = Some(given.into());
        return Ok((world, None));
    }
    let preparation = trees.preparation(&world)?;
    let tree = tree::open(given, &preparation)?;
    tree.warnings.iter().for_each(|warning| warn(warning));
    if let Some(folders) = &tree.modulepath {
        let folders: Vec<_> = folders.iter().map(|folder| folder.to_string_lossy()).collect();
        world.modulepath = Some(folders.join(":"));
    }
    world.is_of_tree = true;
    world.frozen = tree.folder.is_none();
    (world.environment, world.archive) = (tree.folder.clone(), tree.archive.clone());
    Ok((world, Some((tree, preparation))))
}
