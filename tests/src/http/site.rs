//! The site that the requests of `spec/http/` are asked of: its code, its configuration, its certificates.

use crate::authority::{Ask, Authority};
use crate::programs::ok;
use crate::{bunraku, paths};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A copy of `spec/http/site` with configuration and certificates. It ends with this value.
pub struct Site {
    folder: TempDir,
    authority: Authority,
}

/// Who may ask anything in the cases.
pub const ADMIN: &str = "admin";

const CLIENTS: [&str; 15] = [
    "web01", "other", "moved", "nowhere", "classed", "fails", "strange", "exports", "breaks", "oddly",
    "listed", "mixed", "numbered", "silent", "latin",
];

impl Site {
    /// Makes one.
    ///
    /// # Errors
    /// When `openssl` is not there or files can't be written.
    pub fn new() -> Result<Site, String> {
        let folder = tempfile::Builder::new().prefix("site").tempdir().map_err(|error| error.to_string())?;
        let there = folder.path();
        paths::copy(&paths::spec().join("http").join("site"), there);
        let authority = Authority::new(&there.join("ssl"), "Authority of the cases")?;
        let full = |name: &str| Ask { subject: Some(format!("/CN={name}.example.com")), ..Ask::default() };
        let server = Ask { names: Some("DNS:localhost,DNS:server.example.com".into()), ..full("server") };
        authority.issue("server", &server)?;
        for name in CLIENTS.iter().chain(&[ADMIN]) {
            authority.issue(name, &full(name))?;
        }
        let alternative = Ask { names: Some("DNS:web01.example.com".into()), ..full("alternative") };
        authority.issue("alternative", &alternative)?;
        let extension = |number: &str, text: &str| (format!("1.3.6.1.4.1.34380.1.{number}"), text.to_owned());
        let extensions =
            vec![extension("1.13", "web"), extension("1.12", "production"), extension("2.7", "own")];
        authority.issue("extended", &Ask { extensions, ..full("extended") })?;
        let site = Site { authority, folder };
        site.configure()?;
        Ok(site)
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The folder of `puppet.conf`.
    pub fn confdir(&self) -> PathBuf {
        self.folder().join("conf")
    }

    /// Who signs its certificates.
    pub fn authority(&self) -> &Authority {
        &self.authority
    }

    /// The folder that has the folders of archives.
    pub fn archives(&self) -> PathBuf {
        self.folder().join("archives")
    }

    /// Builds an archive of the environment `production` as it is now, with all its files, for a version of Puppet; where it lies.
    ///
    /// # Errors
    /// When it does not build: with what that says.
    pub fn build(&self, name: &str, compat: u8) -> Result<PathBuf, String> {
        let archive = self.archives().join(format!("production/{name}.bnr"));
        fs::create_dir_all(self.archives().join("production")).map_err(|error| error.to_string())?;
        let mut build = Command::new(bunraku::binary()?);
        build.args(["build", "--embed", "--compat", &compat.to_string(), "-o"]).arg(&archive);
        ok(build.arg(self.folder().join("code/environments/production")))?;
        Ok(archive)
    }

    /// Deploys an archive of `production`, by the link that names the one in force.
    ///
    /// # Errors
    /// When the link can't be made or renamed.
    pub fn deploy(&self, archive: &Path) -> Result<(), String> {
        let [new, current] = ["new", "current"].map(|name| self.archives().join("production").join(name));
        std::os::unix::fs::symlink(archive, &new).map_err(|error| error.to_string())?;
        fs::rename(new, current).map_err(|error| error.to_string())
    }

    /// Writes `puppet.conf` and `fileserver.conf`.
    fn configure(&self) -> Result<(), String> {
        let conf = self.confdir();
        let told = |error: std::io::Error| error.to_string();
        fs::create_dir_all(&conf).map_err(told)?;
        let site = self.folder().display();
        let text = format!(
            "[main]\ncertname = server.example.com\nconfdir = {site}/conf\nvardir = {site}/var\nrundir = {site}/run\n\
             logdir = {site}/log\nssldir = {site}/ssl\ncodedir = {site}/code\nenvironmentpath = {site}/code/environments\n\
             basemodulepath = {site}/code/modules\nhostcert = {site}/ssl/server.pem\n\
             hostprivkey = {site}/ssl/server.key\nlocalcacert = {site}/ssl/ca.pem\nhostcrl = {site}/ssl/crl.pem\n\
             node_terminus = exec\nexternal_nodes = {site}/enc.sh\nfileserverconfig = {site}/conf/fileserver.conf\n\
             [server]\nreports = store\nenvironment_timeout = 0\n"
        );
        fs::write(conf.join("puppet.conf"), text).map_err(told)?;
        let mounts = format!("[mount]\npath {site}/mount\n[own]\npath {site}/mount/%h\n");
        fs::write(conf.join("fileserver.conf"), mounts).map_err(told)
    }
}
