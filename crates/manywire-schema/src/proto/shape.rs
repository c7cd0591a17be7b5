//! Converts a Protocol Buffers schema to the shape of its root message.

use manywire_shape::proto::{self, Absent, Form, Kind, Schema};
use manywire_shape::{
    Array, Enum, Field, Int, IntEncoding, Name, Node, NodeId, Presence, Record, Shape,
    ShapeBuilder, Tagging, Variant, VariantKind,
};

/// Returns the shape of the values of a schema's root.
pub(super) fn shape(schema: &Schema) -> Shape {
    let mut builder = ShapeBuilder::default();
    let messages = schema.messages.iter().map(|_| builder.reserve(Node::Null)).collect();
    let enums = schema.enums.iter().map(|each| builder.add(Node::Enum(units(each)))).collect();
    let mut conversion = Conversion { schema, builder, messages, enums };
    for (index, message) in schema.messages.iter().enumerate() {
        let node = conversion.message(message);
        let id = conversion.messages[index];
        conversion.builder.fill(id, node);
    }
    let root = conversion.kind(Kind::Message(schema.root));
    conversion.builder.finish(root).reachable()
}

struct Conversion<'s> {
    schema: &'s Schema,
    builder: ShapeBuilder,
    messages: Vec<NodeId>,
    enums: Vec<NodeId>,
}

impl<'s> Conversion<'s> {
    fn message(&mut self, message: &proto::Message) -> Node {
        match (&message.form, &message.fields[..]) {
            (Form::Timestamp, _) => Node::Timestamp,
            (Form::Null, _) => Node::Null,
            (Form::Wrapper, [only]) => self.wrapped(only),
            (Form::Union, members) if members.iter().any(|it| it.kind == Kind::Number) => Node::Any,
            (Form::Union, members) => {
                Node::Union(members.iter().map(|member| self.kind(member.kind)).collect())
            }
            (Form::Entry { .. }, [key, value]) => {
                let (key, value) = (self.kind(key.kind), self.kind(value.kind));
                Node::Map { key, value }
            }
            (_, fields) => Node::Record(Record {
                name: owned(&message.name),
                doc: owned(&message.doc),
                fields: fields.iter().map(|field| self.field(field)).collect(),
                rest: None,
            }),
        }
    }

    /// Returns the node of a wrapper: the list, the map or the option in its only field.
    fn wrapped(&mut self, only: &proto::Field) -> Node {
        if let Some(entry) = self.entry(only) {
            return self.message(entry);
        }
        let kind = self.kind(only.kind);
        match only.label.is_repeated() {
            true => Node::Array(Array::new(kind)),
            false => Node::Option(kind),
        }
    }

    /// Returns the only field of a wrapper around a single value that is never null. Such a message
    /// has the node of its field.
    fn transparent(&self, index: usize) -> Option<&'s proto::Field> {
        let message = &self.schema.messages[index];
        let only = (message.form == Form::Wrapper).then(|| message.fields.first())??;
        // Google's wrappers of scalars represent the scalar; the field that contains a wrapper may
        // be absent.
        let is_nullable = only.nullable && message.import.is_none();
        let is_single = !only.label.is_repeated() && self.entry(only).is_none();
        (is_single && !is_nullable).then_some(only)
    }

    /// Returns the message of the entries, if a field is a map.
    fn entry(&self, field: &proto::Field) -> Option<&'s proto::Message> {
        let Kind::Message(index) = field.kind else { return None };
        let message = &self.schema.messages[index];
        matches!(message.form, Form::Entry { .. }).then_some(message)
    }

    fn field(&mut self, field: &proto::Field) -> Field {
        let kind = self.kind(field.kind);
        let mut node = kind;
        if field.label.is_repeated() && self.entry(field).is_none() {
            node = self.builder.add(Node::Array(Array::new(kind)));
        }
        if field.nullable {
            node = self.builder.add(Node::Option(node));
        }
        let presence = match (field.required, field.absent) {
            (true, _) => Presence::Required,
            (false, Absent::Missing) => Presence::Optional,
            (false, _) => Presence::Defaulted,
        };
        Field {
            name: owned(&field.name),
            aliases: field.aliases.iter().map(|alias| owned(alias)).collect(),
            doc: owned(&field.doc),
            node,
            presence,
            number: Some(field.number),
        }
    }

    fn kind(&mut self, kind: Kind) -> NodeId {
        match kind {
            Kind::Enum(index) => self.enums[index],
            Kind::Message(index) => match self.transparent(index) {
                Some(only) => self.kind(only.kind),
                None => self.messages[index],
            },
            scalar => self.builder.add(scalar_node(scalar).unwrap_or(Node::Any)),
        }
    }
}

/// Returns the node for the values of a scalar; `None` for an enum or a message.
pub(crate) fn scalar_node(kind: Kind) -> Option<Node> {
    use IntEncoding::{Fixed, Varint, Zigzag};
    let int = |signed, bits, encoding| Node::Int(Int { signed, bits, encoding });
    Some(match kind {
        Kind::Bool => Node::Bool,
        Kind::Int32 => int(true, 32, Varint),
        Kind::Int64 => int(true, 64, Varint),
        Kind::Uint32 => int(false, 32, Varint),
        Kind::Uint64 => int(false, 64, Varint),
        Kind::Sint32 => int(true, 32, Zigzag),
        Kind::Sint64 => int(true, 64, Zigzag),
        Kind::Fixed32 => int(false, 32, Fixed),
        Kind::Fixed64 => int(false, 64, Fixed),
        Kind::Sfixed32 => int(true, 32, Fixed),
        Kind::Sfixed64 => int(true, 64, Fixed),
        Kind::Float => Node::F32,
        Kind::Double => Node::F64,
        Kind::String => Node::Str,
        Kind::Bytes => Node::Bytes,
        Kind::BigInt => int(true, 128, Varint),
        Kind::Number => Node::Any,
        Kind::Enum(_) | Kind::Message(_) => return None,
    })
}

fn owned(text: &str) -> Name {
    Name::Owned(text.to_owned())
}

fn units(each: &proto::Enum) -> Enum {
    let unit = |value: &proto::EnumValue| Variant {
        name: owned(&value.name),
        aliases: value.aliases.iter().map(|alias| owned(alias)).collect(),
        doc: owned(&value.doc),
        kind: VariantKind::Unit,
        number: u32::try_from(value.number).ok(),
    };
    Enum {
        name: owned(each.name.rsplit('.').next().unwrap_or_default()),
        doc: owned(&each.doc),
        tagging: Tagging::External,
        variants: each.values.iter().map(unit).collect(),
    }
}
