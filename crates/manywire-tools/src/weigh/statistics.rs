//! Computes intervals and verdicts from the times of launches.
//!
//! The unit of replication is the launch, a new process: the layout of memory that a process
//! happens to get moves a ratio by more than all the noise inside it, so an interval computed
//! within one process is too narrow. Inside a launch, subjects run in random order round by round
//! and the launch's estimate of a ratio is the median over rounds of the logarithm of the ratio
//! within the round. Across launches an ordinary t-interval covers the mean of those logarithms.
//!
//! Measuring stops when the intervals are narrow enough, never because a difference has become
//! significant, and looks only at fixed numbers of launches. Each such check lowers the level that
//! the intervals reach: they are computed at 97 % and hold at 95 %.

use std::cmp::Ordering;

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The numbers of launches after which widths are checked.
pub const LOOKS: [usize; 4] = [10, 15, 20, 30];

/// The number of launches with `--quick`, without checks.
pub const QUICK_LAUNCHES: usize = 5;

/// The level at which intervals are computed.
pub const LEVEL: f64 = 0.97;

/// The level at which intervals are reported: what remains of [`LEVEL`] after up to four checks.
pub const REPORTED_LEVEL: f64 = 0.95;

/// A mean over launches with its t-interval, on a logarithmic scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The mean of the launches' estimates.
    pub mean: f64,
    /// The standard error of that mean.
    pub standard_error: f64,
    /// The distance from the mean to either end.
    pub half_width: f64,
    /// The number of launches.
    pub launches: usize,
}

impl Interval {
    /// Computes the interval from one estimate per launch; `None` for fewer than two launches, or
    /// if an estimate is not finite.
    pub fn of(estimates: &[f64]) -> Option<Interval> {
        let launches = estimates.len();
        if launches < 2 || estimates.iter().any(|estimate| !estimate.is_finite()) {
            return None;
        }
        let (mean, variance) = mean_and_variance(estimates);
        Some(Interval::new(mean, (variance / launches as f64).sqrt(), launches))
    }

    fn new(mean: f64, standard_error: f64, launches: usize) -> Interval {
        let half_width = t_quantile(launches) * standard_error;
        Interval { mean, standard_error, half_width, launches }
    }

    /// Computes the interval of the difference of two means from separate launches; `None` for
    /// fewer than two launches of either, or if an estimate is not finite.
    ///
    /// By Welch (Biometrika 34, 1947), with Satterthwaite's degrees of freedom rounded down.
    /// `launches` of the result is the size of a single sample with as many degrees of freedom.
    pub fn of_difference(left: &[f64], right: &[f64]) -> Option<Interval> {
        let (left, right) = (Interval::of(left)?, Interval::of(right)?);
        let variances = [left, right].map(|mean| mean.standard_error.powi(2));
        let variance: f64 = variances.iter().sum();
        let parts = [left, right].into_iter().zip(variances);
        let divisor: f64 =
            parts.map(|(mean, variance)| variance.powi(2) / (mean.launches - 1) as f64).sum();
        let fewest = left.launches.min(right.launches) - 1;
        let freedom = if divisor > 0.0 { variance.powi(2) / divisor } else { fewest as f64 };
        let launches = freedom.floor().max(1.0) as usize + 1;
        Some(Interval::new(left.mean - right.mean, variance.sqrt(), launches))
    }

    /// Returns the lower end, on the logarithmic scale.
    pub fn low(&self) -> f64 {
        self.mean - self.half_width
    }

    /// Returns the upper end, on the logarithmic scale.
    pub fn high(&self) -> f64 {
        self.mean + self.half_width
    }

    /// Returns the mean and both ends on the scale of ratios or times.
    pub fn exp(&self) -> (f64, f64, f64) {
        (self.mean.exp(), self.low().exp(), self.high().exp())
    }

    /// Returns the probability of a mean at least this far above `bound` if the truth were `bound`.
    fn p_above(&self, bound: f64) -> f64 {
        self.upper_tail(self.mean - bound)
    }

    /// Returns the probability of a mean at least this far below `bound` if the truth were `bound`.
    fn p_below(&self, bound: f64) -> f64 {
        self.upper_tail(bound - self.mean)
    }

    fn upper_tail(&self, distance: f64) -> f64 {
        if self.standard_error == 0.0 {
            return if distance > 0.0 { 0.0 } else { 1.0 };
        }
        students_t(self.launches).sf(distance / self.standard_error)
    }

    /// Estimates the total number of launches that would reduce the half-width to `target`, from
    /// the present spread. The result is at least the present number of launches and at most
    /// 10,000.
    pub fn launches_for(&self, target: f64) -> usize {
        let spread = self.standard_error * (self.launches as f64).sqrt();
        (self.launches.max(2)..=MOST_LAUNCHES_FORESEEN)
            .find(|&launches| t_quantile(launches) * spread / (launches as f64).sqrt() <= target)
            .unwrap_or(MOST_LAUNCHES_FORESEEN)
    }
}

/// The maximum number of launches to advise. Beyond it the machine is too noisy for the question.
const MOST_LAUNCHES_FORESEEN: usize = 10_000;

fn students_t(launches: usize) -> StudentsT {
    StudentsT::new(0.0, 1.0, (launches.max(2) - 1) as f64).expect("one degree of freedom or more")
}

/// Returns the half-width of an interval as a multiple of the standard error.
fn t_quantile(launches: usize) -> f64 {
    students_t(launches).inverse_cdf(0.5 + LEVEL / 2.0)
}

/// Returns the arithmetic mean of two or more numbers, and their sample variance, with n − 1.
fn mean_and_variance(numbers: &[f64]) -> (f64, f64) {
    let n = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / n;
    let squares = numbers.iter().map(|number| (number - mean).powi(2));
    (mean, squares.sum::<f64>() / (n - 1.0))
}

/// Returns the interval at which measuring would have stopped, if launches had come in this order:
/// checked at the numbers in [`LOOKS`], and stopped as soon as it is narrow enough.
///
/// `target` is the half-width of a ratio around 1. `None` if there are fewer launches than the
/// first look needs, or if an estimate is not finite.
pub fn stopped(estimates: impl IntoIterator<Item = f64>, target: f64) -> Option<Interval> {
    let mut seen = Vec::with_capacity(LOOKS[LOOKS.len() - 1]);
    let mut last = None;
    for estimate in estimates {
        seen.push(estimate);
        if LOOKS.contains(&seen.len()) {
            let interval = Interval::of(&seen)?;
            last = Some(interval);
            if interval.half_width.exp_m1() <= target || seen.len() == LOOKS[LOOKS.len() - 1] {
                break;
            }
        }
    }
    last
}

/// The verdict on a ratio of two times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The time is shorter than that of the reference by more than δ.
    Faster,
    /// The time is longer than that of the reference by more than δ.
    Slower,
    /// The times are the same within δ.
    Same,
    /// The launches do not decide which of the others applies.
    Inconclusive {
        /// The probable number of further launches needed.
        more_launches: usize,
    },
}

/// A judged ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The verdict.
    pub verdict: Verdict,
    /// The p-value of the verdict, adjusted for all ratios that are judged together and for
    /// repeated checks, so that it can be compared with 0.05.
    pub p_adjusted: f64,
}

/// Judges every log ratio of one table against ±ln(1 + δ).
///
/// Each ratio is tested for being beyond δ on either side, and for being within δ (two one-sided
/// tests, Schuirmann 1987). The verdict with the lowest p-value is chosen, and its p-value joins
/// Holm's adjustment. If it exceeds 0.05 after the adjustment, the verdict is inconclusive.
pub fn judge(ratios: &[Interval], delta: f64) -> Vec<Comparison> {
    judge_each(&ratios.iter().map(|&ratio| (ratio, delta)).collect::<Vec<_>>())
}

/// Judges ratios that each have their own δ, as those of different languages do.
pub fn judge_each(ratios: &[(Interval, f64)]) -> Vec<Comparison> {
    let claims: Vec<(Verdict, f64)> =
        ratios.iter().map(|(ratio, delta)| claim(ratio, delta.ln_1p())).collect();
    adjusted(claims.iter().map(|claim| claim.1))
        .into_iter()
        .zip(claims)
        .zip(ratios)
        .map(|((p_adjusted, (claimed, _)), (ratio, delta))| {
            let verdict = if is_settled(p_adjusted) {
                claimed
            } else {
                Verdict::Inconclusive { more_launches: more(ratio, delta.ln_1p()) }
            };
            Comparison { verdict, p_adjusted }
        })
        .collect()
}

/// Returns on which side of 1 each log ratio is, adjusted for all of them; `None` if the launches do
/// not decide.
pub fn sides(ratios: &[Interval]) -> Vec<Option<Ordering>> {
    let p_value = |ratio: &Interval| 2.0 * ratio.p_below(0.0).min(ratio.p_above(0.0));
    let decided = adjusted(ratios.iter().map(p_value)).into_iter().zip(ratios);
    let side = |(p_adjusted, ratio): (f64, &Interval)| {
        is_settled(p_adjusted).then(|| ratio.mean.total_cmp(&0.0))
    };
    decided.map(side).collect()
}

/// Adjusts p-values for all verdicts that are judged together, and for repeated checks of widths.
fn adjusted(p_values: impl Iterator<Item = f64>) -> Vec<f64> {
    // 97 % intervals are reported as 95 %, so p-values are scaled by the same factor.
    let stretch = (1.0 - REPORTED_LEVEL) / (1.0 - LEVEL);
    holm(&p_values.map(|p_value| (p_value * stretch).min(1.0)).collect::<Vec<_>>())
}

fn is_settled(p_adjusted: f64) -> bool {
    p_adjusted <= 1.0 - REPORTED_LEVEL
}

/// Returns the verdict on a single ratio and its p-value.
fn claim(ratio: &Interval, bound: f64) -> (Verdict, f64) {
    // Twice the one-sided tail, because the data chose the side.
    let faster = (Verdict::Faster, (2.0 * ratio.p_below(-bound)).min(1.0));
    let slower = (Verdict::Slower, (2.0 * ratio.p_above(bound)).min(1.0));
    let same = (Verdict::Same, (2.0 * ratio.p_above(-bound).max(ratio.p_below(bound))).min(1.0));
    [faster, slower, same]
        .into_iter()
        .min_by(|left, right| left.1.total_cmp(&right.1))
        .expect("three claims")
}

/// Estimates the number of further launches that would settle an inconclusive verdict, if the mean
/// does not change: the interval must exclude the nearer of the two bounds.
fn more(ratio: &Interval, bound: f64) -> usize {
    let clearance = (ratio.mean.abs() - bound).abs().max(bound / 20.0);
    ratio.launches_for(clearance).saturating_sub(ratio.launches).max(1)
}

/// Adjusts p-values so that all verdicts of one table together have the error rate of one.
///
/// Holm's step-down method (Scandinavian Journal of Statistics 6, 1979): sorted upwards, the
/// k-th of m is multiplied by m − k + 1, made monotone and capped at 1. The order is kept.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&left, &right| p_values[left].total_cmp(&p_values[right]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut running = 0.0_f64;
    for (rank, index) in order.into_iter().enumerate() {
        running = running.max(p_values[index] * (p_values.len() - rank) as f64);
        adjusted[index] = running.min(1.0);
    }
    adjusted
}

/// Returns the median: the middle of the sorted numbers, or the mean of the two in the middle.
///
/// `None` for no numbers. NaN sorts last.
pub fn median(numbers: &[f64]) -> Option<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

/// Mean and standard deviation, for readers who expect them. No verdict uses them: one descheduled
/// batch changes both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// The arithmetic mean.
    pub mean: f64,
    /// The sample standard deviation, with n − 1.
    pub standard_deviation: f64,
}

impl Moments {
    /// Computes the moments; `None` for fewer than two numbers.
    pub fn of(numbers: &[f64]) -> Option<Moments> {
        if numbers.len() < 2 {
            return None;
        }
        let (mean, variance) = mean_and_variance(numbers);
        Some(Moments { mean, standard_deviation: variance.sqrt() })
    }
}

/// A straight line of total time against iterations, by least squares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// Time for one more iteration.
    pub slope: f64,
    /// The constant time of a batch.
    pub intercept: f64,
    /// The share of the variance that the line explains: 1 − residual / total sum of squares.
    pub r_squared: f64,
}

impl Fit {
    /// Fits one slope for several launches, each with its own level.
    ///
    /// Batches last equally long in every launch, so a slow launch has fewer iterations in the same
    /// time. A line through the batches of all launches would be flatter than the line within each
    /// launch. `None` unless some launch has two different numbers of iterations.
    pub fn within(launches: &[Vec<(f64, f64)>]) -> Option<Fit> {
        let mean = |points: &[(f64, f64)]| {
            let n = points.len().max(1) as f64;
            let (x, y) = points.iter().fold((0.0, 0.0), |sum, p| (sum.0 + p.0, sum.1 + p.1));
            (x / n, y / n)
        };
        let overall = mean(&launches.concat());
        let aligned = launches.iter().flat_map(|points| {
            let own = mean(points);
            points.iter().map(move |p| (p.0 - own.0 + overall.0, p.1 - own.1 + overall.1))
        });
        Fit::of(&aligned.collect::<Vec<_>>())
    }

    /// Fits the line through points of (iterations, total time); `None` unless there are two
    /// different numbers of iterations.
    pub fn of(points: &[(f64, f64)]) -> Option<Fit> {
        let n = points.len() as f64;
        let mean_x = points.iter().map(|point| point.0).sum::<f64>() / n;
        let mean_y = points.iter().map(|point| point.1).sum::<f64>() / n;
        let sum = |term: &dyn Fn(f64, f64) -> f64| {
            points.iter().map(|&(x, y)| term(x - mean_x, y - mean_y)).sum::<f64>()
        };
        let (xx, xy, total) = (sum(&|x, _| x * x), sum(&|x, y| x * y), sum(&|_, y| y * y));
        if points.is_empty() || xx == 0.0 {
            return None;
        }
        let slope = xy / xx;
        let residual = sum(&|x, y| (y - slope * x).powi(2));
        let r_squared = if total == 0.0 { 1.0 } else { 1.0 - residual / total };
        Some(Fit { slope, intercept: mean_y - slope * mean_x, r_squared })
    }
}

/// Two clusters that the launches fall into.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Modes {
    /// The median of the lower cluster.
    pub low: f64,
    /// The median of the upper cluster.
    pub high: f64,
    /// The number of launches in the lower cluster.
    pub low_count: usize,
}

/// A gap this many times the median gap separates two modes.
const GAP_FACTOR: f64 = 5.0;

/// The minimum share of launches in a cluster; fewer are outliers.
const SMALLEST_SHARE: f64 = 0.15;

/// Returns two clusters of launches, if there are two. Their common mean then describes neither.
pub fn modes(estimates: &[f64]) -> Option<Modes> {
    let mut sorted = estimates.to_vec();
    sorted.sort_by(f64::total_cmp);
    let gaps: Vec<f64> = sorted.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let (split, widest) =
        gaps.iter().enumerate().max_by(|left, right| left.1.total_cmp(right.1))?;
    let low_count = split + 1;
    let smallest = low_count.min(sorted.len() - low_count) as f64;
    let separated =
        *widest > GAP_FACTOR * median(&gaps)? && smallest >= SMALLEST_SHARE * sorted.len() as f64;
    let (low, high) = sorted.split_at(low_count);
    (separated && smallest >= 2.0).then_some(Modes {
        low: median(low)?,
        high: median(high)?,
        low_count,
    })
}

/// Two speeds of a machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speeds {
    /// The number of launches at the lower speed.
    pub slow: usize,
    /// The number of all launches.
    pub launches: usize,
    /// The times at the lower speed as a multiple of those at the higher speed.
    pub ratio: f64,
}

/// The range of the speeds of a machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpeedRange {
    /// The number of launches.
    pub launches: usize,
    /// The times of the slowest tenth of the launches as a multiple of those of the fastest tenth.
    pub ratio: f64,
}

/// One launch of a group of rows, on the logarithmic scale and relative to the fastest launch of the
/// group.
struct Shift {
    /// The median of the deviations.
    common: f64,
    /// The deviation of each row's time from the median over all launches of the row.
    deviations: Vec<f64>,
}

/// Returns the shifts of all launches. Groups of a single row are left out, because they do not
/// distinguish a change of the machine's speed from one of the row. Groups whose rows have
/// different numbers of launches are left out, too.
fn shifts(groups: &[Vec<Vec<f64>>]) -> Vec<Shift> {
    let mut shifts = Vec::new();
    for rows in groups.iter().filter(|rows| rows.len() >= 2) {
        let count = rows[0].len();
        if rows.iter().any(|row| row.len() != count) {
            continue;
        }
        let middles: Option<Vec<f64>> = rows.iter().map(|row| median(row)).collect();
        let Some(middles) = middles else { continue };
        let shift = |launch: usize| {
            let deviations = rows.iter().zip(&middles).map(|(row, middle)| row[launch] - middle);
            let deviations: Vec<f64> = deviations.collect();
            Some(Shift { common: median(&deviations)?, deviations })
        };
        let of_group: Vec<Shift> = (0..count).filter_map(shift).collect();
        // The fastest launch of each group is the origin, because the median of a group may have
        // either speed.
        let fastest = of_group.iter().map(|shift| shift.common).fold(f64::INFINITY, f64::min);
        shifts.extend(of_group.into_iter().map(|shift| Shift {
            common: shift.common - fastest,
            deviations: shift.deviations.iter().map(|deviation| deviation - fastest).collect(),
        }));
    }
    shifts
}

/// The minimum share of times that lie on the same side of the border between two speeds as the
/// median of their launch.
const AGREEMENT: f64 = 0.75;

/// Returns the two speeds of a machine, if the rows of each group slowed down together in the same
/// launches, by more than δ.
///
/// Each group has rows, and each row the logarithm of one time per launch.
pub fn two_speeds(groups: &[Vec<Vec<f64>>], delta: f64) -> Option<Speeds> {
    let shifts = shifts(groups);
    let common: Vec<f64> = shifts.iter().map(|shift| shift.common).collect();
    let modes = modes(&common).filter(|modes| modes.high - modes.low > delta.ln_1p())?;
    let border = f64::midpoint(modes.low, modes.high);
    let on_same_side = |shift: &Shift| {
        let same = |deviation: &&f64| (shift.common > border) == (**deviation > border);
        shift.deviations.iter().filter(same).count()
    };
    let agreeing: usize = shifts.iter().map(on_same_side).sum();
    let all: usize = shifts.iter().map(|shift| shift.deviations.len()).sum();
    (agreeing as f64 >= AGREEMENT * all as f64).then_some(Speeds {
        slow: common.len() - modes.low_count,
        launches: common.len(),
        ratio: (modes.high - modes.low).exp(),
    })
}

/// The minimum share of the variance of times that the common shifts of launches explain.
const EXPLAINED: f64 = 0.5;

/// Returns the range of a machine's speeds, if the rows of each group changed together from launch to
/// launch, by more than δ.
///
/// The groups are those of [`two_speeds`], which finds no two speeds if the machine changes its
/// speed during launches or has more than two speeds.
pub fn speed_range(groups: &[Vec<Vec<f64>>], delta: f64) -> Option<SpeedRange> {
    let shifts = shifts(groups);
    let mut common: Vec<f64> = shifts.iter().map(|shift| shift.common).collect();
    let middle = median(&common)?;
    let (mut explained, mut all) = (0.0, 0.0);
    for shift in &shifts {
        for deviation in &shift.deviations {
            explained += (deviation - middle).powi(2) - (deviation - shift.common).powi(2);
            all += (deviation - middle).powi(2);
        }
    }
    common.sort_by(f64::total_cmp);
    let tenth = common.len().div_ceil(10);
    let (fastest, slowest) = (&common[..tenth], &common[common.len() - tenth..]);
    let range = median(slowest)? - median(fastest)?;
    (explained >= EXPLAINED * all && range > delta.ln_1p())
        .then_some(SpeedRange { launches: common.len(), ratio: range.exp() })
}
