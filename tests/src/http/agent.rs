//! A real agent, run once: with folders, a certificate and facts of its own. It may change only what lies in its folder, as the
//! manifests of the tests have it.

use super::site::Site;
use crate::oracle::Oracle;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
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
        let told = |error: std::io::Error| error.to_string();
        let folder = tempfile::Builder::new().prefix("agent").tempdir().map_err(told)?;
        let (ssl, name) = (folder.path().join("ssl"), format!("{client}.example.com"));
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
        fs::create_dir_all(folder.path().join("target")).map_err(told)?;
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
        let folder = |name: &str| format!("--{name}={}", self.folder.path().join(name).display());
        let mut command = self.oracle.command();
        command
            .args(["agent", "--test", "--server=localhost", "--color=false", "--no-usecacheonfailure"])
            .args([
                "--ca_server=localhost",
                &format!("--serverport={port}"),
                &format!("--certname={}", self.name),
            ])
            .arg(format!("--ssldir={}", self.folder.path().join("ssl").display()))
            .args(["confdir", "vardir", "rundir", "logdir", "codedir", "publicdir"].map(folder))
            .args(more)
            .env("FACTER_target", self.target())
            .env("HOME", self.folder.path())
            .stdin(Stdio::null());
        let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
        let text = [output.stdout, output.stderr].concat();
        Ok(Run { status: output.status.code(), text: String::from_utf8_lossy(&text).into_owned() })
    }
}
