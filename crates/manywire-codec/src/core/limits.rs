/// What a decoder accepts from bytes it cannot trust.
///
/// There is no limit on lengths here: a length is checked against the bytes that are left, and
/// memory is only ever taken for what was really read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How many containers may stand inside each other. Decoders of typed values recurse, so this
    /// is what keeps the stack from overflowing.
    pub depth: usize,
}

impl Limits {
    /// What a server accepts: as deep as serde_json goes.
    pub const DEFAULT: Limits = Limits { depth: 128 };

    /// These limits with another depth.
    pub const fn with_depth(mut self, depth: usize) -> Self {
        self.depth = depth;
        self
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits::DEFAULT
    }
}

/// How many items a decoder tells a collection to make room for on the strength of a claimed
/// length alone; a longer collection grows as its items arrive.
pub(crate) const PREALLOCATED_ITEMS_MAX: usize = 1_024;
