//! Writes the inputs of a request, on a client.

use std::fmt;

use http::header::{COOKIE, HeaderMap, HeaderValue};
use manywire_shape::{Shape, Shaped};
use serde::Serialize;

use super::{Body, CheckedInput, Cookie, Header, Input, Inputs, Parameter, Path, Query};
use crate::content::{Outgoing, Submit};
use crate::cookies;
use crate::percent::encode_pair;
use crate::problem::{Fault, InputLocation};
use crate::security::{CredentialsWriter, header_field};
use crate::text::{item_of, member, pairs, texts};

/// An input that a client can write.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written into a request",
    label = "not an input that can be written",
    note = "a client needs Serialize for the values that it sends: #[derive(Serialize, Deserialize, Shaped)]"
)]
pub trait Write: Input {
    /// The argument of a call: the value before the endpoint converts it, if it does.
    type Argument: Send + 'static;

    /// Writes the input into the request.
    ///
    /// # Errors
    /// Fails if the location cannot represent the value.
    fn write(&self, argument: Self::Argument, writing: &mut InputWriter) -> Result<(), Box<Fault>>;
}

/// A request while its inputs are written.
#[derive(Debug, Default)]
pub struct InputWriter {
    pub(crate) segments: Vec<String>,
    pub(crate) query: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Outgoing>,
}

impl InputWriter {
    /// Adds a query parameter.
    pub fn add_parameter(&mut self, name: &str, value: &str) {
        encode_pair(name, value, &mut self.query);
    }

    /// Adds the credentials of the client.
    pub(crate) fn add_credentials(&mut self, credentials: &CredentialsWriter) {
        for (name, value) in credentials.headers() {
            match (name, self.headers.get(COOKIE)) {
                (&COOKIE, Some(before)) => {
                    let mut line = before.as_bytes().to_vec();
                    line.extend_from_slice(b"; ");
                    line.extend_from_slice(value.as_bytes());
                    if let Ok(mut line) = HeaderValue::from_bytes(&line) {
                        line.set_sensitive(true);
                        self.headers.insert(COOKIE, line);
                    }
                }
                _ => _ = self.headers.insert(name, value.clone()),
            }
        }
        if !self.query.is_empty() && !credentials.query().is_empty() {
            self.query.push('&');
        }
        self.query.push_str(credentials.query());
    }

    /// Adds a header field.
    ///
    /// # Errors
    /// Fails for an invalid name or value of a header field.
    pub fn add_header(&mut self, name: &str, value: &str) -> Result<(), Box<Fault>> {
        let (name, value) = header_field(name, value)?;
        self.headers.append(name, value);
        Ok(())
    }
}

fn fault(place: InputLocation, name: &str) -> impl Fn(&dyn fmt::Display) -> Box<Fault> {
    move |detail| Box::new(Fault::new(place, name, detail.to_string()))
}

impl<T: Serialize + Shaped + Send + 'static> Write for Path<T> {
    type Argument = T;

    fn write(&self, argument: T, writing: &mut InputWriter) -> Result<(), Box<Fault>> {
        let fault = fault(InputLocation::Path, &self.name);
        match texts(&argument).map_err(|error| fault(&error))?.as_slice() {
            [text] if !text.is_empty() => {
                writing.segments.push(text.clone());
                Ok(())
            }
            _ => Err(fault(&"expected one text that is not empty for a segment of the path")),
        }
    }
}

impl<T: Serialize + Shaped + Send + 'static> Write for Parameter<T> {
    type Argument = T;

    fn write(&self, argument: T, writing: &mut InputWriter) -> Result<(), Box<Fault>> {
        let texts =
            texts(&argument).map_err(|error| fault(InputLocation::Query, &self.name)(&error))?;
        texts.iter().for_each(|text| writing.add_parameter(&self.name, text));
        Ok(())
    }
}

impl<T: Serialize + Shaped + Send + 'static> Write for Query<T> {
    type Argument = T;

    fn write(&self, argument: T, writing: &mut InputWriter) -> Result<(), Box<Fault>> {
        let pairs = pairs(&argument).map_err(|error| {
            fault(InputLocation::Query, error.name.as_deref().unwrap_or_default())(&error)
        })?;
        pairs.iter().for_each(|(name, text)| writing.add_parameter(name, text));
        Ok(())
    }
}

impl<T: Serialize + Shaped + Send + 'static> Write for Header<T> {
    type Argument = T;

    fn write(&self, argument: T, writing: &mut InputWriter) -> Result<(), Box<Fault>> {
        let texts =
            texts(&argument).map_err(|error| fault(InputLocation::Header, &self.name)(&error))?;
        // The members of a list are quoted if they contain a separator.
        let shape = Shape::of::<T>();
        let is_list = item_of(&shape, shape.root()).is_some();
        texts.iter().try_for_each(|text| match is_list {
            true => writing.add_header(&self.name, &member(text)),
            false => writing.add_header(&self.name, text),
        })
    }
}

impl<T: Serialize + Shaped + Send + 'static> Write for Cookie<T> {
    type Argument = T;

    fn write(&self, argument: T, writing: &mut InputWriter) -> Result<(), Box<Fault>> {
        let fault = fault(InputLocation::Cookie, &self.name);
        let texts = texts(&argument).map_err(|error| fault(&error))?;
        texts.iter().try_for_each(|text| {
            cookies::append(&mut writing.headers, &self.name, text).map_err(|why| fault(&why))
        })
    }
}

impl<C: Submit> Write for Body<C> {
    type Argument = C::Value;

    fn write(&self, argument: C::Value, writing: &mut InputWriter) -> Result<(), Box<Fault>> {
        writing.body = Some(Outgoing::new::<C>(argument));
        Ok(())
    }
}

/// The server converts the value; a client sends the original one.
impl<I: Write, U: Send + 'static> Write for CheckedInput<I, U> {
    type Argument = I::Argument;

    fn write(&self, argument: I::Argument, writing: &mut InputWriter) -> Result<(), Box<Fault>> {
        self.input.write(argument, writing)
    }
}

/// Inputs that a client can write.
pub trait WriteInputs: Inputs {
    /// The arguments of a call: `()` without inputs, the value of a single input, or a tuple of
    /// several.
    type Arguments: Send + 'static;

    /// Writes all inputs, in their order.
    ///
    /// # Errors
    /// Fails at the first value that its location cannot represent.
    fn write(
        &self,
        arguments: Self::Arguments,
        writing: &mut InputWriter,
    ) -> Result<(), Box<Fault>>;
}

impl WriteInputs for () {
    type Arguments = ();

    fn write(&self, (): (), _writing: &mut InputWriter) -> Result<(), Box<Fault>> {
        Ok(())
    }
}

impl<A: Write> WriteInputs for (A,) {
    type Arguments = A::Argument;

    fn write(&self, argument: A::Argument, writing: &mut InputWriter) -> Result<(), Box<Fault>> {
        self.0.write(argument, writing)
    }
}

macro_rules! arguments {
    ($($input:ident $argument:ident),+) => {
        impl<$($input: Write),+> WriteInputs for ($($input,)+) {
            type Arguments = ($($input::Argument,)+);

            #[allow(non_snake_case, reason = "values are named as their types")]
            fn write(&self, arguments: Self::Arguments, writing: &mut InputWriter) -> Result<(), Box<Fault>> {
                let ($($input,)+) = self;
                let ($($argument,)+) = arguments;
                $($input.write($argument, writing)?;)+
                Ok(())
            }
        }
    };
}

arguments!(A a, B b);
arguments!(A a, B b, C c);
arguments!(A a, B b, C c, D d);
arguments!(A a, B b, C c, D d, E e);
arguments!(A a, B b, C c, D d, E e, F f);
arguments!(A a, B b, C c, D d, E e, F f, G g);
arguments!(A a, B b, C c, D d, E e, F f, G g, H h);
arguments!(A a, B b, C c, D d, E e, F f, G g, H h, I i);
arguments!(A a, B b, C c, D d, E e, F f, G g, H h, I i, J j);
arguments!(A a, B b, C c, D d, E e, F f, G g, H h, I i, J j, K k);
arguments!(A a, B b, C c, D d, E e, F f, G g, H h, I i, J j, K k, L l);
