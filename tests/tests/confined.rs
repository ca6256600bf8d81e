//! `--confine`: code of people one does not trust reads nothing outside of what was named, runs nothing, and its Ruby has no
//! rights. Each case is a module that tries; beside it the same without `--confine`, where that shows that it would have got
//! what it wanted.
#![cfg(target_os = "linux")]

use bunraku_tests::bunraku;
use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

const SECRET: &str = "hidden by the machine";

/// An environment, and beside it what it is not to see.
struct Site {
    work: TempDir,
}

impl Site {
    fn new(site: &str, files: &[(&str, &str)]) -> Site {
        let work = tempfile::tempdir().expect("a folder can be made");
        let own = Site { work };
        own.put("environment/manifests/site.pp", site);
        own.put("outside/secret", SECRET);
        own.put("outside/secret.yaml", &format!("secret: {SECRET}\n"));
        files.iter().for_each(|(path, text)| own.put(path, text));
        own
    }

    fn path(&self, below: &str) -> String {
        self.work.path().join(below).display().to_string()
    }

    fn put(&self, path: &str, text: &str) {
        let path = self.work.path().join(path);
        fs::create_dir_all(path.parent().expect("it has a folder")).expect("a folder can be made");
        let text = text.replace("OUTSIDE", &self.path("outside"));
        fs::write(path, text).expect("a file can be written");
    }

    fn link(&self, to: &str, at: &str) {
        let at = self.work.path().join(at);
        fs::create_dir_all(at.parent().expect("it has a folder")).expect("a folder can be made");
        symlink(self.work.path().join(to), at).expect("a link can be made");
    }

    fn compile(&self, more: &[&str]) -> (bool, String) {
        // A shell that has a file open, which what it starts has, too.
        let mut command = Command::new("sh");
        command.args(["-c", "exec \"$@\" 9< \"$0\""]).arg(self.path("outside/secret"));
        command.arg(bunraku::binary().expect("Bunraku builds"));
        command.args(["compile", "--environment", &self.path("environment"), "n.example.com"]).args(more);
        command.env("A_SECRET", SECRET).env("BUNRAKU_NO_CONFIG", "1");
        let Output { status, stdout, stderr } = command.output().expect("it starts");
        let text = format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
        assert!(!text.contains("panicked"), "{text}");
        (status.success(), text)
    }

    /// That it fails for what it reaches for, and gets it where it is not confined.
    fn is_refused(&self, what: &str) {
        let (good, text) = self.compile(&[]);
        assert!(good && text.contains(SECRET), "{what}: {text}");
        let (good, text) = self.compile(&["--confine"]);
        assert!(!good && !text.contains(SECRET), "{what}: {text}");
        assert!(text.contains("is outside of what a confined compile may read"), "{what}: {text}");
        assert!(text.contains("outside"), "{what}: {text}");
        let archive = self.path("archive");
        let mut build = Command::new(bunraku::binary().expect("Bunraku builds"));
        let built = build.args(["build", "--embed", &self.path("environment"), "-o", &archive]).output();
        assert!(built.is_ok_and(|built| built.status.success()), "{what}: an archive can be built");
        let (good, text) = self.compile(&["--confine", "--archive", &archive]);
        assert!(!good && !text.contains(SECRET), "{what}, from an archive: {text}");
        let (good, text) = self.compile(&["--confine", "--allow", &self.path("outside")]);
        assert!(good && text.contains(SECRET), "{what}, allowed: {text}");
    }
}

/// Whether Ruby can be confined here; aloud if not.
fn ruby_can_be_confined() -> bool {
    let has = |program: &str, arguments: &[&str]| {
        Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
    };
    let can = has("ruby", &["-e", "1"]) && has("unshare", &["--user", "--net", "true"]);
    if !can {
        eprintln!("SKIPPED confined Ruby: no Ruby, or no namespaces for it, here");
    }
    can
}

fn kernel_keeps_signals_apart() -> bool {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = release.split(['.', '-']).map(|number| number.parse::<u32>().unwrap_or(0));
    (numbers.next(), numbers.next()) >= (Some(6), Some(12))
}

/// A file's rights and times.
fn stamp(path: &str) -> (u32, i64, i64) {
    let metadata = fs::metadata(path).expect("it is there");
    (metadata.mode(), metadata.mtime(), metadata.ctime_nsec())
}

#[test]
fn what_is_in_the_environment_is_compiled_as_ever() {
    let files = [
        (
            "environment/modules/m/manifests/init.pp",
            "class m { notify { file('m/f'): } notify { lookup('k'): } }",
        ),
        ("environment/modules/m/files/f", "a file"),
        ("environment/modules/m/templates/t.erb", "<%= @title %>"),
        ("environment/hiera.yaml", "version: 5\nhierarchy: [{name: a, path: common.yaml}]\n"),
        ("environment/data/common.yaml", "k: a value\n"),
    ];
    let site = Site::new("include m", &files);
    let [(open, free), (confined, held)] = [site.compile(&[]), site.compile(&["--confine"])];
    assert!(open && confined, "{free}{held}");
    let catalog = |text: &str| -> serde_json::Value {
        let mut catalog: serde_json::Value = serde_json::from_str(text).expect("a catalog is JSON");
        catalog["version"].take();
        catalog["catalog_uuid"].take();
        catalog
    };
    assert_eq!(catalog(&free), catalog(&held));
}

#[test]
fn files_elsewhere_are_not_read() {
    for (what, code) in [
        ("an absolute path", "notify { file('OUTSIDE/secret'): }"),
        ("one with detours", "notify { file(\"${module_directory('m')}/../../../outside/secret\"): }"),
        ("the first that is there", "notify { file('m/none', 'OUTSIDE/secret'): }"),
        (
            "found by name",
            "notify { find_file('OUTSIDE/secret'): } notify { file(find_file('OUTSIDE/secret')): }",
        ),
        ("EPP", "notify { epp('OUTSIDE/secret'): }"),
        ("ERB", "notify { template('OUTSIDE/secret'): }"),
        ("a link to a file", "notify { file('m/secret'): }"),
        ("a link to a folder", "notify { file('m/folder/secret'): }"),
    ] {
        let files = [("environment/modules/m/files/f", "")];
        let site = Site::new("", &files);
        site.put("environment/manifests/site.pp", code);
        site.link("outside/secret", "environment/modules/m/files/secret");
        site.link("outside", "environment/modules/m/files/folder");
        site.is_refused(what);
    }
}

#[test]
fn data_elsewhere_are_not_read() {
    for (what, hierarchy) in [
        ("a folder of data", "{name: a, datadir: OUTSIDE, path: secret.yaml}"),
        ("detours", "{name: a, path: ../../outside/secret.yaml}"),
        ("a glob", "{name: a, glob: \"../../outside/*.yaml\"}"),
        ("a link", "{name: a, path: linked.yaml}"),
    ] {
        let hiera = format!("version: 5\nhierarchy: [{hierarchy}]\n");
        let site = Site::new("notify { lookup('secret'): }", &[("environment/hiera.yaml", &hiera)]);
        site.put("environment/data/none.yaml", "a: 1\n");
        site.link("outside/secret.yaml", "environment/data/linked.yaml");
        site.is_refused(what);
    }
}

#[test]
fn modules_elsewhere_are_not_read() {
    let site = Site::new(
        "include m",
        &[("outside/secret_modules/m/manifests/init.pp", "class m { notify { 'hidden by the machine': } }")],
    );
    site.put("environment/environment.conf", "modulepath = OUTSIDE/secret_modules\n");
    site.is_refused("a module path of the environment's own");
    let (good, text) = site.compile(&["--confine", "--modulepath", &site.path("outside/secret_modules")]);
    assert!(good, "one that was asked for is read: {text}");
}

#[test]
fn no_program_is_run() {
    let site = Site::new(
        "",
        &[("environment/run.sh", "#!/bin/sh\necho \"hidden by the machine\"; touch OUTSIDE/run\n")],
    );
    let program = site.path("environment/run.sh");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it can be made a program");
    let ran = || fs::remove_file(site.path("outside/run")).is_ok();
    site.put("conf/puppet.conf", &format!("[main]\nexternal_nodes = {program}\n"));
    site.put("conf/routes.yaml", "master:\n  node:\n    terminus: exec\n");
    let cases = [
        ("notify { 'a': }".to_owned(), String::new(), vec!["--confdir".to_owned(), site.path("conf")]),
        (format!("notify {{ generate('{program}'): }}"), String::new(), vec![]),
        ("notify { 'a': }".to_owned(), format!("config_version = {program}\n"), vec![]),
        (
            "notify { 'a': }".to_owned(),
            String::new(),
            vec![
                "--node_terminus".to_owned(),
                "exec".to_owned(),
                "--external_nodes".to_owned(),
                program.clone(),
            ],
        ),
    ];
    for (code, conf, more) in cases {
        site.put("environment/manifests/site.pp", &code);
        site.put("environment/environment.conf", &conf);
        let more: Vec<&str> = more.iter().map(String::as_str).collect();
        site.compile(&more);
        assert!(ran(), "{code} {conf}: it is not run without --confine either");
        let (good, text) = site.compile(&[&more[..], &["--confine"]].concat());
        // The version of a catalog is the time then: nobody's resources depend on it.
        match conf.starts_with("config_version") {
            true => assert!(good, "{text}"),
            false => assert!(!good && text.contains("confine"), "{text}"),
        }
        assert!(!ran(), "{code} {conf}: it was run");
    }
}

#[test]
fn ruby_has_no_rights() {
    if !ruby_can_be_confined() {
        return;
    }
    let (tcp, udp) =
        (TcpListener::bind("127.0.0.1:0").expect("a port"), UdpSocket::bind("127.0.0.1:0").expect("a port"));
    udp.set_nonblocking(true).expect("it can be asked");
    let ports = [tcp.local_addr(), udp.local_addr()].map(|address| address.expect("an address").port());
    // What each gives where it has rights; `define_method` keeps it from being run natively.
    let tries = [
        ("reads", "IO.popen(['cat', 'OUTSIDE/secret']).read".to_owned()),
        ("opens", "File.open('OUTSIDE/secret', &:read)".to_owned()),
        ("writes", "File.write('OUTSIDE/written', 'x').to_s + 'hidden by the machine'".to_owned()),
        (
            "writes its own",
            "File.write(File.join(__dir__, 'written'), 'x').to_s + 'hidden by the machine'".to_owned(),
        ),
        ("runs", "system('touch OUTSIDE/run') ? 'hidden by the machine' : 'no'".to_owned()),
        ("asks the environment", "ENV['A_SECRET'].to_s".to_owned()),
        (
            "connects",
            format!("require 'socket'; TCPSocket.new('127.0.0.1', {}); 'hidden by the machine'", ports[0]),
        ),
        (
            "sends",
            format!(
                "require 'socket'; UDPSocket.new.send('x', 0, '127.0.0.1', {}); 'hidden by the machine'",
                ports[1]
            ),
        ),
        ("kills", format!("Process.kill(0, {}); 'hidden by the machine'", std::process::id())),
        ("changes rights", "File.chmod(0o640, 'OUTSIDE/secret'); 'hidden by the machine'".to_owned()),
        (
            "has rights changed",
            "system('chmod 640 OUTSIDE/secret') ? 'hidden by the machine' : 'no'".to_owned(),
        ),
        (
            "changes an owner",
            "File.chown(nil, File.stat('OUTSIDE/secret').gid, 'OUTSIDE/secret'); 'hidden by the machine'"
                .to_owned(),
        ),
        ("changes times", "File.utime(0, 0, 'OUTSIDE/secret'); 'hidden by the machine'".to_owned()),
        (
            "has times changed",
            "system('touch -c -d 2001-01-01 OUTSIDE/secret') ? 'hidden by the machine' : 'no'".to_owned(),
        ),
        (
            "cuts off",
            "File.truncate('OUTSIDE/secret', File.size('OUTSIDE/secret')); 'hidden by the machine'"
                .to_owned(),
        ),
        (
            "connects to a socket on the disk",
            "UNIXSocket.new('OUTSIDE/socket').close; 'hidden by the machine'".to_owned(),
        ),
        ("takes what the caller has open", "IO.for_fd(9, autoclose: false).pread(100, 0)".to_owned()),
        (
            "limits others",
            format!(
                "system('prlimit --pid {} --core=0:') ? 'hidden by the machine' : 'no'",
                std::process::id()
            ),
        ),
        (
            "asks to type into a terminal",
            // Where it may ask, what is no terminal says so; where it may not, it is not permitted.
            "begin $stdin.ioctl(0x5412, 'x'); rescue Errno::ENOTTY; 'hidden by the machine'; end".to_owned(),
        ),
    ];
    for (what, code) in tries {
        if what == "kills" && !kernel_keeps_signals_apart() {
            eprintln!("SKIPPED confined Ruby that sends signals: Linux refuses them from 6.12 on");
            continue;
        }
        let function = format!(
            "require 'socket'\nPuppet::Functions.create_function(:'m::try') do\n  dispatch(:try) {{ }}\n  \
             define_method(:try) {{ {code} }}\nend\n"
        );
        let site = Site::new("notify { \"got ${m::try()}\": }", &[]);
        site.put("environment/modules/m/lib/puppet/functions/m/try.rb", &function);
        let _listener = UnixListener::bind(site.path("outside/socket")).expect("a socket");
        let (good, text) = site.compile(&[]);
        // Descriptors of the caller no worker has.
        assert!(what.starts_with("takes") || good && text.contains(SECRET), "{what}: {text}");
        let traces =
            ["outside/written", "outside/run", "environment/modules/m/lib/puppet/functions/m/written"];
        traces.iter().for_each(|trace| _ = fs::remove_file(site.path(trace)));
        let mut byte = [0];
        while udp.recv(&mut byte).is_ok() {}
        fs::set_permissions(site.path("outside/secret"), fs::Permissions::from_mode(0o600))
            .expect("it is ours");
        let before = stamp(&site.path("outside/secret"));
        let (_, text) = site.compile(&["--confine"]);
        assert!(!text.contains(SECRET), "{what}: {text}");
        assert_eq!(stamp(&site.path("outside/secret")), before, "{what}");
        assert!(
            traces.iter().all(|trace| !Path::new(&site.path(trace)).exists()),
            "{what} has left something"
        );
        assert!(udp.recv(&mut byte).is_err(), "{what}: something came");
    }
    // Ruby that does no harm runs.
    let site = Site::new("notify { \"got ${m::good()}\": }", &[]);
    let good = "Puppet::Functions.create_function(:'m::good') do\n  dispatch(:good) { }\n  define_method(:good) { 'well' }\nend\n";
    site.put("environment/modules/m/lib/puppet/functions/m/good.rb", good);
    let (fine, text) = site.compile(&["--confine"]);
    assert!(fine && text.contains("got well"), "{text}");
}

#[test]
fn what_ruby_tells_a_terminal_is_text() {
    if !ruby_can_be_confined() {
        return;
    }
    let site = Site::new("notify { \"got ${m::loud()}\": }", &[]);
    let loud = "Puppet::Functions.create_function(:'m::loud') do\n  dispatch(:loud) { }\n  define_method(:loud) { \
                $stderr.write(\"::set-env name=X::1\\n\\e]52;c;AAAA\\a\\n\"); system('echo from a program'); 'well' }\nend\n";
    site.put("environment/modules/m/lib/puppet/functions/m/loud.rb", loud);
    let (fine, text) = site.compile(&["--confine"]);
    assert!(fine && text.contains("got well"), "{text}");
    assert!(
        text.contains("Ruby: ::set-env name=X::1\nRuby: \\u{1b}]52;c;AAAA\\u{7}\nRuby: from a program\n"),
        "{text}"
    );
    assert!(!text.contains('\u{1b}'), "{text:?}");
}

#[test]
fn keys_are_for_hiera_alone() {
    let repo = bunraku_tests::hiera_repo::repo();
    let site = Site::new("notify { lookup('plain'): }", &[]);
    fs::create_dir_all(site.path("outside/keys")).expect("a folder can be made");
    for key in fs::read_dir(repo.join("keys")).expect("there are keys").flatten() {
        fs::copy(key.path(), Path::new(&site.path("outside/keys")).join(key.file_name()))
            .expect("a key can be copied");
    }
    let private =
        fs::read_dir(site.path("outside/keys")).expect("it is there").flatten().map(|key| key.path());
    let private =
        private.into_iter().find(|key| key.to_string_lossy().contains("private")).expect("there is one");
    let site_code = format!("notify {{ file('{}'): }}", private.display());
    site.put("environment/manifests/site.pp", &site_code);
    let keys = site.path("outside/keys");
    let (good, text) = site.compile(&["--confine", "--allow-key", &keys]);
    assert!(!good && !text.contains("PRIVATE KEY"), "code may not read what Hiera may: {text}");
    assert!(text.contains("is outside of what a confined compile may read"), "{text}");
}
