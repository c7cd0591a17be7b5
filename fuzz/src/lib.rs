//! The rows of `manywire_properties::TARGETS` as fuzz targets.
//!
//! The file of a target is one line: `manywire_fuzz::target!(agree_cbor);`. Inputs come from
//! libFuzzer's own mutations and, one time in three, from the row's generator, which knows the
//! grammar.

use std::alloc::System;

use cap::Cap;
pub use libfuzzer_sys;
pub use manywire_properties;
use manywire_properties::{Choices, Target};

/// The memory limit of a target in bytes: far more than inputs of a few kilobytes need, with
/// libFuzzer's own corpus in addition.
const MEMORY_MAX: usize = 1 << 30;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, MEMORY_MAX);

/// Checks the row. Panics if the property does not hold, which tells libFuzzer about the find.
pub fn check(row: &Target, bytes: &[u8]) {
    if let Err(broken) = row.check(bytes) {
        panic!("{}: {broken}", row.name);
    }
}

/// Mutates the first `size` bytes of `data` in place, and returns the new size.
pub fn mutate(row: &Target, data: &mut [u8], size: usize, size_max: usize, seed: u32) -> usize {
    if seed % 3 != 0 {
        return libfuzzer_sys::fuzzer_mutate(data, size, size_max);
    }
    let mut input = data[..size].to_vec();
    let mut choices = Choices::from_seed(u64::from(seed));
    manywire_properties::mutate(row, &mut choices, &mut input, size_max);
    let size = input.len().min(size_max).min(data.len());
    data[..size].copy_from_slice(&input[..size]);
    size
}

/// Defines the fuzz target of a row.
#[macro_export]
macro_rules! target {
    ($name:ident) => {
        use $crate::libfuzzer_sys;
        use $crate::manywire_properties::row::$name as ROW;

        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| $crate::check(&ROW, bytes));

        libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
            $crate::mutate(&ROW, data, size, max_size, seed)
        });
    };
}
