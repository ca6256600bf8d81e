//! `bunraku doctor`: looks at this machine as the other commands would see it, and says what would not work and why. Each
//! thing is tried, where that can be done without harm, and not concluded from a version number.

mod archives;
mod certificates;
mod code;
mod finding;
mod puppetdb;
mod ruby;
mod server;

use crate::configured::Configured;
use crate::render::{ColorChoice, MessageFormat, Renderer};
use crate::{FAILED, output};
use bunraku::{Compat, Configuration};
use clap::Args;
use finding::{Finding, State};
use std::path::PathBuf;
use std::process::ExitCode;

/// Say what this machine lacks, and what would not work for it.
///
/// Looked at are Ruby, the configuration of Puppet and its environment, the classifier, processors of reports, PuppetDB, certificates,
/// archives. Nothing is changed. The status is 0 unless something would fail.
#[derive(Args)]
pub struct Arguments {
    /// An environment to look at: a folder, or a name where there is a configuration [default: the one that is configured].
    #[arg(long, value_name = "DIR|NAME")]
    environment: Option<PathBuf>,
    /// An archive of that environment: whether it can be used, and is of the sources as they are.
    #[arg(long, value_name = "FILE")]
    archive: Vec<PathBuf>,
    /// The Ruby that runs what is not run natively: a path, or a name to be found on PATH.
    #[arg(long, value_name = "PROGRAM", default_value = "ruby")]
    ruby: PathBuf,
    /// Version of Puppet by whose rules it is looked at.
    #[arg(long, value_name = "7|8|9", default_value_t)]
    compat: Compat,
    #[command(flatten)]
    configured: Configured,
    #[command(flatten)]
    color: ColorChoice,
    /// Form of what is found.
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: MessageFormat,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    let mut renderer = Renderer::stderr(arguments.color.color, arguments.format);
    let found = look(arguments);
    let fails = found.iter().any(|finding| finding.state == State::Fails);
    let status = if fails { ExitCode::from(FAILED) } else { ExitCode::SUCCESS };
    let text = match arguments.format {
        MessageFormat::Text => finding::text(&found),
        MessageFormat::Json => finding::json(&found),
    };
    output::finish(&mut renderer, &text, "what was found", status)
}

/// Everything, in the order in which it is told.
fn look(arguments: &Arguments) -> Vec<Finding> {
    let mut found = ruby::look(&arguments.ruby);
    let configuration = match arguments.configured.read_untold(arguments.compat, &[]) {
        Ok(configuration) => configuration,
        Err(message) => {
            found.push(Finding::fails("Configuration", message, "no command reads a configuration"));
            None
        }
    };
    if let Some(configuration) = &configuration {
        found.extend(of_configuration(configuration));
        found.extend(server::look(configuration, &arguments.ruby));
    } else {
        let consequence = "environments, facts and settings are those that arguments name";
        found.push(Finding::note("Configuration", "no puppet.conf is read", consequence));
    }
    let named = arguments.environment.as_deref();
    let looked_at = code::Code::of(named, configuration.as_ref(), arguments.compat);
    match &looked_at {
        Ok(Some(code)) => found.extend(code.look(&arguments.ruby)),
        Ok(None) => {}
        Err(message) => found.push(Finding::fails("Environment", message, "nothing of it is compiled")),
    }
    let code = looked_at.ok().flatten();
    for archive in &arguments.archive {
        found.extend(archives::look(archive, code.as_ref()));
    }
    found
}

/// `puppet.conf` and what it leads to.
fn of_configuration(configuration: &Configuration) -> Vec<Finding> {
    const AREA: &str = "Configuration";
    let mut found = Vec::new();
    match configuration.get("config") {
        Ok(_) if configuration.fault().is_some() => {}
        Ok(file) if PathBuf::from(&file.text).is_file() => found.push(Finding::fine(AREA, file.text)),
        Ok(file) => {
            found.push(Finding::note(AREA, format!("{} is not there", file.text), "defaults are in force"))
        }
        Err(message) => found.push(Finding::fails(AREA, message, "no command compiles with it")),
    }
    if let Some(fault) = configuration.fault() {
        found.push(Finding::fails(AREA, fault, "nothing of puppet.conf is in force, its defaults are"));
    }
    match configuration.warnings() {
        Ok(warnings) => {
            let unknown = configuration.warnings_of_unknown();
            let then = |warning: &String| match unknown.contains(warning) {
                true => "this version of Puppet ignores it, too: the line can go",
                false => "Puppet would heed it, or says the same",
            };
            found.extend(warnings.iter().map(|warning| Finding::note(AREA, warning, then(warning))));
        }
        Err(message) => found.push(Finding::fails(AREA, message, "no command compiles with it")),
    }
    found.extend(puppetdb::look(configuration));
    found.extend(certificates::look(configuration));
    found
}
