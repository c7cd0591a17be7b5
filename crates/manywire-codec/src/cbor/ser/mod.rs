//! Values to bytes.

mod compound;
mod extension;
mod head;
mod text;
mod typed;

use manywire_format::Format;
use serde::ser::Serialize;

use super::Options;
use super::float;
use super::head::{DIRECT, F16, F32, F64, TEXT};
use crate::Result;
use crate::core::copy;

/// Appends values to a vector, one behind another: a CBOR sequence (RFC 8742) if there are many.
///
/// `&mut Serializer` is the serde serializer; [`write`](Serializer::write) is the way in that names
/// the format in every error and leaves nothing half written behind.
pub struct Serializer<'o> {
    out: &'o mut Vec<u8>,
    options: Options,
}

impl<'o> Serializer<'o> {
    /// A serializer that appends to `out`.
    #[inline]
    pub fn new(out: &'o mut Vec<u8>) -> Self {
        Serializer { out, options: Options::default() }
    }

    /// The same with other options.
    #[must_use]
    pub fn with_options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Appends a value; on an error nothing is appended.
    ///
    /// # Errors
    /// [`Category::Unsupported`](crate::Category) with its path for extensions of other formats and
    /// for what the value's own `Serialize` refuses; [`Category::Limit`](crate::Category) for a
    /// number of thousands of digits.
    #[inline]
    pub fn write<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let start = self.out.len();
        value.serialize(&mut *self).map_err(|error| {
            self.out.truncate(start);
            error.with_format(Format::Cbor)
        })
    }

    #[inline]
    fn head(&mut self, major: u8, argument: u64) {
        head::write(self.out, major, argument);
    }

    /// A text or byte string whole.
    #[inline]
    fn string(&mut self, major: u8, bytes: &[u8]) {
        if bytes.len() < usize::from(DIRECT) {
            return copy::append_short(self.out, major << 5 | bytes.len() as u8, bytes);
        }
        self.long_string(major, bytes);
    }

    #[inline(never)]
    fn long_string(&mut self, major: u8, bytes: &[u8]) {
        self.head(major, bytes.len() as u64);
        self.out.extend_from_slice(bytes);
    }

    /// The name of a field.
    #[inline(always)]
    fn name(&mut self, name: &'static str) {
        if name.len() < usize::from(DIRECT) {
            return copy::append_name(self.out, TEXT << 5 | name.len() as u8, name);
        }
        self.long_string(TEXT, name.as_bytes());
    }

    #[inline]
    fn single(&mut self, value: f32) {
        if self.options.shortest_floats {
            return self.shortest(value);
        }
        let [a, b, c, d] = value.to_be_bytes();
        self.out.extend_from_slice(&[F32, a, b, c, d]);
    }

    #[inline]
    fn double(&mut self, value: f64) {
        if self.options.shortest_floats
            && let Some(single) = float::f32_of_f64(value)
        {
            return self.shortest(single);
        }
        let [a, b, c, d, e, f, g, h] = value.to_be_bytes();
        self.out.extend_from_slice(&[F64, a, b, c, d, e, f, g, h]);
    }

    /// Half precision where that keeps the value, else single.
    #[inline(never)]
    fn shortest(&mut self, value: f32) {
        if let Some(half) = float::f16_of_f32(value) {
            let [a, b] = half.to_be_bytes();
            self.out.extend_from_slice(&[F16, a, b]);
        } else {
            let [a, b, c, d] = value.to_be_bytes();
            self.out.extend_from_slice(&[F32, a, b, c, d]);
        }
    }
}
