use std::fmt;

use http::Method;
use manywire_format::Format;

use super::Handle;
use crate::content::Media;
use crate::input::Described;

/// An endpoint with its handler: what an [`Api`](crate::Api) serves.
#[must_use = "a route does nothing until an Api serves it"]
pub struct Route {
    pub(crate) method: Method,
    pub(crate) pattern: String,
    pub(crate) inputs: Vec<Described>,
    pub(crate) status: Option<u16>,
    pub(crate) formats: Option<Vec<Format>>,
    pub(crate) returns: Media,
    pub(crate) handler: Box<dyn Handle>,
}

impl fmt::Debug for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Route")
            .field("method", &self.method)
            .field("pattern", &self.pattern)
            .field("inputs", &self.inputs)
            .finish_non_exhaustive()
    }
}
