use super::{Interval, LOOKS};

/// The interval that measuring would have ended with, had launches come in this order: looked at
/// only where looking is allowed, stopped as soon as it is narrow enough.
///
/// `target` is the half-width of a ratio around 1. `None` if there are fewer launches than the
/// first look needs.
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
