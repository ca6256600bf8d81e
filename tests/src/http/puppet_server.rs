//! Real Puppet Server, as Debian packages it, for one run: with configuration of its own, its CA switched off.

use super::client::Client;
use super::site::{ADMIN, Site};
use crate::programs::{free_port, retry};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const JAR: &str = "/usr/share/puppetserver/puppetserver.jar";
/// What only the cases' administrator may ask.
pub const ADMINS: &str =
    "^/puppet/v4/catalog|^/puppet-admin-api/|^/puppet/v3/environment_(classes|modules)|^/puppet/v3/plans";
const PACKAGED: &str = "/etc/puppet/puppetserver";

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
        if !fs::exists(JAR).unwrap_or(false) {
            return Err("Puppet Server is not installed (Debian: puppetserver)".to_owned());
        }
        let port = free_port()?;
        let told = |error: std::io::Error| error.to_string();
        let folder = site.folder().join("puppetserver");
        fs::create_dir_all(folder.join("conf.d")).map_err(told)?;
        fs::create_dir_all(site.folder().join("run")).map_err(told)?;
        write_configuration(site, &folder, port)?;
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
        let client = Client::new(site.authority(), port);
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

/// The package's own rules with one more before them, for the cases' administrator.
fn write_configuration(site: &Site, folder: &Path, port: u16) -> Result<(), String> {
    let told = |error: std::io::Error| error.to_string();
    let conf = folder.join("conf.d");
    let packaged = |name: &str| fs::read_to_string(Path::new(PACKAGED).join(name)).map_err(told);
    let more = format!(
        "rules: [\n{{ match-request: {{ path: \"{ADMINS}\", type: regex }}, allow: \"{ADMIN}.example.com\", \
         sort-order: 1, name: \"cases\" }},\n"
    );
    let rules = packaged("conf.d/auth.conf")?.replacen("rules: [", &more, 1);
    let (there, ssl) = (site.folder().display(), site.authority().folder().display());
    let web = format!(
        "webserver: {{ client-auth: want, ssl-host: 127.0.0.1, ssl-port: {port}, ssl-cert: \"{ssl}/server.pem\", \
         ssl-key: \"{ssl}/server.key\", ssl-ca-cert: \"{ssl}/ca.pem\", ssl-crl-path: \"{ssl}/crl.pem\" }}\n"
    );
    let jruby = format!(
        "jruby-puppet: {{ ruby-load-path: [/usr/lib/puppetserver/ruby/vendor_ruby], \
         gem-home: \"{there}/gems\", gem-path: [\"{there}/gems\", \"/usr/lib/puppetserver/vendored-jruby-gems\"], \
         server-conf-dir: \"{there}/conf\", server-code-dir: \"{there}/code\", server-var-dir: \"{there}/var\", \
         server-run-dir: \"{there}/run\", server-log-dir: \"{there}/log\", max-active-instances: 1, \
         environment-class-cache-enabled: true }}\nhttp-client: {{ }}\nprofiler: {{ }}\nmetrics: {{ server-id: localhost }}\n"
    );
    let services = packaged("services.d/bootstrap.cfg")?
        + "puppetlabs.services.ca.certificate-authority-disabled-service/certificate-authority-disabled-service\n";
    let web_routes = packaged("conf.d/web-routes.conf")?;
    let files = [
        ("conf.d/auth.conf", rules),
        ("conf.d/webserver.conf", web),
        ("conf.d/puppetserver.conf", jruby),
        ("conf.d/web-routes.conf", web_routes),
        (
            "conf.d/global.conf",
            format!("global: {{ logging-config: \"{there}/puppetserver/logback.xml\" }}\n"),
        ),
        (
            "logback.xml",
            "<configuration><appender name=\"S\" class=\"ch.qos.logback.core.ConsoleAppender\"><encoder>\
             <pattern>%d %-5p [%c{2}] %m%n</pattern></encoder></appender><root level=\"info\">\
             <appender-ref ref=\"S\"/></root></configuration>\n"
                .to_owned(),
        ),
        ("services", services),
        ("restart", String::new()),
    ];
    debug_assert!(conf.is_dir(), "made before");
    files.into_iter().try_for_each(|(name, text)| fs::write(folder.join(name), text)).map_err(told)
}
