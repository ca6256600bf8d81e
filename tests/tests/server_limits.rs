//! What the compile server bounds: how slow a client may be, how much it may send, how long code may run, whose certificates it takes;
//! and that of one node's request nothing is left for another's.

use bunraku_tests::authority::{Ask, Authority};
use bunraku_tests::http::bunraku_server::BunrakuServer;
use bunraku_tests::http::client::{Answer, Client};
use bunraku_tests::http::site::Site;
use bunraku_tests::paths;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

const NODE: &str = "web01.example.com";

fn start(site: &Site, arguments: &[&str]) -> BunrakuServer {
    BunrakuServer::start(site, &[&["--compat", "8"], arguments].concat()).expect("the server starts")
}

fn head(method: &str, path: &str, more: &str) -> Vec<u8> {
    let always = "Host: localhost\r\nConnection: close\r\nAccept: application/json, application/octet-stream";
    format!("{method} {path}?environment=production HTTP/1.1\r\n{always}\r\n{more}\r\n").into_bytes()
}

fn catalog(client: &Client, node: &str, environment: &str) -> Result<Answer, String> {
    let path = format!("/puppet/v3/catalog/{node}.example.com?environment={environment}");
    let ask =
        format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept: application/json\r\n\r\n");
    client.send(Some(node), ask.as_bytes())
}

fn serves(client: &Client) {
    let answer = catalog(client, "other", "production").expect("there is an answer");
    assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
}

/// One that begins a body and says no more, one that ends in the middle of it, one that takes nothing of what it has asked for: each
/// is let go, and others are served meanwhile.
#[test]
fn clients_that_do_not_go_on_are_let_go() {
    const LARGE: usize = 96 << 20;
    let site = Site::new().expect("a site can be made");
    let large = site.folder().join("code/environments/production/modules/site/files/large");
    fs::write(&large, vec![b'x'; LARGE]).expect("files can be written");
    let server = start(&site, &[]);
    let client = Client::new(site.authority(), server.port());
    let report = format!("/puppet/v3/report/{NODE}");
    let begun = Instant::now();
    let silent = || {
        let mut connection = client.connect(Some("web01")).expect("a connection begins");
        let head = head("PUT", &report, "Content-Type: application/json\r\nContent-Length: 100\r\n");
        connection.write_all(&[&head[..], b"{\"host\""].concat()).expect("it takes bytes");
        let mut rest = Vec::new();
        let ended = connection.read_to_end(&mut rest);
        let text = String::from_utf8_lossy(&rest).into_owned();
        assert!(ended.is_err() || text.is_empty() || text.starts_with("HTTP/1.1 408"), "{text}");
        begun.elapsed()
    };
    let reads_nothing = || {
        let mut connection = client.connect(Some("web01")).expect("a connection begins");
        connection
            .write_all(&head("GET", "/puppet/v3/file_content/modules/site/large", ""))
            .expect("it takes bytes");
        std::thread::sleep(Duration::from_secs(36));
        let (mut all, mut piece) = (0, vec![0; 1 << 20]);
        while let Ok(read) = connection.read(&mut piece)
            && read > 0
        {
            all += read;
        }
        assert!(all < LARGE, "{all} bytes came after all");
    };
    std::thread::scope(|scope| {
        let reads_nothing = scope.spawn(reads_nothing);
        let silent = scope.spawn(silent);
        for _ in 0..20 {
            let mut connection = client.connect(Some("web01")).expect("a connection begins");
            let head = head("PUT", &report, "Content-Type: application/json\r\nContent-Length: 100\r\n");
            connection.write_all(&[&head[..], b"{\"host\""].concat()).expect("it takes bytes");
            connection.sock.shutdown(Shutdown::Write).expect("it can be ended");
            let mut rest = Vec::new();
            let _ = connection.read_to_end(&mut rest);
            assert!(!rest.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&rest));
        }
        serves(&client);
        let ended = silent.join().expect("no panic");
        assert!((25..45).contains(&ended.as_secs()), "{ended:?}");
        reads_nothing.join().expect("no panic");
    });
    serves(&client);
    assert!(!site.folder().join("var/reports").join(NODE).exists(), "no report was whole");
}

/// A report may have 64 MB, and is refused before more of it is there; a node's name in it is the path's.
#[test]
fn reports_have_a_limit_and_an_owner() {
    let site = Site::new().expect("a site can be made");
    let server = start(&site, &[]);
    let client = Client::new(site.authority(), server.port());
    let path = format!("/puppet/v3/report/{NODE}");
    let much = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", (64 << 20) + 1);
    let answer = client.send(Some("web01"), &head("PUT", &path, &much)).expect("there is an answer");
    assert_eq!(answer.status, 413);
    let body = "{\"host\":\"other.example.com\",\"report_format\":12,\"time\":\"2026-01-01T00:00:00Z\",\"logs\":[],\
                \"metrics\":{},\"resource_statuses\":{},\"status\":\"unchanged\",\"environment\":\"production\"}";
    let length = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
    let bytes = [head("PUT", &path, &length), body.as_bytes().to_vec()].concat();
    let answer = client.send(Some("web01"), &bytes).expect("there is an answer");
    let text = String::from_utf8_lossy(&answer.body).into_owned();
    assert!(answer.status >= 400, "{text}");
    assert!(!site.folder().join("var/reports").exists());
    serves(&client);
}

/// Code that never ends is ended when its time is over, in Puppet's language and in Ruby, and holds up nobody else.
#[test]
fn code_that_never_ends_is_ended() {
    let site = Site::new().expect("a site can be made");
    let folder = site.folder().join("code/environments/production");
    paths::write(
        &folder.join("modules/site/lib/puppet/functions/site/forever.rb"),
        "Puppet::Functions.create_function(:'site::forever') { def forever = loop { } }\n",
    );
    let manifest = "node 'fails.example.com' { site::forever() }\n\
        node 'strange.example.com' { Integer[0, 9000000000000000000].each |$number| { $twice = $number + $number } }\n\
        node default { notify { 'well': } }\n";
    paths::write(&folder.join("manifests/site.pp"), manifest);
    let limits = ["--threads", "2", "--timeout", "4", "--limit", "ruby_timeout=3"];
    let server = start(&site, &limits);
    let client = Client::new(site.authority(), server.port());
    std::thread::scope(|scope| {
        let endless = ["fails", "strange"].map(|node| {
            let client = &client;
            scope.spawn(move || {
                let begun = Instant::now();
                let answer = catalog(client, node, "production").expect("there is an answer");
                (answer.status, String::from_utf8_lossy(&answer.body).into_owned(), begun.elapsed())
            })
        });
        std::thread::sleep(Duration::from_millis(300));
        serves(&client);
        for (thread, seconds) in endless.into_iter().zip([3, 4]) {
            let (status, text, took) = thread.join().expect("no panic");
            assert_eq!(status, 500, "{text}");
            assert!(text.contains(&format!("{seconds} second")) || text.contains("timeout"), "{text}");
            assert!((2..30).contains(&took.as_secs()), "{took:?}: {text}");
        }
    });
    serves(&client);
    let refused = BunrakuServer::start(&site, &["--limit", "max_fun=3"]).err();
    assert!(refused.as_ref().is_some_and(|why| why.contains("max_fun")), "{refused:?}");
}

/// Of several authorities each needs its revocation list: without it, whoever has a certificate by it is refused.
#[test]
fn every_issuer_needs_its_list() {
    let site = Site::new().expect("a site can be made");
    let beside = tempfile::tempdir().expect("a folder can be made");
    let second = Authority::new(beside.path(), "Second authority").expect("openssl makes an authority");
    let subject = Some("/CN=other.example.com".to_owned());
    second.issue("second", &Ask { subject, ..Ask::default() }).expect("openssl issues");
    let own = site.authority().folder();
    for ending in ["pem", "key"] {
        let file = format!("second.{ending}");
        fs::copy(beside.path().join(&file), own.join(&file)).expect("files can be copied");
    }
    let append = |file: &str| {
        let text = [own.join(file), beside.path().join(file)]
            .map(|path| fs::read_to_string(path).expect("it is there"));
        fs::write(own.join(file), text.concat()).expect("files can be written");
    };
    append("ca.pem");
    let server = start(&site, &[]);
    let warning = "hostcrl has no revocation list of Second authority";
    assert!(server.says(warning), "{}", server.said());
    let client = Client::new(site.authority(), server.port());
    let ask = |client: &Client| {
        let path = "/puppet/v3/catalog/other.example.com";
        client.send(Some("second"), &head("GET", path, "")).map(|answer| answer.status)
    };
    assert!(ask(&client).is_err());
    serves(&client);
    drop(server);
    append("crl.pem");
    let server = start(&site, &[]);
    assert!(!server.said().contains(warning));
    let client = Client::new(site.authority(), server.port());
    assert_eq!(ask(&client), Ok(200));
    // Of two lists of one authority the newer one counts, wherever it stands; their times are whole seconds.
    std::thread::sleep(Duration::from_millis(1100));
    second.revoke("second").expect("openssl revokes");
    append("crl.pem");
    std::thread::sleep(Duration::from_millis(1200));
    assert!(ask(&client).is_err());
    serves(&client);
}

/// What code in Ruby leaves behind in one environment is not there in another, nor what it does to Puppet's own objects.
#[test]
fn nothing_of_one_environment_is_there_in_another() {
    let site = Site::new().expect("a site can be made");
    let ruby = "Puppet::Functions.create_function(:'site::left') do
  def left(name)
    before = [$left, ENV['LEFT'], defined?(LEFT) ? LEFT : nil].compact
    $left = name
    ENV['LEFT'] = name
    Object.const_set(:LEFT, name) unless defined?(LEFT)
    before.join(' ')
  end
end
";
    for name in ["production", "moved"] {
        let folder = site.folder().join("code/environments").join(name);
        paths::write(&folder.join("modules/site/lib/puppet/functions/site/left.rb"), ruby);
        paths::write(
            &folder.join("manifests/site.pp"),
            "notify { \"left: ${site::left($trusted['certname'])}.\": }",
        );
    }
    fs::write(site.folder().join("enc.sh"), "#!/bin/sh\necho '{classes: {}}'\n")
        .expect("files can be written");
    let server = start(&site, &["--threads", "1"]);
    let client = Client::new(site.authority(), server.port());
    let left = |node: &str, environment: &str| {
        let answer = catalog(&client, node, environment).expect("there is an answer");
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        assert_eq!(answer.status, 200, "{text}");
        let begin = text.find("left: ").expect("it says") + "left: ".len();
        text[begin..begin + text[begin..].find('.').expect("it ends")].to_owned()
    };
    for _ in 0..3 {
        let said = left("web01", "production");
        assert!(!said.contains("other"), "of a node of another environment: {said}");
        let said = left("other", "moved");
        assert!(!said.contains("web01"), "of a node of another environment: {said}");
    }
    // In one environment, too.
    let said = left("strange", "production");
    assert_eq!(said, "", "of a node of the same environment");
}

/// A report of 20,000 resources all of which have changed, each with an event and a line of the log.
fn large_report() -> String {
    let text = fs::read_to_string(paths::spec().join("http/report.json")).expect("it is there");
    let mut report: Value = serde_json::from_str(&text.replace("HOST", NODE)).expect("it is JSON");
    let (mut log, status) = (report["logs"][0].clone(), report["resource_statuses"]["Notify[x]"].clone());
    log["tags"] = json!(["notice", "notify", "class", "site", "node", "default"]);
    report["logs"] = Value::Array(vec![log; 20_000]);
    let statuses = (0..20_000).map(|number| {
        let mut status = status.clone();
        status["title"] = json!(format!("x{number}"));
        status["tags"] = json!(["notify", format!("x{number}"), "class", "site", "node", "default"]);
        (format!("Notify[x{number}]"), status)
    });
    report["resource_statuses"] = Value::Object(statuses.collect());
    report.to_string()
}

/// How many values there are in a body is bounded, besides its bytes: some megabytes of them would take gigabytes.
#[test]
fn values_of_bodies_have_a_limit() {
    let site = Site::new().expect("a site can be made");
    let server = start(&site, &[]);
    let client = Client::new(site.authority(), server.port());
    let send = |name: &str, method: &str, path: &str, kind: &str, body: &str| {
        let more = format!("Content-Type: {kind}\r\nContent-Length: {}\r\n", body.len());
        let bytes = [head(method, path, &more), body.as_bytes().to_vec()].concat();
        let answer = client.send(Some(name), &bytes).expect("there is an answer");
        (answer.status, String::from_utf8_lossy(&answer.body).into_owned())
    };
    let many = |value: &str, count: usize| format!("[{}]", vec![value; count].join(","));
    let report = |begin: &str, logs: &str| {
        let rest = "\"metrics\":{},\"resource_statuses\":{}}";
        let body =
            format!("{{\"host\":\"{NODE}\",{begin}\"environment\":\"production\",\"logs\":{logs},{rest}");
        send("web01", "PUT", &format!("/puppet/v3/report/{NODE}"), "application/json", &body)
    };
    let large = large_report();
    let path = format!("/puppet/v3/report/{NODE}");
    let (status, text) = send("web01", "PUT", &path, "application/json", &large);
    assert_eq!(status, 200, "{} bytes: {text}", large.len());
    // Texts have no values in them, whatever they look like.
    assert_eq!(report("", &format!("[{{\"message\":\"{}\"}}]", "[{,:".repeat(1_000_000))).0, 200);
    let refused =
        [report("", &many("{}", 300_000)), report(&format!("\"other\":{},", many("0", 3_100_000)), "[]")];
    for (status, text) in refused {
        assert!(status == 413 && text.contains("more than 4500000 "), "{status}: {text}");
    }
    let zeros = many("0", 1_100_000);
    let facts = format!("{{\"name\":\"{NODE}\",\"values\":{{\"a\":{zeros}}}}}");
    let form = format!("facts_format=application/json&facts={}", facts.replace('"', "%2522"));
    let v4 = format!(
        "{{\"certname\":\"{NODE}\",\"environment\":\"production\",\"persistence\":{{}},\"facts\":{{\"values\":{{\"a\":{zeros}}}}}}}"
    );
    let catalog = format!("/puppet/v3/catalog/{NODE}");
    let urlencoded = "application/x-www-form-urlencoded";
    let rules = "authorization: { version: 1, rules: [ { match-request: { path: \"/\", type: path }, allow: \"*\", sort-order: 1, name: all } ] }";
    let file = site.folder().join("all.conf");
    fs::write(&file, rules).expect("files can be written");
    for (status, text) in [
        send("web01", "PUT", &format!("/puppet/v3/facts/{NODE}"), "application/json", &facts),
        send("web01", "POST", &catalog, urlencoded, &form),
    ] {
        assert!(status == 413 && text.contains("more than 1500000 "), "{status}: {text}");
    }
    let (status, text) = send("web01", "POST", &catalog, urlencoded, &"a=b&".repeat(1_000));
    assert!(status == 413 && text.contains("1000 fields"), "{status}: {text}");
    serves(&client);
    drop(server);
    let server = start(&site, &["--auth", &file.display().to_string()]);
    let client = Client::new(site.authority(), server.port());
    let more = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", v4.len());
    let bytes = [head("POST", "/puppet/v4/catalog", &more), v4.into_bytes()].concat();
    let answer = client.send(Some("web01"), &bytes).expect("there is an answer");
    assert_eq!(answer.status, 413, "{}", String::from_utf8_lossy(&answer.body));
}

/// Differences between files have a thread of their own, a client one at a time, some seconds, and no large files: nobody waits for
/// them who asks for files.
#[test]
fn differences_hold_up_nobody() {
    let site = Site::new().expect("a site can be made");
    let program = site.folder().join("diff.sh");
    fs::write(&program, "#!/bin/sh\nsleep 60\n").expect("files can be written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("modes can be set");
    let conf = site.confdir().join("puppet.conf");
    let text = fs::read_to_string(&conf).expect("it is there");
    paths::write(&conf, &format!("{text}diff = {}\n", program.display()));
    let server = start(&site, &[]);
    let client = Client::new(site.authority(), server.port());
    let keep = |content: &[u8]| {
        let sum: String = Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect();
        let more = format!("Content-Type: application/octet-stream\r\nContent-Length: {}\r\n", content.len());
        let path = format!("/puppet/v3/file_bucket_file/sha256/{sum}");
        let answer = client.send(Some("web01"), &[&head("PUT", &path, &more), content].concat());
        assert_eq!(answer.expect("there is an answer").status, 200);
        sum
    };
    let [one, other, large] = [&b"one"[..], b"other", &vec![b'x'; (16 << 20) + 1]].map(keep);
    let diff = |name: &str, one: &str, other: &str| {
        let path =
            format!("/puppet/v3/file_bucket_file/sha256/{one}?environment=production&diff_with={other}");
        let always = "Host: localhost\r\nConnection: close\r\nAccept: application/octet-stream";
        let answer = client.send(Some(name), format!("GET {path} HTTP/1.1\r\n{always}\r\n\r\n").as_bytes());
        let answer = answer.expect("there is an answer");
        (answer.status, String::from_utf8_lossy(&answer.body).into_owned())
    };
    for pair in [[&one, &large], [&large, &one]] {
        let (status, text) = diff("web01", pair[0], pair[1]);
        assert!(status == 500 && text.contains("16777217 bytes, more than 16777216"), "{status}: {text}");
    }
    let begun = Instant::now();
    std::thread::scope(|scope| {
        let waits = ["web01", "other"].map(|name| scope.spawn(|| diff(name, &one, &other)));
        std::thread::sleep(Duration::from_millis(700));
        for _ in 0..4 {
            let (status, text) = diff("web01", &one, &other);
            assert_eq!(status, 503, "{text}");
            serves(&client);
            let asks = head("GET", "/status/v1/simple", "");
            assert_eq!(client.send(None, &asks).expect("there is an answer").status, 200);
        }
        assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
        for thread in waits {
            let (status, text) = thread.join().expect("no panic");
            assert!(status == 500 && text.contains("Could not diff by"), "{status}: {text}");
        }
    });
    assert!((9..25).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
}

/// Of reports and facts that are large a client has one at a time, and is told to come again with the next; others have theirs meanwhile.
#[test]
fn a_client_has_one_large_body_at_a_time() {
    let site = Site::new().expect("a site can be made");
    fs::write(site.folder().join("enc.sh"), "#!/bin/sh\nsleep 3\necho '{classes: {}}'\n")
        .expect("files can be written");
    let server = start(&site, &["--threads", "4"]);
    let client = Client::new(site.authority(), server.port());
    let catalog = |name: &str, length: usize| {
        let long = "a".repeat(length);
        let values = json!({"os": {"family": "Debian"}, "long": long});
        let facts = json!({"name": format!("{name}.example.com"), "values": values}).to_string();
        let facts = facts.replace('"', "%2522").replace('{', "%257B").replace('}', "%257D");
        let form = format!("facts_format=application/json&facts={facts}");
        let more =
            format!("Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n", form.len());
        let bytes =
            [head("POST", &format!("/puppet/v3/catalog/{name}.example.com"), &more), form.into_bytes()];
        let answer = client.send(Some(name), &bytes.concat()).expect("there is an answer");
        (answer.status, answer.header("retry-after").is_some())
    };
    std::thread::scope(|scope| {
        let first = scope.spawn(|| catalog("web01", 300_000));
        std::thread::sleep(Duration::from_millis(1000));
        let catalog = &catalog;
        let others = [("other", 300_000), ("web01", 1_000)]
            .map(|(name, length)| scope.spawn(move || catalog(name, length)));
        assert_eq!(catalog("web01", 300_000), (503, true));
        assert_eq!(first.join().expect("no panic"), (200, false), "{}", server.said());
        let others = others.map(|other| other.join().expect("no panic"));
        assert_eq!(others, [(200, false); 2], "{}", server.said());
    });
    assert_eq!(catalog("web01", 300_000).0, 200);
}
