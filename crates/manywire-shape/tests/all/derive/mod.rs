//! The shapes that `#[derive(Shaped)]` derives for each serde attribute, as outlines.

#![allow(dead_code, reason = "the types are here for their shapes")]

mod enums;
mod flatten;
mod generics;
mod record;
mod recursion;
mod representation;

use manywire_shape::{Shape, Shaped};

/// Compares the outline of a type with the expected text, which may be indented as a whole.
#[track_caller]
fn check<T: Shaped + ?Sized>(expected: &str) {
    let expected = expected.trim_matches('\n');
    let indent = expected.len() - expected.trim_start().len();
    let lines = expected.lines().map(|line| line.get(indent..).unwrap_or_default());
    let expected: String = lines.flat_map(|line| [line, "\n"]).collect();
    let found = Shape::of::<T>().to_string();
    assert_eq!(found.trim_end(), expected.trim_end(), "\n--- found ---\n{found}");
}
