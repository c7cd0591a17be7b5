//! The JSON report `manywire.weigh/2` as types.

use std::collections::BTreeMap;
use std::fmt;

use manywire_format::Format;
use manywire_shape::fidelity::{LOSSES_MAX, Loss};
use serde::{Deserialize, Serialize};

use super::status::{RowVerdict, Status};
use crate::payload::Payload;
use crate::weigh::subject::{Buffer, ValueKind, format_name};

/// The name of the Rust lane, which is built into this program. A lane of this name in the folder
/// of lanes replaces the built-in one, so that a report has rows of only one of them.
pub const BUILT_IN_LANE: &str = "rust";

/// The library of the rows of our own codecs.
pub(crate) const OWN_LIBRARY_NAME: &str = "manywire";

/// A report, in the schema `manywire.weigh/2`. Members may be added to the schema, never renamed or
/// removed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// `manywire.weigh/2`.
    pub schema: String,
    /// The program that measured.
    pub tool: Tool,
    /// The machine that the program measured on.
    pub host: Host,
    /// The options in force, defaults included.
    pub options: serde_json::Value,
    /// The format that ratios are relative to.
    #[serde(with = "format_name")]
    pub reference: Format,
    /// δ: ratios within 1 ± δ count as the same.
    pub delta: f64,
    /// The half-width of the intervals at which measuring stops.
    pub target_half_width: f64,
    /// The payloads; one summary entry for a long stream.
    pub payloads: Vec<PayloadSummary>,
    /// The number of payloads.
    #[serde(default)]
    pub payload_count: u64,
    /// The fit of a shape, inferred from four fifths of the payloads, to the others.
    #[serde(default)]
    pub hold_out: Option<HoldOut>,
    /// The lanes of the rows, and requested lanes without rows.
    pub lanes: Vec<LaneNote>,
    /// One row for each payload, endpoint or `*`, each length of a sweep, and each lane, library,
    /// format and kind of value.
    pub rows: Vec<Row>,
    /// The comparisons of each payload with the first one. Empty unless requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub payload_comparisons: Vec<PayloadComparison>,
    /// The bytes of each field, in each format that can hold the payloads of the first rows. Empty
    /// unless requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FormatFields>,
    /// The gates given, in order.
    pub gates: Vec<Gate>,
    /// The earlier report that this one was compared with.
    pub baseline: Option<Baseline>,
    /// Conditions of the whole measurement, as text: a busy machine, a machine that changed its
    /// speed, or a lane that was replaced by another one.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The verdicts, as text.
    pub verdicts: Vec<String>,
    /// The verdicts that name the smallest and the fastest formats of a payload.
    #[serde(default)]
    pub answers: Vec<Answer>,
    /// The verdicts that describe comparisons whose result depends on the library or the
    /// language.
    #[serde(default)]
    pub differences: Vec<String>,
    /// True if the user interrupted the measurement: figures are missing, or rest on fewer launches.
    #[serde(default)]
    pub interrupted: bool,
    /// The part that was measured before the interrupt, as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<String>,
}

/// The bytes that our own codec writes for each field of some payloads in one format. The bytes of
/// the fields add up to those of the row of the codec.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormatFields {
    /// The name of the payloads in their rows.
    pub payload: String,
    /// The format.
    #[serde(with = "format_name")]
    pub format: Format,
    /// Bytes of the keys of all fields.
    pub keys: u64,
    /// Bytes of heads, lengths, quotes and separators.
    pub structure: u64,
    /// Bytes of the content of values.
    pub values: u64,
    /// The number of fields, of which `fields` may have only the first.
    pub field_count: u64,
    /// The fields, the one with the most bytes first.
    pub fields: Vec<FieldBytes>,
}

/// The bytes of one field, over all items of lists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldBytes {
    /// The path, with `*` for indexes.
    pub path: String,
    /// Bytes of the field's keys.
    pub keys: u64,
    /// Bytes of heads, lengths, quotes and separators.
    pub structure: u64,
    /// Bytes of the content of values.
    pub values: u64,
    /// The number of values.
    pub times: u64,
}

/// The best formats of one payload, or of one length in a sweep, in one lane and for one kind of value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The name of the payload in its rows.
    pub payload: String,
    /// The length of the list, in a sweep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep: Option<Sweep>,
    /// The lane.
    pub lane: String,
    /// The verdict.
    pub text: String,
}

/// The program that measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// `manywire`.
    pub name: String,
    /// The version of the program.
    pub version: String,
    /// The compiler that built the program.
    pub rustc: String,
    /// The profile that the program was built with.
    pub profile: Profile,
    /// The library of each content coding, which decides the sizes at a level.
    #[serde(default)]
    pub codings: BTreeMap<String, String>,
}

/// The profile that the program was built with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// With optimisations.
    Release,
    /// Without optimisations. Times of such a program cannot be compared with those of a release
    /// build.
    Debug,
}

impl Profile {
    /// Returns the name in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Profile::Release => "release",
            Profile::Debug => "debug",
        }
    }
}

/// The machine that the program measured on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// The operating system.
    pub os: String,
    /// The architecture.
    pub arch: String,
    /// The model of the processor, if known.
    pub cpu: Option<String>,
    /// The number of cores that the process may use.
    pub cores: Option<usize>,
    /// The version of the kernel, if known.
    pub kernel: Option<String>,
    /// The governor of the clock speed, if known.
    pub governor: Option<String>,
    /// Runnable threads of other programs, as a mean over the measurement; `None` if unknown.
    #[serde(default)]
    pub load: Option<f64>,
}

/// The clock by which times are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    /// Wall-clock time.
    #[default]
    Wall,
    /// CPU time, because the machine was busy.
    Cpu,
}

impl Clock {
    /// Returns the name in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Clock::Wall => "wall",
            Clock::Cpu => "cpu",
        }
    }
}

/// One payload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PayloadSummary {
    /// The name.
    pub name: String,
    /// The endpoint that the payload answers, if known. The rows of the endpoint have this name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// The size in the input, in bytes.
    pub bytes: u64,
    /// The original form, such as `avro` or `protobuf-delimited`, if the payload was converted
    /// because that form needs a schema. For a long stream, several forms are listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_from: Option<String>,
}

impl PayloadSummary {
    /// Returns the summary of a payload.
    pub(crate) fn of(payload: &Payload) -> PayloadSummary {
        PayloadSummary {
            name: payload.name.clone(),
            endpoint: payload.endpoint.clone(),
            bytes: payload.given_bytes(),
            made_from: payload.origin.map(|origin| origin.to_string()),
        }
    }
}

/// Returns the sentence that the report of an interrupted measurement begins with. `done` is the part
/// that was measured, if it is known.
pub(crate) fn interruption(interrupted: bool, done: Option<&str>) -> Option<String> {
    let done = done.unwrap_or("some figures are missing");
    interrupted.then(|| format!("interrupted, so this report is incomplete: {done}"))
}

impl Report {
    /// Marks the report as that of an interrupted measurement, with the part that was measured.
    pub(crate) fn mark_interrupted(&mut self, done: String) {
        self.interrupted = true;
        self.done = Some(done);
    }

    /// Returns the sentence that an interrupted report begins with.
    pub fn interruption(&self) -> Option<String> {
        interruption(self.interrupted, self.done.as_deref())
    }

    /// Describes how many rows have sizes and times.
    pub(crate) fn rows_done(&self) -> String {
        let sized = self.rows.iter().filter(|row| row.size_bytes.is_some()).count();
        let sizes = format!("{sized} of {} rows have sizes", self.rows.len());
        let launches = || self.rows.iter().map(|row| row.launches).filter(|&launches| launches > 0);
        if self.options["sizes_only"] == true {
            return sizes;
        }
        let timed = launches().count();
        match (launches().min(), launches().max()) {
            (Some(least), Some(most)) if least < most => {
                format!("{sizes}, and {timed} have times, from {least} to {most} launches")
            }
            (Some(least), _) => format!("{sizes}, and {timed} have times, from {least} launches"),
            (None, _) => format!("{sizes}, and none has times"),
        }
    }

    /// Returns the payloads that a row of this name covers: one, those of an endpoint, or all for
    /// `*`.
    pub(crate) fn payloads_of(&self, row: &str) -> impl Iterator<Item = &PayloadSummary> {
        self.payloads.iter().filter(move |payload| {
            row == "*" || payload.name == row || payload.endpoint.as_deref() == Some(row)
        })
    }

    /// Returns the name of a lane's language for people.
    pub(crate) fn title_of<'r>(&'r self, lane: &'r str) -> &'r str {
        self.note_of(lane).map_or(lane, |note| &note.title)
    }

    /// Returns the note of a lane.
    pub(crate) fn note_of(&self, lane: &str) -> Option<&LaneNote> {
        self.lanes.iter().find(|note| note.lane == lane)
    }

    /// Returns whether the rows of a lane are named by their format: all values are dynamic, and
    /// our own codec has a row for each format in the lane. The lane that is built into this
    /// program and a lane without rows meet these conditions.
    pub(crate) fn is_lane_by_format(&self, lane: &str) -> bool {
        let of_lane = || self.rows.iter().filter(|row| row.lane == lane);
        of_lane().all(|row| {
            row.target == ValueKind::Dynamic
                && of_lane().any(|own| own.is_of_own_codec() && own.format == row.format)
        })
    }

    /// Returns whether all rows are of the lane [`BUILT_IN_LANE`] and are named by their format.
    pub(crate) fn is_by_format(&self) -> bool {
        self.rows.iter().all(|row| row.lane == BUILT_IN_LANE)
            && self.is_lane_by_format(BUILT_IN_LANE)
    }

    /// Returns the number of payloads that a row of this name covers, at least 1. A long stream has
    /// one summary for all its payloads.
    pub(crate) fn count_of(&self, row: &str) -> u64 {
        let of_endpoint = |payload: &&PayloadSummary| payload.endpoint.as_deref() == Some(row);
        let count = match row {
            "*" => self.payload_count,
            _ => self.payloads.iter().filter(of_endpoint).count() as u64,
        };
        count.max(1)
    }
}

/// The fit of the shape of some payloads to the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HoldOut {
    /// The number of payloads that the shape was inferred from.
    pub inferred_from: usize,
    /// The number of the other payloads that fit the shape.
    pub fitting: usize,
    /// The payloads that do not fit.
    pub misfits: Vec<Misfit>,
}

/// A payload that does not fit the shape of the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Misfit {
    /// The payload's name.
    pub payload: String,
    /// The path at which it differs from the shape.
    pub path: String,
    /// The kind of value that the shape expects.
    pub expected: String,
    /// The kind of value in the payload.
    pub found: String,
}

/// A lane that was measured or requested.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaneNote {
    /// The name, which identifies the lane in a report.
    pub lane: String,
    /// The usual name of the language or runtime, such as `Go` or `Node.js`.
    pub title: String,
    /// The runtime and its version, if the process reported them.
    pub runtime: Option<String>,
    /// `ok`, or the reason that there are no rows.
    pub status: Status,
    /// δ within the lane.
    pub delta: f64,
}

/// The figures of one library for one payload, or for all of them (`*`), in one format.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The name of the payload or of its endpoint, or `*` for all payloads together.
    pub payload: String,
    /// The lane, by its name.
    pub lane: String,
    /// The library.
    pub library: String,
    /// The version of the library.
    pub library_version: String,
    /// The format.
    #[serde(with = "format_name")]
    pub format: Format,
    /// The kind of value.
    pub target: ValueKind,
    /// The buffer that the library writes into.
    pub buffer: Buffer,
    /// `ok`, or the reason that there are no figures.
    pub status: Status,
    /// `exact`, or the losses; null if nothing was round-tripped.
    pub fidelity: Option<Fidelity>,
    /// The size in bytes, of all payloads of the row together.
    pub size_bytes: Option<u64>,
    /// The sizes of single payloads, if the row has several.
    #[serde(default)]
    pub size_spread: Option<Spread>,
    /// Bytes under each coding.
    pub coded_bytes: BTreeMap<String, u64>,
    /// Bytes of the headers of one HTTP exchange that carries one payload of the row.
    pub header_bytes: u64,
    /// The time and memory of encoding a value.
    pub encode: Option<Summary>,
    /// The time and memory of decoding a value.
    pub decode: Option<Summary>,
    /// The times with compression, by content coding.
    pub coded: BTreeMap<String, CodedSummary>,
    /// The subject that ratios are relative to, of the same lane and payload; null if the row was
    /// not timed, or if there is no such subject.
    pub reference: Option<Reference>,
    /// The length of the array at a path, in a sweep.
    pub sweep: Option<Sweep>,
    /// The number of launches behind the times.
    pub launches: usize,
    /// Warnings about the row.
    pub warnings: Vec<String>,
}

/// The subject that the ratios of a row are relative to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// The library.
    pub library: String,
    /// The format.
    #[serde(with = "format_name")]
    pub format: Format,
    /// The kind of value.
    pub target: ValueKind,
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} by {} ({})", self.format, self.library, self.target)
    }
}

/// A subject on a payload, against the same subject on the first payload.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PayloadComparison {
    /// The payload.
    pub payload: String,
    /// The first payload.
    pub base: String,
    /// The lane, as in [`Row`].
    pub lane: String,
    /// The library.
    pub library: String,
    /// The format.
    #[serde(with = "format_name")]
    pub format: Format,
    /// The kind of value.
    pub target: ValueKind,
    /// The ratio of the bytes of one payload; null if the subject could not write both.
    pub bytes: Option<f64>,
    /// The ratio of the times to encode one payload; null if not measured.
    pub encode: Option<TimeComparison>,
    /// The ratio of the times to decode one payload; null if not measured.
    pub decode: Option<TimeComparison>,
}

/// The ratio of two times from separate launches.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TimeComparison {
    /// The clock of the times.
    pub clock: Clock,
    /// The ratio of the geometric means over launches.
    pub ratio: f64,
    /// The lower end of the interval of `ratio`.
    pub ratio_low: f64,
    /// The upper end of the interval of `ratio`.
    pub ratio_high: f64,
    /// The p-value of the verdict, adjusted for all comparisons between payloads of the lane.
    pub p_adjusted: f64,
    /// The verdict.
    pub verdict: RowVerdict,
}

impl Row {
    /// Returns whether the row is of our own codecs on dynamic values. Gates and the sentences about
    /// a format are about these rows.
    pub(crate) fn is_of_own_codec(&self) -> bool {
        self.lane == BUILT_IN_LANE
            && self.library == OWN_LIBRARY_NAME
            && self.target == ValueKind::Dynamic
    }

    /// Returns whether two rows have the same payloads, and the same length in a sweep.
    pub(crate) fn has_same_payload(&self, other: &Row) -> bool {
        self.payload == other.payload && self.sweep == other.sweep
    }

    /// Returns the figures of every operation.
    pub(crate) fn summaries(&self) -> impl Iterator<Item = &Summary> {
        let coded = self.coded.values();
        let coded = coded.flat_map(|coded| coded.compress.iter().chain(&coded.decompress));
        self.encode.iter().chain(&self.decode).chain(coded)
    }
}

/// The sizes of single payloads.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The smallest size, in bytes.
    pub min: u64,
    /// The median, in bytes.
    pub median: f64,
    /// The largest size, in bytes.
    pub max: u64,
}

/// The result of the round trip.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Fidelity {
    /// `exact`.
    Exact(ExactWord),
    /// The losses, with their paths; the first [`LOSSES_MAX`] if there are more.
    Lost(Vec<Loss>),
}

/// The word `exact`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExactWord {
    /// Nothing was lost.
    #[serde(rename = "exact")]
    Exact,
}

/// The time and memory of one operation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Summary {
    /// The clock by which ratios are computed.
    pub clock: Clock,
    /// Nanoseconds per operation: the geometric mean of the launches' medians.
    pub ns: Option<f64>,
    /// The lower end of the interval of `ns`.
    pub ns_low: Option<f64>,
    /// The upper end of the interval of `ns`.
    pub ns_high: Option<f64>,
    /// CPU nanoseconds per operation, if there is a CPU clock.
    pub cpu_ns: Option<f64>,
    /// The ratio to the reference.
    pub ratio: Option<f64>,
    /// The lower end of the interval of `ratio`.
    pub ratio_low: Option<f64>,
    /// The upper end of the interval of `ratio`.
    pub ratio_high: Option<f64>,
    /// The p-value of the verdict, adjusted for all verdicts of the lane.
    pub p_adjusted: Option<f64>,
    /// The verdict; null if nothing was compared.
    pub verdict: Option<RowVerdict>,
    /// The probable number of further launches that would settle an inconclusive verdict.
    #[serde(default)]
    pub more_launches: Option<usize>,
    /// Allocations per operation.
    pub allocs: Option<f64>,
    /// Bytes allocated per operation.
    pub alloc_bytes: Option<f64>,
    /// The most bytes in use at once during an operation.
    pub peak_bytes: Option<f64>,
    /// Garbage collections in a thousand operations, if the runtime has a collector.
    #[serde(default)]
    pub collections_per_1000: Option<f64>,
    /// The median of each launch, in nanoseconds.
    pub samples: Vec<f64>,
    /// The median CPU time of each launch, in nanoseconds. Empty unless ratios are computed by CPU
    /// time, or if a launch has no CPU time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpu_samples: Vec<f64>,
    /// The ratio to the reference in each launch: the median over the rounds, in which both run one
    /// after the other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ratio_samples: Vec<f64>,
    /// The arithmetic mean of all batches of all launches, in nanoseconds; verdicts never use it.
    #[serde(default)]
    pub mean_ns: Option<f64>,
    /// The standard deviation of all batches, in nanoseconds. It includes noise, differences
    /// between launches, and differences between payloads if rounds use different payloads.
    #[serde(default)]
    pub standard_deviation_ns: Option<f64>,
    /// Nanoseconds for one more iteration, by least squares within launches; absent if rounds use
    /// different payloads.
    #[serde(default)]
    pub slope_ns: Option<f64>,
    /// The share of the variance that the line with the slope `slope_ns` explains.
    #[serde(default)]
    pub r_squared: Option<f64>,
}

impl Summary {
    /// Returns the median of each launch by the clock of the ratios, in nanoseconds.
    pub(crate) fn compared_samples(&self) -> &[f64] {
        match self.clock {
            Clock::Wall => &self.samples,
            Clock::Cpu => &self.cpu_samples,
        }
    }

    /// Returns nanoseconds per operation by the clock of the ratios.
    pub(crate) fn compared_ns(&self) -> Option<f64> {
        match self.clock {
            Clock::Wall => self.ns,
            Clock::Cpu => self.cpu_ns,
        }
    }
}

/// The times with one content coding.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CodedSummary {
    /// The time and memory of encoding and then compressing.
    pub compress: Option<Summary>,
    /// The time and memory of decompressing and then decoding.
    pub decompress: Option<Summary>,
}

/// One length of a sweep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sweep {
    /// The path to the array.
    pub path: String,
    /// The length of the array.
    pub length: usize,
}

/// A gate and its result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gate {
    /// The gate as it was written.
    pub text: String,
    /// The result.
    pub result: GateResult,
    /// The figures behind the result, as text.
    #[serde(default)]
    pub detail: String,
}

/// The result of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GateResult {
    /// The gate holds.
    Pass,
    /// The gate does not hold.
    Fail,
    /// The interval contains the limit, a figure was not measured, or the ratios of the baseline
    /// have another reference.
    Undecided,
}

/// The earlier report that this one was compared with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// The name of the file.
    pub file: String,
    /// Differences of host and versions.
    pub differences: Vec<String>,
    /// The changes, as text.
    pub changes: Vec<String>,
}

impl Fidelity {
    /// Returns `exact` if there are no losses, otherwise the losses.
    pub fn of(losses: Vec<Loss>) -> Fidelity {
        if losses.is_empty() { Fidelity::Exact(ExactWord::Exact) } else { Fidelity::Lost(losses) }
    }

    /// Returns `exact`, or the losses in one line, each as `text` writes it. A full list ends with the
    /// number of losses as it is in a table, which says that there may be more.
    pub(crate) fn in_one_line(&self, text: impl Fn(&Loss) -> String) -> String {
        match self {
            Fidelity::Exact(_) => "exact".to_owned(),
            Fidelity::Lost(losses) => {
                let mut all: Vec<String> = losses.iter().map(text).collect();
                if Fidelity::is_full(losses) {
                    all.push(format!("{}+ losses", losses.len()));
                }
                all.join("; ")
            }
        }
    }

    /// Returns whether a list of losses is full, so that there may be more losses than it has.
    pub(crate) fn is_full(losses: &[Loss]) -> bool {
        losses.len() >= LOSSES_MAX
    }
}
