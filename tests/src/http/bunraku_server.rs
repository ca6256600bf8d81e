//! `bunraku server`, for one run of the cases.

use super::site::Site;
use crate::bunraku;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A running server; it ends with this value.
pub struct BunrakuServer {
    child: Child,
    port: u16,
    said: Arc<Mutex<String>>,
}

impl BunrakuServer {
    /// Starts one for a site, with more arguments, and waits until it listens.
    ///
    /// # Errors
    /// When it does not build or does not start: with what it says.
    pub fn start(site: &Site, arguments: &[&str]) -> Result<BunrakuServer, String> {
        BunrakuServer::start_at(site.confdir(), arguments)
    }

    /// The same for any folder of configuration.
    ///
    /// # Errors
    /// As of [`BunrakuServer::start`].
    pub fn start_at(confdir: PathBuf, arguments: &[&str]) -> Result<BunrakuServer, String> {
        BunrakuServer::start_by(confdir, arguments, Vec::new())
    }

    /// The same with variables of its environment.
    ///
    /// # Errors
    /// As of [`BunrakuServer::start`].
    pub fn start_by(
        confdir: PathBuf,
        arguments: &[&str],
        variables: Vec<(String, String)>,
    ) -> Result<BunrakuServer, String> {
        let mut command = Command::new(bunraku::binary()?);
        command.args(["server", "--port", "0", "--confdir"]).arg(confdir).args(arguments).envs(variables);
        if !arguments.contains(&"--address") {
            command.args(["--address", "127.0.0.1"]);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
        let stderr = child.stderr.take().ok_or("it has no stderr")?;
        let mut lines = BufReader::new(stderr).lines();
        let mut begin = String::new();
        let port = loop {
            let Some(Ok(line)) = lines.next() else {
                let _ = child.wait();
                return Err(format!("bunraku server does not start: {begin}"));
            };
            if let Some((_, port)) = line.strip_prefix("Listening on ").and_then(|at| at.rsplit_once(':')) {
                break port.parse().map_err(|_| format!("no port: {line}"))?;
            }
            begin.push_str(&line);
            begin.push('\n');
        };
        let said = Arc::new(Mutex::new(begin));
        let kept = Arc::clone(&said);
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.push_str(&line);
                kept.push('\n');
            }
        });
        Ok(BunrakuServer { child, port, said })
    }

    /// Where it listens.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// What it has said on stderr so far.
    pub fn said(&self) -> String {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until it has said a text on stderr, for half a minute; whether it has.
    pub fn says(&self, text: &str) -> bool {
        let began = Instant::now();
        loop {
            if self.said().contains(text) {
                return true;
            }
            if began.elapsed() > Duration::from_secs(30) {
                return false;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Sends it a signal.
    ///
    /// # Errors
    /// When it can't be sent.
    pub fn signal(&self, signal: Signal) -> Result<(), String> {
        let process = i32::try_from(self.id()).map_err(|error| error.to_string())?;
        kill(Pid::from_raw(process), signal).map_err(|error| error.to_string())
    }

    /// Has it read its configuration anew, and waits until it has.
    ///
    /// # Errors
    /// When it does not say so, with what it says.
    pub fn reload(&self) -> Result<(), String> {
        const READ: &str = "The configuration was read anew";
        let before = self.said().matches(READ).count();
        self.signal(Signal::SIGHUP)?;
        for _ in 0..500 {
            if self.said().matches(READ).count() > before {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Err(format!("it does not read its configuration anew: {}", self.said()))
    }

    /// Waits until it ends.
    ///
    /// # Errors
    /// When it can't be waited for.
    pub fn wait(&mut self) -> Result<std::process::ExitStatus, String> {
        self.child.wait().map_err(|error| error.to_string())
    }
}

impl Drop for BunrakuServer {
    /// It is asked to end, as by the system; one that does not is killed.
    fn drop(&mut self) {
        let _ = self.signal(Signal::SIGTERM);
        let began = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) && began.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
