//! A value where it stands: in a field, as an item of one, or missing from one.

mod compound;

mod scalar;
mod typed;

use manywire_shape::proto::Absent;

pub(super) use self::compound::nothing_set;
use super::super::plan::Field;
use super::super::wire::ABSENT;
use super::decoder::Decoder;
use super::index::Entry;
use crate::{Category, Result};

/// Reads the value of one field. The cursor is on it, unless it is [`ABSENT`].
pub(super) struct FieldDeserializer<'a, 'de> {
    pub(super) decoder: &'a mut Decoder<'de>,
    pub(super) field: &'de Field,
    pub(super) wire: u8,
    /// Further entries of the field, where the message is read through an index.
    pub(super) more: &'a [Entry<'de>],
}

impl FieldDeserializer<'_, '_> {
    /// Whether the value is a null that was not written.
    #[inline]
    fn is_null(&self) -> bool {
        self.wire == ABSENT && self.field.absent == Absent::Null
    }

    /// Whether a scalar is there to be read; its default is the answer where not.
    #[inline]
    fn is_there(&self) -> Result<bool> {
        if self.wire == self.field.wire {
            return Ok(true);
        }
        self.is_absent()
    }

    #[cold]
    #[inline(never)]
    fn is_absent(&self) -> Result<bool> {
        match self.wire {
            ABSENT if self.is_null() => {
                Err(self.decoder.error(Category::Data, "expected a value, found null"))
            }
            ABSENT => Ok(false),
            wire => Err(self.decoder.unexpected_wire(self.field, wire)),
        }
    }
}
