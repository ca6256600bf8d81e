//! `bunraku graph`: a node's catalog as a picture.

use crate::compile_arguments::CompileArguments;
use crate::render::{ColorChoice, MessageFormat, Renderer};
use crate::trees::TreeOption;
use crate::why::missing;
use crate::{FAILED, output};
use bunraku::graph::{Graph, Kind, Part, dot, svg};
use bunraku::process::Limits;
use clap::{Args, ValueEnum};
use std::process::ExitCode;
use std::time::Duration;

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Drawn {
    /// What contains what, and what comes before what.
    All,
    /// What contains what, as Puppet's resources.dot.
    Resources,
    /// What comes before what, as relationships.dot.
    Relationships,
    /// The same with a beginning and an end of each container, as expanded_relationships.dot.
    #[value(name = "expanded_relationships", alias = "expanded")]
    Expanded,
}

/// The form of what is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// The language of Graphviz; of a kind that Puppet writes as Puppet writes it.
    Dot,
    /// A picture, for which Graphviz has to be installed.
    Svg,
}

/// When what is in a class is drawn as one with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Collapse {
    /// In pictures of more than 200 resources.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Draw a node's catalog: what contains what, what comes before what, dependency cycles in red.
///
/// Cycles are told on stderr besides. What an agent adds by itself is not drawn: schedules, and that a file requires its folder.
///
/// Exit status: 0 where it is drawn, cycles or not; 1 where the catalog does not compile, has no such resource, or Graphviz fails.
#[derive(Args)]
pub struct Arguments {
    /// Certname of the node.
    #[arg(value_name = "NODE")]
    name: String,
    /// What is drawn.
    #[arg(long, value_name = "KIND", default_value = "all")]
    kind: Drawn,
    /// Form of what is printed.
    #[arg(long, value_name = "FORM", default_value = "dot")]
    format: Form,
    /// Draw what is around a resource alone: `Service[nginx]`. It may be given several times.
    #[arg(long, value_name = "RESOURCE")]
    around: Vec<String>,
    /// How many lines away that may be.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "around")]
    depth: usize,
    /// Draw a class and what is in it alone; any other resource that contains others by its reference.
    #[arg(long, value_name = "CLASS", conflicts_with = "around")]
    class: Option<String>,
    /// When each class is drawn as one with what is in it.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    collapse: Collapse,
    /// How many seconds Graphviz may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    patience: u64,
    #[command(flatten)]
    tree: TreeOption,
    #[command(flatten)]
    inputs: CompileArguments,
    #[command(flatten)]
    color: ColorChoice,
}

/// From how many vertices on classes are drawn as one by themselves.
const MANY: usize = 200;

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    let mut renderer = Renderer::stderr(arguments.color.color, MessageFormat::Text);
    let told = arguments
        .tree
        .ask(&arguments.name, &arguments.inputs, &mut renderer, |compiler, target| compiler.graph(target));
    let graph = match told {
        Ok(graph) => graph,
        Err(status) => return status,
    };
    let text = match draw(arguments, &graph) {
        Ok(text) => text,
        Err(message) => return renderer.failure(&message, FAILED),
    };
    if !graph.cycles().is_empty() {
        output::note(&graph.cycles().to_string());
    }
    output::finish(&mut renderer, &text, "the graph", ExitCode::SUCCESS)
}

fn draw(arguments: &Arguments, graph: &Graph) -> Result<String, String> {
    let kind = match arguments.kind {
        Drawn::All => Kind::All,
        Drawn::Resources => Kind::Resources,
        Drawn::Relationships => Kind::Relationships,
        Drawn::Expanded => Kind::Expanded,
    };
    let is_picture = arguments.format == Form::Svg;
    let most = match arguments.collapse {
        Collapse::Auto => is_picture.then_some(MANY),
        Collapse::Always => Some(0),
        Collapse::Never => None,
    };
    let picture = graph.picture(kind, part(arguments, graph)?, most);
    if !is_picture {
        return Ok(if kind == Kind::All { dot::as_picture(&picture) } else { dot::as_puppet(&picture) });
    }
    let limits = Limits { time: Duration::from_secs(arguments.patience), ..Limits::default() };
    svg::from_dot(&dot::as_picture(&picture), limits)
}

fn part(arguments: &Arguments, graph: &Graph) -> Result<Option<Part>, String> {
    let find =
        |reference: &str| graph.find(reference).map_err(|close| missing(&graph.node, reference, &close));
    if let Some(class) = &arguments.class {
        let reference = if class.contains('[') { class.clone() } else { format!("Class[{class}]") };
        return find(&reference).map(Part::Within).map(Some);
    }
    let around: Vec<usize> =
        arguments.around.iter().map(|reference| find(reference)).collect::<Result<_, _>>()?;
    Ok((!around.is_empty()).then_some(Part::Around(around, arguments.depth)))
}
