//! The spans of a walker as a tree of values.
//!
//! The spans of a walk are flat. This module rebuilds the tree from their depths, to compare it
//! with the value that a codec read from the same bytes.

use std::ops::Range;

use manywire_format::Format;
use manywire_inspect::{Event, Options, Role, Span, walk};
use manywire_shape::{Arena, Value};

/// One value as the walker reported it, in an arena, so that dropping it does not recurse.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WalkedValue<'a> {
    /// The offset of the value, including the tags in front of it.
    pub(crate) start: usize,
    /// The end of the value.
    pub(crate) end: usize,
    /// The type of the element in BSON; the first byte in other formats.
    pub(crate) code: u8,
    /// The offset of the head, after the tags.
    pub(crate) head_start: usize,
    /// The length of the head.
    pub(crate) head: usize,
    /// The tags in front of the value, outermost first.
    pub(crate) tags: &'a [u64],
    /// True if the walker reported a key.
    pub(crate) is_key: bool,
    /// The content of the value.
    pub(crate) content: Content<'a>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Content<'a> {
    /// A scalar.
    Leaf(Value<'a>),
    /// A container: its items, alternating keys and values, or chunks.
    Items(&'a [WalkedValue<'a>]),
}

/// The result of a walk.
#[derive(Debug)]
pub(crate) struct WalkedTree<'a> {
    /// The value; `None` if the walk met a fault.
    pub(crate) value: Option<WalkedValue<'a>>,
    /// The offset of the first fault, and what was expected there.
    pub(crate) fault: Option<(usize, String)>,
    /// The maximum nesting of containers and tags.
    pub(crate) nesting: usize,
    /// The first offset at which the nesting exceeds the limit.
    pub(crate) too_deep: Option<usize>,
}

/// Walks the bytes and rebuilds the tree. `limit` is the nesting to report in `too_deep`.
pub(crate) fn read<'a>(
    format: Format,
    bytes: &'a [u8],
    limit: usize,
    arena: &'a Arena,
) -> WalkedTree<'a> {
    let mut assembly = Assembly {
        format,
        bytes,
        arena,
        open: Vec::new(),
        tags: Vec::new(),
        element: 0x03,
        whole: None,
    };
    let mut fault = None;
    let (mut nesting, mut too_deep) = (0, None);
    let options = Options { depth_max: usize::MAX, ..Options::DEFAULT };
    walk(format, bytes, options, &mut |event| match event {
        Event::Span(span) if fault.is_none() && span.role != Role::Unread => {
            assembly.span(span);
            let depth = assembly.nesting();
            nesting = nesting.max(depth);
            if depth > limit && too_deep.is_none() {
                too_deep = Some(span.range.start);
            }
        }
        Event::Fault(found) if fault.is_none() => {
            fault = Some((found.offset, found.expected.to_string()));
        }
        _ => {}
    });
    let value = if fault.is_none() { assembly.finish() } else { None };
    WalkedTree { value, fault, nesting, too_deep }
}

struct Assembly<'a> {
    format: Format,
    bytes: &'a [u8],
    arena: &'a Arena,
    open: Vec<Open<'a>>,
    /// Tags whose value comes next.
    tags: Vec<(usize, u64)>,
    /// The type of the BSON element whose value comes next.
    element: u8,
    whole: Option<WalkedValue<'a>>,
}

struct Open<'a> {
    raw: WalkedValue<'a>,
    depth: usize,
    items: Vec<WalkedValue<'a>>,
}

/// The meaning of a span for the tree.
enum Class {
    Opens,
    Leaf,
    Tag(u64),
    /// A separator, an end, or the index of a BSON array.
    Nothing,
}

impl<'a> Assembly<'a> {
    fn nesting(&self) -> usize {
        let tags: usize = self.open.iter().map(|open| open.raw.tags.len()).sum();
        self.open.len() + tags + self.tags.len()
    }

    fn span(&mut self, span: &Span<'_>) {
        while self.open.last().is_some_and(|open| open.depth >= span.depth)
            && !self.ends_container(span)
        {
            self.close();
        }
        let Range { start, end } = span.range;
        match self.class(span) {
            Class::Opens => {
                let raw = self.walked(span, Content::Items(&[]));
                self.open.push(Open { raw, depth: span.depth, items: Vec::new() });
            }
            Class::Leaf => {
                let value = span.value.unwrap_or(Value::Null).copied(self.arena);
                let raw = self.walked(span, Content::Leaf(value));
                self.put(raw);
                if self.format == Format::Bson && span.role == Role::Key {
                    self.element = self.bytes.get(start).copied().unwrap_or_default();
                }
            }
            Class::Tag(tag) => self.tags.push((start, tag)),
            Class::Nothing => {
                if let Some(open) = self.open.last_mut()
                    && open.depth == span.depth
                {
                    open.raw.end = end;
                    self.close();
                }
                if self.format == Format::Bson && span.value.is_some() {
                    self.element = self.bytes.get(start).copied().unwrap_or_default();
                }
            }
        }
    }

    /// Returns true if `span` is the end of the innermost container.
    fn ends_container(&self, span: &Span<'_>) -> bool {
        let innermost = self.open.last().is_some_and(|open| open.depth == span.depth);
        let byte = self.bytes.get(span.range.start).copied().unwrap_or_default();
        let head = matches!(span.role, Role::Head | Role::Key) && span.value.is_none();
        innermost
            && head
            && match self.format {
                Format::Json => matches!(byte, b']' | b'}'),
                Format::Cbor => byte == 0xff,
                Format::Bson => byte == 0 && span.range.len() == 1,
                _ => false,
            }
    }

    fn class(&self, span: &Span<'_>) -> Class {
        let byte = self.bytes.get(span.range.start).copied().unwrap_or_default();
        if span.role == Role::Separator || self.ends_container(span) {
            return Class::Nothing;
        }
        if self.format == Format::Bson && span.role == Role::Head && span.value.is_some() {
            return Class::Nothing;
        }
        if self.format == Format::Cbor && byte >> 5 == 6 {
            return Class::Tag(argument(&self.bytes[span.range.clone()]));
        }
        if span.value.is_some() { Class::Leaf } else { Class::Opens }
    }

    fn code(&self, start: usize) -> u8 {
        match self.format {
            Format::Bson => self.element,
            _ => self.bytes.get(start).copied().unwrap_or_default(),
        }
    }

    /// Returns the value that `span` begins, with the tags in front of it.
    fn walked(&mut self, span: &Span<'_>, content: Content<'a>) -> WalkedValue<'a> {
        let Range { start, end } = span.range;
        WalkedValue {
            start: self.tags.first().map_or(start, |tag| tag.0),
            end,
            code: self.code(start),
            head_start: start,
            head: span.head,
            tags: self.arena.alloc_slice_fill_iter(self.tags.drain(..).map(|tag| tag.1)),
            is_key: span.role == Role::Key,
            content,
        }
    }

    fn put(&mut self, raw: WalkedValue<'a>) {
        match self.open.last_mut() {
            Some(open) => {
                open.raw.end = open.raw.end.max(raw.end);
                open.items.push(raw);
            }
            None => self.whole = Some(raw),
        }
    }

    fn close(&mut self) {
        let Some(open) = self.open.pop() else { return };
        let items = self.arena.alloc_slice_copy(&open.items);
        self.put(WalkedValue { content: Content::Items(items), ..open.raw });
    }

    fn finish(mut self) -> Option<WalkedValue<'a>> {
        while !self.open.is_empty() {
            self.close();
        }
        self.whole
    }
}

/// Returns the argument of a CBOR head.
fn argument(head: &[u8]) -> u64 {
    match head {
        [first] => u64::from(first & 0x1f),
        [_, rest @ ..] => rest.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)),
        [] => 0,
    }
}
