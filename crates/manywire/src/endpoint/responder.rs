//! [`Responder`]: writes the replies of an endpoint in its representations, each as an [`Outcome`].

use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode, header};
use manywire_codec::Error;

use super::reply::Reply;
use super::representations::Representations;
use crate::body::Body;
use crate::content::Answer;
use crate::problem::{Problem, is_final};

/// The result of a request.
pub(crate) enum Outcome {
    /// A response.
    Answer {
        content: Body,
        /// The index of the representation among those of the endpoint.
        choice: usize,
        status: Option<StatusCode>,
        headers: Option<Box<HeaderMap>>,
    },
    /// A failure.
    Problem(Box<Problem>),
}

/// Writes the replies of an endpoint: the part of a served endpoint that its handler needs.
#[derive(Debug)]
pub(crate) struct Responder {
    pub(crate) method: Method,
    /// The pattern of the path or, for content without an endpoint, the name of its type.
    pub(crate) pattern: String,
    pub(crate) answers: Representations,
}

impl Responder {
    /// Writes the reply of a handler.
    #[inline]
    pub(crate) fn write<C: Answer>(&self, choice: usize, reply: Reply<C::Value>) -> Outcome {
        if let Some(status) = reply.status.filter(|status| !is_final(*status)) {
            return self.cannot_send(status);
        }
        let mut encoding = self.answers.encoding(choice);
        let mut headers = reply.headers;
        if let Some(content_type) = C::content_type(&reply.value) {
            let headers = headers.get_or_insert_default();
            headers.entry(header::CONTENT_TYPE).or_insert(content_type);
        }
        match C::answer(reply.value, &mut encoding) {
            Ok(content) => {
                let bytes = content.content().map_or(0, Bytes::len);
                let choice = self.answers.record(choice, encoding.representation, bytes);
                Outcome::Answer { content, choice, status: reply.status, headers }
            }
            Err(error) => self.cannot_encode(&error),
        }
    }

    /// Returns the outcome for a reply that its format cannot represent. This is a fault of the
    /// service, so the client is sent 500 without the details, and the log has them.
    #[cold]
    #[inline(never)]
    fn cannot_encode(&self, error: &Error) -> Outcome {
        tracing::error!(method = %self.method, pattern = self.pattern, %error, "cannot encode the response");
        Outcome::Problem(Box::new(Problem::new(StatusCode::INTERNAL_SERVER_ERROR)))
    }

    /// Returns the outcome for a reply with an informational status, after which the client would
    /// wait for another response (RFC 9110, section 15.2), or with one above 599, which is invalid. This
    /// is a fault of the service, too.
    #[cold]
    #[inline(never)]
    fn cannot_send(&self, status: StatusCode) -> Outcome {
        let status = status.as_u16();
        tracing::error!(method = %self.method, pattern = self.pattern, status, "invalid response status: expected 200 to 599");
        Outcome::Problem(Box::new(Problem::new(StatusCode::INTERNAL_SERVER_ERROR)))
    }
}
