//! What does not add up.

use crate::weigh::report::number;

use crate::trial::report::{PairReport, Row};

/// What is left of times that should add up is said beyond this share.
const SHARE: f64 = 0.20;

/// What does not add up in a row, in words.
pub(crate) struct Finding {
    pub(crate) words: String,
    /// Whether it is more than the noise.
    pub(crate) settled: bool,
}

/// What does not add up in a row.
pub(crate) fn findings(pair: &PairReport, row: &Row) -> Vec<Finding> {
    let mut found = Vec::new();
    let name = format!("{} ← {}, {}", pair.client, pair.server, row.name());
    let rests = [
        (&row.residual, "end to end is endpoint and processing and", "of it"),
        (
            &row.unexplained,
            "endpoint is transport and encoding and",
            "of the encoding in its process",
        ),
    ];
    for (rest, what, of) in rests {
        let Some(rest) = rest.filter(|rest| rest.is_finding(SHARE)) else { continue };
        let range = match (rest.ns.low, rest.ns.high) {
            (Some(low), Some(high)) => format!("{} to {}", signed(low), signed(high)),
            _ => "one launch".to_owned(),
        };
        let (time, share) = (signed(rest.ns.value), rest.share * 100.0);
        let words = format!("{name}: {what} {time} ({range}), {share:+.0} % {of}");
        found.push(Finding { words, settled: rest.is_settled() });
    }
    let late = row.latency.iter().filter(|open| open.generator_late);
    let mut words: Vec<String> = late.map(|open| {
        let lag = number::time(open.lag_p99_ns.unwrap_or(0.0));
        let rate = number::significant(open.rate_per_s);
        format!("at {rate} requests/s the client was late by {lag} once in a hundred, so its latencies are too high")
    }).collect();
    words.extend(row.note.clone());
    found.extend(
        words.into_iter().map(|words| Finding { words: format!("{name}: {words}"), settled: true }),
    );
    found
}

fn signed(ns: f64) -> String {
    format!("{}{}", if ns < 0.0 { "−" } else { "" }, number::time(ns.abs()))
}
