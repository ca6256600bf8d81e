//! A run: all that its coordinator has to know, in one object, whose hash is what the run is called. So the same work has the same
//! name, and whoever knows that can go on with it.

use super::job::{self, Hash, Want, is_own};
use super::lent;
use super::shard::{Part, Shard};
use super::{Engine, FORMAT, Job};
use crate::pool;
use bunraku::Lent;
use bunraku::bench::Target;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::path::PathBuf;

/// How many nodes a shard has, unless somebody says.
pub const SHARD: usize = 1000;

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// [`FORMAT`].
    pub format: u32,
    /// [`job::build`] of who has made it.
    pub fingerprint: String,
    /// The archive of the tree as it is.
    pub from: Hash,
    /// That of the tree as it is to be, where there are two.
    pub to: Option<Hash>,
    /// What of two catalogs is compared.
    pub rules: Hash,
    /// What is lent of the coordinator's disk.
    pub lent: Hash,
    /// What is wanted of each node.
    pub want: Want,
    /// The shards, in the order of the names in them.
    pub shards: Vec<Part>,
    /// What the report needs to know; the engine does not.
    pub report: Json,
}

/// Why an object is no plan to follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoPlan {
    /// It is none.
    Damaged(String),
    /// Another build's.
    OfAnotherBuild(String),
}

impl From<NoPlan> for String {
    fn from(why: NoPlan) -> String {
        match why {
            NoPlan::Damaged(text) | NoPlan::OfAnotherBuild(text) => text,
        }
    }
}

/// What all builds write of a plan.
#[derive(Deserialize)]
struct Head {
    format: u32,
    fingerprint: String,
}

impl Plan {
    /// A plan of an object.
    ///
    /// # Errors
    /// When it is none, or one of another build.
    pub fn decode(bytes: &[u8]) -> Result<Plan, NoPlan> {
        let damaged = |error: serde_json::Error| NoPlan::Damaged(format!("This is no run: {error}"));
        let head: Head = serde_json::from_slice(bytes).map_err(damaged)?;
        is_own(head.format, &head.fingerprint)
            .map_err(|whose| NoPlan::OfAnotherBuild(format!("The run {whose}")))?;
        serde_json::from_slice(bytes).map_err(damaged)
    }

    /// As an object.
    pub fn encode(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.shards.iter().map(|part| part.nodes).sum()
    }

    /// All jobs, in the order of the shards.
    pub fn jobs(&self, run: &Hash) -> Vec<Job> {
        let shards = self.shards.iter().enumerate();
        shards.map(|(number, part)| self.job(run, number.to_string(), part.facts.clone())).collect()
    }

    /// The job of a shard.
    pub fn job(&self, run: &Hash, shard: String, facts: Hash) -> Job {
        Job {
            format: self.format,
            fingerprint: self.fingerprint.clone(),
            run: run.clone(),
            shard,
            from: self.from.clone(),
            to: self.to.clone(),
            facts,
            rules: self.rules.clone(),
            lent: self.lent.clone(),
            want: self.want,
        }
    }
}

/// What a run is made of.
pub struct Work<'w> {
    /// The nodes, sorted.
    pub names: &'w [String],
    /// How many nodes a shard has.
    pub shard: usize,
    /// A node's targets, one or two, as the coordinator has them.
    pub targets: &'w (dyn Fn(&str) -> Result<Vec<Target>, String> + Sync),
    /// How many shards are made side by side.
    pub threads: usize,
    /// The bytes of the archives, as many.
    pub archives: &'w [Vec<u8>],
    /// Where the trees lie that they are of: a node whose code lies elsewhere can't go with a job.
    pub folders: &'w [Option<PathBuf>],
    /// What of two catalogs is compared, as an object.
    pub rules: Vec<u8>,
    /// What is lent of this machine's disk.
    pub lent: &'w Lent,
    /// What is wanted of each node.
    pub want: Want,
    /// See [`Plan::report`].
    pub report: Json,
}

/// Keeps all that a run takes; the run, and its plan. Nothing is published yet.
///
/// # Errors
/// When something of a node can't go with a job, or an object can't be kept.
pub fn prepare(engine: &dyn Engine, work: &Work<'_>) -> Result<(Hash, Plan), String> {
    let mut archives = work.archives.iter().map(|bytes| engine.keep(bytes));
    let from = archives.next().ok_or("There is no tree to compile from")??;
    let to = archives.next().transpose()?;
    let rules = engine.keep(&work.rules)?;
    let lent = engine.keep(&lent::encode(work.lent)?)?;
    let chunks: Vec<&[String]> = work.names.chunks(work.shard.max(1)).collect();
    let numbers: Vec<String> = (0..chunks.len()).map(|number| number.to_string()).collect();
    let made = |number: &str| -> Result<(Vec<u8>, usize), String> {
        let names = number.parse().ok().and_then(|number: usize| chunks.get(number).copied());
        let (names, mut shard) = (names.unwrap_or_default(), Shard::default());
        for name in names {
            let targets = (work.targets)(name);
            for (target, tree) in targets.iter().flatten().zip(work.folders) {
                if let (Some(folder), true) =
                    (target.environment.folder(), target.environment.folder() != tree.as_deref())
                {
                    return Err(format!(
                        "{name} is compiled from {}: only what lies in a tree can go with a job",
                        folder.display()
                    ));
                }
            }
            shard.add(name, targets)?;
        }
        Ok((shard.encode()?, names.len()))
    };
    let (mut shards, mut kept) = (Vec::new(), Ok(()));
    pool::run_while(&numbers, work.threads, made, |_, made| {
        kept = made.and_then(|(bytes, nodes)| {
            shards.push(Part { facts: engine.keep(&bytes)?, nodes });
            Ok(())
        });
        kept.is_ok()
    })?;
    kept?;
    let (want, report) = (work.want, work.report.clone());
    let plan =
        Plan { format: FORMAT, fingerprint: job::build(), from, to, rules, lent, want, shards, report };
    let run = engine.keep(&plan.encode())?;
    Ok((run, plan))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_read_back_and_those_of_others_are_refused() {
        let hash = Hash::of(b"x");
        let shards = vec![Part { facts: hash.clone(), nodes: 3 }, Part { facts: Hash::of(b"y"), nodes: 2 }];
        let plan = Plan {
            format: FORMAT,
            fingerprint: job::build(),
            from: hash.clone(),
            to: None,
            rules: hash.clone(),
            lent: hash.clone(),
            want: Want::Outcome,
            shards,
            report: Json::Null,
        };
        assert_eq!(Plan::decode(&plan.encode()), Ok(plan.clone()));
        assert_eq!((plan.nodes(), plan.jobs(&hash).len()), (5, 2));
        let other = Plan { fingerprint: "ab".to_owned(), ..plan };
        // Whatever else another build writes.
        let newer = br#"{"format":1000,"fingerprint":"ab","more":1}"#;
        for bytes in [&other.encode()[..], newer] {
            assert!(matches!(Plan::decode(bytes), Err(NoPlan::OfAnotherBuild(_))));
        }
        assert!(matches!(Plan::decode(b"{}"), Err(NoPlan::Damaged(_))));
    }
}
