//! Nodes from LDAP, by a real server (`slapd`), plain and by TLS, and by servers that mean harm. What the directory makes
//! of each node is what the terminus of Puppet 5, the last to have one, made of the same entries, with the settings'
//! names of attributes spelt as in the schema.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use bunraku_nodes::ldap::{self, Security, Server, Settings};
use bunraku_process::Limits;
use bunraku_tests::bunraku;
use bunraku_tests::programs::free_port;
use bunraku_tests::slapd::{ADMIN, PASSWORD, Slapd};
use serde_json::{Value, json};

const HOSTS: &str = "ou=Hosts,dc=example,dc=com";

const ENTRIES: &str = "\
dn: ou=Hosts,dc=example,dc=com
objectClass: organizationalUnit
ou: Hosts

dn: cn=default,ou=Hosts,dc=example,dc=com
objectClass: device
objectClass: puppetClient
puppetClass: fallback
puppetVar: tier=none

dn: cn=base,ou=Hosts,dc=example,dc=com
objectClass: device
objectClass: puppetClient
puppetClass: ntp
puppetClass: ssh
description: base desc
environment: staging
puppetVar: colour=blue
puppetVar: on=true

dn: cn=mid,ou=Hosts,dc=example,dc=com
objectClass: device
objectClass: puppetClient
parentNode: base
puppetClass: ssh
puppetClass: mid
puppetVar: colour=green
l: Bern
l: Basel

dn: cn=web,ou=Hosts,dc=example,dc=com
objectClass: device
objectClass: ipHost
objectClass: puppetClient
ipHostNumber: 192.0.2.1
parentNode: mid
puppetClass: web
puppetVar: size=10
puppetVar: off=false
puppetVar: eq=a=b
serialNumber: true
description:: w7xiZXI=

dn: cn=plain.example.com,ou=Hosts,dc=example,dc=com
objectClass: device
objectClass: puppetClient

dn: cn=looped,ou=Hosts,dc=example,dc=com
objectClass: device
objectClass: puppetClient
parentNode: looped2

dn: cn=looped2,ou=Hosts,dc=example,dc=com
objectClass: device
objectClass: puppetClient
parentNode: looped

dn: cn=orphan,ou=Hosts,dc=example,dc=com
objectClass: device
objectClass: puppetClient
parentNode: nobody

dn: cn=twins,ou=Hosts,dc=example,dc=com
objectClass: device
objectClass: puppetClient
parentNode: mid
parentNode: base

dn: cn=clash,ou=Hosts,dc=example,dc=com
objectClass: device
objectClass: puppetClient
puppetVar: description=var
description: attr

dn: cn=facty,ou=Hosts,dc=example,dc=com
objectClass: device
objectClass: puppetClient
puppetVar: kernel=Plan9

dn: cn=a*(b)\\\\c,ou=Hosts,dc=example,dc=com
objectClass: device
objectClass: puppetClient
puppetVar: odd=yes
";

/// What every node says of itself; classes say that they are there.
const SITE: &str = "
class web { notice('class web') } class ssh { notice('class ssh') } class mid { notice('class mid') }
class ntp { notice('class ntp') } class base { notice('class base') } class fallback { notice('class fallback') }
$names = ['dn', 'cn', 'puppetvar', 'puppetclass', 'parentnode', 'iphostnumber', 'serialnumber', 'description', 'l',
  'size', 'off', 'eq', 'colour', 'on', 'tier', 'odd', 'kernel']
$names.each |$name| { $value = getvar($name) if $value =~ NotUndef { notice(\"${name}: ${value}\") } }
notice(\"environment: ${environment}\")
";

struct Ended {
    status: Option<i32>,
    out: String,
    err: String,
}

impl Ended {
    fn notices(&self) -> Vec<&str> {
        assert_eq!(self.status, Some(0), "{}", self.err);
        self.err.lines().filter_map(|line| line.strip_prefix("Notice: ")).collect()
    }

    fn error(&self) -> &str {
        assert_eq!(self.status, Some(1), "{}", self.err);
        let errors: Vec<&str> = self.err.lines().filter_map(|line| line.strip_prefix("Error: ")).collect();
        assert_eq!(errors.len(), 1, "{}", self.err);
        errors[0]
    }
}

fn compile(arguments: &[&str]) -> Ended {
    let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
    command.args(["compile", "--no-strict_variables", "--node_terminus", "ldap"]).args(arguments);
    let output = command.stdin(Stdio::null()).output().expect("Bunraku starts");
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(!err.contains("panicked") && !err.contains(PASSWORD), "{err}");
    Ended { status: output.status.code(), out, err }
}

fn started(rules: &str) -> Option<Slapd> {
    match Slapd::start(ENTRIES, rules).expect("what is installed starts") {
        Ok(server) => Some(server),
        Err(why) => {
            eprintln!("SKIPPED ldap: 1 test, since {why}");
            None
        }
    }
}

#[test]
fn a_directory_gives_classes_variables_and_environment() {
    let Some(server) = started("") else { return };
    let port = server.port.to_string();
    let folder = tempfile::tempdir().expect("a folder can be made");
    for environment in ["production", "staging"] {
        let manifests = folder.path().join(environment).join("manifests");
        std::fs::create_dir_all(&manifests).expect("a folder can be made");
        std::fs::write(manifests.join("site.pp"), SITE).expect("a file can be written");
    }
    let production = folder.path().join("production").display().to_string();
    let of =
        ["--ldapserver", "127.0.0.1", "--ldapport", &port, "--ldapbase", HOSTS, "--environment", &production];
    let ask = |more: &[&str]| compile(&[&of[..], more].concat());

    // A node with two generations of parents, by its short name as well.
    for name in ["web", "web.dom.ain"] {
        let mut told = ask(&[name]);
        let catalog: Value = serde_json::from_str(&std::mem::take(&mut told.out)).expect("a catalog");
        assert_eq!(catalog["environment"], "staging");
        assert_eq!(
            catalog["classes"],
            json!(["web", "ssh", "mid", "ntp", "settings", "web", "ssh", "mid", "ntp"])
        );
        let wanted = [
            "dn: cn=web,ou=Hosts,dc=example,dc=com",
            "cn: web",
            "puppetvar: [size=10, off=false, eq=a=b]",
            "puppetclass: web",
            "parentnode: mid",
            "iphostnumber: 192.0.2.1",
            "serialnumber: true",
            "description: über",
            "l: [Bern, Basel]",
            "size: 10",
            "off: false",
            "eq: a=b",
            "colour: green",
            "on: true",
            "environment: staging",
            "class web",
            "class ssh",
            "class mid",
            "class ntp",
        ];
        assert_eq!(told.notices(), wanted);
    }
    let default = ask(&["other.example.com"]);
    assert_eq!(
        default.notices()[1..],
        [
            "cn: default",
            "puppetvar: tier=none",
            "puppetclass: fallback",
            "tier: none",
            "environment: production",
            "class fallback"
        ]
    );
    assert_eq!(ask(&["plain.example.com"]).notices()[1], "cn: plain.example.com");

    // A name is a name, whatever it means in filters; the directory says what it says.
    assert_eq!(ask(&["a*(b)\\c"]).notices()[3], "odd: yes");
    assert_eq!(ask(&["w*b"]).notices()[1], "cn: default");
    assert_eq!(ask(&["x)(cn=web"]).notices()[1], "cn: default");
    let error = |more: &[&str]| ask(more).error().to_owned();
    assert_eq!(
        error(&["looped"]),
        "Failed when searching for node looped: Found loop in LDAP node parents; looped appears twice"
    );
    assert_eq!(
        error(&["orphan"]),
        "Failed when searching for node orphan: Could not find parent node 'nobody'"
    );
    assert_eq!(
        error(&["twins"]),
        "Failed when searching for node twins: Node entry cn=twins,ou=Hosts,dc=example,dc=com specifies more than one \
         parent: [\"mid\", \"base\"]"
    );
    assert_eq!(error(&["clash"]), "Cannot reassign variable '$description' on node clash");

    // Facts give way to stacked variables, and must not have the names of attributes.
    let facts = folder.path().join("facts.json");
    std::fs::write(&facts, r#"{"kernel": "Linux", "cn": "x"}"#).expect("a file can be written");
    let facts = facts.display().to_string();
    assert_eq!(error(&["--facts", &facts, "facty"]), "Cannot reassign variable '$cn' on node facty");
    let told = ask(&["--facts", &facts, "--ldapattrs", "puppetvar", "facty"]);
    assert_eq!(told.notices()[3], "kernel: Plan9");

    // The settings: some attributes only, others for classes, none for parents, another filter.
    let told = ask(&["--ldapattrs", "description , puppetvar", "--ldapparentattr", "", "web"]);
    assert_eq!(
        told.notices()[1..],
        [
            "puppetvar: [size=10, off=false, eq=a=b]",
            "puppetclass: web",
            "description: über",
            "size: 10",
            "off: false",
            "eq: a=b",
            "environment: production",
            "class web"
        ]
    );
    let told = ask(&["--ldapclassattrs", "cn,puppetclass", "--ldapstackedattrs", "l", "mid"]);
    assert_eq!(told.notices().last(), Some(&"class ntp"));
    assert_eq!(told.notices().iter().filter(|line| line.starts_with("colour")).count(), 0);
    assert_eq!(
        ask(&["--ldapstring", "(ipHostNumber=%s)", "--ldapparentattr", "", "192.0.2.1"]).notices()[1],
        "cn: web"
    );
    assert_eq!(error(&["--ldapstring", "(l=%s)", "web"]), "Could not find node 'web'; cannot compile");
    let told = ask(&[
        "-e",
        "notice($settings::ldapbase, $settings::ldapport, $settings::ldappassword)",
        "--ldapclassattrs",
        "",
        "--ldapparentattr",
        "",
        "web",
    ]);
    assert_eq!(told.notices(), [format!("{HOSTS} {port} ")]);
}

#[test]
fn who_may_read_is_known_by_password_and_tls() {
    let rules = "require authc\ndisallow bind_anon\nsecurity tls=1";
    let Some(server) = started(rules) else { return };
    let (port, tls_port) = (server.port.to_string(), server.tls_port.to_string());
    let authority = server.file("ca.pem").display().to_string();
    let secret = server.file("secret");
    std::fs::write(&secret, format!("{PASSWORD}\n")).expect("a file can be written");
    let secret = secret.display().to_string();
    let ask = |host: &str, more: &[&str]| {
        let of = ["-e", SITE, "--ldapserver", host, "--ldapbase", HOSTS, "web"];
        compile(&[&of[..], more].concat())
    };
    let by = ["--ldapuser", ADMIN, "--ldappassword-file", &secret];
    let tls = ["--localcacert", &authority, "--ldapssl", "--ldapport", &tls_port];
    let start = ["--localcacert", &authority, "--ldaptls", "--ldapport", &port];
    for (host, way) in [("localhost", &tls), ("127.0.0.1", &tls), ("localhost", &start)] {
        assert_eq!(ask(host, &[&by[..], way].concat()).notices()[1], "cn: web");
    }
    let inline = ["--ldapuser", ADMIN, "--ldappassword", PASSWORD];
    assert_eq!(ask("localhost", &[&inline[..], &tls].concat()).notices()[1], "cn: web");

    let error = |host: &str, more: &[&str]| {
        let error = ask(host, more).error().to_owned();
        let error = error.strip_prefix("Failed when searching for node web: ").expect("it says what failed");
        error.strip_prefix("Could not connect to LDAP").expect("it says what failed").to_owned()
    };
    let wrong = ["--ldapuser", ADMIN, "--ldappassword", "guess"];
    assert_eq!(error("localhost", &[&wrong[..], &tls].concat()), ": the server says invalidCredentials (49)");
    let nobody = error("localhost", &tls);
    assert_eq!(nobody, ": the server says inappropriateAuthentication (48): anonymous bind disallowed");
    let plain = error("localhost", &[&by[..], &["--ldapport", &port]].concat());
    assert_eq!(plain, ": the server says confidentialityRequired (13): TLS confidentiality required");
    // Nobody is believed but who is signed by the authority.
    let other = tempfile::tempdir().expect("a folder can be made");
    bunraku_tests::certificates::make(other.path(), &[]).expect("openssl makes an authority");
    let other = other.path().join("ca.pem").display().to_string();
    let unbelieved = ["--localcacert", &other, "--ldapssl", "--ldapport", &tls_port];
    let said = error("localhost", &[&by[..], &unbelieved].concat());
    assert!(said.starts_with(&format!(" at localhost:{tls_port}: invalid peer certificate")), "{said}");
    let said = error("localhost", &["--ldapssl", "--ldapport", &tls_port]);
    assert!(said.ends_with("signs the server (--localcacert)"), "{said}");
    let said = error("localhost", &["--ldapssl", "--ldapport", &port, "--localcacert", &authority]);
    assert!(said.starts_with(&format!(" at localhost:{port}: ")), "{said}");
    // Without TLS, an authority is of no use.
    assert_eq!(ask("localhost", &["--localcacert", &authority]).status, Some(2));
}

/// What servers that mean harm do with a connection.
fn serve(connection: impl Fn(std::net::TcpStream) + Send + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
    let port = listener.local_addr().expect("it has an address").port();
    std::thread::spawn(move || listener.incoming().flatten().for_each(connection));
    port
}

/// A bind that is taken.
const BOUND: &[u8] = b"\x30\x0c\x02\x01\x01\x61\x07\x0a\x01\x00\x04\x00\x04\x00";
/// An entry with classes, as the answer to the second request.
const ENTRY: &[u8] = b"\x30\x28\x02\x01\x02\x64\x23\x04\x04cn=a\x30\x1b\x30\x19\x04\x0bpuppetClass\x31\x0a\x04\x03one\x04\x03two";
/// The end of a search.
const DONE: &[u8] = b"\x30\x0c\x02\x01\x02\x65\x07\x0a\x01\x00\x04\x00\x04\x00";

/// Answers each request of a connection by one of some texts, then closes it.
fn answering(answers: Vec<Vec<u8>>) -> impl Fn(std::net::TcpStream) + Send + 'static {
    move |mut stream| {
        for answer in &answers {
            if stream.read(&mut [0; 4096]).is_err() || stream.write_all(answer).is_err() {
                return;
            }
        }
    }
}

fn ask(port: u16, limits: Limits) -> Result<Value, String> {
    let server = Server { host: "127.0.0.1".to_owned(), port, security: Security::None };
    let text = str::to_owned;
    let settings = Settings {
        base: text(HOSTS),
        user: text(ADMIN),
        password: text(PASSWORD),
        filter: text("(cn=%s)"),
        class_attributes: text("puppetclass"),
        parent_attribute: text("parentnode"),
        attributes: text("all"),
        stacked_attributes: text("puppetvar"),
    };
    let begin = Instant::now();
    let found = ldap::classify(&server, &settings, "web", None, limits);
    assert!(begin.elapsed() < limits.time + Duration::from_secs(5));
    found.map(|found| json!([found.classes, found.parameters]))
}

#[test]
fn servers_that_mean_harm_are_one_error_within_the_limit() {
    let limits = Limits { time: Duration::from_secs(1), bytes: 1 << 20 };
    let error = |port: u16| {
        let error = ask(port, limits).expect_err("no such server gives a node");
        assert!(!error.contains(PASSWORD), "{error}");
        let error = error.strip_prefix("Failed when searching for node web: ").expect("it says what failed");
        error.replace(&port.to_string(), "PORT")
    };
    let answers =
        |answers: &[&[u8]]| serve(answering(answers.iter().map(|answer| answer.to_vec()).collect()));
    let search = |what: &str| format!("LDAP Search failed: {what}");
    let late = "the server took more than 1 seconds (setting exec_timeout)";
    let no_ldap = "the server's answer is no LDAP";

    // Nobody is there; nobody says a word; nobody waits.
    let refused = error(free_port().expect("there is a port"));
    assert!(
        refused.starts_with("Could not connect to LDAP at 127.0.0.1:PORT: Connection refused"),
        "{refused}"
    );
    let hangs = serve(|stream| {
        std::thread::sleep(Duration::from_secs(20));
        drop(stream);
    });
    assert_eq!(error(hangs), search(late));
    let gone = error(answers(&[b""]));
    assert!(gone.contains("the server closed the connection") || gone.contains("reset"), "{gone}");
    // It goes on for ever, by the byte or by the megabyte.
    let drips = serve(|mut stream| {
        let _ = stream.write_all(b"\x30\x84\x7f\xff\xff\xff");
        while stream.write_all(b"\x04").is_ok() {
            std::thread::sleep(Duration::from_millis(50));
        }
    });
    assert_eq!(error(drips), search(late));
    let pours = serve(|mut stream| {
        let _ = stream.write_all(b"\x30\x84\x7f\xff\xff\xff");
        while stream.write_all(&[4; 4096]).is_ok() {}
    });
    assert_eq!(error(pours), search("the server sent more than 1048576 bytes (setting exec_output)"));
    let entries = serve(|mut stream| {
        let _ = stream.read(&mut [0; 4096]);
        let _ = stream.write_all(BOUND);
        let _ = stream.read(&mut [0; 4096]);
        while stream.write_all(ENTRY).is_ok() {}
    });
    assert_eq!(error(entries), search("the server sent more than 1048576 bytes (setting exec_output)"));
    // It stops in the middle.
    let half = error(answers(&[BOUND, &ENTRY[..20]]));
    assert_eq!(half, search("the server closed the connection in the middle of an answer"));
    assert_eq!(error(answers(&[BOUND, ENTRY])), search("the server closed the connection without an answer"));
    // It says something else: of another protocol, nested a hundred thousand deep, to another request, of another kind.
    assert_eq!(error(answers(&[b"HTTP/1.1 400 Bad Request\r\n\r\n"])), search(no_ldap));
    let deep = [&b"\x30\x83\x07\xa1\x20"[..], &b"\x30\x83\x07\xa1\x1b".repeat(100_000)].concat();
    assert_eq!(error(answers(&[&deep])), search(no_ldap));
    assert_eq!(error(answers(&[DONE])), search(no_ldap));
    assert_eq!(error(answers(&[BOUND, BOUND])), search(no_ldap));
    assert_eq!(error(answers(&[b"\x30\x00"])), search(no_ldap));
    // It says so itself.
    let leaves = b"\x30\x11\x02\x01\x00\x78\x0c\x0a\x01\x34\x04\x00\x04\x05\x1b[31m".to_vec();
    assert_eq!(error(answers(&[&leaves])), search("the server closes the connection: \\u{1b}[31m"));
    let refers = b"\x30\x1b\x02\x01\x02\x65\x16\x0a\x01\x0a\x04\x00\x04\x00\xa3\x0d\x04\x0bldap://x/dc";
    assert_eq!(
        error(answers(&[BOUND, refers])),
        search("the server says referral (10) to ldap://x/dc, and referrals are not followed")
    );
    let reference = [&b"\x30\x12\x02\x01\x02\x73\x0d\x04\x0bldap://x/dc"[..], DONE].concat();
    assert_eq!(
        error(answers(&[BOUND, &reference])),
        search("the server refers to ldap://x/dc, and referrals are not followed")
    );
}

#[test]
fn broken_answers_never_panic() {
    let limits = Limits { time: Duration::from_millis(100), bytes: 1 << 20 };
    let whole = [ENTRY, DONE].concat();
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed % below as u64).expect("it is below")
    };
    let wanted = json!([["one", "two"], {"puppetclass": ["one", "two"], "dn": "cn=a"}]);
    assert_eq!(ask(serve_once(vec![BOUND.to_vec(), whole.clone()]), limits), Ok(wanted));
    let mut fine = 0;
    for _ in 0..500 {
        let mut answers = [BOUND.to_vec(), whole.clone()];
        for _ in 0..=random(2) {
            let answer = &mut answers[random(2)];
            if answer.is_empty() {
                continue;
            }
            let place = random(answer.len());
            match random(3) {
                0 => answer[place] ^= 1 << random(8),
                1 => answer[place] = u8::try_from(random(256)).expect("a byte"),
                _ => answer.truncate(place),
            }
        }
        fine += usize::from(ask(serve_once(answers.to_vec()), limits).is_ok());
    }
    assert!(0 < fine && fine < 500, "{fine}");
}

/// A server for one connection.
fn serve_once(answers: Vec<Vec<u8>>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
    let port = listener.local_addr().expect("it has an address").port();
    std::thread::spawn(move || listener.accept().map(|(stream, _)| answering(answers)(stream)));
    port
}
