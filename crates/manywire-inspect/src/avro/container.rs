//! The walker of Avro object container files: a header with the schema, then blocks of data.

use std::borrow::Cow;
use std::io;

use manywire_format::Format;
use manywire_shape::Value;
use manywire_shape::avro::{Schema, SchemaBuilder, Type};

use super::compression::Compression;
use super::datum::{ZeroSizeBudget, datum};
use crate::protobuf::{VarintError, varint, zigzag};
use crate::reporter::{InputPart, Origin, Reporter, WalkEnd};
use crate::window::Window;
use crate::{Event, Options, Role, Schema as KnownSchema, Summary};

/// The first bytes of every container file.
pub(crate) const MAGIC: &[u8; 4] = b"Obj\x01";

/// The length of the sync marker after the header and after every block.
const SYNC: usize = 16;

type Sink<'s> = &'s mut dyn FnMut(Event<'_>);

/// The walk of a container file.
pub(crate) struct Container<'o> {
    options: Options<'o>,
    schema: Option<Cow<'o, Schema>>,
    codec: Vec<u8>,
    sync: [u8; SYNC],
    summary: Summary,
    blocks: u64,
    zero_size: ZeroSizeBudget,
}

impl<'o> Container<'o> {
    pub(crate) fn new(options: Options<'o>) -> Self {
        let schema = match options.schema {
            Some(KnownSchema::Avro(schema)) => Some(Cow::Borrowed(schema)),
            _ => None,
        };
        Container {
            options,
            schema,
            codec: Vec::new(),
            sync: [0; SYNC],
            summary: Summary::EMPTY,
            blocks: 0,
            zero_size: ZeroSizeBudget::new(options),
        }
    }

    /// Walks to the end of the file, or to a fault after which the blocks have no boundaries.
    pub(crate) fn walk(mut self, window: &mut Window<'_>, sink: Sink<'_>) -> io::Result<Summary> {
        if self.header(window, sink)? {
            while window.fill(1)? && self.block(window, sink)? {}
        }
        Ok(self.summary)
    }

    fn add(&mut self, ended: WalkEnd) {
        self.summary.add(&ended.summary);
    }

    /// Walks the magic, the metadata and the marker. Returns `false` if the walk cannot continue.
    fn header(&mut self, window: &mut Window<'_>, sink: Sink<'_>) -> io::Result<bool> {
        let metadata = metadata_schema();
        loop {
            let mut silent = |_: Event<'_>| {};
            let mut reporter = self.reporter(window, InputPart::Header, &mut silent);
            let whole = header(window.bytes(), &metadata, &mut reporter).is_some();
            if whole
                || !reporter.end().ends_early
                || window.is_last()
                || window.bytes().len() >= self.options.value_max
            {
                break;
            }
            window.read_more()?;
        }
        let mut found = Metadata::default();
        let mut listening = |event: Event<'_>| {
            found.observe(&event);
            sink(event);
        };
        let mut reporter = self.reporter(window, InputPart::Header, &mut listening);
        let sync = header(window.bytes(), &metadata, &mut reporter);
        let mut ended = reporter.end();
        let covered = ended.covered;
        ended.summary.is_no_value();
        self.add(ended);
        if let Some(sync) = sync {
            self.sync = sync;
            self.codec = found.codec;
            let own = self.header_schema(found.schema.as_deref(), window, sink);
            if let Some(own) = own {
                self.schema = Some(Cow::Owned(own));
            }
        }
        window.advance(covered);
        Ok(sync.is_some())
    }

    /// Parses the writer's schema in the header. The writer's schema takes precedence over the
    /// schema in the options.
    fn header_schema(
        &mut self,
        text: Option<&[u8]>,
        window: &Window<'_>,
        sink: Sink<'_>,
    ) -> Option<Schema> {
        let Some(text) = text else {
            let mut reporter = self.reporter(window, InputPart::Header, sink);
            reporter.fault(MAGIC.len(), format_args!("avro.schema in the metadata"));
            self.add(reporter.end());
            return None;
        };
        let read = match (std::str::from_utf8(text), self.options.read_avro) {
            (_, None) => return None,
            (Ok(text), Some(read)) => read(text),
            (Err(error), _) => {
                Err(format!("invalid UTF-8 at byte {} of the schema", error.valid_up_to()))
            }
        };
        match read {
            Ok(schema) => Some(schema),
            Err(error) => {
                let mut reporter = self.reporter(window, InputPart::Header, sink);
                reporter.fault(0, format_args!("a schema in the header that can be read: {error}"));
                let ended = reporter.end();
                self.add(ended);
                None
            }
        }
    }

    fn reporter<'s>(
        &self,
        window: &'s Window<'_>,
        part: InputPart,
        sink: Sink<'s>,
    ) -> Reporter<'s> {
        let origin = Origin::at(window, part);
        Reporter::new(window.bytes(), origin, Format::Avro, self.options, sink)
    }
}

/// Walks the header and returns its marker if the header is complete.
fn header(bytes: &[u8], metadata: &Schema, reporter: &mut Reporter<'_>) -> Option<[u8; SYNC]> {
    let same = bytes.iter().zip(MAGIC).take_while(|(found, mark)| found == mark).count();
    if same < MAGIC.len() {
        // At the end of the bytes this is a header cut short.
        reporter.fault(same, format_args!("the mark of a container file, Obj and 1"));
        return None;
    }
    reporter.outside_value(0..MAGIC.len(), Role::Head, format_args!("Avro object container file"));
    let mut zero_size = ZeroSizeBudget::new(Options::DEFAULT);
    datum(bytes, MAGIC.len(), metadata, &mut zero_size, reporter).ok()?;
    let start = reporter.covered();
    match bytes[start..].first_chunk() {
        Some(sync) => {
            reporter.outside_value(start..start + SYNC, Role::Head, format_args!("sync marker"));
            Some(*sync)
        }
        None => {
            let left = bytes.len() - start;
            let expected = format_args!("a marker of 16 bytes, but only {left} are left");
            reporter.truncated(start, expected);
            None
        }
    }
}

/// Returns the schema of the metadata: a map of bytes.
fn metadata_schema() -> Schema {
    let mut builder = SchemaBuilder::default();
    let bytes = builder.add(Type::Bytes);
    let map = builder.add(Type::Map(bytes));
    builder.finish(map).expect("a map of bytes is a schema")
}

/// The metadata that the blocks depend on.
#[derive(Default)]
struct Metadata {
    key: String,
    schema: Option<Vec<u8>>,
    codec: Vec<u8>,
}

impl Metadata {
    fn observe(&mut self, event: &Event<'_>) {
        let Event::Span(span) = event else { return };
        match (span.role, span.value) {
            (Role::Key, Some(Value::Str(key))) => key.clone_into(&mut self.key),
            (_, Some(Value::Bytes(bytes))) if self.key == "avro.schema" => {
                self.schema = Some(bytes.to_vec());
            }
            (_, Some(Value::Bytes(bytes))) if self.key == "avro.codec" => {
                self.codec = bytes.to_vec();
            }
            _ => {}
        }
    }
}

/// The maximum length of a varint in bytes.
const VARINT_MAX: usize = 10;

impl Container<'_> {
    /// Walks a block: the number of objects, the number of bytes, the objects, the marker. Returns
    /// `false` if the walk cannot continue.
    fn block(&mut self, window: &mut Window<'_>, sink: Sink<'_>) -> io::Result<bool> {
        window.fill(2 * VARINT_MAX)?;
        let mut reporter = self.reporter(window, InputPart::Block(self.blocks), sink);
        let bytes = window.bytes();
        let count = number(bytes, 0, "the number of objects in the block", &mut reporter);
        let Some((count, first)) = count else {
            self.add(reporter.end());
            return Ok(false);
        };
        reporter.outside_value(0..first, Role::Length, format_args!("block of {count} objects"));
        let size = number(bytes, first, "the number of bytes in the block", &mut reporter);
        let Some((size, second)) = size else {
            let ended = reporter.end();
            self.add(ended);
            window.advance(first);
            return Ok(false);
        };
        reporter.outside_value(
            first..second,
            Role::Length,
            format_args!("{size} bytes of objects"),
        );
        self.add(reporter.end());
        window.advance(second);
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let limit = self.options.value_max;
        if size > limit {
            let mut reporter = self.reporter(window, InputPart::Block(self.blocks), sink);
            reporter.fault(0, format_args!("a block of no more than {limit} bytes"));
            self.add(reporter.end());
            return Ok(false);
        }
        let whole = window.fill(size.saturating_add(SYNC))?;
        if !whole {
            let left = window.bytes().len();
            let mut reporter = self.reporter(window, InputPart::Block(self.blocks), sink);
            let expected =
                format_args!("{size} bytes and a marker of 16, but only {left} are left");
            // The fault is where the missing part begins: the data, or the marker after them.
            reporter.truncated(if size > left { 0 } else { size }, expected);
            self.add(reporter.end());
        }
        let length = size.min(window.bytes().len());
        self.data(count, length, window, sink);
        window.advance(length);
        if whole {
            self.marker(window, sink);
        }
        self.blocks += 1;
        Ok(whole)
    }

    fn marker(&mut self, window: &mut Window<'_>, sink: Sink<'_>) {
        let mut reporter = self.reporter(window, InputPart::Block(self.blocks), sink);
        if !window.bytes().starts_with(&self.sync) {
            reporter.fault(0, format_args!("the sync marker of the header"));
        }
        reporter.outside_value(0..SYNC, Role::Head, format_args!("sync marker"));
        self.add(reporter.end());
        window.advance(SYNC);
    }

    /// Walks the data of a block, unpacked if the codec is known.
    fn data(&mut self, count: u64, length: usize, window: &Window<'_>, sink: Sink<'_>) {
        let bytes = &window.bytes()[..length];
        let codec = String::from_utf8_lossy(&self.codec).into_owned();
        let origin = Origin::at(window, InputPart::Block(self.blocks));
        let known = Compression::from_name(&codec);
        if matches!(codec.as_str(), "" | "null") {
            self.objects(count, bytes, origin, sink);
        } else if let Some(compression) = known {
            let unpacked = compression.unpack(bytes, self.options.unpacked_max);
            let mut reporter = self.reporter(window, InputPart::Block(self.blocks), sink);
            match &unpacked {
                Ok(unpacked) => {
                    let unpacked = unpacked.len();
                    let name = format_args!("packed by {codec}, {unpacked} bytes unpacked");
                    reporter.outside_value(0..length, Role::Value, name);
                }
                Err(error) => {
                    reporter.fault(0, format_args!("{error}"));
                    reporter.outside_value(
                        0..length,
                        Role::Unread,
                        format_args!("packed by {codec}"),
                    );
                }
            }
            self.add(reporter.end());
            if let Ok(unpacked) = unpacked {
                let inside = Some(origin.base);
                self.objects(count, &unpacked, Origin { base: 0, inside, ..origin }, sink);
            }
        } else {
            let mut reporter = self.reporter(window, InputPart::Block(self.blocks), sink);
            let name = format_args!("{count} objects packed by {codec}, not unpacked here");
            reporter.outside_value(0..length, Role::Value, name);
            self.add(reporter.end());
            self.summary.value_count = self.summary.value_count.saturating_add(count);
            self.summary.forget_json();
        }
    }

    /// Walks the objects of a block.
    fn objects(&mut self, count: u64, bytes: &[u8], origin: Origin, sink: Sink<'_>) {
        let mut at = 0;
        let mut whole = true;
        self.zero_size.allow(bytes.len());
        for _ in 0..count {
            let Some(schema) = self.schema.as_deref() else { break };
            let part = InputPart::Value(self.summary.value_count);
            let here = Origin { base: origin.base + at, part, ..origin };
            let rest = &bytes[at..];
            let mut reporter = Reporter::new(rest, here, Format::Avro, self.options, &mut *sink);
            let walked = datum(rest, 0, schema, &mut self.zero_size, &mut reporter);
            let ended = reporter.end();
            at += ended.covered;
            self.add_object(ended, origin.inside);
            whole = walked.is_ok();
            if !whole {
                break;
            }
        }
        let rest = &bytes[at..];
        let here = Origin { base: origin.base + at, ..origin };
        let mut reporter = Reporter::new(rest, here, Format::Avro, self.options, sink);
        if self.schema.is_none() {
            reporter
                .fault(0, format_args!("a schema, because Avro data do not describe themselves"));
        } else if whole && !rest.is_empty() {
            reporter.fault(0, format_args!("the end of the block: it has no more objects"));
        }
        if !rest.is_empty() {
            reporter.outside_value(0..rest.len(), Role::Unread, format_args!("unread"));
        }
        self.add_inner(reporter.end(), origin.inside);
    }

    fn add_object(&mut self, ended: WalkEnd, inside: Option<usize>) {
        self.summary.value_count += 1;
        self.add_inner(ended, inside);
    }

    /// Adds a summary. Unpacked objects cover no bytes of the input.
    fn add_inner(&mut self, mut ended: WalkEnd, inside: Option<usize>) {
        if inside.is_some() {
            let Summary { keys, heads, values, unread, .. } = &mut ended.summary;
            (*keys, *heads, *values, *unread) = (0, 0, 0, 0);
        }
        self.add(ended);
    }
}

/// Reads a non-negative zigzag varint and returns the number and the offset of its end.
fn number(
    bytes: &[u8],
    at: usize,
    what: &str,
    reporter: &mut Reporter<'_>,
) -> Option<(u64, usize)> {
    match varint(&bytes[at..]) {
        Ok((number, length)) => {
            let end = at + length;
            if length > 1 && bytes[end - 1] == 0 {
                reporter.fault(at, format_args!("{what} in its shortest varint"));
            }
            match u64::try_from(zigzag(number)) {
                Ok(number) => return Some((number, end)),
                Err(_) => reporter.fault(at, format_args!("{what}, not a number below zero")),
            }
        }
        Err(VarintError::Truncated) => reporter.truncated(bytes.len(), format_args!("{what}")),
        Err(VarintError::TooLong) => reporter.fault(at, format_args!("{what} within 64 bits")),
    };
    None
}
