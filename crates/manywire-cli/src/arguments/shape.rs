use std::path::PathBuf;

use clap::{Args, ValueEnum};
use manywire_format::Form;

use super::{Recording, Web};

/// What `shape` takes.
#[derive(Debug, Args)]
pub(crate) struct Shape {
    /// Samples (files, folders, http(s) URLs, what a browser recorded (.har), - for standard input),
    /// or one schema: a .proto, an .avsc or a JSON Schema, told by its content
    #[arg(value_name = "FILE|DIR|URL|-", required_unless_present_any = ["schema", "compat"])]
    pub(crate) inputs: Vec<PathBuf>,

    /// The format of the samples, or of the payloads of --check, where their extension does not say
    /// it (`manywire formats` has them all)
    #[arg(long, value_name = "FORMAT")]
    pub(crate) from: Option<Form>,

    #[command(flatten)]
    pub(crate) web: Web,

    #[command(flatten)]
    pub(crate) recording: Recording,

    /// Take the shape from this schema, whatever its content looks like
    #[arg(long, value_name = "FILE", conflicts_with = "inputs")]
    pub(crate) schema: Option<PathBuf>,

    /// The message of a .proto that is the whole value
    #[arg(long, value_name = "NAME")]
    pub(crate) message: Option<String>,

    /// Write a schema, or types of a programming language; without the option, an outline
    #[arg(long = "as", value_name = "LANGUAGE", value_enum)]
    pub(crate) language: Option<Language>,

    /// What the record at the root of inferred samples is called; `Root`, or as the lock calls it
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// Keep to what this schema promised, a .proto or an .avsc. With --as proto: its numbers; what is
    /// new is appended, what is gone reserved. With any other: the order of fields that bare Avro and
    /// records as arrays go by; what is new stands last, and nothing may go
    #[arg(long, value_name = "PREVIOUS", requires = "language")]
    pub(crate) lock: Option<PathBuf>,

    /// Say of every place of the samples how often it was there, null, how large, and why its type
    /// is what it is
    #[arg(long, group = "question", conflicts_with = "language")]
    pub(crate) evidence: bool,

    /// Say what share of samples fits the shape of the others: a fifth is held out
    #[arg(long, group = "question", conflicts_with = "language")]
    pub(crate) hold_out: bool,

    /// Whether these payloads fit the shape, and where not; exit 1 if one does not. What the bytes do
    /// not say, in Protocol Buffers and Avro, is read by the schema
    #[arg(long, group = "question", value_name = "FILE|DIR|-", num_args = 1.., conflicts_with = "language")]
    pub(crate) check: Vec<PathBuf>,

    /// Which readers a change of a schema breaks: two .proto, .avsc or JSON Schemas; exit 1 if any
    #[arg(long, group = "question", value_names = ["OLD", "NEW"], num_args = 2, conflicts_with_all = ["language", "inputs", "schema"])]
    pub(crate) compat: Vec<PathBuf>,

    /// Name at most so many misfits of --check and --hold-out, 20 of each payload; of the others say
    /// how many there are
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    pub(crate) misfits: usize,

    /// Answer as JSON (docs/shape.schema.json)
    #[arg(long, requires = "question")]
    pub(crate) json: bool,

    /// The package of a .proto, of Go or of Java
    #[arg(long, value_name = "NAME", default_value = "")]
    pub(crate) package: String,

    /// The class around the records of Java
    #[arg(long, value_name = "NAME", default_value = "Types")]
    pub(crate) class: String,

    /// Derive Shaped too, in Rust: Protocol Buffers and Avro are then driven by the type
    #[arg(long)]
    pub(crate) shaped: bool,
}

/// What a shape can be written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// Protocol Buffers, a .proto of proto3
    Proto,
    /// An Avro schema, .avsc
    Avro,
    /// JSON Schema, draft 2020-12
    #[value(name = "jsonschema", alias = "json-schema")]
    JsonSchema,
    /// Structs and enums with serde's derives
    Rust,
    /// Structs with tags for json, msgpack and cbor
    Go,
    /// Interfaces and type guards
    #[value(name = "typescript", alias = "ts")]
    TypeScript,
    /// Records for Jackson, Java 17
    Java,
    /// msgspec's structs, Python 3.11
    Python,
}
