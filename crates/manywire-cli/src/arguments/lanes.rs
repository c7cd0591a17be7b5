use std::path::PathBuf;

use clap::{Args, Subcommand};
use manywire_format::Form;

use super::{Recording, Web};

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
