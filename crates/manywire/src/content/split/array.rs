use manywire_codec::Result;

use super::{Found, cut_off, wrong};

/// The items of one JSON array. What they are is for whoever reads them: this looks no further
/// than brackets, quotes and commas.
#[derive(Debug, Default)]
pub(in crate::content) struct Array {
    place: Place,
    at: usize,
    depth: usize,
    is_string: bool,
    is_escaped: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Place {
    /// Before the array.
    #[default]
    Before,
    /// Behind the opening bracket: an item or the end.
    First,
    /// At or in an item.
    Item,
    /// Behind an item: a comma or the end.
    Behind,
    /// After the array.
    After,
}

impl Array {
    pub(super) fn next(&mut self, bytes: &[u8], has_ended: bool) -> Result<Found> {
        if self.at > 0 {
            return self.item(bytes, has_ended);
        }
        let space = bytes.iter().take_while(|byte| b" \t\r\n".contains(byte)).count();
        let Some(byte) = bytes.get(space) else {
            return match (has_ended, self.place) {
                (true, Place::After) => Ok(Found::End),
                (true, _) => Err(cut_off(space)),
                (false, _) if space > 0 => Ok(Found::Filler { taken: space }),
                (false, _) => Ok(Found::More),
            };
        };
        self.place = match (self.place, byte) {
            (Place::Before, b'[') => Place::First,
            (Place::First | Place::Behind, b']') => Place::After,
            (Place::Behind, b',') => Place::Item,
            (Place::First | Place::Item, _) if space > 0 => {
                return Ok(Found::Filler { taken: space });
            }
            (Place::First | Place::Item, _) => {
                self.place = Place::Item;
                return self.item(bytes, has_ended);
            }
            (Place::Before, _) => return Err(wrong(space, "expected `[`, which begins the array")),
            (Place::Behind, _) => return Err(wrong(space, "expected `,` or `]` after an item")),
            (Place::After, _) => return Err(wrong(space, "expected nothing after the array")),
        };
        Ok(Found::Filler { taken: space + 1 })
    }

    /// Goes on in the item that begins with the first byte.
    fn item(&mut self, bytes: &[u8], has_ended: bool) -> Result<Found> {
        while let Some(byte) = bytes.get(self.at) {
            if let Some(end) = self.step(*byte) {
                if end == 0 {
                    return Err(wrong(0, "expected an item"));
                }
                *self = Array { place: Place::Behind, ..Array::default() };
                return Ok(Found::Value { range: 0..end, taken: end });
            }
            self.at += 1;
        }
        if has_ended { Err(cut_off(bytes.len())) } else { Ok(Found::More) }
    }

    /// Takes a byte; the end of the item, where that is known by it.
    #[inline]
    fn step(&mut self, byte: u8) -> Option<usize> {
        if self.is_string {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => {
                    self.is_string = false;
                    return (self.depth == 0).then_some(self.at + 1);
                }
                _ => {}
            }
            return None;
        }
        match byte {
            b'"' => self.is_string = true,
            b'[' | b'{' => self.depth += 1,
            b']' | b'}' | b',' | b' ' | b'\t' | b'\r' | b'\n' if self.depth == 0 => {
                return Some(self.at);
            }
            b']' | b'}' => {
                self.depth -= 1;
                return (self.depth == 0).then_some(self.at + 1);
            }
            _ => {}
        }
        None
    }
}
