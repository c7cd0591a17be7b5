//! Every format written by hand, with the code that a careful author would put around the codecs.

use manywire::{Format, Shaped};
use manywire_codec::{Category, Error, Result, avro, bson, cbor, msgpack, protobuf};
use manywire_shape::Shape;
use manywire_shape::avro::Schema;
use serde::Serialize;

/// The schemas of one type, for the formats that need one.
#[derive(Debug)]
pub struct HandwrittenCodec {
    protobuf: protobuf::Plan,
    avro: avro::Plan,
    /// The header before a datum (Avro specification, "Single-object encoding").
    avro_head: [u8; 10],
}

impl HandwrittenCodec {
    /// Compiles the schemas of a type.
    ///
    /// # Errors
    /// Returns an error if Protocol Buffers or Avro cannot represent the type.
    pub fn for_type<T: Shaped>() -> Result<Self> {
        let shape = Shape::of::<T>();
        let schema =
            Schema::from_shape(&shape).map_err(|error| Error::new(Category::Unsupported, error))?;
        let mut avro_head = [0xC3, 0x01, 0, 0, 0, 0, 0, 0, 0, 0];
        avro_head[2..].copy_from_slice(&schema.fingerprint().to_le_bytes());
        Ok(HandwrittenCodec {
            protobuf: protobuf::Plan::from_shape(&shape)?,
            avro: avro::Plan::new(&schema)?,
            avro_head,
        })
    }

    /// Writes a value of the type; JSON with serde_json.
    ///
    /// # Errors
    /// Returns an error if the format cannot represent the value, or if no scenario has the format.
    pub fn write<T: Serialize>(&self, format: Format, value: &T) -> Result<Vec<u8>> {
        match format {
            Format::Json => {
                serde_json::to_vec(value).map_err(|error| Error::new(Category::Data, error))
            }
            Format::MsgPack => msgpack::to_vec(value),
            Format::Cbor => cbor::to_vec(value),
            Format::Protobuf => self.protobuf.to_vec(value),
            Format::Avro => {
                let mut out = self.avro_head.to_vec();
                self.avro.encode(value, &mut out).map(|()| out)
            }
            Format::Bson => bson::to_vec(value),
            other => {
                Err(Error::new(Category::Unsupported, format_args!("no scenario has {other}")))
            }
        }
    }
}
