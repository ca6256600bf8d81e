//! A tree, or the name of a configured environment, as commands for whole fleets take the code that is compiled.

use super::{TreeArguments, with_tree};
use crate::compile_arguments::CompileArguments;
use bunraku::is_environment_name;
use bunraku_fleet::tree::{self, Preparation, Tree};
use std::path::Path;

/// The arguments with a tree as their environment: a folder, an archive (no source is looked at then), `git:REV[:PATH]`, or the
/// name of an environment that is configured; and the tree with how it was prepared, where it is one. `warn` is told what went wrong
/// and is no failure.
///
/// # Errors
/// When it is none of them, or can't be prepared.
pub fn tree_or_environment(
    inputs: &CompileArguments,
    trees: &TreeArguments,
    given: &str,
    warn: &mut dyn FnMut(&str),
) -> Result<(CompileArguments, Option<(Tree, Preparation)>), String> {
    let configuration = match is_environment_name(given) && !Path::new(given).exists() {
        true => inputs.configuration()?,
        false => None,
    };
    if let Some(configuration) = configuration {
        // Said once here, where it is none, and not of each node.
        configuration.environment_folder(Some(given))?;
        return Ok((CompileArguments { environment: Some(given.into()), ..inputs.clone() }, None));
    }
    let preparation = trees.preparation(inputs)?;
    let tree = tree::open(given, &preparation)?;
    tree.warnings.iter().for_each(|warning| warn(warning));
    Ok((with_tree(inputs, &tree), Some((tree, preparation))))
}
