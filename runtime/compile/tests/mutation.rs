//! Programs of the specification, broken at random with fixed seeds, run from end to end: whatever comes of them,
//! nothing panics and everything ends.

use bunraku_compile::job::Session;
use serde_json::{Value, json};
use std::path::Path;

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

/// The programs of all pages.
fn programs() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec");
    let mut pages: Vec<_> =
        std::fs::read_dir(folder).expect("spec/ is there").flatten().map(|e| e.path()).collect();
    pages.sort();
    let mut programs = Vec::new();
    for page in pages.iter().filter(|page| page.extension().is_some_and(|e| e == "md")) {
        let text = std::fs::read_to_string(page).expect("a page can be read");
        let mut program: Option<String> = None;
        for line in text.lines() {
            match &mut program {
                None if line.starts_with("```puppet") => program = Some(String::new()),
                None => {}
                Some(_) if line == "```" => programs.extend(program.take()),
                Some(code) => {
                    code.push_str(line);
                    code.push('\n');
                }
            }
        }
    }
    programs
}

/// Words, runs of blanks and single signs.
fn tokens(code: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let class = |c: char| if c.is_alphanumeric() || c == '_' { 1 } else { i32::from(!c.is_whitespace()) * 2 };
    for c in code.chars() {
        match all.last_mut() {
            Some(last) if class(c) != 2 && last.chars().last().map(class) == Some(class(c)) => last.push(c),
            _ => all.push(c.to_string()),
        }
    }
    all
}

fn mutate(programs: &[String], random: &mut Random) -> String {
    let mut words = tokens(&programs[random.below(programs.len())]);
    let other = tokens(&programs[random.below(programs.len())]);
    for _ in 0..=random.below(3) {
        if words.is_empty() {
            break;
        }
        let at = random.below(words.len());
        match random.below(5) {
            0 => drop(words.remove(at)),
            1 => words.insert(at, words[random.below(words.len())].clone()),
            2 if !other.is_empty() => words[at] = other[random.below(other.len())].clone(),
            3 => words.swap(at, 0),
            _ => words.extend(other.iter().cloned()),
        }
    }
    words.concat()
}

#[test]
fn broken_programs_end_in_a_catalog_or_an_error() {
    let programs = programs();
    assert!(programs.len() > 1000, "only {} programs in spec/", programs.len());
    let session = Session::default();
    // A longer hunt: MUTANTS=100000 SEED=7 cargo test …
    let number =
        |name: &str, default| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    let mut random = Random(number("SEED", 0x2545_f491_4f6c_dd1d));
    let settings = json!({"max_calls": 20_000, "max_memory": 100_000_000, "max_depth": 200});
    let (mut compiled, mut failed) = (0, 0);
    for n in 0..number("MUTANTS", 4_000) {
        let code = mutate(&programs, &mut random);
        // Commands are not run on a whim.
        if code.contains("generate") {
            continue;
        }
        let job = json!({"id": n, "code": code, "settings": settings, "want": ["catalog", "value"]});
        let answer: Value = serde_json::from_str(&session.answer(&job.to_string()))
            .unwrap_or_else(|error| panic!("the answer is no JSON: {error}\n{code}"));
        match answer["error"]["message"].as_str() {
            None => compiled += 1,
            Some(message) => {
                assert!(!message.contains("Internal error"), "{message}\n{code}");
                failed += 1;
            }
        }
    }
    assert!(
        compiled > 200 && failed > 200,
        "{compiled} compiled, {failed} failed: the test has lost its point"
    );
}
