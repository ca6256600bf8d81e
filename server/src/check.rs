//! What a configuration comes to, for people: what would be in force if a server were started with it, and what looks wrong. Nothing
//! is written, sent or listened on, so it may be looked at beside a server that runs, and as another user.

use crate::authority::AuthorityLocation;
use crate::certificates::Said;
use crate::environments::Environments;
use crate::gate::Gate;
use crate::server::{Options, check_headers};
use crate::site::{Lasting, Site};
use crate::tls::Tls;
use bunraku::Compiler;
use bunraku::files::owner;
use bunraku::process::{Errors, Limits, run};
use bunraku_authority::Layout;
use rustix::fs::{Access, access};
use std::fmt::{self, Display, Formatter};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

/// Where Puppet Server has its rules, which lie beside `puppet.conf` here: from the folder of that on, as packages of Debian and of
/// Puppet have it.
const RULES_OF_PUPPET_SERVER: [&str; 2] =
    ["puppetserver/conf.d/auth.conf", "../puppetserver/conf.d/auth.conf"];

/// What a check has found.
#[derive(Debug, Default)]
pub struct Found {
    /// What is in force: a name and what it is.
    pub lines: Vec<(String, String)>,
    /// What looks wrong, though a server would start with it.
    pub doubts: Vec<String>,
}

impl Display for Found {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|(name, what)| writeln!(out, "{name}: {what}"))
    }
}

/// Reads all that a server with these options would read.
///
/// # Errors
/// What would keep it from starting.
pub fn check(options: Options) -> Result<Found, String> {
    let listen = options.listen()?;
    let lasting = Lasting {
        compiler: Arc::new(Compiler::new()),
        gate: Arc::new(Gate::new(options.threads)),
        commands: None,
        notices: options.notices.clone(),
        only_looks: true,
    };
    let site = Site::read(options.configuration, &options.given, lasting)?;
    check_headers(&site, listen)?;
    Tls::new(site.tls()?, options.notices)?;
    let (threads, queue) = (options.threads.max(1), options.queue);
    let at_once = format!("{threads} at once, {queue} more may wait");
    Found::of(&site, &[("listens on", listen.to_string()), ("compiles", at_once)])
}

fn text(site: &Site, setting: &str) -> Result<String, String> {
    Ok(site.configuration().get(setting)?.text)
}

/// What is to be said of a program that a setting names, if it can't be run.
pub fn unusable(setting: &str, program: &Path) -> Option<String> {
    let why = access(program, Access::EXEC_OK).err().filter(|_| program.is_absolute())?;
    Some(format!("{setting} names {}, which can't be run by this user: {why}", program.display()))
}

/// What is to be said of an authority's folder, if this user can't write what requests, signing and revoking do.
fn unwritable(layout: &Layout) -> Option<String> {
    // Files are written beside and renamed, but for the inventory, to which lines are added.
    let beside = [&layout.certificate, &layout.lists, &layout.serial].map(|file| file.parent());
    let folders = [Some(layout.folder.as_path()), Some(&layout.requests), Some(&layout.signed)];
    let folders = folders.into_iter().chain(beside).flatten().filter(|folder| folder.exists());
    let all = folders.map(|folder| (folder, Access::WRITE_OK | Access::EXEC_OK));
    let mut all = all.chain([(layout.inventory.as_path(), Access::WRITE_OK)]);
    all.find_map(|(path, wanted)| {
        let why = io::Error::from(access(path, wanted).err()?);
        let (folder, path, why) = (layout.folder.display(), path.display(), owner::refusal(path, &why));
        Some(format!("The authority is in {folder}, and this user can't write {path} ({why}): nothing is signed or revoked"))
    })
}

impl Found {
    /// What a site comes to; lines of `more` stand behind those of the certificates.
    ///
    /// # Errors
    /// When the configuration or a certificate can't be read.
    pub fn of(site: &Site, more: &[(&str, String)]) -> Result<Found, String> {
        let certificates = Said::of(&site.tls()?, &site.certname)?;
        let mut found = Found { lines: Vec::new(), doubts: site.configuration().warnings()? };
        found.doubts.extend(certificates.doubts);
        let conf = text(site, "config")?;
        let is_there = Path::new(&conf).is_file();
        found.say("puppet.conf", if is_there { conf } else { format!("{conf} (not there)") });
        found.say("version", site.compat().server_version());
        found.say("certname", site.certname.clone());
        certificates.lines.into_iter().for_each(|(name, what)| found.say(name, what));
        more.iter().for_each(|(name, what)| found.say(name, what.as_str()));
        found.who(site, &PathBuf::from(text(site, "confdir")?))?;
        found.environments(&site.environments)?;
        found.programs(site)?;
        found.data(site)?;
        found.ruby(&site.settings.ruby.program);
        Ok(found)
    }

    fn say(&mut self, name: &str, what: impl Into<String>) {
        self.lines.push((name.to_owned(), what.into()));
    }

    /// Who may ask what, and who signs.
    fn who(&mut self, site: &Site, confdir: &Path) -> Result<(), String> {
        let count = site.rules.len();
        match &site.rules_from {
            Some(file) => self.say("rules", format!("{count}, of {}", file.display())),
            None => {
                self.say("rules", format!("{count}, Puppet Server's own"));
                let mut theirs =
                    RULES_OF_PUPPET_SERVER.iter().filter_map(|file| confdir.join(file).canonicalize().ok());
                if let Some(file) = theirs.find(|file| file.is_file()) {
                    self.doubts.push(format!(
                        "{} is not read: copy it beside puppet.conf or name it by --auth, if anything was changed in it",
                        file.display()
                    ));
                }
            }
        }
        let authority = match &site.authority {
            AuthorityLocation::Here(authority) => {
                let layout = &authority.settings().layout;
                self.doubts.extend(unwritable(layout));
                format!("this server, in {}", layout.folder.display())
            }
            AuthorityLocation::Elsewhere(proxy) => {
                format!("{}, to which agents' requests are passed on", proxy.at())
            }
            AuthorityLocation::Nowhere => {
                let key = PathBuf::from(text(site, "cakey")?);
                if key.is_file() {
                    self.doubts.push(format!(
                        "{} is there, but --ca is not given: nobody signs here, unless Puppet Server still does",
                        key.display()
                    ));
                }
                match text(site, "ca_server")? == site.certname {
                    true => "asked by agents themselves (ca_server is this machine, and --ca is not given)"
                        .to_owned(),
                    false => "asked by agents themselves (no ca_server is set)".to_owned(),
                }
            }
        };
        self.say("authority", authority);
        Ok(())
    }

    fn environments(&mut self, environments: &Environments) -> Result<(), String> {
        let configuration = environments.configuration();
        let path = configuration.get("environmentpath")?.text;
        let names = configuration.environment_names()?;
        if names.is_empty() {
            self.doubts.push(format!("There is no environment: environmentpath is {path}"));
        }
        for name in names {
            let line = match environments.get(&name) {
                Ok(served) => {
                    let modules =
                        environments.setting("modulepath", &name).map_err(|failure| failure.message)?;
                    let modulepath: Vec<PathBuf> =
                        modules.unwrap_or_default().split(':').map(PathBuf::from).collect();
                    let count = match configuration.modules(&modulepath) {
                        Ok(modules) => modules.len().to_string(),
                        Err(why) => {
                            self.doubts.push(format!("Environment {name}: {why}"));
                            "unusable".to_owned()
                        }
                    };
                    let code = served
                        .code_id
                        .as_ref()
                        .map_or_else(|| "sources".to_owned(), |id| format!("archive {id}"));
                    format!("{} ({code}; modules: {count})", served.folder.display())
                }
                Err(failure) => {
                    self.doubts
                        .push(format!("Environment {name} can't be compiled from: {}", failure.message));
                    "unusable".to_owned()
                }
            };
            self.say(&format!("environment {name}"), line);
        }
        Ok(())
    }

    /// Programs that are asked of nodes.
    fn programs(&mut self, site: &Site) -> Result<(), String> {
        let terminus = site.configuration().node_terminus()?;
        let programs = site.configuration().programs()?;
        let classifier = programs.iter().find(|(name, _)| *name == "external_nodes");
        match classifier.and_then(|(_, program)| program.as_ref()) {
            Some(_) => self.say("classifier", text(site, "external_nodes")?),
            None => self.say("classifier", format!("none (node_terminus is {terminus})")),
        }
        self.doubts.extend(programs.iter().filter_map(|(name, program)| unusable(name, program.as_deref()?)));
        Ok(())
    }

    /// What runs functions and templates that are not run without it.
    fn ruby(&mut self, program: &Path) {
        let mut asks = Command::new(program);
        asks.args(["-e", "print RUBY_VERSION"]);
        let limits = Limits { bytes: 1 << 10, time: Duration::from_secs(10) };
        let (program, version) = (program.display(), run(&mut asks, Errors::Joined, limits));
        let why = match version {
            Ok(ended) if ended.status.success() => {
                return self.say("ruby", format!("{program} ({})", String::from_utf8_lossy(&ended.output)));
            }
            Ok(ended) => ended.status.to_string(),
            Err(error) => error.to_string(),
        };
        self.say("ruby", format!("{program} (does not run)"));
        let then = "functions, templates and report processors that need Ruby will fail";
        self.doubts.push(format!("Ruby does not run ({program}: {why}): {then}; --ruby names another"));
    }

    /// Where facts, reports and commands go, and whether they can be written.
    fn data(&mut self, site: &Site) -> Result<(), String> {
        let configuration = site.configuration();
        self.say("reports", text(site, "reports")?);
        let cache = configuration.facts_cache()?.map(|cache| format!(", and {cache}")).unwrap_or_default();
        let facts = match configuration.facts_terminus()?.as_str() {
            "facter" => "json".to_owned(),
            other => other.to_owned(),
        };
        self.say("facts", format!("{facts}{cache}"));
        self.say(
            "puppetdb",
            match site.commands.is_some() {
                true => configuration.puppetdb_servers()?.urls.join(", "),
                false => "is told nothing".to_owned(),
            },
        );
        let vardir = PathBuf::from(text(site, "vardir")?);
        self.say("vardir", vardir.display().to_string());
        let there = vardir.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("/"));
        let why = match access(there, Access::WRITE_OK) {
            Err(why) => Some(why.to_string()),
            Ok(()) => (!there.is_dir()).then(|| format!("{} is no folder", there.display())),
        };
        if let Some(why) = why {
            let vardir = vardir.display();
            self.doubts.push(format!(
                "vardir is {vardir}, where this user can't write ({why}): facts and reports will be refused"
            ));
        }
        Ok(())
    }
}
