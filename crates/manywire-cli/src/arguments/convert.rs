use std::path::PathBuf;

use clap::Args;
use manywire_codec::avro::container::Compression;
use manywire_format::{Coding, Form};

use super::{CodingChoice, Web};

/// What `convert` takes.
#[derive(Debug, Args)]
pub(crate) struct Convert {
    /// A file, an http(s) URL, or - for standard input; .gz, .zst and .br are taken off
    #[arg(value_name = "FILE|URL|-", default_value = "-")]
    pub(crate) input: PathBuf,

    #[command(flatten)]
    pub(crate) web: Web,

    /// What the values are in, where neither the extension nor a server says it: json, ndjson, msgpack,
    /// msgpack-array, cbor, protobuf, protobuf-delimited, avro, avro-datum, bson (`manywire formats`
    /// has them all)
    #[arg(long, short, value_name = "FORMAT")]
    pub(crate) from: Option<Form>,

    /// What they become, where the extension of the output does not say it
    #[arg(long, short, value_name = "FORMAT")]
    pub(crate) to: Option<Form>,

    /// Write to a file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// The .proto, .avsc or JSON Schema that the values are of: to read Protocol Buffers, bare Avro
    /// and MessagePack arrays by, and to write them by instead of by a schema inferred
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,

    /// The message or record of the schema that a value is
    #[arg(long, value_name = "NAME", requires = "schema")]
    pub(crate) message: Option<String>,

    /// Write the schema that the values are written by to a .proto, .avsc or .json (JSON Schema)
    #[arg(long, value_name = "FILE")]
    pub(crate) schema_out: Option<PathBuf>,

    /// Replace what the format has no place for by what comes nearest, and list it
    #[arg(long)]
    pub(crate) lossy: bool,

    /// Write JSON for people: indented by two spaces
    #[arg(long, short)]
    pub(crate) pretty: bool,

    /// Compress the output, as its extension would say: gzip, zstd, br or deflate, with a level as
    /// in gzip:9; or none
    #[arg(long, value_name = "CODING")]
    pub(crate) coding: Option<CodingChoice>,

    /// The coding of the input, where neither its extension nor its first bytes say it
    #[arg(long, value_name = "CODING")]
    pub(crate) from_coding: Option<Coding>,

    /// How the blocks of an Avro file are compressed: null (the default), deflate, zstandard,
    /// snappy, bzip2 or xz
    #[arg(long, value_name = "CODEC")]
    pub(crate) avro_codec: Option<Compression>,
}
