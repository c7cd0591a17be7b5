//! The options of `trial`, and the running service that it may measure instead of a lane.

use std::time::Duration;

use manywire_format::{CodingLevel, Format, SchemaNeeds};

use crate::payload::Payload;
use crate::trial::cost::Prices;
use crate::trial::error::{ServiceError, UnreadableService};
use crate::trial::link::Link;
use crate::weigh::SchemaText;
use crate::weigh::lanes::{Lane, Transport};
use crate::weigh::payload;
use crate::weigh::subject::ValueKind;

/// The options of a trial.
#[derive(Clone, Debug)]
pub struct Options {
    /// The formats, in the order of their rows.
    pub formats: Vec<Format>,
    /// The codings; `None` is no coding.
    pub codings: Vec<Option<CodingLevel>>,
    /// A schema to use instead of inference.
    pub schema: Option<SchemaText>,
    /// The time to spend.
    pub effort: Effort,
    /// The number of launches, if it differs from that of the effort.
    pub launches: Option<usize>,
    /// The lanes that act as clients; all of them if empty.
    pub clients: Vec<String>,
    /// The lanes that act as servers; all of them if empty.
    pub servers: Vec<String>,
    /// The transports between clients and servers.
    pub transports: Vec<Transport>,
    /// The libraries to use instead of the first of their lane.
    pub libraries: Vec<String>,
    /// The kind of value in the programs, if it differs from that of the lane's JSON.
    pub target: Option<ValueKind>,
    /// The link between client and server; `None` is loopback.
    pub link: Option<Link>,
    /// The prices of bytes and CPU time.
    pub prices: Prices,
    /// The seed of every random order.
    pub seed: u64,
}

/// The time to spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Three launches, which are too few for a verdict; δ 10 %.
    Quick,
    /// Five launches, δ 5 %.
    Normal,
}

impl Effort {
    /// Returns the effort's name.
    pub fn name(self) -> &'static str {
        match self {
            Effort::Quick => "quick",
            Effort::Normal => "normal",
        }
    }

    /// Returns the number of launches of each pair.
    pub(crate) fn launches(self) -> usize {
        match self {
            Effort::Quick => 3,
            Effort::Normal => 5,
        }
    }

    /// Returns the rounds within a launch. Each meter of each format runs once per round.
    pub(crate) fn rounds(self) -> usize {
        match self {
            Effort::Quick => 3,
            Effort::Normal => 6,
        }
    }

    /// Returns the length of a slice of a round.
    pub(crate) fn slice(self) -> Duration {
        match self {
            Effort::Quick => Duration::from_millis(80),
            Effort::Normal => Duration::from_millis(200),
        }
    }

    /// Returns the length of one measurement of a closed loop, and of a round that measures the
    /// server's CPU time at a rate.
    pub(crate) fn step(self) -> Duration {
        self.slice() * 2
    }

    /// Returns the length of an open loop.
    pub(crate) fn open(self) -> Duration {
        match self {
            Effort::Quick => Duration::from_millis(500),
            Effort::Normal => Duration::from_millis(2_000),
        }
    }

    /// Returns the rates of open loops, as shares of the capacity of the slowest format.
    pub(crate) fn loads(self) -> &'static [f64] {
        match self {
            Effort::Quick => &[0.5],
            Effort::Normal => &[0.5, 0.8],
        }
    }

    /// Returns δ: times within this share of each other count as the same.
    pub(crate) fn delta(self) -> f64 {
        match self {
            Effort::Quick => 0.10,
            Effort::Normal => 0.05,
        }
    }
}

impl Options {
    /// Returns the number of launches of each pair.
    pub fn launches(&self) -> usize {
        self.launches.unwrap_or(self.effort.launches()).max(1)
    }

    /// Returns the position of a lane in [`Options::servers`], or 0 if this list is empty; `None`
    /// if the lane is not a server of this trial. The name of a lane also selects its servers over
    /// transports other than HTTP.
    pub(crate) fn server_position(&self, lane: &Lane) -> Option<usize> {
        let transport = lane.transport();
        if !self.transports.contains(&transport) {
            return None;
        }
        let is_named = |name: &String| {
            name == lane.name() || (!transport.is_http() && *name == lane.manifest().name)
        };
        match self.servers.as_slice() {
            [] => Some(0),
            names => names.iter().position(is_named),
        }
    }

    /// Returns whether a lane acts as a client.
    pub(crate) fn is_client(&self, lane: &Lane) -> bool {
        let is_named = |name: &String| name == lane.name();
        !lane.is_server_variant() && (self.clients.is_empty() || self.clients.iter().any(is_named))
    }

    /// Returns the options as the report records them.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        let codings: Vec<String> = self.codings.iter().map(|coding| coding_name(*coding)).collect();
        let mut options = serde_json::json!({
            "formats": self.formats.iter().map(|format| format.name()).collect::<Vec<_>>(),
            "codings": codings,
            "schema": self.schema.is_some(),
            "effort": self.effort.name(),
            "launches": self.launches(),
            "rounds": self.effort.rounds(),
            "slice_ms": self.effort.slice().as_millis(),
            "open_loop_ms": self.effort.open().as_millis(),
            "delta": self.effort.delta(),
            "libraries": self.libraries,
            "target": self.target.map(ValueKind::name),
            "link": self.link.as_ref().map(|link| &link.name),
            "seed": self.seed,
        });
        if self.transports != [Transport::Http] {
            let names: Vec<&str> = self.transports.iter().map(|each| each.name()).collect();
            options["transports"] = names.into();
        }
        options
    }
}

/// Returns the name of a coding, `none` without one.
pub(crate) fn coding_name(coding: Option<CodingLevel>) -> String {
    coding.map_or_else(|| "none".to_owned(), |level| level.to_string())
}

/// A running service, and its responses, one for each format.
#[derive(Debug)]
pub struct Service {
    /// The URL of the service.
    pub url: String,
    /// Header fields of every request, names and values.
    pub headers: Vec<(String, String)>,
    /// For each format, the response, or the reason why the service sent none.
    pub answers: Vec<(Format, Result<Vec<u8>, ServiceError>)>,
}

impl Service {
    /// Returns the first response that can be read without a schema, as the payload.
    ///
    /// # Errors
    ///
    /// Returns the reason for each format, if there is no such response.
    pub fn payload(&self) -> Result<Payload, UnreadableService> {
        let mut errors = Vec::new();
        for (format, answer) in &self.answers {
            let error = match answer {
                Ok(bytes) if format.row().schema == SchemaNeeds::InBand => {
                    let payload = Payload::new(&self.url, *format, bytes.clone());
                    match payload::check(&payload) {
                        Ok(()) => return Ok(payload),
                        Err(error) => ServiceError::Invalid(error.to_string()),
                    }
                }
                Ok(_) => ServiceError::NeedsSchema,
                Err(error) => error.clone(),
            };
            errors.push((*format, error));
        }
        Err(UnreadableService(errors))
    }
}
