//! The table of properties.

use manywire_format::{Coding, Format};

use crate::choices::Choices;
use crate::{agree, coding, decode, generate, schema, transcode, walk};

/// Why a property does not hold, for whoever looks at the bytes that show it.
#[derive(Debug)]
pub struct Broken(pub(crate) String);

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Broken {}

/// Whether a property holds.
pub(crate) type Holds = Result<(), Broken>;

/// Fails with a message unless something is so.
macro_rules! hold {
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return Err($crate::target::Broken(format!($($message)+)));
        }
    };
}
pub(crate) use hold;

/// What a property is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Bytes to values, one format's codec by itself.
    Decoder,
    /// Bytes to spans, one format's walker by itself.
    Walker,
    /// A codec and a walker held against each other.
    Agree,
    /// Compressed bytes to bytes.
    Coding,
    /// The text of a schema to a shape.
    Schema,
    /// A value of one format to the others and back.
    Transcoder,
}

/// One property.
#[derive(Debug)]
pub struct Target {
    /// Its name, which is that of its fuzz target and of its folder of regressions.
    pub name: &'static str,
    /// What it is about.
    pub kind: Kind,
    /// The format of its bytes, where they are of one.
    pub format: Option<Format>,
    check: fn(&[u8]) -> Holds,
    generate: fn(&mut Choices<'_>, &mut Vec<u8>),
}

impl Target {
    /// Checks the property on these bytes.
    ///
    /// # Errors
    /// What was expected and what was found, where it does not hold.
    pub fn check(&self, bytes: &[u8]) -> Result<(), Broken> {
        (self.check)(bytes)
    }

    /// Appends bytes that are near to what the property is about: valid, mostly, in forms that a
    /// careful writer would not choose.
    pub fn generate(&self, choices: &mut Choices<'_>, out: &mut Vec<u8>) {
        (self.generate)(choices, out);
    }
}

/// The row of this name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

macro_rules! row {
    ($name:literal, $kind:ident, $format:expr, $check:expr, $generate:expr) => {
        Target {
            name: $name,
            kind: Kind::$kind,
            format: $format,
            check: $check,
            generate: $generate,
        }
    };
}

/// Every property, the ones that find most first.
pub static TARGETS: &[Target] = &[
    row!("agree_msgpack", Agree, Some(Format::MsgPack), agree::msgpack, generate::msgpack),
    row!("agree_cbor", Agree, Some(Format::Cbor), agree::cbor, generate::cbor),
    row!("agree_bson", Agree, Some(Format::Bson), agree::bson, generate::bson),
    row!("agree_json", Agree, Some(Format::Json), agree::json, generate::json),
    row!("agree_protobuf", Agree, Some(Format::Protobuf), agree::protobuf, generate::protobuf),
    row!("agree_avro", Agree, Some(Format::Avro), agree::avro, generate::avro_datum),
    row!("decode_protobuf", Decoder, Some(Format::Protobuf), decode::protobuf, generate::protobuf),
    row!("decode_avro", Decoder, Some(Format::Avro), decode::avro, generate::avro),
    row!("decode_msgpack", Decoder, Some(Format::MsgPack), decode::msgpack, generate::msgpack),
    row!("decode_cbor", Decoder, Some(Format::Cbor), decode::cbor, generate::cbor),
    row!("decode_bson", Decoder, Some(Format::Bson), decode::bson, generate::bson),
    row!("decode_json", Decoder, Some(Format::Json), decode::json, generate::json),
    row!("decode_arranged", Decoder, None, decode::arranged, generate::shaped_msgpack),
    row!(
        "decode_protobuf_any_schema",
        Decoder,
        None,
        decode::protobuf_any_schema,
        generate::shaped
    ),
    row!("decode_avro_any_schema", Decoder, None, decode::avro_any_schema, generate::shaped),
    row!("walk_msgpack", Walker, Some(Format::MsgPack), walk::msgpack, generate::msgpack),
    row!("walk_cbor", Walker, Some(Format::Cbor), walk::cbor, generate::cbor),
    row!("walk_bson", Walker, Some(Format::Bson), walk::bson, generate::bson),
    row!("walk_json", Walker, Some(Format::Json), walk::json, generate::json),
    row!("walk_protobuf", Walker, Some(Format::Protobuf), walk::protobuf, generate::protobuf),
    row!("walk_avro", Walker, Some(Format::Avro), walk::avro, generate::avro_datum),
    row!(
        "transcode_msgpack",
        Transcoder,
        Some(Format::MsgPack),
        transcode::msgpack,
        generate::msgpack
    ),
    row!("transcode_cbor", Transcoder, Some(Format::Cbor), transcode::cbor, generate::cbor),
    row!("coding_gzip", Coding, None, |b| coding::check(Coding::Gzip, b), |c, o| generate::coded(
        Coding::Gzip,
        c,
        o
    )),
    row!("coding_deflate", Coding, None, |b| coding::check(Coding::Deflate, b), |c, o| {
        generate::coded(Coding::Deflate, c, o)
    }),
    row!("coding_zstd", Coding, None, |b| coding::check(Coding::Zstd, b), |c, o| generate::coded(
        Coding::Zstd,
        c,
        o
    )),
    row!("coding_br", Coding, None, |b| coding::check(Coding::Brotli, b), |c, o| generate::coded(
        Coding::Brotli,
        c,
        o
    )),
    row!("schema_proto", Schema, None, schema::proto, generate::proto_text),
    row!("schema_avsc", Schema, None, schema::avsc, generate::avsc_text),
    row!("schema_json", Schema, None, schema::json_schema, generate::json_schema_text),
];
