//! Encodes a schema as a `google.protobuf.FileDescriptorSet`, which `.proto` compilers pass to the
//! libraries of other languages. The numbers are those of `google/protobuf/descriptor.proto`.

use std::collections::BTreeSet;

use super::names::entry_name;
use super::schema::{
    Absent, Enum, Field, Kind, Label, Message, Reserved, SCALARS, Schema, ScopedEnums, package_of,
};
use super::text::{Syntax, unescape, written_values};

impl Schema {
    /// Returns the bytes of a `FileDescriptorSet`: the imported files, then this schema as `file`
    /// in `package`.
    pub fn to_descriptor_set(&self, file: &str, package: &str) -> Vec<u8> {
        let imports = self.imports();
        let mut set = Writer::default();
        for &import in &imports {
            let enums = self.enums_of(Some(import));
            let imported =
                File { schema: self, enums: &enums, package: "", syntax: Syntax::Proto3 };
            let messages: Vec<&Message> =
                self.messages.iter().filter(|it| it.import.as_deref() == Some(import)).collect();
            // The messages that only contain an enum of the schema.
            let is_missing = |scope: &&str| messages.iter().all(|message| message.name != *scope);
            let scopes: BTreeSet<&str> =
                enums.keys().flatten().copied().filter(is_missing).collect();
            set.message(1, |out| {
                out.text(1, import);
                out.text(2, &package_of(import));
                messages.iter().for_each(|each| out.message(4, |out| imported.message(each, out)));
                for scope in scopes {
                    out.message(4, |out| {
                        out.text(1, scope.rsplit('.').next().unwrap_or_default());
                        imported.enums_in(Some(scope), 4, out);
                    });
                }
                imported.enums_in(None, 5, out);
                out.text(12, "proto3");
            });
        }
        let enums = self.enums_of(None);
        let own = File { schema: self, enums: &enums, package, syntax: self.syntax() };
        set.message(1, |out| {
            out.text(1, file);
            if !package.is_empty() {
                out.text(2, package);
            }
            imports.iter().for_each(|import| out.text(3, import));
            for message in self.messages.iter().filter(|message| message.is_declared()) {
                out.message(4, |out| own.message(message, out));
            }
            for scope in self.enum_scopes() {
                out.message(4, |out| {
                    out.text(1, scope);
                    own.enums_in(Some(scope), 4, out);
                });
            }
            own.enums_in(None, 5, out);
            match own.syntax {
                Syntax::Proto2 => {}
                Syntax::Proto3 => out.text(12, "proto3"),
                Syntax::Edition2023 => {
                    out.text(12, "editions");
                    out.varint(14, 1000);
                }
            }
        });
        set.bytes
    }
}

/// The file whose declarations are written.
#[derive(Clone, Copy)]
struct File<'s> {
    schema: &'s Schema,
    enums: &'s ScopedEnums<'s>,
    package: &'s str,
    syntax: Syntax,
}

impl File<'_> {
    fn message(self, message: &Message, out: &mut Writer) {
        out.text(1, message.name.rsplit('.').next().unwrap_or_default());
        let full_name = self.full_name(message);
        let mut oneofs = message.oneofs.clone();
        for field in &message.fields {
            // In proto3, an optional field has a synthetic oneof, after all others.
            let is_synthetic = self.syntax == Syntax::Proto3
                && field.oneof.is_none()
                && field.label == Label::Optional
                && !matches!(field.kind, Kind::Message(_));
            let oneof = if is_synthetic { Some(oneofs.len()) } else { field.oneof };
            if is_synthetic {
                oneofs.push(format!("_{}", field.proto_name));
            }
            out.message(2, |out| self.field(field, &full_name, oneof, out));
        }
        for field in &message.fields {
            let Some(entry) = self.schema.map_entry(field.kind) else { continue };
            out.message(3, |out| {
                let entry = Message { name: entry_name(&field.proto_name), ..entry.clone() };
                self.message(&entry, out);
                out.message(7, |out| out.varint(7, 1));
            });
        }
        self.enums_in(Some(&message.name), 4, out);
        if self.syntax == Syntax::Edition2023 && message.shares_json_names() {
            // json_format = LEGACY_BEST_EFFORT
            out.message(7, |out| out.message(12, |out| out.varint(6, 2)));
        }
        oneofs.iter().for_each(|name| out.message(8, |out| out.text(1, name)));
        // The end of a message's range is exclusive, that of an enum's range inclusive.
        write_reserved(&message.reserved, 9, 1, out);
    }

    /// Writes a field of the message with the full name `parent`. `oneof` is the index of its oneof,
    /// which may be a synthetic one.
    fn field(self, field: &Field, parent: &str, oneof: Option<usize>, out: &mut Writer) {
        let is_map = self.schema.map_entry(field.kind).is_some();
        let repeated = is_map || field.label.is_repeated();
        let required = field.absent == Absent::Invalid && self.syntax == Syntax::Proto2;
        out.text(1, &field.proto_name);
        out.varint(3, u64::from(field.number));
        let label = match (repeated, required) {
            (true, _) => 3,
            (false, true) => 2,
            (false, false) => 1,
        };
        out.varint(4, label);
        out.varint(5, type_number(field.kind));
        let type_name = match field.kind {
            Kind::Message(_) if is_map => {
                Some(format!("{parent}.{}", entry_name(&field.proto_name)))
            }
            Kind::Message(index) => Some(self.full_name(&self.schema.messages[index])),
            Kind::Enum(index) => {
                let is_imported = self.schema.enums[index].import.is_some();
                let package = if is_imported { "" } else { self.package };
                Some(qualified(&self.schema.type_name(field.kind), package))
            }
            _ => None,
        };
        if let Some(name) = type_name {
            out.text(6, &format!(".{name}"));
        }
        if let Some(default) = &field.default {
            out.text(7, &default_text(default, field.kind));
        }
        if self.syntax == Syntax::Edition2023 {
            features(field, out);
        } else if repeated && field.kind.is_packable() {
            out.message(8, |out| out.varint(2, u64::from(field.label == Label::Packed)));
        }
        if let Some(oneof) = oneof {
            out.varint(9, oneof as u64);
        }
        out.text(10, &field.name);
        if oneof.is_some() && field.oneof.is_none() {
            out.varint(17, 1);
        }
    }

    /// Writes the enums that are declared in a message, or at the top level for `None`, as field
    /// `number`.
    fn enums_in(self, message: Option<&str>, number: u32, out: &mut Writer) {
        for (name, each) in self.enums.get(&message).into_iter().flatten() {
            out.message(number, |out| self.enumeration(name, each, out));
        }
    }

    fn enumeration(self, name: &str, each: &Enum, out: &mut Writer) {
        out.text(1, name);
        write_reserved(&each.reserved, 4, 0, out);
        let is_marked_closed = each.closed && self.syntax == Syntax::Edition2023;
        if is_marked_closed || each.allows_aliases() {
            out.message(3, |out| {
                if each.allows_aliases() {
                    out.varint(2, 1);
                }
                if is_marked_closed {
                    out.message(7, |out| out.varint(2, 2));
                }
            });
        }
        for (name, number, _) in written_values(each) {
            out.message(2, |out| {
                out.text(1, &name);
                // A negative number takes ten bytes, as its 64-bit form.
                out.varint(2, i64::from(number).cast_unsigned());
            });
        }
    }

    /// Returns the name of a message with its package. An imported message has it in its name.
    fn full_name(self, message: &Message) -> String {
        qualified(&message.name, if message.import.is_some() { "" } else { self.package })
    }
}

fn qualified(name: &str, package: &str) -> String {
    if package.is_empty() { name.to_owned() } else { format!("{package}.{name}") }
}

/// Writes the features of a field that differ from the defaults of edition 2023
/// (`google.protobuf.FeatureSet`).
fn features(field: &Field, out: &mut Writer) {
    let is_message = matches!(field.kind, Kind::Message(_));
    let is_implicit = field.label == Label::Singular && !is_message && field.oneof.is_none();
    let is_required = field.absent == Absent::Invalid;
    let presence = if is_implicit { Some(2) } else { is_required.then_some(3) };
    let is_expanded = field.label == Label::Repeated && field.kind.is_packable();
    let features =
        [(1, presence), (3, is_expanded.then_some(2)), (5, field.delimited.then_some(2))];
    if features.iter().all(|(_, value)| value.is_none()) {
        return;
    }
    out.message(8, |out| {
        out.message(21, |out| {
            for (number, value) in features {
                if let Some(value) = value {
                    out.varint(number, value);
                }
            }
        });
    });
}

/// Returns a default value as descriptors have it: text without quotes and escapes.
fn default_text(default: &str, kind: Kind) -> String {
    let quotes = ['"', '\''];
    let inner = default.strip_prefix(quotes).and_then(|rest| rest.strip_suffix(quotes));
    let inner = inner.unwrap_or(default);
    if kind != Kind::String {
        return inner.to_owned();
    }
    String::from_utf8_lossy(&unescape(inner)).into_owned()
}

/// Writes reserved numbers as field `field`, and reserved names as the field after it. `beyond` is
/// added to the end of each range.
fn write_reserved(reserved: &Reserved, field: u32, beyond: i32, out: &mut Writer) {
    let sign_extended = |number: i32| i64::from(number).cast_unsigned();
    for range in &reserved.numbers {
        out.message(field, |out| {
            out.varint(1, sign_extended(*range.start()));
            out.varint(2, sign_extended(range.end().saturating_add(beyond)));
        });
    }
    reserved.names.iter().for_each(|name| out.text(field + 1, name));
}

/// `FieldDescriptorProto.Type`.
fn type_number(kind: Kind) -> u64 {
    match kind {
        Kind::Message(_) => 11,
        Kind::Enum(_) => 14,
        kind => {
            let declared = kind.declared();
            SCALARS.iter().find(|scalar| scalar.kind == declared).map_or(0, |scalar| scalar.number)
        }
    }
}

/// The encoded fields of a message.
#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    fn raw(&mut self, mut number: u64) {
        while number > 0x7f {
            self.bytes.push((number & 0x7f) as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    fn varint(&mut self, field: u32, number: u64) {
        self.raw(u64::from(field) << 3);
        self.raw(number);
    }

    fn text(&mut self, field: u32, text: &str) {
        self.raw(u64::from(field) << 3 | 2);
        self.raw(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn message(&mut self, field: u32, write: impl FnOnce(&mut Writer)) {
        let mut inner = Writer::default();
        write(&mut inner);
        self.raw(u64::from(field) << 3 | 2);
        self.raw(inner.bytes.len() as u64);
        self.bytes.append(&mut inner.bytes);
    }
}
