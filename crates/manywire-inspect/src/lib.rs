//! Walkers that name every byte of a payload, one per format.
//!
//! [`walk()`] reads the bytes of one value and reports each token as a [`Span`]: its range, role,
//! value and path. The spans are in order and cover every byte exactly once. An error
//! in the bytes is a [`Fault`]; valid bytes that a careful writer would avoid get a [`Remark`]. A
//! walk never fails: if it cannot continue after a fault, it reports the remaining bytes as unread.
//! [`walk_from`] does the same for inputs of any length and for streams of values, and keeps one
//! value in memory at a time.
//!
//! The walkers are written from the specifications and share no code with the codecs, so the two
//! readings of each specification can be compared. A walker keeps a stack of open containers and
//! the path, and none of the spans that it has reported. It never allocates memory by a length that
//! the bytes state, and it does not recurse. A walk of JSON, MessagePack or CBOR can therefore
//! pause between two tokens, and a document of any length takes little memory.
//!
//! JSON, MessagePack, CBOR and BSON describe themselves. Protocol Buffers are read with the names
//! and types of a [`Schema`]. Without a schema the wire types leave the types open, and a
//! length-delimited field whose content parses as a message counts as one. Avro needs its schema,
//! which container files contain.

mod avro;
mod bson;
mod cbor;
mod detect;
mod diagnostic;
pub mod display;
mod event;
mod json;
mod msgpack;
mod options;
mod protobuf;
mod ranking;
mod reporter;
mod scalar;
mod walk;
mod window;

pub use detect::{Detection, detect, is_text, reads, recognised_formats};
pub use diagnostic::Diagnostic;
pub use event::{Event, Fault, Remark, Role, Span, Summary};
pub use options::{AvroSchemaReader, Options, Schema};
pub use ranking::{PathBytes, PathRanking};
pub use walk::{walk, walk_from};
