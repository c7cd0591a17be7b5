//! Open containers.

use std::collections::HashSet;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Array,
    Map,
    /// Text that comes in chunks.
    TextChunks,
    /// Bytes that come in chunks.
    ByteChunks,
}

impl Kind {
    pub(crate) fn is_chunks(self) -> bool {
        matches!(self, Kind::TextChunks | Kind::ByteChunks)
    }
}

/// What a walker knows of a container when it opens one.
#[derive(Clone, Copy)]
pub(crate) struct Opening {
    pub(crate) kind: Kind,
    /// Entries or items to come, where the container says how many it has.
    pub(crate) left: Option<u64>,
    /// The number of the first of them: not 0 where the container goes on with another.
    pub(crate) first: u64,
    /// Where the container ends, for formats that say so in bytes.
    pub(crate) end: usize,
    /// What else a walker must know of it.
    pub(crate) mark: u64,
    /// Whether its keys are no steps of the path: that of the container says it all.
    pub(crate) nameless: bool,
}

impl Opening {
    pub(crate) fn of(kind: Kind, left: Option<u64>) -> Self {
        Opening { kind, left, first: 0, end: 0, mark: 0, nameless: false }
    }

    pub(crate) fn until(kind: Kind, end: usize) -> Self {
        Opening { end, ..Opening::of(kind, None) }
    }
}

/// An open container.
pub(crate) struct Frame {
    pub(crate) kind: Kind,
    pub(super) left: Option<u64>,
    pub(crate) entry: u64,
    /// Whether the next thing is a key.
    pub(crate) at_key: bool,
    /// Whether all of this stands in a key.
    pub(super) in_key: bool,
    /// How much of the path is the container's own.
    pub(super) path_length: usize,
    pub(crate) end: usize,
    pub(crate) mark: u64,
    pub(super) nameless: bool,
    /// Hashes of the keys so far, where they are compared.
    pub(super) keys: HashSet<u64>,
}

impl Frame {
    pub(super) fn new(opening: Opening, in_key: bool, path_length: usize) -> Self {
        let Opening { kind, left, first, end, mark, nameless } = opening;
        let (at_key, keys) = (kind == Kind::Map, HashSet::new());
        Frame { kind, left, entry: first, at_key, in_key, path_length, end, mark, nameless, keys }
    }

    /// Whether the next thing in it is a key.
    pub(super) fn awaits_key(&self) -> bool {
        self.kind == Kind::Map && self.at_key
    }
}
