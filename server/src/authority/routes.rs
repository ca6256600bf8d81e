//! What an authority is asked, by paths and methods. Source: Puppet Server 7.9.5; `sign` and renewals are of later ones.

use crate::exchange::Response;
use bytes::Bytes;
use http::{Method, StatusCode};

/// What is asked, with the name that the path has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuthorityRoute {
    /// A node's certificate; the authority's own is called `ca`.
    Certificate(String),
    /// A node's request for a certificate.
    Request(String),
    /// Who is revoked.
    List,
    /// Newer revocation lists of authorities above.
    Lists,
    /// The certificate that the client shows, once more.
    Renewal,
    /// The state of a node's certificate.
    Status(String),
    /// The states of all.
    Statuses,
    /// The same without the word that has to stand behind it.
    StatusesOfNothing,
    /// Until when the authority's own is good.
    Expirations,
    /// Certificates are to be revoked and removed.
    Clean,
    /// Requests are to be signed.
    Sign,
    /// All of them.
    SignAll,
    /// Nothing that there is.
    Nothing,
}

impl AuthorityRoute {
    /// What stands behind `/puppet-ca/v1/`.
    pub fn of(rest: &str) -> AuthorityRoute {
        let (kind, name) = rest.split_once('/').unwrap_or((rest, ""));
        let has_slash = rest.contains('/');
        let one = !name.is_empty() && !name.contains('/');
        let name = || name.to_owned();
        match (kind, one) {
            ("certificate", true) => AuthorityRoute::Certificate(name()),
            ("certificate_request", true) => AuthorityRoute::Request(name()),
            ("certificate_revocation_list", true) => AuthorityRoute::List,
            ("certificate_revocation_list", false) if !has_slash => AuthorityRoute::Lists,
            ("certificate_status", true) => AuthorityRoute::Status(name()),
            ("certificate_statuses", true) => AuthorityRoute::Statuses,
            ("certificate_statuses", false) if rest == "certificate_statuses/" => {
                AuthorityRoute::StatusesOfNothing
            }
            ("certificate_renewal", false) if name().is_empty() => AuthorityRoute::Renewal,
            ("expirations", false) if !has_slash => AuthorityRoute::Expirations,
            ("clean", false) if !has_slash => AuthorityRoute::Clean,
            ("sign", false) if !has_slash => AuthorityRoute::Sign,
            ("sign", true) if rest == "sign/all" => AuthorityRoute::SignAll,
            _ => AuthorityRoute::Nothing,
        }
    }

    /// The methods that it is asked with.
    pub fn methods(&self) -> &'static [Method] {
        match self {
            AuthorityRoute::Request(_) => &[Method::GET, Method::PUT, Method::DELETE],
            AuthorityRoute::Status(_) => &[Method::GET, Method::PUT, Method::DELETE],
            AuthorityRoute::Lists | AuthorityRoute::Clean => &[Method::PUT],
            AuthorityRoute::Renewal | AuthorityRoute::Sign | AuthorityRoute::SignAll => &[Method::POST],
            AuthorityRoute::Nothing => &[],
            _ => &[Method::GET],
        }
    }

    /// Whether it is asked for as it can be.
    ///
    /// # Errors
    /// The answer in place of what is asked for.
    pub fn admit(&self, method: &Method) -> Result<(), Response> {
        match (self.methods().contains(method), self) {
            (true, _) => Ok(()),
            (false, AuthorityRoute::Status(_) | AuthorityRoute::Statuses) => {
                Err(plain(StatusCode::METHOD_NOT_ALLOWED, "Method not allowed."))
            }
            _ => {
                let nothing = Response::of("text/html;charset=utf-8", "Not Found");
                Err(Response { status: StatusCode::NOT_FOUND, ..nothing })
            }
        }
    }

    /// How many bytes its body may have.
    pub fn limit(&self) -> usize {
        match self {
            AuthorityRoute::Lists => 16 << 20,
            AuthorityRoute::Clean | AuthorityRoute::Sign => 1 << 20,
            _ => 64 << 10,
        }
    }

    /// What it is called in measurements.
    pub fn name(&self) -> &'static str {
        match self {
            AuthorityRoute::Certificate(_) => "certificate",
            AuthorityRoute::Request(_) => "certificate_request",
            AuthorityRoute::List | AuthorityRoute::Lists => "certificate_revocation_list",
            AuthorityRoute::Renewal => "certificate_renewal",
            AuthorityRoute::Status(_) => "certificate_status",
            AuthorityRoute::Statuses | AuthorityRoute::StatusesOfNothing => "certificate_statuses",
            AuthorityRoute::Expirations => "expirations",
            AuthorityRoute::Clean => "clean",
            AuthorityRoute::Sign | AuthorityRoute::SignAll => "sign",
            AuthorityRoute::Nothing => "authority",
        }
    }
}

/// A status and a text, as the authority's routes answer.
pub fn plain(status: StatusCode, body: impl Into<Bytes>) -> Response {
    Response { status, ..Response::of("text/plain;charset=utf-8", body) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_asked_or_nothing() {
        let of = AuthorityRoute::of;
        assert_eq!(of("certificate/ca"), AuthorityRoute::Certificate("ca".into()));
        assert_eq!(of("certificate_revocation_list/ca"), AuthorityRoute::List);
        assert_eq!(of("certificate_revocation_list"), AuthorityRoute::Lists);
        assert_eq!(of("certificate_statuses/any"), AuthorityRoute::Statuses);
        assert_eq!(of("certificate_statuses/"), AuthorityRoute::StatusesOfNothing);
        assert_eq!(of("certificate_renewal"), AuthorityRoute::Renewal);
        assert_eq!(of("certificate_renewal/"), AuthorityRoute::Renewal);
        assert_eq!(of("sign/all"), AuthorityRoute::SignAll);
        for nothing in [
            "",
            "certificate",
            "certificate/",
            "certificate/a/b",
            "certificate_statuses",
            "clean/x",
            "sign/x",
        ] {
            assert_eq!(of(nothing), AuthorityRoute::Nothing, "{nothing}");
        }
    }
}
