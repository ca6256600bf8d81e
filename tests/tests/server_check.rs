//! `bunraku server --check`: it says what would be in force and what looks wrong, and does nothing: it may be asked beside a server
//! that runs.

use bunraku_tests::authority::Ask;
use bunraku_tests::bunraku;
use bunraku_tests::http::bunraku_server::BunrakuServer;
use bunraku_tests::http::client::Client;
use bunraku_tests::http::site::Site;
use bunraku_tests::paths::write;
use bunraku_tests::programs::free_port;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

/// Status, what is in force by name, and what is said on stderr.
fn check(site: &Site, arguments: &[&str]) -> (Option<i32>, BTreeMap<String, String>, String) {
    let mut command = Command::new(bunraku::binary().expect("it builds"));
    command.args(["server", "--check", "--compat", "8", "--confdir"]).arg(site.confdir()).args(arguments);
    let output = command.stdin(Stdio::null()).output().expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it is text");
    let (out, err) = (text(output.stdout), text(output.stderr));
    let line = |line: &str| {
        let (name, what) = line.split_once(": ").unwrap_or_else(|| panic!("a name and what it is: {line}"));
        (name.to_owned(), what.to_owned())
    };
    (output.status.code(), out.lines().map(line).collect(), err)
}

/// All below a folder, with their times.
fn listing(folder: &Path, found: &mut BTreeMap<PathBuf, Option<SystemTime>>) {
    for entry in fs::read_dir(folder).expect("a folder can be read").flatten() {
        let modified = entry.metadata().and_then(|metadata| metadata.modified()).ok();
        found.insert(entry.path(), modified);
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            listing(&entry.path(), found);
        }
    }
}

fn below(site: &Site) -> BTreeMap<PathBuf, Option<SystemTime>> {
    let mut found = BTreeMap::new();
    listing(site.folder(), &mut found);
    found
}

/// Everything is told to a PuppetDB where nobody is.
fn with_puppetdb(site: &Site) -> u16 {
    let conf = site.confdir().join("puppet.conf");
    let text = fs::read_to_string(&conf).expect("it is there");
    fs::write(&conf, text.replace("reports = store", "reports = store,puppetdb"))
        .expect("files can be written");
    let port = free_port().expect("there is one");
    let puppetdb = format!("[main]\nserver_urls = http://127.0.0.1:{port}\n");
    fs::write(site.confdir().join("puppetdb.conf"), puppetdb).expect("files can be written");
    port
}

#[test]
fn what_is_in_force_is_said_and_nothing_is_done() {
    let site = Site::new().expect("a site can be made");
    let dates = |from: &str, to: &str| Some((from.to_owned(), to.to_owned()));
    let names = Some("DNS:server.example.com,DNS:localhost,DNS:puppet".to_owned());
    let subject = Some("/CN=server.example.com".to_owned());
    let long = Ask { names, subject, dates: dates("20200101000000Z", "20480101000000Z"), ..Ask::default() };
    site.authority().issue("server", &long).expect("openssl issues");
    let port = with_puppetdb(&site);
    fs::set_permissions(site.folder().join("enc.sh"), fs::Permissions::from_mode(0o755))
        .expect("modes can be set");
    let before = below(&site);
    let (status, told, said) = check(&site, &["--threads", "3", "--queue", "9", "--address", "127.0.0.1"]);
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(before, below(&site), "nothing is written");
    let folder = site.folder().display().to_string();
    for (name, wanted) in [
        ("puppet.conf", format!("{folder}/conf/puppet.conf")),
        ("version", "8.".to_owned()),
        ("certname", "server.example.com".to_owned()),
        (
            "hostcert",
            "(server.example.com, also called localhost, puppet; by Authority of the cases; until 2048-"
                .to_owned(),
        ),
        ("hostprivkey", "server.key".to_owned()),
        ("localcacert", "ca.pem (Authority of the cases)".to_owned()),
        ("hostcrl", "crl.pem (of Authority of the cases: 0 revoked; until 20".to_owned()),
        ("listens on", "127.0.0.1:8140".to_owned()),
        ("compiles", "3 at once, 9 more may wait".to_owned()),
        ("rules", "Puppet Server's own".to_owned()),
        ("authority", "asked by agents themselves".to_owned()),
        ("environment production", format!("{folder}/code/environments/production (sources; modules: ")),
        ("classifier", format!("{folder}/enc.sh")),
        ("reports", "store,puppetdb".to_owned()),
        ("facts", "json".to_owned()),
        ("puppetdb", format!("http://127.0.0.1:{port}")),
        ("vardir", format!("{folder}/var")),
        ("ruby", "ruby (".to_owned()),
    ] {
        let is = told.get(name).unwrap_or_else(|| panic!("{name} is not told: {told:?}"));
        assert!(is.contains(&wanted), "{name}: {is}: {wanted}");
    }
    // The list of the cases' authority is good for two days.
    assert!(
        said.contains("Warning: The revocation list of Authority of the cases in hostcrl is good until"),
        "{said}"
    );
    // Where Puppet Server is installed, its rules are another.
    let warnings = said.lines().filter(|line| !line.contains("/auth.conf is not read"));
    assert_eq!(warnings.count(), 2, "the authority, and its list: {said}");
}

#[test]
fn what_looks_wrong_is_said() {
    let site = Site::new().expect("a site can be made");
    let warnings = |arguments: &[&str]| {
        let (status, _, said) = check(&site, arguments);
        assert_eq!(status, Some(0), "{said}");
        said
    };
    let own = site.authority().folder();
    let (good, other) = (own.join("server.pem"), fs::read(own.join("web01.pem")).expect("it is there"));
    let kept = [&good, &own.join("server.key")].map(|file| fs::read(file).expect("it is there"));
    fs::write(&good, other).expect("files can be written");
    fs::copy(own.join("web01.key"), own.join("server.key")).expect("files can be copied");
    assert!(
        warnings(&[]).contains("hostcert is of 'web01.example.com', and certname is 'server.example.com'")
    );
    let dates = Some(("20200101000000Z".to_owned(), "20210101000000Z".to_owned()));
    let subject = Some("/CN=server.example.com".to_owned());
    site.authority().issue("server", &Ask { dates, subject, ..Ask::default() }).expect("openssl issues");
    assert!(
        warnings(&[]).contains("hostcert is out of date since 2021-01-01T00:00:00UTC: agents will refuse it")
    );
    for (file, bytes) in [&good, &own.join("server.key")].into_iter().zip(kept) {
        fs::write(file, bytes).expect("files can be written");
    }
    fs::set_permissions(site.folder().join("enc.sh"), fs::Permissions::from_mode(0o644))
        .expect("modes can be set");
    let said = warnings(&[]);
    assert!(said.contains("external_nodes names") && said.contains("can't be run"), "{said}");
    fs::write(site.folder().join("file"), "").expect("files can be written");
    let vardir = site.folder().join("file/var").display().to_string();
    assert!(
        warnings(&["--vardir", &vardir]).contains("file is no folder): facts and reports will be refused")
    );
    let said = warnings(&["--ruby", "/nonexistent/ruby"]);
    assert!(
        said.contains("Ruby does not run (/nonexistent/ruby: No such file") && said.contains("--ruby"),
        "{said}"
    );
    // A link to an archive that is not there.
    let archives = site.archives();
    fs::create_dir_all(archives.join("production")).expect("folders can be made");
    std::os::unix::fs::symlink("gone.bnr", archives.join("production/current")).expect("links can be made");
    let said = warnings(&["--archives", &archives.display().to_string()]);
    assert!(
        said.contains("Environment production can't be compiled from") && said.contains("current"),
        "{said}"
    );
    let nowhere = site.folder().join("nowhere").display().to_string();
    let (status, _, said) = check(&site, &["--archives", &nowhere]);
    assert!(
        status == Some(1) && said.contains(&format!("--archives names {nowhere}, which is no folder")),
        "{said}"
    );
    // Puppet Server's own files, which say more than is read of them. A cache of catalogs is an agent's.
    let theirs = site.confdir().join("puppetserver/conf.d/auth.conf");
    write(&theirs, "");
    let key = site.folder().join("ca_key.pem");
    write(&key, "");
    let conf = site.confdir().join("puppet.conf");
    let mut text = fs::read_to_string(&conf).expect("it is there");
    text.push_str(&format!(
        "cakey = {}\nca_server = server.example.com\ncatalog_cache_terminus = json\n",
        key.display()
    ));
    fs::write(&conf, text).expect("files can be written");
    let (status, told, said) = check(&site, &[]);
    assert_eq!(status, Some(0), "{said}");
    assert!(
        said.contains(&format!("{} is not read: copy it beside puppet.conf", theirs.display())),
        "{said}"
    );
    assert!(said.contains(&format!("{} is there, but --ca is not given", key.display())), "{said}");
    assert!(told["authority"].contains("ca_server is this machine, and --ca is not given"), "{told:?}");
    // What packages of Puppet 3 have left there.
    let rules = site.confdir().join("auth.conf");
    write(&rules, "# defaults\npath ~ ^/puppet/v3/catalog/([^/]+)$\nmethod find\nallow $1\n");
    let (status, _, said) = check(&site, &[]);
    assert!(status == Some(1) && said.contains("auth.conf: it is in the form of Puppet 3"), "{said}");
    fs::remove_file(rules).expect("files can be removed");
    site.authority().revoke("server").expect("openssl revokes");
    assert!(warnings(&[]).contains("hostcert is revoked, by hostcrl: agents will refuse it"));
    let empty = tempfile::tempdir().expect("folders can be made");
    let none = warnings(&["--environmentpath", &empty.path().display().to_string()]);
    assert!(none.contains("There is no environment: environmentpath is"), "{none}");
    // Without what makes it safe it does not start, and that is said by name.
    fs::remove_file(own.join("crl.pem")).expect("files can be removed");
    let (status, told, said) = check(&site, &[]);
    assert!(status == Some(1) && told.is_empty() && said.contains("hostcrl"), "{said}");
}

/// What waits for PuppetDB is left alone by a check, which may be asked while a server runs.
#[test]
fn a_server_that_runs_is_left_alone() {
    let site = Site::new().expect("a site can be made");
    with_puppetdb(&site);
    let server = BunrakuServer::start(&site, &["--compat", "8"]).expect("the server starts");
    let client = Client::new(site.authority(), server.port());
    let text =
        fs::read_to_string(bunraku_tests::paths::spec().join("http/report.json")).expect("it is there");
    let body = text.replace("HOST", "web01.example.com");
    let head = format!(
        "PUT /puppet/v3/report/web01.example.com?environment=production HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Accept: application/json\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let answer = client.send(Some("web01"), &[head.as_bytes(), body.as_bytes()].concat()).expect("an answer");
    assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
    let before = below(&site);
    assert!(before.keys().any(|path| path.to_string_lossy().contains("-store_report-")), "{before:?}");
    // At the very port that is taken.
    let port = server.port().to_string();
    let (status, told, said) = check(&site, &["--port", &port]);
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(told["listens on"], format!("0.0.0.0:{port}"));
    assert_eq!(before, below(&site));
}

/// The unit runs the server as a user of its own, whose home has no configuration of a server: the machine's is read.
#[test]
fn a_service_reads_the_machines_configuration_whoever_runs_it() {
    /// The user `nobody`, who may do nothing.
    const NOBODY: u32 = 65534;
    if !nix::unistd::geteuid().is_root() {
        println!(
            "SKIPPED a_service_reads_the_machines_configuration_whoever_runs_it: only root becomes another user"
        );
        return;
    }
    let home = tempfile::tempdir().expect("folders can be made");
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).expect("modes can be set");
    for confdir in [".puppet/etc", ".puppetlabs/etc/puppet"] {
        let conf = home.path().join(confdir).join("puppet.conf");
        write(&conf, "[main]\ncertname = of-the-user.example.com\n");
    }
    let program = home.path().join("bunraku");
    fs::copy(bunraku::binary().expect("it builds"), &program).expect("files can be copied");
    let run = |arguments: &[&str]| {
        let mut command = Command::new(&program);
        command.args(arguments).env_clear().env("HOME", home.path()).current_dir("/");
        let output = command.uid(NOBODY).gid(NOBODY).stdin(Stdio::null()).output().expect("it runs");
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    assert_eq!(run(&["config", "certname"]), "of-the-user.example.com\n", "a command is the user's");
    // What the machine's Puppet has is not for nobody to read; where there is none, that is said.
    let told = run(&["server", "--check"]);
    let is_of_machine =
        told.contains("The setting localcacert names /") || told.contains("There is no configuration");
    let is_of_user = told.contains("of-the-user") || told.contains(&home.path().display().to_string());
    assert!(is_of_machine && !is_of_user, "a server's is the machine's: {told}");
}
