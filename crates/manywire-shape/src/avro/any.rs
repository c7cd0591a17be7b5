//! Records for the values that Avro has no type for: timestamps, and values of any type.

use super::schema::Names;
use super::{Enum, Field, FullName, NodeId, Record, Role, SchemaBuilder, Symbol, Type};

/// The records of this module. Each is added at its first use.
#[derive(Default)]
pub(super) struct AnyRecords {
    value: Option<NodeId>,
    timestamp: Option<NodeId>,
}

impl AnyRecords {
    /// Returns the record `Timestamp`, which holds the whole range of [`crate::Timestamp`].
    pub(super) fn timestamp(&mut self, builder: &mut SchemaBuilder, names: &mut Names) -> NodeId {
        *self.timestamp.get_or_insert_with(|| {
            let seconds = builder.add(Type::Long);
            let nanoseconds = builder.add(Type::Int);
            let fields =
                vec![Field::new("seconds", seconds), Field::new("nanoseconds", nanoseconds)];
            builder.add(record(names.give("Timestamp"), fields, Role::Timestamp))
        })
    }

    /// Returns the record `AnyValue`, which holds any [`crate::Value`]. The type is a record, not a
    /// union, because its arrays and maps refer to it by name, and a union has no name.
    pub(super) fn value(&mut self, builder: &mut SchemaBuilder, names: &mut Names) -> NodeId {
        if let Some(value) = self.value {
            return value;
        }
        let value = builder.reserve();
        self.value = Some(value);
        let name = names.give("AnyValue");
        let timestamp = self.timestamp(builder, names);
        let text = builder.add(Type::String);
        let long = builder.add(Type::Long);
        let branches = vec![
            builder.add(Type::Null),
            builder.add(Type::Boolean),
            long,
            builder.add(Type::Float),
            builder.add(Type::Double),
            text,
            builder.add(Type::Bytes),
            builder.add(Type::Array(value)),
            builder.add(Type::Map(value)),
            timestamp,
            number(builder, names, text),
            entries(builder, names, value),
            extension(builder, names, long, value),
        ];
        let union = builder.add(Type::Union(branches));
        builder.set(value, record(name, vec![Field::new("value", union)], Role::Transparent));
        value
    }
}

/// Returns the record of a number that no 64-bit type holds exactly.
fn number(builder: &mut SchemaBuilder, names: &mut Names, text: NodeId) -> NodeId {
    builder.add(record(names.give("AnyNumber"), vec![Field::new("text", text)], Role::Number))
}

/// Returns the record of a map with keys that are not text.
fn entries(builder: &mut SchemaBuilder, names: &mut Names, value: NodeId) -> NodeId {
    let fields = vec![Field::new("key", value), Field::new("value", value)];
    let entry = builder.add(record(names.give("AnyEntry"), fields, Role::Entry));
    let entries = builder.add(Type::Array(entry));
    let fields = vec![Field::new("entries", entries)];
    builder.add(record(names.give("AnyEntries"), fields, Role::Transparent))
}

/// Returns the record of a format-specific value: its format, its code in two's complement, and its
/// content.
fn extension(
    builder: &mut SchemaBuilder,
    names: &mut Names,
    long: NodeId,
    value: NodeId,
) -> NodeId {
    let symbol = |name: &str| Symbol { name: name.to_owned(), original: None, aliases: Vec::new() };
    // In the order of `crate::extension::Kind`, whose numbers are the indexes.
    let spaces = ["message_pack", "cbor_tag", "cbor_simple", "bson"];
    let space = builder.add(Type::Enum(Enum {
        name: FullName::bare(names.give("AnySpace")),
        original: None,
        doc: String::new(),
        aliases: Vec::new(),
        symbols: spaces.into_iter().map(symbol).collect(),
        default: None,
    }));
    let fields =
        vec![Field::new("space", space), Field::new("code", long), Field::new("content", value)];
    builder.add(record(names.give("AnyExtension"), fields, Role::Extension))
}

fn record(name: String, fields: Vec<Field>, role: Role) -> Type {
    Type::Record(Record::new(FullName::bare(name), fields, role))
}
