//! What it costs to compare a fleet from two trees: beside compiling it once, both without JSON, on one thread. Times are the
//! thread's on a processor. By turns of a few machines: what else the machine does in the meantime, for seconds, is in both.

use crate::results::Figures;
use crate::target::frozen;
use ::bunraku::Compiler;
use ::bunraku::bench::{self, Target};
use bunraku_fleet::compare::{Rules, Side, compare};
use bunraku_tests::{control_repo, paths};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// How many machines the fleet has.
const MACHINES: usize = 500;
/// How many are compiled once before they are compared, and the other way round.
const TURN: usize = 25;

/// How long this thread has been on a processor: what else the machine does is not in it. Where the system does not say, how
/// long the process has been measured.
fn on_processor() -> Duration {
    static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    let said = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = said.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| BEGIN.elapsed(), Duration::from_nanos)
}

/// A machine as it is compiled from either tree.
type Pair = (Target, Target);

/// The machines as they are compiled from a tree.
fn fleet(work: &Path, tree: &Path, name: &str) -> Result<Vec<Target>, String> {
    let node = |node: &'static str| {
        let mut job = control_repo::job(node);
        job["environment"] = tree.to_string_lossy().into();
        frozen(&job, work, name)
    };
    let nodes = control_repo::NODES.into_iter().map(node).collect::<Result<Vec<_>, _>>()?;
    Ok(bench::fleet(&nodes, MACHINES))
}

/// The table. To be called on a thread that compiles.
///
/// # Errors
/// When a node can't be compiled.
pub fn diff(work: &Path, rounds: usize) -> Result<String, String> {
    let copy = work.join("copy");
    paths::copy(&control_repo::root(), &copy);
    let (before, after) =
        (fleet(work, &control_repo::root(), "control-repo")?, fleet(work, &copy, "control-repo-copy")?);
    let (compiler, rules) = (Compiler::new().with_fixed_environments(), Rules::default());
    let once = |(target, _): &Pair| {
        compiler.see(target, |catalog| catalog.len()).result.map_err(|error| error.message)
    };
    let both = |(before, after): &Pair| {
        let compared = compiler.see(before, |before| {
            let after =
                compiler.see(after, |after| compare(&Side::from(before), &Side::from(after), &rules).len());
            after.result.map_err(|error| error.message)
        });
        compared.result.map_err(|error| error.message)?
    };
    let pairs: Vec<Pair> = before.into_iter().zip(after).collect();
    let some = |pairs: &[Pair], work: &dyn Fn(&Pair) -> Result<usize, String>| {
        let started = on_processor();
        pairs.iter().try_for_each(|pair| work(pair).map(drop))?;
        Ok::<f64, String>((on_processor() - started).as_secs_f64())
    };
    // What is read and learned once is in neither.
    some(&pairs, &both)?;
    let (mut one, mut two, mut ratio) = (Figures::new(), Figures::new(), Figures::new());
    for _ in 0..rounds {
        let (mut own, mut other) = (0.0, 0.0);
        for pairs in pairs.chunks(TURN) {
            own += some(pairs, &once)?;
            other += some(pairs, &both)?;
        }
        one.push(own);
        two.push(other);
        ratio.push(other / own);
    }
    let mut out = String::from(
        "### Diff\n\n| work | compiled once | compiled from both sides and compared | ratio |\n| --- | ---: | ---: | ---: |\n",
    );
    let _ = writeln!(
        out,
        "| {MACHINES} machines of the control repo, from a tree and its copy | {:.2} s | {:.2} s | {:.2} ({:.2}–{:.2}) |",
        one.median(),
        two.median(),
        ratio.median(),
        ratio.least(),
        ratio.greatest(),
    );
    Ok(out)
}
