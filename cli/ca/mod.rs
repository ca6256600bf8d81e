//! `bunraku ca`: the certificate authority, from arguments. What it prints and its statuses are those of `puppetserver ca` 2.4.0;
//! it works on the folder itself, with no server in between.

mod act;
mod list;
mod make;

use crate::configured::{self, Configured};
use crate::{FAILED, output};
use bunraku::visible::visible_line;
use bunraku::{Compat, Configuration};
use bunraku_authority::{Authority, Fault, Settings};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Be a small certificate authority, in Puppet Server's own folder: make one, sign, revoke, list.
///
/// It reads and writes the folder that the setting cadir names, which Puppet Server's own authority can take over and hand over.
/// Beside a Puppet Server that runs as authority only `list` is safe; beside `bunraku server --ca` all of it.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    #[command(visible_alias = "setup")]
    Init(make::Init),
    Import(make::Import),
    Generate(make::Generate),
    List(list::List),
    Sign(act::Sign),
    Revoke(act::Revoke),
    Clean(act::Clean),
    RenewList(act::RenewList),
}

/// Which authority.
#[derive(Args, Clone)]
struct Which {
    /// Puppet Server's ca.conf: what requests may ask for [default: ../conf.d/ca.conf beside cadir, if it is there].
    #[arg(long, value_name = "FILE")]
    ca_conf: Option<PathBuf>,
    /// Version of Puppet whose settings they are.
    #[arg(long, value_name = "7|8|9", default_value_t)]
    compat: Compat,
    #[command(flatten)]
    configured: Configured,
}

/// The status where something was asked of what is in another state: as `puppetserver ca` has it.
const OTHER_STATE: u8 = 24;

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    let done = match &arguments.command {
        Command::Init(init) => make::init(init),
        Command::Import(import) => make::import(import),
        Command::Generate(generate) => make::generate(generate),
        Command::List(list) => list::run(list),
        Command::Sign(sign) => act::sign(sign),
        Command::Revoke(revoke) => act::revoke(revoke),
        Command::Clean(clean) => act::clean(clean),
        Command::RenewList(renew) => act::renew_list(renew),
    };
    match done {
        Ok(status) => ExitCode::from(status),
        Err(message) => {
            fail(&message);
            ExitCode::from(FAILED)
        }
    }
}

impl Which {
    /// What is in force; `more` are settings that other arguments say.
    fn settings(&self, more: &[(&str, Option<String>)]) -> Result<Settings, String> {
        let configuration: Configuration =
            self.configured.read(self.compat, more)?.ok_or(configured::NONE)?;
        if let Some(fault) = configuration.fault() {
            return Err(format!("Could not parse the configuration: {fault}"));
        }
        Settings::read(&configuration, self.ca_conf.as_deref())
    }

    /// The authority.
    fn open(&self) -> Result<Authority, String> {
        let tell = Arc::new(|level: &str, message: &str| {
            if !matches!(level, "debug" | "info") {
                output::note(&format!("Warning: {}", visible_line(message)));
            }
        });
        Authority::open(self.settings(&[])?, tell).map_err(|fault: Fault| fault.to_string())
    }
}

/// Prints a line on stdout.
fn say(line: &str) -> Result<(), String> {
    let line = visible_line(line);
    output::print(&format!("{line}\n")).map_err(|error| format!("Could not write: {error}"))
}

/// Says what went wrong, each line of it indented.
fn fail(message: &str) {
    let lines: Vec<String> = message.lines().map(|line| format!("    {}", visible_line(line))).collect();
    output::note(&format!("Error:\n{}", lines.join("\n")));
}
