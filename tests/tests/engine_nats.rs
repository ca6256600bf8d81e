//! Fleets by a real NATS server say what one process says, to the byte, whatever dies meanwhile: workers, the server, coordinators.
//!
//! `ENGINE_KILLS` says how many workers are killed, `ENGINE_SHARDS` how many shards many are.

use bunraku_tests::differential::rng::Rng;
use bunraku_tests::engine_site::{Site, kept, number, of_many_shards, output, without_times};
use bunraku_tests::nats::Nats;
use bunraku_tests::small_disk::SmallDisk;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Workers that a test has started; they end with this value.
struct Workers(Vec<Child>);

impl Workers {
    fn start(site: &Site, on: &str, count: usize) -> Workers {
        let worker = |number| quiet(&mut worker(site, on, number));
        Workers((0..count).map(worker).collect())
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn worker(site: &Site, on: &str, number: usize) -> Command {
    let mut command = site.worker(on, &format!("worker{number}"));
    command.args(["--patience", PATIENCE]);
    command
}

/// Seconds: jobs of the dead are handed out again soon.
const PATIENCE: &str = "2";

fn quiet(command: &mut Command) -> Child {
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts")
}

/// A server; none, aloud, where there is none.
fn server() -> Option<Nats> {
    match Nats::start().expect("it starts") {
        Ok(nats) => Some(nats),
        Err(reason) => {
            eprintln!("SKIPPED: {reason}");
            None
        }
    }
}

fn on<'o>(url: &'o str, shard: &'o str) -> [&'o str; 6] {
    ["--on", url, "--shard", shard, "--patience", PATIENCE]
}

#[test]
fn diffs_and_fleets_are_those_of_one_process() {
    let (site, Some(nats)) = (Site::new(43), server()) else { return };
    let url = nats.url();
    let _workers = Workers::start(&site, &url, 3);
    let (one, other) = (output(&mut site.diff(&[])), output(&mut site.diff(&on(&url, "4"))));
    assert_eq!((one.0, one.1), (other.0, other.1), "{}", other.2);
    let [own, others] = ["own", "others"].map(|name| site.path(name).display().to_string());
    let one = output(&mut site.compile(&["--save", &own]));
    let other = output(&mut site.compile(&[&on(&url, "5")[..], &["--save", &others]].concat()));
    assert_eq!((one.0, without_times(&one.1)), (other.0, without_times(&other.1)), "{}", other.2);
    assert_eq!(kept(Path::new(&own)), kept(Path::new(&others)));
    // A result too large for a message: all nodes in one shard, each with much to say.
    let large = "x ".repeat(40_000);
    for side in ["old", "new"] {
        let text = format!("node default {{ notify {{ \"${{trusted['certname']}} {side} {large}\": }} }}\n");
        fs::write(site.path(side).join("manifests/site.pp"), text).expect("it can be written");
    }
    let (one, other) = (output(&mut site.diff(&[])), output(&mut site.diff(&on(&url, "1000"))));
    assert_eq!((one.0, one.1), (other.0, other.1), "{}", other.2);
}

#[test]
fn of_many_shards_none_is_lost_and_none_is_told_twice() {
    let ((site, shards), Some(nats)) = (of_many_shards(), server()) else { return };
    let url = nats.url();
    let one = output(&mut site.diff(&[]));
    let _workers = Workers::start(&site, &url, 2);
    let other = output(&mut site.diff(&on(&url, "1")));
    assert!((one.0, &one.1) == (other.0, &other.1), "{}", other.2);
    // Everything is there already: nobody does anything again.
    let name = other.2.split_whitespace().nth(1).unwrap_or_default().trim_end_matches(':');
    let (_, status, err) = output(&mut site.bunraku(&["fleet", "status", name, "--on", &url]));
    assert_eq!(status, format!("{shards} of {shards} shards are done, {shards} nodes in all\n"), "{err}");
}

/// As many runs, each on a server of its own, as it takes to kill so many workers.
#[test]
fn whatever_workers_are_killed_nothing_is_lost_or_twice() {
    let site = Site::new(160);
    let one = output(&mut site.diff(&[]));
    let (kills, mut random, mut killed) = (number("ENGINE_KILLS", 25), Rng::new(7), 0);
    while killed < kills {
        let Some(nats) = server() else { return };
        let now = run_with_kills(&site, &nats.url(), (kills - killed, &mut random), &one);
        assert!(now > 0, "it was over before anything was killed");
        killed += now;
    }
}

/// A diff by three workers, of which one after the other is killed, at most so many; how many were before it was over.
fn run_with_kills(
    site: &Site,
    url: &str,
    (most, random): (usize, &mut Rng),
    one: &(Option<i32>, String, String),
) -> usize {
    let mut diff = site.diff(&on(url, "2"));
    let started = diff.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut coordinator = started.expect("it starts");
    let mut workers = Workers::start(site, url, 3);
    let mut out = coordinator.stdout.take().expect("it is piped");
    let read = std::thread::spawn(move || {
        let mut text = String::new();
        out.read_to_string(&mut text).map(|_| text)
    });
    let mut killed = 0;
    while killed < most && coordinator.try_wait().expect("it can be asked").is_none() {
        std::thread::sleep(Duration::from_millis(50 + random.below(250) as u64));
        let which = random.below(3);
        // SIGKILL: no job is given back.
        workers.0[which].kill().expect("it can be killed");
        workers.0[which].wait().expect("it ends");
        workers.0[which] = quiet(&mut worker(site, url, which));
        killed += 1;
    }
    let output = coordinator.wait_with_output().expect("it ends");
    let text = read.join().expect("it is read").expect("it can be read");
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), &text), (one.0, &one.1), "{err}");
    killed
}

/// Waits until something is so.
fn within(time: Duration, is_so: impl Fn() -> bool) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < time {
        if is_so() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    false
}

/// Whether a process has a connection to the server at a URL, by what the system tells of both.
fn is_connected(process: u32, url: &str) -> bool {
    let port: u16 = url.rsplit(':').next().and_then(|port| port.parse().ok()).expect("the URL has a port");
    let remote = format!(":{port:04X}");
    let table = fs::read_to_string("/proc/net/tcp").unwrap_or_default();
    let lines = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let sockets = lines.filter(|line| line.len() > 9 && line[2].ends_with(&remote) && line[3] == "01");
    let sockets: Vec<String> = sockets.map(|line| format!("socket:[{}]", line[9])).collect();
    let open = fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
    open.filter_map(|file| fs::read_link(file.path()).ok())
        .any(|link| sockets.contains(&link.to_string_lossy().into_owned()))
}

#[test]
fn the_server_may_go_and_come_back_and_so_may_coordinators() {
    let (site, Some(mut nats)) = (Site::new(80), server()) else { return };
    let url = nats.url();
    let one = output(&mut site.diff(&[]));
    let (status, run, err) = output(&mut site.diff(&[&on(&url, "2")[..], &["--detach"]].concat()));
    assert_eq!(status, Some(0), "{err}");
    let run = run.trim_end().to_owned();
    let status = |site: &Site| output(&mut site.bunraku(&["fleet", "status", &run, "--on", &url, "--json"]));
    let before = status(&site).1;
    assert!(before.contains("\"shards\":40,\"done\":0"), "{before}");
    let _workers = Workers::start(&site, &url, 2);
    // Two coordinators at once, of which one dies.
    let mut dying = quiet(&mut site.bunraku(&["fleet", "run", &run, "--on", &url, "--format", "json"]));
    let mut diff = site.diff(&on(&url, "2"));
    let going_on = diff.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    for coordinator in [dying.id(), going_on.id()] {
        assert!(
            within(Duration::from_secs(60), || is_connected(coordinator, &url)),
            "a coordinator connects"
        );
    }
    let collected = std::thread::spawn(move || going_on.wait_with_output().expect("it ends"));
    std::thread::sleep(Duration::from_millis(700));
    dying.kill().expect("it can be killed");
    dying.wait().expect("it ends");
    nats.kill();
    std::thread::sleep(Duration::from_millis(1500));
    nats.again().expect("it starts again");
    let collected = collected.join().expect("it is read");
    let text = String::from_utf8_lossy(&collected.stdout).into_owned();
    let err = String::from_utf8_lossy(&collected.stderr);
    assert!((collected.status.code(), &text) == (one.0, &one.1), "{err}\n{text}");
    let after = status(&site).1;
    assert!(after.contains("\"shards\":40,\"done\":40"), "{after}");
    // Whoever comes later finds the same, and nobody does anything again.
    let again = output(&mut site.diff(&on(&url, "2")));
    assert_eq!((again.0, again.1), (one.0, one.1), "{}", again.2);
}

#[test]
fn on_a_full_disk_a_worker_gives_its_job_back() {
    let (site, Some(nats)) = (Site::new(20), server()) else { return };
    let Some(disk) = SmallDisk::mount(&site.path("worker0"), 4096, "a full disk") else { return };
    let url = nats.url();
    let one = output(&mut site.diff(&[]));
    let (status, run, err) = output(&mut site.diff(&[&on(&url, "4")[..], &["--detach"]].concat()));
    assert_eq!(status, Some(0), "{err}");
    disk.fill_but(4);
    let (status, _, err) = output(&mut worker(&site, &url, 0));
    assert_eq!(status, Some(1), "{err}");
    let file = format!("Could not write {}/", site.path("worker0/objects").display());
    assert!(err.contains(&file) && err.contains("No space left"), "{err}");
    let _workers = Workers(vec![quiet(&mut worker(&site, &url, 1))]);
    let other = output(&mut site.diff(&on(&url, "4")));
    assert_eq!((other.0, other.1), (one.0, one.1), "{}", other.2);
    let (_, status, _) = output(&mut site.bunraku(&["fleet", "status", run.trim_end(), "--on", &url]));
    assert_eq!(status, "5 of 5 shards are done, 20 nodes in all\n");
}

#[test]
fn a_node_that_ends_its_worker_is_found_and_told_as_such() {
    let (site, Some(nats)) = (Site::new(12), server()) else { return };
    let url = nats.url();
    let poison = "plain0004.example.com";
    for side in ["old", "new"] {
        let file = site.path(side).join("manifests/site.pp");
        let text = fs::read_to_string(&file).expect("it can be read");
        // It takes hours, and this test takes no worker for sound that is at one job for longer than a moment.
        let endless = format!("node '{poison}' {{ Integer[0, 9000000000].each |$n| {{ }} }}\n");
        fs::write(&file, text + &endless).expect("it can be written");
    }
    let names: Vec<String> = fs::read_dir(site.path("facts"))
        .expect("it can be listed")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().trim_end_matches(".json").to_owned())
        .filter(|name| name != poison)
        .collect();
    let (_, sound, _) = output(&mut site.diff(&["--names", &names.join(",")]));
    let sound: serde_json::Value = serde_json::from_str(&sound).expect("it is JSON");
    let mut diff = site.diff(&["--on", &url, "--shard", "4", "--patience", "1"]);
    let mut coordinator = diff.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    let mut command = site.worker(&url, "worker");
    command.args(["--patience", "1"]);
    let mut worker = Workers(vec![quiet(&mut command)]);
    let begun = Instant::now();
    while coordinator.try_wait().expect("it can be asked").is_none() {
        assert!(begun.elapsed() < Duration::from_secs(300), "it does not come to an end");
        std::thread::sleep(Duration::from_millis(2500));
        worker.0[0].kill().expect("it can be killed");
        worker.0[0].wait().expect("it ends");
        worker.0[0] = quiet(&mut command);
    }
    let output = coordinator.wait_with_output().expect("it ends");
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let (found, told): (Vec<_>, Vec<_>) =
        found.as_array().expect("a list").iter().partition(|node| node["node"] != poison);
    assert_eq!(found, sound.as_array().expect("a list").iter().collect::<Vec<_>>());
    let [told] = told[..] else { panic!("{told:?}") };
    let why = told["error"].as_str().unwrap_or_default();
    assert!(told["state"] == "skipped" && why.contains("ends every worker"), "{told}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_worker_is_told_to_end_and_brings_its_job_to_the_end() {
    let (site, Some(nats)) = (Site::new(40), server()) else { return };
    let url = nats.url();
    let (_, run, _) = output(&mut site.diff(&[&on(&url, "5")[..], &["--detach"]].concat()));
    let mut command = worker(&site, &url, 0);
    let child = command.stderr(Stdio::piped()).spawn().expect("it starts");
    std::thread::sleep(Duration::from_millis(1200));
    Command::new("kill").arg(child.id().to_string()).status().expect("it starts");
    let output_of = child.wait_with_output().expect("it ends");
    let told = String::from_utf8_lossy(&output_of.stderr).into_owned();
    assert!(output_of.status.success() && told.contains("jobs are done"), "{told}");
    let done: usize = told.split_whitespace().next().and_then(|word| word.parse().ok()).expect("a number");
    let (_, status, _) = output(&mut site.bunraku(&["fleet", "status", run.trim_end(), "--on", &url]));
    assert!(status.starts_with(&format!("{done} of 8")), "{status} {told}");
}

#[test]
fn over_tls_whoever_has_no_certificate_of_the_site_is_refused() {
    let site = Site::new(9);
    let nats = match Nats::start_with_tls().expect("it starts") {
        Ok(nats) => nats,
        Err(reason) => return eprintln!("SKIPPED: {reason}"),
    };
    let url = nats.url();
    let [ca, certificate, key] =
        ["ca.pem", "client.pem", "client.key"].map(|name| nats.file(name).display().to_string());
    let one = output(&mut site.diff(&[]));
    let tls = ["--localcacert", &ca, "--hostcert", &certificate, "--hostprivkey", &key];
    let refused = output(&mut site.diff(&["--on", &url, "--localcacert", &ca]));
    assert_eq!(refused.0, Some(1), "{}", refused.2);
    assert!(refused.2.contains("Could not connect"), "{}", refused.2);
    let mut command = worker(&site, &url, 0);
    let _workers = Workers(vec![quiet(command.args(tls))]);
    let other = output(&mut site.diff(&[&on(&url, "4")[..], &tls].concat()));
    assert_eq!((one.0, one.1), (other.0, other.1), "{}", other.2);
}

#[test]
fn objects_that_the_server_has_lost_are_told_as_such() {
    let (site, Some(mut nats)) = (Site::new(10), server()) else { return };
    let url = nats.url();
    let one = output(&mut site.diff(&[]));
    let (_, run, _) = output(&mut site.diff(&[&on(&url, "5")[..], &["--detach"]].concat()));
    // The server's own files, where the archives lie.
    nats.kill();
    let blocks = nats.stored().into_iter().filter(|file| {
        let path = file.display().to_string();
        path.contains("OBJ_bunraku") && path.ends_with(".blk")
    });
    let mut damaged = 0;
    for block in blocks {
        let mut bytes = fs::read(&block).expect("it can be read");
        if bytes.len() > 20_000 {
            let at = bytes.len() / 2;
            bytes[at..at + 64].iter_mut().for_each(|byte| *byte ^= 0x55);
            fs::write(&block, bytes).expect("it can be written");
            damaged += 1;
        }
    }
    assert!(damaged > 0, "nothing lies there");
    nats.again().expect("it starts again");
    let mut command = worker(&site, &url, 0);
    let (status, _, err) = output(&mut command);
    assert_eq!(status, Some(1), "{err}");
    assert!(err.contains("bject"), "{err}");
    // The server itself has lost what lay there: that is said to whoever publishes, and nothing is waited for.
    let again = output(&mut site.diff(&on(&url, "5")));
    assert_eq!(again.0, Some(1), "{}", again.1);
    assert!(again.2.contains("the bucket is damaged"), "{}", again.2);
    // In a bucket that is made anew all is there.
    nats.kill();
    fs::remove_dir_all(nats.file("store")).expect("it can be removed");
    nats.again().expect("it starts again");
    let _workers = Workers::start(&site, &url, 2);
    let other = output(&mut site.diff(&on(&url, "5")));
    assert_eq!((one.0, one.1), (other.0, other.1), "{}", other.2);
    let (_, status, _) = output(&mut site.bunraku(&["fleet", "status", run.trim_end(), "--on", &url]));
    assert!(status.starts_with("2 of 2"), "{status}");
}
