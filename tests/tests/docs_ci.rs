//! The jobs in `docs/ci-diff.md` are run as they stand there: the commands of each are taken out of the page, with what a forge puts in the
//! place of its variables, over a repository with a change. What talks to the forge is the only stand-in.

use bunraku_tests::repository::{commit, git, of_fixture};
use bunraku_tests::{bunraku, paths};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// The block of code behind a heading of the page.
fn block(heading: &str) -> String {
    let page = fs::read_to_string(paths::root().join("docs/ci-diff.md")).expect("the page can be read");
    let section = page.split_once(&format!("## {heading}\n")).expect("the heading is there").1;
    let code = section.split_once("```").expect("there is code").1;
    code.split_once('\n').and_then(|(_, rest)| rest.split_once("```")).expect("it ends").0.to_owned()
}

/// The lines behind one that ends with `|`, as far as they are indented, without that.
fn indented(lines: &[&str]) -> String {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let first = lines.first().map_or(0, |line| depth(line));
    let own = lines.iter().take_while(|line| line.trim().is_empty() || depth(line) >= first);
    own.map(|line| format!("{}\n", line.get(first..).unwrap_or_default())).collect()
}

/// The commands of a job, in order: those behind `run:`, or the items of `script:`, each with the step's `if:`.
fn commands(yaml: &str) -> Vec<(Option<String>, String)> {
    let lines: Vec<&str> = yaml.lines().collect();
    let (mut found, mut condition, mut in_script) = (Vec::new(), None, false);
    for (at, line) in lines.iter().enumerate() {
        let word = line.trim_start();
        let is_item = word.starts_with("- ");
        let key = word.trim_start_matches("- ");
        in_script = match key {
            "script:" => true,
            _ if in_script && (is_item || line.starts_with("      ")) => true,
            _ => false,
        };
        if is_item && !in_script {
            condition = None;
        }
        if let Some(text) = key.strip_prefix("if: ").filter(|_| !in_script) {
            condition = Some(text.to_owned());
        }
        let code =
            key.strip_prefix("run: ").or(key.strip_prefix("- ")).or((in_script && is_item).then_some(key));
        match code {
            Some("|") => found.push((condition.clone(), indented(&lines[at + 1..]))),
            Some(code) => found.push((condition.clone(), code.to_owned())),
            None => {}
        }
    }
    found
}

/// A clone as a forge's runner has it, with the facts that are kept beside.
struct Runner {
    work: TempDir,
    clone: PathBuf,
}

impl Runner {
    /// The change is the fixture's own, or one that breaks no node, or none.
    fn new(kind: &str) -> Runner {
        let work = tempfile::tempdir().expect("a folder can be made");
        let clone = of_fixture(work.path());
        match kind {
            "breaks" => {}
            "changes" => {
                git(&clone, &["reset", "--quiet", "--hard", "old"]);
                change(&clone);
            }
            _ => git(&clone, &["reset", "--quiet", "--hard", "old"]),
        }
        let runner = Runner { work, clone };
        let facts = paths::root().join("fixtures/diff/facts").display().to_string();
        let pulled = Command::new(bunraku::binary().expect("Bunraku builds"))
            .args(["facts", "pull", "--from", &facts, "-o"])
            .arg(runner.clone.join("fleet.facts"))
            .status();
        assert!(pulled.expect("it starts").success());
        let bin = runner.work.path().join("bin");
        fs::create_dir(&bin).expect("a folder can be made");
        let binary = bunraku::binary().expect("Bunraku builds");
        std::os::unix::fs::symlink(binary, bin.join("bunraku")).expect("a link can be made");
        for name in ["gh", "curl"] {
            // It says what it was called with, and what the files are that it names.
            let code = "#!/bin/sh\nfor one in \"$@\"; do echo \"$one\"; done >> \"$TOLD\"\ncat diff.md >> \"$TOLD\"\n";
            fs::write(bin.join(name), code).expect("a file can be written");
            fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).expect("it can be");
        }
        runner
    }

    /// What the forge was told.
    fn told(&self) -> String {
        fs::read_to_string(self.work.path().join("told")).unwrap_or_default()
    }

    fn shell(&self, code: &str, variables: &[(&str, &str)]) -> Output {
        let path =
            format!("{}:{}", self.work.path().join("bin").display(), std::env::var("PATH").expect("a PATH"));
        let mut shell = Command::new("bash");
        shell.args(["-e", "-o", "pipefail", "-c", code]).current_dir(&self.clone).env("PATH", path);
        shell.env("TOLD", self.work.path().join("told")).env("HOME", self.work.path());
        shell.envs(variables.iter().copied()).output().expect("bash starts")
    }
}

/// Runs the job of GitHub: the status of each step that is run.
fn on_github(runner: &Runner) -> Vec<i32> {
    let output = runner.work.path().join("output");
    let mut outputs = BTreeMap::new();
    let mut statuses = Vec::new();
    for (condition, code) in commands(&block("GitHub Actions")) {
        if let Some(condition) = condition {
            assert_eq!(condition, "steps.diff.outputs.status != '0' && hashFiles('diff.md') != ''");
            if outputs["status"] == "0" || !runner.clone.join("diff.md").exists() {
                continue;
            }
        }
        let code = ["github.event.pull_request.base.sha=old", "github.event.pull_request.number=7"]
            .iter()
            .filter_map(|known| known.split_once('='))
            .fold(code, |code, (name, value)| code.replace(&format!("${{{{ {name} }}}}"), value));
        let code = outputs.iter().fold(code, |code, (name, value): (&String, &String)| {
            code.replace(&format!("${{{{ steps.diff.outputs.{name} }}}}"), value)
        });
        assert!(!code.contains("${{"), "a variable is not known: {code}");
        let ended = runner.shell(&code, &[("GITHUB_OUTPUT", &output.display().to_string())]);
        let errors = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(!errors.contains("error:") && !errors.contains("Error:"), "{code}: {errors}");
        statuses.push(ended.status.code().unwrap_or(-1));
        let text = fs::read_to_string(&output).unwrap_or_default();
        outputs.extend(
            text.lines().filter_map(|line| line.split_once('=')).map(|(a, b)| (a.to_owned(), b.to_owned())),
        );
    }
    statuses
}

#[test]
fn the_job_of_github_comments_and_fails_where_a_node_does() {
    let breaks = Runner::new("breaks");
    assert_eq!(on_github(&breaks), [0, 0, 1]);
    let told = breaks.told();
    assert!(
        told.starts_with("pr\ncomment\n7\n--edit-last\n--create-if-none\n--body-file\ndiff.md\n"),
        "{told}"
    );
    assert!(told.contains("breaks.example.com"), "{told}");
    assert!(breaks.clone.join("diff.html").exists());
    let changes = Runner::new("changes");
    assert_eq!(on_github(&changes), [0, 0, 0]);
    assert!(changes.told().contains("Notify[of all]"), "{}", changes.told());
    let same = Runner::new("none");
    assert_eq!(on_github(&same), [0, 0]);
    assert_eq!(same.told(), "");
}

/// Runs the job of GitLab, which ends at the first command that fails: whether none did.
fn on_gitlab(runner: &Runner) -> bool {
    let page = block("GitLab CI");
    // All items are one script there.
    let code: String = commands(&page).into_iter().map(|(_, code)| code + "\n").collect();
    let known = [
        ("CI_MERGE_REQUEST_DIFF_BASE_SHA", "old"),
        ("CI_API_V4_URL", "https://forge.example.com/api/v4"),
        ("CI_PROJECT_ID", "3"),
        ("CI_MERGE_REQUEST_IID", "7"),
        ("COMMENT_TOKEN", "t0ken"),
    ];
    let ended = runner.shell(&format!("set -u\n{code}"), &known);
    let errors = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(!errors.contains("unbound") && !errors.contains("rror:"), "{errors}");
    ended.status.success()
}

#[test]
fn the_job_of_gitlab_comments_and_fails_where_a_node_does() {
    let breaks = Runner::new("breaks");
    assert!(!on_gitlab(&breaks));
    let told = breaks.told();
    let url = "https://forge.example.com/api/v4/projects/3/merge_requests/7/notes\n";
    assert!(
        told.contains(url) && told.contains("body@diff.md\n") && told.contains("breaks.example.com"),
        "{told}"
    );
    assert!(fs::read_to_string(breaks.clone.join("diff.xml")).expect("it is there").contains("<testcase"));
    let changes = Runner::new("changes");
    assert!(on_gitlab(&changes));
    assert!(changes.told().contains("Notify[of all]"));
    let same = Runner::new("none");
    assert!(on_gitlab(&same));
    assert_eq!(same.told(), "");
}

#[test]
fn the_hook_refuses_a_push_after_which_a_node_fails() {
    let runner = Runner::new("none");
    let work = runner.work.path();
    let (server, facts) = (work.join("server.git"), work.join("kept.facts"));
    fs::rename(runner.clone.join("fleet.facts"), &facts).expect("it is there");
    git(work, &["clone", "--quiet", "--bare", &runner.clone.display().to_string(), "server.git"]);
    let hook = block("A hook on the server")
        .replace("/var/cache/bunraku", &work.join("cache").display().to_string())
        .replace("/var/lib/bunraku/fleet.facts", &facts.display().to_string());
    assert!(!hook.contains("/var/"), "{hook}");
    fs::write(server.join("hooks/pre-receive"), hook).expect("a file can be written");
    fs::set_permissions(server.join("hooks/pre-receive"), fs::Permissions::from_mode(0o755))
        .expect("it can be");
    let push = |branch: &str| {
        let code = format!("git push '{}' HEAD:refs/heads/{branch} 2>&1", server.display());
        let ended = runner.shell(&code, &[]);
        (ended.status.success(), String::from_utf8_lossy(&ended.stdout).into_owned())
    };
    // The fixture's own change: one node breaks.
    commit(&runner.clone, "after");
    let (taken, said) = push("main");
    assert!(
        !taken && said.contains("breaks.example.com") && said.contains("pre-receive hook declined"),
        "{said}"
    );
    // Another branch may have it.
    assert!(push("topic").0);
    // A change that breaks nothing is taken, and what changes is said.
    git(&runner.clone, &["reset", "--quiet", "--hard", "old"]);
    change(&runner.clone);
    let (taken, said) = push("main");
    assert!(taken && said.contains("Notify[of all]"), "{said}");
}

fn change(clone: &Path) {
    let site = clone.join("manifests/site.pp");
    let text = fs::read_to_string(&site).expect("it can be read");
    fs::write(&site, text + "\nnotify { 'of all': }\n").expect("it can be written");
    git(clone, &["commit", "--quiet", "--all", "-m", "changes"]);
}
