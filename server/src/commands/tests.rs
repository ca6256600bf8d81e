//! Commands are accepted, kept and sent; what becomes of them when nobody takes them, or the process ends.

use super::*;
use serde_json::json;
use std::collections::HashSet;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::Stdio;
use std::time::Instant;

const PAUSES: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(50));

fn commands(folder: &Path, limits: Limits, send: Send) -> Commands {
    let spool = Spool::open(folder, limits).unwrap();
    Commands::by(send, "server.example.com", spool, Notices::default(), PAUSES).unwrap()
}

fn facts(number: usize) -> Map<String, Json> {
    Map::from_iter([("values".to_owned(), json!({"number": number}))])
}

fn replace(commands: &Commands, certname: &str, number: usize) -> Result<(), Failure> {
    commands.replace_facts(certname, &facts(number), "production", &Json::Null)
}

/// Keeps what is sent; takes it where `is_there`.
fn receiver(is_there: Arc<Mutex<bool>>) -> (Send, Arc<Mutex<Vec<Command>>>) {
    let kept = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&kept);
    let send: Send = Arc::new(move |command: &Command| match *is_there.lock().unwrap() {
        true => {
            list.lock().unwrap().push(command.clone());
            Sent::Taken
        }
        false => Sent::Away("nobody is there".to_owned()),
    });
    (send, kept)
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn number_of(command: &Command) -> u64 {
    let payload: Json = serde_json::from_slice(&command.payload).unwrap();
    payload["values"]["number"].as_u64().unwrap()
}

#[test]
fn the_newest_facts_of_a_node_are_sent_and_every_report() {
    let folder = tempfile::tempdir().unwrap();
    let is_there = Arc::new(Mutex::new(false));
    let (send, kept) = receiver(Arc::clone(&is_there));
    let commands = commands(folder.path(), Limits::default(), send);
    let report = json!({"environment": "production", "time": "2026-01-02T03:04:05.000000000Z"});
    for number in 0..10 {
        replace(&commands, "a", number).unwrap();
        replace(&commands, "b", number).unwrap();
        commands.store_report("a", report.as_object().unwrap()).unwrap();
    }
    *is_there.lock().unwrap() = true;
    wait_until("all is sent", || commands.waiting() == (0, 0));
    let kept = kept.lock().unwrap();
    let of = |name: &str, certname: &str| {
        kept.iter().filter(|one| one.name == name && one.certname == certname).collect::<Vec<_>>()
    };
    assert_eq!(of("store_report", "a").len(), 10);
    for certname in ["a", "b"] {
        // One may have been taken out for sending before the next came.
        let sent = of("replace_facts", certname);
        assert!(sent.len() <= 3, "{}", sent.len());
        assert_eq!(number_of(sent.last().unwrap()), 9);
    }
}

#[test]
fn a_full_spool_refuses_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let (send, _) = receiver(Arc::new(Mutex::new(false)));
    let commands = commands(folder.path(), Limits { commands: 3, bytes: 1 << 20 }, send);
    for certname in ["a", "b", "c"] {
        replace(&commands, certname, 1).unwrap();
    }
    assert_eq!(replace(&commands, "d", 1).unwrap_err().status, 503);
    assert_eq!(commands.waiting().0, 3);
    assert_eq!(replace(&commands, "../a", 1).unwrap_err().status, 400);
}

#[test]
fn what_waits_is_sent_by_the_next_process() {
    let folder = tempfile::tempdir().unwrap();
    let (send, _) = receiver(Arc::new(Mutex::new(false)));
    let first = commands(folder.path(), Limits::default(), send);
    for number in 0..20 {
        replace(&first, &format!("n{number}"), number).unwrap();
    }
    drop(first);
    // What a writer that was killed has left is none of it.
    std::fs::write(folder.path().join("00/.half.tmp"), "{").unwrap();
    std::fs::write(folder.path().join("00/00000000000000000000-replace_facts-broken"), "no command").unwrap();
    let (send, kept) = receiver(Arc::new(Mutex::new(true)));
    let second = commands(folder.path(), Limits::default(), send);
    wait_until("all is sent", || second.waiting() == (0, 0));
    let kept = kept.lock().unwrap();
    assert_eq!(kept.iter().map(|one| one.certname.clone()).collect::<HashSet<_>>().len(), 20);
    assert!(folder.path().join("refused/00000000000000000000-replace_facts-broken").exists());
}

#[test]
fn a_refused_command_is_put_aside_and_the_others_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let send: Send = Arc::new(|command: &Command| match command.certname.as_str() {
        "bad" => Sent::Refused("400".to_owned()),
        _ => Sent::Taken,
    });
    let (notices, said) = Notices::kept(10);
    let spool = Spool::open(folder.path(), Limits::default()).unwrap();
    let commands = Commands::by(send, "s", spool, notices, PAUSES).unwrap();
    for certname in ["a", "bad", "c"] {
        replace(&commands, certname, 1).unwrap();
    }
    wait_until("all is done", || commands.waiting() == (0, 0));
    assert_eq!(std::fs::read_dir(folder.path().join("refused")).unwrap().count(), 1);
    assert_eq!(
        said.lock().unwrap()[0].message,
        "PuppetDB has refused the 'replace_facts' command for bad: 400"
    );
}

/// Commands that PuppetDB answers with an error stand before nobody, however many they are, and are told of once.
#[test]
fn commands_that_fail_wait_behind_those_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let kept = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&kept);
    let send: Send = Arc::new(move |command: &Command| {
        list.lock().unwrap().push(command.certname.clone());
        match command.certname.starts_with("bad") {
            true => Sent::Failed("500".to_owned()),
            false => Sent::Taken,
        }
    });
    let (notices, said) = Notices::kept(100);
    let spool = Spool::open(folder.path(), Limits::default()).unwrap();
    // Those that have failed are not tried again in this test's time.
    let pauses = (Duration::from_secs(600), Duration::from_secs(600));
    let bad = ["bad1", "bad2", "bad3", "bad4"];
    let commands = Commands::by(send, "s", spool, notices, pauses).unwrap();
    for number in 0..20 {
        if let Some(bad) = bad.get(number) {
            replace(&commands, bad, 1).unwrap();
        }
        replace(&commands, &format!("n{number}"), 1).unwrap();
    }
    wait_until("all others are sent", || commands.waiting().0 == bad.len());
    wait_until("each that fails is told of", || said.lock().unwrap().len() == bad.len());
    let said = said.lock().unwrap();
    assert!(said.iter().all(|one| one.level == "warning" && one.message.ends_with("which waits: 500")));
    assert_eq!(kept.lock().unwrap().iter().filter(|name| name.starts_with("bad")).count(), bad.len());
}

/// What has failed is tried again until it is taken.
#[test]
fn commands_that_fail_are_sent_again() {
    let folder = tempfile::tempdir().unwrap();
    let tries = Arc::new(Mutex::new(0));
    let count = Arc::clone(&tries);
    let send: Send = Arc::new(move |_: &Command| {
        let mut count = count.lock().unwrap();
        *count += 1;
        if *count < 4 { Sent::Failed("500".to_owned()) } else { Sent::Taken }
    });
    let commands = commands(folder.path(), Limits::default(), send);
    replace(&commands, "a", 1).unwrap();
    wait_until("it is taken", || commands.waiting() == (0, 0));
    assert_eq!(*tries.lock().unwrap(), 4);
}

/// The process of [`nothing_accepted_is_lost_when_the_process_is_killed`]: says each number once it is accepted.
#[test]
#[ignore = "started by another test"]
fn accepts_until_it_is_killed() {
    let folder = std::env::var("SPOOL").unwrap();
    let (send, _) = receiver(Arc::new(Mutex::new(false)));
    let commands = commands(Path::new(&folder), Limits::default(), send);
    let mut out = std::fs::OpenOptions::new().append(true).open(std::env::var("ACCEPTED").unwrap()).unwrap();
    for number in 0..1_000_000 {
        replace(&commands, &format!("n{number}"), number).unwrap();
        writeln!(out, "n{number}").unwrap();
    }
}

#[test]
fn nothing_accepted_is_lost_when_the_process_is_killed() {
    for time in [150, 300, 450, 700] {
        let folder = tempfile::tempdir().unwrap();
        let (spool, accepted) = (folder.path().join("spool"), folder.path().join("accepted"));
        std::fs::write(&accepted, "").unwrap();
        let mut child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "commands::tests::accepts_until_it_is_killed"])
            .env("SPOOL", &spool)
            .env("ACCEPTED", &accepted)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait_until("the first is accepted", || std::fs::metadata(&accepted).unwrap().len() > 0);
        std::thread::sleep(Duration::from_millis(time));
        child.kill().unwrap();
        child.wait().unwrap();
        let (send, kept) = receiver(Arc::new(Mutex::new(true)));
        let commands = commands(&spool, Limits::default(), send);
        wait_until("all is sent", || commands.waiting() == (0, 0));
        let kept: HashSet<String> = kept.lock().unwrap().iter().map(|one| one.certname.clone()).collect();
        let accepted = std::fs::read_to_string(&accepted).unwrap();
        // The last line may be cut off; it was accepted all the same.
        let lost: Vec<_> =
            accepted.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')).collect();
        assert!(!lost.is_empty());
        let lost: Vec<_> = lost.into_iter().filter(|name| !kept.contains(*name)).collect();
        assert!(lost.is_empty(), "{lost:?}");
    }
}

/// Answers each request with a status, and hands out what was asked.
fn server(statuses: Vec<u16>) -> (String, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let thread = std::thread::spawn(move || {
        let answer = |status: u16| {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = Vec::new();
            let mut buffer = [0; 4096];
            while !request.ends_with(b"{}") {
                let count = stream.read(&mut buffer).unwrap();
                request.extend_from_slice(&buffer[..count]);
            }
            let head = format!("HTTP/1.1 {status} X\r\nContent-Length: 2\r\nConnection: close\r\n\r\n");
            stream.write_all(format!("{head}{{}}").as_bytes()).unwrap();
            String::from_utf8(request).unwrap()
        };
        statuses.into_iter().map(answer).collect()
    });
    (url, thread)
}

#[test]
fn commands_go_to_the_first_server_that_takes_them_or_to_all() {
    let client = Client::new(&bunraku::Certificates::default(), Duration::from_secs(5)).unwrap();
    let command = Command {
        name: "replace_facts".to_owned(),
        version: 5,
        certname: "a b".to_owned(),
        producer_timestamp: "2026-01-02T03:04:05.678Z".to_owned(),
        payload: b"{}".to_vec(),
    };
    let (down, first) = server(vec![503, 200, 503, 503]);
    let (up, second) = server(vec![200, 200, 400, 500]);
    let servers = |broadcast| PuppetDbServers {
        urls: vec![down.clone(), up.clone()],
        certificates: bunraku::Certificates::default(),
        broadcast,
        include_unchanged_resources: false,
        include_catalog_edges: true,
    };
    let (notices, said) = Notices::kept(10);
    let reached = Reached::new(notices);
    let send = |broadcast| send(&client, &servers(broadcast), &reached, &command);
    assert_eq!(send(None), Sent::Taken);
    assert_eq!(send(Some(2)), Sent::Taken);
    // What a server that answers refuses is refused, whatever the other would say.
    assert_eq!(send(None), Sent::Refused(format!("{up}: 400 {{}}")));
    assert_eq!(send(None), Sent::Failed(format!("{down}: 503 {{}}; {up}: 500 {{}}")));
    first.join().unwrap();
    let asked = second.join().unwrap();
    assert!(matches!(send(None), Sent::Away(_)), "nobody is there any more");
    let line = "POST /pdb/cmd/v1?version=5&certname=a%20b&command=replace_facts&producer-timestamp=2026-01-02T03%3A04%3A05.678Z HTTP/1.1\r\n";
    assert!(asked[0].starts_with(line), "{}", asked[0]);
    // Each is told of when it goes and when it is back, and not for each command.
    let said: Vec<String> = said.lock().unwrap().iter().map(|one| one.message.clone()).collect();
    assert_eq!(said.len(), 4, "{said:?}");
    assert_eq!(said[0], format!("PuppetDB at {down} can't be reached: 503 {{}}"));
    assert_eq!(said[1], format!("PuppetDB at {down} can be reached again"));
    assert_eq!(said[2], said[0]);
    assert!(said[3].starts_with(&format!("PuppetDB at {up} can't be reached: ")), "{}", said[3]);
}
