//! A comparison of lanes with the benchmark harnesses of their own runtimes.
//!
//! The same functions of two libraries are timed by a lane, launch by launch, and by the usual
//! harness of the language, process by process, in turns and in random order. Each launch and each
//! process gives one number: the logarithm of the ratio of the two libraries. If both sides measure
//! the same, the 95 % interval of the difference of their means (Welch's, for unequal variances)
//! contains 0 in 95 of 100 comparisons.
//!
//! `cargo run -p manywire-harness-benches -- go` (README.md lists the requirements).
//!
//! `-- positions go` measures six identical subjects of a lane instead, which should measure alike.

mod agreement;
mod comparison;
mod harnesses;
mod lane;
mod lane_copy;
mod positions;
mod welch;

use std::path::PathBuf;
use std::process::ExitCode;

use comparison::Comparison;

/// The arguments of the command line.
struct Arguments {
    /// True if the positions of identical subjects are measured instead of an agreement.
    positions: bool,
    lane: String,
    repeats: usize,
    processes: usize,
    record: Option<PathBuf>,
    /// True if the run only checks that both sides measure.
    smoke: bool,
}

/// The launches of a measurement of positions, after which the intervals are about ±0.8 % on a shared machine
/// without other load.
const POSITION_LAUNCHES: usize = 200;

const USAGE: &str = "usage: harness LANE [--repeats 10] [--processes 10] [--record FILE.json]
       harness LANE --smoke
       harness positions LANE [--processes 200] [--smoke]
LANE is go (go test -bench), java (JMH), python (pyperf) or rust (criterion);
positions takes go, node, python and rust";

fn parse_arguments() -> Result<Arguments, String> {
    let mut words = std::env::args().skip(1);
    let mut lane = words.next().ok_or(USAGE)?;
    let positions = lane == "positions";
    if positions {
        lane = words.next().ok_or(USAGE)?;
    }
    let processes = if positions { POSITION_LAUNCHES } else { 10 };
    let mut arguments =
        Arguments { positions, lane, repeats: 10, processes, record: None, smoke: false };
    while let Some(flag) = words.next() {
        if flag == "--smoke" {
            arguments = Arguments { repeats: 1, processes: 2, smoke: true, ..arguments };
            continue;
        }
        let value = words.next().ok_or_else(|| format!("{flag} needs a value\n{USAGE}"))?;
        let number = || match value.parse() {
            Ok(number) if number > 1 => Ok(number),
            _ => Err(format!("{flag} {value}: expected a number of at least 2")),
        };
        match flag.as_str() {
            "--processes" => arguments.processes = number()?,
            "--repeats" if !positions => arguments.repeats = number()?,
            "--record" if !positions => arguments.record = Some(value.into()),
            _ => return Err(format!("{flag}: no such option\n{USAGE}")),
        }
    }
    Ok(arguments)
}

fn run() -> Result<bool, String> {
    let arguments = parse_arguments()?;
    if arguments.positions {
        let found = positions::measure(&arguments.lane, arguments.processes)?;
        print!("{}", found.table());
        return Ok(arguments.smoke || found.outcome() == positions::Outcome::Alike);
    }
    let comparison = Comparison::for_lane(&arguments.lane)?;
    let built = harnesses::build(&comparison)?;
    let mut theirs = harnesses::for_comparison(&comparison, &built)?;
    let ours = lane::LaneUnderTest::new(built, &comparison.payload)?;
    let found = agreement::compare(
        comparison.libraries,
        &ours,
        theirs.as_mut(),
        arguments.repeats,
        arguments.processes,
    )?;
    print!("{}", found.table(&comparison));
    if let Some(path) = &arguments.record {
        let record = format!("{:#}\n", found.record(&comparison, theirs.version()));
        std::fs::write(path, record).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(arguments.smoke || found.agrees())
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}
