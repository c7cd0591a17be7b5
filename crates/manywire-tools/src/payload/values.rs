//! Reads the values that are complete in the buffered bytes: one reader for each form.

use std::ops::Range;

use manywire_codec::arranged::{self, ArrangedSeed};
use manywire_codec::avro::Plan;
use manywire_codec::avro::container::{Block, BlockCodec, Header};
use manywire_codec::json::ValueReader;
use manywire_codec::protobuf::UnknownFields;
use manywire_codec::{Category, Error, avro, msgpack, protobuf, read_first, read_value};
use manywire_format::{Form, Format, Framing};
use manywire_schema::{Language, read_avro};
use manywire_shape::{Arena, Shape, Value, ValueSeed};
use memchr::{memchr, memrchr};

use crate::payload::{Halt, LIMITS, Schema};

/// Reads the values of one form.
pub(crate) enum Values {
    Json(ValueReader),
    Lines(ValueReader),
    /// JSON whose beginning shows one value per line.
    ShownLines(ValueReader),
    MsgPackArray(Box<Arrays>),
    Bson,
    /// A self-describing format whose values show where they end.
    Each(Format),
    Message(Box<Messages>),
    Messages(Box<Messages>),
    Datums(Box<Datums>),
    Container(Box<Container>),
}

/// The reason to read no more values.
pub(crate) enum ReadFault {
    /// The bytes are invalid at this offset.
    Bytes { at: usize, error: Error },
    /// The schema does not have the field or item at this offset.
    UnknownField { at: usize, error: Error },
    /// The visitor accepts no more values. The last one began at this offset.
    Halted { at: usize, halt: Halt },
}

/// The bytes of a value and their position.
#[derive(Clone, Copy)]
pub(crate) struct ValueSpan<'b> {
    /// The bytes of the value alone.
    pub(crate) bytes: &'b [u8],
    /// The offset of the bytes, or of the compressed block that they come from.
    pub(crate) at: usize,
    /// True if the bytes come from a compressed block, and so have no position in the input.
    pub(crate) packed: bool,
    /// The first field that was dropped because the schema does not have it.
    pub(crate) dropped: Option<&'b Error>,
}

impl<'b> ValueSpan<'b> {
    /// Returns the span of a value in the buffered bytes.
    fn of(all: &'b [u8], range: Range<usize>) -> Self {
        ValueSpan { at: range.start, bytes: &all[range], packed: false, dropped: None }
    }
}

/// A callback for each value.
pub(crate) type Take<'t> =
    dyn FnMut(ValueSpan<'_>, &Value<'_>, &Arena) -> Result<(), ReadFault> + 't;

/// Buffered bytes, and the callback for the values in them.
pub(crate) struct Buffered<'b, 't> {
    pub(crate) bytes: &'b [u8],
    /// True if no bytes follow. Otherwise an incomplete value is left until there are more bytes.
    pub(crate) last: bool,
    /// The memory of one value, which is reset between values.
    pub(crate) arena: &'b mut Arena,
    pub(crate) take: &'b mut Take<'t>,
}

impl Values {
    /// Returns a reader of this form. `schema` is for forms that need one.
    pub(crate) fn new(form: Form, schema: Option<&Schema>) -> Result<Values, Error> {
        let missing = || {
            let message = format_args!(
                "{} cannot be read without a schema: give one with --schema",
                form.format.row().title
            );
            Error::new(Category::Unsupported, message).with_format(form.format)
        };
        let needed = || schema.ok_or_else(missing);
        Ok(match (form.format, form.framing) {
            // A conversion must not lose digits when it reads.
            (Format::Json, Framing::Lines) => {
                Values::Lines(ValueReader::new(LIMITS).with_exact_fractions())
            }
            (Format::Json, _) => Values::Json(ValueReader::new(LIMITS).with_exact_fractions()),
            (Format::MsgPackArray, _) => Values::MsgPackArray(Box::new(Arrays {
                shape: needed()?.shape.clone(),
                drops_extra_items: false,
            })),
            (Format::Bson, _) => Values::Bson,
            (Format::Protobuf, Framing::Delimited) => {
                Values::Messages(Box::new(Messages::new(needed()?)?))
            }
            (Format::Protobuf, _) => Values::Message(Box::new(Messages::new(needed()?)?)),
            (Format::Avro, Framing::Container) => Values::Container(Box::default()),
            (Format::Avro, framing) => Values::Datums(Box::new(Datums {
                plan: needed()?.avro()?,
                awaits_first: framing == Framing::Single,
            })),
            (format, _) => Values::Each(format),
        })
    }

    /// Rounds fractions in JSON to the nearest float, instead of keeping every digit.
    pub(crate) fn round_fractions(&mut self) {
        if let Values::Json(reader) | Values::Lines(reader) | Values::ShownLines(reader) = self {
            *reader = ValueReader::new(LIMITS);
        }
    }

    /// Drops fields that the schema does not have, instead of refusing them.
    pub(crate) fn drop_unknown_fields(&mut self) {
        match self {
            Values::Message(messages) | Values::Messages(messages) => {
                messages.drops_unknown_fields = true;
            }
            Values::MsgPackArray(arrays) => arrays.drops_extra_items = true,
            _ => {}
        }
    }

    /// Returns whether the input must have an Avro datum, and none was read.
    pub(crate) fn awaits_datum(&self) -> bool {
        matches!(self, Values::Datums(datums) if datums.awaits_first)
    }

    /// Reads JSON line by line as long as each line is one value.
    pub(crate) fn read_shown_lines(&mut self) {
        if let Values::Json(reader) = self {
            *self = Values::ShownLines(std::mem::replace(reader, ValueReader::new(LIMITS)));
        }
    }

    /// Passes the values that are complete in the buffered bytes to the callback, and returns the
    /// number of bytes they took.
    pub(crate) fn read(&mut self, input: Buffered<'_, '_>) -> Result<usize, ReadFault> {
        match self {
            Values::Json(reader) => read_json(reader, input),
            Values::Lines(reader) => read_lines(reader, input),
            Values::ShownLines(reader) => read_shown_lines(reader, input),
            Values::MsgPackArray(arrays) => arrays.read(input),
            Values::Bson => read_bson(input),
            Values::Each(format) => read_each(*format, input),
            Values::Message(messages) => messages.read_one(input),
            Values::Messages(messages) => messages.read_all(input),
            Values::Datums(datums) => datums.read(input),
            Values::Container(container) => container.read(input),
        }
    }
}

/// Returns whether the value may be complete with more bytes.
fn is_cut_off(error: &Error, last: bool) -> bool {
    !last && error.category() == Category::Eof
}

/// Returns the fault for an error whose offset is relative to `start`.
#[cold]
fn fault(start: usize, error: Error) -> ReadFault {
    ReadFault::Bytes { at: start + error.offset().unwrap_or(0), error }
}

fn read_json(
    reader: &mut ValueReader,
    Buffered { bytes, last, arena, take }: Buffered<'_, '_>,
) -> Result<usize, ReadFault> {
    let bytes = if last { bytes } else { &bytes[..certain(bytes)] };
    let mut stream = reader.stream(bytes);
    let mut taken = 0;
    loop {
        match stream.next_value(arena) {
            Ok(Some((range, value))) => {
                taken = range.end;
                take(ValueSpan::of(bytes, range), &value, arena)?;
            }
            // White space after the last value is consumed, too.
            Ok(None) => return Ok(bytes.len()),
            Err(error) if is_cut_off(&error, last) => return Ok(taken),
            Err(error) => return Err(fault(0, error)),
        }
        arena.reset();
    }
}

/// Reads JSON Lines. Each line that is not blank is one value, so an invalid line does not affect
/// others.
fn read_lines(
    reader: &mut ValueReader,
    Buffered { bytes, last, arena, take }: Buffered<'_, '_>,
) -> Result<usize, ReadFault> {
    let mut start = 0;
    while let Some(line) = line_at(bytes, start, last) {
        if !is_blank(line) {
            let value = reader.read(line, arena).map_err(|error| fault(start, error))?;
            take(span_of_line(bytes, start, line), &value, arena)?;
            arena.reset();
        }
        start += line.len() + 1;
    }
    Ok(start.min(bytes.len()))
}

/// Returns the line at an offset, without its line feed, so that errors about missing input are
/// reported before it; `None` if no line begins there, or if its end is not among the bytes.
fn line_at(bytes: &[u8], start: usize, last: bool) -> Option<&[u8]> {
    let rest = bytes.get(start..).filter(|rest| !rest.is_empty())?;
    match memchr(b'\n', rest) {
        Some(end) => Some(&rest[..end]),
        None => last.then_some(rest),
    }
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
}

/// Returns the span of the value in a line, which has nothing but white space around it.
fn span_of_line<'b>(bytes: &'b [u8], start: usize, line: &[u8]) -> ValueSpan<'b> {
    let end = start + line.trim_ascii_end().len();
    let begin = end - line.trim_ascii().len();
    ValueSpan::of(bytes, begin..end)
}

/// Reads JSON whose beginning shows one value per line. A later line may nevertheless have several
/// values, and a value several lines, as where other commands read concatenated values.
fn read_shown_lines(
    reader: &mut ValueReader,
    Buffered { bytes, last, arena, take }: Buffered<'_, '_>,
) -> Result<usize, ReadFault> {
    let mut start = 0;
    while let Some(line) = line_at(bytes, start, last) {
        let mut values = reader.stream(line);
        let mut taken = 0;
        loop {
            let continues = match values.next_value(arena) {
                Ok(Some((range, value))) => {
                    taken = range.end;
                    let range = start + range.start..start + range.end;
                    take(ValueSpan::of(bytes, range), &value, arena)?;
                    false
                }
                Ok(None) => break,
                // Only a value that the line cuts off may continue in the next one. Any other invalid
                // line must not cost a pass over all bytes that are buffered after it.
                Err(error) if error.category() == Category::Eof => true,
                Err(error) => return Err(fault(start, error)),
            };
            arena.reset();
            if continues {
                let rest = Buffered { bytes, last, arena, take };
                return read_across_lines(reader, start + taken, rest);
            }
        }
        start += line.len() + 1;
    }
    Ok(start.min(bytes.len()))
}

/// Reads concatenated values from one that does not end in its line.
fn read_across_lines(
    reader: &mut ValueReader,
    start: usize,
    Buffered { bytes, last, arena, take }: Buffered<'_, '_>,
) -> Result<usize, ReadFault> {
    let rest = &bytes[start..];
    // An error has its whole line, which is then left out.
    let end = if last { rest.len() } else { memrchr(b'\n', rest).map_or(0, |at| at + 1) };
    let rest = &rest[..end];
    let mut stream = reader.stream(rest);
    let mut taken = 0;
    let error = loop {
        match stream.next_value(arena) {
            Ok(Some((range, value))) => {
                taken = range.end;
                let range = start + range.start..start + range.end;
                take(ValueSpan::of(bytes, range), &value, arena)?;
            }
            Ok(None) => return Ok(start + rest.len()),
            Err(error) if is_cut_off(&error, last) => return Ok(start + taken),
            Err(error) => break error,
        }
        arena.reset();
    };
    let begin = taken + space(&rest[taken..]);
    let line = line_at(rest, begin, true).unwrap_or_default();
    let after = begin + line.len();
    let next = after + space(&rest[after..]);
    // A value that the next line does not continue ends with its own line.
    if error.offset().is_some_and(|at| (after..=next).contains(&at))
        && let Err(error) = reader.read(line, arena)
    {
        return Err(fault(start + begin, error));
    }
    Err(fault(start, error))
}

/// Returns the length of the white space at the start.
fn space(bytes: &[u8]) -> usize {
    bytes.len() - bytes.trim_ascii_start().len()
}

/// Returns the number of bytes that can be parsed while more may follow: up to a byte that ends every
/// number, literal and multi-byte character. A value that is incomplete there is detected as such.
fn certain(bytes: &[u8]) -> usize {
    let ends = |byte: &u8| matches!(byte, b'\n' | b' ' | b'\t' | b'\r' | b'}' | b']');
    bytes.iter().rposition(ends).map_or(0, |at| at + 1)
}

/// Reads values of a format that needs no shape.
fn read_each(
    format: Format,
    Buffered { bytes, last, arena, take }: Buffered<'_, '_>,
) -> Result<usize, ReadFault> {
    let mut start = 0;
    while start < bytes.len() {
        match read_first(format, &bytes[start..], arena, LIMITS) {
            Ok((value, length)) => {
                take(ValueSpan::of(bytes, start..start + length), &value, arena)?;
                start += length;
            }
            Err(error) if is_cut_off(&error, last) => break,
            Err(error) => return Err(fault(start, error)),
        }
        arena.reset();
    }
    Ok(start)
}

/// Values of MessagePack whose records are arrays.
pub(crate) struct Arrays {
    shape: Shape,
    /// True if items beyond the last field of a record are dropped, and not refused.
    drops_extra_items: bool,
}

impl Arrays {
    fn read(
        &self,
        Buffered { bytes, last, arena, take }: Buffered<'_, '_>,
    ) -> Result<usize, ReadFault> {
        let mut start = 0;
        while start < bytes.len() {
            match self.hand_out(bytes, start, last, arena, take)? {
                Some(end) => start = end,
                None => break,
            }
            arena.reset();
        }
        Ok(start)
    }

    /// Passes the value that begins at `start` to `take`. Returns its end, or `None` if it may be
    /// complete with more bytes.
    fn hand_out(
        &self,
        bytes: &[u8],
        start: usize,
        last: bool,
        arena: &Arena,
        take: &mut Take<'_>,
    ) -> Result<Option<usize>, ReadFault> {
        let decode = |refuses_extra_items: bool| {
            let seed = ArrangedSeed::new(&self.shape, arena);
            let mut seed = if refuses_extra_items { seed.with_extra_items_refused() } else { seed };
            let mut deserializer = msgpack::Deserializer::new(&bytes[start..])
                .with_limits(LIMITS)
                .with_layout(msgpack::Layout::Array);
            let value = deserializer.read_seed(&mut seed);
            let value = value.map_err(|error| arranged::with_field_names(&self.shape, error))?;
            Ok::<_, Error>((value, start + deserializer.offset()))
        };
        let refused = match decode(true) {
            Ok((value, end)) => {
                take(ValueSpan::of(bytes, start..end), &value, arena)?;
                return Ok(Some(end));
            }
            Err(error) if is_cut_off(&error, last) => return Ok(None),
            Err(error) => error,
        };
        // The second attempt succeeds only if the first one refused an extra item, or the content of a
        // variant that has none.
        let (value, end) = match decode(false) {
            Ok(read) => read,
            Err(error) if is_cut_off(&error, last) => return Ok(None),
            Err(error) => return Err(fault(start, error)),
        };
        if !self.drops_extra_items {
            let at = start + refused.offset().unwrap_or(0);
            return Err(ReadFault::UnknownField { at, error: refused });
        }
        let mut span = ValueSpan::of(bytes, start..end);
        span.dropped = Some(&refused);
        take(span, &value, arena)?;
        Ok(Some(end))
    }
}

/// Reads BSON documents. Each begins with its length, which includes the length itself (bsonspec.org).
fn read_bson(Buffered { bytes, last, arena, take }: Buffered<'_, '_>) -> Result<usize, ReadFault> {
    let mut start = 0;
    while start < bytes.len() {
        let rest = &bytes[start..];
        let claimed = rest.first_chunk().map(|length| i32::from_le_bytes(*length));
        // The codec refuses invalid lengths.
        let length = claimed.map_or(usize::MAX, |length| usize::try_from(length).unwrap_or(0));
        if length > rest.len() && !last {
            break;
        }
        let document = rest.get(..length).filter(|document| document.len() > 4).unwrap_or(rest);
        let value = read_value(Format::Bson, document, arena, LIMITS)
            .map_err(|error| fault(start, error))?;
        let end = start + document.len();
        take(ValueSpan::of(bytes, start..end), &value, arena)?;
        start = end;
        arena.reset();
    }
    Ok(start)
}

/// Messages of Protocol Buffers.
pub(crate) struct Messages {
    plan: protobuf::Plan,
    /// True if fields that the schema does not have are dropped, and not refused.
    drops_unknown_fields: bool,
}

impl Messages {
    fn new(schema: &Schema) -> Result<Self, Error> {
        Ok(Messages { plan: schema.protobuf()?, drops_unknown_fields: false })
    }

    /// Reads one message up to the end of the input.
    fn read_one(
        &self,
        Buffered { bytes, last, arena, take }: Buffered<'_, '_>,
    ) -> Result<usize, ReadFault> {
        if !last {
            return Ok(0);
        }
        self.hand_out(bytes, 0..bytes.len(), arena, take)?;
        Ok(bytes.len())
    }

    /// Reads messages that are prefixed by their lengths, as the official library's
    /// `writeDelimitedTo` writes them.
    fn read_all(
        &self,
        Buffered { bytes, last, arena, take }: Buffered<'_, '_>,
    ) -> Result<usize, ReadFault> {
        let mut start = 0;
        while start < bytes.len() {
            let message = read_length(&bytes[start..]).and_then(|(head, length)| {
                let at = start + head;
                let end = usize::try_from(length)
                    .ok()
                    .and_then(|length| at.checked_add(length))
                    .filter(|end| *end <= bytes.len());
                let left = bytes.len() - at;
                end.map(|end| at..end).ok_or_else(|| {
                    let message = format_args!(
                        "a message claims {length} bytes, but only {left} are left: is it delimited?"
                    );
                    Error::new(Category::Eof, message)
                })
            });
            let message = match message {
                Ok(found) => found,
                Err(error) if is_cut_off(&error, last) => break,
                Err(error) => return Err(fault(start, error.with_format(Format::Protobuf))),
            };
            start = message.end;
            self.hand_out(bytes, message, arena, take)?;
            arena.reset();
        }
        Ok(start)
    }

    /// Passes the message in a range of the bytes to `take`.
    fn hand_out(
        &self,
        bytes: &[u8],
        range: Range<usize>,
        arena: &Arena,
        take: &mut Take<'_>,
    ) -> Result<(), ReadFault> {
        let mut span = ValueSpan::of(bytes, range);
        let at = span.at;
        let decode = |unknown| {
            let seed = &mut ValueSeed::new(arena);
            self.plan.decode_seed_with(seed, span.bytes, LIMITS, unknown)
        };
        let refused = match decode(UnknownFields::Refused) {
            Ok(value) => return take(span, &value, arena),
            Err(error) => error,
        };
        // The second attempt succeeds only if an unknown field made the first one fail.
        let value = decode(UnknownFields::Skipped).map_err(|error| fault(at, error))?;
        if !self.drops_unknown_fields {
            let at = at + refused.offset().unwrap_or(0);
            return Err(ReadFault::UnknownField { at, error: refused });
        }
        span.dropped = Some(&refused);
        take(span, &value, arena)
    }
}

/// Reads a varint, and returns its length in bytes and its value.
fn read_length(bytes: &[u8]) -> Result<(usize, u64), Error> {
    let mut value = 0;
    for (index, byte) in bytes.iter().enumerate() {
        // The tenth byte has room for one more bit.
        if index == 9 && *byte > 1 {
            return Err(Error::new(Category::Syntax, "the length of a message exceeds 64 bits"));
        }
        value |= u64::from(byte & 0x7F) << (7 * index);
        if *byte < 0x80 {
            return Ok((index + 1, value));
        }
    }
    Err(Error::new(Category::Eof, "the bytes end here, in the length of a message"))
}

/// Avro datums in sequence, without framing.
pub(crate) struct Datums {
    plan: avro::Plan,
    /// True until the first datum is read, unless the input may be a sequence of no datums.
    awaits_first: bool,
}

impl Datums {
    fn read(
        &mut self,
        Buffered { bytes, last, arena, take }: Buffered<'_, '_>,
    ) -> Result<usize, ReadFault> {
        if bytes.is_empty() && last && self.awaits_first {
            return self.read_empty(arena, take);
        }
        let mut start = 0;
        while start < bytes.len() {
            let mut seed = ValueSeed::new(arena);
            match self.plan.decode_first(&mut seed, &bytes[start..], LIMITS) {
                Ok((_, 0)) => {
                    let message = "datums of this schema take no bytes, yet there are some";
                    return Err(fault(start, Error::new(Category::Syntax, message)));
                }
                Ok((value, length)) => {
                    take(ValueSpan::of(bytes, start..start + length), &value, arena)?;
                    start += length;
                    self.awaits_first = false;
                }
                Err(error) if is_cut_off(&error, last) => break,
                Err(error) => return Err(fault(start, error)),
            }
            arena.reset();
        }
        Ok(start)
    }

    /// Reads an input without bytes: one datum if the datums of the schema take no bytes, such as
    /// null or a record without fields, and a datum that is cut off otherwise.
    #[cold]
    fn read_empty(&mut self, arena: &mut Arena, take: &mut Take<'_>) -> Result<usize, ReadFault> {
        let value = self
            .plan
            .decode_seed(&mut ValueSeed::new(arena), &[], LIMITS)
            .map_err(|error| fault(0, error))?;
        take(ValueSpan::of(&[], 0..0), &value, arena)?;
        self.awaits_first = false;
        Ok(0)
    }
}

/// An Avro container file, whose header is read first.
#[derive(Default)]
pub(crate) struct Container(Option<Open>);

struct Open {
    header: Header,
    plan: Plan,
    blocks: BlockCodec,
    // The decompressed datums of a block.
    datums: Vec<u8>,
}

/// The largest number of datums without bytes in a block: no other limit applies to them.
const EMPTY_DATUMS_MAX: u64 = 65_536;

impl Container {
    /// Reads the header at the start of the file. Returns its length and the schema of the values.
    pub(crate) fn open(&mut self, bytes: &[u8], file: &str) -> Result<(usize, Schema), Error> {
        let header = Header::read(bytes)?;
        let (schema, shape) = read_avro(file, &header.schema).map_err(|error| {
            let message = format_args!(
                "the schema in the header, line {} column {}: {}",
                error.line, error.column, error.message
            );
            Error::new(Category::Syntax, message)
        })?;
        let plan = Plan::new(&schema)?;
        let blocks = BlockCodec::new(header.compression)?;
        let length = header.len;
        self.0 = Some(Open { header, plan, blocks, datums: Vec::new() });
        Ok((length, Schema { shape, language: Some(Language::Avro(schema)) }))
    }

    pub(super) fn read(
        &mut self,
        Buffered { bytes, last, arena, take }: Buffered<'_, '_>,
    ) -> Result<usize, ReadFault> {
        // The header was read and consumed before the first value.
        let Some(open) = &mut self.0 else { return Ok(bytes.len()) };
        let mut start = 0;
        while start < bytes.len() {
            let block = match Block::read(&bytes[start..], &open.header.sync) {
                Ok(block) => block,
                Err(error) if is_cut_off(&error, last) => break,
                Err(error) => return Err(fault(start, error)),
            };
            open.block(&block, start, arena, take)?;
            start += block.len;
        }
        Ok(start)
    }
}

impl Open {
    /// Reads the values of one block. Values of a compressed block have the position of the block.
    fn block(
        &mut self,
        block: &Block<'_>,
        start: usize,
        arena: &mut Arena,
        take: &mut Take<'_>,
    ) -> Result<(), ReadFault> {
        let wrong = |message: String| fault(start, Error::new(Category::Syntax, message));
        let datums = self
            .blocks
            .open(block.data, &mut self.datums)
            .map_err(|error| fault(start + block.head, error))?;
        let is_plain = std::ptr::eq(datums, block.data);
        let place = |at: usize| if is_plain { start + block.head + at } else { start };
        if datums.is_empty() && block.count > EMPTY_DATUMS_MAX {
            let count = block.count;
            return Err(wrong(format!("a block claims {count} datums that take no bytes")));
        }
        let mut at = 0;
        for index in 0..block.count {
            let mut seed = ValueSeed::new(arena);
            let first = self.plan.decode_first(&mut seed, &datums[at..], LIMITS);
            let (value, length) = first.map_err(|error| {
                let within = at + error.offset().unwrap_or(0);
                ReadFault::Bytes { at: place(within), error }
            })?;
            if length == 0 && index >= EMPTY_DATUMS_MAX {
                return Err(wrong(format!(
                    "a block has more than {EMPTY_DATUMS_MAX} datums that take no bytes"
                )));
            }
            let bytes = &datums[at..at + length];
            let span = ValueSpan { bytes, at: place(at), packed: !is_plain, dropped: None };
            take(span, &value, arena)?;
            at += length;
            arena.reset();
        }
        if at < datums.len() {
            let (count, left) = (block.count, datums.len() - at);
            let message = format_args!("the block has {left} bytes after its {count} datums");
            return Err(fault(place(at), Error::new(Category::Syntax, message)));
        }
        Ok(())
    }
}
