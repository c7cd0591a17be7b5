//! The entry points: one value in memory, and inputs of any length with all framings.
//!
//! A stream is walked value by value. Memory holds one value and what was read after it.

use std::io::{self, Read};
use std::ops::ControlFlow;

use manywire_format::{Form, Format, Framing};

use crate::protobuf::{VarintError, varint};
use crate::reporter::{InputPart, Origin, PausedWalk, Reporter, WalkEnd, WalkResult};
use crate::window::Window;
use crate::{Event, Options, Role, Schema, Summary, avro, bson, cbor, json, msgpack, protobuf};

/// Walks the bytes of one value and reports every byte to `sink`.
///
/// An Avro container file holds many values and is walked as by [`walk_from`].
pub fn walk(
    format: Format,
    bytes: &[u8],
    options: Options<'_>,
    sink: &mut impl FnMut(Event<'_>),
) -> Summary {
    if format == Format::Avro && bytes.starts_with(avro::MAGIC) {
        let form = Form { format, framing: Framing::Container };
        // Reading from memory does not fail.
        return walk_from(&mut &bytes[..], form, options, sink).unwrap_or_default();
    }
    run(format, bytes, Origin::default(), options, sink)
}

/// Walks all bytes as one value.
fn run(
    format: Format,
    bytes: &[u8],
    origin: Origin,
    options: Options<'_>,
    sink: &mut dyn FnMut(Event<'_>),
) -> Summary {
    let (reporter, walked) = walk_one(format, bytes, origin, options, sink);
    Summary { value_count: 1, ..reporter.finish(walked.is_ok()).summary }
}

/// Walks the value at the start of the bytes.
fn walk_one<'s>(
    format: Format,
    bytes: &'s [u8],
    origin: Origin,
    options: Options<'_>,
    sink: &'s mut dyn FnMut(Event<'_>),
) -> (Reporter<'s>, WalkResult) {
    let mut reporter = Reporter::new(bytes, origin, format, options, sink);
    let walked = match (format, options.schema) {
        (Format::Json, _) => json::walk(bytes, &mut reporter),
        (Format::MsgPack | Format::MsgPackArray, _) => msgpack::walk(bytes, &mut reporter),
        (Format::Cbor, _) => cbor::walk(bytes, &mut reporter),
        (Format::Bson, _) => bson::walk(bytes, &mut reporter),
        (Format::Protobuf, Some(Schema::Protobuf(schema))) => {
            protobuf::walk(bytes, Some(schema), &mut reporter)
        }
        (Format::Protobuf, _) => protobuf::walk(bytes, None, &mut reporter),
        (Format::Avro, schema) => {
            let schema = match schema {
                Some(Schema::Avro(schema)) => Some(schema),
                _ => None,
            };
            avro::walk(bytes, schema, options, &mut reporter)
        }
    };
    (reporter, walked)
}

/// Walks an input of any length and reports every byte to `sink`.
///
/// The longest value of a stream, or the longest block of a container file, bounds the memory. For
/// an input that is [one value](Framing::Single) in JSON, MessagePack or CBOR the walk keeps the
/// longest token and the open containers. A BSON document, a Protocol Buffers message and an Avro
/// datum are in memory whole.
///
/// # Errors
///
/// Returns the errors of `input`, and no others.
pub fn walk_from(
    input: &mut dyn Read,
    form: Form,
    options: Options<'_>,
    sink: &mut dyn FnMut(Event<'_>),
) -> io::Result<Summary> {
    let mut window = Window::new(input, options.read_size);
    if form.framing == Framing::Single {
        let can_pause = can_pause(form.format);
        let enough = |buffered: usize| can_pause && buffered > options.buffer_max;
        while !(window.is_last() || enough(window.bytes().len())) {
            window.read_more()?;
        }
        if !window.is_last() {
            return walk_paused(form.format, &mut window, options, sink);
        }
        let bytes = window.bytes();
        let (reporter, walked) =
            walk_one(form.format, bytes, Origin::default(), options, &mut *sink);
        let single = SingleEnd::of(reporter, &walked, bytes, form.format, options);
        return single.walk_rest(form.format, &mut window, options, sink);
    }
    let summary = if form.framing == Framing::Container {
        avro::Container::new(options).walk(&mut window, sink)?
    } else {
        StreamWalk::new(form, options).walk(&mut window, sink)?
    };
    report_rest(summary, form.format, &mut window, options, sink)
}

/// The end of the walk of a single value.
struct SingleEnd {
    summary: Summary,
    /// The number of bytes that were walked.
    length: usize,
    /// True if further values follow.
    is_followed: bool,
}

impl SingleEnd {
    /// Ends the walk of `bytes`. Bytes after the value are a fault, unless they are further values.
    fn of(
        reporter: Reporter<'_>,
        walked: &WalkResult,
        bytes: &[u8],
        format: Format,
        options: Options<'_>,
    ) -> SingleEnd {
        let covered = reporter.covered();
        let is_joined = format == Format::Json && joins_next(bytes, covered);
        let is_followed =
            options.further_values && walked.is_ok() && covered < bytes.len() && !is_joined;
        let (ended, length) = match is_followed {
            true => (reporter.end(), covered),
            false => (reporter.finish(walked.is_ok()), bytes.len()),
        };
        SingleEnd { summary: Summary { value_count: 1, ..ended.summary }, length, is_followed }
    }

    /// Walks the rest of the input.
    fn walk_rest(
        self,
        format: Format,
        window: &mut Window<'_>,
        options: Options<'_>,
        sink: &mut dyn FnMut(Event<'_>),
    ) -> io::Result<Summary> {
        let SingleEnd { mut summary, length, is_followed } = self;
        window.advance(length);
        if is_followed {
            let form = Form { format, framing: Framing::Sequence };
            summary = StreamWalk { form, options, summary }.walk(window, sink)?;
        }
        report_rest(summary, format, window, options, sink)
    }
}

/// Reports the unread rest of the input, one buffer at a time.
fn report_rest(
    mut summary: Summary,
    format: Format,
    window: &mut Window<'_>,
    options: Options<'_>,
    sink: &mut dyn FnMut(Event<'_>),
) -> io::Result<Summary> {
    loop {
        let length = window.bytes().len();
        if length > 0 {
            let origin = Origin { base: window.offset(), ..Origin::default() };
            let mut reporter = Reporter::new(window.bytes(), origin, format, options, &mut *sink);
            reporter.outside_value(0..length, Role::Unread, format_args!("unread"));
            summary.add(&reporter.end().summary);
            window.advance(length);
        }
        if window.is_last() || !window.read_more()? {
            return Ok(summary);
        }
    }
}

impl Origin {
    /// Returns the origin of bytes at the start of the window.
    pub(crate) fn at(window: &Window<'_>, part: InputPart) -> Self {
        Origin { base: window.offset(), inside: None, part }
    }
}

/// The walk of a stream, value by value.
struct StreamWalk<'o> {
    form: Form,
    options: Options<'o>,
    summary: Summary,
}

/// The next step after a value of a stream.
enum Progress {
    Continue,
    Stop,
}

type Sink<'s> = &'s mut dyn FnMut(Event<'_>);

impl<'o> StreamWalk<'o> {
    fn new(form: Form, options: Options<'o>) -> Self {
        StreamWalk { form, options, summary: Summary::EMPTY }
    }

    /// Walks to the end of the input, or to a fault after which the values have no boundaries.
    fn walk(mut self, window: &mut Window<'_>, sink: Sink<'_>) -> io::Result<Summary> {
        while window.fill(1)? {
            let next = match self.form.framing {
                Framing::Lines => self.line(window, sink)?,
                Framing::Delimited => self.delimited(window, sink)?,
                _ if self.form.format == Format::Bson => self.document(window, sink)?,
                _ if self.form.format == Format::Json => self.line_or_value(window, sink)?,
                _ => self.value(window, sink)?,
            };
            if matches!(next, Progress::Stop) {
                break;
            }
        }
        Ok(self.summary)
    }

    fn origin(&self, window: &Window<'_>) -> Origin {
        Origin::at(window, InputPart::Value(self.summary.value_count))
    }

    /// Walks the first `length` bytes of the window as exactly one value.
    fn single_value(&mut self, window: &mut Window<'_>, length: usize, sink: Sink<'_>) {
        let origin = self.origin(window);
        let bytes = &window.bytes()[..length];
        let (reporter, walked) = walk_one(self.form.format, bytes, origin, self.options, sink);
        self.add(reporter.finish(walked.is_ok()));
        window.advance(length);
    }

    fn add(&mut self, ended: WalkEnd) {
        self.summary.value_count += 1;
        self.summary.add(&ended.summary);
    }

    fn separator(&mut self, window: &mut Window<'_>, length: usize, sink: Sink<'_>) {
        let origin = Origin::at(window, InputPart::Whole);
        let bytes = &window.bytes()[..length];
        let mut reporter = Reporter::new(bytes, origin, self.form.format, self.options, sink);
        reporter.separator(0..length, "white space");
        self.summary.add(&reporter.end().summary);
        window.advance(length);
    }

    /// Walks one line. Each line is a value, and a fault in it does not affect the next.
    fn line(&mut self, window: &mut Window<'_>, sink: Sink<'_>) -> io::Result<Progress> {
        let mut searched = 0;
        let length = loop {
            let bytes = window.bytes();
            match bytes[searched..].iter().position(|byte| *byte == b'\n') {
                Some(index) => break searched + index + 1,
                None if window.is_last() => break bytes.len(),
                None if bytes.len() >= self.options.value_max => {
                    return Ok(self.too_long(window, sink));
                }
                None => searched = bytes.len(),
            }
            window.read_more()?;
        };
        match is_white_space(&window.bytes()[..length]) {
            true => self.separator(window, length, sink),
            false => self.single_value(window, length, sink),
        }
        Ok(Progress::Continue)
    }

    /// Walks a JSON value together with its line if it is alone there, so that a fault in it does
    /// not affect the next line. Other values have no known end after a fault.
    fn line_or_value(&mut self, window: &mut Window<'_>, sink: Sink<'_>) -> io::Result<Progress> {
        let mut search = json::LineSearch::default();
        loop {
            match search.resume(window.bytes(), window.is_last()) {
                ControlFlow::Break(Some(length)) => {
                    self.single_value(window, length, sink);
                    return Ok(Progress::Continue);
                }
                ControlFlow::Continue(()) if window.bytes().len() < self.options.value_max => {
                    window.read_more()?;
                }
                _ => return self.value(window, sink),
            }
        }
    }

    /// Walks a message with its length in front.
    fn delimited(&mut self, window: &mut Window<'_>, sink: Sink<'_>) -> io::Result<Progress> {
        window.fill(LENGTH_MAX)?;
        let bytes = window.bytes();
        let origin = self.origin(window);
        let mut reporter = Reporter::new(bytes, origin, Format::Protobuf, self.options, &mut *sink);
        let (length, head) = match varint(bytes) {
            Ok((length, head)) => (length, head),
            Err(VarintError::Truncated) => {
                reporter.fault(bytes.len(), format_args!("the last byte of a length"));
                return Ok(self.stop(reporter));
            }
            Err(VarintError::TooLong) => {
                reporter.fault(0, format_args!("the length of a message within 64 bits"));
                return Ok(self.stop(reporter));
            }
        };
        reporter.outside_value(
            0..head,
            Role::Length,
            format_args!("{length}-byte message follows"),
        );
        self.summary.add(&reporter.end().summary);
        window.advance(head);
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        if length > self.options.value_max {
            return Ok(self.too_long(window, sink));
        }
        if !window.fill(length)? {
            let bytes = window.bytes();
            let left = bytes.len();
            let mut reporter =
                Reporter::new(bytes, origin, Format::Protobuf, self.options, &mut *sink);
            reporter.truncated(
                head,
                format_args!("{length} bytes of message, but only {left} are left"),
            );
            self.summary.add(&reporter.end().summary);
            // The bytes that are there are walked nevertheless.
            self.single_value(window, left, sink);
            return Ok(Progress::Stop);
        }
        self.single_value(window, length, sink);
        Ok(Progress::Continue)
    }

    /// Walks a BSON document, which begins with its length.
    fn document(&mut self, window: &mut Window<'_>, sink: Sink<'_>) -> io::Result<Progress> {
        window.fill(4)?;
        let claimed = window.bytes().first_chunk().map(|bytes| i32::from_le_bytes(*bytes));
        match claimed.and_then(|length| usize::try_from(length).ok()).filter(|length| *length > 4) {
            Some(length) if length > self.options.value_max => Ok(self.too_long(window, sink)),
            Some(length) => {
                let whole = window.fill(length)?;
                let length = length.min(window.bytes().len());
                self.single_value(window, length, sink);
                Ok(if whole { Progress::Continue } else { Progress::Stop })
            }
            None => {
                let bytes = window.bytes();
                let origin = self.origin(window);
                let (reporter, _) = walk_one(Format::Bson, bytes, origin, self.options, sink);
                Ok(self.stop(reporter))
            }
        }
    }

    /// Walks a value without a length in front. Events cannot be taken back, so the value is first
    /// walked without reporting, until the window holds all of it.
    fn value(&mut self, window: &mut Window<'_>, sink: Sink<'_>) -> io::Result<Progress> {
        let json = self.form.format == Format::Json;
        while !window.is_last() {
            let mut silent = |_: Event<'_>| {};
            let options = Options { duplicate_keys: false, ..self.options };
            let bytes = window.bytes();
            let origin = Origin::default();
            let (reporter, _) = walk_one(self.form.format, bytes, origin, options, &mut silent);
            let ended = reporter.end();
            // More digits may follow a number.
            let open = ended.ends_early || (json && ended.covered == bytes.len());
            if !open {
                break;
            }
            if bytes.len() >= self.options.value_max {
                return Ok(self.too_long(window, sink));
            }
            window.read_more()?;
        }
        if json && is_white_space(window.bytes()) {
            let length = window.bytes().len();
            self.separator(window, length, sink);
            return Ok(Progress::Continue);
        }
        let origin = self.origin(window);
        let bytes = window.bytes();
        let (mut reporter, mut walked) =
            walk_one(self.form.format, bytes, origin, self.options, sink);
        let covered = reporter.covered();
        if json && walked.is_ok() && joins_next(bytes, covered) {
            walked = Err(reporter.fault(covered, format_args!("white space after the value")));
        }
        self.add(reporter.end());
        window.advance(covered);
        // A value of zero bytes ends the stream, which would have no end otherwise.
        Ok(if walked.is_ok() && covered > 0 { Progress::Continue } else { Progress::Stop })
    }

    /// Reports a value that is longer than the limit.
    fn too_long(&mut self, window: &Window<'_>, sink: Sink<'_>) -> Progress {
        let (origin, limit) = (self.origin(window), self.options.value_max);
        let bytes = window.bytes();
        let mut reporter = Reporter::new(bytes, origin, self.form.format, self.options, sink);
        reporter.fault(0, format_args!("a value of no more than {limit} bytes"));
        self.stop(reporter)
    }

    fn stop(&mut self, reporter: Reporter<'_>) -> Progress {
        self.add(reporter.end());
        Progress::Stop
    }
}

/// Returns true if the bytes are white space between JSON values (RFC 8259, section 2).
fn is_white_space(bytes: &[u8]) -> bool {
    bytes.iter().all(is_white)
}

fn is_white(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Returns true if a number or word that ends at `end` could continue in the next bytes, as in
/// `truefalse`, where no byte separates two values.
fn joins_next(bytes: &[u8], end: usize) -> bool {
    let (before, behind) = bytes.split_at(end);
    let ended = |byte: &u8| is_white(byte) || matches!(byte, b'"' | b']' | b'}');
    let begins = |byte: &u8| is_white(byte) || matches!(byte, b'"' | b'[' | b'{');
    !before.last().is_none_or(ended) && !behind.first().is_none_or(begins)
}

/// The maximum length of a varint in bytes.
const LENGTH_MAX: usize = 10;

/// The state of a walk that can pause, besides its open containers.
enum PausableWalker {
    Json(json::Next),
    MsgPack,
    Cbor {
        /// True if the next item has a tag in front of it.
        tagged: bool,
    },
}

impl PausableWalker {
    /// Returns the walk of a format whose state is the open containers and the next token.
    fn for_format(format: Format) -> Option<PausableWalker> {
        match format {
            Format::Json => Some(PausableWalker::Json(json::Next::Value)),
            Format::MsgPack | Format::MsgPackArray => Some(PausableWalker::MsgPack),
            Format::Cbor => Some(PausableWalker::Cbor { tagged: false }),
            // Messages, documents and data end where a length before them says.
            Format::Protobuf | Format::Bson | Format::Avro => None,
        }
    }

    /// Returns the number of bytes to walk while more may come. In JSON these are whole tokens.
    fn complete_tokens(&self, bytes: &[u8], done: bool) -> usize {
        match self {
            PausableWalker::Json(_) if !done => json::complete_tokens(bytes),
            _ => bytes.len(),
        }
    }

    fn walk(&mut self, bytes: &[u8], done: bool, reporter: &mut Reporter<'_>) -> WalkResult {
        match self {
            PausableWalker::Json(next) => json::resume(bytes, next, reporter),
            _ if done => Ok(()),
            PausableWalker::MsgPack => msgpack::walk(bytes, reporter),
            PausableWalker::Cbor { tagged } => cbor::resume(bytes, tagged, reporter),
        }
    }
}

/// Returns true if a walk of this format can pause between any two tokens.
fn can_pause(format: Format) -> bool {
    PausableWalker::for_format(format).is_some()
}

/// Walks one value and keeps only the longest token and the open containers in memory. The walk
/// pauses at a token that is not complete and resumes with more bytes.
fn walk_paused(
    format: Format,
    window: &mut Window<'_>,
    options: Options<'_>,
    sink: &mut dyn FnMut(Event<'_>),
) -> io::Result<Summary> {
    let Some(mut walker) = PausableWalker::for_format(format) else {
        return Ok(Summary::default());
    };
    let mut paused = PausedWalk::new();
    let mut done = false;
    loop {
        let last = window.is_last();
        let buffered = window.bytes();
        let bytes =
            if last { buffered } else { &buffered[..walker.complete_tokens(buffered, done)] };
        let origin = Origin { base: window.offset(), ..Origin::default() };
        let mut reporter =
            Reporter::resume(paused, bytes, last, origin, format, options, &mut *sink);
        let walked = walker.walk(bytes, done, &mut reporter);
        done |= walked.is_ok();
        let open_ended = !last && walked.is_ok() && reporter.covered() == bytes.len();
        if !open_ended && !reporter.needs_more_bytes() {
            let single = SingleEnd::of(reporter, &walked, bytes, format, options);
            return single.walk_rest(format, window, options, sink);
        }
        let covered = reporter.covered();
        paused = reporter.pause();
        window.advance(covered);
        window.read_more()?;
    }
}
