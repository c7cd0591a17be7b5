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
