//! The origin of a constant: its publication, and the assumption about it.

/// The publication that a constant comes from, and the assumption about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The publication.
    pub source: Option<&'static str>,
    /// The assumption.
    pub assumption: Option<&'static str>,
}

impl Origin {
    pub(crate) const fn published(source: &'static str) -> Origin {
        Origin { source: Some(source), assumption: None }
    }

    pub(crate) const fn derived(source: &'static str, assumption: &'static str) -> Origin {
        Origin { source: Some(source), assumption: Some(assumption) }
    }

    pub(crate) const fn assumed(assumption: &'static str) -> Origin {
        Origin { source: None, assumption: Some(assumption) }
    }
}
