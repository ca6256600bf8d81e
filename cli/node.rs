//! `bunraku node`: what a server keeps of nodes that are gone.

use crate::configured::{self, Configured};
use crate::{FAILED, USAGE, output};
use bunraku::files::owner;
use bunraku::{Compat, Configuration};
use bunraku_authority::{Authority, Fault, Settings};
use bunraku_server::forget::{Forgotten, deactivate, forget};
use clap::{Args, Subcommand};
use std::process::ExitCode;
use std::sync::Arc;

/// Forget nodes that are gone: certificates, facts and reports, here and in PuppetDB.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Remove what the server keeps of nodes: facts and reports; where the authority's key is here, revoke their certificates, too.
    Clean(Nodes),
    /// Tell PuppetDB that nodes are not there any more.
    Deactivate(Nodes),
}

/// Which nodes, of which server.
#[derive(Args)]
struct Nodes {
    /// Names of nodes.
    #[arg(required = true, value_name = "NODE")]
    nodes: Vec<String>,
    /// Version of Puppet whose settings they are.
    #[arg(long, value_name = "7|8|9", default_value_t)]
    compat: Compat,
    #[command(flatten)]
    configured: Configured,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    let (Command::Clean(nodes) | Command::Deactivate(nodes)) = &arguments.command;
    let act = |configuration: &Configuration, node: &str| match &arguments.command {
        Command::Clean(_) => clean(configuration, node),
        Command::Deactivate(_) => deactivate(configuration, node).map(|()| "PuppetDB is told".to_owned()),
    };
    let configuration = match nodes.configured.read_for_service(nodes.compat) {
        Ok(Some(configuration)) => configuration,
        Ok(None) => {
            output::note(&format!("Error: {}", configured::NONE));
            return ExitCode::from(USAGE);
        }
        Err(message) => {
            output::note(&format!("Error: {message}"));
            return ExitCode::from(FAILED);
        }
    };
    let mut status = ExitCode::SUCCESS;
    for node in &nodes.nodes {
        // One that can't be forgotten keeps no other from that.
        let told = match act(&configuration, &node.to_lowercase()) {
            Ok(done) => output::print(&format!("{node}: {done}\n"))
                .map_err(|error| format!("Could not write: {error}")),
            Err(message) => Err(format!("{node}: {message}")),
        };
        if let Err(message) = told {
            output::note(&format!("Error: {message}"));
            status = ExitCode::from(FAILED);
        }
    }
    status
}

/// What was removed of a node, in words.
fn clean(configuration: &Configuration, node: &str) -> Result<String, String> {
    let mut done = Vec::new();
    let is_revoked = revoked(configuration, node)?;
    let Forgotten { facts, reports } = forget(configuration, node)?;
    if is_revoked {
        done.push("certificate revoked".to_owned());
    }
    if facts {
        done.push("facts removed".to_owned());
    }
    match reports {
        0 => {}
        1 => done.push("1 report removed".to_owned()),
        count => done.push(format!("{count} reports removed")),
    }
    Ok(if done.is_empty() { "nothing is kept of it".to_owned() } else { done.join(", ") })
}

/// Revokes a node's certificate and removes its files, where the authority is here; whether there was one.
fn revoked(configuration: &Configuration, node: &str) -> Result<bool, String> {
    let settings = Settings::read(configuration, None)?;
    let key = &settings.layout.key;
    match key.try_exists() {
        Ok(true) => {}
        Ok(false) => return Ok(false),
        Err(error) => {
            return Err(format!("{} can't be read: {}", key.display(), owner::refusal(key, &error)));
        }
    }
    let tell = Arc::new(|_: &str, message: &str| output::note(&format!("Warning: {message}")));
    let told = |fault: Fault| fault.to_string();
    let authority = Authority::open(settings, tell).map_err(told)?;
    let is_revoked = match authority.revoke(&[node]) {
        Ok(()) => true,
        Err(Fault::Missing(_)) => false,
        Err(fault) => return Err(told(fault)),
    };
    authority.remove_certificate(node).map_err(told)?;
    authority.remove_request(node).map_err(told)?;
    Ok(is_revoked)
}
