use std::fmt;

use super::{Handle, Head};
use crate::content::Media;
use crate::input::Described;
use crate::problem::ProblemKind;

/// An endpoint with its handler: what an [`Api`](crate::Api) serves.
#[must_use = "a route does nothing until an Api serves it"]
pub struct Route {
    pub(crate) head: Head,
    pub(crate) inputs: Vec<Described>,
    pub(crate) returns: Media,
    pub(crate) fails: &'static [ProblemKind],
    pub(crate) handler: Box<dyn Handle>,
}

impl fmt::Debug for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Route")
            .field("method", &self.head.method)
            .field("pattern", &self.head.pattern)
            .field("inputs", &self.inputs)
            .finish_non_exhaustive()
    }
}
