//! `bunraku config`: the settings in force, and where each comes from.

use crate::configured::{self, Configured};
use crate::render::{ColorChoice, MessageFormat, Renderer};
use crate::{FAILED, USAGE, output};
use bunraku::{Compat, Configuration, Data, Setting};
use clap::Args;
use clap::builder::PossibleValuesParser;
use std::process::ExitCode;

/// Print Puppet's settings as they are in force.
///
/// As `puppet config print` does: one setting's value alone, several as `NAME = VALUE`, sorted.
#[derive(Args)]
pub struct Arguments {
    /// Settings to print [default: all].
    #[arg(value_name = "KEY")]
    keys: Vec<String>,
    /// Section of `puppet.conf` that goes before `[main]`: a server's is what compiles use.
    #[arg(long, value_name = "SECTION", default_value = "server",
        value_parser = PossibleValuesParser::new(["main", "server", "master", "agent", "user"]))]
    section: String,
    /// Name of the environment, whose `environment.conf` counts, too [default: the one that is configured].
    #[arg(long, value_name = "NAME")]
    environment: Option<String>,
    /// Tell where each value comes from: file and line, or why there is none.
    #[arg(long)]
    origin: bool,
    /// Version of Puppet whose settings and defaults they are.
    #[arg(long, value_name = "7|8|9", default_value_t)]
    compat: Compat,
    #[command(flatten)]
    configured: Configured,
    #[command(flatten)]
    color: ColorChoice,
    /// Form of the output, and of errors.
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: MessageFormat,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    let mut renderer = Renderer::stderr(arguments.color.color, arguments.format);
    let read = arguments.configured.read(arguments.compat, &[("environment", arguments.environment.clone())]);
    let configuration = match read {
        Ok(Some(configuration)) => configuration,
        Ok(None) => return renderer.failure(configured::NONE, USAGE),
        Err(message) => return renderer.failure(&message, FAILED),
    };
    let mut keys = arguments.keys.clone();
    if keys == ["all"] {
        keys.clear();
    }
    keys.sort();
    match found(&configuration, arguments, &keys) {
        Ok(all) => output::finish(&mut renderer, &text(&all, arguments), "the settings", ExitCode::SUCCESS),
        Err(message) => renderer.failure(&message, FAILED),
    }
}

fn found(
    configuration: &Configuration,
    arguments: &Arguments,
    keys: &[String],
) -> Result<Vec<Setting>, String> {
    configuration.print(keys, &arguments.section, arguments.environment.as_deref())
}

fn text(all: &[Setting], arguments: &Arguments) -> String {
    if arguments.format == MessageFormat::Json {
        let one = |setting: &Setting| {
            let origin = Data::Text(setting.origin.to_string());
            let both = vec![("value".to_owned(), setting.value.clone()), ("origin".to_owned(), origin)];
            (setting.name.to_owned(), Data::Map(both))
        };
        return Data::Map(all.iter().map(one).collect()).to_json() + "\n";
    }
    let line = |setting: &Setting| {
        let value = match all.len() {
            1 => setting.text.clone(),
            _ => format!("{} = {}", setting.name, setting.text),
        };
        let origin = if arguments.origin { format!("  # {}", setting.origin) } else { String::new() };
        format!("{value}{origin}\n")
    };
    all.iter().map(line).collect()
}
