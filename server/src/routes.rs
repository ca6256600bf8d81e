//! What can be asked: the paths that there are, how each is asked for, and what becomes of it.

use crate::authority::routes::AuthorityRoute;
use http::Method;

/// A route with what the path says behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// A node's catalog, as its agent asks for it.
    Catalog(String),
    /// A catalog as orchestrators ask for it.
    Catalog4,
    /// What is known of a node.
    Node(String),
    /// Facts that are sent.
    Facts(String),
    /// A report that is sent.
    Report(String),
    /// What is said of a file.
    Metadata(String),
    /// What is said of a folder's files.
    Metadatas(String),
    /// A file's content.
    Content(String),
    /// A file's content in some version of the code.
    StaticContent(String),
    /// A file that an agent backs up.
    Bucket(String),
    /// The environments.
    Environments,
    /// The classes of an environment.
    Classes,
    /// The modules of environments.
    Modules,
    /// The transports of an environment: how devices without an agent are reached.
    Transports,
    /// The tasks of an environment.
    Tasks,
    /// A task of a module.
    Task(String, String),
    /// The plans of an environment.
    Plans,
    /// A plan of a module.
    Plan(String, String),
    /// Whether the server runs: of a service, or of all in one word.
    Simple(Option<String>),
    /// What is to be said of services, or one of them.
    Services(Option<String>),
    /// What is kept of environments is to be forgotten.
    EnvironmentCache,
    /// What is kept at all is to be forgotten.
    Pool,
    /// Something of the certificate authority.
    Authority(AuthorityRoute),
}

/// What a route is answered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneKind {
    /// Threads that compile, of which there are few, and may run long.
    Compiles,
    /// Threads for what is short.
    Files,
    /// The thread for differences between files, each of which takes a program some time.
    Diffs,
    /// Threads for reports: what processes them may wait for other servers.
    Reports,
    /// Threads for certificates.
    Authority,
}

/// What a path answers to a method that it is not asked for with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrongMethod {
    /// As if it were not there, without a word.
    Nothing,
    /// As if it were not there.
    NotThere,
    /// That the method is not allowed, if the client may ask for the path at all.
    NotAllowed,
}

/// Megabyte.
const MB: usize = 1 << 20;

impl Route {
    /// The route of a path that is decoded; none where there is nothing.
    pub fn of(path: &str) -> Option<Route> {
        if let Some(rest) = path.strip_prefix("/puppet/v3/") {
            return Route::of_version_3(rest);
        }
        if let Some(rest) = path.strip_prefix("/puppet-ca/v1/") {
            return Some(Route::Authority(AuthorityRoute::of(rest)));
        }
        let simple = path.strip_prefix("/status/v1/simple");
        let services = path.strip_prefix("/status/v1/services");
        match (path.trim_end_matches('/'), simple, services) {
            ("/puppet/v4/catalog", ..) => Some(Route::Catalog4),
            ("/puppet-admin-api/v1/environment-cache", ..) => Some(Route::EnvironmentCache),
            ("/puppet-admin-api/v1/jruby-pool", ..) => Some(Route::Pool),
            (_, Some(rest), _) => below(rest).map(Route::Simple),
            (_, _, Some(rest)) => below(rest).map(Route::Services),
            _ => None,
        }
    }

    fn of_version_3(rest: &str) -> Option<Route> {
        match rest {
            "tasks" => return Some(Route::Tasks),
            "plans" => return Some(Route::Plans),
            _ => {}
        }
        let (kind, rest) = rest.split_once('/').unwrap_or((rest, ""));
        let all = || rest.to_owned();
        let one = || Some(rest.to_owned()).filter(|rest| !rest.is_empty() && !rest.contains('/'));
        let alone = |route| rest.is_empty().then_some(route);
        match kind {
            "catalog" => one().map(Route::Catalog),
            "node" => one().map(Route::Node),
            "facts" => one().map(Route::Facts),
            "report" => one().map(Route::Report),
            "file_metadata" => Some(Route::Metadata(all())),
            "file_metadatas" => Some(Route::Metadatas(all())),
            "file_content" => Some(Route::Content(all())),
            "static_file_content" => Some(Route::StaticContent(all())),
            "file_bucket_file" => Some(Route::Bucket(all())),
            "environments" => alone(Route::Environments),
            // As in Puppet Server, which looks at no more of it.
            "environment_classes" => Some(Route::Classes),
            "environment_modules" => alone(Route::Modules),
            "environment_transports" => alone(Route::Transports),
            "tasks" => of_module(rest).map(|(module, task)| Route::Task(module, task)),
            "plans" => of_module(rest).map(|(module, plan)| Route::Plan(module, plan)),
            _ => None,
        }
    }

    /// The methods that it is asked for with.
    pub fn methods(&self) -> &'static [Method] {
        match self {
            Route::Catalog(_) => &[Method::GET, Method::POST],
            Route::Catalog4 => &[Method::POST],
            Route::Facts(_) | Route::Report(_) => &[Method::PUT],
            Route::Bucket(_) => &[Method::GET, Method::HEAD, Method::PUT],
            Route::EnvironmentCache | Route::Pool => &[Method::DELETE],
            Route::Authority(route) => route.methods(),
            Route::Node(_)
            | Route::Metadata(_)
            | Route::Metadatas(_)
            | Route::Content(_)
            | Route::StaticContent(_)
            | Route::Environments
            | Route::Classes
            | Route::Modules
            | Route::Transports
            | Route::Tasks
            | Route::Task(..)
            | Route::Plans
            | Route::Plan(..)
            | Route::Simple(_)
            | Route::Services(_) => &[Method::GET],
        }
    }

    /// What answers it.
    pub fn lane(&self) -> LaneKind {
        match self {
            Route::Catalog(_) | Route::Catalog4 | Route::Node(_) | Route::Classes => LaneKind::Compiles,
            Route::Authority(_) => LaneKind::Authority,
            Route::Report(_) => LaneKind::Reports,
            Route::Facts(_)
            | Route::Metadata(_)
            | Route::Metadatas(_)
            | Route::Content(_)
            | Route::StaticContent(_)
            | Route::Bucket(_)
            | Route::Environments
            | Route::Modules
            | Route::Transports
            | Route::Tasks
            | Route::Task(..)
            | Route::Plans
            | Route::Plan(..)
            | Route::Simple(_)
            | Route::Services(_)
            | Route::EnvironmentCache
            | Route::Pool => LaneKind::Files,
        }
    }

    /// How many bytes its body may have, where it is asked for with a method that has one.
    pub fn limit(&self) -> usize {
        match self {
            Route::Catalog(_) | Route::Catalog4 | Route::Facts(_) => 16 * MB,
            Route::Report(_) | Route::Bucket(_) => 64 * MB,
            Route::Authority(route) => route.limit(),
            Route::Node(_)
            | Route::Metadata(_)
            | Route::Metadatas(_)
            | Route::Content(_)
            | Route::StaticContent(_)
            | Route::Environments
            | Route::Classes
            | Route::Modules
            | Route::Transports
            | Route::Tasks
            | Route::Task(..)
            | Route::Plans
            | Route::Plan(..)
            | Route::Simple(_)
            | Route::Services(_)
            | Route::EnvironmentCache
            | Route::Pool => 64 << 10,
        }
    }

    /// What is answered to another method than its own: as Puppet Server's router has it, which knows some paths by their
    /// methods.
    pub fn wrong_method(&self) -> WrongMethod {
        match self {
            Route::Catalog(_) => WrongMethod::Nothing,
            Route::Node(_)
            | Route::Report(_)
            | Route::Facts(_)
            | Route::Classes
            | Route::Tasks
            | Route::Task(..)
            | Route::Plans
            | Route::Plan(..) => WrongMethod::NotThere,
            Route::Catalog4
            | Route::Metadata(_)
            | Route::Metadatas(_)
            | Route::Content(_)
            | Route::StaticContent(_)
            | Route::Bucket(_)
            | Route::Environments
            | Route::Modules
            | Route::Transports
            | Route::Simple(_)
            | Route::Services(_)
            | Route::EnvironmentCache
            | Route::Pool
            | Route::Authority(_) => WrongMethod::NotAllowed,
        }
    }

    /// Whether it is refused without the parameter `environment`.
    pub fn needs_environment(&self) -> bool {
        matches!(self, Route::Metadatas(_) | Route::Content(_))
    }

    /// The node that it is about, if it is about one.
    pub fn node(&self) -> Option<&str> {
        match self {
            Route::Catalog(name) | Route::Node(name) | Route::Facts(name) | Route::Report(name) => Some(name),
            _ => None,
        }
    }

    /// What it is called in measurements.
    pub fn name(&self) -> &'static str {
        match self {
            Route::Catalog(_) => "catalog",
            Route::Catalog4 => "catalog4",
            Route::Node(_) => "node",
            Route::Facts(_) => "facts",
            Route::Report(_) => "report",
            Route::Metadata(_) => "file_metadata",
            Route::Metadatas(_) => "file_metadatas",
            Route::Content(_) => "file_content",
            Route::StaticContent(_) => "static_file_content",
            Route::Bucket(_) => "file_bucket_file",
            Route::Environments => "environments",
            Route::Classes => "environment_classes",
            Route::Modules => "environment_modules",
            Route::Transports => "environment_transports",
            Route::Tasks | Route::Task(..) => "tasks",
            Route::Plans | Route::Plan(..) => "plans",
            Route::Simple(_) | Route::Services(_) => "status",
            Route::EnvironmentCache | Route::Pool => "admin",
            Route::Authority(route) => route.name(),
        }
    }
}

/// What Puppet Server, or Puppet Enterprise, has at a path that is no route here.
pub fn elsewhere(path: &str) -> Option<&'static str> {
    let known = [
        (
            "/metrics",
            "Jolokia's metrics are not supported: --metrics hands out those of this server in Prometheus' form",
        ),
        (
            "/puppet/v3/compile",
            "Code of a task's or plan's apply block is not compiled: /puppet/v4/catalog compiles nodes",
        ),
        ("/rbac-api", "Puppet Enterprise's rbac is not supported"),
    ];
    let rest =
        |prefix: &str| path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    known.into_iter().find_map(|(prefix, what)| rest(prefix).then_some(what))
}

/// A module's name and that of something in it.
fn of_module(rest: &str) -> Option<(String, String)> {
    let (module, name) = rest.split_once('/')?;
    let is_name = |text: &str| !text.is_empty() && !text.contains('/');
    (is_name(module) && is_name(name)).then(|| (module.to_owned(), name.to_owned()))
}

/// What stands behind a path's slash: nothing, or one name.
fn below(rest: &str) -> Option<Option<String>> {
    match rest.strip_prefix('/') {
        None => rest.is_empty().then_some(None),
        Some("") => Some(None),
        Some(name) => (!name.contains('/')).then(|| Some(name.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_routes_or_nothing() {
        let of = Route::of;
        assert_eq!(of("/puppet/v3/catalog/web01"), Some(Route::Catalog("web01".into())));
        assert_eq!(of("/puppet/v3/file_content/modules/a/b"), Some(Route::Content("modules/a/b".into())));
        assert_eq!(of("/puppet/v3/file_bucket_file/md5/1//a"), Some(Route::Bucket("md5/1//a".into())));
        assert_eq!(of("/puppet/v3/tasks"), Some(Route::Tasks));
        assert_eq!(of("/puppet/v3/tasks/a/b"), Some(Route::Task("a".into(), "b".into())));
        assert_eq!(of("/puppet/v3/plans/a/init"), Some(Route::Plan("a".into(), "init".into())));
        assert_eq!(of("/puppet/v3/environment_classes/x"), Some(Route::Classes));
        for path in [
            "/puppet/v3/tasks/",
            "/puppet/v3/tasks/a",
            "/puppet/v3/plans/a/b/c",
            "/puppet/v3/plans/a/",
            "/puppet/v3/environment_classesx",
        ] {
            assert_eq!(of(path), None, "{path}");
        }
        assert_eq!(of("/status/v1/simple"), Some(Route::Simple(None)));
        assert_eq!(of("/status/v1/simple/server"), Some(Route::Simple(Some("server".into()))));
        for path in
            ["", "/", "/puppet", "/puppet/v3", "/puppet/v3/catalog", "/puppet/v3/catalog/", "/puppet/v3/x"]
        {
            assert_eq!(of(path), None, "{path}");
        }
        for path in [
            "/puppet/v3/catalog/a/b",
            "/puppet/v3/environments/x",
            "/status/v1/simplex",
            "/status/v1/simple/a/b",
        ] {
            assert_eq!((of(path), elsewhere(path)), (None, None), "{path}");
        }
        for path in ["/metrics/v2", "/metrics/v2/list", "/puppet/v3/compile", "/rbac-api/v1/auth/token"] {
            assert!(of(path).is_none() && elsewhere(path).is_some(), "{path}");
        }
        assert_eq!(elsewhere("/metricsx"), None);
    }

    /// What processes reports may wait for another server: that keeps nobody from files and states.
    #[test]
    fn reports_have_threads_of_their_own() {
        let lane = |path| Route::of(path).map(|route| route.lane());
        assert_eq!(lane("/puppet/v3/report/web01"), Some(LaneKind::Reports));
        assert_eq!(lane("/puppet/v3/file_metadata/modules/a/b"), Some(LaneKind::Files));
        assert_eq!(lane("/status/v1/simple"), Some(LaneKind::Files));
    }
}
