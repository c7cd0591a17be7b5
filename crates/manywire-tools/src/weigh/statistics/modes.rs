use super::median;

/// Two clusters that the launches fall into.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Modes {
    /// The median of the lower cluster.
    pub low: f64,
    /// The median of the upper cluster.
    pub high: f64,
    /// How many launches are in the lower cluster.
    pub low_count: usize,
}

/// A gap this many times the median gap separates two modes.
const GAP_FACTOR: f64 = 5.0;

/// A cluster holds at least this share of the launches; fewer are stragglers.
const SMALLEST_SHARE: f64 = 0.15;

/// Whether launches fall into two clusters: the mean of two modes is true of neither.
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
