//! Passing on what agents ask of an authority that is elsewhere: for those that know one server only. Nothing that administers is
//! passed on, and nothing that was passed on already.

use super::routes::{AuthorityRoute, plain};
use crate::exchange::{Request, Response};
use crate::site::Site;
use bunraku::files::{read, write};
use bunraku::http::Client;
use bunraku::{Certificates, Configuration};
use bunraku_authority::certificates::first_common_name;
use bunraku_authority::names::is_certname;
use bunraku_authority::{Fault, pem};
use http::{HeaderValue, Method, StatusCode, header};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use std::path::PathBuf;
use std::time::Duration;

/// How long an authority may take: a program of its own may decide what it signs.
const PATIENCE: Duration = Duration::from_secs(60);
/// Bytes of an answer, at most: revocation lists of some hundred thousand.
const MAX_ANSWER: u64 = 64 << 20;
/// What `Via` says of a request that was passed on.
pub const PASSED_ON: &str = "bunraku";

/// Whether a renewed certificate is that of the node that has asked: an authority that does not believe `X-Client-Cert` renews
/// this server's own.
fn check_renewed(text: &[u8], request: &Request) -> Result<(), String> {
    let all = pem::certificates(text).map_err(|fault| fault.to_string())?;
    let name = all.first().and_then(|one| first_common_name(&one.tbs_certificate.subject));
    match name.is_some() && name == request.client.certname {
        true => Ok(()),
        false => Err("it renews another certificate than that of the node that asks".to_owned()),
    }
}

/// What asks an authority elsewhere.
#[derive(Debug)]
pub struct Proxy {
    at: String,
    client: Client,
    lists: PathBuf,
}

impl Proxy {
    /// One that asks `server` at the port that the configuration says, with this server's own certificate.
    ///
    /// # Errors
    /// When a setting or a file of certificates can't be read.
    pub fn new(configuration: &Configuration, server: &str) -> Result<Proxy, String> {
        let path = |name: &str| Ok::<_, String>(PathBuf::from(configuration.get(name)?.text));
        let certificates = Certificates {
            authorities: Some(path("localcacert")?),
            certificate: Some(path("hostcert")?),
            key: Some(path("hostprivkey")?),
        };
        let port = configuration.get("ca_port")?.text;
        let client = Client::new(&certificates, PATIENCE)?;
        Ok(Proxy { at: format!("{server}:{port}"), client, lists: path("hostcrl")? })
    }

    /// The server and port that are asked.
    pub fn at(&self) -> &str {
        &self.at
    }

    /// Passes a request on, and its answer back.
    pub fn answer(&self, site: &Site, route: &AuthorityRoute, request: &Request) -> Response {
        let path = match (route, &request.method) {
            _ if request.passed_on => {
                let why = format!("{} and this server name each other as the authority", self.at);
                return plain(StatusCode::LOOP_DETECTED, why);
            }
            (AuthorityRoute::Certificate(name), _) if is_certname(name) => format!("certificate/{name}"),
            (AuthorityRoute::Request(name), &Method::GET | &Method::PUT) if is_certname(name) => {
                format!("certificate_request/{name}")
            }
            (AuthorityRoute::List, _) => "certificate_revocation_list/ca".to_owned(),
            (AuthorityRoute::Renewal, _) => "certificate_renewal".to_owned(),
            (AuthorityRoute::Certificate(_) | AuthorityRoute::Request(_), _) => {
                return plain(StatusCode::BAD_REQUEST, "That is no name of a node");
            }
            _ => {
                let why = format!("{} is asked of the authority itself, at {}", request.path, self.at);
                return plain(StatusCode::FORBIDDEN, why);
            }
        };
        self.pass_on(&path, request).unwrap_or_else(|why| {
            site.notices.say("err", "Puppet", format!("The authority {} could not be asked: {why}", self.at));
            plain(StatusCode::BAD_GATEWAY, "The certificate authority could not be asked")
        })
    }

    fn pass_on(&self, path: &str, request: &Request) -> Result<Response, String> {
        let since = request.if_modified_since.map(httpdate::fmt_http_date);
        let shown = match (path, &request.client.certificate) {
            ("certificate_renewal", Some(der)) => {
                let text = pem::text_of(pem::CERTIFICATE, der).map_err(|fault: Fault| fault.to_string())?;
                Some(utf8_percent_encode(&text, NON_ALPHANUMERIC).to_string())
            }
            _ => None,
        };
        let mut headers = vec![("Accept", "text/plain"), ("Via", "1.1 bunraku")];
        headers.extend(since.as_deref().map(|since| ("If-Modified-Since", since)));
        headers.extend(shown.as_deref().map(|shown| ("X-Client-Cert", shown)));
        headers.extend(request.client.version.as_deref().map(|version| ("X-Puppet-Version", version)));
        let has_body = matches!(request.method, Method::PUT | Method::POST);
        if has_body {
            headers.push(("Content-Type", "text/plain"));
        }
        let body = has_body.then_some(&request.body[..]);
        let url = format!("https://{}/puppet-ca/v1/{path}", self.at);
        let answered = self.client.request(request.method.as_str(), &url, &headers, body, MAX_ANSWER)?;
        let status = StatusCode::from_u16(answered.status).map_err(|error| error.to_string())?;
        if path == "certificate_renewal" && status == StatusCode::OK {
            check_renewed(&answered.body, request)?;
        }
        let said = answered.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        let mut response = plain(status, answered.body);
        if let Some(form) = said.and_then(|(_, value)| HeaderValue::from_str(value).ok()) {
            response.headers.retain(|(name, _)| name != header::CONTENT_TYPE);
            response.headers.push((header::CONTENT_TYPE, form));
        }
        Ok(response)
    }

    /// Fetches the revocation lists into `hostcrl`, if they are others.
    ///
    /// # Errors
    /// When they can't be fetched or written, or are none.
    pub fn fetch_lists(&self) -> Result<(), String> {
        let url = format!("https://{}/puppet-ca/v1/certificate_revocation_list/ca", self.at);
        let headers = [("Accept", "text/plain"), ("Via", "1.1 bunraku")];
        let answered = self.client.request("GET", &url, &headers, None, MAX_ANSWER)?;
        if answered.status != 200 {
            return Err(format!("{url} answers {}", answered.status));
        }
        pem::lists(&answered.body).map_err(|fault| format!("{url}: {fault}"))?;
        let failed = |error| format!("{} can't be written: {error}", self.lists.display());
        match read::regular(&self.lists, MAX_ANSWER) {
            Ok(before) if before == answered.body => Ok(()),
            _ => write::replace(&self.lists, &answered.body, write::Access::Kept).map_err(failed),
        }
    }
}
