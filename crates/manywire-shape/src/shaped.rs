//! The trait, and what it is for the types of others.

pub(crate) mod attributes;
mod external;
mod standard;

use crate::{NodeId, ShapeBuilder};

/// A Rust type whose shape is known without a value of it.
///
/// Derived with `#[derive(Shaped)]` beside serde's derives, from the same serde attributes; see
/// [the derive](macro@crate::Shaped). Implemented for what serde implements of the standard
/// library, as binary formats write it.
#[diagnostic::on_unimplemented(
    message = "the shape of `{Self}` is not known",
    label = "this is not `Shaped`",
    note = "derive it beside serde's traits: #[derive(Serialize, Deserialize, Shaped)]",
    note = "or say which type it is written as: #[shaped(as = \"…\")]"
)]
pub trait Shaped {
    /// Adds this type's nodes and returns the one that stands for it.
    fn node(builder: &mut ShapeBuilder) -> NodeId;

    /// The node of `&[Self]`. Serde reads a `&[u8]` as borrowed bytes, and only as bytes does one
    /// come back; every other slice is an array.
    #[doc(hidden)]
    fn borrowed_slice_node(builder: &mut ShapeBuilder) -> NodeId
    where
        Self: Sized,
    {
        self::standard::array::<Self>(builder, None)
    }

    /// The node of `&Self`.
    #[doc(hidden)]
    fn borrowed_node(builder: &mut ShapeBuilder) -> NodeId {
        Self::node(builder)
    }
}

/// A type that borrows from what it is read from, as a family: `Hotel<'_>` stands for `Hotel<'b>`
/// of every lifetime.
///
/// Whoever owns bytes and wants a value that borrows from them needs a name for that value without
/// its lifetime. Derived with [`Shaped`](macro@crate::Shaped) for types that have one lifetime and
/// no other parameter.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not borrow from what it is read from",
    label = "a type with exactly one lifetime is needed",
    note = "derive Shaped for it; a type that owns its texts is taken as it is, without `Lent`"
)]
pub trait Borrowed {
    /// The type with another lifetime.
    type Of<'b>;

    /// The same value, lent for a shorter time.
    fn shortened<'s, 'b>(value: &'s Self::Of<'b>) -> &'s Self::Of<'s>;
}
