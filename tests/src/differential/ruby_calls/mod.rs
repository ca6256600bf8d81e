//! Calls of the functions in Ruby that modules bring: what specs, manifests and documentation pass, what signatures
//! ask for, and both with one part changed. Each call is a program whose value shows what came back, and the
//! arguments as they are after it.

mod functions;
mod literal;
mod texts;
mod types;

pub use functions::{Function, Functions, find};

use super::rng::Rng;
use super::values;
use literal::Literal::{self, *};
use std::collections::BTreeSet;
use types::Pools;

/// Texts of many kinds, for where nothing says which.
const TEXTS: &[&str] = &[
    "",
    "a",
    "abc",
    "Hello World",
    "10",
    "-3",
    "0x1f",
    "3.7",
    " padded ",
    "h\u{e9}llo \u{df}",
    "line1\nline2\n",
    "a,b,c",
    "true",
    "false",
    "yes",
    "no",
    "undef",
    "1.2.3",
    "it's",
    "foo::bar",
    "/etc/foo.conf",
    "/",
    "http://example.com/a?b=1",
    "10.0.0.1",
    "192.168.1.0/24",
    "::1",
    "example.com",
    "a@b.example",
    "0644",
    "1e3",
    "a.b.c",
    "C:/x y",
    "key=value",
    "$x",
    "#{x}",
    "%s %d",
    "\\1",
    "[a-z]+",
    "(",
    "{\"a\": [1, null]}",
    "--- [a, {b: 1}]",
    "aGVsbG8=",
    "present",
    "absent",
    "10%",
    "512M",
    "1h",
    "\u{65e5}\u{672c}",
    "eth0",
    "root",
    "lo",
];

/// A text: one that stands near the function, or any.
fn text(rng: &mut Rng, near: &[String]) -> String {
    match rng.below(20) {
        0..=11 if !near.is_empty() => near[rng.below(near.len())].clone(),
        12..=14 => rng.pick(types::SHAPES).to_owned(),
        _ => rng.pick(TEXTS).to_owned(),
    }
}

/// Any value.
fn any(rng: &mut Rng, near: &[String], depth: usize) -> Literal {
    match rng.below(if depth == 0 { 14 } else { 20 }) {
        0..=5 => Text(text(rng, near)),
        6 | 7 => Int([0, 1, 2, -1, 3, 10, 42, 255, -300, i64::MAX, 1_000_000, 80][rng.below(12)]),
        8 => Float([0.0, 1.0, 1.5, -2.5, 1e10, 1e-5, 2e100, 1e16, 0.1][rng.below(9)]),
        9 => Undef,
        10 | 11 => Bool(rng.chance(50)),
        12 => Code(values::other(rng)),
        13 => match rng.below(3) {
            0 => Default,
            1 => Regex("(l+)o".to_owned()),
            _ => Code(super::types::ty(rng, 1)),
        },
        14..=17 => {
            let same = rng.chance(60);
            let count = rng.below(5);
            Array(
                (0..count)
                    .map(|_| if same { Text(text(rng, near)) } else { any(rng, near, depth - 1) })
                    .collect(),
            )
        }
        _ => {
            let mut entries: Vec<(Literal, Literal)> = Vec::new();
            for _ in 0..rng.below(4) {
                let key = if rng.chance(88) { Text(text(rng, near)) } else { any(rng, near, 0) };
                if entries.iter().all(|(other, _)| *other != key) {
                    entries.push((key, any(rng, near, depth - 1)));
                }
            }
            Hash(entries)
        }
    }
}

/// Lambdas that a function may be given.
const LAMBDAS: &[&str] = &[
    "|$x| { $x }",
    "|$x| { [$x] }",
    "|$x| { true }",
    "|$x| { $x =~ String }",
    "|$x, $y| { [$y, $x] }",
    "|$x, $y| { {$x => $y} }",
    "|*$x| { $x }",
    "|$x| { notice($x) }",
    "|$x| { undef }",
    "|$x| { next($x) }",
    "|$x, $y, $z| { 1 }",
    "|Integer $x| { $x + 1 }",
    "|| { 1 }",
    "|$x| { \"<${x}>\" }",
    "|$x, $y = 7| { $y }",
];

impl Functions {
    /// So many programs with calls of a function, all different, or as many as can be thought of: first the calls that
    /// people wrote, then those that its signatures ask for, and others.
    pub fn programs(&self, function: &Function, seed: u64, count: usize) -> Vec<String> {
        let mut rng = Rng::new(seed ^ hash(&function.name));
        let pools = Pools { aliases: &self.aliases, texts: &function.texts };
        let mut seen = BTreeSet::new();
        let mut all = Vec::new();
        // Of very many calls in specs only some are taken, so that others have their turn.
        let step = (function.written.len() * 2).div_ceil(count.max(1)).max(1);
        for arguments in function.written.iter().step_by(step) {
            let program = program(&mut rng, function, arguments);
            if seen.insert(program.clone()) {
                all.push(program);
            }
        }
        for _ in 0..count * 4 {
            if all.len() >= count {
                break;
            }
            let arguments = arguments(&mut rng, function, &pools);
            let program = program(&mut rng, function, &arguments);
            if seen.insert(program.clone()) {
                all.push(program);
            }
        }
        all.truncate(count);
        all
    }
}

/// A number for a name, the same everywhere.
fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

fn arguments(rng: &mut Rng, function: &Function, pools: &Pools<'_>) -> Vec<Literal> {
    let written =
        !function.written.is_empty() && rng.chance(if function.signatures.is_empty() { 75 } else { 45 });
    let mut all = if written {
        function.written[rng.below(function.written.len())].clone()
    } else if function.signatures.is_empty() {
        let counts = &function.counts;
        let count = if counts.is_empty() { 1 + rng.below(3) } else { counts[rng.below(counts.len())] };
        (0..count).map(|_| likely(rng, function)).collect()
    } else {
        let signature = &function.signatures[rng.below(function.signatures.len())];
        let mut all = Vec::new();
        for parameter in &signature.parameters {
            let count = match (parameter.optional, parameter.repeated) {
                (false, false) => 1,
                (true, false) => usize::from(rng.chance(60)),
                (true, true) => rng.below(4),
                (false, true) => 1 + rng.below(3),
            };
            if count == 0 {
                break;
            }
            all.extend((0..count).map(|_| types::value(rng, &parameter.ty, pools)));
        }
        all
    };
    let near = pools.texts;
    match rng.below(if written { 10 } else { 24 }) {
        0 => drop(all.pop()),
        1 => all.push(any(rng, near, 1)),
        2..=7 if !all.is_empty() => {
            let at = rng.below(all.len());
            all[at].changed(rng, &mut |rng, value| *value = near_to(rng, value, near));
        }
        _ => {}
    }
    all
}

/// A value for a function without a signature: of the kinds that its file mentions more often than of others.
fn likely(rng: &mut Rng, function: &Function) -> Literal {
    let near = &function.texts;
    let one = |rng: &mut Rng| if rng.chance(75) { Text(text(rng, near)) } else { any(rng, near, 0) };
    match rng.below(10) {
        0..=3 if function.arrays => Array((0..rng.below(4)).map(|_| one(rng)).collect()),
        2..=6 if function.hashes => {
            let mut entries: Vec<(Literal, Literal)> = Vec::new();
            for _ in 0..rng.below(4) {
                let key = Text(text(rng, near));
                if entries.iter().all(|(other, _)| *other != key) {
                    let value = if rng.chance(25) { likely(rng, function) } else { one(rng) };
                    entries.push((key, value));
                }
            }
            Hash(entries)
        }
        0..=6 => Text(text(rng, near)),
        _ => any(rng, near, 2),
    }
}

/// A value that is not far from another, or any.
fn near_to(rng: &mut Rng, value: &Literal, near: &[String]) -> Literal {
    if rng.chance(25) {
        return any(rng, near, 1);
    }
    match value {
        Text(text) => {
            let mut text = text.clone();
            match rng.below(8) {
                0 => text = text.to_uppercase(),
                1 => text.push('\n'),
                2 => text.insert(0, ' '),
                3 => drop(text.pop()),
                4 => text.push_str(rng.pick(&["x", "0", "/", ".", ":", "é", "-", "'"])),
                5 => return text.parse().map_or_else(|_| Array(vec![Text(text.clone())]), Int),
                _ => text = self::text(rng, near),
            }
            Text(text)
        }
        Int(value) => match rng.below(5) {
            0 => Int(value.wrapping_neg()),
            1 => Int(value.wrapping_add(1)),
            2 => Text(value.to_string()),
            3 => Float(*value as f64),
            _ => Int(0),
        },
        Float(value) => Float(-value),
        Bool(value) => Text(value.to_string()),
        Array(items) if !items.is_empty() => {
            let mut items = items.clone();
            match rng.below(4) {
                0 => items.reverse(),
                1 => items.push(items[0].clone()),
                2 => drop(items.pop()),
                _ => return items[0].clone(),
            }
            Array(items)
        }
        Hash(entries) if !entries.is_empty() => {
            let mut entries = entries.clone();
            match rng.below(3) {
                0 => entries.reverse(),
                1 => drop(entries.pop()),
                _ => return Array(vec![Hash(entries)]),
            }
            Hash(entries)
        }
        _ => any(rng, near, 2),
    }
}

fn program(rng: &mut Rng, function: &Function, arguments: &[Literal]) -> String {
    let mut code = String::new();
    let mut names: Vec<String> = Vec::new();
    for (at, argument) in arguments.iter().enumerate() {
        // Now and then the same object twice: what changes one of them changes both.
        if at > 0 && arguments[at - 1] == *argument {
            names.extend(names.last().cloned());
            continue;
        }
        code += &format!("$a{at} = {}\n", argument.code());
        names.push(format!("$a{at}"));
    }
    let needs = function.signatures.iter().any(|signature| signature.needs_block);
    let may = needs || function.takes_block || function.signatures.iter().any(|signature| signature.block);
    let chance = match (needs, may) {
        (true, _) => 90,
        (false, true) => 40,
        (false, false) => 1,
    };
    let block = if rng.chance(chance) { format!(" {}", rng.pick(LAMBDAS)) } else { String::new() };
    let after = names.iter().map(|name| format!(", {name}")).collect::<String>();
    code + &format!("$r = {}({}){block}\n[$r{after}]\n", function.name, names.join(", "))
}
