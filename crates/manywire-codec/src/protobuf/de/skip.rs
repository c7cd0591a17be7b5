//! Values that nobody asked for.

use super::super::wire;
use super::decoder::Decoder;
use crate::{Category, Error, Result};

impl Decoder<'_> {
    /// Leaves a value behind that nobody asked for. Groups within groups cost a number each, and
    /// no recursion.
    #[inline]
    pub(super) fn skip(&mut self, number: u32, wire: u8) -> Result<()> {
        match wire {
            wire::VARINT => self.varint().map(drop),
            wire::I64 => self.fixed::<8>("eight bytes").map(drop),
            wire::LEN => self.bytes().map(drop),
            wire::I32 => self.fixed::<4>("four bytes").map(drop),
            wire::START_GROUP => self.skip_group(number),
            _ => Err(self.no_wire_type(number, wire)),
        }
    }

    #[inline(never)]
    fn skip_group(&mut self, number: u32) -> Result<()> {
        let mut open = vec![number];
        while let Some(&group) = open.last() {
            if self.rest.is_empty() {
                return Err(Error::eof(self.offset(), "the end of a group"));
            }
            match self.tag()? {
                (number, wire::START_GROUP) => open.push(number),
                (number, wire::END_GROUP) if number == group => drop(open.pop()),
                (number, wire::END_GROUP) => {
                    return Err(self.error(
                        Category::Syntax,
                        format_args!("group {group} is closed as group {number}"),
                    ));
                }
                (number, wire) => self.skip(number, wire)?,
            }
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    pub(super) fn no_wire_type(&self, number: u32, wire: u8) -> Error {
        let message = match wire {
            wire::END_GROUP => format!("the end of group {number}, which was not open"),
            _ => format!("field {number} has wire type {wire}, which there is not"),
        };
        self.error(Category::Syntax, message)
    }
}
