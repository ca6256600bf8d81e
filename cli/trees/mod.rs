//! Trees in the place of environments, as commands take them: two that are compared, one with all nodes, one for a node, one of
//! a fleet. A tree is a folder, an archive, or a version in git.

mod preparation;
mod tree_and_nodes;
mod tree_option;
mod tree_or_environment;

pub use preparation::{TreeArguments, default_cache};
pub use tree_and_nodes::TreeAndNodes;
pub use tree_option::TreeOption;
pub use tree_or_environment::tree_or_environment;

use crate::compile_arguments::CompileArguments;
use bunraku_fleet::tree::Tree;

/// The arguments with a tree in the place of the environment.
pub fn with_tree(inputs: &CompileArguments, tree: &Tree) -> CompileArguments {
    let modulepath = tree.modulepath.as_ref().map(|folders| {
        let folders: Vec<_> = folders.iter().map(|folder| folder.to_string_lossy()).collect();
        folders.join(":")
    });
    CompileArguments {
        environment: tree.folder.clone(),
        archive: tree.archive.clone(),
        frozen: tree.folder.is_none(),
        modulepath: modulepath.or_else(|| inputs.modulepath.clone()),
        is_of_tree: true,
        ..inputs.clone()
    }
}

/// The same for commands that read the nodes' facts themselves: `--facts` and `--factpath` are theirs.
pub fn with_tree_for_nodes(inputs: &CompileArguments, tree: &Tree) -> CompileArguments {
    CompileArguments { facts: None, factpath: None, ..with_tree(inputs, tree) }
}

/// Refuses arguments that would name other trees than a command's own, which it takes as `arguments` says.
///
/// # Errors
/// Says so.
pub fn refuse_other_trees(inputs: &CompileArguments, command: &str, arguments: &str) -> Result<(), String> {
    let CompileArguments { environment, archive, execute, manifest, modulepath, .. } = inputs;
    let given = [
        environment.is_some(),
        archive.is_some(),
        execute.is_some(),
        manifest.is_some(),
        modulepath.is_some(),
    ];
    match given.contains(&true) {
        true => Err(format!(
            "{command} takes {arguments} in place of --environment, --archive, --manifest, --modulepath and -e"
        )),
        false => Ok(()),
    }
}
