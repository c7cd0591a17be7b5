//! The methods that the deserializers of CBOR and MessagePack share: both read values that follow
//! each other without a separator and describe themselves.

/// Implements the methods of `Deserializer` that read one value after another, count the open
/// containers and place errors.
///
/// The type has the fields `input`, `reader`, `limits` and `depth`, the number of containers that
/// may still be entered, and the methods `new`, `format`, which errors name, and `skip`. A function
/// `key_text` returns the text of a key.
macro_rules! sequence_deserializer {
    () => {
        impl<'de> Deserializer<'de> {
            /// Sets the limits.
            #[must_use]
            pub fn with_limits(mut self, limits: $crate::Limits) -> Self {
                self.limits = limits;
                self.depth = limits.depth;
                self
            }

            /// Reads the next value.
            ///
            /// # Errors
            /// Fails for malformed bytes, values of another type, and values nested deeper than the
            /// limit. The error has the offset and the path. The result of reading on after an
            /// error is unspecified.
            #[inline]
            pub fn read<T: serde::Deserialize<'de>>(&mut self) -> $crate::Result<T> {
                self.read_seed(std::marker::PhantomData)
            }

            /// Reads the next value with a seed.
            ///
            /// # Errors
            /// Same as [`read`](Deserializer::read).
            #[inline]
            pub fn read_seed<S: serde::de::DeserializeSeed<'de>>(
                &mut self,
                seed: S,
            ) -> $crate::Result<S::Value> {
                self.depth = self.limits.depth;
                let start = self.reader.remaining();
                seed.deserialize(&mut *self).map_err(|error| self.with_start(error, start))
            }

            /// Reads the next value with a seed, and fails unless everything was read.
            #[inline]
            pub(crate) fn read_last<S: serde::de::DeserializeSeed<'de>>(
                mut self,
                seed: S,
            ) -> $crate::Result<S::Value> {
                let value = self.read_seed(seed)?;
                self.finish()?;
                Ok(value)
            }

            /// Returns the number of bytes read.
            pub fn offset(&self) -> usize {
                self.reader.offset()
            }

            /// Returns the number of bytes left.
            pub fn remaining(&self) -> usize {
                self.reader.remaining()
            }

            /// Fails unless everything was read.
            ///
            /// # Errors
            /// Fails with [`Category::Syntax`](crate::Category) and the number of bytes after the
            /// value.
            pub fn finish(&self) -> $crate::Result<()> {
                self.reader.finish().map_err(|error| error.with_format(self.format()))
            }

            /// Enters a container.
            #[inline]
            fn enter(&mut self) -> $crate::Result<()> {
                match self.depth.checked_sub(1) {
                    Some(depth) => {
                        self.depth = depth;
                        Ok(())
                    }
                    None => Err(self.too_deep()),
                }
            }

            #[inline]
            fn leave(&mut self) {
                self.depth += 1;
            }

            #[cold]
            #[inline(never)]
            fn too_deep(&self) -> $crate::Error {
                $crate::Error::depth(self.reader.offset(), self.limits.depth)
            }
        }

        impl $crate::core::variant::Locate for Deserializer<'_> {
            #[cold]
            #[inline(never)]
            fn with_start(&self, error: $crate::Error, remaining: usize) -> $crate::Error {
                error.with_offset(self.reader.offset_at(remaining)).with_format(self.format())
            }

            #[cold]
            #[inline(never)]
            fn under_key(&self, error: $crate::Error, remaining: usize) -> $crate::Error {
                let key = &self.input[self.input.len() - remaining..];
                let mut value = Deserializer::new(key).with_limits(self.limits);
                let start = match value.skip() {
                    Ok(()) => value.remaining(),
                    Err(_) => remaining,
                };
                self.with_start(error, start).under_key(key_text(key))
            }
        }
    };
}

pub(crate) use sequence_deserializer;
