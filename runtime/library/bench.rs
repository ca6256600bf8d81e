//! Compiles nodes again and again and says how long that took: what `bunraku bench` runs.

use crate::{Compiler, Data, Environment, Facts, Node, Settings, Spent};
use bunraku_compile::threads::spawn;
use serde_json::{Map, Value as Json};
use sha2::{Digest as _, Sha256};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A compile that is measured.
#[derive(Clone, Debug)]
pub struct Target {
    /// What is compiled from.
    pub environment: Environment,
    /// For whom.
    pub node: Node,
    /// How.
    pub settings: Settings,
}

impl Target {
    /// A hash of all that the compile is given besides the files of its environment: the node with its facts and classes, the
    /// settings, what the environment is called, code in place of manifests.
    pub fn digest(&self) -> [u8; 32] {
        self.digest_with(&[self.node.node.facts.map(), &self.node.node.trusted])
    }

    /// The same without the node's facts and trusted data.
    pub(crate) fn digest_of_others(&self) -> [u8; 32] {
        self.digest_with(&[])
    }

    fn digest_with(&self, data: &[&Map<String, Json>]) -> [u8; 32] {
        let mut hash = Sha256::new();
        let mut add = |text: &str| {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        };
        let node = &self.node.node;
        add(&node.name);
        for map in data.iter().chain([&&node.parameters]) {
            add(&serde_json::to_string(map).unwrap_or_default());
        }
        add(&format!("{:?} {:?} {:?}", node.server_facts, node.classes, self.settings));
        let spec = &self.environment.spec;
        let of_folder = || Some(spec.directory.as_ref()?.file_name()?.to_string_lossy().into_owned());
        add(&spec.name.clone().or_else(of_folder).unwrap_or_default());
        add(self.environment.code().unwrap_or_default());
        hash.finalize().into()
    }
}

/// What came of one node's compiles.
pub struct Measured {
    /// The node.
    pub node: String,
    /// Bytes of its catalog.
    pub bytes: usize,
    /// How long each compile took, shortest first.
    pub times: Vec<Duration>,
    /// The parts of all of them together.
    pub spent: Spent,
}

/// What came of all.
pub struct Report {
    /// In the jobs' order.
    pub nodes: Vec<Measured>,
    /// From the start of the first to the end of the last, the first of each node, which reads the code, left out.
    pub wall: Duration,
}

impl Measured {
    /// The time that `percent` of the compiles kept within.
    pub fn percentile(&self, percent: usize) -> Duration {
        percentile(&self.times, percent)
    }

    /// All time of its compiles.
    pub fn total(&self) -> Duration {
        self.times.iter().sum()
    }
}

impl Report {
    /// How many catalogs were compiled.
    pub fn catalogs(&self) -> usize {
        self.nodes.iter().map(|node| node.times.len()).sum()
    }

    /// Catalogs a second.
    pub fn rate(&self) -> f64 {
        self.catalogs() as f64 / self.wall.as_secs_f64()
    }

    /// The times of all nodes, shortest first.
    pub fn times(&self) -> Vec<Duration> {
        let mut all: Vec<Duration> = self.nodes.iter().flat_map(|node| node.times.iter().copied()).collect();
        all.sort();
        all
    }

    /// The share of the compiles' time that `part` of it took.
    pub fn share(&self, part: impl Fn(&Spent) -> Duration) -> f64 {
        let whole: Duration = self.nodes.iter().map(Measured::total).sum();
        let part: Duration = self.nodes.iter().map(|node| part(&node.spent)).sum();
        part.as_secs_f64() / whole.as_secs_f64()
    }
}

/// The time that `percent` of `times`, shortest first, keep within.
pub fn percentile(times: &[Duration], percent: usize) -> Duration {
    let at = (times.len() * percent).div_ceil(100).saturating_sub(1);
    times.get(at).copied().unwrap_or_default()
}

/// Compiles each target once, which is not measured, then `rounds` times, `threads` of them side by side.
///
/// # Errors
/// The first target that has no catalog says why.
pub fn run(compiler: &Compiler, targets: &[Target], rounds: usize, threads: usize) -> Result<Report, String> {
    let one = |target: &Target| {
        let Target { environment, node, settings } = target;
        let started = Instant::now();
        let compiled = compiler.compile(environment, node, settings);
        let time = started.elapsed();
        let catalog = compiled.result.map_err(|diagnostic| diagnostic.message)?;
        Ok::<_, String>((node.name().to_owned(), catalog.to_json().len(), time, compiled.spent))
    };
    let results = Mutex::new(Ok(Vec::new()));
    let pass = |count: usize| {
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(target) = targets.get(number % targets.len().max(1)).filter(|_| number < count)
                else {
                    break;
                };
                let result = one(target).map(|result| (number % targets.len(), result));
                let Ok(mut results) = results.lock() else { break };
                match (&mut *results, result) {
                    (Ok(all), Ok(one)) => all.push(one),
                    (failed @ Ok(_), Err(error)) => *failed = Err(error),
                    (Err(_), _) => break,
                }
            }
        };
        std::thread::scope(|scope| (0..threads.max(1)).try_for_each(|_| spawn(scope, work).map(drop)))
            .map_err(|error| format!("Could not start a thread: {error}"))
    };
    pass(targets.len())?;
    if let Ok(mut results) = results.lock()
        && let Ok(all) = &mut *results
    {
        all.clear();
    }
    let started = Instant::now();
    pass(targets.len() * rounds)?;
    let wall = started.elapsed();
    let mut nodes: Vec<Measured> = Vec::new();
    nodes.resize_with(targets.len(), || Measured {
        node: String::new(),
        bytes: 0,
        times: Vec::new(),
        spent: Spent::default(),
    });
    for (number, (name, bytes, time, spent)) in
        results.into_inner().unwrap_or_else(|held| held.into_inner())?
    {
        let Some(node) = nodes.get_mut(number) else { continue };
        node.node = name;
        node.bytes = bytes;
        node.times.push(time);
        node.spent += spent;
    }
    nodes.iter_mut().for_each(|node| node.times.sort());
    Ok(Report { nodes, wall })
}

/// As many machines as asked for, of the kinds of `targets`: each has a name and address of its own, and a number in
/// place of the first of its name, in all of its facts.
pub fn fleet(targets: &[Target], count: usize) -> Vec<Target> {
    let kinds: Vec<(String, &Target)> =
        targets.iter().map(|target| (target.node.facts().to_json(), target)).collect();
    let machines = (0..count).filter_map(|number| {
        let (facts, target) = kinds.get(number % kinds.len().max(1))?;
        let (name, facts) = vary(target.node.name(), facts, number);
        let facts = Facts::of_data(Data::from_json(&facts).unwrap_or_default());
        let node = target.node.renamed(&name).with_facts(facts);
        Some(Target { node, ..(*target).clone() })
    });
    machines.collect()
}

/// Name and facts of machine `number` of the kind that `name` is of.
fn vary(name: &str, facts: &str, number: usize) -> (String, String) {
    let (host, domain) = name.split_once('.').unwrap_or((name, ""));
    let kind = host.trim_end_matches(|c: char| c.is_ascii_digit());
    let dot = if domain.is_empty() { "" } else { "." };
    let new = format!("{kind}{:03}{dot}{domain}", number + 1);
    let mut facts = facts.replace(name, &new);
    let own = format!("\"{host}\"");
    facts = facts.replace(&own, &format!("\"{kind}{:03}\"", number + 1));
    let parsed: Json = serde_json::from_str(&facts).unwrap_or_default();
    if let Some(address) = parsed["networking"]["ip"].as_str() {
        let other = format!("10.{}.{}.{}", 16 + number / 40_000, number / 200 % 200, 20 + number % 200);
        facts = facts.replace(&format!("\"{address}\""), &format!("\"{other}\""));
    }
    (new, facts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn machines_of_a_fleet_differ_in_name_and_address() {
        let facts = json!({"fqdn": "web01.x.org", "hostname": "web01", "networking": {"ip": "10.0.0.1"}});
        let (name, facts) = vary("web01.x.org", &facts.to_string(), 41);
        assert_eq!(name, "web042.x.org");
        let want = json!({"fqdn": "web042.x.org", "hostname": "web042", "networking": {"ip": "10.16.0.61"}});
        assert_eq!(serde_json::from_str::<Json>(&facts).unwrap(), want);
    }

    #[test]
    fn percentiles_are_times_that_occurred() {
        let times: Vec<Duration> = (1..=10).map(Duration::from_millis).collect();
        assert_eq!(percentile(&times, 50).as_millis(), 5);
        assert_eq!(percentile(&times, 99).as_millis(), 10);
        assert_eq!(percentile(&[], 50), Duration::ZERO);
    }

    #[test]
    fn each_target_is_compiled_as_often_as_asked_and_a_failure_ends_it() {
        let target = |code: &str| Target {
            environment: Environment::of_code(code),
            node: Node::new("localhost"),
            settings: Settings::default(),
        };
        let compiler = Compiler::new();
        let report = run(&compiler, &[target("notify { a: }"), target("")], 3, 2).unwrap();
        assert_eq!(report.catalogs(), 6);
        assert_eq!(report.nodes[0].spent.resources, 4);
        let failed = run(&compiler, &[target("fail('no')")], 3, 2);
        assert!(failed.is_err_and(|error| error.contains("no")));
    }
}
