//! A server's configuration as Puppet reads it: real layouts, compiled and printed by real Puppet and by Bunraku with
//! nothing but `--confdir`.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use bunraku_tests::canonical::{self, Places};
use bunraku_tests::oracle::{self, Oracle};
use bunraku_tests::{bunraku, compare, paths};
use serde_json::{Value, json};

/// A Puppet that is here, by the version that `--compat` takes.
fn puppets() -> Vec<u8> {
    oracle::seven_and_eight("configuration").into_iter().map(|oracle| oracle.number).collect()
}

/// Runs the command `puppet` of a version.
fn puppet(version: u8, arguments: &[&str]) -> Output {
    let oracle = Oracle::of(&version.to_string()).expect("there is one");
    oracle.command().args(arguments).output().expect("a shell starts")
}

/// Runs Bunraku by the rules of a version.
fn ours(version: u8, arguments: &[&str]) -> Output {
    let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
    command.args(arguments).arg(format!("--compat={version}"));
    command.output().expect("Bunraku starts")
}

fn text(output: &[u8]) -> String {
    String::from_utf8_lossy(output).into_owned()
}

/// The control folder of a server: a copy, since Puppet writes into it.
struct Server(tempfile::TempDir);

impl Server {
    fn new() -> Server {
        let work = tempfile::tempdir().expect("a folder can be made");
        let status = Command::new("cp")
            .arg("-r")
            .arg(paths::root().join("fixtures/server/."))
            .arg(work.path())
            .status()
            .expect("cp starts");
        assert!(status.success());
        Server(work)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn confdir(&self) -> String {
        self.path("etc/puppetlabs/puppet").display().to_string()
    }

    /// Writes a file below its `etc/puppetlabs`.
    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path("etc/puppetlabs").join(name);
        fs::create_dir_all(path.parent().expect("it has one")).expect("a folder can be made");
        fs::write(path, content).expect("a file can be written");
    }

    fn compiled(&self, version: u8, node: &str) -> Output {
        ours(version, &["compile", node, "--confdir", &self.confdir(), "--color=never"])
    }
}

/// A catalog as results are compared, and its version.
fn catalog(output: &Output) -> (Value, Value) {
    // Puppet's notices go before it.
    let text_of_it = text(&output.stdout);
    let begin = text_of_it.find('{').unwrap_or(0);
    let catalog: Value = serde_json::from_str(&text_of_it[begin..])
        .unwrap_or_else(|error| panic!("no catalog: {error} in {text_of_it}{}", text(&output.stderr)));
    let version = catalog["version"].clone();
    let mut result = json!({"ok": true, "catalog": catalog, "logs": []});
    canonical::normalise(&mut result, &Places::new(Vec::new()));
    (result, version)
}

#[test]
fn a_server_is_compiled_by_its_configuration_alone() {
    for version in puppets() {
        let server = Server::new();
        for node in ["web01.example.com", "db01.example.com"] {
            let wanted = puppet(version, &["catalog", "compile", node, "--confdir", &server.confdir()]);
            let (want, wanted_version) = catalog(&wanted);
            let (got, version_of_ours) = catalog(&server.compiled(version, node));
            let differences = compare::differences(&want, &got);
            assert!(differences.is_empty(), "{node} by Puppet {version}: {differences:#?}");
            if node.starts_with("db") {
                assert_eq!(version_of_ours, wanted_version);
                assert_eq!(version_of_ours, "release of staging");
            }
        }
    }
}

/// What `puppet config print` prints of all settings; those that only real Puppet can know, and those of its process, left
/// out.
fn printed(output: &Output) -> Vec<String> {
    assert!(output.status.success(), "{}", text(&output.stderr));
    const OF_THE_PROCESS: [&str; 3] = ["name = ", "http_user_agent = ", "srv_domain = "];
    let all = text(&output.stdout);
    let lines = all.lines().filter(|line| !OF_THE_PROCESS.iter().any(|own| line.starts_with(own)));
    lines.map(str::to_owned).collect()
}

/// The whole of a folder's configuration that Debian's Puppet and ours read the same way: as root.
fn same_settings(version: u8, confdir: &str, section: &str, more: &[&str]) {
    let arguments = ["--confdir", confdir, "--section", section];
    let theirs = [&["config", "print"][..], &arguments, more].concat();
    let own = [&["config"][..], &arguments, more].concat();
    let (want, got) = (printed(&puppet(version, &theirs)), printed(&ours(version, &own)));
    assert!(want.len() > 200);
    let differ: Vec<_> = want.iter().filter(|line| !got.contains(line)).collect();
    let extra: Vec<_> = got.iter().filter(|line| !want.contains(line)).collect();
    assert_eq!((differ, extra), (vec![], vec![]), "Puppet {version}, [{section}] of {confdir}");
    assert_eq!(want, got, "in the same order");
}

/// Defaults are those of this machine's packages: Debian's Puppet has Debian's, if nobody else's are here.
fn has_debians_folders() -> bool {
    let own = Path::new("/etc/puppet").is_dir() && !Path::new("/etc/puppetlabs/puppet").exists();
    if !own || !nix::unistd::geteuid().is_root() {
        eprintln!(
            "SKIPPED settings beside real Puppet's: this machine does not have Debian's folders, or no root"
        );
        return false;
    }
    true
}

#[test]
fn every_setting_is_printed_as_puppet_prints_it() {
    if !has_debians_folders() {
        return;
    }
    for version in puppets() {
        let server = Server::new();
        let confdir = server.confdir();
        same_settings(version, &confdir, "server", &["--environment", "staging"]);
        same_settings(version, &confdir, "agent", &[]);
        let elsewhere = [("codedir", "code/../x"), ("vardir", "v/"), ("environmentpath", "e:f")];
        let flags: Vec<String> = elsewhere
            .iter()
            .map(|(name, place)| format!("--{name}={}", server.path("").join(place).display()))
            .collect();
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        same_settings(version, &confdir, "main", &flags);
        // Every kind of value there is.
        let conf = "certname = all.example.com\n[main]\nstatedir = $vardir/${missing_brace\n\
            statedir = second\nsplaylimit = $runinterval\nruninterval=30m\nserver_list = a:1,b , c\n\
            http_extra_headers = x:1, y:2\ndisable_warnings = deprecations ,undefined_variables\n\
            certificate_revocation = leaf\nautosign = TRUE\npriority = low\nca_port = 0x1F\nenvironment_timeout = 3m\n\
            maxwaitforcert = unlimited\nnode_terminus =\nfactpath = a:/b/../c:\nsupported_checksum_types=md5,sha256\n\
            rundir = ~/run  { mode = 0700 }\nserverport = 8141\npidfile = $rundir/$run_mode-$certname\n\
            ldapstring = (&(a=b)(cn=%s))\nnosuch = 1\nreports = 'a, b'\nstoreconfigs = false\nlog_level = info\r\n\
            [user]\ncertname = user.example.com\n[main]\nlogdir = /l\n";
        server.write("kinds/puppet.conf", conf);
        let kinds = server.path("etc/puppetlabs/kinds").display().to_string();
        same_settings(version, &kinds, "server", &[]);
        same_settings(version, &kinds, "main", &[]);
    }
}

#[test]
fn one_setting_is_printed_alone_and_with_its_origin() {
    let server = Server::new();
    let confdir = server.confdir();
    let config = |arguments: &[&str]| {
        let output = ours(7, &[&["config", "--confdir", &confdir], arguments].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout).replace(&server.path("").display().to_string(), "/s/")
    };
    assert_eq!(config(&["strict"]), "warning\n");
    assert_eq!(config(&["strict", "--section", "master"]), "warning\n");
    assert_eq!(config(&["strict", "--section", "main"]), "error\n");
    assert_eq!(
        config(&[
            "strict",
            "modulepath",
            "noop",
            "codedir",
            "--origin",
            "--environment",
            "staging",
            "--codedir",
            &confdir
        ]),
        "codedir = /s/etc/puppetlabs/puppet  # command line\nmodulepath =   # default\nnoop = false  # default\n\
         strict = warning  # /s/etc/puppetlabs/puppet/puppet.conf:21 [server]\n"
    );
    assert_eq!(
        config(&["modulepath", "manifest", "--environment", "staging", "--origin"])
            .replace("/s/etc/puppetlabs/code", "C"),
        "manifest = C/environments/staging/manifests  # C/environments/staging/environment.conf:3\n\
         modulepath = C/environments/staging/site:C/modules:/s/opt/puppetlabs/puppet/modules  \
         # C/environments/staging/environment.conf:2\n"
    );
    let json: Value =
        serde_json::from_str(&config(&["noop", "strict", "--format", "json"])).expect("it is JSON");
    assert_eq!(json["noop"], json!({"value": false, "origin": "default"}));
}

#[test]
fn keys_are_looked_up_as_puppet_looks_them_up() {
    for version in puppets() {
        let server = Server::new();
        let confdir = server.confdir();
        let arguments = ["lookup", "base::motd", "--node", "web01.example.com", "--confdir", &confdir];
        let theirs = puppet(version, &arguments);
        assert!(text(&theirs.stdout).contains("of all tiers"), "{}", text(&theirs.stderr));
        // The classifier, whose variables the hierarchy has, is asked only by a compile.
        assert_eq!(text(&ours(version, &arguments).stdout), "--- of all tiers\n");
        let compiled = ours(version, &[&arguments[..], &["--compile"]].concat());
        assert_eq!(text(&compiled.stdout), "--- of the web\n");
    }
}

#[test]
fn what_goes_wrong_is_said_in_puppets_words() {
    let server = Server::new();
    let error = |arguments: &[&str]| {
        let output = ours(7, &[arguments, &["--confdir", &server.confdir(), "--color=never"]].concat());
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
        text(&output.stderr).replace(&server.path("").display().to_string(), "/s/")
    };
    assert_eq!(
        error(&["compile", "web01.example.com", "--environment", "nosuch"]),
        "Error: Could not find a directory environment named 'nosuch' anywhere in the path: \
         /s/etc/puppetlabs/code/environments. Does the directory exist?\n"
    );
    server.write("code/environments/staging/environment.conf", "manifest = x\nbroken\n");
    assert_eq!(
        error(&["compile", "db01.example.com"]),
        "Error: Could not match line broken (file: /s/etc/puppetlabs/code/environments/staging/environment.conf, line: 2)\n"
    );
    server.write(
        "code/environments/staging/environment.conf",
        "config_version = version.sh $environment; exit 3\n",
    );
    let version = "/s/etc/puppetlabs/code/environments/staging/version.sh staging; exit 3";
    assert_eq!(
        error(&["compile", "db01.example.com"]),
        format!(
            "Error: Execution of config_version command `{version}` failed: Execution of '{version}' returned 3: \
             release of staging on node db01.example.com\n"
        )
    );
    let conf = |text: &str| server.write("puppet/puppet.conf", text);
    for (text, message) in [
        (
            "[main]\nmodulepath = /x\n",
            "Cannot set modulepath settings in puppet.conf (file: /s/etc/puppetlabs/puppet/puppet.conf, line: 2)",
        ),
        (
            "[main]\nstrict = maybe\n",
            "Invalid value 'maybe' for parameter strict. Allowed values are 'off', 'warning', 'error'",
        ),
        (
            "[main]\nstatedir = $nosuch/x\n",
            "Error converting value for param 'statedir': Could not find value for $nosuch",
        ),
        (
            "[main]\nstatedir = $logdir\nlogdir = $statedir\n",
            "Settings refer to each other in a circle: logdir, statedir, logdir",
        ),
        (
            "[main]\ndisable_per_environment_manifest = true\n",
            "The 'default_manifest' setting must be set to an absolute path when 'disable_per_environment_manifest' is true",
        ),
    ] {
        conf(text);
        assert_eq!(error(&["compile", "web01.example.com"]), format!("Error: {message}\n"));
    }
}

/// What is said of a malformed file: the line that begins with `Error:`, in colours or not, and what belongs to it.
fn fault(output: &Output) -> String {
    let said = text(&output.stderr).replace("\x1b[1;31m", "").replace("\x1b[0m", "");
    let begin = said.find("Error: Could not parse").unwrap_or_else(|| panic!("no error in {said}"));
    let lines = said[begin..].lines().enumerate();
    let own: Vec<&str> =
        lines.take_while(|(n, line)| *n == 0 || line.starts_with(' ')).map(|one| one.1).collect();
    // Puppet shows a line with its end.
    own.join("").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn nothing_of_a_malformed_file_is_in_force() {
    for version in puppets() {
        let server = Server::new();
        for conf in [
            "[main]\nstrict = off\nthis is no setting\n",
            "[main]\nstrict = off\n[other]\n",
            "strict = off\nlogdir = /x {owner = root, size = 1}\n",
        ] {
            server.write("puppet/puppet.conf", conf);
            let confdir = ["--confdir", &server.confdir()];
            let keys = ["strict", "environmentpath", "node_terminus", "confdir"];
            let (print, own) = (&["config", "print"][..], &["config"][..]);
            let theirs = puppet(version, &[print, &keys, &confdir].concat());
            let own = ours(version, &[own, &keys, &confdir].concat());
            assert_eq!((text(&own.stdout), own.status.code()), (text(&theirs.stdout), Some(0)), "{conf}");
            // Ours says where in the file, too, where Puppet does not.
            assert!(fault(&own).starts_with(&fault(&theirs)), "{} {}", fault(&own), fault(&theirs));
            // The environment is named: the defaults name none that is here.
            let path = server.path("etc/puppetlabs/code/environments").display().to_string();
            let compile =
                [&["compile", "web01.example.com", "--environmentpath", &path], &confdir[..]].concat();
            let theirs = puppet(version, &[&["catalog"], &compile[..]].concat());
            let own = ours(version, &compile);
            assert!(fault(&own).starts_with(&fault(&theirs)), "{} {}", fault(&own), fault(&theirs));
            let says = |output: &Output| (output.status.code(), text(&output.stderr));
            assert_eq!(own.status.success(), theirs.status.success(), "{:?} {:?}", says(&own), says(&theirs));
        }
    }
}

#[test]
fn what_makes_no_difference_is_a_warning_with_its_place() {
    let server = Server::new();
    let path = server.path("etc/puppetlabs/puppet/puppet.conf");
    let mut conf = fs::read_to_string(&path).expect("it is there");
    let line = conf.lines().count();
    conf.push_str("[main]\nnosuch = 1\nfreeze_main = true\nreport_configured_environmentpath = false\nstatedir = /x/$environment\n");
    fs::write(&path, conf).expect("it can be written");
    let output = server.compiled(7, "web01.example.com");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let at = |number: usize| format!("(file: {}, line: {})", path.display(), line + number);
    let want = [
        format!("Warning: Puppet has no setting 'nosuch'; it is ignored {}", at(2)),
        format!(
            "Warning: The setting freeze_main = true is not supported: code at top level is evaluated {}",
            at(3)
        ),
        format!(
            "Warning: Puppet 7 has no setting 'report_configured_environmentpath', other versions have; it is ignored {}",
            at(4)
        ),
        format!(
            "Warning: You cannot interpolate $environment within 'statedir' when using directory environments. Its value \
             will remain /x/$environment. {}",
            at(5)
        ),
    ];
    assert_eq!(text(&output.stderr).lines().collect::<Vec<_>>(), want);
}

#[test]
fn files_that_mean_harm_are_one_error() {
    let server = Server::new();
    let large = format!("[main]\n{}", "a = 1\n".repeat(3_000_000));
    // Each refers twice to the next: so many that nobody could look at them all.
    let names =
        ["statedir", "logdir", "rundir", "bucketdir", "reportdir", "yamldir", "server_datadir", "devicedir"];
    let names =
        [&names[..], &["clientyamldir", "client_datadir", "graphdir", "localedest", "plugindest", "libdir"]]
            .concat();
    let pairs = names.windows(2).map(|pair| format!("{} = ${}${}\n", pair[0], pair[1], pair[1]));
    let bomb = format!("[main]\n{}libdir = /x\n", pairs.collect::<String>());
    for (content, part, is_malformed) in [
        (large.into_bytes(), "bytes", false),
        (bomb.into_bytes(), "refers to too many others", false),
        (b"[main]\ncertname = a\0b\xff\n".to_vec(), "invalid byte sequence in UTF-8 (file: ", true),
        (b"\xef\xbb\xbf[main]\ncertname = a\n".to_vec(), "Could not match line \u{feff}[main] (file: ", true),
        (b"[main".to_vec(), "Could not match line [main (file: ", true),
    ] {
        server.write("puppet/puppet.conf", content);
        // The defaults are in force where the file is malformed.
        let output = match is_malformed {
            true => ours(8, &["config", "--confdir", &server.confdir(), "strict"]),
            false => server.compiled(8, "web01.example.com"),
        };
        assert_eq!(output.status.code(), Some(i32::from(!is_malformed)), "{part}");
        let errors = text(&output.stderr);
        assert!(errors.contains(part) && errors.lines().count() == 1, "{part}: {errors}");
    }
    // No line feed at the end, carriage returns, nothing at all: no harm.
    for content in ["[main]\r\ncertname = a\r\n", "[main]\ncertname = a", ""] {
        server.write("puppet/puppet.conf", content);
        let output = ours(8, &["config", "--confdir", &server.confdir(), "certname"]);
        assert_eq!(text(&output.stdout), if content.is_empty() { "localhost\n" } else { "a\n" });
    }
}

#[test]
fn a_linked_environment_is_called_as_puppet_calls_it() {
    for version in puppets() {
        for settings in [
            "",
            "versioned_environment_dirs = true\n",
            "versioned_environment_dirs = true\nreport_configured_environmentpath = false\n",
            "report_configured_environmentpath = false\n",
        ] {
            let server = Server::new();
            let path = server.path("etc/puppetlabs/puppet/puppet.conf");
            let conf = fs::read_to_string(&path).expect("it is there");
            fs::write(&path, format!("{conf}\n[main]\n{settings}")).expect("it can be written");
            let environments = server.path("etc/puppetlabs/code/environments");
            fs::rename(environments.join("production"), environments.join("production_v1"))
                .expect("it can be renamed");
            // Puppet takes what the link says as it is: a relative one would not do.
            std::os::unix::fs::symlink(environments.join("production_v1"), environments.join("production"))
                .expect("a link can be made");
            let files = |output: &Output| -> Vec<String> {
                let (result, _) = catalog(output);
                let resources = result["catalog"]["resources"].as_array().expect("resources").clone();
                let settings = resources.iter().find(|one| one["title"] == "settings of production");
                let settings = &settings.expect("it tells of settings")["parameters"]["message"];
                // Those of the environment: its module path, and its main manifest.
                let own = settings.as_str().unwrap_or_default().split(' ').skip(3).take(2).map(str::to_owned);
                let mut files: Vec<String> =
                    resources.iter().filter_map(|one| one["file"].as_str()).map(str::to_owned).collect();
                files.dedup();
                files.into_iter().chain(own).collect()
            };
            let node = "web01.example.com";
            let theirs = puppet(version, &["catalog", "compile", node, "--confdir", &server.confdir()]);
            let (want, got) = (files(&theirs), files(&server.compiled(version, node)));
            assert_eq!(want, got, "Puppet {version} with {settings:?}");
            assert!(want.iter().any(|file| file.contains("/environments/production")), "{want:?}");
        }
    }
}

#[test]
fn the_configuration_says_whether_agents_send_legacy_facts() {
    let server = Server::new();
    let facts = server.path("legacy.json");
    fs::write(&facts, r#"{"osfamily": "Debian", "os": {"family": "Debian"}}"#).expect("it can be written");
    let facts = format!("--facts={}", facts.display());
    let sent = |conf: &str, more: &[&str]| {
        server.write("puppet/puppet.conf", conf);
        let code = "notice($facts['osfamily'])";
        let output =
            ours(7, &[&["compile", "-e", code, &facts, "--confdir", &server.confdir(), "a"], more].concat());
        text(&output.stderr).contains("Debian")
    };
    assert!(sent("[main]\n", &[]));
    assert!(!sent("[main]\ninclude_legacy_facts = false\n", &[]));
    assert!(!sent("[agent]\ninclude_legacy_facts = false\n", &[]));
    assert!(sent("[main]\ninclude_legacy_facts = false\n[agent]\ninclude_legacy_facts = true\n", &[]));
    assert!(sent("[agent]\ninclude_legacy_facts = false\n", &["--include_legacy_facts"]));
    assert!(!sent("[agent]\ninclude_legacy_facts = true\n", &["--no-include_legacy_facts"]));
}

/// By a configuration the server that compiles is this machine's, as with Puppet; many nodes are compiled as on any machine.
#[test]
fn a_configured_server_tells_of_itself() {
    let server = Server::new();
    let confdir = server.confdir();
    let codedir = server.path("etc/puppetlabs/code").display().to_string();
    server.write(
        "puppet/puppet.conf",
        format!("[main]\ncodedir = {codedir}\ncertname = srv.example.com\nfacts_terminus = yaml\n"),
    );
    server.write(
        "code/environments/production/manifests/site.pp",
        "notify { 'server': message => \"${servername} ${server_facts['serverip'] == '127.0.0.1'}\" }\n",
    );
    server.write("facts/n1.json", "{}");
    let facts = server.path("etc/puppetlabs/facts").display().to_string();
    let told = |command: &[&str]| {
        let output = ours(8, &[command, &["--confdir", &confdir]].concat());
        let said = text(&output.stdout);
        let begin = said.find("\"message\":\"").unwrap_or_else(|| panic!("{said}{}", text(&output.stderr)));
        said[begin + 11..].split('"').next().unwrap_or_default().to_owned()
    };
    // What the machine is called, whatever the certname.
    let own = told(&["compile", "n1"]);
    assert!(own.ends_with(" false") && !own.starts_with("srv.example.com"), "{own}");
    assert_eq!(told(&["compile", "n1", "--factpath", &facts]), own);
    let environment = server.path("etc/puppetlabs/code/environments/production").display().to_string();
    let cache = server.path("cache").display().to_string();
    let empty = server.path("empty").display().to_string();
    fs::create_dir_all(server.path("empty/manifests")).expect("a folder can be made");
    let diff = ["diff", "--factpath", &facts, "--cache", &cache, "--format", "json"];
    let trees = ["--from", &empty, "--to", &environment];
    let output = ours(8, &[&diff[..], &trees, &["--confdir", &confdir]].concat());
    assert!(
        text(&output.stdout).contains("localhost true"),
        "{}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
}

#[test]
fn facts_have_what_an_agent_adds() {
    let work = tempfile::tempdir().expect("a folder can be made");
    let facts = work.path().join("facts.json");
    fs::write(&facts, r#"{"os": {"family": "Debian"}, "clientnoop": true}"#).expect("it can be written");
    let code = "notice($clientcert, $clientversion, $clientnoop)";
    let output =
        ours(7, &["eval", "-e", code, "--node", "a.example.com", "--facts", facts.to_str().expect("UTF-8")]);
    let log = text(&output.stderr);
    assert!(log.contains("a.example.com 7.23.0 true"), "{log}");
}

#[test]
fn environments_are_folders_or_names() {
    let server = Server::new();
    let code = ["-e", "notice($environment)", "--color=never"];
    let eval = |arguments: &[&str]| {
        let output = ours(8, &[&["eval"], arguments, &code].concat());
        text(&output.stderr)
    };
    let folder = server.path("etc/puppetlabs/code/environments").display().to_string();
    let staging = format!("{folder}/staging");
    for arguments in [
        &["--environment", "staging", "--environmentpath", &folder][..],
        &["--environment", &staging],
        &["--environment", "staging", "--confdir", &server.confdir(), "--node", "db01.example.com"],
        &["--environment", &staging, "--no-config"],
    ] {
        assert_eq!(eval(arguments), "Notice: staging\n", "{arguments:?}");
    }
    let alias = eval(&["--environment", &staging, "--environment_name", "other"]);
    assert_eq!(alias, "Notice: other\n");
    assert!(eval(&["--environment", "nosuch"]).starts_with("Error: Environment directory '"));
}

#[test]
fn a_running_batch_sees_what_changes_in_the_configuration() {
    let server = Server::new();
    let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
    command.args(["batch", "--compat=7", "--confdir", &server.confdir()]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut batch = command.spawn().expect("Bunraku starts");
    let mut jobs = batch.stdin.take().expect("it is piped");
    let mut answers = BufReader::new(batch.stdout.take().expect("it is piped"));
    let mut ask = |job: Value| -> Value {
        writeln!(jobs, "{job}").expect("it reads");
        let mut line = String::new();
        answers.read_line(&mut line).expect("it answers");
        serde_json::from_str(&line).expect("it is JSON")
    };
    let message = |answer: &Value, title: &str| {
        let all = answer["catalog"]["resources"].as_array().cloned().unwrap_or_default();
        let found = all.into_iter().find(|resource| resource["title"] == title);
        found.map(|resource| resource["parameters"]["message"].clone())
    };
    let web = || json!({"node": "web01.example.com"});
    let whole = ask(web());
    assert_eq!(whole["ok"], true, "{whole}");
    assert_eq!(message(&whole, "web"), Some("8080 for team of web01.example.com of Debian".into()));
    let db = ask(json!({"node": "db01.example.com"}));
    assert_eq!((db["ok"].clone(), db["catalog"]["environment"].clone()), (true.into(), "staging".into()));
    // Said by the job, looked up by name.
    let named = ask(json!({"code": "notice($environment)", "environment": "staging", "classes": []}));
    assert_eq!(named["logs"][0]["message"], "staging", "{named}");

    // environment.conf, which was not there; then puppet.conf.
    server.write("code/environments/production/environment.conf", "modulepath = modules\nnosuch = 1\n");
    let without = ask(web());
    assert_eq!(without["ok"], false, "{without}");
    assert!(
        without["error"]["message"].as_str().is_some_and(|text| text.contains("class ::base")),
        "{without}"
    );
    server.write("code/environments/production/environment.conf", "nosuch = 1\n");
    let warned = ask(web());
    assert!(warned["logs"][0]["message"].as_str().is_some_and(|text| text.contains("nosuch")), "{warned}");
    let path = server.path("etc/puppetlabs/puppet/puppet.conf");
    let conf = fs::read_to_string(&path).expect("it is there");
    fs::write(&path, conf.replace("basemodulepath = $codedir/modules:", "basemodulepath = "))
        .expect("it is written");
    assert_eq!(ask(web())["ok"], false);
    fs::write(&path, format!("{conf}\nbroken\n")).expect("it is written");
    let broken = ask(web());
    assert!(
        broken["error"]["message"].as_str().is_some_and(|text| text.contains("Could not match line broken"))
    );
    fs::write(&path, conf).expect("it is written");
    assert_eq!(ask(web())["ok"], true);
    drop(jobs);
    assert!(batch.wait().expect("it ends").success());
}

#[test]
fn an_archive_of_a_configured_environment_gives_what_its_sources_give() {
    let server = Server::new();
    let (confdir, archive) = (server.confdir(), server.path("production.bnr").display().to_string());
    let built = ours(8, &["build", "--confdir", &confdir, "-o", &archive]);
    assert!(built.status.success(), "{}", text(&built.stderr));
    let (want, _) = catalog(&server.compiled(8, "web01.example.com"));
    for more in [&["--archive", &archive][..], &["--archive", &archive, "--frozen"]] {
        let arguments = [&["compile", "web01.example.com", "--confdir", &confdir], more].concat();
        let (got, _) = catalog(&ours(8, &arguments));
        let differences = compare::differences(&want, &got);
        assert!(differences.is_empty(), "{more:?}: {differences:#?}");
    }
}

/// An environment of the second folder of `environmentpath`: what its archive runs and names lies there, too.
#[test]
fn an_archive_lies_where_the_configuration_has_its_environment() {
    let server = Server::new();
    let second = server.path("second/production");
    fs::create_dir_all(second.join("manifests")).expect("a folder can be made");
    fs::create_dir_all(server.path("first")).expect("a folder can be made");
    fs::write(second.join("environment.conf"), "config_version = version.sh\n")
        .expect("a file can be written");
    fs::write(second.join("manifests/site.pp"), "notify { 'x': }\n").expect("a file can be written");
    let version = second.join("version.sh");
    fs::write(&version, "#!/bin/sh\necho v1\n").expect("a file can be written");
    fs::set_permissions(&version, fs::Permissions::from_mode(0o755)).expect("it can be run");
    let path = format!("{}:{}", server.path("first").display(), server.path("second").display());
    server.write("puppet/puppet.conf", format!("[main]\nenvironmentpath = {path}\n"));
    let (confdir, archive) = (server.confdir(), server.path("production.bnr").display().to_string());
    let built = ours(8, &["build", "--confdir", &confdir, "-o", &archive]);
    assert!(built.status.success(), "{}", text(&built.stderr));
    let compiled = |more: &[&str]| {
        let output = ours(8, &[&["compile", "n1", "--confdir", &confdir], more].concat());
        let catalog: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{more:?}: {error}: {}", text(&output.stderr)));
        let resources = catalog["resources"].as_array().expect("resources").clone();
        let file = resources.iter().find_map(|one| one["file"].as_str()).unwrap_or_default().to_owned();
        (catalog["version"].clone(), file)
    };
    let want = (Value::from("v1"), second.join("manifests/site.pp").display().to_string());
    let archived = ["--archive", &archive];
    for more in [&[][..], &archived, &[&archived[..], &["--frozen"]].concat()] {
        assert_eq!(compiled(more), want, "{more:?}");
    }
}

/// Values of every kind that JSON has no form for.
const RICH: &str = r#"
notify { 'sensitive': message => Sensitive('secret') }
notify { 'within': message => [Sensitive(/x/), { 'k' => Sensitive(Timespan(3)) }] }
notify { 'regexp': message => /x.y/ }
notify { 'types': message => [Integer[1, 2], String, Notify, Notify['regexp'], Optional[Array[Integer]]] }
notify { 'versions': message => [SemVer('1.2.3'), SemVerRange('>=1.0.0')], withpath => true }
notify { 'deferred': message => Deferred('new', [String, 'x']) }
notify { 'keys': message => { 1 => 'a', 1.5 => 'b', true => 'c', /x/ => 'd', ['e', 1] => 'f', default => 'g', Integer => 'h' } }
notify { 'path': message => { "it's" => [Timestamp('2020-01-01'), default], "a\nb" => Timespan(90), '' => Binary('aGVsbG8=') } }
notify { 'plain': message => [undef, { a => undef }, 1.5, 'x', true] }
notify { 'uri': message => URI('http://example.com/x'), tag => ['a', 'b'] }
file { '/tmp/x': content => Binary('aGVsbG8='), require => [Notify['regexp'], [Notify['types']]] }
@@notify { 'exported': message => /re/ }
@notify { 'virtual': message => /re/ }
class some($pattern = /default/, $other = Sensitive({ 2 => 3 })) {}
include some
"#;

/// What `rich_data = false` warns of, or fails with.
fn conversions(output: &Output) -> Vec<String> {
    let said = text(&output.stderr);
    let all = said.lines().filter(|line| line.contains("It will be converted to the String"));
    all.map(str::to_owned).collect()
}

#[test]
fn catalogs_without_rich_data_have_text_in_its_place() {
    for version in puppets() {
        for strict in ["off", "warning", "error"] {
            let server = Server::new();
            let path = server.path("etc/puppetlabs/puppet/puppet.conf");
            let conf = fs::read_to_string(&path).expect("it is there");
            let conf = conf.replace("node_terminus = exec", "node_terminus = plain");
            let conf = conf.replace("strict = warning", &format!("strict = {strict}"));
            fs::remove_file(server.path("etc/puppetlabs/puppet/hiera.yaml")).expect("it is there");
            server.write("puppet/puppet.conf", conf + "[main]\nrich_data = false\n");
            server.write("code/environments/rich/manifests/site.pp", RICH);
            let confdir = server.confdir();
            let compile = ["compile", "n", "--confdir", &confdir, "--environment", "rich"];
            let wanted = puppet(version, &[&["catalog"], &compile[..], &["--color=false"]].concat());
            let got = ours(version, &[&compile[..], &["--color=never"]].concat());
            assert_eq!(got.status.success(), wanted.status.success(), "{}", text(&got.stderr));
            assert_eq!(got.status.success(), strict != "error");
            let (said, want) = (conversions(&got), conversions(&wanted));
            assert_eq!(said, want, "{strict} by Puppet {version}");
            assert_eq!(said.len(), if strict == "error" { 1 } else { 23 }, "{}", text(&got.stderr));
            if got.status.success() {
                let differences = compare::differences(&catalog(&wanted).0, &catalog(&got).0);
                assert!(differences.is_empty(), "by Puppet {version}: {differences:#?}");
            }
            if strict == "warning" {
                // What servers ask the environment for, and the command of Puppet does not.
                let conf = server.path("etc/puppetlabs/code/environments/rich/environment.conf");
                fs::write(conf, "rich_data = true\n").expect("it can be written");
                assert_eq!(conversions(&ours(version, &compile)), Vec::<String>::new());
            }
        }
    }
}

/// Objects of Ruby's own as values of parameters.
const OBJECTS: &str = r#"
class some($p = some::object('time')) { }
define other($p, $q = 1) { }
include some
other { 'x': p => { 'a' => [1, some::object('range')], 2 => some::object('set') }, q => Sensitive(some::object('time')) }
notify { 'a': message => [some::object('rational'), [some::object('range'), 1]] }
notify { 'b': message => { some::object('time') => 1, 'symbol' => some::object('symbol'), some::object('symbol') => 2 } }
@notify { 'virtual': message => some::object('time') }
"#;

const OBJECT: &str = "
require 'set'
Puppet::Functions.create_function(:'some::object') do
  def object(which)
    { 'time' => Time.at(0).utc, 'range' => 1..3, 'set' => Set.new([1]), 'rational' => Rational(1, 2), 'symbol' => :a }[which]
  end
end
";

#[test]
fn objects_of_ruby_in_catalogs_are_told_of() {
    for version in puppets() {
        for (strict, rich) in [("warning", true), ("warning", false), ("error", true), ("error", false)] {
            // The command of Puppet 7 has no catalogs with rich data, whatever the setting.
            if rich && version == 7 {
                continue;
            }
            let server = Server::new();
            let path = server.path("etc/puppetlabs/puppet/puppet.conf");
            let conf = fs::read_to_string(&path).expect("it is there");
            let conf = conf.replace("node_terminus = exec", "node_terminus = plain");
            let conf = conf.replace("strict = warning", &format!("strict = {strict}"));
            fs::remove_file(server.path("etc/puppetlabs/puppet/hiera.yaml")).expect("it is there");
            server.write("puppet/puppet.conf", format!("{conf}[main]\nrich_data = {rich}\n"));
            server.write("code/environments/objects/manifests/site.pp", OBJECTS);
            let file = "code/environments/objects/modules/some/lib/puppet/functions/some/object.rb";
            server.write(file, OBJECT);
            let confdir = server.confdir();
            let compile = ["compile", "n", "--confdir", &confdir, "--environment", "objects"];
            let wanted = puppet(version, &[&["catalog"], &compile[..], &["--color=false"]].concat());
            let got = ours(version, &[&compile[..], &["--color=never"]].concat());
            let case = format!("{strict}, rich data {rich}, by Puppet {version}");
            assert_eq!(got.status.success(), strict != "error", "{case}: {}", text(&got.stderr));
            assert_eq!(conversions(&got), conversions(&wanted), "{case}");
            if got.status.success() {
                let differences = compare::differences(&catalog(&wanted).0, &catalog(&got).0);
                assert!(differences.is_empty(), "{case}: {differences:#?}");
            }
        }
    }
}
