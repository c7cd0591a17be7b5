//! The metrics of a service for Prometheus: requests, responses and durations.
//!
//! All values are in tables that are allocated when the service is built, and counting takes no
//! lock. The number of series is bounded by the API's declarations, whatever clients send: the
//! label of an endpoint is the pattern of its path, and an unknown method or a format that only a
//! handler knows is `other`. The crates `prometheus` and `prometheus-client` keep series in maps
//! behind a lock that each request would take, and each writes only one of the two text formats.

#[cfg(feature = "server")]
mod connection;
mod exposition;
mod request;
mod tables;

#[cfg(feature = "server")]
pub(super) use connection::ConnectionGauge;
pub(super) use request::RequestMetrics;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use exposition::{Exposition, Syntax};
use http::{HeaderValue, Method};
use manywire_codec::Result;
use tables::{Histogram, Series, SeriesKey};

use super::operation::ServedOperation;
use super::refusal::Refusal;
use crate::content::{Content, Encode, Encoding, Media, Representation};
use crate::endpoint::{Route, get};

/// All metrics of a service.
#[derive(Debug)]
pub(super) struct Metrics {
    /// The metrics of each endpoint in the order of the routing table, followed by those of
    /// requests without an endpoint.
    endpoints: Vec<EndpointMetrics>,
    /// The format of a response by its `Content-Type`.
    formats: Vec<(HeaderValue, u8)>,
    format_names: Vec<&'static str>,
    active: AtomicU64,
    connections: AtomicU64,
    accepted: AtomicU64,
}

/// The metrics of one endpoint.
#[derive(Debug)]
struct EndpointMetrics {
    method: String,
    route: String,
    requests: Series,
    durations: Histogram,
    received_bytes: AtomicU64,
    sent_bytes: AtomicU64,
    refused: [AtomicU64; FIELDS.len()],
}

/// The methods of HTTP (RFC 9110, section 9, and RFC 5789). The last one represents all other
/// methods.
const METHODS: [&str; 10] =
    ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE", "other"];

/// The codings of responses.
const CODINGS: [&str; 5] = ["identity", "gzip", "zstd", "br", "other"];

/// The header fields that can make negotiation fail.
const FIELDS: [&str; 4] = ["accept", "accept-encoding", "content-type", "content-encoding"];

/// The index of formats that no endpoint declares.
const OTHER: u8 = u8::MAX;

/// The expected number of statuses per endpoint and format.
const STATUSES: usize = 8;

impl Metrics {
    /// Allocates the tables for these endpoints. `named` has the values of `Content-Type` with their
    /// formats.
    fn new(
        served: &[ServedOperation],
        named: impl Iterator<Item = (HeaderValue, &'static str)>,
    ) -> Metrics {
        let mut format_names = vec![""];
        let mut formats: Vec<(HeaderValue, u8)> = Vec::new();
        for (content_type, name) in named {
            if formats.iter().any(|(known, _)| *known == content_type) {
                continue;
            }
            let known = format_names.iter().position(|known| *known == name);
            let place = known.unwrap_or_else(|| {
                format_names.push(name);
                format_names.len() - 1
            });
            formats.push((content_type, u8::try_from(place).unwrap_or(OTHER)));
        }
        let keys = format_names.len() * STATUSES;
        let endpoint = |method: &str, route: &str| EndpointMetrics {
            method: method.to_owned(),
            route: route.to_owned(),
            requests: Series::with_capacity(keys),
            durations: Histogram::default(),
            received_bytes: AtomicU64::default(),
            sent_bytes: AtomicU64::default(),
            refused: Default::default(),
        };
        let endpoints = served.iter().map(|served| {
            endpoint(
                served.operation.responder.method.as_str(),
                &served.operation.responder.pattern,
            )
        });
        let none =
            EndpointMetrics { requests: Series::with_capacity(4 * keys), ..endpoint("", "") };
        Metrics {
            endpoints: endpoints.chain([none]).collect(),
            formats,
            format_names,
            active: AtomicU64::default(),
            connections: AtomicU64::default(),
            accepted: AtomicU64::default(),
        }
    }

    /// Returns the metrics of an endpoint, or those of requests without one.
    #[inline]
    fn endpoint(&self, endpoint_index: Option<usize>) -> Option<&EndpointMetrics> {
        endpoint_index
            .and_then(|endpoint_index| self.endpoints.get(endpoint_index))
            .or(self.endpoints.last())
    }

    /// Counts a request that is refused because of a format or coding.
    #[cold]
    pub(super) fn refused(&self, refusal: &Refusal<'_>, endpoint_index: Option<usize>) {
        let field = match refusal {
            Refusal::NotAcceptable { .. } => 0,
            Refusal::CodingNotAcceptable { .. } => 1,
            Refusal::UnsupportedMediaType { .. }
            | Refusal::UnsupportedCharset { .. }
            | Refusal::UnsupportedStreamCharset { .. } => 2,
            Refusal::UnsupportedCoding { .. } => 3,
            _ => return,
        };
        let refused =
            self.endpoint(endpoint_index).and_then(|endpoint| endpoint.refused.get(field));
        if let Some(refused) = refused {
            refused.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn format(&self, content_type: Option<&HeaderValue>) -> u8 {
        let Some(content_type) = content_type else { return 0 };
        let known = self.formats.iter().find(|(known, _)| known == content_type);
        known.map_or(OTHER, |(_, format)| *format)
    }

    /// Returns all metrics as text.
    fn text(&self, syntax: Syntax) -> String {
        let mut text = Exposition::new(syntax);
        let name = "http_server_requests";
        text.counter(name, "", "Requests by their response; aborted if the client left before.");
        for endpoint in &self.endpoints {
            for (key, count) in endpoint.requests.all() {
                let status = key.status.map_or("aborted".to_owned(), |status| status.to_string());
                let labels = [
                    ("method", label(&METHODS, key.method)),
                    ("route", &*endpoint.route),
                    ("status", &status),
                    ("format", label(&self.format_names, key.format)),
                    ("coding", label(&CODINGS, key.coding)),
                ];
                text.count(name, &labels, count);
            }
            let other = endpoint.requests.other();
            if other > 0 {
                let labels = [("method", "other"), ("route", &*endpoint.route)];
                let rest = [("status", "other"), ("format", "other"), ("coding", "other")];
                text.count(name, &[&labels[..], &rest].concat(), other);
            }
        }
        let name = "http_server_request_duration_seconds";
        text.histogram(name, "seconds", "Time until a response was ready to be sent.");
        for endpoint in &self.endpoints {
            let durations = endpoint.durations.durations();
            text.durations(name, &endpoint.labels(), &durations);
        }
        let bytes = |text: &mut Exposition, name, help, of: fn(&EndpointMetrics) -> &AtomicU64| {
            text.counter(name, "bytes", help);
            for endpoint in &self.endpoints {
                text.count(name, &endpoint.labels(), of(endpoint).load(Ordering::Relaxed));
            }
        };
        let name = "http_server_request_body_bytes";
        bytes(&mut text, name, "Bytes of bodies that were read.", |it| &it.received_bytes);
        let name = "http_server_response_body_bytes";
        bytes(&mut text, name, "Bytes of responses, in their codings.", |it| &it.sent_bytes);
        let name = "http_server_negotiation_failures";
        text.counter(name, "", "Requests refused with 406 or 415, by the field that is to blame.");
        for endpoint in &self.endpoints {
            for (field, refused) in FIELDS.into_iter().zip(&endpoint.refused) {
                let [method, route] = endpoint.labels();
                let refused = refused.load(Ordering::Relaxed);
                text.count(name, &[method, route, ("field", field)], refused);
            }
        }
        let value = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        text.gauge("http_server_active_requests", "Requests in progress.");
        text.value("http_server_active_requests", &[], value(&self.active));
        text.gauge("http_server_open_connections", "Connections that are open.");
        text.value("http_server_open_connections", &[], value(&self.connections));
        text.counter("http_server_connections", "", "Connections that were accepted.");
        text.count("http_server_connections", &[], value(&self.accepted));
        text.end()
    }
}

impl EndpointMetrics {
    fn labels(&self) -> [(&'static str, &str); 2] {
        [("method", &self.method), ("route", &self.route)]
    }
}

fn label<'w>(words: &[&'w str], index: u8) -> &'w str {
    words.get(usize::from(index)).copied().unwrap_or("other")
}

fn method(method: &Method) -> u8 {
    let known = METHODS.iter().position(|known| *known == method.as_str());
    known.unwrap_or(METHODS.len() - 1) as u8
}

fn coding(field: Option<&HeaderValue>) -> u8 {
    let Some(field) = field else { return 0 };
    let known = CODINGS.iter().position(|known| known.as_bytes() == field.as_bytes());
    known.unwrap_or(CODINGS.len() - 1) as u8
}

/// The metrics of an API, if it serves them.
pub(super) type SharedMetrics = Option<Arc<Metrics>>;

/// The content of the metrics endpoint. The metrics are set when the API is built.
#[derive(Clone, Debug, Default)]
pub(super) struct MetricsEndpoint(Arc<OnceLock<Arc<Metrics>>>);

/// The media types in order of preference: the one that every scraper reads, then those that a
/// scraper must request. Since version 3, Prometheus sends its own `escaping` parameter; the names
/// of these metrics need no escaping.
const MEDIA_TYPES: &[&str] = &[
    "text/plain;version=0.0.4;charset=utf-8",
    "application/openmetrics-text;version=1.0.0;charset=utf-8",
    "application/openmetrics-text;version=1.0.0;charset=utf-8;escaping=allow-utf-8",
];

impl MetricsEndpoint {
    /// Returns the endpoint.
    pub(super) fn route(&self, path: &str) -> Route {
        let metrics_endpoint = self.clone();
        get(path).summary("Metrics of this service").returns::<MetricsEndpoint>().to(move || {
            let metrics_endpoint = metrics_endpoint.clone();
            async move { metrics_endpoint }
        })
    }

    /// Creates the metrics of these endpoints, which the route then responds with. `named` has the
    /// values of `Content-Type` with their formats.
    pub(super) fn start(
        self,
        served: &[ServedOperation],
        named: impl Iterator<Item = (HeaderValue, &'static str)>,
    ) -> Arc<Metrics> {
        Arc::clone(self.0.get_or_init(|| Arc::new(Metrics::new(served, named))))
    }
}

impl Content for MetricsEndpoint {
    type Value = MetricsEndpoint;

    fn media() -> Media {
        Media::OneOf(MEDIA_TYPES)
    }
}

impl Encode for MetricsEndpoint {
    fn encode_ref(value: &MetricsEndpoint, to: &mut Encoding<'_>) -> Result<Bytes> {
        let syntax = match to.representation {
            Representation::Named(0) => Syntax::Text,
            _ => Syntax::OpenMetrics,
        };
        Ok(value.0.get().map(|metrics| metrics.text(syntax)).unwrap_or_default().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manywire_format::Coding;

    #[test]
    fn every_coding_has_a_label() {
        for known in [Coding::Gzip, Coding::Zstd, Coding::Brotli] {
            assert!(CODINGS.contains(&known.name()), "{known}");
        }
    }
}
