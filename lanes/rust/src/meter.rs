//! The figures of a batch and of an operation, as the contract has them.

use manywire_meter::{Elapsed, Tally};
use serde::Serialize;

/// The result of a batch.
#[derive(Debug, Serialize)]
pub(crate) struct Ran {
    wall_ns: u64,
    cpu_ns: Option<u64>,
    /// Always null, like `compiled_ms`: Rust has no garbage collector and no run-time compiler.
    collections: Option<u64>,
    compiled_ms: Option<f64>,
    preemptions: Option<u64>,
}

impl Ran {
    pub(crate) fn new(elapsed: Elapsed, preemptions: Option<u64>) -> Ran {
        let Elapsed { wall_ns, cpu_ns } = elapsed;
        Ran { wall_ns, cpu_ns, collections: None, compiled_ms: None, preemptions }
    }
}

/// The allocations of one operation.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Allocated {
    allocs: Option<f64>,
    alloc_bytes: Option<f64>,
    peak_bytes: Option<f64>,
}

impl Allocated {
    /// Returns the mean of `tallies`, or unknown figures if one is unknown or there are none.
    pub(crate) fn mean(tallies: &[Option<Tally>]) -> Allocated {
        let mean = |figure: fn(&Tally) -> u64| {
            let figures: Option<Vec<u64>> =
                tallies.iter().map(|tally| tally.as_ref().map(figure)).collect();
            let figures = figures.filter(|figures| !figures.is_empty())?;
            Some(figures.iter().sum::<u64>() as f64 / figures.len() as f64)
        };
        Allocated {
            allocs: mean(|tally| tally.allocs),
            alloc_bytes: mean(|tally| tally.bytes),
            peak_bytes: mean(|tally| tally.peak),
        }
    }
}
