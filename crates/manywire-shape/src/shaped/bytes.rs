use std::borrow::Cow;

use crate::{Node, NodeId, ShapeBuilder};

/// What `#[serde(with = "serde_bytes")]` takes.
#[diagnostic::on_unimplemented(
    message = "`serde_bytes` does not write `{Self}` as far as is known",
    note = "say which type it is written as: #[shaped(as = \"…\")]"
)]
pub trait BytesLike {
    /// Bytes, or an option of bytes.
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
