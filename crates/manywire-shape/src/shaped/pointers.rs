use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::{Arc, Mutex, RwLock};

use crate::{Node, NodeId, ShapeBuilder, Shaped};

/// What serde writes as if only its content were there.
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
    // Owned when it is read, unless #[serde(borrow)] is on the field: the derive sees to that.
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
