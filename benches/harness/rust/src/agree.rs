//! The functions of the lane, timed by criterion.

use std::hint::black_box;
use std::time::Duration;

use criterion::Criterion;
use serde_json::Value as Json;

use crate::error::Result;
use crate::known::Known;
use crate::subject::Subject;
use crate::subjects;

/// Returns true if criterion shall run in this process. Without arguments the process is the lane.
pub(crate) fn is_requested() -> bool {
    std::env::args().nth(1).as_deref() == Some("agree")
}

/// Measures the cases that the environment names. Criterion writes its results into
/// `CRITERION_HOME`.
pub(crate) fn measure() -> Result<()> {
    let payload = std::fs::read(std::env::var("MANYWIRE_PAYLOAD")?)?;
    // Every process is one measurement, so each may be short.
    let mut criterion = Criterion::default()
        .without_plots()
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(500))
        .sample_size(50)
        .nresamples(2_000);
    // The heap must be like the lane's. All libraries are loaded before any is measured. Values to
    // encode are made after all decoding, because a value that stays fills gaps in the heap that
    // decoding would use.
    let libraries = std::env::var("MANYWIRE_LIBRARIES")?;
    let load = |library| -> Result<_> {
        let subject = find(library).ok_or_else(|| format!("the lane has no {library}"))?;
        (subject.load)(&Known::default(), vec![payload.clone()])
            .map(|functions| (library, functions))
    };
    let loaded: Vec<_> = libraries.split(',').map(load).collect::<Result<_>>()?;
    for (library, functions) in &loaded {
        let mut group = criterion.benchmark_group(*library);
        group.bench_function("decode", |bencher| {
            bencher.iter(|| functions.decode(black_box(&payload)))
        });
        group.finish();
    }
    for (library, functions) in loaded {
        let stock = functions.stock()?;
        let mut group = criterion.benchmark_group(library);
        group.bench_function("encode", |bencher| bencher.iter(|| stock.encode(0)));
        group.finish();
    }
    Ok(())
}

/// Returns the subject of a library for dynamic values in JSON, if the lane has one.
fn find(library: &str) -> Option<Subject> {
    subjects::all().into_iter().find(|subject| {
        let description: Json = subject.describe();
        description["library"] == library
            && description["format"] == "json"
            && description["target"] == "dynamic"
    })
}
