//! Paths of a walk: which of them the arguments select, and paths with their indexes folded
//! together, so that `$.a[0].b` and `$.a[1].b` are both `$.a[*].b`.

use manywire_inspect::{Event, Role, Span};

use crate::arguments::Explain;

/// Which rows were asked for.
pub(crate) struct Selection<'a> {
    arguments: &'a Explain,
    /// How deep the item stands that is beyond `--items`, while the walk is inside of it.
    beyond: Option<usize>,
}

impl<'a> Selection<'a> {
    pub(crate) fn of(arguments: &'a Explain) -> Self {
        Selection { arguments, beyond: None }
    }

    /// Whether to show this. To be asked of every event, in order. Faults always are shown, and
    /// remarks only by `--check`.
    pub(crate) fn includes(&mut self, event: &Event<'_>) -> bool {
        match event {
            Event::Span(span) => !self.arguments.check && self.includes_span(span),
            Event::Fault(_) => true,
            Event::Remark(_) => self.arguments.check,
        }
    }

    fn includes_span(&mut self, span: &Span<'_>) -> bool {
        if span.role == Role::Unread {
            return self.arguments.at.is_none_or(|at| span.range.contains(&at));
        }
        let few = self.is_among_items(span);
        let shallow = self.arguments.depth.is_none_or(|depth| span.depth <= depth);
        // What was unpacked stands at no byte of the input.
        let stands = |at| span.inside.is_none() && span.range.contains(&at);
        let at = self.arguments.at.is_none_or(stands);
        let path = self.arguments.path.as_deref().is_none_or(|path| belongs(span.path, path));
        few && shallow && at && path
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

/// Whether a path is the one asked for, or goes on from there. In a stream, a path that names no
/// value is one in each of them.
fn belongs(path: &str, asked: &str) -> bool {
    let within = path.strip_prefix("$#").map(|rest| rest.trim_start_matches(char::is_numeric));
    if let (Some(path), Some(asked)) = (within, asked.strip_prefix('$'))
        && !asked.starts_with('#')
    {
        return goes_on(path, asked);
    }
    goes_on(path, asked)
}

fn goes_on(path: &str, asked: &str) -> bool {
    path.strip_prefix(asked).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// Puts `*` for every index of an item, and leaves out which value of a stream it is.
pub(crate) fn folded(path: &str) -> String {
    let mut folded = String::with_capacity(path.len());
    let mut rest = path;
    if let Some(value) = path.strip_prefix("$#") {
        folded.push('$');
        rest = value.trim_start_matches(|c: char| c.is_ascii_digit());
    }
    // Behind a dot there is no bracket; within quotes there may be.
    while let Some(start) = rest.find('[') {
        folded.push_str(&rest[..=start]);
        rest = &rest[start + 1..];
        let length = step_length(rest);
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

/// How long a step is up to its closing bracket.
fn step_length(step: &str) -> usize {
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
    use super::folded;

    #[test]
    fn indexes_fold_and_keys_do_not() {
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
            assert_eq!(folded(path), expected, "{path}");
        }
    }
}
