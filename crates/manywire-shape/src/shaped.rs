use crate::{NodeId, ShapeBuilder};

/// A Rust type whose shape is known without a value of it.
///
/// Derived with `#[derive(Shaped)]` beside serde's derives, from the same serde attributes.
pub trait Shaped {
    /// Adds this type's nodes and returns the one that stands for it.
    fn node(builder: &mut ShapeBuilder) -> NodeId;
}
