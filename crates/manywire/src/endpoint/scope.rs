//! [`Scope`]: a path prefix and inputs that several endpoints share.

use http::Method;
use manywire_shape::Shaped;

use super::{Endpoint, capture_names};
use crate::content::NoContent;
use crate::input::{Append, Cookie, Header, Path};
use crate::problem::Problem;

/// The common part of several endpoints: the prefix of their path, inputs that precede theirs, and
/// their [`Context`](super::Context): credentials and a state.
///
/// ```
/// use manywire::scope;
/// use manywire::content::Text;
///
/// let tenants = scope("/tenants/{tenant}").path::<u32>().header::<String>("x-language");
/// let name = tenants.get("/name").returns::<Text>();
/// let route = name.to(|tenant, language| async move { format!("{language}: tenant {tenant}") });
/// # manywire::Api::new("Tenants").serve(route).build().expect("a valid API");
/// ```
#[derive(Clone, Debug)]
pub struct Scope<In, C = ()> {
    prefix: String,
    inputs: In,
    context: C,
    path_inputs: usize,
    tags: Vec<String>,
}

/// Creates a scope of paths with this prefix.
pub fn scope(prefix: impl Into<String>) -> Scope<()> {
    Scope { prefix: prefix.into(), inputs: (), context: (), path_inputs: 0, tags: Vec::new() }
}

macro_rules! methods {
    ($($name:ident $method:ident),+ $(,)?) => {$(
        #[doc = concat!("An endpoint of the method ", stringify!($method), " in this scope.")]
        pub fn $name(&self, pattern: &str) -> Endpoint<In, NoContent, Problem, C> {
            self.endpoint(Method::$method, pattern)
        }
    )+};
}

impl<In: Clone, C: Clone> Scope<In, C> {
    methods! { get GET, post POST, put PUT, patch PATCH, delete DELETE }

    /// Creates an endpoint in this scope.
    pub fn endpoint(&self, method: Method, pattern: &str) -> Endpoint<In, NoContent, Problem, C> {
        let mut endpoint = Endpoint::new(method, format!("{}{pattern}", self.prefix))
            .with_inputs(|()| self.inputs.clone())
            .map_context(|()| self.context.clone());
        endpoint.head.path_inputs = self.path_inputs;
        endpoint.head.documentation.tags.clone_from(&self.tags);
        endpoint
    }

    /// Creates a nested scope.
    #[must_use]
    pub fn scope(&self, prefix: &str) -> Scope<In, C> {
        Scope { prefix: format!("{}{prefix}", self.prefix), ..self.clone() }
    }
}

impl<In, C> Scope<In, C> {
    /// Adds a tag to the endpoints of this scope, by which viewers of the document group them.
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tags.push(tag.into());
        self
    }

    /// Adds the next captured segment of the prefix as an input.
    pub fn path<T: Shaped>(mut self) -> Scope<In::Appended, C>
    where
        In: Append<Path<T>>,
    {
        let index = self.path_inputs;
        self.path_inputs += 1;
        let name = capture_names(&self.prefix).nth(index).unwrap_or_default().to_owned();
        self.input(Path::new(name, index))
    }

    /// Adds a header field as an input.
    pub fn header<T: Shaped>(self, name: &str) -> Scope<In::Appended, C>
    where
        In: Append<Header<T>>,
    {
        self.input(Header::new(name.to_ascii_lowercase()))
    }

    /// Adds a cookie as an input.
    pub fn cookie<T: Shaped>(self, name: &str) -> Scope<In::Appended, C>
    where
        In: Append<Cookie<T>>,
    {
        self.input(Cookie::new(name))
    }

    /// Adds a user-defined input.
    pub fn input<I>(self, input: I) -> Scope<In::Appended, C>
    where
        In: Append<I>,
    {
        let Scope { prefix, inputs, context, path_inputs, tags } = self;
        Scope { prefix, inputs: inputs.append(input), context, path_inputs, tags }
    }

    pub(super) fn map_context<C2>(self, change: impl FnOnce(C) -> C2) -> Scope<In, C2> {
        let Scope { prefix, inputs, context, path_inputs, tags } = self;
        Scope { prefix, inputs, context: change(context), path_inputs, tags }
    }
}
