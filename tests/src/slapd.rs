//! OpenLDAP's server for one test: Debian's package `slapd`, run from a temporary folder on ports of its own, plain and
//! by TLS, with the entries that the test gives it.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::certificates;
use crate::programs::{free_port, ok, retry};
use tempfile::TempDir;

const PROGRAM: &str = "/usr/sbin/slapd";
/// What is above the test's entries.
pub const SUFFIX: &str = "dc=example,dc=com";
/// Who may read everything.
pub const ADMIN: &str = "cn=admin,dc=example,dc=com";
/// Its password.
pub const PASSWORD: &str = "5ecret-of-the-test";

/// The attributes that Puppet's nodes have, by the numbers and names that Puppet's schema gave them.
const SCHEMA: &str = "\
attributetype ( 1.3.6.1.4.1.34380.1.1.3.10 NAME 'puppetClass' EQUALITY caseIgnoreIA5Match
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.26 )
attributetype ( 1.3.6.1.4.1.34380.1.1.3.9 NAME 'parentNode' EQUALITY caseIgnoreIA5Match
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.26 )
attributetype ( 1.3.6.1.4.1.34380.1.1.3.11 NAME 'environment' EQUALITY caseIgnoreIA5Match
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.26 )
attributetype ( 1.3.6.1.4.1.34380.1.1.3.12 NAME 'puppetVar' EQUALITY caseIgnoreIA5Match
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.26 )
objectclass ( 1.3.6.1.4.1.34380.1.1.1.2 NAME 'puppetClient' SUP top AUXILIARY
  MAY ( puppetClass $ parentNode $ environment $ puppetVar ) )
";

/// A running server; it ends with this value.
pub struct Slapd {
    folder: TempDir,
    child: Option<Child>,
    /// Port where connections begin plain.
    pub port: u16,
    /// Port where they are TLS from the begin.
    pub tls_port: u16,
}

impl Slapd {
    /// Starts one that has `entries` (LDIF) and asks of whoever comes what `rules` (lines of slapd.conf) say; none, with
    /// the reason, where the package is not installed.
    ///
    /// # Errors
    /// When what is installed does not start.
    pub fn start(entries: &str, rules: &str) -> Result<Result<Slapd, String>, String> {
        if !fs::exists(PROGRAM).unwrap_or(false) {
            return Ok(Err("OpenLDAP's server is not installed (Debian: slapd)".to_owned()));
        }
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut server = Slapd { folder, child: None, port: free_port()?, tls_port: free_port()? };
        certificates::make(server.folder.path(), &["server"])?;
        let suffix = format!(
            "dn: {SUFFIX}\nobjectClass: top\nobjectClass: dcObject\nobjectClass: organization\no: Example\n\
             dc: example\n\n"
        );
        let files = [
            ("puppet.schema", SCHEMA.to_owned()),
            ("entries.ldif", format!("{suffix}{entries}")),
            ("slapd.conf", server.configuration(rules)),
        ];
        for (name, text) in files {
            fs::write(server.file(name), text).map_err(|error| error.to_string())?;
        }
        fs::create_dir(server.file("db")).map_err(|error| error.to_string())?;
        let conf = server.file("slapd.conf");
        ok(Command::new(PROGRAM)
            .args(["-T", "add", "-f"])
            .arg(&conf)
            .arg("-l")
            .arg(server.file("entries.ldif")))?;
        let places = format!("ldap://127.0.0.1:{} ldaps://127.0.0.1:{}", server.port, server.tls_port);
        let log = fs::File::create(server.file("log")).map_err(|error| error.to_string())?;
        let mut command = Command::new(PROGRAM);
        // With a level of debugging, it stays in the foreground.
        command.args(["-d", "0", "-h", &places, "-f"]).arg(&conf);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn();
        server.child = Some(child.map_err(|error| format!("{command:?}: {error}"))?);
        let there =
            |port| std::net::TcpStream::connect(("127.0.0.1", port)).map(drop).map_err(|e| e.to_string());
        let up = retry(Duration::from_secs(30), || there(server.port).and_then(|()| there(server.tls_port)));
        up.map_err(|error| {
            let log = fs::read_to_string(server.file("log")).unwrap_or_default();
            format!("slapd does not start: {error}\n{log}")
        })?;
        Ok(Ok(server))
    }

    /// A file of the folder: `ca.pem`, the authority that signs the server.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn configuration(&self, rules: &str) -> String {
        format!(
            "include /etc/ldap/schema/core.schema\ninclude /etc/ldap/schema/cosine.schema\n\
             include /etc/ldap/schema/nis.schema\ninclude {folder}/puppet.schema\n\
             modulepath /usr/lib/ldap\nmoduleload back_mdb\n\
             TLSCACertificateFile {folder}/ca.pem\nTLSCertificateFile {folder}/server.pem\n\
             TLSCertificateKeyFile {folder}/server.key\nTLSVerifyClient never\n\
             {rules}\n\
             database mdb\nsuffix \"{SUFFIX}\"\nrootdn \"{ADMIN}\"\nrootpw {PASSWORD}\ndirectory {folder}/db\n",
            folder = self.folder.path().display()
        )
    }
}

impl Drop for Slapd {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
