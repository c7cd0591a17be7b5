//! The second reading of a stream: encodes every payload in every format and adds up the sizes.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use manywire_codec::Codec;
use manywire_codec::coding::Encoder;
use manywire_format::{CodingLevel, Format, SchemaNeeds};
use manywire_shape::fidelity::Loss;
use manywire_shape::fit::fits;
use manywire_shape::{Arena, Shape, Value, fidelity};

use super::chunk::{Chunk, ChunkPayload, Chunks};
use super::{ERRORS_NAMED, Reader, SizesError, each_chunk, locate};
use crate::payload::{InputError, LIMITS, Schema};
use crate::weigh::measure::empty_report;
use crate::weigh::options::Options;
use crate::weigh::payload::{ProtoJsonReader, ProtoJsonValues, read_with_doubles};
use crate::weigh::progress::Progress;
use crate::weigh::report::{
    BUILT_IN_LANE, Fidelity, LaneNote, PayloadSummary, Report, Row, Status,
};
use crate::weigh::subject::{Buffer, ValueKind};
use crate::weigh::verdict::Verdicts;
use crate::weigh::worker::{BUILT_IN_LANE_TITLE, OWN_LIBRARY};
use crate::weigh::{host, http};

/// Reads the payloads a second time, encodes each in every format, and counts the bytes.
pub(super) fn count(
    schema: &Schema,
    prefix: Vec<Chunk>,
    chunks: &mut Chunks,
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
        shape: &schema.shape,
        proto_json: ProtoJsonReader::of(schema),
        codecs: &codecs,
        encoders: encoders().unwrap_or_default(),
        reader: Reader::new(),
        arena: Arena::new(),
        buffers: vec![Vec::new(); codecs.len()],
        coded: Vec::new(),
        tally: Tally::new(&codecs, &options.codings),
    };
    let mut first = make();
    for chunk in prefix {
        first.chunk(&chunk);
    }
    let work = |counter: &mut Counter<'_>, chunk: &Chunk| counter.chunk(chunk);
    let counters = each_chunk(chunks, make, work, interrupted, progress, "taking sizes");
    let mut whole = first.tally;
    counters.into_iter().for_each(|counter| whole.merge(counter.tally));
    Ok(whole)
}

/// A format with its codec, or the reason that the format cannot represent the shape.
type FormatCodec = (Format, manywire_codec::Result<Codec>);

/// The state of one counting thread.
struct Counter<'s> {
    shape: &'s Shape,
    // Reads JSON by a `.proto` for formats that need the schema.
    proto_json: Option<ProtoJsonReader<'s>>,
    codecs: &'s [FormatCodec],
    encoders: Vec<Encoder>,
    reader: Reader,
    arena: Arena,
    // The bytes of the current payload, by format.
    buffers: Vec<Vec<u8>>,
    coded: Vec<u8>,
    tally: Tally,
}

/// The maximum number of payloads that a thread round-trips. Decoding every payload of a long
/// stream in every format would double the time. A report says `exact` only if every payload was
/// checked.
const CHECKED_MAX: u64 = 1_000;

impl Counter<'_> {
    fn chunk(&mut self, chunk: &Chunk) {
        self.tally.source(&chunk.file);
        if let Some(form) = chunk.made_from {
            self.tally.made_from.insert(form.name());
        }
        for fault in &chunk.faults {
            self.tally.errors.add(chunk.index, || fault.clone());
        }
        for payload in chunk.payloads() {
            let arena = std::mem::take(&mut self.arena);
            let ChunkPayload { number, bytes, .. } = payload;
            match self.reader.read(chunk.format, bytes, &arena) {
                Ok(value) => {
                    let reader = self.proto_json.as_ref();
                    let reader = reader.filter(|_| chunk.format == Format::Json);
                    let by_schema = reader.map(|reader| reader.read(value, &arena));
                    self.payload(chunk, &payload, &value, by_schema.as_ref());
                }
                Err(error) => {
                    self.tally.errors.add(chunk.index, || locate(chunk, number, bytes, &error));
                }
            }
            self.arena = arena;
            self.arena.reset();
        }
    }

    /// Counts a payload. In formats that need a schema it has the values `by_schema`, if there are any.
    fn payload<'a>(
        &mut self,
        chunk: &Chunk,
        payload: &ChunkPayload<'_>,
        value: &Value<'a>,
        by_schema: Option<&ProtoJsonValues<'a>>,
    ) {
        let &ChunkPayload { number, bytes, input_bytes } = payload;
        let value_in = |format| by_schema.and_then(|it| it.value_in(format)).unwrap_or(*value);
        // Applied only to a payload that fits the shape, whatever the order of the formats.
        let mut refusals = Vec::new();
        for (index, (format, codec)) in self.codecs.iter().enumerate() {
            let buffer = &mut self.buffers[index];
            buffer.clear();
            let Ok(codec) = codec else { continue };
            let value = value_in(*format);
            let Err(error) = codec.encode(&value, buffer) else { continue };
            buffer.clear();
            // Either the payload does not fit the shape, and no row counts it, or this format
            // cannot hold it, and its row has no figures.
            let by_shape = format.row().schema != SchemaNeeds::InBand;
            match fits(self.shape, &value) {
                Err(misfit) if by_shape => {
                    let misfit = || format!("{}: {misfit}", chunk.name(number));
                    self.tally.misfits.add(chunk.index, misfit);
                    return;
                }
                _ => refusals.push((index, error)),
            }
        }
        for (index, error) in refusals {
            self.tally.refuse(index, || format!("{}: {error}", chunk.name(number)));
        }
        self.tally.payloads += 1;
        self.tally.given_bytes += input_bytes as u64;
        if self.tally.checked < CHECKED_MAX {
            self.tally.checked += 1;
            self.check_reading(chunk.format, bytes, by_schema);
            self.check(value_in);
        }
        for (index, buffer) in self.buffers.iter().enumerate() {
            self.tally.formats[index].bytes += buffer.len() as u64;
            for (coding, encoder) in self.encoders.iter_mut().enumerate() {
                self.coded.clear();
                match encoder.encode(buffer, &mut self.coded) {
                    Ok(()) => {
                        let (_, bytes) = &mut self.tally.formats[index].coded[coding];
                        *bytes += self.coded.len() as u64;
                    }
                    Err(error) => self.tally.refuse(index, || error.to_string()),
                }
            }
        }
    }

    /// Adds to the losses of every format the JSON fractions that reading rounded.
    fn check_reading(
        &mut self,
        format: Format,
        bytes: &[u8],
        by_schema: Option<&ProtoJsonValues<'_>>,
    ) {
        let arena = Arena::new();
        let Ok((_, losses)) = read_with_doubles(format, bytes, &arena) else { return };
        for tally in &mut self.tally.formats {
            fidelity::merge(&mut tally.losses, losses.clone());
            if let Some(by_schema) = by_schema {
                let losses = by_schema.losses_in(tally.format).to_vec();
                fidelity::merge(&mut tally.losses, losses);
            }
        }
    }

    /// Reads the payload back from the bytes of each format, and adds the losses. `value_in` returns the
    /// value that a format has.
    fn check<'a>(&mut self, value_in: impl Fn(Format) -> Value<'a>) {
        for (index, (format, codec)) in self.codecs.iter().enumerate() {
            let (Ok(codec), buffer) = (codec, &self.buffers[index]) else { continue };
            let arena = Arena::new();
            match codec.decode_with(buffer, &arena, LIMITS) {
                Ok(returned) => {
                    let losses = fidelity::losses(&value_in(*format), &returned);
                    fidelity::merge(&mut self.tally.formats[index].losses, losses);
                }
                Err(error) => self.tally.refuse(index, || error.to_string()),
            }
        }
    }
}

/// The counts over all payloads.
pub(super) struct Tally {
    formats: Vec<FormatTally>,
    payloads: u64,
    // The number of payloads that were round-tripped.
    checked: u64,
    given_bytes: u64,
    sources: Vec<String>,
    // The original forms of payloads that were converted.
    made_from: BTreeSet<&'static str>,
    // The payloads that do not fit the shape, each with its misfit.
    misfits: First<String>,
    // The payloads that could not be read.
    errors: First<InputError>,
}

struct FormatTally {
    format: Format,
    bytes: u64,
    coded: Vec<(CodingLevel, u64)>,
    // The losses of the payloads that were round-tripped.
    losses: Vec<Loss>,
    // The reason that the format has no figures.
    refusal: Option<String>,
}

impl Tally {
    fn new(codecs: &[FormatCodec], codings: &[CodingLevel]) -> Self {
        let formats = codecs.iter().map(|(format, codec)| FormatTally {
            format: *format,
            bytes: 0,
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
            misfits: First::new(),
            errors: First::new(),
        }
    }

    fn source(&mut self, file: &str) {
        if !self.sources.iter().any(|known| known == file) {
            self.sources.push(file.to_owned());
        }
    }

    fn refuse(&mut self, format: usize, reason: impl FnOnce() -> String) {
        self.formats[format].refusal.get_or_insert_with(reason);
    }

    fn merge(&mut self, other: Tally) {
        self.payloads += other.payloads;
        self.checked += other.checked;
        self.given_bytes += other.given_bytes;
        self.misfits.merge(other.misfits);
        self.errors.merge(other.errors);
        for source in &other.sources {
            self.source(source);
        }
        self.made_from.extend(&other.made_from);
        for (mine, theirs) in self.formats.iter_mut().zip(other.formats) {
            mine.bytes += theirs.bytes;
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
            rows: self.formats.iter().map(|tally| self.row(tally)).collect(),
            ..empty_report(options)
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
        self.left_out().into_iter().chain(self.unnamed_errors()).collect()
    }

    /// Describes the payloads that do not fit the shape: their number, and the first misfits.
    fn left_out(&self) -> Option<String> {
        let misfits = self.misfits.count;
        let named: Vec<&str> = self.misfits.items().map(String::as_str).collect();
        (misfits > 0).then(|| {
            format!(
                "{misfits} of {} payloads do not fit the shape and are left out of every row; \
                 the first: {}",
                misfits + self.payloads,
                named.join("; ")
            )
        })
    }

    /// Describes the payloads that could not be read and are not among the first.
    fn unnamed_errors(&self) -> Option<String> {
        let unnamed = self.errors.count - self.errors.items().count() as u64;
        (unnamed > 0).then(|| format!("{unnamed} more payloads could not be read"))
    }

    /// Returns the errors of the first payloads that could not be read. If no payload was measured,
    /// the warnings of the rows are errors too, because the rows are not shown.
    pub(super) fn into_errors(self) -> Vec<InputError> {
        let name = self.sources.join(", ");
        let whole = |text: Option<String>| {
            text.filter(|_| self.payloads == 0).map(|text| InputError::whole(&name, text))
        };
        let (left_out, unnamed) = (whole(self.left_out()), whole(self.unnamed_errors()));
        left_out.into_iter().chain(self.errors.into_items()).chain(unnamed).collect()
    }
}

/// The first items by their position in the input, and the number of all.
///
/// A thread takes chunks in the order of the input, so its first items are those that
/// [`First::merge`] needs.
struct First<T> {
    /// Each item with the index of its chunk.
    items: Vec<(u64, T)>,
    count: u64,
}

impl<T> First<T> {
    fn new() -> Self {
        First { items: Vec::new(), count: 0 }
    }

    fn add(&mut self, chunk: u64, item: impl FnOnce() -> T) {
        self.count += 1;
        if self.items.len() < ERRORS_NAMED {
            self.items.push((chunk, item()));
        }
    }

    fn merge(&mut self, other: First<T>) {
        self.count += other.count;
        self.items.extend(other.items);
        // Items of a chunk keep their order, because one thread read the whole chunk.
        self.items.sort_by_key(|(chunk, _)| *chunk);
        self.items.truncate(ERRORS_NAMED);
    }

    fn items(&self) -> impl Iterator<Item = &T> {
        self.items.iter().map(|(_, item)| item)
    }

    fn into_items(self) -> impl Iterator<Item = T> {
        self.items.into_iter().map(|(_, item)| item)
    }
}

#[cfg(test)]
mod tests {
    use super::{ERRORS_NAMED, First};

    #[test]
    fn the_first_items_are_those_of_the_input() {
        let mut whole = First::new();
        // The thread with the later chunks comes first.
        for chunks in [[1, 3], [0, 2]] {
            let mut thread = First::new();
            for chunk in chunks {
                for number in 0..4 {
                    thread.add(chunk, || (chunk, number));
                }
            }
            whole.merge(thread);
        }
        let positions = (0..4).flat_map(|chunk| (0..4).map(move |number| (chunk, number)));
        let expected: Vec<(u64, u64)> = positions.take(ERRORS_NAMED).collect();
        assert_eq!(whole.count, 16);
        assert_eq!(whole.into_items().collect::<Vec<_>>(), expected);
    }
}
