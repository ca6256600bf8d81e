//! The type system against tables of what Puppet 7.23 answered: printing, assignability, mismatches.
//!
//! The tables under `golden/` were made by the oracle; `ruby vm/tests/golden/regenerate.rb` makes them anew.

mod machine;

use bumpalo::Bump;
use bunraku_vm::error::Flow;
use bunraku_vm::types::{self, Type};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use machine::Stub;

fn lines(table: &str) -> impl Iterator<Item = &str> {
    table.lines().filter(|line| !line.starts_with('#') && !line.is_empty())
}

fn parse<'c>(vm: &mut Vm<'c>, text: &str) -> &'c Type<'c> {
    types::parse(vm, text).unwrap_or_else(|flow| match *flow {
        Flow::Fault(fault) => panic!("{text}: {}", fault.diagnostic.message),
        _ => panic!("{text}"),
    })
}

/// A literal: what stands after the type in `Init[Any, literal]`.
fn literal<'c>(vm: &mut Vm<'c>, text: &str) -> Value<'c> {
    match parse(vm, &format!("Init[Any, {text}]")) {
        Type::Init { args, .. } => args[0],
        _ => Value::Undef,
    }
}

#[test]
fn types_print_as_puppet_prints_them() {
    let arena = Bump::new();
    let host = Stub::default();
    let mut vm = Vm::new(&arena, &host);
    for line in lines(include_str!("golden/print.txt")) {
        let (text, printed) = line.split_once('\t').unwrap();
        let ty = parse(&mut vm, text);
        assert_eq!(types::print(ty), printed, "{text}");
    }
}

#[test]
fn types_are_assignable_as_in_puppet() {
    let arena = Bump::new();
    let host = Stub::default();
    let mut vm = Vm::new(&arena, &host);
    let rows: Vec<(&str, &str)> =
        lines(include_str!("golden/assignable.txt")).map(|line| line.split_once(' ').unwrap()).collect();
    let all: Vec<_> = rows.iter().map(|(_, text)| parse(&mut vm, text)).collect();
    let mut wrong = Vec::new();
    for ((answers, wide), a) in rows.iter().zip(&all) {
        assert_eq!(answers.len(), rows.len(), "{wide}");
        for ((expected, (_, narrow)), b) in answers.chars().zip(&rows).zip(&all) {
            if types::is_assignable(&arena, a, b) != (expected == '1') {
                wrong.push(format!("{wide} >= {narrow} should be {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn mismatches_are_in_puppets_words() {
    let arena = Bump::new();
    let host = Stub::default();
    let mut vm = Vm::new(&arena, &host);
    for line in lines(include_str!("golden/mismatch.txt")) {
        let mut parts = line.split('\t');
        let (text, value, message) =
            (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap_or(""));
        let expected = parse(&mut vm, text);
        let value_text = value;
        let value = literal(&mut vm, value);
        assert!(!types::is_instance(&mut vm, expected, value), "{value_text} is no {text}");
        let actual = types::infer_set(&mut vm, value);
        let found = types::mismatch::describe_mismatch(vm.arena, "", expected, actual);
        assert_eq!(found.trim().replace('\n', "\\n"), message, "{text} for {value_text}");
    }
}

#[test]
fn recursive_aliases_end() {
    let arena = Bump::new();
    let data = types::builtin(&arena, "Data").unwrap();
    let other = types::data(&arena);
    let rich = types::builtin(&arena, "RichData").unwrap();
    assert!(types::is_assignable(&arena, data, other));
    assert!(types::is_assignable(&arena, rich, data));
    assert!(!types::is_assignable(&arena, data, rich));
}
