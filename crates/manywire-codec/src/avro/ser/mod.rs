//! Writes values by a schema.
//!
//! `DatumSerializer` is the serde serializer for one position of the schema. `branch` chooses the
//! branches of unions; `members`, `record` and `items` write compound values, and pass each part to
//! another `DatumSerializer`; `block` writes the blocks of arrays and maps. Integers and extensions,
//! which may be written to several types, are at the end of this file.

mod block;
mod branch;
mod items;
mod members;
mod record;

use manywire_format::Format;
use manywire_shape::extension::Kind;
use serde::ser::{Serialize, Serializer};

use self::items::{Items, VariantItems};
use self::members::{MapMembers, Members, VariantMembers};
use super::plan::{BranchKind, Op, Plan};
use super::wire::{EMPTY_ITEMS_MAX, write_len, write_long};
use crate::core::error::{Error, Result};
use crate::core::extension as triple;
use crate::core::extension::WriteExtension;
use crate::core::forward::{binary_serializer, forward_serialize};
use crate::core::variant::VariantName;

impl Plan {
    /// Encodes a value to a new vector, with the capacity that this plan's recent encodings needed.
    ///
    /// # Errors
    ///
    /// Same as [`encode`](Plan::encode).
    pub fn to_vec<T: Serialize + ?Sized>(&self, value: &T) -> Result<Vec<u8>> {
        self.capacity.fill(|out| self.encode(value, out))
    }

    /// Appends the encoding of a value.
    ///
    /// # Errors
    ///
    /// Fails for a value that does not fit the schema, with the path to the value. `out` is then
    /// unchanged.
    pub fn encode<T: Serialize + ?Sized>(&self, value: &T, out: &mut Vec<u8>) -> Result<()> {
        let start = out.len();
        let mut writer = Writer { bytes: std::mem::take(out), empty_items_left: EMPTY_ITEMS_MAX };
        let result =
            value.serialize(DatumSerializer { writer: &mut writer, plan: self, op: self.root });
        *out = writer.bytes;
        result.map_err(|error| {
            out.truncate(start);
            error.with_format(Format::Avro)
        })
    }
}

/// The output, and the remaining budget of items without bytes.
struct Writer {
    bytes: Vec<u8>,
    empty_items_left: u64,
}

impl Writer {
    #[inline]
    fn long(&mut self, value: i64) {
        write_long(&mut self.bytes, value);
    }

    #[inline]
    fn len(&mut self, len: usize) {
        write_len(&mut self.bytes, len);
    }

    #[inline]
    fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    /// Writes a length and as many bytes, with one check of the capacity.
    #[inline]
    fn sized(&mut self, bytes: &[u8]) {
        self.bytes.reserve(bytes.len() + 10);
        self.len(bytes.len());
        self.bytes.extend_from_slice(bytes);
    }

    /// Writes the index of a branch, a symbol or a variant.
    #[inline]
    fn index(&mut self, index: u32) {
        self.long(index.into());
    }
}

/// A position in the schema to which one value is to be written.
struct DatumSerializer<'w, 'p> {
    writer: &'w mut Writer,
    plan: &'p Plan,
    op: Op,
}

#[cold]
#[inline(never)]
fn mismatch(op: Op, found: &str) -> Error {
    Error::unsupported(format_args!("the schema has {} here, found {found}", op.expected()))
}

// The serializer methods that serde calls for each type.

impl DatumSerializer<'_, '_> {
    #[inline]
    fn integer(self, value: Integer) -> Result<()> {
        self.writer.integer(self.plan, self.op, value)
    }
}

macro_rules! serialize_small {
    ($($method:ident $type:ty)*) => {$(
        #[inline]
        fn $method(self, value: $type) -> Result<()> {
            match self.op {
                Op::Int | Op::Long => {
                    self.writer.long(value.into());
                    Ok(())
                }
                _ => self.integer(Integer::Signed(value.into())),
            }
        }
    )*};
}

impl<'w, 'p> Serializer for DatumSerializer<'w, 'p> {
    // An option within an option is the same union, so the value of `Some` chooses the branch.
    binary_serializer! {
        SerializeSeq SerializeTuple SerializeTupleStruct => Items<'w, 'p>;
        SerializeTupleVariant => VariantItems<'w, 'p>;
        SerializeMap => MapMembers<'w, 'p>;
        SerializeStruct => Members<'w, 'p>;
        SerializeStructVariant => VariantMembers<'w, 'p>;
    }
    serialize_small! {
        serialize_i8 i8 serialize_i16 i16 serialize_i32 i32 serialize_u8 u8 serialize_u16 u16
    }
    forward_serialize! {
        serialize_u32 => serialize_i64;
        serialize_char => serialize_str;
        serialize_unit_struct => serialize_unit;
    }

    #[inline]
    fn serialize_i64(self, value: i64) -> Result<()> {
        match self.op {
            Op::Long => {
                self.writer.long(value);
                Ok(())
            }
            _ => self.integer(Integer::Signed(value.into())),
        }
    }

    #[inline]
    fn serialize_u64(self, value: u64) -> Result<()> {
        match i64::try_from(value) {
            Ok(value) => self.serialize_i64(value),
            Err(_) => self.integer(Integer::Signed(value.into())),
        }
    }

    fn serialize_i128(self, value: i128) -> Result<()> {
        self.integer(Integer::Signed(value))
    }

    fn serialize_u128(self, value: u128) -> Result<()> {
        self.integer(Integer::from(value))
    }

    #[inline]
    fn serialize_bool(self, value: bool) -> Result<()> {
        match self.op {
            Op::Boolean => {
                self.writer.byte(value.into());
                Ok(())
            }
            op => self.writer.boolean(self.plan, op, value),
        }
    }

    #[inline]
    fn serialize_f32(self, value: f32) -> Result<()> {
        match self.op {
            Op::Float => {
                self.writer.bytes.extend_from_slice(&value.to_le_bytes());
                Ok(())
            }
            op => self.writer.single(self.plan, op, value),
        }
    }

    #[inline]
    fn serialize_f64(self, value: f64) -> Result<()> {
        match self.op {
            Op::Double => {
                self.writer.bytes.extend_from_slice(&value.to_le_bytes());
                Ok(())
            }
            op => self.writer.double(self.plan, op, value),
        }
    }

    #[inline]
    fn serialize_str(self, value: &str) -> Result<()> {
        match self.op {
            Op::String => {
                self.writer.sized(value.as_bytes());
                Ok(())
            }
            op => self.writer.text(self.plan, op, value),
        }
    }

    #[inline]
    fn serialize_bytes(self, value: &[u8]) -> Result<()> {
        match self.op {
            Op::Bytes => {
                self.writer.sized(value);
                Ok(())
            }
            op => self.writer.binary(self.plan, op, value),
        }
    }

    #[inline]
    fn serialize_none(self) -> Result<()> {
        match self.op {
            Op::Maybe(_) => {
                self.writer.byte(0);
                Ok(())
            }
            op => self.writer.none(self.plan, op),
        }
    }

    fn serialize_unit(self) -> Result<()> {
        self.writer.null(self.plan, self.op)
    }

    #[inline]
    fn serialize_unit_variant(
        self,
        _: &'static str,
        number: u32,
        name: &'static str,
    ) -> Result<()> {
        if let Op::Enum(index) = self.op
            && let Some(symbol) = self.plan.enums[index as usize].symbols.get(number as usize)
            && **symbol == *name
        {
            self.writer.index(number);
            return Ok(());
        }
        self.writer.text(self.plan, self.op, name)
    }

    #[inline]
    fn serialize_seq(self, len: Option<usize>) -> Result<Self::SerializeSeq> {
        Items::open(self, len)
    }

    #[inline]
    fn serialize_map(self, len: Option<usize>) -> Result<Self::SerializeMap> {
        Ok(MapMembers { members: Members::open(self, len)?, key: None })
    }

    #[inline]
    fn serialize_struct(self, _: &'static str, len: usize) -> Result<Self::SerializeStruct> {
        Members::open(self, Some(len))
    }
}

// Variants with content.

impl<'w, 'p> DatumSerializer<'w, 'p> {
    #[inline]
    fn newtype_variant<T: Serialize + ?Sized>(self, of: VariantName, value: &T) -> Result<()> {
        let (serializer, enclosing) = self.into_variant(of)?;
        let DatumSerializer { writer, plan, op } = serializer;
        value
            .serialize(DatumSerializer { writer, plan, op })
            .map_err(|error| error.under_key(of.name))?;
        enclosing.close(writer)
    }

    fn tuple_variant(self, of: VariantName, len: usize) -> Result<VariantItems<'w, 'p>> {
        let (serializer, enclosing) = self.into_variant(of)?;
        Ok(VariantItems { items: Items::open(serializer, Some(len))?, name: of.name, enclosing })
    }

    fn struct_variant(self, of: VariantName, len: usize) -> Result<VariantMembers<'w, 'p>> {
        let (serializer, enclosing) = self.into_variant(of)?;
        let members = Members::open(serializer, Some(len))?;
        Ok(VariantMembers { members, name: of.name, enclosing })
    }
}

// Integers at positions of another width.

/// An integer of any type that serde has.
#[derive(Clone, Copy)]
enum Integer {
    Signed(i128),
    /// An integer above `i128::MAX`.
    Unsigned(u128),
}

impl From<u128> for Integer {
    fn from(value: u128) -> Self {
        i128::try_from(value).map_or(Integer::Unsigned(value), Integer::Signed)
    }
}

impl std::fmt::Display for Integer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Integer::Signed(value) => value.fmt(f),
            Integer::Unsigned(value) => value.fmt(f),
        }
    }
}

impl Integer {
    /// Parses an integer of up to 128 bits.
    fn parse(text: &str) -> Option<Integer> {
        match text.parse() {
            Ok(value) => Some(Integer::Signed(value)),
            Err(_) => text.parse::<u128>().ok().map(Integer::from),
        }
    }

    fn signed(self) -> Option<i128> {
        match self {
            Integer::Signed(value) => Some(value),
            Integer::Unsigned(_) => None,
        }
    }

    /// Returns the integer as the `int` or `long` of a position, if it fits.
    fn as_long(self, op: Op) -> Option<i64> {
        let value = i64::try_from(self.signed()?).ok()?;
        (op != Op::Int || i32::try_from(value).is_ok()).then_some(value)
    }

    /// Returns the double that equals the integer, if there is one.
    fn double(self) -> Option<f64> {
        // The cast saturates, so the result for the largest integers must be rejected.
        match self {
            Integer::Signed(value) => {
                let double = value as f64;
                (double as i128 == value && double < i128::MAX as f64).then_some(double)
            }
            Integer::Unsigned(value) => {
                let double = value as f64;
                (double as u128 == value && double < u128::MAX as f64).then_some(double)
            }
        }
    }

    fn float(self) -> Option<f32> {
        self.double()
            .map(|double| double as f32)
            .filter(|&float| Some(f64::from(float)) == self.double())
    }

    /// Calls `take` with the integer in two's complement, big-endian, without redundant leading
    /// bytes.
    fn decimal(self, take: impl FnOnce(&[u8])) {
        match self {
            Integer::Signed(value) => {
                let spare = if value < 0 { value.leading_ones() } else { value.leading_zeros() };
                // One of the repeated bits is the sign and stays.
                let len = (136 - spare as usize) / 8;
                take(&value.to_be_bytes()[16 - len..]);
            }
            Integer::Unsigned(value) => {
                let mut bytes = [0; 17];
                bytes[1..].copy_from_slice(&value.to_be_bytes());
                take(&bytes);
            }
        }
    }

    /// Rates how well an operation suits this integer: lower is better, `None` if the operation
    /// cannot represent the integer.
    fn fit(self, plan: &Plan, op: Op) -> Option<u8> {
        match op {
            Op::Int => self.as_long(op).map(|_| 0),
            Op::Long => self.as_long(op).map(|_| 1),
            Op::Integer => Some(2),
            Op::Number => Some(3),
            Op::Double => self.double().map(|_| 4),
            Op::Float => self.float().map(|_| 5),
            // Only reached through a wrapping record, so one level suffices.
            Op::Maybe(slot) | Op::MaybeLast(slot) => match plan.op(slot) {
                op if op.is_union() => None,
                op => self.fit(plan, op),
            },
            Op::Union(index) => {
                let branches = plan.union(index).branches.iter();
                let leaves = branches.filter(|branch| !branch.is_union());
                leaves.filter_map(|&branch| self.fit(plan, branch)).min().map(|fit| fit + 6)
            }
            _ => None,
        }
    }
}

impl Writer {
    /// Writes an integer at any position that can represent it.
    #[inline(never)]
    fn integer(&mut self, plan: &Plan, mut op: Op, value: Integer) -> Result<()> {
        loop {
            match op {
                Op::Int | Op::Long => {
                    self.long(value.as_long(op).ok_or_else(|| does_not_fit(op, value))?);
                    return Ok(());
                }
                Op::Double => {
                    let double = value.double().ok_or_else(|| does_not_fit(op, value))?;
                    self.bytes.extend_from_slice(&double.to_le_bytes());
                    return Ok(());
                }
                Op::Float => {
                    let float = value.float().ok_or_else(|| does_not_fit(op, value))?;
                    self.bytes.extend_from_slice(&float.to_le_bytes());
                    return Ok(());
                }
                Op::Integer => {
                    value.decimal(|bytes| self.sized(bytes));
                    return Ok(());
                }
                Op::Number => {
                    self.sized(value.to_string().as_bytes());
                    return Ok(());
                }
                Op::Maybe(_) | Op::MaybeLast(_) => op = self.descend_one(plan, op),
                Op::Union(index) => {
                    let branches = plan.union(index).branches.iter().zip(0..);
                    let best = branches
                        .filter_map(|(&branch, index)| {
                            Some((value.fit(plan, branch)?, index, branch))
                        })
                        .min_by_key(|&(fit, index, _)| (fit, index));
                    let Some((_, index, branch)) = best else {
                        return Err(does_not_fit(op, value));
                    };
                    self.index(index);
                    op = branch;
                }
                _ => return Err(mismatch(op, "an integer")),
            }
        }
    }
}

#[cold]
#[inline(never)]
fn does_not_fit(op: Op, value: Integer) -> Error {
    Error::unsupported(format_args!("{value} does not fit {} of the schema", op.expected()))
}

// Timestamps, numbers of any size, and the types of other formats.

impl WriteExtension for DatumSerializer<'_, '_> {
    fn extension<T: Serialize + ?Sized>(self, kind: Kind, code: u64, content: &T) -> Result<()> {
        let DatumSerializer { writer, plan, op } = self;
        match kind {
            Kind::Timestamp => match writer.descend(plan, op, BranchKind::Timestamp)? {
                Op::Timestamp => {
                    let nanoseconds = i64::try_from(code).ok().filter(|&code| code < 1_000_000_000);
                    let nanoseconds = nanoseconds.ok_or_else(|| {
                        Error::unsupported(format_args!(
                            "{code} nanoseconds are more than a second"
                        ))
                    })?;
                    writer.long(triple::i64_of(content)?);
                    writer.long(nanoseconds);
                    Ok(())
                }
                op => Err(mismatch(op, "a timestamp")),
            },
            Kind::Number => triple::with_str(content, |text| writer.number(plan, op, text)),
            _ => match writer.descend(plan, op, BranchKind::Extension)? {
                Op::Extension(slot) => {
                    writer.index(kind as u32);
                    writer.long(code.cast_signed());
                    content.serialize(DatumSerializer { writer, plan, op: plan.op(slot) })
                }
                op => Err(mismatch(op, "an extension")),
            },
        }
    }
}
