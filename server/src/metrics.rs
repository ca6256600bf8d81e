//! What is measured, in the form that Prometheus reads, on a port of its own: for the machine itself, unless told otherwise.

use crate::access::AccessRecord;
use crate::routes::Route;
use crate::server::Shared;
use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// What tells counts of requests apart.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Kind {
    route: &'static str,
    status: u16,
}

/// What tells times apart.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Timed {
    route: &'static str,
}

/// All that is measured.
pub struct Metrics {
    registry: Registry,
    requests: Family<Kind, Counter>,
    times: Family<Timed, Histogram>,
    refused: Counter,
    compiles: Gauge,
    commands: Gauge,
}

impl Default for Metrics {
    fn default() -> Metrics {
        let mut registry = Registry::with_prefix("bunraku");
        let requests = Family::<Kind, Counter>::default();
        // From half a millisecond to half a minute.
        let times = Family::<Timed, Histogram>::new_with_constructor(|| {
            Histogram::new(exponential_buckets(0.0005, 2.0, 17))
        });
        let (refused, compiles, commands) = (Counter::default(), Gauge::default(), Gauge::default());
        registry.register("requests", "Requests that were answered", requests.clone());
        registry.register_with_unit("request", "Time until an answer begins", Unit::Seconds, times.clone());
        registry.register("refused", "Requests for compiles that were told to come again", refused.clone());
        registry.register("compiles", "Requests for compiles that are under way or wait", compiles.clone());
        registry.register("commands", "Commands that wait for PuppetDB", commands.clone());
        Metrics { registry, requests, times, refused, compiles, commands }
    }
}

impl Metrics {
    /// Counts an answer.
    pub fn count(&self, route: Option<&Route>, access: &AccessRecord<'_>) {
        let route = route.map_or("none", Route::name);
        self.requests.get_or_create(&Kind { route, status: access.status }).inc();
        self.times.get_or_create(&Timed { route }).observe(access.took.as_secs_f64());
    }

    /// Counts a request that was refused since there are too many.
    pub fn refused(&self) {
        self.refused.inc();
    }

    fn text(&self, compiles: usize, commands: usize) -> String {
        for (gauge, count) in [(&self.compiles, compiles), (&self.commands, commands)] {
            gauge.set(i64::try_from(count).unwrap_or(i64::MAX));
        }
        let mut text = String::new();
        // Into memory: it does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

/// Hands them out to whoever asks for `/metrics`, until the server is to end.
pub async fn serve(listener: TcpListener, shared: Arc<Shared>, mut stopped: watch::Receiver<bool>) {
    loop {
        let socket = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((socket, _)) => socket,
                Err(_) => {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
            _ = stopped.changed() => return,
        };
        let shared = Arc::clone(&shared);
        tokio::spawn(async move {
            let service = service_fn(move |request: http::Request<Incoming>| {
                let shared = Arc::clone(&shared);
                async move { Ok::<_, Infallible>(answer(&shared, &request)) }
            });
            let connection = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(Duration::from_secs(10))
                .serve_connection(TokioIo::new(socket), service);
            let _ = tokio::time::timeout(Duration::from_secs(60), connection).await;
        });
    }
}

fn answer(shared: &Shared, request: &http::Request<Incoming>) -> http::Response<Full<Bytes>> {
    let mut response = http::Response::new(Full::default());
    if request.uri().path() == "/metrics" && request.method() == http::Method::GET {
        let text = {
            let waiting = shared.site().commands.as_ref().map_or(0, |commands| commands.waiting().0);
            shared.metrics.text(shared.compiles.taken(), waiting)
        };
        let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
        response.headers_mut().insert(http::header::CONTENT_TYPE, http::HeaderValue::from_static(kind));
        *response.body_mut() = Full::new(text.into());
    } else {
        *response.status_mut() = http::StatusCode::NOT_FOUND;
    }
    response
}
