//! Avro's single-object encoding.

use manywire_codec::{Category, Error, Limits, Result};
use manywire_format::Format;
use manywire_shape::Shape;
use manywire_shape::avro::Schema;
use serde::Serialize;
use serde::de::DeserializeSeed;

use super::formats::avro::Plan;

/// The two bytes in front of the fingerprint of the schema and the datum (Avro specification,
/// "Single-object encoding").
const MARKER: [u8; 2] = [0xC3, 0x01];

/// Avro's single-object encoding: each datum identifies the schema it was written with, since an
/// HTTP message has no other place for the schema's fingerprint.
#[derive(Debug)]
pub(crate) struct SingleObject {
    plan: Plan,
    fingerprint: [u8; 8],
}

impl SingleObject {
    /// Compiles the schema of a shape.
    pub(crate) fn new(shape: &Shape) -> Result<SingleObject> {
        let schema = Schema::from_shape(shape)
            .map_err(|error| Error::new(Category::Unsupported, error).with_format(Format::Avro))?;
        let fingerprint = schema.fingerprint().to_le_bytes();
        Ok(SingleObject { plan: Plan::new(&schema)?, fingerprint })
    }

    /// Appends the marker, the fingerprint and the datum. On an error `out` is unchanged.
    pub(crate) fn encode<T: Serialize>(&self, value: &T, out: &mut Vec<u8>) -> Result<()> {
        let start = out.len();
        out.extend_from_slice(&self.head());
        self.plan.encode(value, out).inspect_err(|_| out.truncate(start))
    }

    /// Returns the header of each datum.
    pub(crate) fn head(&self) -> [u8; 10] {
        let mut head = [0; 10];
        head[..2].copy_from_slice(&MARKER);
        head[2..].copy_from_slice(&self.fingerprint);
        head
    }

    /// Decodes the output of [`SingleObject::encode`] with a seed.
    ///
    /// # Errors
    /// Fails with [`Category::Eof`] for fewer than ten bytes, with [`Category::Syntax`] if the
    /// marker is missing, and with [`Category::Data`] for another schema.
    pub(crate) fn decode_seed<'de, S: DeserializeSeed<'de>>(
        &'de self,
        seed: S,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<S::Value> {
        self.plan.decode_seed(seed, self.datum(bytes)?, limits)
    }

    /// Returns the datum after its header.
    ///
    /// # Errors
    /// Fails as [`SingleObject::decode_seed`] does.
    pub(crate) fn datum<'b>(&self, bytes: &'b [u8]) -> Result<&'b [u8]> {
        let wrong = |category, message: String| {
            Err(Error::new(category, message).with_format(Format::Avro).with_offset(0))
        };
        let Some((head, datum)) = bytes.split_first_chunk::<10>() else {
            return wrong(
                Category::Eof,
                "expected the ten bytes of single-object encoding: c3 01 and a fingerprint"
                    .to_owned(),
            );
        };
        let [first, second, fingerprint @ ..] = *head;
        if [first, second] != MARKER {
            return wrong(
                Category::Syntax,
                format!(
                    "expected single-object encoding, which begins with c3 01, found {first:02x} {second:02x}"
                ),
            );
        }
        if fingerprint != self.fingerprint {
            return wrong(
                Category::Data,
                format!(
                    "expected the schema with the fingerprint {:016x}, found {:016x}",
                    u64::from_le_bytes(self.fingerprint),
                    u64::from_le_bytes(fingerprint)
                ),
            );
        }
        Ok(datum)
    }
}
