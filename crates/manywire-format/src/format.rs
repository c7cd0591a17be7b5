//! The wire formats with their forms in files, and the table of their properties.

use std::fmt;
use std::str::FromStr;

/// A wire format: the encoding of a value as bytes.
///
/// The two layouts of MessagePack are two formats. They share a media type, but differ in size, in
/// speed, and in the schema that a reader needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// JSON, RFC 8259.
    Json,
    /// MessagePack with records as maps from field name to value.
    MsgPack,
    /// MessagePack with records as arrays in the order of their fields.
    MsgPackArray,
    /// CBOR, RFC 8949.
    Cbor,
    /// Protocol Buffers, the proto3 wire format.
    Protobuf,
    /// Avro's binary encoding, one datum without a header.
    Avro,
    /// BSON 1.1.
    Bson,
}

impl Format {
    /// Every format, in the order of [`FORMATS`].
    pub const ALL: [Format; FORMATS.len()] = {
        let mut all = [Format::Json; FORMATS.len()];
        let mut index = 0;
        while index < all.len() {
            all[index] = FORMATS[index].format;
            index += 1;
        }
        all
    };

    /// Returns the row of this format in [`FORMATS`].
    pub fn row(self) -> &'static FormatRow {
        &FORMATS[self as usize]
    }

    /// Returns the name on the command line and in reports, such as `msgpack-array`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the format of files with this extension, in any letter case and without the dot.
    pub fn from_extension(extension: &str) -> Option<Format> {
        FORMATS
            .iter()
            .find(|row| row.extensions.iter().any(|known| known.eq_ignore_ascii_case(extension)))
            .map(|row| row.format)
    }

    /// Returns the first format in the table with this media type, without parameters.
    pub fn from_media_type(essence: &str) -> Option<Format> {
        FORMATS
            .iter()
            .find(|row| {
                row.media_type.eq_ignore_ascii_case(essence)
                    || row.aliases.iter().any(|alias| alias.eq_ignore_ascii_case(essence))
            })
            .map(|row| row.format)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The error for an unknown format name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFormat(String);

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown format {:?}: expected one of ", self.0)?;
        for (index, row) in FORMATS.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{}", row.name)?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownFormat {}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        FORMATS
            .iter()
            .find(|row| row.name == name)
            .map(|row| row.format)
            .ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}

/// A format and a framing: the layout of a file or a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Form {
    /// The format of each value.
    pub format: Format,
    /// The separation of values.
    pub framing: Framing,
}

/// The separation of values in a file or stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Framing {
    /// One value, up to the end of the input. Readers of streams accept several values, in the
    /// formats that show where a value ends.
    Single,
    /// Consecutive values, each of which shows where it ends: MessagePack, BSON, JSON; a CBOR
    /// sequence (RFC 8742).
    Sequence,
    /// Values separated by line feeds: NDJSON.
    Lines,
    /// Each value is preceded by its length as a varint, as the libraries of Protocol Buffers write
    /// it.
    Delimited,
    /// The blocks of an Avro object container file.
    Container,
}

/// The schema that a reader needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaNeeds {
    /// No schema: the bytes contain all names and types.
    InBand,
    /// The order of the fields: the bytes contain the types, but not the names.
    FieldOrder,
    /// The whole shape, with names and types.
    Shape,
}

/// The layout of a record: what its fields are identified by on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordLayout {
    /// Names. Fields may move and be left out.
    ByName,
    /// Numbers that the schema assigns. Fields may move as long as they keep their numbers.
    ByNumber,
    /// Positions. A field that moves is mistaken for another.
    ByPosition,
}

/// The evidence that bytes without a file name or media type are in a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recognition {
    /// Text, which no binary format reads as one value: JSON.
    Text,
    /// A length at the start that agrees with the end: BSON.
    Length,
    /// Types and lengths that agree with the bytes. Short inputs agree in several formats.
    Structure,
    /// Numbered fields that agree with the bytes. Many inputs in other formats agree by
    /// coincidence.
    Fields,
    /// Only the [mark](FormRow::mark) of one of the format's forms.
    Mark,
    /// No evidence, or none that tells the format from another format in [`FORMATS`].
    Nothing,
}

impl Recognition {
    /// Returns whether bytes with this evidence are unlikely to be in another format.
    pub fn is_certain(self) -> bool {
        !matches!(self, Recognition::Fields | Recognition::Nothing)
    }

    /// Returns whether bytes in other formats do not have the same evidence by coincidence.
    pub fn is_distinct(self) -> bool {
        matches!(self, Recognition::Text | Recognition::Length | Recognition::Mark)
    }
}

/// The integers that a format can represent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IntegerRange {
    /// The integers of `i64`.
    I64,
    /// The integers of `i64` and `u64`.
    U64,
    /// The integers of `i64` and `u64`. Longer integers, up to 128 bits, are written as bytes and
    /// read back as bytes.
    BytesOf128,
    /// Integers of any size.
    Any,
}

/// The points in time that a format can represent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimePrecision {
    /// No points in time: they are written as text.
    None,
    /// Whole milliseconds.
    Milliseconds,
    /// Nanoseconds.
    Nanoseconds,
}

/// The values that a format can represent, and read back as values of the same type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Bytes, distinct from text.
    pub bytes: bool,
    /// Integers.
    pub integers: IntegerRange,
    /// Floats of 32 bits, distinct from floats of 64 bits.
    pub narrow_floats: bool,
    /// NaN and infinities.
    pub non_finite: bool,
    /// Timestamps.
    pub times: TimePrecision,
    /// Keys other than text.
    pub any_key: bool,
}

impl Capabilities {
    /// Every value of the model.
    pub const ALL: Capabilities = Capabilities {
        bytes: true,
        integers: IntegerRange::Any,
        narrow_floats: true,
        non_finite: true,
        times: TimePrecision::Nanoseconds,
        any_key: true,
    };
}

/// One form of a [`FormatRow`].
#[derive(Debug)]
pub struct FormRow {
    /// The form of this row.
    pub form: Form,
    /// The name on the command line.
    pub name: &'static str,
    /// Other accepted names.
    pub aliases: &'static [&'static str],
    /// File extensions beyond those of the format, without the dot.
    pub extensions: &'static [&'static str],
    /// The bytes that every input of this form begins with, and no other input.
    pub mark: Option<&'static [u8]>,
    /// A description of the form.
    pub about: &'static str,
}

/// One row of [`FORMATS`].
#[derive(Debug)]
pub struct FormatRow {
    /// The format of this row.
    pub format: Format,
    /// The name on the command line and in reports.
    pub name: &'static str,
    /// The name in prose.
    pub title: &'static str,
    /// The media type that is sent.
    pub media_type: &'static str,
    /// The parameter, name and value, that tells the format from another with the same media type.
    pub parameter: Option<(&'static str, &'static str)>,
    /// Other accepted media types.
    pub aliases: &'static [&'static str],
    /// The registered structured syntax suffix (RFC 6838, section 4.2.8), without the plus.
    pub suffix: Option<&'static str>,
    /// File extensions, without the dot. Each belongs to one format.
    pub extensions: &'static [&'static str],
    /// The forms of files and streams. The usual one comes first and has the format's name.
    pub forms: &'static [FormRow],
    /// True if the bytes are text.
    pub text: bool,
    /// The schema that a reader needs besides the bytes.
    pub schema: SchemaNeeds,
    /// The layout of records.
    pub records: RecordLayout,
    /// The evidence that bytes are in the format.
    pub recognition: Recognition,
    /// The values that the format can represent. A schema may allow fewer.
    pub holds: Capabilities,
    /// The parts of the value model that the format cannot represent, in words.
    pub cannot_hold: &'static [&'static str],
    /// The specification of the format.
    pub specification: &'static str,
}

/// Every format, in the order of the variants of [`Format`] and of reports.
pub static FORMATS: &[FormatRow] = &[
    FormatRow {
        format: Format::Json,
        name: "json",
        title: "JSON",
        media_type: "application/json",
        parameter: None,
        aliases: &["text/json"],
        suffix: Some("json"),
        extensions: &["json"],
        // There is no `json-seq`: in RFC 7464 it means values after a record separator (0x1E), which
        // is another framing.
        forms: &[
            FormRow {
                form: Form { format: Format::Json, framing: Framing::Single },
                name: "json",
                aliases: &[],
                extensions: &[],
                mark: None,
                about: "JSON: one value, or several concatenated values",
            },
            FormRow {
                form: Form { format: Format::Json, framing: Framing::Lines },
                name: "ndjson",
                aliases: &["jsonl", "json-lines"],
                extensions: &["ndjson", "jsonl"],
                mark: None,
                about: "a JSON value a line",
            },
            FormRow {
                form: Form { format: Format::Json, framing: Framing::Sequence },
                name: "json-concat",
                aliases: &["concatenated-json"],
                extensions: &[],
                mark: None,
                about: "concatenated JSON values, with or without line breaks",
            },
        ],
        text: true,
        schema: SchemaNeeds::InBand,
        records: RecordLayout::ByName,
        recognition: Recognition::Text,
        holds: Capabilities {
            bytes: false,
            integers: IntegerRange::Any,
            narrow_floats: false,
            non_finite: false,
            times: TimePrecision::None,
            any_key: false,
        },
        cannot_hold: &[
            "bytes",
            "NaN and infinities",
            "keys that are not strings",
            "timestamps",
            "extensions",
        ],
        specification: "RFC 8259",
    },
    FormatRow {
        format: Format::MsgPack,
        name: "msgpack",
        title: "MessagePack (map)",
        media_type: "application/vnd.msgpack",
        parameter: None,
        aliases: &["application/msgpack", "application/x-msgpack"],
        suffix: None,
        extensions: &["msgpack", "mpk"],
        forms: &[
            FormRow {
                form: Form { format: Format::MsgPack, framing: Framing::Single },
                name: "msgpack",
                aliases: &["messagepack"],
                extensions: &[],
                mark: None,
                about: "MessagePack: one value, or several concatenated values",
            },
            FormRow {
                form: Form { format: Format::MsgPack, framing: Framing::Sequence },
                name: "msgpack-seq",
                aliases: &[],
                extensions: &[],
                mark: None,
                about: "concatenated MessagePack values",
            },
        ],
        text: false,
        schema: SchemaNeeds::InBand,
        records: RecordLayout::ByName,
        recognition: Recognition::Structure,
        holds: Capabilities { integers: IntegerRange::BytesOf128, ..Capabilities::ALL },
        cannot_hold: &[
            "numbers beyond 64 bits apart from bytes",
            "numbers beyond 128 bits",
            "CBOR and BSON extensions",
        ],
        specification: "msgpack/spec.md, 2017-08-09",
    },
    FormatRow {
        format: Format::MsgPackArray,
        name: "msgpack-array",
        title: "MessagePack (array)",
        media_type: "application/vnd.msgpack",
        parameter: Some(("layout", "array")),
        aliases: &["application/msgpack", "application/x-msgpack"],
        suffix: None,
        extensions: &[],
        forms: &[
            FormRow {
                form: Form { format: Format::MsgPackArray, framing: Framing::Single },
                name: "msgpack-array",
                aliases: &[],
                extensions: &[],
                mark: None,
                about: "MessagePack with records as arrays in the order of their fields",
            },
            FormRow {
                form: Form { format: Format::MsgPackArray, framing: Framing::Sequence },
                name: "msgpack-array-seq",
                aliases: &[],
                extensions: &[],
                mark: None,
                about: "several of them, concatenated",
            },
        ],
        text: false,
        schema: SchemaNeeds::FieldOrder,
        records: RecordLayout::ByPosition,
        recognition: Recognition::Nothing,
        holds: Capabilities { integers: IntegerRange::BytesOf128, ..Capabilities::ALL },
        cannot_hold: &[
            "absent apart from null",
            "a field twice in a record",
            "numbers beyond 64 bits apart from bytes",
            "numbers beyond 128 bits",
            "CBOR and BSON extensions",
        ],
        specification: "msgpack/spec.md, 2017-08-09",
    },
    FormatRow {
        format: Format::Cbor,
        name: "cbor",
        title: "CBOR",
        media_type: "application/cbor",
        parameter: None,
        aliases: &[],
        suffix: Some("cbor"),
        extensions: &["cbor"],
        forms: &[
            FormRow {
                form: Form { format: Format::Cbor, framing: Framing::Single },
                name: "cbor",
                aliases: &[],
                extensions: &[],
                mark: None,
                about: "CBOR: one value, or several concatenated values",
            },
            FormRow {
                form: Form { format: Format::Cbor, framing: Framing::Sequence },
                name: "cbor-seq",
                aliases: &[],
                extensions: &["cborseq"],
                mark: None,
                about: "a CBOR sequence (RFC 8742)",
            },
        ],
        text: false,
        schema: SchemaNeeds::InBand,
        records: RecordLayout::ByName,
        recognition: Recognition::Structure,
        holds: Capabilities::ALL,
        cannot_hold: &["MessagePack and BSON extensions"],
        specification: "RFC 8949",
    },
    FormatRow {
        format: Format::Protobuf,
        name: "protobuf",
        title: "Protocol Buffers",
        media_type: "application/protobuf",
        parameter: None,
        aliases: &["application/x-protobuf", "application/vnd.google.protobuf"],
        suffix: None,
        extensions: &["pb", "binpb"],
        forms: &[
            FormRow {
                form: Form { format: Format::Protobuf, framing: Framing::Single },
                name: "protobuf",
                aliases: &["proto"],
                extensions: &[],
                mark: None,
                about: "one Protocol Buffers message",
            },
            FormRow {
                form: Form { format: Format::Protobuf, framing: Framing::Delimited },
                name: "protobuf-delimited",
                aliases: &[],
                extensions: &[],
                mark: None,
                about: "Protocol Buffers messages, each with its length before it",
            },
        ],
        text: false,
        schema: SchemaNeeds::Shape,
        records: RecordLayout::ByNumber,
        recognition: Recognition::Fields,
        holds: Capabilities { integers: IntegerRange::U64, any_key: false, ..Capabilities::ALL },
        cannot_hold: &[
            "null apart from absent",
            "keys that are not strings, unless the schema has a map of them",
            "a field twice in a record",
            "numbers beyond 64 bits",
            "extensions",
        ],
        specification: "protobuf.dev/programming-guides/encoding, proto3",
    },
    FormatRow {
        format: Format::Avro,
        name: "avro",
        title: "Avro",
        media_type: "application/avro",
        parameter: None,
        aliases: &["avro/binary", "application/vnd.apache.avro"],
        suffix: None,
        extensions: &["avro"],
        forms: &[
            FormRow {
                form: Form { format: Format::Avro, framing: Framing::Container },
                name: "avro",
                aliases: &[],
                extensions: &[],
                mark: Some(b"Obj\x01"),
                about: "an Avro object container file, which brings its schema",
            },
            FormRow {
                form: Form { format: Format::Avro, framing: Framing::Single },
                name: "avro-datum",
                aliases: &[],
                extensions: &[],
                mark: None,
                about: "Avro without a header: one datum, or several concatenated datums",
            },
            FormRow {
                form: Form { format: Format::Avro, framing: Framing::Sequence },
                name: "avro-datum-seq",
                aliases: &[],
                extensions: &[],
                mark: None,
                about: "concatenated Avro datums, without a header",
            },
        ],
        text: false,
        schema: SchemaNeeds::Shape,
        records: RecordLayout::ByPosition,
        recognition: Recognition::Mark,
        holds: Capabilities { integers: IntegerRange::I64, ..Capabilities::ALL },
        cannot_hold: &[
            "absent apart from null",
            "a field twice in a record",
            "integers beyond i64",
        ],
        specification: "Apache Avro 1.12",
    },
    FormatRow {
        format: Format::Bson,
        name: "bson",
        title: "BSON",
        media_type: "application/bson",
        parameter: None,
        aliases: &[],
        suffix: None,
        extensions: &["bson"],
        forms: &[
            FormRow {
                form: Form { format: Format::Bson, framing: Framing::Single },
                name: "bson",
                aliases: &[],
                extensions: &[],
                mark: None,
                about: "BSON: one document, or several concatenated documents",
            },
            FormRow {
                form: Form { format: Format::Bson, framing: Framing::Sequence },
                name: "bson-seq",
                aliases: &[],
                extensions: &[],
                mark: None,
                about: "concatenated BSON documents, as mongodump writes them",
            },
        ],
        text: false,
        schema: SchemaNeeds::InBand,
        records: RecordLayout::ByName,
        recognition: Recognition::Length,
        holds: Capabilities {
            integers: IntegerRange::I64,
            narrow_floats: false,
            times: TimePrecision::Milliseconds,
            any_key: false,
            ..Capabilities::ALL
        },
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
