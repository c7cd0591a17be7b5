//! [`Measure`]: what constraints need to know of a value, for the types that may have them.
//!
//! The traits [`Numeric`], [`Textual`] and [`Counted`] say which constraints a type accepts, so that
//! the compiler refuses `#[shaped(pattern = "…")]` on a number.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::num::{NonZero, Saturating, Wrapping};
use std::rc::Rc;
use std::sync::Arc;

use super::Number;

/// The property of a value that constraints are about.
#[derive(Clone, Debug)]
pub enum Measured<'v> {
    /// No value, which satisfies every constraint.
    Absent,
    /// A number.
    Number(Number),
    /// A text.
    Text(&'v str),
    /// A number of items, entries or bytes.
    Count {
        /// The number.
        count: usize,
        /// The name of the unit in the singular, such as `item`.
        unit: &'static str,
    },
}

/// A type whose values may have constraints: numbers, text, lists and maps, and options of them.
#[diagnostic::on_unimplemented(
    message = "values of `{Self}` have no constraints",
    label = "not a number, text, list or map, nor an option of one",
    note = "a constraint of a type of your own belongs to the field inside it"
)]
pub trait Measure {
    /// Returns the property of the value that constraints are about.
    fn measured(&self) -> Measured<'_>;
}

/// Numbers: the types that accept `min`, `max`, `multiple_of`, and `one_of` with numbers.
#[diagnostic::on_unimplemented(
    message = "`min`, `max`, `multiple_of` and numbers in `one_of` do not apply to `{Self}`",
    label = "not a number, nor an option of one",
    note = "a constraint of a type of your own belongs to the field inside it"
)]
pub trait Numeric: Measure {}

/// Texts: the types that accept `pattern`, and `one_of` with texts.
#[diagnostic::on_unimplemented(
    message = "`pattern` and texts in `one_of` do not apply to `{Self}`",
    label = "not a text, nor an option of one",
    note = "a constraint of a type of your own belongs to the field inside it"
)]
pub trait Textual: Measure {}

/// Texts, lists and maps: the types that accept `length`.
#[diagnostic::on_unimplemented(
    message = "`length` does not apply to `{Self}`",
    label = "not a text, list or map of variable length, nor an option of one",
    note = "a constraint of a type of your own belongs to the field inside it"
)]
pub trait Counted: Measure {}

macro_rules! numbers {
    ($($ty:ty)*) => {$(
        impl Measure for $ty {
            #[inline]
            fn measured(&self) -> Measured<'_> {
                Measured::Number(Number::from(*self))
            }
        }

        impl Numeric for $ty {}
    )*};
}

numbers! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 }

macro_rules! non_zero {
    ($($ty:ty)*) => {$(
        impl Measure for NonZero<$ty> {
            #[inline]
            fn measured(&self) -> Measured<'_> {
                Measured::Number(Number::from(self.get()))
            }
        }

        impl Numeric for NonZero<$ty> {}
    )*};
}

non_zero! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }

impl Measure for str {
    #[inline]
    fn measured(&self) -> Measured<'_> {
        Measured::Text(self)
    }
}

impl Textual for str {}
impl Counted for str {}

impl Measure for String {
    #[inline]
    fn measured(&self) -> Measured<'_> {
        Measured::Text(self)
    }
}

impl Textual for String {}
impl Counted for String {}

/// Declares types that have the constraints of their content.
macro_rules! same {
    ($([$($generics:tt)*] $ty:ty, $value:ident => $inner:expr;)*) => {$(
        impl<T: Measure + $($generics)*> Measure for $ty {
            #[inline]
            fn measured(&self) -> Measured<'_> {
                let $value = self;
                $inner
            }
        }

        impl<T: Numeric + $($generics)*> Numeric for $ty {}
        impl<T: Textual + $($generics)*> Textual for $ty {}
        impl<T: Counted + $($generics)*> Counted for $ty {}
    )*};
}

same! {
    [?Sized] &T, value => (**value).measured();
    [?Sized] Box<T>, value => (**value).measured();
    [?Sized] Rc<T>, value => (**value).measured();
    [?Sized] Arc<T>, value => (**value).measured();
    [ToOwned + ?Sized] Cow<'_, T>, value => (**value).measured();
    [Sized] Wrapping<T>, value => value.0.measured();
    [Sized] Saturating<T>, value => value.0.measured();
    [Sized] Option<T>, value => value.as_ref().map_or(Measured::Absent, T::measured);
}

macro_rules! collections {
    ($([$($generics:tt)*] $ty:ty, $unit:literal;)*) => {$(
        impl<$($generics)*> Measure for $ty {
            #[inline]
            fn measured(&self) -> Measured<'_> {
                Measured::Count { count: self.len(), unit: $unit }
            }
        }

        impl<$($generics)*> Counted for $ty {}
    )*};
}

collections! {
    [T] [T], "item";
    [T] Vec<T>, "item";
    [T] VecDeque<T>, "item";
    [T] LinkedList<T>, "item";
    [T] BinaryHeap<T>, "item";
    [T] BTreeSet<T>, "item";
    [T, S] HashSet<T, S>, "item";
    [K, V] BTreeMap<K, V>, "entry";
    [K, V, S] HashMap<K, V, S>, "entry";
}

#[cfg(feature = "bytes")]
collections! {
    [] bytes::Bytes, "byte";
    [] bytes::BytesMut, "byte";
}

#[cfg(feature = "serde_bytes")]
collections! {
    [] serde_bytes::Bytes, "byte";
    [] serde_bytes::ByteBuf, "byte";
}

#[cfg(feature = "url")]
impl Measure for url::Url {
    fn measured(&self) -> Measured<'_> {
        Measured::Text(self.as_str())
    }
}

#[cfg(feature = "url")]
impl Textual for url::Url {}
#[cfg(feature = "url")]
impl Counted for url::Url {}
