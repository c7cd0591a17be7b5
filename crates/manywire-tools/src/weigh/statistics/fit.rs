/// Mean and standard deviation, for readers used to them. No verdict rests on these: one
/// descheduled batch moves both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// The arithmetic mean.
    pub mean: f64,
    /// The sample standard deviation, with n − 1.
    pub standard_deviation: f64,
}

impl Moments {
    /// The moments of at least two numbers.
    pub fn of(numbers: &[f64]) -> Option<Moments> {
        if numbers.len() < 2 {
            return None;
        }
        let n = numbers.len() as f64;
        let mean = numbers.iter().sum::<f64>() / n;
        let variance =
            numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / (n - 1.0);
        Some(Moments { mean, standard_deviation: variance.sqrt() })
    }
}

/// A straight line of total time against iterations, by least squares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// Time for one more iteration.
    pub slope: f64,
    /// Time of a batch apart from its iterations.
    pub intercept: f64,
    /// The share of the variance that the line explains: 1 − residual / total sum of squares.
    pub r_squared: f64,
}

impl Fit {
    /// One slope for several launches, each with a level of its own.
    ///
    /// A batch is made to last equally long in every launch, so a slow launch takes fewer
    /// iterations for the same time: a line through the batches of all launches would come out
    /// flatter than the line within any of them.
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

    /// The line through points of (iterations, total time); `None` unless there are two different
    /// numbers of iterations.
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
