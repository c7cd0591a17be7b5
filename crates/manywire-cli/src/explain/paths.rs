//! Selects rows of a walk by the arguments, and checks that the requested path was found.

use manywire_inspect::{Event, Role, Span};
use manywire_shape::path::fold_indexes;

use super::query::{KnownPaths, PathQuery};
use crate::arguments::Explain;
use crate::exit::{CommandError, usage};

/// The selection of rows by `--at`, `--path`, `--depth`, `--items` and `--check`.
pub(crate) struct Selection<'a> {
    arguments: &'a Explain,
    /// The depth of the current item while the walk is inside an item beyond `--items`, else
    /// `None`.
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
        let parse = |path: &str| {
            let query = PathQuery::parse(path);
            query.map_err(|error| usage(format!("--path {path}: {error}")))
        };
        let query = arguments.path.as_deref().map(parse).transpose()?;
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
