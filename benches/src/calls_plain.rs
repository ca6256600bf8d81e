//! What functions of [`calls`](crate::calls) do, in Rust alone: the time that is left where nothing stands between the work and the
//! processor. A call of a compiled function can hardly take less, so it shows about which ratios can be had.

use crate::results::Figures;
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::hint::black_box;
use std::time::Instant;

/// A function with its arguments.
pub type Plain = fn() -> Box<dyn FnMut()>;

/// Microseconds of a call, the least of some runs.
pub fn microseconds(plain: Plain) -> f64 {
    const TIMES: u32 = 20_000;
    let mut call = plain();
    let mut figures = Figures::new();
    for _ in 0..7 {
        let started = Instant::now();
        (0..TIMES).for_each(|_| call());
        figures.push(started.elapsed().as_secs_f64() * 1e6 / f64::from(TIMES));
    }
    figures.least()
}

/// A text is split, its parts are stripped, capitalised and joined.
pub fn words() -> Box<dyn FnMut()> {
    Box::new(|| {
        let list = black_box("alpha, beta ,gamma,, delta");
        let parts: Vec<String> = list.split(',').map(|word| word.trim().to_owned()).collect();
        let words: Vec<String> =
            parts.iter().filter(|word| !word.is_empty()).map(|word| capitalized(word)).collect();
        black_box(format!("<{}>", words.join("-")));
    })
}

fn capitalized(word: &str) -> String {
    let mut made = word.to_ascii_lowercase();
    if let Some(first) = made.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    made
}

/// A hash is made of a hash of ten.
pub fn lines() -> Box<dyn FnMut()> {
    let settings = json!({"a": 1, "b": "2", "c": null, "d": [1, 2], "e": 5, "f": "x", "g": 7, "h": true, "i": 9, "j": "z"});
    Box::new(move || {
        let mut made = Map::new();
        for (key, value) in black_box(&settings).as_object().into_iter().flatten() {
            let value = match value {
                Value::Null => continue,
                Value::Array(items) => Value::String(items.iter().map(text).collect::<Vec<_>>().join(" ")),
                value => value.clone(),
            };
            made.insert(format!("set_{key}"), value);
        }
        black_box(made);
    })
}

/// Lines are made of a hash with arrays in it, sorted, without what stands twice, in capitals.
pub fn rules() -> Box<dyn FnMut()> {
    let rules = json!({"b": ["x", "y"], "a": "one", "c": 3});
    Box::new(move || {
        let (rules, device) = (black_box(&rules), black_box("eth0"));
        let digits = device.trim_start_matches(|c: char| !c.is_ascii_digit());
        let number: usize = digits.parse().unwrap_or(0);
        let mut names: Vec<String> =
            rules.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
        names.sort_unstable();
        let mut lines = Vec::new();
        for (index, name) in names.iter().enumerate() {
            let values = match &rules[name] {
                Value::Array(items) => items.clone(),
                value => vec![value.clone()],
            };
            for value in &values {
                let mut line = format!("{} {name}", index + number);
                let value = text(value);
                if !value.is_empty() {
                    line.push(' ');
                    line.push_str(&value);
                }
                lines.push(line);
            }
        }
        let mut seen = HashSet::new();
        lines.retain(|line| seen.insert(line.clone()));
        let lines = lines.iter().map(|line| line.to_uppercase());
        black_box(lines.filter(|line| !line.contains("NONE")).collect::<Vec<_>>());
    })
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}
