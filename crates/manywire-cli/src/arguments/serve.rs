use std::path::PathBuf;

use clap::Args;
use manywire_format::{Form, Format};

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
