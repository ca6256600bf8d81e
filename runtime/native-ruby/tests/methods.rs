//! Methods of Ruby's values, compared with Ruby: snippets whose results Ruby has made, and calls that are generated.
//!
//! `UPDATE=1` makes the results anew, and the list of snippets that are left to Ruby.

#![allow(clippy::disallowed_macros, reason = "a test says what it saw")]

use bunraku_native_ruby::{Called, Function};
use bunraku_vm::function::Call;
use bunraku_vm::host::Erb;
use bunraku_vm::scope::CallScope;
use bunraku_vm::value::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use world::with_world;

mod world;

/// How many calls are generated, and how many of a hundred of those that give a value must need no Ruby.
const GENERATED: usize = 20_000;
const GENERATED_SHARE: f64 = 45.0;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/methods").join(name)
}

/// Runs a script with Ruby; none where there is no Ruby of the version that is imitated.
fn ruby(script: &str, args: &[String], input: &str) -> Option<String> {
    let mut command = Command::new("ruby");
    command.args(["-Eutf-8:utf-8"]).arg(file(script)).args(args);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    let mut stdin = child.stdin.take()?;
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().ok()?;
    writer.join().ok()?.ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// What each snippet gives without Ruby.
fn native(snippets: &[&str]) -> Vec<Option<String>> {
    let mut results = Vec::new();
    with_world(&[], |world, templating, vm, scope| {
        for snippet in snippets {
            let template = format!("<%= ({snippet}).inspect %>");
            let rendered = templating.render(world, vm, scope, &Erb::Text(&template));
            results.push(rendered.ok().map(|rendered| rendered.text));
        }
    });
    results
}

/// What each snippet gives as a function of the 3.x interface, where all of Ruby's library is there.
fn native_function(snippets: &[&str]) -> Vec<Option<String>> {
    let names: Vec<String> = (0..snippets.len()).map(|number| format!("f{number}")).collect();
    let files: Vec<(String, String)> = names
        .iter()
        .zip(snippets)
        .map(|(name, snippet)| (format!("{name}.rb"), function(name, snippet)))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let mut results = Vec::new();
    with_world(&files, |world, templating, vm, scope| {
        for name in &names {
            let file = world.path.join(format!("{name}.rb"));
            let function = Function { name, file: &file, module: "test" };
            let call = Call { args: &[], block: None, scope: CallScope::from(scope) };
            results.push(match templating.call_old(world, vm, function, call) {
                Called::Value(Value::Str(text)) => Some(text.as_str().to_owned()),
                _ => None,
            });
        }
    });
    results
}

fn function(name: &str, snippet: &str) -> String {
    format!(
        "Puppet::Parser::Functions.newfunction(:{name}, :type => :rvalue) do |args|\n  ({snippet}).inspect\nend\n"
    )
}

#[test]
fn snippets_give_what_ruby_gives() {
    compare("snippets", native);
}

#[test]
fn the_library_gives_what_ruby_gives() {
    compare("library", native_function);
}

/// Compares the snippets of a file: beside it lie their results, and which are left to Ruby.
fn compare(name: &str, native: fn(&[&str]) -> Vec<Option<String>>) {
    let name = |part: &str| file(&format!("{name}{part}.txt"));
    let snippets = std::fs::read_to_string(name("")).expect("the snippets can be read");
    let known = std::fs::read_to_string(name("_results")).unwrap_or_default();
    let results = ruby("results.rb", &[], &snippets).unwrap_or_else(|| known.clone());
    let pairs: Vec<(&str, &str)> =
        snippets.lines().zip(results.lines()).filter(|(snippet, _)| is_snippet(snippet)).collect();
    let codes: Vec<&str> = pairs.iter().map(|(code, _)| *code).collect();
    let mut wrong = Vec::new();
    let mut left = String::new();
    for ((code, expected), got) in pairs.iter().zip(native(&codes)) {
        match got {
            Some(got) if got != *expected => wrong.push(format!("{code}\n  - {expected}\n  + {got}")),
            Some(_) => {}
            None => left.push_str(&format!("{code}\n")),
        }
    }
    assert!(wrong.is_empty(), "{} snippets differ:\n{}", wrong.len(), wrong.join("\n"));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(name("_results"), &results).expect("the results can be written");
        std::fs::write(name("_left"), &left).expect("the list can be written");
    } else {
        assert_eq!(results, known, "Ruby gives other results than those that are kept");
        let before = std::fs::read_to_string(name("_left")).unwrap_or_default();
        assert_eq!(left, before, "other snippets are left to Ruby than before");
    }
}

fn is_snippet(line: &str) -> bool {
    !line.starts_with('#') && !line.trim().is_empty()
}

#[test]
fn generated_calls_give_what_ruby_gives() {
    let number = |name: &str, other: usize| {
        std::env::var(name).ok().and_then(|number| number.parse().ok()).unwrap_or(other)
    };
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/method.rs");
    let (seed, count) = (number("METHODS_SEED", 1), number("METHODS_COUNT", GENERATED));
    let args = [source.display().to_string(), seed.to_string(), count.to_string()];
    let Some(made) = ruby("generate.rb", &args, "") else {
        eprintln!("SKIPPED: no calls compared, since there is no Ruby");
        return;
    };
    let pairs: Vec<(&str, &str)> = made.lines().filter_map(|line| line.split_once('\t')).collect();
    let codes: Vec<&str> = pairs.iter().map(|(code, _)| *code).collect();
    let (mut wrong, mut gives, mut needless) = (Vec::new(), 0, 0);
    let mut left = Vec::new();
    for ((code, expected), got) in pairs.iter().zip(native(&codes)) {
        let raises = expected.starts_with('!') || *expected == "?";
        gives += usize::from(!raises);
        needless += usize::from(!raises && got.is_some());
        match got {
            Some(got) if got != *expected => wrong.push(format!("{code}\n  - {expected}\n  + {got}")),
            None if !raises => left.push(format!("{code}\t{expected}")),
            _ => {}
        }
    }
    let share = needless as f64 * 100.0 / gives.max(1) as f64;
    println!("{needless} of {gives} calls that give a value need no Ruby, {share:.1} %");
    if let Some(path) = std::env::var_os("METHODS_LEFT") {
        std::fs::write(path, left.join("\n")).expect("the list can be written");
    }
    wrong.sort_by_key(String::len);
    assert!(wrong.is_empty(), "{} calls differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(share >= GENERATED_SHARE, "only {share:.1} % need no Ruby");
}
