//! The harnesses of the runtimes.

mod criterion;
mod go_test;
mod harness;
mod jmh;
mod pyperf;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use manywire_tools::weigh::lanes::{self, BuiltLane};

use crate::comparison::Comparison;
use crate::lane_copy::{Edit, copy_with_edits};

pub(crate) use harness::Harness;

/// A build is interrupted only by ending the process.
static NEVER: AtomicBool = AtomicBool::new(false);

/// Builds a lane, together with its harness if both are one program.
pub(crate) fn build(comparison: &Comparison) -> Result<BuiltLane, String> {
    let folder = match edits(comparison.lane) {
        [] => comparison.root.join("lanes"),
        edits => copy(comparison, edits)?,
    };
    let lanes = lanes::all(Some(&folder)).map_err(|error| error.to_string())?;
    let lane = lanes.into_iter().find(|lane| lane.name() == comparison.lane);
    let lane = lane.ok_or_else(|| format!("there is no lane {}", comparison.lane))?;
    lane.build(&NEVER).map_err(|error| error.to_string())
}

/// Copies the lane of a comparison, with its harness beside it.
pub(crate) fn copy(comparison: &Comparison, edits: &[Edit]) -> Result<PathBuf, String> {
    let Comparison { lane, root, work, .. } = comparison;
    copy_with_edits(lane, root, work, &root.join("benches/harness").join(lane), edits)
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
    built: &BuiltLane,
) -> Result<Box<dyn Harness>, String> {
    Ok(match comparison.lane {
        "python" => Box::new(pyperf::Pyperf::new(comparison)?),
        "java" => Box::new(jmh::Jmh::new(comparison, built)?),
        "rust" => Box::new(criterion::Criterion::new(comparison, built)),
        _ => Box::new(go_test::GoTest::new(comparison, built)?),
    })
}
