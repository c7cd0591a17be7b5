//! The key of a row: the lane and the subject that its figures belong to.

use manywire_format::Format;

use crate::weigh::subject::Subject;

/// The key of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RowKey {
    pub(super) lane: String,
    pub(super) subject: Subject,
    /// The version of the subject's library.
    pub(super) version: String,
}

impl RowKey {
    /// Ranks this row as the reference of another row of its lane, higher is better; `None` if this
    /// row is not of the reference format. A row with the same kind of value ranks first, then a
    /// row of the lane's reference library. If a language has no typed values of a format, its
    /// dynamic values are used, since its programs have no others.
    pub(super) fn rank_as_reference(&self, of: &RowKey, format: Format) -> Option<(bool, bool)> {
        let (mine, other) = (&self.subject, &of.subject);
        (mine.format == format).then_some((mine.target == other.target, mine.reference))
    }
}
