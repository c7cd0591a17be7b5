//! The numbers of fields on the wire: assigned by their order, or fixed by a checked-in `.proto`.

#[cfg(feature = "schema-lock")]
use std::collections::BTreeSet;
use std::collections::HashMap;

use manywire_format::Format;
#[cfg(feature = "schema-lock")]
use manywire_schema::lock::{Breaches, Lock, Numbers as SchemaNumbers};
use manywire_shape::ShapeBuilder;
use manywire_shape::proto::{InvalidSchema, Schema};

#[cfg(any(feature = "schema-lock", feature = "multipart"))]
use crate::content::own::AnyFormat;
use crate::content::{Type, TypeKey};

/// The formats whose readers identify a field by its number or position. If a field moves, these
/// readers mistake it for another field.
pub(crate) const NUMBERED_FORMATS: [Format; 3] =
    [Format::Protobuf, Format::MsgPackArray, Format::Avro];

/// The formats whose readers identify a field by its position alone. Fields of Protocol Buffers may
/// be declared in any order.
#[cfg(feature = "schema-lock")]
pub(crate) const POSITIONAL_FORMATS: [Format; 2] = [Format::MsgPackArray, Format::Avro];

/// Returns the formats that parts of forms may have.
///
/// Parts have no locked numbers. If the API has a schema lock, parts may not use formats that
/// depend on numbers: if a number changed, readers would mistake the field for another.
#[cfg(feature = "multipart")]
pub(crate) fn multipart_formats(formats: &[AnyFormat], is_locked: bool) -> Vec<AnyFormat> {
    let is_numbered =
        |format: &AnyFormat| format.built_in().is_some_and(|it| NUMBERED_FORMATS.contains(&it));
    formats.iter().filter(|format| !is_locked || !is_numbered(format)).copied().collect()
}

/// The field numbers of all types of an API.
#[derive(Debug, Default)]
pub(crate) struct FieldNumbers(Option<Messages>);

impl FieldNumbers {
    /// Returns the locked messages.
    pub(crate) fn messages(&self) -> Option<&Messages> {
        self.0.as_ref()
    }

    /// Returns the schema of a type with its locked numbers, or nothing without a lock.
    pub(crate) fn schema(&self, ty: &Type) -> Option<Schema> {
        self.0.as_ref()?.schema(ty)
    }

    /// Applies the numbers of a published `.proto` to the types of an API: those in formats that
    /// identify fields by number or position, and those in formats that do so by position alone.
    ///
    /// # Errors
    /// Returns a message for each change that breaks the lock, with advice, or for an invalid
    /// `.proto`.
    #[cfg(feature = "schema-lock")]
    pub(crate) fn locked(
        text: &str,
        numbered: &[Type],
        positional: &[Type],
    ) -> Result<FieldNumbers, Vec<String>> {
        let lock = read(text)?;
        let messages = FieldNumbers::for_types(&lock, numbered)?;
        messages.check_positions(&lock, positional)?;
        let new = messages.messages().map(|messages| lock.missing(messages.all()));
        if let Some(new) = new.filter(|new| !new.is_empty()) {
            tracing::warn!(
                new = new.join(", "),
                "the schema lock lacks these: check in the new .proto, or their numbers may change"
            );
        }
        Ok(messages)
    }

    /// Applies the numbers of a published `.proto` to a single type that is carried in these
    /// formats.
    ///
    /// # Errors
    /// Returns the errors of [`FieldNumbers::locked`].
    #[cfg(feature = "schema-lock")]
    pub(crate) fn locked_type(
        text: &str,
        ty: &Type,
        formats: &[AnyFormat],
    ) -> Result<FieldNumbers, Vec<String>> {
        let (lock, types) = (read(text)?, std::slice::from_ref(ty));
        let messages = FieldNumbers::for_types(&lock, types)?;
        if POSITIONAL_FORMATS.iter().any(|format| formats.contains(&(*format).into())) {
            messages.check_positions(&lock, types)?;
        }
        Ok(messages)
    }

    /// Checks that the fields of these types have their published positions.
    #[cfg(feature = "schema-lock")]
    fn check_positions(&self, lock: &Lock, types: &[Type]) -> Result<(), Vec<String>> {
        let mut moved = BTreeSet::new();
        for ty in types {
            let schema = self.schema(ty);
            if let Some(Err(breaches)) = schema.map(|schema| lock.check_order(&schema)) {
                moved.extend(faults(breaches));
            }
        }
        if moved.is_empty() { Ok(()) } else { Err(moved.into_iter().collect()) }
    }

    /// Applies the numbers of a published `.proto` to the type that a client calls with.
    #[cfg(all(feature = "schema-lock", feature = "client"))]
    pub(crate) fn for_type(text: &str, ty: &Type) -> Result<FieldNumbers, Vec<String>> {
        FieldNumbers::for_types(&read(text)?, std::slice::from_ref(ty))
    }

    #[cfg(feature = "schema-lock")]
    fn for_types(lock: &Lock, types: &[Type]) -> Result<FieldNumbers, Vec<String>> {
        let messages = Messages::new(types).map_err(|error| vec![error.to_string()])?;
        let locked = lock.apply(messages.all(), SchemaNumbers::Declared).map_err(faults)?;
        Ok(FieldNumbers(Some(messages.with(locked))))
    }
}

#[cfg(feature = "schema-lock")]
fn read(text: &str) -> Result<Lock, Vec<String>> {
    Lock::read("schema_lock", text).map_err(|error| vec![error.to_string()])
}

/// Returns a message for each breach.
#[cfg(feature = "schema-lock")]
#[cold]
fn faults(breaches: Breaches) -> Vec<String> {
    breaches.0.iter().map(|breach| format!("schema lock: {breach}")).collect()
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

    /// Returns the schema of all messages.
    #[cfg(feature = "schema-lock")]
    pub(crate) fn all(&self) -> &Schema {
        &self.schema
    }

    /// Returns the same messages with the numbers of another schema.
    #[cfg(feature = "schema-lock")]
    pub(crate) fn with(self, schema: Schema) -> Messages {
        Messages { schema, of_type: self.of_type }
    }

    /// Returns the part of the schema that a type needs.
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
