//! The processor time per request of the library and of hyper, under load.
//!
//! `cargo bench -p manywire-http-benches --bench cpu` takes about five minutes and needs wrk. It
//! fails if a target is missed. `-- --launches 3` is quicker and less precise; `-- --smoke` only
//! sends every server a few requests under load. It needs Linux, whose accounting gives the
//! processor time.
//!
//! A launch starts a new process for each server. Server and load generator have a core each, and
//! each launch gives one ratio for each scenario. The order changes from launch to launch.

use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::{env, fmt, fs};

use manywire::Format;
use manywire_http_benches::exchange::Exchange;
use manywire_http_benches::process::{SERVE, Server};
use manywire_http_benches::stacks::{self, BARE, BASE, OURS};
use manywire_http_benches::{Scenario, bench, client};
use manywire_tools::weigh::statistics::{Interval, median};

/// The stacks under load. Bare hyper only serves the scenarios with a target for it.
const STACKS: [&str; 3] = [BASE, OURS, BARE];

/// The default number of launches.
const LAUNCHES: usize = 10;

/// The maximum ratio of our processor time to that of hyper alone.
const TARGET: f64 = 1.03;

/// The cores of the server and of the load generator.
const CORES: [&str; 2] = ["0", "1"];

/// The number of connections, enough to keep the server busy.
const CONNECTIONS: &str = "32";

/// The duration of the load in a launch, the shortest that wrk accepts.
const LOAD: &str = "1s";

/// The number of checked responses before the load, because wrk does not check bodies.
const CHECKS: usize = 20;

fn main() -> ExitCode {
    bench::run(|words| match words {
        [flag, stack, scenario] if *flag == SERVE => stacks::run(stack, scenario).map(|()| true),
        ["--smoke"] => smoke().map(|()| true),
        words => report(bench::number(words, "--launches", LAUNCHES, 2)?),
    })
}

/// Runs every server under load once.
fn smoke() -> io::Result<()> {
    for scenario in Scenario::LOADED {
        for stack in STACKS {
            microseconds(stack, scenario)?;
        }
    }
    Ok(())
}

/// Prints the table. Returns false if a target is missed.
fn report(launches: usize) -> io::Result<bool> {
    // The processor time per request in each launch, in the order of `STACKS`, by scenario.
    let mut found: Vec<Vec<[f64; STACKS.len()]>> = vec![Vec::new(); Scenario::LOADED.len()];
    for launch in 0..launches {
        for (scenario, found) in Scenario::LOADED.into_iter().zip(&mut found) {
            let mut times = [f64::NAN; STACKS.len()];
            for turn in 0..STACKS.len() {
                let which = (launch + turn) % STACKS.len();
                if STACKS[which] != BARE || scenario.bare_target().is_some() {
                    times[which] = microseconds(STACKS[which], scenario)?;
                }
            }
            found.push(times);
        }
    }
    println!(
        "{launches} launches of {LOAD}, {CONNECTIONS} connections, server and load on a core each; \
         95 % intervals\n"
    );
    println!("{:<20}{BASE:>12}{OURS:>12}  {:<33}ours to JSON", "processor time", "ratio");
    let json = Scenario::LOADED.iter().position(|it| *it == Scenario::Catalogue(Format::Json));
    let mut met = true;
    for (scenario, launches) in Scenario::LOADED.into_iter().zip(&found) {
        let ratio = Ratio::of(launches.iter().map(|[base, ours, _]| ours / base))?;
        met &= !ratio.misses(TARGET);
        let to_json = match (scenario, json) {
            (Scenario::Catalogue(format), Some(json)) if format != Format::Json => {
                let pairs = launches.iter().zip(&found[json]);
                Ratio::of(pairs.map(|([_, ours, _], [_, json, _])| ours / json))?.to_string()
            }
            _ => String::new(),
        };
        println!(
            "{:<20}{:>9.1} µs{:>9.1} µs  {:<33}{to_json}",
            scenario.name(),
            middle(launches.iter().map(|[base, ..]| *base)),
            middle(launches.iter().map(|[_, ours, _]| *ours)),
            ratio.judged(TARGET),
        );
    }
    println!("\ntarget: at most {TARGET} of hyper with the same timers and limits");
    println!("\n{:<20}{BARE:>12}{OURS:>12}  {:<33}target", "processor time", "ratio");
    for (scenario, launches) in Scenario::LOADED.into_iter().zip(&found) {
        let Some(target) = scenario.bare_target() else { continue };
        let ratio = Ratio::of(launches.iter().map(|[_, ours, bare]| ours / bare))?;
        met &= !ratio.misses(target);
        println!(
            "{:<20}{:>9.1} µs{:>9.1} µs  {:<33}{target:.2}",
            scenario.name(),
            middle(launches.iter().map(|[.., bare]| *bare)),
            middle(launches.iter().map(|[_, ours, _]| *ours)),
            ratio.judged(target),
        );
    }
    Ok(met)
}

fn middle(times: impl Iterator<Item = f64>) -> f64 {
    median(&times.collect::<Vec<_>>()).unwrap_or_default()
}

/// The mean of the ratios of all launches, and its interval.
struct Ratio {
    mean: f64,
    low: f64,
    high: f64,
}

impl Ratio {
    fn of(ratios: impl Iterator<Item = f64>) -> io::Result<Ratio> {
        let logs: Vec<f64> = ratios.map(f64::ln).collect();
        let interval = Interval::of(&logs).ok_or_else(|| io::Error::other("too few launches"))?;
        let (mean, low, high) = interval.exp();
        Ok(Ratio { mean, low, high })
    }

    /// Returns true if the whole interval is above the target; more launches narrow the interval.
    fn misses(&self, target: f64) -> bool {
        self.low > target
    }

    fn judged(&self, target: f64) -> String {
        let word = match () {
            () if self.high <= target => "holds",
            () if self.misses(target) => "MISSED",
            () => "undecided",
        };
        format!("{self} {word}")
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ratio { mean, low, high } = self;
        write!(f, "{mean:.3} [{low:.3} to {high:.3}]")
    }
}

/// Returns the processor time per request of a new server, in microseconds.
fn microseconds(stack: &str, scenario: Scenario) -> io::Result<f64> {
    let exchange = Exchange::for_scenario(scenario);
    let server = Server::start(&["taskset", "--cpu-list", CORES[0]], stack, scenario)?;
    client::exchange(&server.address, &exchange, CHECKS)?;
    let script = Script::write(&exchange)?;
    let before = processor_ns(&server)?;
    let output = Command::new("taskset")
        .args(["--cpu-list", CORES[1], "wrk", "-t1", "-c", CONNECTIONS, "-d", LOAD, "-s"])
        .arg(&script.0)
        .arg(format!("http://{}", server.address))
        .output()?;
    let spent = processor_ns(&server)? - before;
    let text = String::from_utf8_lossy(&output.stdout);
    let requests = requests(&text).ok_or_else(|| {
        let (stack, name) = (stack, scenario.name());
        let error = String::from_utf8_lossy(&output.stderr);
        io::Error::other(format!("{stack}, {name}: wrk did not go well: {text}{error}"))
    })?;
    server.end()?;
    Ok(spent / 1e3 / requests)
}

/// Returns the number of requests if all had a successful response.
fn requests(text: &str) -> Option<f64> {
    if text.contains("Non-2xx") || text.contains("Socket errors") {
        return None;
    }
    let line = text.lines().find(|line| line.contains(" requests in "))?;
    let requests: f64 = line.split_whitespace().next()?.parse().ok()?;
    (requests > 0.0).then_some(requests)
}

/// Returns the processor time of all threads of a server, in nanoseconds.
fn processor_ns(server: &Server) -> io::Result<f64> {
    let mut all = 0.0;
    for thread in fs::read_dir(format!("/proc/{}/task", server.id()))? {
        let text = fs::read_to_string(thread?.path().join("schedstat"))?;
        let spent = text.split(' ').next().and_then(|spent| spent.parse::<f64>().ok());
        all += spent.ok_or_else(|| io::Error::other("the system keeps no account of threads"))?;
    }
    Ok(all)
}

/// A script for wrk, removed on drop.
struct Script(PathBuf);

impl Script {
    fn write(exchange: &Exchange) -> io::Result<Script> {
        let path = env::temp_dir().join(format!("manywire-wrk-{}.lua", std::process::id()));
        fs::write(&path, exchange.script())?;
        Ok(Script(path))
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        // A script that remains in the temporary folder does no harm.
        drop(fs::remove_file(&self.0));
    }
}
