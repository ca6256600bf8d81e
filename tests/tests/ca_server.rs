//! The certificate authority's routes: real agents of Puppet 7.23 and 8.10 get and renew certificates by it, also through a compile
//! server; its answers are Puppet Server's (`spec/http/authority/`).

use bunraku_tests::ca::{Site, ca, ended, let_list_end, list_of, request, site, verifies};
use bunraku_tests::http::Shown;
use bunraku_tests::http::authority::{self, Authority};
use bunraku_tests::http::client::{Client, Connection, exchange};
use bunraku_tests::oracle;
use bunraku_tests::programs::retry;
use rustls::HandshakeKind;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

const AUTOSIGN: &str = "autosign = $confdir/autosign";

/// A program that signs those whose request has a challenge of its own; and a file of names.
fn autosign(site: &Site, is_program: bool) {
    let path = site.folder().join("autosign");
    let text = match is_program {
        true => {
            "#!/bin/sh\n[ \"$1\" = first.example.com ] && openssl req -noout -verify -subject | grep -q \"$1\"\n"
        }
        false => "# nodes\nfirst.example.com\n",
    };
    fs::write(&path, text).expect("files can be written");
    let mode = if is_program { 0o755 } else { 0o644 };
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("modes can be set");
}

#[test]
fn agents_get_their_certificates() {
    for oracle in oracle::seven_and_eight("agents and their certificates") {
        let site = site(AUTOSIGN);
        autosign(&site, oracle.number == 7);
        let compat = oracle.number.to_string();
        let server = site.serve(&["--ca", "--compat", &compat]).expect("the server starts");
        // Who watches it asks for the service by name.
        let watch = |path: &str| {
            let answer = Client::of(site.folder().join("ssl/certs"), server.port())
                .send(None, &bunraku_tests::http::client::request("GET", path, ""));
            let answer = answer.expect("there is an answer");
            (answer.status, String::from_utf8_lossy(&answer.body).into_owned())
        };
        let (status, text) = watch("/status/v1/services/ca");
        assert!(status == 200 && text.contains("\"service_name\":\"ca\""), "{status} {text}");
        assert!(watch("/status/v1/services").1.contains("\"ca\":{"));
        assert_eq!(watch("/status/v1/simple/ca"), (200, "running".to_owned()));
        let run = |name: &str| site.agent(oracle, name, server.port(), &[]).expect("it runs");
        let confdir = site.folder().join("agents/first.example.com/confdir");
        fs::create_dir_all(&confdir).expect("folders can be made");
        let asks = "extension_requests:\n  pp_role: web server\n";
        fs::write(confdir.join("csr_attributes.yaml"), asks).expect("files can be written");
        // One is signed at once, and gets its catalog in the same run.
        let first = run("first.example.com");
        ended(&first, 2);
        assert!(first.out.contains("hello first.example.com web server"), "{}", first.out);
        // Another waits until somebody signs it.
        let second = run("second.example.com");
        ended(&second, 1);
        let listed = ca(&site, &["list"], 0).out;
        assert!(listed.contains("    second.example.com "), "{listed}");
        ca(&site, &["sign", "--certname", "second.example.com"], 0);
        ended(&run("second.example.com"), 2);
        // Whoever is revoked is let in no more.
        ca(&site, &["revoke", "--certname", "second.example.com"], 0);
        std::thread::sleep(Duration::from_millis(1200));
        let revoked = run("second.example.com");
        ended(&revoked, 1);
        ended(&run("first.example.com"), 2);
    }
}

/// Agents of Puppet 8 have theirs renewed; those that the authority does not know any more do not.
#[test]
fn certificates_are_renewed() {
    for oracle in oracle::seven_and_eight("renewals").into_iter().filter(|oracle| oracle.number == 8) {
        let site = site("autosign = true");
        fs::create_dir_all(site.folder().join("puppetserver/conf.d")).expect("folders can be made");
        let conf = "certificate-authority: { allow-auto-renewal: true, auto-renewal-cert-ttl: 10d }\n";
        fs::write(site.folder().join("puppetserver/conf.d/ca.conf"), conf).expect("files can be written");
        let server = site.serve(&["--ca", "--compat", "8"]).expect("the server starts");
        let run =
            |more: &[&str]| site.agent(oracle, "old.example.com", server.port(), more).expect("it runs");
        ended(&run(&[]), 2);
        let certificate = || fs::read_to_string(site.certificate_of("old.example.com")).expect("it is there");
        let before = certificate();
        let renewed = run(&["--hostcert_renewal_interval=9y"]);
        ended(&renewed, 2);
        let after = certificate();
        assert_ne!(before, after, "{}\n{}", renewed.out, renewed.err);
        let kept = fs::read_to_string(site.cadir().join("signed/old.example.com.pem")).expect("it is there");
        assert_eq!(after.trim(), kept.trim());
        verifies(&site, "old.example.com").expect("openssl takes it");
        ended(&run(&[]), 2);
        // The one before is good for nothing new.
        fs::write(site.certificate_of("old.example.com"), &before).expect("files can be written");
        run(&["--hostcert_renewal_interval=9y"]);
        assert_eq!(certificate(), before);
        // Whoever is revoked is revoked with it.
        ca(&site, &["revoke", "--certname", "old.example.com"], 0);
        std::thread::sleep(Duration::from_millis(1200));
        ended(&run(&[]), 1);
        fs::write(site.certificate_of("old.example.com"), &after).expect("files can be written");
        ended(&run(&[]), 1);
    }
}

/// The list that is out of date, or soon will be, is renewed as the server starts; another is left alone.
#[test]
fn the_revocation_list_does_not_run_out() {
    let site = site("");
    ca(&site, &["generate", "--certname", "gone"], 0);
    ca(&site, &["revoke", "--certname", "gone"], 0);
    let (mut number, ..) = list_of(&site);
    let clients = site.folder().join("clients");
    fs::create_dir_all(&clients).expect("folders can be made");
    for (from, to) in [
        ("certs/ca.pem", "ca.pem"),
        ("certs/localhost.pem", "localhost.pem"),
        ("private_keys/localhost.pem", "localhost.key"),
    ] {
        fs::copy(site.folder().join("ssl").join(from), clients.join(to)).expect("files can be copied");
    }
    let month = 30 * 24 * 60 * 60;
    for (seconds, is_renewed) in [(-60, true), (month - 3600, true), (month + 3600, false)] {
        let_list_end(&site, seconds);
        let server = site.serve(&["--ca"]).expect("the server starts");
        let client = Client::of(clients.clone(), server.port());
        let path = "/puppet/v3/environments";
        let asks = bunraku_tests::http::client::request("GET", path, "");
        let answer = client.send(Some("localhost"), &asks).expect("whoever has a certificate is let in");
        assert_eq!(answer.status, 200, "{seconds}: {}", server.said());
        number += u64::from(is_renewed);
        assert_eq!(list_of(&site), (number, is_renewed, 1), "{seconds}: {}", server.said());
        assert!(!server.said().contains("out of date"), "{}", server.said());
    }
}

/// A compile server with a certificate of an authority's, and a configuration that names it.
fn compile_server(authority: &Site, port: u16) -> Site {
    ca(authority, &["generate", "--certname", "compiler", "--subject-alt-names", "localhost"], 0);
    let compiler = Site::new("").expect("a site can be made");
    let (ssl, from) = (compiler.folder().join("ssl"), authority.folder().join("ssl"));
    for folder in ["certs", "private_keys"] {
        fs::create_dir_all(ssl.join(folder)).expect("folders can be made");
    }
    for file in ["certs/ca.pem", "crl.pem", "certs/compiler.pem", "private_keys/compiler.pem"] {
        fs::copy(from.join(file), ssl.join(file)).expect("files can be copied");
    }
    let conf = fs::read_to_string(compiler.folder().join("puppet.conf")).expect("it is there");
    let own = format!("certname = compiler\nca_server = localhost\nca_port = {port}\n");
    let conf = conf.replacen("certname = localhost\n", &own, 1);
    fs::write(compiler.folder().join("puppet.conf"), conf).expect("files can be written");
    compiler
}

/// Renewals that a compile server passes on: as its list of infrastructure nodes says. One that is not on it renews nobody's, and
/// nobody renews another's by a header.
#[test]
fn a_compile_server_has_certificates_renewed() {
    for oracle in oracle::seven_and_eight("renewals passed on").into_iter().filter(|one| one.number == 8) {
        let authority = site("autosign = true");
        let conf = "certificate-authority: { allow-auto-renewal: true, auto-renewal-cert-ttl: 10d }\n";
        fs::create_dir_all(authority.folder().join("puppetserver/conf.d")).expect("folders can be made");
        fs::write(authority.folder().join("puppetserver/conf.d/ca.conf"), conf)
            .expect("files can be written");
        let at = authority.serve(&["--ca", "--compat", "8"]).expect("the server starts");
        let compiler = compile_server(&authority, at.port());
        let server = compiler.serve(&["--compat", "8"]).expect("the server starts");
        let run =
            |more: &[&str]| compiler.agent(oracle, "old.example.com", server.port(), more).expect("it runs");
        ended(&run(&[]), 2);
        let certificate =
            || fs::read_to_string(compiler.certificate_of("old.example.com")).expect("it is there");
        let before = certificate();
        let refused = run(&["--hostcert_renewal_interval=9y"]);
        assert_eq!(before, certificate(), "{}\n{}", refused.out, refused.err);
        let listed = authority.cadir().join("infra_inventory.txt");
        fs::write(&listed, "another\ncompiler\n").expect("files can be written");
        let renewed = run(&["--hostcert_renewal_interval=9y"]);
        ended(&renewed, 2);
        assert_ne!(before, certificate(), "{}\n{}\n{}", renewed.out, renewed.err, server.said());
        verifies(&authority, "old.example.com").expect("openssl takes it");
        ended(&run(&[]), 2);
    }
}

/// Agents that know one server only: it passes on what they ask of the authority.
#[test]
fn a_compile_server_passes_on_to_the_authority() {
    let authority = site("autosign = true");
    let at = authority.serve(&["--ca", "--compat", "7"]).expect("the server starts");
    let compiler = compile_server(&authority, at.port());
    let ssl = compiler.folder().join("ssl");
    // Its copy of the revocation list falls behind before it starts.
    ca(&authority, &["generate", "--certname", "gone"], 0);
    ca(&authority, &["revoke", "--certname", "gone"], 0);
    let server = compiler.serve(&["--compat", "7"]).expect("the server starts");
    let run = |name: &str| compiler.agent(oracle::SEVEN, name, server.port(), &[]).expect("it runs");
    let first = run("node.example.com");
    ended(&first, 2);
    assert!(first.out.contains("hello node.example.com"), "{}", first.out);
    verifies(&authority, "node.example.com").expect("openssl takes it");
    let lists =
        || [ssl.join("crl.pem"), authority.cadir().join("ca_crl.pem")].map(|file| fs::read(file).ok());
    let fetched = retry(Duration::from_secs(20), || match lists() {
        [copy, own] if copy == own => Ok(()),
        _ => Err("it is not fetched".to_owned()),
    });
    fetched.expect("the revocation list is fetched");
    // Whoever has the list is told so by way of it, too.
    fs::copy(ssl.join("certs/ca.pem"), compiler.folder().join("ca.pem")).expect("files can be copied");
    let client = Client::of(compiler.folder().to_path_buf(), server.port());
    let ask = |head: &str| {
        let head = format!("{head}Host: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
        client.send(None, head.as_bytes()).expect("there is an answer").status
    };
    let list = "GET /puppet-ca/v1/certificate_revocation_list/ca HTTP/1.1\r\n";
    assert_eq!(ask(list), 200);
    assert_eq!(ask(&format!("{list}If-Modified-Since: Wed, 01 Jan 2098 00:00:00 GMT\r\n")), 304);
    assert_eq!(ask("GET /puppet-ca/v1/certificate/none HTTP/1.1\r\n"), 404);
    assert_eq!(ask(&format!("{list}Via: 1.1 bunraku\r\n")), 508);
    // Nothing that administers is passed on.
    let refused = compiler.puppetserver_ca(&["list"], server.port());
    if let Ok(refused) = refused {
        ended(&refused, 1);
    }
    // An authority that does not answer is one error.
    drop(at);
    let gone = run("late.example.com");
    ended(&gone, 1);
    assert!(server.says("could not be asked"), "{}", server.said());
}

fn differences(wanted: &[Shown], got: &[Shown]) -> String {
    assert_eq!(wanted.len(), got.len(), "an answer a request: `http -- capture-authority` writes them");
    let line = |answer: &Shown| serde_json::to_string(answer).expect("an answer is JSON");
    let differ = wanted.iter().zip(got).filter(|(wanted, got)| wanted != got);
    let told = |(wanted, got)| format!("wanted {}\ngot    {}\n", line(wanted), line(got));
    differ.map(told).collect()
}

/// Where the answer is meant to be another one, or has a media type where Puppet Server names none.
const OURS: [&str; 4] = ["state of none", "delete a.example.com", "delete b.example.com", "delete none"];

#[test]
fn answers_are_puppet_servers() {
    let made = Authority::new().expect("an authority can be made");
    let server = made.site.serve(&["--ca", "--compat", "7"]).expect("the server starts");
    let mut got = made.ask(server.port()).expect("there are answers");
    let wanted = authority::answers().expect("the answers can be read");
    for (got, wanted) in got.iter_mut().zip(&wanted).filter(|(got, _)| OURS.contains(&got.name.as_str())) {
        assert!(
            wanted.content_type.is_none() && got.content_type.is_some(),
            "{}: `OURS` is too long",
            got.name
        );
        got.content_type = None;
    }
    let differ = differences(&wanted, &got);
    assert!(differ.is_empty(), "{differ}");
}

/// Names that are paths, requests that are damaged, far too many of them: each is an answer, and nothing outside of the folder
/// is read or written.
#[test]
fn strange_requests_are_answered() {
    let made = Authority::new().expect("an authority can be made");
    let server = made.site.serve(&["--ca"]).expect("the server starts");
    let client = Client::of(made.clients.clone(), server.port());
    let send = |client_name: Option<&str>, method: &str, path: &str, headers: &str, body: &[u8]| {
        let head = format!(
            "{method} /puppet-ca/v1/{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n",
            body.len()
        );
        let answer = client.send(client_name, &[head.as_bytes(), body].concat()).expect("there is an answer");
        (answer.status, String::from_utf8_lossy(&answer.body).into_owned())
    };
    for name in ["..%2fca_key", "%2e%2e", "a%00b", "UP", "a%2fb", ".hidden", "%C3%BC"] {
        let (status, body) = send(None, "GET", &format!("certificate/{name}"), "", b"");
        assert!([400, 404].contains(&status) && !body.contains("PRIVATE"), "{name}: {status} {body}");
        let (status, _) = send(None, "GET", &format!("certificate_request/{name}"), "", b"");
        assert!([400, 404].contains(&status), "{name}: {status}");
        let (status, _) = send(Some("localhost"), "DELETE", &format!("certificate_status/{name}"), "", b"");
        assert!([400, 404].contains(&status), "{name}: {status}");
    }
    let good = request(made.site.folder(), "good", &[]);
    let der = String::from_utf8(good.clone()).expect("it is text");
    for (body, least) in [
        (Vec::new(), 400),
        (b"junk".to_vec(), 400),
        (der.replace("REQUEST", "THING").into_bytes(), 400),
        (der.replacen("MI", "MJ", 1).into_bytes(), 400),
        (good[..good.len() / 2].to_vec(), 400),
        (vec![b'-'; 70_000], 413),
    ] {
        let (status, body) =
            send(None, "PUT", "certificate_request/good", "Content-Type: text/plain\r\n", &body);
        assert_eq!(status, least, "{body}");
    }
    // Each byte changed: refused, or it waits; signed it is only if the signature fits.
    let site = &made.site;
    let lines: Vec<&str> = der.lines().collect();
    for place in (0..lines[1].len()).step_by(7) {
        let mut bytes = good.clone();
        let at = lines[0].len() + 1 + place;
        bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
        let (status, _) = send(None, "PUT", "certificate_request/good", "", &bytes);
        assert!([200, 400].contains(&status), "{place}: {status}");
        if status == 200 {
            let signed = site.ca(&["sign", "--certname", "good"]).expect("it runs");
            assert_eq!(signed.status, Some(1), "{place}: {}", signed.out);
            fs::remove_file(site.cadir().join("requests/good.pem")).expect("it waits");
        }
    }
    // Alternative names that are none are no request; nor is a file that is none in the way of others.
    let odd = request(made.site.folder(), "odd", &["-addext", "2.5.29.17=DER:0403AABBCC"]);
    let (status, body) = send(None, "PUT", "certificate_request/odd", "", &odd);
    assert!(status == 400 && body.contains("alternative names"), "{status} {body}");
    // One with signs that move a cursor and begin a line is none either; laid there by hand, it is shown without them.
    let odd =
        request(made.site.folder(), "odd", &["-addext", "2.5.29.17=DER:300D820B45561B5B33316D0D0A4641"]);
    let (status, body) = send(None, "PUT", "certificate_request/odd", "", &odd);
    assert!(status == 400 && body.contains(r"EV\u{1b}[31m\r\nFA"), "{status} {body}");
    fs::write(site.cadir().join("requests/odd.pem"), &odd).expect("files can be written");
    let shown = [ca(site, &["list"], 0), ca(site, &["sign", "--certname", "odd"], 1)];
    let shown = shown.map(|ran| format!("{}{}", ran.out, ran.err)).concat();
    assert!(shown.contains(r"EV\u{1b}[31m\r\nFA") && !shown.contains(['\u{1b}', '\r']), "{shown:?}");
    fs::remove_file(site.cadir().join("requests/odd.pem")).expect("it waits");
    fs::write(site.cadir().join("requests/junk.pem"), "junk").expect("files can be written");
    fs::write(site.cadir().join("signed/junk.pem"), "junk").expect("files can be written");
    let listed = ca(site, &["list", "--all"], 0);
    assert!(listed.out.contains("localhost") && listed.err.contains("junk is left out"), "{}", listed.err);
    let (status, _) = send(Some("localhost"), "GET", "certificate_statuses/x", "", b"");
    assert_eq!(status, 200);
    let key = "-----BEGIN PRIVATE KEY-----";
    let (status, _) =
        send(None, "PUT", "certificate_status/localhost", "", b"{\"desired_state\":\"revoked\"}");
    assert_eq!(status, 403);
    let (status, body) = send(None, "GET", "certificate/ca", "", b"");
    assert!(status == 200 && !body.contains(key), "{status}");
    // Who has the list is told so.
    let since = "If-Modified-Since: Wed, 01 Jan 2098 00:00:00 GMT\r\n";
    assert_eq!(send(None, "GET", "certificate_revocation_list/ca", since, b"").0, 304);
    let before = "If-Modified-Since: Wed, 01 Jan 2020 00:00:00 GMT\r\n";
    assert_eq!(send(None, "GET", "certificate_revocation_list/ca", before, b"").0, 200);
    // Later servers' route to sign many.
    let (status, _) = send(None, "PUT", "certificate_request/good", "", &good);
    assert_eq!(status, 200);
    let names = br#"{"certnames":["good","none"]}"#;
    let (status, body) = send(Some("localhost"), "POST", "sign", "", names);
    assert_eq!(
        (status, body.as_str()),
        (200, r#"{"signed":["good"],"no-csr":["none"],"signing-errors":[]}"#)
    );
    let (status, _) = send(Some("localhost"), "POST", "certificate_renewal", "", b"");
    assert_eq!(status, 404);
    verifies(site, "good").expect("openssl takes it");
}

/// A connection lives as long as its client's certificate, and is not taken up again after that; whose certificate is good goes on,
/// whatever is revoked meanwhile.
#[test]
fn connections_end_with_the_certificate() {
    let site = site("");
    let clients = site.folder().join("clients");
    fs::create_dir_all(&clients).expect("folders can be made");
    fs::copy(site.folder().join("ssl/certs/ca.pem"), clients.join("ca.pem")).expect("files can be copied");
    for (name, time) in [("short", "10s"), ("revoked", "1y"), ("good", "1y")] {
        request(&clients, name, &[]);
        fs::copy(clients.join(format!("{name}.csr")), site.cadir().join(format!("requests/{name}.pem")))
            .expect("files can be copied");
        ca(&site, &["sign", "--certname", name, "--ttl", time], 0);
        fs::copy(site.cadir().join(format!("signed/{name}.pem")), clients.join(format!("{name}.pem")))
            .expect("files can be copied");
    }
    let server = site.serve(&["--ca"]).expect("the server starts");
    let client = Client::of(clients, server.port());
    let ask = |connection: &mut Connection| {
        let head =
            "GET /puppet/v3/environments HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n\r\n";
        exchange(connection, head.as_bytes()).map(|answer| answer.status)
    };
    let [short, revoked, good] =
        ["short", "revoked", "good"].map(|name| client.config(Some(name)).expect("it has a certificate"));
    let mut live = [&short, &revoked, &good].map(|config| client.connect_by(config).expect("it is let in"));
    for connection in &mut live {
        assert_eq!(ask(connection), Ok(200));
    }
    let [mut of_short, mut of_revoked, mut of_good] = live;
    // What was begun by the same is taken up again.
    for config in [&short, &revoked, &good] {
        let mut again = client.connect_by(config).expect("it is let in");
        assert_eq!(ask(&mut again), Ok(200));
        assert_eq!(again.conn.handshake_kind(), Some(HandshakeKind::Resumed));
    }
    ca(&site, &["revoke", "--certname", "revoked"], 0);
    std::thread::sleep(Duration::from_millis(1200));
    assert!(ask(&mut of_revoked).is_err(), "{}", server.said());
    assert!(server.says("(revoked): the connection ends: "), "{}", server.said());
    assert!(client.connect_by(&revoked).and_then(|mut again| ask(&mut again)).is_err(), "{}", server.said());
    assert_eq!(ask(&mut of_good), Ok(200), "{}", server.said());
    let begun = Instant::now();
    while ask(&mut of_short).is_ok() {
        assert!(begun.elapsed() < Duration::from_secs(40), "{}", server.said());
        assert_eq!(ask(&mut of_good), Ok(200), "{}", server.said());
        std::thread::sleep(Duration::from_millis(500));
    }
    assert!(server.says("(short): the connection ends: "), "{}", server.said());
    let again = client.connect_by(&short).and_then(|mut again| ask(&mut again));
    assert!(again.is_err(), "{again:?}: {}", server.said());
    assert_eq!(ask(&mut of_good), Ok(200), "{}", server.said());
}
