//! Values to messages.

mod compound;
mod conversion;
mod mismatch;
mod name;
mod place;
mod scalar;
mod writer;

use manywire_format::Format;
use serde::Serialize;

use self::place::FieldSerializer;
use self::writer::Writer;
use super::plan::{Form, Plan};
use crate::{Limits, Result};

impl Plan {
    /// The message of a value, in a vector with room for what this plan has written lately.
    ///
    /// # Errors
    ///
    /// As [`encode`](Plan::encode).
    pub fn to_vec<T: Serialize + ?Sized>(&self, value: &T) -> Result<Vec<u8>> {
        let mut out = self.room.vec();
        self.encode(value, &mut out)?;
        self.room.note(out.len());
        Ok(out)
    }

    /// Appends the message of a value.
    ///
    /// Fails, and leaves `out` as it was, where the value is not of the schema: another kind of
    /// value, a number out of range, a field that is unknown, missing or there twice.
    pub fn encode<T: Serialize + ?Sized>(&self, value: &T, out: &mut Vec<u8>) -> Result<()> {
        let start = out.len();
        let mut writer = Writer::new(self, std::mem::take(out), Limits::DEFAULT.depth);
        let result = writer.root(value);
        *out = writer.out;
        result.map_err(|error| {
            out.truncate(start);
            error.with_format(Format::Protobuf)
        })
    }
}

impl<'p> Writer<'p> {
    /// The message of the whole value has neither tag nor length.
    fn root<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let plan = self.plan;
        let root = &plan.messages[plan.root];
        match root.form {
            Form::Wrapper => {
                value.serialize(FieldSerializer { writer: self, field: &root.fields[0] })
            }
            _ => value.serialize(FieldSerializer { writer: self, field: &plan.whole }),
        }
    }
}
