//! Answers with a tag: a client that has the answer already is told so instead of being sent it again.
//! Source: Puppet Server 7.9.5 (`environment_classes`, `environment_transports`).

use crate::exchange::{Body, Failure, Request, Response, server_error};
use crate::files::checksums::Hash;
use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};

/// `200 OK` with a text of JSON and its hash as `ETag`, or `304 Not Modified` where the request's `If-None-Match` is that hash.
///
/// # Errors
/// None but a fault of this program.
pub fn tagged(request: &Request, body: String) -> Result<Response, Failure> {
    let tag = Hash::Sha256.of(&mut body.as_bytes()).map_err(|error| server_error(error.to_string()))?;
    let value = HeaderValue::from_str(&tag).map_err(|error| server_error(error.to_string()))?;
    // The ending is what web servers add to the tags of answers that they compress.
    let has = request.if_none_match.as_deref().map(|has| has.strip_suffix("--gzip").unwrap_or(has));
    let mut response = match has == Some(&tag) {
        true => Response {
            status: StatusCode::NOT_MODIFIED,
            headers: Vec::new(),
            body: Body::Bytes(Bytes::new()),
        },
        false => Response::of("application/json", body),
    };
    response.headers.push((header::ETAG, value));
    Ok(response)
}
