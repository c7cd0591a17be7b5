//! Every property on generated inputs, valid and damaged: a short run of fuzzing without a fuzzer,
//! with the same inputs each time.

use manywire_properties::{Choices, TARGETS, Target, TargetKind, mutate};

use crate::parallel;

/// Returns the number of inputs per property. `MANYWIRE_INPUTS` changes it; `MANYWIRE_TARGET`
/// selects one property.
fn inputs() -> u64 {
    std::env::var("MANYWIRE_INPUTS").ok().and_then(|text| text.parse().ok()).unwrap_or(5_000)
}

#[test]
fn properties_hold_for_generated_inputs() {
    let only = std::env::var("MANYWIRE_TARGET").ok();
    let selected = |target: &&&Target| only.as_deref().is_none_or(|only| only == target.name);
    let targets: Vec<&Target> = TARGETS.iter().filter(selected).copied().collect();
    let broken: Vec<String> =
        parallel::map(&targets, |target| first_failure(target)).into_iter().flatten().collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Checks a property on inputs that depend on nothing but its generator.
fn first_failure(target: &Target) -> Option<String> {
    let mut choices = Choices::from_seed(0x6d61_6e79);
    let mut input = Vec::new();
    // Compressing takes a hundred times as long as reading.
    let share = if target.kind == TargetKind::Coding { 20 } else { 1 };
    for _ in 0..inputs() / share {
        mutate(target, &mut choices, &mut input, 4_096);
        if let Err(error) = target.check(&input) {
            return Some(format!("{}: {error}\n  input: {}", target.name, hex(&input)));
        }
    }
    None
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
