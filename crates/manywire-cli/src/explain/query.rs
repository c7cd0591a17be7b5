//! The path of `--path`, in the syntax that the rows print and in the brackets of RFC 9535:
//! `$.a[3]`, `$["a-b"]`, `$['a b']`, `$.a[*]`, and `$#7.a` in a stream of values.

use manywire_shape::names::distance;
use manywire_shape::path::KeyStep;
use manywire_tools::payload::{InvalidPath, PathStep, PayloadPath};

/// A parsed path that selects the value at it and everything below.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathQuery {
    /// The text after the dollar sign that names a value of a stream or a part of a container file.
    root: String,
    steps: Vec<Step>,
}

/// A step, as the text of a printed path.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// The value under a key, or the entry of a map whose key is a container.
    Exact(String),
    /// The item at an index, or the value under an integer key.
    Index { item: String, key: String },
    /// Every item.
    AnyItem,
}

impl PathQuery {
    /// Parses a path.
    ///
    /// # Errors
    /// Fails with the position of the first character that does not belong to a path.
    pub(crate) fn parse(text: &str) -> Result<PathQuery, InvalidPath> {
        let PayloadPath { root, steps } = text.parse()?;
        let step = |step| match step {
            PathStep::Key(name) => Step::Exact(KeyStep(&name).to_string()),
            PathStep::Index(number) => {
                Step::Index { item: format!("[{number}]"), key: KeyStep(&number).to_string() }
            }
            PathStep::AnyIndex => Step::AnyItem,
            PathStep::Entry(entry) => Step::Exact(format!("[key {entry}]")),
        };
        Ok(PathQuery { root, steps: steps.into_iter().map(step).collect() })
    }

    /// Returns whether a printed path is the requested one or below it. A query without the number of
    /// a value selects in every value of a stream.
    pub(crate) fn selects(&self, path: &str) -> bool {
        let Some(mut rest) = path.strip_prefix('$') else { return false };
        if self.root.is_empty() {
            if let Some(number) = rest.strip_prefix('#') {
                rest = number.trim_start_matches(|c: char| c.is_ascii_digit());
            }
        } else {
            match rest.strip_prefix(self.root.as_str()) {
                Some(after) => rest = after,
                None => return false,
            }
        }
        for step in &self.steps {
            match ends_step(rest).then(|| step.take_from(rest)).flatten() {
                Some(after) => rest = after,
                None => return false,
            }
        }
        ends_step(rest)
    }
}

/// Returns whether a step ends before this rest of a path.
fn ends_step(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(['.', '['])
}

impl Step {
    /// Removes the step from the beginning of a printed path.
    fn take_from<'p>(&self, path: &'p str) -> Option<&'p str> {
        match self {
            Step::Exact(text) => path.strip_prefix(text.as_str()),
            Step::Index { item, key } => {
                let after_key = || path.strip_prefix(key.as_str()).filter(|rest| ends_step(rest));
                path.strip_prefix(item.as_str()).or_else(after_key)
            }
            Step::AnyItem => {
                let digits = path.strip_prefix('[')?;
                let rest = digits.trim_start_matches(|c: char| c.is_ascii_digit());
                if rest.len() == digits.len() { None } else { rest.strip_prefix(']') }
            }
        }
    }
}

/// The maximum number of different paths that are compared with one that is not found.
const KNOWN_MAX: usize = 1_000;

/// The maximum number of paths that are suggested.
const SUGGESTED: usize = 3;

/// The paths of a walk, for suggestions in place of one that is not found.
#[derive(Default)]
pub(crate) struct KnownPaths {
    /// Paths with their indexes folded, in the order of the walk.
    paths: Vec<String>,
}

impl KnownPaths {
    /// Adds a path whose indexes are folded.
    pub(crate) fn add(&mut self, folded: String) {
        if self.paths.len() < KNOWN_MAX && !self.paths.contains(&folded) {
            self.paths.push(folded);
        }
    }

    /// Returns the paths that are most similar to `folded`, the most similar first.
    pub(crate) fn nearest(&self, folded: &str) -> Vec<&str> {
        let mut ranked: Vec<(usize, &str)> =
            self.paths.iter().map(|path| (distance(folded, path), path.as_str())).collect();
        // The sort is stable: of equally distant paths, the first of the document comes first.
        ranked.sort_by_key(|(distance, _)| *distance);
        ranked.into_iter().take(SUGGESTED).map(|(_, path)| path).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_select_printed_paths() {
        let cases: [(&str, &str, bool); 27] = [
            ("$", "$", true),
            ("$", "$.a[1]", true),
            ("$", "$#3.a", true),
            ("$", "$header", false),
            ("$.a", "$.a", true),
            ("$.a", "$.a.b[0]", true),
            ("$.a", "$.ab", false),
            ("$['a']", "$.a", true),
            (r#"$["a"]"#, "$.a", true),
            (r#"$["a-b"]"#, "$.a-b", true),
            ("$.a-b", "$.a-b", true),
            ("$['odd key'].x", r#"$["odd key"].x"#, true),
            ("$.odd key.x", r#"$["odd key"].x"#, true),
            (r#"$["a.b[0]"]"#, r#"$["a.b[0]"]"#, true),
            (r"$['it\'s']", r#"$["it's"]"#, true),
            (r#"$["\u00e9\ud83d\ude00"]"#, r#"$["é😀"]"#, true),
            (r#"$["a\u{1f}"]"#, r#"$["a\u{1f}"]"#, true),
            ("$[3]", "$[3].a", true),
            ("$[3]", "$[31]", false),
            ("$[3]", "$.3", true),
            ("$[3]", "$.31", false),
            ("$[-1].a", "$.-1.a", true),
            ("$.a[*].b", "$.a[12].b", true),
            ("$#7.a", "$#7.a", true),
            ("$#7.a", "$#8.a", false),
            ("$blocks[1]", "$blocks[1]", true),
            ("$[key 2]", "$[key 2][0]", true),
        ];
        for (query, path, expected) in cases {
            let parsed = PathQuery::parse(query).expect(query);
            assert_eq!(parsed.selects(path), expected, "{query} {path}");
        }
    }

    #[test]
    fn the_nearest_paths_come_first() {
        let mut known = KnownPaths::default();
        for path in ["$", "$.hotels", "$.hotels[*].name", "$.hotels[*].rate"] {
            known.add(path.to_owned());
        }
        assert_eq!(known.nearest("$.hotels[*].nam")[0], "$.hotels[*].name");
        assert_eq!(known.nearest("$.hotel")[0], "$.hotels");
    }
}
