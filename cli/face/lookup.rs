//! `puppet lookup`.

use super::arguments::Own;
use super::nodes::{Classified, without_node};
use super::{Call, printed};
use bunraku::files::read;
use bunraku::{Compiler, Data, Facts, Origin, Query};
use std::path::Path;
use std::process::ExitCode;

/// Its options.
pub const OPTIONS: [Own; 12] = [
    Own::value("merge"),
    Own::value("type"),
    Own::value("knock-out-prefix"),
    Own::value("default"),
    Own::value("node"),
    Own::value("facts"),
    Own::flag("sort-merged-arrays"),
    Own::flag("merge-hash-arrays"),
    Own::flag("explain"),
    Own::flag("explain-options"),
    Own::flag("trusted"),
    Own::flag("compile").or('c'),
];

/// Prints the value of the first key that has one, or how it came about.
pub fn run(call: &mut Call) -> Result<ExitCode, String> {
    looked_up(call).map_err(|message| format!("Could not run: {message}"))
}

/// Facts by which a node is trusted: whoever gives one gives all.
const OF_TRUST: [&str; 4] = ["hostname", "domain", "fqdn", "clientcert"];

/// Facts of a file, unless they have some of those alone.
fn whole(facts: Facts, file: &str) -> Result<Facts, String> {
    let given = OF_TRUST.iter().filter(|name| facts.get(name).is_some()).count();
    match given == 0 || given == OF_TRUST.len() {
        true => Ok(facts),
        false => Err(format!(
            "When overriding any of the {} facts with {file} given via the --facts flag, they must all be overridden.",
            OF_TRUST.join(",")
        )),
    }
}

fn looked_up(call: &mut Call) -> Result<ExitCode, String> {
    let (given, text) = (&call.given, |name: &str| call.given.option(name).map(str::to_owned));
    let query = Query {
        keys: given.words.clone(),
        merge: text("merge"),
        knock_out_prefix: text("knock-out-prefix"),
        sort_merged_arrays: given.has("sort-merged-arrays"),
        merge_hash_arrays: given.has("merge-hash-arrays"),
        default: text("default"),
        value_type: text("type"),
        explain: given.has("explain"),
        explain_options: given.has("explain-options"),
        origin: false,
        render_as: text("render-as"),
    };
    query.format()?;
    let (node, compile) = (text("node"), given.has("compile"));
    let more =
        text("facts").map(|file| facts_of_file(&file).and_then(|facts| whole(facts, &file))).transpose()?;
    // Nodes other than this machine have stored facts, unless somebody says otherwise.
    let is_unsaid = call.configuration.get("facts_terminus")?.origin == Origin::Default;
    if node.is_some() && is_unsaid {
        let yaml = ("facts_terminus".to_owned(), "yaml".to_owned());
        call.configuration = call.configuration.with(&[yaml])?;
    }
    let name = call.certname(node.as_deref())?;
    let classified = if compile { Classified::Yes } else { Classified::No };
    let mut target = call.target(&name, classified, more)?;
    if matches!(target.node.facts(), Data::Map(all) if all.is_empty()) {
        return Err(format!("No facts available for target node: {name}"));
    }
    if !compile {
        target.environment = target.environment.with_code("undef");
    }
    target.node = target.node.with_trusted_of_facts();
    let compiler = Compiler::new();
    let asked = compiler.look_up(&target.environment, &target.node, &target.settings, query);
    compiler.end_without_freeing();
    call.console.logs(&asked.logs);
    let answer = asked.result.map_err(|error| without_node(&error.message, &name).to_owned())?;
    // Why there is none is told in explanations only.
    let status = if answer.found { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    Ok(if answer.text.is_empty() { status } else { printed(&answer.text, status) })
}

/// Facts of a file, JSON or YAML: plain ones. Of a file that is called neither and can't be read Puppet says the same as of
/// one without facts.
pub fn facts_of_file(file: &str) -> Result<Facts, String> {
    let text = match read::given_text(Path::new(file), read::MAX_FILE) {
        Ok(text) => text,
        Err(_) if ![".json", ".yaml", ".yml"].iter().any(|extension| file.ends_with(extension)) => {
            String::new()
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(format!("No such file or directory @ rb_sysopen - {file}"));
        }
        Err(error) => return Err(format!("Could not read {file}: {error}")),
    };
    let found = match file.ends_with(".json") {
        true => Data::from_json(&text),
        false => Data::from_yaml(&text),
    };
    match found {
        Ok(all @ Data::Map(_)) => Ok(Facts::from_data(all)),
        _ => Err(format!(
            "Incorrectly formatted data in {file} given via the --facts flag (only accepts yaml and json files)"
        )),
    }
}
