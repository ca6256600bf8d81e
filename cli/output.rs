//! What the commands print. A reader that has gone (`| head`) wants no more of it: that is no failure, and the command
//! goes on to its end with the status that it would have had.

use crate::FAILED;
use crate::render::Renderer;
use bunraku::Configuration;
use bunraku::files::read;
use bunraku::files::write::{self, Access};
use bunraku::visible::visible_lines;
use clap::builder::{OsStringValueParser, TypedValueParser};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Once;

/// Prints on stdout.
///
/// # Errors
/// When it can't be written to, though somebody reads.
pub fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    unless_gone(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()))
}

/// Takes the name of a file to write: `-` is stdout, as it is stdin where files are read.
pub fn file() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(|name| match name == "-" {
        true => PathBuf::from("/dev/stdout"),
        false => PathBuf::from(name),
    })
}

/// Prints on stdout; the status to leave with, `status` unless that failed. `what` is named then.
pub fn finish(renderer: &mut Renderer, text: &str, what: &str, status: ExitCode) -> ExitCode {
    match print(text) {
        Ok(()) => status,
        Err(error) => renderer.failure(&format!("Could not write {what}: {error}"), FAILED),
    }
}

/// Writes a file, in place of what is there.
///
/// # Errors
/// When it can't be written.
pub fn save(file: &Path, text: &str) -> Result<(), String> {
    write::replace(file, text.as_bytes(), Access::Kept)
        .map_err(|error| format!("Could not write {}: {error}", file.display()))
}

/// How many columns a line on stdout may have: those of the terminal, or 100 where it is none.
pub fn width() -> usize {
    terminal_size::terminal_size_of(io::stdout()).map_or(100, |(width, _)| usize::from(width.0).max(20))
}

/// Prints lines on stderr, of which a terminal is told nothing but signs. Whoever closed it does not want to know.
pub fn note(text: &str) {
    note_as_it_is(&visible_lines(text));
}

/// The same of a text that has colours, or that is printed as Puppet prints it.
pub fn note_as_it_is(text: &str) {
    let _ = io::stderr().lock().write_all(format!("{text}\n").as_bytes());
}

/// Says once in this process why nothing of a configuration's file is in force, if that is so.
pub fn note_fault(configuration: &Configuration) {
    static TOLD: Once = Once::new();
    if let Some(fault) = configuration.fault() {
        TOLD.call_once(|| note(&format!("Error: {fault}")));
    }
}

/// No error where the reader has gone.
///
/// # Errors
/// All others.
pub fn unless_gone(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// All of stdin, within the limit of files.
///
/// # Errors
/// When it can't be read or is too much.
pub fn stdin_bytes() -> Result<Vec<u8>, String> {
    read::bounded(io::stdin().lock(), 0, read::MAX_FILE).map_err(|error| unreadable(&error))
}

/// The same as text.
///
/// # Errors
/// The same, and when it is not UTF-8.
pub fn stdin() -> Result<String, String> {
    let not_utf8 = |_| unreadable(&io::Error::other("stream did not contain valid UTF-8"));
    String::from_utf8(stdin_bytes()?).map_err(not_utf8)
}

fn unreadable(error: &io::Error) -> String {
    format!("Could not read stdin: {error}")
}
