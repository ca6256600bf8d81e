//! A site that has `bunraku ca` as its authority: a folder with its configuration, for one test.

use crate::bunraku;
use crate::http::bunraku_server::BunrakuServer;
use crate::oracle::Oracle;
use crate::programs::ok;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// What each node is told.
const MANIFEST: &str = "notify { \"hello ${trusted['certname']} ${trusted['extensions']['pp_role']}\": }\n";

/// The site. It ends with this value.
pub struct Site {
    folder: TempDir,
}

/// What became of a program.
#[derive(Debug)]
pub struct Ran {
    /// Its status.
    pub status: Option<i32>,
    /// What it printed on stdout.
    pub out: String,
    /// And on stderr.
    pub err: String,
}

impl Ran {
    fn of(output: Output) -> Ran {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ran { status: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

impl Site {
    /// A folder with `puppet.conf`, `more` lines of it in `[server]`, and an environment that says hello to each node.
    ///
    /// # Errors
    /// When files can't be written.
    pub fn new(more: &str) -> Result<Site, String> {
        let told = |error: std::io::Error| error.to_string();
        let folder = tempfile::Builder::new().prefix("ca").tempdir().map_err(told)?;
        let there = folder.path();
        let manifests = there.join("code/environments/production/manifests");
        fs::create_dir_all(&manifests).map_err(told)?;
        fs::write(manifests.join("site.pp"), MANIFEST).map_err(told)?;
        let path = there.display();
        let text = format!(
            "[main]\ncertname = localhost\nconfdir = {path}\nvardir = {path}/var\nssldir = {path}/ssl\n\
             codedir = {path}/code\nenvironmentpath = {path}/code/environments\ncadir = {path}/puppetserver/ca\n\
             keylength = 2048\nca_ttl = 5y\n[server]\n{more}\n"
        );
        fs::write(there.join("puppet.conf"), text).map_err(told)?;
        Ok(Site { folder })
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The authority's folder.
    pub fn cadir(&self) -> PathBuf {
        self.folder().join("puppetserver/ca")
    }

    /// Runs `bunraku ca` with arguments.
    ///
    /// # Errors
    /// When it does not build or start.
    pub fn ca(&self, arguments: &[&str]) -> Result<Ran, String> {
        let mut command = Command::new(bunraku::binary()?);
        command.arg("ca").args(arguments).arg("--confdir").arg(self.folder()).stdin(Stdio::null());
        command.output().map(Ran::of).map_err(|error| error.to_string())
    }

    /// Starts `bunraku server` with arguments.
    ///
    /// # Errors
    /// As of [`BunrakuServer::start`].
    pub fn serve(&self, arguments: &[&str]) -> Result<BunrakuServer, String> {
        BunrakuServer::start_at(self.folder().to_path_buf(), arguments)
    }

    /// Runs a real agent once, with folders of its own below this site's: what it has after that, it has the next time.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn agent(&self, oracle: Oracle, name: &str, port: u16, more: &[&str]) -> Result<Ran, String> {
        let own = self.folder().join("agents").join(name);
        fs::create_dir_all(&own).map_err(|error| error.to_string())?;
        let folder = |setting: &str| format!("--{setting}={}", own.join(setting).display());
        let mut command = oracle.command();
        command
            .args(["agent", "--test", "--server=localhost", "--color=false", "--no-usecacheonfailure"])
            .args(["--waitforcert=0", "--ca_server=localhost", "--keylength=2048"])
            .args([format!("--serverport={port}"), format!("--certname={name}")])
            .args(["confdir", "vardir", "rundir", "logdir", "codedir", "publicdir", "ssldir"].map(folder))
            .args(more)
            .env("HOME", &own)
            .stdin(Stdio::null());
        command.output().map(Ran::of).map_err(|error| format!("{command:?}: {error}"))
    }

    /// Where an agent's certificate is.
    pub fn certificate_of(&self, name: &str) -> PathBuf {
        self.folder().join("agents").join(name).join(format!("ssldir/certs/{name}.pem"))
    }

    /// Runs `puppetserver ca` with arguments, against a server on this machine.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn puppetserver_ca(&self, arguments: &[&str], port: u16) -> Result<Ran, String> {
        let text =
            fs::read_to_string(self.folder().join("puppet.conf")).map_err(|error| error.to_string())?;
        let own = format!("[main]\nserver = localhost\nserverport = {port}\n");
        let config = self.folder().join("puppetserver-ca.conf");
        fs::write(&config, text.replacen("[main]\n", &own, 1)).map_err(|error| error.to_string())?;
        let mut command = Command::new("puppetserver");
        command.arg("ca").args(arguments).arg("--config").arg(&config).stdin(Stdio::null());
        command.output().map(Ran::of).map_err(|error| format!("puppetserver: {error}"))
    }
}

/// A site whose authority is made; `more` are lines of its `puppet.conf`.
///
/// # Panics
/// When it can't be made.
pub fn site(more: &str) -> Site {
    let site = Site::new(more).expect("a site can be made");
    let made = site.ca(&["init"]).expect("it runs");
    ended(&made, 0);
    site
}

/// Holds that a program has ended with a status.
///
/// # Panics
/// When it has not: with what it said.
pub fn ended(ran: &Ran, status: i32) {
    assert_eq!(ran.status, Some(status), "{}\n{}", ran.out, ran.err);
}

/// Runs `bunraku ca`, which is to end with a status.
///
/// # Panics
/// When it does not.
pub fn ca(site: &Site, arguments: &[&str], status: i32) -> Ran {
    let ran = site.ca(arguments).expect("it runs");
    ended(&ran, status);
    ran
}

/// Makes a key and a request in a folder, by `openssl`; `more` are its further arguments.
///
/// # Panics
/// When `openssl` fails.
pub fn request(folder: &Path, name: &str, more: &[&str]) -> Vec<u8> {
    let [key, request] = ["key", "csr"].map(|ending| folder.join(format!("{name}.{ending}")));
    let mut command = Command::new("openssl");
    command.args(["req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj"]);
    command.arg(format!("/CN={name}")).args(more).arg("-keyout").arg(key).arg("-out").arg(&request);
    ok(&mut command).expect("openssl makes requests");
    fs::read(request).expect("it is there")
}

/// Whether `openssl` takes a certificate, the authority's revocation list included.
///
/// # Errors
/// What `openssl` says where it does not.
pub fn verifies(site: &Site, name: &str) -> Result<(), String> {
    let cadir = site.cadir();
    let mut command = Command::new("openssl");
    command.args(["verify", "-x509_strict", "-crl_check", "-purpose", "sslclient", "-CAfile"]);
    command.arg(cadir.join("ca_crt.pem")).arg("-CRLfile").arg(cadir.join("ca_crl.pem"));
    ok(command.arg(cadir.join("signed").join(format!("{name}.pem"))))
}

/// What Ruby's OpenSSL says of the folder: a line for each thing.
///
/// # Panics
/// When it can't read one of them.
pub fn by_ruby(site: &Site, name: &str) -> String {
    let script = r##"
        require 'openssl'
        cadir, name = ARGV
        ca = OpenSSL::X509::Certificate.new(File.read("#{cadir}/ca_crt.pem"))
        crl = OpenSSL::X509::CRL.new(File.read("#{cadir}/ca_crl.pem"))
        key = OpenSSL::PKey.read(File.read("#{cadir}/ca_key.pem"))
        cert = OpenSSL::X509::Certificate.new(File.read("#{cadir}/signed/#{name}.pem"))
        store = OpenSSL::X509::Store.new
        store.add_cert(ca)
        store.add_crl(crl)
        store.flags = OpenSSL::X509::V_FLAG_CRL_CHECK | OpenSSL::X509::V_FLAG_CRL_CHECK_ALL
        puts "key #{ca.check_private_key(key)} #{OpenSSL::PKey.read(File.read("#{cadir}/ca_pub.pem")).to_der == ca.public_key.to_der}"
        puts "crl #{crl.verify(ca.public_key)} #{crl.version} #{crl.revoked.map { |one| one.serial.to_i }}"
        puts "store #{store.verify(cert) ? 'ok' : store.error_string}"
        [ca, cert].each do |one|
          puts "#{one.subject} by #{one.issuer} #{one.serial} #{one.version} #{one.signature_algorithm} " \
            "#{(one.not_after - one.not_before).to_i}"
          one.extensions.each { |e| puts "  #{e.oid}#{' critical' if e.critical?}" }
        end
    "##;
    let output = Command::new("ruby").args(["-e", script]).arg(site.cadir()).arg(name).output();
    let output = output.expect("Ruby runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Signs the authority's revocation list anew, by Ruby's OpenSSL, so that it ends in so many seconds; this machine's copy with it.
///
/// # Panics
/// When Ruby fails.
pub fn let_list_end(site: &Site, seconds: i64) {
    let script = r##"
        require 'openssl'
        cadir, copy, seconds = ARGV
        crl = OpenSSL::X509::CRL.new(File.read("#{cadir}/ca_crl.pem"))
        crl.next_update = Time.now + seconds.to_i
        crl.sign(OpenSSL::PKey.read(File.read("#{cadir}/ca_key.pem")), 'SHA256')
        ["#{cadir}/ca_crl.pem", copy].each { |file| File.write(file, crl.to_pem) }
    "##;
    let mut command = Command::new("ruby");
    command.args(["-e", script]).arg(site.cadir()).arg(site.folder().join("ssl/crl.pem"));
    ok(command.arg(seconds.to_string())).expect("Ruby signs lists");
}

/// What Ruby's OpenSSL says of the authority's revocation list: its number, whether it is good for years yet, and how many are on it.
///
/// # Panics
/// When it can't be read.
pub fn list_of(site: &Site) -> (u64, bool, usize) {
    let script = r##"
        require 'openssl'
        crl = OpenSSL::X509::CRL.new(File.read("#{ARGV[0]}/ca_crl.pem"))
        number = crl.extensions.find { |one| one.oid == 'crlNumber' }.value
        print Integer(number), ' ', crl.next_update > Time.now + 4 * 365 * 86_400, ' ', crl.revoked.length
    "##;
    let output = Command::new("ruby").args(["-e", script]).arg(site.cadir()).output().expect("Ruby runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let words: Vec<&str> = text.split(' ').collect();
    let [number, good, count] = words[..] else { panic!("{}", String::from_utf8_lossy(&output.stderr)) };
    (number.parse().expect("a number"), good == "true", count.parse().expect("a number"))
}
