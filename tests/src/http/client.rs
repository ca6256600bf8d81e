//! A client that sends what it is told, byte for byte, over TLS: also what no well-meant client sends.

use crate::authority::Authority;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How long nothing may come.
const SILENCE: Duration = Duration::from_secs(60);

/// Speaks with a server on this machine, with certificates of an authority.
#[derive(Clone, Debug)]
pub struct Client {
    folder: PathBuf,
    port: u16,
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers as they came.
    pub headers: Vec<(String, String)>,
    /// The body, put together where it came in chunks.
    pub body: Vec<u8>,
}

/// The bytes of a request whose body is JSON, if it has one; the connection ends with its answer.
pub fn request(method: &str, path: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept: application/json\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

/// A connection over TLS.
pub type Connection = StreamOwned<ClientConnection, TcpStream>;

impl Client {
    /// Speaks with a port of this machine.
    pub fn new(authority: &Authority, port: u16) -> Client {
        Client { folder: authority.folder().to_path_buf(), port }
    }

    /// The same with certificates in a folder: `ca.pem`, and `NAME.pem` with `NAME.key` for each client.
    pub fn of(folder: PathBuf, port: u16) -> Client {
        Client { folder, port }
    }

    /// A connection with somebody's certificate (`NAME.pem`), or nobody's. What is wrong with the certificate may only show
    /// when something is read.
    ///
    /// # Errors
    /// When nobody listens, or the files can't be read.
    pub fn connect(&self, name: Option<&str>) -> Result<Connection, String> {
        self.connect_by(&self.config(name)?)
    }

    /// What connections with somebody's certificate begin with: those by one and the same take up the sessions of each other.
    ///
    /// # Errors
    /// When the files can't be read.
    pub fn config(&self, name: Option<&str>) -> Result<Arc<ClientConfig>, String> {
        let told = |error: &dyn std::fmt::Display| error.to_string();
        let certificates = |file: &str| -> Result<Vec<CertificateDer<'static>>, String> {
            let all = CertificateDer::pem_file_iter(self.folder.join(file)).map_err(|e| told(&e))?;
            all.collect::<Result<_, _>>().map_err(|e| told(&e))
        };
        let mut roots = RootCertStore::empty();
        for certificate in certificates("ca.pem")? {
            roots.add(certificate).map_err(|e| told(&e))?;
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let builder = builder.map_err(|e| told(&e))?.with_root_certificates(roots);
        Ok(Arc::new(match name {
            None => builder.with_no_client_auth(),
            Some(name) => {
                let key = PrivateKeyDer::from_pem_file(self.folder.join(format!("{name}.key")));
                let chain = certificates(&format!("{name}.pem"))?;
                builder.with_client_auth_cert(chain, key.map_err(|e| told(&e))?).map_err(|e| told(&e))?
            }
        }))
    }

    /// A connection that begins with this.
    ///
    /// # Errors
    /// When nobody listens.
    pub fn connect_by(&self, config: &Arc<ClientConfig>) -> Result<Connection, String> {
        let told = |error: &dyn std::fmt::Display| error.to_string();
        let host = ServerName::try_from("localhost").map_err(|e| told(&e))?;
        let session = ClientConnection::new(Arc::clone(config), host).map_err(|e| told(&e))?;
        let socket = TcpStream::connect(("127.0.0.1", self.port)).map_err(|e| told(&e))?;
        socket.set_read_timeout(Some(SILENCE)).map_err(|e| told(&e))?;
        socket.set_nodelay(true).map_err(|e| told(&e))?;
        Ok(StreamOwned::new(session, socket))
    }

    /// Sends bytes that ask for the connection's end after the answer, and reads that.
    ///
    /// # Errors
    /// When the connection fails or ends early.
    pub fn send(&self, name: Option<&str>, bytes: &[u8]) -> Result<Answer, String> {
        let mut connection = self.connect(name)?;
        // A server may answer and close before it has read everything.
        let sent = connection.write_all(bytes).and_then(|()| connection.flush());
        let mut all = Vec::new();
        match connection.read_to_end(&mut all) {
            // Some servers close without TLS' farewell.
            Err(error) if error.kind() != std::io::ErrorKind::UnexpectedEof || all.is_empty() => {
                return Err(format!("{error} (sent: {sent:?})"));
            }
            _ => {}
        }
        Answer::read(&all)
    }
}

/// Sends a request on a connection that is kept, and reads its answer, whose length is said or that comes in chunks.
///
/// # Errors
/// When the connection fails, or nothing says where the answer ends.
pub fn exchange(connection: &mut Connection, bytes: &[u8]) -> Result<Answer, String> {
    connection.write_all(bytes).and_then(|()| connection.flush()).map_err(|error| error.to_string())?;
    let (mut all, mut piece) = (Vec::new(), vec![0; 64 << 10]);
    loop {
        if let Some(end) = all.windows(4).position(|window| window == b"\r\n\r\n") {
            if has_chunks(&all[..end]) {
                while !all.ends_with(b"\r\n0\r\n\r\n") {
                    let read = connection.read(&mut piece).map_err(|error| error.to_string())?;
                    if read == 0 {
                        return Err("the answer is cut off".to_owned());
                    }
                    all.extend_from_slice(&piece[..read]);
                }
                return Answer::read(&all);
            }
            let answer = Answer::read(&all[..end + 4])?;
            let length = answer.header("content-length").and_then(|length| length.parse::<usize>().ok());
            let whole = end + 4 + length.ok_or("the answer does not say its length")?;
            while all.len() < whole {
                let read = connection.read(&mut piece).map_err(|error| error.to_string())?;
                if read == 0 {
                    return Err("the answer is cut off".to_owned());
                }
                all.extend_from_slice(&piece[..read]);
            }
            return Ok(Answer { body: all[end + 4..whole].to_vec(), ..answer });
        }
        let read = connection.read(&mut piece).map_err(|error| error.to_string())?;
        if read == 0 {
            return Err("the connection has ended".to_owned());
        }
        all.extend_from_slice(&piece[..read]);
    }
}

fn has_chunks(head: &[u8]) -> bool {
    String::from_utf8_lossy(head).to_ascii_lowercase().contains("transfer-encoding: chunked")
}

impl Answer {
    /// Reads a whole answer.
    ///
    /// # Errors
    /// When it is none.
    pub fn read(bytes: &[u8]) -> Result<Answer, String> {
        let end =
            bytes.windows(4).position(|window| window == b"\r\n\r\n").ok_or("the answer has no head")?;
        let head = String::from_utf8_lossy(&bytes[..end]);
        let mut lines = head.split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok());
        let header =
            |line: &str| line.split_once(':').map(|(k, v)| (k.trim().to_owned(), v.trim().to_owned()));
        let mut answer = Answer {
            status: status.ok_or_else(|| format!("the answer has no status: {head}"))?,
            headers: lines.filter_map(header).collect(),
            body: bytes[end + 4..].to_vec(),
        };
        if answer.header("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
            answer.body = whole(&answer.body)?;
        }
        Ok(answer)
    }

    /// The first header of a name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// A body that came in chunks.
fn whole(mut rest: &[u8]) -> Result<Vec<u8>, String> {
    let mut body = Vec::new();
    loop {
        let end = rest.windows(2).position(|w| w == b"\r\n").ok_or("a chunk has no size")?;
        let size = String::from_utf8_lossy(&rest[..end]);
        let size = usize::from_str_radix(size.trim(), 16).map_err(|error| format!("{size}: {error}"))?;
        if size == 0 {
            return Ok(body);
        }
        let chunk = rest.get(end + 2..end + 2 + size).ok_or("a chunk is cut off")?;
        body.extend_from_slice(chunk);
        rest = rest.get(end + 2 + size + 2..).ok_or("a chunk is cut off")?;
    }
}
