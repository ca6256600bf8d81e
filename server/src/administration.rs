//! What deploy scripts ask for once new code is there.

use crate::exchange::{Body, Request, Response};
use crate::site::Site;
use bytes::Bytes;
use http::StatusCode;

/// `DELETE` of the environments' cache or of the pool: what is kept of files is forgotten, and code is read anew, of all environments
/// or of the one that the request names.
pub fn forget(site: &Site, request: &Request) -> Response {
    site.files.forget();
    site.compiler.forget(request.query("environment"));
    Response { status: StatusCode::NO_CONTENT, headers: Vec::new(), body: Body::Bytes(Bytes::new()) }
}
