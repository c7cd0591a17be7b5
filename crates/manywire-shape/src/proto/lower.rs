//! Lowers a shape to the messages and enums of Protocol Buffers.

mod sum;
mod well_known;

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::names::{camel, json_name, snake};
use super::schema::{
    Absent, Enum, FIELD_NUMBER_MAX, Field, Form, Kind, Label, Message, RESERVED_NUMBERS, Schema,
};
use crate::names::unique_by;
use crate::{IntEncoding, Name, Node, NodeId, Presence, Record, Shape};

/// The error for a shape that has no Protocol Buffers schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidSchema(String);

impl fmt::Display for InvalidSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidSchema {}

type Result<T> = std::result::Result<T, InvalidSchema>;

fn invalid<T>(message: impl fmt::Display) -> Result<T> {
    Err(InvalidSchema(message.to_string()))
}

impl Schema {
    /// Returns the messages that hold the values of a shape.
    ///
    /// Fields and variants keep their declared numbers; the others get the lowest free numbers in
    /// the order of declaration.
    ///
    /// # Errors
    ///
    /// Fails for an invalid or duplicate number, an internally tagged variant whose content is not
    /// a record, a tuple of more than 18,999 items, and an option that contains only itself.
    pub fn from_shape(shape: &Shape) -> Result<Schema> {
        let mut lowering = Lowering::new(shape);
        let root = lowering.root(shape.root(), "Root")?;
        lowering.name_enum_values();
        Ok(Schema { messages: lowering.messages, enums: lowering.enums, root })
    }

    /// Returns the messages that hold the values of several nodes of a shape, and the index of the
    /// message of each. The encoding of each value is the same as with [`Schema::from_shape`].
    ///
    /// [`Schema::from_shape`] names the message around a value that is not a record `Root`. Here
    /// the message is named by the content of the value (`HotelList`, `TextValue`), so that the
    /// name is stable when other types are added.
    ///
    /// # Errors
    ///
    /// Fails as [`Schema::from_shape`] does.
    pub fn from_roots(shape: &Shape, roots: &[NodeId]) -> Result<(Schema, Vec<usize>)> {
        let mut lowering = Lowering::new(shape);
        let mut known = HashMap::new();
        // Records come first, so that no message around a value takes the name of a record.
        let is_record = |id: &&NodeId| matches!(shape.node(**id), Node::Record(_));
        let (records, others): (Vec<_>, Vec<_>) = roots.iter().partition(is_record);
        for root in records.into_iter().chain(others) {
            if !known.contains_key(root) {
                let name = match shape.node(*root) {
                    Node::Array(_) | Node::Map { .. } => type_words(shape, *root, 0),
                    _ => format!("{}Value", type_words(shape, *root, 0)),
                };
                known.insert(*root, lowering.root(*root, &name)?);
            }
        }
        lowering.name_enum_values();
        let indexes: Vec<usize> =
            roots.iter().filter_map(|root| known.get(root).copied()).collect();
        let root = indexes.first().copied().unwrap_or_default();
        Ok((Schema { messages: lowering.messages, enums: lowering.enums, root }, indexes))
    }

    /// Returns the schema of one message: the part of the schema that the message refers to.
    pub fn rooted_at(&self, root: usize) -> Schema {
        let (mut reached, mut enums_reached) = (vec![root], Vec::new());
        let mut messages = Vec::new();
        while let Some(index) = reached.get(messages.len()).copied() {
            let mut message: Message = self.messages[index].clone();
            for field in &mut message.fields {
                field.kind = match field.kind {
                    Kind::Message(index) => Kind::Message(position_in(&mut reached, index)),
                    Kind::Enum(index) => Kind::Enum(position_in(&mut enums_reached, index)),
                    kind => kind,
                };
            }
            messages.push(message);
        }
        let enums = enums_reached.iter().map(|index| self.enums[*index].clone()).collect();
        Schema { messages, enums, root: 0 }
    }
}

/// Returns the position of an index in `reached`, and adds it if it is missing.
fn position_in(reached: &mut Vec<usize>, index: usize) -> usize {
    reached.iter().position(|known| *known == index).unwrap_or_else(|| {
        reached.push(index);
        reached.len() - 1
    })
}

/// The parts of the schema built so far, and the nodes that they come from.
struct Lowering<'s> {
    shape: &'s Shape,
    messages: Vec<Message>,
    enums: Vec<Enum>,
    type_names: HashSet<String>,
    /// The message or enum of each node. It is reserved before the fields of the node are lowered,
    /// so that a node may contain itself.
    of_node: HashMap<NodeId, Kind>,
    /// The messages around a single field, shared by all fields of one type.
    wrappers: HashMap<(Label, Kind), usize>,
    entries: HashMap<(Kind, Kind), usize>,
    imported: HashMap<&'static str, usize>,
    any: Option<usize>,
}

impl<'s> Lowering<'s> {
    fn new(shape: &'s Shape) -> Self {
        Lowering {
            shape,
            messages: Vec::new(),
            enums: Vec::new(),
            type_names: HashSet::new(),
            of_node: HashMap::new(),
            wrappers: HashMap::new(),
            entries: HashMap::new(),
            imported: HashMap::new(),
            any: None,
        }
    }

    /// Returns the message of a whole value. A value that is not a record becomes field 1 of a
    /// message with this name.
    fn root(&mut self, root: NodeId, name: &str) -> Result<usize> {
        if let Node::Record(_) = self.shape.node(root) {
            return match self.single(root, name)? {
                Kind::Message(index) => Ok(index),
                _ => unreachable!("a record is a message"),
            };
        }
        let index = self.reserve(name, "", Form::Wrapper);
        let (_, nullable) = self.strip_options(root)?;
        let mut field = Field::new("value", 1, Kind::Bool);
        self.set_field_type(&mut field, root, Presence::Required, name)?;
        if field.label.is_repeated() && !nullable {
            field.name = "items".to_owned();
            field.proto_name = "items".to_owned();
        }
        self.messages[index].fields.push(field);
        Ok(index)
    }

    /// Adds a message whose fields are added later.
    fn reserve(&mut self, name: &str, doc: &str, form: Form) -> usize {
        let name = self.type_name(name);
        self.messages.push(Message { doc: doc.to_owned(), ..Message::new(name, form) });
        self.messages.len() - 1
    }

    /// Returns an unused name for a type. Names must differ in their words, because the values of
    /// an enum are prefixed with these words in upper case.
    fn type_name(&mut self, name: &str) -> String {
        unique_by(camel(name), "", |free| self.type_names.insert(snake(free).replace('_', "")))
    }

    /// Returns the type of a node that is never absent: an item of an array, the value of a map, or
    /// the content of a variant.
    fn item(&mut self, node: NodeId, hint: &str) -> Result<Kind> {
        let (inner, nullable) = self.strip_options(node)?;
        let kind = self.single(inner, hint)?;
        Ok(if nullable { Kind::Message(self.wrapper(Label::Optional, kind, hint)) } else { kind })
    }

    /// Returns the type of a node that is not an option.
    fn single(&mut self, node: NodeId, hint: &str) -> Result<Kind> {
        let shape = self.shape;
        if let Some(kind) = self.of_node.get(&node) {
            return Ok(*kind);
        }
        Ok(match shape.node(node) {
            Node::Bool => Kind::Bool,
            Node::F32 => Kind::Float,
            Node::F64 => Kind::Double,
            Node::Char | Node::Str => Kind::String,
            Node::Bytes => Kind::Bytes,
            Node::Int(int) => integer(int.signed, int.bits, int.encoding),
            Node::Null => Kind::Message(self.empty()),
            Node::Timestamp => Kind::Message(self.timestamp()),
            Node::Any => Kind::Message(self.any()),
            Node::Option(_) => self.item(node, hint)?,
            Node::Array(array) => self.array(node, array.item, hint)?,
            Node::Map { key, value } => {
                let index = self.reserve_of(node, &format!("{hint}Map"), "", Form::Wrapper);
                let entry = self.entry(*key, *value, hint)?;
                let mut field = Field::new("entries", 1, Kind::Message(entry));
                field.label = Label::Repeated;
                self.messages[index].fields.push(field);
                Kind::Message(index)
            }
            Node::Tuple(items) => {
                let index = self.reserve_of(node, hint, "", Form::Tuple);
                self.tuple(index, items, hint)?;
                Kind::Message(index)
            }
            Node::Record(record) => self.record(node, record)?,
            Node::Enum(each) => {
                if each.is_names() && !each.variants.is_empty() {
                    self.enumeration(node, each)?
                } else {
                    self.variants(node, each)?
                }
            }
            Node::Union(branches) => self.union(node, branches, hint)?,
        })
    }

    fn reserve_of(&mut self, node: NodeId, name: &str, doc: &str, form: Form) -> usize {
        let index = self.reserve(name, doc, form);
        self.of_node.insert(node, Kind::Message(index));
        index
    }

    fn tuple(&mut self, index: usize, items: &[NodeId], hint: &str) -> Result<()> {
        for (at, item) in items.iter().enumerate() {
            let number = u32::try_from(at + 1).unwrap_or(u32::MAX);
            if number >= *RESERVED_NUMBERS.start() {
                return invalid(format_args!("{hint}: a tuple of more than 18,999 items"));
            }
            let mut field = Field::new(format!("_{at}"), number, Kind::Bool);
            self.set_field_type(&mut field, *item, Presence::Required, &format!("{hint}{at}"))?;
            self.messages[index].fields.push(field);
        }
        Ok(())
    }

    fn record(&mut self, node: NodeId, record: &Record) -> Result<Kind> {
        let index = self.reserve_of(node, &record.name, &record.doc, Form::Record { rest: None });
        let declared =
            record.fields.iter().map(|field| field.number).chain(record.rest.map(|_| None));
        let numbers = assign_numbers(&record.name, declared)?;
        let type_name = self.messages[index].name.clone();
        let mut taken = Names::of(record.fields.iter().map(|field| &field.name));
        for (field, number) in record.fields.iter().zip(&numbers) {
            let hint = format!("{type_name}{}", camel(&field.name));
            let mut lowered = Field::new(field.name.clone(), *number, Kind::Bool);
            lowered.given = field.number.is_some();
            lowered.proto_name = taken.add(&field.name);
            lowered.aliases = field.aliases.iter().map(ToString::to_string).collect();
            lowered.doc = field.doc.to_string();
            self.set_field_type(&mut lowered, field.node, field.presence, &hint)?;
            self.messages[index].fields.push(lowered);
        }
        if let (Some(rest), Some(number)) = (record.rest, numbers.last()) {
            let value_kind = self.item(rest, &format!("{type_name}Additional"))?;
            let entry_name = format!("{type_name}AdditionalEntry");
            let entry = self.entry_of(Kind::String, value_kind, &entry_name, true);
            let mut field = Field::new("additional", *number, Kind::Message(entry));
            field.proto_name = taken.add("additional");
            field.name = json_name(&field.proto_name);
            field.label = Label::Repeated;
            let message = &mut self.messages[index];
            message.form = Form::Record { rest: Some(message.fields.len()) };
            message.fields.push(field);
        }
        Ok(Kind::Message(index))
    }

    /// Sets the type, label and presence of a field. `hint` names unnamed types.
    fn set_field_type(
        &mut self,
        field: &mut Field,
        node: NodeId,
        presence: Presence,
        hint: &str,
    ) -> Result<()> {
        let (inner, nullable) = self.strip_options(node)?;
        field.nullable = nullable;
        field.required = presence == Presence::Required;
        field.absent = match presence {
            Presence::Optional => Absent::Missing,
            _ if nullable => Absent::Null,
            Presence::Defaulted => Absent::Missing,
            Presence::Required => Absent::Zero,
        };
        let has_presence = nullable || presence == Presence::Optional;
        match *self.shape.node(inner) {
            Node::Array(array) if !has_presence || array.non_empty || array.never_seen_empty => {
                field.kind = self.item(array.item, hint)?;
                field.label = repeated(field.kind);
                if !has_presence {
                    field.absent = Absent::Zero;
                }
            }
            Node::Map { key, value } if !has_presence => {
                field.kind = Kind::Message(self.entry(key, value, hint)?);
                field.label = Label::Repeated;
                field.absent = Absent::Zero;
            }
            Node::Null => {
                field.kind = self.single(inner, hint)?;
                field.label = Label::Optional;
                // A value that is always null need not be written.
                if presence == Presence::Required {
                    field.nullable = true;
                    field.absent = Absent::Null;
                }
            }
            _ => {
                field.kind = self.single(inner, hint)?;
                if has_presence || presence == Presence::Defaulted {
                    field.label = Label::Optional;
                }
            }
        }
        Ok(())
    }

    /// Returns the node inside options, and whether there were any. An option of an option is one
    /// option, as in JSON.
    fn strip_options(&self, mut node: NodeId) -> Result<(NodeId, bool)> {
        let mut nullable = false;
        for _ in 0..=self.shape.nodes().len() {
            match *self.shape.node(node) {
                Node::Option(inner) => node = inner,
                _ => return Ok((node, nullable)),
            }
            nullable = true;
        }
        invalid("an option contains only itself")
    }

    /// Returns the message around an array. Arrays of the same scalars share one message. Other
    /// arrays have one message per node, because a node may contain itself.
    fn array(&mut self, node: NodeId, item: NodeId, hint: &str) -> Result<Kind> {
        let (inner, nullable) = self.strip_options(item)?;
        let content = self.shape.node(inner);
        // A timestamp is a message.
        if content.is_scalar() && *content != Node::Timestamp && !nullable {
            let kind = self.single(inner, hint)?;
            return Ok(Kind::Message(self.wrapper(repeated(kind), kind, hint)));
        }
        let index = self.reserve_of(node, &format!("{hint}List"), "", Form::Wrapper);
        let mut field = Field::new("items", 1, self.item(item, hint)?);
        field.label = repeated(field.kind);
        self.messages[index].fields.push(field);
        Ok(Kind::Message(index))
    }

    /// Returns the message around a single field with this label and type.
    fn wrapper(&mut self, label: Label, kind: Kind, hint: &str) -> usize {
        if let Some(index) = self.wrappers.get(&(label, kind)) {
            return *index;
        }
        let base = self.kind_name(kind).unwrap_or_else(|| hint.to_owned());
        let (name, field_name) = match label {
            Label::Optional | Label::Singular => (format!("Optional{base}"), "value"),
            Label::Repeated | Label::Packed => (format!("{base}List"), "items"),
        };
        let index = self.reserve(&name, "", Form::Wrapper);
        let mut field = Field::new(field_name, 1, kind);
        field.label = label;
        if label == Label::Optional {
            field.nullable = true;
            field.absent = Absent::Null;
        }
        self.messages[index].fields.push(field);
        self.wrappers.insert((label, kind), index);
        index
    }

    /// Returns a word for a type, to name the message around it.
    fn kind_name(&self, kind: Kind) -> Option<String> {
        Some(match kind {
            Kind::Message(index) => {
                let name = &self.messages[index].name;
                name.rsplit('.').next().unwrap_or(name).to_owned()
            }
            Kind::Enum(index) => self.enums[index].name.clone(),
            Kind::BigInt => "BigInt".to_owned(),
            scalar => format!("{scalar:?}"),
        })
    }

    /// Returns the message of a map's entries.
    fn entry(&mut self, key: NodeId, value: NodeId, hint: &str) -> Result<usize> {
        let shape = self.shape;
        let (key_kind, native) = match shape.node(key) {
            // Protocol Buffers does not allow enums as keys, so the key is the name of the value.
            Node::Enum(each) if each.is_names() => (Kind::String, true),
            Node::Bool | Node::Char | Node::Str | Node::Int(_) => (self.single(key, hint)?, true),
            _ => (self.item(key, &format!("{hint}Key"))?, false),
        };
        let value_kind = self.item(value, hint)?;
        Ok(self.entry_of(key_kind, value_kind, &format!("{hint}Entry"), native))
    }

    /// Returns the message of the entries with keys and values of these types. `name` is the name of
    /// a new message, and `native` tells whether it is written as `map<K, V>`.
    fn entry_of(&mut self, key: Kind, value: Kind, name: &str, native: bool) -> usize {
        if let Some(index) = self.entries.get(&(key, value)) {
            return *index;
        }
        let index = self.reserve(name, "", Form::Entry { native });
        self.messages[index].fields =
            vec![Field::new("key", 1, key), Field::new("value", 2, value)];
        self.entries.insert((key, value), index);
        index
    }
}

/// The names of a message's fields. The names must also differ in JSON, ignoring case, and from the
/// JSON names of the other fields: readers of JSON accept both names of a field.
#[derive(Default)]
struct Names<'r> {
    taken: HashSet<String>,
    /// The names of a record's fields or of an enum's variants, which are the JSON names of the
    /// message's fields.
    keys: HashSet<&'r str>,
}

impl<'r> Names<'r> {
    fn of(keys: impl Iterator<Item = &'r Name>) -> Self {
        Names { keys: keys.map(AsRef::as_ref).collect(), ..Names::default() }
    }

    fn add(&mut self, key: &str) -> String {
        unique_by(snake(key), "_", |free| {
            let is_other_key = free != key && self.keys.contains(free);
            !is_other_key && self.taken.insert(json_name(free).to_lowercase())
        })
    }
}

fn integer(signed: bool, bits: u8, encoding: IntEncoding) -> Kind {
    use IntEncoding::{Fixed, Varint, Zigzag};
    match (bits, signed, encoding) {
        (65.., _, _) => Kind::BigInt,
        (33..=64, true, Varint) => Kind::Int64,
        (33..=64, true, Zigzag) => Kind::Sint64,
        (33..=64, true, Fixed) => Kind::Sfixed64,
        (33..=64, false, Varint | Zigzag) => Kind::Uint64,
        (33..=64, false, Fixed) => Kind::Fixed64,
        (_, true, Varint) => Kind::Int32,
        (_, true, Zigzag) => Kind::Sint32,
        (_, true, Fixed) => Kind::Sfixed32,
        (_, false, Varint | Zigzag) => Kind::Uint32,
        (_, false, Fixed) => Kind::Fixed32,
    }
}

fn repeated(kind: Kind) -> Label {
    if kind.is_packable() { Label::Packed } else { Label::Repeated }
}

/// Returns the numbers of fields: the declared ones, and the lowest free ones for the others, in
/// order.
fn assign_numbers(
    name: &str,
    declared: impl Iterator<Item = Option<u32>> + Clone,
) -> Result<Vec<u32>> {
    let mut taken = HashSet::new();
    for number in declared.clone().flatten() {
        if number == 0 || number > FIELD_NUMBER_MAX || RESERVED_NUMBERS.contains(&number) {
            return invalid(format_args!("{name}: {number} cannot be a field number"));
        }
        if !taken.insert(number) {
            return invalid(format_args!("{name}: two fields have number {number}"));
        }
    }
    let is_free = |number: &u32| !taken.contains(number) && !RESERVED_NUMBERS.contains(number);
    let mut free = (1..).filter(is_free);
    Ok(declared.filter_map(|number| number.or_else(|| free.next())).collect())
}

/// The nesting depth to which `type_words` looks into a type. A type that is a list of itself has
/// no end.
const DEPTH_MAX: usize = 8;

/// Returns the words that name an unnamed type.
fn type_words(shape: &Shape, id: NodeId, depth: usize) -> String {
    if depth == DEPTH_MAX {
        return "Root".to_owned();
    }
    let inner = |id: NodeId| type_words(shape, id, depth + 1);
    match shape.node(id) {
        Node::Record(record) => record.name.to_string(),
        Node::Enum(sum) => sum.name.to_string(),
        Node::Array(array) => format!("{}List", inner(array.item)),
        Node::Map { value, .. } => format!("{}Map", inner(*value)),
        Node::Option(some) => format!("Optional{}", inner(*some)),
        Node::Null => "Null".to_owned(),
        Node::Bool => "Boolean".to_owned(),
        Node::Int(_) => "Integer".to_owned(),
        Node::F32 | Node::F64 => "Number".to_owned(),
        Node::Char | Node::Str => "Text".to_owned(),
        Node::Bytes => "Bytes".to_owned(),
        Node::Timestamp => "Timestamp".to_owned(),
        Node::Any => "Any".to_owned(),
        Node::Tuple(_) => "Tuple".to_owned(),
        Node::Union(_) => "Union".to_owned(),
    }
}
