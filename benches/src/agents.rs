//! The compile server under the requests of whole runs: four machines of the control repo, over TLS on this machine. Clients and
//! server share the cores, so what is counted is the processor's time that the server's process takes; how long answers take is
//! measured at the clients, which ask one after the other.

use crate::results::{Figures, number};
use bunraku_tests::authority::{Ask, Authority};
use bunraku_tests::corpus::fetch;
use bunraku_tests::http::bunraku_server::BunrakuServer;
use bunraku_tests::http::client::{self, Client};
use bunraku_tests::http::puppet_server::PuppetServer;
use bunraku_tests::http::{self, Request};
use bunraku_tests::{control_repo, paths};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

const MACHINES: [&str; 4] = ["lb01", "web01", "db01", "app01"];
/// Clients that ask at once.
const CLIENTS: usize = 3;
/// Resources in a report.
const REPORTED: usize = 200;

/// Who answers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bunraku,
    /// The one that is installed.
    PuppetServer,
}

/// A server that answers.
enum Running {
    Bunraku(BunrakuServer),
    PuppetServer(PuppetServer),
}

impl Running {
    fn id(&self) -> u32 {
        match self {
            Running::Bunraku(server) => server.id(),
            Running::PuppetServer(server) => server.id(),
        }
    }

    fn port(&self) -> u16 {
        match self {
            Running::Bunraku(server) => server.port(),
            Running::PuppetServer(server) => server.port(),
        }
    }
}

/// What is asked for again and again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Work {
    /// Catalogs, on a connection that is kept.
    Catalogs,
    /// What there is of plugins, on a connection that is kept.
    Plugins,
    /// Plugins, a catalog and a report, on a connection of its own: what an agent asks for when nothing has changed.
    Runs,
}

/// How the server is asked.
#[derive(Clone, Copy)]
struct Row {
    name: &'static str,
    server: Kind,
    work: Work,
    arguments: &'static [&'static str],
    is_rsa: bool,
    zips: bool,
    /// What part of as many as the first row's server has answered is asked for, if not as much as it can: then one is asked for at
    /// its time, and how long it takes is counted from there.
    load: Option<f64>,
}

/// Catalogs from archives, for clients with EC keys.
const ROW: Row = Row {
    name: "",
    server: Kind::Bunraku,
    work: Work::Catalogs,
    arguments: &["--archives"],
    is_rsa: false,
    zips: false,
    load: None,
};

const ROWS: [Row; 10] = [
    Row { name: "catalogs, from archives, EC", ..ROW },
    Row { name: "the same at 80 % of that", load: Some(0.8), ..ROW },
    Row {
        name: "catalogs, from archives, EC, one thread",
        arguments: &["--archives", "--threads", "1"],
        ..ROW
    },
    Row {
        name: "catalogs, from archives, EC, 16 threads",
        arguments: &["--archives", "--threads", "16"],
        ..ROW
    },
    Row { name: "lists of plugins, EC", work: Work::Plugins, ..ROW },
    Row { name: "catalogs, from sources, EC", arguments: &[], ..ROW },
    Row {
        name: "catalogs, from archives, EC, gzip",
        arguments: &["--archives", "--compress"],
        zips: true,
        ..ROW
    },
    Row { name: "runs, from archives, EC", work: Work::Runs, ..ROW },
    Row { name: "runs, from archives, RSA 4096", work: Work::Runs, is_rsa: true, ..ROW },
    Row {
        name: "runs, from archives, RSA 4096, gzip",
        work: Work::Runs,
        arguments: &["--archives", "--compress"],
        is_rsa: true,
        zips: true,
        ..ROW
    },
];

/// The same of a Puppet Server, without what it does not have.
const BESIDE: [Row; 2] = [
    Row { name: "Puppet Server: catalogs, EC", server: Kind::PuppetServer, arguments: &[], ..ROW },
    Row {
        name: "Puppet Server: runs, EC",
        server: Kind::PuppetServer,
        work: Work::Runs,
        arguments: &[],
        ..ROW
    },
];

/// The table, each row measured for so long. With `beside`, the installed Puppet Server is asked the same, once it has answered what
/// each machine asks for that many times: its code is compiled while it runs.
///
/// # Errors
/// When the modules can't be fetched, a server does not start, or an answer is none.
pub fn report(time: Duration, beside: Option<usize>) -> Result<String, String> {
    fetch::fetch()?;
    let work = tempfile::tempdir().map_err(|error| error.to_string())?;
    let authority = site(work.path())?;
    let mut text = String::from(
        "| | a second of the server's processor | median, ms | 99th of 100, ms | memory, MiB | ready, ms |\n\
         | --- | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let mut most = None;
    for row in &ROWS {
        let (line, rate) = measure(work.path(), &authority, row, (time, 1), most)?;
        most.get_or_insert(rate);
        let _ = writeln!(text, "{line}");
    }
    for row in BESIDE.iter().filter(|_| beside.is_some()) {
        let rounds = beside.unwrap_or_default().max(1);
        let _ = writeln!(text, "{}", measure(work.path(), &authority, row, (time, rounds), None)?.0);
    }
    Ok(text)
}

/// Lays out certificates, configuration, environment and archive.
fn site(work: &Path) -> Result<Authority, String> {
    let told = |error: std::io::Error| error.to_string();
    let authority = Authority::new(&work.join("ssl"), "Authority of the bench")?;
    let server = Ask {
        names: Some("DNS:localhost".into()),
        subject: Some("/CN=server.example.com".into()),
        ..Ask::default()
    };
    authority.issue("server", &server)?;
    for machine in MACHINES {
        let subject = Some(format!("/CN={machine}.example.com"));
        authority.issue(machine, &Ask { subject, ..Ask::default() })?;
    }
    authority.issue_rsa("rsa", &server)?;
    let environments = work.join("environments");
    fs::create_dir_all(work.join("conf")).map_err(told)?;
    paths::copy(&control_repo::root(), &environments.join("production"));
    let archives = work.join("archives/production");
    fs::create_dir_all(&archives).map_err(told)?;
    configure(work, "server")?;
    let mut build = Command::new(bunraku_tests::bunraku::binary()?);
    build
        .args(["build", "--embed", "--environment", "production", "--compat", "7", "--confdir"])
        .arg(work.join("conf"));
    build.arg("-o").arg(archives.join("one.bnr"));
    let built = build.output().map_err(told)?;
    if !built.status.success() {
        return Err(format!("{build:?}: {}", String::from_utf8_lossy(&built.stderr)));
    }
    std::os::unix::fs::symlink("one.bnr", archives.join("current")).map_err(told)?;
    Ok(authority)
}

fn configure(work: &Path, key: &str) -> Result<(), String> {
    let at = work.display();
    let modules = paths::modules();
    let text = format!(
        "[main]\ncertname = server.example.com\nvardir = {at}/var\nenvironmentpath = {at}/environments\n\
         basemodulepath = {}\nhostcert = {at}/ssl/{key}.pem\nhostprivkey = {at}/ssl/{key}.key\nlocalcacert = {at}/ssl/ca.pem\n\
         hostcrl = {at}/ssl/crl.pem\n[server]\nreports = store\nstrict = warning\nstrict_variables = false\n\
         environment_timeout = unlimited\n",
        modules.display()
    );
    fs::write(work.join("conf/puppet.conf"), text).map_err(|error| error.to_string())
}

/// Starts the server of a row, and says how long that took.
fn start(work: &Path, authority: &Authority, row: &Row) -> Result<(Running, Duration), String> {
    configure(work, if row.is_rsa { "rsa" } else { "server" })?;
    let begun = Instant::now();
    if row.server == Kind::PuppetServer {
        let server = PuppetServer::start_at(work, &work.join("conf"), authority)?;
        return Ok((Running::PuppetServer(server), begun.elapsed()));
    }
    let archives = work.join("archives").display().to_string();
    let mut arguments = vec!["--compat", "7"];
    for argument in row.arguments {
        arguments.push(argument);
        if *argument == "--archives" {
            arguments.push(&archives);
        }
    }
    let log = work.join("access").display().to_string();
    arguments.extend(["--access-log", &log]);
    let server = BunrakuServer::start_at(work.join("conf"), &arguments)?;
    Ok((Running::Bunraku(server), begun.elapsed()))
}

/// A row's line, and how many answers there were in a second. `most` is how many the first row had.
fn measure(
    work: &Path,
    authority: &Authority,
    row: &Row,
    (time, rounds): (Duration, usize),
    most: Option<f64>,
) -> Result<(String, f64), String> {
    let (server, ready) = start(work, authority, row)?;
    let client = Client::new(authority, server.port());
    let requests: Vec<Vec<Vec<u8>>> =
        MACHINES.iter().map(|machine| requests(row, machine)).collect::<Result<_, _>>()?;
    // So that everything is warm.
    for _ in 0..rounds {
        for (machine, requests) in MACHINES.iter().zip(&requests) {
            run(&client, machine, requests)?;
        }
    }
    let pace = row.load.zip(most).map(|(load, most)| Duration::from_secs_f64(CLIENTS as f64 / (load * most)));
    let (before, times, end) = (processor(server.id())?, Mutex::new(Figures::new()), Instant::now() + time);
    let done: Result<Vec<usize>, String> = std::thread::scope(|scope| {
        let one = |first: usize| {
            let (client, requests, times) = (&client, &requests, &times);
            scope.spawn(move || ask(client, row.work, requests, (first, pace), end, times))
        };
        let threads: Vec<_> = (0..CLIENTS).map(one).collect();
        threads.into_iter().map(|thread| thread.join().map_err(|_| "a client panicked".to_owned())?).collect()
    });
    let (done, spent) = (done?.iter().sum::<usize>(), processor(server.id())? - before);
    let times = times.into_inner().map_err(|_| "a client panicked")?;
    let line = format!(
        "| {} | {} | {} | {} | {} | {} |",
        row.name,
        number(done as f64 / spent),
        number(times.median()),
        number(times.share(0.99)),
        number(memory(server.id())?),
        number(ready.as_secs_f64() * 1e3)
    );
    Ok((line, done as f64 / time.as_secs_f64()))
}

/// What a machine's agent asks for.
fn requests(row: &Row, machine: &str) -> Result<Vec<Vec<u8>>, String> {
    let name = format!("{machine}.example.com");
    let text = fs::read_to_string(control_repo::facts(&name)).map_err(|error| error.to_string())?;
    let facts: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let values = facts.get("values").cloned().unwrap_or(facts);
    let list = |mount: &str, more: &str| Request {
        path: format!("/puppet/v3/file_metadatas/{mount}?{more}&checksum_type=sha256&environment=production"),
        ..Request::default()
    };
    let all = "recurse=true&max_files=-1&ignore=.svn&ignore=CVS&ignore=.git&ignore=.hg&links=follow&source_permissions=";
    let catalog = Request {
        facts: Some(values),
        path: format!("/puppet/v3/catalog/{name}?environment=production"),
        ..Request::default()
    };
    let asked = match row.work {
        Work::Catalogs => vec![catalog],
        Work::Plugins => vec![list("plugins", &format!("{all}ignore"))],
        Work::Runs => vec![
            list("plugins", "recurse=false&links=manage&source_permissions=ignore"),
            list("pluginfacts", &format!("{all}use")),
            list("plugins", &format!("{all}ignore")),
            catalog,
            Request {
                method: Some("PUT".into()),
                content_type: Some("application/json".into()),
                body: Some(report_of(&name)?),
                path: format!("/puppet/v3/report/{name}?environment=production"),
                ..Request::default()
            },
        ],
    };
    let bytes = |request: &Request| {
        let bytes = http::bytes(request, true);
        if !row.zips {
            return bytes;
        }
        let end = bytes.windows(2).position(|window| window == b"\r\n").unwrap_or_default() + 2;
        [&bytes[..end], b"Accept-Encoding: gzip\r\n", &bytes[end..]].concat()
    };
    Ok(asked.iter().map(bytes).collect())
}

/// A report of many resources that are as they should be.
fn report_of(name: &str) -> Result<String, String> {
    let text =
        fs::read_to_string(paths::spec().join("http/report.json")).map_err(|error| error.to_string())?;
    let mut report: Value =
        serde_json::from_str(&text.replace("HOST", name)).map_err(|error| error.to_string())?;
    let one = report["resource_statuses"]["Notify[x]"].clone();
    let mut all = serde_json::Map::new();
    for n in 0..REPORTED {
        let mut status = one.clone();
        (status["title"], status["changed"], status["events"]) =
            (json!(format!("x{n}")), json!(false), json!([]));
        status["resource"] = json!(format!("Notify[x{n}]"));
        all.insert(format!("Notify[x{n}]"), status);
    }
    report["resource_statuses"] = Value::Object(all);
    Ok(report.to_string())
}

/// One run on a connection of its own.
fn run(client: &Client, machine: &str, requests: &[Vec<u8>]) -> Result<(), String> {
    let mut connection = client.connect(Some(machine))?;
    for request in requests {
        let answer = client::exchange(&mut connection, request)?;
        if answer.status != 200 {
            return Err(format!("{machine}: {}: {}", answer.status, String::from_utf8_lossy(&answer.body)));
        }
    }
    Ok(())
}

/// Asks until the time is over, at its pace where it has one; says how often. Times are of what is asked for once, in milliseconds.
fn ask(
    client: &Client,
    work: Work,
    requests: &[Vec<Vec<u8>>],
    (first, pace): (usize, Option<Duration>),
    end: Instant,
    times: &Mutex<Figures>,
) -> Result<usize, String> {
    let mut kept: Vec<Option<client::Connection>> = MACHINES.iter().map(|_| None).collect();
    let (mut done, mut own) = (0, Vec::new());
    // The clients begin one after the other.
    let mut next = pace.map(|pace| Instant::now() + pace * first as u32 / CLIENTS as u32);
    for at in (0..MACHINES.len()).cycle().skip(first) {
        if Instant::now() >= end {
            break;
        }
        let begun = match (&mut next, pace) {
            (Some(next), Some(pace)) => {
                std::thread::sleep(next.saturating_duration_since(Instant::now()));
                std::mem::replace(next, *next + pace)
            }
            _ => Instant::now(),
        };
        match work {
            Work::Runs => run(client, MACHINES[at], &requests[at])?,
            Work::Catalogs | Work::Plugins => {
                let connection = match &mut kept[at] {
                    Some(connection) => connection,
                    none => none.insert(client.connect(Some(MACHINES[at]))?),
                };
                let answer = client::exchange(connection, &requests[at][0])?;
                if answer.status != 200 {
                    return Err(format!("{}: {}", MACHINES[at], answer.status));
                }
            }
        }
        own.push(begun.elapsed().as_secs_f64() * 1e3);
        done += 1;
    }
    let mut times = times.lock().map_err(|_| "a client panicked")?;
    own.into_iter().for_each(|time| times.push(time));
    Ok(done)
}

/// Seconds that a process has had of the processors.
fn processor(id: u32) -> Result<f64, String> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).map_err(|error| error.to_string())?;
    // Behind the name, which may have spaces: the 12th and 13th, in hundredths.
    let rest = stat.rsplit(')').next().unwrap_or_default();
    let field = |n: usize| rest.split_whitespace().nth(n).and_then(|text| text.parse::<f64>().ok());
    match (field(11), field(12)) {
        (Some(user), Some(system)) => Ok((user + system) / 100.0),
        _ => Err("the system does not say what a process has used".to_owned()),
    }
}

/// The most memory that a process has had, in MiB.
fn memory(id: u32) -> Result<f64, String> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).map_err(|error| error.to_string())?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let size = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    size.map(|kib| kib / 1024.0)
        .ok_or_else(|| "the system does not say what memory a process has had".to_owned())
}
