//! The harnesses of the runtimes.

mod criterion;
mod go_test;
mod jmh;
mod pyperf;

use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

use manywire_tools::weigh::lanes::{self, Built};

use crate::comparison::Comparison;
use crate::lane_copy::{Edit, copy_with_edits};

/// A build is interrupted only by ending the process.
static NEVER: AtomicBool = AtomicBool::new(false);

/// A harness that is ready to measure.
pub(crate) trait Harness {
    /// Returns the name and version of the harness.
    fn version(&self) -> &str;

    /// Runs new processes. Returns the reported nanoseconds per operation of each case.
    ///
    /// # Errors
    /// Returns an error if the harness fails or prints anything unexpected.
    fn process(&mut self) -> Result<[f64; 4], String>;
}

/// Builds a lane, together with its harness if both are one program.
pub(crate) fn build(comparison: &Comparison) -> Result<Built, String> {
    let folder = match edits(comparison.lane) {
        [] => comparison.root.join("lanes"),
        edits => copy_with_edits(comparison, edits)?,
    };
    let lane = lanes::all(Some(&folder))?.into_iter().find(|lane| lane.name() == comparison.lane);
    lane.ok_or_else(|| format!("there is no lane {}", comparison.lane))?.build(&NEVER)
}

/// Returns the edits that add a harness to its lane's program; none if the harness runs the lane's
/// code unchanged.
pub(crate) fn edits(lane: &str) -> &'static [Edit] {
    match lane {
        "go" => &go_test::EDITS,
        "rust" => &criterion::EDITS,
        _ => &[],
    }
}

/// Returns the harness of a lane.
pub(crate) fn for_comparison(
    comparison: &Comparison,
    built: &Built,
) -> Result<Box<dyn Harness>, String> {
    Ok(match comparison.lane {
        "python" => Box::new(pyperf::Pyperf::new(comparison)?),
        "java" => Box::new(jmh::Jmh::new(comparison, built)?),
        "rust" => Box::new(criterion::Criterion::new(comparison, built)),
        _ => Box::new(go_test::GoTest::new(comparison, built)?),
    })
}

/// Returns the output of a command that succeeds.
fn output(command: &mut Command) -> Result<String, String> {
    let ended = command.stdin(Stdio::null()).output();
    let failed = |why: String| format!("{command:?}: {why}");
    let output = ended.map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        let said = [output.stdout, output.stderr].concat();
        return Err(failed(format!("{}\n{}", output.status, String::from_utf8_lossy(&said))));
    }
    String::from_utf8(output.stdout).map_err(|error| failed(error.to_string()))
}
