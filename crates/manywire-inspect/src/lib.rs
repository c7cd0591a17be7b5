//! What every byte of a payload is.
//!
//! [`walk`] goes through the bytes of one value and reports each token as a [`Span`]: where it
//! stands, what it is for, what it says, and the path to it. The spans stand in order and cover
//! every byte exactly once. What is wrong is a [`Fault`], what is only unwise a [`Remark`]; a walk
//! never fails. Where it cannot go on, the rest of the bytes is unread. [`walk_from`] does the same
//! for inputs of any length and for values in a row, and holds one of them at a time.
//!
//! The walkers are written from the specifications and know nothing of the codecs: two independent
//! readings of each specification that can be held against each other. A walker keeps a stack of
//! open containers and the path, nothing of what it has reported; it allocates by nothing that
//! the bytes claim, and does not recurse. So it can pause between two tokens of JSON, MessagePack or
//! CBOR, and a document of any length is walked in little memory.
//!
//! JSON, MessagePack, CBOR and BSON say themselves what they hold. Protocol Buffers are read by
//! the names and types of a [`Schema`], or by what their wire types leave open: a field of bytes
//! that reads as a message is taken for one. Avro needs its schema; container files carry it.

mod avro;
mod bson;
mod cbor;
mod detect;
mod diagnostic;
mod json;
mod measure;
mod msgpack;
mod options;
mod protobuf;
mod span;
mod stream;
mod summary;
mod trail;

use manywire_format::{Form, Format, Framing};

pub use detect::{Detected, detect};
pub use diagnostic::Diagnostic;
pub use options::{Options, ReadAvro, Schema};
pub use span::{Event, Fault, Remark, Role, Span};
pub use stream::walk_from;
pub use summary::Summary;

use trail::{Origin, Trail, Walked};

/// Goes through the bytes of one value and says what each of them is.
///
/// An Avro container file, which is no value, is walked as [`walk_from`] does.
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

/// Walks all of the bytes as one value.
fn run(
    format: Format,
    bytes: &[u8],
    origin: Origin,
    options: Options<'_>,
    sink: &mut dyn FnMut(Event<'_>),
) -> Summary {
    let (trail, walked) = walk_one(format, bytes, origin, options, sink);
    Summary { value_count: 1, ..trail.finish(walked.is_ok()).summary }
}

/// Walks the value that the bytes begin with.
fn walk_one<'s>(
    format: Format,
    bytes: &'s [u8],
    origin: Origin,
    options: Options<'_>,
    sink: &'s mut dyn FnMut(Event<'_>),
) -> (Trail<'s>, Walked) {
    let mut trail = Trail::new(bytes, origin, format, options, sink);
    let walked = match (format, options.schema) {
        (Format::Json, _) => json::walk(bytes, &mut trail),
        (Format::MsgPack | Format::MsgPackArray, _) => msgpack::walk(bytes, &mut trail),
        (Format::Cbor, _) => cbor::walk(bytes, &mut trail),
        (Format::Bson, _) => bson::walk(bytes, &mut trail),
        (Format::Protobuf, Some(Schema::Protobuf(schema))) => {
            protobuf::walk(bytes, Some(schema), &mut trail)
        }
        (Format::Protobuf, _) => protobuf::walk(bytes, None, &mut trail),
        (Format::Avro, schema) => {
            let schema = match schema {
                Some(Schema::Avro(schema)) => Some(schema),
                _ => None,
            };
            avro::walk(bytes, schema, options, &mut trail)
        }
    };
    (trail, walked)
}
