//! Commands over the corpus: fetch it, list it, ask the oracle, compare.
//!
//! `cargo run -p bunraku-tests --bin corpus -- COMMAND`; `tests/corpus/README.md` explains.

use bunraku_tests::canonical::{self, Places};
use bunraku_tests::compare;
use bunraku_tests::corpus::classes::Class;
use bunraku_tests::corpus::{self, MACHINES, check, classes, fetch, goldens, run, throughput, upgrade};
use bunraku_tests::oracle::{self, Oracle};
use bunraku_tests::paths;

const USAGE: &str = "\
usage: corpus COMMAND
  fetch                       download and unpack the module packages
  list                        list their classes anew (needs Puppet)
  goldens [MACHINE...]        make the goldens anew (needs Puppet; minutes)
  renew [MACHINE...]          ask Puppet again about the classes that Bunraku compiles otherwise
  verify [MACHINE...]         compare the committed goldens with what Puppet says now
  check-goldens               the same for the verdicts on every manifest and template
  check                       compare `bunraku check` with those verdicts
  throughput                  how fast `bunraku check` is, beside Puppet (build with --profile dist)
  diff CLASS [--facts MACHINE]  how Bunraku's catalog of one class differs from Puppet's
  report [MACHINE...]         compile every class, write target/corpus-report.md
  against 7|8|9 [MACHINE...]  compare every fifth class with that Puppet, by its rules (minutes)
  upgrade FROM TO [FLAG...]   what an upgrade changes for every class, and how many each cause hits
  counts                      what the goldens hold";

fn main() -> std::process::ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match command(&args) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("corpus: {message}");
            std::process::ExitCode::FAILURE
        }
    }
}

fn command(args: &[String]) -> Result<(), String> {
    let Some((name, rest)) = args.split_first() else { return Err(USAGE.to_owned()) };
    match name.as_str() {
        "counts" => {
            counts();
            return Ok(());
        }
        "--help" | "-h" => {
            println!("{USAGE}");
            return Ok(());
        }
        _ => {}
    }
    fetch::fetch()?;
    corpus::write_facts().map_err(|error| error.to_string())?;
    match name.as_str() {
        "fetch" => Ok(()),
        "upgrade" => {
            let [from, to, more @ ..] = rest else { return Err(USAGE.to_owned()) };
            let more: Vec<&str> = more.iter().map(String::as_str).collect();
            for machine in MACHINES {
                print!("{}", upgrade::run(machine, from, to, &more)?.text);
            }
            Ok(())
        }
        "list" => {
            println!("{} classes", classes::list()?.len());
            Ok(())
        }
        "goldens" => {
            let classes = classes::read();
            machines(rest)
                .into_iter()
                .try_for_each(|machine| goldens::regenerate(&classes, machine))
                .map_err(|error| error.to_string())
        }
        "renew" => renew(rest),
        "verify" => verify(rest),
        "check-goldens" => check::regenerate(),
        "check" => check::compare(),
        "throughput" => throughput::measure(),
        "diff" => diff(rest),
        "report" => report(rest),
        "against" => against(rest),
        _ => Err(USAGE.to_owned()),
    }
}

fn machines(args: &[String]) -> Vec<&'static str> {
    let named = |machine: &&str| args.is_empty() || args.iter().any(|arg| arg == machine);
    MACHINES.into_iter().filter(named).collect()
}

fn counts() {
    for machine in MACHINES {
        let index = goldens::index(machine);
        let count = |test: &dyn Fn(&goldens::Golden) -> bool| index.values().filter(|g| test(g)).count();
        println!(
            "{machine}: {} classes, {} compile, {} of them without Ruby, {} render ERB",
            index.len(),
            count(&|golden| golden.ok),
            count(&|golden| golden.ok && golden.plain()),
            count(&|golden| golden.ok && golden.templates > 0),
        );
    }
}

fn renew(args: &[String]) -> Result<(), String> {
    oracle::SEVEN.ready()?;
    let classes = classes::read();
    for machine in machines(args) {
        let done = run::run(machine)?;
        let differs = |class: &Class| {
            done.outcomes.iter().any(|one| one.class == class.name && !(one.same && one.same_logs))
        };
        let asked: Vec<Class> = classes.iter().filter(|class| differs(class)).cloned().collect();
        println!("{machine}: {} classes asked for", asked.len());
        goldens::renew(&asked, machine).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn verify(args: &[String]) -> Result<(), String> {
    let classes = classes::read();
    let mut differ = 0;
    for machine in machines(args) {
        let index = goldens::index(machine);
        for (class, result) in classes.iter().zip(goldens::ask(&classes, machine)) {
            let golden = goldens::Golden::of(&result);
            if index.get(&class.name) != Some(&golden) {
                differ += 1;
                println!("{machine}: {}", class.name);
            }
        }
    }
    if differ == 0 { Ok(()) } else { Err(format!("{differ} goldens differ")) }
}

fn diff(args: &[String]) -> Result<(), String> {
    let Some(name) = args.first() else { return Err("diff needs a class".to_owned()) };
    let machine = match args.iter().position(|arg| arg == "--facts") {
        Some(at) => args.get(at + 1).map(String::as_str).unwrap_or("debian12"),
        None => "debian12",
    };
    let class = Class { name: name.clone(), module: String::new(), file: String::new() };
    let want = match goldens::cached(machine).remove(name) {
        Some(want) => want,
        None if oracle::installed() => {
            let mut want = oracle::collect(&[corpus::job(name, machine)]).remove(0);
            canonical::normalise(&mut want, &Places::corpus());
            want
        }
        None => return Err("no golden of this class in the cache, and no Puppet to ask".to_owned()),
    };
    let got = run::compile(&[class], machine)?.remove(0);
    let found = compare::differences(&want, &got);
    for difference in &found {
        println!("{}\n    {}", difference.cause, difference.detail.replace('\n', "\n    "));
    }
    let (want_logs, got_logs) = (lines(&want), lines(&got));
    for line in want_logs.iter().filter(|line| !got_logs.contains(line)) {
        println!("log missing\n    {line}");
    }
    for line in got_logs.iter().filter(|line| !want_logs.contains(line)) {
        println!("log too many\n    {line}");
    }
    println!("{} differences", found.len());
    Ok(())
}

fn lines(result: &serde_json::Value) -> Vec<String> {
    let logs = result["logs"].as_array().map(Vec::as_slice).unwrap_or_default();
    let line = |log: &serde_json::Value| {
        let part = |key: &str| log[key].as_str().unwrap_or_default().to_owned();
        format!("{}: {}", part("level"), part("message"))
    };
    logs.iter().map(line).collect()
}

/// How many classes are passed over for one that is compared with another version.
const EVERY: usize = 5;

fn against(args: &[String]) -> Result<(), String> {
    let Some((number, machines_named)) = args.split_first() else {
        return Err("against needs a version".to_owned());
    };
    let oracle = Oracle::of(number)?;
    oracle.ready()?;
    let known = std::fs::read_to_string(paths::corpus_lists().join("differing.txt"))
        .map_err(|error| format!("differing.txt: {error}"))?;
    let mut unlisted = 0;
    let classes: Vec<Class> = classes::read().into_iter().step_by(EVERY).collect();
    for machine in machines(machines_named) {
        let ours =
            run::compile_as(&classes, machine, |job| job["settings"]["compat"] = oracle.number.into())?;
        let theirs = goldens::ask_of(oracle, &classes, machine);
        let (mut same, mut compile) = (0, 0);
        for ((class, want), got) in classes.iter().zip(&theirs).zip(&ours) {
            compile += usize::from(want["ok"] == true);
            let found = compare::differences(want, got);
            let (want_logs, got_logs) = (lines(want), lines(got));
            if found.is_empty() && want_logs == got_logs {
                same += 1;
                continue;
            }
            let line = format!("{number} {machine} {}", class.name);
            let is_known = known.lines().any(|known| known == line);
            unlisted += usize::from(!is_known);
            println!("{line}{}", if is_known { ": known to differ" } else { "" });
            for difference in found.iter().take(2) {
                println!("    {}: {}", difference.cause, difference.detail.replace('\n', "\n    "));
            }
            want_logs
                .iter()
                .filter(|line| !got_logs.contains(line))
                .for_each(|line| println!("    log missing: {line}"));
            got_logs
                .iter()
                .filter(|line| !want_logs.contains(line))
                .for_each(|line| println!("    log too many: {line}"));
        }
        println!(
            "{machine}, {}: {same} of {} classes as there, of which {compile} compile",
            oracle.version,
            classes.len()
        );
    }
    match unlisted {
        0 => Ok(()),
        _ => Err(format!("{unlisted} differ and are not in tests/corpus/differing.txt")),
    }
}

fn report(args: &[String]) -> Result<(), String> {
    let mut done = Vec::new();
    for machine in machines(args) {
        let outcome = run::run(machine)?;
        println!("{}", outcome.summary());
        done.push(outcome);
    }
    let path = run::write_report(&done).map_err(|error| error.to_string())?;
    println!("{}", path.display());
    Ok(())
}
