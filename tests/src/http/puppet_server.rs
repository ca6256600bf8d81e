//! Real Puppet Server, as Debian packages it, for one run: with configuration of its own, its CA switched off.

use super::client::Client;
use super::site::{ADMIN, Site};
use crate::authority::Authority;
use crate::ca;
use crate::programs::{free_port, retry};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const JAR: &str = "/usr/share/puppetserver/puppetserver.jar";
/// What only the cases' administrator may ask.
pub const ADMINS: &str = "^/puppet/v4/catalog|^/puppet-admin-api/|^/puppet/v3/environment_(classes|modules|transports)|^/puppet/v3/plans";
const PACKAGED: &str = "/etc/puppet/puppetserver";
/// Services of an authority, and what stands in their place.
const ENABLED: &str = "puppetlabs.services.ca.certificate-authority-service/certificate-authority-service\n\
                       puppetlabs.trapperkeeper.services.watcher.filesystem-watch-service/filesystem-watch-service\n";
const DISABLED: &str =
    "puppetlabs.services.ca.certificate-authority-disabled-service/certificate-authority-disabled-service\n";

/// A running server; it ends with this value.
pub struct PuppetServer {
    child: Child,
    port: u16,
}

impl PuppetServer {
    /// Starts one for a site, and waits until it answers: a minute of CPU time.
    ///
    /// # Errors
    /// When the package `puppetserver` is not installed, or it does not start.
    pub fn start(site: &Site) -> Result<PuppetServer, String> {
        // The package's own rules with one more before them, for the cases' administrator.
        let more = format!(
            "rules: [\n{{ match-request: {{ path: \"{ADMINS}\", type: regex }}, allow: \"{ADMIN}.example.com\", \
             sort-order: 1, name: \"cases\" }},\n"
        );
        let rules = packaged("conf.d/auth.conf")?.replacen("rules: [", &more, 1);
        PuppetServer::start_by(site.folder(), &site.confdir(), site.authority(), &rules)
    }

    /// Starts one by the package's own rules for a `puppet.conf`, with the certificate that an authority has given to `server`;
    /// what it keeps lies below `folder`. Waits until it answers.
    ///
    /// # Errors
    /// As of [`PuppetServer::start`].
    pub fn start_at(folder: &Path, confdir: &Path, authority: &Authority) -> Result<PuppetServer, String> {
        is_installed()?;
        PuppetServer::start_by(folder, confdir, authority, &packaged("conf.d/auth.conf")?)
    }

    fn start_by(
        there: &Path,
        confdir: &Path,
        authority: &Authority,
        rules: &str,
    ) -> Result<PuppetServer, String> {
        is_installed()?;
        let (port, folder) = (free_port()?, there.join("puppetserver"));
        let ssl = authority.folder().display();
        let web = format!(
            "webserver: {{ client-auth: want, ssl-host: 127.0.0.1, ssl-port: {port}, ssl-cert: \"{ssl}/server.pem\", \
             ssl-key: \"{ssl}/server.key\", ssl-ca-cert: \"{ssl}/ca.pem\", ssl-crl-path: \"{ssl}/crl.pem\" }}\n"
        );
        write_configuration(there, confdir, &folder, [&web, rules, DISABLED])?;
        PuppetServer::launch(&folder, port, &Client::new(authority, port))
    }

    /// Starts one that is the authority, over a folder that is there, and waits until it answers whoever has certificates in
    /// the folder `clients`.
    ///
    /// # Errors
    /// As of [`PuppetServer::start`].
    pub fn start_authority(site: &ca::Site, clients: &Path) -> Result<PuppetServer, String> {
        is_installed()?;
        let port = free_port()?;
        let folder = site.folder().join("run-puppetserver");
        let web = format!("webserver: {{ client-auth: want, ssl-host: 127.0.0.1, ssl-port: {port} }}\n");
        let rules = packaged("conf.d/auth.conf")?;
        write_configuration(site.folder(), site.folder(), &folder, [&web, &rules, ENABLED])?;
        PuppetServer::launch(&folder, port, &Client::of(clients.to_path_buf(), port))
    }

    fn launch(folder: &Path, port: u16, client: &Client) -> Result<PuppetServer, String> {
        let told = |error: std::io::Error| error.to_string();
        let log = fs::File::create(folder.join("out")).map_err(told)?;
        let child = Command::new("java")
            .args(["-Xms512m", "-Xmx1g", "-Djruby.logger.class=com.puppetlabs.jruby_utils.jruby.Slf4jLogger"])
            .args(["-cp", &format!("{JAR}:/usr/share/java/jruby.jar")])
            .args(["clojure.main", "-m", "puppetlabs.trapperkeeper.main", "--config"])
            .arg(folder.join("conf.d"))
            .arg("--bootstrap-config")
            .arg(folder.join("services"))
            .arg("--restart-file")
            .arg(folder.join("restart"))
            .stdin(Stdio::null())
            .stdout(log.try_clone().map_err(told)?)
            .stderr(log)
            .spawn()
            .map_err(told)?;
        let mut server = PuppetServer { child, port };
        let mut ended = None;
        let ready = retry(Duration::from_secs(300), || {
            if let Ok(Some(status)) = server.child.try_wait() {
                ended = Some(status);
                return Ok(());
            }
            let asked = b"GET /status/v1/simple HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
            match client.send(None, asked)? {
                answer if answer.body == b"running" => Ok(()),
                answer => Err(String::from_utf8_lossy(&answer.body).into_owned()),
            }
        });
        let ready = ended.map_or(ready, |status| Err(format!("it ended: {status}")));
        ready.map_err(|error| {
            let log = fs::read_to_string(folder.join("out")).unwrap_or_default();
            format!("Puppet Server does not start: {error}\n{log}")
        })?;
        Ok(server)
    }

    /// The number of its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Where it listens.
    pub fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for PuppetServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn is_installed() -> Result<(), String> {
    match fs::exists(JAR).unwrap_or(false) {
        true => Ok(()),
        false => Err("Puppet Server is not installed (Debian: puppetserver)".to_owned()),
    }
}

/// A file of the package's configuration.
fn packaged(name: &str) -> Result<String, String> {
    fs::read_to_string(Path::new(PACKAGED).join(name)).map_err(|error| error.to_string())
}

/// Writes its configuration into `folder`: how it listens, its rules and further services as they are given, the rest below
/// `there`.
fn write_configuration(
    there: &Path,
    confdir: &Path,
    folder: &Path,
    [web, rules, services]: [&str; 3],
) -> Result<(), String> {
    let told = |error: std::io::Error| error.to_string();
    for folder in [&folder.join("conf.d"), &there.join("run")] {
        fs::create_dir_all(folder).map_err(told)?;
    }
    let (there, confdir, own) = (there.display(), confdir.display(), folder.display());
    let jruby = format!(
        "jruby-puppet: {{ ruby-load-path: [/usr/lib/puppetserver/ruby/vendor_ruby], \
         gem-home: \"{there}/gems\", gem-path: [\"{there}/gems\", \"/usr/lib/puppetserver/vendored-jruby-gems\"], \
         server-conf-dir: \"{confdir}\", server-code-dir: \"{there}/code\", server-var-dir: \"{there}/var\", \
         server-run-dir: \"{there}/run\", server-log-dir: \"{there}/log\", max-active-instances: 1, \
         environment-class-cache-enabled: true }}\nhttp-client: {{ }}\nprofiler: {{ }}\nmetrics: {{ server-id: localhost }}\n"
    );
    let files = [
        ("conf.d/auth.conf", rules.to_owned()),
        ("conf.d/webserver.conf", web.to_owned()),
        ("conf.d/puppetserver.conf", jruby),
        ("conf.d/web-routes.conf", packaged("conf.d/web-routes.conf")?),
        ("conf.d/global.conf", format!("global: {{ logging-config: \"{own}/logback.xml\" }}\n")),
        (
            "logback.xml",
            "<configuration><appender name=\"S\" class=\"ch.qos.logback.core.ConsoleAppender\"><encoder>\
             <pattern>%d %-5p [%c{2}] %m%n</pattern></encoder></appender><root level=\"info\">\
             <appender-ref ref=\"S\"/></root></configuration>\n"
                .to_owned(),
        ),
        ("services", packaged("services.d/bootstrap.cfg")? + services),
        ("restart", String::new()),
    ];
    files.into_iter().try_for_each(|(name, text)| fs::write(folder.join(name), text)).map_err(told)
}
