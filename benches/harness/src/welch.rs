//! Welch's interval of the difference of two means.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The confidence level of the interval.
const LEVEL: f64 = 0.95;

/// The difference of two means with its interval for unequal variances (B. L. Welch, Biometrika 34,
/// 1947; degrees of freedom by Welch and Satterthwaite).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Difference {
    pub(crate) mean: f64,
    pub(crate) half_width: f64,
}

impl Difference {
    /// Computes the difference. Returns `None` if a side has fewer than two values.
    pub(crate) fn between(left: &[f64], right: &[f64]) -> Option<Difference> {
        let (left, right) = (Side::between(left)?, Side::between(right)?);
        let variance = left.variance_of_mean + right.variance_of_mean;
        let mean = left.mean - right.mean;
        if variance == 0.0 {
            return Some(Difference { mean, half_width: 0.0 });
        }
        let share = |side: &Side| side.variance_of_mean.powi(2) / (side.n - 1.0);
        let freedom = variance.powi(2) / (share(&left) + share(&right));
        let t = StudentsT::new(0.0, 1.0, freedom).ok()?.inverse_cdf(0.5 + LEVEL / 2.0);
        Some(Difference { mean, half_width: t * variance.sqrt() })
    }

    pub(crate) fn contains_zero(&self) -> bool {
        self.mean.abs() <= self.half_width
    }
}

struct Side {
    n: f64,
    mean: f64,
    variance_of_mean: f64,
}

impl Side {
    fn between(values: &[f64]) -> Option<Side> {
        if values.len() < 2 {
            return None;
        }
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Some(Side { n, mean, variance_of_mean: squares / (n - 1.0) / n })
    }
}

#[cfg(test)]
mod tests {
    use super::Difference;

    /// For two samples of 15 with unequal variances, t is -2.853 at 27.89 degrees of freedom, whose
    /// quantile is 2.0488 in tables.
    #[test]
    fn an_example_with_unequal_variances() {
        let left = [
            27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7,
            21.4,
        ];
        let right = [
            27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 30.5,
            24.4,
        ];
        let found = Difference::between(&left, &right).unwrap();
        assert!((found.mean + 2.8333).abs() < 1e-4, "{found:?}");
        assert!((found.half_width - 0.99312 * 2.0488).abs() < 1e-3, "{found:?}");
        assert!(!found.contains_zero());
        let same = Difference::between(&left, &left).unwrap();
        assert!(same.contains_zero() && same.mean == 0.0);
        assert_eq!(Difference::between(&left, &[1.0]), None);
    }
}
