//! The `bunraku` command: reads the arguments and hands over to the subcommand.

// They panic where the reader has gone; see `output`.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod affected;
mod batch;
mod bench;
mod build;
mod ca;
mod check;
mod compile;
mod compile_arguments;
mod completions;
mod config;
mod configured;
mod confine;
mod coverage;
mod diff;
mod diff_output;
mod distributed;
mod doctor;
mod engines;
mod eval;
mod exported;
mod face;
mod facts;
mod fleet;
mod graph;
mod help;
mod inspect;
mod ldap;
mod lookup;
mod machine;
mod node;
mod nodes;
mod output;
mod prepared;
mod profile;
mod render;
mod reports;
mod rules;
mod runs;
mod sarif;
mod server;
mod trees;
mod unused;
mod upgrade;
mod why;
mod why_not;
mod workers;

use bunraku::Limit;
use clap::{CommandFactory, Parser, Subcommand};
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Compiles the Puppet language.
///
/// Exit status: 0 where all is well, 1 where errors were found, 2 where the arguments are wrong.
#[derive(Parser)]
#[command(name = "bunraku", version, about, max_term_width = 110, arg_required_else_help = true)]
#[command(override_help = help::PAGE)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// Only the arguments of the one that is asked for are put together: all of them would be a tenth of a small compile.
/// So what each is for is said here, too, as the first line of its own help; a test holds that.
#[derive(Subcommand)]
#[command(defer = true)]
#[allow(clippy::large_enum_variant, reason = "there is one of them in a process")]
enum Command {
    /// Compile a node's catalog and print it as JSON, as an agent would get it.
    Compile(compile::Arguments),
    /// Compile a whole module tree into an archive, for `compile --archive`.
    Build(build::Arguments),
    /// Show what an archive holds: sections, files, definitions and what they refer to; or the code of one.
    Inspect(inspect::Arguments),
    /// Run code and print the value of its last expression.
    Eval(eval::Arguments),
    /// Look keys up in Hiera.
    Lookup(lookup::Arguments),
    /// Say why something is in a node's catalog: what declares it and leads to it, and what set each parameter.
    Why(Box<why::Arguments>),
    /// Say why something is not in a node's catalog: the places that would have declared it, and what kept each from it.
    WhyNot(Box<why_not::Arguments>),
    /// Draw a node's catalog: what contains what, what comes before what, dependency cycles in red.
    Graph(Box<graph::Arguments>),
    /// Print Puppet's settings as they are in force.
    Config(config::Arguments),
    /// Say what this machine lacks, and what would not work for it.
    Doctor(doctor::Arguments),
    /// Find syntax and static errors of manifests (.pp) and EPP templates (.epp).
    Check(check::Arguments),
    /// Run jobs from stdin, one JSON object a line, and print their results in the same order.
    Batch(batch::Arguments),
    /// Compile nodes again and again in one process, and print how long that takes.
    Bench(bench::Arguments),
    /// Say what an upgrade would break or change, node by node, and why.
    Upgrade(upgrade::Arguments),
    /// Keep the facts of a fleet in one file, look into it, make one that can be shown to others.
    Facts(facts::Arguments),
    /// Do something with all nodes of a fleet.
    Fleet(fleet::Arguments),
    /// Say what a change does to nodes: compile them from two trees and compare their catalogs.
    Diff(Box<diff::Arguments>),
    /// Name the nodes that a change can touch, of a tree or of their facts, and say why.
    Affected(Box<affected::Arguments>),
    /// Say what of a tree no node uses: classes, types, functions, templates, files, keys and layers of Hiera.
    Unused(Box<unused::Arguments>),
    /// Say what of a tree the compiles of all nodes run and read: lines, arms of conditions, definitions, templates, files, keys.
    Coverage(Box<coverage::Arguments>),
    /// Say where the time of compiles goes: by module, class, type, function, template, key and file, and by what led there.
    Profile(Box<profile::Arguments>),
    /// Serve agents: catalogs and files, as Puppet Server does, behind the authority that is already there.
    Server(server::Arguments),
    /// Be a small certificate authority, in Puppet Server's own folder: make one, sign, revoke, list.
    Ca(ca::Arguments),
    /// Forget nodes that are gone: certificates, facts and reports, here and in PuppetDB.
    Node(node::Arguments),
    /// Make links by which this command is `puppet`, for tools that run Puppet.
    Face(face::link::Arguments),
    /// Print what a shell completes, or write the man pages.
    Completions(completions::Arguments),
}

fn main() -> ExitCode {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // A compile at a limit gets an error of its own.
        if Limit::of_unwinding(panic.payload()).is_none() {
            report(panic);
        }
    }));
    // Without it, an archive that is cut off while it is in use ends the process without a word.
    if let Err(error) = bunraku::map::guard() {
        output::note(&format!("Warning: Could not watch over archives in use: {error}"));
    }
    if let Some(identity) = face::of_this_process() {
        return face::run(identity);
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return refused(&error),
    };
    match arguments.command {
        Command::Compile(arguments) => compile::run(&arguments),
        Command::Build(arguments) => build::run(&arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Eval(arguments) => eval::run(&arguments),
        Command::Lookup(arguments) => lookup::run(&arguments),
        Command::Why(arguments) => why::run(&arguments),
        Command::WhyNot(arguments) => why_not::run(&arguments),
        Command::Graph(arguments) => graph::run(&arguments),
        Command::Config(arguments) => config::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Batch(arguments) => batch::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Upgrade(arguments) => upgrade::run(&arguments),
        Command::Facts(arguments) => facts::run(&arguments),
        Command::Fleet(arguments) => fleet::run(&arguments),
        Command::Diff(arguments) => diff::run(&arguments),
        Command::Affected(arguments) => affected::run(&arguments),
        Command::Unused(arguments) => unused::run(&arguments),
        Command::Coverage(arguments) => coverage::run(&arguments),
        Command::Profile(arguments) => profile::run(&arguments),
        Command::Server(arguments) => server::run(&arguments),
        Command::Ca(arguments) => ca::run(&arguments),
        Command::Node(arguments) => node::run(&arguments),
        Command::Face(arguments) => face::link::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments, Arguments::command()),
    }
}

/// Commands whose status 2 says that something was found: wrong arguments are 1 there, or a misspelt option would look like
/// a finding to whoever runs them in CI.
const TWO_IS_A_FINDING: [&str; 3] = ["affected", "diff", "unused"];

/// The status that a command leaves with where its arguments do not go together.
fn status_of_usage(command: &str) -> u8 {
    if TWO_IS_A_FINDING.contains(&command) { FAILED } else { USAGE }
}

/// Prints what is wrong with the arguments, or the help that they ask for; the exit status.
fn refused(error: &clap::Error) -> ExitCode {
    let command = std::env::args_os().skip(1).find(|word| !word.as_encoded_bytes().starts_with(b"-"));
    let is_finding = command.is_some_and(|command| TWO_IS_A_FINDING.iter().any(|name| command == *name));
    // Of stderr nobody can be told.
    if let (Err(error), false) = (output::unless_gone(error.print()), error.use_stderr()) {
        output::note(&format!("Error: Could not write the help: {error}"));
        return ExitCode::from(FAILED);
    }
    match (error.exit_code(), is_finding) {
        (0, _) => ExitCode::SUCCESS,
        (_, true) => ExitCode::from(FAILED),
        (_, false) => ExitCode::from(USAGE),
    }
}

/// Something was wrong with what the arguments name, rather than with the arguments themselves.
const FAILED: u8 = 1;
/// The arguments make no sense together; clap's own status for those it rejects.
const USAGE: u8 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subcommands_are_told_as_in_their_own_help() {
        let told = |command: &clap::Command| -> Vec<(String, String)> {
            let all = command.get_subcommands().filter(|one| one.get_name() != "help");
            all.map(|one| {
                (one.get_name().to_owned(), one.get_about().map(ToString::to_string).unwrap_or_default())
            })
            .collect()
        };
        let mut command = Arguments::command();
        let before = told(&command);
        command.build();
        assert_eq!(before, told(&command));
        assert!(before.len() > 10);
    }

    /// The first page of help is a text of its own; it names each command once, and fits a screen.
    #[test]
    fn the_page_of_help_has_every_command_once_and_fits_a_screen() {
        let is_of_command = |line: &&str| line.starts_with("  ") && line.as_bytes().get(2) != Some(&b' ');
        let listed = help::PAGE.lines().take_while(|line| !line.starts_with("Examples"));
        let mut told: Vec<&str> =
            listed.filter(is_of_command).filter_map(|line| line.split_whitespace().next()).collect();
        told.sort_unstable();
        let command = Arguments::command();
        let mut all: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        all.sort_unstable();
        assert_eq!(told, all);
        assert!(help::PAGE.lines().count() <= 48, "{}", help::PAGE.lines().count());
        assert!(help::PAGE.lines().all(|line| line.len() <= 84));
    }
}
