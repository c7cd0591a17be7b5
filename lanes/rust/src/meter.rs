//! Timing, CPU time and allocations.

use std::time::Instant;

use manywire_meter::{Tally, cpu_ns, tally};
use serde::Serialize;

use crate::coder::Outcome;

/// The result of a batch.
#[derive(Debug, Serialize)]
pub(crate) struct Ran {
    wall_ns: u64,
    cpu_ns: Option<u64>,
    /// Always null: Rust has no garbage collector and no run-time compiler.
    collections: Option<u64>,
    compiled_ms: Option<f64>,
}

/// The clocks of a running batch.
pub(crate) struct Meter {
    cpu_ns: Option<u64>,
    start: Instant,
}

impl Meter {
    /// Starts the clocks. The CPU clock is read outside the span of the wall clock.
    #[inline]
    pub(crate) fn start() -> Meter {
        let cpu_ns = cpu_ns();
        Meter { cpu_ns, start: Instant::now() }
    }

    /// Stops the clocks.
    #[inline]
    pub(crate) fn stop(self) -> Ran {
        let wall = self.start.elapsed().as_nanos();
        let spent = self.cpu_ns.zip(cpu_ns()).map(|(start, end)| end.saturating_sub(start));
        let wall_ns = u64::try_from(wall).unwrap_or(u64::MAX);
        Ran { wall_ns, cpu_ns: spent, collections: None, compiled_ms: None }
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
    /// Returns the mean of several operations, or unknown if one of them is unknown.
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

/// Measures the allocations of an operation after one unmeasured run.
pub(crate) fn allocated(mut operation: impl FnMut() -> Outcome<()>) -> Outcome<Option<Tally>> {
    operation()?;
    let (result, counted) = tally(operation);
    result.map(|()| counted)
}
