//! Messages as Puppet writes them on the console: with colours unless told otherwise, whatever reads them; notices and what is
//! below them on stdout, the rest on stderr.
//! Source: Puppet 7.23.0 and 8.10.0, by running them.

use crate::output;
use bunraku::{Diagnostic, Log, Severity};

/// How messages are coloured: the setting `color`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Colors {
    Ansi,
    Html,
    None,
}

/// The console.
#[derive(Clone, Debug)]
pub struct Console {
    colors: Colors,
    least: Severity,
}

/// What a message of a level begins with, its colour on a terminal and in HTML, and whether it goes to stderr.
fn look(level: Severity) -> (&'static str, &'static str, &'static str, bool) {
    const RED: (&str, &str) = ("\x1b[1;31m", "color: #FFA0A0");
    let (name, (ansi, html), is_error) = match level {
        Severity::Emerg => ("Emergency", RED, true),
        Severity::Alert => ("Alert", RED, true),
        Severity::Crit => ("Critical", RED, true),
        Severity::Err => ("Error", RED, true),
        Severity::Warning => ("Warning", ("\x1b[1;33m", "color: #FFFF60"), true),
        Severity::Notice => ("Notice", ("\x1b[m", ""), false),
        Severity::Info => ("Info", ("\x1b[0;32m", "color: #00CD00"), false),
        Severity::Debug => ("Debug", ("\x1b[0;36m", "color: #40FFFF"), false),
    };
    (name, ansi, html, is_error)
}

impl Console {
    /// A console as arguments say before any configuration is read.
    pub fn of_arguments(arguments: &[String]) -> Console {
        let mut color = "ansi";
        for (n, argument) in arguments.iter().enumerate() {
            match argument.strip_prefix("--color") {
                Some("") => color = arguments.get(n + 1).map_or(color, String::as_str),
                Some(value) => color = value.strip_prefix('=').unwrap_or(color),
                None => {}
            }
        }
        Console { colors: Colors::None, least: Severity::Notice }.colored(color)
    }

    /// The same with the setting `color` in force.
    pub fn colored(&self, color: &str) -> Console {
        let colors = match color {
            "true" | "ansi" | "yes" => Colors::Ansi,
            "html" => Colors::Html,
            _ => Colors::None,
        };
        Console { colors, ..self.clone() }
    }

    /// The same, which shows messages from a level on.
    pub fn showing(&self, least: Severity) -> Console {
        Console { least, ..self.clone() }
    }

    /// A message in the colour of its level.
    pub fn colorized(&self, level: Severity, text: &str) -> String {
        let (_, ansi, html, _) = look(level);
        match self.colors {
            Colors::None => text.to_owned(),
            Colors::Ansi => format!("{ansi}{}\x1b[0m", text.replace("\x1b[0m", ansi)),
            Colors::Html => format!("<span style=\"{html}\">{text}</span>"),
        }
    }

    /// Writes a message of a level, if such are shown.
    pub fn say(&self, level: Severity, text: &str) {
        if level < self.least {
            return;
        }
        let (name, _, _, is_error) = look(level);
        let line = self.colorized(level, &format!("{name}: {text}"));
        match is_error {
            true => output::note_as_it_is(&line),
            // Who reads no more of stdout gets the status all the same.
            false => _ = output::print(&format!("{line}\n")),
        }
    }

    /// Writes an error.
    pub fn error(&self, text: &str) {
        self.say(Severity::Err, text);
    }

    /// Writes what was logged, each with what has said it if that was not Puppet itself.
    pub fn logs(&self, logs: &[Log]) {
        for log in logs {
            match &log.source {
                Some(source) => self.say(log.level, &format!("{source}: {}", log.message)),
                None => self.say(log.level, &log.message),
            }
        }
    }

    /// Writes what was found in source text.
    pub fn diagnostic(&self, found: &Diagnostic) {
        self.say(found.severity, &found.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_on_unless_told_otherwise() {
        let console = |line: &str| {
            let all: Vec<String> = line.split(' ').map(str::to_owned).collect();
            Console::of_arguments(&all).colorized(Severity::Err, "a")
        };
        assert_eq!(console("catalog"), "\x1b[1;31ma\x1b[0m");
        assert_eq!(console("--color=false"), "a");
        assert_eq!(console("--color html x"), "<span style=\"color: #FFA0A0\">a</span>");
        assert_eq!(console("--color=ansi --color=no"), "a");
    }
}
