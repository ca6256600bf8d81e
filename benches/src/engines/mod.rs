//! What it costs to have a fleet's work done by others: `bunraku diff` of varied machines of the control repo in one process, and the
//! same with one worker by a folder and by NATS. Times are of all processes together on processors; each compiles on one thread.
//! What follows for large fleets is on [`paper`].

mod paper;

use crate::results::{Figures, number};
use bunraku_tests::used::used;
use bunraku_tests::{bunraku, control_repo, paths, varied};
use paper::Measured;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// How many machines the fleet has, unless somebody says.
pub const MACHINES: usize = 2000;
/// Nodes of a shard: as usual, and few, to tell what a shard costs.
const SHARDS: [usize; 2] = [1000, 50];
/// Seconds that a server is given to start, which are no part of a time from begin to end.
const STARTING: f64 = 1.0;

struct Site<'w> {
    work: &'w Path,
    /// Names of the machines, sorted.
    machines: Vec<String>,
    /// The command of the diff, without what says how.
    diff: String,
    program: PathBuf,
}

impl Site<'_> {
    fn new(work: &Path, machines: usize) -> Result<Site<'_>, String> {
        let said = |error: std::io::Error| error.to_string();
        for tree in ["old", "new"] {
            paths::copy(&control_repo::root(), &work.join(tree));
        }
        let file = work.join("new/site-modules/profile/manifests/base.pp");
        let text = fs::read_to_string(&file).map_err(said)?;
        let at = text.rfind('}').ok_or("profile::base has no end")?;
        fs::write(&file, format!("{}  notify {{ 'new': }}\n{}", &text[..at], &text[at..])).map_err(said)?;
        let facts = work.join("facts");
        fs::create_dir_all(&facts).map_err(said)?;
        let kinds = control_repo::NODES.map(|name| (name, control_repo::facts(name)));
        let kinds: Vec<(&str, &Path)> = kinds.iter().map(|(name, file)| (*name, file.as_path())).collect();
        let machines = varied::write(&facts, &kinds, machines, 1)?;
        let program = bunraku::binary()?;
        let at = |name: &str| work.join(name).display().to_string();
        let diff = format!(
            "{} diff --all --no-config --compat 7 --threads 1 --fail-on never --from {} --to {} --facts {} --cache {} --modules {}",
            program.display(),
            at("old"),
            at("new"),
            at("facts"),
            at("cache"),
            paths::modules().display()
        );
        Ok(Site { work, machines, diff, program })
    }

    fn at(&self, name: &str) -> String {
        self.work.join(name).display().to_string()
    }

    fn worker(&self, on: &str, number: usize) -> String {
        let cache = self.at(&format!("worker{number}"));
        format!("{} fleet worker --cores 1 --on {on} --cache {cache}", self.program.display())
    }

    /// Seconds on processors that a coordinator needs to prepare a run of some machines by NATS, and to gather it once it is done.
    fn coordinator(&self, machines: &[String]) -> Result<(f64, f64), String> {
        self.forget("nats");
        let port = bunraku_tests::programs::free_port()?;
        let on = format!("nats://127.0.0.1:{port}");
        let own = std::env::current_exe().map_err(|error| error.to_string())?;
        let (own, program, worker) = (own.display(), self.program.display(), self.worker(&on, 0));
        let diff = format!("{} --on {on} --shard {} --detach", self.diff_of(machines)?, SHARDS[0]);
        let [store, prepared, gathered] = ["nats", "prepared", "gathered"].map(|name| self.at(name));
        self.shell(&format!(
            "nats-server -a 127.0.0.1 -p {port} -js -sd {store} >/dev/null 2>&1 & N=$!; sleep {STARTING}; \
             {own} measure {diff} >{prepared}; RUN=$({diff}); {worker} & W=$!; {program} fleet run $RUN --on {on}; \
             {own} measure {program} fleet collect $RUN --on {on} >{gathered}; \
             kill $W; wait $W; kill $N; wait $N; test -s {gathered}",
        ))?;
        let processor = |file: &str| -> Result<f64, String> {
            let text = fs::read(file).map_err(|error| error.to_string())?;
            let told: serde_json::Value = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
            told["processor"].as_f64().ok_or_else(|| format!("{file} says of no time"))
        };
        Ok((processor(&prepared)?, processor(&gathered)?))
    }

    /// The diff of some machines.
    fn diff_of(&self, machines: &[String]) -> Result<String, String> {
        let names = self.at("names");
        fs::write(&names, machines.join("\n")).map_err(|error| error.to_string())?;
        Ok(format!("{} --nodes {names}", self.diff))
    }

    /// Seconds on processors that a diff of some machines takes: in one process, by a folder and by NATS.
    fn ways(&self, machines: &[String]) -> Result<[f64; 3], String> {
        let diff = self.diff_of(machines)?;
        let folder = self.by_folder(&diff, SHARDS[0])?;
        Ok([self.shell(&diff)?.0, folder.0, self.by_nats(&diff, SHARDS[0], 1)?.0])
    }

    /// Seconds on processors, and from begin to end.
    fn shell(&self, script: &str) -> Result<(f64, f64), String> {
        let used = used(1, Path::new("/bin/sh"), &["-c", script])?;
        Ok((used.processor, used.seconds))
    }

    fn by_folder(&self, diff: &str, shard: usize) -> Result<(f64, f64), String> {
        self.forget("engine");
        let on = format!("index:{}", self.at("engine"));
        let submit = self.worker(&on, 0);
        self.shell(&format!("exec {diff} --on {on} --shard {shard} --submit '{submit}'"))
    }

    fn by_nats(&self, diff: &str, shard: usize, workers: usize) -> Result<(f64, f64), String> {
        self.forget("nats");
        let port = bunraku_tests::programs::free_port()?;
        let on = format!("nats://127.0.0.1:{port}");
        let mut script = format!(
            "nats-server -a 127.0.0.1 -p {port} -js -sd {} >/dev/null 2>&1 & N=$!; sleep {STARTING}; P=;",
            self.at("nats")
        );
        for number in 0..workers {
            let _ = write!(script, " {} & P=\"$P $!\";", self.worker(&on, number));
        }
        let _ = write!(
            script,
            " {diff} --on {on} --shard {shard}; S=$?; kill $P; wait $P; kill $N; wait $N; exit $S"
        );
        self.shell(&script)
    }

    fn forget(&self, name: &str) {
        // It may not be there.
        let _ = fs::remove_dir_all(self.work.join(name));
    }

    /// Bytes of the objects and of the results that a folder has.
    fn bytes(&self) -> Result<(u64, u64), String> {
        let (mut objects, mut results) = (0, 0);
        let mut pending = vec![self.work.join("engine")];
        while let Some(path) = pending.pop() {
            if path.is_dir() {
                let listed = fs::read_dir(&path).map_err(|error| error.to_string())?;
                pending.extend(listed.flatten().map(|entry| entry.path()));
            } else {
                let length = fs::metadata(&path).map_or(0, |data| data.len());
                let is_result = path.components().any(|part| part.as_os_str() == "results");
                *(if is_result { &mut results } else { &mut objects }) += length;
            }
        }
        Ok((objects, results))
    }
}

/// The table.
///
/// # Errors
/// When something does not run.
pub fn engines(work: &Path, rounds: usize, machines: usize) -> Result<String, String> {
    if machines <= SHARDS[1] {
        return Err(format!("engines are measured with more than {} machines", SHARDS[1]));
    }
    let work = work.join("engines");
    fs::create_dir_all(&work).map_err(|error| error.to_string())?;
    let site = Site::new(&work, machines)?;
    // Archives of the trees, and the worker's, are there from here on.
    site.shell(&site.diff)?;
    site.by_folder(&site.diff, SHARDS[0])?;
    let mut own = Figures::new();
    let mut rows: Vec<(String, Figures, Figures)> = Vec::new();
    for name in ["a folder", "NATS"] {
        for shard in SHARDS {
            rows.push((
                format!("by {name}, one worker, {shard} nodes a shard"),
                Figures::new(),
                Figures::new(),
            ));
        }
    }
    let some = &site.machines[..machines.div_ceil(10)];
    let (mut begins, mut prepares, mut gathers) = (Figures::new(), Figures::new(), Figures::new());
    let mut walls = [1, 2, 4].map(|workers| (workers, Figures::new()));
    // What a run costs more by a folder and by NATS, however many nodes it has, and how many times what a node takes.
    let mut runs = [(); 2].map(|()| (Figures::new(), Figures::new()));
    for _ in 0..rounds {
        let once = site.shell(&site.diff)?.0;
        own.push(once);
        for (at, (_, times, ratios)) in rows.iter_mut().enumerate() {
            let shard = SHARDS[at % 2];
            let time = match at < 2 {
                true => site.by_folder(&site.diff, shard)?.0,
                false => site.by_nats(&site.diff, shard, 1)?.0,
            };
            times.push(time);
            ratios.push(time / once);
        }
        let few = site.ways(some)?;
        let all = site.ways(&site.machines)?;
        let a_node = |way: usize| (all[way] - few[way]) / (machines - some.len()) as f64;
        let begin = |way: usize| few[way] - a_node(way) * some.len() as f64;
        for (way, (fixed, nodes)) in runs.iter_mut().enumerate() {
            fixed.push(begin(way + 1) - begin(0));
            nodes.push(a_node(way + 1) / a_node(0));
        }
        let (few, all) = (site.coordinator(some)?, site.coordinator(&site.machines)?);
        let a_node = (all.0 - few.0) / (machines - some.len()) as f64;
        prepares.push(a_node);
        begins.push(all.0 - a_node * machines as f64);
        gathers.push(all.1 / machines as f64);
        for (workers, seconds) in &mut walls {
            seconds.push(site.by_nats(&site.diff, 100, *workers)?.1 - STARTING);
        }
    }
    site.by_folder(&site.diff, SHARDS[0])?;
    let (objects, results) = site.bytes()?;
    let mut out = format!(
        "### Engines\n\n| a diff of {machines} varied machines of the control repo | time on processors | of one process |\n\
         | --- | ---: | ---: |\n| one process | {} s | 1 |\n",
        number(own.median())
    );
    for (name, times, ratios) in &rows {
        let (least, greatest) = (ratios.least(), ratios.greatest());
        let _ = writeln!(
            out,
            "| {name} | {} s | {:.3} ({least:.3}–{greatest:.3}) |",
            number(times.median()),
            ratios.median()
        );
    }
    let nodes = machines as f64;
    let a_shard = |at: usize| {
        let shards = |nodes: usize| machines.div_ceil(nodes) as f64;
        (rows[at + 1].1.median() - rows[at].1.median()) / (shards(SHARDS[1]) - shards(SHARDS[0]))
    };
    let facts = site.facts_bytes()? as f64;
    let archives = objects as f64 - facts;
    let _ = writeln!(
        out,
        "\nBeside one process a run costs {} s more by a folder and {} s by NATS, however many nodes it has: both archives are kept, fetched and \
         held against their hashes. A shard costs {} ms and {} ms more. A node takes {:.3} ({:.3}–{:.3}) and {:.3} ({:.3}–{:.3}) times what it takes in \
         one process ({} ms), in shards of {}; these are from runs of {} and of {machines} machines. Kept, and fetched once by each worker, are {:.1} MiB (both archives with all files, rules, plans); of a node {:.2} KiB of facts and \
         {:.2} KiB of results are moved, each in and out.",
        number(runs[0].0.median()),
        number(runs[1].0.median()),
        number(a_shard(0) * 1e3),
        number(a_shard(2) * 1e3),
        runs[0].1.median(),
        runs[0].1.least(),
        runs[0].1.greatest(),
        runs[1].1.median(),
        runs[1].1.least(),
        runs[1].1.greatest(),
        number(own.median() / nodes * 1e3),
        SHARDS[0],
        some.len(),
        archives / f64::from(1 << 20),
        facts / 1024.0 / nodes,
        results as f64 / 1024.0 / nodes,
    );
    let first = walls[0].1.median();
    let walls: Vec<String> = walls
        .iter()
        .map(|(workers, seconds)| {
            format!(
                "{workers}: {} s ({:.2} times as fast)",
                number(seconds.median()),
                first / seconds.median()
            )
        })
        .collect();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let _ = writeln!(
        out,
        "From begin to end on {cores} cores, by NATS, 100 nodes a shard, coordinator and server there, too, by workers of one thread: {}.\n",
        walls.join(", ")
    );
    let (prepare, gather) = (prepares.median(), gathers.median());
    let measured = Measured {
        // All that is done by NATS, without what the coordinator does.
        compile: (rows[2].1.median() - begins.median()) / nodes - prepare - gather,
        begin: begins.median(),
        prepare,
        gather,
        archives,
        node: 2.0 * (facts + results as f64) / nodes,
    };
    out.push_str(&measured.table());
    Ok(out)
}

impl Site<'_> {
    /// Bytes of the shards.
    fn facts_bytes(&self) -> Result<u64, String> {
        let runs = fs::read_dir(self.work.join("engine/runs")).map_err(|error| error.to_string())?;
        let mut bytes = 0;
        for run in runs.flatten() {
            let text = fs::read(run.path().join("manifest")).map_err(|error| error.to_string())?;
            let plan: serde_json::Value = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
            for part in plan["shards"].as_array().into_iter().flatten() {
                let hash = part["facts"].as_str().unwrap_or_default();
                let object = self.work.join("engine/objects").join(&hash[..2.min(hash.len())]).join(hash);
                bytes += fs::metadata(object).map_or(0, |data| data.len());
            }
        }
        Ok(bytes)
    }
}
