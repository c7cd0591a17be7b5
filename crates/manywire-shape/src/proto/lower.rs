//! From a shape to the messages that hold its values.

mod sum;
mod well_known;

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::names::{camel, json_name, snake};
use super::schema::{
    Absent, Enum, FIELD_NUMBER_MAX, Field, Form, Kind, Label, Message, RESERVED_NUMBERS, Reserved,
    Schema,
};
use crate::{IntEncoding, Node, NodeId, Presence, Record, Shape, Tagging, VariantKind};

/// Why a shape has no Protocol Buffers schema.
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
    /// The messages that hold the values of a shape.
    ///
    /// Fields and variants keep the numbers they were given; the others get the lowest free ones
    /// in the order of declaration. Fails on numbers given twice or out of range, on an option
    /// that holds nothing but itself, and on internally tagged variants that carry no record.
    pub fn from_shape(shape: &Shape) -> Result<Schema> {
        let mut lowering = Lowering::new(shape);
        let root = lowering.root(shape.root(), "Root")?;
        lowering.name_enum_values();
        Ok(Schema { messages: lowering.messages, enums: lowering.enums, root })
    }
}

/// The parts of the schema made so far, and where they came from.
struct Lowering<'s> {
    shape: &'s Shape,
    messages: Vec<Message>,
    enums: Vec<Enum>,
    type_names: HashSet<String>,
    /// The message or enum of a node; reserved before its fields are lowered, so that a node may
    /// hold itself.
    of_node: HashMap<NodeId, Kind>,
    /// Messages around a place, shared by all places alike.
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

    /// The message of a whole value; one that is no record is field 1 of a message of this name.
    fn root(&mut self, root: NodeId, name: &str) -> Result<usize> {
        if let Node::Record(_) = self.shape.node(root) {
            return match self.single(root, name)? {
                Kind::Message(index) => Ok(index),
                _ => unreachable!("a record is a message"),
            };
        }
        let index = self.reserve(name, "", Form::Wrapper);
        let (_, nullable) = self.strip(root)?;
        let mut field = Field::new("value", 1, Kind::Bool);
        self.place(&mut field, root, Presence::Required, name)?;
        if matches!(field.label, Label::Repeated | Label::Packed) && !nullable {
            field.name = "items".to_owned();
            field.proto_name = "items".to_owned();
        }
        self.messages[index].fields.push(field);
        Ok(index)
    }

    /// Adds a message whose fields are still to come.
    fn reserve(&mut self, name: &str, doc: &str, form: Form) -> usize {
        let name = self.type_name(name);
        self.messages.push(Message {
            name,
            doc: doc.to_owned(),
            import: None,
            form,
            fields: Vec::new(),
            oneofs: Vec::new(),
            reserved: Reserved::default(),
        });
        self.messages.len() - 1
    }

    /// A name for a type that no other has. Types are told apart by their words, since an enum's
    /// values are prefixed with these in upper case.
    fn type_name(&mut self, name: &str) -> String {
        let name = camel(name);
        let mut free = name.clone();
        let mut count = 2;
        while !self.type_names.insert(snake(&free).replace('_', "")) {
            free = format!("{name}{count}");
            count += 1;
        }
        free
    }

    /// What stands for a node where it stands once and is never absent: an item of an array, the
    /// value of a map, the content of a variant.
    fn item(&mut self, node: NodeId, hint: &str) -> Result<Kind> {
        let (inner, nullable) = self.strip(node)?;
        if !nullable {
            return self.single(inner, hint);
        }
        let kind = self.single(inner, hint)?;
        Ok(Kind::Message(self.wrapper(Label::Optional, kind, hint)))
    }

    /// What stands for a node that is no option.
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
                let mut field = Field::new("entries", 1, Kind::Bool);
                field.kind = Kind::Message(self.entry(*key, *value, hint)?);
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
                let unit = each.variants.iter().all(|variant| variant.kind == VariantKind::Unit);
                if unit && each.tagging == Tagging::External && !each.variants.is_empty() {
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

/// How far into a type its name is looked for: lists of lists end somewhere, types that are lists
/// of themselves do not.
const DEPTH_MAX: usize = 8;

impl Schema {
    /// The messages that hold the values of several nodes of a shape, and which message is the
    /// whole value of each: the same bytes as [`Schema::from_shape`] says of each alone.
    ///
    /// Where that calls the message around a value that is no record `Root`, here it is named by
    /// its content (`HotelList`, `TextValue`), so that the name stays when other types come.
    ///
    /// # Errors
    ///
    /// As [`Schema::from_shape`].
    pub fn from_roots(shape: &Shape, roots: &[NodeId]) -> Result<(Schema, Vec<usize>)> {
        let mut lowering = Lowering::new(shape);
        let mut known = HashMap::new();
        // Records first: no message around a value takes the name of a type.
        let is_record = |id: &&NodeId| matches!(shape.node(**id), Node::Record(_));
        let (records, others): (Vec<_>, Vec<_>) = roots.iter().partition(is_record);
        for root in records.into_iter().chain(others) {
            if !known.contains_key(root) {
                let name = match shape.node(*root) {
                    Node::Array(_) | Node::Map { .. } => words(shape, *root, 0),
                    _ => format!("{}Value", words(shape, *root, 0)),
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

    /// The part of the schema that one of its messages needs, as the schema of that message.
    pub fn rooted_at(&self, root: usize) -> Schema {
        let (mut reached, mut enums_reached) = (vec![root], Vec::new());
        let mut messages = Vec::new();
        while let Some(index) = reached.get(messages.len()).copied() {
            let mut message: Message = self.messages[index].clone();
            for field in &mut message.fields {
                field.kind = match field.kind {
                    Kind::Message(index) => Kind::Message(place(&mut reached, index)),
                    Kind::Enum(index) => Kind::Enum(place(&mut enums_reached, index)),
                    kind => kind,
                };
            }
            messages.push(message);
        }
        let enums = enums_reached.iter().map(|index| self.enums[*index].clone()).collect();
        Schema { messages, enums, root: 0 }
    }
}

/// Where an index stands among those that are reached.
fn place(reached: &mut Vec<usize>, index: usize) -> usize {
    reached.iter().position(|known| *known == index).unwrap_or_else(|| {
        reached.push(index);
        reached.len() - 1
    })
}

/// What a type is called where nobody named it.
fn words(shape: &Shape, id: NodeId, depth: usize) -> String {
    if depth == DEPTH_MAX {
        return "Root".to_owned();
    }
    let inner = |id: NodeId| words(shape, id, depth + 1);
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

impl Lowering<'_> {
    fn tuple(&mut self, index: usize, items: &[NodeId], hint: &str) -> Result<()> {
        for (at, item) in items.iter().enumerate() {
            let number = u32::try_from(at + 1).unwrap_or(u32::MAX);
            if number > *RESERVED_NUMBERS.start() {
                return invalid(format_args!("{hint}: a tuple of more than 18,999 places"));
            }
            let mut field = Field::new(format!("_{at}"), number, Kind::Bool);
            self.place(&mut field, *item, Presence::Required, &format!("{hint}{at}"))?;
            self.messages[index].fields.push(field);
        }
        Ok(())
    }

    fn record(&mut self, node: NodeId, record: &Record) -> Result<Kind> {
        let index = self.reserve_of(node, &record.name, &record.doc, Form::Record { rest: None });
        let given = record.fields.iter().map(|field| field.number).chain(record.rest.map(|_| None));
        let numbers = assign(&record.name, given)?;
        let type_name = self.messages[index].name.clone();
        let mut taken = Names::default();
        for (field, number) in record.fields.iter().zip(&numbers) {
            let hint = format!("{type_name}{}", camel(&field.name));
            let mut made = Field::new(field.name.clone(), *number, Kind::Bool);
            made.given = field.number.is_some();
            made.proto_name = taken.add(&field.name);
            made.aliases = field.aliases.iter().map(ToString::to_string).collect();
            made.doc = field.doc.to_string();
            self.place(&mut made, field.node, field.presence, &hint)?;
            self.messages[index].fields.push(made);
        }
        if let (Some(rest), Some(number)) = (record.rest, numbers.last()) {
            let value_kind = self.item(rest, &format!("{type_name}Additional"))?;
            let mut entry = Field::new("additional", *number, Kind::Bool);
            entry.proto_name = taken.add("additional");
            entry.name = json_name(&entry.proto_name);
            entry.kind = Kind::Message(match self.entries.get(&(Kind::String, value_kind)) {
                Some(index) => *index,
                None => {
                    let name = format!("{type_name}AdditionalEntry");
                    let made = self.reserve(&name, "", Form::Entry { native: true });
                    self.messages[made].fields = vec![
                        Field::new("key", 1, Kind::String),
                        Field::new("value", 2, value_kind),
                    ];
                    self.entries.insert((Kind::String, value_kind), made);
                    made
                }
            });
            entry.label = Label::Repeated;
            let fields = &mut self.messages[index].fields;
            fields.push(entry);
            let last = fields.len() - 1;
            self.messages[index].form = Form::Record { rest: Some(last) };
        }
        Ok(Kind::Message(index))
    }
}

/// The names of a message's fields: no two may look alike in JSON either, whatever their case.
#[derive(Default)]
struct Names(HashSet<String>);

impl Names {
    fn add(&mut self, name: &str) -> String {
        let name = snake(name);
        let mut free = name.clone();
        let mut count = 2;
        while !self.0.insert(json_name(&free).to_lowercase()) {
            free = format!("{name}_{count}");
            count += 1;
        }
        free
    }
}

impl Lowering<'_> {
    /// What a field holds, how often, and what its absence means. `hint` names the types that have
    /// no name of their own.
    fn place(
        &mut self,
        field: &mut Field,
        node: NodeId,
        presence: Presence,
        hint: &str,
    ) -> Result<()> {
        let (inner, nullable) = self.strip(node)?;
        field.nullable = nullable;
        field.required = presence == Presence::Required;
        field.absent = match presence {
            Presence::Optional => Absent::Missing,
            _ if nullable => Absent::Null,
            Presence::Defaulted => Absent::Missing,
            Presence::Required => Absent::Zero,
        };
        let told_apart = nullable || presence == Presence::Optional;
        match *self.shape.node(inner) {
            Node::Array(array) if !told_apart || array.non_empty => {
                field.kind = self.item(array.item, hint)?;
                field.label = repeated(field.kind);
                if !told_apart {
                    field.absent = Absent::Zero;
                }
            }
            Node::Map { key, value } if !told_apart => {
                field.kind = Kind::Message(self.entry(key, value, hint)?);
                field.label = Label::Repeated;
                field.absent = Absent::Zero;
            }
            Node::Null => {
                field.kind = self.single(inner, hint)?;
                field.label = Label::Optional;
                // What is always null need not be written.
                if presence == Presence::Required {
                    field.nullable = true;
                    field.absent = Absent::Null;
                }
            }
            _ => {
                field.kind = self.single(inner, hint)?;
                if told_apart || presence == Presence::Defaulted {
                    field.label = Label::Optional;
                }
            }
        }
        Ok(())
    }

    /// The node within options, and whether there were any. An option of an option is one option,
    /// as in JSON.
    fn strip(&self, mut node: NodeId) -> Result<(NodeId, bool)> {
        let mut nullable = false;
        for _ in 0..=self.shape.nodes().len() {
            match *self.shape.node(node) {
                Node::Option(inner) => node = inner,
                _ => return Ok((node, nullable)),
            }
            nullable = true;
        }
        invalid("an option holds nothing but itself")
    }
}

/// The numbers of fields: as given, and the lowest free ones for the others, in order.
fn assign(name: &str, given: impl Iterator<Item = Option<u32>> + Clone) -> Result<Vec<u32>> {
    let mut taken = HashSet::new();
    for number in given.clone().flatten() {
        if number == 0 || number > FIELD_NUMBER_MAX || RESERVED_NUMBERS.contains(&number) {
            return invalid(format_args!("{name}: {number} cannot be a field number"));
        }
        if !taken.insert(number) {
            return invalid(format_args!("{name}: two fields have number {number}"));
        }
    }
    let mut free = 1;
    let numbers: Vec<u32> = given
        .map(|number| {
            number.unwrap_or_else(|| {
                while taken.contains(&free) || RESERVED_NUMBERS.contains(&free) {
                    free += 1;
                }
                free += 1;
                free - 1
            })
        })
        .collect();
    Ok(numbers)
}

impl Lowering<'_> {
    /// The message around an array. One of scalars is shared by all arrays of these scalars; any
    /// other is the node's own, since the node may be inside itself.
    fn array(&mut self, node: NodeId, item: NodeId, hint: &str) -> Result<Kind> {
        let (inner, nullable) = self.strip(item)?;
        let scalar = matches!(
            self.shape.node(inner),
            Node::Bool
                | Node::Int(_)
                | Node::F32
                | Node::F64
                | Node::Char
                | Node::Str
                | Node::Bytes
        );
        if scalar && !nullable {
            let kind = self.single(inner, hint)?;
            return Ok(Kind::Message(self.wrapper(repeated(kind), kind, hint)));
        }
        let index = self.reserve_of(node, &format!("{hint}List"), "", Form::Wrapper);
        let mut field = Field::new("items", 1, Kind::Bool);
        field.kind = self.item(item, hint)?;
        field.label = repeated(field.kind);
        self.messages[index].fields.push(field);
        Ok(Kind::Message(index))
    }

    /// The message around one kind of place.
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

    /// A word for a kind, to name what is made around it.
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

    /// The message of a map's entries.
    fn entry(&mut self, key: NodeId, value: NodeId, hint: &str) -> Result<usize> {
        let shape = self.shape;
        let (key_kind, native) = match shape.node(key) {
            // An enum is no key in Protocol Buffers, but the name of its value is.
            Node::Enum(each)
                if each.tagging == Tagging::External
                    && each.variants.iter().all(|variant| variant.kind == VariantKind::Unit) =>
            {
                (Kind::String, true)
            }
            Node::Bool | Node::Char | Node::Str | Node::Int(_) => (self.single(key, hint)?, true),
            _ => (self.item(key, &format!("{hint}Key"))?, false),
        };
        let value_kind = self.item(value, hint)?;
        if let Some(index) = self.entries.get(&(key_kind, value_kind)) {
            return Ok(*index);
        }
        let index = self.reserve(&format!("{hint}Entry"), "", Form::Entry { native });
        self.messages[index].fields =
            vec![Field::new("key", 1, key_kind), Field::new("value", 2, value_kind)];
        self.entries.insert((key_kind, value_kind), index);
        Ok(index)
    }
}

fn repeated(kind: Kind) -> Label {
    if kind.is_packable() { Label::Packed } else { Label::Repeated }
}
