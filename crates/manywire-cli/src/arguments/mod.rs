//! The command line in one declaration: parser, help, completions and man page come from it.

mod choice;
mod convert;
mod explain;
mod lanes;
mod negotiate;
mod serve;
mod shape;
mod trial;
mod web;
mod weigh;

use clap::{Args, Parser, Subcommand};

pub(crate) use choice::{CodingChoice, Color, InputCoding};
pub(crate) use convert::Convert;
pub(crate) use explain::Explain;
pub(crate) use lanes::{Lanes, LanesCheck, LanesCommand};
pub(crate) use negotiate::Negotiate;
pub(crate) use serve::Serve;
pub(crate) use shape::{Language, Shape};
pub(crate) use trial::{DEFAULT_LANES, Trial};
pub(crate) use web::{Recording, Web};
pub(crate) use weigh::Weigh;

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
