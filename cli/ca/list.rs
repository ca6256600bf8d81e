//! Listing requests and certificates.

use super::{Which, say};
use bunraku_authority::statuses::{State, Status};
use clap::{Args, ValueEnum};

/// List requests that wait; with --all, certificates, too.
#[derive(Args)]
pub struct List {
    /// List all certificates and requests.
    #[arg(long, conflicts_with = "certname")]
    all: bool,
    /// List those of these nodes, in whatever state they are.
    #[arg(long, value_name = "NAME[,NAME]", value_delimiter = ',')]
    certname: Vec<String>,
    /// Form of the list.
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: Form,
    #[command(flatten)]
    which: Which,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    Text,
    Json,
}

pub fn run(arguments: &List) -> Result<u8, String> {
    let authority = arguments.which.open()?;
    let named = !arguments.certname.is_empty();
    let wanted: &[State] = if arguments.all || named { &State::ALL } else { &[State::Requested] };
    let mut found = authority.statuses(wanted).map_err(|fault| fault.to_string())?;
    if named {
        found.retain(|status| arguments.certname.contains(&status.name));
    }
    let there = |name: &&String| !found.iter().any(|status| &status.name == *name);
    let missing: Vec<&String> = arguments.certname.iter().filter(there).collect();
    let groups: Vec<(State, Vec<&Status>)> = State::ALL
        .into_iter()
        .map(|state| (state, found.iter().filter(|status| status.state == state).collect()))
        .collect();
    match arguments.format {
        Form::Text => text(&groups, &missing)?,
        Form::Json => json(&groups, &missing, arguments.all)?,
    }
    Ok(u8::from(!missing.is_empty()))
}

fn text(groups: &[(State, Vec<&Status>)], missing: &[&String]) -> Result<(), String> {
    if missing.is_empty() && groups.iter().all(|(_, group)| group.is_empty()) {
        return say("No certificates to list");
    }
    for (state, group) in groups.iter().filter(|(_, group)| !group.is_empty()) {
        let heading = match state {
            State::Requested => "Requested Certificates:",
            State::Signed => "Signed Certificates:",
            State::Revoked => "Revoked Certificates:",
        };
        say(heading)?;
        let width = group.iter().map(|status| status.name.len()).max().unwrap_or_default() + 6;
        for status in group {
            say(&line(status, width))?;
        }
    }
    if !missing.is_empty() {
        say("Missing Certificates:")?;
        missing.iter().try_for_each(|name| say(&format!("    {name}")))?;
    }
    Ok(())
}

fn line(status: &Status, width: usize) -> String {
    let mut line = format!("    {:width$} (SHA256)  {}", status.name, status.fingerprints[1]);
    if !status.alternative_names.is_empty() {
        let quoted: Vec<String> = status.alternative_names.iter().map(|name| format!("{name:?}")).collect();
        line.push_str(&format!("\talt names: [{}]", quoted.join(", ")));
    }
    if !status.authorization.is_empty() {
        let all: Vec<String> =
            status.authorization.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        line.push_str(&format!("\tauthorization extensions: [{}]", all.join(", ")));
    }
    line
}

fn json(groups: &[(State, Vec<&Status>)], missing: &[&String], all: bool) -> Result<(), String> {
    let shown = |group: &[&Status]| -> serde_json::Value { group.iter().map(|one| one.to_json()).collect() };
    let mut told = serde_json::Map::new();
    for (state, group) in groups {
        if all || !group.is_empty() {
            told.insert(state.name().to_owned(), shown(group));
        }
    }
    if !missing.is_empty() {
        told.insert("missing".to_owned(), serde_json::json!(missing));
    }
    if told.is_empty() {
        told.insert("requested".to_owned(), serde_json::json!([]));
    }
    say(&serde_json::Value::Object(told).to_string())
}
