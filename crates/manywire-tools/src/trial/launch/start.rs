//! Two processes, each with what it needs.

use std::sync::atomic::AtomicBool;

use manywire_format::Schema;

use super::act::{Address, Floor};
use super::{CellLaunch, Plan};
use crate::trial::affinity;
use crate::trial::link::{Link, Relay};
use crate::trial::pair::{Cell, Pair, Role, Server};
use crate::trial::slice::{Failure, of_client, of_server};
use crate::weigh::lanes::{Given, Offer, Session};

impl<'c, 'i> Floor<'c, 'i> {
    /// Starts both, and gives each what it serves or reads.
    pub(super) fn start(
        pair: &Pair<'_>,
        cells: &'c [Cell<'c>],
        plan: &'c Plan<'c>,
        found: &mut [CellLaunch],
        interrupted: &'i AtomicBool,
    ) -> Result<Self, Failure> {
        let bytes = cells.iter().filter_map(|cell| cell.bytes.ok()).flatten().map(Vec::len).sum();
        let mut client = affinity::on(&plan.cores.client, || {
            Session::start(&pair.client.built, bytes, interrupted).map_err(of_client)
        })?;
        // A refusal here shows at the first subject that needs what was refused.
        drop(client.schema(plan.given).map_err(of_client)?);
        for (cell, found) in cells.iter().zip(found.iter_mut()) {
            found.failure = match (cell.obstacle(pair), cell.bytes) {
                (Some((why, _)), _) => Some(why),
                (None, Err(why)) => Some(why.to_owned()),
                (None, Ok(bytes)) => {
                    let read = client.load(&cell.client.subject, bytes).map_err(of_client)?;
                    read.err().map(|why| format!("client: it cannot read the server's: {why}"))
                }
            };
        }
        let (server, addresses, relay) = match pair.server {
            Server::Service(service) => {
                compare(&mut client, cells, plan.given, found)?;
                let address =
                    Address { transport: None, endpoint: service.url.clone(), nonce: false };
                (None, vec![address; cells.len()], None)
            }
            Server::Lane(player) => {
                let mut server = affinity::on(&plan.cores.server, || {
                    Session::start(&player.built, bytes, interrupted).map_err(of_server)
                })?;
                drop(server.schema(plan.given).map_err(of_server)?);
                let (addresses, relay) = serve(&mut server, &mut client, cells, plan.link, found)?;
                (Some(server), addresses, relay)
            }
        };
        let headers = match pair.server {
            Server::Lane(_) => Vec::new(),
            Server::Service(service) => service.headers.clone(),
        };
        let random = fastrand::Rng::with_seed(plan.seed);
        Ok(Floor { client, server, cells, plan, addresses, headers, random, _relay: relay })
    }
}

/// Notes where a client reads something else of a service's answer than the payload holds, which is
/// the answer in the first format: by a schema that is not the service's a message can be read, and
/// nothing is found in it.
fn compare(
    client: &mut Session<'_>,
    cells: &[Cell<'_>],
    given: &Given,
    found: &mut [CellLaunch],
) -> Result<(), Failure> {
    for (cell, found) in cells.iter().zip(found).filter(|(_, found)| found.failure.is_none()) {
        let read = client.digests(&cell.client.subject).map_err(of_client)?;
        if let (Ok(read), Ok(held)) = (read, given.digests(cell.format))
            && read != held
        {
            let why = match cell.format.row().schema {
                Schema::InBand => "it may answer differently each time",
                _ => "is the schema the service's own?",
            };
            found.note = Some(format!("the client reads something else than the payload: {why}"));
        }
    }
    Ok(())
}

/// Lets the server load what it offers, and start; where each cell's answers are to be had.
fn serve(
    server: &mut Session<'_>,
    client: &mut Session<'_>,
    cells: &[Cell<'_>],
    link: Option<&Link>,
    found: &mut [CellLaunch],
) -> Result<(Vec<Address>, Option<Relay>), Failure> {
    let mut offers: Vec<Offer<'_>> = Vec::new();
    let mut numbers = Vec::with_capacity(cells.len());
    for (cell, found) in cells.iter().zip(found.iter_mut()) {
        let (Some(role), Ok(bytes), None) = (cell.server, cell.bytes, &found.failure) else {
            numbers.push(0);
            continue;
        };
        let known = offers.iter().position(|offer| offer.subject.is_same(&role.subject));
        if known.is_none() {
            if let Err(why) = server.load(&role.subject, bytes).map_err(of_server)? {
                found.failure = Some(format!("server: {why}"));
                numbers.push(0);
                continue;
            }
            let media_type = cell.format.row().media_type;
            offers.push(Offer { subject: &role.subject, media_type });
        }
        found.note = disagreement(client, server, cell.client, role)?;
        numbers.push(known.unwrap_or(offers.len() - 1));
    }
    let (port, relay) = match server.serve(&offers).map_err(of_server)? {
        Ok(port) => behind(link, port),
        Err(refusal) => Err(format!("server: {refusal}")),
    }
    .unwrap_or_else(|why| {
        found.iter_mut().for_each(|found| found.failure = Some(why.clone()));
        (0, None)
    });
    let address = |number: usize| Address {
        transport: Some(format!("http://127.0.0.1:{port}/transport/{number}/")),
        endpoint: format!("http://127.0.0.1:{port}/endpoint/{number}/"),
        nonce: true,
    };
    Ok((numbers.into_iter().map(address).collect(), relay))
}

/// A server's port, or that of a line to it.
fn behind(link: Option<&Link>, port: u16) -> Result<(u16, Option<Relay>), String> {
    let Some(link) = link else { return Ok((port, None)) };
    let relay = Relay::start(link, port).map_err(|error| format!("the relay: {error}"))?;
    Ok((relay.port(), Some(relay)))
}

/// Whether the client reads something else than the server wrote, which some do of integers beyond
/// 2^53: worth a note, since it is not what was sent that is then measured.
fn disagreement(
    client: &mut Session<'_>,
    server: &mut Session<'_>,
    reader: &Role,
    writer: &Role,
) -> Result<Option<String>, Failure> {
    let wrote = server.digests(&writer.subject).map_err(of_server)?;
    let read = client.digests(&reader.subject).map_err(of_client)?;
    Ok(match (wrote, read) {
        (Ok(wrote), Ok(read)) if wrote != read => {
            Some("the client reads something else than the server wrote".to_owned())
        }
        _ => None,
    })
}
