//! The functions of the lane, timed by criterion instead.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::Criterion;
use serde_json::Value as Json;

use crate::coder::Outcome;
use crate::known::Known;
use crate::subject::Subject;
use crate::subjects;

/// Whether this process is to be criterion's; started without arguments it is the lane's.
pub(crate) fn is_asked() -> bool {
    std::env::args().nth(1).as_deref() == Some("agree")
}

/// Measures what the environment names; criterion writes what it found into `CRITERION_HOME`.
pub(crate) fn measure() -> Outcome<()> {
    let payload = std::fs::read(std::env::var("MANYWIRE_PAYLOAD")?)?;
    // Every process is a measurement of its own, so each may be short.
    let mut criterion = Criterion::default()
        .without_plots()
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(500))
        .sample_size(50)
        .nresamples(2_000);
    for library in std::env::var("MANYWIRE_LIBRARIES")?.split(',') {
        let subject = find(library).ok_or_else(|| format!("the lane has no {library}"))?;
        let held = (subject.load)(&Known::default(), vec![payload.clone()])?;
        let stock = Arc::clone(&held).stock()?;
        let mut group = criterion.benchmark_group(library);
        group.bench_function("encode", |bencher| bencher.iter(|| stock.encode(0)));
        group.bench_function("decode", |bencher| bencher.iter(|| held.decode(black_box(&payload))));
        group.finish();
    }
    Ok(())
}

/// A library for JSON without types.
fn find(library: &str) -> Option<Subject> {
    subjects::all().into_iter().find(|subject| {
        let said: Json = subject.describe();
        said["library"] == library && said["format"] == "json" && said["target"] == "dynamic"
    })
}
