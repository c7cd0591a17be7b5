use std::fmt;

use axum_core::response::{IntoResponse, Response};
use http::StatusCode;
use manywire::Problem;
use manywire::adapt::Refused;

use crate::pending;

/// Why a request did not get to its handler.
///
/// As a response it is a problem in the client's format. A handler that takes
/// `Result<Wire<T>, WireRejection>` may answer otherwise.
#[derive(Debug)]
pub struct WireRejection(Reason);

#[derive(Debug)]
enum Reason {
    Refused(Refused),
    /// There is no layer to say what is spoken.
    NoLayer,
}

impl WireRejection {
    #[cold]
    pub(crate) fn no_layer() -> Self {
        tracing::error!("{}", pending::MISSING);
        WireRejection(Reason::NoLayer)
    }

    /// The status it is answered with.
    pub fn status(&self) -> StatusCode {
        match &self.0 {
            Reason::Refused(refused) => refused.status(),
            Reason::NoLayer => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// What the client is told.
    pub fn problem(&self) -> Problem {
        match &self.0 {
            Reason::Refused(refused) => refused.problem().clone(),
            Reason::NoLayer => Problem::new(self.status()).with_detail(pending::MISSING),
        }
    }
}

impl From<Refused> for WireRejection {
    fn from(refused: Refused) -> Self {
        WireRejection(Reason::Refused(refused))
    }
}

impl fmt::Display for WireRejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem().fmt(f)
    }
}

impl std::error::Error for WireRejection {}

impl IntoResponse for WireRejection {
    fn into_response(self) -> Response {
        match self.0 {
            Reason::Refused(refused) => pending::refusal(refused),
            Reason::NoLayer => {
                (StatusCode::INTERNAL_SERVER_ERROR, pending::MISSING).into_response()
            }
        }
    }
}
