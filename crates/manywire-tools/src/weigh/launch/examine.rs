use std::collections::BTreeMap;

use manywire_codec::coding::Encoder;
use manywire_format::CodingLevel;
use manywire_meter::tally;
use manywire_shape::Arena;

use super::job::{Examination, Memory};
use crate::weigh::payload::{Corpus, LIMITS};
use crate::weigh::schema::Schema;
use crate::weigh::subject::{Operation, Runner, Subject};
use manywire_shape::fidelity::{self, Loss};

/// Round-trips every payload, then takes sizes and memory.
pub(super) fn examine(
    subject: Subject,
    codings: &[String],
    corpus: &Corpus<'_>,
    schema: &Schema,
) -> Result<Examination, String> {
    let mut runner = subject.prepare(corpus, schema)?;
    let encoded: Vec<&[u8]> = runner.encoded();
    let losses = round_trip(subject, &encoded, corpus, schema)?;
    let sizes = encoded.iter().map(|bytes| bytes.len() as u64).collect();
    let mut coded_sizes = BTreeMap::new();
    for name in codings {
        let level: CodingLevel = name.parse().map_err(|error| format!("malformed job: {error}"))?;
        coded_sizes.insert(name.clone(), sizes_under(level, &encoded)?);
    }
    let samples = corpus.samples.len();
    Ok(Examination {
        sizes,
        coded_sizes,
        losses,
        encode_memory: memory_of(&mut *runner, Operation::Encode, samples)?,
        decode_memory: memory_of(&mut *runner, Operation::Decode, samples)?,
    })
}

/// What reading the payloads lost, and what comes back from the bytes that the subject wrote.
///
/// Every library's bytes are read by our codec: a library that rounds a number on its way into
/// its own tree is caught by what it writes.
fn round_trip(
    subject: Subject,
    encoded: &[&[u8]],
    corpus: &Corpus<'_>,
    schema: &Schema,
) -> Result<Vec<Loss>, String> {
    let codec = schema.codec(subject.format)?;
    let mut all = Vec::new();
    for (sample, bytes) in corpus.samples.iter().zip(encoded) {
        fidelity::merge(&mut all, sample.losses.clone());
        let arena = Arena::new();
        let returned =
            codec.decode_with(bytes, &arena, LIMITS).map_err(|error| match encoded.len() {
                1 => error.to_string(),
                _ => format!("{}: {error}", sample.name),
            })?;
        fidelity::merge(&mut all, fidelity::losses(&sample.value, &returned));
    }
    Ok(all)
}

/// The sizes of some bytes under a coding.
pub(crate) fn sizes_under(level: CodingLevel, encoded: &[&[u8]]) -> Result<Vec<u64>, String> {
    let mut encoder = Encoder::new(level).map_err(|error| error.to_string())?;
    let mut out = Vec::new();
    let size = |bytes: &&[u8]| {
        out.clear();
        encoder
            .encode(bytes, &mut out)
            .map(|()| out.len() as u64)
            .map_err(|error| error.to_string())
    };
    encoded.iter().map(size).collect()
}

/// Memory of one operation a payload, as a mean. Each operation runs once beforehand, so that
/// what is set up only once does not count.
fn memory_of(
    runner: &mut dyn Runner,
    operation: Operation,
    samples: usize,
) -> Result<Option<Memory>, String> {
    let (mut allocs, mut alloc_bytes, mut peak_bytes) = (0.0, 0.0, 0.0);
    for sample in 0..samples {
        runner.run(operation, &[sample], 1)?;
        let (result, tally) = tally(|| runner.run(operation, &[sample], 1));
        result?;
        let Some(tally) = tally else { return Ok(None) };
        allocs += tally.allocs as f64;
        alloc_bytes += tally.bytes as f64;
        peak_bytes += tally.peak as f64;
    }
    let mean = |sum: f64| Some(sum / samples as f64);
    Ok(Some(Memory {
        allocs: mean(allocs),
        alloc_bytes: mean(alloc_bytes),
        peak_bytes: mean(peak_bytes),
    }))
}
