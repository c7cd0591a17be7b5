use std::sync::atomic::AtomicBool;

use manywire_codec::Codec;
use manywire_codec::coding::Encoder;
use manywire_format::{self as format, Format};
use manywire_shape::infer::fits;
use manywire_shape::{Arena, Shape, Value};

use super::batch::{Batch, Batches, Each, Number};
use super::tally::Misfit;
use super::{Reader, Tally, each_batch, locate};
use crate::weigh::measure::Progress;
use crate::weigh::options::Options;
use crate::weigh::payload::LIMITS;
use crate::weigh::schema::Schema;
use manywire_shape::fidelity;

/// Encodes every payload in every format and counts: the second reading.
pub(super) fn count(
    schema: &Schema,
    prefix: Vec<Batch>,
    batches: &mut Batches,
    options: &Options,
    interrupted: &AtomicBool,
    progress: &mut dyn Progress,
) -> Result<Tally, String> {
    let encoders =
        || options.codings.iter().map(|&level| Encoder::new(level)).collect::<Result<Vec<_>, _>>();
    encoders().map_err(|error| error.to_string())?;
    let codecs: Vec<(Format, Result<Codec, String>)> =
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

/// What one thread counts with.
struct Counter<'s> {
    shape: &'s Shape,
    codecs: &'s [(Format, Result<Codec, String>)],
    encoders: Vec<Encoder>,
    reader: Reader,
    arena: Arena,
    // The bytes of the payload at hand, by format.
    buffers: Vec<Vec<u8>>,
    coded: Vec<u8>,
    // How many payloads were round-tripped.
    checked: u64,
    tally: Tally,
}

/// Payloads that a thread round-trips. Decoding every payload of a long stream in every format
/// would double the time; a report says `exact` only if every payload was checked.
const CHECKED_MAX: u64 = 1_000;

impl Counter<'_> {
    fn batch(&mut self, batch: &Batch) {
        self.tally.source(&batch.file);
        if let Some(form) = batch.made_from {
            self.tally.made_from(form);
        }
        for Each { number, bytes, given } in batch.payloads() {
            let arena = std::mem::take(&mut self.arena);
            match self.reader.read(batch.format, bytes, &arena) {
                Ok(value) => self.payload(batch, number, given, &value),
                Err(error) => self.tally.error(|| locate(batch, number, bytes, &error)),
            }
            self.arena = arena;
            self.arena.reset();
        }
    }

    fn payload(&mut self, batch: &Batch, number: Number, given: usize, value: &Value<'_>) {
        for (index, (format, codec)) in self.codecs.iter().enumerate() {
            let buffer = &mut self.buffers[index];
            buffer.clear();
            let Ok(codec) = codec else { continue };
            let Err(error) = codec.encode(value, buffer) else { continue };
            buffer.clear();
            // Either the payload is not of the shape, and then no row counts it, or this format
            // has no place for it, and then its row is out.
            let by_shape = format.row().schema != format::Schema::InBand;
            match fits(self.shape, value) {
                Err(misfit) if by_shape => {
                    let name = batch.name(number);
                    self.tally.misfit(|| Misfit { name, reason: misfit.to_string() });
                    return;
                }
                _ => self.tally.refuse(index, || format!("{}: {error}", batch.name(number))),
            }
        }
        self.tally.payload(given);
        if self.checked < CHECKED_MAX {
            self.checked += 1;
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
    /// Reads back what was just written.
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
