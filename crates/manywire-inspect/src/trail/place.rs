//! Where the next token belongs.

use manywire_shape::Value;

use super::{Frame, Kind, Opening, Trail, path};
use crate::measure;

impl Trail<'_> {
    pub(super) fn in_key(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.in_key || frame.awaits_key())
    }

    /// Makes the path that of the next item. The one of a map's value is that of its key.
    pub(super) fn place(&mut self) {
        let Some(frame) = self.frames.last() else { return };
        match frame.kind {
            Kind::Array => {
                self.path.truncate(frame.path_length);
                path::push_index(&mut self.path, frame.entry);
            }
            Kind::Map if frame.at_key => {
                self.path.truncate(frame.path_length);
                path::push_key_of_entry(&mut self.path, frame.entry);
            }
            Kind::Map | Kind::TextChunks | Kind::ByteChunks => {}
        }
    }

    /// Makes the path that of the place where the walk is: for a key, that of its map.
    pub(super) fn locate(&mut self) {
        match self.frames.last() {
            Some(frame) if frame.awaits_key() => self.path.truncate(frame.path_length),
            _ => self.place(),
        }
    }

    /// Makes a scalar key the last step of the path.
    pub(super) fn name_key(&mut self, offset: usize, key: Value<'_>) {
        self.begin_item();
        self.add_json(measure::json_key(key));
        self.separate_json();
        self.step_to(key);
        let Some(frame) = self.frames.last_mut() else { return };
        self.summary.numbered_keys += match frame.entry {
            entry if entry < self.numbered_in_a_byte => 1,
            0..0x100 => 2,
            0x100..0x1_0000 => 3,
            _ => 5,
        };
        if self.duplicate_keys && !frame.keys.insert(measure::hash(&self.hasher, key)) {
            self.report_remark(offset, format_args!("this key stands in its map already"));
        }
    }

    /// Makes the path that of the value under a key of the innermost container.
    pub(super) fn step_to(&mut self, key: Value<'_>) {
        let Some(frame) = self.frames.last() else { return };
        self.path.truncate(frame.path_length);
        if !frame.nameless {
            path::push_key(&mut self.path, key);
        }
    }

    pub(super) fn push(&mut self, opening: Opening, in_key: bool) {
        self.chunked_key.clear();
        self.frames.push(Frame::new(opening, in_key, self.path.len()));
    }

    /// Closes the innermost container, and what ends with it.
    pub(super) fn leave(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        self.path.truncate(frame.path_length);
        if frame.kind == Kind::TextChunks && self.frames.last().is_some_and(Frame::awaits_key) {
            let key = std::mem::take(&mut self.chunked_key);
            self.name_key(self.opened_at, Value::Str(&key));
        }
        self.finished();
    }

    /// A key or a value has been reported whole; so have the containers that it was the last of.
    pub(super) fn finished(&mut self) {
        while let Some(frame) = self.frames.last_mut() {
            let was_key = frame.awaits_key();
            frame.at_key = frame.kind == Kind::Map && !frame.at_key;
            if was_key {
                return;
            }
            frame.entry += 1;
            frame.left = frame.left.map(|left| left.saturating_sub(1));
            if frame.left != Some(0) {
                return;
            }
            self.path.truncate(frame.path_length);
            self.frames.pop();
        }
    }
}
