//! Encodes a schema as a `google.protobuf.FileDescriptorSet`, which `.proto` compilers pass to the
//! libraries of other languages. The numbers are those of `google/protobuf/descriptor.proto`.

use std::collections::BTreeMap;

use super::names::entry_name;
use super::schema::{Absent, Enum, Field, Kind, Label, Message, Reserved, SCALARS, Schema};
use super::text::{Syntax, unescape, written_values};

impl Schema {
    /// Returns the bytes of a `FileDescriptorSet`: the imported files, then this schema as `file`
    /// in `package`.
    pub fn to_descriptor_set(&self, file: &str, package: &str) -> Vec<u8> {
        let mut imports: BTreeMap<&str, Vec<&Message>> = BTreeMap::new();
        for message in &self.messages {
            if let Some(import) = &message.import {
                imports.entry(import).or_default().push(message);
            }
        }
        let mut set = Writer::default();
        for (name, messages) in &imports {
            set.message(1, |out| {
                out.text(1, name);
                // All messages of an imported file have the file's package.
                out.text(2, messages[0].name.rsplit_once('.').map_or("", |name| name.0));
                messages.iter().for_each(|each| {
                    out.message(4, |out| self.message(each, "", Syntax::Proto3, out));
                });
                out.text(12, "proto3");
            });
        }
        let syntax = self.syntax();
        set.message(1, |out| {
            out.text(1, file);
            if !package.is_empty() {
                out.text(2, package);
            }
            imports.keys().for_each(|import| out.text(3, import));
            for message in self.messages.iter().filter(|message| message.is_declared()) {
                out.message(4, |out| self.message(message, package, syntax, out));
            }
            self.enums.iter().for_each(|each| out.message(5, |out| enumeration(each, syntax, out)));
            match syntax {
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

    fn message(&self, message: &Message, package: &str, syntax: Syntax, out: &mut Writer) {
        let short = message.name.rsplit('.').next().unwrap_or_default();
        let inner = qualified(&message.name, if message.import.is_some() { "" } else { package });
        out.text(1, short);
        // An optional field has a synthetic oneof, after all others.
        let mut oneofs = message.oneofs.clone();
        for field in &message.fields {
            let entry = self.map_entry(field.kind);
            let oneof = match field.label {
                _ if field.oneof.is_some() => field.oneof,
                Label::Optional
                    if syntax == Syntax::Proto3 && !matches!(field.kind, Kind::Message(_)) =>
                {
                    oneofs.push(format!("_{}", field.proto_name));
                    Some(oneofs.len() - 1)
                }
                _ => None,
            };
            out.message(2, |out| {
                out.text(1, &field.proto_name);
                out.varint(3, u64::from(field.number));
                let repeated = entry.is_some() || field.label.is_repeated();
                let required = field.absent == Absent::Invalid && syntax == Syntax::Proto2;
                out.varint(
                    4,
                    if repeated {
                        3
                    } else if required {
                        2
                    } else {
                        1
                    },
                );
                out.varint(5, type_number(field.kind));
                match (entry, field.kind) {
                    (Some(_), _) => {
                        out.text(6, &format!(".{inner}.{}", entry_name(&field.proto_name)))
                    }
                    (None, Kind::Message(index)) => {
                        let target = &self.messages[index];
                        let package = if target.import.is_some() { "" } else { package };
                        out.text(6, &format!(".{}", qualified(&target.name, package)));
                    }
                    (None, Kind::Enum(index)) => {
                        out.text(6, &format!(".{}", qualified(&self.enums[index].name, package)));
                    }
                    _ => {}
                }
                if let Some(default) = &field.default {
                    out.text(7, &default_text(default, field.kind));
                }
                if syntax == Syntax::Edition2023 {
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
            });
        }
        for field in &message.fields {
            let Some(entry) = self.map_entry(field.kind) else { continue };
            out.message(3, |out| {
                let entry = Message { name: entry_name(&field.proto_name), ..entry.clone() };
                self.message(&entry, package, syntax, out);
                out.message(7, |out| out.varint(7, 1));
            });
        }
        oneofs.iter().for_each(|name| out.message(8, |out| out.text(1, name)));
        // The end of a message's range is exclusive, that of an enum's range inclusive.
        write_reserved(&message.reserved, 9, 1, out);
    }
}

fn qualified(name: &str, package: &str) -> String {
    if package.is_empty() { name.to_owned() } else { format!("{package}.{name}") }
}

/// Writes the features of a field that differ from the defaults of edition 2023
/// (`google.protobuf.FeatureSet`).
fn features(field: &Field, out: &mut Writer) {
    let is_message = matches!(field.kind, Kind::Message(_));
    let implicit = field.label == Label::Singular && !is_message && field.oneof.is_none();
    let presence = match () {
        () if implicit => Some(2),
        () if field.absent == Absent::Invalid => Some(3),
        () => None,
    };
    let expanded = field.label == Label::Repeated && field.kind.is_packable();
    if presence.is_none() && !expanded && !field.delimited {
        return;
    }
    out.message(8, |out| {
        out.message(21, |out| {
            if let Some(presence) = presence {
                out.varint(1, presence);
            }
            if expanded {
                out.varint(3, 2);
            }
            if field.delimited {
                out.varint(5, 2);
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

fn enumeration(each: &Enum, syntax: Syntax, out: &mut Writer) {
    out.text(1, &each.name);
    write_reserved(&each.reserved, 4, 0, out);
    let is_marked_closed = each.closed && syntax == Syntax::Edition2023;
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
