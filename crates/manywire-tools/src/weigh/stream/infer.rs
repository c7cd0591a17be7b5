use std::sync::atomic::AtomicBool;

use manywire_shape::Arena;
use manywire_shape::infer::Inference;

use super::batch::{Batch, Batches, Each};
use super::{PREFIX_BYTES, PREFIX_PAYLOADS, Reader, each_batch};
use crate::weigh::measure::Progress;
use crate::weigh::options::Options;
use crate::weigh::schema::Schema;

/// The shape of every payload: the first of the two readings. What cannot be read is passed over
/// here and reported by the second.
pub(super) fn from_everything(
    mut batches: Batches,
    interrupted: &AtomicBool,
    progress: &mut dyn Progress,
) -> Result<Schema, String> {
    struct State {
        reader: Reader,
        arena: Arena,
        inference: Inference,
    }
    let make = || State { reader: Reader::new(), arena: Arena::new(), inference: Inference::new() };
    let work = |state: &mut State, batch: &Batch| {
        for Each { bytes, .. } in batch.payloads() {
            if let Ok(value) = state.reader.read(batch.format, bytes, &state.arena) {
                state.inference.add(&value);
            }
            state.arena.reset();
        }
    };
    let states = each_batch(&mut batches, make, work, interrupted, progress, "inferring the shape");
    let mut inferences = states.into_iter().map(|state| state.inference);
    let mut whole = inferences.next().unwrap_or_default();
    inferences.for_each(|inference| whole.merge(inference));
    Ok(whole.shape().into())
}

/// The shape of the first payloads, or of the schema; and the batches read for it, which are
/// still to be counted.
pub(super) fn from_prefix(
    mut batches: Batches,
    options: &Options,
) -> Result<(Schema, Vec<Batch>, Batches), String> {
    if let Some(schema) = &options.schema {
        return Ok((Schema::read(schema)?, Vec::new(), batches));
    }
    let mut inference = Inference::new();
    let (mut reader, mut arena) = (Reader::new(), Arena::new());
    let mut prefix: Vec<Batch> = Vec::new();
    let (mut payloads, mut bytes_kept) = (0, 0);
    while payloads < PREFIX_PAYLOADS && bytes_kept < PREFIX_BYTES {
        let mut batch = Batch::default();
        if !batches.next(&mut batch) {
            break;
        }
        for Each { bytes, .. } in batch.payloads() {
            if payloads == PREFIX_PAYLOADS {
                break;
            }
            if let Ok(value) = reader.read(batch.format, bytes, &arena) {
                inference.add(&value);
                payloads += 1;
            }
            arena.reset();
        }
        bytes_kept += batch.bytes.len();
        prefix.push(batch);
    }
    Ok((inference.shape().into(), prefix, batches))
}
