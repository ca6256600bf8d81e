//! Bodies of requests: read within limits of size and time, and counted, so that all of them together take no more memory than
//! there may be, and those of one client leave room for everybody else's.

use crate::exchange::Response;
use bytes::{Bytes, BytesMut};
use http::StatusCode;
use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Bytes of all bodies at once, those of requests that wait for a place among them.
const OF_ALL: usize = 512 << 20;
/// Bytes of the bodies of one client at once: two of the largest.
const OF_ONE: usize = 128 << 20;
/// How long nothing of a body may come.
const SILENCE: Duration = Duration::from_secs(30);
/// How long a body may take in all.
const WHOLE: Duration = Duration::from_secs(300);

/// What the bodies of all requests under way take.
#[derive(Default)]
pub struct Bodies {
    taken: Mutex<Taken>,
}

/// Bytes of bodies: all, and by whom they are sent.
#[derive(Default)]
struct Taken {
    all: usize,
    of: HashMap<String, usize>,
}

/// What one body takes; that is free again when this is dropped.
pub struct Held {
    bodies: Arc<Bodies>,
    client: String,
    bytes: usize,
}

/// Why a body is not there.
pub enum Unread {
    /// What is said of it.
    Refused(Response),
    /// All bodies together, or those of the client, are as much as there may be at once.
    TooMuch,
}

impl Bodies {
    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    fn new(bodies: &Arc<Bodies>, client: String) -> Self {
        Held { bodies: Arc::clone(bodies), client, bytes: 0 }
    }

    /// Takes more bytes, unless that is too much: then nothing.
    fn take(&mut self, more: usize) -> Result<(), Unread> {
        let mut taken = self.bodies.taken();
        let of_client = taken.of.get(&self.client).copied().unwrap_or_default() + more;
        if taken.all + more > OF_ALL || of_client > OF_ONE {
            return Err(Unread::TooMuch);
        }
        taken.all += more;
        taken.of.insert(self.client.clone(), of_client);
        self.bytes += more;
        Ok(())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut taken = self.bodies.taken();
        taken.all -= self.bytes;
        if let Some(of_client) = taken.of.get_mut(&self.client) {
            *of_client -= self.bytes;
            if *of_client == 0 {
                taken.of.remove(&self.client);
            }
        }
    }
}

/// The whole body of a request of `client`, and what it takes of `bodies`: that is counted as it comes, so that who only says how much
/// will come takes nothing.
///
/// # Errors
/// That it has more than `limit` bytes, comes too slowly, or can't be read; or that it is too much beside the others.
pub async fn read(
    mut incoming: Incoming,
    limit: usize,
    bodies: &Arc<Bodies>,
    client: String,
) -> Result<(Bytes, Held), Unread> {
    let told = |status, text: &str| Unread::Refused(Response::text(status, text.to_owned()));
    let too_large = || match limit {
        0 => told(StatusCode::PAYLOAD_TOO_LARGE, "This is asked for without a body"),
        limit => told(StatusCode::PAYLOAD_TOO_LARGE, &format!("The body is larger than {limit} bytes")),
    };
    if incoming.size_hint().lower() > limit as u64 {
        return Err(too_large());
    }
    let all = async {
        let (mut body, mut held) = (BytesMut::new(), Held::new(bodies, client));
        loop {
            let frame = tokio::time::timeout(SILENCE, incoming.frame()).await;
            let Ok(frame) = frame else {
                return Err(told(StatusCode::REQUEST_TIMEOUT, "Nothing came for too long"));
            };
            match frame {
                None => return Ok((body.freeze(), held)),
                Some(Err(_)) => return Err(told(StatusCode::BAD_REQUEST, "The body could not be read")),
                Some(Ok(frame)) => {
                    let Ok(data) = frame.into_data() else { continue };
                    if body.len() + data.len() > limit {
                        return Err(too_large());
                    }
                    held.take(data.len())?;
                    body.extend_from_slice(&data);
                }
            }
        }
    };
    match tokio::time::timeout(WHOLE, all).await {
        Ok(read) => read,
        Err(_) => Err(told(StatusCode::REQUEST_TIMEOUT, "The body took too long")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_client_leaves_room_for_others() {
        let bodies = Arc::new(Bodies::default());
        let held = |client: &str, bytes| {
            let mut held = Held::new(&bodies, client.to_owned());
            held.take(bytes).ok().map(|()| held)
        };
        let first = held("a", OF_ONE - 1).expect("there is room");
        assert!(held("a", 2).is_none());
        let second = held("a", 1).expect("there is room for one more byte");
        assert!(held("a", 1).is_none());
        let others: Vec<_> = ["b", "c", "d"].iter().map(|other| held(other, OF_ONE)).collect();
        assert!(others.iter().all(Option::is_some));
        assert!(held("e", 1).is_none(), "all together are too much");
        drop((first, others));
        assert!(held("a", OF_ONE).is_none());
        assert!(held("a", OF_ONE - 1).is_some());
        drop(second);
        let left = bodies.taken();
        assert_eq!((left.all, left.of.len()), (0, 0));
    }
}
