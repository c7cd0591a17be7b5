use manywire_codec::{Codec, avro, protobuf, read_value, write_value};
use manywire_format::{FORMATS, Format, FormatRow, SchemaNeeds};
use manywire_shape::{Arena, Value};

use crate::LIMITS;
use crate::coder::{Coder, load, sure};
use crate::error::Result;
use crate::known::Known;
use crate::subject::{self, Subject};

/// The codecs of `manywire`, on values that borrow from an arena and from the bytes.
struct Manywire(Kind);

enum Kind {
    /// A self-describing format.
    Plain(Format),
    /// A format with a schema.
    Schema(Codec),
}

/// The capacity of a fresh buffer: that of serde_json's `to_vec`.
const FRESH_CAPACITY: usize = 128;

impl Coder for Manywire {
    type Scratch = Arena;
    type Value<'a> = Value<'a>;

    #[inline]
    fn decode<'a>(&'a self, bytes: &'a [u8], arena: &'a Arena) -> Result<Value<'a>> {
        Ok(match &self.0 {
            Kind::Plain(format) => read_value(*format, bytes, arena, LIMITS)?,
            Kind::Schema(codec) => codec.decode_with(bytes, arena, LIMITS)?,
        })
    }

    #[inline]
    fn encode(&self, value: &Value<'_>) -> Result<Vec<u8>> {
        let mut out = Vec::with_capacity(FRESH_CAPACITY);
        match &self.0 {
            Kind::Plain(format) => write_value(*format, value, &mut out)?,
            Kind::Schema(codec) => codec.encode(value, &mut out)?,
        }
        Ok(out)
    }

    fn plain<'a>(&'a self, value: &Value<'a>, _: &'a Arena) -> Result<Value<'a>> {
        Ok(*value)
    }
}

/// Returns the codec of a format with a schema.
fn codec(format: Format, known: &Known) -> Result<Codec> {
    Ok(match format {
        Format::Protobuf => protobuf::Plan::new(&known.model()?.schema()?)?.into(),
        Format::Avro => avro::Plan::new(&known.avro()?.0)?.into(),
        format => Codec::new(format, known.shape()?)?,
    })
}

/// Returns a subject for each format of the table.
pub(super) fn dynamic() -> Vec<Subject> {
    let subject = |row: &'static FormatRow| {
        subject::dynamic("manywire", row.name, move |known, bytes| {
            let kind = match row.schema {
                SchemaNeeds::InBand => Kind::Plain(row.format),
                SchemaNeeds::FieldOrder | SchemaNeeds::Shape => {
                    Kind::Schema(codec(row.format, known)?)
                }
            };
            load(Manywire(kind), bytes, sure)
        })
    };
    FORMATS.iter().map(subject).collect()
}
