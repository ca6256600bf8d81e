//! Certificates for servers that a test starts, by `openssl`, good for a day or two.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::programs::ok;

/// Makes an authority (`ca.pem`, `ca.key`) in a folder, and a certificate with its key (`NAME.pem`, `NAME.key`) by it
/// for each name, as `localhost` and 127.0.0.1.
///
/// # Errors
/// When `openssl` is not there or fails.
pub fn make(folder: &Path, names: &[&str]) -> Result<(), String> {
    let openssl = || {
        let mut command = Command::new("openssl");
        command.current_dir(folder);
        command
    };
    let new = ["req", "-newkey", "rsa:2048", "-nodes"];
    let authority = ["-x509", "-days", "2", "-subj", "/CN=authority", "-keyout", "ca.key", "-out", "ca.pem"];
    ok(openssl().args(new).args(authority))?;
    fs::write(folder.join("names"), "subjectAltName=DNS:localhost,IP:127.0.0.1")
        .map_err(|e| e.to_string())?;
    for name in names {
        let [key, request, signed] = ["key", "csr", "pem"].map(|ending| format!("{name}.{ending}"));
        let subject = format!("/CN={name}");
        ok(openssl().args(new).args(["-subj", &subject, "-keyout", &key, "-out", &request]))?;
        let by = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names"];
        ok(openssl().args(["x509", "-req", "-in", &request, "-out", &signed]).args(by))?;
    }
    Ok(())
}
