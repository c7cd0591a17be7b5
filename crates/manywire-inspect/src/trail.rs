//! Where a walk is: the open containers, the path, and the totals. All walkers report through it.

use std::collections::HashSet;
use std::fmt::{self, Write};
use std::hash::RandomState;
use std::ops::Range;

use manywire_shape::Value;

use crate::{Event, Fault, Options, Remark, Role, Span, Summary, measure};

/// The walk cannot go on. The fault has been reported.
#[derive(Debug)]
pub(crate) struct Stop;

pub(crate) type Walked<T = ()> = Result<T, Stop>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Array,
    Map,
    /// Text that comes in chunks.
    TextChunks,
    /// Bytes that come in chunks.
    ByteChunks,
}

impl Kind {
    pub(crate) fn is_chunks(self) -> bool {
        matches!(self, Kind::TextChunks | Kind::ByteChunks)
    }
}

/// An open container.
pub(crate) struct Frame {
    pub(crate) kind: Kind,
    /// Entries or items still to come, where the container says how many it has.
    left: Option<u64>,
    pub(crate) entry: u64,
    /// Whether the next thing is a key.
    pub(crate) at_key: bool,
    /// Whether all of this stands in a key.
    in_key: bool,
    /// How much of the path is the container's own.
    path_length: usize,
    /// Where the container ends, for formats that say so in bytes.
    pub(crate) end: usize,
    /// What else a walker must know of it.
    pub(crate) mark: u64,
    keys: HashSet<u64>,
}

/// What a walker knows of a container when it opens one.
#[derive(Clone, Copy)]
pub(crate) struct Opening {
    pub(crate) kind: Kind,
    pub(crate) left: Option<u64>,
    pub(crate) end: usize,
    pub(crate) mark: u64,
}

impl Opening {
    pub(crate) fn of(kind: Kind, left: Option<u64>) -> Self {
        Opening { kind, left, end: 0, mark: 0 }
    }

    pub(crate) fn until(kind: Kind, end: usize) -> Self {
        Opening { kind, left: None, end, mark: 0 }
    }
}

pub(crate) struct Trail<'s> {
    input_length: usize,
    options: Options,
    sink: &'s mut dyn FnMut(Event<'_>),
    frames: Vec<Frame>,
    path: String,
    /// The text of a key that comes in chunks, so far.
    chunked_key: String,
    /// Everything before this has been reported.
    covered: usize,
    minified_json: usize,
    summary: Summary,
    hasher: RandomState,
}

impl<'s> Trail<'s> {
    pub(crate) fn new(
        bytes: &[u8],
        options: Options,
        sink: &'s mut dyn FnMut(Event<'_>),
    ) -> Trail<'s> {
        Trail {
            input_length: bytes.len(),
            options,
            sink,
            frames: Vec::new(),
            path: String::from("$"),
            chunked_key: String::new(),
            covered: 0,
            minified_json: 0,
            summary: Summary::default(),
            hasher: RandomState::new(),
        }
    }

    /// The innermost open container.
    pub(crate) fn top(&self) -> Option<&Frame> {
        self.frames.last()
    }

    /// A key, a value, or a chunk of one; `head` of its bytes say kind and length.
    pub(crate) fn scalar(
        &mut self,
        range: Range<usize>,
        head: usize,
        role: Role,
        type_name: fmt::Arguments<'_>,
        value: Value<'_>,
    ) {
        if self.frames.last().is_some_and(|frame| frame.kind == Kind::Map && frame.at_key) {
            self.name_key(range.start, value);
        } else {
            self.place();
            self.weigh_value(value);
        }
        let role = if self.in_key() { Role::Key } else { role };
        self.report(range, head, role, type_name, Some(value));
        self.finished();
    }

    /// Something said of the value that follows.
    pub(crate) fn head(
        &mut self,
        range: Range<usize>,
        type_name: fmt::Arguments<'_>,
        value: Option<Value<'_>>,
    ) {
        self.place();
        let role = if self.in_key() { Role::Key } else { Role::Head };
        self.report(range.clone(), range.len(), role, type_name, value);
    }

    /// What stands between tokens; nothing, if the range is empty.
    pub(crate) fn separator(&mut self, range: Range<usize>, type_name: &'static str) {
        if !range.is_empty() {
            let length = range.len();
            self.report(range, length, Role::Separator, format_args!("{type_name}"), None);
        }
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
        if self.frames.len() >= self.options.depth_max {
            let limit = self.options.depth_max;
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

    /// Says what is wrong. Whoever cannot go on returns what this returns.
    #[cold]
    pub(crate) fn fault(&mut self, offset: usize, expected: fmt::Arguments<'_>) -> Stop {
        self.locate();
        self.summary.faults += 1;
        (self.sink)(Event::Fault(&Fault { offset, path: &self.path, expected }));
        Stop
    }

    /// Says what is unwise about the token that is about to be reported.
    #[cold]
    pub(crate) fn remark(&mut self, offset: usize, message: fmt::Arguments<'_>) {
        self.locate();
        self.summary.remarks += 1;
        (self.sink)(Event::Remark(&Remark { offset, path: &self.path, message }));
    }

    /// Reports what is left, and the totals. `whole` says that the walk met the end of its value.
    pub(crate) fn finish(mut self, whole: bool) -> Summary {
        let rest = self.covered..self.input_length;
        if whole && !rest.is_empty() {
            self.path.truncate(1);
            self.fault(rest.start, format_args!("the end: one value is all there is"));
        }
        if !rest.is_empty() {
            self.report(rest, 0, Role::Unread, format_args!("unread"), None);
        }
        self.summary.minified_json = Some(self.minified_json);
        self.summary
    }

    fn report(
        &mut self,
        range: Range<usize>,
        head: usize,
        role: Role,
        type_name: fmt::Arguments<'_>,
        value: Option<Value<'_>>,
    ) {
        debug_assert_eq!(range.start, self.covered, "spans stand in order, without gaps");
        self.covered = range.end;
        match role {
            Role::Key => self.summary.keys += range.len(),
            Role::Unread => self.summary.unread += range.len(),
            _ => {
                self.summary.heads += head;
                self.summary.values += range.len() - head;
            }
        }
        let entry = self.frames.last().map_or(0, |frame| frame.entry);
        let (depth, path) = (self.frames.len(), self.path.as_str());
        (self.sink)(Event::Span(&Span { range, head, role, depth, entry, path, type_name, value }));
    }

    fn in_key(&self) -> bool {
        self.frames
            .last()
            .is_some_and(|frame| frame.in_key || (frame.kind == Kind::Map && frame.at_key))
    }

    /// Makes the path that of the next item. The one of a map's value is that of its key.
    fn place(&mut self) {
        let Some(frame) = self.frames.last() else { return };
        match frame.kind {
            Kind::Array => {
                self.path.truncate(frame.path_length);
                push_index(&mut self.path, frame.entry);
            }
            Kind::Map if frame.at_key => {
                self.path.truncate(frame.path_length);
                // A key that is no scalar has no text that a path could hold.
                let _ = write!(self.path, "[key {}]", frame.entry);
            }
            Kind::Map | Kind::TextChunks | Kind::ByteChunks => {}
        }
    }

    /// Makes the path that of the place where the walk is: for a key, that of its map.
    fn locate(&mut self) {
        match self.frames.last() {
            Some(frame) if frame.kind == Kind::Map && frame.at_key => {
                self.path.truncate(frame.path_length);
            }
            _ => self.place(),
        }
    }

    /// Makes a scalar key the last step of the path.
    fn name_key(&mut self, offset: usize, key: Value<'_>) {
        self.begin_item();
        self.add_json(measure::json_key(key) + 1);
        let Some(frame) = self.frames.last_mut() else { return };
        self.path.truncate(frame.path_length);
        push_key(&mut self.path, key);
        let twice =
            self.options.duplicate_keys && !frame.keys.insert(measure::hash(&self.hasher, key));
        if twice {
            self.summary.remarks += 1;
            let message = format_args!("this key stands in its map already");
            (self.sink)(Event::Remark(&Remark { offset, path: &self.path, message }));
        }
    }

    fn weigh_value(&mut self, value: Value<'_>) {
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
    fn begin_item(&mut self) {
        let Some(frame) = self.frames.last() else { return };
        if frame.kind.is_chunks() {
            return;
        }
        let first_of_entry = frame.kind == Kind::Array || frame.at_key;
        if first_of_entry {
            self.summary.entries += 1;
            if frame.entry > 0 {
                self.add_json(1);
            }
        }
    }

    /// Keys that JSON has no place for are not counted.
    fn add_json(&mut self, bytes: usize) {
        if self.frames.last().is_none_or(|frame| !frame.in_key) {
            self.minified_json += bytes;
        }
    }

    fn push(&mut self, opening: Opening, in_key: bool) {
        let Opening { kind, left, end, mark } = opening;
        self.chunked_key.clear();
        self.frames.push(Frame {
            kind,
            left,
            entry: 0,
            at_key: kind == Kind::Map,
            in_key,
            path_length: self.path.len(),
            end,
            mark,
            keys: HashSet::new(),
        });
    }

    /// Closes the innermost container, and what ends with it.
    fn leave(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        self.path.truncate(frame.path_length);
        let is_key =
            self.frames.last().is_some_and(|outer| outer.kind == Kind::Map && outer.at_key);
        if frame.kind == Kind::TextChunks && is_key {
            let key = std::mem::take(&mut self.chunked_key);
            self.name_key(self.covered, Value::Str(&key));
        }
        self.finished();
    }

    /// A key or a value has been reported whole; so have the containers that it was the last of.
    fn finished(&mut self) {
        while let Some(frame) = self.frames.last_mut() {
            let was_key = frame.kind == Kind::Map && frame.at_key;
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

/// Adds the step to an item.
fn push_index(path: &mut String, index: u64) {
    // Writing to a string does not fail.
    let _ = write!(path, "[{index}]");
}

/// Adds the step to the value under a key: `.name`, or `["any text"]`.
fn push_key(path: &mut String, key: Value<'_>) {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '$');
    match key {
        Value::Str(text) if !text.is_empty() && text.chars().all(plain) => {
            path.push('.');
            path.push_str(text);
        }
        Value::Str(text) => {
            let _ = write!(path, "[{text:?}]");
        }
        other => {
            let text = measure::text(other);
            push_key(path, Value::Str(&text));
        }
    }
}
