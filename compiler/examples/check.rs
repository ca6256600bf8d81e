//! Parses and checks many files and prints one JSON line for each, for comparison with other
//! implementations: `cargo run --release -p bunraku-compiler --example check -- FILE…` (or paths on stdin).
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::disallowed_types,
    reason = "an example reads files and says what it saw"
)]

use bumpalo::Bump;
use bunraku_compiler::check::{CheckOptions, Location, Strict, check, namespace_of};
use bunraku_compiler::{ParseLimits, SourceFile, SourceKind, parse, source};
use bunraku_vm::diagnostic::Diagnostic;
use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

fn main() -> std::io::Result<()> {
    let mut paths: Vec<String> = std::env::args().skip(1).collect();
    let repeat = match paths.first().and_then(|first| first.strip_prefix("--repeat=")) {
        Some(times) => {
            let times = times.parse().unwrap_or(1);
            paths.remove(0);
            times
        }
        None => 1,
    };
    if paths.is_empty() {
        paths = std::io::stdin().lock().lines().collect::<Result<_, _>>()?;
    }
    let files: Vec<(String, Vec<u8>)> = paths
        .into_iter()
        .map(|path| std::fs::read(&path).map(|bytes| (path, bytes)))
        .collect::<Result<_, _>>()?;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut bytes = 0;
    let mut time = Duration::ZERO;
    let mut arena = Bump::new();
    for round in 0..repeat {
        for (path, content) in &files {
            bytes += content.len();
            let start = Instant::now();
            let diagnostics = verdict(&arena, path, content);
            time += start.elapsed();
            arena.reset();
            if round == 0 {
                let list: Vec<String> = diagnostics.iter().map(as_json).collect();
                writeln!(out, "{{\"file\":{},\"diagnostics\":[{}]}}", quote(path), list.join(","))?;
            }
        }
    }
    let seconds = time.as_secs_f64();
    eprintln!(
        "{} files, {bytes} bytes, {seconds:.3} s, {:.1} MB/s",
        files.len(),
        bytes as f64 / 1e6 / seconds
    );
    Ok(())
}

fn verdict(arena: &Bump, path: &str, bytes: &[u8]) -> Vec<Diagnostic> {
    let text = match source::decode(Some(path), bytes) {
        Ok(text) => text,
        Err(diagnostic) => return vec![*diagnostic],
    };
    let kind = if path.ends_with(".epp") { SourceKind::Epp } else { SourceKind::Manifest };
    let file = SourceFile { path: Some(path), text, kind };
    match parse(arena, &file, &ParseLimits::default()) {
        Ok(parsed) => {
            let namespace = module_path(path).map(namespace_of);
            let location = match &namespace {
                None => Location::Free,
                Some(None) => Location::Misplaced,
                Some(Some(namespace)) => Location::Namespace(namespace),
            };
            let mut diagnostics = parsed.warnings;
            diagnostics.extend(check(
                &parsed.program,
                &file,
                &CheckOptions { strict: Strict::Error, location, ..CheckOptions::default() },
            ));
            diagnostics
        }
        Err(diagnostics) => diagnostics,
    }
}

/// The path within the module path that the environment variable `MODPATH` names.
fn module_path(path: &str) -> Option<&str> {
    static MODPATH: std::sync::OnceLock<Option<String>> = std::sync::OnceLock::new();
    let modpath = MODPATH.get_or_init(|| std::env::var("MODPATH").ok()).as_deref()?;
    path.ends_with(".pp").then_some(())?;
    path.strip_prefix(modpath)?.strip_prefix('/')
}

fn as_json(diagnostic: &Diagnostic) -> String {
    let number = |value: Option<u32>| value.map_or("null".to_owned(), |value| value.to_string());
    format!(
        "[{},{},{},{}]",
        quote(diagnostic.severity.name()),
        quote(&diagnostic.message),
        number(diagnostic.place.line),
        number(diagnostic.place.column)
    )
}

fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            control if control < ' ' => quoted.push_str(&format!("\\u{:04x}", u32::from(control))),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
