//! `puppet config print`.

use super::arguments::Own;
use super::forms::{self, Form};
use super::{Call, printed};
use crate::output;
use bunraku::{Data, Setting, Severity};
use std::process::ExitCode;

/// A setting that is of the process alone.
const OWN_NAME: &str = "name";

/// Its options.
pub const OPTIONS: [Own; 1] = [Own::value("section")];

/// Prints the settings that are named, or all.
pub fn print(call: &mut Call) -> Result<ExitCode, String> {
    let form = Form::named(call.given.option("render-as"), call.identity.compat)?;
    let section = call.given.option("section");
    tell_section(call, section)?;
    let section = section.unwrap_or("main");
    let mut names = call.given.words.clone();
    if names == ["all"] {
        names.clear();
    }
    names.sort();
    names.dedup();
    let unknown = |name: &String| bunraku::is_setting_of(call.identity.compat, name);
    let (known, others): (Vec<String>, Vec<String>) = names.into_iter().partition(unknown);
    let mut all: Vec<(String, Data, String)> = Vec::new();
    // What runs is called so.
    let own = || (OWN_NAME.to_owned(), Data::from("config"), "config".to_owned());
    // Where only unknown ones are named, it is not all that is asked for.
    if others.is_empty() || !known.is_empty() {
        // Of the environment that the command runs in, whatever the section says of it.
        let environment = call.configuration.clone().in_user_mode().get("environment")?.text;
        let found = call.configuration.print(&known, section, Some(&environment))?;
        all.extend(found.into_iter().map(|Setting { name, value, text, .. }| (name.to_owned(), value, text)));
        all.extend(known.is_empty().then(own));
    }
    // Puppet prints nothing for those that there are not.
    all.extend(others.into_iter().map(|name| match name == OWN_NAME {
        true => own(),
        false => (name, Data::Undef, String::new()),
    }));
    all.sort_by(|(one, ..), (other, ..)| one.cmp(other));
    let text = match form {
        Form::Console | Form::Text => lines(&all),
        form => {
            let values = all.into_iter().map(|(name, value, _)| (name, value)).collect();
            forms::data(&Data::Map(values).to_json(), form, None)?
        }
    };
    Ok(printed(&text, ExitCode::SUCCESS))
}

fn lines(all: &[(String, Data, String)]) -> String {
    match all {
        [(.., text)] => format!("{text}\n"),
        all => all.iter().map(|(name, _, text)| format!("{name} = {text}\n")).collect(),
    }
}

/// Says which section is meant, where that much is wanted.
fn tell_section(call: &Call, section: Option<&str>) -> Result<(), String> {
    let level = call.configuration.get("log_level")?.text;
    if !matches!(level.as_str(), "info" | "debug") {
        return Ok(());
    }
    if section.is_none() {
        call.console.say(
            Severity::Warning,
            "No section specified; defaulting to 'main'.\nSet the config section by using the `--section` flag.\n\
             For example, `puppet config --section user print foo`.\n\
             For more information, see https://puppet.com/docs/puppet/latest/configuration.html",
        );
    }
    let environment = call.configuration.get("environment")?.text;
    let line = format!(
        "Resolving settings from section '{}' in environment '{environment}'",
        section.unwrap_or("main")
    );
    output::note_as_it_is(&call.console.colorized(Severity::Warning, &line));
    Ok(())
}
