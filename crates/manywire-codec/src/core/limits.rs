//! Limits on untrusted input.

/// Limits of a decoder on untrusted input.
///
/// There is no limit on lengths: a length is checked against the remaining bytes, and memory is
/// only allocated for data that was read, apart from a small reserve for the first items of a
/// collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The maximum nesting depth of containers. Decoders of typed values recurse, so this limit
    /// keeps the stack from overflowing. The default takes a part of the 2 MiB of a thread, also in
    /// builds without optimisation, whose frames are several times as large; there, 1,000 levels may
    /// take more.
    pub depth: usize,
}

impl Limits {
    /// The limits of a server: the same depth as serde_json.
    pub const DEFAULT: Limits = Limits { depth: 128 };

    /// Sets the maximum depth.
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

/// The maximum number of items for which a collection reserves memory before they have been read,
/// because of the length that the input states. A longer collection grows as its items arrive.
pub(crate) const PREALLOCATED_ITEMS_MAX: usize = 1_024;
