//! Records in the encoding of browser forms, `application/x-www-form-urlencoded`.

use std::fmt;
use std::marker::PhantomData;

use bytes::Bytes;
use manywire_codec::{Category, Error, Result};
use manywire_shape::{Check, Node, NodeId, Shape, Shaped};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Content, Decode, Decoding, Encode, Encoding, Media, Type};
use crate::percent::encode_pair;
use crate::problem::Fault;
use crate::text::{Pairs, TextError, faults_of_pairs, item_of, pairs, without_option};

/// A record in the encoding of browser forms, `application/x-www-form-urlencoded`.
///
/// A handler receives the record. The type of a field decides how its text is parsed. A repeated
/// name becomes a list; a missing name becomes `None`, an empty list or a default. All wrong fields
/// are reported at once, each with its path.
///
/// ```
/// use manywire::content::Form;
/// use manywire::{Api, Shaped, post};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize, Shaped)]
/// struct Booking {
///     name: String,
///     nights: u8,
///     #[serde(default)]
///     extras: Vec<String>,
/// }
///
/// let book = post("/bookings").body::<Form<Booking>>().returns::<Booking>();
/// // name=Ada+Lovelace&nights=3&extras=breakfast&extras=parking
/// let service = Api::new("Hotels").serve(book.to(|booking| async move { booking })).build()?;
/// # Ok::<(), manywire::InvalidApi>(())
/// ```
pub struct Form<T>(PhantomData<fn() -> T>);

/// The media type of multipart forms.
pub(crate) const MULTIPART: &str = "multipart/form-data";

/// The media type of forms.
pub(crate) const FORM: &str = "application/x-www-form-urlencoded";

impl<T: Shaped + Send + 'static> Content for Form<T> {
    type Value = T;

    fn media() -> Media {
        Media::Form(Type::of::<T>())
    }

    fn check(value: &T, check: &mut Check<'_>) {
        value.check(check);
    }
}

impl<T: Serialize + Shaped + Send + 'static> Encode for Form<T> {
    fn encode_ref(value: &T, _to: &mut Encoding<'_>) -> Result<Bytes> {
        let pairs = pairs(value).map_err(|error| field_error(Category::Unsupported, error))?;
        let mut text = String::new();
        for (name, value) in &pairs {
            encode_pair(name, value, &mut text);
        }
        Ok(text.into())
    }
}

impl<T: DeserializeOwned + Shaped + Send + 'static> Decode for Form<T> {
    fn decode(bytes: Bytes, _from: Decoding<'_>) -> Result<T> {
        let pairs = parse(&bytes)?;
        T::deserialize(&pairs).map_err(|error| field_error(Category::Data, error))
    }

    fn faults(error: &Error, bytes: &[u8]) -> Vec<Fault> {
        // A form that cannot be parsed has a single fault.
        let first = parse(bytes).ok().and_then(|pairs| {
            let first = T::deserialize(&pairs).err()?;
            Some(faults_of_pairs(&Shape::of::<T>(), &pairs, first))
        });
        let Some(faults) = first else { return vec![Fault::of_body(error, bytes)] };
        let faults = faults.into_iter().map(|(name, detail)| {
            let error = Error::new(Category::Data, detail);
            let error = if name.is_empty() { error } else { error.under_key(name) };
            Fault::of_body(&error, bytes)
        });
        faults.collect()
    }
}

fn parse(bytes: &[u8]) -> Result<Pairs<'_>> {
    let wrong = |message: &str, at| Error::new(Category::Syntax, message).with_offset(at);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        wrong("expected a form: ASCII, with the rest in percent-encoding", error.valid_up_to())
    })?;
    Pairs::parse(text).map_err(|error| wrong(error.detail, error.at))
}

fn field_error(category: Category, error: TextError) -> Error {
    let field_error = Error::new(category, &error.message);
    error.name.into_iter().fold(field_error, Error::under_key)
}

/// Checks that a form can represent a type: a record whose fields are texts or lists of texts.
///
/// # Errors
/// Fails with the unsupported field and with an alternative.
pub(crate) fn check(shape: &Shape) -> Result<()> {
    let refuse = |what: String| {
        let message =
            format_args!("{what}: take JSON, or `Multipart`, whose parts may be anything");
        Err(Error::new(Category::Unsupported, message))
    };
    match shape.node(shape.root()) {
        Node::Map { .. } => Ok(()),
        Node::Record(record) => {
            for field in &record.fields {
                if !is_text(shape, field.node) {
                    return refuse(format!(
                        "a form has scalars and lists of scalars: the field {:?} is neither",
                        field.name
                    ));
                }
            }
            Ok(())
        }
        _ => refuse("expected a record with named fields for a form".to_owned()),
    }
}

/// Checks that a type can be a multipart form: a record, whose fields have names.
///
/// # Errors
/// Fails for types without named fields.
pub(crate) fn check_multipart(shape: &Shape) -> Result<()> {
    match shape.node(shape.root()) {
        Node::Record(_) | Node::Map { .. } => Ok(()),
        _ => {
            let message = "a form of parts is a record, whose fields have names";
            Err(Error::new(Category::Unsupported, message))
        }
    }
}

/// Returns whether a field is a text, an optional text, or a list of texts.
fn is_text(shape: &Shape, node: NodeId) -> bool {
    let one = item_of(shape, node).unwrap_or(without_option(shape, node));
    !matches!(shape.node(one), Node::Record(_) | Node::Map { .. } | Node::Array(_) | Node::Tuple(_))
}

impl<T> fmt::Debug for Form<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Form")
    }
}
