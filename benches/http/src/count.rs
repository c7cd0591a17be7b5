//! The cost of a request, counted by callgrind: the difference between many requests and few, so
//! that the start and the end of the process do not count.

use std::io;

use super::callgrind::{Profile, Totals};
use super::exchange::Exchange;
use super::process::Server;
use super::{Scenario, client};

const FEW: usize = 200;
const MANY: usize = 1_200;

/// Returns the totals of one request.
///
/// # Errors
/// Returns an error if the server fails or responds wrongly, or if valgrind fails.
pub fn request(stack: &str, scenario: Scenario) -> io::Result<Totals> {
    let exchange = Exchange::for_scenario(scenario);
    let run = |times| -> io::Result<Totals> {
        let profile = Profile::new("http");
        let [tool, out] = profile.options();
        let server = Server::start(&["valgrind", &tool, &out], stack, scenario)?;
        client::exchange(&server.address, &exchange, times)?;
        server.end()?;
        profile.read()
    };
    let (few, many) = (run(FEW)?, run(MANY)?);
    let each = |few: f64, many: f64| (many - few) / (MANY - FEW) as f64;
    Ok(Totals {
        instructions: each(few.instructions, many.instructions),
        allocations: each(few.allocations, many.allocations),
    })
}
