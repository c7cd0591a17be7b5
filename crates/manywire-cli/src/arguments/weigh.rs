use std::path::PathBuf;

use clap::Args;
use manywire_format::{Form, Format};

use super::{CodingChoice, Color, Recording, Web};

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
