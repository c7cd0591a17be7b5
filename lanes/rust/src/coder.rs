//! What a library does with one format, and the loops around it.

use std::error::Error;
use std::hint::black_box;

use manywire_shape::{Arena, Value};
use serde::{Deserialize, Serialize};

use crate::digest::digest;
use crate::meter::{Allocated, Meter, Ran, allocated};

/// A result whose error is for people.
pub(crate) type Outcome<T> = Result<T, Box<dyn Error>>;

/// A library made ready for one format: what `decode` and `encode` do is what is timed.
pub(crate) trait Coder {
    /// Where a value lives that does not own all it is made of.
    type Scratch: Default;
    /// The value as a program has it.
    type Value<'a>
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
    V: 'static,
    D: Fn(&[u8]) -> Outcome<V>,
    E: Fn(&V) -> Outcome<Vec<u8>>,
    P: for<'a> Fn(&V, &'a Arena) -> Outcome<Value<'a>>,
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
pub(crate) trait Payloads {
    /// The digest of each.
    fn digests(&self) -> Outcome<Vec<String>>;
    /// The bytes that the subject makes of each.
    fn encode(&self) -> Outcome<Vec<Vec<u8>>>;
    /// Runs a batch.
    fn run(&self, operation: Operation, window: &[usize], repeats: u64) -> Outcome<Ran>;
    /// What one operation allocates, on average over the payloads.
    fn memory(&self, operation: Operation) -> Outcome<Allocated>;
}

/// Reads every payload once; one that the library refuses is an error. `check` is for what bytes do
/// not show: whether the library reads what it writes of them.
pub(crate) fn load<C: Coder + 'static>(
    coder: C,
    bytes: Vec<Vec<u8>>,
    check: fn(&C, &[u8]) -> Outcome<()>,
) -> Outcome<Box<dyn Payloads>> {
    for each in &bytes {
        coder.decode(each, &C::Scratch::default())?;
        check(&coder, each)?;
    }
    Ok(Box::new(Held { coder, bytes }))
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

impl<C: Coder> Payloads for Held<C> {
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

    fn run(&self, operation: Operation, window: &[usize], repeats: u64) -> Outcome<Ran> {
        let payloads: Vec<&[u8]> =
            window.iter().map(|&index| self.at(index)).collect::<Outcome<_>>()?;
        match operation {
            Operation::Decode => {
                let meter = Meter::start();
                for _ in 0..repeats {
                    for bytes in &payloads {
                        self.decode_once(bytes)?;
                    }
                }
                Ok(meter.stop())
            }
            Operation::Encode => {
                let scratches: Vec<C::Scratch> =
                    payloads.iter().map(|_| C::Scratch::default()).collect();
                let values = payloads.iter().zip(&scratches);
                let values: Vec<C::Value<'_>> = values
                    .map(|(bytes, scratch)| self.coder.decode(bytes, scratch))
                    .collect::<Outcome<_>>()?;
                let meter = Meter::start();
                for _ in 0..repeats {
                    for value in &values {
                        black_box(self.coder.encode(black_box(value))?);
                    }
                }
                Ok(meter.stop())
            }
        }
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
