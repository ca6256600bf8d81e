//! Whether the server runs, for agents that choose one and for load balancers.

use crate::authority::AuthorityLocation;
use crate::exchange::{Failure, Request, Response};
use crate::site::Site;
use http::StatusCode;
use serde_json::{Map, Value as Json, json};

/// The services that clients ask for by name.
const SERVICES: [&str; 3] = ["server", "master", "status-service"];
/// The one besides, where this server is the authority.
const AUTHORITY: &str = "ca";

/// Those of a site.
fn services_of(site: &Site) -> Vec<&'static str> {
    let is_authority = matches!(site.authority, AuthorityLocation::Here(_));
    SERVICES.into_iter().chain(is_authority.then_some(AUTHORITY)).collect()
}

/// `GET /status/v1/simple`, and of one service.
pub fn simple(site: &Site, service: Option<&str>) -> Response {
    match service {
        Some(name) if !services_of(site).contains(&name) => {
            Response::text(StatusCode::NOT_FOUND, format!("not found: {name}"))
        }
        _ => Response::text(StatusCode::OK, "running"),
    }
}

/// `GET /status/v1/services`, and of one service.
///
/// # Errors
/// Where a level is asked for that there is not.
pub fn services(site: &Site, request: &Request, service: Option<&str>) -> Result<Response, Failure> {
    let level = request.query("level").unwrap_or("info");
    if !["critical", "info", "debug"].contains(&level) {
        return Err(Failure::new(StatusCode::BAD_REQUEST, format!("there is no level '{level}'")));
    }
    let state = json!({
        "service_version": site.compat().server_version(), "service_status_version": 1, "detail_level": level,
        "state": "running", "status": {}, "active_alerts": [],
    });
    let body = match service {
        None => Json::Object(
            services_of(site).into_iter().map(|name| (name.to_owned(), state.clone())).collect::<Map<_, _>>(),
        ),
        Some(name) if services_of(site).contains(&name) => {
            let mut one = state;
            one["service_name"] = name.into();
            one
        }
        Some(name) => {
            let message = format!("No status information found for service {name}");
            let body = json!({"kind": "service-not-found", "msg": message});
            let answer = Response::of("application/json; charset=utf-8", body.to_string());
            return Ok(Response { status: StatusCode::NOT_FOUND, ..answer });
        }
    };
    Ok(Response::of("application/json; charset=utf-8", body.to_string()))
}
