//! A PuppetDB with its PostgreSQL for one test: Debian's packages `puppetdb` and `postgresql`, run from a temporary
//! folder on ports of their own, over plain HTTP and over TLS with certificates made for the purpose.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::{
    certificates,
    programs::{free_port, ok, retry},
};
use tempfile::TempDir;

const JAR: &str = "/usr/share/puppetdb/puppetdb.jar";
/// What a Java machine on two busy cores may need to start.
const START: Duration = Duration::from_secs(240);

/// A running PuppetDB; it ends with this value.
pub struct PuppetDb {
    folder: TempDir,
    children: Vec<Child>,
    /// Port of plain HTTP.
    pub port: u16,
    /// Port of HTTPS, where clients must show a certificate.
    pub tls_port: u16,
}

impl PuppetDb {
    /// Starts one; none, with the reason, where the packages are not installed.
    ///
    /// # Errors
    /// When what is installed does not start.
    pub fn start() -> Result<Result<PuppetDb, String>, String> {
        let postgres = fs::read_dir("/usr/lib/postgresql").ok().and_then(|mut all| all.next()?.ok());
        let Some(postgres) = postgres.map(|version| version.path().join("bin")) else {
            return Ok(Err("PostgreSQL is not installed (Debian: postgresql)".to_owned()));
        };
        if !Path::new(JAR).is_file() {
            return Ok(Err("PuppetDB is not installed (Debian: puppetdb)".to_owned()));
        }
        if !nix::unistd::geteuid().is_root() {
            return Ok(Err("PostgreSQL can be started as its own user by root only".to_owned()));
        }
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut db = PuppetDb { folder, children: Vec::new(), port: free_port()?, tls_port: free_port()? };
        db.start_postgres(&postgres)?;
        certificates::make(db.folder.path(), &["server", "client"])?;
        db.start_puppetdb()?;
        Ok(Ok(db))
    }

    /// A file of the folder: `ca.pem`, `client.pem`, `client.key`.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What it has logged.
    pub fn log(&self) -> String {
        fs::read_to_string(self.file("puppetdb.log")).unwrap_or_default()
    }

    /// Sends a request over plain HTTP; status and body of the answer.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn request(&self, method: &str, path: &str, body: &str) -> Result<(u16, String), String> {
        let whole = || -> std::io::Result<String> {
            let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
            stream.set_read_timeout(Some(Duration::from_secs(60)))?;
            write!(
                stream,
                "{method} {path} HTTP/1.0\r\nHost: localhost\r\nAccept: application/json\r\n\
                 Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            )?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            Ok(answer)
        };
        let answer = whole().map_err(|error| error.to_string())?;
        let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok());
        let body = answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned());
        status.zip(body).ok_or_else(|| format!("no answer of HTTP: {answer}"))
    }

    /// Waits until a query's answer is as wanted: PuppetDB takes commands in at its leisure.
    ///
    /// # Errors
    /// When it never is.
    pub fn wait_for(&self, path: &str, is_there: impl Fn(&str) -> bool) -> Result<(), String> {
        let begin = Instant::now();
        let mut last = String::new();
        while begin.elapsed() < Duration::from_secs(60) {
            if let Ok((200, body)) = self.request("GET", path, "") {
                if is_there(&body) {
                    return Ok(());
                }
                last = body;
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        Err(format!("{path} stays at {last}"))
    }

    fn start_postgres(&mut self, bin: &Path) -> Result<(), String> {
        let home = self.file("postgres");
        fs::create_dir(&home).map_err(|error| error.to_string())?;
        // Its user must get there and own it; initdb closes the folder to others.
        ok(Command::new("chmod").arg("755").arg(self.folder.path()))?;
        ok(Command::new("chown").arg("postgres").arg(&home))?;
        let data = home.join("data");
        let initdb = bin.join("initdb");
        ok(as_postgres(&initdb).args(["-A", "trust", "-E", "UTF8", "--no-sync", "-D"]).arg(&data))?;
        let port = free_port()?;
        let mut server = as_postgres(&bin.join("postgres"));
        server.arg("-D").arg(&data).arg("-k").arg(&home).args(["-p", &port.to_string(), "-F"]);
        self.children.push(self.spawn(server, "postgres.log")?);
        let make = || {
            let createdb = bin.join("createdb");
            ok(as_postgres(&createdb).arg("-h").arg(&home).args(["-p", &port.to_string(), "puppetdb"]))
        };
        retry(Duration::from_secs(30), make)?;
        let ini = format!(
            "[global]\nvardir = {vardir}\n[database]\nsubname = //127.0.0.1:{port}/puppetdb\nusername = postgres\n\
             password = x\n[jetty]\nhost = 127.0.0.1\nport = {plain}\nssl-host = 127.0.0.1\nssl-port = {tls}\n\
             ssl-cert = {server}.pem\nssl-key = {server}.key\nssl-ca-cert = {ca}\nclient-auth = need\n\
             [puppetdb]\ndisable-update-checking = true\n",
            vardir = self.file("var").display(),
            plain = self.port,
            tls = self.tls_port,
            server = self.file("server").display(),
            ca = self.file("ca.pem").display(),
        );
        // PuppetDB wants rules for the services beside it, too.
        let rules = "authorization: { version: 1, rules: [ { match-request: { path: \"/\", type: path }, \
                     allow-unauthenticated: true, sort-order: 500, name: \"all\" } ] }\n";
        let config = self.file("conf.d");
        fs::create_dir(&config)
            .and_then(|()| fs::create_dir(self.file("var")))
            .and_then(|()| fs::write(config.join("puppetdb.ini"), ini))
            .and_then(|()| fs::write(config.join("auth.conf"), rules))
            .map_err(|error| error.to_string())
    }

    fn start_puppetdb(&mut self) -> Result<(), String> {
        let mut java = Command::new("java");
        java.args([
            "-Xmx256m",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            JAR,
            "clojure.main",
            "-m",
            "puppetlabs.puppetdb.core",
        ]);
        java.arg("services").arg("-c").arg(self.file("conf.d"));
        self.children.push(self.spawn(java, "puppetdb.log")?);
        let begin = Instant::now();
        while begin.elapsed() < START {
            if let Ok((200, _)) = self.request("GET", "/pdb/meta/v1/version", "") {
                return Ok(());
            }
            if !self.children.last_mut().is_some_and(|java| matches!(java.try_wait(), Ok(None))) {
                break;
            }
            std::thread::sleep(Duration::from_millis(250));
        }
        Err(format!("PuppetDB does not start:\n{}", self.log()))
    }

    fn spawn(&self, mut command: Command, log: &str) -> Result<Child, String> {
        let log = fs::File::create(self.file(log)).map_err(|error| error.to_string())?;
        let also = log.try_clone().map_err(|error| error.to_string())?;
        let command = command.stdin(Stdio::null()).stdout(log).stderr(also);
        command.spawn().map_err(|error| format!("{command:?}: {error}"))
    }
}

impl Drop for PuppetDb {
    fn drop(&mut self) {
        // The Java machine first; PostgreSQL ends at once on SIGQUIT, which `runuser` would not pass on.
        while let Some(mut child) = self.children.pop() {
            let processes = fs::read_to_string(self.file("postgres/data/postmaster.pid"));
            if self.children.is_empty()
                && let Some(pid) = processes.ok().and_then(|text| text.lines().next()?.parse().ok())
            {
                let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::SIGQUIT);
            } else {
                let _ = child.kill();
            }
            let _ = child.wait();
        }
    }
}

fn as_postgres(program: &Path) -> Command {
    let mut command = Command::new("runuser");
    command.args(["-u", "postgres", "--"]).arg(program).current_dir("/");
    command
}
