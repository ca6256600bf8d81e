//! The plans of environments: which there are. What is in them nobody reads: they say nothing of themselves.
//! Source: Puppet Server 7.9.5, and Puppet 7.23's plans of modules.

use crate::environments::{Environments, absent};
use crate::exchange::{Failure, Request, Response, server_error};
use crate::tasks::{full_name, is_name, names_in, stem};
use serde_json::json;
use std::path::Path;

const JSON: &str = "application/json; charset=utf-8";

/// Words of the language, which no plan is called by.
const WORDS: [&str; 24] = [
    "and",
    "application",
    "attr",
    "case",
    "class",
    "consumes",
    "default",
    "else",
    "elsif",
    "environment",
    "false",
    "function",
    "if",
    "import",
    "in",
    "inherits",
    "node",
    "or",
    "private",
    "produces",
    "site",
    "true",
    "undef",
    "unless",
];

/// Names of types, which no plan is called by either, besides `type` itself.
const TYPES: [&str; 24] = [
    "any",
    "array",
    "boolean",
    "catalogentry",
    "collection",
    "callable",
    "data",
    "enum",
    "float",
    "hash",
    "integer",
    "numeric",
    "optional",
    "pattern",
    "resource",
    "runtime",
    "scalar",
    "string",
    "struct",
    "tuple",
    "type",
    "variant",
    "class",
    "default",
];

/// `GET /puppet/v3/plans`: the plans of an environment.
///
/// # Errors
/// When the environment's modules can't be read.
pub fn all(environments: &Environments, request: &Request) -> Result<Response, Failure> {
    let served = match environments.named(request) {
        Ok(served) => served,
        Err(refused) => return Ok(refused),
    };
    let configuration = environments.configuration();
    let modulepath = configuration.modulepath(&served.name).map_err(server_error)?;
    let mut all = Vec::new();
    for module in configuration.modules(&modulepath).map_err(server_error)? {
        let name = module.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        all.extend(plans(&module).iter().map(|plan| {
            json!({"name": full_name(&name, plan), "environment": [{"name": served.name, "code_id": null}]})
        }));
    }
    Ok(Response::of(JSON, json!(all).to_string()))
}

/// `GET /puppet/v3/plans/MODULE/PLAN`: that there is one.
///
/// # Errors
/// When the environment's modules can't be read.
pub fn one(
    environments: &Environments,
    request: &Request,
    module: &str,
    plan: &str,
) -> Result<Response, Failure> {
    let served = match environments.named(request) {
        Ok(served) => served,
        Err(refused) => return Ok(refused),
    };
    let configuration = environments.configuration();
    let modulepath = configuration.modulepath(&served.name).map_err(server_error)?;
    let Some(folder) = configuration.module(&modulepath, module).map_err(server_error)? else {
        return Ok(absent(format!("Could not find module '{module}'")));
    };
    if !plans(&folder).iter().any(|one| one == plan) {
        return Ok(absent(format!("Could not find plan '{plan}'")));
    }
    Ok(Response::of(JSON, json!({"metadata": {}, "name": full_name(module, plan)}).to_string()))
}

/// The names of a module's plans.
fn plans(module: &Path) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for file in names_in(&module.join("plans")) {
        let name = stem(&file);
        let is_plan = is_name(name)
            && [".pp", ".yaml"].iter().any(|ending| file.strip_suffix(ending) == Some(name))
            && !WORDS.contains(&name)
            && !TYPES.contains(&name);
        if is_plan && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_files_whose_names_are_no_words_of_the_language() {
        let module = tempfile::tempdir().unwrap();
        std::fs::create_dir(module.path().join("plans")).unwrap();
        for name in [
            "init.pp", "a.pp", "a.yaml", "type.pp", "class.pp", "B.pp", "c.rb", ".d.pp", "e.f.pp", "g_1.yaml",
        ] {
            std::fs::write(module.path().join("plans").join(name), "").unwrap();
        }
        assert_eq!(plans(module.path()), ["a", "g_1", "init"]);
        assert_eq!(plans(&module.path().join("nothing")), [""; 0]);
    }
}
