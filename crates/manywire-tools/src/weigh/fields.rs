//! The bytes that each field of the payloads takes in a format.
//!
//! Our own codecs write the bytes, and the walkers of `explain` read them. A format has no figures
//! if the walker does not account for exactly the bytes that the codec wrote.

use std::sync::atomic::{AtomicBool, Ordering};

use manywire_format::{Form, Format, Framing};
use manywire_inspect::{Options, PathBytes, PathRanking, Schema, walk_from};

use crate::payload::LIMITS;
use crate::walk::NamedPaths;
use crate::weigh::lanes::LaneInput;
use crate::weigh::report::{FieldBytes, FormatFields};

/// The maximum number of fields that are listed for a format.
const LISTED: usize = 20;

/// Adds up the bytes of each field in each of `formats` that can hold the payloads, until
/// `interrupted` is true. `payload` is the name of the payloads in the rows of the report.
pub fn count(
    payload: &str,
    lane_input: &LaneInput,
    formats: &[Format],
    interrupted: &AtomicBool,
) -> Vec<FormatFields> {
    let until_interrupt = formats.iter().take_while(|_| !interrupted.load(Ordering::Relaxed));
    until_interrupt.filter_map(|&format| count_in(payload, lane_input, format)).collect()
}

fn count_in(payload: &str, lane_input: &LaneInput, format: Format) -> Option<FormatFields> {
    let encoded = lane_input.encoded(format).ok()?;
    let fields = rank(lane_input, format, encoded)?;
    let sum = |part: fn(&PathBytes) -> usize| fields.iter().map(part).sum::<usize>() as u64;
    let (keys, structure, values) = (sum(|it| it.keys), sum(|it| it.heads), sum(|it| it.values));
    let bytes: usize = encoded.iter().map(Vec::len).sum();
    (keys + structure + values == bytes as u64).then(|| FormatFields {
        payload: payload.to_owned(),
        format,
        keys,
        structure,
        values,
        field_count: fields.len() as u64,
        fields: fields.into_iter().take(LISTED).map(FieldBytes::from).collect(),
    })
}

/// Returns the fields, the one with the most bytes first.
fn rank(lane_input: &LaneInput, format: Format, encoded: &[Vec<u8>]) -> Option<Vec<PathBytes>> {
    let schema = lane_input.schema();
    let (proto, avro) = match format {
        Format::Protobuf => (schema.to_proto().ok(), None),
        Format::Avro => (None, schema.to_avro().ok()),
        _ => (None, None),
    };
    let options = Options {
        schema: proto.as_ref().map(Schema::Protobuf).or_else(|| avro.as_ref().map(Schema::Avro)),
        depth_max: LIMITS.depth,
        ..Options::DEFAULT
    };
    // Only records that are written as arrays have positions in place of names.
    let mut names = NamedPaths::of((format == Format::MsgPackArray).then_some(&schema.shape));
    let mut ranking = PathRanking::default();
    let form = Form { format, framing: Framing::Single };
    for mut bytes in encoded.iter().map(Vec::as_slice) {
        walk_from(&mut bytes, form, options, &mut |event| {
            names.pass(&event, |event| ranking.add(event));
        })
        .ok()?;
    }
    Some(ranking.into_sorted())
}

impl From<PathBytes> for FieldBytes {
    fn from(found: PathBytes) -> Self {
        FieldBytes {
            path: found.path,
            keys: found.keys as u64,
            structure: found.heads as u64,
            values: found.values as u64,
            times: found.times as u64,
        }
    }
}
