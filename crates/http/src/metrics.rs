//! Metrics of connections and requests, for Prometheus.
//!
//! Labels come from closed sets: the routes of the router, HTTP methods, status codes. No text from clients becomes a
//! label.

mod format;

pub use format::MetricsFormat;

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use http::{Method, StatusCode};
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// Route label of requests that match no operation.
pub const UNMATCHED: &str = "unmatched";

/// Upper bounds in seconds. Most requests take well under a millisecond.
const DURATION_BOUNDS_S: [f64; 14] =
    [0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct RequestLabels {
    route: String,
    method: &'static str,
    status: u16,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct RouteLabels {
    route: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct LimitLabels {
    limit: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ReasonLabels {
    reason: &'static str,
}

type Durations = Family<RouteLabels, Histogram, fn() -> Histogram>;

/// Metrics of one route, found without building a label.
struct RouteMetrics {
    duration: Histogram,
    requests: RwLock<HashMap<(&'static str, u16), Counter>>,
}

/// Metrics of the connections and requests of one server.
pub struct HttpMetrics {
    requests: Family<RequestLabels, Counter>,
    durations: Durations,
    routes: RwLock<HashMap<String, Arc<RouteMetrics>>>,
    /// Requests in flight.
    pub in_flight: Gauge,
    /// Open connections.
    pub connections: Gauge,
    /// Connections refused because the server has reached its maximum.
    pub rejected_total: Counter,
    /// Connections refused because their network has reached its maximum.
    pub rejected_network: Counter,
    /// Requests refused by the rate limit of their key.
    pub rate_limited_key: Counter,
    /// Requests refused by the rate limit of their network.
    pub rate_limited_network: Counter,
    /// Keys with a bucket in the rate limiter.
    pub rate_limit_keys: Gauge,
    /// Networks with a bucket in the rate limiter.
    pub rate_limit_networks: Gauge,
    /// Panics that were caught while handling requests.
    pub panics: Counter,
}

impl Default for HttpMetrics {
    /// Metrics that nobody reads.
    fn default() -> HttpMetrics {
        HttpMetrics::new(&mut Registry::default())
    }
}

impl HttpMetrics {
    /// Registers all counters, at zero.
    pub fn new(registry: &mut Registry) -> HttpMetrics {
        let requests = Family::<RequestLabels, Counter>::default();
        registry.register("muriel_http_requests", "Requests answered", requests.clone());
        let durations = Durations::new_with_constructor(|| Histogram::new(DURATION_BOUNDS_S) as Histogram);
        registry.register(
            "muriel_http_request_duration_seconds",
            "Time from the end of a request's header to its answer",
            durations.clone(),
        );
        let in_flight = Gauge::default();
        registry.register("muriel_http_requests_in_flight", "Requests being answered", in_flight.clone());
        let connections = Gauge::default();
        registry.register("muriel_http_connections", "Connections open", connections.clone());

        let rejected = Family::<ReasonLabels, Counter>::default();
        registry.register(
            "muriel_http_connections_rejected",
            "Connections refused, by the limit that they hit",
            rejected.clone(),
        );
        let rejected_by = |reason| rejected.get_or_create_owned(&ReasonLabels { reason });

        let limited = Family::<LimitLabels, Counter>::default();
        registry.register("muriel_http_rate_limited", "Requests refused, by the limit that they hit", limited.clone());
        let limited_by = |limit| limited.get_or_create_owned(&LimitLabels { limit });

        let entries = Family::<LimitLabels, Gauge>::default();
        registry.register(
            "muriel_rate_limit_entries",
            "Keys and networks that the rate limiter tracks",
            entries.clone(),
        );
        let entries_of = |limit| entries.get_or_create_owned(&LimitLabels { limit });

        let panics = Counter::default();
        registry.register("muriel_http_panics", "Panics caught while answering", panics.clone());

        HttpMetrics {
            requests,
            durations,
            routes: RwLock::default(),
            in_flight,
            connections,
            rejected_total: rejected_by("total"),
            rejected_network: rejected_by("network"),
            rate_limited_key: limited_by("key"),
            rate_limited_network: limited_by("network"),
            rate_limit_keys: entries_of("key"),
            rate_limit_networks: entries_of("network"),
            panics,
        }
    }

    /// Counts one response. `route` is a route of the router or [`UNMATCHED`].
    pub fn answered(&self, route: &str, method: &Method, status: StatusCode, duration: Duration) {
        let metrics = self.route(route);
        metrics.duration.observe(duration.as_secs_f64());
        let key = (method_label(method), status.as_u16());
        {
            let requests = metrics.requests.read();
            let requests = requests.unwrap_or_else(PoisonError::into_inner);
            if let Some(counter) = requests.get(&key) {
                counter.inc();
                return;
            }
        }
        let counter =
            self.requests.get_or_create_owned(&RequestLabels { route: route.to_owned(), method: key.0, status: key.1 });
        counter.inc();
        let requests = metrics.requests.write();
        let mut requests = requests.unwrap_or_else(PoisonError::into_inner);
        requests.insert(key, counter);
    }

    fn route(&self, route: &str) -> Arc<RouteMetrics> {
        {
            let routes = self.routes.read();
            let routes = routes.unwrap_or_else(PoisonError::into_inner);
            if let Some(metrics) = routes.get(route) {
                return Arc::clone(metrics);
            }
        }
        let duration = self.durations.get_or_create_owned(&RouteLabels { route: route.to_owned() });
        let routes = self.routes.write();
        let mut routes = routes.unwrap_or_else(PoisonError::into_inner);
        let metrics = routes
            .entry(route.to_owned())
            .or_insert_with(|| Arc::new(RouteMetrics { duration, requests: RwLock::default() }));
        Arc::clone(metrics)
    }
}

/// Writes all metrics of a registry in the given format.
pub fn write(registry: &Registry, format: MetricsFormat) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = text::encode(&mut out, registry);
    match format {
        MetricsFormat::OpenMetrics => out,
        MetricsFormat::Plain => format::plain(&out),
    }
}

/// Method as a label. Non-standard methods share one label.
fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}
