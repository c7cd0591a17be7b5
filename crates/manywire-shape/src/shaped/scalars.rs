use std::num::{NonZero, Saturating, Wrapping};
use std::sync::atomic;

use crate::{Int, Node, NodeId, ShapeBuilder, Shaped, Timestamp, Value};

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
    // Serde writes the sizes of the machine as 64 bits on every machine.
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
