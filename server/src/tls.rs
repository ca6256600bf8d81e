//! The server's side of TLS: its certificate and key, and who signs the certificates of its clients. A file that has changed is
//! read anew; one that can't be read, or fits no more, leaves what was there before in force.
//!
//! A handshake verifies a client's certificates once; one that takes up a session of before does not, and a connection may live for as
//! long as somebody asks. So connections have them verified again ([`Verified`]).

use crate::notices::Notices;
use bunraku::files::owner;
use der::Decode;
use rustls::pki_types::UnixTime;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::ClientCertVerifier;
use rustls::{RootCertStore, ServerConfig};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use x509_cert::crl::CertificateList;

/// How often it is looked whether files have changed.
const LOOK: Duration = Duration::from_secs(1);

/// How long certificates count as good once they were verified, as long as nothing changes by which they are.
const VERIFIED_FOR: Duration = Duration::from_secs(10);

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
    in_force: InForce,
    seen: [Seen; 4],
    looked: Instant,
}

/// What the files said when they were read last.
#[derive(Clone, Debug)]
pub struct InForce {
    /// What a new connection is begun with.
    pub config: Arc<ServerConfig>,
    verifier: Arc<dyn ClientCertVerifier>,
}

/// The certificates that the client of a connection has shown, and when they were verified last.
#[derive(Debug)]
pub struct Verified {
    /// Its own, and those between it and the authority; none where it has shown none.
    chain: Vec<CertificateDer<'static>>,
    last: Mutex<(Instant, InForce)>,
}

impl InForce {
    /// Verifies certificates as they are now: signed by the authorities, not out of date, not revoked.
    fn verify(&self, chain: &[CertificateDer<'_>]) -> Result<(), rustls::Error> {
        let Some((own, between)) = chain.split_first() else { return Ok(()) };
        self.verifier.verify_client_cert(own, between, UnixTime::now()).map(drop)
    }

    fn is_same(&self, other: &InForce) -> bool {
        Arc::ptr_eq(&self.config, &other.config)
    }
}

impl Verified {
    /// Certificates that a handshake has verified just now by what was in force as it began.
    pub fn now(chain: Vec<CertificateDer<'static>>, in_force: InForce) -> Verified {
        Verified { chain, last: Mutex::new((Instant::now(), in_force)) }
    }

    /// Those of a session that was taken up again, which nobody has verified since it began.
    ///
    /// # Errors
    /// Why they are not good, or not any more.
    pub fn again(chain: Vec<CertificateDer<'static>>, in_force: InForce) -> Result<Verified, rustls::Error> {
        in_force.verify(&chain)?;
        Ok(Verified::now(chain, in_force))
    }

    /// Whether they are still good by what is in force: verified again where that has changed since, or some seconds have passed.
    ///
    /// # Errors
    /// As of [`Verified::again`].
    pub fn check(&self, in_force: InForce) -> Result<(), rustls::Error> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if self.chain.is_empty() || last.0.elapsed() < VERIFIED_FOR && last.1.is_same(&in_force) {
            return Ok(());
        }
        in_force.verify(&self.chain)?;
        *last = (Instant::now(), in_force);
        Ok(())
    }
}

/// What tells a file from one that was written since: when, how long, and where on the disk.
type Seen = Option<(SystemTime, u64, u64)>;

impl Tls {
    /// Reads the files.
    ///
    /// # Errors
    /// The first that can't be read or is not what it should be, by its setting.
    pub fn new(files: Files, notices: Notices) -> Result<Tls, String> {
        let (seen, in_force) = (files.seen(), files.read()?);
        let state = State { files, in_force, seen, looked: Instant::now() };
        Ok(Tls { state: Mutex::new(state), notices })
    }

    /// What connections are begun with, and their clients verified by: as the files are, which are looked at once a second.
    pub fn in_force(&self) -> InForce {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.looked.elapsed() >= LOOK {
            state.looked = Instant::now();
            let seen = state.files.seen();
            if seen != state.seen {
                state.seen = seen;
                match state.files.read() {
                    Ok(in_force) => self.take(&mut state, in_force),
                    Err(why) => {
                        let message = format!("Certificates stay as they were: {why}");
                        self.notices.say("err", "Puppet", message);
                    }
                }
            }
        }
        state.in_force.clone()
    }

    /// Reads these files, which are those to be looked at from now on.
    ///
    /// # Errors
    /// As of [`Tls::new`]; then everything stays as it was.
    pub fn reload(&self, files: Files) -> Result<(), String> {
        let (seen, in_force) = (files.seen(), files.read()?);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        (state.files, state.seen) = (files, seen);
        self.take(&mut state, in_force);
        Ok(())
    }

    fn take(&self, state: &mut State, in_force: InForce) {
        state.in_force = in_force;
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
    fn read(&self) -> Result<InForce, String> {
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
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_client_cert_verifier(Arc::clone(&verifier))
            .with_single_cert(chain, key)
            .map_err(|error| wrong("hostcert", &self.certificate, &error))?;
        Ok(InForce { config: Arc::new(config), verifier })
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
