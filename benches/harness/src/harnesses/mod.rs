//! The harnesses of the runtimes.

mod criterion;
mod go_test;
mod harness;
mod jmh;
mod pyperf;

use std::path::PathBuf;

use manywire_tools::weigh::lanes::BuiltLane;

use crate::comparison::Comparison;
use crate::lane;
use crate::lane_copy::{Edit, copy_with_edits};

pub(crate) use harness::Harness;

/// Builds a lane, together with its harness if both are one program.
pub(crate) fn build(comparison: &Comparison) -> Result<BuiltLane, String> {
    let folder = match edits(comparison.lane) {
        [] => comparison.root.join("lanes"),
        edits => copy(comparison, edits)?,
    };
    lane::build(&folder, comparison.lane)
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
