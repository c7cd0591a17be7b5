//! The statistics of the reports.

/// Returns the median of the samples.
///
/// # Panics
///
/// Panics if there are no samples.
pub fn median(samples: &mut [f64]) -> f64 {
    samples.sort_unstable_by(f64::total_cmp);
    let middle = samples.len() / 2;
    if samples.len() % 2 == 1 {
        samples[middle]
    } else {
        (samples[middle - 1] + samples[middle]) / 2.0
    }
}

/// The geometric mean of a ratio over launches, with an interval.
#[derive(Clone, Copy, Debug)]
pub struct Ratio {
    /// The estimate.
    pub mean: f64,
    /// The lower end of the 95 % t-interval; equal to the mean for a single launch.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl Ratio {
    /// Computes the ratio from one log ratio per launch.
    pub fn from_logs(logs: &[f64]) -> Self {
        let count = logs.len() as f64;
        let mean = logs.iter().sum::<f64>() / count;
        let half = match logs.len() {
            0 | 1 => 0.0,
            launches => {
                let squares: f64 = logs.iter().map(|log| (log - mean).powi(2)).sum();
                t_quantile(launches - 1) * (squares / (count - 1.0) / count).sqrt()
            }
        };
        Ratio { mean: mean.exp(), low: (mean - half).exp(), high: (mean + half).exp() }
    }
}

/// Returns the 97.5 % quantile of Student's t. Beyond the table the normal quantile is close
/// enough.
fn t_quantile(degrees: usize) -> f64 {
    const TABLE: [f64; 30] = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
        2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
        2.052, 2.048, 2.045, 2.042,
    ];
    TABLE.get(degrees - 1).copied().unwrap_or(1.96)
}

/// A random number generator for shuffling (xorshift64*, Vigna 2016).
pub struct Shuffle(u64);

impl Shuffle {
    /// Returns a generator for any seed, including zero.
    pub fn new(seed: u64) -> Self {
        Shuffle(seed ^ 0x9E37_79B9_7F4A_7C15)
    }

    /// Shuffles the items.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            let other = self.next() % (at as u64 + 1);
            items.swap(at, other as usize);
        }
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32
    }
}
