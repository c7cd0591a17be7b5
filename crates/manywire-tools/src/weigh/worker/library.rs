//! The libraries of the built-in lane, and the loops that are timed: one library, one format, over
//! payloads that are loaded.
//!
//! [`LibraryCodec`] is implemented by our own codecs, serde_json and rmp-serde.

use std::fmt;
use std::hint::black_box;
use std::marker::PhantomData;

use manywire_codec::Codec;
use manywire_codec::coding::{DecodeLimits, Decoder, Encoder};
use manywire_format::{CodingLevel, Format};
use manywire_shape::{Arena, Value};
use serde::Serialize;

use crate::payload::{LIMITS, Schema};
use crate::weigh::report::OWN_LIBRARY_NAME;
use crate::weigh::subject::Operation;

/// A library that reads and writes dynamic values.
pub(crate) struct Library {
    /// The name in the registry.
    pub(crate) name: &'static str,
    /// The version compiled in.
    pub(crate) version: &'static str,
    /// The only format; `None` for every format.
    format: Option<Format>,
    /// Decodes payloads in a format and keeps the values.
    pub(super) load: Load,
}

type Load = for<'a> fn(
    Format,
    Vec<&'a [u8]>,
    &Schema,
    &'a Arena,
) -> Result<Box<dyn Loaded + 'a>, LibraryError>;

/// The error of a library, or of the loops around it.
#[derive(Debug)]
pub(super) enum LibraryError {
    /// The error of a codec, or of a content coding.
    Codec(Box<dyn std::error::Error>),
    /// The error for one of several payloads, by its number from 1.
    Payload(usize, Box<LibraryError>),
    /// The payloads were not compressed at this level.
    NotPrepared(CodingLevel),
}

impl fmt::Display for LibraryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LibraryError::Codec(error) => error.fmt(f),
            LibraryError::Payload(number, error) => write!(f, "payload {number}: {error}"),
            LibraryError::NotPrepared(level) => write!(f, "{level} was not prepared"),
        }
    }
}

impl<E: std::error::Error + 'static> From<E> for LibraryError {
    #[cold]
    fn from(error: E) -> Self {
        LibraryError::Codec(Box::new(error))
    }
}

/// Our own codecs.
pub(crate) const OWN_LIBRARY: Library = Library {
    name: OWN_LIBRARY_NAME,
    version: env!("CARGO_PKG_VERSION"),
    format: None,
    load: load_manywire,
};

/// Every library, in the order of the rows of a format. The versions of the others must match the
/// lock file; a test compares them.
pub(super) const LIBRARIES: &[Library] = &[
    OWN_LIBRARY,
    Library {
        name: "serde_json",
        version: SERDE_JSON_VERSION,
        format: Some(Format::Json),
        load: load_trees::<SerdeJson>,
    },
    Library {
        name: "rmp-serde",
        version: RMP_SERDE_VERSION,
        format: Some(Format::MsgPack),
        load: load_trees::<RmpSerde>,
    },
];

const SERDE_JSON_VERSION: &str = "1.0.154";
const RMP_SERDE_VERSION: &str = "1.3.1";

impl Library {
    /// Returns the formats that the library reads and writes.
    pub(super) fn formats(&self) -> Vec<Format> {
        match self.format {
            Some(format) => vec![format],
            None => Format::ALL.to_vec(),
        }
    }
}

/// Returns the version of a library by name.
pub(super) fn version(name: &str) -> &'static str {
    LIBRARIES.iter().find(|library| library.name == name).map_or("", |library| library.version)
}

/// The loaded payloads of a subject.
pub(super) trait Loaded {
    /// Returns the number of payloads.
    fn len(&self) -> usize;

    /// Returns the decoded values.
    fn values(&self) -> Result<Vec<Value<'_>>, LibraryError>;

    /// Encodes each value.
    fn encode(&self) -> Result<Vec<Vec<u8>>, LibraryError>;

    /// Makes the encoder, the decoder and the compressed payloads of an operation, if it has a
    /// coding.
    fn prepare(&mut self, operation: Operation) -> Result<(), LibraryError>;

    /// Runs a prepared operation over a window of payloads, `repeats` times over, without a virtual
    /// call inside the loop.
    fn run(
        &mut self,
        operation: Operation,
        window: &[usize],
        repeats: u64,
    ) -> Result<(), LibraryError>;
}

/// One library with the value of every payload, as the loops below call it.
///
/// Only `encode` and `decode` are measured. Their inputs are prepared beforehand. Their results are
/// dropped inside the measurement, because freeing is part of the cost.
trait LibraryCodec {
    /// Writes the value of a payload into an empty buffer, as `to_vec` would.
    fn encode(&self, payload: usize, out: &mut Vec<u8>) -> Result<(), LibraryError>;

    /// Reads bytes and drops the value.
    fn decode(&self, bytes: &[u8]) -> Result<(), LibraryError>;

    /// Returns the values of the payloads.
    fn values(&self) -> Result<Vec<Value<'_>>, LibraryError>;
}

/// The capacity of a fresh buffer for every library, the same as in serde_json's `to_vec`.
const FRESH_CAPACITY: usize = 128;

/// A library with its payloads, uncompressed and in each requested coding.
struct Prepared<'a, C> {
    codec: C,
    payloads: Vec<&'a [u8]>,
    coded: Vec<Coded>,
}

/// The payloads in one coding.
struct Coded {
    level: CodingLevel,
    encoder: Encoder,
    decoder: Decoder,
    bytes: Vec<Vec<u8>>,
    buffer: Vec<u8>,
}

/// Decodes each payload. An error names the payload by its number if there are several.
fn decode_each<'a, V>(
    payloads: &[&'a [u8]],
    decode: impl Fn(&'a [u8]) -> Result<V, LibraryError>,
) -> Result<Vec<V>, LibraryError> {
    let decode = |(index, bytes): (usize, &&'a [u8])| {
        decode(bytes).map_err(|reason| match payloads.len() {
            1 => reason,
            _ => LibraryError::Payload(index + 1, Box::new(reason)),
        })
    };
    payloads.iter().enumerate().map(decode).collect()
}

impl<'a, C: LibraryCodec + 'a> Prepared<'a, C> {
    fn boxed(codec: C, payloads: Vec<&'a [u8]>) -> Box<dyn Loaded + 'a> {
        Box::new(Prepared { codec, payloads, coded: Vec::new() })
    }

    /// Returns the index of a coding that was prepared.
    fn coded(&self, level: CodingLevel) -> Result<usize, LibraryError> {
        let found = self.coded.iter().position(|coded| coded.level == level);
        found.ok_or(LibraryError::NotPrepared(level))
    }
}

impl<'a, C: LibraryCodec + 'a> Loaded for Prepared<'a, C> {
    fn len(&self) -> usize {
        self.payloads.len()
    }

    fn values(&self) -> Result<Vec<Value<'_>>, LibraryError> {
        self.codec.values()
    }

    fn encode(&self) -> Result<Vec<Vec<u8>>, LibraryError> {
        let encode = |payload| {
            let mut out = Vec::new();
            self.codec.encode(payload, &mut out).map(|()| out)
        };
        (0..self.payloads.len()).map(encode).collect()
    }

    fn prepare(&mut self, operation: Operation) -> Result<(), LibraryError> {
        let Some(level) = operation.parts().1 else { return Ok(()) };
        if self.coded.iter().any(|coded| coded.level == level) {
            return Ok(());
        }
        let mut encoder = Encoder::new(level)?;
        let decoder = Decoder::new(level.coding(), DecodeLimits::UNLIMITED)?;
        let bytes = self.payloads.iter().map(|raw| {
            let mut out = Vec::new();
            encoder.encode(raw, &mut out).map(|()| out)
        });
        let bytes = bytes.collect::<manywire_codec::Result<_>>()?;
        self.coded.push(Coded { level, encoder, decoder, bytes, buffer: Vec::new() });
        Ok(())
    }

    fn run(
        &mut self,
        operation: Operation,
        window: &[usize],
        repeats: u64,
    ) -> Result<(), LibraryError> {
        match operation {
            Operation::Encode => {
                for _ in 0..repeats {
                    for &payload in window {
                        let mut out = Vec::with_capacity(FRESH_CAPACITY);
                        self.codec.encode(black_box(payload), &mut out)?;
                        black_box(&out);
                    }
                }
            }
            Operation::Decode => {
                for _ in 0..repeats {
                    for &payload in window {
                        self.codec.decode(black_box(self.payloads[payload]))?;
                    }
                }
            }
            Operation::Compress(level) => {
                let index = self.coded(level)?;
                let coded = &mut self.coded[index];
                for _ in 0..repeats {
                    for &payload in window {
                        let mut out = Vec::with_capacity(FRESH_CAPACITY);
                        self.codec.encode(black_box(payload), &mut out)?;
                        coded.buffer.clear();
                        coded.encoder.encode(&out, &mut coded.buffer)?;
                        black_box(&coded.buffer);
                    }
                }
            }
            Operation::Decompress(level) => {
                let index = self.coded(level)?;
                let coded = &mut self.coded[index];
                for _ in 0..repeats {
                    for &payload in window {
                        coded.buffer.clear();
                        let bytes = black_box(&coded.bytes[payload]);
                        coded.decoder.decode(bytes, &mut coded.buffer)?;
                        self.codec.decode(&coded.buffer)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Our codecs: values borrow from the payloads and from an arena.
struct Manywire<'a> {
    codec: &'a Codec,
    format: Format,
    payloads: Vec<&'a [u8]>,
    values: Vec<Value<'a>>,
    arena: &'a Arena,
}

fn load_manywire<'a>(
    format: Format,
    payloads: Vec<&'a [u8]>,
    schema: &Schema,
    arena: &'a Arena,
) -> Result<Box<dyn Loaded + 'a>, LibraryError> {
    // Values borrow from the codec, too.
    let codec: &'a Codec = arena.alloc(schema.codec(format)?);
    let values = decode_each(&payloads, |bytes| Ok(codec.decode_with(bytes, arena, LIMITS)?))?;
    let own = Manywire { codec, format, payloads: payloads.clone(), values, arena };
    Ok(Prepared::boxed(own, payloads))
}

impl LibraryCodec for Manywire<'_> {
    #[inline]
    fn encode(&self, payload: usize, out: &mut Vec<u8>) -> Result<(), LibraryError> {
        Ok(self.codec.encode(black_box(&self.values[payload]), out)?)
    }

    #[inline]
    fn decode(&self, bytes: &[u8]) -> Result<(), LibraryError> {
        let arena = Arena::new();
        black_box(self.codec.decode_with(bytes, &arena, LIMITS)?);
        Ok(())
    }

    fn values(&self) -> Result<Vec<Value<'_>>, LibraryError> {
        // Every reader of BSON reads a document as a map, so no schema is used.
        if self.format == Format::Bson {
            return decode_each(&self.payloads, |bytes| {
                Ok(manywire_codec::read_value(self.format, bytes, self.arena, LIMITS)?)
            });
        }
        Ok(self.values.clone())
    }
}

/// Returns the values of some trees, through JSON text.
fn values_of<'a>(
    trees: &[serde_json::Value],
    arena: &'a Arena,
) -> Result<Vec<Value<'a>>, LibraryError> {
    let value = |tree: &serde_json::Value| {
        let text = arena.alloc_slice_copy(&serde_json::to_vec(tree)?);
        Ok(manywire_codec::read_value(Format::Json, text, arena, LIMITS)?)
    };
    trees.iter().map(value).collect()
}

/// A library that reads and writes the tree `serde_json::Value`.
trait TreeLibrary {
    /// Writes a tree.
    fn write(tree: &serde_json::Value, out: &mut Vec<u8>) -> Result<(), LibraryError>;

    /// Reads a tree.
    fn read(bytes: &[u8]) -> Result<serde_json::Value, LibraryError>;
}

/// serde_json.
struct SerdeJson;

impl TreeLibrary for SerdeJson {
    #[inline]
    fn write(tree: &serde_json::Value, out: &mut Vec<u8>) -> Result<(), LibraryError> {
        Ok(serde_json::to_writer(out, tree)?)
    }

    #[inline]
    fn read(bytes: &[u8]) -> Result<serde_json::Value, LibraryError> {
        Ok(serde_json::from_slice(bytes)?)
    }
}

/// rmp-serde, with records as maps.
struct RmpSerde;

impl TreeLibrary for RmpSerde {
    #[inline]
    fn write(tree: &serde_json::Value, out: &mut Vec<u8>) -> Result<(), LibraryError> {
        let mut serializer = rmp_serde::Serializer::new(out).with_struct_map();
        Ok(tree.serialize(&mut serializer)?)
    }

    #[inline]
    fn read(bytes: &[u8]) -> Result<serde_json::Value, LibraryError> {
        Ok(rmp_serde::from_slice(bytes)?)
    }
}

/// The trees that a library read.
struct Trees<'a, L> {
    trees: Vec<serde_json::Value>,
    arena: &'a Arena,
    library: PhantomData<L>,
}

fn load_trees<'a, L: TreeLibrary + 'static>(
    _: Format,
    payloads: Vec<&'a [u8]>,
    _: &Schema,
    arena: &'a Arena,
) -> Result<Box<dyn Loaded + 'a>, LibraryError> {
    let trees = decode_each(&payloads, L::read)?;
    Ok(Prepared::boxed(Trees::<L> { trees, arena, library: PhantomData }, payloads))
}

impl<L: TreeLibrary> LibraryCodec for Trees<'_, L> {
    #[inline]
    fn encode(&self, payload: usize, out: &mut Vec<u8>) -> Result<(), LibraryError> {
        L::write(black_box(&self.trees[payload]), out)
    }

    #[inline]
    fn decode(&self, bytes: &[u8]) -> Result<(), LibraryError> {
        black_box(L::read(bytes)?);
        Ok(())
    }

    fn values(&self) -> Result<Vec<Value<'_>>, LibraryError> {
        values_of(&self.trees, self.arena)
    }
}
