//! The way to an LDAP server and back: TCP, TLS, and the limits of what is waited for and taken. Requests come by a
//! socket of this process; each is sent on, and the answers to it are looked at before they go back, so that whoever
//! reads them sees well-formed ones only. One thread does it, which ends with the connection.

use super::ber::{self, Answer, Request};
use super::{Security, Server};
use bunraku_files::read;
use bunraku_process::Limits;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

/// Bytes that a file of certificates may hold.
const MAX_PEM: u64 = 16 << 20;
/// How long one of several addresses of a server is tried.
const ONE_ADDRESS: Duration = Duration::from_secs(20);
/// The request that TLS begins with on a plain connection: number 1, extended operation 1.3.6.1.4.1.1466.20037.
const START_TLS: &[u8] = b"\x30\x1d\x02\x01\x01\x77\x18\x80\x161.3.6.1.4.1.1466.20037";

/// Our end of the way, and where the reason is said if the other end closes.
pub struct Link {
    /// Takes requests, gives answers.
    pub near: UnixStream,
    /// What went wrong, if anything did; it is there before `near` is closed.
    pub fault: Receiver<String>,
}

/// Begins to connect to a server.
///
/// # Errors
/// When there is no socket or thread to be had.
pub fn open(server: &Server, limits: Limits, deadline: Instant) -> io::Result<Link> {
    let (near, far) = UnixStream::pair()?;
    let (said, fault) = mpsc::channel();
    let server = server.clone();
    let relay = move || {
        let connected = connect(&server, limits, deadline).map_err(|error| {
            format!("Could not connect to LDAP at {}:{}: {error}", server.host, server.port)
        });
        let ended = connected.and_then(|channel| {
            pass_on(&far, channel).map_err(|error| format!("LDAP Search failed: {error}"))
        });
        if let Err(fault) = ended {
            // Nobody listens where the reader has gone first.
            let _ = said.send(fault);
        }
        drop(far);
    };
    std::thread::Builder::new().name("ldap".to_owned()).spawn(relay)?;
    Ok(Link { near, fault })
}

/// A connection, plain or by TLS.
trait Channel: Read + Write {}
impl<T: Read + Write> Channel for T {}

fn connect(server: &Server, limits: Limits, deadline: Instant) -> io::Result<Box<dyn Channel>> {
    let config = match &server.security {
        Security::None => None,
        Security::StartTls(authorities) | Security::Tls(authorities) => Some(trust(authorities.as_deref())?),
    };
    let mut plain = Timed { stream: reach(server, deadline)?, limits, left: limits.bytes, deadline };
    let Some(config) = config else { return Ok(Box::new(plain)) };
    if matches!(server.security, Security::StartTls(_)) {
        start_tls(&mut plain)?;
    }
    let name = ServerName::try_from(server.host.clone()).map_err(io::Error::other)?;
    let mut session = ClientConnection::new(config, name).map_err(io::Error::other)?;
    while session.is_handshaking() {
        session.complete_io(&mut plain).map_err(closed)?;
    }
    Ok(Box::new(StreamOwned::new(session, plain)))
}

/// A connection to the first of a server's addresses that takes one.
fn reach(server: &Server, deadline: Instant) -> io::Result<TcpStream> {
    let mut last = io::Error::other("it has no address");
    for address in (server.host.as_str(), server.port).to_socket_addrs()? {
        let left = deadline.saturating_duration_since(Instant::now()).min(ONE_ADDRESS);
        if left.is_zero() {
            break;
        }
        match TcpStream::connect_timeout(&address, left) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// TLS by the authorities of a file, and no other.
fn trust(authorities: Option<&Path>) -> io::Result<Arc<ClientConfig>> {
    let path = authorities.ok_or_else(|| {
        io::Error::other("TLS needs the certificates of the authority that signs the server (--localcacert)")
    })?;
    let failed = |error: String| io::Error::other(format!("Could not read {}: {error}", path.display()));
    let bytes = read::regular(path, MAX_PEM).map_err(|error| failed(error.to_string()))?;
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&bytes) {
        let certificate = certificate.map_err(|error| failed(error.to_string()))?;
        roots.add(certificate).map_err(|error| failed(error.to_string()))?;
    }
    if roots.is_empty() {
        return Err(io::Error::other(format!("There is no certificate in {}", path.display())));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(io::Error::other)?;
    Ok(Arc::new(config.with_root_certificates(roots).with_no_client_auth()))
}

fn start_tls(plain: &mut Timed) -> io::Result<()> {
    plain.write_all(START_TLS)?;
    let request = Request::of(START_TLS).map_err(|_| malformed())?;
    match ber::answer(&message(plain)?.ok_or_else(gone)?, request) {
        Ok(Answer::Last(_, 0)) => Ok(()),
        Ok(Answer::Last(_, code)) => {
            Err(io::Error::other(format!("it does not begin TLS (result code {code})")))
        }
        Ok(Answer::Leaves(why)) => Err(leaves(&why)),
        Ok(Answer::Part(_)) | Err(_) => Err(malformed()),
    }
}

/// Sends requests on and brings their answers back, one after the other, until the requests end.
fn pass_on(mut near: &UnixStream, mut server: impl Channel) -> io::Result<()> {
    while let Some(request) = message(&mut near)? {
        server.write_all(&request)?;
        server.flush()?;
        let request = Request::of(&request).map_err(|_| malformed())?;
        if request.ends_connection() {
            break;
        }
        loop {
            let answer = message(&mut server)?.ok_or_else(gone)?;
            match ber::answer(&answer, request).map_err(|_| malformed())? {
                Answer::Part(anew) => near.write_all(&anew)?,
                Answer::Last(anew, _) => {
                    near.write_all(&anew)?;
                    break;
                }
                Answer::Leaves(why) => return Err(leaves(&why)),
            }
        }
    }
    Ok(())
}

/// The next message; none where the connection ends before one.
fn message(from: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    loop {
        let length = ber::length(&bytes).map_err(|_| malformed())?;
        let missing = length.map_or(1, |length| length - bytes.len());
        if missing == 0 {
            return Ok(Some(bytes));
        }
        // No more is set aside than has come: a length is only a word.
        let before = bytes.len();
        match from.by_ref().take(missing as u64).read_to_end(&mut bytes).map_err(closed) {
            Ok(_) if bytes.len() - before == missing => {}
            Ok(_) if bytes.is_empty() => return Ok(None),
            Ok(_) => {
                return Err(io::Error::other("the server closed the connection in the middle of an answer"));
            }
            Err(error) => return Err(error),
        }
    }
}

fn malformed() -> io::Error {
    io::Error::other("the server's answer is no LDAP")
}

fn gone() -> io::Error {
    io::Error::other("the server closed the connection without an answer")
}

fn leaves(why: &str) -> io::Error {
    io::Error::other(format!("the server closes the connection: {}", why.escape_debug()))
}

/// TLS says its own words where a connection ends.
fn closed(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => io::Error::other("the server closed the connection"),
        _ => error,
    }
}

/// A connection that ends at a time and after so many bytes, however they come.
struct Timed {
    stream: TcpStream,
    limits: Limits,
    left: usize,
    deadline: Instant,
}

impl Timed {
    fn left(&self) -> io::Result<Duration> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(late(self.limits)) } else { Ok(left) }
    }

    fn named(&self, error: io::Error) -> io::Error {
        match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => late(self.limits),
            _ => error,
        }
    }
}

/// The error of a server that takes too long.
pub fn late(limits: Limits) -> io::Error {
    let seconds = limits.time.as_secs_f64();
    io::Error::other(format!("the server took more than {seconds} seconds (setting exec_timeout)"))
}

impl Read for Timed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(Some(self.left()?))?;
        let count = self.stream.read(buffer).map_err(|error| self.named(error))?;
        self.left = self.left.checked_sub(count).ok_or_else(|| {
            let bytes = self.limits.bytes;
            io::Error::other(format!("the server sent more than {bytes} bytes (setting exec_output)"))
        })?;
        Ok(count)
    }
}

impl Write for Timed {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(Some(self.left()?))?;
        self.stream.write(buffer).map_err(|error| self.named(error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}
