//! The shards of one run that a worker may find undone in an [index](super::index), from which it picks one after the other.
//!
//! A run's plan is read once, and its results are listed seldom, so that what a run costs a worker grows with its shards, not with
//! their square. Kept for a run, by its hash: its plan, which never changes (the hash is the plan's own), and which shards had no
//! result when they were listed last. That is stale as soon as another worker is done with one of them: so each is looked for by
//! its name when it is picked, and when too many are found to be done they are listed anew.

use super::plan::Plan;
use super::{Hash, Job};
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

/// How many names are listed for what it costs to look for one: a bucket of S3 lists so many in one request.
const NAMES: usize = 1000;

/// What a run has to be done.
#[derive(Debug)]
pub(super) enum Next {
    /// This.
    Job(Box<Job>),
    /// What is left is being done here.
    Busy,
    /// Nothing: each shard has a result.
    Over,
}

/// See the module.
pub(super) struct OpenShards {
    plan: Plan,
    /// Numbers of shards that had no result when they were listed, and were not picked since.
    numbers: Vec<usize>,
    /// How many were picked since, and found to be done.
    missed: usize,
}

impl OpenShards {
    /// Those of a plan; nothing is listed yet.
    pub fn new(plan: Plan) -> OpenShards {
        OpenShards { plan, numbers: Vec::new(), missed: 0 }
    }

    /// A shard that has no result and is not taken here. `list` lists those with a result, `is_done` looks for one.
    pub fn next(
        &mut self,
        run: &Hash,
        list: &dyn Fn() -> Result<HashSet<String>, String>,
        is_done: &dyn Fn(&str) -> Result<bool, String>,
        is_taken: &dyn Fn(&str) -> bool,
    ) -> Result<Next, String> {
        let most = self.plan.shards.len() / NAMES;
        let mut left = None;
        loop {
            if self.numbers.is_empty() || self.missed > most {
                if let (Some(left), true) = (left, self.numbers.is_empty()) {
                    return Ok(if left == 0 { Next::Over } else { Next::Busy });
                }
                let done = list()?;
                let open = (0..self.plan.shards.len()).filter(|number| !done.contains(&number.to_string()));
                self.numbers = open.collect();
                (left, self.missed) = (Some(self.numbers.len()), 0);
                self.numbers.retain(|number| !is_taken(&number.to_string()));
                continue;
            }
            // Whoever else looks picks others.
            let at = RandomState::new().hash_one(0) as usize % self.numbers.len();
            let number = self.numbers.swap_remove(at);
            let shard = number.to_string();
            match is_done(&shard)? {
                true => self.missed += 1,
                false => {
                    let facts = self.plan.shards[number].facts.clone();
                    return Ok(Next::Job(Box::new(self.plan.job(run, shard, facts))));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::FORMAT;
    use crate::engine::job::{Want, build};
    use crate::engine::shard::Part;
    use std::cell::{Cell, RefCell};

    fn plan(shards: usize) -> Plan {
        let hash = Hash::of(b"x");
        Plan {
            format: FORMAT,
            fingerprint: build(),
            from: hash.clone(),
            to: None,
            rules: hash.clone(),
            lent: hash.clone(),
            want: Want::Outcome,
            shards: vec![Part { facts: hash, nodes: 1 }; shards],
            report: serde_json::Value::Null,
        }
    }

    /// Workers take turns until all is done: how often results were listed, and how often one was looked for.
    fn work(shards: usize, workers: usize) -> (usize, usize) {
        let run = Hash::of(b"run");
        let (done, listed, looked) = (RefCell::new(HashSet::new()), Cell::new(0), Cell::new(0));
        let list = || {
            listed.set(listed.get() + 1);
            Ok(done.borrow().clone())
        };
        let is_done = |shard: &str| {
            looked.set(looked.get() + 1);
            Ok(done.borrow().contains(shard))
        };
        let mut all: Vec<OpenShards> = (0..workers).map(|_| OpenShards::new(plan(shards))).collect();
        let mut over = 0;
        while over < workers {
            over = 0;
            for open in &mut all {
                match open.next(&run, &list, &is_done, &|_| false).expect("it can be asked") {
                    Next::Job(job) => assert!(done.borrow_mut().insert(job.shard), "it had no result"),
                    Next::Busy => panic!("nothing is taken"),
                    Next::Over => over += 1,
                }
            }
        }
        assert_eq!(done.borrow().len(), shards);
        (listed.get(), looked.get())
    }

    #[test]
    fn what_a_run_costs_grows_with_its_shards() {
        assert_eq!(work(0, 1), (1, 0));
        for shards in [1, 10, 100, 1000, 10_000] {
            // Alone: once at the begin, once at the end.
            assert_eq!(work(shards, 1), (2, shards));
        }
        for workers in [2, 5] {
            let (listed, looked) = work(10_000, workers);
            assert!(listed < 200 * workers && looked < 30_000, "{workers}: {listed} {looked}");
        }
    }

    #[test]
    fn what_is_taken_is_not_picked_and_is_not_done() {
        let mut open = OpenShards::new(plan(2));
        let (run, none) = (Hash::of(b"run"), || Ok(HashSet::new()));
        let next = open.next(&run, &none, &|_| Ok(false), &|shard| shard == "1").expect("it can be asked");
        assert!(matches!(next, Next::Job(job) if job.shard == "0"));
        let next = open.next(&run, &none, &|_| Ok(false), &|_| true).expect("it can be asked");
        assert!(matches!(next, Next::Busy));
    }
}
