use std::io::{Read, Write};

use manywire_format::Format;
use manywire_shape::Arena;

use super::job::{Job, Task};
use super::{examine, frame, time};
use crate::weigh::payload::{Corpus, Payload};
use crate::weigh::schema::Schema;

/// Does one job: what the hidden subcommand of the command runs.
///
/// # Errors
///
/// A job that cannot be read or that no answer can be written to, in words for standard error.
pub fn work(input: &mut impl Read, output: &mut impl Write) -> Result<(), String> {
    let job: Job = serde_json::from_slice(&receive(input)?)
        .map_err(|error| format!("malformed job: {error}"))?;
    let mut payloads = Vec::with_capacity(job.payloads.len());
    for header in &job.payloads {
        let format: Format =
            header.format.parse().map_err(|error| format!("malformed job: {error}"))?;
        payloads.push(Payload::new(&header.name, format, receive(input)?));
    }
    let arena = Arena::new();
    let (corpus, errors) = Corpus::load(&payloads, &arena);
    if let Some(error) = errors.first() {
        return Err(error.to_string());
    }
    let schema = Schema::of(job.schema.as_ref(), &corpus)?;
    let answer = match job.task {
        Task::Examine { subject, codings } => {
            serde_json::to_vec(&examine::examine(subject, &codings, &corpus, &schema))
        }
        Task::Time { entries, seed, budget_ns } => {
            serde_json::to_vec(&time::time(&entries, seed, budget_ns, &corpus, &schema))
        }
    };
    let answer = answer.map_err(|error| format!("the answer cannot be written: {error}"))?;
    frame::write(output, &answer)
        .and_then(|()| output.flush())
        .map_err(|error| format!("cannot answer: {error}"))
}

fn receive(input: &mut impl Read) -> Result<Vec<u8>, String> {
    frame::read(input, u32::MAX).map_err(|error| format!("cannot read the job: {error}"))
}
