//! Fleets on an engine say what one process says, to the byte: by a folder whose shards are done by processes of their own, in any
//! order, several times, at once. For NATS see `engine_nats.rs`. `ENGINE_SHARDS` says how many shards many are.

use bunraku_tests::differential::rng::Rng;
use bunraku_tests::engine_site::{Site, kept, of_many_shards, output, without_times};
use bunraku_tests::paths;
use bunraku_tests::slurm::Slurm;
use bunraku_tests::small_disk::SmallDisk;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

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

/// Modules that lie outside of the trees go along with them, and so do their files.
#[test]
fn modules_elsewhere_go_along() {
    let site = Site::new(10);
    for side in ["old", "new"] {
        let files = site.path(&format!("modules-of-{side}/elsewhere/files"));
        fs::create_dir_all(&files).expect("a folder can be made");
        fs::write(files.join("f"), format!("the file of {side}\n")).expect("a file can be written");
        let path = format!("modulepath = modules:{}\n", site.path(&format!("modules-of-{side}")).display());
        fs::write(site.path(&format!("{side}/environment.conf")), path).expect("a file can be written");
        let code = "file { '/f': source => 'puppet:///modules/elsewhere/f' }\n";
        fs::write(site.path(&format!("{side}/manifests/z.pp")), code).expect("a file can be written");
    }
    let one = output(&mut site.diff(&[]));
    assert!(one.1.contains("the file of old") && one.1.contains("the file of new"), "{} {}", one.1, one.2);
    let engine = site.path("engine");
    let on = format!("index:{}", engine.display());
    let started = output(&mut site.diff(&["--on", &on, "--shard", "4", "--detach"]));
    assert_eq!(started.0, Some(0), "{}", started.2);
    let worked = output(&mut site.worker(&on, "worker"));
    assert_eq!(worked.0, Some(0), "{}", worked.2);
    let other = output(&mut site.diff(&["--on", &on, "--shard", "4"]));
    assert_eq!((other.0, other.1), (one.0, one.1), "{}", other.2);
}

/// By workers that share them out as they find them, and know nothing of each other.
#[test]
fn of_many_shards_none_is_lost_and_none_is_told_twice() {
    let (site, shards) = of_many_shards();
    let one = output(&mut site.diff(&[]));
    let engine = site.path("engine");
    let on = format!("index:{}", engine.display());
    let started = output(&mut site.diff(&["--on", &on, "--shard", "1", "--detach"]));
    assert_eq!(started.0, Some(0), "{}", started.2);
    let workers: Vec<_> = ["one", "two"]
        .map(|cache| site.worker(&on, cache).stderr(Stdio::piped()).spawn().expect("it starts"))
        .into_iter()
        .collect();
    let other = output(&mut site.diff(&["--on", &on, "--shard", "1"]));
    assert!((one.0, &one.1) == (other.0, &other.1), "{}", other.2);
    let mut jobs = 0;
    for worker in workers {
        let told = worker.wait_with_output().expect("it ends");
        let text = String::from_utf8_lossy(&told.stderr).into_owned();
        assert!(told.status.success(), "{text}");
        jobs += text.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(0);
    }
    // Two may do the same at once, by chance: not much is done twice.
    assert!(jobs >= shards && jobs < shards + shards / 10 + 10, "{jobs} jobs for {shards} shards");
    let results = fs::read_dir(run_of(&engine).join("results")).expect("they can be listed").count();
    assert_eq!(results, shards);
}

/// Whoever has no room for an archive, or for a result, says which file it could not write; another goes on, and the same comes of it.
#[test]
fn on_a_full_disk_a_worker_ends_and_another_goes_on() {
    let site = Site::new(20);
    let one = output(&mut site.diff(&[]));
    let disks = [("worker", 4096), ("engine", 8192)];
    let disks = disks.map(|(name, size)| SmallDisk::mount(&site.path(name), size, "a full disk"));
    let [Some(of_worker), Some(of_engine)] = disks else { return };
    let engine = site.path("engine");
    let on = format!("index:{}", engine.display());
    let started = output(&mut site.diff(&["--on", &on, "--shard", "4", "--detach"]));
    assert_eq!(started.0, Some(0), "{}", started.2);
    let refused = |place: &Path| {
        let (status, _, err) = output(&mut site.worker(&on, "worker"));
        assert_eq!(status, Some(1), "{err}");
        let file = format!("Could not write {}/", place.display());
        assert!(err.contains(&file) && err.contains("No space left"), "{file}: {err}");
    };
    of_worker.fill_but(4);
    refused(&site.path("worker/objects"));
    of_worker.empty();
    of_engine.fill_but(0);
    refused(&run_of(&engine).join("results"));
    let none = fs::read_dir(run_of(&engine).join("results")).expect("it can be listed").count();
    assert_eq!(none, 0, "nothing is left of what could not be written");
    of_engine.empty();
    let done = output(&mut site.worker(&on, "another"));
    assert!(done.0 == Some(0) && done.2.contains("5 jobs are done"), "{}", done.2);
    let other = output(&mut site.diff(&["--on", &on, "--shard", "4"]));
    assert_eq!((other.0, other.1), (one.0, one.1), "{}", other.2);
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

/// A machine's settings, its global layer of Hiera, its modules for all environments and those of its packages: workers know nothing of
/// them but what goes with the jobs, and no node is left for the coordinator.
#[test]
fn what_a_machine_is_configured_to_goes_with_the_jobs() {
    let site = Site::new(12);
    let write = |file: &str, text: &str| {
        let path = site.path(file);
        fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("a folder can be made");
        fs::write(path, text).expect("it can be written");
    };
    let code = "node default {
  include base
  notify { \"${lookup('motd')} ${settings::hiera_config} ${settings::strict} ${settings::report_port}\": }
  packaged { 'x': size => 3 }
}
";
    write("old/manifests/site.pp", code);
    write("new/manifests/site.pp", &code.replace("3 }", "4, color => 'red' }"));
    let vendored = site.path("machine/vendored").display().to_string();
    write(
        "machine/etc/puppet.conf",
        &format!("[server]\nstrict = warning\nreport_port = 8149\nvendormoduledir = {vendored}\n"),
    );
    let hierarchy = "hierarchy:\n- name: all\n  paths: ['nodes/%{trusted.certname}.yaml', common.yaml]\n";
    write("machine/etc/hiera.yaml", &format!("version: 5\n{hierarchy}"));
    write("machine/etc/data/common.yaml", "motd: hello\nbase::size: 7\n");
    write("machine/etc/data/nodes/web0001.example.com.yaml", "motd: own\n");
    write(
        "machine/code/modules/base/manifests/init.pp",
        "class base(Integer $size) { notify { \"base ${size}\": } }\n",
    );
    let ty = "Puppet::Type.newtype(:packaged) do\n  newparam(:name, namevar: true)\n  newparam(:size)\n  newparam(:color)\nend\n";
    write("machine/vendored/packaged/lib/puppet/type/packaged.rb", ty);
    let machine = |command: &mut std::process::Command| {
        command
            .arg("--confdir")
            .arg(site.path("machine/etc"))
            .arg("--codedir")
            .arg(site.path("machine/code"));
    };
    let by_machine = |name: &str, more: &[&str]| {
        let mut command = site.bunraku(&[&[name], more].concat());
        machine(&mut command);
        command.arg("--factpath").arg(site.path("facts"));
        output(&mut command)
    };
    let [old, new] = ["old", "new"].map(|side| site.path(side).display().to_string());
    let cache = site.path("cache").display().to_string();
    let diff = ["--all", "--format", "json", "--cache", &cache, "--from", &old, "--to", &new];
    let compile = ["compile", &new, "--format", "jsonl", "--cache", &cache];
    let (one, all) = (by_machine("diff", &diff), by_machine("fleet", &compile));
    assert!(one.0 == Some(2) && all.0 == Some(0), "{} {}", one.2, all.2);
    let catalog = by_machine("compile", &["--environment", &new, "web0001.example.com"]);
    for word in ["own", "8149", "base 7", "warning", "machine/etc/hiera.yaml", "red"] {
        assert!(catalog.1.contains(word), "{word}: {}{}", catalog.1, catalog.2);
    }
    let on = format!("index:{}", site.path("engine").display());
    let on = ["--on", &on, "--shard", "5", "--detach"];
    let runs =
        [by_machine("diff", &[&diff[..], &on].concat()), by_machine("fleet", &[&compile[..], &on].concat())];
    // Workers are elsewhere.
    fs::rename(site.path("machine"), site.path("away")).expect("it can be moved");
    write("machine/etc/data/common.yaml", "motd: the worker's own\n");
    let worked = output(&mut site.worker(on[1], "worker"));
    assert!(worked.0 == Some(0) && worked.2.contains("6 jobs are done"), "{}", worked.2);
    let collected = runs.map(|run| {
        assert_eq!(run.0, Some(0), "{}", run.2);
        run.1.trim_end().to_owned()
    });
    let told = output(&mut site.bunraku(&["fleet", "collect", &collected[0], "--format", "json"]));
    assert_eq!((told.0, told.1), (one.0, one.1), "{}", told.2);
    let told = output(&mut site.bunraku(&["fleet", "collect", &collected[1], "--format", "jsonl"]));
    assert_eq!((told.0, without_times(&told.1)), (all.0, without_times(&all.1)), "{}", told.2);
}

/// A catalog without what is new in each compile: its number and UUID, which stand once in it before its resources.
fn without_own(catalog: &str) -> String {
    ["version", "catalog_uuid"].iter().fold(catalog.to_owned(), |text, name| {
        let (before, rest) = text.split_once(&format!(",\"{name}\":")).expect("it has one");
        let (_, after) = rest.split_once(',').expect("something is behind");
        format!("{before},{after}")
    })
}

/// What `bunraku compile` prints of nodes, catalogs and messages, is the same where others have compiled them; those that fail, and those
/// that need this machine, are compiled here.
#[test]
fn catalogs_that_others_have_compiled_are_printed_as_by_one_process() {
    let site = Site::new(20);
    let file = site.path("new/manifests/site.pp");
    let text = fs::read_to_string(&file).expect("it can be read");
    fs::write(&file, format!("warning(\"of ${{trusted['certname']}}\")\nnotice('ü')\n{text}"))
        .expect("it can be written");
    // The content of a private key is in no archive: who reads it is left for the coordinator.
    let key = site.path("new/keys/x.pem");
    fs::create_dir(site.path("new/keys")).expect("a folder can be made");
    fs::write(&key, "-----BEGIN PRIVATE KEY-----\nMII\n").expect("it can be written");
    let reads =
        format!("if $trusted['certname'] =~ /^web0001/ {{ notify {{ file('{}'): }} }}\n", key.display());
    let text = fs::read_to_string(&file).expect("it can be read");
    fs::write(&file, reads + &text).expect("it can be written");
    // A node that compiles, one that needs a file outside, one that fails, one that needs Ruby; in no order.
    let nodes = ["web0008", "plain0003", "out0005", "db0002", "ruby0009", "bad0007", "web0001", "plain0004"]
        .map(|name| format!("{name}.example.com"));
    let compile = |nodes: &[String], more: &[&str]| {
        let mut command = site.bunraku(&["compile", "--no-config", "--environment"]);
        command.arg(site.path("new")).arg("--factpath").arg(site.path("facts")).args(more).args(nodes);
        let (status, out, err) = output(&mut command);
        let plain: Vec<String> = out.lines().map(without_own).collect();
        (status, plain, err)
    };
    let one = compile(&nodes, &[]);
    assert_eq!((one.0, one.1.len()), (Some(1), 6), "{}", one.2);
    let each: Vec<_> = nodes.iter().map(|node| compile(std::slice::from_ref(node), &[])).collect();
    assert_eq!(one.1, each.iter().flat_map(|one| one.1.clone()).collect::<Vec<_>>());
    assert_eq!(one.2, each.iter().map(|one| one.2.clone()).collect::<String>());
    for word in ["Warning: of web0008", "ü", "not on db0002", "no 10.0.0.7"] {
        assert!(one.2.contains(word), "{word}: {}", one.2);
    }
    let on = format!("index:{}", site.path("engine").display());
    let cache = site.path("cache").display().to_string();
    let on = ["--on", &on, "--shard", "3", "--cache", &cache];
    let (status, run, err) = {
        let mut command = site.bunraku(&["compile", "--no-config", "--detach", "--environment"]);
        command.arg(site.path("new")).arg("--factpath").arg(site.path("facts")).args(on).args(&nodes);
        output(&mut command)
    };
    assert_eq!(status, Some(0), "{err}");
    let worked = output(&mut site.worker(on[1], "worker"));
    assert!(worked.0 == Some(0) && worked.2.contains("3 jobs are done"), "{}", worked.2);
    let other = compile(&nodes, &on);
    let (note, messages) = other.2.split_once('\n').expect("it says what the run is called");
    assert!(note.starts_with("run ") && note.contains(run.trim_end()), "{note}");
    assert_eq!((other.0, &other.1, messages), (one.0, &one.1, &one.2[..]));
    // Whoever knows only the run has what workers have done.
    let told = output(&mut site.bunraku(&["fleet", "collect", run.trim_end()]));
    assert_eq!((told.0, told.1.lines().count()), (Some(1), 3), "{}", told.2);
    assert!(
        told.2.contains("out0005.example.com: It can be compiled only where its tree lies"),
        "{}",
        told.2
    );
    for wrong in [["--stats"].as_slice(), &["--profile", "x"]] {
        assert_eq!(compile(&nodes[..1], &[&on, wrong].concat()).0, Some(2));
    }
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
    let answers = site.path("answers");
    fs::create_dir(&answers).expect("a folder can be made");
    fs::write(answers.join("web0001.example.com.yaml"), "environment: old\n").expect("it can be written");
    let elsewhere = ["--on", &on, "--enc-answers", &answers.display().to_string()];
    let (status, _, err) = output(&mut site.compile(&elsewhere));
    assert!(status == Some(1) && err.contains("web0001.example.com is compiled from"), "{err}");
    std::os::unix::fs::symlink(site.path("outside.txt"), site.path("new/modules/site/files/link"))
        .expect("a link can be made");
    refused(&[], "modules/site/files/link leads out of the tree");
    let wrong = output(&mut site.diff(&["--on", "ftp:x"]));
    assert_eq!(wrong.0, Some(1), "{}", wrong.2);
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
    // A worker leaves it to others, and does what else there is.
    output(&mut site.diff(&["--on", &on, "--shard", "3", "--detach"]));
    let mut command = site.bunraku(&["fleet", "worker", "--on", &on, "--cores", "1", "--cache"]);
    let (status, _, err) = output(command.arg(site.path("worker")));
    assert_eq!(status, Some(0), "{err}");
    assert!(err.contains("another build of Bunraku: abcd") && err.contains("3 jobs are done"), "{err}");
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
