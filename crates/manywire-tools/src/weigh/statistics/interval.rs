use statrs::distribution::{ContinuousCDF, StudentsT};

/// The level at which intervals are computed.
pub const LEVEL: f64 = 0.97;

/// The level at which they are reported: what is left of [`LEVEL`] after up to four looks.
pub const REPORTED_LEVEL: f64 = 0.95;

/// A mean over launches with its t-interval, on a logarithmic scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The mean of the launches' estimates.
    pub mean: f64,
    /// The standard error of that mean.
    pub standard_error: f64,
    /// How far the interval reaches to either side.
    pub half_width: f64,
    /// How many launches it rests on.
    pub launches: usize,
}

impl Interval {
    /// The interval of one estimate a launch; `None` for fewer than two launches.
    pub fn of(estimates: &[f64]) -> Option<Interval> {
        let launches = estimates.len();
        if launches < 2 || estimates.iter().any(|estimate| !estimate.is_finite()) {
            return None;
        }
        let n = launches as f64;
        let mean = estimates.iter().sum::<f64>() / n;
        let variance =
            estimates.iter().map(|estimate| (estimate - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let standard_error = (variance / n).sqrt();
        let half_width = students_t(launches).inverse_cdf(0.5 + LEVEL / 2.0) * standard_error;
        Some(Interval { mean, standard_error, half_width, launches })
    }

    /// The lower end, on the logarithmic scale.
    pub fn low(&self) -> f64 {
        self.mean - self.half_width
    }

    /// The upper end, on the logarithmic scale.
    pub fn high(&self) -> f64 {
        self.mean + self.half_width
    }

    /// The mean and both ends, back on the scale of ratios or times.
    pub fn exp(&self) -> (f64, f64, f64) {
        (self.mean.exp(), self.low().exp(), self.high().exp())
    }

    /// The probability of a mean at least this far above `bound` if the truth were `bound`.
    pub(crate) fn p_above(&self, bound: f64) -> f64 {
        self.upper_tail(self.mean - bound)
    }

    /// The probability of a mean at least this far below `bound` if the truth were `bound`.
    pub(crate) fn p_below(&self, bound: f64) -> f64 {
        self.upper_tail(bound - self.mean)
    }

    fn upper_tail(&self, distance: f64) -> f64 {
        if self.standard_error == 0.0 {
            return if distance > 0.0 { 0.0 } else { 1.0 };
        }
        students_t(self.launches).sf(distance / self.standard_error)
    }

    /// How many launches in all would bring the half-width down to `target`, from the spread seen
    /// so far; at least as many as there are.
    pub fn launches_for(&self, target: f64) -> usize {
        let spread = self.standard_error * (self.launches as f64).sqrt();
        (self.launches.max(2)..=MOST_LAUNCHES_FORESEEN)
            .find(|&launches| {
                let t = students_t(launches).inverse_cdf(0.5 + LEVEL / 2.0);
                t * spread / (launches as f64).sqrt() <= target
            })
            .unwrap_or(MOST_LAUNCHES_FORESEEN)
    }
}

/// Beyond this, more launches are no advice: the machine is too noisy for the question.
const MOST_LAUNCHES_FORESEEN: usize = 10_000;

fn students_t(launches: usize) -> StudentsT {
    StudentsT::new(0.0, 1.0, (launches.max(2) - 1) as f64).expect("one degree of freedom or more")
}
