//! The loops that are timed: one library, one format, over samples that are ready.
//!
//! [`LibraryCodec`] is implemented by our own codecs, serde_json and rmp-serde.

use std::hint::black_box;

use manywire_codec::Codec;
use manywire_codec::coding::{DecodeLimits, Decoder, Encoder};
use manywire_format::{CodingLevel, Format};
use manywire_shape::{Arena, Value};
use serde::Serialize;

use super::Operation;
use crate::weigh::payload::{Corpus, LIMITS, Sample};
use crate::weigh::schema::Schema;

/// One library with every sample ready, as the loops below call it.
///
/// Only `encode` and `decode` are measured. Their inputs are prepared beforehand. Their results are
/// dropped inside the measurement, because freeing is part of the cost.
pub(crate) trait LibraryCodec {
    /// Writes a sample into an empty buffer, as `to_vec` would.
    fn encode(&self, sample: usize, out: &mut Vec<u8>) -> Result<(), String>;

    /// Reads bytes and drops the value.
    fn decode(&self, bytes: &[u8]) -> Result<(), String>;
}

/// The capacity of a fresh buffer for every library, the same as in serde_json's `to_vec`.
const FRESH_CAPACITY: usize = 128;

/// A batch of operations without a virtual call inside the loop.
pub(crate) trait Runner {
    /// Runs an operation over a window of samples, `repeats` times over.
    fn run(&mut self, operation: Operation, window: &[usize], repeats: u64) -> Result<(), String>;

    /// The bytes of each sample.
    fn encoded(&self) -> Vec<&[u8]>;
}

/// A library with the bytes that it wrote, uncompressed and in each requested coding.
pub(crate) struct Prepared<C> {
    codec: C,
    encoded: Vec<Vec<u8>>,
    coded: Vec<Coded>,
}

struct Coded {
    level: CodingLevel,
    encoder: Encoder,
    decoder: Decoder,
    bytes: Vec<Vec<u8>>,
    buffer: Vec<u8>,
}

impl<C: LibraryCodec> Prepared<C> {
    /// Encodes every sample once.
    ///
    /// # Errors
    ///
    /// Returns the reason that a sample cannot be encoded, with its name if there are several.
    pub(crate) fn new(codec: C, corpus: &Corpus<'_>) -> Result<Self, String> {
        let encode = |(index, sample): (usize, &Sample<'_>)| {
            let mut out = Vec::new();
            match codec.encode(index, &mut out) {
                Err(reason) if corpus.samples.len() > 1 => {
                    Err(format!("{}: {reason}", sample.name))
                }
                result => result.map(|()| out),
            }
        };
        let encoded = corpus.samples.iter().enumerate().map(encode).collect::<Result<_, _>>()?;
        Ok(Prepared { codec, encoded, coded: Vec::new() })
    }

    fn coded(&mut self, level: CodingLevel) -> Result<usize, String> {
        if let Some(index) = self.coded.iter().position(|coded| coded.level == level) {
            return Ok(index);
        }
        let mut encoder = Encoder::new(level).map_err(|error| error.to_string())?;
        let decoder = Decoder::new(level.coding(), DecodeLimits::UNLIMITED)
            .map_err(|error| error.to_string())?;
        let bytes = self.encoded.iter().map(|raw| {
            let mut out = Vec::new();
            encoder.encode(raw, &mut out).map(|()| out).map_err(|error| error.to_string())
        });
        let bytes = bytes.collect::<Result<_, _>>()?;
        self.coded.push(Coded { level, encoder, decoder, bytes, buffer: Vec::new() });
        Ok(self.coded.len() - 1)
    }
}

impl<C: LibraryCodec> Runner for Prepared<C> {
    fn encoded(&self) -> Vec<&[u8]> {
        self.encoded.iter().map(Vec::as_slice).collect()
    }

    fn run(&mut self, operation: Operation, window: &[usize], repeats: u64) -> Result<(), String> {
        match operation {
            Operation::Encode => {
                for _ in 0..repeats {
                    for &sample in window {
                        let mut out = Vec::with_capacity(FRESH_CAPACITY);
                        self.codec.encode(black_box(sample), &mut out)?;
                        black_box(&out);
                    }
                }
            }
            Operation::Decode => {
                for _ in 0..repeats {
                    for &sample in window {
                        self.codec.decode(black_box(&self.encoded[sample]))?;
                    }
                }
            }
            Operation::Compress(level) => {
                let index = self.coded(level)?;
                let coded = &mut self.coded[index];
                for _ in 0..repeats {
                    for &sample in window {
                        let mut out = Vec::with_capacity(FRESH_CAPACITY);
                        self.codec.encode(black_box(sample), &mut out)?;
                        coded.buffer.clear();
                        coded
                            .encoder
                            .encode(&out, &mut coded.buffer)
                            .map_err(|error| error.to_string())?;
                        black_box(&coded.buffer);
                    }
                }
            }
            Operation::Decompress(level) => {
                let index = self.coded(level)?;
                let coded = &mut self.coded[index];
                for _ in 0..repeats {
                    for &sample in window {
                        coded.buffer.clear();
                        coded
                            .decoder
                            .decode(black_box(&coded.bytes[sample]), &mut coded.buffer)
                            .map_err(|error| error.to_string())?;
                        self.codec.decode(&coded.buffer)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Our codecs: values borrow from an arena that lives as long as the value.
pub(super) struct Manywire<'a> {
    codec: Codec,
    values: Vec<Value<'a>>,
}

impl<'a> Manywire<'a> {
    pub(super) fn prepare(
        format: Format,
        corpus: &Corpus<'a>,
        schema: &Schema,
    ) -> Result<Prepared<Self>, String> {
        let codec = schema.codec(format)?;
        Prepared::new(Manywire { codec, values: corpus.values().collect() }, corpus)
    }
}

impl LibraryCodec for Manywire<'_> {
    #[inline]
    fn encode(&self, sample: usize, out: &mut Vec<u8>) -> Result<(), String> {
        self.codec.encode(black_box(&self.values[sample]), out).map_err(|error| error.to_string())
    }

    #[inline]
    fn decode(&self, bytes: &[u8]) -> Result<(), String> {
        let arena = Arena::new();
        let value =
            self.codec.decode_with(bytes, &arena, LIMITS).map_err(|error| error.to_string())?;
        black_box(value);
        Ok(())
    }
}

/// serde_json with the tree that its users have, `serde_json::Value`.
pub(super) struct SerdeJson {
    values: Vec<serde_json::Value>,
}

impl SerdeJson {
    pub(super) fn prepare(corpus: &Corpus<'_>) -> Result<Prepared<Self>, String> {
        Prepared::new(SerdeJson { values: trees(corpus)? }, corpus)
    }
}

/// Returns the samples as `serde_json::Value`s, converted through JSON text.
pub(super) fn trees(corpus: &Corpus<'_>) -> Result<Vec<serde_json::Value>, String> {
    let tree = |value| {
        let mut text = Vec::new();
        manywire_codec::json::write_value(&value, &mut text).map_err(|error| error.to_string())?;
        serde_json::from_slice(&text).map_err(|error| error.to_string())
    };
    corpus.values().map(tree).collect()
}

impl LibraryCodec for SerdeJson {
    #[inline]
    fn encode(&self, sample: usize, out: &mut Vec<u8>) -> Result<(), String> {
        serde_json::to_writer(out, black_box(&self.values[sample]))
            .map_err(|error| error.to_string())
    }

    #[inline]
    fn decode(&self, bytes: &[u8]) -> Result<(), String> {
        let value: serde_json::Value =
            serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        black_box(value);
        Ok(())
    }
}

/// rmp-serde with the tree most of its users have, `serde_json::Value`.
pub(super) struct RmpSerde {
    values: Vec<serde_json::Value>,
}

impl RmpSerde {
    pub(super) fn prepare(corpus: &Corpus<'_>) -> Result<Prepared<Self>, String> {
        Prepared::new(RmpSerde { values: trees(corpus)? }, corpus)
    }
}

impl LibraryCodec for RmpSerde {
    #[inline]
    fn encode(&self, sample: usize, out: &mut Vec<u8>) -> Result<(), String> {
        let mut serializer = rmp_serde::Serializer::new(out).with_struct_map();
        black_box(&self.values[sample])
            .serialize(&mut serializer)
            .map_err(|error| error.to_string())
    }

    #[inline]
    fn decode(&self, bytes: &[u8]) -> Result<(), String> {
        let value: serde_json::Value =
            rmp_serde::from_slice(bytes).map_err(|error| error.to_string())?;
        black_box(value);
        Ok(())
    }
}
