//! `bunraku inspect`: what an archive holds.

use crate::render::{ColorChoice, MessageFormat, Renderer};
use crate::{FAILED, output};
use bunraku::archive::inspect::{self, Listing, Report};
use bunraku::{archive, modulepath};
use clap::Args;
use serde_json::json;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Show what an archive holds: sections, files, definitions and what they refer to; or the code of one.
#[derive(Args)]
pub struct Arguments {
    /// The archive.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Show source and instructions of the file that defines NAME (a class, defined type, function or type alias), or
    /// of a path in the archive; the tree of an ERB template or a function in Ruby.
    #[arg(long, value_name = "NAME")]
    disassemble: Option<String>,
    /// Where the environment's sources are, for `--disassemble`, if they are not embedded.
    #[arg(long, value_name = "DIR", requires = "disassemble")]
    environment: Option<PathBuf>,
    /// Where the module path's sources are, likewise.
    #[arg(long, value_name = "DIR[:DIR…]", requires = "disassemble")]
    modulepath: Option<String>,
    #[command(flatten)]
    color: ColorChoice,
    /// Form of what is shown.
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: MessageFormat,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    let mut renderer = Renderer::stderr(arguments.color.color, arguments.format);
    let shown = archive::open(&arguments.file).and_then(|opened| match &arguments.disassemble {
        Some(name) => {
            let modulepath = arguments.modulepath.clone().map(|path| modulepath(&path));
            let folders: Vec<PathBuf> =
                arguments.environment.iter().cloned().chain(modulepath.into_iter().flatten()).collect();
            let folders: Vec<&Path> = folders.iter().map(PathBuf::as_path).collect();
            let listings = inspect::list(&opened, name, &folders)?;
            Ok(match arguments.format {
                MessageFormat::Text => listings.iter().map(listing).collect(),
                MessageFormat::Json => json!({ "units": listings }).to_string() + "\n",
            })
        }
        None => {
            let report = inspect::inspect(&opened)?;
            Ok(match arguments.format {
                MessageFormat::Text => text(&report),
                MessageFormat::Json => json!(report).to_string() + "\n",
            })
        }
    });
    match shown {
        Ok(shown) => output::finish(&mut renderer, &shown, "what the archive holds", ExitCode::SUCCESS),
        Err(message) => renderer.failure(&message, FAILED),
    }
}

fn text(report: &Report) -> String {
    let mut out = String::new();
    let of = if report.environment { "an environment" } else { "a module path" };
    let embedded = if report.embedded { "contents embedded" } else { "contents by hash" };
    let _ = writeln!(
        out,
        "{} bytes, of {of}, for version {}, {} files and folders, {embedded}\n",
        report.bytes, report.compat, report.entries
    );
    for section in &report.sections {
        let _ = writeln!(out, "{:12} {:>10}  {}", section.name, section.bytes, section.holds);
    }
    let _ = writeln!(out, "\nmodules, and those they list as dependencies");
    for (module, dependencies) in &report.modules {
        let listed = dependencies.as_ref().map_or("sees all".to_owned(), |list| list.join(", "));
        let _ = writeln!(out, "  {module}: {listed}");
    }
    let _ = writeln!(out, "\nfiles");
    for file in &report.files {
        let parts: Vec<String> =
            file.parts.iter().map(|(section, bytes)| format!("{section} {bytes}")).collect();
        let _ = writeln!(out, "  {} ({} bytes; {})", file.path, file.source_bytes, parts.join(", "));
        for (kind, name) in &file.defines {
            let _ = writeln!(out, "    {kind} {name}");
        }
        if !file.refers_to.is_empty() {
            let names: Vec<&str> = file.refers_to.iter().map(String::as_str).collect();
            let _ = writeln!(out, "    refers to {}", names.join(", "));
        }
    }
    out
}

fn listing(listing: &Listing) -> String {
    let mut out = format!("{}\n\n", listing.path);
    match &listing.source {
        Some(source) => {
            for (n, line) in source.lines().enumerate() {
                let _ = writeln!(out, "{:5} │ {line}", n + 1);
            }
        }
        None => out.push_str("(the source is not embedded, nor found as it was: --environment or --modulepath say where it is)\n"),
    }
    out.push('\n');
    out.push_str(&listing.disassembly);
    out
}
