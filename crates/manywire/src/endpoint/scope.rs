//! [`Scope`]: a path prefix and inputs that several endpoints share.

use http::Method;
use manywire_shape::Shaped;

use super::{Endpoint, capture_names};
use crate::input::{Append, Cookie, Header, Path};

/// The common part of several endpoints: the prefix of their path, and inputs that precede theirs.
///
/// ```
/// use manywire::scope;
/// use manywire::content::Text;
///
/// let tenants = scope("/tenants/{tenant}").path::<u32>().header::<String>("authorization");
/// let name = tenants.get("/name").returns::<Text>();
/// let route = name.to(|tenant, _authorization| async move { format!("tenant {tenant}") });
/// # manywire::Api::new("Tenants").serve(route).build().expect("a valid API");
/// ```
#[derive(Clone, Debug)]
pub struct Scope<In> {
    prefix: String,
    inputs: In,
    path_inputs: usize,
}

/// Creates a scope of paths with this prefix.
pub fn scope(prefix: impl Into<String>) -> Scope<()> {
    Scope { prefix: prefix.into(), inputs: (), path_inputs: 0 }
}

macro_rules! methods {
    ($($name:ident $method:ident),+ $(,)?) => {$(
        #[doc = concat!("An endpoint of the method ", stringify!($method), " in this scope.")]
        pub fn $name(&self, pattern: &str) -> Endpoint<In> {
            self.endpoint(Method::$method, pattern)
        }
    )+};
}

impl<In: Clone> Scope<In> {
    methods! { get GET, post POST, put PUT, patch PATCH, delete DELETE }

    /// Creates an endpoint in this scope.
    pub fn endpoint(&self, method: Method, pattern: &str) -> Endpoint<In> {
        let mut endpoint = Endpoint::new(method, format!("{}{pattern}", self.prefix))
            .with_inputs(|()| self.inputs.clone());
        endpoint.head.path_inputs = self.path_inputs;
        endpoint
    }

    /// Creates a nested scope.
    #[must_use]
    pub fn scope(&self, prefix: &str) -> Scope<In> {
        let prefix = format!("{}{prefix}", self.prefix);
        Scope { prefix, inputs: self.inputs.clone(), path_inputs: self.path_inputs }
    }
}

impl<In> Scope<In> {
    /// Adds the next captured segment of the prefix as an input.
    pub fn path<T: Shaped>(mut self) -> Scope<In::Appended>
    where
        In: Append<Path<T>>,
    {
        let index = self.path_inputs;
        self.path_inputs += 1;
        let name = capture_names(&self.prefix).nth(index).unwrap_or_default().to_owned();
        self.input(Path::new(name, index))
    }

    /// Adds a header field as an input.
    pub fn header<T: Shaped>(self, name: &str) -> Scope<In::Appended>
    where
        In: Append<Header<T>>,
    {
        self.input(Header::new(name.to_ascii_lowercase()))
    }

    /// Adds a cookie as an input.
    pub fn cookie<T: Shaped>(self, name: &str) -> Scope<In::Appended>
    where
        In: Append<Cookie<T>>,
    {
        self.input(Cookie::new(name))
    }

    /// Adds a user-defined input.
    pub fn input<I>(self, input: I) -> Scope<In::Appended>
    where
        In: Append<I>,
    {
        let Scope { prefix, inputs, path_inputs } = self;
        Scope { prefix, inputs: inputs.append(input), path_inputs }
    }
}
