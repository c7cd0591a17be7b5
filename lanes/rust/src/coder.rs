//! The operations of a library in one format, the loops that time them, and the counting of their
//! allocations.

use std::hint::black_box;
use std::sync::Arc;

use manywire_codec::coding::{DecodeLimits, Decoder, Encoder};
use manywire_format::CodingLevel;
use manywire_meter::{Stopwatch, Tally, preemptions, tally};
use manywire_shape::{Arena, Value};
use serde::{Deserialize, Serialize};

use crate::digest::digest;
use crate::error::Result;
use crate::meter::{Allocated, Ran};

/// The operations of a library in one format. `decode` and `encode` are timed.
pub(crate) trait Coder: Send + Sync {
    /// The memory of values that borrow, such as an arena.
    type Scratch: Default;
    /// The type to which the library decodes.
    type Value<'a>: Send + Sync
    where
        Self: 'a;

    /// Decodes a value.
    fn decode<'a>(&'a self, bytes: &'a [u8], scratch: &'a Self::Scratch)
    -> Result<Self::Value<'a>>;

    /// Encodes a value to a new buffer.
    fn encode(&self, value: &Self::Value<'_>) -> Result<Vec<u8>>;

    /// Converts a value for its digest.
    fn plain<'a>(&'a self, value: &Self::Value<'a>, arena: &'a Arena) -> Result<Value<'a>>;
}

/// A library whose values own their memory, as three functions: decode, encode, and convert for the
/// digest.
pub(crate) struct Owned<V, D, E, P> {
    decode: D,
    encode: E,
    plain: P,
    value: std::marker::PhantomData<fn() -> V>,
}

/// Returns an [`Owned`] with these functions.
pub(crate) fn owned<V, D, E, P>(decode: D, encode: E, plain: P) -> Owned<V, D, E, P>
where
    D: Fn(&[u8]) -> Result<V>,
    E: Fn(&V) -> Result<Vec<u8>>,
    P: for<'a> Fn(&V, &'a Arena) -> Result<Value<'a>>,
{
    Owned { decode, encode, plain, value: std::marker::PhantomData }
}

impl<V, D, E, P> Coder for Owned<V, D, E, P>
where
    V: Send + Sync + 'static,
    D: Fn(&[u8]) -> Result<V> + Send + Sync,
    E: Fn(&V) -> Result<Vec<u8>> + Send + Sync,
    P: for<'a> Fn(&V, &'a Arena) -> Result<Value<'a>> + Send + Sync,
{
    type Scratch = ();
    type Value<'a>
        = V
    where
        Self: 'a;

    #[inline]
    fn decode<'a>(&'a self, bytes: &'a [u8], (): &'a ()) -> Result<V> {
        (self.decode)(bytes)
    }

    #[inline]
    fn encode(&self, value: &V) -> Result<Vec<u8>> {
        (self.encode)(value)
    }

    fn plain<'a>(&'a self, value: &V, arena: &'a Arena) -> Result<Value<'a>> {
        (self.plain)(value, arena)
    }
}

/// The timed operation.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Operation {
    /// Encodes a value to a new buffer.
    Encode,
    /// Decodes a value, and drops it.
    Decode,
}

/// The loaded payloads of a subject.
pub(crate) trait Payloads: Send + Sync {
    /// Returns the digest of each payload.
    fn digests(&self) -> Result<Vec<String>>;
    /// Encodes each payload.
    fn encode(&self) -> Result<Vec<Vec<u8>>>;
    /// Runs a batch, with compression or decompression if a coding is requested.
    fn run(&self, batch: &Batch) -> Result<Ran>;
    /// Decodes `bytes`, such as the body of a response, and drops the value.
    fn decode(&self, bytes: &[u8]) -> Result<()>;
    /// Returns the values for a server, which keeps them until the process ends.
    fn stock(self: Arc<Self>) -> Result<Box<dyn Stock>>;
    /// Returns the allocations of one operation, as a mean over the payloads.
    fn memory(&self, operation: Operation) -> Result<Allocated>;
}

/// The description of a batch.
#[derive(Debug, Deserialize)]
pub(crate) struct Batch {
    operation: Operation,
    window: Vec<usize>,
    repeats: u64,
    /// `gzip`, or `gzip:9` with a level.
    coding: Option<String>,
}

/// Values that a server encodes for each request.
pub(crate) trait Stock: Send + Sync {
    /// Returns the number of values.
    fn len(&self) -> usize;
    /// Encodes one value.
    fn encode(&self, index: usize) -> Result<Vec<u8>>;
}

/// Decodes every payload once, and returns an error if the library refuses one. `check` verifies that the
/// library can read its own output.
pub(crate) fn load<C: Coder + 'static>(
    coder: C,
    bytes: Vec<Vec<u8>>,
    check: fn(&C, &[u8]) -> Result<()>,
) -> Result<Arc<dyn Payloads>> {
    for each in &bytes {
        coder.decode(each, &C::Scratch::default())?;
        check(&coder, each)?;
    }
    Ok(Arc::new(Held { coder, bytes }))
}

/// The check that accepts all payloads.
pub(crate) fn sure<C>(_: &C, _: &[u8]) -> Result<()> {
    Ok(())
}

/// Stores payloads as bytes, and decodes them again before they are encoded: values that borrow from an
/// arena cannot be stored beside it, and all libraries are treated alike.
struct Held<C> {
    coder: C,
    bytes: Vec<Vec<u8>>,
}

impl<C: Coder + 'static> Payloads for Held<C> {
    fn digests(&self) -> Result<Vec<String>> {
        let one = |bytes: &Vec<u8>| {
            let (scratch, arena) = (C::Scratch::default(), Arena::new());
            let value = self.coder.decode(bytes, &scratch)?;
            Ok(digest(&self.coder.plain(&value, &arena)?)?)
        };
        self.bytes.iter().map(one).collect()
    }

    fn encode(&self) -> Result<Vec<Vec<u8>>> {
        let one = |bytes: &Vec<u8>| {
            let scratch = C::Scratch::default();
            self.coder.encode(&self.coder.decode(bytes, &scratch)?)
        };
        self.bytes.iter().map(one).collect()
    }

    fn run(&self, batch: &Batch) -> Result<Ran> {
        let payloads: Vec<&[u8]> =
            batch.window.iter().map(|&index| self.at(index)).collect::<Result<_>>()?;
        let level: Option<CodingLevel> = batch.coding.as_deref().map(str::parse).transpose()?;
        match (batch.operation, level) {
            (Operation::Decode, None) => {
                repeat(batch.repeats, &payloads, |bytes| self.decode_once(bytes))
            }
            (Operation::Decode, Some(level)) => {
                let compressed = compress_each(level, &payloads)?;
                let mut decoder = Decoder::new(level.coding(), DecodeLimits::UNLIMITED)?;
                let mut plain = Vec::new();
                repeat(batch.repeats, &compressed, |bytes| {
                    plain.clear();
                    decoder.decode(black_box(bytes), &mut plain)?;
                    self.decode_once(&plain)
                })
            }
            (Operation::Encode, level) => {
                let scratches: Vec<C::Scratch> =
                    payloads.iter().map(|_| C::Scratch::default()).collect();
                let values = payloads.iter().zip(&scratches);
                let values: Vec<C::Value<'_>> = values
                    .map(|(bytes, scratch)| self.coder.decode(bytes, scratch))
                    .collect::<Result<_>>()?;
                let encode = |value: &C::Value<'_>| self.coder.encode(black_box(value));
                let Some(level) = level else {
                    return repeat(batch.repeats, &values, |value| {
                        black_box(encode(value)?);
                        Ok(())
                    });
                };
                let mut encoder = Encoder::new(level)?;
                let mut compressed = Vec::new();
                repeat(batch.repeats, &values, |value| {
                    compressed.clear();
                    encoder.encode(&encode(value)?, &mut compressed)?;
                    black_box(&compressed);
                    Ok(())
                })
            }
        }
    }

    fn decode(&self, bytes: &[u8]) -> Result<()> {
        self.decode_once(bytes)
    }

    fn stock(self: Arc<Self>) -> Result<Box<dyn Stock>> {
        // A process serves once until it ends, so its values may be leaked.
        let held: &'static Held<C> = Box::leak(Box::new(self));
        let value = |bytes: &'static Vec<u8>| {
            held.coder.decode(bytes, Box::leak(Box::new(C::Scratch::default())))
        };
        let values = held.bytes.iter().map(value).collect::<Result<_>>()?;
        Ok(Box::new(Stocked { coder: &held.coder, values }))
    }

    fn memory(&self, operation: Operation) -> Result<Allocated> {
        let mut tallies = Vec::new();
        for bytes in &self.bytes {
            tallies.push(match operation {
                Operation::Decode => allocated(|| self.decode_once(bytes))?,
                Operation::Encode => {
                    let scratch = C::Scratch::default();
                    let value = self.coder.decode(bytes, &scratch)?;
                    allocated(|| self.coder.encode(&value).map(drop))?
                }
            });
        }
        Ok(Allocated::mean(&tallies))
    }
}

/// Compresses each payload.
fn compress_each(level: CodingLevel, payloads: &[&[u8]]) -> Result<Vec<Vec<u8>>> {
    let mut encoder = Encoder::new(level)?;
    let compress = |bytes: &&[u8]| {
        let mut compressed = Vec::new();
        encoder.encode(bytes, &mut compressed)?;
        Ok(compressed)
    };
    payloads.iter().map(compress).collect()
}

/// A batch of more repeats than this starts with one uncounted repeat. While the process waited for
/// its request, other processes have filled the caches, which makes the first operation slower.
const REPEATS_WITHOUT_LEAD_IN: u64 = 3;

/// Runs an operation on each input, repeatedly, between two readings of the clock.
#[inline]
fn repeat<I>(
    repeats: u64,
    inputs: &[I],
    mut operation: impl FnMut(&I) -> Result<()>,
) -> Result<Ran> {
    let before = preemptions();
    if repeats > REPEATS_WITHOUT_LEAD_IN {
        inputs.iter().try_for_each(&mut operation)?;
    }
    let stopwatch = Stopwatch::start();
    for _ in 0..repeats {
        for input in inputs {
            operation(input)?;
        }
    }
    let elapsed = stopwatch.stop();
    let after = preemptions();
    let preemptions = before.zip(after).map(|(before, after)| after.saturating_sub(before));
    Ok(Ran::new(elapsed, preemptions))
}

/// Measures the allocations of an operation after one unmeasured run.
fn allocated(mut operation: impl FnMut() -> Result<()>) -> Result<Option<Tally>> {
    operation()?;
    let (result, counted) = tally(operation);
    result.map(|()| counted)
}

/// The values of one subject, and their encoder.
struct Stocked<C: Coder + 'static> {
    coder: &'static C,
    values: Vec<C::Value<'static>>,
}

impl<C: Coder> Stock for Stocked<C> {
    fn len(&self) -> usize {
        self.values.len()
    }

    fn encode(&self, index: usize) -> Result<Vec<u8>> {
        self.coder.encode(self.values.get(index).ok_or("no such payload")?)
    }
}

impl<C: Coder> Held<C> {
    fn at(&self, index: usize) -> Result<&[u8]> {
        let found = self.bytes.get(index);
        Ok(found.ok_or_else(|| format!("no payload {index}; there are {}", self.bytes.len()))?)
    }

    #[inline]
    fn decode_once(&self, bytes: &[u8]) -> Result<()> {
        let scratch = C::Scratch::default();
        black_box(&self.coder.decode(black_box(bytes), &scratch)?);
        Ok(())
    }
}

/// Converts a value for its digest: encodes the value as MessagePack, which can represent all
/// values of the types that use this function, and decodes the bytes.
pub(crate) fn by_serde<'a, T: Serialize>(value: &T, arena: &'a Arena) -> Result<Value<'a>> {
    let bytes = manywire_codec::msgpack::to_vec(value)?;
    read(manywire_format::Format::MsgPack, &bytes, arena)
}

/// Decodes bytes of `manywire` to a value in an arena.
pub(crate) fn read<'a>(
    format: manywire_format::Format,
    bytes: &[u8],
    arena: &'a Arena,
) -> Result<Value<'a>> {
    let bytes = arena.alloc_slice_copy(bytes);
    Ok(manywire_codec::read_value(format, bytes, arena, crate::LIMITS)?)
}
