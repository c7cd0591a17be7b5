//! The stack frames of open containers.

use std::collections::HashSet;

/// The kind of a container. A string in chunks counts as a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContainerKind {
    Array,
    Map,
    /// Text that comes in chunks.
    TextChunks,
    /// Bytes that come in chunks.
    ByteChunks,
}

impl ContainerKind {
    pub(crate) fn is_chunks(self) -> bool {
        matches!(self, ContainerKind::TextChunks | ContainerKind::ByteChunks)
    }
}

/// The facts about a container that are known at its start.
#[derive(Clone, Copy)]
pub(crate) struct Opening {
    pub(crate) kind: ContainerKind,
    /// The number of entries or items to come, if the container has a count.
    pub(crate) left: Option<u64>,
    /// The index of the first entry; not 0 if the container continues an earlier one.
    pub(crate) first: u64,
    /// The end of the container, for formats with lengths in bytes.
    pub(crate) end: usize,
    /// A mark that only the walker uses.
    pub(crate) mark: u64,
    /// True if keys of the container add no step to the path.
    pub(crate) nameless: bool,
}

impl Opening {
    pub(crate) fn with_count(kind: ContainerKind, left: Option<u64>) -> Self {
        Opening { kind, left, first: 0, end: 0, mark: 0, nameless: false }
    }

    pub(crate) fn ending_at(kind: ContainerKind, end: usize) -> Self {
        Opening { end, ..Opening::with_count(kind, None) }
    }
}

/// An open container.
pub(crate) struct Frame {
    pub(crate) kind: ContainerKind,
    pub(super) left: Option<u64>,
    pub(crate) entry: u64,
    /// True if the next item is a key.
    pub(crate) at_key: bool,
    /// True if the container is inside a key.
    pub(super) in_key: bool,
    /// The length of the path to the container.
    pub(super) path_length: usize,
    pub(crate) end: usize,
    pub(crate) mark: u64,
    pub(super) nameless: bool,
    /// Hashes of the keys so far, if keys are compared.
    pub(super) keys: HashSet<u64>,
}

impl Frame {
    pub(super) fn new(opening: Opening, in_key: bool, path_length: usize) -> Self {
        let Opening { kind, left, first, end, mark, nameless } = opening;
        let (at_key, keys) = (kind == ContainerKind::Map, HashSet::new());
        Frame { kind, left, entry: first, at_key, in_key, path_length, end, mark, nameless, keys }
    }

    /// Returns true if the next item of this map is a key.
    pub(super) fn awaits_key(&self) -> bool {
        self.kind == ContainerKind::Map && self.at_key
    }
}
