//! The compile server while the wall clock is set forwards and backwards: nothing that was accepted is lost, reports of one minute
//! are files of their own, what is kept for a time is kept for the time that passes, and certificates are good as the clock says.

use bunraku_tests::authority::Ask;
use bunraku_tests::clock::Clock;
use bunraku_tests::http::bunraku_server::BunrakuServer;
use bunraku_tests::http::client::{Answer, Client, request};
use bunraku_tests::http::site::Site;
use bunraku_tests::paths;
use bunraku_tests::programs::{free_port, retry};
use nix::sys::signal::Signal;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const ENVIRONMENT: &str = "environment=production";
const NODES: [&str; 3] = ["web01", "other", "strange"];

/// A site whose nodes' certificates are good for decades, and a clock; none where there is no such clock.
fn world(what: &str) -> Option<(Site, Clock)> {
    let clock = match Clock::new().expect("a file can be written") {
        Ok(clock) => clock,
        Err(why) => {
            eprintln!("SKIPPED {what}: 1 test, since {why}");
            return None;
        }
    };
    let site = Site::new().expect("a site can be made");
    for node in NODES {
        let dates = Some(("20000101000000Z".to_owned(), "20480101000000Z".to_owned()));
        let subject = Some(format!("/CN={node}.example.com"));
        site.authority().issue(node, &Ask { dates, subject, ..Ask::default() }).expect("openssl issues");
    }
    site.authority().list_for(7000).expect("openssl lists");
    Some((site, clock))
}

fn start(site: &Site, clock: &Clock, arguments: &[&str]) -> BunrakuServer {
    let arguments = [&["--compat", "8"], arguments].concat();
    BunrakuServer::start_by(site.confdir(), &arguments, clock.variables()).expect("the server starts")
}

fn get(client: &Client, node: &str, path: &str) -> Result<Answer, String> {
    client.send(Some(node), &request("GET", path, ""))
}

fn catalog(client: &Client, node: &str) -> Result<Value, String> {
    let answer = get(client, node, &format!("/puppet/v3/catalog/{node}.example.com?{ENVIRONMENT}"))?;
    assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
    serde_json::from_slice(&answer.body).map_err(|error| error.to_string())
}

fn manifest(site: &Site, text: &str) {
    let manifests = site.folder().join("code/environments/production/manifests");
    fs::create_dir_all(&manifests).expect("folders can be made");
    fs::write(manifests.join("site.pp"), text).expect("files can be written");
}

fn classifier(site: &Site, script: &str) {
    let file = site.folder().join("enc.sh");
    fs::write(&file, format!("#!/bin/sh\n{script}\n")).expect("files can be written");
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).expect("modes can be set");
}

/// What the report that the cases send says of a node, with a mark.
fn report(node: &str, mark: &str) -> String {
    let text = fs::read_to_string(paths::spec().join("http/report.json")).expect("it is there");
    let mut report: Value =
        serde_json::from_str(&text.replace("HOST", &format!("{node}.example.com"))).expect("it is JSON");
    report["configuration_version"] = mark.into();
    report.to_string()
}

/// Whole texts of all files below a folder.
fn texts(folder: &Path, found: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => texts(&path, found),
            path => {
                let bytes = fs::read(&path).expect("a file can be read");
                found.insert(path, String::from_utf8_lossy(&bytes).into_owned());
            }
        }
    }
}

/// Something that takes PuppetDB's commands, and what it has taken.
fn receiver(port: u16) -> Arc<Mutex<Vec<(String, Value)>>> {
    let listener = TcpListener::bind(("127.0.0.1", port)).expect("the port is free");
    let taken = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&taken);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let kept = Arc::clone(&kept);
            std::thread::spawn(move || {
                let mut reader = BufReader::new(stream);
                while let Some((path, body)) = one_request(&mut reader) {
                    let body = serde_json::from_slice(&body).expect("a command is JSON");
                    kept.lock().expect("no panic").push((path, body));
                    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
                    if reader.get_mut().write_all(answer).is_err() {
                        return;
                    }
                }
            });
        }
    });
    taken
}

fn one_request(reader: &mut impl BufRead) -> Option<(String, Vec<u8>)> {
    let mut first = String::new();
    reader.read_line(&mut first).ok().filter(|read| *read > 0)?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        match line.trim().to_ascii_lowercase().split_once(':') {
            Some(("content-length", number)) => length = number.trim().parse().ok()?,
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((first.split(' ').nth(1)?.to_owned(), body))
}

/// Steps the clock about until told to stop.
fn step_about(clock: &Clock, is_over: &AtomicBool) {
    let steps = ["-400d", "+1h", "+20d", "-20d", "-1h", "+3y", "-10s", "+61s", "+0", "-9000d"];
    for time in steps.iter().cycle() {
        if is_over.load(Ordering::Relaxed) {
            return;
        }
        clock.step(time).expect("its file can be written");
        std::thread::sleep(Duration::from_millis(70));
    }
}

/// A node sends facts and reports and has its catalog compiled, again and again; the marks that were accepted, in order.
fn runs(client: &Client, node: &str, is_over: &AtomicBool) -> Vec<String> {
    let mut accepted = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        let mark = format!("mark-{node}-{:05}-", accepted.len());
        let facts = serde_json::json!({"name": format!("{node}.example.com"), "values": {"mark": mark}});
        for (path, body) in [("facts", facts.to_string()), ("report", report(node, &mark))] {
            let path = format!("/puppet/v3/{path}/{node}.example.com?{ENVIRONMENT}");
            let answer = client.send(Some(node), &request("PUT", &path, &body)).expect("there is an answer");
            assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
        }
        accepted.push(mark);
        catalog(client, node).expect("there is a catalog");
    }
    accepted
}

/// A site that tells PuppetDB of facts and reports, at this port.
fn tells(site: &Site, port: u16) {
    let conf = site.confdir().join("puppet.conf");
    let text = fs::read_to_string(&conf).expect("it is there");
    fs::write(&conf, text.replace("reports = store", "reports = store,puppetdb"))
        .expect("files can be written");
    let routes = "---\nmaster:\n  facts:\n    terminus: puppetdb\n    cache: yaml\n";
    fs::write(site.confdir().join("routes.yaml"), routes).expect("files can be written");
    let puppetdb = format!("[main]\nserver_urls = http://127.0.0.1:{port}\n");
    fs::write(site.confdir().join("puppetdb.conf"), puppetdb).expect("files can be written");
}

/// Reports and facts that were accepted at any time of any clock are kept, and PuppetDB has them at last: each report once, and of
/// facts those that came last, whatever the clock said when they came.
#[test]
fn nothing_is_lost_while_the_clock_steps() {
    let Some((site, clock)) = world("a clock that steps") else { return };
    let port = free_port().expect("there is one");
    tells(&site, port);
    manifest(&site, "notify { 'well': }");
    let server = start(&site, &clock, &[]);
    let client = Client::new(site.authority(), server.port());
    let is_over = AtomicBool::new(false);
    let accepted: Vec<Vec<String>> = std::thread::scope(|scope| {
        scope.spawn(|| step_about(&clock, &is_over));
        let threads = NODES.map(|node| {
            scope.spawn({
                let (client, is_over) = (&client, &is_over);
                move || runs(client, node, is_over)
            })
        });
        std::thread::sleep(Duration::from_secs(4));
        is_over.store(true, Ordering::Relaxed);
        threads.into_iter().map(|thread| thread.join().expect("each is answered")).collect()
    });
    let said = server.said();
    assert!(!said.contains("panicked"), "{said}");
    let times: Vec<f64> =
        said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()?["time"].as_f64()).collect();
    let (first, last) =
        times.iter().fold((f64::MAX, 0.0), |(least, most), time| (time.min(least), time.max(most)));
    assert!(last - first > 9000.0 * 86_400.0, "the clock has stepped: {first} to {last}");
    assert!(accepted.iter().all(|own| own.len() > 20), "{:?}", accepted.iter().map(Vec::len));
    server.signal(Signal::SIGKILL).expect("it is killed");
    drop(server);

    let (mut reports, mut facts) = (BTreeMap::new(), BTreeMap::new());
    texts(&site.folder().join("var/reports"), &mut reports);
    texts(&site.folder().join("var/yaml/facts"), &mut facts);
    let marks: BTreeSet<&String> = accepted.iter().flatten().collect();
    assert_eq!(reports.len(), marks.len(), "each report is a file of its own");
    let has = |mark: &str| reports.values().filter(|text| text.contains(mark)).count();
    let lost: Vec<&&String> = marks.iter().filter(|mark| has(mark) != 1).collect();
    assert!(lost.is_empty(), "{} of {}: {lost:?}", lost.len(), marks.len());
    for own in &accepted {
        let newest = own.last().expect("some were accepted");
        assert!(facts.values().any(|text| text.contains(newest)), "{newest}");
    }

    // The next one, for which it is long before: all that waits is told.
    clock.step("-3000d").expect("its file can be written");
    let taken = receiver(port);
    let server = start(&site, &clock, &[]);
    let told = |name: &str| -> Vec<Value> {
        let taken = taken.lock().expect("no panic");
        let of = taken.iter().filter(|(path, _)| path.contains(&format!("command={name}")));
        of.map(|(_, body)| body.clone()).collect()
    };
    let is_told = || match told("store_report").len() {
        count if count >= marks.len() => Ok(()),
        count => Err(format!("{count} of {}: {}", marks.len(), server.said())),
    };
    retry(Duration::from_secs(60), is_told).expect("PuppetDB is told all");
    let versions: BTreeSet<String> = told("store_report")
        .iter()
        .map(|one| one["configuration_version"].as_str().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(versions.iter().collect::<BTreeSet<_>>(), marks);
    let of_facts = || match told("replace_facts").len() {
        count if count >= NODES.len() => Ok(()),
        count => Err(format!("{count}: {}", server.said())),
    };
    retry(Duration::from_secs(20), of_facts).expect("PuppetDB is told facts");
    for own in &accepted {
        let newest = own.last().expect("some were accepted").clone();
        let all = told("replace_facts");
        assert!(all.iter().any(|one| one["values"]["mark"] == newest), "{newest}: {all:?}");
    }
}

/// Two reports of a minute are two files, also where the clock comes back to a minute that has been.
#[test]
fn reports_of_one_minute_are_files_of_their_own() {
    let Some((site, clock)) = world("reports of one minute") else { return };
    let server = start(&site, &clock, &[]);
    let client = Client::new(site.authority(), server.port());
    let mut sent = 0;
    for moment in ["2026-11-24 12:00:00", "2026-11-24 12:00:30", "2026-11-24 12:01:00", "2026-11-24 12:00:59"]
    {
        clock.step(moment).expect("its file can be written");
        let path = format!("/puppet/v3/report/web01.example.com?{ENVIRONMENT}");
        let body = report("web01", &format!("mark-{sent}"));
        assert_eq!(client.send(Some("web01"), &request("PUT", &path, &body)).expect("an answer").status, 200);
        sent += 1;
    }
    let mut found = BTreeMap::new();
    texts(&site.folder().join("var/reports/web01.example.com"), &mut found);
    let names: Vec<String> = found
        .keys()
        .map(|path| path.file_name().unwrap_or_default().to_string_lossy().into_owned())
        .collect();
    let mut minutes: Vec<(String, String)> = Vec::new();
    for (name, text) in names.iter().zip(found.values()) {
        let mark = (0..sent).find(|mark| text.contains(&format!("mark-{mark}"))).expect("it has a mark");
        minutes.push((name.clone(), format!("mark-{mark}")));
    }
    let wanted = [("00-2", 1), ("00-3", 3), ("00", 0), ("01", 2)]
        .map(|(minute, mark)| (format!("2026112412{minute}.yaml"), format!("mark-{mark}")));
    assert_eq!(minutes, wanted);
}

/// What a classifier has said is kept for as long as time passes: a clock set forwards does not end it, one set backwards does not
/// prolong it.
#[test]
fn what_is_kept_for_a_time_is_kept_for_that_time() {
    let Some((site, clock)) = world("answers that are kept for a time") else { return };
    let count = site.folder().join("count").display().to_string();
    classifier(&site, &format!("echo x >> {count}\necho \"parameters: {{asked: $(wc -l < {count})}}\""));
    manifest(&site, "notify { \"asked ${asked}\": }");
    let server = start(&site, &clock, &["--enc-ttl", "3"]);
    let client = Client::new(site.authority(), server.port());
    let asked = || catalog(&client, "other").expect("a catalog").to_string().matches("asked 2").count() > 0;
    assert!(!asked());
    clock.step("+2000d").expect("its file can be written");
    assert!(!asked(), "set forwards, it is asked anew");
    clock.step("-2000d").expect("its file can be written");
    assert!(!asked());
    std::thread::sleep(Duration::from_millis(3200));
    assert!(asked(), "set backwards, it is not asked when its time is over");
}

/// A certificate and a revocation list are good when the clock says so, and as soon as it says so.
#[test]
fn certificates_are_good_as_the_clock_says() {
    let Some((site, clock)) = world("certificates by the clock") else { return };
    let server = start(&site, &clock, &[]);
    let client = Client::new(site.authority(), server.port());
    let path = "/status/v1/simple";
    let is_let_in = |node: &str| matches!(get(&client, node, path), Ok(answer) if answer.status == 200);
    // That of `exports` is good for two days from now.
    for (time, lets_in) in [("+0", true), ("+3d", false), ("-1d", false), ("+0", true), ("+3d", false)] {
        clock.step(time).expect("its file can be written");
        assert_eq!(is_let_in("exports"), lets_in, "{time}");
        assert!(is_let_in("web01"), "{time}");
    }
    // A list that is out of date lets in nobody who shows a certificate; a new one is seen at any time of the clock.
    site.authority().list_for(1).expect("openssl lists");
    std::thread::sleep(Duration::from_millis(1200));
    assert!(!is_let_in("web01"));
    assert_eq!(client.send(None, &request("GET", path, "")).expect("an answer").status, 200);
    clock.step("-10d").expect("its file can be written");
    assert!(is_let_in("web01"), "{}", server.said());
    site.authority().revoke("web01").expect("openssl revokes");
    site.authority().list_for(7000).expect("openssl lists");
    std::thread::sleep(Duration::from_millis(1200));
    assert!(!is_let_in("web01"));
    assert!(is_let_in("other"));
}

/// Whoever waits, or is told to come again, is not held up by the clock; nor is a request that is under way.
#[test]
fn whoever_waits_is_not_held_up() {
    let Some((site, clock)) = world("requests that wait") else { return };
    classifier(&site, "sleep 1\necho '{classes: {}}'");
    manifest(&site, "notify { 'well': }");
    let arguments = ["--threads", "1", "--queue", "2", "--retry-after", "7", "--enc-ttl", "60"];
    let server = start(&site, &clock, &arguments);
    let client = Client::new(site.authority(), server.port());
    let is_over = AtomicBool::new(false);
    let path = format!("/puppet/v3/catalog/other.example.com?{ENVIRONMENT}");
    let send = || get(&client, "other", &path).expect("there is an answer");
    let begun = std::time::Instant::now();
    let answers: Vec<Answer> = std::thread::scope(|scope| {
        scope.spawn(|| step_about(&clock, &is_over));
        let all: Vec<_> = (0..10).map(|_| scope.spawn(send)).collect();
        let answers = all.into_iter().map(|thread| thread.join().expect("no panic")).collect();
        is_over.store(true, Ordering::Relaxed);
        answers
    });
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 3, "one is compiled, two wait");
    for refused in answers.iter().filter(|answer| answer.status != 200) {
        let seconds = refused.header("retry-after").and_then(|text| text.parse::<u64>().ok());
        assert!(
            refused.status == 503 && seconds.is_some_and(|seconds| (1..=7).contains(&seconds)),
            "{refused:?}"
        );
    }
}

/// Contents that a catalog has named stay when the clock is set forwards by more than the time for which they are kept.
#[test]
fn named_contents_stay_when_a_month_is_skipped() {
    let Some((site, clock)) = world("contents of static catalogs") else { return };
    let file = site.folder().join("code/environments/production/modules/served/files/one.txt");
    fs::create_dir_all(file.parent().expect("it has one")).expect("folders can be made");
    manifest(&site, "file { '/one': source => 'puppet:///modules/served/one.txt' }");
    let deploy = |version: &str| {
        fs::write(&file, version).expect("files can be written");
        site.deploy(&site.build(version, 8).expect("it builds")).expect("it is deployed");
        std::thread::sleep(Duration::from_millis(1100));
    };
    deploy("one");
    let folder = site.archives().display().to_string();
    let server = start(&site, &clock, &["--archives", &folder]);
    let client = Client::new(site.authority(), server.port());
    let code_id = || {
        let path = format!(
            "/puppet/v3/catalog/other.example.com?{ENVIRONMENT}&static_catalog=true&checksum_type=sha256"
        );
        let answer = get(&client, "other", &path).expect("there is an answer");
        let catalog: Value = serde_json::from_slice(&answer.body).expect("it is JSON");
        assert!(catalog["metadata"]["/one"].is_object(), "{catalog}");
        catalog["code_id"].as_str().expect("it names its code").to_owned()
    };
    let first = code_id();
    clock.step("+40d").expect("its file can be written");
    deploy("two");
    let second = code_id();
    assert_ne!(first, second);
    let content = |id: &str| {
        let path =
            format!("/puppet/v3/static_file_content/modules/served/files/one.txt?{ENVIRONMENT}&code_id={id}");
        let bytes = String::from_utf8(request("GET", &path, "")).expect("it is text");
        let bytes = bytes.replace("Accept: application/json", "Accept: application/octet-stream");
        let answer = client.send(Some("other"), bytes.as_bytes()).expect("there is an answer");
        (answer.status, String::from_utf8_lossy(&answer.body).into_owned())
    };
    assert_eq!(content(&first), (200, "one".to_owned()), "{}", server.said());
    assert_eq!(content(&second), (200, "two".to_owned()));
}
