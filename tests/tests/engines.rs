//! Fleets on an engine say what one process says, to the byte: by a folder whose shards are done by processes of their own, in any
//! order, several times, at once. For NATS see `engine_nats.rs`.

use bunraku_tests::differential::rng::Rng;
use bunraku_tests::engine_site::{Site, kept, output, without_times};
use bunraku_tests::paths;
use bunraku_tests::slurm::Slurm;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the only run below an engine's folder.
fn run_of(engine: &Path) -> PathBuf {
    let mut runs = fs::read_dir(engine.join("runs")).expect("there is one").flatten();
    let run = runs.next().expect("there is a run").path();
    assert!(runs.next().is_none(), "there is one run");
    run
}

/// Has shards done by processes, some side by side.
fn shards(site: &Site, run: &Path, order: &[usize]) {
    let run = run.display().to_string();
    for some in order.chunks(3) {
        let started: Vec<_> = some
            .iter()
            .map(|number| {
                let mut command =
                    site.bunraku(&["fleet", "shard", &run, "--index", &number.to_string(), "--cache"]);
                command.arg(site.path("worker")).spawn().expect("it starts")
            })
            .collect();
        for mut child in started {
            assert!(child.wait().expect("it ends").success());
        }
    }
}

#[test]
fn a_diff_by_a_folder_is_that_of_one_process() {
    let site = Site::new(43);
    let one = output(&mut site.diff(&[]));
    assert_eq!(one.0, Some(1), "{}", one.2);
    for word in ["\"core\"", "\"fails\"", "\"same\"", "\"failed before\"", "hello again", "Ruby x"] {
        assert!(one.1.contains(word), "{word}: {}", one.1);
    }
    assert!(!one.1.contains("s3cret"));
    let engine = site.path("engine");
    let on = format!("index:{}", engine.display());
    let (status, name, err) = output(&mut site.diff(&["--on", &on, "--shard", "4", "--detach"]));
    assert_eq!(status, Some(0), "{err}");
    let run = run_of(&engine);
    assert_eq!(name.trim_end(), run.display().to_string());
    let early = output(&mut site.bunraku(&["fleet", "collect", name.trim_end()]));
    assert_eq!(early.0, Some(1));
    assert!(early.2.contains("has no result yet"), "{}", early.2);
    // Twice each, in an order of chance.
    let mut random = Rng::new(1);
    let mut order: Vec<usize> = (0..11).chain(0..11).collect();
    for at in (1..order.len()).rev() {
        order.swap(at, random.below(at + 1));
    }
    shards(&site, &run, &order);
    let (_, status, _) = output(&mut site.bunraku(&["fleet", "status", name.trim_end()]));
    assert_eq!(status, "11 of 11 shards are done, 43 nodes in all\n");
    // The results are there: whoever publishes the same has them.
    let again = output(&mut site.diff(&["--on", &on, "--shard", "4"]));
    assert_eq!((again.0, again.1), (one.0, one.1.clone()), "{}", again.2);
    // Where the trees are not, it is said of whom that is.
    let elsewhere = output(&mut site.bunraku(&["fleet", "run", name.trim_end(), "--format", "json"]));
    assert!(elsewhere.1.contains("It can be compiled only where its tree lies"), "{}", elsewhere.1);
    let nodes = |text: &str, states: &[&str]| -> Vec<String> {
        let all: serde_json::Value = serde_json::from_str(text).expect("it is JSON");
        let all = all.as_array().expect("a list").iter();
        let fitting = all.filter(|node| states.contains(&node["state"].as_str().unwrap_or_default()));
        fitting.map(ToString::to_string).collect()
    };
    let of = ["core", "fails", "failed before"];
    let differing = nodes(&elsewhere.1, &["skipped"]).len();
    assert_eq!(differing, 12, "out, run and ruby");
    let own = nodes(&one.1, &of)
        .into_iter()
        .filter(|node| !node.contains("\"ruby") && !node.contains("\"node\":\"r"));
    assert_eq!(own.collect::<Vec<_>>(), nodes(&elsewhere.1, &of));
}

#[test]
fn shards_are_submitted_and_waited_for() {
    let site = Site::new(20);
    let one = output(&mut site.diff(&[]));
    let on = format!("index:{}", site.path("engine").display());
    let program = bunraku_tests::bunraku::binary().expect("Bunraku builds");
    let submit = format!(
        "for n in $(seq 0 $((BUNRAKU_SHARDS - 1))); do JOB_COMPLETION_INDEX=$n {} fleet shard \"$BUNRAKU_RUN\" --cache {}; done",
        program.display(),
        site.path("worker").display()
    );
    let other = output(&mut site.diff(&["--on", &on, "--shard", "7", "--submit", &submit]));
    assert_eq!((other.0, other.1), (one.0, one.1), "{}", other.2);
    let failed = output(&mut site.diff(&["--on", &on, "--shard", "6", "--submit", "exit 3"]));
    assert_eq!(failed.0, Some(1));
    assert!(failed.2.contains("exit status: 3"), "{}", failed.2);
}

#[test]
fn a_fleet_by_a_folder_is_compiled_as_by_one_process() {
    let site = Site::new(31);
    let [own, other] = ["own", "other"].map(|name| site.path(name).display().to_string());
    let one = output(&mut site.compile(&["--save", &own]));
    let engine = site.path("engine");
    let on = format!("index:{}", engine.display());
    let started = output(&mut site.compile(&["--save", &other, "--on", &on, "--shard", "10", "--detach"]));
    assert_eq!(started.0, Some(0), "{}", started.2);
    // Workers that find it do what is there.
    let workers: Vec<_> =
        ["one", "two"].iter().map(|cache| site.worker(&on, cache).spawn().expect("it starts")).collect();
    for mut worker in workers {
        assert!(worker.wait().expect("it ends").success());
    }
    let two = output(&mut site.compile(&["--save", &other, "--on", &on, "--shard", "10"]));
    assert_eq!((two.0, without_times(&two.1)), (one.0, without_times(&one.1)), "{}", two.2);
    assert_eq!(kept(Path::new(&own)), kept(Path::new(&other)));
}

#[test]
fn what_can_not_go_to_others_is_refused_by_name() {
    let site = Site::new(3);
    let on = format!("index:{}", site.path("engine").display());
    let store = site.path("store").display().to_string();
    let refused = |more: &[&str], word: &str| {
        let (status, _, err) = output(&mut site.diff(&[&["--on", &on], more].concat()));
        assert_eq!(status, Some(1), "{err}");
        assert!(err.contains(word), "{word}: {err}");
    };
    refused(&["--storeconfigs", &store], "A store of exported resources");
    let hiera = site.path("outside.txt").display().to_string();
    refused(&["--hiera_config", &hiera], "outside.txt");
    std::os::unix::fs::symlink(site.path("outside.txt"), site.path("new/modules/site/files/link"))
        .expect("a link can be made");
    refused(&[], "modules/site/files/link leads out of the tree");
    let wrong = output(&mut site.diff(&["--on", "ftp:x"]));
    assert_eq!(wrong.0, Some(2), "{}", wrong.2);
}

#[test]
fn damaged_objects_and_other_builds_are_refused() {
    let site = Site::new(8);
    let one = output(&mut site.diff(&[]));
    let engine = site.path("engine");
    let on = format!("index:{}", engine.display());
    let started = output(&mut site.diff(&["--on", &on, "--shard", "4", "--detach"]));
    assert_eq!(started.0, Some(0), "{}", started.2);
    let run = run_of(&engine).display().to_string();
    let plan: serde_json::Value =
        serde_json::from_slice(&fs::read(Path::new(&run).join("manifest")).expect("it is there"))
            .expect("it is JSON");
    let object = |hash: &serde_json::Value| {
        let hash = hash.as_str().expect("a hash");
        engine.join("objects").join(&hash[..2]).join(hash)
    };
    let shard = |index: &str| {
        let mut command = site.bunraku(&["fleet", "shard", &run, "--index", index, "--cache"]);
        output(command.arg(site.path("worker")))
    };
    // Each before those that are fetched and kept.
    for hash in [&plan["from"], &plan["rules"], &plan["shards"][0]["facts"]] {
        let path = object(hash);
        let good = fs::read(&path).expect("it can be read");
        let mut turned = good.clone();
        turned[good.len() / 2] ^= 1;
        fs::write(&path, turned).expect("it can be written");
        let (status, _, err) = shard("0");
        assert_eq!(status, Some(1), "{err}");
        assert!(err.contains("is damaged: its hash is another one"), "{err}");
        fs::write(&path, good).expect("it can be written");
    }
    // Whoever publishes it again puts in place what is damaged.
    fs::write(object(&plan["to"]), "no").expect("it can be written");
    output(&mut site.diff(&["--on", &on, "--shard", "4", "--detach"]));
    assert_eq!((shard("0").0, shard("1").0), (Some(0), Some(0)));
    assert_eq!(shard("2").0, Some(1));
    let two = output(&mut site.diff(&["--on", &on, "--shard", "4"]));
    assert_eq!((two.0, two.1), (one.0, one.1), "{}", two.2);
    // A plan of another build, under its own hash.
    let text = fs::read_to_string(Path::new(&run).join("manifest")).expect("it is there");
    let other = text.replace(plan["fingerprint"].as_str().expect("a build"), "abcd");
    let hash: String = Sha256::digest(&other).iter().map(|byte| format!("{byte:02x}")).collect();
    let folder = engine.join("runs").join(hash);
    fs::create_dir_all(folder.join("results")).expect("it can be made");
    fs::write(folder.join("manifest"), other).expect("it can be written");
    let mut command = site.bunraku(&["fleet", "shard", &folder.display().to_string(), "--index", "0"]);
    let (status, _, err) = output(&mut command);
    assert_eq!(status, Some(1));
    assert!(err.contains("another build of Bunraku: abcd"), "{err}");
}

#[test]
fn slurm_does_the_shards_by_the_job_of_the_page() {
    let slurm = match Slurm::start().expect("it starts") {
        Ok(slurm) => slurm,
        Err(reason) => return eprintln!("SKIPPED: {reason}"),
    };
    let site = Site::new(30);
    let one = output(&mut site.diff(&[]));
    let page = fs::read_to_string(paths::root().join("docs/engines.md")).expect("there is a page");
    let job = page.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).expect("it has a job");
    // The node here has two processors.
    let job = job.replace("--cpus-per-task=4", "--cpus-per-task=1");
    let file = site.path("job.sh");
    fs::write(&file, job).expect("it can be written");
    let on = format!("index:{}", site.path("engine").display());
    let submit = format!("sbatch --array=0-$((BUNRAKU_SHARDS - 1)) {}", file.display());
    assert!(page.contains("sbatch --array=0-$((BUNRAKU_SHARDS - 1))"));
    let program = bunraku_tests::bunraku::binary().expect("Bunraku builds");
    let folder = program.parent().expect("it lies in a folder").display().to_string();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
    let mut diff = site.diff(&["--on", &on, "--shard", "4", "--submit", &submit]);
    diff.current_dir(site.path("")).env("PATH", path).env("SLURM_CONF", slurm.file("slurm.conf"));
    diff.env("TMPDIR", site.path("worker"));
    let other = output(&mut diff);
    assert_eq!((other.0, other.1), (one.0, one.1), "{}", other.2);
}
