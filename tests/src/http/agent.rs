//! A real agent, run once: with folders, a certificate and facts of its own. It may change only what lies in its folder: it runs in
//! a mount namespace where everything else can only be read, whatever a manifest says.

use super::site::Site;
use crate::oracle::Oracle;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

/// An agent of a version, that keeps its folders between runs.
pub struct Agent {
    oracle: Oracle,
    name: String,
    folder: TempDir,
}

/// What a run said.
pub struct Run {
    /// Its status: with `--test` 0 for nothing to do, 2 for changes, 1 where it failed, 4 and 6 where resources did.
    pub status: Option<i32>,
    /// What it printed.
    pub text: String,
}

impl Agent {
    /// One with the certificate of a client of the site: its name without the domain.
    ///
    /// # Errors
    /// When files can't be written.
    pub fn new(oracle: Oracle, site: &Site, client: &str) -> Result<Agent, String> {
        Agent::called(oracle, site, client, client)
    }

    /// One that has the certificate of a client and calls itself another: both without the domain.
    ///
    /// # Errors
    /// As of [`Agent::new`].
    pub fn called(oracle: Oracle, site: &Site, client: &str, name: &str) -> Result<Agent, String> {
        let told = |error: std::io::Error| error.to_string();
        let folder = tempfile::Builder::new().prefix("agent").tempdir().map_err(told)?;
        let (ssl, name) = (folder.path().join("ssl"), format!("{name}.example.com"));
        for below in ["certs", "private_keys", "public_keys", "certificate_requests"] {
            fs::create_dir_all(ssl.join(below)).map_err(told)?;
        }
        let authority = site.authority().folder();
        let files = [
            ("ca.pem".to_owned(), "certs/ca.pem".to_owned()),
            ("crl.pem".to_owned(), "crl.pem".to_owned()),
            (format!("{client}.pem"), format!("certs/{name}.pem")),
            (format!("{client}.key"), format!("private_keys/{name}.pem")),
        ];
        for (from, to) in files {
            fs::copy(authority.join(from), ssl.join(to)).map_err(told)?;
        }
        for below in ["target", "tmp"] {
            fs::create_dir_all(folder.path().join(below)).map_err(told)?;
        }
        Ok(Agent { oracle, name, folder })
    }

    /// Where manifests may write: the fact `target`.
    pub fn target(&self) -> PathBuf {
        self.folder.path().join("target")
    }

    /// Its own folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Runs it once, in the foreground.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn run(&self, port: u16, more: &[&str]) -> Result<Run, String> {
        self.puppet(&["agent", "--test", "--no-usecacheonfailure"], port, more)
    }

    /// Runs `puppet filebucket`, which asks the server.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn filebucket(&self, port: u16, more: &[&str]) -> Result<Run, String> {
        self.puppet(&["filebucket", "--remote", &format!("--masterport={port}")], port, more)
    }

    fn puppet(&self, first: &[&str], port: u16, more: &[&str]) -> Result<Run, String> {
        let folder = |name: &str| format!("--{name}={}", self.folder.path().join(name).display());
        let mut command = confined(&self.oracle.command(), self.folder.path())?;
        command
            .args(first)
            .args(["--server=localhost", "--ca_server=localhost", "--color=false"])
            .args([format!("--serverport={port}"), format!("--certname={}", self.name)])
            .arg(format!("--ssldir={}", self.folder.path().join("ssl").display()))
            .args(["confdir", "vardir", "rundir", "logdir", "codedir", "publicdir"].map(folder))
            .args(more)
            .env("FACTER_target", self.target())
            .env("HOME", self.folder.path())
            .env("TMPDIR", self.folder.path().join("tmp"))
            .stdin(Stdio::null());
        let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
        let text = [output.stdout, output.stderr].concat();
        Ok(Run { status: output.status.code(), text: String::from_utf8_lossy(&text).into_owned() })
    }
}

/// Makes all file systems of this namespace read-only but the folder `$0`, then runs the rest.
const SCRIPT: &str = "set -e
mount --bind \"$0\" \"$0\"
awk '{ print $5 }' /proc/self/mountinfo | sort -r | while read -r at; do
  case \"$at\" in \"$0\" | /dev | /dev/* | /proc | /proc/* | /sys | /sys/*) ;; *) mount -o remount,bind,ro \"$at\" ;; esac
done
exec \"$@\"";

/// The same command where only what lies in a folder can be written.
fn confined(command: &Command, folder: &Path) -> Result<Command, String> {
    let mut around = Command::new("unshare");
    around.args(namespace()?).args(["sh", "-c", SCRIPT]).arg(folder);
    around.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => around.env(name, value),
            None => around.env_remove(name),
        };
    }
    if let Some(there) = command.get_current_dir() {
        around.current_dir(there);
    }
    Ok(around)
}

/// How a mount namespace is made here: as root, or as a user who is root in a namespace of his own.
fn namespace() -> Result<&'static [&'static str], String> {
    static FOUND: OnceLock<Option<&'static [&'static str]>> = OnceLock::new();
    let works = |how: &[&str]| {
        let tried = Command::new("unshare").args(how).args(["mount", "--bind", "/tmp", "/tmp"]).output();
        tried.is_ok_and(|output| output.status.success())
    };
    let ways: [&'static [&'static str]; 2] =
        [&["--mount", "--propagation", "private"], &["--mount", "--map-root-user"]];
    let found = FOUND.get_or_init(|| ways.into_iter().find(|how| works(how)));
    found.ok_or_else(|| "No mount namespace can be made here, and an agent is not run without one".to_owned())
}
