//! What the library costs over hyper alone, in instructions a request.
//!
//! `cargo bench -p manywire-http-benches --bench http` prints the table and fails where a target is
//! missed; `-- --smoke` only has every server answer.

use std::io;
use std::process::ExitCode;

use manywire_http_benches::count::{SERVE, instructions};
use manywire_http_benches::stacks::{STACKS, serve};
use manywire_http_benches::{Scenario, defaults, negotiation, smoke};

fn main() -> ExitCode {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|text| text != "--bench").collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        [flag, stack, scenario] if *flag == SERVE => server(stack, scenario),
        [flag, kind, times] if *flag == negotiation::NEGOTIATE => {
            negotiation::run(kind, times);
            Ok(true)
        }
        ["--smoke"] => smoke::run().map(|()| true),
        [] => report(),
        other => Err(io::Error::other(format!("expected no arguments, found {other:?}"))),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn server(stack: &str, scenario: &str) -> io::Result<bool> {
    let scenario = Scenario::ALL.into_iter().find(|known| known.name() == scenario);
    let scenario = scenario.ok_or_else(|| io::Error::other("no such scenario"))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(serve(stack, scenario))?;
    Ok(true)
}

/// Prints the table; false if a target is missed.
fn report() -> io::Result<bool> {
    println!("{}", defaults::check()?);
    let mut held = true;
    println!("{:<22}{:>10}{:>18}{:>18}", "instructions a request", STACKS[0], STACKS[1], STACKS[2]);
    let mut tiny = None;
    for scenario in Scenario::ALL {
        let mut row = format!("{:<22}", scenario.name());
        let mut base = None;
        for stack in STACKS {
            let Some(found) = instructions(stack, scenario)? else {
                println!("skipped: valgrind is not installed");
                return Ok(true);
            };
            let base = *base.get_or_insert(found);
            let ratio = found / base;
            row.push_str(&match stack {
                "hyper" => format!("{found:>10.0}"),
                _ => format!("{found:>10.0} {ratio:>6.3}x"),
            });
            if stack == "manywire" {
                let compared = match scenario {
                    Scenario::Last => tiny.map(|tiny: f64| found / tiny),
                    _ => Some(ratio),
                };
                if scenario == Scenario::Tiny {
                    tiny = Some(found);
                }
                if let Some(compared) = compared {
                    let target = scenario.target();
                    let word = if compared <= target { "holds" } else { "MISSED" };
                    held &= compared <= target;
                    row.push_str(&format!(" (target {target:.2}, {compared:.3}: {word})"));
                }
            }
        }
        println!("{row}");
    }
    held &= negotiation::report()?;
    Ok(held)
}
