//! The Puppet face beside real Puppet: the same arguments give the same output on the same streams, and the same status. What Puppet prints
//! is kept in `tests/goldens/face`; `UPDATE=1` has it written anew, by Puppet.

use std::fs;
use std::path::Path;
use std::process::Command;

use bunraku_tests::face_site::Site;
use bunraku_tests::recorded::{self, Call};
use bunraku_tests::{bunraku, oracle, paths};
use serde_json::json;

/// The calls of one recording, and the site that they are made in.
struct Calls {
    site: Site,
    calls: Vec<Call>,
}

impl Calls {
    fn add(&mut self, versions: &'static [u8], line: &str, input: &str) {
        self.calls.push(Call { versions, line: line.to_owned(), input: input.to_owned() });
    }

    /// Lines that both versions take.
    fn both(&mut self, lines: &[&str]) {
        lines.iter().for_each(|line| self.add(&[7, 8], line, ""));
    }

    /// Both versions take each input by the line.
    fn both_of(&mut self, line: &str, inputs: &[&str]) {
        inputs.iter().for_each(|input| self.add(&[7, 8], line, input));
    }

    /// Lines whose words of 7 and 8 differ, or that 8 does not have: of 7 only.
    fn seven(&mut self, lines: &[&str]) {
        lines.iter().for_each(|line| self.add(&[7], line, ""));
    }

    /// What Bunraku prints, in the form of the recording.
    fn ours(&self) -> String {
        let site = &self.site;
        recorded::text(&self.calls, |version, call| site.ours(version, call), |text| site.plain(text))
    }

    /// What real Puppet prints.
    fn theirs(&self) -> String {
        let site = &self.site;
        recorded::text(&self.calls, |version, call| site.theirs(version, call), |text| site.plain(text))
    }
}

/// The name of a recording, and what makes its calls.
type Recording = (&'static str, fn(&mut Calls));

/// Every recording with what fills it.
const ALL: &[Recording] = &[
    ("arguments", arguments),
    ("catalogs", catalogs),
    ("logs", logs),
    ("errors", errors),
    ("uncaught", uncaught),
    ("validated", validated),
    ("dumped", dumped),
    ("rendered", rendered),
    ("user-mode", user_mode),
    ("settings-and-facts", settings_and_facts),
    ("lookups", lookups),
    ("puppet-compiler", puppet_compiler),
];

/// The calls of a recording, in a new site.
fn calls(name: &str) -> Calls {
    let (_, fill) = ALL.iter().find(|(own, _)| *own == name).expect("there is one of this name");
    let mut calls = Calls { site: Site::new(), calls: Vec::new() };
    fill(&mut calls);
    calls
}

/// A recording, which real Puppet writes first where that is asked for.
fn wanted(name: &str) -> String {
    let file = format!("face/{name}");
    if recorded::is_wanted() {
        recorded::keep(&file, &calls(name).theirs());
    }
    recorded::kept(&file)
}

/// Bunraku prints what is recorded.
fn holds(name: &str) {
    wanted(name);
    let difference = recorded::difference(&format!("face/{name}"), &calls(name).ours());
    assert!(difference.is_none(), "Bunraku prints something else: {}", difference.unwrap_or_default());
}

#[test]
#[ignore = "real Puppet takes minutes: .ci/nightly"]
fn recordings_are_what_puppet_prints() {
    if oracle::seven_and_eight("the recordings of the face").len() < 2 {
        return;
    }
    let ask = |name: &str| recorded::difference(&format!("face/{name}"), &calls(name).theirs());
    let differences: Vec<String> = std::thread::scope(|scope| {
        let asked: Vec<_> = ALL.iter().map(|(name, _)| scope.spawn(|| ask(name))).collect();
        asked.into_iter().filter_map(|one| one.join().expect("nobody panics")).collect()
    });
    assert!(differences.is_empty(), "Puppet prints something else:\n{}", differences.join("\n"));
}

#[test]
fn arguments_are_taken_as_puppet_takes_them() {
    holds("arguments");
}

fn arguments(calls: &mut Calls) {
    calls.both(&[
        "",
        "nosuch",
        "nosuch --version",
        "--nosuch",
        "--version",
        "-V",
        "site.pp",
        "catalog",
        "catalog nosuch",
        "catalog --nosuch compile",
        "catalog --version",
        "catalog compile --nosuch=1",
        "catalog compile a --render-as nosuch",
        "catalog compile a --render-as",
        "catalog compile a --strict=foo",
        "catalog compile a --confdir",
        "catalog compile a --confdir --noop",
        "catalog compile a --noop=true",
        "catalog compile a --no-noop=true",
        "catalog compile a -x",
        "catalog SITE --render-as json compile --noop a.example.com --environment run --environment production",
        "parser nosuch --color=false",
        "parser --color false",
    ]);
}

#[test]
fn catalogs_are_printed_in_puppets_forms() {
    holds("catalogs");
}

fn catalogs(calls: &mut Calls) {
    for form in
        ["", "--render-as json", "--render-as rich_data_json", "--render-as yaml", "--render-as console"]
    {
        calls.both(&[
            &format!("catalog compile a.example.com SITE {form}"),
            &format!("catalog compile a.example.com SITE {form} --environment=rich"),
        ]);
    }
    calls.both(&[
        "catalog find a.example.com SITE --render-as s",
        "catalog compile b.example.com SITE --no-strict_variables --environment=logs",
        "catalog compile a.example.com SITE --environment=modules --modulepath=/nosuch:@/env/modules/modules",
        "catalog compile a.example.com SITE --manifest=@/logs.pp --noop --no-daemonize --no-storeconfigs --trace",
        "catalog compile a.example.com SITE --hiera_config=/nosuch --yamldir=@/var/yaml --factpath=/x",
    ]);
    calls.seven(&[
        "catalog compile a.example.com SITE --render-as pson",
        "catalog compile a.example.com SITE --render-as pson --environment=rich",
    ]);
}

#[test]
fn what_is_logged_goes_where_puppet_writes_it() {
    holds("logs");
    let call = Call {
        versions: &[7],
        line: "catalog compile a.example.com SITE --environment=logs --debug --color=false".to_owned(),
        input: String::new(),
    };
    let output = Site::new().ours(7, &call);
    assert!(text(&output.stdout).contains("\nDebug: Scope(Class[A]): d\n"), "{}", text(&output.stdout));
}

fn logs(calls: &mut Calls) {
    for options in
        ["", "--color=false", "--color=html", "--verbose", "--log_level=err", "--logdest=@/x.log", "-v"]
    {
        calls.both(&[&format!("catalog compile a.example.com SITE --no-strict_variables --environment=logs --render-as json {options}")]);
    }
}

#[test]
fn errors_of_compiles_are_puppets() {
    holds("errors");
    // Puppet shows where in its own code it met that.
    let (theirs, ours) = (wanted("uncaught"), calls("uncaught").ours());
    assert!(ours.starts_with("# 7 and 8: ") && ours.contains("\nstatus 1\nstderr:\n    Error: "), "{ours}");
    let message = ours.lines().find_map(|line| line.strip_prefix("    Error: ")).expect("it says why");
    assert!(theirs.contains(&format!("\nstatus 1\nstderr:\n    {message}\n")), "{ours}{theirs}");
}

fn uncaught(calls: &mut Calls) {
    calls.both(&["catalog compile a.example.com SITE --environment=none --color=false"]);
}

fn errors(calls: &mut Calls) {
    for options in [
        "--environment=bad",
        "--environment=run",
        "--environment=faults",
        "--node_terminus=exec --external_nodes=/bin/false",
        "--node_terminus=exec",
        "--node_terminus=nosuch",
        "--facts_terminus=nosuch",
        "--strict=error --manifest=@/twice.pp",
    ] {
        calls.both(&[&format!("catalog compile a.example.com SITE {options}")]);
    }
}

#[test]
fn manifests_and_templates_are_validated() {
    holds("validated");
}

fn validated(calls: &mut Calls) {
    calls.both(&[
        "parser validate logs.pp",
        "parser validate nosuch.pp syntax.pp",
        "parser validate syntax.pp logs.pp faults.pp name.pp number.pp twice.pp",
        "parser validate syntax.pp faults.pp twice.pp --render-as json --strict=error",
        "parser validate twice.pp --strict=off",
        "parser validate @/env/bad",
        "parser validate @/env --environment run --environmentpath @/env",
        "parser validate @/placed --modulepath @/placed",
        "parser validate @/hidden",
        "parser validate @/hidden/.old @/hidden/.site.pp",
        "parser validate placed/m/manifests/b.pp placed/m/manifests/b placed/m/functions/f.pp placed/m/examples/init.pp --modulepath @/placed",
        "parser validate placed/m/manifests/b.pp --modulepath placed",
        "parser validate placed/m/manifests/b.pp",
        "parser dump placed/m/manifests/b.pp --modulepath @/placed",
        "config print modulepath manifest --environmentpath @/nowhere --modulepath @/placed",
        "config print modulepath --environmentpath @/nowhere --manifest @/placed",
        "epp validate a.epp fail.epp",
        "epp validate b.epp a.epp",
        "epp validate b.epp nosuch.epp --continue_on_error",
        "epp validate b.epp nosuch.epp --continue-on-error",
        "epp validate nosuch.epp",
        "epp validate m/t.epp --environmentpath=@/env --environment=modules",
        "epp validate /nosuch.epp",
        "epp validate /nosuch.epp b.epp",
    ]);
    calls.both_of(
        "parser validate",
        &[
            "notice(1)",
            "notice(1",
            "class a-b {}",
            "f(b: 1)\nfunction x.new() {}\nclass c {\n)",
            "class b inherits c {}\nclass b inherits d {}",
            "class b {}\ndefine b() {}",
            "node x, y {}\nnode y {}",
            "define b() {}\ndefine b() {}",
            "function b() {}\nfunction b() {}",
            "type B = String\ntype B = Integer",
            "define b($noop) {}",
            "class b($tag = 1, $stage = 2) {}",
            "App {a => 1}\n{a=>1}\n",
            "$a = /(/\n",
        ],
    );
    calls.both_of("epp validate", &["<%= $a"]);
}

#[test]
fn syntax_trees_are_dumped() {
    holds("dumped");
}

fn dumped(calls: &mut Calls) {
    calls.both(&[
        "parser dump tree.pp",
        "parser dump rest.pp umlaut.pp faults.pp syntax.pp",
        "parser dump syntax.pp nosuch.pp",
        "parser dump faults.pp --validate",
        "parser dump faults.pp --no-validate",
        "parser dump twice.pp tree.pp --validate --strict=error",
        "parser dump tree.pp --format pn",
        "parser dump tree.pp --format pn --pretty",
        "parser dump tree.pp --format json",
        "parser dump tree.pp --format json --pretty",
        "parser dump tree.pp --format old --pretty",
        "parser dump logs.pp tree.pp --format pn",
        "parser dump -e `$a = 1 + 2` --format pn",
        "parser dump --e `$a = ` --format pn",
        "parser dump -e `class a-b {}`",
        "epp dump a.epp",
        "epp dump a.epp b.epp nosuch.epp",
        "epp dump a.epp fail.epp",
        "epp dump a.epp fail.epp --no-header",
        "epp dump a.epp fail.epp --format json",
        "epp dump b.epp",
        "epp dump b.epp --no-validate",
        "epp dump a.epp --format pn --pretty",
        "epp dump -e `<%= 1 + %>`",
        "epp dump m/t.epp --environmentpath=@/env --environment=modules",
    ]);
    for line in ["parser dump", "parser dump --format json --validate"] {
        calls.both_of(line, &["notice(1)", "notice(1", "class a-b {}"]);
    }
    calls.both_of("epp dump", &["a <%= $a %>", "<%= $a"]);
}

#[test]
fn templates_are_rendered() {
    holds("rendered");
}

fn rendered(calls: &mut Calls) {
    calls.seven(&[
        "epp render a.epp --facts facts.json",
        "epp render a.epp --facts facts.json --values `{a => [5, 'x']}`",
        "epp render a.epp --facts facts.json --values_file values.yaml",
        "epp render a.epp --facts facts.json --values_file values.pp",
        "epp render a.epp --facts facts.json --values_file values.pp --values `{a => 1}`",
        "epp render a.epp a.epp --facts facts.json",
        "epp render a.epp a.epp --facts facts.json --no-header",
        "epp render a.epp nosuch.epp fail.epp --facts facts.json",
        "epp render m/t.epp --facts facts.json --environmentpath=@/env --environment=modules",
        "epp render --facts facts.json -e `<%= 1 + 1 %>`",
        "epp render --facts facts.json --e `<%= $x %> a` --values `{x => 2}`",
        "epp render --facts facts.json -e `<%= 1 + %>`",
        "epp render --facts facts.json -e `<%= fail('x') %>`",
        "epp render b.epp --facts facts.json",
        "epp render nosuch.epp --facts facts.json",
    ]);
    calls.add(&[7], "epp render --facts facts.json", "<%= $facts['os']['family'] %>\n");
}

/// Facts that lie elsewhere for what runs in Puppet's mode `user`, and values for templates that are no hash.
#[test]
fn what_runs_in_user_mode_has_facts_of_its_own() {
    holds("user-mode");
}

fn user_mode(calls: &mut Calls) {
    calls.seven(&[
        "epp render -e `<%= $own %>` --node c.example.com SITE",
        "epp render a.epp a.epp --node a.example.com SITE --values `[1]`",
        "epp render a.epp --node a.example.com SITE --values `{a => }`",
        "epp render a.epp --node a.example.com SITE --values `fail('x')`",
        "epp render -e `<%= 1 %>` --node a.example.com SITE --values 5",
        "epp render -e `<%= 1 %>` --node a.example.com SITE --values `{x =>`",
    ]);
    calls.both(&["catalog find c.example.com SITE --render-as console --manifest=@/own.pp"]);
}

#[test]
fn settings_and_facts_are_printed() {
    holds("settings-and-facts");
}

fn settings_and_facts(calls: &mut Calls) {
    calls.both(&[
        "config print strict --confdir=@",
        "config print noop strict noop --confdir=@",
        "config print strict --render-as json --confdir=@",
        "config print strict noop runinterval --render-as json --confdir=@",
        "config print strict noop --render-as yaml --confdir=@",
        "config print strict --verbose --confdir=@",
        "config print nosuch --confdir=@",
        "config print nosuch strict --confdir=@",
        "config print strict --section server --environment nosuch --verbose --confdir=@",
        "config print certname hostcert --ssldir=/x --confdir=@",
        "config",
        "config print --section",
        "config print modulepath manifest --environmentpath=@/env --environment run --basemodulepath=/b --confdir=@",
        "facts find a.example.com SITE",
        "facts find a.example.com SITE --render-as yaml",
        "facts find b.example.com SITE",
    ]);
}

#[test]
fn keys_are_looked_up() {
    holds("lookups");
}

fn lookups(calls: &mut Calls) {
    let write = |name: &str, text: &str| paths::write(&calls.site.path(name), text);
    write(
        "hiera.yaml",
        "version: 5\nhierarchy:\n  - {name: n, path: \"%{facts.os.family}.yaml\"}\n  - {name: c, paths: [c.yaml, t.yaml]}\n",
    );
    // As PuppetDB has it among a node's facts.
    let trusted = json!({"authenticated": "remote", "certname": "x", "extensions": {"pp_role": "web"}});
    write("trusted.json", &json!({"n": 1, "trusted": trusted}).to_string());
    write("untrusted.json", &json!({"n": 1, "trusted": {"certname": "x"}}).to_string());
    write(
        "data/t.yaml",
        "t: \"%{trusted.extensions.pp_role} %{trusted.certname} %{facts.trusted.certname}\"\n",
    );
    write("data/Debian.yaml", "k: {a: 1, l: [b, a]}\ns: \"t\\u00fc\"\n");
    write("data/c.yaml", "k: {b: 2, l: [c]}\nf: 1.0e+30\nlookup_options: {k: {merge: hash}}\n");
    for line in [
        "k",
        "nosuch k",
        "nosuch",
        "s --render-as s",
        "f --render-as json",
        "k --render-as json --merge deep --sort-merged-arrays",
        "k --merge deep --knock-out-prefix=-- --render-as yaml",
        "k --explain",
        "k --explain --render-as json",
        "--explain-options",
        "nosuch --default 5",
        "s --type Integer",
        "k --merge foo",
        "k --sort-merged-arrays",
        "k --render-as foo",
        "k --nosuch",
        "",
        "k --compile --environment bad",
        "k --compile --environment run",
        "k --compile",
        "k --facts facts.json",
        "k --facts nosuch.json",
        "t --facts trusted.json",
        "t --facts untrusted.json",
    ] {
        calls.both(&[&format!(
            "lookup {line} --node a.example.com --environmentpath=@/env --vardir=@/var --confdir=@"
        )]);
    }
    calls.both(&["lookup k --node b.example.com --environmentpath=@/env --vardir=@/var --confdir=@"]);
}

/// The folders that Wikimedia's puppet-compiler prepares, and its command line.
#[test]
fn puppet_compilers_command_line_gives_puppets_catalog() {
    holds("puppet-compiler");
    assert!(recorded::kept("face/puppet-compiler").contains("a:8080"), "it has lost its point");
}

fn puppet_compiler(calls: &mut Calls) {
    let line = "catalog compile --facts_terminus=yaml --render-as=rich_data_json --vardir=@/pcc --modulepath=@/src/private:@/src/modules:@/none \
        --confdir=@/src --color=false --yamldir=@/facts/yaml --factpath=@/facts/yaml/facts --manifest=@/src/manifests \
        --environmentpath=@/src/environments a.example.com";
    calls.seven(&[
        line,
        &format!("{line} --verbose --node_name_value=x"),
        &line.replace("a.example.com", "b.example.com"),
    ]);
}

fn text(output: &[u8]) -> String {
    String::from_utf8_lossy(output).into_owned()
}

#[test]
fn what_is_not_built_in_is_handed_to_a_real_puppet() {
    let site = Site::new();
    let real = site.path("real");
    fs::write(&real, "#!/bin/sh\necho \"real $*\"\nexit 3\n").expect("a file");
    assert!(Command::new("chmod").arg("755").arg(&real).status().expect("chmod starts").success());
    let run = |name: &str, line: &str, real: Option<&Path>| {
        let mut command = Command::new(site.path("bin").join(name));
        command.args(site.words(line)).current_dir(site.folder()).env_remove("BUNRAKU_PUPPET");
        if let Some(real) = real {
            command.env("BUNRAKU_PUPPET", real);
        }
        let output = command.output().expect("it starts");
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    for line in [
        "agent -t",
        "apply -e 1",
        "catalog apply",
        "config set strict error",
        "help",
        "--help",
        "catalog --help",
        "facts",
        // What its settings ask for is not.
        "parser validate --tasks plans/init.pp",
    ] {
        let (status, out, _) = run("puppet", line, Some(&real));
        assert_eq!((status, out), (Some(3), format!("real {line}\n")), "{line}");
        let (status, _, error) = run("puppet", &format!("{line} --color=false"), None);
        assert_eq!(status, Some(1));
        assert!(error.starts_with("Error: ") && error.contains("'puppet "), "{line}: {error}");
        assert!(error.contains("BUNRAKU_PUPPET"), "{line}: {error}");
    }
    // Its own name is none.
    let (status, _, error) = run("puppet", "agent -t", Some(&site.path("bin/puppet")));
    assert!(status == Some(1) && error.contains("is Bunraku itself"), "{error}");
    // Neither is a script that calls the link again.
    let circle = site.path("circle");
    fs::write(&circle, format!("#!/bin/sh\n'{}' \"$@\"\n", site.path("bin/puppet").display()))
        .expect("a file");
    assert!(Command::new("chmod").arg("755").arg(&circle).status().expect("chmod starts").success());
    let (status, _, error) = run("puppet", "agent -t", Some(&circle));
    assert!(status == Some(1) && error.contains("circle calls Bunraku again"), "{error}");
    // The file beside the links says it, too, and which version `puppet` is.
    assert_eq!(run("puppet", "--version", None).1, "7.23.0\n");
    let again = Command::new(bunraku::binary().expect("Bunraku builds"))
        .arg("face")
        .arg(site.path("bin"))
        .args(["--compat=8", "--puppet"])
        .arg(&real)
        .output()
        .expect("Bunraku starts");
    assert!(again.status.success(), "{}", text(&again.stderr));
    assert_eq!(run("puppet", "--version", None).1, "8.10.0\n");
    assert_eq!(run("puppet7", "--version", None).1, "7.23.0\n");
    assert_eq!(run("openvox", "--version", None).1, "9.0.0-rc1\n");
    assert_eq!(run("puppet", "module list", None).1, "real module list\n");
    // Settings that change what is compiled, and can't be heeded, are refused by name.
    let (status, out, error) =
        run("puppet7", "catalog compile a.example.com SITE --freeze_main --color=false", None);
    assert_eq!((status, out.as_str()), (Some(1), ""));
    assert!(error.contains("--freeze_main: The setting freeze_main = true is not supported"), "{error}");
    // A file that is no link is nobody's to replace.
    fs::remove_file(site.path("bin/puppet9")).expect("it is there");
    fs::write(site.path("bin/puppet9"), "mine").expect("a file");
    let refused =
        Command::new(bunraku::binary().expect("Bunraku builds")).arg("face").arg(site.path("bin")).output();
    assert!(text(&refused.expect("Bunraku starts").stderr).contains("puppet9 is there, and no link"));
    assert_eq!(fs::read_to_string(site.path("bin/puppet9")).expect("it is there"), "mine");
}
