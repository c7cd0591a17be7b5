//! The second reading of a stream: encodes every payload in every format and adds up the sizes.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use manywire_codec::Codec;
use manywire_codec::coding::Encoder;
use manywire_format as format;
use manywire_format::{CodingLevel, Form, Format};
use manywire_shape::fidelity::Loss;
use manywire_shape::infer::fits;
use manywire_shape::{Arena, Shape, Value, fidelity};

use super::batch::{Batch, BatchPayload, Batches};
use super::{ERRORS_NAMED, Reader, SizesError, each_batch, locate};
use crate::weigh::options::Options;
use crate::weigh::payload::{InputError, LIMITS, read_with_doubles};
use crate::weigh::progress::Progress;
use crate::weigh::report::{
    BUILT_IN_LANE, Fidelity, LaneNote, PayloadSummary, Report, Row, Status,
};
use crate::weigh::schema::Schema;
use crate::weigh::subject::{Buffer, ValueKind};
use crate::weigh::verdict::Verdicts;
use crate::weigh::worker::{BUILT_IN_LANE_TITLE, OWN_LIBRARY};
use crate::weigh::{host, http, report};

/// Reads the payloads a second time, encodes each in every format, and counts the bytes.
pub(super) fn count(
    schema: &Schema,
    prefix: Vec<Batch>,
    batches: &mut Batches,
    options: &Options,
    interrupted: &AtomicBool,
    progress: &mut dyn Progress,
) -> Result<Tally, SizesError> {
    let encoders =
        || options.codings.iter().map(|&level| Encoder::new(level)).collect::<Result<Vec<_>, _>>();
    encoders().map_err(SizesError::Coding)?;
    let codecs: Vec<FormatCodec> =
        options.formats.iter().map(|&format| (format, schema.codec(format))).collect();
    let make = || Counter {
        shape: schema.shape(),
        codecs: &codecs,
        encoders: encoders().unwrap_or_default(),
        reader: Reader::new(),
        arena: Arena::new(),
        buffers: vec![Vec::new(); codecs.len()],
        coded: Vec::new(),
        checked: 0,
        tally: Tally::new(&codecs, &options.codings),
    };
    let mut first = make();
    for batch in prefix {
        first.batch(&batch);
    }
    let work = |counter: &mut Counter<'_>, batch: &Batch| counter.batch(batch);
    let counters = each_batch(batches, make, work, interrupted, progress, "taking sizes");
    let mut whole = first.tally;
    counters.into_iter().for_each(|counter| whole.merge(counter.tally));
    Ok(whole)
}

/// A format with its codec, or the reason that the format cannot represent the shape.
type FormatCodec = (Format, manywire_codec::Result<Codec>);

/// The state of one counting thread.
struct Counter<'s> {
    shape: &'s Shape,
    codecs: &'s [FormatCodec],
    encoders: Vec<Encoder>,
    reader: Reader,
    arena: Arena,
    // The bytes of the current payload, by format.
    buffers: Vec<Vec<u8>>,
    coded: Vec<u8>,
    // The number of payloads that were round-tripped.
    checked: u64,
    tally: Tally,
}

/// The maximum number of payloads that a thread round-trips. Decoding every payload of a long
/// stream in every format would double the time. A report says `exact` only if every payload was
/// checked.
const CHECKED_MAX: u64 = 1_000;

impl Counter<'_> {
    fn batch(&mut self, batch: &Batch) {
        self.tally.source(&batch.file);
        if let Some(form) = batch.made_from {
            self.tally.made_from(form);
        }
        for payload in batch.payloads() {
            let arena = std::mem::take(&mut self.arena);
            let BatchPayload { number, bytes, .. } = payload;
            match self.reader.read(batch.format, bytes, &arena) {
                Ok(value) => self.payload(batch, &payload, &value),
                Err(error) => self.tally.error(|| locate(batch, number, bytes, &error)),
            }
            self.arena = arena;
            self.arena.reset();
        }
    }

    fn payload(&mut self, batch: &Batch, payload: &BatchPayload<'_>, value: &Value<'_>) {
        let &BatchPayload { number, bytes, input_bytes } = payload;
        // Applied only to a payload that fits the shape, whatever the order of the formats.
        let mut refusals = Vec::new();
        for (index, (format, codec)) in self.codecs.iter().enumerate() {
            let buffer = &mut self.buffers[index];
            buffer.clear();
            let Ok(codec) = codec else { continue };
            let Err(error) = codec.encode(value, buffer) else { continue };
            buffer.clear();
            // Either the payload does not fit the shape, and no row counts it, or this format
            // cannot hold it, and its row has no figures.
            let by_shape = format.row().schema != format::SchemaNeeds::InBand;
            match fits(self.shape, value) {
                Err(misfit) if by_shape => {
                    let name = batch.name(number);
                    self.tally.misfit(|| Misfit { name, reason: misfit.to_string() });
                    return;
                }
                _ => refusals.push((index, error)),
            }
        }
        for (index, error) in refusals {
            self.tally.refuse(index, || format!("{}: {error}", batch.name(number)));
        }
        self.tally.payload(input_bytes);
        if self.checked < CHECKED_MAX {
            self.checked += 1;
            self.check_reading(batch.format, bytes);
            self.check(value);
        }
        for (index, buffer) in self.buffers.iter().enumerate() {
            self.tally.size(index, buffer.len());
            for (coding, encoder) in self.encoders.iter_mut().enumerate() {
                self.coded.clear();
                match encoder.encode(buffer, &mut self.coded) {
                    Ok(()) => self.tally.coded_size(index, coding, self.coded.len()),
                    Err(error) => self.tally.refuse(index, || error.to_string()),
                }
            }
        }
    }
}

impl Counter<'_> {
    /// Adds to the losses of every format the JSON fractions that reading rounded.
    fn check_reading(&mut self, format: Format, bytes: &[u8]) {
        let arena = Arena::new();
        let Ok((_, losses)) = read_with_doubles(format, bytes, &arena) else { return };
        for index in 0..self.codecs.len() {
            self.tally.losses(index, losses.clone());
        }
    }

    /// Reads the payload back from the bytes of each format, and adds the losses.
    fn check(&mut self, value: &Value<'_>) {
        for (index, (_, codec)) in self.codecs.iter().enumerate() {
            let (Ok(codec), buffer) = (codec, &self.buffers[index]) else { continue };
            let arena = Arena::new();
            match codec.decode_with(buffer, &arena, LIMITS) {
                Ok(returned) => self.tally.losses(index, fidelity::losses(value, &returned)),
                Err(error) => self.tally.refuse(index, || error.to_string()),
            }
        }
        self.tally.checked();
    }
}

/// The counts over all payloads.
pub(super) struct Tally {
    formats: Vec<FormatTally>,
    payloads: u64,
    checked: u64,
    given_bytes: u64,
    sources: Vec<String>,
    // The original forms of payloads that were converted.
    made_from: BTreeSet<&'static str>,
    misfits: u64,
    named_misfits: Vec<Misfit>,
    /// The first errors.
    pub(super) errors: Vec<InputError>,
    unnamed_errors: u64,
}

/// A payload that does not fit the shape.
pub(super) struct Misfit {
    pub(super) name: String,
    pub(super) reason: String,
}

struct FormatTally {
    format: Format,
    bytes: u64,
    min: u64,
    max: u64,
    coded: Vec<(CodingLevel, u64)>,
    // The losses of the payloads that were round-tripped.
    losses: Vec<Loss>,
    // The reason that the format has no figures.
    refusal: Option<String>,
}

impl Tally {
    pub(super) fn new(codecs: &[FormatCodec], codings: &[CodingLevel]) -> Self {
        let formats = codecs.iter().map(|(format, codec)| FormatTally {
            format: *format,
            bytes: 0,
            min: u64::MAX,
            max: 0,
            coded: codings.iter().map(|&level| (level, 0)).collect(),
            losses: Vec::new(),
            refusal: codec.as_ref().err().map(ToString::to_string),
        });
        Tally {
            formats: formats.collect(),
            payloads: 0,
            checked: 0,
            given_bytes: 0,
            sources: Vec::new(),
            made_from: BTreeSet::new(),
            misfits: 0,
            named_misfits: Vec::new(),
            errors: Vec::new(),
            unnamed_errors: 0,
        }
    }

    pub(super) fn source(&mut self, file: &str) {
        if !self.sources.iter().any(|known| known == file) {
            self.sources.push(file.to_owned());
        }
    }

    pub(super) fn made_from(&mut self, form: Form) {
        self.made_from.insert(form.name());
    }

    pub(super) fn payload(&mut self, input_bytes: usize) {
        self.payloads += 1;
        self.given_bytes += input_bytes as u64;
    }

    pub(super) fn size(&mut self, format: usize, bytes: usize) {
        let tally = &mut self.formats[format];
        let bytes = bytes as u64;
        tally.bytes += bytes;
        tally.min = tally.min.min(bytes);
        tally.max = tally.max.max(bytes);
    }

    pub(super) fn coded_size(&mut self, format: usize, coding: usize, bytes: usize) {
        self.formats[format].coded[coding].1 += bytes as u64;
    }

    pub(super) fn losses(&mut self, format: usize, losses: Vec<Loss>) {
        fidelity::merge(&mut self.formats[format].losses, losses);
    }

    pub(super) fn checked(&mut self) {
        self.checked += 1;
    }

    pub(super) fn misfit(&mut self, misfit: impl FnOnce() -> Misfit) {
        self.misfits += 1;
        if self.named_misfits.len() < ERRORS_NAMED {
            self.named_misfits.push(misfit());
        }
    }

    pub(super) fn refuse(&mut self, format: usize, reason: impl FnOnce() -> String) {
        self.formats[format].refusal.get_or_insert_with(reason);
    }

    pub(super) fn error(&mut self, error: impl FnOnce() -> InputError) {
        if self.errors.len() < ERRORS_NAMED {
            self.errors.push(error());
        } else {
            self.unnamed_errors += 1;
        }
    }

    pub(super) fn merge(&mut self, other: Tally) {
        self.payloads += other.payloads;
        self.checked += other.checked;
        self.given_bytes += other.given_bytes;
        self.misfits += other.misfits;
        self.named_misfits.extend(other.named_misfits);
        self.named_misfits.truncate(ERRORS_NAMED);
        for source in &other.sources {
            self.source(source);
        }
        self.made_from.extend(&other.made_from);
        self.unnamed_errors += other.unnamed_errors;
        for error in other.errors {
            self.error(|| error);
        }
        for (mine, theirs) in self.formats.iter_mut().zip(other.formats) {
            mine.bytes += theirs.bytes;
            mine.min = mine.min.min(theirs.min);
            mine.max = mine.max.max(theirs.max);
            for (mine, theirs) in mine.coded.iter_mut().zip(theirs.coded) {
                mine.1 += theirs.1;
            }
            fidelity::merge(&mut mine.losses, theirs.losses);
            mine.refusal = mine.refusal.take().or(theirs.refusal);
        }
    }

    /// Returns the report, with rows for all payloads together and one summary entry.
    pub(super) fn report(&self, options: &Options) -> Report {
        let mut report = Report {
            schema: report::SCHEMA.to_owned(),
            tool: host::tool(),
            host: host::host(),
            options: options.to_json(),
            reference: options.reference,
            delta: options.delta(),
            target_half_width: options.target_half_width(),
            payloads: vec![PayloadSummary {
                name: self.sources.join(", "),
                endpoint: None,
                bytes: self.given_bytes,
                made_from: (!self.made_from.is_empty())
                    .then(|| self.made_from.iter().copied().collect::<Vec<_>>().join(", ")),
            }],
            payload_count: self.payloads,
            lanes: vec![LaneNote {
                lane: BUILT_IN_LANE.to_owned(),
                title: BUILT_IN_LANE_TITLE.to_owned(),
                runtime: Some(host::tool().rustc),
                status: Status::Ok,
                delta: options.delta(),
            }],
            hold_out: None,
            rows: self.formats.iter().map(|tally| self.row(tally)).collect(),
            payload_comparisons: Vec::new(),
            fields: Vec::new(),
            gates: Vec::new(),
            baseline: None,
            notes: Vec::new(),
            verdicts: Vec::new(),
            answers: Vec::new(),
            differences: Vec::new(),
            interrupted: false,
            done: None,
        };
        Verdicts::of(&report).write(&mut report);
        report
    }

    fn row(&self, tally: &FormatTally) -> Row {
        let ok = tally.refusal.is_none() && self.payloads > 0;
        let mean = tally.bytes / self.payloads.max(1);
        Row {
            payload: if self.payloads == 1 { self.sources.join(", ") } else { "*".to_owned() },
            lane: BUILT_IN_LANE.to_owned(),
            library: OWN_LIBRARY.name.to_owned(),
            library_version: OWN_LIBRARY.version.to_owned(),
            format: tally.format,
            target: ValueKind::Dynamic,
            buffer: Buffer::Reused,
            status: match &tally.refusal {
                Some(reason) => Status::Failed(reason.clone()),
                None if self.payloads == 0 => {
                    Status::Failed("there was no payload to encode".to_owned())
                }
                None => Status::Ok,
            },
            // Losses are reported even if only some payloads were checked. `exact` is reported only
            // if no payload has losses and all were checked.
            fidelity: (ok && (self.checked == self.payloads || !tally.losses.is_empty()))
                .then(|| Fidelity::of(tally.losses.clone())),
            size_bytes: ok.then_some(tally.bytes),
            size_spread: None,
            coded_bytes: tally
                .coded
                .iter()
                .filter(|_| ok)
                .map(|(level, bytes)| (level.to_string(), *bytes))
                .collect(),
            header_bytes: http::header_bytes(tally.format, mean),
            encode: None,
            decode: None,
            coded: Default::default(),
            reference: None,
            sweep: None,
            launches: 0,
            warnings: self.warnings(),
        }
    }

    fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.misfits > 0 {
            warnings.push(self.left_out());
        }
        if self.unnamed_errors > 0 {
            warnings.push(format!("{} more payloads could not be read", self.unnamed_errors));
        }
        warnings
    }

    /// Describes the payloads that do not fit the shape: their number, and the misfits of the first.
    fn left_out(&self) -> String {
        let misfits = self.named_misfits.iter();
        let named: Vec<String> =
            misfits.map(|misfit| format!("{}: {}", misfit.name, misfit.reason)).collect();
        format!(
            "{} of {} payloads do not fit the shape and are left out of every row; the first: {}",
            self.misfits,
            self.misfits + self.payloads,
            named.join("; ")
        )
    }

    /// Returns the error for inputs of which no payload fits the shape: their rows have no figures.
    pub(super) fn all_left_out(&self) -> Option<InputError> {
        let is_error = self.payloads == 0 && self.misfits > 0;
        is_error.then(|| InputError::whole(&self.sources.join(", "), self.left_out()))
    }
}
