//! What is measured, as the library takes it: made of the jobs that the oracle takes.

use bunraku::archive::{Options, build};
use bunraku::bench::Target;
use bunraku::{Catalog, Compilation, Compiler, Data, Environment, Facts, Node, Settings, modulepath};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn text<'j>(job: &'j Value, name: &str) -> Option<&'j str> {
    job.get(name)?.as_str()
}

fn folders(job: &Value) -> Option<Vec<PathBuf>> {
    match job.get("modulepath")? {
        Value::String(path) => Some(modulepath(path)),
        list => Some(list.as_array()?.iter().filter_map(Value::as_str).map(PathBuf::from).collect()),
    }
}

fn node(job: &Value) -> Result<Node, String> {
    let node = Node::new(text(job, "node").unwrap_or("localhost"));
    Ok(match job.get("facts") {
        None => node,
        Some(Value::String(file)) => node.with_facts(Facts::from_file(Path::new(file))?),
        Some(facts) => node.with_facts(Facts::from_json(&facts.to_string())?),
    })
}

fn settings(job: &Value) -> Result<Settings, String> {
    let mut settings = Settings::default();
    for (name, value) in job.get("settings").and_then(Value::as_object).into_iter().flatten() {
        settings.set(name, &Data::from_json(&value.to_string())?)?;
    }
    Ok(settings)
}

/// A job of `batch` as a target: its facts are read.
///
/// # Errors
/// When its facts or settings make no sense.
pub fn target(job: &Value) -> Result<Target, String> {
    let mut environment = match text(job, "environment") {
        Some(folder) => Environment::at(folder),
        None => Environment::default(),
    };
    if let Some(name) = text(job, "environment_name") {
        environment = environment.with_name(name);
    }
    if let Some(path) = folders(job) {
        environment = environment.with_modulepath(path);
    }
    if let Some(code) = text(job, "code") {
        environment = environment.with_code(code);
    }
    Ok(Target { environment, node: node(job)?, settings: settings(job)? })
}

/// The target as a compile server would have it: its environment opened once, from a frozen archive that is made here,
/// of the name `name` in `work`.
///
/// # Errors
/// When it can't be built.
pub fn frozen(job: &Value, work: &Path, name: &str) -> Result<Target, String> {
    let Target { node, settings, .. } = target(job)?;
    let (directory, modulepath) = (text(job, "environment").map(PathBuf::from), folders(job));
    // Code without an environment has the modules in common with all such code.
    let archive = match (&directory, &modulepath) {
        (Some(_), _) => work.join(format!("{name}.bnr")),
        (None, Some(_)) => work.join("modules.bnr"),
        (None, None) => return target(job),
    };
    if !archive.exists() {
        let options = Options {
            directory: directory.clone(),
            modulepath: modulepath.clone(),
            embed: true,
            ..Options::default()
        };
        build(&options, &archive, &|_| ())?;
    }
    let mut environment = Environment::frozen(archive);
    if let Some(folder) = directory {
        environment = environment.with_folder(folder);
    }
    if let Some(name) = text(job, "environment_name") {
        environment = environment.with_name(name);
    }
    if let Some(path) = modulepath {
        environment = environment.with_modulepath(path);
    }
    if let Some(code) = text(job, "code") {
        environment = environment.with_code(code);
    }
    Ok(Target { environment, node, settings })
}

/// Compiles a target.
pub fn compile(compiler: &Compiler, target: &Target) -> Compilation<Catalog> {
    compiler.compile(&target.environment, &target.node, &target.settings)
}
