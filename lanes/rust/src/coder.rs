//! What a library does with one format, and the loops around it.

use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;

use manywire_shape::{Arena, Value};
use serde::{Deserialize, Serialize};

use crate::digest::digest;
use crate::http::{deflate, inflate};
use crate::meter::{Allocated, Meter, Ran, allocated};

/// A result whose error is for people.
pub(crate) type Outcome<T> = Result<T, Box<dyn Error>>;

/// A library made ready for one format: what `decode` and `encode` do is what is timed.
pub(crate) trait Coder: Send + Sync {
    /// Where a value lives that does not own all it is made of.
    type Scratch: Default;
    /// The value as a program has it.
    type Value<'a>: Send + Sync
    where
        Self: 'a;

    /// Bytes to a value.
    fn decode<'a>(
        &'a self,
        bytes: &'a [u8],
        scratch: &'a Self::Scratch,
    ) -> Outcome<Self::Value<'a>>;

    /// A value to new bytes.
    fn encode(&self, value: &Self::Value<'_>) -> Outcome<Vec<u8>>;

    /// The value field by field, for its digest.
    fn plain<'a>(&'a self, value: &Self::Value<'a>, arena: &'a Arena) -> Outcome<Value<'a>>;
}

/// A library whose values own what they are made of, as three functions: from bytes, to bytes, and
/// field by field.
pub(crate) struct Owned<V, D, E, P> {
    decode: D,
    encode: E,
    plain: P,
    value: std::marker::PhantomData<fn() -> V>,
}

/// The coder of such a library.
pub(crate) fn owned<V, D, E, P>(decode: D, encode: E, plain: P) -> Owned<V, D, E, P>
where
    D: Fn(&[u8]) -> Outcome<V>,
    E: Fn(&V) -> Outcome<Vec<u8>>,
    P: for<'a> Fn(&V, &'a Arena) -> Outcome<Value<'a>>,
{
    Owned { decode, encode, plain, value: std::marker::PhantomData }
}

impl<V, D, E, P> Coder for Owned<V, D, E, P>
where
    V: Send + Sync + 'static,
    D: Fn(&[u8]) -> Outcome<V> + Send + Sync,
    E: Fn(&V) -> Outcome<Vec<u8>> + Send + Sync,
    P: for<'a> Fn(&V, &'a Arena) -> Outcome<Value<'a>> + Send + Sync,
{
    type Scratch = ();
    type Value<'a>
        = V
    where
        Self: 'a;

    #[inline]
    fn decode<'a>(&'a self, bytes: &'a [u8], (): &'a ()) -> Outcome<V> {
        (self.decode)(bytes)
    }

    #[inline]
    fn encode(&self, value: &V) -> Outcome<Vec<u8>> {
        (self.encode)(value)
    }

    fn plain<'a>(&'a self, value: &V, arena: &'a Arena) -> Outcome<Value<'a>> {
        (self.plain)(value, arena)
    }
}

/// What is timed.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Operation {
    /// A value to new bytes.
    Encode,
    /// Bytes to a value, and the value dropped.
    Decode,
}

/// Payloads that a subject has read and can read again.
pub(crate) trait Payloads: Send + Sync {
    /// The digest of each.
    fn digests(&self) -> Outcome<Vec<String>>;
    /// The bytes that the subject makes of each.
    fn encode(&self) -> Outcome<Vec<Vec<u8>>>;
    /// Runs a batch, to and from compressed bytes if so asked.
    fn run(&self, batch: &Batch) -> Outcome<Ran>;
    /// Reads bytes from elsewhere, into the sink.
    fn decode(&self, bytes: &[u8]) -> Outcome<()>;
    /// The values for a service, which has them as long as the process lives.
    fn stock(self: Arc<Self>) -> Outcome<Box<dyn Stock>>;
    /// What one operation allocates, on average over the payloads.
    fn memory(&self, operation: Operation) -> Outcome<Allocated>;
}

/// What is run as one batch.
#[derive(Debug, Deserialize)]
pub(crate) struct Batch {
    operation: Operation,
    window: Vec<usize>,
    repeats: u64,
    coding: Option<Coding>,
}

/// The content codings of `describe`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Coding {
    Gzip,
}

/// Values that a service encodes again and again.
pub(crate) trait Stock: Send + Sync {
    /// How many there are.
    fn len(&self) -> usize;
    /// The bytes that the subject makes of one.
    fn encode(&self, index: usize) -> Outcome<Vec<u8>>;
}

/// Reads every payload once; one that the library refuses is an error. `check` is for what bytes do
/// not show: whether the library reads what it writes of them.
pub(crate) fn load<C: Coder + 'static>(
    coder: C,
    bytes: Vec<Vec<u8>>,
    check: fn(&C, &[u8]) -> Outcome<()>,
) -> Outcome<Arc<dyn Payloads>> {
    for each in &bytes {
        coder.decode(each, &C::Scratch::default())?;
        check(&coder, each)?;
    }
    Ok(Arc::new(Held { coder, bytes }))
}

/// The check of a library of which bytes show all there is to know.
pub(crate) fn sure<C>(_: &C, _: &[u8]) -> Outcome<()> {
    Ok(())
}

/// Values are kept as bytes and read again before they are written: those of an arena cannot be
/// kept beside it, and what is kept so is the same for all.
struct Held<C> {
    coder: C,
    bytes: Vec<Vec<u8>>,
}

impl<C: Coder + 'static> Payloads for Held<C> {
    fn digests(&self) -> Outcome<Vec<String>> {
        let one = |bytes: &Vec<u8>| {
            let (scratch, arena) = (C::Scratch::default(), Arena::new());
            let value = self.coder.decode(bytes, &scratch)?;
            Ok(digest(&self.coder.plain(&value, &arena)?)?)
        };
        self.bytes.iter().map(one).collect()
    }

    fn encode(&self) -> Outcome<Vec<Vec<u8>>> {
        let one = |bytes: &Vec<u8>| {
            let scratch = C::Scratch::default();
            self.coder.encode(&self.coder.decode(bytes, &scratch)?)
        };
        self.bytes.iter().map(one).collect()
    }

    fn run(&self, batch: &Batch) -> Outcome<Ran> {
        let payloads: Vec<&[u8]> =
            batch.window.iter().map(|&index| self.at(index)).collect::<Outcome<_>>()?;
        match (batch.operation, batch.coding) {
            (Operation::Decode, None) => {
                repeat(batch.repeats, &payloads, |bytes| self.decode_once(bytes))
            }
            (Operation::Decode, Some(Coding::Gzip)) => {
                let packed = payloads.into_iter().map(deflate);
                let packed: Vec<Vec<u8>> = packed.collect::<Outcome<_>>()?;
                repeat(batch.repeats, &packed, |bytes| self.decode_once(&inflate(bytes)?))
            }
            (Operation::Encode, coding) => {
                let scratches: Vec<C::Scratch> =
                    payloads.iter().map(|_| C::Scratch::default()).collect();
                let values = payloads.iter().zip(&scratches);
                let values: Vec<C::Value<'_>> = values
                    .map(|(bytes, scratch)| self.coder.decode(bytes, scratch))
                    .collect::<Outcome<_>>()?;
                let encode = |value: &C::Value<'_>| self.coder.encode(black_box(value));
                match coding {
                    None => repeat(batch.repeats, &values, |value| {
                        black_box(encode(value)?);
                        Ok(())
                    }),
                    Some(Coding::Gzip) => repeat(batch.repeats, &values, |value| {
                        black_box(deflate(&encode(value)?)?);
                        Ok(())
                    }),
                }
            }
        }
    }

    fn decode(&self, bytes: &[u8]) -> Outcome<()> {
        self.decode_once(bytes)
    }

    fn stock(self: Arc<Self>) -> Outcome<Box<dyn Stock>> {
        // A process serves once, to its end, so what it serves may be left to that.
        let held: &'static Held<C> = &**Box::leak(Box::new(self));
        let value = |bytes: &'static Vec<u8>| {
            held.coder.decode(bytes, Box::leak(Box::new(C::Scratch::default())))
        };
        let values = held.bytes.iter().map(value).collect::<Outcome<_>>()?;
        Ok(Box::new(Stocked { coder: &held.coder, values }))
    }

    fn memory(&self, operation: Operation) -> Outcome<Allocated> {
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

/// Does something with each input, repeatedly, between two readings of the clock.
#[inline]
fn repeat<I>(repeats: u64, inputs: &[I], operation: impl Fn(&I) -> Outcome<()>) -> Outcome<Ran> {
    let meter = Meter::start();
    for _ in 0..repeats {
        for input in inputs {
            operation(input)?;
        }
    }
    Ok(meter.stop())
}

/// Values of one subject, and what encodes them.
struct Stocked<C: Coder + 'static> {
    coder: &'static C,
    values: Vec<C::Value<'static>>,
}

impl<C: Coder> Stock for Stocked<C> {
    fn len(&self) -> usize {
        self.values.len()
    }

    fn encode(&self, index: usize) -> Outcome<Vec<u8>> {
        self.coder.encode(self.values.get(index).ok_or("no such payload")?)
    }
}

impl<C: Coder> Held<C> {
    fn at(&self, index: usize) -> Outcome<&[u8]> {
        let found = self.bytes.get(index);
        Ok(found.ok_or_else(|| format!("no payload {index}; there are {}", self.bytes.len()))?)
    }

    #[inline]
    fn decode_once(&self, bytes: &[u8]) -> Outcome<()> {
        let scratch = C::Scratch::default();
        black_box(&self.coder.decode(black_box(bytes), &scratch)?);
        Ok(())
    }
}

/// A value of any type that serde can write, field by field: through MessagePack, which holds all
/// that any of these types does.
pub(crate) fn by_serde<'a, T: Serialize>(value: &T, arena: &'a Arena) -> Outcome<Value<'a>> {
    let bytes = manywire_codec::msgpack::to_vec(value)?;
    read(manywire_format::Format::MsgPack, &bytes, arena)
}

/// Bytes of our own as a value that lives in an arena.
pub(crate) fn read<'a>(
    format: manywire_format::Format,
    bytes: &[u8],
    arena: &'a Arena,
) -> Outcome<Value<'a>> {
    let bytes = arena.alloc_slice_copy(bytes);
    Ok(manywire_codec::read_value(format, bytes, arena, crate::LIMITS)?)
}
