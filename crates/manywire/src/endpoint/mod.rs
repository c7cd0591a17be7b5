//! Endpoints: values that describe the inputs, the result and the failures of an operation, without
//! its implementation.

use std::fmt;
use std::marker::PhantomData;

use http::Method;
use manywire_shape::Shaped;

use crate::content::dynamic::Dynamic;
use crate::content::own::{AnyFormat, IntoFormats};
use crate::content::{Content, Items, Media, NoContent, Type};
use crate::input::{
    Append, Body, ConstrainLast, Constraints, Cookie, DynamicBody, Header, Invalid, MapLast,
    Parameter, Path, Query,
};
use crate::problem::{Failure, Problem};

pub use context::Context;
pub(crate) use documentation::{Documentation, Example};
pub use handler::Route;
pub(crate) use handler::{Handle, HandlerFuture};
pub use reply::{IntoReply, Reply};
pub(crate) use representations::{Representations, no_framing};
pub(crate) use responder::{Outcome, Responder};
pub use scope::{Scope, scope};
pub use set_cookie::{InvalidCookie, SameSite, SetCookie};

mod context;
mod documentation;
mod handler;
mod reply;
mod representations;
mod responder;
mod scope;
mod set_cookie;

/// An operation of an API: its method and path, its inputs (`In`, a flat tuple), its result
/// (`Out`), and its failures (`Fail`). `C` is its [`Context`]: the credentials that it requires and
/// the state that its handler receives.
///
/// ```
/// use manywire::{get, post, Endpoint, Shaped};
/// use manywire::input::{Body, Path};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize, Shaped)]
/// struct Hotel {
///     id: u64,
///     name: String,
/// }
///
/// let find: Endpoint<(Path<u64>,), Hotel> = get("/hotels/{id}").path::<u64>().returns::<Hotel>();
/// let create: Endpoint<(Body<Hotel>,), Hotel> =
///     post("/hotels").body::<Hotel>().status(201).returns::<Hotel>();
///
/// let find = find.to(|id| async move { Hotel { id, name: "Ritz".to_owned() } });
/// let create = create.to(|hotel| async move { hotel });
/// let service = manywire::Api::new("Hotels").serve(find).serve(create).build()?;
/// # Ok::<(), manywire::InvalidApi>(())
/// ```
#[must_use = "an endpoint does nothing until it is served or called"]
pub struct Endpoint<In, Out = NoContent, Fail = Problem, C = ()> {
    pub(crate) head: Head,
    pub(crate) inputs: In,
    pub(crate) context: C,
    answers: PhantomData<fn() -> (Out, Fail)>,
}

/// The properties of an endpoint that do not depend on its types.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    pub(crate) method: Method,
    pub(crate) pattern: String,
    path_inputs: usize,
    pub(crate) status: Option<u16>,
    pub(crate) formats: Option<Vec<AnyFormat>>,
    /// Indicates whether request bodies may arrive at any rate.
    pub(crate) is_slow: bool,
    pub(crate) documentation: Documentation,
    /// The returned content, if its shape is known only at run time.
    returns: Option<Media>,
    /// The header fields of a response, for the document.
    pub(crate) fields: Vec<&'static str>,
}

macro_rules! methods {
    ($($name:ident $method:ident),+ $(,)?) => {$(
        #[doc = concat!("An endpoint of the method ", stringify!($method), ".")]
        pub fn $name(pattern: impl Into<String>) -> Endpoint<()> {
            Endpoint::new(Method::$method, pattern)
        }
    )+};
}

methods! { get GET, post POST, put PUT, patch PATCH, delete DELETE }

impl Endpoint<()> {
    /// Creates an endpoint. In the pattern, `{name}` captures a segment of the path and `{*name}`
    /// at the end captures the rest; a segment may have text around a capture. Text is
    /// percent-encoded as in a URI: `%7B` is a brace, and `%2F` is a slash that does not separate
    /// segments.
    pub fn new(method: Method, pattern: impl Into<String>) -> Self {
        let head = Head {
            method,
            pattern: pattern.into(),
            path_inputs: 0,
            status: None,
            formats: None,
            is_slow: false,
            documentation: Documentation::default(),
            returns: None,
            fields: Vec::new(),
        };
        Endpoint { head, inputs: (), context: (), answers: PhantomData }
    }
}

impl<In, Out, Fail, C> Endpoint<In, Out, Fail, C> {
    /// Adds the next captured segment of the pattern as an input.
    pub fn path<T: Shaped>(mut self) -> Endpoint<In::Appended, Out, Fail, C>
    where
        In: Append<Path<T>>,
    {
        let index = self.head.path_inputs;
        self.head.path_inputs += 1;
        let name = capture_names(&self.head.pattern).nth(index).unwrap_or_default().to_owned();
        self.input(Path::new(name, index))
    }

    /// Adds the whole query as an input: a record with a field for each parameter.
    pub fn query<T: Shaped>(self) -> Endpoint<In::Appended, Out, Fail, C>
    where
        In: Append<Query<T>>,
    {
        self.input(Query::new())
    }

    /// Adds a query parameter as an input: an `Option` if it may be absent, a `Vec` if it may be
    /// repeated.
    pub fn parameter<T: Shaped>(self, name: &str) -> Endpoint<In::Appended, Out, Fail, C>
    where
        In: Append<Parameter<T>>,
    {
        self.input(Parameter::new(name))
    }

    /// Adds a header field as an input: an `Option` if it may be absent, a `Vec` for the members of
    /// a list, on one line or several (RFC 9110, section 5.6.1).
    pub fn header<T: Shaped>(self, name: &str) -> Endpoint<In::Appended, Out, Fail, C>
    where
        In: Append<Header<T>>,
    {
        self.input(Header::new(name.to_ascii_lowercase()))
    }

    /// Adds a cookie as an input: an `Option` if it may be absent.
    pub fn cookie<T: Shaped>(self, name: &str) -> Endpoint<In::Appended, Out, Fail, C>
    where
        In: Append<Cookie<T>>,
    {
        self.input(Cookie::new(name))
    }

    /// Adds the body as an input: a type that derives `Shaped`, or [`Form`](crate::content::Form),
    /// [`Text`](crate::content::Text), [`Raw`](crate::content::Raw).
    pub fn body<T: Content>(self) -> Endpoint<In::Appended, Out, Fail, C>
    where
        In: Append<Body<T>>,
    {
        self.input(Body::new())
    }

    /// Adds the body as an input: a dynamic value of this shape instead of a Rust type.
    pub fn body_shape(self, shape: impl Into<Type>) -> Endpoint<In::Appended, Out, Fail, C>
    where
        In: Append<DynamicBody>,
    {
        self.input(DynamicBody::new(shape.into()))
    }

    /// Adds a user-defined input.
    pub fn input<I>(self, input: I) -> Endpoint<In::Appended, Out, Fail, C>
    where
        In: Append<I>,
    {
        self.with_inputs(|inputs| inputs.append(input))
    }

    /// Converts the value of the last input.
    pub fn map<U, F>(self, map: F) -> Endpoint<In::Mapped, Out, Fail, C>
    where
        In: MapLast<U>,
        F: Fn(In::Last) -> U + Send + Sync + 'static,
    {
        self.with_inputs(|inputs| inputs.map_last(move |value| Ok(map(value))))
    }

    /// Sets constraints on the last input: a parameter, header field, cookie or segment of the
    /// path. The documents contain the constraints, and a value that violates one is refused with
    /// status 422. The fields of records have constraints in their types: see
    /// [`Shaped`](macro@crate::Shaped).
    ///
    /// ```
    /// use manywire::get;
    /// use manywire::input::Constraints;
    ///
    /// let page = Constraints::new().min(1).max(100);
    /// let list = get("/hotels").parameter::<Option<u32>>("limit").constrain(page);
    /// # drop(list);
    /// ```
    pub fn constrain(self, constraints: Constraints) -> Self
    where
        In: ConstrainLast,
    {
        self.with_inputs(|inputs| inputs.constrain_last(constraints))
    }

    /// Checks the value of the last input beyond its [constraints](Self::constrain). A value that
    /// fails the check is refused with status 422. The response has the reasons and the paths of
    /// the parts that the reasons are about: see [`Invalid`].
    pub fn validate<T, F>(self, check: F) -> Endpoint<In::Mapped, Out, Fail, C>
    where
        In: MapLast<T, Last = T>,
        F: Fn(&T) -> Result<(), Invalid> + Send + Sync + 'static,
    {
        self.with_inputs(|inputs| inputs.map_last(move |value| check(&value).map(|()| value)))
    }

    /// Declares the returned content: a type that derives `Shaped`, or
    /// [`Text`](crate::content::Text), [`Raw`](crate::content::Raw). Without content the status is
    /// 204.
    pub fn returns<T: Content>(self) -> Endpoint<In, T, Fail, C> {
        self.answering(None)
    }

    /// Declares that dynamic values of this shape are returned, instead of a Rust type.
    pub fn returns_shape(self, shape: impl Into<Type>) -> Endpoint<In, Dynamic, Fail, C> {
        self.answering(Some(Media::Formats(shape.into())))
    }

    /// Declares that a stream of dynamic values of this shape is returned.
    pub fn returns_items(self, shape: impl Into<Type>) -> Endpoint<In, Items<Dynamic>, Fail, C> {
        self.answering(Some(Media::Items(shape.into())))
    }

    /// Declares the endpoint's own failures, in addition to those of every endpoint.
    pub fn fails<E: Failure>(self) -> Endpoint<In, Out, E, C> {
        let returns = self.head.returns.clone();
        self.answering(returns)
    }

    /// Sets the status of a successful response, from 200 to 599. The default is 200, or 204 without
    /// content.
    /// An endpoint that returns content cannot have 204, 205 or 304, which have none.
    pub fn status(mut self, status: u16) -> Self {
        self.head.status = Some(status);
        self
    }

    /// Sets the formats of this endpoint, the preferred first, instead of those of its API.
    pub fn formats<Kind>(mut self, formats: impl IntoFormats<Kind>) -> Self {
        self.head.formats = Some(formats.into_formats());
        self
    }

    /// Permits request bodies at any rate, for streams whose values are rare: they are exempt from
    /// [`Limits::bytes_per_second_min`](crate::Limits::bytes_per_second_min) and
    /// [`Limits::body_timeout`](crate::Limits::body_timeout). A pause is still limited by
    /// [`Limits::body_idle_timeout`](crate::Limits::body_idle_timeout).
    pub fn slow_body(mut self) -> Self {
        self.head.is_slow = true;
        self
    }

    /// Names a header field that the handler sends with its [`Reply`], for the document.
    pub fn sends(mut self, field: &'static str) -> Self {
        self.head.fields.push(field);
        self
    }

    fn with_inputs<In2>(self, change: impl FnOnce(In) -> In2) -> Endpoint<In2, Out, Fail, C> {
        let Endpoint { head, inputs, context, answers } = self;
        Endpoint { head, inputs: change(inputs), context, answers }
    }

    fn answering<Out2, Fail2>(self, returns: Option<Media>) -> Endpoint<In, Out2, Fail2, C> {
        let head = Head { returns, ..self.head };
        Endpoint { head, inputs: self.inputs, context: self.context, answers: PhantomData }
    }

    fn map_context<C2>(self, change: impl FnOnce(C) -> C2) -> Endpoint<In, Out, Fail, C2> {
        let Endpoint { head, inputs, context, answers } = self;
        Endpoint { head, inputs, context: change(context), answers }
    }
}

/// Returns the names of the captured segments, in their order.
pub(crate) fn capture_names(pattern: &str) -> impl Iterator<Item = &str> {
    let opened = pattern.split('{').skip(1);
    opened.filter_map(|rest| rest.split_once('}')).map(|(name, _)| name.trim_start_matches('*'))
}

/// An endpoint may be served and called in several places.
impl<In: Clone, Out, Fail, C: Clone> Clone for Endpoint<In, Out, Fail, C> {
    fn clone(&self) -> Self {
        let (head, inputs) = (self.head.clone(), self.inputs.clone());
        Endpoint { head, inputs, context: self.context.clone(), answers: PhantomData }
    }
}

impl<In, Out, Fail, C> fmt::Debug for Endpoint<In, Out, Fail, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.head.method, self.head.pattern)
    }
}

/// A part of a path pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PatternPart<'p> {
    /// Literal text.
    Literal(&'p str),
    /// A captured segment, with its braces: `{name}` or `{*name}`.
    Capture(&'p str),
}

/// Parses a path pattern into its parts.
///
/// # Errors
/// Fails with a message if a brace is not part of a capture. Braces in literal text are
/// percent-encoded, as in any URI.
pub(crate) fn parse_pattern(pattern: &str) -> Result<Vec<PatternPart<'_>>, String> {
    let stray = || "unbalanced brace: write %7B or %7D for a literal brace".to_owned();
    let (mut pieces, mut names) = (Vec::new(), Vec::new());
    let mut rest = pattern;
    while let Some(at) = rest.find(['{', '}']) {
        let (text, from) = rest.split_at(at);
        let (name, after) =
            from.strip_prefix('{').and_then(|it| it.split_once('}')).ok_or_else(stray)?;
        if name.contains('{') || after.starts_with('}') {
            return Err(stray());
        }
        let name = name.strip_prefix('*').unwrap_or(name);
        if name.is_empty() || name.contains(['*', '/']) {
            return Err("a named segment has a name: {id}, or {*rest} at the end".to_owned());
        }
        if names.contains(&name) {
            return Err(format!("the path names {{{name}}} twice"));
        }
        names.push(name);
        pieces.extend([
            PatternPart::Literal(text),
            PatternPart::Capture(&from[..from.len() - after.len()]),
        ]);
        rest = after;
    }
    pieces.push(PatternPart::Literal(rest));
    Ok(pieces)
}
