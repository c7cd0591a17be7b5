//! The codecs that a shape drives: Protocol Buffers, Avro, and records as arrays.

use manywire_codec::{Limits, Result, avro, msgpack, protobuf};
use manywire_shape::{Arena, Shape, Value, ValueSeed};

use super::everything::{Everything, everything_avro_plan, everything_plan};
use crate::choices::Choices;
use crate::difference::difference;
use crate::generate;
use crate::target::{Broken, Holds, hold};

/// How many bytes at the front of an input choose its shape.
const SHAPE_BYTES: usize = 48;

/// The shape that the front of the bytes chooses, and the rest.
fn split_shape(bytes: &[u8]) -> (Shape, &[u8]) {
    let (front, rest) = bytes.split_at(bytes.len().min(SHAPE_BYTES));
    (generate::shape(&mut Choices::from_bytes(front)), rest)
}

/// A codec that is driven by a shape.
trait ByShape {
    /// Whether a value comes back as it was. If not, it does the second time: a field that is
    /// always written, but was not there, is filled in the first time.
    const EXACT: bool = true;

    fn read<'a>(&'a self, bytes: &'a [u8], arena: &'a Arena) -> Result<Value<'a>>;
    fn write(&self, value: &Value<'_>, out: &mut Vec<u8>) -> Result<()>;
}

/// What the inputs are read within.
const LIMITS: Limits = Limits::DEFAULT.with_depth(32);

impl ByShape for protobuf::Plan {
    fn read<'a>(&'a self, bytes: &'a [u8], arena: &'a Arena) -> Result<Value<'a>> {
        self.decode_seed(&mut ValueSeed::new(arena), bytes, LIMITS)
    }

    fn write(&self, value: &Value<'_>, out: &mut Vec<u8>) -> Result<()> {
        self.encode(value, out)
    }
}

impl ByShape for avro::Plan {
    fn read<'a>(&'a self, bytes: &'a [u8], arena: &'a Arena) -> Result<Value<'a>> {
        self.decode_seed(&mut ValueSeed::new(arena), bytes, LIMITS)
    }

    fn write(&self, value: &Value<'_>, out: &mut Vec<u8>) -> Result<()> {
        self.encode(value, out)
    }
}

/// Records as arrays.
impl ByShape for Shape {
    const EXACT: bool = false;

    fn read<'a>(&'a self, bytes: &'a [u8], arena: &'a Arena) -> Result<Value<'a>> {
        msgpack::read_arranged(self, bytes, arena, LIMITS)
    }

    fn write(&self, value: &Value<'_>, out: &mut Vec<u8>) -> Result<()> {
        msgpack::encode_arranged(value, self, out)
    }
}

pub(crate) fn protobuf(bytes: &[u8]) -> Holds {
    let plan = everything_plan();
    by_value(bytes, plan)?;
    typed(bytes, |bytes| plan.decode(bytes), |document, out| plan.encode(document, out))
}

pub(crate) fn avro(bytes: &[u8]) -> Holds {
    let plan = everything_avro_plan();
    by_value(bytes, plan)?;
    typed(bytes, |bytes| plan.decode(bytes), |document, out| plan.encode(document, out))
}

pub(crate) fn protobuf_any_schema(bytes: &[u8]) -> Holds {
    let (shape, bytes) = split_shape(bytes);
    match protobuf::Plan::from_shape(&shape) {
        Ok(plan) => by_value(bytes, &plan),
        Err(_) => Ok(()),
    }
}

pub(crate) fn avro_any_schema(bytes: &[u8]) -> Holds {
    let (shape, bytes) = split_shape(bytes);
    match avro::Plan::from_shape(&shape) {
        Ok(plan) => by_value(bytes, &plan),
        Err(_) => Ok(()),
    }
}

pub(crate) fn arranged(bytes: &[u8]) -> Holds {
    let (shape, bytes) = split_shape(bytes);
    by_value(bytes, &shape)
}

/// What was read must be writable, and come back as the same.
fn by_value<C: ByShape>(bytes: &[u8], codec: &C) -> Holds {
    let arena = Arena::new();
    let value = match codec.read(bytes, &arena) {
        Ok(value) => value,
        Err(error) => {
            let offset = error.offset();
            hold!(offset.is_none_or(|at| at <= bytes.len()), "beyond the end: {error}");
            return Ok(());
        }
    };
    let before = if C::EXACT { value } else { again(&value, codec, &arena)? };
    let back = again(&before, codec, &arena)?;
    if let Some(found) = difference(&before, &back) {
        return Err(Broken(format!("came back as something else: ${found}")));
    }
    Ok(())
}

/// Writes a value and reads it again.
fn again<'a>(
    value: &Value<'_>,
    codec: &'a impl ByShape,
    arena: &'a Arena,
) -> std::result::Result<Value<'a>, Broken> {
    let mut written = Vec::new();
    if let Err(error) = codec.write(value, &mut written) {
        return Err(Broken(format!("{value:?} cannot be written again: {error}")));
    }
    let written = arena.alloc_slice_copy(&written);
    codec
        .read(written, arena)
        .map_err(|error| Broken(format!("{value:?} was written {written:02x?}: {error}")))
}

/// The same for the typed document, whose floats need not equal themselves: its bytes must.
fn typed(
    bytes: &[u8],
    read: impl Fn(&[u8]) -> Result<Everything>,
    write: impl Fn(&Everything, &mut Vec<u8>) -> Result<()>,
) -> Holds {
    let Ok(document) = read(bytes) else { return Ok(()) };
    let (mut written, mut again) = (Vec::new(), Vec::new());
    if let Err(error) = write(&document, &mut written) {
        return Err(Broken(format!("{document:?} cannot be written again: {error}")));
    }
    let back = match read(&written) {
        Ok(back) => back,
        Err(error) => {
            return Err(Broken(format!("{document:?} was written {written:02x?}: {error}")));
        }
    };
    if let Err(error) = write(&back, &mut again) {
        return Err(Broken(format!("{back:?} cannot be written: {error}")));
    }
    hold!(again == written, "{document:?} came back as {back:?}");
    Ok(())
}
