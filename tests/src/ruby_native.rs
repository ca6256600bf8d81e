//! Functions in Ruby, run as compiled code and in the worker: what differs, what of it needs no worker, and why not.
//!
//! What is committed of it is `tests/differential/ruby-native.txt`: for each function of Debian's module packages that is
//! compiled, how many of its calls need no worker. For a look at other modules: `RUBY_NATIVE_MODULES` is a module path,
//! `RUBY_NATIVE_CALLS` the number of calls of each function, `RUBY_NATIVE_SEED` another seed, `RUBY_NATIVE_ONLY` a part of
//! the functions' names, `RUBY_NATIVE_REPORT` a file for the whole report.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

use regex_lite::Regex;
use serde_json::{Value, json};

use crate::canonical::{self, Places};
use crate::differential::ruby_calls::{self, Function};
use crate::differential::{self, Suite, golden};
use crate::{bunraku, compare, corpus, paths};

/// The setting of a job that turns compiled functions and templates off.
pub const SETTING: &str = "native_ruby";

/// How many calls of each function the committed test makes.
const CALLS: usize = 24;
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
    /// Those that Ruby has part in, where it may.
    pub in_ruby: usize,
    /// Those of them that needed no worker.
    pub native: usize,
    /// Those that Ruby has part in and that end well, and those of them that needed no worker.
    pub well: (usize, usize),
    /// Those of the others that end well and read the world.
    pub impure: usize,
    /// Why the others did.
    pub reasons: BTreeMap<String, Reason>,
    /// How the others end in the worker, each with how many.
    pub faults: BTreeMap<String, usize>,
    /// Programs that gave another result, with both.
    pub differ: Vec<String>,
    /// Programs that the worker itself answers otherwise each time.
    pub unsteady: usize,
}

/// What calls needed the worker for one reason.
#[derive(Default)]
pub struct Reason {
    /// How many.
    pub calls: usize,
    /// How many of these end well.
    pub well: usize,
    /// The program of one of these.
    pub example: String,
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
            in_ruby: 0,
            native: 0,
            well: (0, 0),
            impure: 0,
            reasons: BTreeMap::new(),
            faults: BTreeMap::new(),
            differ: Vec::new(),
            unsteady: 0,
        });
    }
    if plan.modules == [paths::modules()] {
        for (name, code) in calls_of_twins(plan) {
            let number = outcomes.iter().position(|outcome: &Outcome| outcome.function.name == name);
            let allowed = number.filter(|number| outcomes[*number].function.left_out.is_none());
            programs.extend(allowed.map(|number| (number, code)));
        }
    }
    let facts = paths::cache().join("facts").join(format!("{}.json", corpus::MACHINES[0]));
    let job = |code: &String, native: bool| {
        let mut settings = json!({"strict": "warning", "strict_variables": false, "native_stdlib": false});
        settings[SETTING] = Value::Bool(native);
        let facts = differential::facts(code).unwrap_or_else(|| json!(facts));
        json!({
            "id": 0, "code": code, "modulepath": plan.modules, "facts": facts, "want": ["value", "catalog"],
            "settings": settings, "stats": true, "node": "node1.example.com",
        })
    };
    let ask = |native: bool, programs: &[&String]| -> Result<Vec<Value>, String> {
        let jobs: Vec<Value> = programs.iter().map(|code| job(code, native)).collect();
        if native { asked(&jobs) } else { remembered(&jobs) }
    };
    let codes: Vec<&String> = programs.iter().map(|(_, code)| code).collect();
    let native = ask(true, &codes)?;
    let ruby = ask(false, &codes)?;
    let mut differing = Vec::new();
    for (at, ((number, _), (native, ruby))) in programs.iter().zip(native.iter().zip(&ruby)).enumerate() {
        let outcome = &mut outcomes[*number];
        outcome.calls += 1;
        let is_well = ruby["ok"] == true;
        outcome.ok += usize::from(is_well);
        if let Some(fault) = ruby["error"]["message"].as_str() {
            let fault: String = compare::shape(fault).chars().take(120).collect();
            *outcome.faults.entry(fault).or_default() += 1;
        }
        let in_ruby = !reasons(ruby).is_empty();
        outcome.in_ruby += usize::from(in_ruby);
        let reasons = reasons(native);
        let is_native = in_ruby && reasons.is_empty();
        outcome.native += usize::from(is_native);
        if is_well {
            outcome.well.0 += usize::from(in_ruby);
            outcome.well.1 += usize::from(is_native);
            outcome.impure += usize::from(reasons.iter().any(|reason| reads_the_world(reason)));
        }
        for reason in reasons {
            let of_reason = outcome.reasons.entry(reason).or_default();
            of_reason.calls += 1;
            if is_well {
                of_reason.well += 1;
                of_reason.example.clone_from(codes[at]);
            }
        }
        if parts(native) != parts(ruby) {
            differing.push(at);
        }
    }
    // What is random, or tells the time, is another thing each time.
    let again: Vec<&String> = differing.iter().map(|at| codes[*at]).collect();
    // Each time another job, so that it is never an earlier answer.
    let once_more = |turn: &str| {
        let codes: Vec<String> = again.iter().map(|code| format!("{code}# {turn}\n")).collect();
        ask(false, &codes.iter().collect::<Vec<_>>())
    };
    let (second, third) = (once_more("second")?, once_more("third")?);
    let is_steady = |(at, (second, third)): &(&usize, (&Value, &Value))| {
        let same = parts(second) == parts(&ruby[**at]) && parts(third) == parts(&ruby[**at]);
        // What runs into the end of its time, or shows the worker's own objects, says nothing either.
        same && native[**at]["died"] != true && !ruby[**at].to_string().contains("Bunraku::")
    };
    let runs = || differing.iter().zip(second.iter().zip(&third));
    // Of few possible answers two may be the same by chance, so what differs once is believed of all its calls.
    let unsteady: BTreeSet<usize> =
        runs().filter(|run| !is_steady(run)).map(|(at, _)| programs[*at].0).collect();
    for at in differing {
        let (number, code) = &programs[at];
        match unsteady.contains(number) {
            true => outcomes[*number].unsteady += 1,
            false => outcomes[*number].differ.push(shown(code, &ruby[at], &native[at])),
        }
    }
    Ok(outcomes)
}

/// Results of jobs that need the worker: kept in the file that `RUBY_NATIVE_CACHE` names, where it names one, for as
/// long as neither the modules nor the worker change.
fn remembered(jobs: &[Value]) -> Result<Vec<Value>, String> {
    let Some(path) = std::env::var_os("RUBY_NATIVE_CACHE") else { return asked(jobs) };
    let fault = |error: std::io::Error| format!("{}: {error}", path.display());
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let read = |line: &str| serde_json::from_str::<(String, Value)>(line).ok();
    let mut kept: HashMap<String, Value> = text.lines().filter_map(read).collect();
    let missing: Vec<&Value> = jobs.iter().filter(|job| !kept.contains_key(&job.to_string())).collect();
    let missing: Vec<Value> = missing.into_iter().cloned().collect();
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&path).map_err(fault)?;
    for jobs in missing.chunks(1000) {
        for (job, result) in jobs.iter().zip(asked(jobs)?) {
            writeln!(file, "{}", json!([job.to_string(), result])).map_err(fault)?;
            kept.insert(job.to_string(), result);
        }
    }
    Ok(jobs.iter().map(|job| kept[&job.to_string()].clone()).collect())
}

/// Results of jobs, without what is the same in each or another each time.
fn asked(jobs: &[Value]) -> Result<Vec<Value>, String> {
    let mut results = bunraku::collect(jobs)?;
    let standard = |resource: &Value| matches!(resource["title"].as_str(), Some("main" | "Settings"));
    for result in &mut results {
        canonical::normalise(result, &Places::new(Vec::new()));
        if let Some(catalog) = result.get_mut("catalog") {
            let mut resources = catalog["resources"].take();
            resources.as_array_mut().into_iter().for_each(|all| all.retain(|resource| !standard(resource)));
            *catalog = resources;
        }
        if let Some(stats) = result["stats"].as_object_mut() {
            stats.retain(|kind, _| matches!(kind.as_str(), "ruby" | "erb" | "ruby_start"));
        }
    }
    Ok(results)
}

/// The calls that native twins of modules' functions are tested with, by name: of the committed ones some, unless many
/// calls are wanted.
fn calls_of_twins(plan: &Plan) -> Vec<(String, String)> {
    let call = Regex::new(r"\$r = ([a-z]\w*(?:::\w+)*)\(").expect("a valid expression");
    let step = if plan.calls > CALLS { 1 } else { 4 };
    let codes = [Suite::Stdlib, Suite::Modules].into_iter().flat_map(golden::committed).map(|(code, _)| code);
    let named = codes.step_by(step).filter_map(|code| {
        let name = call.captures(&code)?.get(1)?.as_str().to_owned();
        let wanted = plan.only.as_ref().is_none_or(|only| name.contains(only.as_str()));
        wanted.then(|| (name, format!("{code}\n[$r]\n")))
    });
    named.collect()
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

/// Whether that is a reason that no call can be without a worker for: the result depends on the time, on chance, on files or
/// on the machine.
fn reads_the_world(reason: &str) -> bool {
    const METHODS: [&str; 3] = ["time: the method new", "the method glob", "the method features"];
    METHODS.iter().any(|method| reason.contains(method))
}

/// All outcomes as text: the sums, then each function, those with the most calls in the worker first.
pub fn report(outcomes: &[Outcome]) -> String {
    let sum = |count: &dyn Fn(&Outcome) -> usize| outcomes.iter().map(count).sum::<usize>();
    let called: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.in_ruby > 0).collect();
    let (calls, native) = (sum(&|outcome| outcome.in_ruby), sum(&|outcome| outcome.native));
    let compiled = called.iter().filter(|outcome| outcome.native * 2 > outcome.in_ruby).count();
    let whole = called.iter().filter(|outcome| outcome.native == outcome.in_ruby).count();
    let impure = sum(&|outcome| outcome.impure);
    let (well, native_well) = (sum(&|outcome| outcome.well.0), sum(&|outcome| outcome.well.1));
    let ends_well = called.iter().filter(|outcome| outcome.well.0 > 0);
    let whole_well = ends_well.clone().filter(|outcome| outcome.well.0 == outcome.well.1).count();
    let mut out = format!(
        "{} functions called, {} left out or hidden by the language's; {} calls, {calls} of them in Ruby, {} end well\n\
         {native} calls need no worker ({:.1} %), {} differ, {} are other each time\n\
         {whole} functions never need the worker, {compiled} in less than half of their calls\n\
         of {well} calls that end well {native_well} need no worker ({:.1} %); of {} functions {whole_well} never need it for these\n\
         {impure} of the others read the world; of those that do not {:.1} % need no worker\n",
        called.len(),
        outcomes.len() - called.len(),
        sum(&|outcome| outcome.calls),
        sum(&|outcome| outcome.ok),
        native as f64 * 100.0 / calls.max(1) as f64,
        sum(&|outcome| outcome.differ.len()),
        sum(&|outcome| outcome.unsteady),
        native_well as f64 * 100.0 / well.max(1) as f64,
        ends_well.clone().count(),
        native_well as f64 * 100.0 / (well - impure).max(1) as f64,
    );
    let mut kinds: BTreeMap<String, (usize, usize, BTreeSet<&str>)> = BTreeMap::new();
    for outcome in outcomes {
        for (reason, of_reason) in &outcome.reasons {
            let why = reason.split_once(": ").map_or(reason.as_str(), |(_, why)| why);
            let kind = kinds.entry(compare::shape(why)).or_default();
            kind.0 += of_reason.calls;
            kind.1 += of_reason.well;
            kind.2.insert(&outcome.function.name);
        }
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by_key(|(_, (count, well, names))| std::cmp::Reverse((*well, names.len(), *count)));
    out += "\n# Reasons: functions, calls, of these that end well\n";
    for (kind, (count, well, names)) in kinds {
        let some: Vec<&str> = names.iter().take(4).copied().collect();
        let _ = writeln!(out, "{:4} {count:6} {well:6}  {kind}  ({})", names.len(), some.join(", "));
    }
    out += "\n# Functions: calls without a worker, of all; those that end well\n";
    let mut sorted: Vec<&Outcome> = outcomes.iter().collect();
    sorted.sort_by_key(|outcome| std::cmp::Reverse(outcome.in_ruby.saturating_sub(outcome.native)));
    for outcome in sorted {
        let Function { name, module, left_out, .. } = &outcome.function;
        let left_out = left_out.map(|why| format!(" left out: {why}")).unwrap_or_default();
        let old = if outcome.function.old { " 3.x" } else { "" };
        let _ = writeln!(
            out,
            "{}/{} {} {name} ({module}{old}){left_out}",
            outcome.native, outcome.in_ruby, outcome.ok
        );
        if outcome.unsteady > 0 {
            let _ = writeln!(out, "    {} are other each time", outcome.unsteady);
        }
        let mut reasons: Vec<_> = outcome.reasons.iter().collect();
        reasons.sort_by_key(|(_, of_reason)| std::cmp::Reverse(of_reason.calls));
        for (reason, Reason { calls, well, example }) in reasons {
            let _ = writeln!(out, "    {calls} × {reason} ({well} end well)");
            if *well > 0 {
                let _ = writeln!(out, "      {}", example.trim_end().replace('\n', "\n      "));
            }
        }
        if outcome.ok * 5 < outcome.calls
            && let Some((fault, count)) = outcome.faults.iter().max_by_key(|(_, count)| **count)
        {
            let _ = writeln!(out, "    {count} ! {fault}");
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
    // What is other each time may need the worker another number of times, too.
    let native = outcomes.iter().filter(|outcome| outcome.native > 0 && outcome.unsteady == 0);
    let line = |outcome: &Outcome| format!("{} {}\n", outcome.function.name, outcome.native);
    std::fs::write(list_path(), native.map(line).collect::<String>())
}
