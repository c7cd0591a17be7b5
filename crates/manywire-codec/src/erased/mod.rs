//! Reading a type whatever the format, so that its code is compiled once and not once for each.
//!
//! What serde derives is generic over the deserializer, and so are the visitors of a type and all
//! that a codec does for each of them: with six formats, six times. Here a format and a value meet
//! through tables of functions instead. The type knows one deserializer, `Source`, and a format
//! reads one seed, [`Seed`], whatever it is for:
//!
//! ```text
//! T::deserialize → Source ─ dyn Give → Giver<D> → D, a format's own deserializer
//!    T's visitor ← Slot<V> ← dyn Take ─ Taker   ←
//! ```
//!
//! Values and errors are the same as without. Each value and each step costs a call that cannot be
//! inlined, so what is to be fast reads straight from its format.

mod format;
mod value;

use std::fmt;

use serde::de::{self, DeserializeSeed};

use self::value::slot;
use crate::core::error::{Category, Error, Result};

/// What a format reads in the place of the value: it is put where [`read`] finds it.
pub struct Seed<'s, 'de>(&'s mut dyn Ask<'de>);

/// Reads a value by a seed, through `from`: a reader of one format that is given the one [`Seed`]
/// that all are given.
///
/// ```
/// # fn main() -> manywire_codec::Result<()> {
/// use std::marker::PhantomData;
/// use manywire_codec::{Limits, erased, msgpack};
///
/// let bytes = [0x93, 1, 2, 3];
/// let numbers = erased::read(PhantomData::<Vec<u8>>, |seed| {
///     msgpack::from_slice_seed(seed, &bytes, Limits::DEFAULT)
/// })?;
/// assert_eq!(numbers, [1, 2, 3]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Those of `from`, and [`Category::Syntax`] where it read no value and says nothing of it.
pub fn read<'de, S: DeserializeSeed<'de>>(
    seed: S,
    from: impl FnOnce(Seed<'_, 'de>) -> Result<()>,
) -> Result<S::Value> {
    let mut slot = slot(seed);
    from(Seed(&mut slot))?;
    slot.into_value().map_err(|_| Error::new(Category::Syntax, "no value was read"))
}

/// Why nothing was read.
enum Failure {
    /// The value refused what it was given, in these words.
    Refused(Box<str>),
    /// The format failed. What it says waits on its side, where its type is known.
    Format,
}

type Done<T = ()> = std::result::Result<T, Failure>;

/// A seed of whatever value.
trait Ask<'de> {
    fn ask(&mut self, source: &mut dyn Give<'de>) -> Done;
}

/// A deserializer of whatever format.
trait Give<'de> {
    fn give(&mut self, hint: Hint, to: &mut dyn Take<'de>) -> Done;
    fn is_human_readable(&self) -> bool;
}

/// A visitor of whatever value.
trait Take<'de> {
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
    fn scalar(&mut self, scalar: Scalar<'_, 'de>) -> Done;
    fn some(&mut self, source: &mut dyn Give<'de>) -> Done;
    fn newtype(&mut self, source: &mut dyn Give<'de>) -> Done;
    fn items(&mut self, items: &mut dyn Items<'de>) -> Done;
    fn entries(&mut self, entries: &mut dyn Entries<'de>) -> Done;
    fn variant(&mut self, variant: &mut dyn Variant<'de>) -> Done;
}

/// The items of an array of whatever format.
trait Items<'de> {
    /// Whether there was one more.
    fn item(&mut self, seed: &mut dyn Ask<'de>) -> Done<bool>;
    fn size_hint(&self) -> Option<usize>;
}

/// The entries of a map of whatever format.
trait Entries<'de> {
    /// Whether there was one more.
    fn key(&mut self, seed: &mut dyn Ask<'de>) -> Done<bool>;
    fn value(&mut self, seed: &mut dyn Ask<'de>) -> Done;
    fn size_hint(&self) -> Option<usize>;
}

/// A variant of whatever format: its name, then its content as one of the others.
trait Variant<'de> {
    fn name(&mut self, seed: &mut dyn Ask<'de>) -> Done;
    fn unit(&mut self) -> Done;
    fn newtype(&mut self, seed: &mut dyn Ask<'de>) -> Done;
    fn tuple(&mut self, len: usize, to: &mut dyn Take<'de>) -> Done;
    fn record(&mut self, fields: &'static [&'static str], to: &mut dyn Take<'de>) -> Done;
}

/// What a value says it is: serde's `deserialize_…`.
#[derive(Clone, Copy)]
enum Hint {
    Any,
    Bool,
    I8,
    I16,
    I32,
    I64,
    I128,
    U8,
    U16,
    U32,
    U64,
    U128,
    F32,
    F64,
    Char,
    Str,
    String,
    Bytes,
    ByteBuf,
    Option,
    Unit,
    UnitStruct(&'static str),
    NewtypeStruct(&'static str),
    Seq,
    Tuple(usize),
    TupleStruct(&'static str, usize),
    Map,
    Struct(&'static str, &'static [&'static str]),
    Enum(&'static str, &'static [&'static str]),
    Identifier,
    IgnoredAny,
}

/// What holds no other value: serde's `visit_…` of those.
enum Scalar<'s, 'de> {
    Bool(bool),
    I8(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    I128(i128),
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    U128(u128),
    F32(f32),
    F64(f64),
    Char(char),
    Str(&'s str),
    BorrowedStr(&'de str),
    String(String),
    Bytes(&'s [u8]),
    BorrowedBytes(&'de [u8]),
    ByteBuf(Vec<u8>),
    None,
    Unit,
}

impl de::Error for Failure {
    #[cold]
    #[inline(never)]
    fn custom<T: fmt::Display>(message: T) -> Self {
        Failure::Refused(message.to_string().into_boxed_str())
    }
}

/// Something was asked for a second time, or not at all: serde's traits allow neither.
#[cold]
fn out_of_turn() -> Failure {
    Failure::Refused("a value was read out of turn".into())
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Failure::Refused(message) => message,
            Failure::Format => "the format failed",
        })
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Failure {}
