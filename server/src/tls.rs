//! The server's side of TLS: its certificate and key, and who signs the certificates of its clients. A file that has changed is
//! read anew; one that can't be read, or fits no more, leaves what was there before in force.

use crate::notices::Notices;
use bunraku::files::owner;
use der::Decode;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use x509_cert::crl::CertificateList;

/// How often it is looked whether files have changed.
const LOOK: Duration = Duration::from_secs(1);

/// The files, by the settings that name them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    /// `hostcert`
    pub certificate: PathBuf,
    /// `hostprivkey`
    pub key: PathBuf,
    /// `localcacert`
    pub authorities: PathBuf,
    /// `hostcrl`
    pub revoked: PathBuf,
}

/// What connections are begun with.
#[derive(Debug)]
pub struct Tls {
    state: Mutex<State>,
    notices: Notices,
}

#[derive(Debug)]
struct State {
    files: Files,
    config: Arc<ServerConfig>,
    seen: [Seen; 4],
    looked: Instant,
}

/// What tells a file from one that was written since: when, how long, and where on the disk.
type Seen = Option<(SystemTime, u64, u64)>;

impl Tls {
    /// Reads the files.
    ///
    /// # Errors
    /// The first that can't be read or is not what it should be, by its setting.
    pub fn new(files: Files, notices: Notices) -> Result<Tls, String> {
        let (seen, config) = (files.seen(), files.config()?);
        let state = State { files, config: Arc::new(config), seen, looked: Instant::now() };
        Ok(Tls { state: Mutex::new(state), notices })
    }

    /// What a new connection is begun with: as the files are, which are looked at once a second.
    pub fn config(&self) -> Arc<ServerConfig> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.looked.elapsed() >= LOOK {
            state.looked = Instant::now();
            let seen = state.files.seen();
            if seen != state.seen {
                state.seen = seen;
                match state.files.config() {
                    Ok(config) => self.take(&mut state, config),
                    Err(why) => {
                        let message = format!("Certificates stay as they were: {why}");
                        self.notices.say("err", "Puppet", message);
                    }
                }
            }
        }
        Arc::clone(&state.config)
    }

    /// Reads these files, which are those to be looked at from now on.
    ///
    /// # Errors
    /// As of [`Tls::new`]; then everything stays as it was.
    pub fn reload(&self, files: Files) -> Result<(), String> {
        let (seen, config) = (files.seen(), files.config()?);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        (state.files, state.seen) = (files, seen);
        self.take(&mut state, config);
        Ok(())
    }

    fn take(&self, state: &mut State, config: ServerConfig) {
        state.config = Arc::new(config);
        self.notices.say("notice", "Puppet", "Certificates and revocation lists were read anew");
    }
}

impl Files {
    fn seen(&self) -> [Seen; 4] {
        let seen = |file: &Path| {
            let metadata = std::fs::metadata(file).ok()?;
            let inode = std::os::unix::fs::MetadataExt::ino(&metadata);
            Some((metadata.modified().ok()?, metadata.len(), inode))
        };
        [seen(&self.certificate), seen(&self.key), seen(&self.authorities), seen(&self.revoked)]
    }

    /// Clients may come without a certificate; one that they show has to be good: signed by the authorities, not out of date,
    /// and revoked by no list, of which there is one for every issuer.
    fn config(&self) -> Result<ServerConfig, String> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut roots = RootCertStore::empty();
        for authority in all::<CertificateDer<'static>>(&self.authorities, "localcacert")? {
            roots.add(authority).map_err(|error| wrong("localcacert", &self.authorities, &error))?;
        }
        let mut revoked = all::<CertificateRevocationListDer<'static>>(&self.revoked, "hostcrl")?;
        // Of several lists of one issuer the first is asked: that is to be the newest.
        revoked.sort_by_cached_key(|list| std::cmp::Reverse(made(list)));
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
            .with_crls(revoked)
            .enforce_revocation_expiration()
            .allow_unauthenticated()
            .build()
            .map_err(|error| wrong("hostcrl", &self.revoked, &error))?;
        let chain = all::<CertificateDer<'static>>(&self.certificate, "hostcert")?;
        let key = PrivateKeyDer::from_pem_file(&self.key)
            .map_err(|error| wrong("hostprivkey", &self.key, &error))?;
        ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_client_cert_verifier(verifier)
            .with_single_cert(chain, key)
            .map_err(|error| wrong("hostcert", &self.certificate, &error))
    }
}

/// When a revocation list was made; one that can't be read is refused by whoever reads it next.
fn made(list: &CertificateRevocationListDer<'_>) -> Option<Duration> {
    let list = CertificateList::from_der(list).ok()?;
    Some(list.tbs_cert_list.this_update.to_unix_duration())
}

/// All that a file has of a kind: at least one.
fn all<T: PemObject>(file: &Path, setting: &str) -> Result<Vec<T>, String> {
    let found = T::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<T>, _>>);
    match found.map_err(|error| wrong(setting, file, &error))? {
        none if none.is_empty() => Err(wrong(setting, file, &"there is nothing of the kind in it")),
        found => Ok(found),
    }
}

fn wrong(setting: &str, file: &Path, why: &dyn std::fmt::Display) -> String {
    let denied = std::fs::File::open(file).err().filter(|error| error.kind() == ErrorKind::PermissionDenied);
    let whose =
        denied.and_then(|_| owner::whose(file)).map_or_else(String::new, |whose| format!(": {whose}"));
    format!("The setting {setting} names {}, which can't be used: {why}{whose}", file.display())
}
