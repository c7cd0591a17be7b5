//! Streams of values: an `Input` passes each value to a `Take` as an `Item`, or returns the unread
//! lines of its source as `Lines`.

use std::io::Read;

use manywire_codec::{Category, Error};
use manywire_format::{Form, Format, Framing};
use manywire_shape::{Arena, Value};

use crate::payload::proto_json::ProtoJson;
use crate::payload::values::{Buffered, ReadFault, ValueSpan, Values};
use crate::payload::window::{Counted, RatioExceeded, Window};
use crate::payload::{
    ByteReader, Halt, InputError, InputPosition, ProtoJsonRules, Schema, Source, holds_lines,
};

/// The mark that some editors write at the beginning of text in UTF-8.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A stream of values.
pub struct Input {
    name: String,
    form: Form,
    window: Window,
    values: Values,
    schema: Option<Schema>,
    // The rules for JSON by a `.proto`, if it is ProtoJSON.
    proto_json: Option<ProtoJsonRules>,
    // The number of values so far, readable or not.
    number: u64,
    // True if an empty input is a value that has not been visited yet.
    empty: bool,
    goes_on: bool,
}

/// A visitor of the values of a stream.
pub trait Take {
    /// Visits the next value.
    ///
    /// # Errors
    /// Fails if the value is refused, with the reason, or if reading should stop.
    fn value(&mut self, item: Item<'_>) -> Result<(), Halt>;

    /// Called before a read that may wait long for more values, so that output can be flushed.
    ///
    /// # Errors
    /// Fails if reading should stop.
    fn pause(&mut self) -> Result<(), Halt>;
}

impl Input {
    /// Opens a source of values of this form. `schema` is for forms that need one; an Avro container
    /// has its own.
    ///
    /// # Errors
    /// Fails for an unreadable source, a missing schema, or a container with an invalid header.
    pub fn open(source: &Source, form: Form, schema: Option<&Schema>) -> Result<Input, InputError> {
        Input::with(source.name(), || source.open(), form, schema)
    }

    /// Opens any reader as a stream of values, with `name` for messages. Does not remove a content
    /// coding.
    ///
    /// # Errors
    /// Fails as [`Input::open`] does.
    pub fn from_reader(
        name: &str,
        reader: Box<dyn Read + Send>,
        form: Form,
        schema: Option<&Schema>,
    ) -> Result<Input, InputError> {
        let opened = ByteReader::plain(reader);
        Input::with(name.to_owned(), || Ok(opened), form, schema)
    }

    fn with(
        name: String,
        open: impl FnOnce() -> Result<ByteReader, InputError>,
        form: Form,
        schema: Option<&Schema>,
    ) -> Result<Input, InputError> {
        let values = Values::new(form, schema).map_err(|error| InputError::whole(&name, error))?;
        let window = Window::new(open()?);
        // An empty input is a valid message of Protocol Buffers: all fields have their defaults. In
        // the form for a single Avro datum, an empty input is a datum without bytes, or an error if
        // the schema has no such datum.
        let empty = matches!(values, Values::Message(_)) || values.awaits_datum();
        let schema = schema.cloned();
        let mut input = Input {
            name,
            form,
            window,
            values,
            schema,
            proto_json: None,
            number: 0,
            empty,
            goes_on: false,
        };
        input.open_container()?;
        if form.format.row().text {
            input.skip_byte_order_mark()?;
        }
        Ok(input)
    }

    /// Skips a byte order mark, which editors on Windows write. RFC 8259, section 8.1, allows readers
    /// to ignore it.
    fn skip_byte_order_mark(&mut self) -> Result<(), InputError> {
        let undecided = |window: &Window| {
            let bytes = window.bytes();
            bytes.len() < BYTE_ORDER_MARK.len() && BYTE_ORDER_MARK.starts_with(bytes)
        };
        while undecided(&self.window) && !self.window.is_last() {
            fill(&mut self.window, &self.name)?;
        }
        if self.window.bytes().starts_with(BYTE_ORDER_MARK) {
            // The mark is not counted as a character of the first line.
            self.window.take(BYTE_ORDER_MARK.len(), false);
        }
        Ok(())
    }

    /// Returns the schema of the file, or else the schema that was passed to [`Input::open`].
    pub fn schema(&self) -> Option<&Schema> {
        self.schema.as_ref()
    }

    /// Returns whether the file contains its schema.
    pub fn brings_schema(&self) -> bool {
        matches!(self.values, Values::Container(_))
    }

    /// Rounds fractions in JSON to the nearest 64-bit float, as other readers do. By default, fractions
    /// with more digits than a float keep all of them.
    pub fn with_rounded_fractions(mut self) -> Input {
        self.values.round_fractions();
        self
    }

    /// Reads JSON by a `.proto` as ProtoJSON. By default, its text stays text. Has no effect on other
    /// formats, and on JSON without the schema of a `.proto`.
    pub fn with_proto_json(mut self, rules: ProtoJsonRules) -> Input {
        self.proto_json = (self.form.format == Format::Json).then_some(rules);
        self
    }

    /// Returns whether the values are read as ProtoJSON.
    pub fn reads_proto_json(&self) -> bool {
        ProtoJson::by(self.schema.as_ref(), self.proto_json).is_some()
    }

    /// Drops the fields of Protocol Buffers and the items of MessagePack arrays that the schema does
    /// not have, and reports the first of each value as [`Item::dropped`]. By default, a value with
    /// such a field or item is refused.
    pub fn with_unknown_fields_dropped(mut self) -> Input {
        self.values.drop_unknown_fields();
        self
    }

    /// Reads JSON line by line if its beginning shows one value per line, so that values have the numbers
    /// of their lines, and an invalid line does not affect others. Later values may nevertheless have
    /// several lines, and a line several values, as where no lines are shown.
    ///
    /// # Errors
    /// Fails if the source cannot be read.
    pub fn with_lines_where_shown(mut self) -> Result<Input, InputError> {
        if self.form != Form::single(Format::Json) {
            return Ok(self);
        }
        while !(self.window.is_last() || shows_lines_or_not(self.window.bytes())) {
            fill(&mut self.window, &self.name)?;
        }
        if holds_lines(self.window.bytes()) {
            self.form = Form { format: Format::Json, framing: Framing::Lines };
            self.values.read_shown_lines();
        }
        Ok(self)
    }

    /// Returns the form of the values.
    pub fn form(&self) -> Form {
        self.form
    }

    /// Returns whether each line that is not blank is one value.
    pub(crate) fn has_one_value_a_line(&self) -> bool {
        matches!(self.values, Values::Lines(_))
    }

    /// Returns the unread lines.
    pub fn into_lines(self) -> Lines {
        Lines { name: self.name, window: self.window }
    }

    /// Returns the name of the file as in the arguments, or of standard input.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether [`Input::each`] can be called again after an error. In lines, it continues after
    /// the invalid line.
    pub fn can_continue(&self) -> bool {
        self.goes_on
    }

    fn open_container(&mut self) -> Result<(), InputError> {
        let Values::Container(container) = &mut self.values else { return Ok(()) };
        loop {
            let more = fill(&mut self.window, &self.name)?;
            match container.open(self.window.bytes(), &self.name) {
                Ok((length, schema)) => {
                    self.window.take(length, false);
                    self.schema = Some(schema);
                    return Ok(());
                }
                Err(error) if is_cut_off(&error) && more && !self.window.is_last() => {}
                Err(error) => {
                    let at = error.offset().unwrap_or(0);
                    return Err(self.broken(0, at, &error));
                }
            }
        }
    }

    /// Passes every value to `take` until it stops.
    ///
    /// # Errors
    /// Fails for invalid bytes, an unreadable source, or a refused value, with the number of the
    /// value and its position.
    pub fn each(&mut self, take: &mut dyn Take) -> Result<(), InputError> {
        let mut arena = Arena::new();
        self.goes_on = false;
        // A value may be whole in the bytes that were read to open the input, or after a broken line.
        let mut unread = !self.window.bytes().is_empty();
        loop {
            let more = std::mem::take(&mut unread) || fill(&mut self.window, &self.name)?;
            if !more && !self.empty {
                return Ok(());
            }
            self.empty = false;
            // A value that was cut off has left its parts, which are read again.
            arena.reset();
            let window = &self.window;
            let (number, schema) = (&mut self.number, self.schema.as_ref());
            let proto_json = ProtoJson::by(schema, self.proto_json);
            let text = self.form.format.row().text;
            let mut hand_out = |span: ValueSpan<'_>, value: &Value<'_>, arena: &Arena| {
                *number += 1;
                let ValueSpan { bytes, at, packed, dropped } = span;
                let halted = |halt| ReadFault::Halted { at, halt };
                let value = match &proto_json {
                    Some(reader) => reader.read(*value, arena).map_err(halted)?,
                    None => *value,
                };
                let number = *number;
                let item =
                    Item { number, value, arena, bytes, schema, dropped, at, packed, text, window };
                take.value(item).map_err(halted)
            };
            let bytes = window.bytes();
            let taken = self.values.read(Buffered {
                bytes,
                last: window.is_last(),
                arena: &mut arena,
                take: &mut hand_out,
            });
            let length = bytes.len();
            match taken {
                Ok(taken) => self.window.take(taken, text),
                Err(ReadFault::Bytes { at, error }) => {
                    self.number += 1;
                    let error = self.broken(self.number, at.min(length), &error);
                    self.leave_line(at.min(length));
                    return Err(error);
                }
                Err(ReadFault::UnknownField { at, error }) => {
                    self.number += 1;
                    let mut refused = self.broken(self.number, at.min(length), &error);
                    refused.message.push_str(
                        "; give a schema that has it, or drop it by `convert` with --lossy",
                    );
                    return Err(refused);
                }
                Err(ReadFault::Halted { at, halt: Halt::Refused { path, message } }) => {
                    let place = self.place(at.min(length));
                    let file = self.name.as_str().into();
                    let path = path.into();
                    return Err(InputError { file, value: self.number, place, path, message });
                }
                Err(ReadFault::Halted { halt: Halt::Stopped, .. }) => return Ok(()),
            }
            if take.pause().is_err() {
                return Ok(());
            }
        }
    }

    /// In lines, skips the rest of the line that contains this byte. The window has the whole line,
    /// because only whole lines are read.
    #[cold]
    fn leave_line(&mut self, at: usize) {
        if self.form.framing == Framing::Lines {
            let bytes = self.window.bytes();
            let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end + 1);
            self.window.take(end, true);
            self.goes_on = true;
        }
    }

    #[cold]
    fn broken(&self, value: u64, at: usize, error: &Error) -> InputError {
        InputError {
            file: self.name.as_str().into(),
            value,
            place: self.place(at),
            path: error.path_text().into(),
            message: error.message().to_owned(),
        }
    }

    fn place(&self, at: usize) -> InputPosition {
        self.window.place(at, self.form.format.row().text)
    }
}

/// The longest first line that is still considered a line of JSON Lines.
const FIRST_LINE_BYTES: usize = 1 << 20;

/// Returns whether the beginning of a text is enough to decide whether it has one value per line.
fn shows_lines_or_not(head: &[u8]) -> bool {
    let rest = memchr::memchr(b'\n', head).map(|newline| &head[newline..]);
    let goes_on = |rest: &[u8]| rest.iter().any(|byte| !byte.is_ascii_whitespace());
    rest.is_some_and(goes_on) || head.len() > FIRST_LINE_BYTES
}

/// Reads more bytes as [`Window::fill`] does. The error names the input.
fn fill(window: &mut Window, name: &str) -> Result<bool, InputError> {
    window.fill().map_err(|error| InputError::unreadable(name, &error))
}

fn is_cut_off(error: &Error) -> bool {
    error.category() == Category::Eof
}

/// A value of a stream.
#[derive(Clone, Copy)]
pub struct Item<'i> {
    /// The number of the value, counted from 1.
    pub number: u64,
    /// The value. It is valid until the next value is read. The value of ProtoJSON may differ from that
    /// of its bytes.
    pub value: Value<'i>,
    /// An arena that is valid as long as the value.
    pub arena: &'i Arena,
    /// The bytes that the value was read from, without framing. They are decompressed if they come from
    /// a compressed block of a container file.
    pub bytes: &'i [u8],
    /// The schema that the value was read with.
    pub schema: Option<&'i Schema>,
    /// The first field that was dropped because the schema does not have it, with its path.
    pub dropped: Option<&'i Error>,
    pub(crate) at: usize,
    pub(crate) packed: bool,
    pub(crate) text: bool,
    pub(crate) window: &'i Window,
}

impl Item<'_> {
    /// Returns the position in the input of the byte at `offset` of the value. For a byte of a compressed
    /// block, it is the position of the block.
    #[cold]
    pub fn place(&self, offset: usize) -> InputPosition {
        let at = if self.packed { self.at } else { self.at + offset.min(self.bytes.len()) };
        self.window.place(at, self.text)
    }

    /// Returns the offset in the input of the end of the value. For a value in a compressed block, it is
    /// the offset where the block begins.
    pub(crate) fn end(&self) -> u64 {
        self.window.stream_offset(if self.packed { self.at } else { self.at + self.bytes.len() })
    }

    /// Returns the number of the line where the value begins, counted from 1. `counted` has the line
    /// feeds up to the previous item, and is updated.
    pub(crate) fn line(&self, counted: &mut Counted) -> usize {
        self.window.lines_before(self.at, counted) + 1
    }

    /// Checks that payloads may take `held` bytes of memory, given the size of the input so far.
    /// `as_they_are` tells whether payloads have the bytes of the input or are converted.
    pub(crate) fn check_buffered(
        &self,
        held: usize,
        as_they_are: bool,
    ) -> Result<(), RatioExceeded> {
        match as_they_are {
            true => self.window.check_buffered("a stream", held),
            false => self.window.check_made(held),
        }
    }
}

/// The unread lines of a source, for readers that use several threads.
pub struct Lines {
    name: String,
    window: Window,
}

impl Lines {
    /// Reads the next whole lines: some hundred kilobytes, or one longer line. The last line may have no
    /// line feed. Returns the number of lines before them, or `None` at the end.
    ///
    /// # Errors
    /// Fails for an unreadable source, or for a line that is too long in relation to the coded
    /// bytes that it comes from.
    pub fn next(&mut self, lines: &mut Vec<u8>) -> Result<Option<usize>, InputError> {
        lines.clear();
        let before = self.window.lines();
        loop {
            // The window grows as long as it has no whole line.
            if !fill(&mut self.window, &self.name)? {
                return Ok(None);
            }
            let bytes = self.window.bytes();
            let end = match memchr::memrchr(b'\n', bytes) {
                Some(newline) => newline + 1,
                None if self.window.is_last() => bytes.len(),
                None => continue,
            };
            lines.extend_from_slice(&bytes[..end]);
            self.window.take(end, true);
            return Ok(Some(before));
        }
    }

    /// Returns the name of the source for messages.
    pub fn name(&self) -> &str {
        &self.name
    }
}
