//! An authority as Puppet's, for servers and agents that a test starts: certificates by what the test asks for, well-formed
//! or not, and lists of those that are revoked. By `openssl`, with elliptic keys, which are made in a moment.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::programs::ok;

/// An authority in a folder: `ca.pem`, `ca.key`, `crl.pem`, and `NAME.pem` with `NAME.key` for each certificate.
pub struct Authority {
    folder: PathBuf,
}

/// What a certificate says beside its subject.
#[derive(Clone, Debug, Default)]
pub struct Ask {
    /// The subject as `openssl` writes it; `/CN=` and the file's name where there is none.
    pub subject: Option<String>,
    /// Alternative names as `openssl` writes them: `DNS:web01,IP:127.0.0.1`.
    pub names: Option<String>,
    /// Extensions that hold a text, by their numbers: `1.3.6.1.4.1.34380.1.1.13` and `web`.
    pub extensions: Vec<(String, String)>,
    /// From and until when it is good, as `YYYYMMDDHHMMSSZ`; two days from now where nothing is said.
    pub dates: Option<(String, String)>,
}

const CONFIGURATION: &str = "\
[ca]
default_ca = here
[here]
dir = .
database = index.txt
serial = serial
crlnumber = crlnumber
certificate = ca.pem
private_key = ca.key
new_certs_dir = .
default_md = sha256
default_days = 2
default_crl_days = 2
policy = anything
unique_subject = no
crl_extensions = crl_ext
copy_extensions = none
[anything]
commonName = optional
organizationName = optional
[crl_ext]
authorityKeyIdentifier = keyid:always
[req]
distinguished_name = dn
[dn]
[authority]
basicConstraints = critical,CA:true
keyUsage = critical,keyCertSign,cRLSign
subjectKeyIdentifier = hash
";

impl Authority {
    /// Makes one, whose list of revoked certificates is empty.
    ///
    /// # Errors
    /// When `openssl` is not there or fails, or the folder can't be written.
    pub fn new(folder: &Path, name: &str) -> Result<Authority, String> {
        let authority = Authority { folder: folder.to_path_buf() };
        fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        for (file, text) in
            [("ca.cnf", CONFIGURATION), ("index.txt", ""), ("serial", "1000\n"), ("crlnumber", "01\n")]
        {
            fs::write(folder.join(file), text).map_err(|error| error.to_string())?;
        }
        let subject = format!("/CN={name}");
        authority.key("ca")?;
        let made = ["req", "-new", "-x509", "-days", "2", "-config", "ca.cnf", "-extensions", "authority"];
        ok(authority.openssl().args(made).args(["-key", "ca.key", "-subj", &subject, "-out", "ca.pem"]))?;
        authority.list()?;
        Ok(authority)
    }

    /// Where its files are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Makes `NAME.key` and, signed, `NAME.pem`.
    ///
    /// # Errors
    /// When `openssl` fails.
    pub fn issue(&self, name: &str, ask: &Ask) -> Result<(), String> {
        self.key(name)?;
        self.sign(name, ask)
    }

    /// Signs what a key of the name asks for.
    fn sign(&self, name: &str, ask: &Ask) -> Result<(), String> {
        let [key, request, signed, extensions] =
            ["key", "csr", "pem", "ext"].map(|ending| format!("{name}.{ending}"));
        let subject = ask.subject.clone().unwrap_or_else(|| format!("/CN={name}"));
        let new =
            ["req", "-new", "-config", "ca.cnf", "-utf8", "-key", &key, "-subj", &subject, "-out", &request];
        ok(self.openssl().args(new))?;
        let mut lines = "basicConstraints = critical,CA:false\n".to_owned();
        if let Some(names) = &ask.names {
            lines.push_str(&format!("subjectAltName = {names}\n"));
        }
        for (number, text) in &ask.extensions {
            lines.push_str(&format!("{number} = ASN1:UTF8String:{text}\n"));
        }
        fs::write(self.folder.join(&extensions), lines).map_err(|error| error.to_string())?;
        let sign = ["ca", "-batch", "-notext", "-preserveDN", "-config", "ca.cnf", "-extfile", &extensions];
        let mut command = self.openssl();
        command.args(sign).args(["-in", &request, "-out", &signed]);
        if let Some((begin, end)) = &ask.dates {
            command.args(["-startdate", begin, "-enddate", end]);
        }
        ok(&mut command)
    }

    /// The same with an RSA key of 4,096 bits, as Puppet makes them.
    ///
    /// # Errors
    /// When `openssl` fails.
    pub fn issue_rsa(&self, name: &str, ask: &Ask) -> Result<(), String> {
        let new = ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:4096"];
        ok(self.openssl().args(new).args(["-out", &format!("{name}.key")]))?;
        self.sign(name, ask)
    }

    /// Revokes a certificate and writes the list anew.
    ///
    /// # Errors
    /// When `openssl` fails.
    pub fn revoke(&self, name: &str) -> Result<(), String> {
        ok(self.openssl().args(["ca", "-config", "ca.cnf", "-revoke", &format!("{name}.pem")]))?;
        self.list()
    }

    /// Writes `crl.pem` anew, good for so many days.
    ///
    /// # Errors
    /// When `openssl` fails.
    pub fn list_for(&self, days: u32) -> Result<(), String> {
        let days = days.to_string();
        let list = ["ca", "-config", "ca.cnf", "-gencrl", "-crldays", &days, "-out", "crl.pem"];
        ok(self.openssl().args(list))
    }

    /// Writes `crl.pem`.
    fn list(&self) -> Result<(), String> {
        ok(self.openssl().args(["ca", "-config", "ca.cnf", "-gencrl", "-out", "crl.pem"]))
    }

    fn key(&self, name: &str) -> Result<(), String> {
        let new = ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"];
        ok(self.openssl().args(new).args(["-out", &format!("{name}.key")]))
    }

    fn openssl(&self) -> Command {
        let mut command = Command::new("openssl");
        command.current_dir(&self.folder);
        command
    }
}
