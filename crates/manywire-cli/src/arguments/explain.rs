use std::path::PathBuf;

use clap::Args;
use manywire_format::Format;

use super::Color;

/// What `explain` takes.
#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// A file, - for standard input, or the bytes themselves as hex (spaces, dashes and 0x are
    /// free) or base64
    #[arg(value_name = "FILE|-|HEX", required = true, num_args = 1..)]
    pub(crate) input: Vec<PathBuf>,

    /// The format of the bytes, where neither their extension nor they themselves say it
    #[arg(long, visible_alias = "format", value_name = "FORMAT")]
    pub(crate) from: Option<Format>,

    /// Print a JSON object a line: offset, length, role, path, type, value; nothing is cut short
    #[arg(long)]
    pub(crate) json: bool,

    /// Only what stands at this byte, counted from 0
    #[arg(long, value_name = "OFFSET")]
    pub(crate) at: Option<usize>,

    /// Only what belongs to the value at this path, such as `$.a[3]`
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
