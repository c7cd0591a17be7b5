//! What a walker saw, put together into values.
//!
//! The spans of a walk are flat. Here they become a tree again, by depth alone, so that it can be
//! held against the value that a codec read from the same bytes.

use std::ops::Range;

use manywire_format::Format;
use manywire_inspect::{Event, Options, Role, Span, walk};
use manywire_shape::{Arena, Value};

/// One value as the walker reported it. In the arena, so that nothing recurses when it is dropped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Raw<'a> {
    /// Where it begins, tags in front of it included.
    pub(crate) start: usize,
    /// Where it ends.
    pub(crate) end: usize,
    /// For BSON the type of the element; for others the first byte.
    pub(crate) code: u8,
    /// Where the head of the value itself begins, behind the tags.
    pub(crate) head_start: usize,
    /// How long its head is.
    pub(crate) head: usize,
    /// The tags in front of it, the outermost first.
    pub(crate) tags: &'a [u64],
    /// Whether the walker took it for a key.
    pub(crate) is_key: bool,
    /// What it is.
    pub(crate) content: Content<'a>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Content<'a> {
    /// A scalar.
    Leaf(Value<'a>),
    /// A container: its items, or keys and values in turn, or chunks.
    Items(&'a [Raw<'a>]),
}

/// What a walk came to.
#[derive(Debug)]
pub(crate) struct Reading<'a> {
    /// The value; none where the walk met a fault.
    pub(crate) value: Option<Raw<'a>>,
    /// The offset of the first fault, and what was expected there.
    pub(crate) fault: Option<(usize, String)>,
    /// How many containers and tags stand in each other at most.
    pub(crate) nesting: usize,
    /// The first place where more than the limit asked about stand in each other.
    pub(crate) too_deep: Option<usize>,
}

/// Walks the bytes and puts the spans together. `limit` is the nesting to look out for.
pub(crate) fn read<'a>(
    format: Format,
    bytes: &'a [u8],
    limit: usize,
    arena: &'a Arena,
) -> Reading<'a> {
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
    // The root of a BSON document and of a JSON text alike stands in nothing.
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
    Reading { value, fault, nesting, too_deep }
}

struct Assembly<'a> {
    format: Format,
    bytes: &'a [u8],
    arena: &'a Arena,
    open: Vec<Open<'a>>,
    /// Tags whose value is still to come.
    tags: Vec<(usize, u64)>,
    /// The type of the BSON element whose value comes next.
    element: u8,
    whole: Option<Raw<'a>>,
}

struct Open<'a> {
    raw: Raw<'a>,
    depth: usize,
    items: Vec<Raw<'a>>,
}

/// What a span is, as far as values are concerned.
enum Class {
    Opens,
    Leaf,
    Tag(u64),
    /// A separator, an end, the index of a BSON array.
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
                let (outer, tags) = self.take_tags(start);
                let raw = Raw {
                    start: outer,
                    end,
                    code: self.code(start),
                    head_start: start,
                    head: span.head,
                    tags,
                    is_key: span.role == Role::Key,
                    content: Content::Items(&[]),
                };
                self.open.push(Open { raw, depth: span.depth, items: Vec::new() });
            }
            Class::Leaf => {
                let (outer, tags) = self.take_tags(start);
                let code = self.code(start);
                let value = span.value.unwrap_or(Value::Null).copied(self.arena);
                let content = Content::Leaf(value);
                self.put(Raw {
                    start: outer,
                    end,
                    code,
                    head_start: start,
                    head: span.head,
                    tags,
                    is_key: span.role == Role::Key,
                    content,
                });
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

    /// Whether a span that stands as deep as the innermost container is the end of it.
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

    fn take_tags(&mut self, start: usize) -> (usize, &'a [u64]) {
        let outer = self.tags.first().map_or(start, |tag| tag.0);
        let tags = self.arena.alloc_slice_fill_iter(self.tags.drain(..).map(|tag| tag.1));
        (outer, tags)
    }

    fn put(&mut self, raw: Raw<'a>) {
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
        self.put(Raw { content: Content::Items(items), ..open.raw });
    }

    fn finish(mut self) -> Option<Raw<'a>> {
        while !self.open.is_empty() {
            self.close();
        }
        self.whole
    }
}

/// The argument of a CBOR head, from the bytes of the head.
fn argument(head: &[u8]) -> u64 {
    match head {
        [first] => u64::from(first & 0x1f),
        [_, rest @ ..] => rest.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)),
        [] => 0,
    }
}
