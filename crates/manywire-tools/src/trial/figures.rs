//! Figures with intervals from the results of launches.
//!
//! The module also computes the differences that the meters do not explain, and the verdicts
//! between formats.

use serde::{Deserialize, Serialize};

use super::cost::CpuSample;
use super::launch::{CellLaunch, Meter, OpenLoop, Sequential};
use super::report::{PairReport, Row};
use crate::weigh::report::number;
use crate::weigh::statistics::{Comparison, Interval, Verdict, judge, median};

/// A mean over launches, with the interval that holds the truth 95 times in 100.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// The mean.
    pub value: f64,
    /// The lower end; `None` for a single launch.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

impl Figure {
    /// Computes the mean of one estimate per launch; `None` without estimates.
    pub fn of(estimates: &[f64]) -> Option<Figure> {
        let finite: Vec<f64> =
            estimates.iter().copied().filter(|value| value.is_finite()).collect();
        if finite.is_empty() {
            return None;
        }
        let value = finite.iter().sum::<f64>() / finite.len() as f64;
        let interval = Interval::of(&finite);
        Some(Figure {
            value,
            low: interval.map(|interval| interval.low()),
            high: interval.map(|interval| interval.high()),
        })
    }

    /// Returns half of the interval, as a share of the value.
    pub fn spread(&self) -> Option<f64> {
        let half = (self.high? - self.low?) / 2.0;
        (self.value != 0.0).then(|| half / self.value.abs())
    }
}

/// A difference that should be zero, and its share of the whole.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Remainder {
    /// Nanoseconds.
    pub ns: Figure,
    /// The mean as a share.
    pub share: f64,
}

impl Remainder {
    fn of(estimates: &[f64], whole: f64) -> Option<Remainder> {
        let ns = Figure::of(estimates)?;
        (whole > 0.0).then(|| Remainder { ns, share: ns.value / whole })
    }

    /// Returns whether the difference exceeds this share.
    pub fn is_finding(&self, share: f64) -> bool {
        self.share.abs() > share
    }

    /// Returns whether the interval excludes zero.
    pub fn is_settled(&self) -> bool {
        matches!((self.ns.low, self.ns.high), (Some(low), Some(high)) if low > 0.0 || high < 0.0)
    }
}

/// The estimates of one launch for a cell.
#[derive(Clone, Copy, Debug)]
struct Estimates {
    meters: [Option<f64>; 3],
    decode: Option<f64>,
    encode: Option<f64>,
}

impl Estimates {
    fn of(launch: &CellLaunch) -> Estimates {
        let latency = |slices: &Vec<Sequential>| {
            median(&slices.iter().map(|slice| slice.latency_ns).collect::<Vec<_>>())
        };
        let [transport, endpoint, end_to_end] = &launch.meters;
        Estimates {
            meters: [latency(transport), latency(endpoint), latency(end_to_end)],
            decode: median(&launch.decode_ns),
            encode: median(&launch.encode_ns),
        }
    }
}

/// The figures of one cell over all launches.
#[derive(Clone, Debug)]
pub(crate) struct Figures {
    pub(crate) meters: [Option<Figure>; 3],
    pub(crate) processing: Option<Figure>,
    pub(crate) encode: Option<Figure>,
    pub(crate) residual: Option<Remainder>,
    pub(crate) unexplained: Option<Remainder>,
    pub(crate) server_cpu: [Option<Figure>; 3],
    pub(crate) client_cpu: [Option<Figure>; 3],
    /// The logarithms of the end-to-end times, by launch, for ratios.
    pub(crate) log_end_to_end: Vec<Option<f64>>,
    /// The CPU times for costs, by launch; empty if a launch lacks them.
    pub(crate) draws: Vec<CpuSample>,
}

impl Figures {
    pub(crate) fn of(launches: &[&CellLaunch]) -> Figures {
        let estimates: Vec<Estimates> =
            launches.iter().map(|launch| Estimates::of(launch)).collect();
        let each = |value: fn(&Estimates) -> Option<f64>| -> Vec<f64> {
            estimates.iter().filter_map(value).collect()
        };
        let meters = [0, 1, 2].map(|meter: usize| {
            let values: Vec<f64> =
                estimates.iter().filter_map(|estimates| estimates.meters[meter]).collect();
            Figure::of(&values)
        });
        let encode = Figure::of(&each(|estimates| estimates.encode));
        let cpu = |of: fn(&Sequential) -> Option<f64>| {
            [0, 1, 2].map(|meter: usize| {
                let of_launch = |launch: &&CellLaunch| {
                    let slices: Option<Vec<f64>> = launch.meters[meter].iter().map(of).collect();
                    median(&slices?)
                };
                Figure::of(&launches.iter().filter_map(of_launch).collect::<Vec<_>>())
            })
        };
        let end_to_end = meters[Meter::EndToEnd as usize];
        Figures {
            processing: Figure::of(&each(|estimates| estimates.decode)),
            // The extra time of encoding over sending prepared bytes, less the time of encoding
            // alone.
            unexplained: encode.and_then(|encode| {
                let rest = each(|of| Some(of.meters[1]? - of.meters[0]? - of.encode?));
                Remainder::of(&rest, encode.value)
            }),
            residual: end_to_end.and_then(|whole| {
                let rest = each(|of| Some(of.meters[2]? - of.meters[1]? - of.decode?));
                Remainder::of(&rest, whole.value)
            }),
            meters,
            encode,
            server_cpu: cpu(|slice| slice.server_cpu_ns),
            client_cpu: cpu(|slice| slice.client_cpu_ns),
            draws: launches
                .iter()
                .map(|launch| cpu_sample(launch))
                .collect::<Option<_>>()
                .unwrap_or_default(),
            log_end_to_end: estimates.iter().map(|of| of.meters[2].map(f64::ln)).collect(),
        }
    }
}

/// Returns the CPU time of a request at capacity and of its decoding, in one launch.
fn cpu_sample(launch: &CellLaunch) -> Option<CpuSample> {
    let server_cpu_ns = launch.capacity?.server_cpu_ns?;
    Some(CpuSample { server_cpu_ns, client_ns: median(&launch.decode_ns)? })
}

/// A quantile of the latencies of an open loop.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quantile {
    /// The quantile over all requests of all launches, in nanoseconds.
    pub ns: f64,
    /// The lower end of the interval over launches, if each launch has enough requests.
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
}

/// A quantile needs this many requests beyond it.
const BEYOND: f64 = 10.0;

/// Computes a quantile of open loops, one per launch; `None` if too few requests lie beyond it.
pub(crate) fn quantile(launches: &[Vec<u64>], share: f64) -> Option<Quantile> {
    let enough = |count: usize| count as f64 * (1.0 - share) >= BEYOND - 1e-9;
    let mut all: Vec<u64> = launches.iter().flatten().copied().collect();
    all.sort_unstable();
    if !enough(all.len()) {
        return None;
    }
    let ns = quantile_of_sorted(&all, share);
    let logs: Option<Vec<f64>> = launches
        .iter()
        .map(|latencies| {
            let mut sorted = latencies.clone();
            sorted.sort_unstable();
            enough(sorted.len()).then(|| quantile_of_sorted(&sorted, share).max(1.0).ln())
        })
        .collect();
    let interval = logs.and_then(|logs| Interval::of(&logs));
    Some(Quantile {
        ns,
        low: interval.map(|interval| interval.low().exp()),
        high: interval.map(|interval| interval.high().exp()),
    })
}

/// Returns the smallest value that at least this share of the sorted values does not exceed.
fn quantile_of_sorted(sorted: &[u64], share: f64) -> f64 {
    let rank = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(rank.clamp(1, sorted.len().max(1)) - 1).copied().unwrap_or(0) as f64
}

/// Returns the lag of one request in a hundred, and whether it exceeds a tenth of the median
/// latency. The latencies then describe the client rather than the server.
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

/// The share beyond which an unexplained remainder is reported.
const SHARE: f64 = 0.20;

/// An unexplained difference in a row, as text.
pub(crate) struct Finding {
    pub(crate) words: String,
    /// True if the interval excludes zero.
    pub(crate) settled: bool,
}

/// Returns the unexplained differences in a row.
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

/// The end-to-end time of a cell relative to that of the first format in the same coding.
pub(crate) struct Ratio {
    pub(crate) pair: usize,
    pub(crate) row: usize,
    pub(crate) reference: usize,
    pub(crate) interval: Interval,
}

/// Returns the ratios within a pair, paired by launch, because a disturbance of a launch affects
/// both.
pub(crate) fn ratios(pair: usize, report: &PairReport, figures: &[Option<Figures>]) -> Vec<Ratio> {
    let mut ratios = Vec::new();
    for (row, figure) in figures.iter().enumerate() {
        let coding = &report.rows[row].coding;
        let reference = report.rows.iter().position(|row| row.coding == *coding);
        let (Some(reference), Some(figure)) = (reference, figure) else { continue };
        let Some(base) = figures[reference].as_ref().filter(|_| reference != row) else { continue };
        let logs: Vec<f64> = figure
            .log_end_to_end
            .iter()
            .zip(&base.log_end_to_end)
            .filter_map(|(mine, theirs)| Some((*mine)? - (*theirs)?))
            .collect();
        if let Some(interval) = Interval::of(&logs) {
            ratios.push(Ratio { pair, row, reference, interval });
        }
    }
    ratios
}

/// Judges all ratios together and returns a sentence for each.
pub(crate) fn verdicts(pairs: &mut [PairReport], ratios: &[Ratio], delta: f64) -> Vec<String> {
    let intervals: Vec<Interval> = ratios.iter().map(|ratio| ratio.interval).collect();
    let judged = judge(&intervals, delta);
    let mut sentences = Vec::new();
    for (ratio, comparison) in ratios.iter().zip(judged) {
        let pair = &mut pairs[ratio.pair];
        pair.rows[ratio.row].verdict = Some(comparison.verdict.word().to_owned());
        let (name, reference) = (pair.rows[ratio.row].name(), pair.rows[ratio.reference].name());
        let words = words(ratio, &comparison, &reference, delta);
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
            "against {reference} is undecided end to end ({low:.2}–{high:.2}x as long); about {more_launches} more launches would decide it"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::{Figures, quantile};
    use crate::trial::launch::{CellLaunch, Sequential};

    fn slices(latency_ns: f64) -> Vec<Sequential> {
        let slice = |by: f64| Sequential {
            latency_ns: latency_ns + by,
            server_cpu_ns: None,
            client_cpu_ns: None,
        };
        vec![slice(-5.0), slice(0.0), slice(900.0)]
    }

    #[test]
    fn residual_is_what_the_meters_do_not_explain() {
        let launch = |drift: f64| CellLaunch {
            meters: [slices(100.0 + drift), slices(150.0 + drift), slices(260.0 + drift)],
            decode_ns: vec![80.0],
            encode_ns: vec![40.0],
            ..CellLaunch::default()
        };
        let launches = [launch(0.0), launch(10.0), launch(20.0)];
        let figures = Figures::of(&launches.iter().collect::<Vec<_>>());
        assert_eq!(figures.meters[0].expect("transport").value, 110.0);
        let residual = figures.residual.expect("all four");
        // 260 - 150 - 80 in every launch.
        assert_eq!((residual.ns.value, residual.ns.low), (30.0, Some(30.0)));
        assert_eq!(residual.share, 30.0 / 270.0);
        assert!(residual.is_settled() && !residual.is_finding(0.2));
        let unexplained = figures.unexplained.expect("three of them");
        assert_eq!((unexplained.ns.value, unexplained.share), (10.0, 0.25));
        assert!(unexplained.is_finding(0.2));
        assert!(figures.server_cpu[0].is_none());
    }

    #[test]
    fn quantiles_need_enough_requests_beyond_them() {
        let launch: Vec<u64> = (1..=500).collect();
        let two = [launch.clone(), launch];
        let p99 = quantile(&two, 0.99).expect("ten of a thousand lie beyond");
        assert_eq!((p99.ns, p99.low), (495.0, None));
        assert!(quantile(&two[..1], 0.99).is_none());
        assert!(quantile(&two, 0.999).is_none());
        let median = quantile(&two, 0.5).expect("many");
        assert_eq!((median.ns, median.low.map(f64::round)), (250.0, Some(250.0)));
        assert!(quantile(&[], 0.5).is_none());
    }
}
