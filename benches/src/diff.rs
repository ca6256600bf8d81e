//! What it costs to compare a fleet from two trees: beside compiling it once, both without JSON, on one thread, by turns. Times are the
//! thread's on a processor.

use crate::results::Figures;
use crate::target::frozen;
use ::bunraku::Compiler;
use ::bunraku::bench::{self, Target};
use bunraku_fleet::compare::{Rules, Side, compare};
use bunraku_tests::control_repo;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// How many machines the fleet has.
const MACHINES: usize = 500;

/// How long this thread has been on a processor: what else the machine does is not in it. Where the system does not say, how
/// long the process has been measured.
fn on_processor() -> Duration {
    static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    let said = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = said.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| BEGIN.elapsed(), Duration::from_nanos)
}

/// The table. To be called on a thread that compiles.
///
/// # Errors
/// When a node can't be compiled.
pub fn diff(work: &Path, rounds: usize) -> Result<String, String> {
    let nodes = control_repo::NODES.map(|node| frozen(&control_repo::job(node), work, "control-repo"));
    let nodes: Vec<Target> = nodes.into_iter().collect::<Result<_, _>>()?;
    let fleet = bench::fleet(&nodes, MACHINES);
    let (compiler, rules) = (Compiler::new(), Rules::default());
    let once =
        |target: &Target| compiler.see(target, |catalog| catalog.len()).result.map_err(|error| error.message);
    let both = |target: &Target| {
        let compared = compiler.see(target, |before| {
            let after =
                compiler.see(target, |after| compare(&Side::from(before), &Side::from(after), &rules).len());
            after.result.map_err(|error| error.message)
        });
        compared.result.map_err(|error| error.message)?
    };
    let all = |work: &dyn Fn(&Target) -> Result<usize, String>| {
        let started = on_processor();
        for target in &fleet {
            work(target)?;
        }
        Ok::<f64, String>((on_processor() - started).as_secs_f64())
    };
    // What is read and learned once is in neither.
    all(&once)?;
    let (mut one, mut two, mut ratio) = (Figures::new(), Figures::new(), Figures::new());
    for _ in 0..rounds {
        let (own, other) = (all(&once)?, all(&both)?);
        one.push(own);
        two.push(other);
        ratio.push(other / own);
    }
    let mut out = String::from(
        "### Diff\n\n| work | compiled once | compiled from both sides and compared | ratio |\n| --- | ---: | ---: | ---: |\n",
    );
    let _ = writeln!(
        out,
        "| {MACHINES} machines of the control repo | {:.2} s | {:.2} s | {:.2} ({:.2}–{:.2}) |",
        one.median(),
        two.median(),
        ratio.median(),
        ratio.least(),
        ratio.greatest(),
    );
    Ok(out)
}
