//! `puppet facts find`, of a node whose facts are stored; those of the machine itself are a real Puppet's matter.

use super::forms::{self, Form};
use super::{Call, printed};
use bunraku::{Data, Facts};
use std::path::Path;
use std::process::ExitCode;

/// Prints the facts of the node that is named, if any are stored. When Puppet would have to ask again (`expiration`) is not told.
pub fn find(call: &mut Call) -> Result<ExitCode, String> {
    let form = Form::named(call.given.option("render-as"), call.identity.compat)?;
    let terminus = match call.given.option("terminus") {
        Some(terminus) => terminus.to_owned(),
        None => call.configuration.facts_terminus()?,
    };
    if call.given.option("extra").is_some() || !matches!(terminus.as_str(), "yaml" | "puppetdb") {
        return call.hand_over("facts find");
    }
    let name = call.certname(call.given.words.first().map(String::as_str))?;
    let found = match terminus.as_str() {
        "yaml" => stored(&call.configuration.get("clientyamldir")?.text, &name),
        _ => call.configuration.facts(&name),
    };
    let found = found.map_err(|error| {
        let message = format!("Could not call 'find' on 'facts': {error}");
        call.console.error(&message);
        message
    })?;
    let Some(facts) = found else { return Ok(ExitCode::SUCCESS) };
    let all = vec![("name".to_owned(), Data::Text(name)), ("values".to_owned(), facts.to_data())];
    let text = match form {
        Form::Text => "#<Puppet::Node::Facts>".to_owned(),
        form => forms::data(&Data::Map(all).to_json(), form, Some("Puppet::Node::Facts"))?,
    };
    Ok(printed(&text, ExitCode::SUCCESS))
}

/// What this command's own folder has: a server's is another one.
fn stored(folder: &str, name: &str) -> Result<Option<Facts>, String> {
    if name.contains(['/', '\0']) || matches!(name, "" | "." | "..") {
        return Err(format!("invalid key: {name:?}"));
    }
    let file = Path::new(folder).join("facts").join(format!("{name}.yaml"));
    if !file.exists() {
        return Ok(None);
    }
    Facts::from_file(&file).map(Some)
}
