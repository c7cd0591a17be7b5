//! The command line in one declaration: parser, help, completions and man page come from it.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use manywire_codec::avro::container::Compression;
use manywire_format::{Coding, CodingLevel, Form, Format};
use manywire_tools::fetch::Header;
use manywire_tools::trial::link::Link;
use manywire_tools::weigh::subject::Target;

/// One typed value, many wire formats: weigh what each format costs on your own payloads.
#[derive(Debug, Parser)]
#[command(name = "manywire", version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Say what each format costs on your payloads: bytes, time, memory, and a verdict in words
    Weigh(Box<Weigh>),
    /// Say what each format costs end to end, between clients and servers of several languages
    Trial(Box<Trial>),
    /// Say what every byte of a payload is, where it belongs, and what it costs
    Explain(Explain),
    /// List the languages to weigh in: ready, or what is missing; `lanes build` builds them
    Lanes(Lanes),
    /// Say which of several representations a client gets, by what it accepts
    Negotiate(Negotiate),
    /// Say what samples look like, and write it down: a schema, or types of a programming language
    Shape(Shape),
    /// Move values from one format to another, losing nothing, or saying what
    Convert(Box<Convert>),
    /// Serve payload files over HTTP in every format, as a stand-in for a service to come
    Serve(Serve),
    /// List the formats: media types, extensions, what each cannot hold
    Formats(Formats),
    /// Write completions for a shell
    Completions(Completions),
    /// Write the man page
    Man,
    /// Measure as the orchestrator says: how `weigh` launches itself
    #[command(hide = true)]
    Worker,
}

#[derive(Debug, Args)]
pub(crate) struct Formats {
    /// Print the table as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// A coding, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodingChoice {
    /// The bytes as they are.
    None,
    /// Compressed.
    Level(CodingLevel),
}

impl std::str::FromStr for CodingChoice {
    type Err = manywire_format::InvalidCoding;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "none" { Ok(CodingChoice::None) } else { text.parse().map(CodingChoice::Level) }
    }
}

/// The coding that an input has, or none, whatever it looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputCoding {
    /// The bytes as they are.
    None,
    /// To be taken off.
    Of(Coding),
}

impl std::str::FromStr for InputCoding {
    type Err = manywire_format::InvalidCoding;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "none" { Ok(InputCoding::None) } else { text.parse().map(InputCoding::Of) }
    }
}

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How inputs that are URLs are asked for.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Web {
    /// Send this header field with the request for an http(s) URL, such as 'Authorization: Bearer
    /// …'; may be given several times. No other host sees it, wherever a redirect leads
    #[arg(long = "header", value_name = "NAME: VALUE")]
    pub(crate) headers: Vec<Header>,
}

/// What is taken of inputs that a browser recorded.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Recording {
    /// Of a .har, take the bodies of requests, too
    #[arg(long)]
    pub(crate) requests: bool,

    /// Of a .har, take only what belongs to this endpoint, such as 'GET /v1/hotels/{id}'
    #[arg(long, value_name = "METHOD PATH")]
    pub(crate) endpoint: Option<String>,
}

/// What `weigh` takes.
#[derive(Debug, Args)]
pub(crate) struct Weigh {
    /// Files (.json, .ndjson, .jsonl, .msgpack, .cbor, .bson, .avro, and .pb with --schema), each of a
    /// value or a stream of them, with .gz, .zst or .br behind it; folders of them, http(s) URLs, what
    /// a browser recorded (.har), or - for standard input
    #[arg(value_name = "FILE|DIR|URL|-")]
    pub(crate) inputs: Vec<PathBuf>,

    /// The format of the payloads, where their extension or a server does not say it, or the name of
    /// a stream of them (`manywire formats` lists both); protobuf and bare Avro take --schema
    #[arg(long, value_name = "FORMAT")]
    pub(crate) from: Option<Form>,

    #[command(flatten)]
    pub(crate) web: Web,

    #[command(flatten)]
    pub(crate) recording: Recording,

    /// Weigh only these formats (`manywire formats` lists them)
    #[arg(long, value_name = "FORMAT,…", value_delimiter = ',')]
    pub(crate) formats: Vec<Format>,

    /// Take the shape from a .proto, .avsc or JSON Schema instead of inferring it
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,

    /// The message or record of the schema that a payload is
    #[arg(long, value_name = "NAME", requires = "schema")]
    pub(crate) message: Option<String>,

    /// Add the rows of other languages: all, or names such as go,node (`manywire lanes` lists them)
    #[arg(long, value_name = "all|LANE,…", conflicts_with = "selftest")]
    pub(crate) lanes: Option<String>,

    /// Codings to compress with and to time, such as none,gzip:6,zstd:3,br:4; without the option,
    /// sizes are shown for these and nothing is timed
    #[arg(long, value_name = "CODING,…", value_delimiter = ',')]
    pub(crate) coding: Vec<CodingChoice>,

    /// Report each payload in rows of its own, too
    #[arg(long)]
    pub(crate) each: bool,

    /// Take sizes only: no timing
    #[arg(long, conflicts_with_all = ["quick", "precise", "sweep"])]
    pub(crate) sizes_only: bool,

    /// Five launches and no more: δ is 10 %
    #[arg(long, conflicts_with = "precise")]
    pub(crate) quick: bool,

    /// Measure until intervals are within half a per cent: δ is 1 %
    #[arg(long)]
    pub(crate) precise: bool,

    /// Stop measuring after this many seconds, those of each lane apart; what is unsettled then is inconclusive
    #[arg(long, value_name = "SECONDS", default_value_t = 50.0)]
    pub(crate) time_limit: f64,

    /// The format that times are compared with
    #[arg(long, value_name = "FORMAT", default_value_t = Format::Json)]
    pub(crate) reference: Format,

    /// Times within this share of each other count as the same
    #[arg(long, value_name = "SHARE")]
    pub(crate) delta: Option<f64>,

    /// The seed of every random order
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Cut or repeat the array at a path to each of these lengths: '$.hotels=1,10,100,1000'
    #[arg(long, value_name = "PATH=N,…")]
    pub(crate) sweep: Option<String>,

    /// Add mean, standard deviation and the fit of time against iterations
    #[arg(long, short)]
    pub(crate) verbose: bool,

    /// Write the report as JSON (schema manywire.weigh/1) to a file, or to standard output for -
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,

    /// Print the table as Markdown
    #[arg(long, conflicts_with = "csv")]
    pub(crate) markdown: bool,

    /// Print the rows as CSV
    #[arg(long)]
    pub(crate) csv: bool,

    /// Compare with an earlier report written by --json
    #[arg(long, value_name = "OLD.json")]
    pub(crate) baseline: Option<PathBuf>,

    /// Fail unless this holds: 'msgpack.bytes<=json*0.8', 'protobuf.decode<=0.7',
    /// 'avro.allocs<=200', 'msgpack.bytes<=baseline*1.02'; may be given several times
    #[arg(long = "gate", value_name = "FORMAT.METRIC OP LIMIT")]
    pub(crate) gates: Vec<String>,

    /// When to colour
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Color::Auto)]
    pub(crate) color: Color,

    /// Prove the intervals honest on this machine: json against json, and against json made 3 % slower
    #[arg(long, conflicts_with_all = ["inputs", "sizes_only", "quick", "precise"])]
    pub(crate) selftest: bool,
}

/// What `trial` takes.
#[derive(Debug, Args)]
pub(crate) struct Trial {
    /// Payloads, as `weigh` takes them; of several, one after another is asked for
    #[arg(value_name = "FILE|DIR|URL|-", required_unless_present = "url")]
    pub(crate) inputs: Vec<PathBuf>,

    /// The form of the payloads, where their extension does not say it
    #[arg(long, value_name = "FORM")]
    pub(crate) from: Option<Form>,

    #[command(flatten)]
    pub(crate) web: Web,

    #[command(flatten)]
    pub(crate) recording: Recording,

    /// The languages that ask and answer: all, or names (`manywire lanes` lists them)
    #[arg(long, value_name = "all|LANE,…", default_value = DEFAULT_LANES)]
    pub(crate) lanes: String,

    /// Of those, the ones that ask
    #[arg(long, value_name = "LANE,…", value_delimiter = ',')]
    pub(crate) clients: Vec<String>,

    /// Ask a service that exists instead of a lane, by `Accept`, one request at a time
    #[arg(long, value_name = "URL", conflicts_with_all = ["inputs", "servers", "link", "coding"])]
    pub(crate) url: Option<String>,

    /// Of those, the ones that answer
    #[arg(long, value_name = "LANE,…", value_delimiter = ',')]
    pub(crate) servers: Vec<String>,

    /// The formats; others are compared with the first
    #[arg(
        long,
        value_name = "FORMAT,…",
        value_delimiter = ',',
        default_value = "json,msgpack,protobuf"
    )]
    pub(crate) formats: Vec<Format>,

    /// Content codings to try: none, gzip
    #[arg(long, value_name = "CODING,…", value_delimiter = ',', default_value = "none")]
    pub(crate) coding: Vec<CodingChoice>,

    /// Libraries to take instead of the first of their lane, by name
    #[arg(long = "library", value_name = "NAME,…", value_delimiter = ',')]
    pub(crate) libraries: Vec<String>,

    /// What values are in the programs: dynamic or typed; without the option, what the JSON of a
    /// lane's users has
    #[arg(long, value_name = "TARGET")]
    pub(crate) target: Option<Target>,

    /// Take the shape from a .proto, .avsc or JSON Schema instead of inferring it
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,

    /// The message or record of the schema that a payload is
    #[arg(long, value_name = "NAME", requires = "schema")]
    pub(crate) message: Option<String>,

    /// Three launches of each pair and short slices: δ is 10 %
    #[arg(long)]
    pub(crate) quick: bool,

    /// How often server and client are launched, instead of five times, or three with --quick
    #[arg(long, value_name = "NUMBER")]
    pub(crate) launches: Option<usize>,

    /// Put a line between client and server: bandwidth and round trip, such as 20mbit/50ms, or
    /// lan, cross-zone, 4g, 3g, satellite
    #[arg(long, value_name = "LINK")]
    pub(crate) link: Option<Link>,

    /// Prices of CPU time, bytes and energy, as docs/trial.md describes them
    #[arg(long, value_name = "FILE")]
    pub(crate) prices: Option<PathBuf>,

    /// One price, such as gigabyte=0.02 or radio_mj_per_kb.lte=2; may be given several times
    #[arg(long = "price", value_name = "NAME=NUMBER")]
    pub(crate) price: Vec<String>,

    /// The seed of every random order
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Write the report as JSON (schema manywire.trial/1) to a file, or to standard output for -
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,
}

/// The lanes where none are named.
pub(crate) const DEFAULT_LANES: &str = "go,node,rust";

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

/// What `lanes` takes.
#[derive(Debug, Args)]
pub(crate) struct Lanes {
    #[command(subcommand)]
    pub(crate) command: Option<LanesCommand>,

    /// Print every lane and subject as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LanesCommand {
    /// Build lanes: those named, or all whose toolchain is there
    Build {
        /// The lanes, as --lanes takes them elsewhere, or one behind the other
        #[arg(value_name = "LANE")]
        names: Vec<String>,
    },
    /// Remove builds that are of no more use: of sources that have changed, and with types of
    /// payloads that were weighed; older ones of those go by themselves
    Clean {
        /// Remove every build
        #[arg(long)]
        all: bool,
    },
    /// Let every library read what every other wrote, across languages: exit 4 unless all agree
    Check(LanesCheck),
}

/// What `lanes check` takes.
#[derive(Debug, Args)]
pub(crate) struct LanesCheck {
    /// Payloads, as `weigh` takes them
    #[arg(value_name = "FILE|DIR|URL|-", required = true)]
    pub(crate) inputs: Vec<PathBuf>,

    /// The form of the payloads, where their extension does not say it
    #[arg(long, value_name = "FORM")]
    pub(crate) from: Option<Form>,

    #[command(flatten)]
    pub(crate) web: Web,

    #[command(flatten)]
    pub(crate) recording: Recording,

    /// The lanes: all, or names such as go,node
    #[arg(long, value_name = "all|LANE,…", default_value = "all")]
    pub(crate) lanes: String,

    /// Take the shape from a .proto, .avsc or JSON Schema instead of inferring it
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,

    /// The message or record of the schema that a payload is
    #[arg(long, value_name = "NAME", requires = "schema")]
    pub(crate) message: Option<String>,
}

/// What `negotiate` takes.
#[derive(Debug, Args)]
pub(crate) struct Negotiate {
    /// The client's Accept field; without it, a client that takes anything
    #[arg(long, value_name = "FIELD", conflicts_with = "accept_encoding")]
    pub(crate) accept: Option<String>,

    /// The client's Accept-Encoding field: choose a content coding instead of a media type
    #[arg(long, value_name = "FIELD")]
    pub(crate) accept_encoding: Option<String>,

    /// What the server can make, the one it likes best first: media types or names of formats; or
    /// content codings
    #[arg(long, value_name = "OFFER,…", required = true, value_delimiter = ',')]
    pub(crate) offer: Vec<String>,
}

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

/// What `serve` takes.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Payloads, each served at its name without extensions (hotels.json.gz at /hotels), or - for
    /// standard input, served at /stdin
    #[arg(value_name = "FILE|-", required = true)]
    pub(crate) inputs: Vec<PathBuf>,

    /// Where to listen; port 0 has the system choose one, which the first line of output says
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080")]
    pub(crate) listen: String,

    /// What the payloads are in, where their extension does not say it (the names of `convert`)
    #[arg(long, short, value_name = "FORMAT")]
    pub(crate) from: Option<Form>,

    /// Serve only these formats, the preferred first (`manywire formats` lists them)
    #[arg(long, value_name = "FORMAT,…", value_delimiter = ',')]
    pub(crate) formats: Vec<Format>,

    /// Take the shape of every payload from a .proto, .avsc or JSON Schema instead of inferring it
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,

    /// The message or record of the schema that a value is
    #[arg(long, value_name = "NAME", requires = "schema")]
    pub(crate) message: Option<String>,
}
