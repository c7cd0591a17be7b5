use std::fmt;
use std::sync::Arc;

use manywire_shape::{NodeId, Shape, ShapeBuilder, Shaped};

/// A type whose values are carried, as its shape: alone, or among those of other types. A Rust
/// type, or a shape that is known only at run time.
#[derive(Clone)]
pub struct Type(Kind);

#[derive(Clone)]
enum Kind {
    Rust { node: fn(&mut ShapeBuilder) -> NodeId, name: fn() -> &'static str },
    Shape(Arc<Shape>),
}

/// What tells types apart: the name that the compiler has for them, or all of their shape.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TypeKey {
    Rust(&'static str),
    Shape(Arc<Shape>),
}

impl Type {
    /// The type of values that are `T`s.
    pub const fn of<T: Shaped>() -> Type {
        Type(Kind::Rust { node: T::node, name: std::any::type_name::<T> })
    }

    /// Its shape in binary formats.
    pub fn shape(&self) -> Shape {
        self.built(ShapeBuilder::default())
    }

    /// Its shape in formats for people, such as JSON.
    pub fn readable(&self) -> Shape {
        self.built(ShapeBuilder::human_readable())
    }

    /// Whether it is known at run time alone: its values are then dynamic.
    pub(crate) fn is_dynamic(&self) -> bool {
        matches!(self.0, Kind::Shape(_))
    }

    /// Its place in a shape that has others, too: types that both hold are there once.
    pub(crate) fn node(&self, builder: &mut ShapeBuilder) -> NodeId {
        match &self.0 {
            Kind::Rust { node, .. } => node(builder),
            Kind::Shape(shape) => builder.embed(shape),
        }
    }

    pub(crate) fn key(&self) -> TypeKey {
        match &self.0 {
            Kind::Rust { name, .. } => TypeKey::Rust(name()),
            Kind::Shape(shape) => TypeKey::Shape(Arc::clone(shape)),
        }
    }

    fn built(&self, mut builder: ShapeBuilder) -> Shape {
        let root = self.node(&mut builder);
        builder.finish(root).reachable()
    }
}

/// The type of dynamic values of this shape.
impl From<Shape> for Type {
    fn from(shape: Shape) -> Self {
        Type(Kind::Shape(Arc::new(shape)))
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Rust { name, .. } => write!(f, "Type({})", name()),
            Kind::Shape(shape) => write!(f, "Type({shape:?})"),
        }
    }
}
