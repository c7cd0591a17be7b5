//! Resolves the names of a parsed `.proto` and builds the schema.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use manywire_shape::names::{COMPARED_MAX, distance};
use manywire_shape::proto::{
    Absent, Enum, EnumValue, Field, Form, Kind, Label, Message, ROOT_MARK, Reserved, Schema,
    entry_name, json_name,
};

use super::files::Files;
use super::tree::{FieldPresence, Type, TypeName, join};
use super::{Fault, Result, marks, tree};

/// Returns the schema of a message and of everything that it refers to.
pub(super) fn schema(types: &Types<'_>, root: usize) -> Result<Schema> {
    build(types, &[root], false)
}

/// Returns the schema of every message and enum of the file. Its root is the first message.
pub(super) fn everything(types: &Types<'_>) -> Result<Schema> {
    let messages = types.files.messages.iter().enumerate();
    let own = messages.filter(|(_, message)| message.import.is_none());
    let roots: Vec<usize> = own.map(|(index, _)| index).collect();
    let mut schema = build(types, &roots, true)?;
    schema.root = 0;
    Ok(schema)
}

/// Returns the schema of messages and of everything that they refer to, and with `all_enums` of every
/// enum of the file.
fn build(types: &Types<'_>, roots: &[usize], all_enums: bool) -> Result<Schema> {
    let mut builder = Builder {
        types,
        schema: Schema { messages: Vec::new(), enums: Vec::new(), root: 0 },
        messages: HashMap::new(),
        enums: HashMap::new(),
        names: HashSet::new(),
        ambiguous: ambiguous(types.files),
        waiting: Vec::new(),
    };
    for root in roots {
        builder.message(*root);
    }
    // A list of waiting messages instead of recursion, so a long chain of messages does not exhaust
    // the stack.
    while let Some((declared, index)) = builder.waiting.pop() {
        builder.fill(declared, index)?;
    }
    marks::apply(&mut builder.schema);
    if all_enums {
        let enums = types.files.enums.iter().enumerate();
        for (declared, _) in enums.filter(|(_, each)| each.file == 0) {
            builder.enumeration(declared);
        }
    }
    builder.scope_enums();
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
        let message = &self.types.files.messages[declared];
        let form = match message.full_name.as_str() {
            "google.protobuf.Timestamp" => Form::Timestamp,
            "google.protobuf.Empty" => Form::Null,
            _ if is_wrapper(message) => Form::Wrapper,
            _ => Form::Record { rest: None },
        };
        let name = match message.import {
            Some(_) => message.full_name.clone(),
            None => self.flat_name(&message.full_name, message.file),
        };
        self.schema.messages.push(Message {
            doc: message.doc.clone(),
            import: message.import.map(str::to_owned),
            oneofs: message.oneofs.iter().map(|oneof| oneof.name.clone()).collect(),
            reserved: message.reserved.clone(),
            ..Message::new(name, form)
        });
        let index = self.schema.messages.len() - 1;
        self.messages.insert(declared, index);
        self.waiting.push((declared, index));
        index
    }

    /// Returns the name in a file without nested types and packages: the last part, or the name
    /// within the package if another type has the same last part.
    fn flat_name(&mut self, full_name: &str, file: usize) -> String {
        let short = last(full_name);
        let name = if self.ambiguous.contains(short) {
            let package = self.types.files.files[file].package.as_str();
            let path = full_name.strip_prefix(package).unwrap_or(full_name);
            path.trim_start_matches('.').replace('.', "_")
        } else {
            short.to_owned()
        };
        self.unused_name(name)
    }

    fn unused_name(&mut self, mut name: String) -> String {
        while !self.names.insert(name.clone()) {
            name.push('_');
        }
        name
    }

    fn fill(&mut self, declared: usize, index: usize) -> Result<()> {
        let message = &self.types.files.messages[declared];
        let file = message.file;
        let mut numbers = HashSet::new();
        // The JSON names so far, and whether an option gives one.
        let mut names: HashMap<String, bool> = HashMap::new();
        let reserved = ReservedIndex::of(&message.reserved);
        for field in &message.fields {
            if !numbers.insert(field.number) {
                let message = format_args!("the number {} is declared twice", field.number);
                return Err(Fault::new(field.offset, message).in_file(file));
            }
            let offset = field.offset;
            let number = i64::from(field.number);
            if let Some(what) = reserved.find(number, &field.name) {
                let message = format_args!("{what} is reserved in {}", message.full_name);
                return Err(Fault::new(offset, message).in_file(file));
            }
            let default_name = json_name(&field.name);
            let field = self.field(field, message).map_err(|fault| fault.in_file(file))?;
            let is_given = field.name != default_name;
            let known = names.get(&field.name).copied();
            let may_share = message.features.legacy_json && !(is_given && known == Some(true));
            if known.is_some() && !may_share {
                let message = format_args!("the JSON name {} is declared twice", field.name);
                return Err(Fault::new(offset, message).in_file(file));
            }
            names.insert(field.name.clone(), is_given || known == Some(true));
            self.schema.messages[index].fields.push(field);
        }
        let fields = &mut self.schema.messages[index].fields;
        if names.len() < fields.len() {
            separate_names(fields);
        }
        let names: HashSet<String> = fields.iter().map(|field| field.name.clone()).collect();
        // The name in the value wins over the name in the `.proto` of another field.
        for field in fields {
            field.aliases.retain(|alias| !names.contains(alias));
        }
        Ok(())
    }

    fn field(&mut self, declared: &tree::Field, message: &tree::Message) -> Result<Field> {
        let features = declared.features;
        let name = declared.json_name.clone().unwrap_or_else(|| json_name(&declared.name));
        let kind = match &declared.ty {
            Type::Named(ty) => self.kind(ty, message)?,
            Type::Map(key, value) => Kind::Message(self.entry(key, value, declared, message)?),
        };
        let is_map = matches!(declared.ty, Type::Map(..));
        let mut field = Field::new(name, declared.number, kind);
        field.given = true;
        if field.name != declared.name {
            field.aliases.push(declared.name.clone());
        }
        field.proto_name = declared.name.clone();
        field.doc = declared.doc.clone();
        field.oneof = declared.oneof;
        field.delimited = features.delimited && matches!(kind, Kind::Message(_)) && !is_map;
        field.default = declared.default.clone();
        field.required = false;
        if field.default.is_some() {
            check_default(declared, kind)?;
        }
        if declared.label == Some(tree::Label::Repeated) || is_map {
            let packed = declared.packed.unwrap_or(!features.expanded);
            let packs = packed && kind.is_packable();
            field.label = if packs { Label::Packed } else { Label::Repeated };
            return Ok(field);
        }
        field.required = declared.label == Some(tree::Label::Required)
            || features.presence == FieldPresence::Required && declared.oneof.is_none();
        let explicit = declared.label.is_some()
            || declared.oneof.is_some()
            || matches!(kind, Kind::Message(_))
            || features.presence != FieldPresence::Implicit;
        if explicit {
            field.label = Label::Optional;
            field.nullable = !field.required;
            field.absent = if field.required { Absent::Invalid } else { Absent::Missing };
        }
        Ok(field)
    }

    fn kind(&mut self, ty: &TypeName, message: &tree::Message) -> Result<Kind> {
        if let Some(scalar) = Kind::scalar(&ty.name) {
            return Ok(scalar);
        }
        Ok(match self.types.find(ty, message)? {
            Declared::Message(declared) => Kind::Message(self.message(declared)),
            Declared::Enum(declared) => Kind::Enum(self.enumeration(declared)),
        })
    }

    /// Returns the index of the message of the entries of a `map<K, V>`.
    fn entry(
        &mut self,
        key: &TypeName,
        value: &TypeName,
        field: &tree::Field,
        message: &tree::Message,
    ) -> Result<usize> {
        let kind = Kind::scalar(&key.name);
        let key = kind.filter(|kind| !matches!(kind, Kind::Float | Kind::Double | Kind::Bytes));
        let Some(key_kind) = key else {
            return Err(Fault::new(field.offset, "expected integers, booleans or text as keys"));
        };
        let value_kind = self.kind(value, message)?;
        let entry = join(&message.full_name, &entry_name(&field.name));
        let name = self.flat_name(&entry, message.file);
        self.schema.messages.push(Message {
            fields: vec![Field::new("key", 1, key_kind), Field::new("value", 2, value_kind)],
            ..Message::new(name, Form::Entry { native: true })
        });
        Ok(self.schema.messages.len() - 1)
    }

    fn enumeration(&mut self, declared: usize) -> usize {
        if let Some(index) = self.enums.get(&declared) {
            return *index;
        }
        let each = &self.types.files.enums[declared];
        let mut values: Vec<EnumValue> = Vec::new();
        let mut places = HashMap::new();
        for value in &each.values {
            // With `allow_alias`, the first name of a number is that of the value.
            let place = *places.entry(value.number).or_insert(values.len());
            match values.get_mut(place) {
                Some(known) => {
                    known.aliases.push(value.name.clone());
                    known.proto_aliases.push(value.name.clone());
                }
                None => values.push(EnumValue {
                    name: value.name.clone(),
                    proto_name: value.name.clone(),
                    proto_aliases: Vec::new(),
                    aliases: Vec::new(),
                    doc: value.doc.clone(),
                    number: value.number,
                    given: true,
                }),
            }
        }
        let name = match each.import {
            Some(_) => each.full_name.clone(),
            None => self.flat_name(&each.full_name, each.file),
        };
        let open = !each.features.closed;
        self.schema.enums.push(Enum {
            name,
            scope: None,
            doc: each.doc.clone(),
            import: each.import.map(str::to_owned),
            values,
            open,
            closed: !open,
            reserved: each.reserved.clone(),
        });
        let index = self.schema.enums.len() - 1;
        self.enums.insert(declared, index);
        index
    }

    /// Declares enums in messages whose values have the names of other values or of types, because
    /// values are siblings of their enum and all types are at the top level. An enum that a message
    /// contains stays in it. Of the others, each but the first gets a message for itself.
    fn scope_enums(&mut self) {
        let clashing = clashing_enums(&self.schema);
        if clashing.is_empty() {
            return;
        }
        // No name of a new message may be that of a value.
        let values = self.schema.enums.iter().flat_map(value_names).map(str::to_owned);
        self.names.extend(values);
        let declared: HashMap<usize, usize> =
            self.enums.iter().map(|(declared, index)| (*index, *declared)).collect();
        // The names of messages that are not in the schema.
        let mut others: HashMap<usize, String> = HashMap::new();
        for index in clashing {
            let each = declared.get(&index).map(|declared| &self.types.files.enums[*declared]);
            let Some(parent) = each.and_then(|each| each.parent) else { continue };
            let scope = match (self.messages.get(&parent), others.get(&parent)) {
                (Some(message), _) => self.schema.messages[*message].name.clone(),
                (None, Some(name)) => name.clone(),
                (None, None) => {
                    let message = &self.types.files.messages[parent];
                    let name = self.flat_name(&message.full_name, message.file);
                    others.insert(parent, name.clone());
                    name
                }
            };
            self.schema.enums[index].scope = Some(scope);
        }
        let mut taken: HashSet<String> = type_names(&self.schema).map(str::to_owned).collect();
        for index in 0..self.schema.enums.len() {
            let each = &self.schema.enums[index];
            if each.import.is_some() || each.scope.is_some() {
                continue;
            }
            if value_names(each).any(|name| taken.contains(name)) {
                let scope = format!("{}Enum", each.name);
                let scope = self.unused_name(scope);
                self.schema.enums[index].scope = Some(scope);
            } else {
                taken.extend(value_names(each).map(str::to_owned));
            }
        }
    }
}

/// Gives fields that share a JSON name their names in the `.proto`, which no two fields share. Such a
/// name may be the JSON name of another field, which then gets its name in the `.proto`, too.
fn separate_names(fields: &mut [Field]) {
    let mut sharing: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, field) in fields.iter().enumerate() {
        sharing.entry(field.name.clone()).or_default().push(index);
    }
    let shared = sharing.iter().filter(|(_, indexes)| indexes.len() > 1);
    let mut waiting: Vec<String> = shared.map(|(name, _)| name.clone()).collect();
    while let Some(name) = waiting.pop() {
        for index in sharing.remove(&name).unwrap_or_default() {
            let field = &mut fields[index];
            field.name = field.proto_name.clone();
            let indexes = sharing.entry(field.name.clone()).or_default();
            indexes.push(index);
            if indexes.len() > 1 {
                waiting.push(field.name.clone());
            }
        }
    }
}

/// Returns the enums whose values have the names of other values or of types.
fn clashing_enums(schema: &Schema) -> Vec<usize> {
    let enums = || schema.enums.iter().enumerate().filter(|(_, each)| each.import.is_none());
    let mut uses: HashMap<&str, usize> = HashMap::new();
    for name in type_names(schema).chain(enums().flat_map(|(_, each)| value_names(each))) {
        *uses.entry(name).or_default() += 1;
    }
    let clashes = |each: &Enum| value_names(each).any(|name| uses[name] > 1);
    enums().filter(|(_, each)| clashes(each)).map(|(index, _)| index).collect()
}

/// Returns the names of the types that are at the top level of a schema.
fn type_names(schema: &Schema) -> impl Iterator<Item = &str> {
    let messages = schema.messages.iter().filter(|message| message.is_declared());
    let enums = schema.enums.iter().filter(|each| each.import.is_none() && each.scope.is_none());
    messages.map(|message| message.name.as_str()).chain(enums.map(|each| each.name.as_str()))
}

/// Returns the names of the values of an enum, with their aliases.
fn value_names(each: &Enum) -> impl Iterator<Item = &str> {
    each.values.iter().flat_map(|value| {
        let aliases = value.proto_aliases.iter().map(String::as_str);
        std::iter::once(value.proto_name.as_str()).chain(aliases)
    })
}

/// Checks that a field may have a default.
fn check_default(declared: &tree::Field, kind: Kind) -> Result<()> {
    let is_implicit = declared.features.presence == FieldPresence::Implicit
        && declared.label.is_none()
        && declared.oneof.is_none();
    let what = match (declared.label, kind) {
        (Some(tree::Label::Repeated), _) => "a repeated field",
        (_, Kind::Message(_)) => "a field of a message",
        _ if is_implicit => "a field without presence",
        _ => return Ok(()),
    };
    Err(Fault::new(declared.offset, format_args!("expected no default for {what}")))
}

/// Returns the last parts of names that several types of the files share.
fn ambiguous(files: &Files) -> HashSet<&str> {
    let messages = files.messages.iter().filter(|message| message.import.is_none());
    let messages = messages.map(|message| message.full_name.as_str());
    let enums = files.enums.iter().filter(|each| each.import.is_none());
    let enums = enums.map(|each| each.full_name.as_str());
    let mut seen = HashSet::new();
    messages.chain(enums).map(last).filter(|name| !seen.insert(*name)).collect()
}

fn last(full_name: &str) -> &str {
    full_name.rsplit('.').next().unwrap_or(full_name)
}

/// Returns whether this is a wrapper message of Google around a scalar.
fn is_wrapper(message: &tree::Message) -> bool {
    message.import == Some("google/protobuf/wrappers.proto")
}

/// A declared type of the files, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Declared {
    Message(usize),
    Enum(usize),
}

/// The types of all files by their full names, with the scoping rules of the language.
pub(super) struct Types<'f> {
    pub(super) files: &'f Files,
    names: HashMap<&'f str, (Declared, usize)>,
    /// The files whose declarations a file sees, computed at the first use.
    visible: RefCell<HashMap<usize, HashSet<usize>>>,
}

impl<'f> Types<'f> {
    pub(super) fn new(files: &'f Files) -> Result<Self> {
        let messages = files.messages.iter().enumerate().map(|(index, message)| {
            (message.full_name.as_str(), message.offset, message.file, Declared::Message(index))
        });
        let enums = files.enums.iter().enumerate().map(|(index, each)| {
            (each.full_name.as_str(), each.offset, each.file, Declared::Enum(index))
        });
        let mut names = HashMap::new();
        for (name, offset, file, declared) in messages.chain(enums) {
            if names.insert(name, (declared, file)).is_some() {
                return Err(declared_twice(name, offset, file));
            }
        }
        check_members(files, &names)?;
        for each in &files.enums {
            check_numbers(each).map_err(|fault| fault.in_file(each.file))?;
        }
        Ok(Types { files, names, visible: RefCell::default() })
    }

    /// Resolves a name in a message. The innermost scope with such a type wins.
    pub(super) fn find(&self, name: &TypeName, message: &tree::Message) -> Result<Declared> {
        if let Some(absolute) = name.name.strip_prefix('.') {
            let found = self.visible(absolute, message.file);
            return found.ok_or_else(|| self.unknown(name, message.file));
        }
        let mut scope = message.full_name.as_str();
        loop {
            if let Some(found) = self.visible(&join(scope, &name.name), message.file) {
                return Ok(found);
            }
            if scope.is_empty() {
                return Err(self.unknown(name, message.file));
            }
            scope = scope.rsplit_once('.').map_or("", |(outer, _)| outer);
        }
    }

    /// Returns the type with this full name, if a file sees it.
    fn visible(&self, full_name: &str, from: usize) -> Option<Declared> {
        let (declared, file) = *self.names.get(full_name)?;
        let sees = || {
            let mut visible = self.visible.borrow_mut();
            visible.entry(from).or_insert_with(|| self.files.visible(from)).contains(&file)
        };
        (file == from || sees()).then_some(declared)
    }

    #[cold]
    fn unknown(&self, name: &TypeName, file: usize) -> Box<Fault> {
        let full_name = name.name.trim_start_matches('.');
        let hint = match (&self.files.files[file].missing[..], self.names.contains_key(full_name)) {
            (_, true) => "; the file does not import the one that declares it".to_owned(),
            ([], false) => String::new(),
            ([only], false) => format!("; {only:?}, which the file imports, was not found"),
            ([first, rest @ ..], false) => {
                format!("; {first:?} and {} other imports were not found", rest.len())
            }
        };
        Fault::new(name.offset, format_args!("unknown type {}{hint}", name.name)).in_file(file)
    }

    /// Returns the root message: the one with this name, or else the one with the mark of the root,
    /// or the only one that no other message uses.
    pub(super) fn root(&self, name: Option<&str>) -> Result<usize> {
        match name {
            Some(name) => self.root_named(name.trim_start_matches('.')),
            None => self.only_root(),
        }
    }

    /// Returns the messages that can be the root if the caller names none, with their indexes.
    fn own(&self) -> impl Iterator<Item = (usize, &'f tree::Message)> {
        let is_own = move |(_, message): &(usize, &tree::Message)| self.is_own(message);
        self.files.messages.iter().enumerate().filter(is_own)
    }

    fn is_own(&self, message: &tree::Message) -> bool {
        self.files.files[message.file].is_root
    }

    fn root_named(&self, name: &str) -> Result<usize> {
        if let Some((Declared::Message(index), _)) = self.names.get(name) {
            return Ok(*index);
        }
        let suffix = format!(".{name}");
        let named = |(index, message): (usize, &tree::Message)| {
            (message.full_name == name || message.full_name.ends_with(&suffix)).then_some(index)
        };
        let mut found: Vec<usize> = self.own().filter_map(named).collect();
        if found.is_empty() {
            // A message of an imported file.
            found = self.files.messages.iter().enumerate().filter_map(named).collect();
        }
        match &found[..] {
            [only] => Ok(*only),
            [] => Err(self.unknown_message(name)),
            several => {
                let names = self.list(several);
                let message = format_args!("there are several messages {name}: {names}");
                Err(Fault::new(0, message))
            }
        }
    }

    fn only_root(&self) -> Result<usize> {
        let marked = self.own().filter(|(_, message)| message.reserved.has_name(ROOT_MARK));
        let marked: Vec<usize> = marked.map(|(index, _)| index).collect();
        if let [only] = marked[..] {
            return Ok(only);
        }
        let mut used = HashSet::new();
        for (index, message) in self.own() {
            for field in &message.fields {
                let (Type::Named(ty) | Type::Map(_, ty)) = &field.ty;
                match self.find(ty, message) {
                    Ok(Declared::Message(other)) if other != index => _ = used.insert(other),
                    _ => {}
                }
            }
        }
        let outermost = self.own().filter(|(_, message)| message.parent.is_none());
        let outermost: Vec<usize> = outermost.map(|(index, _)| index).collect();
        let free: Vec<usize> =
            outermost.iter().copied().filter(|index| !used.contains(index)).collect();
        // A message without fields may be there for the types in it alone.
        let parents = self.files.messages.iter().filter_map(|message| message.parent);
        let parents = parents.chain(self.files.enums.iter().filter_map(|each| each.parent));
        let parents: HashSet<usize> = parents.collect();
        let has_values = |index: &usize| {
            !self.files.messages[*index].fields.is_empty() || !parents.contains(index)
        };
        let with_values: Vec<usize> = free.iter().copied().filter(has_values).collect();
        match (&outermost[..], &free[..], &with_values[..]) {
            ([only], ..) | (_, [only], _) | (.., [only]) => Ok(*only),
            ([], ..) => Err(Fault::new(0, "expected a message, found none")),
            _ => {
                let names = self.list(if free.is_empty() { &outermost } else { &free });
                let message = format_args!(
                    "expected the name of the root message (--message): one of {names}"
                );
                Err(Fault::new(0, message))
            }
        }
    }

    /// Returns the names of messages, at most [`NAMES_MAX`] of them.
    fn list(&self, messages: &[usize]) -> String {
        let names = messages.iter().map(|index| self.files.messages[*index].full_name.as_str());
        let names: Vec<&str> = names.take(NAMES_MAX).collect();
        match messages.len().saturating_sub(NAMES_MAX) {
            0 => names.join(", "),
            more => format!("{} and {more} more", names.join(", ")),
        }
    }

    #[cold]
    fn unknown_message(&self, name: &str) -> Box<Fault> {
        let messages = self.files.messages.iter().enumerate();
        let (own, other): (Vec<_>, Vec<_>) = messages.partition(|it| self.is_own(it.1));
        let names = own.iter().chain(&other).map(|(_, message)| message.full_name.as_str());
        let hint = nearest(name, names)
            .map_or_else(String::new, |near| format!(" (did you mean {near}?)"));
        let own: Vec<usize> = own.iter().map(|(index, _)| *index).collect();
        let all = match &own[..] {
            [] => "there is no message".to_owned(),
            own => format!("expected one of {}", self.list(own)),
        };
        Fault::new(0, format_args!("unknown message {name}{hint}; {all}"))
    }
}

#[cold]
fn declared_twice(name: &str, offset: usize, file: usize) -> Box<Fault> {
    Fault::new(offset, format_args!("the name {name} is declared twice")).in_file(file)
}

/// Checks that fields, oneofs and values of enums have other names than the types and each other. The
/// entries of a map are a type of its message. Values are siblings of their enum.
fn check_members(files: &Files, types: &HashMap<&str, (Declared, usize)>) -> Result<()> {
    let mut members = HashSet::new();
    let mut add = |scope: &str, name: &str, offset: usize, file: usize| {
        let name = join(scope, name);
        if types.contains_key(name.as_str()) || members.contains(&name) {
            return Err(declared_twice(&name, offset, file));
        }
        members.insert(name);
        Ok(())
    };
    for message in &files.messages {
        let (scope, file) = (message.full_name.as_str(), message.file);
        for field in &message.fields {
            add(scope, &field.name, field.offset, file)?;
            if let Type::Map(..) = field.ty {
                add(scope, &entry_name(&field.name), field.offset, file)?;
            }
        }
        for oneof in &message.oneofs {
            add(scope, &oneof.name, oneof.offset, file)?;
        }
    }
    for each in &files.enums {
        let scope = each.full_name.rsplit_once('.').map_or("", |(scope, _)| scope);
        for value in &each.values {
            add(scope, &value.name, value.offset, each.file)?;
        }
    }
    Ok(())
}

/// Checks the numbers of an enum: the first of an open enum is its default, 0, and values have the
/// same number only if an option says so.
fn check_numbers(each: &tree::Enum) -> Result<()> {
    let name = &each.full_name;
    if let Some(first) = each.values.first().filter(|it| !each.features.closed && it.number != 0) {
        let message = format_args!(
            "expected the number 0 for the first value of the open enum {name}, found {}",
            first.number
        );
        return Err(Fault::new(first.offset, message));
    }
    let reserved = ReservedIndex::of(&each.reserved);
    let mut names = HashMap::new();
    for value in &each.values {
        if let Some(what) = reserved.find(value.number.into(), &value.name) {
            return Err(Fault::new(value.offset, format_args!("{what} is reserved in {name}")));
        }
        if let Some(known) = names.insert(value.number, &value.name)
            && !each.allows_aliases
        {
            let message = format_args!(
                "{} has the number of {known}, which needs `option allow_alias = true;`",
                value.name
            );
            return Err(Fault::new(value.offset, message));
        }
    }
    Ok(())
}

/// Reserved numbers and names, for many look-ups.
struct ReservedIndex<'r> {
    /// The start of each range, in order, and the last number of it and of all before.
    ranges: Vec<(i64, i64)>,
    names: HashSet<&'r str>,
}

impl<'r> ReservedIndex<'r> {
    fn of(reserved: &'r Reserved) -> Self {
        let range = |it: &RangeInclusive<i32>| (i64::from(*it.start()), i64::from(*it.end()));
        let mut ranges: Vec<(i64, i64)> = reserved.numbers.iter().map(range).collect();
        ranges.sort_unstable();
        let mut last = i64::MIN;
        for (_, end) in &mut ranges {
            last = last.max(*end);
            *end = last;
        }
        ReservedIndex { ranges, names: reserved.names.iter().map(String::as_str).collect() }
    }

    /// Returns the number or the name, if it is reserved.
    fn find(&self, number: i64, name: &str) -> Option<String> {
        let before = self.ranges.partition_point(|(start, _)| *start <= number);
        let has_number = before > 0 && self.ranges[before - 1].1 >= number;
        if has_number {
            return Some(number.to_string());
        }
        self.names.contains(name).then(|| name.to_owned())
    }
}

/// The maximum number of messages that an error lists.
const NAMES_MAX: usize = 50;

/// Returns the candidate that differs from a name by the fewest letters, if these are at most a
/// third of the letters. Ignores packages and case.
fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let wanted = last(name).to_lowercase();
    let ranked = candidates
        .into_iter()
        .map(|candidate| (distance(&wanted, &last(candidate).to_lowercase()), candidate));
    let (distance, candidate) = ranked.min_by_key(|(distance, _)| *distance)?;
    let letters = wanted.chars().take(COMPARED_MAX).count();
    let is_near = distance <= letters.max(3) / 3 && distance < letters;
    is_near.then_some(candidate)
}
