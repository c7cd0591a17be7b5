//! Findings of a trial in words: differences that the meters do not explain, late clients, and the
//! verdicts between formats.

use crate::trial::capacity::CapacityLimit;
use crate::trial::figure::{LAUNCHES_MIN, quantile_of_sorted};
use crate::trial::figures::Figures;
use crate::trial::launch::OpenLoop;
use crate::trial::report::{Clock, PairReport, Row};
use crate::weigh::report::number;
use crate::weigh::statistics::{Comparison, Interval, Verdict, judge};

/// Returns the lag that one request in a hundred exceeds, and whether this lag is more than a tenth
/// of the median latency. If it is, the latencies describe the client rather than the server. The
/// lag is `None` without requests.
pub(crate) fn is_late(open: &[&OpenLoop]) -> (Option<f64>, bool) {
    let sorted = |times: fn(&OpenLoop) -> &Vec<u64>| {
        let mut all: Vec<u64> = open.iter().flat_map(|open| times(open)).copied().collect();
        all.sort_unstable();
        all
    };
    let (lags, latencies) = (sorted(|open| &open.lags_ns), sorted(|open| &open.latencies_ns));
    if lags.is_empty() {
        return (None, false);
    }
    let lag = quantile_of_sorted(&lags, 0.99);
    (Some(lag), lag > 0.1 * quantile_of_sorted(&latencies, 0.5))
}

/// The maximum share of an unexplained remainder that is not reported.
const SHARE: f64 = 0.20;

/// An unexplained difference in a row, as text.
pub(crate) struct Finding {
    pub(crate) words: String,
    /// True if the launches suffice and the interval excludes zero, or if the finding has no
    /// interval.
    pub(crate) settled: bool,
    /// True if the finding is based on wall-clock times.
    pub(crate) timed: bool,
}

/// Returns the sentence about pairs whose launches are too few for a verdict.
pub(crate) fn few_launches_note(pairs: &[PairReport]) -> Option<String> {
    let fewest = pairs.iter().filter(|pair| pair.status.is_ok()).map(|pair| pair.launches).min()?;
    (fewest < LAUNCHES_MIN).then(|| {
        let launches = if fewest == 1 { "launch" } else { "launches" };
        format!(
            "{fewest} {launches} of a pair decide nothing: a verdict, a break-even point or a finding takes {LAUNCHES_MIN} (--launches {LAUNCHES_MIN})"
        )
    })
}

/// Returns the sentence about rows whose requests per second are not the server's capacity.
pub(crate) fn capacity_note(pairs: &[PairReport]) -> Option<String> {
    let rows = || pairs.iter().flat_map(|pair| &pair.rows);
    let limits = || rows().filter_map(|row| row.capacity.as_ref()?.limit);
    let causes = [
        (CapacityLimit::Client, "the client was the limit"),
        (CapacityLimit::Link, "the line was the limit"),
        (CapacityLimit::Unknown, "the limit is unknown"),
    ];
    let parts: Vec<String> = causes
        .into_iter()
        .map(|(cause, words)| (limits().filter(|limit| *limit == cause).count(), words))
        .filter(|(count, _)| *count > 0)
        .map(|(count, words)| format!("{words} in {count} of {} rows", limits().count()))
        .collect();
    let listed = parts.join(", ");
    (!parts.is_empty()).then(|| {
        format!(
            "requests/s with ≥ are less than the server's capacity, which was not reached: {listed}"
        )
    })
}

/// Returns the sentence about open loops whose client was late.
pub(crate) fn late_note(pairs: &[PairReport]) -> Option<String> {
    let loops = || pairs.iter().flat_map(|pair| &pair.rows).flat_map(|row| &row.latency);
    let late = || loops().filter(|open| open.generator_late);
    let worst = late().filter_map(|open| open.lag_p99_ns).reduce(f64::max)?;
    Some(format!(
        "the client was late in {} of {} open loops, once in a hundred requests by up to {}; the latencies of rows marked late are too high",
        late().count(),
        loops().count(),
        number::time(worst)
    ))
}

/// Returns the unexplained differences in a row.
pub(crate) fn findings(pair: &PairReport, row: &Row) -> Vec<Finding> {
    let mut found = Vec::new();
    let name = format!("{} ← {}, {}", pair.client, pair.server, row.name());
    let rests = [
        (
            &row.residual,
            row.end_to_end_ns,
            "end to end is endpoint and processing and",
            "of the end-to-end time",
        ),
        (
            &row.unexplained,
            row.endpoint_ns,
            "endpoint is transport and encoding and",
            "of the encoding in its process",
        ),
    ];
    for (rest, whole, what, of) in rests {
        let (Some(rest), Some(whole)) = (rest, whole) else { continue };
        let (share, of) = match rest.share {
            Some(share) => (share, of),
            None => (rest.ns.value / whole.value, "of the endpoint"),
        };
        if share.abs() <= SHARE {
            continue;
        }
        let range = match (rest.ns.low, rest.ns.high) {
            (Some(low), Some(high)) => format!("{} to {}", signed(low), signed(high)),
            _ => "one launch".to_owned(),
        };
        let (time, share) = (signed(rest.ns.value), share * 100.0);
        let words = format!("{name}: {what} {time} ({range}), {share:+.0} % {of}");
        let settled = pair.launches >= LAUNCHES_MIN && rest.ns.excludes_zero();
        found.push(Finding { words, settled, timed: true });
    }
    found.extend(row.note.iter().map(|note| Finding {
        words: format!("{name}: {note}"),
        settled: true,
        timed: false,
    }));
    found
}

fn signed(ns: f64) -> String {
    format!("{}{}", if ns < 0.0 { "−" } else { "" }, number::time(ns.abs()))
}

/// The time of a cell relative to that of the first format in the same coding.
pub(crate) struct Ratio {
    pub(crate) pair: usize,
    pub(crate) row: usize,
    pub(crate) reference: usize,
    pub(crate) interval: Interval,
}

/// The ratios within one pair.
pub(crate) struct Ratios {
    pub(crate) found: Vec<Ratio>,
    /// The number of rows that cannot be compared, because the clock did not measure the row or its
    /// reference.
    pub(crate) missing: usize,
}

/// Returns the ratios of the rows of a pair to their references, by a clock. Each launch has its
/// own ratio, because a disturbance of a launch affects both rows. A row with fewer than
/// [`LAUNCHES_MIN`] launches has no ratio.
pub(crate) fn ratios(
    pair: usize,
    report: &PairReport,
    figures: &[Option<Figures>],
    clock: Clock,
) -> Ratios {
    let logs = |figures: &Figures| match clock {
        Clock::Wall => figures.log_end_to_end.clone(),
        Clock::Cpu => figures.log_cpu.clone(),
    };
    let mut ratios = Ratios { found: Vec::new(), missing: 0 };
    for (row, figure) in figures.iter().enumerate() {
        let coding = &report.rows[row].coding;
        let reference = report.rows.iter().position(|row| row.coding == *coding);
        let (Some(reference), Some(figure)) = (reference, figure) else { continue };
        let Some(base) = figures[reference].as_ref().filter(|_| reference != row) else { continue };
        let (Some(mine), Some(theirs)) = (logs(figure), logs(base)) else {
            ratios.missing += 1;
            continue;
        };
        let logs: Vec<f64> = mine.iter().zip(&theirs).map(|(mine, theirs)| mine - theirs).collect();
        if let Some(interval) = Interval::of(&logs).filter(|found| found.launches >= LAUNCHES_MIN) {
            ratios.found.push(Ratio { pair, row, reference, interval });
        }
    }
    ratios
}

/// Returns a sentence for each coding of a pair whose reference has no figures although other rows
/// have, and could be compared with it.
pub(crate) fn missing_references(pair: &PairReport) -> Vec<String> {
    if pair.launches < LAUNCHES_MIN {
        return Vec::new();
    }
    let mut sentences = Vec::new();
    for (index, reference) in pair.rows.iter().enumerate() {
        let has_coding = |row: &&Row| row.coding == reference.coding;
        let is_reference = !pair.rows[..index].iter().any(|row| has_coding(&row));
        let comparable = pair.rows.iter().filter(has_coding).any(|row| row.status.is_ok());
        let Some(reason) = reference.status.short_reason().filter(|_| is_reference && comparable)
        else {
            continue;
        };
        sentences.push(format!(
            "{} ← {}: nothing is compared with {}, which has no figures: {}",
            pair.client,
            pair.server,
            reference.name(),
            reason
        ));
    }
    sentences
}

/// Formats a number of further launches.
pub(crate) fn more(launches: usize) -> String {
    match launches {
        1 => "one more launch".to_owned(),
        launches => format!("about {} more launches", number::count(launches as u64)),
    }
}

/// Judges all ratios together and returns a sentence for each.
pub(crate) fn verdicts(
    pairs: &mut [PairReport],
    ratios: &[Ratio],
    delta: f64,
    clock: Clock,
) -> Vec<String> {
    let intervals: Vec<Interval> = ratios.iter().map(|ratio| ratio.interval).collect();
    let judged = judge(&intervals, delta);
    let mut sentences = Vec::new();
    for (ratio, comparison) in ratios.iter().zip(judged) {
        let pair = &mut pairs[ratio.pair];
        pair.rows[ratio.row].verdict = Some(comparison.verdict.into());
        let (name, reference) = (pair.rows[ratio.row].name(), pair.rows[ratio.reference].name());
        let words = match clock {
            Clock::Wall => words(ratio, &comparison, &reference, delta),
            Clock::Cpu => cpu_words(&ratio.interval, &comparison, "CPU time", &reference, delta),
        };
        sentences.push(format!("{} ← {}: {name} {words}", pair.client, pair.server));
    }
    sentences
}

fn words(ratio: &Ratio, comparison: &Comparison, reference: &str, delta: f64) -> String {
    let (value, low, high) = ratio.interval.exp();
    match comparison.verdict {
        Verdict::Faster => {
            let (value, low, high) = (1.0 / value, 1.0 / high, 1.0 / low);
            format!("answers end to end {value:.2}x as fast as {reference} ({low:.2}–{high:.2})")
        }
        Verdict::Slower => {
            format!("takes end to end {value:.2}x as long as {reference} ({low:.2}–{high:.2})")
        }
        Verdict::Same => {
            format!("takes end to end as long as {reference}, within {:.0} %", delta * 100.0)
        }
        Verdict::Inconclusive { more_launches } => format!(
            "against {reference} is undecided end to end ({low:.2}–{high:.2}x as long); {} would decide it",
            more(more_launches)
        ),
    }
}

/// Describes a comparison of the CPU time that `what` names.
pub(crate) fn cpu_words(
    interval: &Interval,
    comparison: &Comparison,
    what: &str,
    reference: &str,
    delta: f64,
) -> String {
    let (value, low, high) = interval.exp();
    match comparison.verdict {
        Verdict::Faster | Verdict::Slower => {
            format!("takes {value:.2}x the {what} of {reference} ({low:.2}–{high:.2})")
        }
        Verdict::Same => {
            format!("takes as much {what} as {reference}, within {:.0} %", delta * 100.0)
        }
        Verdict::Inconclusive { more_launches } => format!(
            "against {reference} is undecided in {what} ({low:.2}–{high:.2}x); {} would decide it",
            more(more_launches)
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::LN_2;

    use serde_json::{Value, json};

    use super::{
        Clock, Interval, PairReport, Ratio, capacity_note, few_launches_note, findings, late_note,
        missing_references, more, verdicts,
    };
    use crate::trial::report::RowVerdict;

    /// Returns a pair with one row for each of these members.
    fn pair(launches: usize, rows: &[Value]) -> PairReport {
        let row = |members: &Value| {
            let library = json!({ "name": "x", "version": "1", "target": "typed" });
            let mut row = json!({
                "format": "cbor", "coding": "none", "client_library": library, "status": "ok",
                "server_cpu_ns": {}, "client_cpu_ns": {}, "latency": [],
            });
            for (name, value) in members.as_object().expect("members") {
                row[name] = value.clone();
            }
            row
        };
        let rows: Vec<Value> = rows.iter().map(row).collect();
        let pair = json!({
            "client": "go", "client_runtime": "Go", "server": "rust", "launches": launches,
            "status": "ok", "rows": rows,
        });
        serde_json::from_value(pair).expect("a pair")
    }

    #[test]
    fn each_verdict_is_a_sentence_by_either_clock() {
        let cases: [(&[f64; 5], RowVerdict, &str, &str); 4] = [
            (
                &[-LN_2; 5],
                RowVerdict::Faster,
                "answers end to end 2.00x as fast as json (2.00–2.00)",
                "takes 0.50x the CPU time of json (0.50–0.50)",
            ),
            (
                &[LN_2; 5],
                RowVerdict::Slower,
                "takes end to end 2.00x as long as json (2.00–2.00)",
                "takes 2.00x the CPU time of json (2.00–2.00)",
            ),
            (
                &[0.0; 5],
                RowVerdict::Same,
                "takes end to end as long as json, within 5 %",
                "takes as much CPU time as json, within 5 %",
            ),
            (
                &[-1.0, -0.5, 0.0, 0.5, 1.0],
                RowVerdict::Inconclusive,
                "against json is undecided end to end (0.31–3.21x as long); about 1,235 more launches would decide it",
                "against json is undecided in CPU time (0.31–3.21x); about 1,235 more launches would decide it",
            ),
        ];
        for (logs, verdict, wall, cpu) in cases {
            for (clock, words) in [(Clock::Wall, wall), (Clock::Cpu, cpu)] {
                let mut pairs = [pair(5, &[json!({ "format": "json" }), json!({})])];
                let interval = Interval::of(logs).expect("five launches");
                let ratios = [Ratio { pair: 0, row: 1, reference: 0, interval }];
                let sentences = verdicts(&mut pairs, &ratios, 0.05, clock);
                assert_eq!(sentences, [format!("go ← rust: cbor {words}")]);
                assert_eq!(
                    [pairs[0].rows[0].verdict, pairs[0].rows[1].verdict],
                    [None, Some(verdict)]
                );
            }
        }
        assert_eq!(more(1), "one more launch");
    }

    #[test]
    fn late_clients_are_one_sentence() {
        let open = |late: bool, lag: f64| {
            json!({ "latency": [{
                "rate_per_s": 100.0, "requests": 50, "lag_p99_ns": lag, "generator_late": late,
                "percentiles": {},
            }] })
        };
        let rows = [open(true, 3e6), open(false, 1e3), open(true, 5.2e6)];
        let pairs = [pair(5, &rows), pair(5, &rows)];
        assert_eq!(
            late_note(&pairs).as_deref(),
            Some(
                "the client was late in 4 of 6 open loops, once in a hundred requests by up to 5.20 ms; the latencies of rows marked late are too high"
            )
        );
        assert_eq!(late_note(&[pair(5, &rows[1..2])]), None);
        assert!(findings(&pairs[0], &pairs[0].rows[0]).is_empty());
    }

    #[test]
    fn rows_without_capacity_are_one_sentence() {
        let row = |limit: &str| {
            let figure = json!({ "value": 500.0, "low": 490.0, "high": 510.0 });
            json!({ "capacity": { "connections": 4, "limit": limit, "requests_per_s": figure } })
        };
        let pairs = [pair(5, &[row("server"), row("client"), row("client"), row("unknown")])];
        let note = capacity_note(&pairs).expect("a note");
        assert!(
            note.ends_with(
                "the client was the limit in 2 of 4 rows, the limit is unknown in 1 of 4 rows"
            ),
            "{note}"
        );
        assert_eq!(capacity_note(&[pair(5, &[row("server")])]), None);
    }

    #[test]
    fn every_claim_takes_five_launches() {
        let figure = |value: f64, spread: f64| json!({ "value": value, "low": value - spread, "high": value + spread });
        let row = json!({
            "end_to_end_ns": figure(100e3, 1e3),
            "residual": { "ns": figure(40e3, 2e3), "share": 0.4 },
        });
        for (launches, settled) in [(3, false), (4, false), (5, true)] {
            let pair = pair(launches, std::slice::from_ref(&row));
            let found = findings(&pair, &pair.rows[0]);
            assert_eq!(found.iter().map(|each| each.settled).collect::<Vec<_>>(), [settled]);
            assert_eq!(few_launches_note(&[pair]).is_none(), settled);
        }
    }

    #[test]
    fn a_reference_without_figures_is_named() {
        let json = json!({ "format": "json", "status": "server: crashed\nat main" });
        let packed = json!({ "format": "json", "coding": "gzip:6" });
        let rows = [json, json!({}), packed];
        assert_eq!(
            missing_references(&pair(5, &rows)),
            ["go ← rust: nothing is compared with json, which has no figures: server: crashed"]
        );
        // Too few launches decide nothing, and a reference that is alone has nothing to decide.
        assert!(missing_references(&pair(4, &rows)).is_empty());
        assert!(missing_references(&pair(5, &rows[..1])).is_empty());
        assert!(missing_references(&pair(5, &rows[1..])).is_empty());
    }
}
