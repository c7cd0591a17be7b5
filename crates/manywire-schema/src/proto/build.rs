//! Resolves the names of a parsed `.proto` and builds the schema.

use std::collections::{HashMap, HashSet};

use manywire_shape::proto::{
    Absent, Enum, EnumValue, Field, Form, Kind, Label, Message, Reserved, Schema,
};

use super::parse::{File, Syntax, Type, TypeName, join};
use super::{Fault, Result, parse};

/// Returns the schema of a message and of everything that it refers to.
pub(super) fn schema(types: &Types<'_>, root: usize) -> Result<Schema> {
    build(types, &[root])
}

/// Returns the schema of every message and enum of the file. Its root is the first message.
pub(super) fn everything(types: &Types<'_>) -> Result<Schema> {
    let messages = types.file.messages.iter().enumerate();
    let own = messages.filter(|(_, message)| message.import.is_none());
    let mut schema = build(types, &own.map(|(index, _)| index).collect::<Vec<_>>())?;
    schema.root = 0;
    Ok(schema)
}

fn build(types: &Types<'_>, roots: &[usize]) -> Result<Schema> {
    let mut builder = Builder {
        types,
        schema: Schema { messages: Vec::new(), enums: Vec::new(), root: 0 },
        messages: HashMap::new(),
        enums: HashMap::new(),
        names: HashSet::new(),
        ambiguous: ambiguous(types.file),
        waiting: Vec::new(),
    };
    for root in roots {
        builder.message(*root);
    }
    // A queue instead of recursion, so a long chain of messages does not exhaust the stack.
    while let Some((declared, index)) = builder.waiting.pop() {
        builder.fill(declared, index)?;
    }
    if roots.len() > 1 {
        (0..types.file.enums.len()).for_each(|declared| _ = builder.enumeration(declared));
    }
    Ok(builder.schema)
}

struct Builder<'f> {
    types: &'f Types<'f>,
    schema: Schema,
    /// The last parts of names that several types share.
    ambiguous: HashSet<&'f str>,
    /// The indexes of the declared messages and enums in the schema.
    messages: HashMap<usize, usize>,
    enums: HashMap<usize, usize>,
    names: HashSet<String>,
    /// The messages of the schema whose fields are not built yet.
    waiting: Vec<(usize, usize)>,
}

impl Builder<'_> {
    /// Returns the index in the schema of a declared message.
    fn message(&mut self, declared: usize) -> usize {
        if let Some(index) = self.messages.get(&declared) {
            return *index;
        }
        let message = &self.types.file.messages[declared];
        let form = match message.full_name.as_str() {
            "google.protobuf.Timestamp" => Form::Timestamp,
            "google.protobuf.Empty" => Form::Null,
            _ if is_wrapper(message) => Form::Wrapper,
            _ => Form::Record { rest: None },
        };
        let name = match message.import {
            Some(_) => message.full_name.clone(),
            None => self.flat_name(&message.full_name),
        };
        self.schema.messages.push(Message {
            name,
            doc: message.doc.clone(),
            import: message.import.map(str::to_owned),
            form,
            fields: Vec::new(),
            oneofs: message.oneofs.clone(),
            reserved: message.reserved.clone(),
        });
        let index = self.schema.messages.len() - 1;
        self.messages.insert(declared, index);
        self.waiting.push((declared, index));
        index
    }

    /// Returns the name in a file without nested types and packages: the last part, or the name
    /// within the package if another type has the same last part.
    fn flat_name(&mut self, full_name: &str) -> String {
        let short = last(full_name);
        let mut name = if self.ambiguous.contains(short) {
            let package = self.types.file.package.as_str();
            let path = full_name.strip_prefix(package).unwrap_or(full_name);
            path.trim_start_matches('.').replace('.', "_")
        } else {
            short.to_owned()
        };
        while !self.names.insert(name.clone()) {
            name.push('_');
        }
        name
    }

    fn fill(&mut self, declared: usize, index: usize) -> Result<()> {
        let message = &self.types.file.messages[declared];
        let (mut numbers, mut names) = (HashSet::new(), HashSet::new());
        for field in &message.fields {
            if !numbers.insert(field.number) {
                let message = format_args!("the number {} is declared twice", field.number);
                return Err(Fault::new(field.offset, message));
            }
            let offset = field.offset;
            let reserved =
                i32::try_from(field.number).is_ok_and(|number| message.reserved.has_number(number));
            if reserved || message.reserved.has_name(&field.name) {
                let what = if reserved { field.number.to_string() } else { field.name.clone() };
                let message = format_args!("{what} is reserved in {}", message.full_name);
                return Err(Fault::new(offset, message));
            }
            let field = self.field(field, &message.full_name)?;
            if !names.insert(field.name.clone()) {
                let message = format_args!("the JSON name {} is declared twice", field.name);
                return Err(Fault::new(offset, message));
            }
            self.schema.messages[index].fields.push(field);
        }
        Ok(())
    }

    fn field(&mut self, declared: &parse::Field, scope: &str) -> Result<Field> {
        let syntax = self.types.file.syntax;
        let name = declared.json_name.clone().unwrap_or_else(|| json_name(&declared.name));
        let kind = match &declared.ty {
            Type::Named(ty) => self.kind(ty, scope)?,
            Type::Map(key, value) => Kind::Message(self.entry(key, value, declared, scope)?),
        };
        let mut field = Field::new(name, declared.number, kind);
        field.given = true;
        if field.name != declared.name {
            field.aliases.push(declared.name.clone());
        }
        field.proto_name = declared.name.clone();
        field.doc = declared.doc.clone();
        field.required = declared.label == Some(parse::Label::Required);
        field.oneof = declared.oneof;
        let repeated =
            declared.label == Some(parse::Label::Repeated) || matches!(declared.ty, Type::Map(..));
        if repeated {
            let packed = declared.packed.unwrap_or(syntax != Syntax::Proto2);
            let packs = packed && kind.is_packable();
            field.label = if packs { Label::Packed } else { Label::Repeated };
            return Ok(field);
        }
        let explicit = declared.label.is_some()
            || declared.oneof.is_some()
            || matches!(kind, Kind::Message(_))
            || syntax != Syntax::Proto3;
        if explicit {
            field.label = Label::Optional;
            if !field.required {
                field.nullable = true;
                field.absent = Absent::Missing;
            }
        }
        Ok(field)
    }

    fn kind(&mut self, ty: &TypeName, scope: &str) -> Result<Kind> {
        if let Some(scalar) = Kind::scalar(&ty.name) {
            return Ok(scalar);
        }
        Ok(match self.types.find(ty, scope)? {
            Declared::Message(declared) => Kind::Message(self.message(declared)),
            Declared::Enum(declared) => Kind::Enum(self.enumeration(declared)),
        })
    }

    /// Returns the index of the message of the entries of a `map<K, V>`.
    fn entry(
        &mut self,
        key: &TypeName,
        value: &TypeName,
        field: &parse::Field,
        scope: &str,
    ) -> Result<usize> {
        let kind = Kind::scalar(&key.name);
        let key = kind.filter(|kind| !matches!(kind, Kind::Float | Kind::Double | Kind::Bytes));
        let Some(key_kind) = key else {
            return Err(Fault::new(field.offset, "expected integers, booleans or text as keys"));
        };
        let value_kind = self.kind(value, scope)?;
        let name = self.flat_name(&format!("{scope}.{}Entry", capital(&json_name(&field.name))));
        self.schema.messages.push(Message {
            name,
            doc: String::new(),
            import: None,
            form: Form::Entry { native: true },
            fields: vec![Field::new("key", 1, key_kind), Field::new("value", 2, value_kind)],
            oneofs: Vec::new(),
            reserved: Reserved::default(),
        });
        Ok(self.schema.messages.len() - 1)
    }

    fn enumeration(&mut self, declared: usize) -> usize {
        if let Some(index) = self.enums.get(&declared) {
            return *index;
        }
        let each = &self.types.file.enums[declared];
        let mut values: Vec<EnumValue> = Vec::new();
        for value in &each.values {
            // With `allow_alias`, the first name of a number is written, and others are read.
            match values.iter_mut().find(|known| known.number == value.number) {
                Some(known) => known.aliases.push(value.name.clone()),
                None => values.push(EnumValue {
                    name: value.name.clone(),
                    proto_name: value.name.clone(),
                    aliases: Vec::new(),
                    doc: value.doc.clone(),
                    number: value.number,
                    given: true,
                }),
            }
        }
        let name = self.flat_name(&each.full_name);
        let open = self.types.file.syntax != Syntax::Proto2;
        self.schema.enums.push(Enum {
            name,
            doc: each.doc.clone(),
            values,
            open,
            reserved: each.reserved.clone(),
        });
        let index = self.schema.enums.len() - 1;
        self.enums.insert(declared, index);
        index
    }
}

/// Returns the last parts of names that several types of the file share.
fn ambiguous(file: &parse::File) -> HashSet<&str> {
    let messages = file.messages.iter().filter(|message| message.import.is_none());
    let messages = messages.map(|message| message.full_name.as_str());
    let enums = file.enums.iter().map(|each| each.full_name.as_str());
    let mut seen = HashSet::new();
    messages.chain(enums).map(last).filter(|name| !seen.insert(*name)).collect()
}

fn last(full_name: &str) -> &str {
    full_name.rsplit('.').next().unwrap_or(full_name)
}

/// Returns whether this is a wrapper message of Google around a scalar.
fn is_wrapper(message: &parse::Message) -> bool {
    message.import == Some("google/protobuf/wrappers.proto")
}

/// Returns the JSON name of a field: without underscores, with an upper-case letter after each
/// (Protocol Buffers, "ProtoJSON Format").
fn json_name(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut upper = false;
    for c in name.chars() {
        match c {
            '_' => upper = true,
            c if upper => {
                out.push(c.to_ascii_uppercase());
                upper = false;
            }
            c => out.push(c),
        }
    }
    out
}

fn capital(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string())
        + chars.as_str()
}

/// A declared type of the file, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Declared {
    Message(usize),
    Enum(usize),
}

/// The types of a file by their full names, with the scoping rules of the language.
pub(super) struct Types<'f> {
    pub(super) file: &'f File,
    names: HashMap<&'f str, Declared>,
}

impl<'f> Types<'f> {
    pub(super) fn new(file: &'f File) -> Result<Self> {
        let messages = file.messages.iter().enumerate().map(|(index, message)| {
            (message.full_name.as_str(), message.offset, Declared::Message(index))
        });
        let enums = file
            .enums
            .iter()
            .enumerate()
            .map(|(index, each)| (each.full_name.as_str(), each.offset, Declared::Enum(index)));
        let mut names = HashMap::new();
        for (name, offset, declared) in messages.chain(enums) {
            if names.insert(name, declared).is_some() {
                return Err(Fault::new(offset, format_args!("the name {name} is declared twice")));
            }
        }
        Ok(Types { file, names })
    }

    /// Resolves a name in a scope. The innermost scope with such a type wins.
    pub(super) fn find(&self, name: &TypeName, scope: &str) -> Result<Declared> {
        if let Some(absolute) = name.name.strip_prefix('.') {
            let found = self.names.get(absolute).copied();
            return found.ok_or_else(|| self.unknown(name));
        }
        let mut scope = scope;
        loop {
            if let Some(found) = self.names.get(join(scope, &name.name).as_str()) {
                return Ok(*found);
            }
            if scope.is_empty() {
                return Err(self.unknown(name));
            }
            scope = scope.rsplit_once('.').map_or("", |(outer, _)| outer);
        }
    }

    #[cold]
    fn unknown(&self, name: &TypeName) -> Box<Fault> {
        let unread = |import: &&String| !import.starts_with("google/protobuf/");
        let hint = match self.file.imports.iter().find(unread) {
            Some(import) => format!("; imports such as {import:?} are not followed"),
            None => String::new(),
        };
        Fault::new(name.offset, format_args!("unknown type {}{hint}", name.name))
    }

    /// Returns the root message: the one with this name, or the only one that no other message
    /// uses.
    pub(super) fn root(&self, name: Option<&str>) -> Result<usize> {
        let own = || {
            let messages = self.file.messages.iter().enumerate();
            messages.filter(|(_, message)| message.import.is_none())
        };
        if let Some(name) = name {
            let suffix = format!(".{name}");
            let matches_name = |full_name: &str| full_name == name || full_name.ends_with(&suffix);
            let found: Vec<usize> = own()
                .filter(|(_, message)| matches_name(&message.full_name))
                .map(|it| it.0)
                .collect();
            return match found[..] {
                [only] => Ok(only),
                [] => Err(Fault::new(0, format_args!("unknown message {name}"))),
                _ => Err(Fault::new(0, format_args!("there are several messages {name}"))),
            };
        }
        let mut used = HashSet::new();
        for (index, message) in own() {
            for field in &message.fields {
                let (Type::Named(ty) | Type::Map(_, ty)) = &field.ty;
                match self.find(ty, &message.full_name) {
                    Ok(Declared::Message(other)) if other != index => _ = used.insert(other),
                    _ => {}
                }
            }
        }
        let outermost: Vec<usize> =
            own().filter(|(_, message)| message.outermost).map(|(index, _)| index).collect();
        let free: Vec<usize> =
            outermost.iter().copied().filter(|index| !used.contains(index)).collect();
        match (&outermost[..], &free[..]) {
            ([only], _) | (_, [only]) => Ok(*only),
            ([], _) => Err(Fault::new(0, "expected a message, found none")),
            _ => {
                let candidates = if free.is_empty() { &outermost } else { &free };
                let names: Vec<&str> = candidates
                    .iter()
                    .map(|index| self.file.messages[*index].full_name.as_str())
                    .collect();
                let names = names.join(", ");
                let message = format_args!("expected the name of the root message: one of {names}");
                Err(Fault::new(0, message))
            }
        }
    }
}

/// The well-known files of Google and their declarations (google/protobuf in the Protocol Buffers
/// repository).
const FILES: [(&str, &str); 7] = [
    (
        "google/protobuf/timestamp.proto",
        "message Timestamp { int64 seconds = 1; int32 nanos = 2; }",
    ),
    ("google/protobuf/duration.proto", "message Duration { int64 seconds = 1; int32 nanos = 2; }"),
    ("google/protobuf/empty.proto", "message Empty {}"),
    ("google/protobuf/any.proto", "message Any { string type_url = 1; bytes value = 2; }"),
    ("google/protobuf/field_mask.proto", "message FieldMask { repeated string paths = 1; }"),
    (
        "google/protobuf/struct.proto",
        "enum NullValue { NULL_VALUE = 0; }
         message Struct { map<string, Value> fields = 1; }
         message ListValue { repeated Value values = 1; }
         message Value { oneof kind {
            NullValue null_value = 1; double number_value = 2; string string_value = 3;
            bool bool_value = 4; Struct struct_value = 5; ListValue list_value = 6; } }",
    ),
    (
        "google/protobuf/wrappers.proto",
        "message DoubleValue { double value = 1; } message FloatValue { float value = 1; }
         message Int64Value { int64 value = 1; } message UInt64Value { uint64 value = 1; }
         message Int32Value { int32 value = 1; } message UInt32Value { uint32 value = 1; }
         message BoolValue { bool value = 1; } message StringValue { string value = 1; }
         message BytesValue { bytes value = 1; }",
    ),
];

/// Adds the declarations of the well-known files that the file imports.
pub(super) fn declare(file: &mut File) -> Result<()> {
    for (path, declared) in FILES {
        if !file.imports.iter().any(|import| import == path) {
            continue;
        }
        let text = format!("syntax = \"proto3\"; package google.protobuf; {declared}");
        let mut imported = parse::file(&text)?;
        for message in &mut imported.messages {
            message.import = Some(path);
        }
        file.messages.append(&mut imported.messages);
        file.enums.append(&mut imported.enums);
    }
    Ok(())
}
