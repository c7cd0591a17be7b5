//! What can be said of formats against each other, end to end.

use crate::weigh::statistics::{Comparison, Interval, Verdict, judge};

use crate::trial::figures::Figures;
use crate::trial::report::PairReport;

/// A cell's end-to-end time against that of the first format under the same coding.
pub(crate) struct Ratio {
    pub(crate) pair: usize,
    pub(crate) row: usize,
    pub(crate) reference: usize,
    pub(crate) interval: Interval,
}

/// The ratios within a pair, launch by launch: what disturbs a launch disturbs both.
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

/// A sentence for each ratio, judged together.
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
