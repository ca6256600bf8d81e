//! A tree as commands for whole fleets take it: the code that is compiled.

use crate::world::World;
use bunraku::is_environment_name;
use std::path::Path;

/// The arguments with a tree as their environment: a folder, an archive (no source is looked at then), or the name of an
/// environment that is configured.
///
/// # Errors
/// When it is none of them, or arguments name another one.
pub fn tree(world: &World, tree: &str) -> Result<World, String> {
    if world.environment.is_some() || world.archive.is_some() {
        return Err("TREE stands in place of --environment and --archive".to_owned());
    }
    let path = Path::new(tree);
    let mut world = world.clone();
    if path.is_file() {
        world.archive = Some(path.to_owned());
        world.frozen = true;
    } else if path.is_dir() || is_environment_name(tree) {
        world.environment = Some(path.to_owned());
    } else {
        return Err(format!("There is no folder or archive {tree}"));
    }
    Ok(world)
}
