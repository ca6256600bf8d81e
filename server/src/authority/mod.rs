//! The routes of the certificate authority: answered here where this server is it, passed on where it is elsewhere.

mod answers;
pub mod proxy;
pub mod routes;

use crate::exchange::{Request, Response};
use crate::notices::Notices;
use crate::site::{Given, Site, not_there};
use bunraku::{Configuration, Origin};
use bunraku_authority::{Authority, Settings};
use proxy::Proxy;
use routes::AuthorityRoute;
use std::sync::Arc;

/// Where the authority is.
#[derive(Debug)]
pub enum AuthorityLocation {
    /// This server is it.
    Here(Box<Authority>),
    /// Another server is, which `ca_server` names; what agents ask is passed on to it.
    Elsewhere(Proxy),
    /// Agents know without us.
    Nowhere,
}

impl AuthorityLocation {
    /// Where it is: here where that is asked for; elsewhere where the configuration names another server.
    ///
    /// # Errors
    /// When there is no authority here, or something of it can't be read.
    pub fn of(
        configuration: &Configuration,
        given: &Given,
        notices: &Notices,
    ) -> Result<AuthorityLocation, String> {
        if given.is_authority {
            let settings = Settings::read(configuration, given.authority_conf.as_deref())?;
            let notices = notices.clone();
            let tell = Arc::new(move |level: &str, message: &str| notices.say(level, "Puppet", message));
            let authority = Authority::open(settings, tell).map_err(|fault| fault.to_string())?;
            return Ok(AuthorityLocation::Here(Box::new(authority)));
        }
        let server = configuration.get("ca_server")?;
        // What nobody has said is `puppet`, which may well be this server.
        let is_said = !matches!(server.origin, Origin::Default);
        match is_said && server.text != configuration.get("certname")?.text {
            true => Proxy::new(configuration, &server.text).map(AuthorityLocation::Elsewhere),
            false => Ok(AuthorityLocation::Nowhere),
        }
    }

    /// Renews the revocation list of an authority that is here, where it will soon be out of date.
    pub fn renew_list(&self, notices: &Notices) {
        if let AuthorityLocation::Here(authority) = self
            && let Err(fault) = authority.renew_list_in_time()
        {
            let message = format!("The authority's revocation list could not be renewed: {fault}");
            notices.say("err", "Puppet", message);
        }
    }

    /// Answers a request that was admitted.
    pub fn answer(&self, site: &Site, route: &AuthorityRoute, request: &Request) -> Response {
        match self {
            AuthorityLocation::Here(authority) => answers::answer(authority, site, route, request),
            AuthorityLocation::Elsewhere(proxy) => proxy.answer(site, route, request),
            AuthorityLocation::Nowhere => not_there(&request.path),
        }
    }
}
