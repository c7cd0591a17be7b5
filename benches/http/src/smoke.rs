//! That every server answers every scenario, without counting anything.

use std::io;

use super::exchange::Exchange;
use super::process::Server;
use super::stacks::{STACKS, has};
use super::{Scenario, client};

/// How often each is asked.
const TIMES: usize = 20;

/// Asks every stack for every scenario it has, and checks the answers.
///
/// # Errors
/// A server that fails, or answers wrongly.
pub fn run() -> io::Result<()> {
    let formats = Scenario::LOADED.into_iter().filter(|it| !Scenario::COUNTED.contains(it));
    for scenario in Scenario::COUNTED.into_iter().chain(formats) {
        let exchange = Exchange::of(scenario);
        for stack in STACKS.iter().filter(|stack| has(stack, scenario)) {
            let asked = Server::start(&[], stack, scenario).and_then(|server| {
                client::exchange(&server.address, &exchange, TIMES)?;
                server.end()
            });
            asked.map_err(|error| {
                io::Error::other(format!("{stack}, {}: {error}", scenario.name()))
            })?;
        }
    }
    Ok(())
}
