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
mod event;
mod json;
mod msgpack;
mod options;
mod protobuf;
mod reporter;
mod scalar;
mod walk;
mod window;

pub use detect::{Detected, detect};
pub use diagnostic::Diagnostic;
pub use event::{Event, Fault, Remark, Role, Span, Summary};
pub use options::{Options, ReadAvro, Schema};
pub use walk::{walk, walk_from};
