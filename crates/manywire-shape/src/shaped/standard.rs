//! `Shaped` for the standard library's types that serde implements.

use std::any::type_name;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::ffi::{CStr, CString, OsStr, OsString};
use std::marker::PhantomData;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::num::{NonZero, Saturating, Wrapping};
use std::ops::{Bound, Range, RangeFrom, RangeInclusive, RangeTo};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, Mutex, RwLock, atomic};
use std::time::{Duration, SystemTime};

use crate::{
    Array, Field, Int, Node, NodeId, ShapeBuilder, Shaped, Tagging, Timestamp, Value, VariantKind,
    derived,
};

type NodeOf = fn(&mut ShapeBuilder) -> NodeId;

/// Returns a record with these fields.
fn record<T: ?Sized>(
    builder: &mut ShapeBuilder,
    name: &'static str,
    parts: &[(&'static str, NodeOf)],
) -> NodeId {
    derived::record(builder, type_name::<T>(), name, "", |builder, fields| {
        for (name, node) in parts {
            let node = node(builder);
            fields.push(Field::new(*name, node));
        }
    })
}

/// Returns an enum whose variants carry one value each.
pub(super) fn newtype_variants<T: ?Sized>(
    builder: &mut ShapeBuilder,
    name: &'static str,
    variants: &[(&'static str, NodeOf)],
) -> NodeId {
    derived::tagged(builder, type_name::<T>(), name, "", Tagging::External, |builder| {
        let newtype = |(name, node): &(&'static str, NodeOf)| {
            derived::variant(name, &[], "", None, VariantKind::Newtype(node(builder)))
        };
        variants.iter().map(newtype).collect()
    })
}

macro_rules! records {
    ($([$($generics:tt)*] $ty:ty, $name:literal { $($field:literal: $part:ty),* };)*) => {$(
        impl<$($generics)*> Shaped for $ty {
            fn node(builder: &mut ShapeBuilder) -> NodeId {
                record::<Self>(builder, $name, &[$(($field, <$part>::node)),*])
            }
        }
    )*};
}

records! {
    [] Duration, "Duration" { "secs": u64, "nanos": u32 };
    [] SystemTime, "SystemTime" { "secs_since_epoch": u64, "nanos_since_epoch": u32 };
    [T: Shaped] Range<T>, "Range" { "start": T, "end": T };
    [T: Shaped] RangeInclusive<T>, "RangeInclusive" { "start": T, "end": T };
    [T: Shaped] RangeFrom<T>, "RangeFrom" { "start": T };
    [T: Shaped] RangeTo<T>, "RangeTo" { "end": T };
}

impl<T: Shaped> Shaped for Bound<T> {
    fn node(builder: &mut ShapeBuilder) -> NodeId {
        derived::tagged(builder, type_name::<Self>(), "Bound", "", Tagging::External, |builder| {
            let limit = T::node(builder);
            vec![
                derived::variant("Unbounded", &[], "", None, VariantKind::Unit),
                derived::variant("Included", &[], "", None, VariantKind::Newtype(limit)),
                derived::variant("Excluded", &[], "", None, VariantKind::Newtype(limit)),
            ]
        })
    }
}

impl<T: Shaped, E: Shaped> Shaped for Result<T, E> {
    fn node(builder: &mut ShapeBuilder) -> NodeId {
        newtype_variants::<Self>(builder, "Result", &[("Ok", T::node), ("Err", E::node)])
    }
}

// Serde writes a path as text and refuses one that is not UTF-8.
macro_rules! leaves {
    ($($ty:ty => $node:expr;)*) => {$(
        impl Shaped for $ty {
            fn node(builder: &mut ShapeBuilder) -> NodeId {
                builder.add($node)
            }
        }
    )*};
}

leaves! {
    Path => Node::Str;
    PathBuf => Node::Str;
    CStr => Node::Bytes;
    CString => Node::Bytes;
}

// Native strings differ between systems, and serde writes them as an enum of the systems.
impl Shaped for OsStr {
    fn node(builder: &mut ShapeBuilder) -> NodeId {
        let variants: [(&str, NodeOf); 2] =
            [("Unix", Vec::<u8>::node), ("Windows", Vec::<u16>::node)];
        newtype_variants::<OsString>(builder, "OsString", &variants)
    }
}

impl Shaped for OsString {
    fn node(builder: &mut ShapeBuilder) -> NodeId {
        OsStr::node(builder)
    }
}

macro_rules! leaves {
    ($($ty:ty => $node:expr;)*) => {$(
        impl Shaped for $ty {
            fn node(builder: &mut ShapeBuilder) -> NodeId {
                builder.add($node)
            }
        }
    )*};
}

leaves! {
    () => Node::Null;
    bool => Node::Bool;
    f32 => Node::F32;
    f64 => Node::F64;
    char => Node::Char;
    str => Node::Str;
    String => Node::Str;
    i8 => Node::Int(Int::signed(8));
    i16 => Node::Int(Int::signed(16));
    i32 => Node::Int(Int::signed(32));
    i64 => Node::Int(Int::signed(64));
    i128 => Node::Int(Int::signed(128));
    u16 => Node::Int(Int::unsigned(16));
    u32 => Node::Int(Int::unsigned(32));
    u64 => Node::Int(Int::unsigned(64));
    u128 => Node::Int(Int::unsigned(128));
    // Serde writes `isize` and `usize` as 64 bits on every machine.
    isize => Node::Int(Int::signed(64));
    usize => Node::Int(Int::unsigned(64));
    Timestamp => Node::Timestamp;
    Value<'_> => Node::Any;
}

impl Shaped for u8 {
    fn node(builder: &mut ShapeBuilder) -> NodeId {
        builder.add(Node::Int(Int::unsigned(8)))
    }

    fn borrowed_slice_node(builder: &mut ShapeBuilder) -> NodeId {
        builder.add(Node::Bytes)
    }
}

macro_rules! wrappers {
    ($($wrapper:ty as $ty:ty;)*) => {$(
        impl Shaped for $wrapper {
            fn node(builder: &mut ShapeBuilder) -> NodeId {
                <$ty>::node(builder)
            }
        }
    )*};
}

wrappers! {
    NonZero<i8> as i8;
    NonZero<i16> as i16;
    NonZero<i32> as i32;
    NonZero<i64> as i64;
    NonZero<i128> as i128;
    NonZero<isize> as isize;
    NonZero<u8> as u8;
    NonZero<u16> as u16;
    NonZero<u32> as u32;
    NonZero<u64> as u64;
    NonZero<u128> as u128;
    NonZero<usize> as usize;
    atomic::AtomicBool as bool;
    atomic::AtomicI8 as i8;
    atomic::AtomicI16 as i16;
    atomic::AtomicI32 as i32;
    atomic::AtomicI64 as i64;
    atomic::AtomicIsize as isize;
    atomic::AtomicU8 as u8;
    atomic::AtomicU16 as u16;
    atomic::AtomicU32 as u32;
    atomic::AtomicU64 as u64;
    atomic::AtomicUsize as usize;
}

impl<T: Shaped> Shaped for Wrapping<T> {
    fn node(builder: &mut ShapeBuilder) -> NodeId {
        T::node(builder)
    }
}

impl<T: Shaped> Shaped for Saturating<T> {
    fn node(builder: &mut ShapeBuilder) -> NodeId {
        T::node(builder)
    }
}

/// Wrappers that serde writes as their content.
macro_rules! transparent {
    ($([$($generics:tt)*] $ty:ty;)*) => {$(
        impl<$($generics)*> Shaped for $ty {
            fn node(builder: &mut ShapeBuilder) -> NodeId {
                T::node(builder)
            }
        }
    )*};
}

transparent! {
    [T: Shaped + ?Sized] &mut T;
    [T: Shaped + ?Sized] Box<T>;
    [T: Shaped + ?Sized] Rc<T>;
    [T: Shaped + ?Sized] Arc<T>;
    // Serde reads a `Cow` as owned, unless the field has #[serde(borrow)]; the derive handles that
    // case.
    [T: Shaped + ToOwned + ?Sized] Cow<'_, T>;
    [T: Shaped] Cell<T>;
    [T: Shaped + ?Sized] RefCell<T>;
    [T: Shaped + ?Sized] Mutex<T>;
    [T: Shaped + ?Sized] RwLock<T>;
    [T: Shaped] Reverse<T>;
}

impl<T: Shaped + ?Sized> Shaped for &T {
    fn node(builder: &mut ShapeBuilder) -> NodeId {
        T::borrowed_node(builder)
    }
}

impl<T: ?Sized> Shaped for PhantomData<T> {
    fn node(builder: &mut ShapeBuilder) -> NodeId {
        builder.add(Node::Null)
    }
}

impl<T: Shaped> Shaped for Option<T> {
    fn node(builder: &mut ShapeBuilder) -> NodeId {
        let inner = T::node(builder);
        builder.add(Node::Option(inner))
    }
}

/// Returns an array of this type.
pub(super) fn array<T: Shaped>(builder: &mut ShapeBuilder, len: Option<usize>) -> NodeId {
    let item = T::node(builder);
    array_of(builder, item, len)
}

/// Returns an array of these items. A length beyond 32 bits is left out: no format supports it.
pub(super) fn array_of(builder: &mut ShapeBuilder, item: NodeId, len: Option<usize>) -> NodeId {
    let len = len.and_then(|len| u32::try_from(len).ok());
    builder.add(Node::Array(Array {
        len,
        non_empty: len.is_some_and(|len| len > 0),
        ..Array::new(item)
    }))
}

macro_rules! lists {
    ($([$($generics:tt)*] $ty:ty;)*) => {$(
        impl<$($generics)*> Shaped for $ty {
            fn node(builder: &mut ShapeBuilder) -> NodeId {
                array::<T>(builder, None)
            }
        }
    )*};
}

lists! {
    [T: Shaped] Vec<T>;
    [T: Shaped] VecDeque<T>;
    [T: Shaped] LinkedList<T>;
    [T: Shaped] BinaryHeap<T>;
    [T: Shaped] BTreeSet<T>;
    [T: Shaped, S] HashSet<T, S>;
}

impl<T: Shaped> Shaped for [T] {
    fn node(builder: &mut ShapeBuilder) -> NodeId {
        array::<T>(builder, None)
    }

    fn borrowed_node(builder: &mut ShapeBuilder) -> NodeId {
        T::borrowed_slice_node(builder)
    }
}

impl<T: Shaped, const N: usize> Shaped for [T; N] {
    fn node(builder: &mut ShapeBuilder) -> NodeId {
        array::<T>(builder, Some(N))
    }
}

macro_rules! maps {
    ($([$($generics:tt)*] $ty:ty;)*) => {$(
        impl<$($generics)*> Shaped for $ty {
            fn node(builder: &mut ShapeBuilder) -> NodeId {
                let key = K::node(builder);
                let value = V::node(builder);
                builder.add(Node::Map { key, value })
            }
        }
    )*};
}

maps! {
    [K: Shaped, V: Shaped] BTreeMap<K, V>;
    [K: Shaped, V: Shaped, S] HashMap<K, V, S>;
}

macro_rules! tuples {
    ($($($item:ident)+;)*) => {$(
        impl<$($item: Shaped),+> Shaped for ($($item,)+) {
            fn node(builder: &mut ShapeBuilder) -> NodeId {
                let items = vec![$($item::node(builder)),+];
                builder.add(Node::Tuple(items))
            }
        }
    )*};
}

tuples! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
    A B C D E F G H I;
    A B C D E F G H I J;
    A B C D E F G H I J K;
    A B C D E F G H I J K L;
    A B C D E F G H I J K L M;
    A B C D E F G H I J K L M N;
    A B C D E F G H I J K L M N O;
    A B C D E F G H I J K L M N O P;
}

// Serde writes addresses as text in human-readable formats. In binary formats it writes the octets,
// in an enum for types with two kinds of addresses, and a tuple of address and port. It does not
// write the scope and flow of IPv6.
macro_rules! addresses {
    ($($ty:ty => $binary:expr;)*) => {$(
        impl Shaped for $ty {
            fn node(builder: &mut ShapeBuilder) -> NodeId {
                if builder.is_human_readable() {
                    return builder.add(Node::Str);
                }
                let binary: fn(&mut ShapeBuilder) -> NodeId = $binary;
                binary(builder)
            }
        }
    )*};
}

addresses! {
    Ipv4Addr => <[u8; 4]>::node;
    Ipv6Addr => <[u8; 16]>::node;
    IpAddr => |builder| {
        newtype_variants::<IpAddr>(builder, "IpAddr", &[
            ("V4", Ipv4Addr::node),
            ("V6", Ipv6Addr::node),
        ])
    };
    SocketAddrV4 => <(Ipv4Addr, u16)>::node;
    SocketAddrV6 => <(Ipv6Addr, u16)>::node;
    SocketAddr => |builder| {
        newtype_variants::<SocketAddr>(builder, "SocketAddr", &[
            ("V4", SocketAddrV4::node),
            ("V6", SocketAddrV6::node),
        ])
    };
}
