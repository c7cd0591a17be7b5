//! How long the value is as JSON, counted as it is walked.

use manywire_shape::Value;

use super::{Kind, Trail};
use crate::measure;

/// Bytes of JSON so far.
#[derive(Default)]
pub(super) struct JsonSize {
    /// Whether the walker counts by itself: its format does not write a value in one piece.
    by_walker: bool,

    /// Without white space.
    pub(super) minified: usize,
    /// Colons and commas, behind each of which some writers put a space.
    pub(super) separators: usize,
}

impl JsonSize {
    pub(super) fn add(&mut self, bytes: usize) {
        self.minified += bytes;
    }

    pub(super) fn separate(&mut self) {
        self.minified += 1;
        self.separators += 1;
    }
}

impl Trail<'_> {
    pub(super) fn weigh_value(&mut self, value: Value<'_>) {
        match self.frames.last() {
            Some(frame) if frame.kind.is_chunks() => {
                if let (true, Value::Str(text)) = (frame.in_key, value) {
                    self.chunked_key.push_str(text);
                }
                self.add_json(measure::json_content(value));
            }
            _ => {
                self.begin_item();
                self.add_json(measure::json(value));
            }
        }
    }

    /// Counts the comma in front of every item but the first.
    pub(super) fn begin_item(&mut self) {
        let Some(frame) = self.frames.last() else { return };
        if frame.kind.is_chunks() {
            return;
        }
        let first_of_entry = frame.kind == Kind::Array || frame.at_key;
        if first_of_entry {
            self.summary.entries += 1;
            if frame.entry > 0 {
                self.separate_json();
            }
        }
    }

    /// Keys that JSON has no place for are not counted.
    pub(super) fn add_json(&mut self, bytes: usize) {
        if self.is_counted() {
            self.json.add(bytes);
        }
    }

    pub(super) fn separate_json(&mut self) {
        if self.is_counted() {
            self.json.separate();
        }
    }

    /// From now on only what is told counts.
    pub(crate) fn count_json_apart(&mut self) {
        self.json.by_walker = true;
    }

    /// Counts so many bytes of JSON.
    pub(crate) fn tell_json(&mut self, bytes: usize) {
        if self.json.minified < usize::MAX {
            self.json.add(bytes);
        }
    }

    /// Counts a comma or a colon.
    pub(crate) fn tell_json_separator(&mut self) {
        if self.json.minified < usize::MAX {
            self.json.separate();
        }
    }

    pub(super) fn is_counted(&self) -> bool {
        let known = self.json.minified < usize::MAX && !self.json.by_walker;
        known && self.frames.last().is_none_or(|frame| !frame.in_key)
    }
}
