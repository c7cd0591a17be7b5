//! Object container files: a header with the schema, then blocks of data.

mod block;

use std::borrow::Cow;
use std::io;

use manywire_format::Format;
use manywire_shape::Value;
use manywire_shape::avro::{Schema, SchemaBuilder, Type};

use super::{Empties, datum};
use crate::stream::Window;
use crate::trail::{Ended, Origin, Part, Trail};
use crate::{Event, Options, Role, Schema as Known, Summary};

/// What every container file begins with.
pub(crate) const MAGIC: &[u8; 4] = b"Obj\x01";

/// The length of the marker that ends the header and every block.
const SYNC: usize = 16;

type Sink<'s> = &'s mut dyn FnMut(Event<'_>);

pub(crate) struct Container<'o> {
    options: Options<'o>,
    schema: Option<Cow<'o, Schema>>,
    codec: Vec<u8>,
    sync: [u8; SYNC],
    summary: Summary,
    blocks: u64,
    empties: Empties,
}

impl<'o> Container<'o> {
    pub(crate) fn new(options: Options<'o>) -> Self {
        let schema = match options.schema {
            Some(Known::Avro(schema)) => Some(Cow::Borrowed(schema)),
            _ => None,
        };
        Container {
            options,
            schema,
            codec: Vec::new(),
            sync: [0; SYNC],
            summary: Summary::EMPTY,
            blocks: 0,
            empties: Empties::new(options),
        }
    }

    /// Walks up to the end, or to a fault behind which nothing can be told.
    pub(crate) fn walk(mut self, window: &mut Window<'_>, sink: Sink<'_>) -> io::Result<Summary> {
        if self.header(window, sink)? {
            while window.reach(1)? && self.block(window, sink)? {}
        }
        Ok(self.summary)
    }

    fn add(&mut self, ended: Ended) {
        self.summary.add(&ended.summary);
    }

    /// The magic, the metadata and the marker. `false` if there is no going on.
    fn header(&mut self, window: &mut Window<'_>, sink: Sink<'_>) -> io::Result<bool> {
        let metadata = metadata_schema();
        loop {
            let mut silent = |_: Event<'_>| {};
            let mut trail = self.trail(window, Part::Header, &mut silent);
            let whole = header(window.bytes(), &metadata, &mut trail).is_some();
            if whole
                || !trail.end().ends_early
                || window.is_last()
                || window.bytes().len() >= self.options.value_max
            {
                break;
            }
            window.extend()?;
        }
        let mut found = Metadata::default();
        let mut listening = |event: Event<'_>| {
            found.hear(&event);
            sink(event);
        };
        let mut trail = self.trail(window, Part::Header, &mut listening);
        let sync = header(window.bytes(), &metadata, &mut trail);
        let mut ended = trail.end();
        let covered = ended.covered;
        ended.summary.is_no_value();
        self.add(ended);
        if let Some(sync) = sync {
            self.sync = sync;
            self.codec = found.codec;
            let own = self.own_schema(found.schema.as_deref(), window, sink);
            if let Some(own) = own {
                self.schema = Some(Cow::Owned(own));
            }
        }
        window.pass(covered);
        Ok(sync.is_some())
    }

    /// The schema that the header holds. It is that of the writer, which is the one that counts.
    fn own_schema(
        &mut self,
        text: Option<&[u8]>,
        window: &Window<'_>,
        sink: Sink<'_>,
    ) -> Option<Schema> {
        let Some(text) = text else {
            let mut trail = self.trail(window, Part::Header, sink);
            trail.fault(MAGIC.len(), format_args!("avro.schema in the metadata"));
            self.add(trail.end());
            return None;
        };
        let read = match (std::str::from_utf8(text), self.options.read_avro) {
            (_, None) => return None,
            (Ok(text), Some(read)) => read(text),
            (Err(_), _) => Err(String::from("it is not UTF-8")),
        };
        match read {
            Ok(schema) => Some(schema),
            Err(error) => {
                let mut trail = self.trail(window, Part::Header, sink);
                trail.fault(0, format_args!("a schema in the header that can be read: {error}"));
                let ended = trail.end();
                self.add(ended);
                None
            }
        }
    }

    fn trail<'s>(&self, window: &'s Window<'_>, part: Part, sink: Sink<'s>) -> Trail<'s> {
        let origin = Origin::at(window, part);
        Trail::new(window.bytes(), origin, Format::Avro, self.options, sink)
    }
}

/// The header; its marker, if it is whole.
fn header(bytes: &[u8], metadata: &Schema, trail: &mut Trail<'_>) -> Option<[u8; SYNC]> {
    let same = bytes.iter().zip(MAGIC).take_while(|(found, mark)| found == mark).count();
    if same < MAGIC.len() {
        // At the end it is cut off.
        trail.fault(same, format_args!("the mark of a container file, Obj and 1"));
        return None;
    }
    trail.plain(0..MAGIC.len(), Role::Head, format_args!("Avro object container file"));
    let mut empties = Empties::new(Options::DEFAULT);
    datum(bytes, MAGIC.len(), metadata, &mut empties, trail).ok()?;
    let start = trail.covered();
    match bytes[start..].first_chunk() {
        Some(sync) => {
            trail.plain(start..start + SYNC, Role::Head, format_args!("sync marker"));
            Some(*sync)
        }
        None => {
            let left = bytes.len() - start;
            let expected = format_args!("a marker of 16 bytes, of which {left} are here");
            trail.cut(start, expected);
            None
        }
    }
}

/// The metadata of a header is a map of bytes, as the specification says in Avro's own words.
fn metadata_schema() -> Schema {
    let mut builder = SchemaBuilder::default();
    let bytes = builder.add(Type::Bytes);
    let map = builder.add(Type::Map(bytes));
    builder.finish(map).expect("a map of bytes is a schema")
}

/// What a header says that the blocks depend on.
#[derive(Default)]
struct Metadata {
    key: String,
    schema: Option<Vec<u8>>,
    codec: Vec<u8>,
}

impl Metadata {
    fn hear(&mut self, event: &Event<'_>) {
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
