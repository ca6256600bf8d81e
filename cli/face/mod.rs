//! The Puppet face: called by the name of Puppet's own command, this one takes Puppet's arguments, prints what Puppet prints
//! and leaves with Puppet's statuses; so tools that run `puppet` run it unchanged. `bunraku face DIR` makes the links.

mod arguments;
mod catalog;
mod config;
mod console;
mod dump;
mod epp;
mod facts;
mod forms;
mod handed;
mod identity;
pub mod link;
mod lookup;

mod nodes;
mod parser;
mod subcommands;

use crate::output;
use arguments::{Given, Own, SETTINGS};
use bunraku::{Configuration, Origin, Severity};
use console::Console;
use forms::Form;
use identity::Identity;
use std::io::IsTerminal;
use std::process::ExitCode;
use subcommands::{Action, Asked};

pub use identity::of_this_process;

/// A call of an action, its arguments read.
pub struct Call {
    identity: Identity,
    /// The whole command line, for a real Puppet.
    arguments: Vec<String>,
    console: Console,
    given: Given,
    configuration: Configuration,
    /// `SUBCOMMAND ACTION`, as help is asked for.
    what: String,
}

/// Does what Puppet does with the arguments of this process.
pub fn run(identity: Result<Identity, String>) -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
    let console = Console::of_arguments(&arguments);
    let failed = |message: &str| {
        console.error(message);
        ExitCode::FAILURE
    };
    let identity = match identity {
        Ok(identity) => identity,
        Err(message) => return failed(&message),
    };
    match subcommands::asked(&identity, &arguments) {
        Ok(Asked::Action(action, words)) => call(identity, arguments.clone(), action, &words, &console),
        Ok(Asked::HandOver(what)) => {
            handed::over(&identity, &arguments, &what).unwrap_or_else(|message| failed(&message))
        }
        Ok(Asked::Version) => printed(identity.compat.server_version(), ExitCode::SUCCESS),
        Ok(Asked::Nothing) => printed(SEE_HELP, ExitCode::SUCCESS),
        // Puppet says these on stdout.
        Ok(Asked::Unknown(name)) => {
            let error = format!("Error: Unknown Puppet subcommand '{name}'");
            let asks_version = arguments.iter().any(|word| word == "--version" || word == "-V");
            let more = if asks_version { identity.compat.server_version() } else { SEE_HELP };
            let text = format!("{}\n{more}", console.colorized(Severity::Err, &error));
            printed(&text, ExitCode::FAILURE)
        }
        Ok(Asked::OptionAlone(option)) => {
            let error = format!("Error: Could not parse application options: invalid option: {option}");
            printed(&console.colorized(Severity::Err, &error), ExitCode::FAILURE)
        }
        Err(message) => failed(&message),
    }
}

const SEE_HELP: &str = "See 'puppet help' for help on available puppet subcommands";

/// Prints a line, or several; the status to leave with.
fn printed(text: &str, status: ExitCode) -> ExitCode {
    match output::print(&format!("{}\n", text.strip_suffix('\n').unwrap_or(text))) {
        Ok(()) => status,
        Err(error) => {
            output::note(&format!("Error: Could not write to stdout: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// What stands on stdin, to `parse` or `process` it.
///
/// # Errors
/// Puppet's message where that is a terminal; when it can't be read.
fn input(to: &str) -> Result<String, String> {
    match std::io::stdin().is_terminal() {
        true => Err(format!("No input to {to} given on command line or stdin")),
        false => output::stdin(),
    }
}

/// What Puppet says of files that are named and not there.
fn not_there(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("   {name}")).collect();
    format!("One or more file(s) specified did not exist:\n{}", names.join("\n"))
}

/// Reads the arguments of an action and the configuration that they name, and runs it.
fn call(
    identity: Identity,
    arguments: Vec<String>,
    action: &'static Action,
    words: &[String],
    console: &Console,
) -> ExitCode {
    match prepared(identity, arguments, action, words, console) {
        Ok(Prepared::Call(mut call)) => match (action.run)(&mut call) {
            Ok(status) => status,
            Err(message) => {
                call.console.error(&message);
                if !action.is_application {
                    call.console.error(&format!("Try 'puppet help {}' for usage", call.what));
                }
                ExitCode::FAILURE
            }
        },
        Ok(Prepared::Done(status)) => status,
        Err(message) => {
            console.error(&message);
            ExitCode::FAILURE
        }
    }
}

/// Settings whose values are looked at when nodes are asked for.
const TERMINI: [&str; 2] = ["facts_terminus", "node_terminus"];

/// What becomes of arguments.
enum Prepared {
    Call(Box<Call>),
    Done(ExitCode),
}

fn prepared(
    identity: Identity,
    arguments: Vec<String>,
    action: &'static Action,
    words: &[String],
    console: &Console,
) -> Result<Prepared, String> {
    let options: Vec<Own> = action.all_options().collect();
    let mut given = arguments::parse(words, identity.compat, &options)?;
    if given.has("version") {
        return Ok(Prepared::Done(printed(identity.compat.server_version(), ExitCode::SUCCESS)));
    }
    if given.has("help") {
        return handed::over(&identity, &arguments, "help").map(Prepared::Done);
    }
    for (option, level) in [("verbose", "info"), ("debug", "debug")] {
        if given.has(option) {
            given.settings.push(("log_level".to_owned(), level.to_owned()));
        }
    }
    let configuration =
        Configuration::read(identity.compat, &given.settings)?.of_application(action.subcommand);
    let configuration = with_certname(configuration)?;
    // Puppet looks at what the command line says before all else.
    for (name, _) in &given.settings {
        configuration.get(name).map_err(|error| format!("{SETTINGS}: {error}"))?;
    }
    let level = Severity::by_name(&configuration.get("log_level")?.text).unwrap_or(Severity::Notice);
    let console = console.colored(&configuration.get("color")?.text).showing(level);
    if let Some(fault) = configuration.fault() {
        console.error(fault);
    }
    // Nothing that is asked for is left out in silence.
    let refused = configuration.refused();
    if let Some((name, what)) = refused.iter().find(|(name, _)| !TERMINI.contains(&name.as_str())) {
        let refusal = format!("--{name}: {what}");
        if action.compiles() {
            return Err(refusal);
        }
        let call = format!("{} {} --{name}", action.subcommand, action.name);
        let handed = handed::over(&identity, &arguments, &call).map(Prepared::Done);
        return handed.map_err(|error| format!("{refusal}. {error}"));
    }
    if !action.is_application {
        Form::named(given.option("render-as"), identity.compat)?;
    }
    let what = format!("{} {}", action.subcommand, action.name);
    Ok(Prepared::Call(Box::new(Call { identity, arguments, console, given, configuration, what })))
}

/// The configuration with this machine's name, where nobody gives it another.
fn with_certname(configuration: Configuration) -> Result<Configuration, String> {
    match crate::machine::name() {
        Some(name) if configuration.get("certname")?.origin == Origin::Default => {
            configuration.with(&[("certname".to_owned(), name)])
        }
        _ => Ok(configuration),
    }
}
