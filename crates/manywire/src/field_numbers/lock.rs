//! [`SchemaLock`]: the numbers of fields that a checked-in `.proto` fixes.

use std::collections::BTreeSet;
use std::sync::Arc;

use manywire_format::Format;
use manywire_schema::lock::{Breaches, Lock, Numbers as SchemaNumbers};

use super::{FieldNumbers, Messages, is_numbered, is_positional};
use crate::types::Type;

/// The text of the published `.proto` that fixes the field numbers, or nothing without a lock.
#[derive(Clone, Debug, Default)]
pub(crate) struct SchemaLock(Option<Arc<str>>);

impl SchemaLock {
    /// Creates a lock with the text of a `.proto`.
    pub(crate) fn of(proto: String) -> SchemaLock {
        SchemaLock(Some(proto.into()))
    }

    /// Returns whether a `.proto` fixes the numbers.
    pub(crate) fn is_set(&self) -> bool {
        self.0.is_some()
    }

    /// Applies the numbers to the types of an API. `types_in` takes a condition on formats, and
    /// returns the types whose values the API sends or receives in a format that meets the
    /// condition.
    ///
    /// # Errors
    /// Returns a message with advice for each change that breaks the lock, or one message for an
    /// invalid `.proto` or for a type that Protocol Buffers cannot represent.
    pub(crate) fn numbers(
        &self,
        types_in: impl Fn(fn(Format) -> bool) -> Vec<Type>,
    ) -> Result<FieldNumbers, Vec<String>> {
        let Some(text) = &self.0 else { return Ok(FieldNumbers::default()) };
        let lock = read(text)?;
        let messages = for_types(&lock, &types_in(is_numbered))?;
        check_positions(&messages, &lock, &types_in(is_positional))?;
        let new = messages.messages().map(|messages| lock.missing(&messages.schema));
        if let Some(new) = new.filter(|new| !new.is_empty()) {
            tracing::warn!(
                new = new.join(", "),
                "the schema lock lacks these: check in the new .proto, or their numbers may change"
            );
        }
        Ok(messages)
    }

    /// Applies the numbers to a single type. With `is_positional`, the fields of the type must also
    /// have their published positions.
    ///
    /// # Errors
    /// Returns the errors of [`SchemaLock::numbers`].
    pub(crate) fn numbers_of(
        &self,
        ty: &Type,
        is_positional: bool,
    ) -> Result<FieldNumbers, Vec<String>> {
        let Some(text) = &self.0 else { return Ok(FieldNumbers::default()) };
        let (lock, types) = (read(text)?, std::slice::from_ref(ty));
        let messages = for_types(&lock, types)?;
        if is_positional {
            check_positions(&messages, &lock, types)?;
        }
        Ok(messages)
    }
}

/// Checks that the fields of these types have their published positions.
fn check_positions(numbers: &FieldNumbers, lock: &Lock, types: &[Type]) -> Result<(), Vec<String>> {
    let mut moved = BTreeSet::new();
    for ty in types {
        let schema = numbers.schema(ty);
        if let Some(Err(breaches)) = schema.map(|schema| lock.check_order(&schema)) {
            moved.extend(faults(breaches));
        }
    }
    if moved.is_empty() { Ok(()) } else { Err(moved.into_iter().collect()) }
}

fn for_types(lock: &Lock, types: &[Type]) -> Result<FieldNumbers, Vec<String>> {
    let messages = Messages::new(types).map_err(|error| vec![error.to_string()])?;
    let schema = lock.apply(&messages.schema, SchemaNumbers::Declared).map_err(faults)?;
    Ok(FieldNumbers(Some(Messages { schema, ..messages })))
}

fn read(text: &str) -> Result<Lock, Vec<String>> {
    Lock::read("schema_lock", text).map_err(|error| vec![error.to_string()])
}

/// Returns a message for each breach.
#[cold]
fn faults(breaches: Breaches) -> Vec<String> {
    breaches.0.iter().map(|breach| format!("schema lock: {breach}")).collect()
}
