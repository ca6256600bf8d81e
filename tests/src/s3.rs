//! A server that speaks S3's protocol for one test: moto, which Python programs are tested with, on a port and with buckets of its own.

use crate::paths;
use crate::programs::{free_port, retry};
use std::fs::File;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The package, as Python's index has it.
const PACKAGE: &str = "moto[s3,server]==5.2.5";

/// A running server; it ends with this value.
pub struct S3 {
    child: Child,
    port: u16,
}

impl S3 {
    /// Starts one with an empty bucket `bunraku`; none, with the reason, where it is not installed and can't be.
    ///
    /// # Errors
    /// When what is installed does not start.
    pub fn start() -> Result<Result<S3, String>, String> {
        let packages = paths::cache().with_file_name("moto");
        if !packages.join("moto").is_dir() {
            let mut pip = Command::new("python3");
            pip.args(["-m", "pip", "install", "--quiet", "--target"]).arg(&packages).arg(PACKAGE);
            let done = pip.stdout(Stdio::null()).stderr(Stdio::null()).status();
            if !done.is_ok_and(|status| status.success()) {
                return Ok(Err(format!(
                    "a server of S3 can't be fetched (python3 -m pip install {PACKAGE})"
                )));
            }
        }
        let port = free_port()?;
        let child = serve(&packages, port)?;
        let server = S3 { child, port };
        let up = || TcpStream::connect(("127.0.0.1", port)).map(drop).map_err(|error| error.to_string());
        retry(Duration::from_secs(60), up)?;
        server.make_bucket().map_err(|error| format!("no bucket can be made: {error}"))?;
        Ok(Ok(server))
    }

    fn make_bucket(&self) -> std::io::Result<()> {
        let mut socket = TcpStream::connect(("127.0.0.1", self.port))?;
        let ask =
            "PUT /bunraku HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        socket.write_all(ask.as_bytes())?;
        let mut answer = String::new();
        socket.read_to_string(&mut answer)?;
        match answer.starts_with("HTTP/1.1 200") {
            true => Ok(()),
            false => Err(std::io::Error::other(answer)),
        }
    }

    /// Where it is.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What programs of Amazon's, and who reads the same variables, have to be told.
    pub fn variables(&self) -> [(&'static str, String); 5] {
        [
            ("AWS_ENDPOINT_URL", self.url()),
            ("AWS_ALLOW_HTTP", "true".to_owned()),
            ("AWS_REGION", "us-east-1".to_owned()),
            ("AWS_ACCESS_KEY_ID", "somebody".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "secret".to_owned()),
        ]
    }
}

fn serve(packages: &Path, port: u16) -> Result<Child, String> {
    let log = File::create(packages.join("log")).map_err(|error| error.to_string())?;
    let mut command = Command::new("python3");
    command.env("PYTHONPATH", packages).args([
        "-m",
        "moto.server",
        "-H",
        "127.0.0.1",
        "-p",
        &port.to_string(),
    ]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn();
    child.map_err(|error| format!("{command:?}: {error}"))
}

impl Drop for S3 {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
