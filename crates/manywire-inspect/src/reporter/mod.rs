//! The reporter: it tracks the open containers, the path and the totals of a walk, and turns the
//! tokens of a walker into events.

mod frame;
mod path;

use std::fmt;
use std::hash::RandomState;
use std::ops::Range;

use manywire_format::Format;
use manywire_shape::Value;

pub(crate) use frame::{ContainerKind, Frame, Opening};
pub(crate) use path::InputPart;

use crate::{Event, Fault, Options, Remark, Role, Span, Summary, scalar};

/// The walk cannot continue. The fault has been reported.
#[derive(Debug)]
pub(crate) struct Stop;

/// The result of walking a part of a value.
pub(crate) type WalkResult<T = ()> = Result<T, Stop>;

/// The origin of the bytes of a walk.
#[derive(Clone, Copy, Default)]
pub(crate) struct Origin {
    /// The offset of the bytes in the input.
    pub(crate) base: usize,
    /// The offset of the packed bytes, if the bytes are unpacked.
    pub(crate) inside: Option<usize>,
    /// The part of the input that the bytes are.
    pub(crate) part: InputPart,
}

/// The state of a walk. Walkers report tokens to it, and it sends events to the sink.
pub(crate) struct Reporter<'s> {
    bytes: &'s [u8],
    origin: Origin,
    /// The number of integer keys, from 0, that take one byte each.
    numbered_in_a_byte: u64,
    depth_max: usize,
    duplicate_keys: bool,
    sink: &'s mut dyn FnMut(Event<'_>),
    frames: Vec<Frame>,
    path: String,
    /// The length of the path to the whole value.
    root_length: usize,
    /// The text so far of a key that comes in chunks.
    chunked_key: String,
    /// The offset of the container that was opened last, which may be a key in chunks.
    opened_at: usize,
    /// The number of bytes that have been reported.
    covered: usize,
    json: JsonSize,
    summary: Summary,
    hasher: RandomState,
    ends_early: bool,
    /// True if the input ends with these bytes.
    last: bool,
    /// True if the walk stopped at the end of the bytes and more bytes are to come.
    needs_more_bytes: bool,
    /// The number of faults and remarks that were reported since the last span. A token that is
    /// walked again repeats them; `repeated` is the number of repetitions that are still to come.
    reported: usize,
    repeated: usize,
    /// True if the next span is the key of a field that the schema does not have.
    unknown: bool,
}

/// The state of a walk between two tokens, without the bytes.
pub(crate) struct PausedWalk {
    frames: Vec<Frame>,
    path: String,
    chunked_key: String,
    json: JsonSize,
    summary: Summary,
    hasher: RandomState,
    reported: usize,
}

impl PausedWalk {
    /// Returns the state before the first token.
    pub(crate) fn new() -> Self {
        PausedWalk {
            frames: Vec::new(),
            path: path::root(InputPart::Whole),
            chunked_key: String::new(),
            json: JsonSize::default(),
            summary: Summary::default(),
            hasher: RandomState::new(),
            reported: 0,
        }
    }
}

/// The result of a walk.
pub(crate) struct WalkEnd {
    /// The totals of the walk.
    pub(crate) summary: Summary,
    /// The number of bytes that were reported.
    pub(crate) covered: usize,
    /// True if more bytes might resolve a fault.
    pub(crate) ends_early: bool,
}

impl<'s> Reporter<'s> {
    pub(crate) fn new(
        bytes: &'s [u8],
        origin: Origin,
        format: Format,
        options: Options<'_>,
        sink: &'s mut dyn FnMut(Event<'_>),
    ) -> Reporter<'s> {
        let path = path::root(origin.part);
        Reporter {
            bytes,
            origin,
            numbered_in_a_byte: numbered_in_a_byte(format),
            depth_max: options.depth_max,
            duplicate_keys: options.duplicate_keys,
            sink,
            frames: Vec::new(),
            root_length: path.len(),
            path,
            chunked_key: String::new(),
            opened_at: 0,
            covered: 0,
            json: JsonSize::default(),
            summary: Summary::default(),
            hasher: RandomState::new(),
            ends_early: false,
            last: true,
            needs_more_bytes: false,
            reported: 0,
            repeated: 0,
            unknown: false,
        }
    }

    /// Resumes a paused walk; `last` says that the input ends with `bytes`.
    pub(crate) fn resume(
        paused: PausedWalk,
        bytes: &'s [u8],
        last: bool,
        origin: Origin,
        format: Format,
        options: Options<'_>,
        sink: &'s mut dyn FnMut(Event<'_>),
    ) -> Reporter<'s> {
        let PausedWalk { frames, path, chunked_key, json, summary, hasher, reported } = paused;
        let reporter = Reporter::new(bytes, origin, format, options, sink);
        let repeated = reported;
        Reporter {
            frames,
            path,
            chunked_key,
            json,
            summary,
            hasher,
            last,
            reported,
            repeated,
            ..reporter
        }
    }

    /// Returns the state of the walk after the last span.
    pub(crate) fn pause(self) -> PausedWalk {
        let Reporter { frames, path, chunked_key, json, summary, hasher, reported, .. } = self;
        PausedWalk { frames, path, chunked_key, json, summary, hasher, reported }
    }

    /// Returns true if the walk stopped because it needs more bytes, and can be paused.
    pub(crate) fn needs_more_bytes(&self) -> bool {
        self.needs_more_bytes
    }

    /// Returns true for a fault or remark that has not been reported before.
    fn is_new(&mut self) -> bool {
        if self.repeated > 0 {
            self.repeated -= 1;
            return false;
        }
        self.reported += 1;
        true
    }

    /// Returns the innermost open container.
    pub(crate) fn top(&self) -> Option<&Frame> {
        self.frames.last()
    }

    /// Returns true if the innermost open container is of this kind.
    pub(crate) fn is_in(&self, kind: ContainerKind) -> bool {
        self.top().is_some_and(|frame| frame.kind == kind)
    }

    /// Returns the number of open containers.
    pub(crate) fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Returns the number of bytes that have been reported.
    pub(crate) fn covered(&self) -> usize {
        self.covered
    }

    /// Returns true if repeated keys get a remark.
    pub(crate) fn compares_keys(&self) -> bool {
        self.duplicate_keys
    }

    /// Reports a fault. A walker that cannot continue returns the result as its error.
    #[cold]
    pub(crate) fn fault(&mut self, offset: usize, expected: fmt::Arguments<'_>) -> Stop {
        // A fault at the end of the bytes means that bytes are missing.
        self.report_fault(offset, offset >= self.bytes.len(), expected)
    }

    /// Reports a fault because the bytes end too early.
    #[cold]
    pub(crate) fn truncated(&mut self, offset: usize, expected: fmt::Arguments<'_>) -> Stop {
        self.report_fault(offset, true, expected)
    }

    /// Returns the content at `offset` as text. Content that is not UTF-8 is a fault and stays bytes.
    /// Its length gives the position of the next token, so the fault affects only this content.
    pub(crate) fn text<'b>(&mut self, content: &'b [u8], offset: usize) -> Value<'b> {
        match std::str::from_utf8(content) {
            Ok(text) => Value::Str(text),
            Err(error) => {
                self.fault(offset + error.valid_up_to(), format_args!("UTF-8"));
                Value::Bytes(content)
            }
        }
    }

    /// Reports a container of `count` elements of at least `bytes_each` bytes if the bytes after `at`
    /// cannot hold them. The bytes that are there are walked nevertheless.
    pub(crate) fn check_count(&mut self, at: usize, count: u64, bytes_each: u64) {
        let left = self.bytes.len() - at;
        if count.saturating_mul(bytes_each) > left as u64 && self.last {
            let expected =
                format_args!("{count} elements, more than the {left} bytes left can hold");
            self.truncated(at, expected);
        }
    }

    fn report_fault(
        &mut self,
        offset: usize,
        ends_early: bool,
        expected: fmt::Arguments<'_>,
    ) -> Stop {
        if ends_early && !self.last {
            self.needs_more_bytes = true;
        }
        if self.needs_more_bytes || !self.is_new() {
            return Stop;
        }
        self.set_path();
        self.summary.faults += 1;
        self.ends_early |= ends_early;
        let Origin { base, inside, .. } = self.origin;
        let (offset, path) = (base + offset, self.path.as_str());
        (self.sink)(Event::Fault(&Fault { offset, inside, ends_early, path, expected }));
        Stop
    }

    /// Reports a remark about the next token.
    #[cold]
    pub(crate) fn remark(&mut self, offset: usize, message: fmt::Arguments<'_>) {
        self.set_path();
        self.report_remark(offset, message);
    }

    fn report_remark(&mut self, offset: usize, message: fmt::Arguments<'_>) {
        if !self.is_new() {
            return;
        }
        self.summary.remarks += 1;
        let Origin { base, inside, .. } = self.origin;
        let (offset, path) = (base + offset, self.path.as_str());
        (self.sink)(Event::Remark(&Remark { offset, inside, path, message }));
    }

    /// Marks the length as JSON as unknown.
    pub(crate) fn forget_json(&mut self) {
        self.json.minified = usize::MAX;
    }

    /// Ends a walk of all bytes; `whole` says that the value is complete. Bytes after the value are
    /// a fault.
    pub(crate) fn finish(mut self, whole: bool) -> WalkEnd {
        let rest = self.covered..self.bytes.len();
        if whole && !rest.is_empty() {
            self.path.truncate(self.root_length);
            self.fault(rest.start, format_args!("the end of the input after one value"));
        }
        if !rest.is_empty() {
            self.report(rest, 0, Role::Unread, format_args!("unread"), None);
        }
        self.end()
    }

    /// Ends the walk after the last span and returns its result.
    pub(crate) fn end(mut self) -> WalkEnd {
        if self.json.minified < usize::MAX && self.summary.faults == 0 {
            self.summary.minified_json = Some(self.json.minified);
            self.summary.spaced_json = Some(self.json.minified + self.json.separators);
        }
        let Reporter { summary, covered, ends_early, .. } = self;
        WalkEnd { summary, covered, ends_early }
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
        (self.reported, self.repeated) = (0, 0);
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
        let bytes = &self.bytes[range.clone()];
        let Origin { base, inside, .. } = self.origin;
        let range = base + range.start..base + range.end;
        let unknown = std::mem::take(&mut self.unknown);
        let span = Span {
            range,
            bytes,
            inside,
            head,
            role,
            depth,
            entry,
            path,
            unknown,
            type_name,
            value,
        };
        (self.sink)(Event::Span(&span));
    }
}

/// Returns the number of integers, from 0, that take one byte: a fixint of MessagePack, or a CBOR
/// head.
fn numbered_in_a_byte(format: Format) -> u64 {
    if format == Format::Cbor { 24 } else { 128 }
}

/// The step of a path after the name of a field.
#[derive(Clone, Copy)]
pub(crate) enum PathStep<'k> {
    /// The index of an item of a repeated field.
    Item(u64),
    /// The key of an entry of a map field.
    Key(Value<'k>),
}

impl Reporter<'_> {
    /// Reports a key, a value, or a chunk of one. The first `head` bytes give kind and length.
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
            self.set_item_path();
            self.count_value_json(value);
        }
        let role = if self.in_key() { Role::Key } else { role };
        self.report(range, head, role, type_name, Some(value));
        self.complete_item();
    }

    /// Adds the key of the next value, a key that no bytes represent.
    pub(crate) fn implicit_key(&mut self, key: &str) {
        self.name_key(self.covered, Value::Str(key));
        self.complete_item();
    }

    /// Reports the tag of a field. For a repeated field or a map, `step` names the item.
    pub(crate) fn field_key(
        &mut self,
        range: Range<usize>,
        type_name: fmt::Arguments<'_>,
        key: Value<'_>,
        step: Option<PathStep<'_>>,
    ) {
        self.begin_item();
        self.step_to(key);
        match step {
            Some(PathStep::Item(index)) => path::push_index(&mut self.path, index),
            Some(PathStep::Key(key)) => path::push_key(&mut self.path, key),
            None => {}
        }
        self.report(range, 0, Role::Key, type_name, Some(key));
        self.complete_item();
    }

    /// Reports the tag of a field that the schema does not have, by its number.
    pub(crate) fn unknown_key(
        &mut self,
        range: Range<usize>,
        type_name: fmt::Arguments<'_>,
        number: u64,
    ) {
        self.unknown = true;
        self.field_key(range, type_name, Value::from(number), None);
    }

    /// Reports bytes that describe the next value or the open container.
    pub(crate) fn head(
        &mut self,
        range: Range<usize>,
        role: Role,
        type_name: fmt::Arguments<'_>,
        value: Option<Value<'_>>,
    ) {
        self.set_item_path();
        let role = if self.in_key() { Role::Key } else { role };
        self.report(range.clone(), range.len(), role, type_name, value);
    }

    /// Reports the head of another block of the open container.
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

    /// Reports the bytes between tokens; does nothing for an empty range.
    pub(crate) fn separator(&mut self, range: Range<usize>, type_name: &'static str) {
        if !range.is_empty() {
            let length = range.len();
            self.report(range, length, Role::Separator, format_args!("{type_name}"), None);
        }
    }

    /// Reports bytes that belong to no value, such as the framing of a stream.
    pub(crate) fn outside_value(
        &mut self,
        range: Range<usize>,
        role: Role,
        name: fmt::Arguments<'_>,
    ) {
        let head = if matches!(role, Role::Head | Role::Length) { range.len() } else { 0 };
        self.report(range, head, role, name, None);
    }

    /// Reports the start of a container. A container with a count of zero ends at once.
    pub(crate) fn open(
        &mut self,
        range: Range<usize>,
        role: Role,
        type_name: fmt::Arguments<'_>,
        opening: Opening,
    ) -> WalkResult {
        self.set_item_path();
        if self.frames.len() >= self.depth_max {
            let limit = self.depth_max;
            return Err(self.fault(range.start, format_args!("at most {limit} nested containers")));
        }
        let in_key = self.in_key();
        let role = if in_key { Role::Key } else { role };
        // A key in chunks counts once, when it is complete.
        let is_key = self.frames.last().is_some_and(|frame| frame.at_key);
        if !(is_key && opening.kind.is_chunks()) {
            self.begin_item();
            self.add_json(2);
        }
        self.report(range.clone(), range.len(), role, type_name, None);
        self.opened_at = range.start;
        self.push(opening, in_key);
        if opening.left == Some(0) {
            self.close_innermost();
        }
        Ok(())
    }

    /// Opens a container that no bytes represent: the message that is the whole input.
    pub(crate) fn open_root(&mut self, opening: Opening) {
        self.push(opening, false);
    }

    /// Reports the end of the innermost container; the range may be empty.
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
        self.close_innermost();
    }
}

impl Reporter<'_> {
    fn in_key(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.in_key || frame.awaits_key())
    }

    /// Sets the path to the next item. The path of a map's value is set by its key.
    fn set_item_path(&mut self) {
        let Some(frame) = self.frames.last() else { return };
        match frame.kind {
            ContainerKind::Array => {
                self.path.truncate(frame.path_length);
                path::push_index(&mut self.path, frame.entry);
            }
            ContainerKind::Map if frame.at_key => {
                self.path.truncate(frame.path_length);
                path::push_key_of_entry(&mut self.path, frame.entry);
            }
            ContainerKind::Map | ContainerKind::TextChunks | ContainerKind::ByteChunks => {}
        }
    }

    /// Sets the path to the current position; for a key, to its map.
    fn set_path(&mut self) {
        match self.frames.last() {
            Some(frame) if frame.awaits_key() => self.path.truncate(frame.path_length),
            _ => self.set_item_path(),
        }
    }

    /// Makes a scalar key the last step of the path.
    fn name_key(&mut self, offset: usize, key: Value<'_>) {
        self.begin_item();
        self.add_json(scalar::json_key(key));
        self.separate_json();
        self.step_to(key);
        let Some(frame) = self.frames.last_mut() else { return };
        self.summary.numbered_keys += match frame.entry {
            entry if entry < self.numbered_in_a_byte => 1,
            0..0x100 => 2,
            0x100..0x1_0000 => 3,
            _ => 5,
        };
        if self.duplicate_keys && !frame.keys.insert(scalar::hash(&self.hasher, key)) {
            self.report_remark(offset, format_args!("this key is repeated in its map"));
        }
    }

    /// Sets the path to the value under a key of the innermost container.
    fn step_to(&mut self, key: Value<'_>) {
        let Some(frame) = self.frames.last() else { return };
        self.path.truncate(frame.path_length);
        if !frame.nameless {
            path::push_key(&mut self.path, key);
        }
    }

    fn push(&mut self, opening: Opening, in_key: bool) {
        self.chunked_key.clear();
        self.frames.push(Frame::new(opening, in_key, self.path.len()));
    }

    /// Closes the innermost container and all containers that end with it.
    fn close_innermost(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        self.path.truncate(frame.path_length);
        if frame.kind == ContainerKind::TextChunks
            && self.frames.last().is_some_and(Frame::awaits_key)
        {
            let key = std::mem::take(&mut self.chunked_key);
            self.name_key(self.opened_at, Value::Str(&key));
        }
        self.complete_item();
    }

    /// Counts a complete key or value, and closes the containers that it completes.
    fn complete_item(&mut self) {
        while let Some(frame) = self.frames.last_mut() {
            let was_key = frame.awaits_key();
            frame.at_key = frame.kind == ContainerKind::Map && !frame.at_key;
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

/// The number of bytes of JSON so far.
#[derive(Default)]
struct JsonSize {
    /// True if the walker counts the bytes itself, because its format can split a value into
    /// several pieces.
    by_walker: bool,

    /// Bytes without white space.
    minified: usize,
    /// Colons and commas; some writers put a space after each.
    separators: usize,
}

impl JsonSize {
    fn add(&mut self, bytes: usize) {
        self.minified += bytes;
    }

    fn separate(&mut self) {
        self.minified += 1;
        self.separators += 1;
    }
}

impl Reporter<'_> {
    fn count_value_json(&mut self, value: Value<'_>) {
        match self.frames.last() {
            Some(frame) if frame.kind.is_chunks() => {
                if let (true, Value::Str(text)) = (frame.in_key, value) {
                    self.chunked_key.push_str(text);
                }
                self.add_json(scalar::json_content(value));
            }
            _ => {
                self.begin_item();
                self.add_json(scalar::json(value));
            }
        }
    }

    /// Counts the comma in front of every item but the first.
    fn begin_item(&mut self) {
        let Some(frame) = self.frames.last() else { return };
        if frame.kind.is_chunks() {
            return;
        }
        let first_of_entry = frame.kind == ContainerKind::Array || frame.at_key;
        if first_of_entry {
            self.summary.entries += 1;
            if frame.entry > 0 {
                self.separate_json();
            }
        }
    }

    /// Adds bytes, except inside keys that JSON cannot represent.
    fn add_json(&mut self, bytes: usize) {
        if self.is_counted() {
            self.json.add(bytes);
        }
    }

    fn separate_json(&mut self) {
        if self.is_counted() {
            self.json.separate();
        }
    }

    /// Makes the walker count the bytes of JSON itself.
    pub(crate) fn count_json_in_walker(&mut self) {
        self.json.by_walker = true;
    }

    /// Adds bytes of JSON that the walker counted.
    pub(crate) fn add_walker_json(&mut self, bytes: usize) {
        if self.json.minified < usize::MAX {
            self.json.add(bytes);
        }
    }

    /// Adds a comma or a colon that the walker counted.
    pub(crate) fn add_walker_json_separator(&mut self) {
        if self.json.minified < usize::MAX {
            self.json.separate();
        }
    }

    fn is_counted(&self) -> bool {
        let counted = self.json.minified < usize::MAX && !self.json.by_walker;
        counted && self.frames.last().is_none_or(|frame| !frame.in_key)
    }
}
