//! `puppet epp validate` and `puppet epp render`.

use super::arguments::Own;
use super::lookup::facts_of_file;
use super::nodes::{Classified, without_node};
use super::parser::text_of;
use super::{Call, input, not_there, printed};
use crate::output;
use bunraku::bench::Target;
use bunraku::check::{self, How, SourceFile};
use bunraku::{Compiler, Data, Severity};
use std::fmt::Write;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The options of `validate`.
pub const VALIDATE_OPTIONS: [Own; 1] = [Own::on_off("continue_on_error")];

/// The options of `render`.
pub const RENDER_OPTIONS: [Own; 6] = [
    Own::value("node"),
    Own::value("e").or('e'),
    Own::value("values"),
    Own::value("values_file"),
    Own::value("facts"),
    Own::on_off("header"),
];

/// What Puppet calls the text of `--values` in messages.
const VALUES: &str = "values-hash";

/// How errors begin after which no further template is rendered.
const FATAL: [&str; 2] = ["epp(): Invalid EPP", "epp(): the template_args"];

/// Says what is wrong with templates.
pub fn validate(call: &mut Call) -> Result<ExitCode, String> {
    let (how, names) = (call.how()?, call.given.words.clone());
    let mut is_good = true;
    if names.is_empty() {
        match std::io::stdin().is_terminal() {
            true => call.console.say(Severity::Notice, "No template specified. No action taken"),
            false => is_good = call.is_template(&output::stdin()?, "<stdin>", &how),
        }
    }
    let mut missing = Vec::new();
    for name in names {
        if !is_good && !call.given.has("continue_on_error") {
            break;
        }
        match call.template(&name)? {
            Some(file) => is_good &= call.is_template(&text_of(&file)?, &file.to_string_lossy(), &how),
            // Puppet takes a whole path for there, and finds nothing wrong with what it can't read.
            None if Path::new(&name).is_absolute() => {}
            None => missing.push(name),
        }
    }
    match (missing.is_empty(), is_good) {
        (false, _) => Err(not_there(&missing)),
        (true, false) => Err("Errors while validating epp".to_owned()),
        (true, true) => Ok(ExitCode::SUCCESS),
    }
}

impl Call {
    /// Logs what is wrong with a template; whether nothing is.
    fn is_template(&self, text: &str, path: &str, how: &How) -> bool {
        self.is_right(&check::source(&SourceFile::epp(text).at(path), how), || ())
    }

    /// The file of a template: that of a module goes before one of the path.
    ///
    /// # Errors
    /// As of the configuration.
    pub fn template(&self, name: &str) -> Result<Option<PathBuf>, String> {
        if let Some((module, rest)) = name.split_once('/').filter(|(module, _)| !module.is_empty()) {
            for folder in self.module_folders()? {
                let file = folder.join(module).join("templates").join(rest);
                if file.is_file() {
                    return Ok(Some(file));
                }
            }
        }
        Ok(Some(PathBuf::from(name)).filter(|file| file.exists()))
    }

    /// The hash of the template's parameters as an expression: what the file says, and above it what the option says.
    fn values(&self) -> Result<Option<String>, String> {
        let of_file = match self.given.option("values_file") {
            None => None,
            Some(file) if file.ends_with(".pp") => {
                Some(format!("with('') |$no_value| {{ {} }}", text_of(Path::new(file))?))
            }
            Some(file) if file.ends_with(".yaml") => {
                Some(expression(&Data::from_yaml(&text_of(Path::new(file))?)?)?)
            }
            Some(_) => return Err("Only .yaml or .pp can be used as a --values_file".to_owned()),
        };
        let given = self.given.option("values").map(str::to_owned);
        Ok(match (of_file, given) {
            (Some(of_file), Some(given)) => Some(format!("{of_file} + ({given})")),
            (of_file, given) => of_file.or(given),
        })
    }
}

/// Data as an expression of the language.
fn expression(data: &Data) -> Result<String, String> {
    let all = |parts: Vec<String>| parts.join(", ");
    Ok(match data {
        Data::Undef => "undef".to_owned(),
        Data::Boolean(value) => value.to_string(),
        Data::Integer(whole) => whole.to_string(),
        Data::Float(number) if number.is_finite() => format!("{number:?}"),
        Data::Float(number) => return Err(format!("There is no way to write the number {number}")),
        Data::Text(text) => literal(text),
        Data::List(items) => format!("[{}]", all(items.iter().map(expression).collect::<Result<_, _>>()?)),
        Data::Map(pairs) => {
            let pair =
                |(key, item): &(String, Data)| Ok(format!("{} => {}", literal(key), expression(item)?));
            format!("{{{}}}", all(pairs.iter().map(pair).collect::<Result<_, String>>()?))
        }
    })
}

/// A text as a literal.
fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// Renders templates and prints what comes of them.
pub fn render(call: &mut Call) -> Result<ExitCode, String> {
    call.configuration = call.configuration.clone().in_user_mode();
    let names = call.given.words.clone();
    let values = call.values()?.map(|values| format!(", {values}")).unwrap_or_default();
    let inline = |text: &str| format!("inline_epp({}{values})", literal(text));
    let mut out = String::new();
    if let Some(text) = call.given.option("e") {
        call.check_values("inline_epp")?;
        out = call.rendered(&inline(text))?;
    } else if names.is_empty() {
        let text = input("process")?;
        call.check_values("inline_epp")?;
        out = call.rendered(&inline(&text))?;
    }
    let has_header = names.len() > 1 && call.given.option("header") != Some("false");
    let mut failed = false;
    for (n, name) in names.iter().enumerate() {
        if has_header {
            let _ = writeln!(out, "{}--- {name}", if n > 0 { "\n" } else { "" });
        }
        match call.check_values("epp").and_then(|()| call.rendered_file(name, &values)) {
            Ok(text) => out.push_str(&text),
            // That it is no template, or has no hash for its parameters, ends the command; of other errors it tells those of all.
            Err(error) if FATAL.iter().any(|begin| error.starts_with(begin)) => return Err(error),
            Err(error) => {
                if names.len() > 1 {
                    call.console.error(&format!("--- {}", call.shown(name)?));
                }
                call.console.error(&error);
                failed = true;
            }
        }
    }
    match failed {
        true => Err("error while rendering epp".to_owned()),
        false => Ok(printed(&out, ExitCode::SUCCESS)),
    }
}

impl Call {
    /// A template's name in errors: the whole path of a file that is no module's.
    fn shown(&self, name: &str) -> Result<String, String> {
        let file = self.template(name)?.filter(|file| file == Path::new(name));
        let whole = file.and_then(|file| std::path::absolute(file).ok());
        Ok(whole.map_or_else(|| name.to_owned(), |whole| whole.to_string_lossy().into_owned()))
    }

    /// The text of the template of a name.
    fn rendered_file(&self, name: &str, values: &str) -> Result<String, String> {
        let file = self.template(name)?.ok_or_else(|| format!("Could not find template '{name}'"))?;
        let file = std::path::absolute(&file).map_err(|error| format!("{name}: {error}"))?;
        self.rendered(&format!("epp({}{values})", literal(&file.to_string_lossy())))
    }

    /// Says what is wrong with `--values`, by itself, as Puppet evaluates it before each template: for the function that renders.
    fn check_values(&self, function: &str) -> Result<(), String> {
        let Some(values) = self.given.option("values") else { return Ok(()) };
        let (name, target) = self.target_to_render()?;
        let compiler = Compiler::new();
        let environment = target.environment.with_code_of(values, VALUES);
        let ran = compiler.evaluate(&environment, &target.node, &target.settings);
        compiler.end_without_freeing();
        let value = match ran.result {
            Ok(value) => value.map(|value| Data::from_json(&value.json)).transpose()?,
            Err(error) => {
                self.console.logs(&ran.logs);
                let message = without_node(&error.message, &name);
                let unprefixed = message.strip_prefix("Could not parse for environment ");
                let unprefixed = unprefixed.and_then(|rest| Some(rest.split_once(": ")?.1));
                return Err(unprefixed.unwrap_or(message).to_owned());
            }
        };
        let class = match value {
            None | Some(Data::Undef | Data::Map(_)) => return Ok(()),
            Some(Data::List(_)) => "Array",
            Some(Data::Text(_)) => "String",
            Some(Data::Integer(_)) => "Integer",
            Some(Data::Float(_)) => "Float",
            Some(Data::Boolean(true)) => "TrueClass",
            Some(Data::Boolean(false)) => "FalseClass",
        };
        self.console.error(&format!("--values option must evaluate to a Hash or undef, got: '{class}'"));
        // What Puppet goes on with is the message that it has logged.
        Err(format!("{function}(): the template_args must be a Hash, got a Puppet::Util::Log"))
    }

    /// What templates are rendered for: the node that is named, or this machine.
    fn target_to_render(&self) -> Result<(String, Target), String> {
        let facts = self.given.option("facts").map(facts_of_file).transpose()?;
        let name = match self.given.option("node") {
            Some(name) => name.to_owned(),
            None => self.configuration.certname()?.unwrap_or_else(|| "localhost".to_owned()),
        };
        let target = self.target(&name, Classified::No, facts)?;
        Ok((name, target))
    }

    /// The text that an expression comes to, which may be Sensitive.
    fn rendered(&self, expression: &str) -> Result<String, String> {
        let (name, target) = self.target_to_render()?;
        let code = format!(
            "{expression}.then |$made| {{ if $made =~ Sensitive {{ $made.unwrap }} else {{ $made }} }}"
        );
        let compiler = Compiler::new();
        let ran = compiler.evaluate(&target.environment.with_code(code), &target.node, &target.settings);
        compiler.end_without_freeing();
        self.console.logs(&ran.logs);
        let value = ran
            .result
            .map_err(|error| of_template(&error.message, &name).to_owned())?
            .map(|value| value.json);
        match value.as_deref().map(Data::from_json).transpose()? {
            Some(Data::Text(text)) => Ok(text),
            _ => Err("The template came to no text".to_owned()),
        }
    }
}

/// An error of a template without what is said of the call that is made here for it.
fn of_template<'m>(message: &'m str, node: &str) -> &'m str {
    let message = without_node(message, node);
    match message.strip_suffix(" (line: 1, column: 1)") {
        Some(own) => {
            own.strip_prefix("Evaluation Error: Error while evaluating a Function Call, ").unwrap_or(own)
        }
        None => message,
    }
}
