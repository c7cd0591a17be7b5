//! The memory of connections that wait for their next request, with the library and with hyper alone.
//!
//! `cargo bench -p manywire-http-benches --bench idle` opens 10,000 connections to each server, with one
//! request on each, and fails if the target is missed. `-- --connections 25000` opens another number, for
//! which enough open files must be permitted (`ulimit -n 25100`); `-- --smoke` opens 100. It needs Linux.

use std::io;
use std::net::TcpStream;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use manywire_http_benches::exchange::Exchange;
use manywire_http_benches::process::{SERVE, Server, memory_kb};
use manywire_http_benches::stacks::{self, BARE, BASE, OURS, STACKS};
use manywire_http_benches::{Scenario, bench, client};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The default number of connections.
const CONNECTIONS: usize = 10_000;

/// The time after the last response in which a server may still tidy up.
const REST: Duration = Duration::from_millis(500);

fn main() -> ExitCode {
    bench::run(|words| match words {
        [flag, stack, scenario] if *flag == SERVE => stacks::run(stack, scenario).map(|()| true),
        ["--smoke"] => {
            STACKS.iter().try_for_each(|stack| bytes(stack, 100).map(drop)).map(|()| true)
        }
        words => report(bench::number(words, "--connections", CONNECTIONS, 1_000)?),
    })
}

/// Prints the table. Returns false if the target is missed.
fn report(connections: usize) -> io::Result<bool> {
    println!("resident memory of a server per idle connection, of {connections}\n");
    let target = Scenario::Idle.target();
    let mut base = None;
    let mut met = true;
    for stack in STACKS {
        let found = bytes(stack, connections)?;
        let ratio = found / *base.get_or_insert(found);
        println!("{stack:<12}{:>8.1} KiB{ratio:>8.3} of {BASE}", found / 1024.0);
        met &= *stack != OURS || ratio <= target;
    }
    let word = if met { "holds" } else { "MISSED" };
    println!("\ntarget: {OURS} at most {target:.2} of {BASE}: {word}; {BARE} has no timers");
    Ok(met)
}

/// Returns the bytes by which a server grows per connection.
fn bytes(stack: &str, connections: usize) -> io::Result<f64> {
    let scenario = Scenario::Idle;
    raise_limit(connections)?;
    let exchange = Exchange::for_scenario(scenario);
    let server = Server::start(&[], stack, scenario)?;
    client::exchange(&server.address, &exchange, 1)?;
    let before = memory_kb(server.id())?;
    let mut open = Vec::with_capacity(connections);
    for _ in 0..connections {
        let mut stream = TcpStream::connect(&server.address)?;
        stream.set_nodelay(true)?;
        client::exchange_on(&mut stream, &exchange, 1)?;
        open.push(stream);
    }
    thread::sleep(REST);
    let after = memory_kb(server.id())?;
    // Checks that all connections are still open.
    for stream in &mut open {
        client::exchange_on(stream, &exchange, 1)?;
    }
    drop(open);
    server.end()?;
    Ok(after.saturating_sub(before) as f64 * 1024.0 / connections as f64)
}

/// Raises the limit of open files, which the server inherits, as far as that is permitted.
fn raise_limit(connections: usize) -> io::Result<()> {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit })?;
    let needed = connections as u64 + 100;
    match limit.maximum {
        Some(permitted) if permitted < needed => Err(io::Error::other(format!(
            "{connections} connections need {needed} open files, and {permitted} are permitted: ulimit -n {needed}"
        ))),
        _ => Ok(()),
    }
}
