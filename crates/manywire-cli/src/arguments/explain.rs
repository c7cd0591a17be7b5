use std::path::PathBuf;

use clap::Args;

use super::{Color, InputCoding, Web};
use manywire_format::Form;

/// What `explain` takes.
#[derive(Clone, Debug, Args)]
pub(crate) struct Explain {
    /// A file, an http(s) URL, - for standard input, or the bytes themselves as hex (spaces, dashes and 0x are
    /// free) or base64; .gz, .zst and .br are taken off. Many files for --top, two for --diff
    #[arg(value_name = "FILE|URL|-|HEX", required = true, num_args = 1..)]
    pub(crate) input: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) web: Web,

    /// The format of the bytes, where neither their extension nor they themselves say it; a stream
    /// for certain is ndjson, msgpack-seq, cbor-seq, bson-seq, protobuf-delimited (`manywire formats`
    /// has them all). For --diff, one or two
    #[arg(long, visible_alias = "format", value_name = "FORMAT", value_delimiter = ',')]
    pub(crate) from: Vec<Form>,

    /// The coding to take off (gzip, zstd, br, deflate), where neither the extension nor the first
    /// bytes say it; or none, to look at the compressed bytes themselves
    #[arg(long, visible_alias = "from-coding", value_name = "CODING")]
    pub(crate) coding: Option<InputCoding>,

    /// The .proto or .avsc that says what Protocol Buffers or Avro hold
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,

    /// The message of the .proto that the bytes are
    #[arg(long, value_name = "NAME", requires = "schema")]
    pub(crate) message: Option<String>,

    /// Print a JSON object a line: offset, length, bytes, role, path, type, value; nothing is cut
    /// short
    #[arg(long)]
    pub(crate) json: bool,

    /// Show all bytes, 16 a row, and all text, cutting nothing short: what --reverse reads
    #[arg(long, group = "view", conflicts_with_all = ["json", "check"])]
    pub(crate) uncut: bool,

    /// Print CBOR in diagnostic notation (RFC 8949, section 8)
    #[arg(long, group = "view", conflicts_with_all = ["json", "check"])]
    pub(crate) diag: bool,

    /// Print which paths own the bytes, over all inputs together; --items says how many
    #[arg(long, group = "view", conflicts_with_all = ["json", "check", "at"])]
    pub(crate) top: bool,

    /// Compare two inputs, the same value in two formats: the bytes of each at every path
    #[arg(long, group = "view", conflicts_with_all = ["json", "check", "at"])]
    pub(crate) diff: bool,

    /// Read what --uncut or --json printed, and write the bytes
    #[arg(long, group = "view", conflicts_with_all = ["json", "check", "at", "path", "depth",
        "items", "from", "coding", "schema"])]
    pub(crate) reverse: bool,

    /// Only what stands at this byte, counted from 0
    #[arg(long, value_name = "OFFSET")]
    pub(crate) at: Option<usize>,

    /// Only what belongs to the value at this path, such as `$.a[3]`; in a stream that of any
    /// value, or `$#7.a[3]` of the eighth
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,

    /// Only what stands in at most this many containers
    #[arg(long, value_name = "NUMBER")]
    pub(crate) depth: Option<usize>,

    /// Only the first items and entries of each container
    #[arg(long, value_name = "NUMBER")]
    pub(crate) items: Option<u64>,

    /// Only what is wrong or unwise: faults, integers and lengths longer than they need to be,
    /// keys that stand twice; exit 1 if there is any
    #[arg(long)]
    pub(crate) check: bool,

    /// When to colour
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Color::Auto)]
    pub(crate) color: Color,
}
