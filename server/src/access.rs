//! What is told of each request: one line of JSON.

use crate::exchange::Client;
use serde_json::json;
use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A request that has been answered.
#[derive(Clone, Debug)]
pub struct AccessRecord<'a> {
    /// Names it in the logs and in the answer's `X-Request-Id`.
    pub id: u64,
    /// Who asked.
    pub client: &'a Client,
    /// How.
    pub method: &'a str,
    /// For what; the query is left out, but for the environment.
    pub path: &'a str,
    /// The environment that it is asked of, where the query names one.
    pub environment: Option<&'a str>,
    /// What was answered.
    pub status: u16,
    /// Bytes of the request's body.
    pub received: usize,
    /// Bytes of the answer's body, where they are known.
    pub sent: Option<u64>,
    /// How long it took until the answer's begin.
    pub took: Duration,
}

impl AccessRecord<'_> {
    /// The line, without a line feed.
    pub fn to_json(&self) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        json!({
            "time": now.as_secs_f64(), "id": self.id, "address": self.client.address.to_string(),
            "certname": self.client.certname, "version": self.client.version, "method": self.method, "path": self.path,
            "environment": self.environment,
            "status": self.status, "received": self.received, "sent": self.sent,
            "milliseconds": self.took.as_secs_f64() * 1e3,
        })
        .to_string()
    }
}

/// Where accesses are told.
#[derive(Clone)]
pub struct Accesses(Arc<dyn Fn(&AccessRecord<'_>) + Send + Sync>);

impl Accesses {
    /// To a function, which may be called from any thread.
    pub fn to(function: impl Fn(&AccessRecord<'_>) + Send + Sync + 'static) -> Accesses {
        Accesses(Arc::new(function))
    }

    pub(crate) fn tell(&self, access: &AccessRecord<'_>) {
        (self.0)(access);
    }
}

/// Nowhere.
impl Default for Accesses {
    fn default() -> Accesses {
        Accesses::to(|_| ())
    }
}

impl Debug for Accesses {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str("Accesses")
    }
}
