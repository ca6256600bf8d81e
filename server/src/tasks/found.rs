//! Which tasks a module has, by the names of the files in its folder `tasks`; and what is the same of plans.

use std::path::{Path, PathBuf};

/// The tasks of a module.
pub struct ModuleTasks {
    /// The module's name.
    pub module: String,
    /// The tasks, by name.
    pub tasks: Vec<FoundTask>,
    /// All files that are no metadata, by name: tasks may name those of others.
    pub executables: Vec<PathBuf>,
}

/// A task whose files have been seen.
pub struct FoundTask {
    /// Its name within the module.
    pub name: String,
    /// The file of what it says of itself.
    pub metadata: Option<PathBuf>,
}

impl ModuleTasks {
    /// The tasks of the module in a folder.
    pub fn of(module: &Path) -> ModuleTasks {
        let folder = module.join("tasks");
        let files: Vec<String> = names_in(&folder)
            .into_iter()
            .filter(|name| is_task_file(name) && folder.join(name).is_file())
            .collect();
        let is_metadata = |name: &&String| name.ends_with(".json");
        let mut tasks: Vec<FoundTask> = Vec::new();
        for file in &files {
            let metadata = Some(file).filter(is_metadata).map(|file| folder.join(file));
            match tasks.iter_mut().find(|task| task.name == stem(file)) {
                Some(task) => task.metadata = task.metadata.take().or(metadata),
                None => tasks.push(FoundTask { name: stem(file).to_owned(), metadata }),
            }
        }
        let executables = files.iter().filter(|name| !is_metadata(name)).map(|name| folder.join(name));
        let executables = executables.collect();
        let module = module.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        ModuleTasks { module, tasks, executables }
    }
}

fn is_task_file(name: &str) -> bool {
    is_name(stem(name)) && ![".conf", ".md"].iter().any(|ending| name.ends_with(ending))
}

/// The names in a folder, sorted; hidden ones are left out. A folder that can't be read has none, as in Ruby.
pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = names
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| !name.starts_with('.'))
        .collect();
    names.sort();
    names
}

/// A file's name without its last ending.
pub(crate) fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Whether a task or plan may be called so: one line of it has to fit.
pub(crate) fn is_name(text: &str) -> bool {
    text.split('\n').any(|line| {
        line.starts_with(|first: char| first.is_ascii_lowercase())
            && line.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    })
}

/// The name of something in a module: the module's own where it is called `init`.
pub(crate) fn full_name(module: &str, name: &str) -> String {
    match name {
        "init" => module.to_owned(),
        name => format!("{module}::{name}"),
    }
}
