//! A check that every server responds to every scenario, without counting.

use std::io;

use super::exchange::Exchange;
use super::process::Server;
use super::stacks::{STACKS, has};
use super::{Scenario, client};

/// The number of requests per scenario.
const TIMES: usize = 20;

/// Sends every stack the requests of its scenarios, and checks the responses.
///
/// # Errors
/// Returns an error if a server fails or responds wrongly.
pub fn run() -> io::Result<()> {
    let formats = Scenario::LOADED.into_iter().filter(|it| !Scenario::COUNTED.contains(it));
    for scenario in Scenario::COUNTED.into_iter().chain(formats) {
        let exchange = Exchange::for_scenario(scenario);
        for stack in STACKS.iter().filter(|stack| has(stack, scenario)) {
            let result = Server::start(&[], stack, scenario).and_then(|server| {
                client::exchange(&server.address, &exchange, TIMES)?;
                server.end()
            });
            result.map_err(|error| {
                io::Error::other(format!("{stack}, {}: {error}", scenario.name()))
            })?;
        }
    }
    Ok(())
}
