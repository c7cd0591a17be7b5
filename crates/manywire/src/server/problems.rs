//! What is sent instead of an answer: problems, in the format that the client is to have.

use http::header::{self, HeaderName};
use http::request::Parts;
use http::{HeaderValue, Method, Response};

use super::body::Body;
use super::core::{Agreed, Core};
use super::fields::Fields;
use super::refusal::Refusal;
use crate::problem::{Problem, ProblemFormat};

impl Core {
    /// Refuses a request of which nothing is agreed on yet.
    #[cold]
    #[inline(never)]
    pub(super) fn refuse(&self, refusal: Refusal<'_>, parts: &Parts) -> Response<Body> {
        #[cfg(feature = "metrics")]
        if let Some(metrics) = &self.metrics {
            metrics.refused(&refusal, self.target(parts));
        }
        let format = self.problems.choose(Fields::of(&parts.headers).accept.as_deref());
        let (problem, beside) = refusal.problem();
        self.problem(&problem, beside, format, parts.method == Method::HEAD)
    }

    /// Refuses a request in the format that its client is to have.
    #[cold]
    #[inline(never)]
    pub(super) fn refuse_agreed(&self, refusal: Refusal<'_>, agreed: Agreed) -> Response<Body> {
        #[cfg(feature = "metrics")]
        if let Some(metrics) = &self.metrics {
            metrics.refused(&refusal, Some(agreed.target));
        }
        let (problem, beside) = refusal.problem();
        self.problem(&problem, beside, agreed.problem, agreed.is_head)
    }

    #[cold]
    #[inline(never)]
    pub(super) fn problem(
        &self,
        problem: &Problem,
        beside: Option<(HeaderName, HeaderValue)>,
        format: ProblemFormat,
        is_head: bool,
    ) -> Response<Body> {
        let (content, content_type) = self.problems.write(problem, format);
        let body = if is_head {
            Body::only_size(Some(content.len() as u64))
        } else {
            Body::new(content.clone())
        };
        let mut response = Response::new(body);
        *response.status_mut() = problem.status();
        let fields = response.headers_mut();
        fields.insert(header::CONTENT_TYPE, content_type);
        fields.insert(header::VARY, HeaderValue::from_static("accept"));
        if is_head {
            fields.insert(header::CONTENT_LENGTH, HeaderValue::from(content.len()));
        }
        fields.extend(beside);
        response
    }
}
