//! Where a walk is: the open containers, the path, and the totals. All walkers report through it.

mod frame;
mod json_size;
mod path;
mod place;
mod tokens;

use std::fmt;
use std::hash::RandomState;
use std::ops::Range;

use manywire_format::Format;
use manywire_shape::Value;

pub(crate) use frame::{Frame, Kind, Opening};
pub(crate) use path::Part;
pub(crate) use tokens::Step;

use crate::{Event, Fault, Options, Remark, Role, Span, Summary};

use json_size::JsonSize;

/// The walk cannot go on. The fault has been reported.
#[derive(Debug)]
pub(crate) struct Stop;

pub(crate) type Walked<T = ()> = Result<T, Stop>;

/// Where the bytes of a walk come from.
#[derive(Clone, Copy, Default)]
pub(crate) struct Origin {
    /// Where they begin in the input.
    pub(crate) base: usize,
    /// Where the bytes begin that they were unpacked from, if they were packed.
    pub(crate) inside: Option<usize>,
    /// What of the input they are.
    pub(crate) part: Part,
}

pub(crate) struct Trail<'s> {
    bytes: &'s [u8],
    origin: Origin,
    /// How many keys fit a byte each, where they are numbers from 0.
    numbered_in_a_byte: u64,
    depth_max: usize,
    duplicate_keys: bool,
    sink: &'s mut dyn FnMut(Event<'_>),
    frames: Vec<Frame>,
    path: String,
    /// How much of the path stands for the whole value.
    root_length: usize,
    /// The text of a key that comes in chunks, so far.
    chunked_key: String,
    /// Where the container begins that was opened last: such a key is one.
    opened_at: usize,
    /// Everything before this has been reported.
    covered: usize,
    json: JsonSize,
    summary: Summary,
    hasher: RandomState,
    ends_early: bool,
    /// Whether there is nothing behind these bytes.
    last: bool,
    /// Whether the walk stopped because the bytes end, and more are to come.
    starved: bool,
    /// Faults and remarks reported since the last span, and how many of those that come next have
    /// been reported before: of a token that is walked again.
    told: usize,
    known: usize,
    /// Whether the next span is the key of a field that the schema does not have.
    unknown: bool,
}

/// A walk between two tokens, without the bytes.
pub(crate) struct Paused {
    frames: Vec<Frame>,
    path: String,
    chunked_key: String,
    json: JsonSize,
    summary: Summary,
    hasher: RandomState,
    told: usize,
}

impl Paused {
    /// Before the first token.
    pub(crate) fn new() -> Self {
        Paused {
            frames: Vec::new(),
            path: path::root(Part::Whole),
            chunked_key: String::new(),
            json: JsonSize::default(),
            summary: Summary::default(),
            hasher: RandomState::new(),
            told: 0,
        }
    }
}

/// How a walk ended.
pub(crate) struct Ended {
    /// The totals.
    pub(crate) summary: Summary,
    /// How many bytes were reported.
    pub(crate) covered: usize,
    /// Whether more bytes might mend a fault.
    pub(crate) ends_early: bool,
}

impl<'s> Trail<'s> {
    pub(crate) fn new(
        bytes: &'s [u8],
        origin: Origin,
        format: Format,
        options: Options<'_>,
        sink: &'s mut dyn FnMut(Event<'_>),
    ) -> Trail<'s> {
        let path = path::root(origin.part);
        Trail {
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
            starved: false,
            told: 0,
            known: 0,
            unknown: false,
        }
    }

    /// Goes on with a walk, `last` with all the bytes that are left.
    pub(crate) fn go_on(
        paused: Paused,
        bytes: &'s [u8],
        last: bool,
        origin: Origin,
        format: Format,
        options: Options<'_>,
        sink: &'s mut dyn FnMut(Event<'_>),
    ) -> Trail<'s> {
        let Paused { frames, path, chunked_key, json, summary, hasher, told } = paused;
        let trail = Trail::new(bytes, origin, format, options, sink);
        let known = told;
        Trail { frames, path, chunked_key, json, summary, hasher, last, told, known, ..trail }
    }

    /// The walk as it stands behind what was reported.
    pub(crate) fn pause(self) -> Paused {
        let Trail { frames, path, chunked_key, json, summary, hasher, told, .. } = self;
        Paused { frames, path, chunked_key, json, summary, hasher, told }
    }

    /// Whether the walk stopped for want of bytes that are to come: it can be paused.
    pub(crate) fn is_starved(&self) -> bool {
        self.starved
    }

    /// Whether the bytes are all that there is of the input from here on.
    pub(crate) fn has_all(&self) -> bool {
        self.last
    }

    /// Whether a fault or a remark is told now, and not for the second time.
    fn is_news(&mut self) -> bool {
        if self.known > 0 {
            self.known -= 1;
            return false;
        }
        self.told += 1;
        true
    }

    /// The innermost open container.
    pub(crate) fn top(&self) -> Option<&Frame> {
        self.frames.last()
    }

    /// How many containers are open.
    pub(crate) fn depth(&self) -> usize {
        self.frames.len()
    }

    /// How many bytes have been reported.
    pub(crate) fn covered(&self) -> usize {
        self.covered
    }

    /// Whether keys that stand twice are to be remarked on.
    pub(crate) fn compares_keys(&self) -> bool {
        self.duplicate_keys
    }

    /// Says what is wrong. Whoever cannot go on returns what this returns.
    #[cold]
    pub(crate) fn fault(&mut self, offset: usize, expected: fmt::Arguments<'_>) -> Stop {
        // What is wrong at the end is that there is no more.
        self.report_fault(offset, offset >= self.bytes.len(), expected)
    }

    /// Says that the bytes end where there should be more of them.
    #[cold]
    pub(crate) fn cut(&mut self, offset: usize, expected: fmt::Arguments<'_>) -> Stop {
        self.report_fault(offset, true, expected)
    }

    fn report_fault(
        &mut self,
        offset: usize,
        ends_early: bool,
        expected: fmt::Arguments<'_>,
    ) -> Stop {
        if ends_early && !self.last {
            self.starved = true;
        }
        if self.starved || !self.is_news() {
            return Stop;
        }
        self.locate();
        self.summary.faults += 1;
        self.ends_early |= ends_early;
        let Origin { base, inside, .. } = self.origin;
        let (offset, path) = (base + offset, self.path.as_str());
        (self.sink)(Event::Fault(&Fault { offset, inside, ends_early, path, expected }));
        Stop
    }

    /// Says what is unwise about the token that is about to be reported.
    #[cold]
    pub(crate) fn remark(&mut self, offset: usize, message: fmt::Arguments<'_>) {
        self.locate();
        self.report_remark(offset, message);
    }

    fn report_remark(&mut self, offset: usize, message: fmt::Arguments<'_>) {
        if !self.is_news() {
            return;
        }
        self.summary.remarks += 1;
        let Origin { base, inside, .. } = self.origin;
        let (offset, path) = (base + offset, self.path.as_str());
        (self.sink)(Event::Remark(&Remark { offset, inside, path, message }));
    }

    /// Says that nothing more can be told of how long the value is as JSON.
    pub(crate) fn forget_json(&mut self) {
        self.json.minified = usize::MAX;
    }

    /// Ends the walk of all the bytes. `whole` says that it met the end of its value.
    pub(crate) fn finish(mut self, whole: bool) -> Ended {
        let rest = self.covered..self.bytes.len();
        if whole && !rest.is_empty() {
            self.path.truncate(self.root_length);
            self.fault(rest.start, format_args!("the end: one value is all there is"));
        }
        if !rest.is_empty() {
            self.report(rest, 0, Role::Unread, format_args!("unread"), None);
        }
        self.end()
    }

    /// Ends the walk where it is.
    pub(crate) fn end(mut self) -> Ended {
        if self.json.minified < usize::MAX && self.summary.faults == 0 {
            self.summary.minified_json = Some(self.json.minified);
            self.summary.spaced_json = Some(self.json.minified + self.json.separators);
        }
        let Trail { summary, covered, ends_early, .. } = self;
        Ended { summary, covered, ends_early }
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
        (self.told, self.known) = (0, 0);
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

/// The numbers from 0 on that take one byte: a fixint of MessagePack, the head of CBOR's items.
fn numbered_in_a_byte(format: Format) -> u64 {
    if format == Format::Cbor { 24 } else { 128 }
}
