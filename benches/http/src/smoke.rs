//! That every server answers every scenario, without counting anything.

use std::env;
use std::io;
use std::process::{Command, Stdio};

use super::count::{SERVE, address};
use super::stacks::STACKS;
use super::{Scenario, client};

/// How often each is asked.
const TIMES: usize = 20;

/// Asks every stack for every scenario, and checks the answers.
///
/// # Errors
/// A server that fails, or answers wrongly.
pub fn run() -> io::Result<()> {
    for stack in STACKS {
        for scenario in Scenario::ALL {
            let mut server = Command::new(env::current_exe()?)
                .args([SERVE, stack, scenario.name()])
                .stdout(Stdio::piped())
                .spawn()?;
            let result = address(&mut server).and_then(|address| {
                let (request, body) = scenario.exchange();
                client::exchange(&address, &request, &body, TIMES)
            });
            // The server ends with its first connection; if there was none, it must be ended.
            if result.is_err() {
                drop(server.kill());
            }
            let status = server.wait()?;
            result.map_err(|error| {
                io::Error::other(format!("{stack}, {}: {error}", scenario.name()))
            })?;
            if !status.success() {
                return Err(io::Error::other(format!("{stack}, {}: {status}", scenario.name())));
            }
        }
    }
    Ok(())
}
