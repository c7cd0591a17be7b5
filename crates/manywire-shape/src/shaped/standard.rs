use std::any::type_name;
use std::ffi::{CStr, CString, OsStr, OsString};
use std::ops::{Bound, Range, RangeFrom, RangeInclusive, RangeTo};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::derived;
use crate::{Field, Node, NodeId, ShapeBuilder, Shaped, Tagging, VariantKind};

type NodeOf = fn(&mut ShapeBuilder) -> NodeId;

/// A record with these fields.
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

/// An enum whose variants carry one value each.
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

// A path is text to serde, and one that is not UTF-8 is refused when it is written.
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

// What the system calls a string differs between systems, and serde says whose it is.
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
