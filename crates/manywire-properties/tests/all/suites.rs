//! Every vector and every case of the external suites through every property. An input of one
//! format is a damaged input to all the others.

use manywire_properties::inputs::{self, Input};
use manywire_properties::{TARGETS, Target, TargetKind};

use crate::parallel;

#[test]
fn properties_hold_for_known_inputs() {
    let mut known = inputs::vectors();
    assert!(known.len() > 400, "only {} vectors", known.len());
    match inputs::suites_folder() {
        Some(root) => known.extend(inputs::suites(&root)),
        None => println!("skipped: no suites"),
    }
    let numbered: Vec<(usize, &Input)> = known.iter().enumerate().collect();
    let mut broken: Vec<String> =
        parallel::map(&numbered, |(number, input)| failures(*number, input)).concat();
    broken.sort();
    let shown = broken.iter().take(40).cloned().collect::<Vec<_>>().join("\n");
    assert!(broken.is_empty(), "{} of {} inputs:\n{shown}", broken.len(), known.len());
    println!("{} inputs through {} properties", known.len(), TARGETS.len());
}

/// Checks every property on an input.
fn failures(number: usize, input: &Input) -> Vec<String> {
    // Compressing takes a hundred times as long as reading, so a share of the inputs is enough.
    let share = |target: &&&Target| target.kind != TargetKind::Coding || number.is_multiple_of(32);
    let mut broken = Vec::new();
    for target in TARGETS.iter().filter(share) {
        if let Err(error) = target.check(&input.bytes) {
            broken.push(format!("{}, {} {}: {error}", target.name, input.source, input.name));
        }
    }
    broken
}
