/// Adjusts p-values so that all verdicts of one table together err as seldom as one would alone.
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
