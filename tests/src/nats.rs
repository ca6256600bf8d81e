//! A NATS server with JetStream for one test: Debian's package `nats-server`, on a port and with a folder of its own.

use crate::certificates;
use crate::programs::{free_port, is_installed, retry};
use std::fs;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

const PROGRAM: &str = "nats-server";

/// A running server; it ends with this value.
pub struct Nats {
    folder: TempDir,
    child: Option<Child>,
    port: u16,
    tls: bool,
}

impl Nats {
    /// Starts one; none, with the reason, where it is not installed and can't be.
    ///
    /// # Errors
    /// When what is installed does not start.
    pub fn start() -> Result<Result<Nats, String>, String> {
        Nats::new(false)
    }

    /// The same, which wants TLS, and a certificate of whoever comes: `ca.pem`, `client.pem` and `client.key` in its folder.
    ///
    /// # Errors
    /// As of [`Nats::start`].
    pub fn start_with_tls() -> Result<Result<Nats, String>, String> {
        Nats::new(true)
    }

    fn new(tls: bool) -> Result<Result<Nats, String>, String> {
        if !is_installed(PROGRAM, "nats-server") {
            return Ok(Err("the NATS server is not installed (Debian: nats-server)".to_owned()));
        }
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut server = Nats { folder, child: None, port: free_port()?, tls };
        if tls {
            certificates::make(server.folder.path(), &["server", "client"])?;
        }
        server.run()?;
        Ok(Ok(server))
    }

    fn run(&mut self) -> Result<(), String> {
        let file = |name: &str| self.folder.path().join(name);
        let log = fs::File::create(file("log")).map_err(|error| error.to_string())?;
        let mut command = Command::new(PROGRAM);
        command.args(["-a", "127.0.0.1", "-p", &self.port.to_string(), "-js", "-sd"]).arg(file("store"));
        if self.tls {
            command.arg("--tlsverify").arg("--tlscacert").arg(file("ca.pem"));
            command.arg("--tlscert").arg(file("server.pem")).arg("--tlskey").arg(file("server.key"));
        }
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn();
        self.child = Some(child.map_err(|error| format!("{command:?}: {error}"))?);
        let up = || TcpStream::connect(("127.0.0.1", self.port)).map(drop).map_err(|error| error.to_string());
        retry(Duration::from_secs(30), up).map_err(|error| {
            let log = fs::read_to_string(file("log")).unwrap_or_default();
            format!("nats-server does not start: {error}\n{log}")
        })
    }

    /// Its URL.
    pub fn url(&self) -> String {
        format!("{}://localhost:{}", if self.tls { "tls" } else { "nats" }, self.port)
    }

    /// A file of its folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What it stores, as files.
    pub fn stored(&self) -> Vec<PathBuf> {
        let mut pending = vec![self.file("store")];
        let mut files = Vec::new();
        while let Some(path) = pending.pop() {
            match path.is_dir() {
                true => pending.extend(entries(&path)),
                false => files.push(path),
            }
        }
        files.sort();
        files
    }

    /// Kills it.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Starts it again, with what it has stored.
    ///
    /// # Errors
    /// When it does not start.
    pub fn again(&mut self) -> Result<(), String> {
        self.kill();
        self.run()
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.kill();
    }
}
