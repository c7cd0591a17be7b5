//! Values to documents.

mod container;
mod extension;
mod key;
mod typed;

use self::container::{Array, Document};
use self::key::push_key;
use super::element;
use crate::{Category, Error, Result};

/// Writes one value into a `Vec`.
///
/// The type of an element stands before its key, but is known only with its value: the byte is
/// left blank with the key, and filled in by whatever the value turns out to be. Lengths, which
/// stand before what they measure, are filled in the same way.
///
/// On an error the `Vec` is left with what was written so far; [`encode`](super::encode) takes
/// that back.
pub struct Serializer<'o> {
    out: &'o mut Vec<u8>,
    /// Where the blank for the type is, or [`TOP`].
    blank: usize,
}

/// In place of a blank: the document at the top has no type.
const TOP: usize = usize::MAX;

impl<'o> Serializer<'o> {
    /// A serializer that appends a document to `out`.
    pub fn new(out: &'o mut Vec<u8>) -> Self {
        Serializer { out, blank: TOP }
    }

    /// Fills in the type of an element, for a value that cannot stand at the top.
    #[inline]
    fn scalar(&mut self, kind: u8) -> Result<()> {
        match self.out.get_mut(self.blank) {
            Some(blank) => {
                *blank = kind;
                Ok(())
            }
            None => Err(scalar_at_top(kind)),
        }
    }

    #[inline]
    fn fixed<const N: usize>(mut self, kind: u8, bytes: [u8; N]) -> Result<()> {
        self.scalar(kind)?;
        self.out.extend_from_slice(&bytes);
        Ok(())
    }

    #[inline]
    fn text(&mut self, kind: u8, text: &str) -> Result<()> {
        self.scalar(kind)?;
        self.push_text(text);
        Ok(())
    }

    /// Length, text, NUL. A length beyond `i32` makes its document too long, which is found out
    /// where that ends.
    #[inline]
    fn push_text(&mut self, text: &str) {
        self.out.reserve(text.len() + 5);
        self.out.extend_from_slice(&(text.len() as u32).wrapping_add(1).to_le_bytes());
        self.out.extend_from_slice(text.as_bytes());
        self.out.push(0);
    }

    fn binary(&mut self, subtype: u8, bytes: &[u8]) -> Result<()> {
        self.scalar(element::BINARY)?;
        self.out.reserve(bytes.len() + 5);
        self.out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        self.out.push(subtype);
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    /// Leaves the blanks of a container's type and length; the length is at the returned place.
    #[inline]
    fn open(&mut self, kind: u8) -> usize {
        if let Some(blank) = self.out.get_mut(self.blank) {
            *blank = kind;
        }
        let start = self.out.len();
        self.out.extend_from_slice(&[0; 4]);
        start
    }

    #[inline]
    fn document(mut self) -> Document<'o> {
        let start = self.open(element::DOCUMENT);
        Document::new(self.out, start)
    }

    #[inline]
    fn array(mut self) -> Array<'o> {
        let start = self.open(element::ARRAY);
        Array::new(self.out, start)
    }

    /// Begins the document of one entry that holds a variant; gives the place of its length, and
    /// the serializer of its content.
    fn variant(mut self, name: &'static str) -> Result<(usize, Self)> {
        let start = self.open(element::DOCUMENT);
        let blank = push_key(self.out, name)?;
        Ok((start, Serializer { out: self.out, blank }))
    }
}

#[cold]
#[inline(never)]
fn scalar_at_top(kind: u8) -> Error {
    let name = element::name(kind);
    Error::new(
        Category::Unsupported,
        format_args!("BSON holds a document at the top, and cannot hold a scalar there: {name}"),
    )
}

#[cold]
#[inline(never)]
fn beyond_int64(value: impl std::fmt::Display) -> Error {
    Error::new(Category::Unsupported, format_args!("BSON has no integer as large as {value}"))
}
