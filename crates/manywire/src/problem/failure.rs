use super::Problem;

/// The ways an endpoint can fail, beside those that every endpoint can.
///
/// Implemented for [`Problem`], which may be anything; an enum of one's own says exactly what
/// there is.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say which problem it is",
    label = "not a `Failure`",
    note = "implement `Failure` for it, or fail with a `Problem`"
)]
pub trait Failure: Send + 'static {
    /// What the client is told.
    fn problem(&self) -> Problem;
}

impl Failure for Problem {
    fn problem(&self) -> Problem {
        self.clone()
    }
}
