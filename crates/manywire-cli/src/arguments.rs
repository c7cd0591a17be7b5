//! The command line in one declaration: parser, help, completions and man page come from it.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use manywire_codec::avro::container::Compression;
use manywire_format::{CodingLevel, Form, Format};
use manywire_schema::{TARGET_LANGUAGES, TargetLanguage};
use manywire_tools::fetch::Header;
use manywire_tools::payload::InputCoding;
use manywire_tools::trial::Transport;
use manywire_tools::trial::link::Link;
use manywire_tools::weigh::subject::ValueKind;

/// One typed value, many wire formats: weigh what each format costs on your own payloads.
#[derive(Debug, Parser)]
#[command(name = "manywire", version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Measure what each format costs on your payloads: bytes, time, memory, and a verdict in words
    Weigh(Box<Weigh>),
    /// Measure what each format costs end to end, between clients and servers in several languages
    Trial(Box<Trial>),
    /// Show what every byte of a payload is, which value it belongs to, and what it costs
    Explain(Explain),
    /// List the languages to measure in, and what each one lacks; `lanes build` builds them
    Lanes(Lanes),
    /// Repeat published evaluations of formats in a checkout, and write how their figures compare
    Replay(Replay),
    /// Show which of several representations a client gets for its Accept field
    Negotiate(Negotiate),
    /// Infer the shape of samples, and write it as a schema or as types of a programming language
    Shape(Shape),
    /// Convert values from one format to another without loss, or list what is lost
    Convert(Box<Convert>),
    /// Serve payload files over HTTP in every format that can hold them, as a mock of a future service
    Serve(Serve),
    /// Open a page that shows a payload in every format, byte by byte, and measures it
    Play(Play),
    /// Write a crate with a small service, its tests and its schema, to begin with
    New(New),
    /// Write a report of `weigh --json` or `trial --json` as one HTML page, or what changed between two
    /// of `weigh`
    Report(ReportPage),
    /// List the formats: media types, extensions, and what each cannot represent
    Formats(Formats),
    /// Print completions for a shell
    Completions(Completions),
    /// Print the man page
    Man,
    /// Run as the built-in lane: `weigh` launches itself with this subcommand
    #[command(hide = true)]
    Worker,
}

/// The arguments of `new`.
#[derive(Debug, Args)]
pub(crate) struct New {
    /// The folder to write, which must not exist; its name is that of the package
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,

    /// Another name for the package
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
}

/// The arguments of `report`.
#[derive(Debug, Args)]
pub(crate) struct ReportPage {
    /// A report that `weigh --json` or `trial --json` wrote; with two of `weigh`, the page of the second
    /// says what changed since the first
    #[arg(value_name = "REPORT.json", num_args = 1..=2, required = true)]
    pub(crate) reports: Vec<PathBuf>,

    /// The file to write, or - for standard output
    #[arg(long, short, value_name = "FILE|-", default_value = "-")]
    pub(crate) output: PathBuf,
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

/// A content coding to write, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodingChoice {
    /// Uncompressed bytes.
    None,
    /// Bytes compressed with this coding, at this level.
    Level(CodingLevel),
}

impl CodingChoice {
    /// Returns the coding with its level, unless the bytes stay uncompressed.
    pub(crate) fn level(self) -> Option<CodingLevel> {
        match self {
            CodingChoice::None => None,
            CodingChoice::Level(level) => Some(level),
        }
    }
}

impl std::str::FromStr for CodingChoice {
    type Err = manywire_format::InvalidCoding;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "none" { Ok(CodingChoice::None) } else { text.parse().map(CodingChoice::Level) }
    }
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Even where the output is not a terminal.
    Always,
    /// Not even on a terminal.
    Never,
}

/// Options for inputs that are URLs.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Web {
    /// Send this header field with the request for an http(s) URL, such as 'Authorization: Bearer
    /// …'; may be given several times. A redirect to another host does not get it
    #[arg(long = "header", value_name = "NAME: VALUE")]
    pub(crate) headers: Vec<Header>,
}

/// Options for the schema of `--schema`.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SchemaReading {
    /// The name of the message or record in the schema that describes a value
    #[arg(long, value_name = "NAME", requires = "schema")]
    pub(crate) message: Option<String>,

    /// Refuse a schema that departs from the specification of its language, such as an .avsc with the
    /// name user-id; without the option, a note says so
    #[arg(long, requires = "schema")]
    pub(crate) strict: bool,

    /// A folder with the files that a .proto imports; may be given several times. The folder of the
    /// .proto and those around it follow, and Google's well-known types are built in
    #[arg(long, short = 'I', value_name = "DIR", requires = "schema")]
    pub(crate) proto_path: Vec<PathBuf>,
}

/// Options for archives that a browser recorded (HAR).
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Recording {
    /// Take the request bodies of a .har, too
    #[arg(long)]
    pub(crate) requests: bool,

    /// Take only the bodies of this endpoint of a .har, such as 'GET /v1/hotels/{id}'
    #[arg(long, value_name = "METHOD PATH")]
    pub(crate) endpoint: Option<String>,
}

/// The things that `weigh` compares beside formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compared {
    /// Each payload with the first one
    Payloads,
}

/// The arguments of `weigh`.
#[derive(Debug, Args)]
pub(crate) struct Weigh {
    /// Files (.json, .ndjson, .jsonl, .msgpack, .cbor, .bson, .avro, and .pb with --schema), each with
    /// one value or a stream of values, and compressed if .gz, .zst or .br follows; folders of such files,
    /// http(s) URLs, archives that a browser recorded (.har), or - for standard input
    #[arg(value_name = "FILE|DIR|URL|-")]
    pub(crate) inputs: Vec<PathBuf>,

    /// The format of the payloads, or of a stream of them, if neither extension nor server gives it
    /// (`manywire formats` lists the names); protobuf, bare Avro and MessagePack arrays need --schema
    #[arg(long, value_name = "FORMAT")]
    pub(crate) from: Option<Form>,

    #[command(flatten)]
    pub(crate) web: Web,

    #[command(flatten)]
    pub(crate) recording: Recording,

    /// Measure only these formats and the reference (`manywire formats` lists them)
    #[arg(long, value_name = "FORMAT,…", value_delimiter = ',')]
    pub(crate) formats: Vec<Format>,

    /// Take the shape from a .proto, .avsc or JSON Schema instead of inferring it
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: SchemaReading,

    /// Add the rows of other languages: all, or names such as go,node (`manywire lanes` lists them)
    #[arg(long, value_name = "all|LANE,…", conflicts_with = "selftest")]
    pub(crate) lanes: Option<String>,

    /// Content codings to compress with, and to time for the reference library of each language, such
    /// as none,gzip:6,zstd:3,br:4; without the option, their sizes are shown and their times are not
    #[arg(long, value_name = "CODING,…", value_delimiter = ',')]
    pub(crate) coding: Vec<CodingChoice>,

    /// Report each payload in separate rows, too
    #[arg(long, conflicts_with = "sweep")]
    pub(crate) each: bool,

    /// Compare each payload with the first one, in every format; implies --each
    #[arg(long, value_name = "payloads", value_enum, conflicts_with = "sweep")]
    pub(crate) compare: Option<Compared>,

    /// Measure sizes only: no timing
    #[arg(long, conflicts_with_all = ["quick", "precise", "sweep"])]
    pub(crate) sizes_only: bool,

    /// Use five launches: δ is 10 %
    #[arg(long, conflicts_with = "precise")]
    pub(crate) quick: bool,

    /// Measure until the intervals of Rust are within half a per cent: its δ is 1 %
    #[arg(long)]
    pub(crate) precise: bool,

    /// Stop measuring after this many seconds, counted for each lane separately; comparisons that are
    /// undecided by then are inconclusive
    #[arg(long, value_name = "SECONDS", default_value_t = 50.0)]
    pub(crate) time_limit: f64,

    /// The format that the times of the others are compared with
    #[arg(long, value_name = "FORMAT", default_value_t = Format::Json)]
    pub(crate) reference: Format,

    /// Treat times within this share of each other as equal; without the option, 0.02 in Rust and 0.05
    /// in other languages
    #[arg(long, value_name = "SHARE")]
    pub(crate) delta: Option<f64>,

    /// The seed of every random order
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Cut or repeat the array at a path to each of these lengths: '$.hotels=1,10,100,1000'
    #[arg(long, value_name = "PATH=N,…")]
    pub(crate) sweep: Option<String>,

    /// Show every row of every language, compare each format and library in words, and add mean,
    /// standard deviation and the fit of time against iterations
    #[arg(long, short)]
    pub(crate) verbose: bool,

    /// Write the report as JSON (schema manywire.weigh/2) to a file, or to standard output for -
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,

    /// Write the report as one HTML page with charts, which loads nothing and opens from disk
    #[arg(long, value_name = "FILE|-")]
    pub(crate) html: Option<PathBuf>,

    /// Draw size against time below the table, and the curves of a sweep
    #[arg(long, conflicts_with_all = ["markdown", "csv"])]
    pub(crate) plot: bool,

    /// Print the table as Markdown
    #[arg(long, conflicts_with = "csv")]
    pub(crate) markdown: bool,

    /// Print the rows as CSV, and notes on the whole measurement to standard error
    #[arg(long)]
    pub(crate) csv: bool,

    /// Compare with an earlier report written by --json
    #[arg(long, value_name = "OLD.json")]
    pub(crate) baseline: Option<PathBuf>,

    /// Fail unless this condition holds: 'msgpack.bytes<=json*0.8', 'protobuf.decode<=0.7',
    /// 'avro.allocs<=200', 'msgpack.bytes<=baseline*1.02'; may be given several times
    #[arg(long = "gate", value_name = "FORMAT.METRIC OP LIMIT")]
    pub(crate) gates: Vec<String>,

    /// When to use colour
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Color::Auto)]
    pub(crate) color: Color,

    /// Check the intervals on this machine: json against json, and against json made 3 % slower
    #[arg(long, conflicts_with_all = ["inputs", "sizes_only", "quick", "precise"])]
    pub(crate) selftest: bool,
}

/// The arguments of `trial`.
#[derive(Debug, Args)]
pub(crate) struct Trial {
    /// Payloads, as for `weigh`; several payloads are requested in turn
    #[arg(value_name = "FILE|DIR|URL|-", required_unless_present = "url")]
    pub(crate) inputs: Vec<PathBuf>,

    /// The format of the payloads, if their extension does not give it (`manywire formats` lists them
    /// all)
    #[arg(long, value_name = "FORMAT")]
    pub(crate) from: Option<Form>,

    #[command(flatten)]
    pub(crate) web: Web,

    #[command(flatten)]
    pub(crate) recording: Recording,

    /// The languages of clients and servers: all, or names (`manywire lanes` lists them)
    #[arg(long, value_name = "all|LANE,…", default_value = DEFAULT_LANES)]
    pub(crate) lanes: String,

    /// The lanes that are clients; without the option, all of --lanes
    #[arg(long, value_name = "LANE,…", value_delimiter = ',')]
    pub(crate) clients: Vec<String>,

    /// Request from this existing service instead of a lane, by `Accept`, one request at a time
    #[arg(long, value_name = "URL", conflicts_with_all = ["inputs", "servers", "transport", "link", "coding"])]
    pub(crate) url: Option<String>,

    /// The lanes that are servers; without the option, all of --lanes. LANE:SERVER is a further server of a
    /// lane, compared with the first one named
    #[arg(long, value_name = "LANE,…", value_delimiter = ',')]
    pub(crate) servers: Vec<String>,

    /// The transports between clients and servers: http, zeromq. With both, a verdict says whether leaving
    /// HTTP saves more than changing the format
    #[arg(long, value_name = "TRANSPORT,…", value_delimiter = ',', default_value = "http")]
    pub(crate) transport: Vec<Transport>,

    /// The formats; all are compared with the first
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

    /// Libraries to use instead of the first of their lane, by name
    #[arg(long = "library", value_name = "NAME,…", value_delimiter = ',')]
    pub(crate) libraries: Vec<String>,

    /// The kind of values in the programs: dynamic or typed; without the option, the kind that is
    /// usual for JSON in each language
    #[arg(long, value_name = "TARGET")]
    pub(crate) target: Option<ValueKind>,

    /// Take the shape from a .proto, .avsc or JSON Schema instead of inferring it
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: SchemaReading,

    /// Use three launches of each pair and short slices: figures without verdicts, which take five
    /// launches; δ is 10 %
    #[arg(long)]
    pub(crate) quick: bool,

    /// Launch server and client this many times, instead of five, or three with --quick
    #[arg(long, value_name = "NUMBER")]
    pub(crate) launches: Option<usize>,

    /// Simulate a network between client and server: bandwidth and round trip, such as 20mbit/50ms, or
    /// lan, cross-zone, 4g, 3g, satellite
    #[arg(long, value_name = "LINK")]
    pub(crate) link: Option<Link>,

    /// A file with prices of CPU time, bytes and energy, as docs/trial.md describes it
    #[arg(long, value_name = "FILE")]
    pub(crate) prices: Option<PathBuf>,

    /// Set one price, such as gigabyte=0.02 or radio_mj_per_kb.lte=2; may be given several times
    #[arg(long = "price", value_name = "NAME=NUMBER")]
    pub(crate) price: Vec<String>,

    /// The seed of every random order
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Show the reasons for missing figures whole, with the words of a compiler or of a process
    #[arg(long, short)]
    pub(crate) verbose: bool,

    /// Write the report as JSON (schema manywire.trial/1) to a file, or to standard output for -
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,

    /// Write the report as one HTML page with charts, which loads nothing and opens from disk
    #[arg(long, value_name = "FILE|-")]
    pub(crate) html: Option<PathBuf>,
}

/// The lanes of `trial` without `--lanes`.
pub(crate) const DEFAULT_LANES: &str = "go,node,rust";

/// The arguments of `explain`.
#[derive(Clone, Debug, Args)]
pub(crate) struct Explain {
    /// A file, an http(s) URL, - for standard input, or the bytes themselves as hex (spaces, dashes and 0x
    /// are ignored) or base64; .gz, .zst and .br are decompressed. Many files for --top, two for --diff
    #[arg(value_name = "FILE|URL|-|HEX", required = true, num_args = 1..)]
    pub(crate) input: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) web: Web,

    /// The format of the bytes, if it cannot be detected from extension or content; for a stream,
    /// ndjson, msgpack-seq, cbor-seq, bson-seq, protobuf-delimited (`manywire formats` lists them
    /// all). For --diff, one or two
    #[arg(long, visible_alias = "format", value_name = "FORMAT", value_delimiter = ',')]
    pub(crate) from: Vec<Form>,

    /// The content coding of the input (gzip, zstd, br, deflate), if neither extension nor first bytes
    /// show it; or none, to explain the compressed bytes themselves
    #[arg(long, visible_alias = "from-coding", value_name = "CODING")]
    pub(crate) coding: Option<InputCoding>,

    /// The .proto or .avsc to read Protocol Buffers or Avro with
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: SchemaReading,

    /// Print one JSON object per line: offset, length, bytes, role, path, type, value; nothing is
    /// shortened
    #[arg(long)]
    pub(crate) json: bool,

    /// Show all bytes, 16 per row, and all text without shortening; --reverse reads this output
    #[arg(long, group = "view", conflicts_with_all = ["json", "check"])]
    pub(crate) uncut: bool,

    /// Print CBOR in diagnostic notation (RFC 8949, section 8)
    #[arg(long, group = "view", conflicts_with_all = ["json", "check"])]
    pub(crate) diag: bool,

    /// Print the paths that take the most bytes, over all inputs together; --items sets how many
    #[arg(long, group = "view", conflicts_with_all = ["json", "check", "at"])]
    pub(crate) top: bool,

    /// Compare two inputs, such as one value in two formats: the bytes of each at every path
    #[arg(long, group = "view", conflicts_with_all = ["json", "check", "at"])]
    pub(crate) diff: bool,

    /// Read the output of --uncut or --json, and write the bytes
    #[arg(long, group = "view", conflicts_with_all = ["json", "check", "at", "path", "depth",
        "items", "from", "coding", "schema"])]
    pub(crate) reverse: bool,

    /// Show only the rows at this byte offset, counted from 0
    #[arg(long, value_name = "OFFSET")]
    pub(crate) at: Option<usize>,

    /// Show only the value at this path, such as `$.a[3]`, `$["a-b"]` or `$.a[*].b`; in a stream, of
    /// every value, or of the eighth value with `$#7.a[3]`
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,

    /// Show only rows nested in at most this many containers
    #[arg(long, value_name = "NUMBER")]
    pub(crate) depth: Option<usize>,

    /// Show only this many first items or entries of each container
    #[arg(long, value_name = "NUMBER")]
    pub(crate) items: Option<u64>,

    /// Show only what is wrong or unwise: faults, integers and lengths in more bytes than needed,
    /// duplicate keys; exit 1 if there is any
    #[arg(long)]
    pub(crate) check: bool,

    /// When to use colour
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Color::Auto)]
    pub(crate) color: Color,
}

/// The arguments of `lanes`.
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
    /// Build the named lanes, or all whose toolchain is installed
    Build {
        /// Names of lanes, separated by commas or spaces
        #[arg(value_name = "LANE")]
        names: Vec<String>,
    },
    /// Remove builds that are no longer used: those of changed sources, those with types generated for
    /// a payload (old ones of the latter are also removed automatically), and incomplete ones
    Clean {
        /// Remove every build
        #[arg(long)]
        all: bool,
    },
    /// Check that every library reads the output of every other, across languages; exit 4 unless all
    /// agree
    Check(LanesCheck),
}

/// The arguments of `lanes check`.
#[derive(Debug, Args)]
pub(crate) struct LanesCheck {
    /// Payloads, as for `weigh`
    #[arg(value_name = "FILE|DIR|URL|-", required = true)]
    pub(crate) inputs: Vec<PathBuf>,

    /// The format of the payloads, if their extension does not give it (`manywire formats` lists them
    /// all)
    #[arg(long, value_name = "FORMAT")]
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

    #[command(flatten)]
    pub(crate) reading: SchemaReading,

    /// Show the reasons for failures whole, with the words of a compiler or of a process
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

/// The arguments of `replay`.
#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// The evaluations: haskell, finch, go-node-dotnet, node2016, or all
    #[arg(value_name = "EVALUATION", required_unless_present = "page_only")]
    pub(crate) evaluations: Vec<String>,

    /// Write the page from the newest records, and measure nothing
    #[arg(long, conflicts_with = "evaluations")]
    pub(crate) page_only: bool,

    /// Launch each program and each pair of client and server this many times
    #[arg(long, value_name = "NUMBER", default_value_t = 5)]
    pub(crate) launches: usize,
}

/// The arguments of `negotiate`.
#[derive(Debug, Args)]
pub(crate) struct Negotiate {
    /// The client's Accept field; without it, the client accepts anything
    #[arg(long, value_name = "FIELD", conflicts_with = "accept_encoding")]
    pub(crate) accept: Option<String>,

    /// The client's Accept-Encoding field: choose a content coding instead of a media type
    #[arg(long, value_name = "FIELD")]
    pub(crate) accept_encoding: Option<String>,

    /// The representations that the server offers, the preferred first: media types, names of
    /// formats, or content codings
    #[arg(long, value_name = "OFFER,…", required = true, value_delimiter = ',')]
    pub(crate) offer: Vec<String>,
}

/// The arguments of `shape`.
#[derive(Debug, Args)]
pub(crate) struct Shape {
    /// Samples (files, folders, http(s) URLs, archives that a browser recorded (.har), - for standard
    /// input), or one schema: a .proto, an .avsc or a JSON Schema, recognised by its content
    #[arg(value_name = "FILE|DIR|URL|-", required_unless_present_any = ["schema", "compat"])]
    pub(crate) inputs: Vec<PathBuf>,

    /// The format of the samples, or of the payloads of --check, if their extension does not give it
    /// (`manywire formats` lists them all)
    #[arg(long, value_name = "FORMAT")]
    pub(crate) from: Option<Form>,

    #[command(flatten)]
    pub(crate) web: Web,

    #[command(flatten)]
    pub(crate) recording: Recording,

    /// Take the shape from this schema, without looking at its content to recognise it
    #[arg(long, value_name = "FILE", conflicts_with = "inputs")]
    pub(crate) schema: Option<PathBuf>,

    /// The name of the .proto message that describes the whole value
    #[arg(long, value_name = "NAME")]
    pub(crate) message: Option<String>,

    /// Refuse a schema that departs from the specification of its language, such as an .avsc with the
    /// name user-id; without the option, a note says so
    #[arg(long)]
    pub(crate) strict: bool,

    /// A folder with the files that a .proto imports; may be given several times. The folder of the
    /// .proto and those around it follow, and Google's well-known types are built in
    #[arg(long, short = 'I', value_name = "DIR")]
    pub(crate) proto_path: Vec<PathBuf>,

    /// Print a schema, or types of a programming language; without the option, an outline
    #[arg(long = "as", value_name = "LANGUAGE", value_parser = target_language())]
    pub(crate) language: Option<TargetLanguage>,

    /// The name of the root record of inferred samples; without it, the name in the lock, or `Root`
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// Stay compatible with this published schema, a .proto or an .avsc. With --as proto, fields keep
    /// their numbers: new fields are appended, removed ones reserved. With any other language, fields
    /// keep their order, which bare Avro and records as arrays depend on: new fields come last, and
    /// none may be removed
    #[arg(long, value_name = "PREVIOUS", requires = "language")]
    pub(crate) lock: Option<PathBuf>,

    /// Print for every path of the samples how often it was present or null, its sizes, and the
    /// reason for its inferred type
    #[arg(long, group = "question", conflicts_with = "language")]
    pub(crate) evidence: bool,

    /// Print the share of held-out samples, a fifth of all, that fit the shape of the others
    #[arg(long, group = "question", conflicts_with = "language")]
    pub(crate) hold_out: bool,

    /// Check that these payloads fit the shape, and print where they do not; exit 1 if one does not.
    /// Protocol Buffers and Avro are read by the schema
    #[arg(long, group = "question", value_name = "FILE|DIR|-", num_args = 1.., conflicts_with = "language")]
    pub(crate) check: Vec<PathBuf>,

    /// Compare two versions of a schema (.proto, .avsc or JSON Schema), and print which readers the
    /// change breaks; exit 1 if any
    #[arg(long, group = "question", value_names = ["OLD", "NEW"], num_args = 2, conflicts_with_all = ["language", "inputs", "schema"])]
    pub(crate) compat: Vec<PathBuf>,

    /// Print at most this many misfits for --check and --hold-out, and at most 20 of each payload;
    /// the others are counted
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    pub(crate) misfits: usize,

    /// Print the answer of --evidence, --hold-out, --check or --compat as JSON
    /// (docs/shape.schema.json); --as jsonschema prints the shape itself as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// The package name of a .proto, of Go, of Java or of Scala, the namespace of C#, or the module of Haskell
    #[arg(long, value_name = "NAME", default_value = "")]
    pub(crate) package: String,

    /// The Java class that contains the records
    #[arg(long, value_name = "NAME", default_value = "Types")]
    pub(crate) class: String,

    /// Derive Shaped in Rust, too, so that the type can be used with Protocol Buffers and Avro
    #[arg(long)]
    pub(crate) shaped: bool,
}

/// Returns the parser of a language that a shape can be written in.
fn target_language() -> impl TypedValueParser<Value = TargetLanguage> {
    let values = TARGET_LANGUAGES
        .iter()
        .map(|row| PossibleValue::new(row.name).aliases(row.alias).help(row.summary));
    let parser = PossibleValuesParser::new(values);
    parser.try_map(|name| TargetLanguage::named(&name).ok_or("unknown language"))
}

/// The arguments of `convert`.
#[derive(Debug, Args)]
pub(crate) struct Convert {
    /// A file, an http(s) URL, or - for standard input; .gz, .zst and .br are decompressed
    #[arg(value_name = "FILE|URL|-", default_value = "-")]
    pub(crate) input: PathBuf,

    #[command(flatten)]
    pub(crate) web: Web,

    /// The input format, if neither extension nor server gives it: json, ndjson, msgpack,
    /// msgpack-array, cbor, protobuf, protobuf-delimited, avro, avro-datum, bson (`manywire formats`
    /// lists them all)
    #[arg(long, short, value_name = "FORMAT")]
    pub(crate) from: Option<Form>,

    /// The output format, if the extension of the output does not give it
    #[arg(long, short, value_name = "FORMAT")]
    pub(crate) to: Option<Form>,

    /// Write to a file instead of standard output; the file is replaced only when every value is
    /// converted
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// The .proto, .avsc or JSON Schema of the values: needed to read Protocol Buffers, bare Avro and
    /// MessagePack arrays, and used to write them instead of an inferred schema
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: SchemaReading,

    /// Write the schema of the output to this .proto, .avsc or .json (JSON Schema): a .proto for
    /// Protocol Buffers, an .avsc for bare Avro
    #[arg(long, value_name = "FILE")]
    pub(crate) schema_out: Option<PathBuf>,

    /// Replace values that the format cannot represent by the nearest ones, and list them
    #[arg(long)]
    pub(crate) lossy: bool,

    /// Indent JSON by two spaces
    #[arg(long, short)]
    pub(crate) pretty: bool,

    /// Compress the output with gzip, zstd, br or deflate, with a level as in gzip:9; or none, even if
    /// its extension asks for compression
    #[arg(long, value_name = "CODING")]
    pub(crate) coding: Option<CodingChoice>,

    /// The content coding of the input, if neither its extension nor its first bytes show it; or none,
    /// to read bytes as they are that look compressed
    #[arg(long, value_name = "CODING")]
    pub(crate) from_coding: Option<InputCoding>,

    /// The compression of the blocks of an Avro file: null (the default), deflate, zstandard,
    /// snappy, bzip2 or xz
    #[arg(long, value_name = "CODEC")]
    pub(crate) avro_codec: Option<Compression>,
}

/// The arguments of `play`.
#[derive(Debug, Args)]
pub(crate) struct Play {
    /// A payload to begin with, or - for standard input; the page takes others
    #[arg(value_name = "FILE|-")]
    pub(crate) input: Option<PathBuf>,

    /// The format of the payload, if its extension and its content do not give it (`manywire formats`
    /// lists them all)
    #[arg(long, short, value_name = "FORMAT")]
    pub(crate) from: Option<Form>,

    /// The port on 127.0.0.1; by default the system chooses one
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,

    /// Print the address only, and do not open a browser
    #[arg(long)]
    pub(crate) no_open: bool,
}

/// The arguments of `serve`.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Payloads, each served at its name without extensions (hotels.json.gz at /hotels), or - for
    /// standard input, served at /stdin
    #[arg(value_name = "FILE|-", required = true)]
    pub(crate) inputs: Vec<PathBuf>,

    /// The address to listen on; with port 0 the system chooses one, and the first line of output shows it
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080")]
    pub(crate) listen: String,

    /// The format of the payloads, if their extension does not give it (`manywire formats` lists them
    /// all)
    #[arg(long, short, value_name = "FORMAT")]
    pub(crate) from: Option<Form>,

    /// Serve only these formats, the preferred first (`manywire formats` lists them)
    #[arg(long, value_name = "FORMAT,…", value_delimiter = ',')]
    pub(crate) formats: Vec<Format>,

    /// Take the shape of every payload from a .proto, .avsc or JSON Schema instead of inferring it
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: SchemaReading,
}

impl Shape {
    /// Returns the options for the schema.
    pub(crate) fn reading(&self) -> SchemaReading {
        SchemaReading {
            message: self.message.clone(),
            strict: self.strict,
            proto_path: self.proto_path.clone(),
        }
    }
}
