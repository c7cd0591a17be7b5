//! The bytes that each path takes, over all events of walks.
//!
//! Paths are folded: `$.a[0].b` and `$.a[1].b` are both `$.a[*].b`.

use std::collections::HashMap;

use crate::{Event, Role};

/// The largest number of separate paths. Keys that are data, such as user names, could make any
/// number of paths.
const PATHS_MAX: usize = 100_000;

/// The label of all paths beyond [`PATHS_MAX`].
const OTHERS: &str = "(other paths)";

/// The bytes at a folded path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathBytes {
    /// The folded path.
    pub path: String,
    /// Bytes of keys, with their heads.
    pub keys: usize,
    /// Bytes of heads, lengths and separators of values.
    pub heads: usize,
    /// Bytes of the content of values.
    pub values: usize,
    /// The number of values at the path.
    pub times: usize,
}

impl PathBytes {
    /// Returns the sum of all bytes at the path.
    pub fn bytes(&self) -> usize {
        self.keys + self.heads + self.values
    }
}

/// Adds up the bytes at each path.
#[derive(Debug, Default)]
pub struct PathRanking {
    paths: HashMap<String, PathBytes>,
    /// The path of the last span, and its folded form: successive spans often have the same path.
    last: (String, String),
}

impl PathRanking {
    /// Adds an event. Only spans that take bytes of the input count.
    pub fn add(&mut self, event: &Event<'_>) {
        let Event::Span(span) = event else { return };
        // Decompressed bytes take no space in the input.
        if span.inside.is_some() {
            return;
        }
        if self.last.0 != span.path {
            span.path.clone_into(&mut self.last.0);
            self.last.1 = fold_indexes(span.path);
        }
        let known = self.paths.contains_key(&self.last.1) || self.paths.len() < PATHS_MAX;
        let path = if known { self.last.1.as_str() } else { OTHERS };
        if !self.paths.contains_key(path) {
            let entry = PathBytes { path: path.to_owned(), ..PathBytes::default() };
            self.paths.insert(path.to_owned(), entry);
        }
        let Some(entry) = self.paths.get_mut(path) else { return };
        let length = span.bytes.len();
        match span.role {
            Role::Key => entry.keys += length,
            _ => {
                entry.heads += span.head;
                entry.values += length - span.head;
            }
        }
        entry.times += usize::from(matches!(span.role, Role::Value | Role::Fixed));
    }

    /// Returns the paths, the one with the most bytes first, and those with equal bytes by name.
    pub fn into_sorted(self) -> Vec<PathBytes> {
        let mut paths: Vec<PathBytes> = self.paths.into_values().collect();
        paths.sort_by(|one, other| {
            other.bytes().cmp(&one.bytes()).then_with(|| one.path.cmp(&other.path))
        });
        paths
    }
}

/// Replaces every index in a path by `*`, and removes the index of the value in the stream.
pub fn fold_indexes(path: &str) -> String {
    let mut folded = String::with_capacity(path.len());
    let mut rest = path;
    if let Some(value) = path.strip_prefix("$#") {
        folded.push('$');
        rest = value.trim_start_matches(|c: char| c.is_ascii_digit());
    }
    // A key after a dot contains no bracket; a quoted key may.
    while let Some(start) = rest.find('[') {
        folded.push_str(&rest[..=start]);
        rest = &rest[start + 1..];
        let length = segment_length(rest);
        let step = &rest[..length];
        let number = step.strip_prefix("key ").unwrap_or(step);
        if number.bytes().all(|byte| byte.is_ascii_digit()) && !number.is_empty() {
            folded.push_str(&step[..step.len() - number.len()]);
            folded.push('*');
        } else {
            folded.push_str(step);
        }
        rest = &rest[length..];
    }
    folded.push_str(rest);
    folded
}

/// Returns the length of a segment up to its closing bracket.
fn segment_length(step: &str) -> usize {
    if !step.starts_with('"') {
        return step.find(']').unwrap_or(step.len());
    }
    let mut escaped = false;
    for (index, character) in step.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return index + 1,
            _ => {}
        }
    }
    step.len()
}

#[cfg(test)]
mod tests {
    use super::fold_indexes;

    #[test]
    fn folds_indexes_but_not_keys() {
        let cases = [
            ("$", "$"),
            ("$.a[3].b", "$.a[*].b"),
            ("$[0][12]", "$[*][*]"),
            ("$#7.a", "$.a"),
            ("$#7[1]", "$[*]"),
            ("$[key 4].a", "$[key *].a"),
            (r#"$["12"][1]"#, r#"$["12"][*]"#),
            (r#"$["a[3]"].b[3]"#, r#"$["a[3]"].b[*]"#),
            (r#"$["\"[1]"][2]"#, r#"$["\"[1]"][*]"#),
            ("$.12", "$.12"),
            ("$blocks[3]", "$blocks[*]"),
        ];
        for (path, expected) in cases {
            assert_eq!(fold_indexes(path), expected, "{path}");
        }
    }
}
