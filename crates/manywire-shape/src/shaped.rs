//! The `Shaped` trait, the shapes of the types that implement it, and its implementations for the
//! types of the standard library and other crates.

/// Types that are a single node.
macro_rules! leaves {
    ($($ty:ty => $node:expr;)*) => {$(
        impl crate::Shaped for $ty {
            fn node(builder: &mut crate::ShapeBuilder) -> crate::NodeId {
                builder.add($node)
            }
        }
    )*};
}

pub(crate) mod attributes;
mod external;
mod standard;

use std::borrow::Cow;

use crate::{Check, NodeId, Shape, ShapeBuilder};

/// A Rust type with a statically known shape.
///
/// Derive the trait with `#[derive(Shaped)]` beside serde's derives; the derive reads the same
/// serde attributes. See [the derive](macro@crate::Shaped). The trait is implemented for the types
/// of the standard library that implement serde's traits.
#[diagnostic::on_unimplemented(
    message = "the shape of `{Self}` is not known",
    label = "this is not `Shaped`",
    note = "derive it beside serde's traits: #[derive(Serialize, Deserialize, Shaped)]",
    note = "or say which type it is written as: #[shaped(as = \"…\")]"
)]
pub trait Shaped {
    /// Adds the nodes of this type and returns the node of the type itself.
    fn node(builder: &mut ShapeBuilder) -> NodeId;

    /// Checks the constraints of the value and of its parts.
    ///
    /// The derive implements this method. An implementation by hand whose [`node`](Shaped::node)
    /// has constraints must call the method for the parts of the value: otherwise schemas have
    /// constraints that are not checked.
    fn check(&self, _check: &mut Check<'_>) {}

    /// Returns the value as the key of a map in JSON, for the paths of violated constraints, or
    /// `None` if the type does not provide such a text.
    #[doc(hidden)]
    fn map_key(&self) -> Option<Cow<'_, str>> {
        None
    }

    /// Returns the node of `&[Self]`. Serde reads a `&[u8]` only from borrowed bytes; every other
    /// slice is an array.
    #[doc(hidden)]
    fn borrowed_slice_node(builder: &mut ShapeBuilder) -> NodeId
    where
        Self: Sized,
    {
        self::standard::array::<Self>(builder, None)
    }

    /// Returns the node of `&Self`.
    #[doc(hidden)]
    fn borrowed_node(builder: &mut ShapeBuilder) -> NodeId {
        Self::node(builder)
    }
}

impl Shape {
    /// Returns the shape of a Rust type in binary formats.
    pub fn of<T: Shaped + ?Sized>() -> Shape {
        Shape::build::<T>(ShapeBuilder::default())
    }

    /// Returns the shape of a Rust type in human-readable formats such as JSON. An IP address or a
    /// UUID is text there, and bytes in binary formats.
    pub fn of_readable<T: Shaped + ?Sized>() -> Shape {
        Shape::build::<T>(ShapeBuilder::human_readable())
    }

    fn build<T: Shaped + ?Sized>(mut builder: ShapeBuilder) -> Shape {
        let root = T::node(&mut builder);
        builder.finish(root).reachable()
    }
}

/// A type that borrows from its input, for every lifetime: `Hotel<'_>` represents `Hotel<'b>` for
/// all `'b`.
///
/// Code that owns bytes and a value that borrows from them needs the type of that value without its
/// lifetime. [`Shaped`](macro@crate::Shaped) derives this trait for types that have one lifetime
/// and no other parameter.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not borrow from its input",
    label = "a type with exactly one lifetime is needed",
    note = "derive Shaped for the type; a type that owns its texts is used without `ZeroCopy`"
)]
pub trait Borrowed {
    /// The same type with another lifetime.
    type Output<'b>;

    /// Shortens the lifetime of a borrowed value.
    fn shorten<'s, 'b>(value: &'s Self::Output<'b>) -> &'s Self::Output<'s>;
}
