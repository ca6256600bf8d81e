//! Arguments as Puppet takes them: each of its settings is an option (`--confdir DIR`, `--confdir=DIR`, `--[no-]noop`), besides
//! those of the action; everything else is a word. The last of several counts.
//! Source: Puppet 7.23.0 and 8.10.0, its messages by running it.

use bunraku::{Compat, is_boolean_setting, is_setting_of};

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing.
    Nothing,
    /// Nothing; `--no-NAME` is its opposite.
    OnOff,
    /// A value.
    Value,
}

/// An option of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Own {
    /// Its name.
    pub long: &'static str,
    /// Its letter.
    pub short: Option<char>,
    /// What it takes.
    pub takes: Takes,
}

impl Own {
    /// One that takes a value.
    pub const fn value(long: &'static str) -> Own {
        Own { long, short: None, takes: Takes::Value }
    }

    /// One that takes nothing.
    pub const fn flag(long: &'static str) -> Own {
        Own { long, short: None, takes: Takes::Nothing }
    }

    /// One that takes nothing and has an opposite.
    pub const fn on_off(long: &'static str) -> Own {
        Own { long, short: None, takes: Takes::OnOff }
    }

    /// The same with a letter.
    pub const fn or(self, letter: char) -> Own {
        Own { short: Some(letter), ..self }
    }
}

/// What was given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// Settings, in the order in which they were given.
    pub settings: Vec<(String, String)>,
    /// Options of the action; those that take nothing have `true` or `false`.
    own: Vec<(&'static str, String)>,
    /// All that is no option.
    pub words: Vec<String>,
}

/// What Puppet says where an argument is wrong, the stage that finds it included.
pub type Refusal = String;

impl Given {
    /// The value of an option of the action.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.own.iter().rev().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    /// Whether an option was given that takes nothing.
    pub fn has(&self, name: &str) -> bool {
        self.option(name) == Some("true")
    }
}

/// What an argument turned out to be.
enum Found<'a> {
    Word(&'a str),
    Setting { name: String, value: Option<String>, takes: Takes },
    Own { option: Own, value: Option<String>, written: &'a str },
}

/// Reads arguments; `own` are the options that there are besides settings.
///
/// # Errors
/// Puppet's message for an option that there is not, or whose value is missing or too much.
pub fn parse(arguments: &[String], compat: Compat, own: &[Own]) -> Result<Given, Refusal> {
    let mut given = Given::default();
    let mut rest = arguments.iter().map(String::as_str);
    while let Some(argument) = rest.next() {
        if argument == "--" {
            given.words.extend(rest.by_ref().map(str::to_owned));
            break;
        }
        match found(argument, compat, own)? {
            Found::Word(word) => given.words.push(word.to_owned()),
            Found::Setting { name, value, takes: Takes::Value } => {
                let next = || rest.next().filter(|next| !is_like_an_option(next)).map(str::to_owned);
                let value = value.or_else(next).ok_or_else(|| missing_value_of_setting(&name))?;
                given.settings.push((name, value));
            }
            Found::Setting { name, value, .. } => {
                given.settings.push((name, value.unwrap_or_else(|| "true".to_owned())));
            }
            Found::Own { option, value, written } => {
                let value = match (option.takes, value) {
                    (Takes::Value, None) => rest
                        .next()
                        .map(str::to_owned)
                        .ok_or_else(|| format!("{OPTIONS}: missing argument: {written}"))?,
                    (_, value) => value.unwrap_or_else(|| "true".to_owned()),
                };
                given.own.push((option.long, value));
            }
        }
    }
    Ok(given)
}

/// The stages of Puppet that look at arguments.
const OPTIONS: &str = "Could not parse application options";
/// See [`OPTIONS`].
pub const SETTINGS: &str = "Could not initialize global default settings";

fn missing_value_of_setting(name: &str) -> Refusal {
    format!("{SETTINGS}: Error parsing arguments\nWrapped exception:\noption '--{name}' needs a parameter")
}

/// What follows a setting is its value unless it looks like an option: a dash and no number.
fn is_like_an_option(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('-') else { return false };
    rest.chars().next().is_some_and(|c| !c.is_ascii_digit() && (c != '.' || rest == "."))
}

fn found<'a>(argument: &'a str, compat: Compat, own: &[Own]) -> Result<Found<'a>, Refusal> {
    if let Some(long) = argument.strip_prefix("--") {
        let (name, value) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (long, None),
        };
        return long_option(argument, (name, value), compat, own);
    }
    let mut letters = argument.strip_prefix('-').unwrap_or_default().chars();
    match (letters.next(), letters.as_str()) {
        (None, _) => Ok(Found::Word(argument)),
        (Some(letter), attached) => {
            let option = own.iter().find(|option| option.short == Some(letter));
            let option = option.ok_or_else(|| invalid(argument))?;
            let value = (!attached.is_empty()).then(|| attached.to_owned());
            if option.takes != Takes::Value && value.is_some() {
                return Err(invalid(argument));
            }
            Ok(Found::Own { option: *option, value, written: argument })
        }
    }
}

fn long_option<'a>(
    argument: &'a str,
    (name, value): (&'a str, Option<String>),
    compat: Compat,
    own: &[Own],
) -> Result<Found<'a>, Refusal> {
    let is = |option: &&Own, name: &str| option.long.replace('-', "_") == name.replace('-', "_");
    let negated = name.strip_prefix("no-");
    // An action's own goes before a setting of the same name.
    if let Some(option) = own.iter().find(|option| is(option, name)) {
        if option.takes != Takes::Value && value.is_some() {
            return Err(format!("{OPTIONS}: needless argument: {argument}"));
        }
        return Ok(Found::Own { option: *option, value, written: argument });
    }
    if let Some(name) = negated
        && let Some(option) = own.iter().find(|option| option.takes == Takes::OnOff && is(option, name))
    {
        return Ok(Found::Own { option: *option, value: Some("false".to_owned()), written: argument });
    }
    let setting = |name: &str, value, takes| Ok(Found::Setting { name: name.to_owned(), value, takes });
    match (is_setting_of(compat, name), negated.filter(|name| is_boolean_setting(compat, name))) {
        (true, _) if is_boolean_setting(compat, name) => match value {
            Some(_) => Err(format!("{OPTIONS}: needless argument: {argument}")),
            None => setting(name, None, Takes::OnOff),
        },
        (true, _) => setting(name, value, Takes::Value),
        (false, Some(_)) if value.is_some() => Err(format!("{OPTIONS}: needless argument: {argument}")),
        (false, Some(name)) => setting(name, Some("false".to_owned()), Takes::OnOff),
        (false, None) => Err(invalid(argument)),
    }
}

fn invalid(argument: &str) -> Refusal {
    format!("{OPTIONS}: invalid option: {argument}")
}

/// The first word, and where it stands. An option before it that there is not is told without its value.
///
/// # Errors
/// As of [`parse`], for options before it.
pub fn first_word(arguments: &[String], compat: Compat, own: &[Own]) -> Result<Option<usize>, Refusal> {
    let mut n = 0;
    while let Some(argument) = arguments.get(n) {
        let name = argument.split_once('=').map_or(argument.as_str(), |(name, _)| name);
        match found(argument, compat, own).map_err(|error| error.replace(argument, name))? {
            Found::Word(_) => return Ok(Some(n)),
            Found::Setting { value: None, takes: Takes::Value, .. } => n += 2,
            Found::Own { value: None, option: Own { takes: Takes::Value, .. }, .. } => n += 2,
            _ => n += 1,
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: [Own; 3] =
        [Own::value("terminus"), Own::on_off("continue_on_error"), Own::flag("verbose").or('v')];

    fn given(line: &str) -> Result<Given, Refusal> {
        let all: Vec<String> = line.split(' ').map(str::to_owned).collect();
        parse(&all, Compat::V7, &OWN)
    }

    fn settings(line: &str) -> Vec<(String, String)> {
        given(line).expect("they are arguments").settings
    }

    #[test]
    fn settings_are_options() {
        let of = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(settings("--confdir /a --confdir=/b=c"), [of("confdir", "/a"), of("confdir", "/b=c")]);
        assert_eq!(
            settings("--noop --no-storeconfigs --no-daemonize"),
            [of("noop", "true"), of("storeconfigs", "false"), of("daemonize", "false")]
        );
        assert_eq!(settings("--max_errors -1"), [of("max_errors", "-1")]);
    }

    #[test]
    fn options_of_the_action_are_told_apart() {
        let all = given("a -v --terminus yaml --no-continue-on-error -- --b").expect("they are arguments");
        assert_eq!(all.words, ["a", "--b"]);
        assert_eq!((all.has("verbose"), all.option("terminus")), (true, Some("yaml")));
        assert_eq!(all.option("continue_on_error"), Some("false"));
    }

    #[test]
    fn what_is_wrong_is_said_in_puppets_words() {
        let error = |line: &str| given(line).expect_err("it is wrong");
        assert_eq!(error("--nosuch=1"), "Could not parse application options: invalid option: --nosuch=1");
        assert_eq!(error("-x"), "Could not parse application options: invalid option: -x");
        assert_eq!(
            error("--no-confdir"),
            "Could not parse application options: invalid option: --no-confdir"
        );
        assert_eq!(
            error("--noop=true"),
            "Could not parse application options: needless argument: --noop=true"
        );
        assert_eq!(error("--terminus"), "Could not parse application options: missing argument: --terminus");
        assert!(error("--confdir --noop").ends_with("option '--confdir' needs a parameter"));
    }

    #[test]
    fn the_first_word_stands_behind_options_and_their_values() {
        let at = |line: &str| {
            let all: Vec<String> = line.split(' ').map(str::to_owned).collect();
            first_word(&all, Compat::V8, &OWN)
        };
        assert_eq!(at("--confdir /a --noop -v --terminus=x compile n"), Ok(Some(5)));
        assert_eq!(at("--noop"), Ok(None));
        assert!(at("--nosuch=1 compile").is_err_and(|error| error.ends_with("invalid option: --nosuch")));
    }
}
