use std::path::PathBuf;

use clap::{Args, Subcommand};

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
        /// The lanes
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
    Check {
        /// Payloads, as `weigh` takes them
        #[arg(value_name = "FILE|DIR|-", required = true)]
        inputs: Vec<PathBuf>,

        /// The lanes: all, or names such as go,node
        #[arg(long, value_name = "all|LANE,…", default_value = "all")]
        lanes: String,
    },
}
