//! A whole fleet compiled: each node's catalog, or what is wrong with it, in the order of names; the same errors of several nodes
//! told once. Catalogs are kept only where that is asked for ([`save`]), so memory does not grow with the fleet but by the few
//! bytes that are told of a node.

pub mod expected;
pub mod report;
pub mod save;

use super::exported::meet;
use super::pool;
use crate::diff::Watch;
use bunraku::bench::Target;
use bunraku::{Compiler, Diagnostic, ExportedMeeting, Place};
pub use save::Keep;
use save::Saved;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What is to be compiled.
pub struct Fleet<'f> {
    /// What compiles.
    pub compiler: &'f Compiler,
    /// The nodes, by name, sorted.
    pub names: &'f [String],
    /// How many are compiled side by side.
    pub threads: usize,
    /// What is compiled for a node.
    pub target: &'f (dyn Fn(&str) -> Result<Target, String> + Sync),
    /// Where catalogs are kept.
    pub save: Option<&'f dyn Keep>,
    /// Whether nodes collect what the others of this run export: then those that collect are compiled twice.
    pub in_two_passes: bool,
    /// Who is told of each compile what it has read.
    pub watch: Option<&'f dyn Watch>,
}

/// What came of a node.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its certname.
    pub name: String,
    /// How long it took.
    pub time: Duration,
    /// How many resources its catalog has.
    pub resources: usize,
    /// What is wrong; none where it has a catalog.
    pub failure: Option<Failure>,
    /// The kept catalog.
    pub saved: Option<Saved>,
}

/// What is wrong with a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The message, complete with its place.
    pub message: String,
    /// The place.
    pub place: Place,
}

impl From<Diagnostic> for Failure {
    fn from(error: Diagnostic) -> Failure {
        Failure { message: error.message, place: error.place }
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure { message, place: Place::default() }
    }
}

/// Compiles all nodes; `each` gets what came of them in the order of their names, as soon as it is there. No store takes the
/// catalogs in.
///
/// # Errors
/// When there are no threads to be had, or a catalog can't be kept: then what was kept is whole, and no more is compiled.
pub fn compile(fleet: &Fleet, each: impl FnMut(&Node)) -> Result<(), String> {
    if !fleet.in_two_passes {
        return pass(fleet, |name| one(fleet, name, None), each);
    }
    let meeting = ExportedMeeting::default();
    // What the first pass has of nodes that don't collect is what the second would have.
    let mut done = BTreeMap::new();
    let first = Fleet { save: None, ..*fleet };
    pass(
        &first,
        |name| one(&first, name, Some(&meeting)),
        |node| {
            if fleet.save.is_none() && !meeting.has_asked(&node.name) {
                done.insert(node.name.clone(), node.clone());
            }
        },
    )?;
    meeting.answer();
    let second =
        |name: &str| done.get(name).map_or_else(|| one(fleet, name, Some(&meeting)), |node| Ok(node.clone()));
    pass(fleet, second, each)
}

/// Does the same for all nodes, until a catalog can't be kept.
fn pass(
    fleet: &Fleet,
    work: impl Fn(&str) -> Result<Node, String> + Sync,
    mut each: impl FnMut(&Node),
) -> Result<(), String> {
    let mut failed = None;
    pool::run_while(fleet.names, fleet.threads, work, |_, done| match done {
        Ok(node) => {
            each(&node);
            true
        }
        Err(message) => {
            failed = Some(message);
            false
        }
    })?;
    failed.map_or(Ok(()), Err)
}

/// Compiles a node; where nodes meet, it collects there, and what it exports is taken in when it is compiled first.
fn one(fleet: &Fleet, name: &str, meeting: Option<&ExportedMeeting>) -> Result<Node, String> {
    let started = Instant::now();
    let mut node =
        Node { name: name.to_owned(), time: Duration::ZERO, resources: 0, failure: None, saved: None };
    let target = (fleet.target)(name).and_then(|mut target| {
        if let Some(meeting) = meeting {
            meet(fleet.compiler, &mut target, meeting)?;
        }
        Ok(target)
    });
    match target {
        Err(message) => node.failure = Some(message.into()),
        Ok(mut target) => match made(fleet, &mut target, meeting)? {
            Ok((resources, saved)) => (node.resources, node.saved) = (resources, saved),
            Err(failure) => node.failure = Some(failure),
        },
    }
    node.time = started.elapsed();
    Ok(node)
}

/// How many resources a target's catalog has, and the kept catalog. It is written as JSON only where it is kept.
fn made(
    fleet: &Fleet,
    target: &mut Target,
    meeting: Option<&ExportedMeeting>,
) -> Result<Result<(usize, Option<Saved>), Failure>, String> {
    let watch = fleet.watch.filter(|watch| watch.wants(0, target.node.name()));
    target.settings.reads |= watch.is_some();
    let target = &*target;
    let Some(folder) = fleet.save else {
        let seen = fleet.compiler.see(target, |catalog| {
            if let Some(meeting) = meeting {
                meeting.take_in(target.node.name(), catalog.exports(target.node.name()));
            }
            catalog.len()
        });
        if let Some(watch) = watch {
            watch.compiled(target, seen.result.as_ref().err(), seen.reads);
        }
        return Ok(seen.result.map(|resources| (resources, None)).map_err(Failure::from));
    };
    let compiled = fleet.compiler.trial(target);
    if let Some(watch) = watch {
        watch.compiled(target, compiled.result.as_ref().err(), compiled.reads);
    }
    match compiled.result {
        Ok(catalog) => Ok(Ok((compiled.spent.resources, Some(folder.keep(catalog.to_json())?)))),
        Err(error) => Ok(Err(error.into())),
    }
}
