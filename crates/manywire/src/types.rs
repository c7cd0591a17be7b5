//! The type of the values in requests and responses: a Rust type with a shape, a shape that is
//! known only at run time, or a Rust type without a shape.

use std::fmt;
use std::sync::Arc;

use manywire_format::Format;
use manywire_shape::{Constraints, InvalidConstraint, NodeId, Shape, ShapeBuilder, Shaped};

/// The type of the values in requests and responses: a Rust type with a shape, a shape that is
/// known only at run time, or a Rust type without a shape, whose content encodes and decodes
/// itself.
#[derive(Clone)]
pub struct Type {
    source: TypeSource,
    /// Constraints in addition to those of the source.
    constraints: Option<Arc<Vec<Constraints>>>,
}

#[derive(Clone)]
enum TypeSource {
    Rust { node: fn(&mut ShapeBuilder) -> NodeId, name: fn() -> &'static str },
    Shape(Arc<Shape>),
    Shapeless { name: fn() -> &'static str, formats: &'static [Format] },
}

/// The identity of a type: the compiler's name for it, or its whole shape.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TypeKey {
    source: SourceKey,
    constraints: Option<Arc<Vec<Constraints>>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum SourceKey {
    Rust(&'static str),
    Shape(Arc<Shape>),
}

impl Type {
    /// Returns the type `T`, with its shape.
    pub const fn of<T: Shaped>() -> Type {
        Type::new(TypeSource::Rust { node: T::node, name: std::any::type_name::<T> })
    }

    /// Returns the type `T`, which has no shape. Its content encodes and decodes itself in these
    /// formats only, according to [`Encoding::format`](crate::content::Encoding::format) and
    /// [`Decoding::format`](crate::content::Decoding::format). Endpoints of this type leave out all
    /// other formats of an API.
    ///
    /// Serde alone is enough for JSON, MessagePack by names, CBOR and BSON
    /// ([`Encoding::value`](crate::content::Encoding::value)). The other formats need a shape.
    pub const fn shapeless<T>(formats: &'static [Format]) -> Type {
        Type::new(TypeSource::Shapeless { name: std::any::type_name::<T>, formats })
    }

    const fn new(source: TypeSource) -> Type {
        Type { source, constraints: None }
    }

    /// Returns the type with constraints in addition to its own.
    pub(crate) fn constrained(mut self, constraints: Constraints) -> Type {
        Arc::make_mut(self.constraints.get_or_insert_default()).push(constraints);
        self
    }

    /// Returns whether values have constraints that a server checks.
    ///
    /// # Errors
    /// Fails for a constraint that is invalid or that would not be checked.
    pub(crate) fn is_constrained(&self) -> Result<bool, InvalidConstraint> {
        let shape = self.readable();
        shape.invalid_constraint().map_or(Ok(!shape.constraints().is_empty()), Err)
    }

    /// Returns whether the type has no shape.
    pub(crate) fn is_shapeless(&self) -> bool {
        matches!(self.source, TypeSource::Shapeless { .. })
    }

    /// Returns the name of a type without a shape and the formats that it supports, or nothing for
    /// a type with a shape, which supports all formats.
    pub(crate) fn shapeless_formats(&self) -> Option<(&'static str, &'static [Format])> {
        match self.source {
            TypeSource::Shapeless { name, formats } => Some((name(), formats)),
            TypeSource::Rust { .. } | TypeSource::Shape(_) => None,
        }
    }

    /// Returns the shape in binary formats.
    pub fn shape(&self) -> Shape {
        self.built(ShapeBuilder::default())
    }

    /// Returns the shape in human-readable formats, such as JSON.
    pub fn readable(&self) -> Shape {
        self.built(ShapeBuilder::human_readable())
    }

    /// Returns whether the type is known only at run time, so that its values are dynamic.
    pub(crate) fn is_dynamic(&self) -> bool {
        matches!(self.source, TypeSource::Shape(_))
    }

    /// Adds the type to the shape that `builder` builds, and returns the node of the type. A Rust
    /// type that the shape already has is not added again.
    pub(crate) fn node(&self, builder: &mut ShapeBuilder) -> NodeId {
        let node = match &self.source {
            TypeSource::Rust { node, .. } => node(builder),
            TypeSource::Shape(shape) => builder.embed(shape),
            TypeSource::Shapeless { .. } => builder.embed(&Shape::any()),
        };
        let constraints = self.constraints.iter().flat_map(|all| all.iter());
        constraints.fold(node, |node, constraints| builder.constrain(node, constraints.clone()))
    }

    pub(crate) fn key(&self) -> TypeKey {
        let source = match &self.source {
            TypeSource::Rust { name, .. } | TypeSource::Shapeless { name, .. } => {
                SourceKey::Rust(name())
            }
            TypeSource::Shape(shape) => SourceKey::Shape(Arc::clone(shape)),
        };
        TypeKey { source, constraints: self.constraints.clone() }
    }

    fn built(&self, mut builder: ShapeBuilder) -> Shape {
        let root = self.node(&mut builder);
        builder.finish(root).reachable()
    }
}

/// Returns the type of dynamic values of this shape.
impl From<Shape> for Type {
    fn from(shape: Shape) -> Self {
        Type::new(TypeSource::Shape(Arc::new(shape)))
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            TypeSource::Rust { name, .. } | TypeSource::Shapeless { name, .. } => {
                write!(f, "Type({})", name())
            }
            TypeSource::Shape(shape) => write!(f, "Type({shape:?})"),
        }
    }
}
