use super::interval::{LEVEL, REPORTED_LEVEL};
use super::{Interval, holm};

/// What can be said of a ratio of two times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Faster than the reference, by more than δ.
    Faster,
    /// Slower than the reference, by more than δ.
    Slower,
    /// The same within δ.
    Same,
    /// Neither can be said from these launches.
    Inconclusive {
        /// How many more launches it would probably take.
        more_launches: usize,
    },
}

impl Verdict {
    /// The verdict in one word, as reports print it.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Faster => "faster",
            Verdict::Slower => "slower",
            Verdict::Same => "same",
            Verdict::Inconclusive { .. } => "inconclusive",
        }
    }
}

/// A judged ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The verdict.
    pub verdict: Verdict,
    /// The p-value behind it, adjusted for all verdicts of the table and for the looks, so that
    /// it is to be held against 0.05.
    pub p_adjusted: f64,
}

/// Judges every log ratio of one table against ±ln(1 + δ).
///
/// Each ratio is tested for being beyond δ on the side it lies on, and for being within δ (two
/// one-sided tests, Schuirmann 1987); the likelier of the two is its claim, and its p-value joins
/// Holm's adjustment. A claim that does not survive the adjustment is inconclusive.
pub fn judge(ratios: &[Interval], delta: f64) -> Vec<Comparison> {
    judge_each(&ratios.iter().map(|&ratio| (ratio, delta)).collect::<Vec<_>>())
}

/// The same for ratios that each have a δ of their own, as those of different languages do.
pub fn judge_each(ratios: &[(Interval, f64)]) -> Vec<Comparison> {
    let claims: Vec<(Verdict, f64)> =
        ratios.iter().map(|(ratio, delta)| claim(ratio, delta.ln_1p())).collect();
    // 97 % intervals are reported as 95 %: p-values are stretched by the same.
    let stretch = (1.0 - REPORTED_LEVEL) / (1.0 - LEVEL);
    let p_values: Vec<f64> = claims.iter().map(|claim| (claim.1 * stretch).min(1.0)).collect();
    let settled = |p_adjusted: f64| p_adjusted <= 1.0 - REPORTED_LEVEL;
    holm(&p_values)
        .into_iter()
        .zip(claims)
        .zip(ratios)
        .map(|((p_adjusted, (claimed, _)), (ratio, delta))| {
            let verdict = if settled(p_adjusted) {
                claimed
            } else {
                Verdict::Inconclusive { more_launches: more(ratio, delta.ln_1p()) }
            };
            Comparison { verdict, p_adjusted }
        })
        .collect()
}

/// What the data would say of a ratio if it were alone, and the p-value of saying so wrongly.
fn claim(ratio: &Interval, bound: f64) -> (Verdict, f64) {
    // Twice the one-sided tail: the side was chosen by looking.
    let faster = (Verdict::Faster, (2.0 * ratio.p_below(-bound)).min(1.0));
    let slower = (Verdict::Slower, (2.0 * ratio.p_above(bound)).min(1.0));
    let same = (Verdict::Same, (2.0 * ratio.p_above(-bound).max(ratio.p_below(bound))).min(1.0));
    [faster, slower, same]
        .into_iter()
        .min_by(|left, right| left.1.total_cmp(&right.1))
        .expect("three claims")
}

/// How many more launches would settle it, if the mean stays where it is: the interval must clear
/// the nearer of the two bounds.
fn more(ratio: &Interval, bound: f64) -> usize {
    let clearance = (ratio.mean.abs() - bound).abs().max(bound / 20.0);
    ratio.launches_for(clearance).saturating_sub(ratio.launches).max(1)
}
