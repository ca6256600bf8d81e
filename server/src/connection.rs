//! One connection: requests are read within limits, admitted or refused, handed to a lane, and answered.

use crate::access::AccessRecord;
use crate::authority::proxy::PASSED_ON;
use crate::bodies::{self, Unread};
use crate::exchange::{Body, Client, Failure, Request, Response};
use crate::identity::{self, Identity};
use crate::lanes::{Lane, Permit};
use crate::routes::{LaneKind, Route};
use crate::server::Shared;
use crate::site::{Site, not_there};
use crate::tls::Verified;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use http_body_util::{BodyExt, Full, StreamBody, combinators::UnsyncBoxBody};
use hyper::body::{Body as _, Frame, Incoming};
use percent_encoding::percent_decode_str;
use std::convert::Infallible;
use std::io::Read;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What paths of the authority begin with: its routes weigh what clients accept.
const OF_AUTHORITY: &str = "/puppet-ca/";
/// Bytes that an answer has more than, if it is compressed.
const LEAST_ZIPPED: usize = 1024;

/// How long an agent that can't be told to come again waits for a place.
const WAITS: Duration = Duration::from_secs(300);
/// Bytes of a report, or of a request that brings facts, beyond which a client has one at a time: what is read of them may take a thousand
/// times as much.
const LARGE: usize = 256 << 10;
/// Bytes of a file that are sent at once.
const PIECE: usize = 64 << 10;
/// The version from which on agents know to come again when they are told to.
const WAITS_SINCE: [u64; 3] = [5, 3, 1];

/// A body as hyper sends it.
pub type Sent = UnsyncBoxBody<Bytes, std::io::Error>;

/// A connection ends without an answer: its client has no certificate any more that lets it in.
#[derive(Debug)]
pub struct Ended;

impl std::fmt::Display for Ended {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("the client's certificate is not good any more")
    }
}

impl std::error::Error for Ended {}

/// Who is at the other end of a connection.
pub struct Peer {
    /// What its certificate proves.
    pub identity: Identity,
    /// The certificate, as DER.
    pub certificate: Option<Bytes>,
    /// That, with those between it and the authority, and when they were verified.
    pub verified: Verified,
    /// Where it is.
    pub address: IpAddr,
}

/// Answers one request.
///
/// # Errors
/// When the client's certificates are not good any more: the connection is to end.
pub async fn answer(
    shared: Arc<Shared>,
    peer: Arc<Peer>,
    request: http::Request<Incoming>,
) -> Result<http::Response<Sent>, Ended> {
    if !shared.lets_in(&peer) {
        return Err(Ended);
    }
    let begun = Instant::now();
    let id = shared.next_id();
    let site = shared.site();
    let (parts, incoming) = request.into_parts();
    let written = percent_decode_str(parts.uri.path()).decode_utf8_lossy().into_owned();
    let mut asked = Request {
        path: path_of(&written),
        query: form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes())
            .into_owned()
            .collect(),
        accept: accepted(&parts.headers, parts.uri.path().starts_with(OF_AUTHORITY)),
        content_type: media_type(&parts.headers),
        if_none_match: parts
            .headers
            .get(header::IF_NONE_MATCH)
            .and_then(|tag| tag.to_str().ok())
            .map(str::to_owned),
        if_modified_since: text_of(&parts.headers, header::IF_MODIFIED_SINCE)
            .and_then(|date| httpdate::parse_http_date(date).ok()),
        passed_on: text_of(&parts.headers, header::VIA).is_some_and(|via| via.contains(PASSED_ON)),
        body: Bytes::new(),
        client: client(&parts.headers, &peer, &site),
        method: parts.method,
    };
    let zips = shared.zips && zips(&parts.headers);
    let response = respond(&shared, &site, &mut asked, &written, incoming).await;
    let response = finish(&site, response, zips, id, &asked.method);
    let access = AccessRecord {
        id,
        client: &asked.client,
        method: asked.method.as_str(),
        path: &asked.path,
        environment: asked.query("environment"),
        status: response.status().as_u16(),
        received: asked.body.len(),
        sent: sent(&response),
        took: begun.elapsed(),
    };
    shared.metrics.count(Route::of(&asked.path).as_ref(), &access);
    shared.accesses.tell(&access);
    Ok(response)
}

/// A path with one slash where several follow each other: what rules look at is what is asked for. So does Puppet Server.
fn path_of(written: &str) -> String {
    let mut path = String::with_capacity(written.len());
    for sign in written.chars() {
        if sign != '/' || !path.ends_with('/') {
            path.push(sign);
        }
    }
    path
}

/// What a request is answered with. `written` is its path as it was written.
async fn respond(
    shared: &Shared,
    site: &Arc<Site>,
    asked: &mut Request,
    written: &str,
    incoming: Incoming,
) -> Response {
    if asked.path.split('/').any(|part| part == ".." || part == ".") {
        let text = format!("Invalid relative path (.. or .) in: {}", asked.path);
        return Response { headers: Vec::new(), ..Response::text(StatusCode::BAD_REQUEST, text) };
    }
    let Some(mut route) = Route::of(&asked.path) else { return not_there(&asked.path) };
    // What is backed up has the name that it has on the agent's disk, the first slash of which is one more.
    if let (Route::Bucket(rest), Some(Route::Bucket(whole))) = (&mut route, Route::of(written)) {
        *rest = whole;
    }
    if let Err(refused) = site.admit(&route, asked) {
        return refused;
    }
    let kind = match &route {
        Route::Bucket(_) if asked.method == Method::GET && asked.query("diff_with").is_some() => {
            LaneKind::Diffs
        }
        route => route.lane(),
    };
    let lane = match kind {
        LaneKind::Compiles => &shared.compiles,
        LaneKind::Files => &shared.files,
        LaneKind::Diffs => &shared.diffs,
        LaneKind::Reports => &shared.reports,
        LaneKind::Authority => &shared.authority,
    };
    // Before anything of it is read.
    if kind == LaneKind::Compiles && lane.is_full() && knows_to_wait(asked.client.version.as_deref()) {
        return busy(shared);
    }
    let limit = match asked.method {
        Method::GET | Method::HEAD => 0,
        _ => route.limit(),
    };
    // A body that comes slowly keeps nobody else from a place: it has none yet.
    let _held = match bodies::read(incoming, limit, &shared.bodies, asked.client.who()).await {
        Ok((body, held)) => {
            asked.body = body;
            held
        }
        Err(Unread::Refused(refused)) => return closing(refused),
        Err(Unread::TooMuch) => return busy(shared),
    };
    let one_each = match &route {
        _ if kind == LaneKind::Diffs => Some(&shared.differing),
        Route::Report(_) | Route::Facts(_) | Route::Catalog(_) if asked.body.len() > LARGE => {
            Some(&shared.large)
        }
        _ => None,
    };
    let turn = one_each.map(|all| all.begin(asked.client.who()));
    if matches!(turn, Some(None)) || kind == LaneKind::Diffs && lane.is_full() {
        return busy(shared);
    }
    let permit = match enter(lane, &route, asked).await {
        Ok(permit) => permit,
        Err(None) => return busy(shared),
        Err(Some(refused)) => return refused,
    };
    let (site, request) = (Arc::clone(site), asked.share());
    let answer = move || {
        // It is over when the work is done, even if nobody waits for it any more.
        let _turn = turn;
        site.answer(&route, &request)
    };
    let done = lane.run(permit, answer).await;
    done.unwrap_or_else(|| {
        Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "Internal error: the request could not be answered")
            .response()
    })
}

/// A place in the route's lane. Where compiles are too many, agents that know to wait are told to come again, which is the error without
/// an answer; others wait here.
async fn enter(lane: &Lane, route: &Route, asked: &Request) -> Result<Permit, Option<Response>> {
    let closed = || Some(Response::text(StatusCode::SERVICE_UNAVAILABLE, "The server is about to end"));
    if route.lane() != LaneKind::Compiles {
        return lane.wait().await.ok_or_else(closed);
    }
    if let Some(permit) = lane.enter() {
        return Ok(permit);
    }
    if knows_to_wait(asked.client.version.as_deref()) {
        return Err(None);
    }
    let waited = tokio::time::timeout(WAITS, lane.wait()).await;
    waited.ok().flatten().ok_or_else(closed)
}

/// Tells a client to come again.
fn busy(shared: &Shared) -> Response {
    shared.metrics.refused();
    let mut response =
        Response::text(StatusCode::SERVICE_UNAVAILABLE, "The server is busy; come again later");
    let seconds = 1 + rand(shared.retry_after.max(1));
    response.headers.push((header::RETRY_AFTER, HeaderValue::from(seconds)));
    closing(response)
}

/// A number below `most`, another each time.
fn rand(most: u64) -> u64 {
    uuid::Uuid::new_v4().as_u64_pair().0 % most
}

/// Whether who asks, by its agent's version, comes again when it is told to; none is said by what is no agent.
fn knows_to_wait(version: Option<&str>) -> bool {
    let Some(version) = version else { return true };
    let mut parts = version.split('.').map(|part| part.parse::<u64>().unwrap_or_default());
    let version = [(); 3].map(|()| parts.next().unwrap_or_default());
    version >= WAITS_SINCE
}

/// An answer with which the connection ends: what follows on it is not known.
fn closing(mut response: Response) -> Response {
    response.headers.push((header::CONNECTION, HeaderValue::from_static("close")));
    response
}

/// The answer as it is sent.
fn finish(site: &Site, response: Response, zips: bool, id: u64, method: &Method) -> http::Response<Sent> {
    let mut answer = http::Response::new(());
    *answer.status_mut() = response.status;
    let headers = answer.headers_mut();
    headers.extend(response.headers);
    let version = HeaderValue::from_static(site.compat().server_version());
    headers.insert(HeaderName::from_static("x-puppet-version"), version);
    headers.insert(HeaderName::from_static("x-request-id"), HeaderValue::from(id));
    let may_zip = zips && response.status.is_success() && !headers.contains_key(header::CONTENT_ENCODING);
    let is_zipped = match &response.body {
        Body::Bytes(bytes) => may_zip && bytes.len() > LEAST_ZIPPED,
        Body::Shared(shared) => may_zip && shared.bytes.len() > LEAST_ZIPPED,
        Body::Stored(_) | Body::File(..) => false,
    };
    if is_zipped {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    }
    let body = match response.body {
        Body::Bytes(bytes) if is_zipped => full(zipped(&bytes)),
        Body::Shared(shared) if is_zipped => full(shared.zipped(zipped)),
        Body::Shared(shared) => full(shared.bytes.clone()),
        Body::Bytes(bytes) | Body::Stored(bytes) => full(bytes),
        Body::File(_, length) if method == Method::HEAD => {
            headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
            full(Bytes::new())
        }
        Body::File(file, length) => {
            headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
            from_file(file, length)
        }
    };
    answer.map(|()| body)
}

/// Bytes of the body: what is in memory, and what is said of a file.
fn sent(response: &http::Response<Sent>) -> Option<u64> {
    let length = || response.headers().get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok();
    response.body().size_hint().exact().or_else(length)
}

fn full(bytes: Bytes) -> Sent {
    Full::new(bytes).map_err(|never: Infallible| match never {}).boxed_unsync()
}

/// So many bytes of a file, read piece by piece on threads that may wait. A file that has become shorter ends the connection: its
/// length is said already.
fn from_file(file: std::fs::File, length: u64) -> Sent {
    let pieces = futures_util::stream::unfold((Some(file), length), |(file, left)| async move {
        let file = file.filter(|_| left > 0)?;
        let read = tokio::task::spawn_blocking(move || {
            let mut piece = vec![0; PIECE.min(usize::try_from(left).unwrap_or(PIECE))];
            let mut file = file;
            let read = file.read(&mut piece)?;
            piece.truncate(read);
            Ok::<_, std::io::Error>((file, piece))
        });
        let gone = || std::io::Error::from(std::io::ErrorKind::UnexpectedEof);
        match read.await.map_err(|_| gone()).and_then(|read| read) {
            Ok((_, piece)) if piece.is_empty() => Some((Err(gone()), (None, 0))),
            Ok((file, piece)) => {
                let left = left - piece.len() as u64;
                Some((Ok(Frame::data(Bytes::from(piece))), (Some(file), left)))
            }
            Err(error) => Some((Err(error), (None, 0))),
        }
    });
    StreamBody::new(pieces).boxed_unsync()
}

fn zipped(bytes: &[u8]) -> Bytes {
    use std::io::Write;
    let mut zip =
        flate2::write::GzEncoder::new(Vec::with_capacity(bytes.len() / 4), flate2::Compression::fast());
    // Into memory: it does not fail.
    let _ = zip.write_all(bytes);
    zip.finish().unwrap_or_default().into()
}

/// Whether the client takes gzip.
fn zips(headers: &HeaderMap) -> bool {
    list(headers, header::ACCEPT_ENCODING).iter().any(|(coding, weight)| coding == "gzip" && *weight > 0.0)
}

/// The parts of `Accept`, most wanted first: by weight, or in their order, as Puppet takes them.
fn accepted(headers: &HeaderMap, by_weight: bool) -> Vec<String> {
    let mut all = list(headers, header::ACCEPT);
    if by_weight {
        all.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    }
    all.into_iter().map(|(name, _)| name).collect()
}

/// The parts of a header with their weights (`q`), in lower case.
fn list(headers: &HeaderMap, name: HeaderName) -> Vec<(String, f32)> {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    let parts = values.flat_map(|value| value.split(','));
    let part = |part: &str| {
        let mut pieces = part.split(';').map(str::trim);
        let name = pieces.next().unwrap_or_default().to_ascii_lowercase();
        let weight = pieces.find_map(|piece| piece.strip_prefix("q=")).and_then(|weight| weight.parse().ok());
        (name, weight.unwrap_or(1.0))
    };
    parts.map(part).filter(|(name, _)| !name.is_empty()).collect()
}

fn text_of(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn media_type(headers: &HeaderMap) -> Option<String> {
    list(headers, header::CONTENT_TYPE).into_iter().next().map(|(name, _)| name)
}

/// Who asks: by its certificate; by headers where a proxy has looked at that and the rules say so.
fn client(headers: &HeaderMap, peer: &Peer, site: &Site) -> Client {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let (identity, certificate, passes_on) = match site.rules.names_by_headers {
        false => {
            let passed = text("x-client-cert").map(|text| der_of(text).unwrap_or_default());
            (peer.identity.clone(), peer.certificate.clone(), passed)
        }
        true => {
            let is_known = is_proxy(peer.address, &site.proxies);
            let (identity, certificate) =
                is_known.then(|| by_headers(&text, site)).flatten().unwrap_or_default();
            (identity, certificate, None)
        }
    };
    Client {
        certname: identity.certname,
        extensions: identity.extensions,
        address: peer.address,
        version: text("x-puppet-version").map(str::to_owned),
        certificate,
        passes_on,
    }
}

/// Whether what somebody there says in headers counts.
fn is_proxy(address: IpAddr, proxies: &[IpAddr]) -> bool {
    let address = address.to_canonical();
    address.is_loopback() || proxies.contains(&address)
}

/// What a proxy says of the certificate that it has verified.
fn by_headers<'h>(text: &impl Fn(&str) -> Option<&'h str>, site: &Site) -> Option<(Identity, Option<Bytes>)> {
    if text("x-client-verify")? != "SUCCESS" {
        return None;
    }
    let named = text("x-client-dn")?;
    let mut common = named.split([',', '/']).map(str::trim).filter_map(|part| part.strip_prefix("CN="));
    let (name, more) = (common.next()?.to_ascii_lowercase(), common.next());
    let certname = Some(name).filter(|name| more.is_none() && identity::is_certname(name));
    let der = text("x-client-cert").and_then(der_of);
    let extensions = der.as_ref().map(|der| identity::of(der, &site.names).extensions).unwrap_or_default();
    Some((Identity { certname, extensions }, der))
}

/// The certificate of the header `X-Client-Cert`: PEM, encoded for a URL.
fn der_of(header: &str) -> Option<Bytes> {
    use rustls::pki_types::pem::PemObject;
    let pem = percent_decode_str(header).decode_utf8_lossy();
    let der = rustls::pki_types::CertificateDer::from_pem_slice(pem.as_bytes()).ok()?;
    Some(Bytes::copy_from_slice(&der))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_see_one_slash_where_several_are_written() {
        for (written, path) in [("/a/b", "/a/b"), ("//a///b//", "/a/b/"), ("/", "/"), ("", ""), ("a//", "a/")]
        {
            assert_eq!(path_of(written), path);
        }
    }

    #[test]
    fn headers_count_from_this_machine_and_from_proxies_that_are_named() {
        let of = |text: &str| text.parse::<IpAddr>().unwrap();
        let proxies = [of("192.0.2.7"), of("2001:db8::7")];
        for known in ["127.0.0.1", "::1", "::ffff:127.0.0.1", "192.0.2.7", "::ffff:192.0.2.7", "2001:db8::7"]
        {
            assert!(is_proxy(of(known), &proxies), "{known}");
        }
        for other in ["192.0.2.8", "::ffff:192.0.2.8", "2001:db8::8", "0.0.0.0"] {
            assert!(!is_proxy(of(other), &proxies), "{other}");
        }
        assert!(!is_proxy(of("192.0.2.7"), &[]));
    }
}
