//! Figures over launches, with their intervals.

use serde::{Deserialize, Serialize};

use crate::weigh::statistics::Interval;

/// A time, a rate or a difference of times over launches, with its 95 % confidence interval.
///
/// The value of a time is the geometric mean over launches, and its interval is computed on the
/// logarithmic scale, so neither end is below zero. The value of a sum or of a difference is the
/// sum or the difference of these means, so the parts of a request add up. Its interval comes from
/// the deviations of each launch, to first order: a time x with the mean m deviates by
/// m · ln(x / m).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// The value.
    pub value: f64,
    /// The lower end; `None` for a single launch.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

/// The minimum number of launches for any conclusion: a verdict, a break-even point, or a finding.
/// The intervals of three launches contained the true value in 81 to 95 of 100 cases, those of five
/// in 93 to 95.
pub const LAUNCHES_MIN: usize = 5;

/// The geometric mean of one estimate per launch, and the deviations of the launches.
struct Mean {
    value: f64,
    deviations: Vec<f64>,
}

impl Mean {
    /// Returns `None` without estimates, or if one is not a positive number: a clock that measured
    /// zero was too coarse.
    fn of(estimates: &[f64]) -> Option<Mean> {
        let positive = |&estimate: &f64| estimate.is_finite() && estimate > 0.0;
        if estimates.is_empty() || !estimates.iter().all(positive) {
            return None;
        }
        let logs = || estimates.iter().map(|estimate| estimate.ln());
        let log = logs().sum::<f64>() / estimates.len() as f64;
        // A single estimate is not rounded on its way through the logarithm.
        let value = if let [only] = estimates { *only } else { log.exp() };
        Some(Mean { value, deviations: logs().map(|each| value * (each - log)).collect() })
    }

    /// Adds up means with these signs; `None` without parts, or unless all have the same number of
    /// launches and every estimate is a positive number.
    fn sum(parts: &[(f64, &[f64])]) -> Option<Mean> {
        let launches = parts.first()?.1.len();
        let mut sum = Mean { value: 0.0, deviations: vec![0.0; launches] };
        for (sign, estimates) in parts {
            let part = Mean::of(estimates).filter(|part| part.deviations.len() == launches)?;
            sum.value += sign * part.value;
            for (sum, deviation) in sum.deviations.iter_mut().zip(part.deviations) {
                *sum += sign * deviation;
            }
        }
        Some(sum)
    }

    /// Computes the difference between the sum of `whole` and that of `parts`.
    fn difference(whole: &[&[f64]], parts: &[&[f64]]) -> Option<Mean> {
        let signed = |sign: f64| move |&estimates| (sign, estimates);
        let all: Vec<(f64, &[f64])> =
            whole.iter().map(signed(1.0)).chain(parts.iter().map(signed(-1.0))).collect();
        Mean::sum(&all)
    }
}

/// Computes the interval of the difference that [`Figure::of_difference`] describes, to be judged
/// together with others. Its scale is that of the times, not logarithmic. `None` for fewer than two
/// launches.
pub(super) fn interval_of_difference(whole: &[&[f64]], parts: &[&[f64]]) -> Option<Interval> {
    let Mean { value, deviations } = Mean::difference(whole, parts)?;
    Interval::of(&deviations).map(|interval| Interval { mean: value, ..interval })
}

impl Figure {
    /// Computes the mean of one positive estimate per launch; `None` without estimates, or if one is
    /// not positive.
    pub fn of(estimates: &[f64]) -> Option<Figure> {
        Figure::of_sum(&[estimates])
    }

    /// Computes the sum of times that the same launches estimated.
    pub fn of_sum(parts: &[&[f64]]) -> Option<Figure> {
        let parts: Vec<(f64, &[f64])> = parts.iter().map(|&part| (1.0, part)).collect();
        let Mean { value, deviations } = Mean::sum(&parts)?;
        let relative: Vec<f64> = deviations.iter().map(|deviation| deviation / value).collect();
        let half = Interval::of(&relative).map(|interval| interval.half_width);
        Some(Figure {
            value,
            low: half.map(|half| value * (-half).exp()),
            high: half.map(|half| value * half.exp()),
        })
    }

    /// Computes the difference between times that the same launches estimated: those of `whole` less
    /// those of `parts`. It may be below zero.
    pub fn of_difference(whole: &[&[f64]], parts: &[&[f64]]) -> Option<Figure> {
        let Mean { value, deviations } = Mean::difference(whole, parts)?;
        let half = Interval::of(&deviations).map(|interval| interval.half_width);
        Some(Figure {
            value,
            low: half.map(|half| value - half),
            high: half.map(|half| value + half),
        })
    }

    /// Returns whether the interval excludes zero; false without an interval.
    pub fn excludes_zero(&self) -> bool {
        matches!((self.low, self.high), (Some(low), Some(high)) if low > 0.0 || high < 0.0)
    }
}

/// The share of the whole below which a part is too small for a percentage: the noise of the whole
/// is then larger than the part.
const NEAR_NOTHING: f64 = 0.1;

/// A difference that should be zero, and its share of the time that it is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Remainder {
    /// The difference in nanoseconds.
    pub ns: Figure,
    /// The value as a share; `None` if the time that it is compared with is less than a tenth of the
    /// request's time.
    pub share: Option<f64>,
}

impl Remainder {
    /// Returns the difference with its share of `base`, which is a part of the request's time
    /// `whole`.
    pub(crate) fn of(ns: Figure, base: f64, whole: f64) -> Remainder {
        let share = (base > 0.0 && base >= whole * NEAR_NOTHING).then(|| ns.value / base);
        Remainder { ns, share }
    }
}

/// A quantile of the latencies of an open loop.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quantile {
    /// The quantile over all requests of all launches, in nanoseconds.
    pub ns: f64,
    /// The lower end of the interval over launches, if each launch has enough requests.
    pub low: Option<f64>,
    /// The upper end of the interval.
    pub high: Option<f64>,
}

/// The minimum number of requests beyond a quantile.
const BEYOND: f64 = 10.0;

/// Computes a quantile of open loops, one per launch; `None` if too few requests lie beyond it.
pub(crate) fn quantile(launches: &[Vec<u64>], share: f64) -> Option<Quantile> {
    let mut all: Vec<u64> = launches.iter().flatten().copied().collect();
    all.sort_unstable();
    if !is_enough(all.len(), share) {
        return None;
    }
    let ns = quantile_of_sorted(&all, share);
    let logs: Option<Vec<f64>> =
        launches.iter().map(|latencies| log_quantile(latencies, share)).collect();
    let interval = logs.and_then(|logs| Interval::of(&logs));
    Some(Quantile {
        ns,
        low: interval.map(|interval| interval.low().exp()),
        high: interval.map(|interval| interval.high().exp()),
    })
}

/// Returns the logarithm of a quantile of one launch; `None` if too few requests lie beyond it.
pub(crate) fn log_quantile(latencies: &[u64], share: f64) -> Option<f64> {
    let mut sorted = latencies.to_vec();
    sorted.sort_unstable();
    is_enough(sorted.len(), share).then(|| quantile_of_sorted(&sorted, share).max(1.0).ln())
}

/// Returns whether enough of this many requests lie beyond a quantile.
fn is_enough(requests: usize, share: f64) -> bool {
    requests as f64 * (1.0 - share) >= BEYOND - 1e-9
}

/// Returns the smallest value that at least this share of the sorted values does not exceed; 0
/// without values.
pub(crate) fn quantile_of_sorted(sorted: &[u64], share: f64) -> f64 {
    let rank = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(rank.clamp(1, sorted.len().max(1)) - 1).copied().unwrap_or(0) as f64
}

#[cfg(test)]
mod tests {
    use super::{Figure, Remainder, quantile};

    fn assert_near(found: Option<f64>, expected: f64) {
        let found = found.expect("a figure");
        assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{found}, not {expected}");
    }

    #[test]
    fn interval_of_a_time_stays_above_zero() {
        // t(0.985, 2) = 5.642778; the logarithms of 1, 10 and 100 deviate by ln 10.
        let wide = Figure::of(&[1.0, 10.0, 100.0]).expect("a figure");
        let half = 5.642778 / 3f64.sqrt() * 10f64.ln();
        assert_near(Some(wide.value), 10.0);
        let (low, high) = (wide.low.expect("an end"), wide.high.expect("an end"));
        assert!((low.ln() - (10f64.ln() - half)).abs() < 1e-4 && low > 0.0, "{low}");
        assert!((high.ln() - (10f64.ln() + half)).abs() < 1e-4, "{high}");
        assert_eq!(Figure::of(&[5.0]), Some(Figure { value: 5.0, low: None, high: None }));
        for none in [&[][..], &[1.0, 0.0], &[1.0, -1.0], &[1.0, f64::NAN]] {
            assert_eq!(Figure::of(none), None, "{none:?}");
        }
    }

    #[test]
    fn parts_of_a_request_add_up() {
        let (whole, first, second) =
            ([900.0, 250.0, 300.0], [500.0, 110.0, 170.0], [80.0, 90.0, 99.0]);
        let value = |estimates: &[f64]| Figure::of(estimates).expect("a figure").value;
        let rest = Figure::of_difference(&[&whole], &[&first, &second]).expect("a figure");
        assert_near(Some(rest.value), value(&whole) - value(&first) - value(&second));
        assert!(rest.low < Some(rest.value) && rest.high > Some(rest.value));
        let sum = Figure::of_sum(&[&first, &second]).expect("a figure");
        assert_near(Some(sum.value), value(&first) + value(&second));
        assert!(sum.low > Some(0.0) && sum.low < Some(sum.value));
        // A machine that is twice as slow in one launch moves the parts and the whole alike.
        let (base, double) = ([100.0, 200.0, 100.0], [200.0, 400.0, 200.0]);
        let none = Figure::of_difference(&[&double], &[&base, &base]).expect("a figure");
        assert!(none.value.abs() < 1e-9 && none.high.expect("an end") < 1e-9, "{none:?}");
        assert_eq!(Figure::of_difference(&[&whole], &[&first[..2]]), None);
    }

    #[test]
    fn time_near_nothing_has_no_percentage() {
        // Encoding takes 45 ns of a request of 50 µs, whose noise is 4 µs.
        let ns = |value: f64| Figure { value, low: None, high: None };
        assert_eq!(Remainder::of(ns(-4_010.0), 45.0, 50_000.0).share, None);
        assert_eq!(Remainder::of(ns(2_000.0), 5_000.0, 50_000.0).share, Some(0.4));
        assert_eq!(Remainder::of(ns(1.0), 0.0, 0.0).share, None);
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
