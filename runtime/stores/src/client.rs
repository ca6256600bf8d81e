//! HTTP(S) with an agent's certificates, as PuppetDB and receivers of reports are spoken to.

use bunraku_files::read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use ureq::Agent;
use ureq::tls::{Certificate, ClientCert, PemItem, PrivateKey, RootCerts, TlsConfig, parse_pem};

/// Files of an agent's certificates, as in Puppet's `ssldir`: what PuppetDB is shown, and what it is checked by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Certificates {
    /// Certificates of authorities: `localcacert`.
    pub authorities: Option<PathBuf>,
    /// One's own certificate: `hostcert`.
    pub certificate: Option<PathBuf>,
    /// Its key: `hostprivkey`.
    pub key: Option<PathBuf>,
}

/// Bytes that a file of certificates may hold.
const MAX_PEM: u64 = 16 << 20;

/// Bytes of an answer that are read.
const MAX_ANSWER: u64 = 1 << 20;

/// Sends to servers that are checked by these certificates. It may be shared by threads.
#[derive(Clone, Debug)]
pub struct Client(Agent);

impl Client {
    /// A client that waits so long for each answer.
    ///
    /// # Errors
    /// When a file of certificates can't be used.
    pub fn new(certificates: &Certificates, timeout: Duration) -> Result<Client, String> {
        agent(certificates, timeout).map(Client)
    }

    /// Posts a body; what comes back is the status and the text of the answer.
    ///
    /// # Errors
    /// When no answer comes.
    pub fn post(
        &self,
        url: &str,
        headers: &[(&str, &str)],
        query: &[(&str, &str)],
        body: &[u8],
    ) -> Result<(u16, String), String> {
        let mut request = self.0.post(url);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        for (name, value) in query {
            request = request.query(*name, *value);
        }
        let mut response = request.send(body).map_err(|error| error.to_string())?;
        let status = response.status().as_u16();
        let text = response.body_mut().with_config().limit(MAX_ANSWER).read_to_string();
        Ok((status, text.map_err(|error| error.to_string())?))
    }

    /// Sends a request of any method, with a body where one is given; what comes back holds at most `limit` bytes.
    ///
    /// # Errors
    /// When no answer comes, or too long a one, or the method or a header is none.
    pub fn request(
        &self,
        method: &str,
        url: &str,
        headers: &[(&str, &str)],
        body: Option<&[u8]>,
        limit: u64,
    ) -> Result<Answered, String> {
        let mut request = ureq::http::Request::builder().method(method).uri(url);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let sent = match body {
            Some(body) => request.body(body).map(|request| self.0.run(request)),
            None => request.body(()).map(|request| self.0.run(request)),
        };
        let mut response = sent.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
        let text = |(name, value): (&ureq::http::HeaderName, &ureq::http::HeaderValue)| {
            Some((name.to_string(), value.to_str().ok()?.to_owned()))
        };
        let headers = response.headers().iter().filter_map(text).collect();
        let body = response.body_mut().with_config().limit(limit).read_to_vec();
        let body = body.map_err(|error| error.to_string())?;
        Ok(Answered { status: response.status().as_u16(), headers, body })
    }
}

/// What a server has answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The status.
    pub status: u16,
    /// Its headers, those that are text.
    pub headers: Vec<(String, String)>,
    /// The body: within a limit.
    pub body: Vec<u8>,
}

/// What speaks HTTP with these certificates.
pub(crate) fn agent(certificates: &Certificates, timeout: Duration) -> Result<Agent, String> {
    let read = |path: &Path| {
        read::regular(path, MAX_PEM).map_err(|error| format!("Could not read {}: {error}", path.display()))
    };
    let mut tls = TlsConfig::builder()
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()));
    let pem = |path: &Path| -> Result<Vec<Certificate<'static>>, String> {
        let bytes = read(path)?;
        let found: Vec<_> = parse_pem(&bytes)
            .filter_map(|item| match item {
                Ok(PemItem::Certificate(certificate)) => Some(certificate),
                _ => None,
            })
            .collect();
        match found.is_empty() {
            true => Err(format!("There is no certificate in {}", path.display())),
            false => Ok(found),
        }
    };
    // Puppet's authority signs PuppetDB; those of the web have no say.
    let authorities = certificates.authorities.as_deref().map(pem).transpose()?.unwrap_or_default();
    tls = tls.root_certs(RootCerts::new_with_certs(&authorities));
    match (&certificates.certificate, &certificates.key) {
        (Some(certificate), Some(key)) => {
            let chain = pem(certificate)?;
            let key = PrivateKey::from_pem(&read(key)?)
                .map_err(|error| format!("Could not read the key {}: {error}", key.display()))?;
            tls = tls.client_cert(Some(ClientCert::new_with_certs(&chain, key)));
        }
        (None, None) => {}
        _ => return Err("A certificate for PuppetDB needs its key, and a key its certificate".to_owned()),
    }
    let config = Agent::config_builder()
        .tls_config(tls.build())
        .timeout_global(Some(timeout))
        .http_status_as_error(false)
        // A PuppetDB has no reason to; where it leads may be anywhere, and without TLS.
        .max_redirects(0)
        .build();
    Ok(config.into())
}
