use std::fmt;

use manywire_shape::{NodeId, Shape, ShapeBuilder, Shaped};

/// A Rust type whose values are carried, as its shape: alone, or among those of other types.
#[derive(Clone, Copy)]
pub struct Type {
    node: fn(&mut ShapeBuilder) -> NodeId,
    name: fn() -> &'static str,
}

impl Type {
    /// The type of values that are `T`s.
    pub const fn of<T: Shaped>() -> Type {
        Type { node: T::node, name: std::any::type_name::<T> }
    }

    /// Its shape in binary formats.
    pub fn shape(&self) -> Shape {
        self.built(ShapeBuilder::default())
    }

    /// Its shape in formats for people, such as JSON.
    pub fn readable(&self) -> Shape {
        self.built(ShapeBuilder::human_readable())
    }

    /// Its place in a shape that has others, too: types that both hold are there once.
    pub(crate) fn node(&self, builder: &mut ShapeBuilder) -> NodeId {
        (self.node)(builder)
    }

    /// What the compiler calls it: what tells types apart.
    pub(crate) fn name(&self) -> &'static str {
        (self.name)()
    }

    fn built(&self, mut builder: ShapeBuilder) -> Shape {
        let root = self.node(&mut builder);
        builder.finish(root).reachable()
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Type({})", (self.name)())
    }
}
