//! Starts the two processes of a launch and loads the payloads into them.

use std::sync::atomic::AtomicBool;

use manywire_format::SchemaNeeds;

use super::meters::{Address, PairLaunch};
use super::{CellLaunch, LaunchOptions};
use crate::trial::affinity;
use crate::trial::error::{CellError, ProcessError};
use crate::trial::link::{Link, Relay};
use crate::trial::pair::{Cell, LaneLibrary, Pair, Server};
use crate::weigh::lanes::{LaneInput, Offer, Session};
use crate::weigh::launch::Refusal;

impl<'c, 'i> PairLaunch<'c, 'i> {
    /// Starts both processes and loads the payloads that they serve or read.
    pub(super) fn start(
        pair: &Pair<'c>,
        cells: &'c [Cell<'c>],
        options: &'c LaunchOptions<'c>,
        found: &mut [CellLaunch],
        interrupted: &'i AtomicBool,
    ) -> Result<Self, ProcessError> {
        let bytes = cells
            .iter()
            .filter_map(|cell| cell.bytes.as_ref().ok())
            .copied()
            .flatten()
            .map(Vec::len)
            .sum();
        let mut client = affinity::run_on(&options.cores.client, || {
            Session::start(&pair.client.built, bytes, interrupted).map_err(ProcessError::client)
        })?;
        // A refusal is reported by the first subject that needs the schema.
        drop(client.schema(options.lane_input).map_err(ProcessError::client)?);
        for (cell, found) in cells.iter().zip(found.iter_mut()) {
            found.failure = match (cell.obstacle(pair), &cell.bytes) {
                (Some((error, _)), _) => Some(error),
                (None, Err(error)) => Some(error.clone()),
                (None, Ok(bytes)) => {
                    let read =
                        client.load(&cell.client.subject, bytes).map_err(ProcessError::client)?;
                    read.err().map(|Refusal(words)| CellError::Unreadable(words))
                }
            };
        }
        let (server, addresses, relay) = match pair.server {
            Server::Service(service) => {
                compare(&mut client, cells, options.lane_input, found)?;
                let address =
                    Address { transport: None, endpoint: service.url.clone(), nonce: false };
                (None, vec![address; cells.len()], None)
            }
            Server::Lane(trial_lane) => {
                let mut server = affinity::run_on(&options.cores.server, || {
                    Session::start(&trial_lane.built, bytes, interrupted)
                        .map_err(ProcessError::server)
                })?;
                drop(server.schema(options.lane_input).map_err(ProcessError::server)?);
                let (addresses, relay) =
                    serve(&mut server, &mut client, pair, cells, options.link, found)?;
                (Some(server), addresses, relay)
            }
        };
        let headers = match pair.server {
            Server::Lane(_) => Vec::new(),
            Server::Service(service) => service.headers.clone(),
        };
        let random = fastrand::Rng::with_seed(options.seed);
        Ok(PairLaunch {
            client,
            client_lane: &pair.client.built,
            further: Vec::new(),
            bytes,
            interrupted,
            server,
            cells,
            options,
            addresses,
            headers,
            random,
            _relay: relay,
        })
    }
}

/// Adds a note if a client reads a value from a service's response that differs from the payload,
/// which is the response in the first format. With a wrong schema a message may be readable and yet
/// yield nothing.
fn compare(
    client: &mut Session<'_>,
    cells: &[Cell<'_>],
    lane_input: &LaneInput,
    found: &mut [CellLaunch],
) -> Result<(), ProcessError> {
    for (cell, found) in cells.iter().zip(found).filter(|(_, found)| found.failure.is_none()) {
        let read = client.digests(&cell.client.subject).map_err(ProcessError::client)?;
        if let (Ok(read), Some(held)) = (read, lane_input.digests(cell.format))
            && read != held
        {
            let why = match cell.format.row().schema {
                SchemaNeeds::InBand => "the service may respond differently each time",
                _ => "is the schema the service's own?",
            };
            found.note = Some(format!("the client reads a value other than the payload: {why}"));
        }
    }
    Ok(())
}

/// Loads the offered subjects into the server and starts it. Returns the URLs of each cell.
fn serve(
    server: &mut Session<'_>,
    client: &mut Session<'_>,
    pair: &Pair<'_>,
    cells: &[Cell<'_>],
    link: Option<&Link>,
    found: &mut [CellLaunch],
) -> Result<(Vec<Address>, Option<Relay>), ProcessError> {
    let mut offers: Vec<Offer<'_>> = Vec::new();
    let mut numbers = Vec::with_capacity(cells.len());
    for (cell, found) in cells.iter().zip(found.iter_mut()) {
        let (Some(library), Ok(bytes), None) = (cell.server, &cell.bytes, &found.failure) else {
            numbers.push(0);
            continue;
        };
        let known = offers.iter().position(|offer| offer.subject.is_same(&library.subject));
        if known.is_none() {
            if let Err(why) = server.load(&library.subject, bytes).map_err(ProcessError::server)? {
                found.failure = Some(CellError::server(&why));
                numbers.push(0);
                continue;
            }
            let media_type = cell.format.row().media_type;
            offers.push(Offer { subject: &library.subject, media_type });
        }
        found.note = disagreement(client, server, cell.client, library)?;
        numbers.push(known.unwrap_or(offers.len() - 1));
    }
    let (port, relay) = match server.serve(&offers).map_err(ProcessError::server)? {
        Ok(port) => behind(link, port),
        Err(refusal) => Err(CellError::server(&refusal)),
    }
    .unwrap_or_else(|why| {
        found.iter_mut().for_each(|found| found.failure = Some(why.clone()));
        (0, None)
    });
    let scheme = pair.transport().scheme();
    let address = |number: usize| Address {
        transport: Some(format!("{scheme}://127.0.0.1:{port}/transport/{number}/")),
        endpoint: format!("{scheme}://127.0.0.1:{port}/endpoint/{number}/"),
        nonce: true,
    };
    Ok((numbers.into_iter().map(address).collect(), relay))
}

/// Returns the server's port, or that of a relay in front of it.
fn behind(link: Option<&Link>, port: u16) -> Result<(u16, Option<Relay>), CellError> {
    let Some(link) = link else { return Ok((port, None)) };
    let relay = Relay::start(link, port).map_err(|error| CellError::Relay(error.to_string()))?;
    Ok((relay.port(), Some(relay)))
}

/// Returns a note if the client reads another value than the server wrote, as some do with integers
/// beyond 2^53.
fn disagreement(
    client: &mut Session<'_>,
    server: &mut Session<'_>,
    reader: &LaneLibrary,
    writer: &LaneLibrary,
) -> Result<Option<String>, ProcessError> {
    let wrote = server.digests(&writer.subject).map_err(ProcessError::server)?;
    let read = client.digests(&reader.subject).map_err(ProcessError::client)?;
    Ok(match (wrote, read) {
        (Ok(wrote), Ok(read)) if wrote != read => {
            Some("the client reads a different value from the one that the server wrote".to_owned())
        }
        _ => None,
    })
}
