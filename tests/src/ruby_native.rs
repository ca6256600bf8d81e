//! Functions in Ruby, run as compiled code and in the worker: what differs, what of it needs no worker, and why not.
//!
//! What is committed of it is `tests/differential/ruby-native.txt`: for each function of Debian's module packages that is
//! compiled, how many of its calls need no worker. For a look at other modules: `RUBY_NATIVE_MODULES` is a module path,
//! `RUBY_NATIVE_CALLS` the number of calls of each function, `RUBY_NATIVE_SEED` another seed, `RUBY_NATIVE_ONLY` a part of
//! the functions' names, `RUBY_NATIVE_REPORT` a file for the whole report.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::canonical::{self, Places};
use crate::differential::ruby_calls::{self, Function};
use crate::{bunraku, compare, corpus, paths};

/// The setting of a job that turns compiled functions and templates off.
pub const SETTING: &str = "native_templates";

/// How many calls of each function the committed test makes.
const CALLS: usize = 40;
const SEED: u64 = 20;

/// What is asked for.
pub struct Plan {
    /// The module path.
    pub modules: Vec<PathBuf>,
    /// How many calls of each function.
    pub calls: usize,
    /// Where the calls begin.
    pub seed: u64,
    /// A part of the names of the functions that are called.
    pub only: Option<String>,
}

impl Plan {
    /// The committed one, or what the environment asks for.
    pub fn new() -> Plan {
        let number = |name| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
        let modules = std::env::var("RUBY_NATIVE_MODULES").ok();
        Plan {
            modules: match modules {
                Some(path) => path.split(':').map(PathBuf::from).collect(),
                None => vec![paths::modules()],
            },
            calls: number("RUBY_NATIVE_CALLS").map_or(CALLS, |calls| calls as usize),
            seed: number("RUBY_NATIVE_SEED").unwrap_or(SEED),
            only: std::env::var("RUBY_NATIVE_ONLY").ok(),
        }
    }

    /// Whether it is the one that the committed list is about.
    pub fn is_committed(&self) -> bool {
        self.modules == [paths::modules()] && self.calls == CALLS && self.seed == SEED && self.only.is_none()
    }
}

impl Default for Plan {
    fn default() -> Plan {
        Plan::new()
    }
}

/// What came of a function's calls.
pub struct Outcome {
    /// The function.
    pub function: Function,
    /// Calls made.
    pub calls: usize,
    /// Those that ended well in the worker.
    pub ok: usize,
    /// Those that needed no worker.
    pub native: usize,
    /// Why the others did, each with how many.
    pub reasons: BTreeMap<String, usize>,
    /// Programs that gave another result, with both.
    pub differ: Vec<String>,
    /// Programs that the worker itself answers otherwise each time.
    pub unsteady: usize,
}

/// Makes the calls and compares.
///
/// # Errors
/// When a folder can't be read, or Bunraku does not build.
pub fn run(plan: &Plan) -> Result<Vec<Outcome>, String> {
    corpus::write_facts().map_err(|error| error.to_string())?;
    let functions = ruby_calls::find(&plan.modules).map_err(|error| error.to_string())?;
    let wanted =
        |function: &&Function| plan.only.as_ref().is_none_or(|only| function.name.contains(only.as_str()));
    let mut outcomes = Vec::new();
    let mut programs = Vec::new();
    for function in functions.all.iter().filter(wanted) {
        let count = if function.left_out.is_some() { 0 } else { plan.calls };
        let number = outcomes.len();
        programs
            .extend(functions.programs(function, plan.seed, count).into_iter().map(|code| (number, code)));
        outcomes.push(Outcome {
            function: function.clone(),
            calls: 0,
            ok: 0,
            native: 0,
            reasons: BTreeMap::new(),
            differ: Vec::new(),
            unsteady: 0,
        });
    }
    let facts = paths::cache().join("facts").join(format!("{}.json", corpus::MACHINES[0]));
    let job = |code: &String, native: bool| {
        let mut settings = json!({"strict": "warning", "strict_variables": false, "native_stdlib": false});
        settings[SETTING] = Value::Bool(native);
        json!({
            "id": 0, "code": code, "modulepath": plan.modules, "facts": facts, "want": ["value", "catalog"],
            "settings": settings, "stats": native, "node": "node1.example.com",
        })
    };
    let ask = |native, programs: &[&String]| -> Result<Vec<Value>, String> {
        let jobs: Vec<Value> = programs.iter().map(|code| job(code, native)).collect();
        let mut results = bunraku::collect(&jobs)?;
        results.iter_mut().for_each(|result| canonical::normalise(result, &Places::new(Vec::new())));
        Ok(results)
    };
    let codes: Vec<&String> = programs.iter().map(|(_, code)| code).collect();
    let native = ask(true, &codes)?;
    let ruby = ask(false, &codes)?;
    let mut differing = Vec::new();
    for (at, ((number, _), (native, ruby))) in programs.iter().zip(native.iter().zip(&ruby)).enumerate() {
        let outcome = &mut outcomes[*number];
        outcome.calls += 1;
        outcome.ok += usize::from(ruby["ok"] == true);
        let reasons = reasons(native);
        outcome.native += usize::from(reasons.is_empty());
        for reason in reasons {
            *outcome.reasons.entry(reason).or_default() += 1;
        }
        if parts(native) != parts(ruby) {
            differing.push(at);
        }
    }
    // What is random, or tells the time, is another thing each time.
    let again: Vec<&String> = differing.iter().map(|at| codes[*at]).collect();
    for (at, third) in differing.into_iter().zip(ask(false, &again)?) {
        let (number, code) = &programs[at];
        if parts(&third) == parts(&ruby[at]) {
            outcomes[*number].differ.push(shown(code, &ruby[at], &native[at]));
        } else {
            outcomes[*number].unsteady += 1;
        }
    }
    Ok(outcomes)
}

/// What is compared: all that a compile gives.
fn parts(result: &Value) -> [&Value; 7] {
    ["ok", "value", "repr", "repr_error", "error", "logs", "catalog"].map(|part| &result[part])
}

fn shown(code: &str, ruby: &Value, native: &Value) -> String {
    let mut out = code.to_owned();
    for (part, (ruby, native)) in ["ok", "value", "repr", "repr_error", "error", "logs", "catalog"]
        .into_iter()
        .zip(parts(ruby).into_iter().zip(parts(native)))
    {
        if ruby != native {
            let cut = |value: &Value| value.to_string().chars().take(700).collect::<String>();
            let _ = writeln!(out, "  {part}:\n    - {}\n    + {}", cut(ruby), cut(native));
        }
    }
    out
}

/// Why the worker was asked; nothing where it was not.
fn reasons(result: &Value) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for kind in ["ruby", "erb"] {
        for (name, _) in result["stats"][kind]["by_name"].as_object().into_iter().flatten() {
            let reason = result["stats"][kind]["reasons"][name].as_str().unwrap_or("no reason given");
            all.insert(format!("{name}: {reason}"));
        }
    }
    if all.is_empty() && result["died"] == true {
        all.insert("the process died".to_owned());
    }
    if all.is_empty() && result["stats"]["ruby_start"]["calls"].as_u64().unwrap_or(0) > 0 {
        all.insert("a worker was started".to_owned());
    }
    all
}

/// All outcomes as text: the sums, then each function, those with the most calls in the worker first.
pub fn report(outcomes: &[Outcome]) -> String {
    let sum = |count: &dyn Fn(&Outcome) -> usize| outcomes.iter().map(count).sum::<usize>();
    let called: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.calls > 0).collect();
    let (calls, native) = (sum(&|outcome| outcome.calls), sum(&|outcome| outcome.native));
    let compiled = called.iter().filter(|outcome| outcome.native * 2 > outcome.calls).count();
    let whole = called.iter().filter(|outcome| outcome.native == outcome.calls).count();
    let mut out = format!(
        "{} functions called, {} left out; {calls} calls, {} end well\n\
         {native} calls need no worker ({:.1} %), {} differ, {} are other each time\n\
         {whole} functions never need the worker, {compiled} in less than half of their calls\n",
        called.len(),
        outcomes.len() - called.len(),
        sum(&|outcome| outcome.ok),
        native as f64 * 100.0 / calls.max(1) as f64,
        sum(&|outcome| outcome.differ.len()),
        sum(&|outcome| outcome.unsteady),
    );
    let mut kinds: BTreeMap<String, (usize, BTreeSet<&str>)> = BTreeMap::new();
    for outcome in outcomes {
        for (reason, count) in &outcome.reasons {
            let why = reason.split_once(": ").map_or(reason.as_str(), |(_, why)| why);
            let kind = kinds.entry(compare::shape(why)).or_default();
            kind.0 += count;
            kind.1.insert(&outcome.function.name);
        }
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by_key(|(_, (count, names))| std::cmp::Reverse((names.len(), *count)));
    out += "\n# Reasons: functions, calls\n";
    for (kind, (count, names)) in kinds {
        let some: Vec<&str> = names.iter().take(4).copied().collect();
        let _ = writeln!(out, "{:4} {count:6}  {kind}  ({})", names.len(), some.join(", "));
    }
    out += "\n# Functions: calls without a worker, of all; those that end well\n";
    let mut sorted: Vec<&Outcome> = outcomes.iter().collect();
    sorted.sort_by_key(|outcome| std::cmp::Reverse(outcome.calls - outcome.native));
    for outcome in sorted {
        let Function { name, module, left_out, .. } = &outcome.function;
        let left_out = left_out.map(|why| format!(" left out: {why}")).unwrap_or_default();
        let old = if outcome.function.old { " 3.x" } else { "" };
        let _ = writeln!(
            out,
            "{}/{} {} {name} ({module}{old}){left_out}",
            outcome.native, outcome.calls, outcome.ok
        );
        let mut reasons: Vec<_> = outcome.reasons.iter().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (reason, count) in reasons {
            let _ = writeln!(out, "    {count} × {reason}");
        }
    }
    out
}

/// All that differs, as text, the shortest programs first.
pub fn differences(outcomes: &[Outcome]) -> String {
    let mut all: Vec<&str> =
        outcomes.iter().flat_map(|outcome| &outcome.differ).map(String::as_str).collect();
    all.sort_by_key(|text| text.len());
    all.join("\n")
}

fn list_path() -> PathBuf {
    paths::root().join("tests/differential/ruby-native.txt")
}

/// How many calls of a function need no worker, by name, as it was last written.
pub fn committed() -> BTreeMap<String, usize> {
    let text = std::fs::read_to_string(list_path()).unwrap_or_default();
    let entry = |line: &str| {
        let (name, count) = line.split_once(' ')?;
        Some((name.to_owned(), count.parse().ok()?))
    };
    text.lines().filter_map(entry).collect()
}

/// Writes that list.
///
/// # Errors
/// When it can't be written.
pub fn commit(outcomes: &[Outcome]) -> std::io::Result<()> {
    let native = outcomes.iter().filter(|outcome| outcome.native > 0);
    let line = |outcome: &Outcome| format!("{} {}\n", outcome.function.name, outcome.native);
    std::fs::write(list_path(), native.map(line).collect::<String>())
}
