//! The coordinator of a run: gathers what came of its jobs, in the order of names, and halves what workers have given up until the node
//! is found that ends them. All that it knows it has from the engine: it may die at any time, and another go on.

use super::catalogs;
use super::job::{Hash, Want};
use super::outcome::{Outcome, Outcomes};
use super::plan::Plan;
use super::shard::Shard;
use super::{Engine, Job};
use crate::compile::{self, save::Folder};
use crate::diff::{Found, State};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

/// How long is waited for results at a time.
const WAIT: Duration = Duration::from_secs(1);
/// What is said of a node whose compile nobody survives.
const CRASHED: &str = "Its compile ends every worker that tries it";

/// Does nodes that workers have left, each with its name.
pub type Left<'l> = dyn Fn(&[(String, String)]) -> Result<Vec<(String, Outcome)>, String> + 'l;

/// What is gathered, and how.
pub struct Gathering<'g> {
    /// The engine.
    pub engine: &'g dyn Engine,
    /// The run.
    pub run: &'g Hash,
    /// Its plan.
    pub plan: &'g Plan,
    /// Does what workers have left, given with what it needs.
    pub left: &'g Left<'g>,
    /// Whether results that are not there yet are waited for.
    pub waits: bool,
    /// Where catalogs are put that workers have kept.
    pub save: Option<&'g Folder>,
}

/// How far a shard is.
enum ShardState {
    /// What it is made of.
    Whole(Hash),
    /// It was given up, and stands in two halves.
    Halved,
    /// It was given up, and is one node.
    Crashed(String),
}

struct Gathered<'g> {
    all: &'g Gathering<'g>,
    arrived: BTreeMap<String, Vec<u8>>,
    /// How many results have come.
    count: usize,
    /// By the names of all shards, halves included.
    shards: BTreeMap<String, ShardState>,
    /// Shards that were given up and of which that has to be told still: a half may be told of before its whole.
    given_up: BTreeSet<String>,
}

/// Gathers a run: `each` gets what came of each node in the order of their names, `progress` how many results there are.
///
/// # Errors
/// When the engine fails, a result is damaged, or is missing and not waited for.
pub fn gather(
    gathering: &Gathering<'_>,
    progress: &mut dyn FnMut(usize),
    each: &mut dyn FnMut(&str, Outcome),
) -> Result<(), String> {
    let shards = gathering.plan.shards.iter().enumerate();
    let states =
        shards.map(|(number, part)| (number.to_string(), ShardState::Whole(part.facts.clone()))).collect();
    let (arrived, given_up) = (BTreeMap::new(), BTreeSet::new());
    let mut gathered = Gathered { all: gathering, arrived, count: 0, shards: states, given_up };
    (0..gathering.plan.shards.len())
        .try_for_each(|number| gathered.shard(&number.to_string(), progress, each))
}

impl Gathered<'_> {
    /// What came of a shard, waited for.
    fn shard(
        &mut self,
        shard: &str,
        progress: &mut dyn FnMut(usize),
        each: &mut dyn FnMut(&str, Outcome),
    ) -> Result<(), String> {
        loop {
            match self.shards.get(shard) {
                Some(ShardState::Whole(facts)) => {
                    if let Some(bytes) = self.arrived.remove(shard) {
                        let job = self.all.plan.job(self.all.run, shard.to_owned(), facts.clone());
                        return self.outcomes(&bytes, &job, each);
                    }
                }
                Some(ShardState::Halved) => {
                    let halves = [0, 1].map(|half| format!("{shard}.{half}"));
                    return halves.iter().try_for_each(|half| self.shard(half, progress, each));
                }
                Some(ShardState::Crashed(name)) => {
                    let outcome = crashed(self.all.plan.want, name);
                    each(name, outcome);
                    return Ok(());
                }
                None => return Err(format!("There is no shard {shard}")),
            }
            let is_new = self.ask(progress)?;
            if !is_new && !self.all.waits {
                return Err(format!("Shard {shard} has no result yet"));
            }
        }
    }

    /// Asks the engine what is new: whether anything is.
    fn ask(&mut self, progress: &mut dyn FnMut(usize)) -> Result<bool, String> {
        let Gathering { engine, run, waits, .. } = self.all;
        let new = engine.results(run, if *waits { WAIT } else { Duration::ZERO })?;
        let given_up = engine.given_up(run)?;
        let is_new = !(new.is_empty() && given_up.is_empty());
        self.count += new.len();
        self.arrived.extend(new);
        self.given_up.extend(given_up);
        // A whole is in front of its halves.
        for shard in std::mem::take(&mut self.given_up) {
            self.halve(&shard)?;
        }
        progress(self.count);
        Ok(is_new)
    }

    /// Has a shard that was given up done in halves.
    fn halve(&mut self, shard: &str) -> Result<(), String> {
        let facts = match self.shards.get(shard) {
            Some(ShardState::Whole(facts)) if !self.arrived.contains_key(shard) => facts,
            Some(_) => return Ok(()),
            None => {
                self.given_up.insert(shard.to_owned());
                return Ok(());
            }
        };
        let Gathering { engine, run, plan, .. } = self.all;
        let whole = Shard::decode(&engine.fetch(facts)?)?;
        let Some(halves) = whole.halves() else {
            let name = whole.names().into_iter().next().unwrap_or_default();
            self.shards.insert(shard.to_owned(), ShardState::Crashed(name));
            return Ok(());
        };
        let mut jobs: Vec<Job> = Vec::new();
        for (number, half) in halves.iter().enumerate() {
            let (name, facts) = (format!("{shard}.{number}"), engine.keep(&half.encode()?)?);
            jobs.push(plan.job(run, name.clone(), facts.clone()));
            self.shards.insert(name, ShardState::Whole(facts));
        }
        self.shards.insert(shard.to_owned(), ShardState::Halved);
        engine.publish(&jobs)
    }

    /// Tells of a shard's nodes, those that were left done now.
    fn outcomes(&self, bytes: &[u8], job: &Job, each: &mut dyn FnMut(&str, Outcome)) -> Result<(), String> {
        let Outcomes { nodes, catalogs } = Outcomes::decode(bytes, job)?;
        if let (Some(hash), Some(folder)) = (catalogs, self.all.save) {
            catalogs::unpack(&self.all.engine.fetch(&hash)?, folder)?;
        }
        let left = nodes.iter().filter_map(|(name, outcome)| match outcome {
            Outcome::Left(why) => Some((name.clone(), why.clone())),
            _ => None,
        });
        let left: Vec<(String, String)> = left.collect();
        let mut done: BTreeMap<String, Outcome> = match left.is_empty() {
            true => BTreeMap::new(),
            false => (self.all.left)(&left)?.into_iter().collect(),
        };
        for (name, outcome) in nodes {
            let outcome = done.remove(&name).unwrap_or(outcome);
            each(&name, outcome);
        }
        Ok(())
    }
}

/// What is said of nodes that were left, where nobody here can do them.
pub fn nobody(want: Want, left: &[(String, String)]) -> Vec<(String, Outcome)> {
    let say = |(name, why): &(String, String)| {
        let what = format!("It can be compiled only where its tree lies, for it needs more than that: {why}");
        (name.clone(), not_done(want, name, what))
    };
    left.iter().map(say).collect()
}

fn crashed(want: Want, name: &str) -> Outcome {
    not_done(want, name, CRASHED.to_owned())
}

fn not_done(want: Want, name: &str, why: String) -> Outcome {
    match want {
        Want::Differences => Outcome::Compared(Found { state: State::Skipped(why), own: Vec::new() }),
        Want::Outcome | Want::Catalogs => Outcome::Compiled(compile::Node {
            name: name.to_owned(),
            time: Duration::ZERO,
            resources: 0,
            failure: Some(why.into()),
            saved: None,
        }),
        Want::Printed => Outcome::Printed(Err(why)),
    }
}

/// How far a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Shards, halves among them in the place of what they are of.
    pub shards: usize,
    /// Those that have a result.
    pub done: usize,
    /// Nodes of the run.
    pub nodes: usize,
    /// Shards that workers have given up and that a coordinator has to halve, or that are one node.
    pub given_up: usize,
}

/// How far a run is, by what the engine has.
///
/// # Errors
/// When the engine can't be asked.
pub fn status(engine: &dyn Engine, run: &Hash, plan: &Plan) -> Result<Status, String> {
    let done: HashSet<String> = engine.with_results(run)?.into_iter().collect();
    let given_up = engine.given_up(run)?;
    Ok(Status {
        shards: plan.shards.len(),
        done: (0..plan.shards.len()).filter(|number| done.contains(&number.to_string())).count(),
        nodes: plan.nodes(),
        given_up: given_up.iter().filter(|shard| !done.contains(*shard)).count(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::plan::{Work, prepare};
    use crate::engine::threads::Threads;
    use crate::engine::{Arrived, Taken, Ticket};
    use bunraku::bench::Target;
    use bunraku::{Environment, Lent, Node, Settings};
    use serde_json::Value as Json;
    use std::sync::Mutex;

    /// Workers of which each that is handed one node dies, so that the engine gives its shards up; the others find that nothing fails.
    struct Poisoned {
        engine: Threads,
        poison: Vec<String>,
        given_up: Mutex<Vec<String>>,
    }

    impl Poisoned {
        fn work(&self) {
            while let Ok(Taken::Job(ticket, job)) = self.engine.take() {
                let shard = Shard::decode(&self.fetch(&job.facts).expect("it is kept")).expect("it is one");
                if shard.names().iter().any(|name| self.poison.contains(name)) {
                    // Halves first: they are not always told of in the order in which they were given up.
                    self.given_up.lock().expect("nobody panics").insert(0, job.shard.clone());
                    continue;
                }
                let node = |name: String| (name.clone(), not_done(job.want, &name, String::new()));
                let nodes = shard.names().into_iter().map(node).collect();
                let result = Outcomes { nodes, catalogs: None }.encode(&job).expect("it is packed");
                self.engine.done(ticket, &job, &result).expect("it is kept");
            }
        }
    }

    impl Engine for Poisoned {
        fn keep(&self, bytes: &[u8]) -> Result<Hash, String> {
            self.engine.keep(bytes)
        }
        fn fetch(&self, hash: &Hash) -> Result<Vec<u8>, String> {
            self.engine.fetch(hash)
        }
        fn publish(&self, jobs: &[Job]) -> Result<(), String> {
            self.engine.publish(jobs)
        }
        fn take(&self) -> Result<Taken, String> {
            self.engine.take()
        }
        fn progress(&self, _: Ticket) -> Result<(), String> {
            Ok(())
        }
        fn patience(&self) -> Option<Duration> {
            None
        }
        fn done(&self, ticket: Ticket, job: &Job, result: &[u8]) -> Result<(), String> {
            self.engine.done(ticket, job, result)
        }
        fn refuse(&self, ticket: Ticket) -> Result<(), String> {
            self.engine.refuse(ticket)
        }
        fn results(&self, run: &Hash, _: Duration) -> Result<Vec<Arrived>, String> {
            self.work();
            self.engine.results(run, Duration::ZERO)
        }
        fn with_results(&self, run: &Hash) -> Result<Vec<String>, String> {
            self.engine.with_results(run)
        }
        fn given_up(&self, _: &Hash) -> Result<Vec<String>, String> {
            Ok(std::mem::take(&mut *self.given_up.lock().expect("nobody panics")))
        }
    }

    #[test]
    fn shards_that_are_given_up_are_halved_until_the_node_is_found() {
        let names: Vec<String> = (0..33).map(|number| format!("n{number:02}")).collect();
        for poison in [vec![], vec!["n05"], vec!["n00", "n32"], vec!["n11", "n12", "n13"]] {
            let poison: Vec<String> = poison.into_iter().map(str::to_owned).collect();
            let engine =
                Poisoned { engine: Threads::default(), poison: poison.clone(), given_up: Mutex::default() };
            let target = |name: &str| Target {
                environment: Environment::at("/nowhere"),
                node: Node::new(name),
                settings: Settings::default(),
            };
            let work = Work {
                names: &names,
                shard: 10,
                targets: &|name| Ok(vec![target(name)]),
                threads: 2,
                archives: &[b"an archive".to_vec()],
                folders: &[Some("/nowhere".into())],
                rules: Vec::new(),
                lent: &Lent::new(Vec::new(), BTreeMap::new()),
                want: Want::Differences,
                report: Json::Null,
            };
            let (run, plan) = prepare(&engine, &work).expect("it is kept");
            assert_eq!(
                prepare(&engine, &work).expect("it is kept").0,
                run,
                "the same work has the same name"
            );
            engine.publish(&plan.jobs(&run)).expect("it is published");
            let (mut all, mut crashed) = (Vec::new(), Vec::new());
            let left = |left: &[(String, String)]| Ok(nobody(Want::Differences, left));
            let gathering =
                Gathering { engine: &engine, run: &run, plan: &plan, left: &left, waits: true, save: None };
            gather(&gathering, &mut |_| (), &mut |name, outcome| {
                let Outcome::Compared(Found { state: State::Skipped(why), .. }) = outcome else {
                    panic!("{name}")
                };
                crashed.extend((why == CRASHED).then(|| name.to_owned()));
                all.push(name.to_owned());
            })
            .expect("it is gathered");
            assert_eq!((all, crashed), (names.clone(), poison));
        }
    }
}
