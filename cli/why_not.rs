//! `bunraku why-not`: why something is not in a node's catalog.

use crate::compile_arguments::CompileArguments;
use crate::render::{ColorChoice, MessageFormat, Renderer};
use crate::trees::TreeOption;
use crate::why::suggested;
use crate::{FAILED, output};
use bunraku::why_not::{Cause, Told, Way, WhyNot, json};
use clap::Args;
use std::fmt::Write as _;
use std::process::ExitCode;

/// Say why something is not in a node's catalog: the places that would have declared it, and what kept each from it.
///
/// For each place the conditions that were false, with the values in them, or why the code around it is not run, down to code that is.
/// The node is compiled twice.
///
/// Exit status: 0 where something is said, 1 where it is in the catalog after all, the tree has no such class or defined type (names
/// that are like it are on stderr), or the catalog does not compile.
#[derive(Args)]
pub struct Arguments {
    /// Certname of the node.
    #[arg(value_name = "NODE")]
    name: String,
    /// What is asked for: `Class[apache]`, `File[/etc/motd]`.
    #[arg(value_name = "RESOURCE")]
    resource: String,
    /// Answer as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tree: TreeOption,
    #[command(flatten)]
    inputs: CompileArguments,
    #[command(flatten)]
    color: ColorChoice,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    let mut renderer = Renderer::stderr(arguments.color.color, MessageFormat::Text);
    let told = arguments.tree.ask(&arguments.name, &arguments.inputs, &mut renderer, |compiler, target| {
        compiler.why_not(target, &arguments.resource)
    });
    let told = match told {
        Ok(told) => told,
        Err(status) => return status,
    };
    let reference = format!("{}[{}]", told.reference.0, told.reference.1);
    if told.is_there {
        let message =
            format!("The catalog of {0} has {reference}: ask `bunraku why {0} '{reference}'`", told.node);
        return renderer.failure(&message, FAILED);
    }
    if !told.is_defined && told.ways.is_empty() && !arguments.json {
        let message = format!("The tree defines nothing for {reference}{}", suggested(&told.close));
        return renderer.failure(&message, FAILED);
    }
    let text = if arguments.json { format!("{:#}\n", json::json(&told)) } else { text(&told, &reference) };
    let status = if told.is_defined { ExitCode::SUCCESS } else { ExitCode::from(FAILED) };
    output::finish(&mut renderer, &text, "the answer", status)
}

fn text(told: &WhyNot, reference: &str) -> String {
    let mut out = format!("{reference} is not in the catalog of {}\n", told.node);
    if !told.is_defined {
        let _ = writeln!(out, "  the tree does not define it");
    }
    if told.ways.is_empty() {
        let _ = writeln!(out, "  no place in the code declares it by its name");
    }
    ways(&told.ways, told.more, 1, &mut out);
    for one in &told.data {
        let read = if one.is_read { "which the node reads" } else { "which the node does not read" };
        let _ = writeln!(out, "  named in {}:{}, {read}", one.file, one.line);
    }
    if let Some(one) = &told.classifier {
        let gives = if one.gives.is_empty() { "no class".to_owned() } else { one.gives.join(", ") };
        let _ = writeln!(
            out,
            "  the node's classifier gives {gives}; it could give {}",
            one.could_give.join(", or ")
        );
    }
    if !told.computed.is_empty() {
        out.push_str("  by names that are computed, it may be meant at\n");
        ways(&told.computed, 0, 2, &mut out);
    }
    out
}

fn ways(all: &[Way], more: usize, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    for way in all {
        let inside = if way.inside.is_empty() { String::new() } else { format!(", in {}", way.inside) };
        let _ = writeln!(out, "{indent}{}:{}: {}{inside}", way.file, way.line, way.text);
        cause(&way.cause, depth + 1, out);
    }
    if more > 0 {
        let _ = writeln!(out, "{indent}and {more} more places");
    }
}

fn cause(cause: &Cause, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    let mut line = |words: String| {
        let _ = writeln!(out, "{indent}{words}");
    };
    match cause {
        Cause::Ran { is_virtual: true } => {
            line("is run, and declares it virtually: nothing realizes it".to_owned())
        }
        Cause::Ran { is_virtual: false } => line("is run, and comes to something else".to_owned()),
        Cause::Condition(condition) => {
            line(format!("{} at line {}", json::words(condition), condition.line));
            for (text, values) in &condition.values {
                let values =
                    if values.is_empty() { "not asked for".to_owned() } else { values.join(", then ") };
                line(format!("  {text} is {values}"));
            }
        }
        Cause::Missing { definition, told: told @ (Told::Above | Told::Nowhere), .. } => {
            line(format!("{definition} is not in the catalog, {}", elsewhere(*told)));
        }
        Cause::Missing { definition, ways: inner, more, .. } => {
            let nothing = if inner.is_empty() { ", and nothing declares it by its name" } else { "" };
            line(format!("{definition} is not in the catalog{nothing}"));
            ways(inner, *more, depth + 1, out);
        }
        Cause::OtherNode => line("is not the node's definition".to_owned()),
        Cause::NotCalled { function, told: told @ (Told::Above | Told::Nowhere), .. } => {
            line(format!("the function {function} is not called, {}", elsewhere(*told)));
        }
        Cause::NotCalled { function, ways: inner, more, .. } => {
            let nothing = if inner.is_empty() { ", and nothing calls it by its name" } else { "" };
            line(format!("the function {function} is not called{nothing}"));
            ways(inner, *more, depth + 1, out);
        }
        Cause::Block(function, at) => line(format!("the block of {function} at line {at} is not called")),
        Cause::NotReached => line("is not reached".to_owned()),
    }
}

/// What is said in place of the ways, where they are not told here.
fn elsewhere(told: Told) -> &'static str {
    match told {
        Told::Nowhere => "for reasons that are not followed any further: ask for it by itself",
        Told::Here | Told::Above => "see above",
    }
}
