//! What deploy scripts ask for once new code is there.

use crate::exchange::{Body, Response};
use crate::site::Site;
use bytes::Bytes;
use http::StatusCode;

/// `DELETE` of the environments' cache or of the pool: whatever is kept of files is forgotten. What is compiled follows the files
/// anyway.
pub fn forget(site: &Site) -> Response {
    site.files.forget();
    Response { status: StatusCode::NO_CONTENT, headers: Vec::new(), body: Body::Bytes(Bytes::new()) }
}
