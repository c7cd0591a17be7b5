//! What walkers report.

use std::fmt;
use std::ops::Range;

use manywire_shape::Value;

use super::{Frame, Opening, Trail, Walked, path};
use crate::Role;

/// What a path goes on with behind the name of a field.
#[derive(Clone, Copy)]
pub(crate) enum Step<'k> {
    /// An item of the field.
    Item(u64),
    /// An entry of the field.
    Key(Value<'k>),
}

impl Trail<'_> {
    /// A key, a value, or a chunk of one; `head` of its bytes say kind and length.
    pub(crate) fn scalar(
        &mut self,
        range: Range<usize>,
        head: usize,
        role: Role,
        type_name: fmt::Arguments<'_>,
        value: Value<'_>,
    ) {
        if self.frames.last().is_some_and(Frame::awaits_key) {
            self.name_key(range.start, value);
        } else {
            self.place();
            self.weigh_value(value);
        }
        let role = if self.in_key() { Role::Key } else { role };
        self.report(range, head, role, type_name, Some(value));
        self.finished();
    }

    /// The key of the next value, which no bytes say.
    pub(crate) fn name(&mut self, key: &str) {
        self.name_key(self.covered, Value::Str(key));
        self.finished();
    }

    /// The tag of a field, which may stand once for each item: `step` says which.
    pub(crate) fn field_key(
        &mut self,
        range: Range<usize>,
        type_name: fmt::Arguments<'_>,
        key: Value<'_>,
        step: Option<Step<'_>>,
    ) {
        self.begin_item();
        self.step_to(key);
        match step {
            Some(Step::Item(index)) => path::push_index(&mut self.path, index),
            Some(Step::Key(key)) => path::push_key(&mut self.path, key),
            None => {}
        }
        self.report(range, 0, Role::Key, type_name, Some(key));
        self.finished();
    }

    /// The tag of a field that the schema does not have, by its number.
    pub(crate) fn unknown_key(
        &mut self,
        range: Range<usize>,
        type_name: fmt::Arguments<'_>,
        number: u64,
    ) {
        self.unknown = true;
        self.field_key(range, type_name, Value::from(number), None);
    }

    /// Something said of the value that follows, or of the container that is open.
    pub(crate) fn head(
        &mut self,
        range: Range<usize>,
        role: Role,
        type_name: fmt::Arguments<'_>,
        value: Option<Value<'_>>,
    ) {
        self.place();
        let role = if self.in_key() { Role::Key } else { role };
        self.report(range.clone(), range.len(), role, type_name, value);
    }

    /// More of the open container is to come, as these bytes say.
    pub(crate) fn block(&mut self, range: Range<usize>, type_name: fmt::Arguments<'_>) {
        if let Some(frame) = self.frames.last() {
            self.path.truncate(frame.path_length);
        }
        let head = range.len();
        let role = if self.frames.last().is_some_and(|frame| frame.in_key) {
            Role::Key
        } else {
            Role::Length
        };
        self.report(range, head, role, type_name, None);
    }

    /// What stands between tokens; nothing, if the range is empty.
    pub(crate) fn separator(&mut self, range: Range<usize>, type_name: &'static str) {
        if !range.is_empty() {
            let length = range.len();
            self.report(range, length, Role::Separator, format_args!("{type_name}"), None);
        }
    }

    /// Bytes that belong to no value: they say how values follow each other, or nothing.
    pub(crate) fn plain(&mut self, range: Range<usize>, role: Role, name: fmt::Arguments<'_>) {
        let head = if matches!(role, Role::Head | Role::Length) { range.len() } else { 0 };
        self.report(range, head, role, name, None);
    }

    /// The beginning of a container. The ones whose count is zero end at once.
    pub(crate) fn open(
        &mut self,
        range: Range<usize>,
        role: Role,
        type_name: fmt::Arguments<'_>,
        opening: Opening,
    ) -> Walked {
        self.place();
        if self.frames.len() >= self.depth_max {
            let limit = self.depth_max;
            return Err(self.fault(
                range.start,
                format_args!("no more than {limit} containers in each other"),
            ));
        }
        let in_key = self.in_key();
        let role = if in_key { Role::Key } else { role };
        // A key in chunks counts when it is whole.
        let is_key = self.frames.last().is_some_and(|frame| frame.at_key);
        if !(is_key && opening.kind.is_chunks()) {
            self.begin_item();
            self.add_json(2);
        }
        self.report(range.clone(), range.len(), role, type_name, None);
        self.opened_at = range.start;
        self.push(opening, in_key);
        if opening.left == Some(0) {
            self.leave();
        }
        Ok(())
    }

    /// A container that no bytes announce: the message that the whole input is.
    pub(crate) fn enter(&mut self, opening: Opening) {
        self.push(opening, false);
    }

    /// The end of the innermost container, with the bytes that say so.
    pub(crate) fn close(&mut self, range: Range<usize>, type_name: fmt::Arguments<'_>) {
        let Some(frame) = self.frames.last() else { return };
        self.path.truncate(frame.path_length);
        let in_key = frame.in_key;
        if !range.is_empty() {
            let frame = self.frames.pop();
            let role = if in_key { Role::Key } else { Role::Head };
            self.report(range.clone(), range.len(), role, type_name, None);
            self.frames.extend(frame);
        }
        self.leave();
    }
}
