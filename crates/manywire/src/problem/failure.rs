use super::{Problem, ProblemKind};

/// The ways an endpoint can fail, beside those that every endpoint can.
///
/// Derived for an enum, a variant a way; or [`Problem`], which may be anything:
///
/// ```
/// use manywire::{Failure, Problem};
///
/// /// How looking for a hotel fails.
/// #[derive(Debug, PartialEq, Failure)]
/// enum HotelError {
///     /// No such hotel
///     #[failure(status = 404, type = "/problems/no-such-hotel")]
///     NotFound(String),
///     /// Closed for the season
///     #[failure(status = 410)]
///     Closed,
/// }
///
/// let problem = HotelError::NotFound("there is no hotel 7".to_owned()).problem();
/// assert_eq!(problem.to_string(), "404 No such hotel: there is no hotel 7");
/// // What a server sends, a client gets back.
/// let failure = HotelError::from_problem(&problem);
/// assert_eq!(failure, Some(HotelError::NotFound("there is no hotel 7".to_owned())));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say which problem it is",
    label = "not a `Failure`",
    note = "derive it: #[derive(Failure)], with #[failure(status = 404)] on each variant",
    note = "or fail with a `Problem`"
)]
pub trait Failure: Sized + Send + 'static {
    /// Every kind there is, for the document and for clients; empty where any may come.
    const KINDS: &'static [ProblemKind];

    /// What the client is told.
    fn problem(&self) -> Problem;

    /// The failure that a client was told of; nothing if it is none of these.
    fn from_problem(problem: &Problem) -> Option<Self>;
}

impl Failure for Problem {
    const KINDS: &'static [ProblemKind] = &[];

    fn problem(&self) -> Problem {
        self.clone()
    }

    // No problem is this one in particular: a client is told of it as of any other.
    fn from_problem(_: &Problem) -> Option<Self> {
        None
    }
}
