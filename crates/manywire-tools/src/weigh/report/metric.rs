//! The metrics of a row: their names, their units, and how each is read from a row and printed.
//!
//! `--gate`, the tables of the terminal, of Markdown and of the page, CSV, the comparison with a
//! baseline and the table of `docs/weigh.md` all follow [`METRICS`]. Less is better in each of them.
//! The user chooses the content codings, so their sizes have no metrics; [`Size`] is the size of a
//! row under one of them, or without a coding.

use manywire_format::CodingLevel;

use super::compare::Direction;
use super::{Row, Summary, number};

/// A metric.
#[derive(Debug)]
pub struct Metric {
    /// The name: in `--gate`, and at the head of columns.
    pub name: &'static str,
    /// The figure with its unit, in words.
    pub meaning: &'static str,
    /// True if `--gate` accepts the metric.
    pub is_gated: bool,
    pub(crate) source: Source,
}

/// The figures of a row that a metric is read from.
#[derive(Debug)]
pub(crate) enum Source {
    /// The size without a coding.
    Size,
    /// The time of a direction, mostly as a ratio to the reference with its interval.
    Time(Direction),
    /// A figure of memory, of both directions together.
    Memory(Memory),
}

/// A figure of memory.
#[derive(Debug)]
pub(crate) struct Memory {
    /// The name that follows a direction in the heads of CSV columns; `None` if CSV has no such
    /// columns.
    pub(crate) csv: Option<&'static str>,
    /// The name that precedes a direction in the comparison with a baseline; `None` if the figure
    /// is not compared.
    pub(crate) compared: Option<&'static str>,
    /// True if our own processes count the figure; other runtimes may count it or not.
    pub(crate) is_own: bool,
    /// Returns the figure of one direction.
    pub(crate) of: fn(&Summary) -> Option<f64>,
    /// Combines the figures of both directions.
    combine: fn(f64, f64) -> f64,
    /// Prints the figure.
    pub(crate) show: fn(f64) -> String,
}

/// The name of sizes.
const BYTES: &str = "bytes";

/// Every metric, in the order of columns.
pub static METRICS: [Metric; 7] = [
    Metric {
        name: BYTES,
        meaning: "bytes: of one payload as a mean in tables, of all payloads of a row in gates and files",
        is_gated: true,
        source: Source::Size,
    },
    Metric {
        name: Direction::Encode.verb(),
        meaning: "the time to encode; in gates as a ratio to the reference, with its interval",
        is_gated: true,
        source: Source::Time(Direction::Encode),
    },
    Metric {
        name: Direction::Decode.verb(),
        meaning: "the time to decode, likewise",
        is_gated: true,
        source: Source::Time(Direction::Decode),
    },
    Metric {
        name: "allocs",
        meaning: "the allocations of one encoding and one decoding",
        is_gated: true,
        source: Source::Memory(Memory {
            csv: Some("allocs"),
            compared: Some("allocations"),
            is_own: true,
            of: |summary| summary.allocs,
            combine: sum,
            show: number::mean,
        }),
    },
    Metric {
        name: "alloc",
        meaning: "the bytes that one encoding and one decoding allocate, where a runtime counts them",
        is_gated: false,
        source: Source::Memory(Memory {
            csv: Some("alloc bytes"),
            compared: None,
            is_own: false,
            of: |summary| summary.alloc_bytes,
            combine: sum,
            show: number::size,
        }),
    },
    Metric {
        name: "peak",
        meaning: "the most bytes in use at once, in the direction that takes more",
        is_gated: false,
        source: Source::Memory(Memory {
            csv: Some("peak bytes"),
            compared: None,
            is_own: true,
            of: |summary| summary.peak_bytes,
            combine: f64::max,
            show: number::size,
        }),
    },
    Metric {
        name: "gc/1k",
        meaning: "the garbage collections in a thousand encodings and as many decodings, where a \
                  runtime counts them",
        is_gated: false,
        source: Source::Memory(Memory {
            csv: None,
            compared: None,
            is_own: false,
            of: |summary| summary.collections_per_1000,
            combine: sum,
            show: number::significant,
        }),
    },
];

fn sum(encode: f64, decode: f64) -> f64 {
    encode + decode
}

impl Metric {
    /// Returns the metric with this name that `--gate` takes.
    pub(crate) fn gated(name: &str) -> Option<&'static Metric> {
        METRICS.iter().find(|metric| metric.is_gated && metric.name == name)
    }

    pub(crate) fn is_time(&self) -> bool {
        matches!(self.source, Source::Time(_))
    }
}

impl PartialEq for Metric {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Memory {
    /// Returns the figure of both directions together, if both are known.
    pub(crate) fn of_both(&self, row: &Row) -> Option<f64> {
        let [encode, decode] = Direction::ALL.map(|direction| (self.of)(direction.of(row)?));
        Some((self.combine)(encode?, decode?))
    }

    /// Returns the figure of both directions together as text.
    pub(crate) fn text(&self, row: &Row) -> Option<String> {
        self.of_both(row).map(self.show)
    }
}

/// Returns the metrics of memory with their names.
pub(crate) fn memory() -> impl Iterator<Item = (&'static str, &'static Memory)> {
    METRICS.iter().filter_map(|metric| match &metric.source {
        Source::Memory(memory) => Some((metric.name, memory)),
        Source::Size | Source::Time(_) => None,
    })
}

/// Returns the metrics of memory that our own processes count, with their names.
pub(crate) fn own_memory() -> impl Iterator<Item = (&'static str, &'static Memory)> {
    memory().filter(|(_, memory)| memory.is_own)
}

/// A size of a row: uncompressed, or under a content coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size<'a> {
    Plain,
    Coded(&'a str),
}

impl<'a> Size<'a> {
    /// Returns the sizes that some rows have: the plain one, then gzip, zstd, br.
    pub(crate) fn of_rows(rows: impl IntoIterator<Item = &'a Row>) -> Vec<Size<'a>> {
        let coded = codings(rows).into_iter().map(|coding| Size::Coded(coding));
        std::iter::once(Size::Plain).chain(coded).collect()
    }

    /// Returns the bytes of all payloads of a row.
    pub(crate) fn of(self, row: &Row) -> Option<u64> {
        match self {
            Size::Plain => row.size_bytes,
            Size::Coded(coding) => row.coded_bytes.get(coding).copied(),
        }
    }

    /// Returns the bytes of one payload of a row, as a mean over `payloads`, the number of payloads
    /// of the row.
    pub(crate) fn of_one(self, row: &Row, payloads: u64) -> Option<f64> {
        self.of(row).map(|bytes| bytes as f64 / payloads as f64)
    }

    /// Returns the head of the size's column, in a table that has a column for each size.
    pub(crate) fn title(self) -> &'a str {
        match self {
            Size::Plain => BYTES,
            Size::Coded(coding) => coding,
        }
    }

    /// Returns the name of the size's column in CSV.
    pub(crate) fn csv(self) -> String {
        match self {
            Size::Plain => BYTES.to_owned(),
            Size::Coded(coding) => format!("{BYTES} {coding}"),
        }
    }

    /// Returns the name of the size in a sentence.
    pub(crate) fn words(self) -> String {
        match self {
            Size::Plain => BYTES.to_owned(),
            Size::Coded(coding) => format!("{BYTES} under {coding}"),
        }
    }
}

/// Returns the codings of some rows: gzip, zstd, br.
pub(crate) fn codings<'r>(rows: impl IntoIterator<Item = &'r Row>) -> Vec<&'r String> {
    let mut codings: Vec<&String> =
        rows.into_iter().flat_map(|row| row.coded_bytes.keys()).collect();
    codings.sort_by_key(|name| name.parse::<CodingLevel>().ok());
    codings.dedup();
    codings
}
