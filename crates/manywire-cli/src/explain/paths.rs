//! Paths of a walk: which of them the arguments select, and paths with their indexes folded
//! together, so that `$.a[0].b` and `$.a[1].b` are both `$.a[*].b`.

use manywire_inspect::{Event, Role, Span};

use super::query::{KnownPaths, PathQuery};
use crate::arguments::Explain;
use crate::exit::{CommandError, usage};

/// The selection of rows by `--at`, `--path`, `--depth`, `--items` and `--check`.
pub(crate) struct Selection<'a> {
    arguments: &'a Explain,
    /// The depth of the current item if it is beyond `--items`, while the walk is inside it.
    beyond: Option<usize>,
    query: Option<PathQuery>,
    /// The paths so far, as long as none is the requested one.
    known: Option<KnownPaths>,
}

impl<'a> Selection<'a> {
    /// Returns the selection of the arguments.
    ///
    /// # Errors
    /// Fails for an invalid path.
    pub(crate) fn of(arguments: &'a Explain) -> Result<Self, CommandError> {
        let query = arguments.path.as_deref().map(PathQuery::parse).transpose();
        let query = query.map_err(usage)?;
        let known = query.is_some().then(KnownPaths::default);
        Ok(Selection { arguments, beyond: None, query, known })
    }

    /// Checks that the requested path was found.
    ///
    /// # Errors
    /// Fails if no span was at the path, with the nearest paths that there are.
    pub(crate) fn check_found(&self, name: &str) -> Result<(), CommandError> {
        let (Some(known), Some(path)) = (&self.known, &self.arguments.path) else { return Ok(()) };
        let nearest = known.nearest(&fold_indexes(path));
        let nearest = match &nearest[..] {
            [] => String::new(),
            [one] => format!("; there is only {one}"),
            several => format!("; the nearest are {}", several.join(", ")),
        };
        Err(usage(format!("--path {path}: {name} has no such path{nearest}")))
    }

    /// Returns whether to show an event. Must be called for every event in order. Faults are always
    /// shown, and remarks only by `--check`.
    pub(crate) fn includes(&mut self, event: &Event<'_>) -> bool {
        match event {
            Event::Span(span) => self.includes_span(span) && !self.arguments.check,
            Event::Fault(_) => true,
            Event::Remark(_) => self.arguments.check,
        }
    }

    fn includes_span(&mut self, span: &Span<'_>) -> bool {
        if span.role == Role::Unread {
            return self.arguments.at.is_none_or(|at| span.range.contains(&at));
        }
        let in_items = self.is_among_items(span);
        let shallow = self.arguments.depth.is_none_or(|depth| span.depth <= depth);
        // Decompressed bytes have no offset in the input.
        let contains = |at| span.inside.is_none() && span.range.contains(&at);
        let at = self.arguments.at.is_none_or(contains);
        let path = self.query.as_ref().is_none_or(|query| query.selects(span.path));
        if path {
            self.known = None;
        } else if let Some(known) = &mut self.known {
            known.add(fold_indexes(span.path));
        }
        in_items && shallow && at && path
    }

    fn is_among_items(&mut self, span: &Span<'_>) -> bool {
        let Some(items) = self.arguments.items else { return true };
        if self.beyond.is_some_and(|depth| span.depth > depth) {
            return false;
        }
        let beyond = span.depth > 0 && span.entry >= items;
        self.beyond = beyond.then_some(span.depth);
        !beyond
    }
}

/// Replaces every index in a path by `*`, and removes the index of the value in the stream.
pub(crate) fn fold_indexes(path: &str) -> String {
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
