//! The JSON report `manywire.trial/1` as types.

use std::collections::BTreeMap;

use crate::weigh::lanes::Transport;
pub use crate::weigh::report::{Clock, RowVerdict, Status};
use crate::weigh::report::{Host, LaneNote, PayloadSummary, Tool, interruption, number};
use crate::weigh::subject::ValueKind;
use serde::{Deserialize, Serialize};

use crate::trial::capacity::CapacityLimit;
use crate::trial::cost::{CostReport, coded_name};
use crate::trial::figure::{Figure, Quantile, Remainder};
use crate::trial::link::Link;

/// The schema of a report.
pub const SCHEMA: &str = "manywire.trial/1";

/// A report: the schema `manywire.trial/1`. Members may be added to it, never renamed or removed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// `manywire.trial/1`.
    pub schema: String,
    /// The program that measured.
    pub tool: Tool,
    /// The machine of the measurement.
    pub host: Host,
    /// The options in force, defaults included.
    pub options: serde_json::Value,
    /// The payloads, without their endpoints.
    pub payloads: Vec<PayloadSummary>,
    /// The requested languages.
    pub lanes: Vec<LaneNote>,
    /// The clock of the verdicts.
    #[serde(default)]
    pub clock: Clock,
    /// Sentences about the whole measurement, such as that the machine was busy.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The cores of server and client.
    pub placement: Placement,
    /// The link between client and server, if it is not loopback.
    pub link: Option<LinkNote>,
    /// Every client with every server.
    pub pairs: Vec<PairReport>,
    /// The servers of each lane that has several, with every client.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<ServerRow>,
    /// The servers of each lane over HTTP and over other transports, in each format. Absent if the trial has one
    /// transport.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transports: Vec<TransportRow>,
    /// Unexplained differences, as text.
    pub findings: Vec<String>,
    /// Possible unexplained differences, whose intervals include zero.
    pub unsettled: Vec<String>,
    /// The costs of bytes and CPU time.
    pub cost: CostReport,
    /// The verdicts between formats, as text.
    pub verdicts: Vec<String>,
    /// True if the user interrupted the trial: figures are missing, or rest on fewer launches.
    #[serde(default)]
    pub interrupted: bool,
    /// The part that was measured before the interrupt, as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<String>,
}

impl Report {
    /// Returns the sentence that an interrupted report begins with.
    pub fn interruption(&self) -> Option<String> {
        interruption(self.interrupted, self.done.as_deref())
    }

    /// Describes the finished launches of the pairs: `5 launches of each pair`. A pair whose process died,
    /// and an interrupted trial, have fewer than planned.
    pub(crate) fn launches(&self) -> String {
        let finished = || self.pairs.iter().map(|pair| pair.launches);
        let (least, most) = (finished().min().unwrap_or(0), finished().max().unwrap_or(0));
        match most {
            most if least < most => format!("{least} to {most} launches of a pair"),
            1 => "1 launch of each pair".to_owned(),
            most => format!("{most} launches of each pair"),
        }
    }
}

/// The cores of server and client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Placement {
    /// The hardware threads of servers; empty if the system chose.
    pub server_cores: Vec<usize>,
    /// The hardware threads of clients.
    pub client_cores: Vec<usize>,
    /// True if both are threads of the only core.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub one_core: bool,
}

/// The link between client and server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkNote {
    /// The profile's name, or the figures as written.
    pub name: String,
    /// Bits a second in each direction.
    pub bits_per_s: f64,
    /// The round trip, in milliseconds.
    pub round_trip_ms: f64,
    /// The method of emulation.
    pub method: String,
}

/// One client and one server.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PairReport {
    /// The client's lane.
    pub client: String,
    /// The client's runtime and library: `Go 1.26.8, net/http`.
    pub client_runtime: String,
    /// The server's lane, or the URL of a service.
    pub server: String,
    /// The server's runtime and library; `None` for a service.
    pub server_runtime: Option<String>,
    /// The transport between both. Absent for HTTP.
    #[serde(default, skip_serializing_if = "Transport::is_http")]
    pub transport: Transport,
    /// The number of finished launches.
    pub launches: usize,
    /// `ok`, or the side whose process failed, and how.
    pub status: Status,
    /// One row a format and coding.
    pub rows: Vec<Row>,
}

/// The CPU time of a server for a request, beside that of the first server of the same lane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerRow {
    /// The client's lane.
    pub client: String,
    /// The server: a lane, or one of its further servers, as `rust:axum`.
    pub server: String,
    /// The format.
    pub format: String,
    /// The coding, `none` or `gzip:6`.
    pub coding: String,
    /// Requests a second, the same for the servers of a lane.
    pub rate_per_s: f64,
    /// CPU time of the server for a request at this rate, in nanoseconds.
    pub server_cpu_ns: Figure,
    /// The server that it is compared with, if both encode by the same library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The CPU time as a ratio to that of the other server, which was launched at the same time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<Figure>,
    /// The verdict on the ratio; `None` without a ratio, or if the launches are too few.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<RowVerdict>,
}

impl ServerRow {
    /// Returns the format, with the coding if there is one.
    pub fn name(&self) -> String {
        coded_name(&self.format, &self.coding)
    }
}

/// The server of a lane over a transport in a format, beside its HTTP server in the first format, at the same
/// rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TransportRow {
    /// The client's lane.
    pub client: String,
    /// The server, as `go` or `go:zeromq`.
    pub server: String,
    /// The transport.
    pub transport: Transport,
    /// The format.
    pub format: String,
    /// The coding, `none` or `gzip:6`.
    pub coding: String,
    /// Requests a second, the same for the servers of a lane.
    pub rate_per_s: f64,
    /// CPU time of the server for a request at this rate, in nanoseconds.
    pub server_cpu_ns: Option<Figure>,
    /// The CPU time as a ratio to HTTP in the first format. Absent for that row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_cpu_ratio: Option<Figure>,
    /// The median latency at this rate.
    pub latency_p50: Option<Quantile>,
    /// The median latency as a ratio to HTTP in the first format. Absent for that row, and if the machine was busy
    /// or the client late.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ratio: Option<Figure>,
    /// True if half of the requests were sent so late that the median latency describes the client.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub generator_late: bool,
    /// The change that saves more CPU time of the server: to this format over HTTP, or to the other transport in
    /// the first format. Only rows of other formats over HTTP have it, if the launches are enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_cpu_saving: Option<Saving>,
    /// The change that saves more median latency: to this format over HTTP, or to the other
    /// transport in the first format. Only rows of other formats over HTTP have it, if the launches
    /// are enough, the machine was not busy and the client not late.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_saving: Option<Saving>,
}

impl TransportRow {
    /// Returns the format, with the coding if there is one.
    pub fn name(&self) -> String {
        coded_name(&self.format, &self.coding)
    }
}

/// The change that saves more: of the transport, or of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Saving {
    /// Leaving HTTP saves more.
    Transport,
    /// Changing the format saves more.
    Format,
    /// Both save, and the same within δ.
    Same,
    /// Neither saves more than δ.
    Neither,
    /// The launches do not decide which of the others applies.
    Undecided,
}

impl Saving {
    /// Returns the name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Saving::Transport => "leaving HTTP",
            Saving::Format => "the format",
            Saving::Same => "the same",
            Saving::Neither => "neither",
            Saving::Undecided => "undecided",
        }
    }
}

/// A library of a lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Library {
    /// The name of the library.
    pub name: String,
    /// The version of the library.
    pub version: String,
    /// The kind of value that the library reads or writes.
    pub target: ValueKind,
}

/// The figures of a pair for a format under a coding. Times are in nanoseconds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The format.
    pub format: String,
    /// The coding, `none` or `gzip:6`.
    pub coding: String,
    /// The library that decodes.
    pub client_library: Library,
    /// The library that encodes; `None` for a service.
    pub server_library: Option<Library>,
    /// `ok`, or the reason that there are no figures.
    pub status: Status,
    /// A note for the reader.
    pub note: Option<String>,
    /// Bytes of the bodies of all payloads, once each, without envelopes.
    pub body_bytes: Option<u64>,
    /// The time of a request if the server sends a prepared response and the client drops it.
    pub transport_ns: Option<Figure>,
    /// The time of a request if the server encodes the response and the client drops it.
    pub endpoint_ns: Option<Figure>,
    /// The time of decoding alone, in the client's process.
    pub processing_ns: Option<Figure>,
    /// The time of a request if the server encodes the response and the client decodes it.
    pub end_to_end_ns: Option<Figure>,
    /// The time of encoding alone, in the server's process.
    pub encode_ns: Option<Figure>,
    /// The end-to-end time minus endpoint and processing; the share is that of the end-to-end time.
    pub residual: Option<Remainder>,
    /// The endpoint time minus transport and encoding; the share is that of the encoding time.
    pub unexplained: Option<Remainder>,
    /// CPU time of the server per request, with one request at a time, by meter.
    pub server_cpu_ns: BTreeMap<String, Option<Figure>>,
    /// CPU time of the client per request, with one request at a time, by meter.
    pub client_cpu_ns: BTreeMap<String, Option<Figure>>,
    /// The closed loop, end to end, with the number of connections that carries the most requests.
    pub capacity: Option<Capacity>,
    /// Open loops, end to end, at the rates at which every format of the pair was measured.
    pub latency: Vec<OpenLoop>,
    /// The verdict against the reference, end to end; `None` if the launches are too few.
    pub verdict: Option<RowVerdict>,
    /// The estimates of the launches, in their order, by the name of the figure, such as
    /// `end_to_end_ns`. The figure is their geometric mean.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub samples: BTreeMap<String, Vec<f64>>,
}

/// The closed loop with the most requests per second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Capacity {
    /// The number of connections above which additional connections carried no more requests.
    pub connections: usize,
    /// The number of client processes that have these connections.
    #[serde(default)]
    pub client_processes: Option<usize>,
    /// The resource that limits the requests per second. The requests per second are the capacity
    /// of the server only if the server is that resource.
    #[serde(default)]
    pub limit: Option<CapacityLimit>,
    /// Requests a second.
    pub requests_per_s: Figure,
    /// CPU time of the server for a request.
    pub server_cpu_ns: Option<Figure>,
    /// CPU time of the client for a request.
    pub client_cpu_ns: Option<Figure>,
}

impl Capacity {
    /// Formats the requests per second, with ≥ if the server is not the limit.
    pub(crate) fn rate_text(&self) -> String {
        let mark = match self.limit {
            None | Some(CapacityLimit::Server) => "",
            Some(_) => "≥",
        };
        format!("{mark}{}", number::count(self.requests_per_s.value.round() as u64))
    }
}

/// Requests sent at planned instants, from which the latencies are measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenLoop {
    /// Requests a second.
    pub rate_per_s: f64,
    /// Requests that were answered, over all launches.
    pub requests: u64,
    /// The delay after the planned instant that one request in a hundred exceeded.
    pub lag_p99_ns: Option<f64>,
    /// True if the delay is too large for the latencies to describe the server.
    pub generator_late: bool,
    /// `p50`, `p90`, `p99` and `p99.9`; `None` where fewer than ten requests lie above the
    /// quantile.
    pub percentiles: BTreeMap<String, Option<Quantile>>,
}

impl LinkNote {
    pub(crate) fn of(link: &Link) -> LinkNote {
        LinkNote {
            name: link.name.clone(),
            bits_per_s: link.bits_per_s,
            round_trip_ms: link.round_trip.as_secs_f64() * 1e3,
            method: "a relay in user space that delays and paces, segment by segment; connections are warm".to_owned(),
        }
    }
}

impl Row {
    /// Returns the format, with the coding if there is one.
    pub fn name(&self) -> String {
        coded_name(&self.format, &self.coding)
    }
}
