//! `Input`: reads the values of a source one by one and hands each to a `Take` as an `Item`; or hands
//! out its lines unread, as `Lines`.

use std::io::{self, Read};

use manywire_codec::{Category, Error};
use manywire_format::{Form, Format, Framing};
use manywire_shape::{Arena, Value};

use crate::payload::values::{Fault, Stand, Values};
use crate::payload::window::{Counted, Window};
use crate::payload::{Halt, InputError, Opened, Place, Schema, Source, holds_lines};

/// A stream of values that is being read.
pub struct Input {
    name: String,
    form: Form,
    window: Window,
    values: Values,
    schema: Option<Schema>,
    // How many values have been met, readable or not.
    number: u64,
    // Whether an empty input is a value, and has not been taken yet.
    empty: bool,
    goes_on: bool,
}

/// What is done with the values of a stream.
pub trait Take {
    /// Takes the next value.
    ///
    /// # Errors
    /// What is wrong with the value, or that no more are wanted.
    fn value(&mut self, item: Item<'_>) -> Result<(), Halt>;

    /// More values may be long in coming: what was taken should be passed on.
    ///
    /// # Errors
    /// That no more are wanted.
    fn pause(&mut self) -> Result<(), Halt>;
}

impl Input {
    /// Opens a source of values of this form. An Avro container brings a schema; other values that
    /// cannot be read without one are read by the one given.
    ///
    /// # Errors
    /// A source that cannot be read, a missing schema, a container whose header is none.
    pub fn open(source: &Source, form: Form, schema: Option<&Schema>) -> Result<Input, InputError> {
        Input::with(source.name(), || source.open(), form, schema)
    }

    /// The same of whatever can be read, however few bytes it gives at a time; what is called
    /// `name` in messages. No coding is taken off.
    ///
    /// # Errors
    /// As [`Input::open`].
    pub fn of_reader(
        name: &str,
        reader: Box<dyn Read + Send>,
        form: Form,
        schema: Option<&Schema>,
    ) -> Result<Input, InputError> {
        let opened = Opened::plain(reader);
        Input::with(name.to_owned(), || Ok(opened), form, schema)
    }

    fn with(
        name: String,
        open: impl FnOnce() -> Result<Opened, InputError>,
        form: Form,
        schema: Option<&Schema>,
    ) -> Result<Input, InputError> {
        let values = Values::new(form, schema).map_err(|error| InputError::whole(&name, error))?;
        let window = Window::new(open()?);
        // A message without a single byte is one: of Protocol Buffers, with nothing but defaults.
        let empty = matches!(values, Values::Message(_));
        let schema = schema.cloned();
        let mut input =
            Input { name, form, window, values, schema, number: 0, empty, goes_on: false };
        input.open_container()?;
        Ok(input)
    }

    /// What is known of the values: what the file brings, or else what was given.
    pub fn schema(&self) -> Option<&Schema> {
        self.schema.as_ref()
    }

    /// Whether it brings a schema of its own.
    pub fn brings_schema(&self) -> bool {
        matches!(self.values, Values::Container(_))
    }

    /// Takes fractions of JSON for the floats that come nearest, as other readers do, instead of
    /// keeping every digit of those that have more than a float holds.
    pub fn with_rounded_fractions(mut self) -> Input {
        self.values.round_fractions();
        self
    }

    /// Reads JSON line by line where its beginning shows that a value stands on each.
    ///
    /// # Errors
    /// A source that cannot be read.
    pub fn with_lines_where_shown(mut self) -> Result<Input, InputError> {
        if self.form != Form::single(Format::Json) {
            return Ok(self);
        }
        while !(self.window.is_last() || shows_lines_or_not(self.window.bytes())) {
            self.window.fill().map_err(|error| unreadable(&self.name, &error))?;
        }
        if holds_lines(self.window.bytes()) {
            self.form = Form { format: Format::Json, framing: Framing::Lines };
            self.values.go_by_lines();
        }
        Ok(self)
    }

    /// What its values are in.
    pub fn form(&self) -> Form {
        self.form
    }

    /// Its lines, none of them read.
    pub fn into_lines(self) -> Lines {
        Lines::new(self.name, self.window)
    }

    /// The file, as it was given, or standard input.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether [`Input::each`], having failed, can be called again: in lines it goes on behind the
    /// one that could not be read.
    pub fn goes_on(&self) -> bool {
        self.goes_on
    }

    fn open_container(&mut self) -> Result<(), InputError> {
        let Values::Container(container) = &mut self.values else { return Ok(()) };
        loop {
            let more = self.window.fill().map_err(|error| unreadable(&self.name, &error))?;
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

    /// Hands every value to `take`, until it wants no more.
    ///
    /// # Errors
    /// Where the bytes are not what they should be, or the source cannot be read any further, or a
    /// value was refused: with the number of the value and its place.
    pub fn each(&mut self, take: &mut dyn Take) -> Result<(), InputError> {
        let mut arena = Arena::new();
        self.goes_on = false;
        loop {
            let more = self.window.fill().map_err(|error| unreadable(&self.name, &error))?;
            if !more && !self.empty {
                return Ok(());
            }
            self.empty = false;
            let window = &self.window;
            let (number, schema) = (&mut self.number, self.schema.as_ref());
            let text = self.form.format.row().text;
            let mut hand_out = |stand: Stand<'_>, value: &Value<'_>, arena: &Arena| {
                *number += 1;
                let Stand { bytes, at, packed } = stand;
                let (number, value) = (*number, *value);
                let item = Item { number, value, arena, bytes, schema, at, packed, text, window };
                take.value(item).map_err(|halt| Fault::Halted { at, halt })
            };
            let bytes = window.bytes();
            let taken = self.values.read(bytes, window.is_last(), &mut arena, &mut hand_out);
            let length = bytes.len();
            match taken {
                Ok(taken) => self.window.take(taken, text),
                Err(Fault::Bytes { at, error }) => {
                    self.number += 1;
                    let error = self.broken(self.number, at.min(length), &error);
                    self.leave_line(at.min(length));
                    return Err(error);
                }
                Err(Fault::Halted { at, halt: Halt::Refused { path, message } }) => {
                    let place = self.place(at.min(length));
                    let file = self.name.as_str().into();
                    let path = path.into();
                    return Err(InputError { file, value: self.number, place, path, message });
                }
                Err(Fault::Halted { halt: Halt::Stopped, .. }) => return Ok(()),
            }
            if take.pause().is_err() {
                return Ok(());
            }
        }
    }

    /// In lines, leaves the one behind that this byte stands in. All of it is there: otherwise it
    /// would not have been looked at.
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

    fn place(&self, at: usize) -> Place {
        self.window.place(at, self.form.format.row().text)
    }
}

/// A document that is longer than this without an end of its first line is no line.
const FIRST_LINE_BYTES: usize = 1 << 20;

/// Whether the beginning of a text is enough to tell whether a value stands on each line.
fn shows_lines_or_not(head: &[u8]) -> bool {
    let rest = memchr::memchr(b'\n', head).map(|newline| &head[newline..]);
    let goes_on = |rest: &[u8]| rest.iter().any(|byte| !byte.is_ascii_whitespace());
    rest.is_some_and(goes_on) || head.len() > FIRST_LINE_BYTES
}

fn is_cut_off(error: &Error) -> bool {
    error.category() == Category::Eof
}

#[cold]
fn unreadable(name: &str, error: &io::Error) -> InputError {
    InputError::unreadable(name, error)
}

/// A value of a stream.
#[derive(Clone, Copy)]
pub struct Item<'i> {
    /// Which one, counted from 1.
    pub number: u64,
    /// The value, which lives until the next is asked for.
    pub value: Value<'i>,
    /// Memory that lives as long.
    pub arena: &'i Arena,
    /// The bytes that the value was read from, without what frames it; unpacked, where a container
    /// file has them packed.
    pub bytes: &'i [u8],
    /// The schema that it was read by.
    pub schema: Option<&'i Schema>,
    pub(crate) at: usize,
    pub(crate) packed: bool,
    pub(crate) text: bool,
    pub(crate) window: &'i Window,
}

impl Item<'_> {
    /// The place in the input of one of its bytes, counted from the first; of packed ones, the
    /// place of what they are packed in.
    #[cold]
    pub fn place(&self, offset: usize) -> Place {
        let at = if self.packed { self.at } else { self.at + offset.min(self.bytes.len()) };
        self.window.place(at, self.text)
    }

    /// The line that it begins in, counted from 1, by what was counted for the item before.
    pub(crate) fn line(&self, counted: &mut Counted) -> usize {
        self.window.lines_before(self.at, counted) + 1
    }

    /// Whether so many bytes of payloads may be held of what was read so far, which has them as they
    /// are, or is what they were made of.
    pub(crate) fn check_held(&self, held: usize, as_they_are: bool) -> Result<(), String> {
        match as_they_are {
            true => self.window.check_held("a stream", held),
            false => self.window.check_made(held),
        }
    }
}

/// Lines of a source, unread: for whoever reads them on several threads.
pub struct Lines {
    name: String,
    window: Window,
}

impl Lines {
    pub(crate) fn new(name: String, window: Window) -> Lines {
        Lines { name, window }
    }

    /// The next whole lines, some hundred kilobytes of them or one that is longer; the last may end
    /// without a line feed. Beside them, how many lines stand before; `None` at the end.
    ///
    /// # Errors
    /// A source that cannot be read any further, or a line that is too long for the coded bytes
    /// that it comes from.
    pub fn next(&mut self, lines: &mut Vec<u8>) -> Result<Option<usize>, InputError> {
        lines.clear();
        let before = self.window.lines();
        loop {
            let unreadable = |error: io::Error| InputError::unreadable(&self.name, &error);
            // What is too little to take makes the window longer.
            if !self.window.fill().map_err(unreadable)? {
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

    /// What they are called in messages.
    pub fn name(&self) -> &str {
        &self.name
    }
}
