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
