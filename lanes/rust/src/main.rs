//! The Rust lane: responds to the requests of CONTRACT.md until the end of its input. The argument
//! of the program names the server; the default is `manywire`.

// The generated types of a document are as deeply nested as the document, and so are their trait bounds.
#![recursion_limit = "1024"]

mod answer;
mod coder;
mod digest;
mod error;
mod frames;
mod http;
mod known;
#[cfg(any(typed, test))]
mod message;
mod meter;
mod model;
mod plain;
mod subject;
mod subjects;
#[cfg(typed)]
mod typed;

use std::io::{self, BufReader, BufWriter, Write};
use std::process::ExitCode;

use manywire_codec::Limits;

use http::Server;

/// Counts allocations for `memory`.
#[global_allocator]
static ALLOCATOR: manywire_meter::Counting = manywire_meter::Counting;

/// The limits for decoding. The depth limit is the same as in the orchestrator.
const LIMITS: Limits = Limits::DEFAULT.with_depth(512);

fn main() -> ExitCode {
    let name = std::env::args().nth(1);
    let Some(server) = name.as_deref().map_or(Some(Server::Manywire), Server::named) else {
        eprintln!("no server {name:?}, expected manywire, hyper, axum or zeromq");
        return ExitCode::FAILURE;
    };
    match serve(server) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(server: Server) -> io::Result<()> {
    manywire_meter::settle_heap();
    let mut input = BufReader::new(io::stdin().lock());
    let mut output = BufWriter::new(io::stdout().lock());
    let mut lane = answer::Lane::new(server);
    while let Some(request) = frames::read(&mut input)? {
        let request = serde_json::from_slice(&request)
            .map_err(|error| io::Error::other(format!("the request is not valid JSON: {error}")))?;
        let following = answer::following(&request);
        let following = following.ok_or_else(|| io::Error::other("invalid number of payloads"))?;
        let mut payloads = Vec::new();
        for _ in 0..following {
            let frame = frames::read(&mut input)?;
            payloads.push(frame.ok_or_else(|| io::Error::other("input ends before a payload"))?);
        }
        for frame in lane.reply(request, payloads) {
            frames::write(&mut output, &frame)?;
        }
        output.flush()?;
    }
    Ok(())
}
