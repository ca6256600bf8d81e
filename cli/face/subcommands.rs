//! What Puppet's subcommands are called and which of their actions are built here: what the first words of the arguments ask
//! for. Source: the commands of Puppet 7.23.0, 8.10.0 and OpenVox 9.0.0~rc1.

use super::arguments::{self, Own};
use super::identity::Identity;
use super::{Call, catalog, config, dump, epp, facts, lookup, parser};
use std::process::ExitCode;

/// What an action does; an error is printed as Puppet prints one that ends it.
type Run = fn(&mut Call) -> Result<ExitCode, String>;

/// An action of a subcommand.
pub struct Action {
    /// The subcommand.
    pub subcommand: &'static str,
    /// The action; empty where the subcommand has none, and all its words are arguments.
    pub name: &'static str,
    /// The options that only this one has.
    pub options: &'static [Own],
    /// Whether it is an application by itself, which ends without a word about help.
    pub is_application: bool,
    /// What it does.
    pub run: Run,
}

const TERMINUS: [Own; 2] = [Own::value("terminus"), Own::value("extra")];

const fn face(subcommand: &'static str, name: &'static str, options: &'static [Own], run: Run) -> Action {
    Action { subcommand, name, options, is_application: false, run }
}

/// All that is built here.
static ACTIONS: [Action; 10] = [
    face("catalog", "compile", &TERMINUS, catalog::compile),
    face("catalog", "find", &TERMINUS, catalog::find),
    face("config", "print", &config::OPTIONS, config::print),
    face("epp", "dump", &dump::EPP_OPTIONS, dump::template),
    face("epp", "render", &epp::RENDER_OPTIONS, epp::render),
    face("epp", "validate", &epp::VALIDATE_OPTIONS, epp::validate),
    face("facts", "find", &TERMINUS, facts::find),
    Action {
        subcommand: "lookup",
        name: "",
        options: &lookup::OPTIONS,
        is_application: true,
        run: lookup::run,
    },
    face("parser", "dump", &dump::PARSER_OPTIONS, dump::parser),
    face("parser", "validate", &[], parser::validate),
];

/// The options that every action takes.
const COMMON: [Own; 5] = [
    Own::flag("debug").or('d'),
    Own::flag("verbose").or('v'),
    Own::flag("help").or('h'),
    Own::flag("version").or('V'),
    Own::value("render-as"),
];

impl Action {
    /// The options that it takes besides settings.
    pub fn all_options(&self) -> impl Iterator<Item = Own> {
        COMMON.into_iter().chain(self.options.iter().copied())
    }

    /// Whether it may compile, or shows what a compile goes by; others look at source text and no more.
    pub fn compiles(&self) -> bool {
        !matches!((self.subcommand, self.name), ("parser", _) | ("epp", "dump" | "validate"))
    }
}

/// The actions that Puppet's subcommands have, of those of which some are built here, and whether there is one that needs no name.
const NAMES: [(&str, &[&str], bool); 5] = [
    ("catalog", &["apply", "compile", "download", "find", "info", "save", "select"], false),
    ("config", &["delete", "print", "set"], false),
    ("epp", &["dump", "render", "validate"], false),
    ("facts", &["diff", "find", "info", "save", "show", "upload"], true),
    ("parser", &["dump", "validate"], false),
];

/// Puppet's other subcommands: a real one gets them.
const OTHERS: [&str; 17] = [
    "agent",
    "apply",
    "describe",
    "device",
    "doc",
    "filebucket",
    "generate",
    "help",
    "man",
    "module",
    "node",
    "plugin",
    "report",
    "resource",
    "script",
    "ssl",
    "status",
];

/// What the arguments ask for.
pub enum Asked {
    /// An action, with its arguments.
    Action(&'static Action, Vec<String>),
    /// What only a real Puppet does, by its name.
    HandOver(String),
    /// Which version this is.
    Version,
    /// Nothing at all.
    Nothing,
    /// A subcommand that Puppet has not.
    Unknown(String),
    /// An option in the place of a subcommand.
    OptionAlone(String),
}

/// What arguments ask for.
///
/// # Errors
/// Puppet's message for an action that there is not, or an option before it that there is not.
pub fn asked(identity: &Identity, arguments: &[String]) -> Result<Asked, String> {
    let has = |names: [&str; 2]| arguments.iter().any(|argument| names.contains(&argument.as_str()));
    let Some((subcommand, rest)) = arguments.split_first() else { return Ok(Asked::Nothing) };
    if subcommand.starts_with('-') || subcommand.ends_with(".pp") {
        return Ok(match subcommand {
            _ if has(["--help", "-h"]) => Asked::HandOver("help".to_owned()),
            _ if has(["--version", "-V"]) => Asked::Version,
            option => Asked::OptionAlone(option.clone()),
        });
    }
    if let Some(action) =
        ACTIONS.iter().find(|action| action.subcommand == subcommand && action.name.is_empty())
    {
        return Ok(Asked::Action(action, rest.to_vec()));
    }
    // What neither Puppet nor we have may come of a module or a gem, where a real Puppet looks (`catalog diff`, `strings`).
    let may_know_more = identity.puppet.is_some();
    let Some((_, names, has_default)) = NAMES.iter().find(|(name, ..)| name == subcommand) else {
        return Ok(match OTHERS.contains(&subcommand.as_str()) || may_know_more {
            true => Asked::HandOver(subcommand.clone()),
            false => Asked::Unknown(subcommand.clone()),
        });
    };
    // An action's options may stand before its name.
    let own = ACTIONS.iter().filter(|action| action.subcommand == subcommand).flat_map(Action::all_options);
    let own: Vec<Own> = own.collect();
    let Some(at) = arguments::first_word(rest, identity.compat, &own)? else {
        return match has_default {
            _ if has(["--version", "-V"]) => Ok(Asked::Version),
            _ if has(["--help", "-h"]) => Ok(Asked::HandOver("help".to_owned())),
            true => Ok(Asked::HandOver(subcommand.clone())),
            false => Err(no_action(subcommand, "default")),
        };
    };
    let name = rest[at].as_str();
    if let Some(action) = ACTIONS.iter().find(|action| action.subcommand == subcommand && action.name == name)
    {
        let words = rest.iter().enumerate().filter(|(n, _)| *n != at).map(|(_, word)| word.clone());
        return Ok(Asked::Action(action, words.collect()));
    }
    match names.contains(&name) || *has_default || may_know_more {
        true => Ok(Asked::HandOver(format!("{subcommand} {name}"))),
        false => Err(no_action(subcommand, &format!("'{name}'"))),
    }
}

fn no_action(subcommand: &str, action: &str) -> String {
    format!("'{subcommand}' has no {action} action.  See `puppet help {subcommand}`.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use bunraku::Compat;

    fn of(line: &str) -> String {
        with(line, None)
    }

    fn with(line: &str, puppet: Option<&str>) -> String {
        let all: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let identity = Identity { compat: Compat::V7, puppet: puppet.map(Into::into), file: "f".into() };
        match asked(&identity, &all) {
            Ok(Asked::Action(action, words)) => {
                format!("{} {}: {}", action.subcommand, action.name, words.join(" "))
            }
            Ok(Asked::HandOver(what)) => format!("hand over {what}"),
            Ok(Asked::Version) => "version".to_owned(),
            Ok(Asked::Nothing) => "nothing".to_owned(),
            Ok(Asked::Unknown(name)) => format!("unknown {name}"),
            Ok(Asked::OptionAlone(option)) => format!("option {option}"),
            Err(error) => error,
        }
    }

    #[test]
    fn the_first_words_say_what_is_asked() {
        assert_eq!(of("catalog --confdir /a compile n -v"), "catalog compile: --confdir /a n -v");
        assert_eq!(of("lookup compile --merge deep"), "lookup : compile --merge deep");
        assert_eq!(of("epp --e x render"), "epp render: --e x");
        assert_eq!(of("catalog"), "'catalog' has no default action.  See `puppet help catalog`.");
        assert_eq!(of("parser nosuch"), "'parser' has no 'nosuch' action.  See `puppet help parser`.");
        assert_eq!(of("catalog apply x"), "hand over catalog apply");
        assert_eq!(of("facts"), "hand over facts");
        assert_eq!(of("agent -t"), "hand over agent");
        assert_eq!(of("nosuch"), "unknown nosuch");
        // Modules and gems may have more.
        let real = Some("/usr/bin/puppet");
        assert_eq!(with("catalog diff old new", real), "hand over catalog diff");
        assert_eq!(with("strings generate", real), "hand over strings");
        assert_eq!(with("catalog compile n", real), "catalog compile: n");
        assert_eq!(of("site.pp"), "option site.pp");
        assert_eq!(of("--noop --version"), "version");
        assert_eq!(of(""), "nothing");
    }
}
