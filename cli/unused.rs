//! `bunraku unused`: what of a tree no node of a fleet uses.

use crate::render::{ColorChoice, MessageFormat, Renderer};
use crate::trees::TreeAndNodes;
use crate::{FAILED, output};
use bunraku::pieces::{PieceKind, shown};
use bunraku_fleet::report::counted;
use bunraku_fleet::tree::in_puppetfile;
use bunraku_fleet::unused::{Dead, Unused, unused};
use clap::{Args, ValueEnum};
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

/// The form of what is printed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// By kind, a line each; modules of which nothing is used in one line.
    Text,
    /// One document.
    Json,
}

/// Say what of a tree no node uses: classes, types, functions, templates, files, keys and layers of Hiera.
///
/// All nodes are compiled, and what they ask for is noted (see `bunraku affected`); what none of them asks for can go without a change
/// of any of their catalogs. `certain` is what no code could come to by a name that it computes; the rest says what speaks against it.
///
/// Exit status: 0 where all is used, 2 where something is not, 1 where something went wrong, the arguments among it, or a
/// node does not compile.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    tree: TreeAndNodes,
    /// Only what is certain.
    #[arg(long)]
    certain: bool,
    /// Only what lies in these modules. It may be given several times.
    #[arg(long = "module", value_name = "MODULE")]
    within: Vec<String>,
    /// Leave out modules that the tree's Puppetfile names: they are somebody else's.
    #[arg(long)]
    own: bool,
    /// Form of what is printed.
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: Form,
    #[command(flatten)]
    color: ColorChoice,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    let mut renderer = Renderer::stderr(arguments.color.color, MessageFormat::Text);
    let answer = arguments.tree.ask("unused", &mut renderer, |fleet| {
        unused(fleet.compiler, fleet.names, fleet.target, fleet.threads, fleet.each)
    });
    match answer {
        Ok((mut answer, folder)) => {
            if let Some(unknown) = arguments.within.iter().find(|name| !answer.all_modules.contains(*name)) {
                return renderer
                    .failure(&format!("--module {unknown}: the tree has nothing of such a module"), FAILED);
            }
            if arguments.own {
                let foreign = match foreign(folder.as_deref()) {
                    Ok(foreign) => foreign,
                    Err(message) => return renderer.failure(&message, FAILED),
                };
                let is_own = |module: &String| !foreign.contains(module);
                answer.dead.retain(|dead| dead.piece.module.as_ref().is_none_or(is_own));
                answer.modules.retain(is_own);
            }
            answer.dead.retain(|dead| is_wanted(arguments, dead));
            tell(arguments, &answer, folder.as_deref(), &mut renderer)
        }
        Err((message, status)) => renderer.failure(&message, status),
    }
}

/// The modules of others, by the tree's Puppetfile.
fn foreign(folder: Option<&Path>) -> Result<BTreeSet<String>, String> {
    let folder = folder.ok_or("--own takes a folder or a version in git: an archive has no Puppetfile")?;
    let failed = |error| format!("--own: {} can't be read: {error}", folder.join("Puppetfile").display());
    in_puppetfile(folder).map_err(failed)
}

fn is_wanted(arguments: &Arguments, dead: &Dead) -> bool {
    let is_in = |module: &String| arguments.within.contains(module);
    (dead.is_certain() || !arguments.certain)
        && (arguments.within.is_empty() || dead.piece.module.as_ref().is_some_and(is_in))
}

fn tell(arguments: &Arguments, answer: &Unused, folder: Option<&Path>, renderer: &mut Renderer) -> ExitCode {
    let status = match (answer.failed.is_empty(), answer.dead.is_empty()) {
        (false, _) => ExitCode::from(FAILED),
        (true, false) => ExitCode::from(2),
        (true, true) => ExitCode::SUCCESS,
    };
    for (file, why) in &answer.unread {
        renderer.warning(&format!("Could not look into {}: {why}", file.display()));
    }
    if arguments.format == Form::Json {
        return output::finish(renderer, &format!("{}\n", as_json(answer, folder)), "the answer", status);
    }
    for (node, message) in &answer.failed {
        output::note(&format!("{node} does not compile, so nothing is certain: {message}"));
    }
    let certain = answer.dead.iter().filter(|dead| dead.is_certain()).count();
    output::note(&format!(
        "{} of {} pieces are used by none of {}, {certain} of them for certain",
        answer.dead.len(),
        answer.pieces,
        counted(answer.nodes, "node")
    ));
    output::finish(renderer, &as_text(answer, folder), "the answer", status)
}

/// The heading of a kind, and one word for it.
fn words(kind: PieceKind) -> (&'static str, &'static str) {
    match kind {
        PieceKind::Class => ("Classes", "class"),
        PieceKind::Define => ("Defined types", "define"),
        PieceKind::Node => ("Node definitions", "node"),
        PieceKind::Type => ("Data types", "type"),
        PieceKind::Function => ("Functions", "function"),
        PieceKind::Template => ("Templates", "template"),
        PieceKind::File => ("Files", "file"),
        PieceKind::Data => ("Files of data", "data"),
        PieceKind::Key => ("Keys of Hiera", "key"),
        PieceKind::Layer => ("Layers of Hiera", "layer"),
    }
}

fn as_json(answer: &Unused, folder: Option<&Path>) -> serde_json::Value {
    let unused: Vec<_> = answer
        .dead
        .iter()
        .map(|Dead { piece, reason, doubts }| {
            json!({
                "kind": words(piece.kind).1,
                "name": piece.name,
                "file": shown(&piece.file, folder),
                "line": piece.line,
                "module": piece.module,
                "reason": reason,
                "certain": doubts.is_empty(),
                "doubts": doubts,
            })
        })
        .collect();
    json!({
        "nodes": answer.nodes,
        "pieces": answer.pieces,
        "unused": unused,
        "modules": answer.modules,
        "failed": answer.failed,
    })
}

fn as_text(answer: &Unused, folder: Option<&Path>) -> String {
    let mut text = String::new();
    let is_whole =
        |dead: &&Dead| dead.piece.module.as_ref().is_some_and(|module| answer.modules.contains(module));
    let whole: Vec<&String> = answer
        .modules
        .iter()
        .filter(|module| answer.dead.iter().any(|dead| dead.piece.module.as_ref() == Some(module)))
        .collect();
    if !whole.is_empty() {
        text.push_str("Modules of which nothing is used\n");
        for module in whole {
            let own = || answer.dead.iter().filter(|dead| dead.piece.module.as_ref() == Some(module));
            let doubtful = own().filter(|dead| !dead.is_certain()).count();
            let certainty = match doubtful {
                0 => "certain".to_owned(),
                some => format!("{some} not certain"),
            };
            let _ = writeln!(text, "  {module} ({} pieces, {certainty})", own().count());
        }
    }
    let mut heading = None;
    for dead in answer.dead.iter().filter(|dead| !is_whole(dead)) {
        let Dead { piece, reason, doubts } = dead;
        if heading != Some(piece.kind) {
            let _ = writeln!(text, "{}", words(piece.kind).0);
            heading = Some(piece.kind);
        }
        let line = piece.line.map_or_else(String::new, |line| format!(":{line}"));
        let certainty = if doubts.is_empty() { "certain" } else { "not certain" };
        let _ =
            writeln!(text, "  {} ({}{line}): {reason}; {certainty}", piece.name, shown(&piece.file, folder));
        for doubt in doubts {
            let _ = writeln!(text, "    {doubt}");
        }
    }
    text
}
