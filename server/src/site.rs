//! All that requests are answered from: the configuration and what follows from it, as it was read at one moment. A reload makes
//! another one; requests under way end with the one that they began with.

use crate::answer_cache::AnswerCache;
use crate::authority::AuthorityLocation;
use crate::authorization::{Decision, Rules};
use crate::bucket::Bucket;
use crate::classes::Classes;
use crate::commands::spool::Limits;
use crate::commands::{Commands, Way};
use crate::environments::Environments;
use crate::exchange::{Failure, Request, Response};
use crate::facts::Facts;
use crate::files::Files;
use crate::gate::Gate;
use crate::identity::is_certname;
use crate::notices::Notices;
use crate::oids::Names;
use crate::reports::Reports;
use crate::routes::{Route, WrongMethod, elsewhere};
use crate::tasks::Tasks;
use crate::tls;
use crate::versions::Versions;
use bunraku::files::read;
use bunraku::visible::visible_line;
use bunraku::{Compat, Compiler, Configuration, Data, Node, Settings};
use http::StatusCode;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The folder below `vardir` where commands wait for PuppetDB.
const SPOOL: &str = "puppetdb-commands";

/// The folder below `vardir` where contents are kept that static catalogs of archives have named.
const VERSIONS: &str = "static-contents";

/// Bytes that `auth.conf` may hold.
const MAX_RULES: u64 = 4 << 20;

/// What a configuration does not say.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// The file of rules; where none is said, those beside `puppet.conf`, and else Puppet Server's own.
    pub rules: Option<PathBuf>,
    /// The folder of archives, if environments are compiled from archives.
    pub archives: Option<PathBuf>,
    /// How long is kept what a classifier says of a node.
    pub classified_for: Duration,
    /// Whether this server is the certificate authority.
    pub is_authority: bool,
    /// Puppet Server's `ca.conf`, where another one than that beside `cadir` is meant.
    pub authority_conf: Option<PathBuf>,
    /// What the machine is called, for `$server_facts`; without that it is the server's certname.
    pub machine: Option<String>,
    /// The machine's addresses, of the fourth and the sixth version, for `$server_facts`.
    pub addresses: [Option<String>; 2],
    /// Programs that know versions of the code; where none is said, only archives are versions.
    pub versions: Option<Versions>,
    /// Limits of compiles by their settings, `timeout` among them.
    pub limits: Vec<(String, Data)>,
    /// The Ruby that runs what modules have in Ruby, where it is not the one that is found by its name.
    pub ruby: Option<PathBuf>,
    /// Proxies that look at clients' certificates: where rules have clients named by headers, by theirs and those of this machine.
    pub proxies: Vec<IpAddr>,
}

/// What goes on when the configuration is read anew.
#[derive(Clone)]
pub struct Lasting {
    /// What compiles.
    pub compiler: Arc<Compiler>,
    /// Lets as many compiles run at once as there are cores.
    pub gate: Arc<Gate>,
    /// What PuppetDB is to know, where it is told anything.
    pub commands: Option<Arc<Commands>>,
    /// Where is told what is not answered.
    pub notices: Notices,
    /// Whether it is only looked at: then no folder is made, and nothing that waits is sent.
    pub only_looks: bool,
}

/// A site.
pub struct Site {
    /// Its environments, with the configuration.
    pub environments: Arc<Environments>,
    /// Its settings of compiles.
    pub settings: Settings,
    /// The name of this server's certificate.
    pub certname: String,
    /// What this machine is called.
    pub machine: String,
    /// This machine's addresses.
    pub addresses: [Option<String>; 2],
    /// What compiles.
    pub compiler: Arc<Compiler>,
    /// What classifiers have said: classes and parameters, and the environment.
    pub classified: AnswerCache<(Node, Option<String>)>,
    /// What programs of trusted data have said.
    pub external: AnswerCache<Option<Data>>,
    /// Lets as many compiles run at once as there are cores.
    pub gate: Arc<Gate>,
    /// What PuppetDB is to know, where it is told anything.
    pub commands: Option<Arc<Commands>>,
    /// The same, where catalogs are told.
    pub catalogs: Option<Arc<Commands>>,
    /// Programs that know versions of the code.
    pub versions: Option<Versions>,
    /// Its files.
    pub files: Files,
    /// What becomes of reports.
    pub reports: Reports,
    /// Facts that agents have sent.
    pub facts: Facts,
    /// Files that agents have backed up.
    pub bucket: Bucket,
    /// The classes of environments.
    pub classes: Classes,
    /// The tasks of environments.
    pub tasks: Tasks,
    /// Proxies whose headers count, where headers do.
    pub proxies: Vec<IpAddr>,
    /// Who may ask what.
    pub rules: Rules,
    /// Where the rules are from.
    pub rules_from: Option<PathBuf>,
    /// What extensions of certificates are called.
    pub names: Names,
    /// Where the certificate authority is.
    pub authority: AuthorityLocation,
    /// Whether PuppetDB is told anything.
    is_told: bool,
    /// Where is told what is not answered.
    pub notices: Notices,
}

impl Site {
    /// Reads what a configuration names.
    ///
    /// # Errors
    /// What is wrong, by setting or file.
    pub fn read(configuration: Configuration, given: &Given, lasting: Lasting) -> Result<Site, String> {
        let Lasting { compiler, gate, commands, notices, only_looks } = lasting;
        check_file(&configuration)?;
        check_classifier(&configuration)?;
        if let Some(archives) = given.archives.as_ref().filter(|archives| !archives.is_dir()) {
            return Err(format!("--archives names {}, which is no folder", archives.display()));
        }
        let path = |name: &str| Ok::<_, String>(PathBuf::from(configuration.get(name)?.text));
        let beside = path("confdir")?.join("auth.conf");
        // Whatever has the name, rules are meant: a link to nothing, or to what this user may not enter, is an error.
        let has_name = |path: &PathBuf| match path.symlink_metadata() {
            Err(error) => error.kind() != std::io::ErrorKind::NotFound,
            Ok(_) => true,
        };
        let rules_from = given.rules.clone().or_else(|| Some(beside).filter(has_name));
        let rules = rules_from.as_deref().map_or_else(|| Ok(Rules::defaults()), rules)?;
        let names = Names::read(&path("trusted_oid_mapping_file")?)?;
        let mounts = path("fileserverconfig")?;
        let certname = configuration.get("certname")?.text;
        let path_of_versions = path("vardir")?.join(VERSIONS);
        let mut settings = configuration.settings()?;
        settings.limits.time = Some(bunraku::TIMEOUT);
        given.limits.iter().try_for_each(|(name, value)| settings.set(name, value))?;
        if let Some(ruby) = &given.ruby {
            settings.ruby.program.clone_from(ruby);
        }
        let told = Told::by(&configuration)?;
        let commands = match only_looks {
            true => told
                .anything()
                .then(|| Commands::idle(&configuration, notices.clone()).map(Arc::new))
                .transpose()?,
            false => commands_of(&configuration, told, commands, &notices)?,
        };
        let is_told = told.anything();
        let of = |tells: bool| commands.as_ref().filter(|_| tells);
        let catalogs = of(told.catalogs).cloned();
        let bucket = Bucket::new(&configuration)?.with_notices(notices.clone());
        let takers =
            (of(told.reports).map(Commands::taker_of_reports), of(told.facts).map(Commands::taker_of_facts));
        let environments = Arc::new(Environments::new(configuration).with_archives(given.archives.clone()));
        let reports = Reports::of(Arc::clone(&environments), Arc::clone(&compiler), takers.0)?;
        let reports = reports.with_notices(notices.clone()).with_settings(settings.clone());
        for doubt in reports.doubts()? {
            notices.say("warning", "Puppet", doubt);
        }
        let facts = Facts::of(Arc::clone(&environments), takers.1)?;
        let files = Files::new(Arc::clone(&environments), &mounts)?.with_notices(notices.clone());
        let content = given.versions.as_ref().map(|versions| versions.content.clone());
        let files = files.with_content_command(content);
        let files = match given.archives.is_some() && given.versions.is_none() {
            true => files.with_versions_kept(path_of_versions),
            false => files,
        };
        let classes = Classes::new(Arc::clone(&environments), settings.strict)?;
        let tasks = Tasks::new(Arc::clone(&environments)).with_notices(notices.clone());
        let machine = given.machine.clone().unwrap_or_else(|| certname.clone());
        let addresses = given.addresses.clone();
        let authority = AuthorityLocation::of(environments.configuration(), given, &notices)?;
        Ok(Site {
            authority,
            environments,
            settings,
            certname,
            machine,
            addresses,
            compiler,
            classified: AnswerCache::new(given.classified_for),
            external: AnswerCache::new(given.classified_for),
            gate,
            commands,
            catalogs,
            versions: given.versions.clone(),
            files,
            reports,
            facts,
            bucket,
            classes,
            tasks,
            proxies: given.proxies.clone(),
            rules,
            rules_from,
            names,
            is_told,
            notices,
        })
    }

    /// Where what PuppetDB is to know goes by this configuration; none where it is told nothing, and what waits goes to where it went.
    ///
    /// # Errors
    /// As of [`Commands::read`].
    pub fn way(&self) -> Result<Option<(Arc<Commands>, Way)>, String> {
        let Some(commands) = self.commands.as_ref().filter(|_| self.is_told) else { return Ok(None) };
        Ok(Some((Arc::clone(commands), commands.read(self.configuration())?)))
    }

    /// What the next one goes on with.
    pub fn lasting(&self) -> Lasting {
        Lasting {
            compiler: Arc::clone(&self.compiler),
            gate: Arc::clone(&self.gate),
            commands: self.commands.clone(),
            notices: self.notices.clone(),
            only_looks: false,
        }
    }

    /// The configuration it was read from.
    pub fn configuration(&self) -> &Configuration {
        self.environments.configuration()
    }

    /// The version of Puppet that it stands for.
    pub fn compat(&self) -> Compat {
        self.configuration().compat()
    }

    /// The files of its TLS, by its settings. An authority's revocation lists are its own, not a copy of them.
    ///
    /// # Errors
    /// As of [`Configuration::get`].
    pub fn tls(&self) -> Result<tls::Files, String> {
        let path = |name: &str| Ok::<_, String>(PathBuf::from(self.configuration().get(name)?.text));
        Ok(tls::Files {
            certificate: path("hostcert")?,
            key: path("hostprivkey")?,
            authorities: path("localcacert")?,
            revoked: match &self.authority {
                AuthorityLocation::Here(authority) => authority.settings().layout.lists.clone(),
                _ => path("hostcrl")?,
            },
        })
    }

    /// Whether a request may be asked, before its body is there; else the answer that refuses it.
    ///
    /// # Errors
    /// The answer in place of what is asked for.
    pub fn admit(&self, route: &Route, request: &Request) -> Result<(), Response> {
        if matches!((route, &self.authority), (Route::Authority(_), AuthorityLocation::Nowhere)) {
            return Err(not_there(&request.path));
        }
        let is_wrong_method = !route.methods().contains(&request.method);
        match route.wrong_method() {
            WrongMethod::Nothing if is_wrong_method => {
                let nothing = Response::text(StatusCode::NOT_FOUND, "");
                return Err(Response { headers: Vec::new(), ..nothing });
            }
            WrongMethod::NotThere if is_wrong_method => return Err(not_there(&request.path)),
            WrongMethod::Nothing | WrongMethod::NotThere | WrongMethod::NotAllowed => {}
        }
        let decision = self.rules.decide(&request.method, &request.path, &request.query, &request.client);
        let why = match decision {
            Decision::Allowed => None,
            Decision::Denied(None) => Some("no rule".to_owned()),
            Decision::Denied(Some(rule)) => Some(format!("rule '{rule}'")),
            Decision::Unclear(rule, error) => {
                Some(format!("rule '{rule}', of which can't be said whether it fits: {error}"))
            }
        };
        if let Some(why) = why {
            let method = request.method.as_str().to_ascii_lowercase();
            let who = request.client.certname.as_deref().unwrap_or("a client without certificate");
            let message = format!(
                "Forbidden request: {who}({}) access to {} (method :{method}) denied by {why}.",
                request.client.address, request.path
            );
            self.notices.say("err", "Puppet", message);
            let said = format!(
                "Forbidden request: {} (method :{method}). Please see the server logs for details.",
                visible_line(&request.path)
            );
            return Err(Response { headers: Vec::new(), ..Response::text(StatusCode::FORBIDDEN, said) });
        }
        if let Route::Authority(route) = route {
            return route.admit(&request.method);
        }
        if is_wrong_method {
            return Err(Response::text(StatusCode::METHOD_NOT_ALLOWED, "Method not allowed."));
        }
        match route.node() {
            Some(name) if !is_certname(name) => {
                let message = format!("'{name}' is no name of a node");
                Err(Failure::new(StatusCode::BAD_REQUEST, message).response())
            }
            _ => Ok(()),
        }
    }

    /// Fetches the revocation lists of an authority elsewhere into this machine's copy, which TLS follows.
    pub fn fetch_lists(&self) {
        if let AuthorityLocation::Elsewhere(proxy) = &self.authority
            && let Err(why) = proxy.fetch_lists()
        {
            self.notices.say("warning", "Puppet", format!("Revocation lists could not be fetched: {why}"));
        }
    }
}

/// Refuses a `puppet.conf` that is malformed, of which nothing is in force: Puppet would go on with its defaults.
fn check_file(configuration: &Configuration) -> Result<(), String> {
    match configuration.fault() {
        Some(fault) => Err(format!("Could not parse the configuration: {fault}")),
        None => Ok(()),
    }
}

/// Refuses a classifier that there is not: nodes would get catalogs without their classes, and apply them.
fn check_classifier(configuration: &Configuration) -> Result<(), String> {
    match configuration.node_terminus()?.as_str() {
        "plain" | "exec" | "" => Ok(()),
        other => Err(format!("The terminus '{other}' of nodes (node_terminus) is not supported")),
    }
}

/// What of a site PuppetDB is told.
#[derive(Clone, Copy, Debug)]
struct Told {
    facts: bool,
    catalogs: bool,
    reports: bool,
}

impl Told {
    fn anything(self) -> bool {
        self.facts || self.catalogs || self.reports
    }

    fn by(configuration: &Configuration) -> Result<Told, String> {
        let is_puppetdb = |name: &String| matches!(name.as_str(), "puppetdb" | "store_configs");
        let reports = configuration.get("reports")?.text;
        Ok(Told {
            facts: is_puppetdb(&configuration.facts_terminus()?)
                || configuration.facts_cache()?.as_ref().is_some_and(is_puppetdb),
            catalogs: match configuration.catalog_cache()? {
                None => false,
                Some(name) if is_puppetdb(&name) => true,
                Some(other) => return Err(format!("The cache '{other}' of catalogs is not supported")),
            },
            reports: reports.split(',').any(|name| name.trim() == "puppetdb"),
        })
    }
}

/// What PuppetDB is to know: from before, as the spool's folder is one process's, or newly opened where anything is told. Those from
/// before go on to where they went: see [`Site::way`].
fn commands_of(
    configuration: &Configuration,
    told: Told,
    before: Option<Arc<Commands>>,
    notices: &Notices,
) -> Result<Option<Arc<Commands>>, String> {
    if !told.anything() {
        return Ok(before);
    }
    if before.is_some() {
        return Ok(before);
    }
    let spool = Path::new(&configuration.get("vardir")?.text).join(SPOOL);
    let commands = Commands::new(configuration, &spool, Limits::default(), notices.clone())?;
    Ok(Some(Arc::new(commands)))
}

/// The rules of a file.
fn rules(file: &Path) -> Result<Rules, String> {
    let told = |why: String| format!("{}: {why}", file.display());
    let text = read::regular_text(file, MAX_RULES).map_err(|error| told(error.to_string()))?;
    // What Puppet 3 read there, packages of before have left beside puppet.conf.
    let is_old = || !text.contains("authorization") && text.lines().any(|line| line.starts_with("path "));
    Rules::parse(&text).map_err(|fault| match is_old() {
        true => told(
            "it is in the form of Puppet 3, which Puppet Server does not read: remove it, or name another by --auth".to_owned(),
        ),
        false => told(fault.to_string()),
    })
}

/// The answer where there is nothing: as Puppet Server says it. What Puppet Server has there is named.
pub fn not_there(path: &str) -> Response {
    let message = elsewhere(path).map_or_else(|| "Not Found".to_owned(), |what| format!("Not Found: {what}"));
    let body = serde_json::json!({"message": message, "url": path, "status": "404"});
    Response { status: StatusCode::NOT_FOUND, ..Response::of("application/json", body.to_string()) }
}
