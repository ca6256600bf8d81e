//! `puppet catalog compile` and `puppet catalog find`. Unlike Puppet, it stores nothing: no catalog and no facts go to PuppetDB.

use super::forms::{self, Form};
use super::nodes::{Classified, NO_FACTS, without_node};
use super::{Call, printed};
use bunraku::{Cause, Compiler, Diagnostic, Severity};
use std::process::ExitCode;
use std::time::Instant;

/// Compiles the catalog of the node that the one word names.
pub fn compile(call: &mut Call) -> Result<ExitCode, String> {
    let form = Form::named(call.given.option("render-as"), call.identity.compat)?;
    if let Some(terminus) = call.given.option("terminus").filter(|terminus| *terminus != "compiler") {
        // One that is stored, or a server's.
        if call.identity.puppet.is_some() {
            return call.hand_over("catalog find");
        }
        return Err(format!("The terminus {terminus} of catalogs is not supported: catalogs are compiled"));
    }
    if call.given.option("extra").is_some() {
        return Err("The option --extra is not supported".to_owned());
    }
    let [.., node] = &call.given.words[..] else { return of_node(call, None, form) };
    if call.given.words.len() > 1 {
        return Err(format!(
            "puppet {} takes one argument, but you gave {}",
            call.what,
            call.given.words.len()
        ));
    }
    of_node(call, Some(node), form)
}

/// The same by the name `find`, which runs in Puppet's mode `user`.
pub fn find(call: &mut Call) -> Result<ExitCode, String> {
    call.configuration = call.configuration.clone().in_user_mode();
    compile(call)
}

fn of_node(call: &Call, node: Option<&str>, form: Form) -> Result<ExitCode, String> {
    let console = &call.console;
    call.configuration.warnings_of_known().iter().for_each(|warning| console.say(Severity::Warning, warning));
    let failed = |message: &str, before: &[String]| {
        before.iter().for_each(|message| console.error(message));
        let message = format!("Could not call 'find' on 'catalog': {message}");
        console.error(&message);
        message
    };
    let name = call.certname(node)?;
    call.configuration.environment(None)?;
    let target = call.target(&name, Classified::Yes, None);
    let mut target = target.map_err(|message| failed(&message, &[with_wrapped(&message, &name)]))?;
    form.prepare(call.identity.compat, &mut target.settings)?;
    let (started, compiler) = (Instant::now(), Compiler::new());
    let compiled = compiler.trial(&target);
    compiler.end_without_freeing();
    console.logs(&compiled.logs);
    let seconds = started.elapsed().as_secs_f64();
    let environment = target.environment.name().unwrap_or_default();
    let compiled_in =
        format!("Compiled catalog for {name} in environment {environment} in {seconds:.2} seconds");
    let catalog = match compiled.result {
        Ok(catalog) => catalog,
        // To Puppet the catalog was there: it could not be printed.
        Err(error) if error.message.contains(" It will be converted to the String '") => {
            console.say(Severity::Notice, &compiled_in);
            return Err(error.message);
        }
        // Puppet tells these twice: when it happens, and when the catalog is not there.
        Err(error) => {
            let before = [as_it_happens(&error, &name).to_owned(), error.message.clone()];
            return Err(failed(&error.message, &before));
        }
    };
    console.say(Severity::Notice, &compiled_in);
    Ok(printed(&forms::catalog(catalog.into_json(), form)?, ExitCode::SUCCESS))
}

/// The message of an error of facts, with the error that it is about.
fn with_wrapped(message: &str, node: &str) -> String {
    match message.split_once(&format!("{NO_FACTS}{node}: ")) {
        Some((_, wrapped)) => format!("{message}\nWrapped exception:\n{wrapped}"),
        None => message.to_owned(),
    }
}

/// The message as Puppet logs it when it happens: of errors without an issue code that is the bare message. Such are those of
/// look-ups without a value, and that several errors of a manifest were told.
fn as_it_happens<'e>(error: &'e Diagnostic, node: &str) -> &'e str {
    const BEGIN: &str = "Language validation logged ";
    const END: &str = ". Giving up";
    let message = error.message.as_str();
    if error.cause == Cause::NotFound {
        return without_node(message, node);
    }
    let begin = message.find(BEGIN).filter(|_| message.starts_with("Could not parse for environment "));
    match (begin, message.find(END)) {
        (Some(begin), Some(end)) if begin < end => &message[begin..end + END.len()],
        _ => message,
    }
}
