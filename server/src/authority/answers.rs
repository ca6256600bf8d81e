//! What this server answers where it is the authority. Source: Puppet Server 7.9.5, status, media type and words; renewals and `sign`
//! as later ones have them.

use super::routes::{AuthorityRoute, plain};
use crate::exchange::{Client, Request, Response};
use crate::site::Site;
use bunraku_authority::statuses::State;
use bunraku_authority::{Authority, Fault, pem, times};
use bytes::Bytes;
use http::{Method, StatusCode};
use serde_json::{Value, json};
use std::time::SystemTime;

/// Forms that states are sent in, and what asks for one of them.
const FORMS: [&str; 3] = ["application/json", "text/pson", "pson"];
const ANY: [&str; 3] = ["*/*", "application/*", "text/*"];

/// What becomes of a question: the answer, or the fault that is told in its place.
type Answered = Result<Response, Fault>;

/// Answers what was admitted.
pub fn answer(authority: &Authority, site: &Site, route: &AuthorityRoute, request: &Request) -> Response {
    let answered = match route {
        AuthorityRoute::Certificate(name) => certificate(authority, name, request),
        AuthorityRoute::Request(name) => match request.method {
            Method::PUT => submit(authority, name, request),
            Method::DELETE => delete_request(authority, name),
            _ => authority.request(name).map(text),
        },
        AuthorityRoute::List => {
            authority.list_text().map(|(bytes, written)| unless_known(bytes, written, request))
        }
        AuthorityRoute::Lists => authority
            .update_lists(&request.body)
            .map(|()| plain(StatusCode::OK, "Successfully updated CRLs.")),
        // It would be the certificate of the server in between, where that does not pass on its client's.
        AuthorityRoute::Renewal
            if request.passed_on && !site.rules.names_by_headers && request.client.passes_on.is_none() =>
        {
            let refused = text("Renewals are asked of the authority itself");
            Ok(Response { status: StatusCode::FORBIDDEN, ..refused })
        }
        AuthorityRoute::Renewal => renew(authority, request),
        AuthorityRoute::Status(name) => status(authority, name, request),
        AuthorityRoute::Statuses => statuses(authority, request),
        AuthorityRoute::StatusesOfNothing => Ok(plain(StatusCode::BAD_REQUEST, "Missing URL Segment")),
        AuthorityRoute::Expirations => authority
            .expirations()
            .map(|expirations| Response::of("application/json", expirations.to_string())),
        AuthorityRoute::Clean => named(request, "clean").map_or_else(Ok, |names| clean(authority, &names)),
        AuthorityRoute::Sign => {
            named(request, "sign").map_or_else(Ok, |names| Ok(sign(authority, site, &names)))
        }
        AuthorityRoute::SignAll => sign_all(authority, site),
        AuthorityRoute::Nothing => Err(Fault::Missing("Not Found".to_owned())),
    };
    answered.unwrap_or_else(|fault| {
        let (status, words) = match &fault {
            Fault::Refused(message) => (StatusCode::BAD_REQUEST, message.clone()),
            Fault::Missing(message) => {
                return Response { status: StatusCode::NOT_FOUND, ..text(message.clone()) };
            }
            // Paths of this machine are for its log.
            Fault::Failed(_) => (StatusCode::INTERNAL_SERVER_ERROR, "Internal Server Error".to_owned()),
        };
        site.notices.say("err", "Puppet", fault.to_string());
        plain(status, words)
    })
}

fn text(bytes: impl Into<Bytes>) -> Response {
    Response::of("text/plain", bytes)
}

/// `204 No Content`.
fn done() -> Response {
    Response { status: StatusCode::NO_CONTENT, ..text("") }
}

/// A text, unless the client has it since it was written. Seconds are what dates of HTTP have.
fn unless_known(bytes: Vec<u8>, written: SystemTime, request: &Request) -> Response {
    let seconds =
        |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    match request.if_modified_since {
        Some(since) if seconds(written) <= seconds(since) => {
            Response { status: StatusCode::NOT_MODIFIED, ..text("") }
        }
        _ => text(bytes),
    }
}

fn certificate(authority: &Authority, name: &str, request: &Request) -> Answered {
    let bytes = authority.certificate(name)?;
    let file = &authority.settings().layout.certificate;
    let written = std::fs::metadata(file).and_then(|found| found.modified());
    Ok(match (name, written) {
        ("ca", Ok(written)) => unless_known(bytes, written, request),
        _ => text(bytes),
    })
}

fn submit(authority: &Authority, name: &str, request: &Request) -> Answered {
    authority.submit(name, &request.body).map(|()| text(""))
}

fn delete_request(authority: &Authority, name: &str) -> Answered {
    match authority.remove_request(name)? {
        true => Ok(done()),
        false => Err(Fault::Missing(format!("No certificate request for {name}"))),
    }
}

/// Renews who asks; or, for a server that the list of infrastructure nodes names, the certificate that it passes on. Source of the
/// latter: Puppet Server 8.7.0.
fn renew(authority: &Authority, request: &Request) -> Answered {
    let Client { certname, certificate, passes_on, .. } = &request.client;
    let shown = match (passes_on, certname) {
        _ if authority.settings().renewal.is_none() => return Err(Fault::Missing("Not Found".to_owned())),
        (Some(_), Some(server)) if !authority.passes_on(server)? => {
            return Err(Fault::Refused("No valid certificate found in renewal request".to_owned()));
        }
        (Some(passed), Some(_)) => Some(passed),
        _ => certificate.as_ref(),
    };
    match shown {
        None => Err(Fault::Refused("No certificate found in renewal request".to_owned())),
        Some(shown) => match authority.renew(shown) {
            Ok(renewed) => Ok(text(pem::text(pem::CERTIFICATE, &renewed)?)),
            Err(Fault::Refused(why)) => Ok(Response { status: StatusCode::FORBIDDEN, ..text(why) }),
            Err(fault) => Err(fault),
        },
    }
}

fn status(authority: &Authority, name: &str, request: &Request) -> Answered {
    let wanted = match request.method {
        Method::PUT => match wanted(name, request) {
            Ok(wanted) => Some(wanted),
            Err(refused) => return Ok(refused),
        },
        _ => None,
    };
    let Some(form) = form(request) else { return Ok(not_acceptable()) };
    let is_there = authority.has_certificate(name) || authority.has_request(name);
    match (wanted, is_there) {
        (Some(_), false) => Ok(plain(StatusCode::NOT_FOUND, "Invalid certificate subject.")),
        (None, false) => Ok(plain(StatusCode::NOT_FOUND, "Resource not found.")),
        (Some(wanted), true) => change(authority, name, wanted),
        (None, true) if request.method == Method::DELETE => {
            authority.remove_certificate(name)?;
            authority.remove_request(name)?;
            Ok(done())
        }
        (None, true) => Ok(Response::of(form, authority.status(name)?.to_json().to_string())),
    }
}

/// The state that a certificate is to have.
enum Wanted {
    /// Signed, for so many seconds if that is said.
    Signed(Option<u64>),
    Revoked,
}

/// What a body wants.
fn wanted(name: &str, request: &Request) -> Result<Wanted, Response> {
    let refused = |why: String| plain(StatusCode::BAD_REQUEST, why);
    let body = serde_json::from_slice::<Value>(&request.body);
    let body = body.map_err(|_| refused("Request body is not JSON.".to_owned()))?;
    let missing = || refused("Missing required parameter \"desired_state\"".to_owned());
    let state = body.get("desired_state").and_then(Value::as_str).ok_or_else(missing)?;
    let to_live = match body.get("cert_ttl") {
        None | Some(Value::Null | Value::Bool(false)) => None,
        Some(given) => {
            let seconds = given.as_u64().filter(|seconds| (1..=times::LONGEST).contains(seconds));
            Some(seconds.ok_or_else(|| {
                let shown = given.as_str().map_or_else(|| given.to_string(), str::to_owned);
                refused(format!("cert_ttl specified for host {name} must be an integer, not \"{shown}\""))
            })?)
        }
    };
    let wanted = match state {
        "signed" => Wanted::Signed(to_live),
        "revoked" => Wanted::Revoked,
        other => {
            return Err(refused(format!(
                "State {other} invalid; Must specify desired state of 'signed' or 'revoked' for host {name}."
            )));
        }
    };
    match request.content_type.as_deref() {
        Some(other) if !FORMS.contains(&other) => {
            Err(plain(StatusCode::UNSUPPORTED_MEDIA_TYPE, "Unsupported media type."))
        }
        _ => Ok(wanted),
    }
}

fn change(authority: &Authority, name: &str, wanted: Wanted) -> Answered {
    let conflict = |why: String| Ok(plain(StatusCode::CONFLICT, why));
    match wanted {
        Wanted::Signed(_) if !authority.has_request(name) => {
            conflict(format!("Cannot sign certificate for host {name} without a certificate request"))
        }
        Wanted::Revoked if !authority.has_certificate(name) => {
            conflict(format!("Cannot revoke certificate for host {name} without a signed certificate"))
        }
        Wanted::Signed(to_live) => match authority.sign(name, to_live) {
            Ok(_) => Ok(done()),
            Err(Fault::Refused(why)) => conflict(why),
            Err(fault) => Err(fault),
        },
        Wanted::Revoked => match authority.revoke(&[name]) {
            Ok(()) => Ok(done()),
            Err(Fault::Refused(why)) => conflict(why),
            Err(fault) => Err(fault),
        },
    }
}

fn statuses(authority: &Authority, request: &Request) -> Answered {
    let Some(form) = form(request) else { return Ok(not_acceptable()) };
    let state = request.query("state").unwrap_or_default();
    let wanted: Vec<State> = State::ALL.into_iter().filter(|known| known.name() == state).collect();
    let wanted = if wanted.is_empty() { &State::ALL } else { wanted.as_slice() };
    let all: Value = authority.statuses(wanted)?.iter().map(|status| status.to_json()).collect();
    Ok(Response::of(form, all.to_string()))
}

/// The form that a client takes.
fn form(request: &Request) -> Option<&'static str> {
    let first = |accepted: &String| match FORMS.into_iter().find(|form| form == accepted) {
        Some("pson") => Some("text/pson;charset=UTF-8"),
        Some("text/pson") => Some("text/pson;charset=UTF-8"),
        Some(_) => Some("application/json;charset=UTF-8"),
        None => ANY.contains(&accepted.as_str()).then_some("application/json;charset=UTF-8"),
    };
    match request.accept.is_empty() {
        true => Some("application/json;charset=UTF-8"),
        false => request.accept.iter().find_map(first),
    }
}

fn not_acceptable() -> Response {
    plain(StatusCode::NOT_ACCEPTABLE, "No acceptable resource available.")
}

/// The names that a body has; the answer where it has none.
fn named(request: &Request, to_do: &str) -> Result<Vec<String>, Response> {
    let refused = |why: &str| Response { status: StatusCode::BAD_REQUEST, ..text(why.to_owned()) };
    let body = serde_json::from_slice::<Value>(&request.body);
    let body = body.map_err(|_| refused("Request body is not JSON."))?;
    if body.get("async") == Some(&Value::Bool(true)) {
        return Err(refused("Async mode is not currently supported."));
    }
    let names = body.get("certnames").and_then(Value::as_array);
    let names = names.map(|all| all.iter().map(|name| name.as_str().map(str::to_owned)).collect());
    names.flatten().ok_or_else(|| {
        let why = format!(
            "Missing required key: 'certnames'. Please supply the list of certs you want to {to_do}."
        );
        refused(&why)
    })
}

fn clean(authority: &Authority, names: &[String]) -> Answered {
    let (there, missing): (Vec<&str>, Vec<&str>) =
        names.iter().map(String::as_str).partition(|name| authority.has_certificate(name));
    let cleaned = authority
        .revoke(&there)
        .and_then(|()| there.iter().try_for_each(|name| authority.remove_certificate(name).map(drop)));
    if let Err(fault) = cleaned {
        let why = format!("Error while cleaning certs: {fault}");
        return Ok(Response { status: StatusCode::INTERNAL_SERVER_ERROR, ..text(why) });
    }
    if missing.is_empty() {
        return Ok(text("Successfully cleaned all certs."));
    }
    let missing: Vec<String> = missing.iter().map(|name| format!("{name:?}")).collect();
    let missing = missing.join(" ");
    Ok(text(format!("The following certs do not exist and cannot be revoked: [{missing}]")))
}

fn sign(authority: &Authority, site: &Site, names: &[String]) -> Response {
    let (mut signed, mut missing, mut failed) = (Vec::new(), Vec::new(), Vec::new());
    for name in names {
        match authority.sign(name, None) {
            Ok(_) => signed.push(name),
            Err(Fault::Missing(_)) => missing.push(name),
            Err(fault) => {
                site.notices.say("err", "Puppet", fault.to_string());
                failed.push(name);
            }
        }
    }
    let told = json!({"signed": signed, "no-csr": missing, "signing-errors": failed});
    Response::of("application/json", told.to_string())
}

fn sign_all(authority: &Authority, site: &Site) -> Answered {
    let waiting = authority.statuses(&[State::Requested])?;
    let names: Vec<String> = waiting.into_iter().map(|status| status.name).collect();
    Ok(sign(authority, site, &names))
}
