//! The command from outside: exit statuses, what goes to stdout and what to stderr, in which form.

use std::fs;
use std::io::Write;
use std::ops::Deref;
use std::path::Path;
use std::process::{Command, Stdio};

use bunraku_tests::{bunraku, paths};
use serde_json::Value;
use tempfile::TempDir;

struct Answer {
    status: i32,
    out: String,
    err: String,
}

fn run_with(args: &[&str], stdin: &str, set: &[(&str, &str)]) -> Answer {
    let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
    command.args(args).current_dir(paths::root()).env_remove("NO_COLOR").envs(set.iter().copied());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("Bunraku starts");
    let mut input = child.stdin.take().expect("stdin is piped");
    // A command that needs no stdin may be gone already.
    let _ = input.write_all(stdin.as_bytes());
    drop(input);
    let output = child.wait_with_output().expect("Bunraku ends");
    Answer {
        status: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn run(args: &[&str]) -> Answer {
    run_with(args, "", &[])
}

/// A folder of its own for a test; it goes with this.
struct Folder(TempDir);

impl Folder {
    /// The path of what lies in it.
    fn text(&self, within: &str) -> String {
        self.join(within).to_str().expect("a path in UTF-8").to_owned()
    }
}

impl Deref for Folder {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.0.path()
    }
}

/// Such a folder, with some files.
fn folder(files: &[(&str, &str)]) -> Folder {
    let folder = Folder(tempfile::tempdir().expect("a folder can be made"));
    paths::write_all(&folder, files);
    folder
}

#[test]
fn help_names_the_commands() {
    let help = run(&["--help"]);
    assert_eq!(help.status, 0);
    for command in ["compile", "build", "inspect", "eval", "check", "batch"] {
        assert!(help.out.contains(command), "{}", help.out);
        assert_eq!(run(&[command, "--help"]).status, 0);
    }
}

#[test]
fn completions_and_the_manual_know_the_arguments() {
    for (shell, part) in
        [("bash", "complete -F _bunraku"), ("zsh", "#compdef bunraku"), ("fish", "complete -c bunraku")]
    {
        let script = run(&["completions", shell]);
        assert_eq!(script.status, 0, "{}", script.err);
        assert!(script.out.contains(part) && script.out.contains("check-cycles"), "{shell}");
    }
    // What help does not show is not offered: `diff` refuses it.
    let script = run(&["completions", "fish"]).out;
    let of = |command: &str, option: &str| {
        let begin = format!("complete -c bunraku -n \"__fish_bunraku_using_subcommand {command}\" ");
        script.lines().any(|line| line.starts_with(&begin) && line.contains(&format!("-l {option} ")))
    };
    assert!(of("diff", "from") && of("diff", "facts") && of("compile", "frozen") && of("compile", "node"));
    for command in ["affected", "coverage", "diff", "profile", "unused"] {
        let hidden =
            ["archive", "environment", "execute", "frozen", "manifest", "modulepath", "node", "trusted"];
        let offered: Vec<&str> = hidden.into_iter().filter(|option| of(command, option)).collect();
        assert_eq!(offered, [""; 0], "{command}");
    }
    let work = tempfile::tempdir().expect("a folder can be made");
    let pages = work.path().join("man1");
    let made = run(&["completions", "man", "-o", &pages.to_string_lossy()]);
    assert_eq!(made.status, 0, "{}", made.err);
    let page = |name: &str| fs::read_to_string(pages.join(name)).expect("the page is there");
    assert!(page("bunraku-compile.1").contains("check\\-cycles"));
    assert!(page("bunraku-fleet-compile.1").contains("junit"));
    assert!(!pages.join("bunraku-help.1").exists());
    // Nowhere to write them.
    let file = work.path().join("file");
    fs::write(&file, "").expect("it can be written");
    assert_eq!(run(&["completions", "man", "-o", &file.to_string_lossy()]).status, 1);
    assert_eq!(run(&["completions", "man"]).status, 2);
}

#[test]
fn wrong_arguments_are_status_2() {
    assert_eq!(run(&[]).status, 2);
    assert_eq!(run(&["compile"]).status, 2);
    assert_eq!(run(&["eval"]).status, 2);
    assert_eq!(run(&["check"]).status, 2);
    assert_eq!(run(&["compile", "--strict", "maybe", "-e", ""]).status, 2);
    assert_eq!(run(&["fly"]).status, 2);
    let missing = run(&["check", "/nonexistent/a.pp"]);
    assert_eq!(missing.status, 2);
    assert_eq!(missing.err, "Error: One or more file(s) specified did not exist:\n   /nonexistent/a.pp\n");
}

/// What is wrong with a value is told before anything runs, with the status for that.
#[test]
fn wrong_values_are_status_2() {
    let compile = |more: &[&str]| run(&[&["compile", "-e", "", "x"], more].concat());
    for (wrong, told) in [
        (&["--limit", "bogus=10"][..], "there is no limit 'bogus'"),
        (&["--limit", "max_calls=-1"], "max_calls"),
        (&["--limit", "max_calls=x"], "it takes a number"),
        (&["--set", "strict=bogus"], "Allowed values are 'off', 'warning', 'error'"),
        (&["--set", "nosuch=1"], "Puppet has no setting 'nosuch'"),
    ] {
        let answer = compile(wrong);
        assert_eq!(answer.status, 2, "{wrong:?}: {}", answer.err);
        assert!(answer.err.contains(told), "{wrong:?}: {}", answer.err);
    }
    assert_eq!(compile(&["--limit", "max_steps=100000", "--limit", "max_nesting=99"]).status, 0);
    let lookup = |more: &[&str]| run(&[&["lookup", "--environment", "."], more].concat());
    for wrong in [
        &["--merge", "bogus", "k"][..],
        &[],
        &["k", "--render-as", "yml"],
        &["k", "--explain", "--origin"],
        &["k", "--type", "Intege["],
    ] {
        let answer = lookup(wrong);
        assert_eq!(answer.status, 2, "{wrong:?}: {}", answer.err);
        assert!(
            !answer.err.contains("puppet lookup") && !answer.err.contains("Could not run"),
            "{}",
            answer.err
        );
    }
}

/// A prefix is often two hyphens, which are no end of the options here.
#[test]
fn a_knockout_prefix_may_be_hyphens() {
    let site = folder(&[
        ("hiera.yaml", "version: 5\nhierarchy: [{name: a, path: a.yaml}, {name: b, path: b.yaml}]\n"),
        ("data/a.yaml", "k: {l: ['--x', y]}\n"),
        ("data/b.yaml", "k: {l: [x, z]}\n"),
    ]);
    let environment = site.text("");
    let merge = ["lookup", "--environment", &environment, "--merge", "deep", "--render-as", "json"];
    let answer = run(&[&merge[..], &["--knock-out-prefix", "--", "k"]].concat());
    assert_eq!((answer.status, answer.out.trim()), (0, "{\"l\":[\"z\",\"y\"]}"), "{}", answer.err);
}

/// What is named and not there is refused by its name: passed over, it would give another catalog.
#[test]
fn what_is_named_is_there() {
    let compile = |more: &[&str]| run(&[&["compile", "-e", "", "x"], more].concat());
    for (wrong, name) in [
        (&["--factpath", "/nonexistent"][..], "--factpath /nonexistent"),
        (&["--enc-answers", "/nonexistent"], "--enc-answers /nonexistent"),
        (&["--hiera_config", "/nonexistent"], "--hiera_config /nonexistent"),
        (&["--modulepath", "/nonexistent:/none"], "--modulepath /nonexistent"),
        (&["--environmentpath", "/nonexistent"], "--environmentpath /nonexistent"),
        (&["--confdir", "/nonexistent"], "--confdir /nonexistent"),
        (&["--codedir", "/nonexistent"], "--codedir /nonexistent"),
    ] {
        let answer = compile(wrong);
        assert_eq!(answer.status, 1, "{wrong:?}: {}", answer.err);
        assert!(answer.err.starts_with(&format!("Error: {name}: there is no such file")), "{}", answer.err);
    }
    assert_eq!(run(&["config", "--confdir", "/nonexistent", "strict"]).status, 1);
    let facts = folder(&[("x.json", "{}")]);
    let fleet = run(&["fleet", "compile", "nope", "--facts", &facts.text("")]);
    assert_eq!(
        (fleet.status, fleet.err.starts_with("Error: There is no tree nope")),
        (1, true),
        "{}",
        fleet.err
    );
    let engine = format!("index:{}", facts.text("no/such"));
    let tree = folder(&[("environment.conf", "")]);
    let fleet = run(&["fleet", "compile", &tree.text(""), "--facts", &facts.text(""), "--on", &engine]);
    assert_eq!(
        (fleet.status, fleet.err.contains("There is no folder in which ")),
        (1, true),
        "{}",
        fleet.err
    );
    assert!(!facts.join("no").exists());
}

/// `-` is stdout, and a file that can't be written is told by its own name.
#[test]
fn outputs_are_files_or_stdout() {
    let answer = run(&["compile", "-e", "", "x", "-o", "-"]);
    assert_eq!((answer.status, answer.out.starts_with('{')), (0, true), "{}", answer.err);
    assert!(!paths::root().join("-").exists());
    let answer = run(&["compile", "-e", "", "x", "-o", "/nonexistent/x"]);
    assert_eq!(answer.err, "Error: Could not write /nonexistent/x: No such file or directory (os error 2)\n");
}

#[test]
fn eval_prints_logs_and_the_last_value() {
    let answer = run(&["eval", "-e", "notice('on it') warning('careful') [1, 'two', undef]"]);
    assert_eq!((answer.status, answer.out.as_str()), (0, "[1, 'two', undef]\n"));
    assert_eq!(answer.err, "Notice: on it\nWarning: careful\n");
    let json = run(&["eval", "--format", "json", "-e", "notice('x') $a = {'a' => undef} $a"]);
    assert_eq!(json.out, "{\"a\":null}\n");
    assert_eq!(json.err, "{\"level\":\"notice\",\"message\":\"x\"}\n");
    let piped = run_with(&["eval", "-"], "1 + 1", &[]);
    assert_eq!((piped.status, piped.out.as_str()), (0, "2\n"));
}

#[test]
fn eval_reads_facts_and_settings() {
    let yaml = folder(&[("facts.yaml", "os:\n  family: Debian\n"), ("facts.json", "{\"a\": 1}")]);
    let facts = yaml.text("facts.yaml");
    let answer = run(&["eval", "--facts", &facts, "-e", "$facts['os']['family']"]);
    assert_eq!(answer.out, "'Debian'\n", "{}", answer.err);
    let facts = yaml.text("facts.json");
    assert_eq!(run(&["eval", "--facts", &facts, "-e", "$a"]).out, "1\n");
    assert_eq!(run(&["eval", "-e", "$nope"]).status, 1);
    assert_eq!(run(&["eval", "--no-strict_variables", "--strict", "off", "-e", "$nope"]).out, "undef\n");
    assert_eq!(run(&["eval", "--node", "a.b.c", "-e", "$trusted['domain']"]).out, "'b.c'\n");
    let unread = run(&["eval", "--facts", "/nonexistent.json", "-e", "1"]);
    assert_eq!(unread.status, 1);
    assert!(unread.err.starts_with("Error: Could not read facts /nonexistent.json"), "{}", unread.err);
}

#[test]
fn compile_writes_the_catalog_and_nothing_else() {
    let answer = run(&["compile", "-e", "notice('hi') file { '/a': ensure => file }", "n.example.com"]);
    assert_eq!((answer.status, answer.err.as_str()), (0, "Notice: hi\n"));
    let catalog: Value = serde_json::from_str(&answer.out).expect("stdout is JSON");
    assert_eq!(catalog["name"], "n.example.com");
    let folder = folder(&[]);
    let path = folder.text("catalog.json");
    let answer = run(&["compile", "-e", "", "-o", &path]);
    assert_eq!((answer.status, answer.out.as_str()), (0, ""));
    let written = fs::read_to_string(&path).expect("the file is there");
    serde_json::from_str::<Value>(&written).expect("the file is JSON");
}

#[test]
fn errors_are_puppets_single_line() {
    let answer = run(&["compile", "-e", "\n  fail('no')", "n.example.com"]);
    assert_eq!((answer.status, answer.out.as_str()), (1, ""));
    assert_eq!(
        answer.err,
        "Error: Evaluation Error: Error while evaluating a Function Call, no (line: 2, column: 3) on node \
         n.example.com\n"
    );
}

#[test]
fn colour_shows_the_source_line() {
    let plain = "Error: Syntax error at '}'";
    let bad = folder(&[("bad.pp", "class a {\n\t$x = }\n")]);
    let path = bad.text("bad.pp");
    assert!(!run(&["check", &path]).err.contains('\x1b'));
    let shown = run(&["check", "--color=always", &path]);
    assert!(shown.err.contains('\x1b') && shown.err.contains(plain), "{}", shown.err);
    let lines: Vec<&str> = shown.err.lines().collect();
    assert!(lines[1].contains(" $x = }") && lines[2].contains('^'), "{}", shown.err);
    assert!(!run_with(&["check", &path], "", &[("NO_COLOR", "1")]).err.contains('\x1b'));
    let json = run(&["check", "--format", "json", &path]);
    assert_eq!(json.status, 1);
    let document: Value = serde_json::from_str(&json.out).expect("stdout is JSON");
    let found = &document["diagnostics"][0];
    assert_eq!((&found["line"], &found["level"]), (&2.into(), &"err".into()));
}

#[test]
fn a_terminal_is_told_nothing_but_signs() {
    let folder =
        folder(&[("a\u{1b}[35mb.pp", "notice(\"\\u{1b}]52;c;AAAA\\u{7}\\r\\nb\")\n$x = '\u{1b}[31m' + \n")]);
    let manifest = folder.text("a\u{1b}[35mb.pp");
    for color in ["never", "always"] {
        let checked = run(&["check", &format!("--color={color}"), &manifest]);
        let plain = checked.err.replace("\u{1b}[1;31m", "").replace("\u{1b}[0m", "").replace("\u{1b}[2m", "");
        assert!(!plain.contains('\u{1b}') && plain.contains("a\\u{1b}[35mb.pp"), "{}", checked.err);
    }
    let said = run(&["eval", "-e", r#"notice("\u{1b}]52;c;AAAA\u{7}\r\nb")"#]);
    assert!(
        said.err.contains("Notice: ") && said.err.contains("\\u{1b}]52;c;AAAA\\u{7}\\r\nb\n"),
        "{}",
        said.err
    );
}

#[test]
fn what_cannot_be_written_is_an_error() {
    let folder = folder(&[("a.pp", "class a { }")]);
    let path = folder.text("a.pp");
    for args in [
        &["check", "--format", "json", &path][..],
        &["check", "--format", "sarif", &path],
        &["help"],
        &["check", "--help"],
    ] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
        let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
        let output = command.args(args).stdin(Stdio::null()).stdout(full).output().expect("Bunraku ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {said}");
        assert!(said.contains("Could not write "), "{args:?}: {said}");
    }
    // Results of jobs, whichever way they are done.
    for threads in ["1", "2"] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
        let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
        command
            .args(["batch", "--threads", threads])
            .stdin(Stdio::piped())
            .stdout(full)
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("Bunraku starts");
        let written = child.stdin.take().expect("it is piped").write_all(b"{}\n");
        written.expect("it is read");
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.starts_with("Error: Could not write results: "), "{said}");
    }
}

#[test]
fn check_walks_folders() {
    let tree = folder(&[
        ("good.pp", "class good { }"),
        ("deep/bad.pp", "class bad { "),
        ("deep/bad.epp", "<% if { %>"),
        ("deep/notes.txt", "class {"),
        ("several.pp", "$a::b = 1\n$c::d = 2\n"),
    ]);
    let path = tree.display().to_string();
    let answer = run(&["check", "--stats", &path]);
    assert_eq!((answer.status, answer.out.as_str()), (1, ""));
    let at = |what: &str| answer.err.find(what).unwrap_or_else(|| panic!("{what}: {}", answer.err));
    assert!(at("deep/bad.epp") < at("deep/bad.pp") && at("deep/bad.pp") < at("several.pp"));
    at("Error: Found 2 errors. Giving up");
    at("4 files, ");
    at("1 other files not looked at");
    let good = tree.text("good.pp");
    // `fixtures/upgrade` has what 8 refuses.
    let repos = ["control-repo", "hiera-repo", "server"].map(|repo| format!("fixtures/{repo}"));
    let answer = run(&["check", &good, &repos[0], &repos[1], &repos[2]]);
    assert_eq!((answer.status, answer.err.as_str()), (0, ""));
    assert_eq!(run_with(&["check", "-"], "class {", &[]).status, 1);
}

/// A class that the autoloader would look for elsewhere, in what is a module by its folder, by `environment.conf` or by its metadata.
#[test]
fn check_knows_what_files_of_modules_may_define() {
    let other = "class other { }";
    let tree = folder(&[
        ("modules/a/manifests/b.pp", other),
        ("modules/a/examples/b.pp", other),
        ("environment.conf", "modulepath = site\n"),
        ("site/c/manifests/d.pp", other),
        ("manifests/site.pp", other),
        ("apart/metadata.json", r#"{"name": "us-ntp"}"#),
        ("apart/manifests/init.pp", other),
        ("apart/manifests/server.pp", "class ntp::server { }"),
        ("plain/e/manifests/f.pp", other),
    ]);
    let path = tree.display().to_string();
    let unacceptable = |answer: &str| {
        let lines = answer.lines().filter(|line| line.contains("Unacceptable location. The name 'other'"));
        let files = lines.filter_map(|line| line.split("in file '").nth(1)?.split("' (file").next());
        files.map(|file| file.replace(&format!("{path}/"), "")).collect::<Vec<_>>()
    };
    let answer = run(&["check", &path]);
    assert_eq!(answer.status, 1);
    let found = unacceptable(&answer.err);
    assert_eq!(found, ["apart/manifests/init.pp", "modules/a/manifests/b.pp", "site/c/manifests/d.pp"]);
    let answer = run(&["check", &tree.text("plain"), "--modulepath", &tree.text("plain")]);
    assert_eq!(unacceptable(&answer.err), ["plain/e/manifests/f.pp"]);
    assert_eq!(run(&["check", &tree.text("plain")]).status, 0);
}

/// As control repos have it: a policy of SELinux and Bolt's plans end in `.pp`, too, and links to private data lead to nothing.
#[test]
fn check_leaves_out_what_no_compile_parses() {
    let tree = folder(&[
        ("site/a/manifests/init.pp", "class a { }"),
        ("site/a/files/policy.pp", "\u{1}\u{2}"),
        ("site/a/plans/restart.pp", "plan a::restart(TargetSpec $targets) { }"),
        ("plans/deploy.pp", "plan deploy(TargetSpec $targets) { }"),
        ("site/plans/manifests/init.pp", "class plans { }"),
        ("site/a/manifests/files/b.pp", "class a::files::b { }"),
    ]);
    std::os::unix::fs::symlink("nowhere", tree.join("data")).expect("a link can be made");
    let path = tree.display().to_string();
    let answer = run(&["check", "--stats", &path]);
    assert_eq!(answer.status, 0, "{}", answer.err);
    assert!(answer.err.contains("3 files, "), "{}", answer.err);
    assert!(answer.err.contains("and 3 folders `files` and `plans`"), "{}", answer.err);
    // What is named is checked.
    let named = run(&["check", &tree.text("site/a/plans")]);
    assert_eq!(named.status, 1, "{}", named.err);
    // A manifest that is not there is missed.
    std::os::unix::fs::symlink("nowhere", tree.join("site/a/manifests/gone.pp")).expect("a link can be made");
    let answer = run(&["check", &path]);
    assert_eq!(answer.status, 1);
    assert!(answer.err.contains("Could not read ") && answer.err.contains("gone.pp"), "{}", answer.err);
}

#[test]
fn batch_answers_in_order_whatever_the_line() {
    let jobs = "{\"id\": 1, \"code\": \"fail('x')\"}\nno job\n\n{\"id\": [2]}\n{\"id\": 3, \"code\": \"1\", \
                \"want\": [\"value\"]}\n{\"id\": 4, \"code\": \"\", \"surprise\": 1}\n";
    for threads in ["1", "4"] {
        let answer = run_with(&["batch", "--threads", threads], jobs, &[]);
        assert_eq!((answer.status, answer.err.as_str()), (0, ""));
        let results: Vec<Value> =
            answer.out.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect();
        let ok: Vec<bool> = results.iter().map(|result| result["ok"] == true).collect();
        assert_eq!(ok, [false, false, false, false, true, false], "{}", answer.out);
        assert_eq!(results[3]["id"], serde_json::json!([2]));
        assert_eq!(results[4]["repr"], "1");
        assert!(results[5]["error"]["message"].as_str().is_some_and(|m| m.contains("surprise")));
    }
}

/// What those ask for who rebuild a catalog as objects, as the gem for rspec-puppet does.
#[test]
fn batch_says_what_is_no_job() {
    let jobs = "[]\n1\n{\"id\": 3, \"code\": \"1\", \"want\": [\"valeu\"]}\n{\"id\": 4, \"colour\": 1}\n";
    let answer = run_with(&["batch"], jobs, &[]);
    let told: Vec<Value> = answer.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(told.iter().all(|one| one["ok"] == false), "{}", answer.out);
    let message = |n: usize| told[n]["error"]["message"].as_str().unwrap_or_default();
    assert_eq!(
        (message(0), message(1)),
        ("Not a job: a job is a JSON object", "Not a job: a job is a JSON object")
    );
    assert!(message(2).contains("`valeu`") && message(2).contains("`value`"), "{}", answer.out);
    assert!(message(3).contains("`colour`"), "{}", answer.out);
    assert_eq!((&told[2]["id"], &told[3]["id"]), (&3.into(), &4.into()));
}

/// Where facts of many nodes are, the job's node has its own: a snapshot, a folder.
#[test]
fn batch_takes_facts_from_where_a_fleet_has_them() {
    let folder = folder(&[
        ("facts/a.example.com.json", "{\"role\": \"web\"}"),
        ("facts/b.example.com.json", "{\"role\": \"db\"}"),
    ]);
    let (facts, snapshot) = (folder.text("facts"), folder.text("fleet.facts"));
    assert_eq!(run(&["facts", "pull", "--from", &facts, "-o", &snapshot]).status, 0);
    for place in [&facts, &snapshot] {
        let job = |node: &str| serde_json::json!({"code": "$facts['role']", "node": node, "facts": place, "want": ["value"]});
        let answer =
            run_with(&["batch"], &format!("{}\n{}\n", job("b.example.com"), job("c.example.com")), &[]);
        let told: Vec<Value> =
            answer.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(told[0]["value"], "db", "{}", answer.out);
        assert_eq!(told[1]["ok"], false, "{}", answer.out);
    }
}

#[test]
fn batch_tells_references_from_text_and_has_exported_resources() {
    let code = "notify { 'a': message => [File['/x'], 'File[/x]', {'k' => Sensitive(Class['settings'])}], require => 'File[/x]', \
                notify => File['/x'] }\nfile { '/x': }\n@@group { 'g': }\n@user { 'u': }\n\
                notice($server_facts, $server_facts['environment'])";
    let job = |set: Value| {
        let mut job = serde_json::json!({"code": code, "settings": {"compat": 7, "storeconfigs": true}});
        set.as_object().expect("an object").iter().for_each(|(name, value)| job[name] = value.clone());
        let answer = run_with(&["batch"], &format!("{job}\n"), &[]);
        let answer: Value = serde_json::from_str(&answer.out).expect("a line is JSON");
        assert_eq!(answer["ok"], true, "{answer}");
        answer
    };
    let names = |answer: &Value| -> Vec<String> {
        let resources = answer["catalog"]["resources"].as_array().expect("resources").iter();
        resources.map(|one| format!("{}[{}]", one["type"], one["title"]).replace('"', "")).skip(3).collect()
    };
    let parameters = |answer: &Value| answer["catalog"]["resources"][3]["parameters"].clone();
    let plain = job(serde_json::json!({"server_facts": {}}));
    assert_eq!(names(&plain), ["Notify[a]", "File[/x]"]);
    assert_eq!(plain["logs"][0]["message"], "{} ");
    // Puppet does not look for references in what is sensitive.
    let message = |first: Value| {
        let class = serde_json::json!({"__ptype": "Pcore::ClassType", "class_name": "settings"});
        let sensitive = serde_json::json!({"__ptype": "Sensitive", "__pvalue": class});
        serde_json::json!({
            "message": [first, "File[/x]", {"k": sensitive}], "require": "File[/x]", "notify": first,
        })
    };
    assert_eq!(parameters(&plain), message("File[/x]".into()));
    let both = job(serde_json::json!({"references": true, "exported": true}));
    assert_eq!(names(&both), ["Notify[a]", "File[/x]", "Group[g]"]);
    assert_eq!(both["catalog"]["resources"][5]["exported"], true);
    let reference = serde_json::json!({"__ptype": "ResourceReference", "__pvalue": "File[/x]"});
    assert_eq!(parameters(&both), message(reference));
    assert!(both["logs"][0]["message"].as_str().is_some_and(|said| said.ends_with(" production")));
}

#[test]
fn a_classifier_gives_classes_parameters_and_environment() {
    let classes = "class a { notice(\"a ${tier} ${environment}\") } class b($x) { notice(\"b ${x}\") }";
    let folder = folder(&[
        ("envs/one/manifests/site.pp", classes),
        ("envs/two/manifests/site.pp", classes),
        (
            "enc.sh",
            "case $1 in\n list) echo 'classes: [a]'; echo 'parameters: {tier: web}';;\n \
                 two) printf 'classes:\\n  a:\\n  b: {x: 1}\\nenvironment: two\\nparameters: {tier: db}\\n';;\n \
                 lost) echo 'environment: three';;\n none) ;;\n *) exit 3;;\nesac\n",
        ),
    ]);
    let environment = folder.join("envs/one");
    let command = format!("/bin/sh {}", folder.join("enc.sh").display());
    let compile = |node: &str| {
        let environment = environment.to_str().expect("a path in UTF-8");
        let enc = ["--node_terminus", "exec", "--external_nodes", &command];
        run(&[&["compile", "--environment", environment], &enc[..], &[node]].concat())
    };
    let list = compile("list");
    assert_eq!((list.status, list.err.contains("a web one")), (0, true), "{}", list.err);
    let two = compile("two");
    assert_eq!(two.status, 0, "{}", two.err);
    assert!(two.err.contains("b 1") && two.err.contains("a db two"), "{}", two.err);
    let catalog: Value = serde_json::from_str(&two.out).expect("a catalog is JSON");
    assert_eq!(catalog["environment"], "two");
    let lost = compile("lost");
    assert_eq!(lost.status, 1);
    assert!(
        lost.err.contains("Could not find a directory environment named 'three' anywhere in the path"),
        "{}",
        lost.err
    );
    assert!(compile("none").err.contains("Could not find node 'none'; cannot compile"));
    assert!(compile("other").err.contains("Failed to find other via exec: Execution of '"));
    let without = run(&["compile", "-e", "1", "--node_terminus", "exec"]);
    assert_eq!(
        (without.status, without.err.contains("--external_nodes names one")),
        (1, true),
        "{}",
        without.err
    );
}

/// Who names a classifier wants it to be asked; and the configuration may name it where the arguments name the way.
#[test]
fn a_classifier_is_named_by_arguments_or_by_the_configuration() {
    let site = folder(&[
        ("envs/production/manifests/site.pp", "class a { notice('in a') }"),
        ("enc.sh", "echo 'classes: [a]'\n"),
    ]);
    let command = format!("/bin/sh {}", site.text("enc.sh"));
    let environment = site.text("envs/production");
    let alone = run(&["compile", "--environment", &environment, "--external_nodes", &command, "x"]);
    assert!(alone.err.contains("in a"), "{}", alone.err);
    let plain = ["--node_terminus", "plain", "--external_nodes", &command];
    let plain = run(&[&["compile", "--environment", &environment], &plain[..], &["x"]].concat());
    assert_eq!((plain.status, plain.err.contains("in a")), (0, false), "{}", plain.err);
    let conf =
        format!("[main]\nenvironmentpath = {}\n[server]\nexternal_nodes = {command}\n", site.text("envs"));
    fs::write(site.join("puppet.conf"), conf).expect("a file can be written");
    let configured = run(&["compile", "--confdir", &site.text(""), "--node_terminus", "exec", "x"]);
    assert!(configured.err.contains("in a"), "{}", configured.err);
    let confined =
        run(&["compile", "--confdir", &site.text(""), "--node_terminus", "exec", "--confine", "x"]);
    assert_eq!((confined.status, confined.err.contains("external_nodes")), (1, true), "{}", confined.err);
}

#[test]
fn facts_lie_in_a_folder_by_node() {
    let folder = folder(&[
        (
            "yaml/facts/web.yaml",
            "--- !ruby/object:Puppet::Node::Facts\nname: web\nvalues:\n  os: {family: Debian}\n",
        ),
        ("json/web.json", "{\"os\": {\"family\": \"RedHat\"}}"),
    ]);
    for (name, family) in [("yaml", "Debian"), ("json", "RedHat")] {
        let place = &folder.text(name);
        let answer = run(&["compile", "-e", "notice($facts['os']['family'])", "--factpath", place, "web"]);
        assert!(answer.err.contains(family), "{}", answer.err);
        let missing = run(&["compile", "-e", "1", "--factpath", place, "db"]);
        assert_eq!(missing.status, 1);
        assert!(missing.err.contains("Could not find facts for db in"), "{}", missing.err);
        assert_eq!(run(&["compile", "-e", "1", "--factpath", place, "../x"]).status, 1);
    }
}

#[test]
fn nodes_meet_in_a_store_of_catalogs() {
    let folder = folder(&[]);
    let store = &folder.text("catalogs");
    let compile = |node: &str, code: &str| run(&["compile", "-e", code, "--storeconfigs", store, node]);
    let first = compile("db", "@@notify { 'from db': tag => 'x' } Notify <<| tag == 'x' |>>");
    assert_eq!((first.status, first.err.as_str()), (0, ""));
    let second = compile("web", "@@notify { 'from web': tag => 'x' } Notify <<| tag == 'x' |>>");
    let titles = |answer: &Answer| -> Vec<String> {
        let catalog: Value = serde_json::from_str(&answer.out).expect("a catalog is JSON");
        let all = catalog["resources"].as_array().into_iter().flatten();
        let notifies = all.filter(|resource| resource["type"] == "Notify");
        notifies.filter_map(|resource| resource["title"].as_str().map(str::to_owned)).collect()
    };
    assert_eq!(titles(&second), ["from web", "from db"]);
    compile("db", "notice('exports nothing any more')");
    assert_eq!(titles(&compile("web", "Notify <<| |>>")), [""; 0]);
    let without = run(&["compile", "-e", "Notify <<| |>>"]);
    assert!(without.err.contains("You cannot collect exported resources without storeconfigs being set"));
    let nobody = run(&["compile", "-e", "1", "--storeconfigs", "http://127.0.0.1:1"]);
    assert!(
        nobody.err.contains("Could not ask PuppetDB at http://127.0.0.1:1/pdb/query/v4/"),
        "{}",
        nobody.err
    );
    assert_eq!(nobody.status, 1);
}

#[test]
fn cycles_are_looked_for_where_asked() {
    let code = "notify { 'a': before => Notify['b'] } notify { 'b': before => Notify['a'] }";
    assert_eq!(run(&["compile", "-e", code]).status, 0);
    let checked = run(&["compile", "--check-cycles", "-e", code]);
    assert_eq!(checked.status, 1);
    assert!(
        checked.err.contains("Found 1 dependency cycle:\n(Notify[a] => Notify[b] => Notify[a])"),
        "{}",
        checked.err
    );
}

#[test]
fn types_that_cannot_be_read_are_named() {
    let computed = "Puppet::Type.newtype(:odd) do\n newparam(:name)\n Puppet::Unheard.of.each { |f| newparam(f) }\nend\n";
    let folder = folder(&[
        ("m/lib/puppet/type/odd.rb", computed),
        ("m/lib/puppet/type/even.rb", "Puppet::Type.newtype(:even) do\n newparam(:name)\nend\n"),
        (
            "e/.resource_types/made.pp",
            "Puppet::Resource::ResourceType3.new('made', [], [Puppet::Resource::Param(Any, 'name', true)], {/(.*)/ => ['name']}, true, false)",
        ),
        ("e/manifests/site.pp", "made { 'x': }"),
        ("e/bad/site.pp", "made { 'x': nope => 1 }"),
    ]);
    let path = folder.to_str().expect("a path in UTF-8");
    let checked = run(&["check", "--types", path]);
    assert_eq!(checked.status, 0, "{}", checked.err);
    let why = "Resource type odd takes any parameter here: attributes are declared in a loop over what only Ruby knows in line 3";
    assert!(checked.err.contains(why) && !checked.err.contains("even"), "{}", checked.err);
    let compile = |code: &str| run(&["compile", "--modulepath", path, "-e", code]);
    let odd = compile("odd { ['x', 'y']: whatever => 1 }");
    assert_eq!((odd.status, odd.err.matches("takes any parameter here").count()), (0, 1), "{}", odd.err);
    assert!(compile("even { 'x': whatever => 1 }").err.contains("no parameter named 'whatever'"));
    let environment = folder.join("e");
    let environment = environment.to_str().expect("a path in UTF-8");
    assert_eq!(run(&["compile", "--environment", environment]).status, 0);
    let bad = folder.join("e/bad/site.pp");
    let bad =
        run(&["compile", "--environment", environment, "--manifest", bad.to_str().expect("a path in UTF-8")]);
    assert!(bad.err.contains("no parameter named 'nope'"), "{}", bad.err);
}

/// A module path, `modules`, with a puppetlabs-stdlib of a version, whose `any2array` in Ruby gives its own name.
fn with_stdlib(version: &str) -> Folder {
    let ruby = "Puppet::Parser::Functions.newfunction(:any2array, type: :rvalue) { |_| ['in Ruby'] }\n";
    let metadata = format!(
        "{{\"name\": \"puppetlabs-stdlib\", \"version\": \"{version}\", \"author\": \"puppetlabs\", \"license\": \"none\", \
         \"source\": \"here\", \"dependencies\": []}}"
    );
    let files = [
        ("modules/stdlib/metadata.json", metadata.as_str()),
        ("modules/stdlib/lib/puppet/parser/functions/any2array.rb", ruby),
        (
            "modules/m/lib/puppet/functions/m/own.rb",
            "Puppet::Functions.create_function(:'m::own') { def own; binding && 1; end }\n",
        ),
        (
            "modules/m/lib/puppet/functions/m/plain.rb",
            "Puppet::Functions.create_function(:'m::plain') { def plain; 2; end }\n",
        ),
        ("modules/m/templates/t.erb", "<%= 1 + 1 %>"),
        ("modules/m/templates/u.erb", "\n<%= self.to_s %>"),
    ];
    folder(&files)
}

#[test]
fn native_functions_stand_in_for_versions_they_were_compared_with() {
    let code = "notice(any2array(1)[0])";
    for (version, arguments, want) in [
        ("8.5.0", &[][..], "1"),
        ("4.25.0", &[], "in Ruby"),
        ("no version", &[], "in Ruby"),
        ("8.5.0", &["--no-native-stdlib"], "in Ruby"),
        ("8.5.0", &["--no-native-stdlib", "--native-stdlib"], "1"),
    ] {
        let folder = with_stdlib(version);
        let modules = folder.text("modules");
        let mut args = vec!["compile", "-e", code, "--modulepath", &modules];
        args.extend(arguments);
        let answer = run(&args);
        assert!(answer.status == 0 && answer.err.trim_end().ends_with(want), "{version}: {}", answer.err);
    }
    let without = folder(&[("m/metadata.json", "{}")]);
    let answer = run(&["compile", "-e", code, "--modulepath", &without.to_string_lossy()]);
    assert!(answer.status != 0 && answer.err.contains("Unknown function: 'any2array'"), "{}", answer.err);
}

#[test]
fn stats_count_what_is_called() {
    let folder = with_stdlib("8.5.0");
    let modules = folder.text("modules");
    let code =
        "notice(any2array(1), m::own(), m::own(), m::plain(), template('m/t.erb', 'm/u.erb'), upcase('x'))";
    let mut args = vec!["compile", "-e", code, "--modulepath", &modules, "--stats"];
    let answer = run(&args);
    assert_eq!(answer.status, 0, "{}", answer.err);
    for line in [
        "functions of modules, native: 1 in ",
        "  any2array: 1 in ",
        "functions of modules, compiled from Ruby: 1 in ",
        "  m::plain: 1 in ",
        "functions of modules, in Ruby: 2 in ",
        "  m::own: 2 in ",
        "ERB templates, native: 1 in ",
        "  m/t.erb: 1 in ",
        "ERB templates, in Ruby: 1 in ",
        "  m/u.erb: 1 in ",
        " (`self`, line 2)",
        "EPP templates: 0 in ",
        "Ruby workers: 1 in ",
    ] {
        assert!(answer.err.contains(line), "{line:?} is not in {}", answer.err);
    }
    args.extend(["--format", "json"]);
    let answer = run(&args);
    let line =
        answer.err.lines().find(|line| line.starts_with("{\"stats\"")).expect("there is a line of figures");
    let figures: Value = serde_json::from_str(line).expect("it is JSON");
    assert_eq!(figures["stats"]["native"]["calls"], 1, "{line}");
    assert_eq!(figures["stats"]["ruby"]["by_name"]["m::own"]["calls"], 2, "{line}");
    assert_eq!(figures["stats"]["ruby"]["reasons"]["m::own"], "the method binding, line 1", "{line}");
    assert_eq!(figures["stats"]["ruby_native"]["by_name"]["m::plain"]["calls"], 1, "{line}");
    assert_eq!(figures["stats"]["erb_native"]["calls"], 1, "{line}");
    assert_eq!(figures["stats"]["erb"]["reasons"]["m/u.erb"], "`self`, line 2", "{line}");
    args.push("--no-native-ruby");
    let answer = run(&args);
    let line = answer.err.lines().find(|line| line.starts_with("{\"stats\"")).expect("there are figures");
    let figures: Value = serde_json::from_str(line).expect("it is JSON");
    assert_eq!(figures["stats"]["erb_native"]["calls"], 0, "{line}");
    assert_eq!(figures["stats"]["ruby_native"]["calls"], 0, "{line}");
    assert_eq!(figures["stats"]["erb"]["calls"], 2, "{line}");
    // template, upcase, notice
    assert_eq!(figures["stats"]["language"]["calls"], 3, "{line}");
}

#[test]
fn a_profile_tells_what_led_to_what() {
    let folder = folder(&[]);
    let code = "function f() { upcase('x') }\ndefine d { notice(f()) }\nclass a($p = 1) { d { 'x': } f() }\ninclude a";
    let path = folder.text("stacks");
    let answer = run(&["compile", "-e", code, "--profile", &path, "--profile-of", "calls"]);
    assert_eq!(answer.status, 0, "{}", answer.err);
    for line in ["classes: 1 in ", "  D: 1 in ", "  f: 2 in ", "Hiera keys: 1 in ", "  a::p: 1 in "] {
        assert!(answer.err.contains(line), "{line:?} is not in {}", answer.err);
    }
    let stacks = fs::read_to_string(&path).expect("the profile is there");
    for line in [
        "language include 1\n",
        "language include;class A 1\n",
        "language include;class A;hiera a::p 1\n",
        "language include;class A;puppet f;language upcase 1\n",
        "define D;language notice 1\n",
        "define D;puppet f 1\n",
    ] {
        assert!(stacks.contains(line), "{line:?} is not in {stacks}");
    }
}

#[test]
fn build_lists_what_needs_ruby() {
    let folder = with_stdlib("8.5.0");
    let (modules, archive) = (folder.text("modules"), folder.text("archive"));
    let answer = run(&["build", &modules, "-o", &archive]);
    assert_eq!(answer.status, 0, "{}", answer.err);
    for line in [
        "needs Ruby when it is reached: 1 functions, 1 templates, 0 types",
        "  m, functions: m::own (the method binding, line 1)",
        "  m, templates: u.erb (`self`, line 2)",
    ] {
        assert!(answer.out.contains(line), "{line:?} is not in {}", answer.out);
    }
    // Native functions need no source, not even that of their module.
    let args = ["compile", "-e", "notice(any2array('a b'))", "--archive", &archive, "--frozen"];
    let gone = folder.text("gone");
    fs::rename(&modules, &gone).expect("the folder can be moved");
    let answer = run(&[&args[..], &["--modulepath", &modules]].concat());
    assert!(answer.status == 0 && answer.err.contains("a b"), "{}", answer.err);
    let answer = run(&["build", &gone, "-o", &archive, "--format", "json"]);
    let summary: Value = serde_json::from_str(&answer.out).expect("it is JSON");
    assert_eq!(summary["ruby"][0]["functions"][0], "m::own", "{summary}");
}

#[test]
fn a_version_brings_its_rules_and_its_defaults() {
    let keys = "$x = { -1 => 1, -1 => 2 } notice('through')";
    let version = "notice($serverversion, $settings::strict, $nope)";
    for (compat, keys_end, said) in [
        ("7", 0, "7.23.0 warning"),
        ("8", 1, "Unknown variable: 'nope'"),
        ("9", 1, "Unknown variable: 'nope'"),
    ] {
        for command in ["compile", "eval"] {
            let answer = run(&[command, "--compat", compat, "-e", keys]);
            assert_eq!(answer.status, keys_end, "{compat}: {}", answer.err);
            let answer = run(&[command, "--compat", compat, "-e", version]);
            assert!(answer.err.contains(said), "{compat}: {}", answer.err);
        }
        let folder = folder(&[("x.pp", keys)]);
        let file = folder.text("x.pp");
        let checked = run(&["check", "--compat", compat, "--strict", "error", &file]);
        assert_eq!(checked.status, keys_end, "{compat}: {}", checked.err);
    }
    // What is said besides goes before the version's defaults, in whatever order.
    let answer = run(&["eval", "--strict_variables", "--strict", "off", "--compat", "7", "-e", version]);
    assert!(answer.status == 1 && answer.err.contains("Unknown variable: 'nope'"), "{}", answer.err);
    let job = r#"{"id": 1, "code": "notice($settings::strict)", "settings": {"strict": "off", "compat": 7}}"#;
    let answer = run_with(&["batch"], &format!("{job}\n"), &[]);
    assert!(answer.out.contains(r#""message":"off""#), "{}", answer.out);
    let answer = run(&["eval", "--compat", "6", "-e", "1"]);
    assert!(answer.status == 2 && answer.err.contains("it is 7, 8 or 9"), "{}", answer.err);
}

#[test]
fn legacy_facts_are_left_out_where_that_is_wanted() {
    let facts =
        r#"{"osfamily": "Debian", "os": {"family": "Debian"}, "processors": {"count": 2}, "role": "web"}"#;
    let folder = folder(&[("facts.json", facts)]);
    let file = folder.text("facts.json");
    // Without those that an agent adds.
    let keys = |more: &[&str]| {
        let mut args = vec![
            "eval",
            "-e",
            "($facts.keys - ['clientcert', 'clientversion', 'clientnoop']).join(' ')",
            "--facts",
            &file,
        ];
        args.extend(more);
        run(&args).out
    };
    assert_eq!(keys(&[]), "'osfamily os processors role'\n");
    assert_eq!(keys(&["--no-include_legacy_facts"]), "'os processors role'\n");
    assert_eq!(
        keys(&["--no-include_legacy_facts", "--include_legacy_facts"]),
        "'osfamily os processors role'\n"
    );
}

/// What Ruby code prints goes where messages go, in its order: the catalog is alone on the other stream.
#[test]
fn what_ruby_code_prints_is_no_part_of_the_catalog() {
    if Command::new("ruby").arg("--version").output().is_err() {
        eprintln!("SKIPPED: there is no Ruby here");
        return;
    }
    let template =
        r#"<% puts "by puts"; warn "by warn", "twice"; $stderr.print "x\n"; $stdout.puts "out"; p 1 %>t"#;
    let code = format!("notice(inline_template('{template}'))");
    for native in [&["--no-native-ruby"][..], &[]] {
        let answer = run(&[&["compile", "-e", code.as_str()], native].concat());
        assert_eq!(answer.status, 0, "{}", answer.err);
        serde_json::from_str::<Value>(&answer.out).expect("it is a catalog alone");
        let printed: Vec<&str> = answer.err.lines().take(6).collect();
        assert_eq!(printed, ["by puts", "by warn", "twice", "x", "out", "1"], "{}", answer.err);
    }
}
