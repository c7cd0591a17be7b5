//! The lock of field numbers in a build without the feature `schema-lock`: never set.

use manywire_format::Format;

use super::FieldNumbers;
use crate::types::Type;

/// A lock that is never set.
#[derive(Clone, Debug, Default)]
pub(crate) struct SchemaLock(());

impl SchemaLock {
    pub(crate) fn is_set(&self) -> bool {
        false
    }

    pub(crate) fn numbers(
        &self,
        _: impl Fn(fn(Format) -> bool) -> Vec<Type>,
    ) -> Result<FieldNumbers, Vec<String>> {
        Ok(FieldNumbers::default())
    }

    pub(crate) fn numbers_of(&self, _: &Type, _: bool) -> Result<FieldNumbers, Vec<String>> {
        Ok(FieldNumbers::default())
    }
}
