use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};

use crate::{Array, Node, NodeId, ShapeBuilder, Shaped};

/// An array of this type.
pub(super) fn array<T: Shaped>(builder: &mut ShapeBuilder, len: Option<usize>) -> NodeId {
    let item = T::node(builder);
    array_of(builder, item, len)
}

/// An array of these items. A length beyond 32 bits is left open: no format counts that far.
pub(super) fn array_of(builder: &mut ShapeBuilder, item: NodeId, len: Option<usize>) -> NodeId {
    let len = len.and_then(|len| u32::try_from(len).ok());
    builder.add(Node::Array(Array { item, len, non_empty: len.is_some_and(|len| len > 0) }))
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
