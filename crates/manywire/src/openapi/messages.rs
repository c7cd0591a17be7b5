use std::collections::HashMap;

use manywire_shape::ShapeBuilder;
use manywire_shape::proto::{InvalidSchema, Schema};

use crate::content::{Type, TypeKey};

/// The Protocol Buffers messages of several types, in one schema.
#[derive(Clone, Debug)]
pub(crate) struct Messages {
    schema: Schema,
    of_type: HashMap<TypeKey, usize>,
}

impl Messages {
    /// The messages of these types.
    ///
    /// # Errors
    /// A type that Protocol Buffers cannot hold.
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

    /// All of them.
    #[cfg(feature = "schema-lock")]
    pub(crate) fn all(&self) -> &Schema {
        &self.schema
    }

    /// The same messages with other numbers.
    #[cfg(feature = "schema-lock")]
    pub(crate) fn with(self, schema: Schema) -> Messages {
        Messages { schema, of_type: self.of_type }
    }

    /// What a type needs of them.
    pub(crate) fn schema(&self, ty: &Type) -> Option<Schema> {
        Some(self.schema.rooted_at(*self.of_type.get(&ty.key())?))
    }

    /// The message that a type is, in the `.proto`.
    pub(crate) fn name(&self, ty: &Type) -> Option<&str> {
        let message = self.schema.messages.get(*self.of_type.get(&ty.key())?)?;
        Some(&message.name)
    }

    /// The `.proto`.
    pub(crate) fn text(&self) -> String {
        self.schema.to_proto("")
    }
}
