//! Finds the name that a misspelt one is nearest to.

use manywire_shape::names::{COMPARED_MAX, distance};

/// Returns the candidate that differs from a name by the fewest letters, if these are at most a
/// third of the letters. Ignores packages and case.
pub(super) fn nearest<'c>(
    name: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<&'c str> {
    let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_lowercase();
    let wanted = last(name);
    let distances =
        candidates.into_iter().map(|candidate| (distance(&wanted, &last(candidate)), candidate));
    let (distance, candidate) = distances.min_by_key(|(distance, _)| *distance)?;
    let letters = wanted.chars().take(COMPARED_MAX).count();
    let is_near = distance <= letters.max(3) / 3 && distance < letters;
    is_near.then_some(candidate)
}
