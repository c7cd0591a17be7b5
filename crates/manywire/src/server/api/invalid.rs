use std::fmt;

/// What is wrong with an API, all of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidApi {
    pub(in crate::server) name: String,
    pub(in crate::server) faults: Vec<String>,
}

impl InvalidApi {
    /// Each thing that is wrong, in words.
    pub fn faults(&self) -> &[String] {
        &self.faults
    }
}

impl fmt::Display for InvalidApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the API {:?} cannot be served", self.name)?;
        self.faults.iter().try_for_each(|fault| write!(f, "\n  {fault}"))
    }
}

impl std::error::Error for InvalidApi {}
