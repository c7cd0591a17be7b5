use crate::Format;

/// What a reader must have before it can make sense of the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schema {
    /// Nothing: the bytes name and type everything they hold.
    InBand,
    /// The order of the fields; types are in the bytes, names are not.
    FieldOrder,
    /// The whole shape, names and types.
    Shape,
}

/// One row of [`FORMATS`].
#[derive(Debug)]
pub struct Row {
    /// The format this row is about.
    pub format: Format,
    /// Its name on the command line and in reports.
    pub name: &'static str,
    /// Its name in prose.
    pub title: &'static str,
    /// The media type we send.
    pub media_type: &'static str,
    /// Other media types we understand.
    pub aliases: &'static [&'static str],
    /// The structured syntax suffix registered for it (RFC 6838, section 4.2.8), without the plus.
    pub suffix: Option<&'static str>,
    /// File extensions, without the dot. Each belongs to one format.
    pub extensions: &'static [&'static str],
    /// Whether the bytes are text.
    pub text: bool,
    /// What a reader needs besides the bytes.
    pub schema: Schema,
    /// What of the value model the format has no place for, in words.
    pub cannot_hold: &'static [&'static str],
    /// Where the format is specified.
    pub specification: &'static str,
}

/// Every format, in the order of [`Format`]'s variants, which is also the order of reports.
pub static FORMATS: &[Row] = &[
    Row {
        format: Format::Json,
        name: "json",
        title: "JSON",
        media_type: "application/json",
        aliases: &["text/json"],
        suffix: Some("json"),
        extensions: &["json"],
        text: true,
        schema: Schema::InBand,
        cannot_hold: &[
            "bytes",
            "NaN and infinities",
            "keys that are not strings",
            "timestamps",
            "extensions",
        ],
        specification: "RFC 8259",
    },
    Row {
        format: Format::MsgPack,
        name: "msgpack",
        title: "MessagePack (map)",
        media_type: "application/vnd.msgpack",
        aliases: &["application/msgpack", "application/x-msgpack"],
        suffix: None,
        extensions: &["msgpack", "mpk"],
        text: false,
        schema: Schema::InBand,
        cannot_hold: &[
            "numbers beyond 64 bits apart from bytes",
            "numbers beyond 128 bits",
            "CBOR and BSON extensions",
        ],
        specification: "msgpack/spec.md, 2017-08-09",
    },
    Row {
        format: Format::MsgPackArray,
        name: "msgpack-array",
        title: "MessagePack (array)",
        media_type: "application/vnd.msgpack",
        aliases: &["application/msgpack", "application/x-msgpack"],
        suffix: None,
        extensions: &[],
        text: false,
        schema: Schema::FieldOrder,
        cannot_hold: &[
            "absent apart from null",
            "a field twice in a record",
            "numbers beyond 64 bits apart from bytes",
            "numbers beyond 128 bits",
            "CBOR and BSON extensions",
        ],
        specification: "msgpack/spec.md, 2017-08-09",
    },
    Row {
        format: Format::Cbor,
        name: "cbor",
        title: "CBOR",
        media_type: "application/cbor",
        aliases: &[],
        suffix: Some("cbor"),
        extensions: &["cbor"],
        text: false,
        schema: Schema::InBand,
        cannot_hold: &["MessagePack and BSON extensions"],
        specification: "RFC 8949",
    },
    Row {
        format: Format::Protobuf,
        name: "protobuf",
        title: "Protocol Buffers",
        media_type: "application/protobuf",
        aliases: &["application/x-protobuf", "application/vnd.google.protobuf"],
        suffix: None,
        extensions: &["pb", "binpb"],
        text: false,
        schema: Schema::Shape,
        cannot_hold: &[
            "null apart from absent",
            "a field twice in a record",
            "numbers beyond 64 bits",
            "extensions",
        ],
        specification: "protobuf.dev/programming-guides/encoding, proto3",
    },
    Row {
        format: Format::Avro,
        name: "avro",
        title: "Avro",
        media_type: "application/avro",
        aliases: &["avro/binary", "application/vnd.apache.avro"],
        suffix: None,
        extensions: &["avro"],
        text: false,
        schema: Schema::Shape,
        cannot_hold: &[
            "absent apart from null",
            "a field twice in a record",
            "integers beyond i64",
            "extensions",
        ],
        specification: "Apache Avro 1.12",
    },
    Row {
        format: Format::Bson,
        name: "bson",
        title: "BSON",
        media_type: "application/bson",
        aliases: &[],
        suffix: None,
        extensions: &["bson"],
        text: false,
        schema: Schema::InBand,
        cannot_hold: &[
            "a scalar at the top",
            "integers beyond i64",
            "keys that are not strings",
            "NUL in keys",
            "times finer than a millisecond",
            "MessagePack and CBOR extensions",
        ],
        specification: "bsonspec.org, 1.1",
    },
];
