//! The trait, and what it is for the types of others.

pub(crate) mod borrowed;
pub(crate) mod bytes;
mod external;
pub(crate) mod integer;
mod network;
mod pointers;
mod scalars;
mod sequences;
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
        sequences::array::<Self>(builder, None)
    }

    /// The node of `&Self`.
    #[doc(hidden)]
    fn borrowed_node(builder: &mut ShapeBuilder) -> NodeId {
        Self::node(builder)
    }
}
