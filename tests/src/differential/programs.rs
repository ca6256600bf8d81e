//! Small programs: operators on values, and wrong arguments of functions, classes and defined types.

use super::rng::Rng;
use super::{types, values};

/// An operator between values.
pub fn operator(rng: &mut Rng) -> String {
    const OPERATORS: &[&str] =
        &["+", "-", "*", "/", "%", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "in", "=~", "and", "or"];
    let operator = rng.pick(OPERATORS);
    match rng.below(7) {
        0 | 1 => format!("{} {operator} {}", values::number(rng), values::number(rng)),
        2 => format!("{} {operator} {}", values::string(rng), values::string(rng)),
        3 => format!("{} {operator} {}", values::array(rng, 1), values::value(rng, 1)),
        4 => {
            let (object, index) = (values::value(rng, 2), values::value(rng, 1));
            let more = if rng.chance(40) { format!(", {}", values::integer(rng)) } else { String::new() };
            format!("$o = {object}\n$r = $o[{index}{more}]")
        }
        5 => format!("{}{}", rng.pick(&["-", "!", "*"]), values::value(rng, 1)).replace("--", "-"),
        _ => format!("{} {operator} {}", values::value(rng, 2), values::value(rng, 2)),
    }
}

/// A typed parameter that gets a value.
pub fn mismatch(rng: &mut Rng) -> String {
    let ty = types::ty(rng, 3);
    let value = values::value(rng, 2);
    match rng.below(8) {
        0 => format!("class foo({ty} $p) {{ }}\nclass {{ 'foo': p => {value} }}"),
        1 => format!("define foo({ty} $p, String $q = 'a') {{ }}\nfoo {{ 'x': p => {value} }}"),
        2 => format!("type Foo = {ty}\nfunction foo(Foo $p) {{ $p }}\n$r = foo({value})"),
        3 => {
            let second = types::ty(rng, 1);
            format!(
                "function foo({ty} $p, {second} $q, Integer $r = 1) {{ $p }}\n$r = foo({value}, {})",
                values::value(rng, 1)
            )
        }
        4 => format!("function foo() >> {ty} {{ {value} }}\n$r = foo()"),
        5 => format!(
            "type Inner = {ty}\ntype Outer = Struct[{{a => Inner, Optional[b] => Array[Inner]}}]\n\
             function foo(Outer $p) {{ $p }}\n$r = foo({{'a' => {value}, '{}' => [{value}]}})",
            rng.pick(&["b", "b", "x"])
        ),
        6 => format!("$r = with({value}) |{ty} $p| {{ $p }}"),
        _ => format!("function foo({ty} *$p) {{ $p }}\n$r = foo({value}, {})", values::value(rng, 1)),
    }
}

/// A struct or a variant with something near to it.
pub fn near(rng: &mut Rng) -> String {
    const FIELDS: &[&str] = &[
        "Integer",
        "String",
        "Optional[Integer]",
        "Enum['x', 'y']",
        "Array[String]",
        "Boolean",
        "Variant[Integer, String]",
    ];
    const VALUES: &[&str] = &["1", "'x'", "undef", "true", "['a']", "[1]", "{}", "{'a' => 1}", "1.5"];
    let field = |rng: &mut Rng, name: &str| {
        let name = match rng.below(4) {
            0 => format!("Optional['{name}']"),
            _ => format!("'{name}'"),
        };
        format!("{name} => {}", rng.pick(FIELDS))
    };
    let structure = |rng: &mut Rng| {
        let (a, b) = (field(rng, "a"), field(rng, "b"));
        format!("Struct[{{{a}, {b}}}]")
    };
    let hash = |rng: &mut Rng| {
        let mut entries = Vec::new();
        for key in ["a", "b", "c"] {
            if rng.chance(if key == "c" { 25 } else { 70 }) {
                entries.push(format!("'{key}' => {}", rng.pick(VALUES)));
            }
        }
        format!("{{{}}}", entries.join(", "))
    };
    let (ty, value) = match rng.below(7) {
        0 => (structure(rng), hash(rng)),
        1 => (format!("Array[{}]", structure(rng)), format!("[{}, {}]", hash(rng), hash(rng))),
        2 => (format!("Variant[{}, {}]", structure(rng), rng.pick(FIELDS)), hash(rng)),
        3 => (format!("Hash[String, {}]", structure(rng)), format!("{{'k' => {}}}", hash(rng))),
        4 => (
            format!("Tuple[{}, {}]", rng.pick(FIELDS), rng.pick(FIELDS)),
            format!("[{}]", rng.list(0, 3, |rng| rng.pick(VALUES).to_owned())),
        ),
        5 => (format!("Optional[{}]", structure(rng)), hash(rng)),
        _ => (
            format!("Variant[{}]", rng.list(2, 3, |rng| rng.pick(FIELDS).to_owned())),
            rng.pick(VALUES).to_owned(),
        ),
    };
    match rng.below(4) {
        0 => format!("class foo({ty} $p) {{ }}\nclass {{ 'foo': p => {value} }}"),
        1 => format!("type Foo = {ty}\n$r = assert_type(Foo, {value})"),
        2 => format!("function foo({ty} $p) {{ $p }}\n$r = foo({value})"),
        _ => format!("$r = assert_type({ty}, {value})"),
    }
}
