//! The part of an endpoint that only the documents have: its name, texts, tags and examples. Examples
//! are checked against the types of the endpoint when the API is built.

use manywire_codec::cbor;
use manywire_shape::fit::fits;
use manywire_shape::{Arena, OwnedValue, Shape};
use serde::Serialize;

use super::Endpoint;
use crate::content::{Media, Type};
use crate::input::InputDescription;
use crate::problem::to_json_value;

/// The texts and examples of an endpoint.
#[derive(Clone, Debug, Default)]
pub(crate) struct Documentation {
    pub(crate) name: Option<String>,
    pub(crate) summary: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) is_deprecated: bool,
    /// The names of inputs, each with a description.
    pub(crate) inputs: Vec<(String, String)>,
    /// The examples of request bodies.
    pub(crate) body_examples: Vec<Example>,
    /// The examples of successful responses.
    pub(crate) examples: Vec<Example>,
}

/// A named example of content.
#[derive(Clone, Debug)]
pub(crate) struct Example {
    pub(crate) name: String,
    value: Result<ExampleValue, String>,
}

#[derive(Clone, Debug)]
struct ExampleValue {
    json: OwnedValue,
    /// The value in a binary format, where bytes and times are not text. `None` if CBOR cannot
    /// represent the value.
    binary: Option<OwnedValue>,
}

impl Example {
    fn new<T: Serialize + ?Sized>(name: String, value: &T) -> Example {
        let binary = cbor::to_vec(value).and_then(|bytes| cbor::from_slice(&bytes)).ok();
        let value = to_json_value(value).map(|json| ExampleValue { json, binary });
        Example { name, value: value.map_err(|error| error.to_string()) }
    }

    /// Returns the value in JSON, or `None` if JSON cannot represent the value.
    pub(crate) fn json(&self) -> Option<&OwnedValue> {
        self.value.as_ref().ok().map(|value| &value.json)
    }

    /// Checks the example against the type of its content.
    ///
    /// # Errors
    /// Returns a message with the place that does not fit.
    fn check(&self, media: &Media) -> Result<(), String> {
        let value = self.value.as_ref()?;
        match media {
            Media::Formats(ty) | Media::Form(ty) => check_value(value, ty),
            Media::Items(ty) => value.items()?.iter().try_for_each(|item| check_value(item, ty)),
            Media::Text => match value.json {
                OwnedValue::Str(_) => Ok(()),
                _ => Err("expected text".to_owned()),
            },
            _ => Err("only text and content with a type can have examples".to_owned()),
        }
    }
}

impl ExampleValue {
    /// Returns the values of a stream.
    fn items(&self) -> Result<Vec<ExampleValue>, String> {
        let OwnedValue::Array(items) = &self.json else {
            return Err("expected a list of the values of the stream".to_owned());
        };
        let binary = |index: usize| match &self.binary {
            Some(OwnedValue::Array(items)) => items.get(index).cloned(),
            _ => None,
        };
        let items = items.iter().enumerate();
        Ok(items
            .map(|(at, item)| ExampleValue { json: item.clone(), binary: binary(at) })
            .collect())
    }
}

/// Checks that a value fits a type, either in JSON or in a binary format. Only the binary format
/// keeps bytes and times as such.
fn check_value(value: &ExampleValue, ty: &Type) -> Result<(), String> {
    if ty.is_shapeless() {
        return Ok(());
    }
    let is_fit = |shape: &Shape, value: &OwnedValue| {
        let arena = Arena::default();
        fits(shape, &value.borrowed(&arena)).map_err(|misfit| misfit.to_string())
    };
    is_fit(&ty.readable(), &value.json).or_else(|misfit| match &value.binary {
        Some(binary) => is_fit(&ty.shape(), binary).map_err(|_| misfit),
        None => Err(misfit),
    })
}

impl Documentation {
    /// Returns the description of an input: a segment of the path, a query parameter, a header
    /// field or a cookie.
    pub(crate) fn input(&self, name: &str) -> Option<&str> {
        // The names of header fields are in lower case.
        let is_it = |known: &str| known.eq_ignore_ascii_case(name);
        self.inputs.iter().find(|(known, _)| is_it(known)).map(|(_, text)| &**text)
    }

    /// Checks the examples against the content that the endpoint takes and returns, and that
    /// described inputs exist.
    ///
    /// # Errors
    /// Returns a message with the name of the example and the place that does not fit, or with the
    /// name of an input that does not exist.
    pub(crate) fn check(&self, inputs: &[InputDescription], returns: &Media) -> Result<(), String> {
        let names = || {
            inputs.iter().filter_map(|input| match input {
                InputDescription::Parameter { name, .. } => Some(name),
                _ => None,
            })
        };
        let is_unknown = |name: &str| !names().any(|known| known.eq_ignore_ascii_case(name));
        if let Some((name, _)) = self.inputs.iter().find(|(name, _)| is_unknown(name)) {
            return Err(format!("the endpoint has no input {name:?} to describe"));
        }
        let body = inputs.iter().find_map(InputDescription::body);
        let check = |example: &Example, media: &Media| {
            example.check(media).map_err(|fault| format!("the example {:?}: {fault}", example.name))
        };
        let body = body.unwrap_or(&Media::Nothing);
        self.body_examples.iter().try_for_each(|example| check(example, body))?;
        self.examples.iter().try_for_each(|example| check(example, returns))
    }
}

/// Texts and examples, which only the documents have.
impl<In, Out, Fail, C> Endpoint<In, Out, Fail, C> {
    /// Sets the name of the operation (`operationId` in OpenAPI), from which generators make the
    /// name of a function. The default comes from method and path: `getHotelsById` for
    /// `GET /hotels/{id}`. Building an API fails if two of its endpoints have the same name.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.head.documentation.name = Some(name.into());
        self
    }

    /// Sets the summary, a short line.
    pub fn summary(mut self, words: impl Into<String>) -> Self {
        self.head.documentation.summary = Some(words.into());
        self
    }

    /// Sets the description, which may be Markdown (CommonMark).
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.head.documentation.description = Some(text.into());
        self
    }

    /// Adds a tag, by which viewers group operations. [`Api::tag`](crate::Api::tag) describes it.
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.head.documentation.tags.push(tag.into());
        self
    }

    /// Describes an input by its name: a segment of the path, a query parameter, a header field or
    /// a cookie. The fields of a [`query`](Endpoint::query) have the texts of their doc comments
    /// instead. Building the API fails if no input has this name.
    pub fn describe(mut self, input: &str, text: impl Into<String>) -> Self {
        self.head.documentation.inputs.push((input.to_owned(), text.into()));
        self
    }

    /// Declares that clients should stop using the endpoint.
    pub fn deprecated(mut self) -> Self {
        self.head.documentation.is_deprecated = true;
        self
    }

    /// Adds an example of the request body, with a name. Building the API fails if the value does
    /// not fit the type of the body. Bytes and timestamps are checked as such, not as the numbers
    /// and text that JSON has for them.
    pub fn body_example<T: Serialize + ?Sized>(mut self, name: &str, value: &T) -> Self {
        self.head.documentation.body_examples.push(Example::new(name.to_owned(), value));
        self
    }

    /// Adds an example of the successful response, with a name: for a stream, a list of its values.
    /// Building the API fails if the value does not fit the returned type, as with
    /// [`Endpoint::body_example`].
    ///
    /// ```
    /// use manywire::{Api, Shaped, get};
    /// use serde::Serialize;
    ///
    /// #[derive(Serialize, Shaped)]
    /// struct Hotel {
    ///     id: u64,
    ///     name: String,
    /// }
    ///
    /// let ritz = Hotel { id: 7, name: "Ritz".to_owned() };
    /// let find = get("/hotel").returns::<Hotel>().example("Ritz", &ritz);
    /// let api = Api::new("Hotels").serve(find.to(|| async { Hotel { id: 1, name: String::new() } }));
    /// assert!(api.documents()?.openapi().contains(r#""examples""#));
    /// # api.build()?;
    /// # Ok::<(), manywire::InvalidApi>(())
    /// ```
    pub fn example<T: Serialize + ?Sized>(mut self, name: &str, value: &T) -> Self {
        self.head.documentation.examples.push(Example::new(name.to_owned(), value));
        self
    }
}
