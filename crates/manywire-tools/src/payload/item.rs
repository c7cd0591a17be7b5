use manywire_shape::{Arena, Value};

use crate::payload::window::{Counted, Window};
use crate::payload::{Place, Schema};

/// A value of a stream.
#[derive(Clone, Copy)]
pub struct Item<'i> {
    /// Which one, counted from 1.
    pub number: u64,
    /// The value, which lives until the next is asked for.
    pub value: Value<'i>,
    /// Memory that lives as long.
    pub arena: &'i Arena,
    /// The bytes that the value was read from, without what frames it; unpacked, where a container
    /// file has them packed.
    pub bytes: &'i [u8],
    /// The schema that it was read by.
    pub schema: Option<&'i Schema>,
    pub(crate) at: usize,
    pub(crate) packed: bool,
    pub(crate) text: bool,
    pub(crate) window: &'i Window,
}

impl Item<'_> {
    /// The place in the input of one of its bytes, counted from the first; of packed ones, the
    /// place of what they are packed in.
    #[cold]
    pub fn place(&self, offset: usize) -> Place {
        let at = if self.packed { self.at } else { self.at + offset.min(self.bytes.len()) };
        self.window.place(at, self.text)
    }

    /// The line that it begins in, counted from 1, by what was counted for the item before.
    pub(crate) fn line(&self, counted: &mut Counted) -> usize {
        self.window.lines_before(self.at, counted) + 1
    }

    /// Whether so many bytes of payloads may be held of what was read so far, which has them as they
    /// are, or is what they were made of.
    pub(crate) fn check_held(&self, held: usize, as_they_are: bool) -> Result<(), String> {
        match as_they_are {
            true => self.window.check_held("a stream", held),
            false => self.window.check_made(held),
        }
    }
}
