use std::fmt;
use std::sync::Arc;

use http::HeaderValue;
use manywire_codec::{Category, Error, Result};
use manywire_format::{Format, MediaType};
use manywire_shape::{NodeId, Shape, ShapeBuilder, Shaped};

use super::own::AnyFormat;
use super::{Framing, own};

/// What content is on the wire.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Media {
    /// A value of this type, in one of the formats that an API lists.
    Formats(Type),
    /// Values of this type one after the other, in the framings of those formats.
    Items(Type),
    /// The fields of a record, `application/x-www-form-urlencoded`.
    Form(Type),
    /// The fields of a record, each a part of its own type, `multipart/form-data`.
    Multipart(Type),
    /// Text, `text/plain`.
    Text,
    /// Bytes, `application/octet-stream` unless the message says what they are.
    Raw,
    /// Bytes as they come, of any number; otherwise as [`Media::Raw`].
    RawStream,
    /// Bytes that are always of one media type, and smaller when coded.
    Named(&'static str),
    /// Bytes that are of one of these media types, the preferred first, as the client asks.
    OneOf(&'static [&'static str]),
    /// Nothing.
    Nothing,
}

/// Which representation of some content a message holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Representation {
    /// A value in a format.
    Format(Format),
    /// A value in a format of one's own.
    Own(own::FormatIndex),
    /// Values one after the other.
    Items(Framing),
    /// Values one after the other in a format of one's own.
    OwnItems(own::FormatIndex),
    /// The fields of a form.
    Form,
    /// The parts of a form.
    Multipart,
    /// Text in a charset.
    Text(crate::Charset),
    /// Bytes of one of several media types, by its place among them.
    Named(u8),
    /// Bytes as they are.
    Raw,
    /// Bytes as they come.
    RawStream,
}

impl Representation {
    /// The built-in format that it is in, where it is in one.
    #[inline]
    pub fn format(self) -> Option<Format> {
        match self {
            Representation::Format(format) => Some(format),
            Representation::Items(framing) => Some(framing.format()),
            Representation::Own(_)
            | Representation::OwnItems(_)
            | Representation::Form
            | Representation::Multipart
            | Representation::Text(_)
            | Representation::Named(_)
            | Representation::Raw
            | Representation::RawStream => None,
        }
    }
    /// Whether it is a stream of values.
    pub(crate) fn is_items(self) -> bool {
        matches!(self, Representation::Items(_) | Representation::OwnItems(_))
    }

    /// What each value of a stream is in; anything else is what it is.
    pub(super) fn item(self) -> Representation {
        match self {
            Representation::Items(framing) => Representation::Format(framing.format()),
            Representation::OwnItems(at) => Representation::Own(at),
            other => other,
        }
    }
}

/// A type whose values are carried, as its shape: alone, or among those of other types. A Rust
/// type, or a shape that is known only at run time; or a type without one, that is read and written
/// by code of its own.
#[derive(Clone)]
pub struct Type(TypeSource);

#[derive(Clone)]
enum TypeSource {
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
        Type(TypeSource::Rust { node: T::node, name: std::any::type_name::<T> })
    }

    /// The type of values that are `T`s, which have no shape: their content reads and writes itself
    /// in these formats and in no others, by what [`Encoding::format`](super::Encoding::format) and
    /// [`Decoding::format`](super::Decoding::format) say. Where an API lists more formats, those
    /// are left out of the type's endpoints.
    ///
    /// Serde alone is enough for JSON, MessagePack by names, CBOR and BSON
    /// ([`Encoding::value`](super::Encoding::value)); the others go by a shape.
    pub const fn shapeless<T>(formats: &'static [Format]) -> Type {
        Type(TypeSource::Shapeless { name: std::any::type_name::<T>, formats })
    }

    /// Whether it has no shape.
    pub(crate) fn is_shapeless(&self) -> bool {
        matches!(self.0, TypeSource::Shapeless { .. })
    }

    /// Those of some formats that it can be in.
    ///
    /// # Errors
    /// Where there is none.
    pub(crate) fn supported_among(&self, listed: &[AnyFormat]) -> Result<Vec<AnyFormat>> {
        let TypeSource::Shapeless { name, formats } = &self.0 else { return Ok(listed.to_vec()) };
        let is_one = |format: &AnyFormat| format.built_in().is_some_and(|it| formats.contains(&it));
        let among: Vec<AnyFormat> = listed.iter().copied().filter(is_one).collect();
        if among.is_empty() {
            return Err(no_common_format(name(), formats, listed));
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
        matches!(self.0, TypeSource::Shape(_))
    }

    /// Its place in a shape that has others, too: types that both hold are there once.
    pub(crate) fn node(&self, builder: &mut ShapeBuilder) -> NodeId {
        match &self.0 {
            TypeSource::Rust { node, .. } => node(builder),
            TypeSource::Shape(shape) => builder.embed(shape),
            TypeSource::Shapeless { .. } => builder.embed(&Shape::any()),
        }
    }

    pub(crate) fn key(&self) -> TypeKey {
        match &self.0 {
            TypeSource::Rust { name, .. } | TypeSource::Shapeless { name, .. } => {
                TypeKey::Rust(name())
            }
            TypeSource::Shape(shape) => TypeKey::Shape(Arc::clone(shape)),
        }
    }

    fn built(&self, mut builder: ShapeBuilder) -> Shape {
        let root = self.node(&mut builder);
        builder.finish(root).reachable()
    }
}

#[cold]
fn no_common_format(name: &str, formats: &[Format], listed: &[AnyFormat]) -> Error {
    let needed: Vec<&str> = formats.iter().map(|format| format.name()).collect();
    let found: Vec<&str> = listed.iter().map(|format| format.name()).collect();
    let (needed, found) = (needed.join(", "), found.join(", "));
    let message = format_args!("{name} needs one of {needed} among the formats, found {found}");
    Error::new(Category::Unsupported, message)
}

/// The type of dynamic values of this shape.
impl From<Shape> for Type {
    fn from(shape: Shape) -> Self {
        Type(TypeSource::Shape(Arc::new(shape)))
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            TypeSource::Rust { name, .. } | TypeSource::Shapeless { name, .. } => {
                write!(f, "Type({})", name())
            }
            TypeSource::Shape(shape) => write!(f, "Type({shape:?})"),
        }
    }
}

/// A media type as a field has it.
pub(crate) fn content_type(media_type: &MediaType) -> HeaderValue {
    let text = media_type.to_string().replace(';', "; ");
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("application/octet-stream"))
}
