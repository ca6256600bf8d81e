//! Clients of the compile server that mean harm, or are merely broken: certificates, names, heads and bodies, connections, overload.

use bunraku_tests::authority::{Ask, Authority};
use bunraku_tests::http::bunraku_server::BunrakuServer;
use bunraku_tests::http::client::{Answer, Client};
use bunraku_tests::http::site::Site;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

fn site() -> Site {
    Site::new().expect("a site can be made")
}

fn start(site: &Site, arguments: &[&str]) -> BunrakuServer {
    BunrakuServer::start(site, &[&["--compat", "8"], arguments].concat()).expect("the server starts")
}

fn get(path: &str) -> Vec<u8> {
    head("GET", path, "")
}

fn head(method: &str, path: &str, more: &str) -> Vec<u8> {
    let always = "Host: localhost\r\nConnection: close\r\nAccept: application/json";
    format!("{method} {path} HTTP/1.1\r\n{always}\r\n{more}\r\n").into_bytes()
}

fn ask(site: &Site, server: &BunrakuServer, name: Option<&str>, bytes: &[u8]) -> Result<Answer, String> {
    Client::new(site.authority(), server.port()).send(name, bytes)
}

fn status(site: &Site, server: &BunrakuServer, name: Option<&str>, bytes: &[u8]) -> u16 {
    ask(site, server, name, bytes).expect("there is an answer").status
}

/// The server still does what it is for.
fn serves(site: &Site, server: &BunrakuServer) {
    let path = "/puppet/v3/catalog/other.example.com?environment=production";
    assert_eq!(status(site, server, Some("other"), &get(path)), 200);
    assert_eq!(status(site, server, None, &get("/status/v1/simple")), 200);
}

const OWN: &str = "/puppet/v3/catalog/web01.example.com?environment=production";

/// Issues a certificate by the site's authority that says something odd.
fn odd(site: &Site, name: &str, ask: &Ask) {
    site.authority().issue(name, ask).expect("openssl makes certificates");
}

fn subject(text: &str) -> Ask {
    Ask { subject: Some(text.to_owned()), ..Ask::default() }
}

#[test]
fn certificates_prove_what_they_are_verified_for_and_nothing_else() {
    let site = site();
    // Of another authority of the same name, put where the client finds it.
    let other = tempfile::tempdir().expect("a folder can be made");
    let stranger =
        Authority::new(other.path(), "Authority of the cases").expect("openssl makes an authority");
    stranger.issue("stranger", &subject("/CN=web01.example.com")).expect("openssl makes certificates");
    for ending in ["pem", "key"] {
        let file = format!("stranger.{ending}");
        fs::copy(other.path().join(&file), site.authority().folder().join(&file))
            .expect("files can be copied");
    }
    let dates = |begin: &str, end: &str| Some((begin.to_owned(), end.to_owned()));
    let of = |dates| Ask { dates, ..subject("/CN=web01.example.com") };
    odd(&site, "expired", &of(dates("20200101000000Z", "20210101000000Z")));
    odd(&site, "early", &of(dates("20990101000000Z", "20990201000000Z")));
    odd(&site, "revoked", &subject("/CN=web01.example.com"));
    site.authority().revoke("revoked").expect("openssl revokes");
    let server = start(&site, &[]);
    for name in ["stranger", "expired", "early", "revoked"] {
        let answer = ask(&site, &server, Some(name), &get("/status/v1/simple"));
        assert!(answer.is_err(), "{name}: {answer:?}");
    }
    serves(&site, &server);
}

#[test]
fn nodes_are_called_by_their_one_common_name() {
    let site = site();
    let names = |text: &str| Ask { names: Some(text.to_owned()), ..subject("/CN=evil.example.com") };
    odd(&site, "named", &names("DNS:web01.example.com,DNS:*.example.com"));
    odd(&site, "two", &subject("/CN=web01.example.com/CN=evil.example.com"));
    odd(&site, "two-reversed", &subject("/CN=evil.example.com/CN=web01.example.com"));
    odd(&site, "none", &subject("/O=web01.example.com"));
    odd(&site, "dots", &subject("/CN=..web01.example.com"));
    odd(&site, "slash", &subject("/CN=x\\/..\\/web01.example.com"));
    odd(&site, "space", &subject("/CN=web01.example.com "));
    odd(&site, "wild", &subject("/CN=*.example.com"));
    odd(&site, "capitals", &subject("/CN=WEB01.example.com"));
    let server = start(&site, &[]);
    for name in ["named", "two", "two-reversed", "none", "dots", "slash", "space", "wild"] {
        assert_eq!(status(&site, &server, Some(name), &get(OWN)), 403, "{name}");
    }
    // Names are compared in lower case: this is web01.
    let facts = "facts_format=application%2Fjson&facts=%257B%2522name%2522%253A%2522web01.example.com%2522%252C\
                 %2522values%2522%253A%257B%2522os%2522%253A%257B%2522family%2522%253A%2522Debian%2522%257D%257D%257D";
    let form =
        format!("Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n", facts.len());
    let request = [head("POST", OWN, &form), facts.as_bytes().to_vec()].concat();
    assert_eq!(status(&site, &server, Some("capitals"), &request), 200);
    serves(&site, &server);
}

/// What a client says of itself in headers and fields counts for nothing.
#[test]
fn headers_and_fields_name_nobody() {
    let site = site();
    let server = start(&site, &[]);
    let headers = "X-Client-Verify: SUCCESS\r\nX-Client-DN: CN=web01.example.com\r\nX-Client-Cert: x\r\n";
    assert_eq!(status(&site, &server, None, &head("GET", OWN, headers)), 403);
    assert_eq!(status(&site, &server, Some("other"), &head("GET", OWN, headers)), 403);
}

/// A refusal says the path without signs that a terminal would act upon.
#[test]
fn refusals_move_no_cursor() {
    let site = site();
    let server = start(&site, &[]);
    let path = "/puppet/v3/catalog/a%1b%5b31m%0d%0ab%C3%BC%c2%9b?environment=production";
    let answer = ask(&site, &server, Some("web01"), &get(path)).expect("there is an answer");
    assert_eq!(
        (answer.status, String::from_utf8_lossy(&answer.body).as_ref()),
        (
            403,
            "Forbidden request: /puppet/v3/catalog/a\\u{1b}[31m\\r\\nb\u{fc}\\u{9b} (method :get). Please see the server logs for details."
        )
    );
}

fn serves_by_headers(site: &Site, server: &BunrakuServer) {
    let path = "/puppet/v3/catalog/other.example.com?environment=production";
    let headers = "X-Client-Verify: SUCCESS\r\nX-Client-DN: CN=other.example.com\r\n";
    assert_eq!(status(site, server, None, &head("GET", path, headers)), 200);
}

/// The server does not start where a proxy's headers would count and everybody can reach it.
#[test]
fn names_by_headers_are_for_this_machine_alone() {
    let site = site();
    let rules = "authorization: { version: 1, allow-header-cert-info: true, rules: [ { match-request: { path: \"/\", type: path }, \
                 allow: \"*\", sort-order: 1, name: all } ] }";
    let file = site.folder().join("by-headers.conf");
    fs::write(&file, rules).expect("files can be written");
    let auth = file.display().to_string();
    let refused = BunrakuServer::start(&site, &["--auth", &auth, "--address", "0.0.0.0"]).err();
    assert!(refused.is_some_and(|why| why.contains("allow-header-cert-info")));
    // Where the proxy is named it does: this machine is believed anyway.
    let everywhere = ["--auth", &auth, "--address", "0.0.0.0", "--proxy", "192.0.2.7"];
    serves_by_headers(&site, &start(&site, &everywhere));
    let server = start(&site, &["--auth", &auth]);
    let path = "/puppet/v3/catalog/other.example.com?environment=production";
    let by = |headers: &str| status(&site, &server, None, &head("GET", path, headers));
    serves_by_headers(&site, &server);
    assert_eq!(by("X-Client-Verify: FAILED\r\nX-Client-DN: CN=other.example.com\r\n"), 403);
    assert_eq!(by("X-Client-DN: CN=other.example.com\r\n"), 403);
    assert_eq!(
        by("X-Client-Verify: SUCCESS\r\nX-Client-DN: CN=other.example.com,CN=web01.example.com\r\n"),
        403
    );
    // The connection's own certificate does not count then.
    assert_eq!(status(&site, &server, Some("other"), &get(path)), 403);
}

#[test]
fn paths_lead_to_nothing_but_what_is_served() {
    let site = site();
    fs::write(site.folder().join("code/environments/production/secret"), "secret")
        .expect("files can be written");
    let server = start(&site, &[]);
    let content = "/puppet/v3/file_content/modules/site";
    for path in [
        format!("{content}/../manifests/init.pp?environment=production"),
        format!("{content}/%2e%2e/manifests/init.pp?environment=production"),
        format!("{content}/..%2fmanifests%2finit.pp?environment=production"),
        format!("{content}/%252e%252e/manifests/init.pp?environment=production"),
        format!("{content}/a.txt%00?environment=production"),
        format!("{content}/%c0%ae%c0%ae/manifests/init.pp?environment=production"),
        "/puppet/v3/file_content/modules/..%2f..%2fsecret?environment=production".to_owned(),
        "/puppet/v3/file_content/%2fetc/passwd?environment=production".to_owned(),
        "/puppet/v3/file_content/modules/site/a.txt?environment=../production".to_owned(),
        "/puppet/v3/file_content/modules/site/a.txt?environment=%2e%2e%2fproduction".to_owned(),
        "/puppet/v3/static_file_content/modules/site/files/../manifests/init.pp?environment=production&code_id=1".to_owned(),
    ] {
        let answer = ask(&site, &server, Some("web01"), &get(&path)).expect("there is an answer");
        assert!((400..=500).contains(&answer.status), "{path}: {}", answer.status);
        let text = String::from_utf8_lossy(&answer.body);
        assert!(!text.contains("class site") && !text.contains("secret\""), "{path}: {text}");
    }
    for name in ["%2e%2e", "web01.example.com%2f..", "web01.example.com%00", "%ff", "a%20b"] {
        let path = format!("/puppet/v3/catalog/{name}?environment=production");
        assert!(matches!(status(&site, &server, Some("web01"), &get(&path)), 400 | 403 | 404), "{path}");
    }
    serves(&site, &server);
}

/// A rule for a path holds however many slashes it is written with.
#[test]
fn more_slashes_lead_past_no_rule() {
    let site = site();
    let rules = site.folder().join("rules.conf");
    let text = "authorization: { version: 1, rules: [\n\
                { name: secret, sort-order: 1, match-request: { path: \"/puppet/v3/file_content/modules/site/a.txt\", type: path }, deny: \"web01.example.com\", allow: \"other.example.com\" }\n\
                { name: rest, sort-order: 500, match-request: { path: \"/\", type: path }, allow: \"*\" }\n] }";
    fs::write(&rules, text).expect("files can be written");
    let file = site.folder().join("code/environments/production/modules/site/files/a.txt");
    fs::write(file, "a").expect("files can be written");
    let server = start(&site, &["--auth", &rules.display().to_string()]);
    for (name, want) in [("web01", 403), ("other", 200)] {
        for path in [
            "/puppet/v3/file_content/modules/site/a.txt",
            "/puppet/v3/file_content/modules/site//a.txt",
            "/puppet/v3/file_content//modules///site/%2fa.txt",
            "//puppet/v3/file_content/modules/site/a.txt",
        ] {
            let bytes = head("GET", &format!("{path}?environment=production"), "");
            let bytes = String::from_utf8(bytes)
                .expect("it is text")
                .replace("application/json", "application/octet-stream");
            assert_eq!(status(&site, &server, Some(name), bytes.as_bytes()), want, "{name}: {path}");
        }
    }
}

/// Bodies of which a byte comes now and then take no place: as many as there are places of each kind, and more.
#[test]
fn slow_bodies_hold_up_nobody() {
    let site = site();
    let server = start(&site, &["--threads", "1", "--queue", "1"]);
    let client = Client::new(site.authority(), server.port());
    let begins = |method: &str, path: &str| {
        let mut connection = client.connect(Some("web01")).expect("a connection begins");
        let more = "Content-Type: application/json\r\nContent-Length: 60000\r\n";
        let bytes = [head(method, path, more), b"{".to_vec()].concat();
        connection.write_all(&bytes).expect("it takes bytes");
        connection
    };
    let report = "/puppet/v3/report/web01.example.com?environment=production";
    let facts = "/puppet/v3/facts/web01.example.com?environment=production";
    let slow: Vec<_> = (0..5)
        .map(|_| begins("POST", OWN))
        .chain((0..270).map(|_| begins("PUT", report)))
        .chain((0..270).map(|_| begins("PUT", facts)))
        .collect();
    let asked = Instant::now();
    serves(&site, &server);
    assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
    drop(slow);
    // Who asks for something has nothing to send.
    let bytes = [head("GET", "/status/v1/simple", "Content-Length: 1\r\n"), b"a".to_vec()].concat();
    assert_eq!(status(&site, &server, None, &bytes), 413);
}

/// Bytes that are no request, or one that says two things of its length.
#[test]
fn heads_and_bodies_that_are_none_end_their_connection_alone() {
    let site = site();
    let server = start(&site, &[]);
    let long = "a".repeat(100_000);
    let many = "X-Header: 1\r\n".repeat(4_000);
    let mut requests = vec![
        b"\x00\x01\x02\r\n\r\n".to_vec(),
        b"GET / HTTP/9.9\r\n\r\n".to_vec(),
        format!("GET /{long} HTTP/1.1\r\nHost: localhost\r\n\r\n").into_bytes(),
        head("GET", "/status/v1/simple", &format!("X-Header: {long}\r\n")),
        head("GET", "/status/v1/simple", &many),
        head("GET", OWN, "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n"),
        [head("POST", OWN, "Content-Length: 4\r\nContent-Length: 5\r\n"), b"abcde".to_vec()].concat(),
        [head("POST", OWN, "Transfer-Encoding: chunked\r\n"), b"zz\r\nabc\r\n0\r\n\r\n".to_vec()].concat(),
        [head("POST", OWN, "Transfer-Encoding: chunked, identity\r\n"), b"0\r\n\r\n".to_vec()].concat(),
        head("POST", OWN, "Content-Length: -1\r\n"),
        head("POST", OWN, "Content-Length: 99999999999999999999\r\n"),
    ];
    requests.push(head("POST", OWN, &format!("Content-Length: {}\r\n", 17 << 20)));
    for request in requests {
        // An end without an answer is one, too.
        if let Ok(answer) = ask(&site, &server, Some("web01"), &request) {
            let begin = String::from_utf8_lossy(&request[..request.len().min(90)]).into_owned();
            assert!((400..=505).contains(&answer.status), "{}: {begin}", answer.status);
        }
    }
    serves(&site, &server);
}

#[test]
fn bodies_have_limits() {
    let site = site();
    let server = start(&site, &[]);
    let form = |body: &[u8]| {
        let more =
            format!("Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n", body.len());
        [head("POST", OWN, &more), body.to_vec()].concat()
    };
    // JSON that nests deep; facts of another node; facts that are none.
    let nested = format!("facts_format=application/json&facts={}", "%255B".repeat(100_000));
    assert_eq!(status(&site, &server, Some("web01"), &form(nested.as_bytes())), 500);
    let facts = "facts_format=application/json&facts=%257B%2522name%2522%253A%2522other.example.com%2522%252C%2522values%2522%253A%257B%257D%257D";
    let answer = ask(&site, &server, Some("web01"), &form(facts.as_bytes())).expect("there is an answer");
    let text = String::from_utf8_lossy(&answer.body).into_owned();
    assert!(answer.status == 500 && text.contains("for the wrong node"), "{text}");
    // Too much, said so, and not said so.
    let much = vec![b'a'; (16 << 20) + 1];
    if let Ok(answer) = ask(&site, &server, Some("web01"), &form(&much)) {
        assert_eq!(answer.status, 413);
    }
    let mut chunked = head("POST", OWN, "Transfer-Encoding: chunked\r\n");
    for _ in 0..17 {
        chunked.extend(format!("{:x}\r\n", 1 << 20).into_bytes());
        chunked.extend(vec![b'a'; 1 << 20]);
        chunked.extend(b"\r\n");
    }
    chunked.extend(b"0\r\n\r\n");
    if let Ok(answer) = ask(&site, &server, Some("web01"), &chunked) {
        assert_eq!(answer.status, 413);
    }
    // One that is refused is refused before its body is there.
    let begun = Instant::now();
    let refused = head("POST", OWN, "Content-Length: 1000000\r\n");
    assert_eq!(status(&site, &server, Some("other"), &refused), 403);
    assert!(begun.elapsed() < Duration::from_secs(10));
    serves(&site, &server);
}

/// Connections that say nothing, and clients that go away, cost nobody else anything.
#[test]
fn silent_clients_hold_up_nobody() {
    let site = site();
    // The server may have as many files open as this process.
    let (_, most) = getrlimit(Resource::RLIMIT_NOFILE).expect("there are limits");
    setrlimit(Resource::RLIMIT_NOFILE, most, most).expect("they can be raised to the hard one");
    let count = 10_000.min(most.saturating_sub(500) / 2);
    let server = start(&site, &[]);
    let mut silent = Vec::new();
    for _ in 0..count {
        match TcpStream::connect(("127.0.0.1", server.port())) {
            Ok(socket) => silent.push(socket),
            Err(error) => panic!("{} connections: {error}", silent.len()),
        }
    }
    let client = Client::new(site.authority(), server.port());
    let mut begun = Vec::new();
    for _ in 0..50 {
        let mut connection = client.connect(Some("web01")).expect("a connection begins");
        connection.write_all(b"GET /status").expect("it takes bytes");
        begun.push(connection);
    }
    // Gone while their catalog is compiled.
    for _ in 0..20 {
        let mut connection = client.connect(Some("other")).expect("a connection begins");
        let path = "/puppet/v3/catalog/other.example.com?environment=production";
        connection.write_all(&get(path)).expect("it takes bytes");
        drop(connection);
    }
    let asked = Instant::now();
    serves(&site, &server);
    assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
    drop(silent);
    // One that has said half of its head is let go.
    let mut rest = Vec::new();
    let ended = begun[0].read_to_end(&mut rest);
    assert!(ended.is_err() || rest.is_empty() || rest.starts_with(b"HTTP/1.1 408"), "{rest:?}");
}

/// As many as may wait are taken in; the others are told to come again, and files and states are served meanwhile.
#[test]
fn overload_is_refused_at_the_door() {
    let site = site();
    let slow = "#!/bin/sh\nsleep 2\necho '{classes: {}}'\n";
    fs::write(site.folder().join("enc.sh"), slow).expect("files can be written");
    let server = start(&site, &["--threads", "1", "--queue", "2", "--retry-after", "7"]);
    let path = "/puppet/v3/catalog/other.example.com?environment=production";
    let request = head("GET", path, "X-Puppet-Version: 7.23.0\r\n");
    let answers: Vec<Answer> = std::thread::scope(|scope| {
        let send = || {
            let bytes = &request;
            scope.spawn(|| ask(&site, &server, Some("other"), bytes).expect("there is an answer"))
        };
        let all: Vec<_> = (0..12).map(|_| send()).collect();
        std::thread::sleep(Duration::from_millis(700));
        let begun = Instant::now();
        assert_eq!(status(&site, &server, None, &get("/status/v1/simple")), 200);
        let content = get("/puppet/v3/file_content/modules/site/a.txt?environment=production");
        assert_eq!(status(&site, &server, Some("web01"), &[&content[..]].concat()), 406);
        assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
        all.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    let taken = answers.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(taken, 3, "one is compiled, two wait");
    for refused in answers.iter().filter(|answer| answer.status != 200) {
        assert_eq!(refused.status, 503);
        let seconds: u64 =
            refused.header("retry-after").and_then(|text| text.parse().ok()).expect("it says when");
        assert!((1..=7).contains(&seconds), "{seconds}");
        assert_eq!(refused.header("connection"), Some("close"));
    }
    serves(&site, &server);
}

/// A compile without end, and Ruby that dies, cost that request alone.
#[test]
fn code_that_misbehaves_costs_its_request_alone() {
    let site = site();
    let folder = site.folder().join("code/environments/production");
    let functions = folder.join("modules/site/lib/puppet/functions/site");
    let ruby =
        "Puppet::Functions.create_function(:'site::dies') { def dies = Process.kill(:KILL, Process.pid) }\n";
    fs::write(functions.join("dies.rb"), ruby).expect("files can be written");
    let manifest = "function loops() { loops() }\nnode 'fails.example.com' { site::dies() }\nnode 'strange.example.com' { loops() }\n\
                    node default { notify { 'well': } }\n";
    fs::write(folder.join("manifests/site.pp"), manifest).expect("files can be written");
    let server = start(&site, &[]);
    for name in ["fails", "strange"] {
        let path = format!("/puppet/v3/catalog/{name}.example.com?environment=production");
        assert_eq!(status(&site, &server, Some(name), &get(&path)), 500, "{name}");
    }
    serves(&site, &server);
}

fn refuses(site: &Site, setting: &str) {
    let why = BunrakuServer::start(site, &[]).err().unwrap_or_else(|| panic!("{setting}: it starts"));
    assert!(why.contains(setting), "{setting}: {why}");
}

#[test]
fn it_does_not_start_without_what_makes_it_safe() {
    let broken = |file: &str, text: Option<&str>| {
        let site = site();
        let path = site.authority().folder().join(file);
        match text {
            Some(text) => fs::write(path, text).expect("files can be written"),
            None => fs::remove_file(path).expect("files can be removed"),
        }
        site
    };
    refuses(&broken("crl.pem", None), "hostcrl");
    refuses(&broken("crl.pem", Some("")), "hostcrl");
    refuses(
        &broken("ca.pem", Some("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")),
        "localcacert",
    );
    refuses(&broken("server.pem", None), "hostcert");
    refuses(&broken("server.key", Some("nothing")), "hostprivkey");
    let site = site();
    let other = fs::read(site.authority().folder().join("web01.key")).expect("it is there");
    fs::write(site.authority().folder().join("server.key"), other).expect("files can be written");
    refuses(&site, "hostcert");
    let rules = site.folder().join("bad.conf");
    fs::write(&rules, "authorization: { version: 1, rules: [ { name: r } ] }").expect("files can be written");
    let why = BunrakuServer::start(&site, &["--auth", &rules.display().to_string()])
        .err()
        .expect("it does not start");
    assert!(why.contains("rule 'r'"), "{why}");
    // Rules that are there but can't be read are not as if there were none.
    let site = self::site();
    std::os::unix::fs::symlink("nowhere", site.confdir().join("auth.conf")).expect("links can be made");
    refuses(&site, "auth.conf");
}

/// A certificate is revoked while the server runs; then the list can't be used, and what was in force stays.
#[test]
fn revocation_lists_are_read_anew() {
    let site = site();
    let server = start(&site, &[]);
    let path = "/puppet/v3/catalog/other.example.com?environment=production";
    assert_eq!(status(&site, &server, Some("other"), &get(path)), 200);
    site.authority().revoke("other").expect("openssl revokes");
    std::thread::sleep(Duration::from_millis(1200));
    assert!(ask(&site, &server, Some("other"), &get(path)).is_err());
    fs::write(site.authority().folder().join("crl.pem"), "nothing").expect("files can be written");
    std::thread::sleep(Duration::from_millis(1200));
    assert_eq!(status(&site, &server, None, &get("/status/v1/simple")), 200);
    assert!(ask(&site, &server, Some("other"), &get(path)).is_err());
    assert!(server.says("Certificates stay as they were"), "{}", server.said());
}

/// What is under way is answered before the server ends; a broken configuration leaves the one that was read.
#[test]
fn signals_end_and_reload_in_order() {
    let site = site();
    let slow = "#!/bin/sh\nsleep 1\necho '{classes: {}}'\n";
    fs::write(site.folder().join("enc.sh"), slow).expect("files can be written");
    let mut server = start(&site, &[]);
    let signal = |name: &str, id: u32| {
        let sent = std::process::Command::new("kill").args([format!("-{name}"), id.to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()));
    };
    let conf = site.confdir().join("puppet.conf");
    let good = fs::read_to_string(&conf).expect("it is there");
    fs::write(&conf, good.replace("reports = store", "reports = unheard_of")).expect("files can be written");
    signal("HUP", server.id());
    std::thread::sleep(Duration::from_millis(500));
    assert!(server.says("unheard_of"), "{}", server.said());
    let path = "/puppet/v3/catalog/other.example.com?environment=production";
    std::thread::scope(|scope| {
        let under_way = scope.spawn(|| status(&site, &server, Some("other"), &get(path)));
        std::thread::sleep(Duration::from_millis(300));
        signal("TERM", server.id());
        assert_eq!(under_way.join().expect("no panic"), 200);
    });
    assert!(server.wait().expect("it ends").success(), "{}", server.said());
    assert!(TcpStream::connect(("127.0.0.1", server.port())).is_err());
}
