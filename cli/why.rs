//! `bunraku why`: why something is in a node's catalog, and who set what.

use crate::compile_arguments::CompileArguments;
use crate::render::{ColorChoice, MessageFormat, Renderer};
use crate::trees::TreeOption;
use crate::{FAILED, output};
use bunraku::origins::{
    self, About, Code, CodePlace, DataPlace, EdgeReason, EdgeSource, Expression, How, Origins, Parameter,
    ParameterOrigin, Step, Via,
};
use clap::Args;
use std::fmt::Write as _;
use std::process::ExitCode;

/// Say why something is in a node's catalog: what declares it and leads to it, and what set each parameter.
///
/// Exit status: 0 where it is there, 1 where it is not (names that are like it are on stderr), or the catalog does not compile.
#[derive(Args)]
pub struct Arguments {
    /// Certname of the node.
    #[arg(value_name = "NODE")]
    name: String,
    /// What is asked for: `File[/etc/motd]`, `Class[apache]`.
    #[arg(value_name = "RESOURCE", required_unless_present = "edge")]
    resource: Option<String>,
    /// One parameter of it [default: all].
    #[arg(value_name = "PARAMETER")]
    parameter: Option<String>,
    /// Say why the first of two resources comes before the second.
    #[arg(long, num_args = 2, value_names = ["FROM", "TO"], conflicts_with_all = ["resource", "parameter"])]
    edge: Option<Vec<String>>,
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
        compiler.origins_about(target, about(arguments))
    });
    let told = match told {
        Ok(told) => told,
        Err(status) => return status,
    };
    match answer(arguments, &told) {
        Ok(text) => output::finish(&mut renderer, &text, "the answer", ExitCode::SUCCESS),
        Err(message) => renderer.failure(&message, FAILED),
    }
}

/// What is asked about. Of an edge that there is not, it is said whether there is one back: that is the same question.
fn about(arguments: &Arguments) -> About {
    match arguments.edge.as_deref() {
        Some([from, to]) => About::Edges(from.clone(), to.clone()),
        _ => About::Resource(arguments.resource.clone().unwrap_or_default(), arguments.parameter.clone()),
    }
}

fn answer(arguments: &Arguments, told: &Origins) -> Result<String, String> {
    let find = |reference: &str| told.find(reference).map_err(|close| missing(&told.node, reference, &close));
    if let Some([from, to]) = arguments.edge.as_deref() {
        let (from, to) = (find(from)?, find(to)?);
        let reasons = told.edges(from, to);
        if arguments.json {
            let all: Vec<_> = reasons.iter().map(|reason| origins::edge(told, reason)).collect();
            return Ok(format!("{:#}\n", serde_json::Value::from(all)));
        }
        return Ok(edge(told, from, to, &reasons));
    }
    let number = find(arguments.resource.as_deref().unwrap_or_default())?;
    let parameter = arguments.parameter.as_deref();
    if let Some(name) = parameter.filter(|name| told.resource(number).parameter(name).is_none()) {
        let names = told.resource(number).parameters.iter().map(|one| one.name.clone());
        let close = origins::close(name, names);
        let reference = told.reference(number);
        return Err(format!("{reference} has no parameter '{name}' set{}", suggested(&close)));
    }
    Ok(match arguments.json {
        true => format!("{:#}\n", origins::resource(told, number, parameter)),
        false => resource(told, number, parameter),
    })
}

/// That a catalog has no such resource, and what it has that is like it.
pub fn missing(node: &str, reference: &str, close: &[String]) -> String {
    format!("The catalog of {node} has no {reference}{}", suggested(close))
}

/// The question behind a message whether something that there is was meant.
pub fn suggested(close: &[String]) -> String {
    if close.is_empty() { String::new() } else { format!("; is it {}?", close.join(", ")) }
}

/// A resource, its chain, its parameters.
fn resource(told: &Origins, number: usize, parameter: Option<&str>) -> String {
    let one = told.resource(number);
    let mut text = format!("{}\n", told.reference(number));
    let mut says = |lead: &str, step: &Step| {
        let subject = step.by.map_or_else(String::new, |by| format!(", in {}", told.reference(by)));
        let _ = writeln!(text, "  {lead} {}{subject}", by(step));
        for leaf in &step.data {
            let places: Vec<String> = leaf.places.iter().map(data_place).collect();
            let _ = writeln!(text, "    named by Hiera's {}: {}", leaf.key, places.join("; "));
        }
    };
    for (n, (link, step)) in told.chain(number).into_iter().enumerate() {
        match n {
            0 => says("is there", step),
            _ => says(&format!("{} is there", told.reference(link)), step),
        }
    }
    one.steps.iter().skip(1).for_each(|step| says("also", step));
    for place in &one.realized {
        let _ = writeln!(text, "  realized at {place}");
    }
    if one.is_virtual {
        text.push_str("  is virtual, and nothing realizes it: the node does not get it\n");
    }
    for one in one.parameters.iter().filter(|one| parameter.is_none_or(|name| name == one.name)) {
        let _ = writeln!(text, "  {} => {}", one.name, one.value);
        lines(told, one, 2, &mut text);
    }
    if parameter.is_none() && !one.tags.is_empty() {
        let _ = writeln!(text, "  tags: {}", one.tags.join(", "));
    }
    text
}

/// How a step leads somewhere.
fn by(step: &Step) -> String {
    let at = |what: &str| format!("by {what} at {}", step.place);
    match &step.how {
        How::Expression => at("a resource expression"),
        How::CreateResources => at("create_resources"),
        How::Include => at("include"),
        How::Contain => at("contain"),
        How::Require => at("require"),
        How::Classifier => "by the node's classifier".to_owned(),
        How::Inherited => at("a class that inherits it,"),
        How::Node => format!("as the node's definition at {}", step.place),
        How::Exported(node) => format!("by a collector, as {node} exports it"),
        How::Always => "as in every catalog".to_owned(),
    }
}

/// How deep parameters are followed to where their values come from.
const DEEPEST: usize = 20;

fn lines(told: &Origins, parameter: &Parameter, depth: usize, text: &mut String) {
    let indent = "  ".repeat(depth);
    let mut line = |words: String| {
        let _ = writeln!(text, "{indent}{words}");
    };
    let (code, words) = match &parameter.origin {
        ParameterOrigin::Attribute(code) => (Some(code), format!("set at {}", code.place)),
        ParameterOrigin::ResourceDefault(code, class) => {
            let class = class.as_ref().map_or_else(String::new, |class| format!(" of class {class}"));
            (Some(code), format!("resource default{class} at {}", code.place))
        }
        ParameterOrigin::Override(code) => (Some(code), format!("overridden at {}", code.place)),
        ParameterOrigin::Collector(code, at) => {
            (Some(code), format!("overridden at {} by the collector at {at}", code.place))
        }
        ParameterOrigin::Definition(code) => (Some(code), format!("default at {}", code.place)),
        ParameterOrigin::Hiera { key, leaves, shadowed } => {
            line(format!("Hiera's {key}"));
            for (leaves, word) in [(leaves, "="), (shadowed, "shadows")] {
                for leaf in leaves {
                    let places: Vec<String> = leaf.places.iter().map(data_place).collect();
                    line(format!("  {} {word} {}: {}", leaf.key, leaf.value, places.join("; ")));
                }
            }
            return;
        }
        ParameterOrigin::Classifier => (None, "the node's classifier".to_owned()),
        ParameterOrigin::CreateResources(at) => (None, format!("the hash of create_resources at {at}")),
        ParameterOrigin::Arrows(places) => {
            let places: Vec<String> = places.iter().map(CodePlace::to_string).collect();
            (None, format!("arrows at {}", places.join(", ")))
        }
        ParameterOrigin::Changed => {
            (None, "changed in place by the Ruby of a template or function".to_owned())
        }
        ParameterOrigin::Require(at) => (None, format!("the function require at {at}")),
        ParameterOrigin::Container(number) => (None, format!("handed down by {}", told.reference(*number))),
        ParameterOrigin::Exported(node) => (None, format!("exported by {node}")),
        ParameterOrigin::Own => (None, "the compile itself".to_owned()),
    };
    match code.and_then(|code| code.written.as_ref()) {
        None => line(words),
        Some(written) => {
            line(format!("{words}: {}", written.text));
            via(told, written, depth, text);
        }
    }
}

/// Where the variable of an expression comes from.
fn via(told: &Origins, written: &Expression, depth: usize, text: &mut String) {
    let indent = "  ".repeat(depth);
    let mut line = |words: String| {
        let _ = writeln!(text, "{indent}{words}");
    };
    match written.via.as_deref() {
        None => {}
        Some(Via::Fact(name)) => line(format!("which is the fact {name}")),
        Some(Via::Trusted(name)) => line(format!("which is the trusted fact {name}")),
        Some(Via::Classifier(name)) => line(format!("which is {name} of the node's classifier")),
        Some(Via::Assigned(all)) => {
            for Code { place, written } in all {
                let shown = written.as_ref().map_or("", |written| &written.text);
                line(format!("which is assigned at {place}: {shown}"));
            }
        }
        Some(Via::Parameter(number, name)) => {
            let of = told.resource(*number);
            line(format!("which is the parameter {name} of {}", told.reference(*number)));
            if let Some(next) = of.parameter(name).filter(|_| depth < DEEPEST) {
                lines(told, next, depth + 1, text);
            }
        }
    }
}

fn data_place(place: &DataPlace) -> String {
    match place {
        DataPlace::File(file, Some(line)) => format!("{file}:{line}"),
        DataPlace::File(file, None) => file.clone(),
        DataPlace::Entry(entry, Some(uri)) => format!("entry {entry}, {uri}"),
        DataPlace::Entry(entry, None) => format!("entry {entry}"),
        DataPlace::Default => "default value".to_owned(),
    }
}

/// The reasons of an edge.
fn edge(told: &Origins, from: usize, to: usize, reasons: &[EdgeReason]) -> String {
    let name = |number: usize| told.reference(number);
    if reasons.is_empty() {
        let back = if told.edges(to, from).is_empty() { "" } else { ", but the other way round" };
        return format!(
            "Nothing in the catalog puts {} before {}{back}. (What an agent requires by itself is in no catalog.)\n",
            name(from),
            name(to)
        );
    }
    let mut text = String::new();
    for EdgeReason { from, to, by } in reasons {
        let (from, to) = (name(*from), name(*to));
        let _ = match by {
            EdgeSource::Containment => writeln!(text, "{from} contains {to}"),
            EdgeSource::Arrow(notify, at) => {
                let arrow = if *notify { "~>" } else { "->" };
                writeln!(text, "{from} {arrow} {to}: arrow at {at}")
            }
            EdgeSource::Parameter(owner, parameter) => {
                let mut told_of = String::new();
                if let Some(one) = told.resource(*owner).parameter(parameter) {
                    lines(told, one, 1, &mut told_of);
                }
                writeln!(text, "{from} -> {to}: {parameter} of {}\n{}", name(*owner), told_of.trim_end())
            }
        };
    }
    text
}
