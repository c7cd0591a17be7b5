use std::fmt;
use std::sync::Arc;

use manywire_codec::{Category, Error, Result};
use manywire_format::Format;
use manywire_shape::{NodeId, Shape, ShapeBuilder, Shaped};

use super::own::AnyFormat;

/// A type whose values are carried, as its shape: alone, or among those of other types. A Rust
/// type, or a shape that is known only at run time; or a type without one, that is read and written
/// by code of its own.
#[derive(Clone)]
pub struct Type(Kind);

#[derive(Clone)]
enum Kind {
    Rust { node: fn(&mut ShapeBuilder) -> NodeId, name: fn() -> &'static str },
    Shape(Arc<Shape>),
    Shapeless { name: fn() -> &'static str, formats: &'static [Format] },
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

    /// The type of values that are `T`s, which have no shape: their content reads and writes itself
    /// in these formats and in no others, by what [`Encoding::format`](super::Encoding::format) and
    /// [`Decoding::format`](super::Decoding::format) say. Where an API lists more formats, those
    /// are left out of the type's endpoints.
    ///
    /// Serde alone is enough for JSON, MessagePack by names, CBOR and BSON
    /// ([`Encoding::value`](super::Encoding::value)); the others go by a shape.
    pub const fn shapeless<T>(formats: &'static [Format]) -> Type {
        Type(Kind::Shapeless { name: std::any::type_name::<T>, formats })
    }

    /// Whether it has no shape.
    pub(crate) fn is_shapeless(&self) -> bool {
        matches!(self.0, Kind::Shapeless { .. })
    }

    /// Those of some formats that it can be in.
    ///
    /// # Errors
    /// Where there is none.
    pub(crate) fn among(&self, listed: &[AnyFormat]) -> Result<Vec<AnyFormat>> {
        let Kind::Shapeless { name, formats } = &self.0 else { return Ok(listed.to_vec()) };
        let is_one = |format: &AnyFormat| format.built_in().is_some_and(|it| formats.contains(&it));
        let among: Vec<AnyFormat> = listed.iter().copied().filter(is_one).collect();
        if among.is_empty() {
            return Err(in_none_of(name(), formats, listed));
        }
        Ok(among)
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
            Kind::Shapeless { .. } => builder.embed(&Shape::any()),
        }
    }

    pub(crate) fn key(&self) -> TypeKey {
        match &self.0 {
            Kind::Rust { name, .. } | Kind::Shapeless { name, .. } => TypeKey::Rust(name()),
            Kind::Shape(shape) => TypeKey::Shape(Arc::clone(shape)),
        }
    }

    fn built(&self, mut builder: ShapeBuilder) -> Shape {
        let root = self.node(&mut builder);
        builder.finish(root).reachable()
    }
}

#[cold]
fn in_none_of(name: &str, formats: &[Format], listed: &[AnyFormat]) -> Error {
    let needed: Vec<&str> = formats.iter().map(|format| format.name()).collect();
    let found: Vec<&str> = listed.iter().map(|format| format.name()).collect();
    let (needed, found) = (needed.join(", "), found.join(", "));
    let message = format_args!("{name} needs one of {needed} among the formats, found {found}");
    Error::new(Category::Unsupported, message)
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
            Kind::Rust { name, .. } | Kind::Shapeless { name, .. } => write!(f, "Type({})", name()),
            Kind::Shape(shape) => write!(f, "Type({shape:?})"),
        }
    }
}
