//! How long a large fleet takes on many cores, on paper: what one worker and one coordinator were measured to need, multiplied. Whichever
//! of three takes longest is the bound: compiling, the network, or the one place in which all is kept and the one coordinator who fills and
//! empties it.

use crate::results::number;
use std::fmt::Write as _;

/// The fleets and the cores for which it is said.
const NODES: [f64; 3] = [10_000.0, 100_000.0, 500_000.0];
const CORES: [f64; 3] = [16.0, 64.0, 256.0];
/// What is assumed, as it can't be measured on one machine: cores of a worker's machine, and bytes a second by which the place is reached
/// (1 Gbit/s).
const CORES_OF_A_MACHINE: f64 = 16.0;
const BYTES_A_SECOND: f64 = 125e6;

/// What was measured: seconds on a processor, and bytes.
#[derive(Clone, Copy)]
pub struct Measured {
    /// What the workers and the server need for a node.
    pub compile: f64,
    /// What the coordinator needs before anything is published, however many nodes there are.
    pub begin: f64,
    /// What it needs for a node until it is published.
    pub prepare: f64,
    /// What it needs for a node to gather what came of it.
    pub gather: f64,
    /// Bytes that each machine fetches once.
    pub archives: f64,
    /// Bytes of a node, its facts and what came of it, on their way through the place.
    pub node: f64,
}

/// Seconds of each bound.
struct Bounds {
    compile: f64,
    network: f64,
    store: f64,
}

impl Measured {
    fn bounds(&self, nodes: f64, cores: f64) -> Bounds {
        let machines = (cores / CORES_OF_A_MACHINE).ceil();
        Bounds {
            compile: nodes * self.compile / cores,
            network: (self.archives * machines + nodes * self.node) / BYTES_A_SECOND,
            store: self.begin + nodes * (self.prepare + self.gather),
        }
    }

    /// Seconds from begin to end, and the name of the bound: nothing is handed out before all is prepared, and then three things
    /// happen at once.
    fn time(&self, nodes: f64, cores: f64) -> (f64, &'static str) {
        let bounds = self.bounds(nodes, cores);
        let before = self.begin + nodes * self.prepare;
        let meanwhile = bounds.compile.max(bounds.network).max(nodes * self.gather);
        let all = [("compile", bounds.compile), ("network", bounds.network), ("store", bounds.store)];
        let greatest = all.into_iter().max_by(|one, other| one.1.total_cmp(&other.1));
        (before + meanwhile, greatest.map_or("", |(name, _)| name))
    }

    /// The table, with the formula and what goes into it.
    pub fn table(&self) -> String {
        let Measured { compile, begin, prepare, gather, archives, node } = self;
        if [compile, begin, prepare, gather].iter().any(|seconds| **seconds < 0.0) {
            return "On paper nothing can be said: what differs between runs of few and of many machines is less than what they vary by.\n"
                .to_owned();
        }
        let milliseconds = |seconds: &f64| number(seconds * 1e3);
        let mut out = format!(
            "On paper, from these figures: with N nodes, C cores on machines of {CORES_OF_A_MACHINE} and 1 Gbit/s to the server,\n\n\
             - compile = N × {} ms / C: what workers and server needed for a node;\n\
             - network = ({:.1} MiB × machines + N × {:.2} KiB) / 1 Gbit/s: what each machine fetches once, and what of a node goes \
             through the server;\n\
             - store = {} s + N × ({} ms + {} ms): what one coordinator needs to prepare a run, to prepare a node and to gather what \
             came of it.\n\n\
             From begin to end that is what is prepared, and then the longest of compile, network and what is gathered. In brackets is the bound.\n\n\
             | nodes |",
            milliseconds(compile),
            archives / f64::from(1 << 20),
            node / 1024.0,
            number(*begin),
            milliseconds(prepare),
            milliseconds(gather),
        );
        CORES.iter().for_each(|cores| _ = write!(out, " {cores} cores |"));
        out.push_str("\n| ---: |");
        CORES.iter().for_each(|_| out.push_str(" ---: |"));
        for nodes in NODES {
            let _ = write!(out, "\n| {nodes} |");
            for cores in CORES {
                let (seconds, bound) = self.time(nodes, cores);
                let _ = write!(out, " {} ({bound}) |", spoken(seconds));
            }
        }
        out + "\n"
    }
}

fn spoken(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 120.0 => format!("{} s", number(seconds)),
        seconds => format!("{} min", number(seconds / 60.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_is_the_bound() {
        let one =
            Measured { compile: 0.04, begin: 2.0, prepare: 1e-4, gather: 2e-4, archives: 1e6, node: 1000.0 };
        let (seconds, bound) = one.time(100_000.0, 64.0);
        assert!((seconds - (2.0 + 10.0 + 62.5)).abs() < 1e-9 && bound == "compile", "{seconds} {bound}");
        // With so many cores the coordinator is what takes longest.
        let (seconds, bound) = one.time(100_000.0, 2560.0);
        assert!((seconds - (2.0 + 10.0 + 20.0)).abs() < 1e-9 && bound == "store", "{seconds} {bound}");
        let (_, bound) = Measured { node: 1e6, ..one }.time(100_000.0, 64.0);
        assert_eq!(bound, "network");
        assert!(one.table().contains("| 100000 |"));
        assert!(Measured { prepare: -1e-6, ..one }.table().starts_with("On paper nothing can be said"));
    }
}
