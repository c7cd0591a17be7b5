use crate::{Form, Format, Framing};

/// One row of [`FORMS`].
#[derive(Debug)]
pub struct FormRow {
    /// The form this row is about.
    pub form: Form,
    /// Its name on the command line.
    pub name: &'static str,
    /// Other names that are understood.
    pub aliases: &'static [&'static str],
    /// File extensions beyond those of the format, without the dot.
    pub extensions: &'static [&'static str],
    /// Media types beyond those of the format, the usual one first.
    pub media_types: &'static [&'static str],
    /// What it is, in words.
    pub about: &'static str,
}

/// Every form, the usual one of a format first: that goes by the format's name.
///
/// There is no `json-seq`: RFC 7464 means by it values behind a record separator (0x1E), which is
/// another form than values behind nothing at all.
pub static FORMS: &[FormRow] = &[
    FormRow {
        form: Form { format: Format::Json, framing: Framing::Single },
        name: "json",
        aliases: &[],
        extensions: &[],
        media_types: &[],
        about: "JSON: a value, or several behind each other",
    },
    FormRow {
        form: Form { format: Format::Json, framing: Framing::Lines },
        name: "ndjson",
        aliases: &["jsonl", "json-lines"],
        extensions: &["ndjson", "jsonl"],
        media_types: &["application/x-ndjson", "application/ndjson", "application/jsonl"],
        about: "a JSON value a line",
    },
    FormRow {
        form: Form { format: Format::Json, framing: Framing::Sequence },
        name: "json-concat",
        aliases: &["concatenated-json"],
        extensions: &[],
        media_types: &[],
        about: "JSON values behind each other, on lines or not",
    },
    FormRow {
        form: Form { format: Format::MsgPack, framing: Framing::Single },
        name: "msgpack",
        aliases: &["messagepack"],
        extensions: &[],
        media_types: &[],
        about: "MessagePack: a value, or several behind each other",
    },
    FormRow {
        form: Form { format: Format::MsgPack, framing: Framing::Sequence },
        name: "msgpack-seq",
        aliases: &[],
        extensions: &[],
        media_types: &[],
        about: "MessagePack values behind each other",
    },
    FormRow {
        form: Form { format: Format::MsgPackArray, framing: Framing::Single },
        name: "msgpack-array",
        aliases: &[],
        extensions: &[],
        media_types: &[],
        about: "MessagePack with records as arrays in the order of their fields",
    },
    FormRow {
        form: Form { format: Format::MsgPackArray, framing: Framing::Sequence },
        name: "msgpack-array-seq",
        aliases: &[],
        extensions: &[],
        media_types: &[],
        about: "several of them behind each other",
    },
    FormRow {
        form: Form { format: Format::Cbor, framing: Framing::Single },
        name: "cbor",
        aliases: &[],
        extensions: &[],
        media_types: &[],
        about: "CBOR: a value, or several behind each other",
    },
    FormRow {
        form: Form { format: Format::Cbor, framing: Framing::Sequence },
        name: "cbor-seq",
        aliases: &[],
        extensions: &["cborseq"],
        media_types: &["application/cbor-seq"],
        about: "a CBOR sequence (RFC 8742)",
    },
    FormRow {
        form: Form { format: Format::Protobuf, framing: Framing::Single },
        name: "protobuf",
        aliases: &["proto"],
        extensions: &[],
        media_types: &[],
        about: "one Protocol Buffers message",
    },
    FormRow {
        form: Form { format: Format::Protobuf, framing: Framing::Delimited },
        name: "protobuf-delimited",
        aliases: &[],
        extensions: &[],
        media_types: &[],
        about: "Protocol Buffers messages, each with its length before it",
    },
    FormRow {
        form: Form { format: Format::Avro, framing: Framing::Container },
        name: "avro",
        aliases: &[],
        extensions: &[],
        media_types: &[],
        about: "an Avro object container file, which brings its schema",
    },
    FormRow {
        form: Form { format: Format::Avro, framing: Framing::Single },
        name: "avro-datum",
        aliases: &[],
        extensions: &[],
        media_types: &[],
        about: "Avro without a header: a datum, or several behind each other",
    },
    FormRow {
        form: Form { format: Format::Avro, framing: Framing::Sequence },
        name: "avro-datum-seq",
        aliases: &[],
        extensions: &[],
        media_types: &[],
        about: "Avro datums behind each other, without a header",
    },
    FormRow {
        form: Form { format: Format::Bson, framing: Framing::Single },
        name: "bson",
        aliases: &[],
        extensions: &[],
        media_types: &[],
        about: "BSON: a document, or several behind each other",
    },
    FormRow {
        form: Form { format: Format::Bson, framing: Framing::Sequence },
        name: "bson-seq",
        aliases: &[],
        extensions: &[],
        media_types: &[],
        about: "BSON documents behind each other, as mongodump writes them",
    },
];
