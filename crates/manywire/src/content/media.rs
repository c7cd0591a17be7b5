//! The form of content on the wire: the declared [`Media`], the negotiated [`Representation`], and
//! the [`Type`] of its values.

use std::fmt;
use std::sync::Arc;

use http::HeaderValue;
use manywire_codec::{Category, Error, Result};
use manywire_format::{Format, MediaType};
use manywire_shape::{NodeId, Shape, ShapeBuilder, Shaped};

use super::own::AnyFormat;
use super::{Framing, own};

/// The form of content on the wire.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Media {
    /// A value of this type, in one of the formats that an API lists.
    Formats(Type),
    /// A stream of values of this type, in the framings of those formats.
    Items(Type),
    /// The fields of a record, `application/x-www-form-urlencoded`.
    Form(Type),
    /// The fields of a record, each a part with its own type, `multipart/form-data`.
    Multipart(Type),
    /// Text, `text/plain`.
    Text,
    /// Bytes, `application/octet-stream` unless the message names a type.
    Raw,
    /// A stream of bytes of any length; otherwise as [`Media::Raw`].
    RawStream,
    /// Bytes that always have one media type and are worth compressing.
    Named(&'static str),
    /// Bytes in one of these media types, the preferred first. The client chooses.
    OneOf(&'static [&'static str]),
    /// No content.
    Nothing,
}

/// The representation of the content in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Representation {
    /// A value in a built-in format.
    Format(Format),
    /// A value in a user-defined format.
    Own(own::FormatIndex),
    /// A stream of values in a built-in framing.
    Items(Framing),
    /// A stream of values in a user-defined format.
    OwnItems(own::FormatIndex),
    /// The fields of a form.
    Form,
    /// The parts of a form.
    Multipart,
    /// Text in a charset.
    Text(crate::Charset),
    /// Bytes in one of several media types, by index.
    Named(u8),
    /// Bytes, unchanged.
    Raw,
    /// A stream of bytes.
    RawStream,
}

impl Representation {
    /// Returns the built-in format, if the representation has one.
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
    /// Returns whether this is a stream of values.
    pub(crate) fn is_items(self) -> bool {
        matches!(self, Representation::Items(_) | Representation::OwnItems(_))
    }

    /// Returns the representation of one value of a stream. Other representations are returned
    /// unchanged.
    pub(super) fn item(self) -> Representation {
        match self {
            Representation::Items(framing) => Representation::Format(framing.format()),
            Representation::OwnItems(at) => Representation::Own(at),
            other => other,
        }
    }
}

/// The type of carried values: a Rust type with a shape, a shape that is known only at run time, or
/// a Rust type without a shape, which encodes and decodes itself.
#[derive(Clone)]
pub struct Type(TypeSource);

#[derive(Clone)]
enum TypeSource {
    Rust { node: fn(&mut ShapeBuilder) -> NodeId, name: fn() -> &'static str },
    Shape(Arc<Shape>),
    Shapeless { name: fn() -> &'static str, formats: &'static [Format] },
}

/// The identity of a type: the compiler's name for it, or its whole shape.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TypeKey {
    Rust(&'static str),
    Shape(Arc<Shape>),
}

impl Type {
    /// Returns the type `T`, with its shape.
    pub const fn of<T: Shaped>() -> Type {
        Type(TypeSource::Rust { node: T::node, name: std::any::type_name::<T> })
    }

    /// Returns the type `T`, which has no shape. Its content encodes and decodes itself in these
    /// formats only, according to [`Encoding::format`](super::Encoding::format) and
    /// [`Decoding::format`](super::Decoding::format). Endpoints of this type leave out all other
    /// formats of an API.
    ///
    /// Serde alone is enough for JSON, MessagePack by names, CBOR and BSON
    /// ([`Encoding::value`](super::Encoding::value)). The other formats need a shape.
    pub const fn shapeless<T>(formats: &'static [Format]) -> Type {
        Type(TypeSource::Shapeless { name: std::any::type_name::<T>, formats })
    }

    /// Returns whether the type has no shape.
    pub(crate) fn is_shapeless(&self) -> bool {
        matches!(self.0, TypeSource::Shapeless { .. })
    }

    /// Returns the listed formats that this type supports.
    ///
    /// # Errors
    /// Fails if the type supports none of them.
    pub(crate) fn supported_among(&self, listed: &[AnyFormat]) -> Result<Vec<AnyFormat>> {
        let TypeSource::Shapeless { name, formats } = &self.0 else { return Ok(listed.to_vec()) };
        let is_one = |format: &AnyFormat| format.built_in().is_some_and(|it| formats.contains(&it));
        let among: Vec<AnyFormat> = listed.iter().copied().filter(is_one).collect();
        if among.is_empty() {
            return Err(no_common_format(name(), formats, listed));
        }
        Ok(among)
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
        matches!(self.0, TypeSource::Shape(_))
    }

    /// Adds the type to a shape and returns its node. Types that the shape already has are added
    /// once.
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

/// Returns the type of dynamic values of this shape.
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

/// Returns a media type as the value of a header field.
pub(crate) fn content_type(media_type: &MediaType) -> HeaderValue {
    let text = media_type.to_string().replace(';', "; ");
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("application/octet-stream"))
}
