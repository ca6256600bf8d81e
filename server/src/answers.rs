//! Answers: which part of the site each route is asked of.

use crate::exchange::{Request, Response};
use crate::routes::Route;
use crate::site::Site;
use crate::{administration, catalog, catalog4, listings, node, plans, states};
use bunraku::Rule;
use http::{HeaderName, HeaderValue, Method, StatusCode};

impl Site {
    /// Answers a request that was admitted.
    pub fn answer(&self, route: &Route, request: &Request) -> Response {
        if route.needs_environment() && request.query("environment").is_none() {
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
            Route::Transports => listings::transports(self, request),
            Route::Simple(service) => Ok(states::simple(self, service.as_deref())),
            Route::Services(service) => states::services(self, request, service.as_deref()),
            Route::EnvironmentCache | Route::Pool => Ok(administration::forget(self, request)),
            Route::Report(name) => self.reports.save(request, name),
            Route::Facts(name) => {
                self.facts.put(request, name, || Ok(node::trusted_of(self, &request.client, name)?.to_json()))
            }
            Route::Bucket(rest) => match request.method {
                Method::HEAD => self.bucket.head(request, rest),
                Method::PUT => self.bucket.put(request, rest),
                _ => self.bucket.get(request, rest),
            },
            Route::Authority(route) => Ok(self.authority.answer(self, route, request)),
            Route::Classes => {
                let _pass = self.gate.pass();
                self.classes.answer(request)
            }
            Route::Tasks => self.tasks.all(request),
            Route::Task(module, task) => self.tasks.one(request, module, task),
            Route::Plans => plans::all(&self.environments, request),
            Route::Plan(module, plan) => plans::one(&self.environments, request, module, plan),
        };
        let mut response = answered.unwrap_or_else(|failure| {
            // As Puppet has it: what a client asks in vain is no fault of the server's.
            let level = if failure.status.is_server_error() { "err" } else { "info" };
            if !failure.is_told {
                self.notices.say(level, &request.client.source(), &failure.message);
            }
            failure.response()
        });
        if let (Route::Catalog(_), &Method::POST) = (route, &request.method)
            && self.compat().holds(Rule::CompilersAreNamed)
            && let Ok(name) = HeaderValue::from_str(&self.certname)
        {
            response.headers.push((HeaderName::from_static("x-puppet-compiler-name"), name));
        }
        response
    }
}
