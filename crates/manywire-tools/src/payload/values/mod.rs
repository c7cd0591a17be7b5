//! From the bytes that are there to the values that stand in them whole, one reader a form.

mod container;
mod messages;
mod plain;

use std::ops::Range;

use manywire_codec::json::ValueReader;
use manywire_codec::{Category, Error, avro, protobuf};
use manywire_format::{Form, Format, Framing};
use manywire_shape::{Arena, Shape, Value};

use crate::payload::input::Halt;
use crate::payload::{LIMITS, Schema};

pub(crate) use container::Container;

/// Reads the values of one form.
pub(crate) enum Values {
    Json(ValueReader),
    Lines(ValueReader),
    MsgPack,
    MsgPackArray(Box<Shape>),
    Cbor,
    Bson,
    Message(Box<protobuf::Plan>),
    Messages(Box<protobuf::Plan>),
    Datums(Box<avro::Plan>),
    Container(Box<Container>),
}

/// Why no more values are read.
pub(crate) enum Fault {
    /// The bytes are not what they should be, `at` this one.
    Bytes { at: usize, error: Error },
    /// Whoever takes the values takes no more; the last began here.
    Halted { at: usize, halt: Halt },
}

/// Where a value stands.
#[derive(Clone, Copy)]
pub(crate) struct Stand<'b> {
    /// The bytes of the value alone.
    pub(crate) bytes: &'b [u8],
    /// Where they begin in those that were given, or where that begins which they were packed in.
    pub(crate) at: usize,
    /// Whether they were packed: then none of them has a place of its own in the input.
    pub(crate) packed: bool,
}

impl<'b> Stand<'b> {
    /// The value that has these bytes of all.
    fn of(all: &'b [u8], range: Range<usize>) -> Self {
        Stand { at: range.start, bytes: &all[range], packed: false }
    }
}

/// Takes a value.
pub(crate) type Take<'t> = dyn FnMut(Stand<'_>, &Value<'_>, &Arena) -> Result<(), Fault> + 't;

impl Values {
    /// A reader of this form. Values that only a schema makes sense of are read by it.
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
            // What is converted must not lose digits on its way in.
            (Format::Json, Framing::Lines) => {
                Values::Lines(ValueReader::new(LIMITS).with_exact_fractions())
            }
            (Format::Json, _) => Values::Json(ValueReader::new(LIMITS).with_exact_fractions()),
            (Format::MsgPack, _) => Values::MsgPack,
            (Format::MsgPackArray, _) => Values::MsgPackArray(Box::new(needed()?.shape.clone())),
            (Format::Cbor, _) => Values::Cbor,
            (Format::Bson, _) => Values::Bson,
            (Format::Protobuf, Framing::Delimited) => {
                Values::Messages(Box::new(needed()?.protobuf()?))
            }
            (Format::Protobuf, _) => Values::Message(Box::new(needed()?.protobuf()?)),
            (Format::Avro, Framing::Container) => Values::Container(Box::default()),
            (Format::Avro, _) => Values::Datums(Box::new(needed()?.avro()?)),
        })
    }

    /// Takes fractions of JSON for the floats that come nearest, instead of keeping every digit.
    pub(crate) fn round_fractions(&mut self) {
        if let Values::Json(reader) | Values::Lines(reader) = self {
            *reader = ValueReader::new(LIMITS);
        }
    }

    /// Takes no value of JSON that reaches over the end of its line.
    pub(crate) fn go_by_lines(&mut self) {
        if let Values::Json(reader) = self {
            *self = Values::Lines(std::mem::replace(reader, ValueReader::new(LIMITS)));
        }
    }

    /// Hands out the values that stand whole in the bytes, and says how many bytes they took. A
    /// value that the bytes end in is left for when there are more, unless these are the `last`.
    /// The arena is emptied between values.
    pub(crate) fn read(
        &mut self,
        bytes: &[u8],
        last: bool,
        arena: &mut Arena,
        take: &mut Take<'_>,
    ) -> Result<usize, Fault> {
        match self {
            Values::Json(reader) => plain::json(reader, bytes, last, arena, take),
            Values::Lines(reader) => plain::lines(reader, bytes, last, arena, take),
            Values::MsgPack => plain::msgpack(bytes, last, arena, take),
            Values::MsgPackArray(shape) => plain::arranged(shape, bytes, last, arena, take),
            Values::Cbor => plain::cbor(bytes, last, arena, take),
            Values::Bson => plain::bson(bytes, last, arena, take),
            Values::Message(plan) => messages::whole(plan, bytes, last, arena, take),
            Values::Messages(plan) => messages::delimited(plan, bytes, last, arena, take),
            Values::Datums(plan) => messages::datums(plan, bytes, last, arena, take),
            Values::Container(container) => container.read(bytes, last, arena, take),
        }
    }
}

/// Whether more bytes may mend it.
fn is_cut_off(error: &Error, last: bool) -> bool {
    !last && error.category() == Category::Eof
}

/// An error whose offset counts from `start`.
#[cold]
fn fault(start: usize, error: Error) -> Fault {
    Fault::Bytes { at: start + error.offset().unwrap_or(0), error }
}
