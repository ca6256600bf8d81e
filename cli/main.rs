//! The `bunraku` command: reads the arguments and hands over to the subcommand.

// They panic where the reader has gone; see `output`.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod affected;
mod batch;
mod bench;
mod build;
mod check;
mod compile;
mod config;
mod configured;
mod confine;
mod diff;
mod environment;
mod eval;
mod facts;
mod fleet;
mod inspect;
mod ldap;
mod lookup;
mod nodes;
mod output;
mod prepared;
mod render;
mod reports;
mod rules;
mod tree;
mod trees;
mod upgrade;
mod world;

use bunraku::Limit;
use clap::{Parser, Subcommand};
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Compiles the Puppet language.
///
/// Exit status: 0 where all is well, 1 where errors were found, 2 where the arguments are wrong.
#[derive(Parser)]
#[command(name = "bunraku", version, about, max_term_width = 110, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Compile(compile::Arguments),
    Build(build::Arguments),
    Inspect(inspect::Arguments),
    Eval(eval::Arguments),
    Lookup(lookup::Arguments),
    Config(config::Arguments),
    Check(check::Arguments),
    Batch(batch::Arguments),
    Bench(bench::Arguments),
    Upgrade(upgrade::Arguments),
    Facts(facts::Arguments),
    Fleet(fleet::Arguments),
    Diff(diff::Arguments),
    Affected(affected::Arguments),
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
    match Arguments::parse().command {
        Command::Compile(arguments) => compile::run(&arguments),
        Command::Build(arguments) => build::run(&arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Eval(arguments) => eval::run(&arguments),
        Command::Lookup(arguments) => lookup::run(&arguments),
        Command::Config(arguments) => config::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Batch(arguments) => batch::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Upgrade(arguments) => upgrade::run(&arguments),
        Command::Facts(arguments) => facts::run(&arguments),
        Command::Fleet(arguments) => fleet::run(&arguments),
        Command::Diff(arguments) => diff::run(&arguments),
        Command::Affected(arguments) => affected::run(&arguments),
    }
}

/// Something was wrong with what the arguments name, rather than with the arguments themselves.
const FAILED: u8 = 1;
/// The arguments make no sense together; clap's own status for those it rejects.
const USAGE: u8 = 2;
