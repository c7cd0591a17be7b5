use super::*;

/// The settings of a measurement without a warm-up.
const OPTIONS: BenchOptions = BenchOptions {
    seed: 7,
    budget: Duration::MAX,
    samples: 1,
    clock_resolution_ns: 1,
    warm_up: Duration::ZERO,
    warm_up_max: Duration::ZERO,
};

/// A runtime whose collector runs every `every` operations.
struct Runtime {
    operations: u64,
    every: u64,
    tells: bool,
}

const OPERATION_NS: f64 = 50_000.0;
const COLLECTION_NS: f64 = 1_300_000.0;

impl BatchRunner for Runtime {
    fn run(&mut self, _: usize, window: &[usize], repeats: u64) -> Result<Batch, Refusal> {
        let operations = repeats * window.len() as u64;
        let before = self.operations / self.every;
        self.operations += operations;
        let collections = (self.operations / self.every - before) as f64;
        Ok(Batch {
            operations: operations as f64,
            wall_ns: operations as f64 * OPERATION_NS + collections * COLLECTION_NS,
            cpu_ns: None,
            collections: self.tells.then_some(collections),
        })
    }
}

/// Returns the measured time of an operation and the operations in a batch.
fn measured(every: u64, tells: bool) -> (f64, f64) {
    let mut runtime = Runtime { operations: 0, every, tells };
    let found = measure(&mut runtime, vec![Ok(())], &OPTIONS);
    let batches = found.entries[0].as_ref().expect("batches");
    (median_ns(batches), batches[0].operations)
}

#[test]
fn collection_cost_is_part_of_an_operation() {
    // Every 130 operations, as Go does for a document of 10 KB: 20 % of the time.
    let mean = OPERATION_NS + COLLECTION_NS / 130.0;
    let (ns, operations) = measured(130, true);
    assert!((ns / mean - 1.0).abs() < 0.05, "{ns} instead of {mean}");
    assert!(operations < 600.0, "{operations}");
    let (without, operations) = measured(130, false);
    assert_eq!(without, OPERATION_NS, "short batches leave them out");
    assert!(operations < 20.0, "{operations}");
}

/// A heap that slows an entry's first operations if another entry ran before.
struct Shared {
    of: usize,
    strange: u64,
}

const STRANGE: u64 = 20;

impl BatchRunner for Shared {
    fn run(&mut self, entry: usize, _: &[usize], repeats: u64) -> Result<Batch, Refusal> {
        if self.of != entry {
            (self.of, self.strange) = (entry, STRANGE);
        }
        let slow = self.strange.min(repeats);
        self.strange -= slow;
        Ok(Batch {
            operations: repeats as f64,
            wall_ns: (repeats + slow) as f64 * OPERATION_NS,
            cpu_ns: None,
            collections: Some(repeats as f64 / 100.0),
        })
    }
}

#[test]
fn heap_state_of_other_entries_is_not_counted() {
    let found = measure(&mut Shared { of: 2, strange: 0 }, vec![Ok(()), Ok(())], &OPTIONS);
    for batches in found.entries {
        assert_eq!(median_ns(&batches.expect("batches")), OPERATION_NS);
    }
}

#[test]
fn rare_collections_do_not_lengthen_batches() {
    let (ns, operations) = measured(1_000_000, true);
    assert_eq!(ns, OPERATION_NS);
    assert!(operations < 20.0, "{operations}");
}

/// A runtime that compiles an operation after [`COMPILED_AFTER`] runs.
#[derive(Default)]
struct Compiling {
    operations: u64,
    /// The short batches of fast code before counting. After it, each batch has a short lead-in.
    short: u64,
    is_counting: bool,
}

const COMPILED_AFTER: u64 = 1_000;

impl BatchRunner for Compiling {
    fn run(&mut self, _: usize, _: &[usize], repeats: u64) -> Result<Batch, Refusal> {
        let is_fast = self.operations >= COMPILED_AFTER;
        self.operations += repeats;
        let wall_ns = repeats as f64 * if is_fast { 1_000.0 } else { 1_000_000.0 };
        self.short += u64::from(!self.is_counting && is_fast && wall_ns < BATCH_NS / 4.0);
        Ok(Batch { operations: repeats as f64, wall_ns, cpu_ns: None, collections: None })
    }

    fn start_counting(&mut self) {
        self.is_counting = true;
    }
}

#[test]
fn batches_grow_while_code_gets_faster() {
    let options = BenchOptions {
        warm_up: Duration::from_millis(5),
        warm_up_max: Duration::from_secs(5),
        ..OPTIONS
    };
    let mut runtime = Compiling::default();
    let found = measure(&mut runtime, vec![Ok(())], &options);
    assert!(found.steady);
    assert!(runtime.short < 40, "{} batches of few operations", runtime.short);
}
