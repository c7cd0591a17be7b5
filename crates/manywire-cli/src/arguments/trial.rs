use std::path::PathBuf;

use clap::Args;
use manywire_format::{Form, Format};
use manywire_trial::link::Link;
use manywire_weigh::subject::Target;

use super::{CodingChoice, Recording, Web};

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
