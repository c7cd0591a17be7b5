//! The measurements of a lane and of a harness, and the decision whether both agree.

use std::fmt::Write;

use manywire_tools::weigh::subject::{Operation, Subject};
use serde_json::{Value, json};

use crate::comparison::{CASES, Comparison, PAIRS};
use crate::harnesses::Harness;
use crate::lane::{LaneUnderTest, over_rounds};
use crate::welch::Difference;

/// The least share of intervals that must contain 0 for agreement. Of ten intervals at 95 %, at
/// least eight contain the true value in 98.8 % of all cases.
const SHARE_HOLDING: f64 = 0.8;

/// All measurements of a comparison of lane and harness.
pub(crate) struct Agreement {
    /// The repeats in order.
    repeats: Vec<Repeat>,
}

/// One repeat.
#[derive(Default)]
struct Repeat {
    /// The log ratios of the lane's launches, by operation.
    ours: [Vec<f64>; 2],
    /// The log ratios of the harness's processes, by operation.
    theirs: [Vec<f64>; 2],
    /// The nanoseconds of the lane's launches, by case.
    ours_ns: [Vec<f64>; 4],
    /// The nanoseconds of the harness's processes, by case.
    theirs_ns: [Vec<f64>; 4],
}

/// Measures both sides in turns, so that other load affects both.
pub(crate) fn compare(
    libraries: [&str; 2],
    ours: &LaneUnderTest,
    theirs: &mut dyn Harness,
    repeats: usize,
    processes: usize,
) -> Result<Agreement, String> {
    let subjects = [ours.subject(libraries[0])?, ours.subject(libraries[1])?];
    let cases = CASES.map(|case| (&subjects[case.library], case.operation));
    let mut random = fastrand::Rng::new();
    let mut found = Agreement { repeats: Vec::new() };
    for number in 1..=repeats {
        let mut repeat = Repeat::default();
        for _ in 0..processes {
            if random.bool() {
                repeat.launch(ours, &cases, random.u64(..))?;
                repeat.process(theirs)?;
            } else {
                repeat.process(theirs)?;
                repeat.launch(ours, &cases, random.u64(..))?;
            }
        }
        for (place, (operation, _)) in PAIRS.iter().enumerate() {
            eprintln!("{number}/{repeats} {operation}: {}", repeat.words(place));
        }
        found.repeats.push(repeat);
    }
    Ok(found)
}

impl Repeat {
    fn launch(
        &mut self,
        ours: &LaneUnderTest,
        cases: &[(&Subject, Operation)],
        seed: u64,
    ) -> Result<(), String> {
        let times = ours.launch(cases, seed)?;
        for (all, (_, [first, second])) in self.ours.iter_mut().zip(PAIRS) {
            let ratio = |round: usize| times[second][round] / times[first][round];
            all.push(over_rounds(&times, |round| ratio(round).ln())?);
        }
        for (case, all) in self.ours_ns.iter_mut().enumerate() {
            all.push(over_rounds(&times, |round| times[case][round])?);
        }
        Ok(())
    }

    fn process(&mut self, theirs: &mut dyn Harness) -> Result<(), String> {
        let times = theirs.process()?;
        for (all, (_, [first, second])) in self.theirs.iter_mut().zip(PAIRS) {
            all.push((times[second] / times[first]).ln());
        }
        for (all, ns) in self.theirs_ns.iter_mut().zip(times) {
            all.push(ns);
        }
        Ok(())
    }

    fn difference(&self, place: usize) -> Option<Difference> {
        Difference::between(&self.ours[place], &self.theirs[place])
    }

    fn holds(&self, place: usize) -> bool {
        self.difference(place).is_some_and(|difference| difference.contains_zero())
    }

    fn words(&self, place: usize) -> String {
        let ratio = |values: &[f64]| mean(values).exp();
        let Some(Difference { mean, half_width }) = self.difference(place) else {
            return "too few processes".to_owned();
        };
        format!(
            "ratio {:.4} ours, {:.4} theirs; difference {:+.2} % ± {:.2} %: {}",
            ratio(&self.ours[place]),
            ratio(&self.theirs[place]),
            100.0 * mean,
            100.0 * half_width,
            if self.holds(place) { "agree" } else { "DIFFER" }
        )
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

impl Agreement {
    fn holding(&self, place: usize) -> usize {
        self.repeats.iter().filter(|repeat| repeat.holds(place)).count()
    }

    /// Returns true if enough intervals contain 0 for every operation.
    pub(crate) fn agrees(&self) -> bool {
        let wanted = SHARE_HOLDING * self.repeats.len() as f64;
        (0..PAIRS.len()).all(|place| self.holding(place) as f64 >= wanted)
    }

    /// Returns the geometric means of a case's times in nanoseconds: the lane's and the harness's.
    fn times(&self, case: usize) -> (f64, f64) {
        let of = |pick: fn(&Repeat, usize) -> &Vec<f64>| {
            let all = self.repeats.iter().flat_map(|repeat| pick(repeat, case));
            mean(&all.map(|ns| ns.ln()).collect::<Vec<f64>>()).exp()
        };
        (of(|repeat, case| &repeat.ours_ns[case]), of(|repeat, case| &repeat.theirs_ns[case]))
    }

    /// Returns the results as a table.
    pub(crate) fn table(&self, comparison: &Comparison) -> String {
        let [first, second] = comparison.libraries;
        let mut text = String::new();
        for (place, (operation, _)) in PAIRS.iter().enumerate() {
            let (holding, all) = (self.holding(place), self.repeats.len());
            writeln!(
                text,
                "{second} to {first}, {operation}: {holding} of {all} intervals contain 0"
            )
            .expect("writing to a string");
        }
        for (index, case) in CASES.iter().enumerate() {
            let (ours, theirs) = self.times(index);
            let library = comparison.libraries[case.library];
            writeln!(
                text,
                "{library}, {}: {:.2} µs ours, {:.2} µs theirs, {:+.1} %",
                case.operation,
                ours / 1e3,
                theirs / 1e3,
                100.0 * (ours / theirs - 1.0)
            )
            .expect("writing to a string");
        }
        text
    }

    /// Returns all measurements as JSON.
    pub(crate) fn record(&self, comparison: &Comparison, harness: &str) -> Value {
        let repeats: Vec<Value> = self.repeats.iter().map(Repeat::record).collect();
        let cases =
            CASES.map(|case| format!("{} {}", comparison.libraries[case.library], case.operation));
        json!({
            "lane": comparison.lane,
            "harness": harness,
            "libraries": comparison.libraries,
            "payload": comparison.payload.file_name().map(|name| name.to_string_lossy().into_owned()),
            "cases": cases,
            "holding": PAIRS.iter().enumerate()
                .map(|(place, (operation, _))| json!({ operation.to_string(): self.holding(place) }))
                .collect::<Vec<_>>(),
            "repeats": repeats,
        })
    }
}

impl Repeat {
    fn record(&self) -> Value {
        let rounded = |values: &[f64]| -> Vec<f64> {
            values.iter().map(|value| (value * 1e6).round() / 1e6).collect()
        };
        let all = |lists: &[Vec<f64>]| lists.iter().map(|list| rounded(list)).collect::<Vec<_>>();
        json!({
            "ours_log_ratios": all(&self.ours),
            "theirs_log_ratios": all(&self.theirs),
            "ours_ns": all(&self.ours_ns),
            "theirs_ns": all(&self.theirs_ns),
        })
    }
}
