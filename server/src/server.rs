//! The server: listens, begins connections, and ends when it is told to, once what it has begun is answered.

use crate::access::Accesses;
use crate::authority::AuthorityLocation;
use crate::bodies::Bodies;
use crate::check::Found;
use crate::connection::{self, Peer};
use crate::gate::Gate;
use crate::identity::{self, Identity};
use crate::lanes::{Lane, OneEach};
use crate::metrics::Metrics;
use crate::notices::Notices;
use crate::site::{Given, Lasting, Site};
use crate::tls::{Tls, Verified};
use bunraku::{Compiler, Configuration};
use bytes::Bytes;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use rustls::HandshakeKind;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio_io_timeout::TimeoutStream;
use tokio_rustls::TlsAcceptor;

/// How long TLS may take to begin.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// How long a request's head may take, and how long a connection may be idle before the next one's.
const HEAD: Duration = Duration::from_secs(15);
/// How long a client may take nothing of what it is sent.
const SLOW: Duration = Duration::from_secs(30);
/// Bytes of a request's head.
const MAX_HEAD: usize = 32 << 10;
/// Connections at once; more wait to be begun.
const MAX_CONNECTIONS: usize = 16_384;
/// Connections that the system takes in before they are: agents that all start at the same minute are not to try again.
const BACKLOG: u32 = 4096;
/// Requests for files at once; more wait.
const MAX_FILES: usize = 256;
/// Differences between files that are asked for at once, each by another client; who is beyond them is told to come again.
const MAX_DIFFS: usize = 8;
/// Reports that are there at once, those that wait for a thread among them; more wait to be entered.
const MAX_REPORTS: usize = 256;
/// Requests for certificates at once; more wait.
const MAX_CERTIFICATES: usize = 64;
/// How often the revocation lists of an authority elsewhere are fetched.
const FETCH: Duration = Duration::from_secs(300);
/// How often it is looked whether the revocation list of an authority here will soon be out of date.
const RENEW: Duration = Duration::from_secs(24 * 60 * 60);
/// How long what is under way may take once the server is to end.
const DRAIN: Duration = Duration::from_secs(60);
/// Compiles that may wait for programs or other servers besides those that compute.
const WAITING: usize = 8;

/// What a server is started with.
pub struct Options {
    /// Puppet's configuration.
    pub configuration: Configuration,
    /// What it does not say.
    pub given: Given,
    /// The address that it listens on.
    pub address: IpAddr,
    /// The port, where it is not the one of the setting `serverport`.
    pub port: Option<u16>,
    /// How many compiles compute at once.
    pub threads: usize,
    /// How many requests for compiles may wait beside them.
    pub queue: usize,
    /// How many reports are taken at once.
    pub report_threads: usize,
    /// Agents that are too many are told to come again within so many seconds.
    pub retry_after: u64,
    /// Whether answers are compressed for those who take that.
    pub zips: bool,
    /// Where measurements are handed out, if they are: without TLS.
    pub metrics: Option<SocketAddr>,
    /// Where messages go.
    pub notices: Notices,
    /// Where each request is told.
    pub accesses: Accesses,
}

impl Options {
    /// Where it listens.
    ///
    /// # Errors
    /// When the setting `serverport` is no port.
    pub fn listen(&self) -> Result<SocketAddr, String> {
        Ok(SocketAddr::new(self.address, self.port.map_or_else(|| serverport(&self.configuration), Ok)?))
    }
}

/// The port that the configuration says.
fn serverport(configuration: &Configuration) -> Result<u16, String> {
    let text = configuration.get("serverport")?.text;
    text.parse().map_err(|_| format!("The setting serverport is no port: {text}"))
}

/// What all connections share.
pub struct Shared {
    site: RwLock<Arc<Site>>,
    tls: Tls,
    /// Threads that compile.
    pub compiles: Lane,
    /// Threads for what is short.
    pub files: Lane,
    /// The thread for differences between files that agents have backed up.
    pub diffs: Lane,
    /// Who has asked for one.
    pub differing: OneEach,
    /// Who has sent a large body with values.
    pub large: OneEach,
    /// Threads for reports.
    pub reports: Lane,
    /// What bodies take.
    pub bodies: Arc<Bodies>,
    /// Threads for certificates: a program may decide, or another server be asked.
    pub authority: Lane,
    /// Where each request is told.
    pub accesses: Accesses,
    /// Whether answers are compressed.
    pub zips: bool,
    /// The most seconds after which somebody is to come again.
    pub retry_after: u64,
    /// What is counted.
    pub metrics: Metrics,
    given: Given,
    /// Settings that count until the server ends, as they were at its start.
    fixed: Vec<(&'static str, String)>,
    ids: AtomicU64,
    notices: Notices,
}

/// A server that runs, until it is stopped or dropped.
pub struct Server {
    shared: Arc<Shared>,
    address: SocketAddr,
    metrics: Option<SocketAddr>,
    stop: watch::Sender<bool>,
    runtime: Mutex<Option<tokio::runtime::Runtime>>,
    listens: Mutex<Option<tokio::task::JoinHandle<()>>>,
}

impl Shared {
    /// What requests are answered from, as it is now.
    pub fn site(&self) -> Arc<Site> {
        Arc::clone(&self.site.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn next_id(&self) -> u64 {
        self.ids.fetch_add(1, Ordering::Relaxed)
    }

    /// Whether a connection may go on: whether the certificates that its client has shown are still good. That they are not is logged.
    pub(crate) fn lets_in(&self, peer: &Peer) -> bool {
        let checked = peer.verified.check(self.tls.in_force());
        if let Err(error) = &checked {
            let who = peer.identity.certname.as_deref().unwrap_or("no name");
            let message = format!("{} ({who}): the connection ends: {error}", peer.address);
            self.notices.say("warning", "Puppet", message);
        }
        checked.is_ok()
    }
}

impl Server {
    /// Reads everything, listens, and answers from now on.
    ///
    /// # Errors
    /// What is wrong with the configuration, a certificate, the rules; or when it can't listen.
    pub fn start(options: Options) -> Result<Server, String> {
        let listen = options.listen()?;
        let fixed = fixed(&options.configuration, options.port.is_some())?;
        let gate = Arc::new(Gate::new(options.threads));
        let compiler = Arc::new(Compiler::new());
        let notices = options.notices.clone();
        let lasting = Lasting { compiler, gate, commands: None, notices, only_looks: false };
        let site = Site::read(options.configuration, &options.given, lasting)?;
        check_headers(&site, listen)?;
        site.authority.renew_list(&options.notices);
        let tls = Tls::new(site.tls()?, options.notices.clone())?;
        doubt(&site, Found::of(&site, &[])?.doubts);
        let threads = options.threads.max(1);
        let compiles = Lane::start("compile", threads + WAITING.min(options.queue), threads + options.queue)?;
        let shared = Arc::new(Shared {
            site: RwLock::new(Arc::new(site)),
            tls,
            compiles,
            files: Lane::start("files", 2, MAX_FILES)?,
            diffs: Lane::start("diffs", 1, MAX_DIFFS)?,
            differing: OneEach::default(),
            large: OneEach::default(),
            reports: Lane::start("reports", options.report_threads, MAX_REPORTS)?,
            bodies: Arc::default(),
            authority: Lane::start("authority", 4, MAX_CERTIFICATES)?,
            accesses: options.accesses,
            zips: options.zips,
            retry_after: options.retry_after,
            metrics: Metrics::default(),
            given: options.given,
            fixed,
            ids: AtomicU64::new(1),
            notices: options.notices,
        });
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("connections")
            .enable_all()
            .build()
            .map_err(|error| format!("No threads could be started: {error}"))?;
        let (stop, stopped) = watch::channel(false);
        let (listener, address) = listened(listen, &runtime)?;
        let mut metrics = None;
        if let Some(wanted) = options.metrics {
            let (listener, address) = listened(wanted, &runtime)?;
            metrics = Some(address);
            runtime.spawn(crate::metrics::serve(listener, Arc::clone(&shared), stopped.clone()));
        }
        runtime.spawn(fetch_lists(Arc::clone(&shared), stopped.clone()));
        runtime.spawn(renew_list(Arc::clone(&shared), stopped.clone()));
        let listens = runtime.spawn(accept(listener, Arc::clone(&shared), stopped));
        let (runtime, listens) = (Mutex::new(Some(runtime)), Mutex::new(Some(listens)));
        Ok(Server { shared, address, metrics, stop, runtime, listens })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where it hands out measurements.
    pub fn metrics(&self) -> Option<SocketAddr> {
        self.metrics
    }

    /// Reads everything again; requests under way end with what they began with.
    ///
    /// # Errors
    /// What is wrong; then everything stays as it was.
    pub fn reload(&self) -> Result<(), String> {
        let before = self.shared.site();
        let configuration = before.configuration().reread()?;
        let fixed = fixed(&configuration, self.shared.fixed.iter().all(|(name, _)| *name != PORT))?;
        let site = Site::read(configuration, &self.shared.given, before.lasting())?;
        check_headers(&site, self.address)?;
        // Nothing is taken before all of it can be.
        let (doubts, way) = (Found::of(&site, &[])?.doubts, site.way()?);
        self.shared.tls.reload(site.tls()?)?;
        if let Some((commands, way)) = way {
            commands.follow(way);
        }
        doubt(&site, doubts);
        say_fixed(&self.shared.fixed, &fixed, &before);
        site.compiler.forget(None);
        *self.shared.site.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(site);
        Ok(())
    }

    /// Takes nothing in any more, answers what is under way, and ends.
    pub fn stop(&self) {
        let _ = self.stop.send(true);
        let runtime = self.runtime.lock().unwrap_or_else(PoisonError::into_inner).take();
        let listens = self.listens.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let (Some(runtime), Some(listens)) = (runtime, listens) {
            let _ = runtime.block_on(listens);
            self.shared.compiles.close();
            self.shared.files.close();
            self.shared.diffs.close();
            self.shared.reports.close();
            self.shared.authority.close();
            runtime.shutdown_timeout(Duration::from_secs(1));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Names by headers are for proxies that are known: anybody else could call himself what he likes.
pub(crate) fn check_headers(site: &Site, listen: SocketAddr) -> Result<(), String> {
    match site.rules.names_by_headers && !listen.ip().is_loopback() && site.proxies.is_empty() {
        true => Err(format!(
            "allow-header-cert-info takes clients' names from headers, and the server would listen on {listen}: either it listens \
             on this machine alone (--address 127.0.0.1), or --proxy names who may say them"
        )),
        false => Ok(()),
    }
}

/// The setting of the port.
const PORT: &str = "serverport";
/// The setting of the folder where data lie.
const VARDIR: &str = "vardir";

/// What a configuration says of settings that count until the server ends: the port, unless it was given; and where commands wait.
fn fixed(configuration: &Configuration, has_port: bool) -> Result<Vec<(&'static str, String)>, String> {
    let mut all = vec![(VARDIR, configuration.get(VARDIR)?.text)];
    if !has_port {
        all.push((PORT, serverport(configuration)?.to_string()));
    }
    Ok(all)
}

/// Says which of these settings a configuration that is read anew has otherwise than that of the start.
fn say_fixed(start: &[(&str, String)], now: &[(&str, String)], before: &Site) {
    for ((name, was), (_, is)) in start.iter().zip(now) {
        // Commands alone stay below the folder.
        if was == is || (*name == VARDIR && before.commands.is_none()) {
            continue;
        }
        let message = format!(
            "The setting {name} was {was} when the server started: {is} counts in full once it is started anew"
        );
        before.notices.say("warning", "Puppet", message);
    }
}

/// Says what looks wrong, though the server runs with it.
fn doubt(site: &Site, doubts: Vec<String>) {
    doubts.into_iter().for_each(|doubt| site.notices.say("warning", "Puppet", doubt));
}

fn listened(
    address: SocketAddr,
    runtime: &tokio::runtime::Runtime,
) -> Result<(TcpListener, SocketAddr), String> {
    let failed = |error: std::io::Error| format!("{address} can't be listened on: {error}");
    let _inside = runtime.enter();
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    }
    .map_err(failed)?;
    socket.set_reuseaddr(true).and_then(|()| socket.bind(address)).map_err(failed)?;
    let listener = socket.listen(BACKLOG).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok((listener, address))
}

/// Fetches the revocation lists of an authority elsewhere again and again: nobody else may keep this machine's copy fresh.
async fn fetch_lists(shared: Arc<Shared>, mut stopped: watch::Receiver<bool>) {
    loop {
        let site = shared.site();
        if matches!(site.authority, AuthorityLocation::Elsewhere(_))
            && let Some(place) = shared.authority.enter()
        {
            shared.authority.run(place, move || site.fetch_lists()).await;
        }
        tokio::select! {
            () = tokio::time::sleep(FETCH) => {}
            _ = stopped.changed() => return,
        }
    }
}

/// Renews the revocation list of an authority here before it is out of date, which the start has looked at.
async fn renew_list(shared: Arc<Shared>, mut stopped: watch::Receiver<bool>) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(RENEW) => {}
            _ = stopped.changed() => return,
        }
        let site = shared.site();
        if matches!(site.authority, AuthorityLocation::Here(_))
            && let Some(place) = shared.authority.enter()
        {
            shared.authority.run(place, move || site.authority.renew_list(&site.notices)).await;
        }
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>, mut stopped: watch::Receiver<bool>) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let graceful = GracefulShutdown::new();
    loop {
        let place = tokio::select! {
            place = Arc::clone(&places).acquire_owned() => place,
            _ = stopped.changed() => break,
        };
        let Ok(place) = place else { break };
        let (socket, address) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                // No more files: others will be closed.
                Err(_) => {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
            _ = stopped.changed() => break,
        };
        let watcher = graceful.watcher();
        let shared = Arc::clone(&shared);
        tokio::spawn(async move {
            let _place = place;
            let Some((stream, peer)) = begin(socket, address, &shared).await else { return };
            let peer = Arc::new(peer);
            let service = service_fn(move |request| {
                connection::answer(Arc::clone(&shared), Arc::clone(&peer), request)
            });
            let connection = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD)
                .max_buf_size(MAX_HEAD)
                .serve_connection(TokioIo::new(stream), service);
            // A client that goes is none that anything could be told.
            let _ = watcher.watch(connection).await;
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(DRAIN, graceful.shutdown()).await;
}

type Stream = std::pin::Pin<Box<TimeoutStream<tokio_rustls::server::TlsStream<TcpStream>>>>;

/// Begins TLS, and looks at the certificate that is shown, if one is.
async fn begin(socket: TcpStream, address: SocketAddr, shared: &Shared) -> Option<(Stream, Peer)> {
    let _ = socket.set_nodelay(true);
    let refused = |error: &dyn std::fmt::Display| {
        let message = format!("{}: no connection: {error}", address.ip());
        shared.notices.say("info", "Puppet", message);
    };
    let in_force = shared.tls.in_force();
    let handshake = pin!(TlsAcceptor::from(Arc::clone(&in_force.config)).accept(socket));
    let stream = match tokio::time::timeout(HANDSHAKE, handshake).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => {
            refused(&error);
            return None;
        }
        Err(_) => return None,
    };
    let session = stream.get_ref().1;
    let chain: Vec<_> =
        session.peer_certificates().unwrap_or_default().iter().map(|one| one.clone().into_owned()).collect();
    let certificate = chain.first().map(|one| Bytes::copy_from_slice(one));
    let verified = match session.handshake_kind() {
        Some(HandshakeKind::Resumed) => Verified::again(chain, in_force).inspect_err(|error| refused(error)),
        _ => Ok(Verified::now(chain, in_force)),
    };
    let verified = verified.ok()?;
    let site = shared.site();
    let identity = certificate.as_ref().map_or_else(Identity::default, |one| identity::of(one, &site.names));
    if certificate.is_some() && identity.certname.is_none() {
        let message = format!("{}: its certificate names no node", address.ip());
        shared.notices.say("warning", "Puppet", message);
    }
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(SLOW));
    Some((Box::pin(stream), Peer { identity, certificate, verified, address: address.ip() }))
}
