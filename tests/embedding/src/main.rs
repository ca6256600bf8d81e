//! Compiles the nodes of an environment and prints, for each, how many resources its catalog has; says of a node that
//! does not compile why.
//!
//! `embedding ENVIRONMENT NODE…`

use bunraku::{Cause, Compiler, Data, Environment, Facts, Function, Node, Query, Settings, Strict};
use std::process::ExitCode;
use std::sync::Mutex;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.next() else { return ExitCode::from(2) };
    let environment = Environment::at(folder);
    let settings = Settings { strict: Strict::Warning, ..Settings::default() };

    // State of this program, in a function of the language.
    static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let note = Function::new("site::note", |arguments| {
        let text = arguments.first().map(ToString::to_string).unwrap_or_default();
        SEEN.lock().map_err(|_| "nobody can note anything any more")?.push(text);
        Ok(Data::Undef)
    });
    let compiler = match Compiler::new().with_functions(vec![note.param("String[1]", "text")]) {
        Ok(compiler) => compiler,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::FAILURE;
        }
    };

    let mut failed = false;
    for name in arguments {
        let facts = Facts::from([("role", Data::from("web")), ("cores", Data::from(4))]);
        let node = Node::new(&name).with_facts(facts).with_parameter("tier", "test");
        let compiled = compiler.compile(&environment, &node, &settings);
        for log in &compiled.logs {
            println!("{name}: {}: {}", log.level.name(), log.message);
        }
        match compiled.result {
            Ok(catalog) => {
                let files = catalog.resources().iter().filter(|resource| resource.type_name == "File");
                println!("{name}: {} resources, {} edges", catalog.resources().len(), catalog.edges().len());
                files.for_each(|file| println!("{name}: {file} {}", file.get("content").unwrap_or(&Data::Undef)));
            }
            Err(error) => {
                failed |= error.cause != Cause::UnknownVariable;
                println!("{name}: {:?}: {error}", error.cause);
            }
        }
        let query = Query { keys: vec!["motd".to_owned()], ..Query::default() };
        let asked = compiler.look_up(&environment, &node, &settings, query);
        println!("{name}: motd is {}", asked.result.map(|answer| answer.text).unwrap_or_default().trim());
    }
    println!("noted: {}", SEEN.lock().map(|seen| seen.join(", ")).unwrap_or_default());
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
