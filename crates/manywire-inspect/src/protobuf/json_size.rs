//! How long a message of known type is as JSON: its fields by name, those that are there.
//!
//! A field may come again anywhere, so the bytes are counted by field rather than in order: its
//! name once, its items wherever they stand.

use manywire_shape::Value;
use manywire_shape::proto::{Field, Form};

use super::Walker;
use crate::{Role, measure};

/// Where a field stands among those of its name.
#[derive(Clone, Copy)]
pub(super) struct Occurrence<'k> {
    /// How many items came before.
    pub(super) count: u64,
    /// Whether the field has not been there yet, not even without items.
    pub(super) first: bool,
    /// Whether there may be more than one.
    pub(super) list: bool,
    /// Whether its items count by themselves.
    pub(super) packed: bool,
    /// The key, if it is an entry of a map.
    pub(super) key: Option<Value<'k>>,
}

impl Walker<'_, '_, '_> {
    /// Counts what stands in front of the value of a field: the name the first time, commas.
    pub(super) fn count_field(&mut self, field: &Field, occurrence: Occurrence<'_>) {
        let Occurrence { count, first, list, packed, key } = occurrence;
        let Some(level) = self.levels.last() else { return };
        if level.in_entry {
            // The key has been counted with the entry, by looking ahead.
            return;
        }
        if first {
            if level.counts.len() > 1 {
                self.trail.tell_json_separator();
            }
            self.trail.tell_json(measure::json_key(Value::Str(&field.name)));
            self.trail.tell_json_separator();
            self.trail.tell_json(if list { 2 } else { 0 });
        } else if !list {
            // The last one counts, or they are merged.
            self.trail.forget_json();
        }
        if list && !packed && count > 0 {
            self.trail.tell_json_separator();
        }
        if let Some(key) = key {
            self.trail.tell_json(measure::json_key(key));
            self.trail.tell_json_separator();
        }
    }

    /// Counts the braces of a message; one that stands for something else is not counted as one.
    pub(super) fn count_message(&mut self, message: usize) {
        let form = self.schema.and_then(|schema| schema.messages.get(message));
        match form.map(|message| &message.form) {
            Some(Form::Record { .. }) => self.trail.tell_json(2),
            Some(Form::Entry { native: true }) => {}
            _ => self.trail.forget_json(),
        }
    }

    /// Counts a scalar, unless it is the key of an entry, which has been counted.
    pub(super) fn count_scalar(&mut self, value: Value<'_>, role: Role) {
        if role != Role::Key {
            self.trail.tell_json(measure::json(value));
        }
    }
}
