//! The gem `integrations/rspec-puppet-bunraku`: its own specs, and the suites of modules that Debian ships with theirs, which
//! have the same results, example by example and message by message, with Puppet and with Bunraku.

use bunraku_tests::used::timed;
use bunraku_tests::{bunraku, corpus, paths};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

/// Suites: the folder in Debian's packages, and the module's name. Some examples fail in them, as the modules are older than
/// the Puppet: they fail alike.
const SUITES: [(&str, &str); 4] = [
    ("aboe-chrony", "chrony"),
    ("theforeman-dns", "dns"),
    ("rodjek-logrotate", "logrotate"),
    ("saz-ssh", "ssh"),
];

/// Time is measured: one test at a time.
static TURN: Mutex<()> = Mutex::new(());

/// Why suites that need some gems can't be run on this machine.
fn missing(gems: &str) -> Option<String> {
    let probe = format!("%w[{gems}].each {{ |name| gem name }}");
    let output = Command::new("ruby").args(["-e", &probe]).output();
    match output {
        Ok(output) if output.status.success() => None,
        Ok(output) => String::from_utf8_lossy(&output.stderr).lines().next().map(str::to_owned),
        Err(error) => Some(format!("ruby: {error}")),
    }
}

fn gem() -> PathBuf {
    paths::root().join("integrations/rspec-puppet-bunraku")
}

fn rspec(folder: &Path) -> Command {
    let mut command = Command::new("rspec");
    command.current_dir(folder).args(["--no-color", "-I", "spec"]).env("LANG", "C.UTF-8");
    for name in ["SPEC_OPTS", "STRICT_VARIABLES", "BUNRAKU_COMPARE", "PUPPET_ALONE", "TEST_ENV_NUMBER"] {
        command.env_remove(name);
    }
    command.env("BUNRAKU", bunraku::binary().expect("Bunraku builds"));
    command
}

#[test]
fn the_gems_own_specs_pass() {
    let _turn = TURN.lock();
    if let Some(reason) = missing("puppet rspec rspec-puppet") {
        eprintln!("SKIPPED the specs of rspec-puppet-bunraku: {reason}");
        return;
    }
    for set in [None, Some("PUPPET_ALONE"), Some("BUNRAKU_COMPARE")] {
        let mut command = rspec(&gem());
        command.args(["-I", "lib", "spec"]).envs(set.map(|name| (name, "1")));
        let output = command.output().expect("rspec starts");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{set:?}\n{said}");
        let summary = said.lines().find(|line| line.contains(" examples, 0 failures")).expect("a summary");
        let examples: usize = summary.split(' ').next().and_then(|n| n.parse().ok()).expect("a number");
        assert!(examples > 50, "{set:?}: {summary}");
        assert_eq!(said.contains("Bunraku: "), set != Some("PUPPET_ALONE"), "{said}");
    }
}

/// A copy of a module whose fixtures are all of Debian's modules and itself.
fn suite(folder: &Path, module: &str) -> PathBuf {
    let copy = folder.join(module);
    let shipped = SUITES.iter().find(|(_, name)| *name == module).expect("a suite").0;
    paths::copy(&paths::cache().join("unpacked/usr/share/puppet/modules.available").join(shipped), &copy);
    let fixtures = copy.join("spec/fixtures/modules");
    // Some ship with links to what their own tools would fetch.
    let _ = fs::remove_dir_all(&fixtures);
    fs::create_dir_all(&fixtures).expect("a folder can be made");
    for entry in fs::read_dir(paths::modules()).expect("the modules can be listed").flatten() {
        let target = if entry.file_name() == module { copy.clone() } else { entry.path() };
        symlink(fs::canonicalize(target).expect("it is there"), fixtures.join(entry.file_name()))
            .expect("a link can be made");
    }
    copy
}

/// What came of each example: its name, its state, the message of what failed but for the backtrace in it.
type Results = Vec<(String, String, String)>;

/// Runs a suite; its results, and the CPU time it took.
fn run(folder: &Path, with_bunraku: bool) -> (Results, Duration) {
    let mut command = rspec(folder);
    let results = folder.join("results.json");
    command.args(["--format", "json", "--out"]).arg(&results).args(["--format", "progress"]);
    if with_bunraku {
        command.arg("-I").arg(gem().join("lib")).args(["-r", "rspec_puppet_bunraku"]);
    }
    for kind in ["classes", "defines", "functions", "hosts"] {
        let specs = Path::new("spec").join(kind);
        if folder.join(&specs).is_dir() {
            command.arg(specs);
        }
    }
    let (output, time) = timed(&mut command);
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(said.contains("Bunraku: "), with_bunraku, "{said}");
    if with_bunraku {
        assert!(!said.contains("left to Puppet"), "{said}");
    }
    let document: Value =
        serde_json::from_slice(&fs::read(&results).expect("results are written")).expect("they are JSON");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let examples = document["examples"].as_array().expect("examples").iter();
    let results = examples.map(|one| {
        let message = text(&one["exception"]["message"]);
        let message = message.split(" with backtrace:").next().unwrap_or_default().to_owned();
        (text(&one["full_description"]), text(&one["status"]), message)
    });
    (results.collect(), time)
}

#[test]
#[ignore = "minutes long: .ci/nightly"]
fn suites_of_debians_modules_have_the_same_results() {
    let _turn = TURN.lock();
    let gems = "puppet rspec rspec-puppet rspec-puppet-facts facterdb puppetlabs_spec_helper";
    if let Some(reason) = missing(gems).or_else(|| corpus::fetch::fetch().err()) {
        eprintln!("SKIPPED suites of rspec-puppet: {reason}");
        return;
    }
    bunraku::binary().expect("Bunraku builds");
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (_, module) in SUITES {
        let suite = suite(folder.path(), module);
        let (wanted, puppet) = run(&suite, false);
        let (got, bunraku) = run(&suite, true);
        assert!(wanted.len() > 40, "{module}: {}", wanted.len());
        assert_eq!(wanted.len(), got.len(), "{module}");
        for (wanted, got) in wanted.iter().zip(&got) {
            assert_eq!(wanted, got, "{module}");
        }
        let of = |state: &str| wanted.iter().filter(|(_, found, _)| found == state).count();
        println!(
            "{module}: {} examples, {} failures, {} pending with both; CPU {:.1} s with Puppet, {:.1} s with Bunraku",
            wanted.len(),
            of("failed"),
            of("pending"),
            puppet.as_secs_f64(),
            bunraku.as_secs_f64(),
        );
        assert!(of("passed") > 0, "{module}: nothing passes");
    }
}
