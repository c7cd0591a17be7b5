//! The numbers of fields on the wire: assigned by their order, or fixed by a checked-in `.proto`.

#[cfg_attr(not(feature = "schema-lock"), path = "lock_disabled.rs")]
mod lock;

use std::collections::HashMap;

use manywire_format::{Format, RecordLayout};
use manywire_shape::ShapeBuilder;
use manywire_shape::proto::{InvalidSchema, Schema};

use crate::types::{Type, TypeKey};
pub(crate) use lock::SchemaLock;

/// Returns whether readers of a format identify a field by its number or position. If a field
/// moves, these readers mistake it for another field.
pub(crate) fn is_numbered(format: Format) -> bool {
    format.row().records != RecordLayout::ByName
}

/// Returns whether readers of a format identify a field by its position alone. Fields of Protocol
/// Buffers may be declared in any order.
pub(crate) fn is_positional(format: Format) -> bool {
    format.row().records == RecordLayout::ByPosition
}

/// The field numbers that a schema lock fixes, or nothing without a lock.
#[derive(Debug, Default)]
pub(crate) struct FieldNumbers(Option<Messages>);

impl FieldNumbers {
    /// Returns the locked messages, or nothing without a lock.
    pub(crate) fn messages(&self) -> Option<&Messages> {
        self.0.as_ref()
    }

    /// Returns the schema of a type with its locked numbers, or nothing without a lock or for a
    /// type outside the lock.
    pub(crate) fn schema(&self, ty: &Type) -> Option<Schema> {
        self.0.as_ref()?.schema(ty)
    }
}

/// The Protocol Buffers messages of several types, in one schema.
#[derive(Clone, Debug)]
pub(crate) struct Messages {
    schema: Schema,
    of_type: HashMap<TypeKey, usize>,
}

impl Messages {
    /// Creates the messages of these types.
    ///
    /// # Errors
    /// Returns an error for a type that Protocol Buffers cannot represent.
    pub(crate) fn new(types: &[Type]) -> Result<Messages, InvalidSchema> {
        let mut builder = ShapeBuilder::default();
        let mut names = Vec::new();
        let mut roots = Vec::new();
        for ty in types {
            if !names.contains(&ty.key()) {
                names.push(ty.key());
                roots.push(ty.node(&mut builder));
            }
        }
        let Some(first) = roots.first().copied() else {
            let schema = Schema { messages: Vec::new(), enums: Vec::new(), root: 0 };
            return Ok(Messages { schema, of_type: HashMap::new() });
        };
        let (schema, indexes) = Schema::from_roots(&builder.finish(first), &roots)?;
        Ok(Messages { schema, of_type: names.into_iter().zip(indexes).collect() })
    }

    /// Returns the part of the schema that a type needs, or nothing for a type that was not passed
    /// to [`Messages::new`].
    pub(crate) fn schema(&self, ty: &Type) -> Option<Schema> {
        Some(self.schema.rooted_at(*self.of_type.get(&ty.key())?))
    }

    /// Returns the name of a type's message in the `.proto`.
    pub(crate) fn name(&self, ty: &Type) -> Option<&str> {
        let message = self.schema.messages.get(*self.of_type.get(&ty.key())?)?;
        Some(&message.name)
    }

    /// Returns the text of the `.proto`.
    pub(crate) fn text(&self) -> String {
        self.schema.to_proto("")
    }
}
