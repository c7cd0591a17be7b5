//! The traits behind `#[shaped(encoding = …)]` and `#[serde(with = "serde_bytes")]`.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::num::{NonZero, Saturating, Wrapping};

use super::standard;
use crate::{Int, IntEncoding, Node, NodeId, ShapeBuilder};

/// Integers of up to 64 bits and collections of them: the types that accept `#[shaped(encoding =
/// …)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no integer encoding",
    label = "not an integer of up to 64 bits, nor an option or a list of them",
    note = "#[shaped(encoding = …)] chooses how Protocol Buffers lays an integer out"
)]
pub trait Integer {
    /// True if the integer may be negative.
    const SIGNED: bool;

    /// Returns the node with this encoding.
    fn encoded(builder: &mut ShapeBuilder, encoding: IntEncoding) -> NodeId;
}

macro_rules! integers {
    ($($ty:ident $bits:literal $signed:literal)*) => {$(
        impl Integer for $ty {
            const SIGNED: bool = $signed;

            fn encoded(builder: &mut ShapeBuilder, encoding: IntEncoding) -> NodeId {
                builder.add(Node::Int(Int { signed: $signed, bits: $bits, encoding }))
            }
        }

        impl Integer for NonZero<$ty> {
            const SIGNED: bool = $signed;

            fn encoded(builder: &mut ShapeBuilder, encoding: IntEncoding) -> NodeId {
                $ty::encoded(builder, encoding)
            }
        }
    )*};
}

integers! {
    i8 8 true  i16 16 true  i32 32 true  i64 64 true  isize 64 true
    u8 8 false u16 16 false u32 32 false u64 64 false usize 64 false
}

macro_rules! same {
    ($([$($generics:tt)*] $ty:ty;)*) => {$(
        impl<$($generics)*> Integer for $ty {
            const SIGNED: bool = T::SIGNED;

            fn encoded(builder: &mut ShapeBuilder, encoding: IntEncoding) -> NodeId {
                T::encoded(builder, encoding)
            }
        }
    )*};
}

same! {
    [T: Integer + ?Sized] &T;
    [T: Integer + ?Sized] Box<T>;
    [T: Integer] Wrapping<T>;
    [T: Integer] Saturating<T>;
}

impl<T: Integer> Integer for Option<T> {
    const SIGNED: bool = T::SIGNED;

    fn encoded(builder: &mut ShapeBuilder, encoding: IntEncoding) -> NodeId {
        let inner = T::encoded(builder, encoding);
        builder.add(Node::Option(inner))
    }
}

macro_rules! lists {
    ($([$($generics:tt)*] $ty:ty, $len:expr;)*) => {$(
        impl<$($generics)*> Integer for $ty {
            const SIGNED: bool = T::SIGNED;

            fn encoded(builder: &mut ShapeBuilder, encoding: IntEncoding) -> NodeId {
                let item = T::encoded(builder, encoding);
                standard::array_of(builder, item, $len)
            }
        }
    )*};
}

lists! {
    [T: Integer] [T], None;
    [T: Integer, const N: usize] [T; N], Some(N);
    [T: Integer] Vec<T>, None;
    [T: Integer] VecDeque<T>, None;
    [T: Integer] BTreeSet<T>, None;
    [T: Integer, S] HashSet<T, S>, None;
}

/// The types that accept `#[serde(with = "serde_bytes")]`.
#[diagnostic::on_unimplemented(
    message = "`serde_bytes` does not write `{Self}` as far as is known",
    note = "say which type it is written as: #[shaped(as = \"…\")]"
)]
pub trait BytesLike {
    /// Returns the node of bytes, or of an option of bytes.
    fn bytes(builder: &mut ShapeBuilder) -> NodeId {
        builder.add(Node::Bytes)
    }
}

impl BytesLike for [u8] {}
impl<const N: usize> BytesLike for [u8; N] {}
impl BytesLike for Vec<u8> {}
impl BytesLike for Cow<'_, [u8]> {}

impl<T: BytesLike + ?Sized> BytesLike for &T {
    fn bytes(builder: &mut ShapeBuilder) -> NodeId {
        T::bytes(builder)
    }
}

impl<T: BytesLike + ?Sized> BytesLike for Box<T> {
    fn bytes(builder: &mut ShapeBuilder) -> NodeId {
        T::bytes(builder)
    }
}

impl<T: BytesLike> BytesLike for Option<T> {
    fn bytes(builder: &mut ShapeBuilder) -> NodeId {
        let inner = T::bytes(builder);
        builder.add(Node::Option(inner))
    }
}

#[cfg(feature = "serde_bytes")]
mod types {
    use serde_bytes::{ByteArray, ByteBuf, Bytes};

    use super::BytesLike;
    use crate::{Node, NodeId, ShapeBuilder, Shaped};

    macro_rules! bytes {
        ($([$($generics:tt)*] $ty:ty;)*) => {$(
            impl<$($generics)*> BytesLike for $ty {}

            impl<$($generics)*> Shaped for $ty {
                fn node(builder: &mut ShapeBuilder) -> NodeId {
                    builder.add(Node::Bytes)
                }
            }
        )*};
    }

    bytes! {
        [] Bytes;
        [] ByteBuf;
        [const N: usize] ByteArray<N>;
    }
}
