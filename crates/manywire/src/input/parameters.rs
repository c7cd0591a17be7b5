//! The inputs of an endpoint: path segments, query parameters, header fields, cookies, the body,
//! and inputs with a check.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use manywire_codec::Category;
use manywire_shape::{Check, Constraints, Measure, Shape, Shaped};
use serde::de::DeserializeOwned;

use super::constrained::{Constrain, InputConstraints};
use super::{Input, InputDescription, InputReader, Read};
use crate::content::{Content, Receive};
use crate::cookies;
use crate::problem::{Fault, InputLocation};
use crate::text::{Pairs, Texts, faults_of_pairs, field_lines};

/// Declares an input with a name and a type, and in some cases a further field.
macro_rules! named {
    ($($(#[$doc:meta])* $name:ident $({ $field:ident: $type:ty })? at $place:ident),+ $(,)?) => {$(
        $(#[$doc])*
        pub struct $name<T> {
            pub(super) name: String,
            $($field: $type,)?
            constraints: InputConstraints<T>,
        }

        impl<T: Shaped> $name<T> {
            pub(crate) fn new(name: impl Into<String>, $($field: $type)?) -> Self {
                let constraints = InputConstraints::of_type();
                $name { name: name.into(), $($field,)? constraints }
            }
        }

        impl<T: DeserializeOwned + Shaped> $name<T> {
            /// Returns the value of these texts if its constraints hold.
            #[inline]
            fn value(&self, texts: Texts<'_>, reading: &mut InputReader<'_>) -> Option<T> {
                let (place, name) = (InputLocation::$place, &*self.name);
                match T::deserialize(texts) {
                    Ok(value) => self.constraints.checked(value, place, name, reading),
                    Err(error) => reading.note(Fault::new(place, name, error.message)),
                }
            }

            /// Adds a fault for a value that is not text.
            #[cold]
            fn not_text(&self, detail: &str, reading: &mut InputReader<'_>) -> Option<T> {
                reading.note_syntax(InputLocation::$place, &self.name, detail)
            }
        }

        impl<T: Shaped + Measure> Constrain for $name<T> {
            fn constrain(mut self, constraints: Constraints) -> Self {
                self.constraints.add(constraints);
                self
            }
        }

        impl<T: Shaped + Send + 'static> Input for $name<T> {
            type Value = T;

            fn describe(&self, description: &mut Vec<InputDescription>) {
                let (name, ty) = (self.name.clone(), self.constraints.ty());
                description.push(InputDescription::Parameter { place: InputLocation::$place, name, ty });
            }
        }

        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                let (name, constraints) = (self.name.clone(), self.constraints.clone());
                $name { name, $($field: self.$field,)? constraints }
            }
        }

        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($name)).field(&self.name).finish()
            }
        }
    )+};
}

named! {
    /// A percent-decoded segment of the path: the next one that the pattern captures.
    Path { index: usize } at Path,
    /// A query parameter by its name.
    Parameter at Query,
    /// A header field by its name.
    Header at Header,
    /// A cookie by its name.
    Cookie at Cookie,
}

impl<T: DeserializeOwned + Shaped + Send + 'static> Read for Path<T> {
    #[inline]
    fn read(&self, reading: &mut InputReader<'_>) -> Option<T> {
        match reading.segment(self.index) {
            Ok(text) => self.value(Texts::One(&text), reading),
            Err(_) => self.not_text("expected UTF-8 in percent-encoding", reading),
        }
    }
}

impl<T: DeserializeOwned + Shaped + Send + 'static> Read for Parameter<T> {
    fn read(&self, reading: &mut InputReader<'_>) -> Option<T> {
        match Pairs::parse(reading.query()) {
            Ok(pairs) => self.value(Texts::Any(&pairs.values_of(&self.name)), reading),
            Err(error) => self.not_text(error.detail, reading),
        }
    }
}

impl<T: DeserializeOwned + Shaped + Send + 'static> Read for Header<T> {
    fn read(&self, reading: &mut InputReader<'_>) -> Option<T> {
        match field_lines(reading.headers(), &self.name) {
            Ok(lines) => self.value(Texts::Lines(&lines), reading),
            Err(_) => self.not_text(NOT_UTF8, reading),
        }
    }
}

impl<T: DeserializeOwned + Shaped + Send + 'static> Read for Cookie<T> {
    fn read(&self, reading: &mut InputReader<'_>) -> Option<T> {
        match cookies::find(reading.headers(), &self.name) {
            Ok(value) => self.value(Texts::Any(value.map(Cow::Borrowed).as_slice()), reading),
            Err(_) => self.not_text(NOT_UTF8, reading),
        }
    }
}

const NOT_UTF8: &str = "expected UTF-8";

/// The whole query: a record with a field for each parameter.
pub struct Query<T>(InputConstraints<T>);

impl<T: Shaped> Query<T> {
    pub(crate) fn new() -> Self {
        Query(InputConstraints::of_type())
    }
}

impl<T: Shaped + Send + 'static> Input for Query<T> {
    type Value = T;

    fn describe(&self, description: &mut Vec<InputDescription>) {
        let (name, ty) = (String::new(), self.0.ty());
        description.push(InputDescription::Parameter { place: InputLocation::Query, name, ty });
    }
}

impl<T: DeserializeOwned + Shaped + Send + 'static> Read for Query<T> {
    fn read(&self, reading: &mut InputReader<'_>) -> Option<T> {
        let pairs = match Pairs::parse(reading.query()) {
            Ok(pairs) => pairs,
            Err(error) => return reading.note_syntax(InputLocation::Query, "", error.detail),
        };
        match T::deserialize(&pairs) {
            Ok(value) => self.0.checked(value, InputLocation::Query, "", reading),
            Err(error) => {
                for (name, detail) in faults_of_pairs(&Shape::of::<T>(), &pairs, error) {
                    reading.note::<()>(Fault::new(InputLocation::Query, name, detail));
                }
                None
            }
        }
    }
}

impl<T> Clone for Query<T> {
    fn clone(&self) -> Self {
        Query(self.0.clone())
    }
}

impl<T> fmt::Debug for Query<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Query")
    }
}

/// The body, as content `C`.
pub struct Body<C>(PhantomData<fn() -> C>);

impl<C> Body<C> {
    pub(crate) fn new() -> Self {
        Body(PhantomData)
    }
}

impl<C: Content> Input for Body<C> {
    type Value = C::Value;

    fn describe(&self, description: &mut Vec<InputDescription>) {
        description.push(InputDescription::Body(C::media()));
    }
}

impl<C: Receive> Read for Body<C> {
    #[inline]
    fn read(&self, reading: &mut InputReader<'_>) -> Option<C::Value> {
        let content = reading.take_content();
        let bytes = content.whole();
        let from = reading.decoding();
        match C::receive(content, from) {
            Ok(value) if !from.is_constrained => Some(value),
            Ok(value) => checked_body::<C>(value, reading),
            Err(error) => reading.note_body(error.category(), C::faults(&error, &bytes)),
        }
    }
}

/// Returns the body if its constraints hold. Otherwise adds the faults to `reading` and returns
/// nothing.
fn checked_body<C: Receive>(value: C::Value, reading: &mut InputReader<'_>) -> Option<C::Value> {
    let violations = Check::run(|check| C::check(&value, check));
    if violations.is_empty() {
        return Some(value);
    }
    let faults = violations.into_iter().map(Fault::of_violation).collect();
    reading.note_body(Category::Data, faults)
}

impl<C> Clone for Body<C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for Body<C> {}

impl<C> fmt::Debug for Body<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Body")
    }
}

/// The reasons why a check rejected a value, each about the whole value or a part of it.
///
/// ```
/// use manywire::input::Invalid;
///
/// let check = |nights: u32, guests: u32| {
///     Invalid::all([
///         (nights == 0).then(|| Invalid::at("$.nights", "expected at least one night")),
///         (guests > 8).then(|| Invalid::at("$.guests", "expected at most 8 guests")),
///     ])
/// };
/// assert!(check(1, 8).is_ok());
/// assert!(check(0, 9).is_err());
/// // A reason about the whole value is text.
/// let reason: Invalid = "expected an even number".into();
/// # drop(reason);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid(Vec<Reason>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Reason {
    /// The path to a part of the value.
    path: Option<String>,
    detail: String,
}

impl Invalid {
    /// Creates a reason about the part of a value at a path, such as `$.stars` or
    /// `$.rooms[0].rate`. For a query, `$.limit` is the parameter `limit`.
    pub fn at(path: impl Into<String>, detail: impl Into<String>) -> Invalid {
        Invalid(vec![Reason { path: Some(path.into()), detail: detail.into() }])
    }

    /// Returns the result of several checks: an error with the reasons of those that failed.
    ///
    /// # Errors
    /// Fails if any check has a reason.
    pub fn all(checks: impl IntoIterator<Item = Option<Invalid>>) -> Result<(), Invalid> {
        let reasons: Vec<Reason> =
            checks.into_iter().flatten().flat_map(|Invalid(reasons)| reasons).collect();
        if reasons.is_empty() { Ok(()) } else { Err(Invalid(reasons)) }
    }
}

impl<S: Into<String>> From<S> for Invalid {
    fn from(detail: S) -> Self {
        Invalid(vec![Reason { path: None, detail: detail.into() }])
    }
}

impl Reason {
    /// Returns the fault of an input with this description.
    fn fault(self, input: Option<&InputDescription>) -> Fault {
        let Reason { path, detail } = self;
        let (place, name) = match input {
            Some(InputDescription::Parameter { place, name, .. }) => (*place, Some(&**name)),
            _ => (InputLocation::Body, None),
        };
        // The query as a whole has no name: the path names the parameter.
        if name == Some("") {
            let name = path.as_deref().and_then(|path| path.strip_prefix("$."));
            return Fault::of_check(place, name, None, detail);
        }
        let whole_body = || name.is_none().then(|| "$".to_owned());
        Fault::of_check(place, name, path.or_else(whole_body), detail)
    }
}

/// An input whose value is checked or converted.
pub struct CheckedInput<I: Input, U> {
    pub(super) input: I,
    check: Arc<CheckValue<I::Value, U>>,
}

type CheckValue<V, U> = dyn Fn(V) -> Result<U, Invalid> + Send + Sync;

impl<I: Input, U> CheckedInput<I, U> {
    pub(crate) fn new(
        input: I,
        check: impl Fn(I::Value) -> Result<U, Invalid> + Send + Sync + 'static,
    ) -> Self {
        CheckedInput { input, check: Arc::new(check) }
    }
}

impl<I: Input, U: Send + 'static> Input for CheckedInput<I, U> {
    type Value = U;

    fn describe(&self, description: &mut Vec<InputDescription>) {
        self.input.describe(description);
    }
}

impl<I: Read, U: Send + 'static> Read for CheckedInput<I, U> {
    fn read(&self, reading: &mut InputReader<'_>) -> Option<U> {
        let value = self.input.read(reading)?;
        match (self.check)(value) {
            Ok(value) => Some(value),
            Err(Invalid(reasons)) => {
                let mut described = Vec::new();
                self.input.describe(&mut described);
                for reason in reasons {
                    reading.note::<()>(reason.fault(described.first()));
                }
                None
            }
        }
    }
}

impl<I: Input + Clone, U> Clone for CheckedInput<I, U> {
    fn clone(&self) -> Self {
        CheckedInput { input: self.input.clone(), check: Arc::clone(&self.check) }
    }
}

impl<I: Input + fmt::Debug, U> fmt::Debug for CheckedInput<I, U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CheckedInput").field(&self.input).finish()
    }
}
