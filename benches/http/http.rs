//! The instructions and allocations per request of the library and of hyper alone.
//!
//! `cargo bench -p manywire-http-benches --bench http` prints the table and fails if a target is
//! missed; `--features peers` adds more frameworks. `-- --smoke` only sends every server a request.

use std::io;
use std::process::ExitCode;

use manywire_http_benches::process::SERVE;
use manywire_http_benches::stacks::{self, BARE, BASE, OURS, STACKS, has};
use manywire_http_benches::{Scenario, bench, callgrind, checks, negotiation};

/// The maximum number of allocations in addition to those of hyper alone.
const ALLOCATIONS_MAX: f64 = 2.0;

fn main() -> ExitCode {
    bench::run(|words| match words {
        [flag, stack, scenario] if *flag == SERVE => stacks::run(stack, scenario).map(|()| true),
        [flag, kind, times] if *flag == negotiation::NEGOTIATE => {
            negotiation::run(kind, times);
            Ok(true)
        }
        ["--smoke"] => checks::smoke().map(|()| true),
        [] => report(),
        other => Err(io::Error::other(format!("expected no arguments, found {other:?}"))),
    })
}

/// Prints the table. Returns false if a target is missed.
fn report() -> io::Result<bool> {
    println!("{}", checks::defaults()?);
    if !callgrind::is_installed() {
        println!("skipped: valgrind is not installed");
        return Ok(true);
    }
    println!("instructions a request, ratio to {BASE}, (allocations)");
    let heads: String = STACKS.iter().map(|stack| format!("{stack:>22}")).collect();
    println!("{:<18}{heads}", "");
    let mut verdicts = Vec::new();
    let mut met = true;
    let mut tiny = None;
    for scenario in Scenario::COUNTED {
        let mut row = format!("{:<18}", scenario.name());
        let (mut base, mut bare) = (None, None);
        for stack in STACKS {
            if !has(stack, scenario) {
                row.push_str(&format!("{:>22}", "n/a"));
                continue;
            }
            let found = callgrind::request(stack, scenario)?;
            let base = *base.get_or_insert(found);
            let ratio = found.instructions / base.instructions;
            row.push_str(&format!(
                "{:>9.0} {ratio:>5.3}x ({:>3.0})",
                found.instructions, found.allocations
            ));
            if *stack == BARE {
                bare = Some(found.instructions);
            }
            if *stack != OURS {
                continue;
            }
            if scenario == Scenario::Tiny {
                tiny = Some(found.instructions);
            }
            let (compared, to) = match (scenario, tiny) {
                (Scenario::Last, Some(tiny)) => (found.instructions / tiny, "tiny"),
                _ => (ratio, BASE),
            };
            let more = found.allocations - base.allocations;
            let holds = |it: bool| if it { "holds" } else { "MISSED" };
            let (is_quick, is_lean) = (compared <= scenario.target(), more <= ALLOCATIONS_MAX);
            met &= is_quick && is_lean;
            let mut verdict = format!(
                "  {:<18} {compared:.3}x {to} (target {:.2}: {}), {more:+.1} allocations (target \
                 +{ALLOCATIONS_MAX}: {})",
                scenario.name(),
                scenario.target(),
                holds(is_quick),
                holds(is_lean)
            );
            if let (Some(target), Some(bare)) = (scenario.bare_target(), bare) {
                let ratio = found.instructions / bare;
                met &= ratio <= target;
                let word = holds(ratio <= target);
                verdict.push_str(&format!(", {ratio:.3}x {BARE} (target {target:.2}: {word})"));
            }
            verdicts.push(verdict);
        }
        println!("{row}");
    }
    println!("\n{OURS}, by its own server:\n{}", verdicts.join("\n"));
    met &= negotiation::report()?;
    Ok(met)
}
