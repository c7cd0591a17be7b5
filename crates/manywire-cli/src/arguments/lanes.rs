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
}
