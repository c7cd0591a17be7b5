//! A client and a server, and what they have in common.

use manywire_format::{CodingLevel, Format, Schema};

use crate::trial::cast::{Player, Role};
use crate::trial::options::Options;
use crate::trial::service::Service;

/// A lane that asks, and what it asks.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'a> {
    pub(crate) client: &'a Player,
    pub(crate) server: Server<'a>,
}

/// What answers.
#[derive(Clone, Copy)]
pub(crate) enum Server<'a> {
    /// A lane, launched for the purpose.
    Lane(&'a Player),
    /// A service that exists.
    Service(&'a Service),
}

/// A format under a coding, as one pair exchanges it: a row of the report.
#[derive(Clone, Copy)]
pub(crate) struct Cell<'a> {
    pub(crate) format: Format,
    pub(crate) coding: Option<CodingLevel>,
    pub(crate) client: &'a Role,
    /// The server's library; none of a service that exists.
    pub(crate) server: Option<&'a Role>,
    /// The payloads as the server sends them, or why it sends none.
    pub(crate) bytes: Result<&'a [Vec<u8>], &'a str>,
    /// Bytes of all bodies, without envelopes.
    pub(crate) body_bytes: Option<u64>,
}

impl<'a> Pair<'a> {
    /// What the client is called.
    pub(crate) fn client_name(&self) -> &'a str {
        self.client.name()
    }

    /// What the server is called.
    pub(crate) fn server_name(&self) -> &'a str {
        match self.server {
            Server::Lane(player) => player.name(),
            Server::Service(service) => &service.url,
        }
    }

    /// Every format and coding that both know, whether or not it can be measured.
    pub(crate) fn cells(&self, options: &Options) -> Vec<Cell<'a>> {
        let mut cells = Vec::new();
        for &format in &options.formats {
            let Some(client) = self.client.role(format) else { continue };
            for &coding in &options.codings {
                cells.extend(match self.server {
                    Server::Lane(player) => of_lane(player, format, coding, client),
                    Server::Service(service) => {
                        of_service(service, format, coding, client, options.schema.is_some())
                    }
                });
            }
        }
        cells
    }
}

fn of_lane<'a>(
    player: &'a Player,
    format: Format,
    coding: Option<CodingLevel>,
    client: &'a Role,
) -> Option<Cell<'a>> {
    let server = player.role(format)?;
    let bytes = server.bytes.as_deref().map_err(String::as_str);
    // A compressor of another lane may need a few more or fewer.
    let body_bytes = match coding {
        None => bytes.ok().map(|bytes| bytes.iter().map(|bytes| bytes.len() as u64).sum()),
        Some(level) => server.coded_sizes.iter().find(|size| size.0 == level).map(|size| size.1),
    };
    Some(Cell { format, coding, client, server: Some(server), bytes, body_bytes })
}

fn of_service<'a>(
    service: &'a Service,
    format: Format,
    coding: Option<CodingLevel>,
    client: &'a Role,
    by_schema: bool,
) -> Option<Cell<'a>> {
    let (_, answer) = service.answers.iter().find(|(answered, _)| *answered == format)?;
    let bytes = match answer {
        // The numbers of an inferred schema would be our own.
        Ok(_) if !by_schema && format.row().schema != Schema::InBand => Err(NO_SCHEMA),
        answer => answer.as_ref().map(std::slice::from_ref).map_err(String::as_str),
    };
    let body_bytes = answer.as_ref().ok().map(|bytes| bytes.len() as u64);
    Some(Cell { format, coding, client, server: None, bytes, body_bytes })
}

/// Why messages of a service are not read by guessing.
const NO_SCHEMA: &str = "what it answers cannot be read without its schema: give it with --schema";

/// The level that the contract of lanes names for gzip.
const LEVEL: u8 = 6;

impl Cell<'_> {
    /// Why it cannot be measured, and whether somebody is to blame.
    pub(crate) fn obstacle(&self, pair: &Pair<'_>) -> Option<(String, bool)> {
        if let Err(why) = self.bytes {
            let broken = self.server.is_some_and(|role| role.broken);
            return Some((format!("server: {why}"), broken));
        }
        if let Err(why) = &self.client.bytes {
            return Some((format!("client: {why}"), self.client.broken));
        }
        let level = self.coding?;
        if level.level() != LEVEL {
            return Some((format!("lanes compress by level {LEVEL}, not {level}"), false));
        }
        let token = level.coding().name();
        let lacks = |player: &Player| !player.http.codings.iter().any(|known| known == token);
        let without = match pair.server {
            Server::Lane(server) if lacks(server) => server,
            _ if lacks(pair.client) => pair.client,
            _ => return None,
        };
        Some((format!("the {} lane has no {token}", without.name()), false))
    }
}
