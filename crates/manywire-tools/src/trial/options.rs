//! The options of `trial`, and the running service that it may measure instead of a lane.

use std::time::Duration;

use manywire_format::{CodingLevel, Format, Schema};

use super::cost::Prices;
use super::link::Link;
use crate::weigh::launch::SchemaText;
use crate::weigh::payload;
use crate::weigh::payload::Payload;
use crate::weigh::subject::ValueKind;

/// What to try and how carefully.
#[derive(Clone, Debug)]
pub struct Options {
    /// The formats, in the order of their rows.
    pub formats: Vec<Format>,
    /// The codings; `None` is none.
    pub codings: Vec<Option<CodingLevel>>,
    /// A schema to use instead of inference.
    pub schema: Option<SchemaText>,
    /// How much time is taken.
    pub effort: Effort,
    /// How often server and client are launched, if not as often as the effort says.
    pub launches: Option<usize>,
    /// Lanes that ask; all of them if empty.
    pub clients: Vec<String>,
    /// Lanes that answer; all of them if empty.
    pub servers: Vec<String>,
    /// Libraries to be preferred to the first of their lane.
    pub libraries: Vec<String>,
    /// What values are in the programs, if not what their lane's JSON has.
    pub target: Option<ValueKind>,
    /// A line between client and server; loopback without one.
    pub link: Option<Link>,
    /// What bytes and CPU time are reckoned at.
    pub prices: Prices,
    /// The seed of every random order.
    pub seed: u64,
}

/// How much time is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Three launches, δ 10 %.
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

    /// Launches of each pair.
    pub(crate) fn launches(self) -> usize {
        match self {
            Effort::Quick => 3,
            Effort::Normal => 5,
        }
    }

    /// Rounds within a launch: each meter of each format once a round.
    pub(crate) fn rounds(self) -> usize {
        match self {
            Effort::Quick => 3,
            Effort::Normal => 6,
        }
    }

    /// How long a slice of a round lasts.
    pub(crate) fn slice(self) -> Duration {
        match self {
            Effort::Quick => Duration::from_millis(80),
            Effort::Normal => Duration::from_millis(200),
        }
    }

    /// How long a step towards capacity lasts.
    pub(crate) fn step(self) -> Duration {
        self.slice() * 2
    }

    /// How long an open loop lasts.
    pub(crate) fn open(self) -> Duration {
        match self {
            Effort::Quick => Duration::from_millis(500),
            Effort::Normal => Duration::from_millis(2_000),
        }
    }

    /// The rates of open loops, as shares of the capacity of the slowest format.
    pub(crate) fn loads(self) -> &'static [f64] {
        match self {
            Effort::Quick => &[0.5],
            Effort::Normal => &[0.5, 0.8],
        }
    }

    /// δ: times within this share of each other count as the same.
    pub(crate) fn delta(self) -> f64 {
        match self {
            Effort::Quick => 0.10,
            Effort::Normal => 0.05,
        }
    }
}

impl Options {
    /// How often each pair is launched.
    pub fn launches(&self) -> usize {
        self.launches.unwrap_or(self.effort.launches()).max(1)
    }

    /// Returns the options as the report records them.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        let codings: Vec<String> = self.codings.iter().map(|coding| coding_name(*coding)).collect();
        serde_json::json!({
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
        })
    }
}

/// The name of a coding, `none` for none.
pub(crate) fn coding_name(coding: Option<CodingLevel>) -> String {
    coding.map_or_else(|| "none".to_owned(), |level| level.to_string())
}

/// A service that exists, and what it answered once in each format.
#[derive(Debug)]
pub struct Service {
    /// Where it is.
    pub url: String,
    /// Header fields of every request, names and values.
    pub headers: Vec<(String, String)>,
    /// For each format its answer, or what came instead.
    pub answers: Vec<(Format, Result<Vec<u8>, String>)>,
}

impl Service {
    /// The first answer that is read without a schema: what it is about.
    ///
    /// # Errors
    ///
    /// What it answered instead, format by format.
    pub fn payload(&self) -> Result<Payload, String> {
        let mut whys = Vec::new();
        for (format, answer) in &self.answers {
            let why = match answer {
                Ok(bytes) if format.row().schema == Schema::InBand => {
                    let payload = Payload::new(&self.url, *format, bytes.clone());
                    match payload::check(&payload) {
                        Ok(()) => return Ok(payload),
                        Err(error) => error.to_string(),
                    }
                }
                Ok(_) => "it cannot be read without a schema".to_owned(),
                Err(why) => why.clone(),
            };
            whys.push(format!("{format}: {why}"));
        }
        Err(whys.join("; "))
    }
}
