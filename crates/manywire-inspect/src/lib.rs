//! What every byte of a payload is.
//!
//! [`walk`] goes through the bytes of one value and reports each token as a [`Span`]: where it
//! stands, what it is for, what it says, and the path to it. The spans stand in order and cover
//! every byte exactly once. What is wrong is a [`Fault`], what is only unwise a [`Remark`]; a walk
//! never fails. Where it cannot go on, the rest of the bytes is one span, unread.
//!
//! The walkers are written from the specifications and know nothing of the codecs: two independent
//! readings of each specification that can be held against each other. A walker keeps a stack of
//! open containers and the path, nothing of what it has reported; it allocates by nothing that
//! the bytes claim, and does not recurse.
//!
//! JSON, MessagePack, CBOR and BSON say themselves what they hold. Protocol Buffers are read by
//! what their wire types leave open: a field of bytes that reads as a message is taken for one.
//! Bytes of Avro cannot be read without their schema, which [`walk`] does not take yet: all of
//! them are unread, behind a fault that says so.

mod bson;
mod cbor;
mod detect;
mod json;
mod measure;
mod msgpack;
mod protobuf;
mod span;
mod trail;

use manywire_format::Format;

pub use detect::detect;
pub use span::{Event, Fault, Remark, Role, Span};

use trail::Trail;

/// How to walk.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How many containers may stand inside each other; deeper ones are a fault. Memory for the
    /// stack is bounded by this, and the length of a path is.
    pub depth_max: usize,
    /// Remark on keys that stand twice in a map. Costs eight bytes a key of the open maps. Keys
    /// that are containers themselves are not compared.
    pub duplicate_keys: bool,
}

impl Options {
    /// 1,024 containers deep, eight times what the codecs read; duplicate keys go unnoticed.
    pub const DEFAULT: Options = Options { depth_max: 1_024, duplicate_keys: false };
}

impl Default for Options {
    fn default() -> Self {
        Options::DEFAULT
    }
}

/// What a walk found, in all. Every count but the last three is in bytes; keys, heads, values and
/// unread bytes add up to the length of the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// What the keys of maps take, with their heads.
    pub keys: usize,
    /// What says kinds, lengths and ends: heads, lengths, quotes and separators.
    pub heads: usize,
    /// What the values themselves take.
    pub values: usize,
    /// What could not be read.
    pub unread: usize,
    /// What the same value takes as JSON without white space: bytes as base64, times as in RFC
    /// 3339, keys that are not text as the text of their value, values of one format's own as what
    /// they carry. `None` where names are not in the bytes, or the walk met a fault.
    pub minified_json: Option<usize>,
    /// How many faults there are.
    pub faults: usize,
    /// How many remarks there are.
    pub remarks: usize,
    /// How many entries and items the value has in all.
    pub entries: usize,
}

/// Goes through the bytes of one value and says what each of them is.
pub fn walk(
    format: Format,
    bytes: &[u8],
    options: Options,
    sink: &mut impl FnMut(Event<'_>),
) -> Summary {
    let mut trail = Trail::new(bytes, options, sink);
    let walked = match format {
        Format::Json => json::walk(bytes, &mut trail),
        Format::MsgPack | Format::MsgPackArray => msgpack::walk(bytes, &mut trail),
        Format::Cbor => cbor::walk(bytes, &mut trail),
        Format::Bson => bson::walk(bytes, &mut trail),
        Format::Protobuf => protobuf::walk(bytes, &mut trail),
        Format::Avro => {
            Err(trail.fault(0, format_args!("a schema, without which no Avro is read")))
        }
    };
    let mut summary = trail.finish(walked.is_ok());
    if summary.faults > 0 || format == Format::Protobuf {
        summary.minified_json = None;
    }
    summary
}
