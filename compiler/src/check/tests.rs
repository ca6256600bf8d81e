//! The rules, one by one. The messages are Puppet's.

use super::{CheckOptions, Location, Strict, check};
use crate::source::SourceFile;
use crate::{ParseLimits, parse};
use bumpalo::Bump;

/// What the checks say of a manifest, one finding a line: `line:column message`.
fn findings(text: &str) -> Vec<String> {
    with(text, &CheckOptions::default())
}

fn with(text: &str, options: &CheckOptions<'_>) -> Vec<String> {
    let arena = Bump::new();
    let source = SourceFile::manifest(text).at("m.pp");
    let parsed = parse(&arena, &source, &ParseLimits::default()).unwrap();
    check(&parsed.program, &source, options)
        .iter()
        .map(|found| {
            let (line, column) = (found.place.line.unwrap_or(0), found.place.column.unwrap_or(0));
            format!("{line}:{column} {} {}", found.severity.name(), found.message)
        })
        .collect()
}

#[track_caller]
fn finds(text: &str, expected: &[&str]) {
    assert_eq!(findings(text), expected, "{text}");
}

#[test]
fn nothing_wrong() {
    finds("class a ($b = 1) { notice($b) } $x = { a => 1, b => 2 } [$y, $z] = [1, 2]", &[]);
}

#[test]
fn assignments() {
    finds(
        "$x += 1",
        &["1:4 err The operator '+=' is no longer supported. See http://links.puppet.com/remove-plus-equals"],
    );
    finds(
        "$a::b = 1",
        &["1:1 err Illegal attempt to assign to 'a::b'. Cannot assign to variables in other namespaces"],
    );
    finds(
        "$0 = 1",
        &[
            "1:1 err Illegal attempt to assign to the numeric match result variable '$0'. Numeric variables are not assignable",
        ],
    );
    finds("$a[1] = 1", &["1:1 err Illegal attempt to assign via [index/key]. Not an assignable reference"]);
    finds("'a' = 1", &["1:1 err Illegal attempt to assign to 'a String'. Not an assignable reference"]);
    finds("class a ($b = ($c = 1)) { }", &["1:19 err Assignment not allowed here"]);
}

#[test]
fn effects() {
    finds(
        "1 notice(2)",
        &[
            "1:1 err This Literal Integer has no effect. A value was produced and then forgotten (one or more preceding expressions may have the wrong form)",
        ],
    );
    finds(
        "class a { 'b' }",
        &[
            "1:11 err This String has no effect. A Host Class Definition can not end with a value-producing expression without other effect",
        ],
    );
    finds(
        "file { ensure => present }",
        &["1:1 err This expression is invalid. Did you try declaring a 'file' resource without a title?"],
    );
}

#[test]
fn places_of_definitions() {
    finds(
        "if true { class a { } }",
        &["1:11 err Classes, definitions, and nodes may only appear at toplevel or inside other classes"],
    );
    finds("class a { function b() { } }", &["1:11 err A Function Definition may only appear at toplevel"]);
    finds("class a { define b { } class c { node d { } } }", &[]);
}

#[test]
fn names() {
    finds(
        "class Foo { }",
        &["1:1 err Unacceptable name. The name 'Foo' is unacceptable as the name of a Host Class Definition"],
    );
    finds(
        "define a-b { }",
        &["1:1 err Unacceptable name. The name 'a-b' is unacceptable as the name of a 'define' expression"],
    );
    finds(
        "class string { }",
        &[
            "1:1 err The name: 'string' is already defined by Puppet and can not be used as the name of a Host Class Definition.",
        ],
    );
    finds(
        "$x = $01",
        &[
            "1:6 err Illegal numeric variable name, The given name '01' must be a decimal value if it starts with a digit 0-9",
        ],
    );
    finds(
        "private",
        &["1:1 err Use of reserved word: private, must be quoted if intended to be a String value"],
    );
    finds("class plan { }", &["1:1 warning Use of future reserved word: 'plan'"]);
}

#[test]
fn parameters() {
    finds(
        "define a($name, $b, $b) { }",
        &[
            "1:21 err The parameter 'b' is declared more than once in the parameter list",
            "1:10 err The parameter $name redefines a built in parameter in the 'define' expression",
        ],
    );
    finds(
        "class a(*$b) { }",
        &["1:10 err Parameter $b has 'captures rest' - not supported in a Host Class Definition"],
    );
    finds("f() |*$a, $b| { }", &["1:7 err Parameter $a is not last, and has 'captures rest'"]);
}

#[test]
fn collectors() {
    finds(
        "File <| a < 1 |>",
        &["1:11 err Illegal query expression. A '<' expression cannot be used in a query"],
    );
    finds(
        "file <| |>",
        &["1:1 err Illegal expression. A Name is unacceptable as type name in a Virtual Query"],
    );
    finds(
        "$x = File <| |>",
        &["1:6 err Invalid use of expression. A Virtual Query does not produce a value"],
    );
}

#[test]
fn duplicates() {
    finds("$x = { a => 1, 'a' => 2 }", &["1:20 err The key 'a' is declared more than once"]);
    finds(
        "case 1 { default: { } default: { } }",
        &["1:23 err This 'case' statement already has a 'default' entry - this is a duplicate"],
    );
    let warning = CheckOptions { strict: Strict::Warning, ..CheckOptions::default() };
    assert_eq!(
        with("$x = { 1 => 1, 1 => 2 }", &warning),
        ["1:18 warning The key '1' is declared more than once"]
    );
    let off = CheckOptions { strict: Strict::Off, ..CheckOptions::default() };
    assert!(with("$x = { 1 => 1, 1 => 2 }", &off).is_empty());
}

#[test]
fn locations() {
    let options = CheckOptions { location: Location::Namespace("a::b"), ..CheckOptions::default() };
    assert!(with("class a::b::c { }", &options).is_empty());
    assert_eq!(
        with("class a::c { } $x = 1", &options),
        [
            "1:19 err This '=' expression is unacceptable as a top level construct in this location",
            "1:1 err Unacceptable location. The name 'a::c' is unacceptable in file 'm.pp'"
        ]
    );
}

/// Puppet code in a heredoc of Puppet code, so many times.
fn nested_heredocs(depth: usize) -> String {
    let begin: String = (0..depth).map(|n| format!("@(E{n}:pp)\n")).collect();
    let end: String = (0..depth).rev().map(|n| format!("|E{n}\n")).collect();
    format!("{begin}1\n{end}")
}

#[test]
fn heredocs_in_heredocs_have_an_end() {
    finds(&nested_heredocs(300), &[]);
    finds(&nested_heredocs(2000), &["0:0 err stack level too deep"]);
}

#[test]
fn heredocs() {
    finds("$x = @(E:json)\n{\"a\": [1, true]}\n| E\n", &[]);
    finds(
        "$x = @(E:pp)\n$x = )\n| E\n",
        &[
            "2:1 err Invalid produced text having syntax: 'pp'. PP syntax checker: \"Syntax error at ')' (line: 1, column: 6)\"",
        ],
    );
}
