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

use crate::shape::compound;
use crate::{
    Array, Check, Field, Int, Node, NodeId, ShapeBuilder, Shaped, Tagging, Timestamp, Value,
    Variant, VariantKind,
};

type NodeOf = fn(&mut ShapeBuilder) -> NodeId;

/// Returns a record with these fields.
fn record<T: ?Sized>(
    builder: &mut ShapeBuilder,
    name: &'static str,
    parts: &[(&'static str, NodeOf)],
) -> NodeId {
    compound::record(builder, type_name::<T>(), name, "", |builder, fields| {
        for (name, node) in parts {
            let node = node(builder);
            fields.push(Field::new(*name, node));
        }
    })
}

/// Returns an enum whose variants carry one value each.
fn newtype_variants<T: ?Sized>(
    builder: &mut ShapeBuilder,
    name: &'static str,
    variants: &[(&'static str, NodeOf)],
) -> NodeId {
    compound::tagged(builder, type_name::<T>(), name, "", Tagging::External, |builder| {
        let newtype = |(name, node): &(&'static str, NodeOf)| {
            Variant::new(*name, VariantKind::Newtype(node(builder)))
        };
        variants.iter().map(newtype).collect()
    })
}

macro_rules! records {
    ($([$($generics:tt)*] $ty:ty, $name:literal { $($field:literal: $part:ty),* }, $check:expr;)*) => {$(
        impl<$($generics)*> Shaped for $ty {
            fn node(builder: &mut ShapeBuilder) -> NodeId {
                record::<Self>(builder, $name, &[$(($field, <$part>::node)),*])
            }

            fn check(&self, check: &mut Check<'_>) {
                let walk: fn(&Self, &mut Check<'_>) = $check;
                walk(self, check);
            }
        }
    )*};
}

records! {
    [] Duration, "Duration" { "secs": u64, "nanos": u32 }, |_, _| {};
    [] SystemTime, "SystemTime" { "secs_since_epoch": u64, "nanos_since_epoch": u32 }, |_, _| {};
    [T: Shaped] Range<T>, "Range" { "start": T, "end": T }, |range, check| {
        range.start.check(&mut check.field("start"));
        range.end.check(&mut check.field("end"));
    };
    [T: Shaped] RangeInclusive<T>, "RangeInclusive" { "start": T, "end": T }, |range, check| {
        range.start().check(&mut check.field("start"));
        range.end().check(&mut check.field("end"));
    };
    [T: Shaped] RangeFrom<T>, "RangeFrom" { "start": T }, |range, check| {
        range.start.check(&mut check.field("start"));
    };
    [T: Shaped] RangeTo<T>, "RangeTo" { "end": T }, |range, check| {
        range.end.check(&mut check.field("end"));
    };
}

impl<T: Shaped> Shaped for Bound<T> {
    fn node(builder: &mut ShapeBuilder) -> NodeId {
        compound::tagged(builder, type_name::<Self>(), "Bound", "", Tagging::External, |builder| {
            let limit = T::node(builder);
            vec![
                Variant::new("Unbounded", VariantKind::Unit),
                Variant::new("Included", VariantKind::Newtype(limit)),
                Variant::new("Excluded", VariantKind::Newtype(limit)),
            ]
        })
    }

    fn check(&self, check: &mut Check<'_>) {
        match self {
            Bound::Included(limit) => limit.check(&mut check.field("Included")),
            Bound::Excluded(limit) => limit.check(&mut check.field("Excluded")),
            Bound::Unbounded => {}
        }
    }
}

impl<T: Shaped, E: Shaped> Shaped for Result<T, E> {
    fn node(builder: &mut ShapeBuilder) -> NodeId {
        newtype_variants::<Self>(builder, "Result", &[("Ok", T::node), ("Err", E::node)])
    }

    fn check(&self, check: &mut Check<'_>) {
        match self {
            Ok(value) => value.check(&mut check.field("Ok")),
            Err(error) => error.check(&mut check.field("Err")),
        }
    }
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

leaves! {
    () => Node::Null;
    f32 => Node::F32;
    f64 => Node::F64;
    CStr => Node::Bytes;
    CString => Node::Bytes;
    Timestamp => Node::Timestamp;
    Value<'_> => Node::Any;
}

/// Types that can be keys of maps in JSON.
macro_rules! keys {
    ($($ty:ty => $node:expr, $text:expr;)*) => {$(
        impl Shaped for $ty {
            fn node(builder: &mut ShapeBuilder) -> NodeId {
                builder.add($node)
            }

            fn map_key(&self) -> Option<Cow<'_, str>> {
                let text: fn(&Self) -> Cow<'_, str> = $text;
                Some(text(self))
            }
        }
    )*};
}

keys! {
    bool => Node::Bool, |key| key.to_string().into();
    char => Node::Char, |key| key.to_string().into();
    str => Node::Str, |key| key.into();
    String => Node::Str, |key| key.into();
    // Serde writes a path as text and refuses one that is not UTF-8.
    Path => Node::Str, |key| key.to_string_lossy();
    PathBuf => Node::Str, |key| key.to_string_lossy();
    i8 => Node::Int(Int::signed(8)), |key| key.to_string().into();
    i16 => Node::Int(Int::signed(16)), |key| key.to_string().into();
    i32 => Node::Int(Int::signed(32)), |key| key.to_string().into();
    i64 => Node::Int(Int::signed(64)), |key| key.to_string().into();
    i128 => Node::Int(Int::signed(128)), |key| key.to_string().into();
    u16 => Node::Int(Int::unsigned(16)), |key| key.to_string().into();
    u32 => Node::Int(Int::unsigned(32)), |key| key.to_string().into();
    u64 => Node::Int(Int::unsigned(64)), |key| key.to_string().into();
    u128 => Node::Int(Int::unsigned(128)), |key| key.to_string().into();
    // Serde writes `isize` and `usize` as 64 bits on every machine.
    isize => Node::Int(Int::signed(64)), |key| key.to_string().into();
    usize => Node::Int(Int::unsigned(64)), |key| key.to_string().into();
}

impl Shaped for u8 {
    fn node(builder: &mut ShapeBuilder) -> NodeId {
        builder.add(Node::Int(Int::unsigned(8)))
    }

    fn map_key(&self) -> Option<Cow<'_, str>> {
        Some(self.to_string().into())
    }

    fn borrowed_slice_node(builder: &mut ShapeBuilder) -> NodeId {
        builder.add(Node::Bytes)
    }
}

macro_rules! non_zero {
    ($($ty:ty)*) => {$(
        impl Shaped for NonZero<$ty> {
            fn node(builder: &mut ShapeBuilder) -> NodeId {
                <$ty>::node(builder)
            }

            fn map_key(&self) -> Option<Cow<'_, str>> {
                Some(self.to_string().into())
            }
        }
    )*};
}

non_zero! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }

macro_rules! atomics {
    ($($atomic:ty as $ty:ty;)*) => {$(
        impl Shaped for $atomic {
            fn node(builder: &mut ShapeBuilder) -> NodeId {
                <$ty>::node(builder)
            }
        }
    )*};
}

atomics! {
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

/// Wrappers that serde writes as their content.
macro_rules! transparent {
    ($([$($generics:tt)*] $ty:ty, $content:expr;)*) => {$(
        impl<$($generics)*> Shaped for $ty {
            fn node(builder: &mut ShapeBuilder) -> NodeId {
                T::node(builder)
            }

            fn check(&self, check: &mut Check<'_>) {
                let content: fn(&Self) -> &T = $content;
                content(self).check(check);
            }

            fn map_key(&self) -> Option<Cow<'_, str>> {
                let content: fn(&Self) -> &T = $content;
                content(self).map_key()
            }
        }
    )*};
}

transparent! {
    [T: Shaped] Wrapping<T>, |wrapper| &wrapper.0;
    [T: Shaped] Saturating<T>, |wrapper| &wrapper.0;
    [T: Shaped] Reverse<T>, |wrapper| &wrapper.0;
    [T: Shaped + ?Sized] &mut T, |wrapper| &**wrapper;
    [T: Shaped + ?Sized] Box<T>, |wrapper| &**wrapper;
    [T: Shaped + ?Sized] Rc<T>, |wrapper| &**wrapper;
    [T: Shaped + ?Sized] Arc<T>, |wrapper| &**wrapper;
    // Serde reads a `Cow` as owned, unless the field has #[serde(borrow)]; the derive handles that
    // case.
    [T: Shaped + ToOwned + ?Sized] Cow<'_, T>, |wrapper| &**wrapper;
}

impl<T: Shaped + ?Sized> Shaped for &T {
    fn node(builder: &mut ShapeBuilder) -> NodeId {
        T::borrowed_node(builder)
    }

    fn check(&self, check: &mut Check<'_>) {
        (**self).check(check);
    }

    fn map_key(&self) -> Option<Cow<'_, str>> {
        (**self).map_key()
    }
}

/// Types that lend their content only under a lock or not at all. The constraints of a locked value
/// could not be checked, so constraints inside these types are refused.
macro_rules! cells {
    ($([$($generics:tt)*] $ty:ty;)*) => {$(
        impl<$($generics)*> Shaped for $ty {
            fn node(builder: &mut ShapeBuilder) -> NodeId {
                let node = T::node(builder);
                compound::unchecked(builder, type_name::<Self>(), node)
            }
        }
    )*};
}

cells! {
    [T: Shaped] Cell<T>;
    [T: Shaped + ?Sized] RefCell<T>;
    [T: Shaped + ?Sized] Mutex<T>;
    [T: Shaped + ?Sized] RwLock<T>;
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

    fn check(&self, check: &mut Check<'_>) {
        if let Some(value) = self {
            value.check(check);
        }
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

/// Checks the items of a list.
fn check_items<'i, T: Shaped + 'i>(items: impl Iterator<Item = &'i T>, check: &mut Check<'_>) {
    for (index, item) in items.enumerate() {
        item.check(&mut check.item(index));
    }
}

macro_rules! lists {
    ($([$($generics:tt)*] $ty:ty, $check:expr;)*) => {$(
        impl<$($generics)*> Shaped for $ty {
            fn node(builder: &mut ShapeBuilder) -> NodeId {
                array::<T>(builder, None)
            }

            fn check(&self, check: &mut Check<'_>) {
                let walk: fn(&Self, &mut Check<'_>) = $check;
                walk(self, check);
            }
        }
    )*};
}

lists! {
    [T: Shaped] Vec<T>, |list, check| check_items(list.iter(), check);
    [T: Shaped] VecDeque<T>, |list, check| check_items(list.iter(), check);
    [T: Shaped] LinkedList<T>, |list, check| check_items(list.iter(), check);
    // These collections do not keep the order of the input, so a violation has no index.
    [T: Shaped] BinaryHeap<T>, |set, check| set.iter().for_each(|item| item.check(check));
    [T: Shaped] BTreeSet<T>, |set, check| set.iter().for_each(|item| item.check(check));
    [T: Shaped, S] HashSet<T, S>, |set, check| set.iter().for_each(|item| item.check(check));
}

impl<T: Shaped> Shaped for [T] {
    fn node(builder: &mut ShapeBuilder) -> NodeId {
        array::<T>(builder, None)
    }

    fn check(&self, check: &mut Check<'_>) {
        check_items(self.iter(), check);
    }

    fn borrowed_node(builder: &mut ShapeBuilder) -> NodeId {
        T::borrowed_slice_node(builder)
    }
}

impl<T: Shaped, const N: usize> Shaped for [T; N] {
    fn node(builder: &mut ShapeBuilder) -> NodeId {
        array::<T>(builder, Some(N))
    }

    fn check(&self, check: &mut Check<'_>) {
        check_items(self.iter(), check);
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

            fn check(&self, check: &mut Check<'_>) {
                for (key, value) in self {
                    let mut check = check.entry(key.map_key());
                    key.check(&mut check);
                    value.check(&mut check);
                }
            }
        }
    )*};
}

maps! {
    [K: Shaped, V: Shaped] BTreeMap<K, V>;
    [K: Shaped, V: Shaped, S] HashMap<K, V, S>;
}

macro_rules! tuples {
    ($($($item:ident $at:tt)+;)*) => {$(
        impl<$($item: Shaped),+> Shaped for ($($item,)+) {
            fn node(builder: &mut ShapeBuilder) -> NodeId {
                let items = vec![$($item::node(builder)),+];
                builder.add(Node::Tuple(items))
            }

            fn check(&self, check: &mut Check<'_>) {
                $(self.$at.check(&mut check.item($at));)+
            }
        }
    )*};
}

tuples! {
    A 0;
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
    A 0 B 1 C 2 D 3 E 4;
    A 0 B 1 C 2 D 3 E 4 F 5;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15;
}

// Serde writes addresses as text in human-readable formats. In binary formats it writes the octets.
// There, a type with two kinds of addresses is an enum, a socket address is a tuple of address and
// port, and the scope and flow of IPv6 are not written.
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

            fn map_key(&self) -> Option<Cow<'_, str>> {
                Some(self.to_string().into())
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
