use super::super::plan::{Field, Plan};
use super::super::wire::{VARINT_BYTES_MAX, put_varint};
use crate::{Category, Error, Result};

/// Where a length starts that is not there: an unpacked field has none.
pub(super) const NO_LENGTH: usize = usize::MAX;

/// The output, and the lengths still open in it.
///
/// A length is written as one byte and widened once the size of its content is known: most
/// messages are shorter than 128 bytes, and moving the others costs less than measuring every
/// value beforehand.
pub(super) struct Writer<'p> {
    pub(super) out: Vec<u8>,
    pub(super) plan: &'p Plan,
    /// The starts of messages around the innermost, where one value opened several.
    outer: Vec<usize>,
    depth: usize,
    depth_max: usize,
}

/// The lengths that one value has opened.
#[derive(Clone, Copy)]
pub(super) struct Open {
    /// Where the content of the innermost starts, or [`NO_LENGTH`].
    start: usize,
    /// How many there are around it.
    outer: usize,
}

impl Open {
    pub(super) const NONE: Open = Open { start: NO_LENGTH, outer: 0 };
}

impl<'p> Writer<'p> {
    pub(super) fn new(plan: &'p Plan, out: Vec<u8>, depth_max: usize) -> Self {
        Writer { out, plan, outer: Vec::new(), depth: 0, depth_max }
    }

    /// Goes one container deeper.
    #[inline]
    pub(super) fn deeper(&mut self) -> Result<()> {
        if self.depth == self.depth_max {
            return Err(too_deep(self.depth_max));
        }
        self.depth += 1;
        Ok(())
    }

    /// Comes back out of a container.
    #[inline]
    pub(super) fn back(&mut self) {
        self.depth -= 1;
    }

    /// Starts a message or packed field. The root has no tag, and no length either.
    #[inline]
    pub(super) fn open(&mut self, field: &Field, open: &mut Open) {
        if open.start != NO_LENGTH {
            self.outer.push(open.start);
            open.outer += 1;
        }
        match field.tag_len {
            0 => return,
            1 => self.out.extend_from_slice(&[field.tag[0], 0]),
            _ => {
                self.tag(field);
                self.out.push(0);
            }
        }
        open.start = self.out.len();
    }

    /// Takes back the innermost that was opened, which nothing was written into.
    pub(super) fn cancel(&mut self, field: &Field, open: &mut Open) {
        if open.start != NO_LENGTH {
            self.out.truncate(open.start - 1 - usize::from(field.tag_len));
            open.start = NO_LENGTH;
            if open.outer > 0 {
                open.outer -= 1;
                open.start = self.outer.pop().unwrap_or(NO_LENGTH);
            }
        }
    }

    /// Writes the lengths of everything that a value has opened.
    #[inline]
    pub(super) fn close(&mut self, open: Open) {
        if open.start != NO_LENGTH {
            self.set_length(open.start);
            if open.outer > 0 {
                self.close_outer(open.outer);
            }
        }
    }

    fn close_outer(&mut self, count: usize) {
        for _ in 0..count {
            if let Some(start) = self.outer.pop() {
                self.set_length(start);
            }
        }
    }

    #[inline]
    fn set_length(&mut self, start: usize) {
        let len = self.out.len() - start;
        if len < 0x80 {
            self.out[start - 1] = len as u8;
        } else {
            self.widen_length(start, len);
        }
    }

    #[inline(never)]
    fn widen_length(&mut self, start: usize, len: usize) {
        let mut bytes = [0; VARINT_BYTES_MAX];
        let width = put_varint(&mut bytes, len as u64);
        self.out.extend_from_slice(&[0; VARINT_BYTES_MAX][1..width]);
        self.out.copy_within(start..start + len, start + width - 1);
        self.out[start - 1..start - 1 + width].copy_from_slice(&bytes[..width]);
    }

    #[inline]
    pub(super) fn tag(&mut self, field: &Field) {
        self.out.extend_from_slice(&field.tag[..usize::from(field.tag_len)]);
    }

    /// A tag and a varint. Both go out as one block of a fixed size that is then cut: a copy
    /// whose size the compiler knows is two instructions.
    #[inline]
    pub(super) fn varint(&mut self, field: &Field, value: u64) {
        if field.tag_len == 1 && value < 0x80 {
            self.out.extend_from_slice(&[field.tag[0], value as u8]);
            return;
        }
        let mut block = [0; 16];
        block[..5].copy_from_slice(&field.tag);
        let tag_len = usize::from(field.tag_len & 7);
        let len = tag_len + put_varint(&mut block[tag_len..], value);
        let start = self.out.len();
        self.out.extend_from_slice(&block);
        self.out.truncate(start + len);
    }

    /// A tag and bytes of a fixed width.
    #[inline]
    pub(super) fn fixed<const N: usize>(&mut self, field: &Field, bytes: [u8; N]) {
        self.tag(field);
        self.out.extend_from_slice(&bytes);
    }

    /// A tag, a length and the bytes.
    #[inline]
    pub(super) fn bytes(&mut self, field: &Field, bytes: &[u8]) {
        self.out.reserve(16 + bytes.len());
        self.varint(field, bytes.len() as u64);
        self.out.extend_from_slice(bytes);
    }
}

#[cold]
#[inline(never)]
fn too_deep(limit: usize) -> Error {
    Error::new(Category::Limit, format_args!("nested deeper than the limit of {limit}"))
}
