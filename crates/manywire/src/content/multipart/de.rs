//! Decodes the parts of a form into a record. The macro `seed` makes each method of `Deserializer` a
//! seed, because the deserializer of a part is known only after its media type was checked.

use std::borrow::Cow;

use bytes::Bytes;
use http::StatusCode;
use manywire_codec::{Category, Error, Limits, Result};
use manywire_format::MediaType;
use manywire_shape::{Node, NodeId, Shape};
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess,
    Visitor,
};
use serde::forward_to_deserialize_any;

use super::file::{CONTENT, CONTENT_TYPE, FILE, NAME};
use crate::charset::Charset;
use crate::content::codecs::shape_mismatch;
use crate::content::own::AnyFormat;
use crate::content::{Codecs, find};
use crate::distinct::distinct;
use crate::problem::{Fault, Problem};
use crate::text::{Texts, fault_of as fault_of_text, is_required, item_of, without_option};

/// Decodes parts into a record.
pub(super) fn record<T: DeserializeOwned>(
    mut parts: Vec<ReceivedPart>,
    shape: &Shape,
    codecs: &Codecs,
    limits: Limits,
) -> std::result::Result<T, Problem> {
    let nodes = nodes(&parts, shape);
    check_media_types(parts.iter().zip(nodes), shape, codecs.parts())?;
    let prepared = prepare(&mut parts, shape, codecs);
    let names = names(&parts).into_iter();
    let fields = PartsByName { parts: &parts, names, current: "", limits };
    let first = prepared.and_then(|()| T::deserialize(MapAccessDeserializer::new(fields)));
    first.map_err(|first| {
        let faults = faults(&parts, shape, &first, limits);
        Problem::new(status(&first)).with_errors(faults)
    })
}

/// Decodes one part into a value.
pub(super) fn value<T: DeserializeOwned>(
    mut part: ReceivedPart,
    shape: &Shape,
    codecs: &Codecs,
    limits: Limits,
) -> std::result::Result<T, Problem> {
    check_media_types([(&part, Some(shape.root()))], shape, codecs.parts())?;
    let compiled = part.format.map(|format| codecs.for_part(shape, format)).transpose();
    let read = compiled.and_then(|compiled| {
        part.codecs = compiled;
        T::deserialize(Value { parts: &[&part], limits })
    });
    read.map_err(|error| {
        let status = status(&error);
        let fault = Fault::of_body(&error.under_key(&part.name), &part.content);
        Problem::new(status).with_errors(vec![fault])
    })
}

fn status(error: &Error) -> StatusCode {
    match error.category() {
        Category::Data => StatusCode::UNPROCESSABLE_ENTITY,
        _ => StatusCode::BAD_REQUEST,
    }
}

/// Returns each name once, in order of first appearance.
fn names(parts: &[ReceivedPart]) -> Vec<&str> {
    let mut seen = std::collections::HashSet::new();
    parts.iter().map(|part| &*part.name).filter(|name| seen.insert(*name)).collect()
}

fn named<'p>(parts: &'p [ReceivedPart], name: &str) -> Vec<&'p ReceivedPart> {
    parts.iter().filter(|part| part.name == name).collect()
}

/// Returns the type of each part: the type of its field, or of the list's items if the name is
/// repeated, or nothing without a field.
fn nodes(parts: &[ReceivedPart], shape: &Shape) -> Vec<Option<NodeId>> {
    let node = |part: &ReceivedPart| {
        let node = match shape.node(shape.root()) {
            Node::Record(record) => {
                record.fields.iter().find(|field| field.is_named(&part.name))?.node
            }
            Node::Map { value, .. } => *value,
            _ => return None,
        };
        let item = item_of(shape, node).filter(|_| named(parts, &part.name).len() > 1);
        Some(without_option(shape, item.unwrap_or(node)))
    };
    parts.iter().map(node).collect()
}

/// Compiles the codec of each part. Parts without a field or without a format are skipped.
fn prepare(parts: &mut [ReceivedPart], shape: &Shape, codecs: &Codecs) -> Result<()> {
    let nodes = nodes(parts, shape);
    for (part, node) in parts.iter_mut().zip(nodes) {
        if let (Some(format), Some(node)) = (part.format, node) {
            let shape = shape.clone().rooted_at(node).reachable();
            let compiled = codecs.for_part(&shape, format);
            part.codecs = Some(compiled.map_err(|error| error.under_key(&part.name))?);
        }
    }
    Ok(())
}

/// Returns the faults, each with its path: those that a check against the shape finds, and `first`,
/// at which Serde stopped, if none of them is about the same field.
#[cold]
fn faults(parts: &[ReceivedPart], shape: &Shape, first: &Error, limits: Limits) -> Vec<Fault> {
    let mut errors = Vec::new();
    if let Node::Record(record) = shape.node(shape.root()) {
        for field in &record.fields {
            if is_required(shape, field) && !parts.iter().any(|part| field.is_named(&part.name)) {
                errors.push((String::new(), missing().under_key(&field.name), &[][..]));
            }
        }
    }
    for (part, node) in parts.iter().zip(nodes(parts, shape)) {
        let Some(node) = node.filter(|node| !matches!(shape.node(*node), Node::Bytes)) else {
            continue;
        };
        let fault = match part.format.map(AnyFormat::built_in) {
            Some(Some(format)) => shape_mismatch(
                shape.clone().rooted_at(node).reachable(),
                format,
                &part.content,
                limits,
            ),
            // A user-defined format cannot check a value without its type.
            Some(None) => None,
            None if is_record(shape, node) => Some((String::new(), part.format_required())),
            None => part
                .text()
                .map_or_else(Some, |text| {
                    fault_of_text(shape, node, &text).map(|it| Error::new(Category::Data, it))
                })
                .map(|error| (String::new(), error)),
        };
        let fault =
            fault.map(|(place, error)| (place, error.under_key(&part.name), &part.content[..]));
        errors.extend(fault);
    }
    let root = |error: &Error| error.path().next().cloned();
    let fault = |(place, error, content): &(String, Error, &[u8])| {
        Fault::of_body(error, content).below(place)
    };
    let mut faults: Vec<Fault> = errors.iter().map(fault).collect();
    if !errors.iter().any(|(_, error, _)| root(error) == root(first)) {
        let of_it = |part: &&ReceivedPart| {
            first.path().next() == missing().under_key(&part.name).path().next()
        };
        let content = parts.iter().find(of_it).map(|part| &part.content[..]);
        faults.push(Fault::of_body(first, content.unwrap_or_default()));
    }
    faults
}

/// Returns whether a field cannot be represented as text.
pub(super) fn is_record(shape: &Shape, node: NodeId) -> bool {
    matches!(shape.node(node), Node::Record(_) | Node::Map { .. } | Node::Tuple(_))
}

#[cold]
fn missing() -> Error {
    Error::new(Category::Data, "missing required value")
}

/// The fields of a record, each with its parts.
struct PartsByName<'p> {
    parts: &'p [ReceivedPart],
    names: std::vec::IntoIter<&'p str>,
    current: &'p str,
    limits: Limits,
}

impl<'p> MapAccess<'p> for PartsByName<'p> {
    type Error = Error;

    fn next_key_seed<S: DeserializeSeed<'p>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        let Some(name) = self.names.next() else { return Ok(None) };
        self.current = name;
        seed.deserialize(StrDeserializer::<Error>::new(name).into_deserializer()).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'p>>(&mut self, seed: S) -> Result<S::Value> {
        let parts = named(self.parts, self.current);
        let value = Value { parts: &parts, limits: self.limits };
        seed.deserialize(value).map_err(|error| error.under_key(self.current))
    }
}

/// The parts of one name.
#[derive(Clone, Copy)]
struct Value<'v, 'p> {
    parts: &'v [&'p ReceivedPart],
    limits: Limits,
}

impl<'p> Value<'_, 'p> {
    fn single(self) -> Result<&'p ReceivedPart> {
        match self.parts {
            [one] => Ok(one),
            [] => Err(missing()),
            _ => Err(Error::new(Category::Data, "expected one value, found several")),
        }
    }

    /// Decodes the single part in its own format.
    fn decode_as<S: DeserializeSeed<'p>>(self, seed: S) -> Result<S::Value> {
        let part = self.single()?;
        if let (Some(format), Some(codecs)) = (part.format, &part.codecs) {
            return codecs.decode_part(format, seed, &part.content, self.limits);
        }
        let texts = [part.text()?];
        seed.deserialize(Texts::Any(&texts))
            .map_err(|error| Error::new(Category::Data, error.message))
    }
}

/// Returns a seed that calls this method of its deserializer with a visitor.
macro_rules! seed {
    ($method:ident($($argument:ident: $ty:ty),*), $visitor:ident) => {{
        struct Seed<V>($($ty,)* V);

        impl<'de, V: Visitor<'de>> DeserializeSeed<'de> for Seed<V> {
            type Value = V::Value;

            fn deserialize<D: Deserializer<'de>>(self, from: D) -> std::result::Result<V::Value, D::Error> {
                let Seed($($argument,)* visitor) = self;
                from.$method($($argument,)* visitor)
            }
        }

        Seed($($argument,)* $visitor)
    }};
}

macro_rules! forward {
    ($($method:ident($($argument:ident: $ty:ty),*)),+ $(,)?) => {$(
        fn $method<V: Visitor<'p>>(self, $($argument: $ty,)* visitor: V) -> Result<V::Value> {
            self.decode_as(seed!($method($($argument: $ty),*), visitor))
        }
    )+};
}

impl<'p> Deserializer<'p> for Value<'_, 'p> {
    type Error = Error;

    forward! {
        deserialize_any(), deserialize_bool(), deserialize_char(), deserialize_i8(),
        deserialize_i16(), deserialize_i32(), deserialize_i64(), deserialize_i128(),
        deserialize_u8(), deserialize_u16(), deserialize_u32(), deserialize_u64(),
        deserialize_u128(), deserialize_f32(), deserialize_f64(), deserialize_str(),
        deserialize_string(), deserialize_unit(), deserialize_map(), deserialize_identifier(),
        deserialize_unit_struct(name: &'static str), deserialize_tuple(length: usize),
        deserialize_tuple_struct(name: &'static str, length: usize),
        deserialize_enum(name: &'static str, variants: &'static [&'static str]),
    }

    fn deserialize_struct<V: Visitor<'p>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        if name == FILE {
            return visitor.visit_map(FileParts { part: self.single()?, next: 0 });
        }
        let seed = seed!(
            deserialize_struct(name: &'static str, fields: &'static [&'static str]),
            visitor
        );
        self.decode_as(seed)
    }

    /// A list is one part in a format, or one part for each item.
    fn deserialize_seq<V: Visitor<'p>>(self, visitor: V) -> Result<V::Value> {
        match self.parts {
            // A single file is a list of one.
            [one] if one.format.is_some() && one.file_name.is_none() => {
                self.decode_as(seed!(deserialize_seq(), visitor))
            }
            _ => visitor.visit_seq(PartItems {
                parts: self.parts.iter(),
                index: 0,
                limits: self.limits,
            }),
        }
    }

    fn deserialize_option<V: Visitor<'p>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'p>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_bytes<V: Visitor<'p>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_borrowed_bytes(&self.single()?.content)
    }

    fn deserialize_byte_buf<V: Visitor<'p>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'p>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_unit()
    }
}

/// The items of a list, one part each.
struct PartItems<'v, 'p> {
    parts: std::slice::Iter<'v, &'p ReceivedPart>,
    index: usize,
    limits: Limits,
}

impl<'p> SeqAccess<'p> for PartItems<'_, 'p> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'p>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        let Some(part) = self.parts.next() else { return Ok(None) };
        let index = self.index;
        self.index += 1;
        let value = Value { parts: &[part], limits: self.limits };
        seed.deserialize(value).map(Some).map_err(|error| error.under_index(index))
    }
}

/// The name, media type and content of a file.
struct FileParts<'p> {
    part: &'p ReceivedPart,
    next: usize,
}

impl<'p> MapAccess<'p> for FileParts<'p> {
    type Error = Error;

    fn next_key_seed<S: DeserializeSeed<'p>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        let Some(name) = [NAME, CONTENT_TYPE, CONTENT].get(self.next) else { return Ok(None) };
        self.next += 1;
        seed.deserialize(StrDeserializer::<Error>::new(name).into_deserializer()).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'p>>(&mut self, seed: S) -> Result<S::Value> {
        let content_type = || self.part.content_type.as_ref().map(ToString::to_string);
        match self.next {
            1 => seed.deserialize(OptionalText(self.part.file_name.clone())),
            2 => seed.deserialize(OptionalText(content_type())),
            _ => seed.deserialize(Value { parts: &[self.part], limits: Limits::DEFAULT }),
        }
    }
}

/// A text that may be absent.
struct OptionalText(Option<String>);

impl<'de> Deserializer<'de> for OptionalText {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.0 {
            None => visitor.visit_none(),
            Some(text) => visitor.visit_some(text.into_deserializer()),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier
        ignored_any
    }
}

/// A part that has arrived.
#[derive(Debug)]
pub(super) struct ReceivedPart {
    pub(super) name: String,
    pub(super) file_name: Option<String>,
    pub(super) content_type: Option<MediaType>,
    pub(super) content: Bytes,
    /// The format, or `None` for text and for content of another type.
    pub(super) format: Option<AnyFormat>,
    /// The codec, once the type of the part is known.
    pub(super) codecs: Option<Codecs>,
    charset: Charset,
}

impl ReceivedPart {
    /// Creates a part, and finds its format and its charset by its media type.
    ///
    /// # Errors
    /// Fails with 415 for an unsupported charset.
    pub(super) fn new(
        name: String,
        file_name: Option<String>,
        content_type: Option<MediaType>,
        content: Bytes,
        formats: &[AnyFormat],
    ) -> std::result::Result<ReceivedPart, Problem> {
        let format = content_type.as_ref().and_then(|it| find(formats, it));
        let charset = content_type.as_ref().map_or(Ok(Charset::Utf8), Charset::of);
        let charset = charset.map_err(|charset| {
            let detail = format!("the charset {charset:?} of the part {name:?} is not read");
            Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE).with_detail(detail)
        })?;
        Ok(ReceivedPart { name, file_name, content_type, content, format, codecs: None, charset })
    }

    /// The error for a record that was sent without a format.
    #[cold]
    pub(super) fn format_required(&self) -> Error {
        let found = self.content_type.as_ref().map(MediaType::to_string);
        let found = found.unwrap_or_else(|| "text".to_owned());
        let message = format_args!("expected a part in a format of the endpoint, found {found}");
        Error::new(Category::Data, message)
    }

    /// Returns whether the part is neither in a format of the endpoint nor text, so that only bytes
    /// can be read from it.
    pub(super) fn has_unsupported_type(&self) -> bool {
        let is_text = self.content_type.as_ref().is_none_or(|it| it.kind() == "text");
        self.format.is_none() && !is_text
    }

    /// Returns the content as text.
    pub(super) fn text(&self) -> Result<Cow<'_, str>> {
        if self.has_unsupported_type() {
            let found = self.content_type.as_ref().map(MediaType::to_string).unwrap_or_default();
            let message = format_args!("expected text or a format of the endpoint, found {found}");
            return Err(Error::new(Category::Data, message));
        }
        let wrong = |at| {
            let message = format_args!("expected {}", self.charset);
            Error::new(Category::Data, message).with_offset(at)
        };
        let text = match self.charset.to_utf8(&self.content).map_err(wrong)? {
            Cow::Borrowed(text) => std::str::from_utf8(text).map(Cow::Borrowed),
            Cow::Owned(text) => {
                String::from_utf8(text).map(Cow::Owned).map_err(|error| error.utf8_error())
            }
        };
        text.map_err(|error| wrong(error.valid_up_to()))
    }
}

/// Checks that every part has a media type that its field accepts. Parts without a field are
/// skipped.
///
/// # Errors
/// Fails with 415, with each unsupported part and the accepted media types.
fn check_media_types<'p>(
    parts: impl IntoIterator<Item = (&'p ReceivedPart, Option<NodeId>)>,
    shape: &Shape,
    formats: &[AnyFormat],
) -> std::result::Result<(), Problem> {
    let is_unread = |(part, node): &(&ReceivedPart, NodeId)| {
        part.has_unsupported_type() && !accepts_any_type(shape, *node)
    };
    let known = parts.into_iter().filter_map(|(part, node)| Some((part, node?)));
    let unread: Vec<(&ReceivedPart, NodeId)> = known.filter(is_unread).collect();
    if unread.is_empty() { Ok(()) } else { Err(unread_problem(&unread, shape, formats)) }
}

/// Returns whether a field accepts any media type: a file, or a list of files.
fn accepts_any_type(shape: &Shape, node: NodeId) -> bool {
    matches!(shape.node(item_node(shape, node)), Node::Bytes)
}

/// Returns whether a field accepts text, or a list of texts.
fn accepts_text(shape: &Shape, node: NodeId) -> bool {
    !is_record(shape, item_node(shape, node))
}

/// Returns the type of one part: that of the items of a list, or of the value of an option.
fn item_node(shape: &Shape, node: NodeId) -> NodeId {
    without_option(shape, item_of(shape, node).unwrap_or(node))
}

#[cold]
fn unread_problem(
    unread: &[(&ReceivedPart, NodeId)],
    shape: &Shape,
    formats: &[AnyFormat],
) -> Problem {
    let of_formats = distinct(formats.iter().map(|format| format.media_type().to_string()));
    let with_text: Vec<String> =
        std::iter::once("text/plain".to_owned()).chain(of_formats.iter().cloned()).collect();
    let taken = |node| if accepts_text(shape, node) { &with_text } else { &of_formats };
    let fault = |(part, node): &(&ReceivedPart, NodeId)| {
        let found = part.content_type.as_ref().map(MediaType::to_string).unwrap_or_default();
        let message = format_args!("expected {}, found {found}", taken(*node).join(", "));
        Fault::of_body(&Error::new(Category::Data, message).under_key(&part.name), &[])
    };
    let some_may_be_text = unread.iter().any(|(_, node)| accepts_text(shape, *node));
    Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE)
        .with_errors(unread.iter().map(fault).collect())
        .with_available(if some_may_be_text { with_text } else { of_formats })
}
