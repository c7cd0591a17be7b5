//! Checks on this machine that intervals cover the truth as often as they claim.
//!
//! Two comparisons have a known ratio: JSON against JSON, and JSON against JSON that runs 1.03
//! iterations for each one it reports. Many launches form a population. Thousands of measurements
//! are drawn from it under the stopping rule of `weigh`, and the intervals that contain the known
//! ratio are counted.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use manywire_format::Format;
use statrs::distribution::{Beta, ContinuousCDF};

use crate::payload::Payload;
use crate::weigh::lanes::{self, BuiltLane, LaneInput, LaneInputError, LaneLaunch, TimedOperation};
use crate::weigh::launch::{LaunchError, Timing};
use crate::weigh::measure::log_ratios;
use crate::weigh::options::Effort;
use crate::weigh::progress::Progress;
use crate::weigh::report::Clock;
use crate::weigh::statistics::{Interval, Verdict, judge, stopped};
use crate::weigh::subject::{Operation, Subject};

/// The number of launches in the population: more than the 60 that a reliable answer needs.
const LAUNCHES: usize = 120;

/// The number of measurements drawn from the population for each comparison.
const DRAWS: usize = 2_000;

/// The most launches one measurement may take.
const LAUNCHES_PER_DRAW: usize = 30;

/// The injected slowdown, as a ratio.
const INFLATION: f64 = 1.03;

/// The share of 95 % intervals that should contain the truth.
const COVERAGE: std::ops::RangeInclusive<f64> = 0.93..=0.97;

/// The maximum share of verdicts that call identical code different.
const FALSE_POSITIVES_MAX: f64 = 0.05;

/// The time budget of the rounds of one launch.
const LAUNCH_BUDGET: Duration = Duration::from_millis(500);

/// The result of the self-test.
#[derive(Clone, Debug)]
pub struct SelfTest {
    /// One line per comparison.
    pub lines: Vec<Line>,
    /// The number of launches in the population.
    pub launches: usize,
}

/// The reason that the self-test has no result.
#[derive(Debug)]
pub enum SelfTestError {
    /// The payload cannot be read.
    Payload(LaneInputError),
    /// Our own codec cannot write the payload as JSON, for this reason.
    Encoding(String),
    /// The reference library of the lane has no JSON.
    NoJson,
    /// A launch failed.
    Launch(LaunchError),
}

impl fmt::Display for SelfTestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SelfTestError::Payload(error) => error.fmt(f),
            SelfTestError::Encoding(reason) => f.write_str(reason),
            SelfTestError::NoJson => f.write_str("the lane measures no library for JSON"),
            SelfTestError::Launch(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SelfTestError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            SelfTestError::Payload(error) => Some(error),
            SelfTestError::Launch(error) => Some(error),
            SelfTestError::Encoding(_) | SelfTestError::NoJson => None,
        }
    }
}

/// One comparison with a known ratio.
#[derive(Clone, Debug)]
pub struct Line {
    /// The timed operations.
    pub operation: Operation,
    /// The true ratio.
    pub truth: f64,
    /// The number of intervals that contain the true ratio.
    pub covered: usize,
    /// The number of verdicts that called the two operations different.
    pub different: usize,
    /// The mean half-width of the intervals, as a share.
    pub half_width: f64,
    /// The standard deviation between launches, as a share.
    pub between_launches: f64,
}

/// Runs the self-test with this payload, in JSON by our own codec. After an interrupt, the result
/// is that of the launches up to then.
///
/// # Errors
///
/// Returns the reason that the payload cannot be measured, or the failure of a launch.
pub fn selftest(
    payload: &Payload,
    seed: u64,
    lane: &BuiltLane,
    progress: &mut dyn Progress,
    interrupted: &AtomicBool,
) -> Result<SelfTest, SelfTestError> {
    let lane_input = LaneInput::new(std::slice::from_ref(payload), None, &[Format::Json]);
    let lane_input = lane_input.map_err(SelfTestError::Payload)?;
    let bytes = lane_input.encoded(Format::Json);
    let bytes = bytes.map_err(|error| SelfTestError::Encoding(error.to_string()))?;
    let own = |subject: &Subject| subject.format == Format::Json && subject.reference;
    let subject = lane.lane().subjects().into_iter().find(own);
    let subject = subject.ok_or(SelfTestError::NoJson)?;
    let entries: Vec<TimedOperation<'_>> = [Operation::Encode, Operation::Decode]
        .into_iter()
        .flat_map(|operation| {
            let subject = &subject;
            [1.0, 1.0, INFLATION].map(|inflation| TimedOperation {
                subject,
                operation,
                bytes,
                inflation,
            })
        })
        .collect();
    let mut timings: Vec<Timing> = Vec::new();
    for number in 0..LAUNCHES {
        if interrupted.load(Ordering::Relaxed) {
            break;
        }
        progress.say(&format!("self-test: launch {} of {LAUNCHES}", number + 1));
        let launch = LaneLaunch {
            seed: seed.wrapping_add(number as u64),
            budget: LAUNCH_BUDGET,
            warm_up_max: Duration::ZERO,
        };
        match lanes::time(lane, &entries, &lane_input, &launch, interrupted) {
            Ok(timing) => timings.push(timing),
            Err(LaunchError::Interrupted) => break,
            Err(error) => return Err(SelfTestError::Launch(error)),
        }
    }
    progress.finish();
    let mut random = fastrand::Rng::with_seed(seed);
    let mut lines = Vec::new();
    for reference in [0, 3] {
        for index in [reference + 1, reference + 2] {
            let population = log_ratios(&timings, index, reference, Clock::Wall);
            lines.extend(line(&entries[index], &population, &mut random));
        }
    }
    Ok(SelfTest { lines, launches: timings.len() })
}

/// Draws measurements from a population of launches, and counts the intervals that contain the true
/// ratio and the verdicts that call the operations different.
fn line(
    entry: &TimedOperation<'_>,
    population: &[f64],
    random: &mut fastrand::Rng,
) -> Option<Line> {
    // After an interrupt there may be no launches to draw from.
    let whole = Interval::of(population)?;
    let (target, delta) = (Effort::Normal.delta() / 2.0, Effort::Normal.delta());
    let truth = entry.inflation.ln();
    let (mut covered, mut different, mut widths) = (0, 0, 0.0);
    for _ in 0..DRAWS {
        let draw = (0..LAUNCHES_PER_DRAW).map(|_| population[random.usize(..population.len())]);
        let interval = stopped(draw.collect::<Vec<_>>(), target)?;
        covered += usize::from((interval.low()..=interval.high()).contains(&truth));
        let verdict = judge(&[interval], delta)[0].verdict;
        different += usize::from(matches!(verdict, Verdict::Faster | Verdict::Slower));
        widths += interval.half_width.exp_m1();
    }
    Some(Line {
        operation: entry.operation,
        truth: entry.inflation,
        covered,
        different,
        half_width: widths / DRAWS as f64,
        between_launches: whole.standard_error * (population.len() as f64).sqrt(),
    })
}

impl Line {
    /// Returns whether at least 93 % of the intervals contain the true ratio, and at most 5 % of
    /// the verdicts call identical code different. Intervals that are wider than needed cost
    /// launches but mislead nobody.
    pub fn holds(&self) -> bool {
        let identical = self.truth == 1.0;
        share(self.covered) >= *COVERAGE.start()
            && !(identical && share(self.different) > FALSE_POSITIVES_MAX)
    }
}

impl SelfTest {
    /// Returns whether every line holds.
    pub fn holds(&self) -> bool {
        !self.lines.is_empty() && self.lines.iter().all(Line::holds)
    }
}

fn share(count: usize) -> f64 {
    count as f64 / DRAWS as f64
}

/// Returns the 95 % interval of a share by Clopper and Pearson (Biometrika 26, 1934).
fn binomial(count: usize) -> (f64, f64) {
    let (k, n) = (count as f64, DRAWS as f64);
    let quantile =
        |a: f64, b: f64, p: f64| Beta::new(a, b).map_or(f64::NAN, |beta| beta.inverse_cdf(p));
    let low = if count == 0 { 0.0 } else { quantile(k, n - k + 1.0, 0.025) };
    let high = if count == DRAWS { 1.0 } else { quantile(k + 1.0, n - k, 0.975) };
    (low, high)
}

impl fmt::Display for SelfTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} launches of json against json; {} measurements drawn from them for each line",
            self.launches,
            self.lines.len() * DRAWS / self.lines.len().max(1)
        )?;
        for line in &self.lines {
            let (low, high) = binomial(line.covered);
            write!(
                f,
                "{:?}, true ratio {:.2}: {:.1} % of the 95 % intervals hold it ({:.1}–{:.1}), ±{:.2} % wide, launches differ by {:.2} %",
                line.operation,
                line.truth,
                share(line.covered) * 100.0,
                low * 100.0,
                high * 100.0,
                line.half_width * 100.0,
                line.between_launches * 100.0,
            )?;
            let (low, high) = binomial(line.different);
            let called = share(line.different) * 100.0;
            writeln!(
                f,
                "; called different {called:.1} % ({:.1}–{:.1})",
                low * 100.0,
                high * 100.0
            )?;
            if share(line.covered) < *COVERAGE.start() {
                writeln!(
                    f,
                    "  WARNING: coverage is below 93 %: on this machine intervals are narrower than they say"
                )?;
            }
            if share(line.covered) > *COVERAGE.end() {
                writeln!(
                    f,
                    "  note: coverage is above 97 %: intervals are wider than they need be"
                )?;
            }
            if line.truth == 1.0 && share(line.different) > FALSE_POSITIVES_MAX {
                writeln!(f, "  WARNING: identical code is called different more often than 5 %")?;
            }
        }
        Ok(())
    }
}
