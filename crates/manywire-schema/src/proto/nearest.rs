//! Finds the name that a misspelt one is nearest to.

/// Returns the candidate that differs from a name by the fewest letters, if these are at most a
/// third of the letters. Ignores packages and case.
pub(super) fn nearest<'c>(
    name: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<&'c str> {
    let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_lowercase();
    let wanted: Vec<char> = last(name).chars().take(LETTERS_MAX).collect();
    let distances = candidates.into_iter().map(|candidate| {
        let found: Vec<char> = last(candidate).chars().take(LETTERS_MAX).collect();
        (distance(&wanted, &found), candidate)
    });
    let (distance, candidate) = distances.min_by_key(|(distance, _)| *distance)?;
    let is_near = distance <= wanted.len().max(3) / 3 && distance < wanted.len();
    is_near.then_some(candidate)
}

/// The maximum number of letters that are compared of a name.
const LETTERS_MAX: usize = 100;

/// Returns the number of letters to insert, remove or replace (Levenshtein).
fn distance(left: &[char], right: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (at, left) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (column, right) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(left != right);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[right.len()]
}
