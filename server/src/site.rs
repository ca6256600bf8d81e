//! All that requests are answered from: the configuration and what follows from it, as it was read at one moment. A reload makes
//! another one; requests under way end with the one that they began with.

use crate::administration;
use crate::authority::Place;
use crate::authorization::{Decision, Rules};
use crate::bucket::Bucket;
use crate::catalog;
use crate::classified::Classified;
use crate::environments::Environments;
use crate::exchange::{Failure, Request, Response};
use crate::facts::Facts;
use crate::files::Files;
use crate::gate::Gate;
use crate::identity::is_certname;
use crate::listings;
use crate::node;
use crate::notices::Notices;
use crate::oids::Names;
use crate::reports::Reports;
use crate::routes::Route;
use crate::states;
use crate::{catalog4, tls};
use bunraku::files::read;
use bunraku::{Compat, Compiler, Configuration, Settings};
use http::{HeaderName, HeaderValue, Method, StatusCode};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

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
    /// The machine's addresses, of the fourth and the sixth version, for `$server_facts`.
    pub addresses: [Option<String>; 2],
}

/// A site.
pub struct Site {
    /// Its environments, with the configuration.
    pub environments: Arc<Environments>,
    /// Its settings of compiles.
    pub settings: Settings,
    /// The name of this server's certificate.
    pub certname: String,
    /// This machine's addresses.
    pub addresses: [Option<String>; 2],
    /// What compiles.
    pub compiler: Arc<Compiler>,
    /// What classifiers have said.
    pub classified: Classified,
    /// Lets as many compiles run at once as there are cores.
    pub gate: Arc<Gate>,
    /// Its files.
    pub files: Files,
    /// What becomes of reports.
    pub reports: Reports,
    /// Facts that agents have sent.
    pub facts: Facts,
    /// Files that agents have backed up.
    pub bucket: Bucket,
    /// Who may ask what.
    pub rules: Rules,
    /// Where the rules are from.
    pub rules_from: Option<PathBuf>,
    /// What extensions of certificates are called.
    pub names: Names,
    /// Where the certificate authority is.
    pub authority: Place,
    /// Where is told what is not answered.
    pub notices: Notices,
}

impl Site {
    /// Reads what a configuration names.
    ///
    /// # Errors
    /// What is wrong, by setting or file.
    pub fn read(
        configuration: Configuration,
        given: &Given,
        compiler: Arc<Compiler>,
        gate: Arc<Gate>,
        notices: Notices,
    ) -> Result<Site, String> {
        let path = |name: &str| Ok::<_, String>(PathBuf::from(configuration.get(name)?.text));
        let beside = path("confdir")?.join("auth.conf");
        let rules_from = given.rules.clone().or_else(|| beside.is_file().then_some(beside));
        let rules = rules_from.as_deref().map_or_else(|| Ok(Rules::defaults()), rules)?;
        let names = Names::read(&path("trusted_oid_mapping_file")?)?;
        let mounts = path("fileserverconfig")?;
        let certname = configuration.get("certname")?.text;
        let mut settings = configuration.settings()?;
        settings.limits.time = Some(bunraku::TIMEOUT);
        let reports = Reports::new(&configuration)?.with_notices(notices.clone());
        let facts = Facts::new(&configuration)?;
        let bucket = Bucket::new(&configuration)?.with_notices(notices.clone());
        let environments = Arc::new(Environments::new(configuration).with_archives(given.archives.clone()));
        let files = Files::new(Arc::clone(&environments), &mounts)?.with_notices(notices.clone());
        let addresses = given.addresses.clone();
        let authority = Place::of(environments.configuration(), given, &notices)?;
        Ok(Site {
            authority,
            environments,
            settings,
            certname,
            addresses,
            compiler,
            classified: Classified::new(given.classified_for),
            gate,
            files,
            reports,
            facts,
            bucket,
            rules,
            rules_from,
            names,
            notices,
        })
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
                Place::Here(authority) => authority.settings().layout.lists.clone(),
                _ => path("hostcrl")?,
            },
        })
    }

    /// Whether a request may be asked, before its body is there; else the answer that refuses it.
    ///
    /// # Errors
    /// The answer in place of what is asked for.
    pub fn admit(&self, route: &Route, request: &Request) -> Result<(), Response> {
        if matches!((route, &self.authority), (Route::Authority(_), Place::Nowhere)) {
            return Err(not_there(&request.path));
        }
        match (route, route.methods().contains(&request.method)) {
            // As Puppet Server's router has it, which knows paths by their methods.
            (Route::Catalog(_), false) => {
                let nothing = Response::text(StatusCode::NOT_FOUND, "");
                return Err(Response { headers: Vec::new(), ..nothing });
            }
            (Route::Node(_) | Route::Report(_) | Route::Facts(_), false) => {
                return Err(not_there(&request.path));
            }
            _ => {}
        }
        let decision = self.rules.decide(&request.method, &request.path, &request.query, &request.client);
        if let Decision::Denied(rule) = decision {
            let method = request.method.as_str().to_ascii_lowercase();
            let who = request.client.certname.as_deref().unwrap_or("a client without certificate");
            let why = rule.map_or_else(|| "no rule".to_owned(), |rule| format!("rule '{rule}'"));
            let message = format!(
                "Forbidden request: {who}({}) access to {} (method :{method}) denied by {why}.",
                request.client.address, request.path
            );
            self.notices.say("err", "Puppet", message);
            let said = format!(
                "Forbidden request: {} (method :{method}). Please see the server logs for details.",
                request.path
            );
            return Err(Response { headers: Vec::new(), ..Response::text(StatusCode::FORBIDDEN, said) });
        }
        if let Route::Authority(asked) = route {
            return asked.admit(&request.method);
        }
        if !route.methods().contains(&request.method) {
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
        if let Place::Elsewhere(proxy) = &self.authority
            && let Err(why) = proxy.fetch_lists()
        {
            self.notices.say("warning", "Puppet", format!("Revocation lists could not be fetched: {why}"));
        }
    }

    /// Answers a request that was admitted.
    pub fn answer(&self, route: &Route, request: &Request) -> Response {
        let asks_for_files = matches!(route, Route::Metadatas(_) | Route::Content(_));
        if asks_for_files && request.query("environment").is_none() {
            let text = format!(
                "A {} request must include an `environment` or `versioned_project` query parameter.",
                route.name()
            );
            return Response::text(StatusCode::BAD_REQUEST, text);
        }
        let answered = match route {
            Route::Catalog(name) => catalog::answer(self, request, name),
            Route::Catalog4 => catalog4::answer(self, request),
            Route::Node(name) => node::answer(self, request, name),
            Route::Metadata(rest) => self.files.metadata(request, rest),
            Route::Metadatas(rest) => self.files.metadatas(request, rest),
            Route::Content(rest) => self.files.content(request, rest),
            Route::StaticContent(rest) => self.files.static_content(request, rest),
            Route::Environments => listings::environments(self),
            Route::Modules => listings::modules(self, request),
            Route::Simple(service) => Ok(states::simple(service.as_deref())),
            Route::Services(service) => states::services(self, request, service.as_deref()),
            Route::EnvironmentCache | Route::Pool => Ok(administration::forget(self)),
            Route::Report(name) => self.reports.save(request, name),
            Route::Facts(name) => self.facts.put(request, name),
            Route::Bucket(rest) => match request.method {
                Method::HEAD => self.bucket.head(request, rest),
                Method::PUT => self.bucket.put(request, rest),
                _ => self.bucket.get(request, rest),
            },
            Route::Authority(asked) => Ok(self.authority.answer(self, asked, request)),
            Route::Classes | Route::Tasks => {
                Err(Failure::new(StatusCode::NOT_IMPLEMENTED, format!("{} is not served yet", route.name())))
            }
        };
        let mut response = answered.unwrap_or_else(|failure| {
            self.notices.say("err", "Puppet", &failure.message);
            failure.response()
        });
        if let (Route::Catalog(_), &Method::POST) = (route, &request.method)
            && let Ok(name) = HeaderValue::from_str(&self.certname)
        {
            response.headers.push((HeaderName::from_static("x-puppet-compiler-name"), name));
        }
        response
    }
}

/// The rules of a file.
fn rules(file: &Path) -> Result<Rules, String> {
    let told = |why: String| format!("{}: {why}", file.display());
    let text = read::regular_text(file, MAX_RULES).map_err(|error| told(error.to_string()))?;
    Rules::parse(&text).map_err(|fault| told(fault.to_string()))
}

/// The answer where there is nothing: as Puppet Server says it.
pub fn not_there(path: &str) -> Response {
    let body = serde_json::json!({"message": "Not Found", "url": path, "status": "404"});
    Response { status: StatusCode::NOT_FOUND, ..Response::of("application/json", body.to_string()) }
}
