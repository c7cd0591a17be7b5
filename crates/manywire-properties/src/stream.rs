//! Streams of values: the result does not depend on how the bytes arrive.
//!
//! The readers of values and the walkers of streams keep the part of an input that they need. An
//! input that arrives whole, byte by byte or in two pieces must give the same result. Reader and
//! walker must find the same number of values and fail at the same byte.

use std::io::{self, Cursor, Read};

use manywire_codec::avro::container::{Compression, Header};
use manywire_format::{Form, Format, Framing};
use manywire_inspect::{Event, Options, Role, Schema as KnownSchema, walk_from};
use manywire_tools::payload::{
    BYTE_ORDER_MARK, Halt, Input, InputError, InputPosition, Item, Schema, Take,
};

use crate::agree;
use crate::target::{CheckResult, Violation, ensure};

/// The length to which inputs are cut, because reading byte by byte takes quadratic time, and
/// because reader and walker have different limits on nesting.
const BYTES_MAX: usize = 512;

pub(crate) fn json(bytes: &[u8]) -> CheckResult {
    let form = form(Format::Json, Framing::Sequence);
    if bytes.starts_with(BYTE_ORDER_MARK) {
        // The reader ignores the mark, as RFC 8259, section 8.1, permits. The walker reports it.
        return pieces(form, cut(bytes), None).map(drop);
    }
    check(form, bytes)
}

pub(crate) fn ndjson(bytes: &[u8]) -> CheckResult {
    // Reader and walker differ on purpose: the walker continues after an invalid line and the
    // reader stops, and the reader reports a value that the line cuts off before the line feed.
    pieces(form(Format::Json, Framing::Lines), cut(bytes), None).map(drop)
}

pub(crate) fn msgpack(bytes: &[u8]) -> CheckResult {
    check(form(Format::MsgPack, Framing::Sequence), bytes)
}

pub(crate) fn cbor(bytes: &[u8]) -> CheckResult {
    check(form(Format::Cbor, Framing::Sequence), bytes)
}

pub(crate) fn bson(bytes: &[u8]) -> CheckResult {
    check(form(Format::Bson, Framing::Sequence), bytes)
}

pub(crate) fn protobuf(bytes: &[u8]) -> CheckResult {
    // A fault in one message stops the reader, but not the walker.
    let form = form(Format::Protobuf, Framing::Delimited);
    pieces(form, cut(bytes), Some(agree::protobuf_document())).map(drop)
}

fn form(format: Format, framing: Framing) -> Form {
    Form { format, framing }
}

fn cut(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.len().min(BYTES_MAX)]
}

/// Checks that the input gives the same result whole and in pieces, and that reader and walker find
/// the same number of values and fail at the same byte.
fn check(form: Form, bytes: &[u8]) -> CheckResult {
    let bytes = cut(bytes);
    let (read, walk) = pieces(form, bytes, None)?;
    let (Some(fault), Some(failed)) = (&walk.fault, &read.failed) else {
        let values = walk.values == read.values.len() as u64;
        ensure!(
            values && walk.fault.is_none() && read.failed.is_none(),
            "{} values are read, then {:?}; {} are walked, then {:?}",
            read.values.len(),
            read.failed,
            walk.values,
            walk.fault
        );
        return Ok(());
    };
    let index = walk
        .fault_path
        .strip_prefix("$#")
        .map(|path| path.find(|c: char| !c.is_ascii_digit()).map_or(path, |end| &path[..end]));
    ensure!(
        index.is_some_and(|index| index == read.values.len().to_string()),
        "{} values are read, then {failed}; in walking, {fault:?} is at {}",
        read.values.len(),
        walk.fault_path
    );
    let same = match &failed.place {
        InputPosition::Byte(at) => *at == fault.0,
        InputPosition::Text { line, column, .. } => {
            (*line, *column) == line_and_column(bytes, fault.0)
        }
        InputPosition::Whole => false,
    };
    ensure!(same, "reading fails: {failed}; walking at {fault:?}");
    Ok(())
}

/// Returns the line and column of a byte, both from 1.
fn line_and_column(bytes: &[u8], at: usize) -> (usize, usize) {
    let before = &bytes[..at];
    let line = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    let lines = before.iter().filter(|byte| **byte == b'\n').count();
    let begins = |byte: &&u8| **byte & 0xc0 != 0x80;
    (lines + 1, before[line..].iter().filter(begins).count() + 1)
}

/// Reads and walks the bytes whole and in pieces, and checks that the results are the same.
fn pieces(
    form: Form,
    bytes: &[u8],
    schema: Option<&Schema>,
) -> Result<(ReadOutcome, WalkOutcome), Violation> {
    let whole = read(form, &[bytes], schema);
    let walked = walk(form, &[bytes], usize::MAX, schema);
    // The input determines where it is split.
    let sum = bytes.iter().fold(bytes.len(), |sum, byte| sum.wrapping_add(usize::from(*byte)));
    let (front, back) = bytes.split_at(sum % (bytes.len() + 1));
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    for parts in [&[front, back][..], &single] {
        let again = read(form, parts, schema);
        if again != whole {
            let count = parts.len();
            return Err(Violation(format!("read in {count} pieces: {again:?}; whole: {whole:?}")));
        }
        let again = walk(form, parts, front.len().max(1), schema);
        if again != walked {
            let count = parts.len();
            let differs = walked.difference(&again);
            return Err(Violation(format!(
                "walked in {count} pieces, differently from the whole input: {differs}"
            )));
        }
    }
    Ok((whole, walked))
}

/// A reader of bytes in pieces.
struct Pieces(std::vec::IntoIter<Cursor<Vec<u8>>>, Cursor<Vec<u8>>);

impl Pieces {
    fn new(parts: &[&[u8]]) -> Self {
        let parts: Vec<_> = parts.iter().map(|part| Cursor::new(part.to_vec())).collect();
        Pieces(parts.into_iter(), Cursor::default())
    }
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.1.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            match self.0.next() {
                Some(next) => self.1 = next,
                None => return Ok(0),
            }
        }
    }
}

/// The values that were read, and the error that ended reading.
#[derive(Debug, Default)]
struct ReadOutcome {
    values: Vec<String>,
    failed: Option<InputError>,
}

impl PartialEq for ReadOutcome {
    fn eq(&self, other: &Self) -> bool {
        // The excerpt around the position depends on how much has been read.
        let text = |read: &ReadOutcome| {
            let error = read.failed.as_ref()?;
            let place = match &error.place {
                InputPosition::Text { line, column, .. } => format!("{line}:{column}"),
                other => format!("{other:?}"),
            };
            Some(format!("{} {place} {} {}", error.value, error.path, error.message))
        };
        self.values == other.values && text(self) == text(other)
    }
}

/// Collects values as text.
#[derive(Default)]
struct Collect(Vec<String>);

impl Take for Collect {
    fn value(&mut self, item: Item<'_>) -> Result<(), Halt> {
        self.0.push(format!("{:?}", item.value));
        Ok(())
    }

    fn pause(&mut self) -> Result<(), Halt> {
        Ok(())
    }
}

fn read(form: Form, parts: &[&[u8]], schema: Option<&Schema>) -> ReadOutcome {
    let mut collect = Collect::default();
    let input = Input::from_reader("input", Box::new(Pieces::new(parts)), form, schema);
    let failed = input.and_then(|mut input| input.each(&mut collect)).err();
    ReadOutcome { values: collect.0, failed }
}

/// The events of a walk as text.
#[derive(Debug, Default, PartialEq)]
struct WalkOutcome {
    events: Vec<String>,
    values: u64,
    fault: Option<(usize, String)>,
    fault_path: String,
    faults: Vec<usize>,
}

impl WalkOutcome {
    /// Returns the first pair of different events.
    fn difference(&self, other: &WalkOutcome) -> String {
        let mut pairs = self.events.iter().zip(&other.events);
        let first = pairs.find(|(one, other)| one != other);
        let counts = (self.events.len(), other.events.len(), self.values, other.values);
        format!("{first:?}; events and values {counts:?}")
    }
}

fn walk(form: Form, parts: &[&[u8]], read_size: usize, schema: Option<&Schema>) -> WalkOutcome {
    let mut walk = WalkOutcome::default();
    let read_avro = |text: &str| match manywire_schema::read_avro("header", text) {
        Ok((schema, _)) => Ok(schema),
        Err(error) => Err(error.to_string()),
    };
    let schema = match schema.and_then(|schema| schema.language.as_ref()) {
        Some(manywire_schema::Language::Proto(schema)) => Some(KnownSchema::Protobuf(schema)),
        _ => None,
    };
    let read_size = read_size.min(64 << 10);
    let led = Options { schema, read_avro: Some(read_avro), ..agree::SMALL_ZERO_SIZE_BUDGET };
    let options = Options { read_size, duplicate_keys: true, ..led };
    let mut unread: Option<(usize, usize)> = None;
    let mut sink = |event: Event<'_>| match event {
        // The unread rest is reported in as many spans as there are reads.
        Event::Span(span) if span.role == Role::Unread => match &mut unread {
            Some((_, end)) if *end == span.range.start => *end = span.range.end,
            _ => unread = Some((span.range.start, span.range.end)),
        },
        Event::Span(span) => walk.events.push(format!(
            "{:?} {:?} {} {} {:?}",
            span.range, span.role, span.path, span.type_name, span.value
        )),
        Event::Fault(fault) => {
            let found = (fault.offset, fault.expected.to_string());
            walk.events.push(format!("{found:?} {}", fault.path));
            walk.faults.push(fault.offset);
            if walk.fault.is_none() {
                (walk.fault, walk.fault_path) = (Some(found), fault.path.to_owned());
            }
        }
        Event::Remark(remark) => {
            walk.events.push(format!("{} {} {}", remark.offset, remark.path, remark.message));
        }
    };
    let walked = walk_from(&mut Pieces::new(parts), form, options, &mut sink);
    walk.events.extend(unread.map(|unread| format!("unread: {unread:?}")));
    walk.values = walked.map_or(0, |summary| summary.value_count);
    walk
}

/// The length to which container files are cut, because blocks of longer files would meet different
/// limits of reader and walker.
const CONTAINER_BYTES_MAX: usize = 1 << 10;

pub(crate) fn avro_container(bytes: &[u8]) -> CheckResult {
    let bytes = &bytes[..bytes.len().min(CONTAINER_BYTES_MAX)];
    let form = Form { format: Format::Avro, framing: Framing::Container };
    let (read, walk) = pieces(form, bytes, None)?;
    let compression = Header::read(bytes).map(|header| header.compression);
    // Reader and walker know different compression codecs.
    if matches!(compression, Ok(Compression::Zstandard)) {
        return Ok(());
    }
    let Some(failed) = &read.failed else {
        ensure!(
            walk.fault.is_none() && walk.values == read.values.len() as u64,
            "{} values are read; {} are walked, then {:?}",
            read.values.len(),
            walk.values,
            walk.fault
        );
        return Ok(());
    };
    // The walker reads the whole header before it interprets the metadata.
    let header = failed.message.starts_with("avro.");
    let unknown = header || failed.message.contains("compressed with");
    // The limits on zero-length items differ between reader and walker.
    let empty = |text: &str| text.contains("no bytes");
    let walked_empty = walk.events.iter().any(|event| event.contains("zero-length values"));
    if unknown || empty(&failed.message) || walked_empty {
        return Ok(());
    }
    ensure!(walk.fault.is_some(), "reading fails, walking does not: {failed}");
    // The walker continues after a fault in a block, and walks a block before the marker behind the
    // block. Offsets in decompressed bytes are not offsets in the file.
    let place = match failed.place {
        InputPosition::Byte(at) if matches!(compression, Ok(Compression::Null)) => at,
        _ => return Ok(()),
    };
    ensure!(
        walk.faults.contains(&place),
        "reading fails at {place}: {failed}; walking at {:?}, {:?}",
        walk.faults,
        walk.fault
    );
    Ok(())
}
