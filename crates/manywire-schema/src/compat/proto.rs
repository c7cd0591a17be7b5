//! Compares Protocol Buffers schemas by field number.

use manywire_shape::proto::{Enum, EnumValue, Field, Kind, Message, Schema};

use super::report::{BACKWARD, BOTH, FORWARD, NEITHER, Pairs, Report, member_path};
use crate::lock::FieldType;

pub(super) fn compare(old: &Schema, new: &Schema) -> Report {
    let mut comparison =
        Comparison { old, new, report: Report::default(), pairs: Pairs::default() };
    comparison.pairs.add(old.root, new.root, "$".to_owned());
    while let Some((left, right, path)) = comparison.pairs.pop() {
        comparison.messages(&old.messages[left], &new.messages[right], &path);
    }
    comparison.report
}

struct Comparison<'s> {
    old: &'s Schema,
    new: &'s Schema,
    report: Report,
    /// The messages that are still to be compared.
    pairs: Pairs<usize>,
}

impl Comparison<'_> {
    fn messages(&mut self, old: &Message, new: &Message, path: &str) {
        for field in &old.fields {
            let at = member_path(path, &field.name);
            match new.fields.iter().find(|other| other.number == field.number) {
                Some(other) => self.fields(field, other, &at, new),
                None => self.removed(field, &at, new),
            }
        }
        for field in &new.fields {
            if old.fields.iter().any(|known| known.number == field.number) {
                continue;
            }
            let at = member_path(path, &field.name);
            let reserved = i32::try_from(field.number).is_ok_and(|it| old.reserved.has_number(it));
            // A renumbered field is reported at its old number.
            if reserved {
                let message = format!("takes the number {}, which was reserved", field.number);
                self.report.add(&at, message, NEITHER);
            } else if field.required {
                let message = "added as required: old bytes do not have it";
                self.report.add(&at, message, FORWARD);
            } else if !old.fields.iter().any(|known| known.proto_name == field.proto_name) {
                let message = format!("added with number {}", field.number);
                self.report.add(&at, message, BOTH);
            }
        }
    }

    fn removed(&mut self, field: &Field, at: &str, new: &Message) {
        let moved = new.fields.iter().find(|other| other.proto_name == field.proto_name);
        if let Some(other) = moved {
            let message = format!("moved from number {} to {}", field.number, other.number);
            return self.report.add(at, message, NEITHER);
        }
        let number = field.number;
        let reserved = i32::try_from(number).is_ok_and(|it| new.reserved.has_number(it));
        if field.required {
            let message = "removed, and readers of the old schema require it";
            self.report.add(at, message, BACKWARD);
        } else if reserved {
            self.report.add(at, format!("removed; its number {number} is reserved"), BOTH);
        } else {
            let message =
                format!("removed; write `reserved {number};`, so that it is not used again");
            self.report.add(at, message, BOTH);
        }
    }

    fn fields(&mut self, old: &Field, new: &Field, at: &str, message: &Message) {
        if old.proto_name != new.proto_name {
            let text = format!(
                "renamed to {:?}: bytes stay the same, JSON and text do not",
                new.proto_name
            );
            self.report.add(at, text, BOTH);
        }
        let alone =
            |oneof: usize| message.fields.iter().filter(|it| it.oneof == Some(oneof)).count() == 1;
        if old.oneof.is_none() && new.oneof.is_some_and(|oneof| !alone(oneof)) {
            self.report.add(at, "moved into a oneof: setting another member clears it", NEITHER);
        }
        if old.required != new.required {
            let both = if new.required { FORWARD } else { BACKWARD };
            let text = if new.required { "now required" } else { "no longer required" };
            self.report.add(at, text, both);
        }
        self.labels(old, new, at);
        self.kinds(old, new, at);
    }

    /// Compares how often a field may occur.
    fn labels(&mut self, old: &Field, new: &Field, at: &str) {
        // To a reader of a single number, packed numbers have the wire type of bytes.
        let readable = !new.kind.is_packable();
        match (old.label.is_repeated(), new.label.is_repeated()) {
            (false, true) => {
                let text = "now repeated: old readers take the last item, or none of packed ones";
                self.report.add(at, text, BACKWARD);
            }
            (true, false) => {
                let text = "no longer repeated: of several items the last is read";
                self.report.add(at, text, (false, readable));
            }
            _ => {}
        }
    }

    fn kinds(&mut self, old: &Field, new: &Field, at: &str) {
        let (left, right) = (old.kind.declared(), new.kind.declared());
        let (before, after) = (FieldType::of(self.old, old), FieldType::of(self.new, new));
        if before.entry().is_some() || after.entry().is_some() {
            return self.maps(old, new, at);
        }
        match (left, right) {
            (Kind::Message(_), Kind::Message(_)) if old.delimited != new.delimited => {
                let text = match new.delimited {
                    true => "became a group, which has another wire type than a message",
                    false => "is a group no longer: a message has another wire type",
                };
                self.report.add(at, text, NEITHER);
            }
            (Kind::Message(left), Kind::Message(right)) => {
                let at = if new.label.is_repeated() { format!("{at}[*]") } else { at.to_owned() };
                self.pairs.add(left, right, at);
            }
            (Kind::Enum(left), Kind::Enum(right)) => self.enums(left, right, at),
            _ => {
                if left != right {
                    let both = (reads(right, left), reads(left, right));
                    self.report.add(at, format!("{before} became {after}"), both);
                }
            }
        }
    }

    /// Compares two fields of which at least one is a `map`. The specification defines a `map` as a
    /// repeated message of key and value, so the two have the same bytes.
    fn maps(&mut self, old: &Field, new: &Field, at: &str) {
        let (before, after) = (FieldType::of(self.old, old), FieldType::of(self.new, new));
        let (left, right) = (before.entry_fields(), after.entry_fields());
        let (Some(left), Some(right)) = (left, right) else {
            return self.report.add(at, format!("{before} became {after}"), NEITHER);
        };
        // A repeated message may have a key several times, and a `map` may not.
        if after.entry().is_none() {
            let text = format!(
                "{before} became {after}: old readers take the last entry of a key, and JSON has \
                 an array instead of an object"
            );
            self.report.add(at, text, BACKWARD);
        } else if before.entry().is_none() {
            let text = format!(
                "{before} became {after}: of several entries of a key the last is read, and JSON \
                 has an object instead of an array"
            );
            self.report.add(at, text, FORWARD);
        }
        let inside = format!("{at}.*");
        for (old, new) in left.both.into_iter().zip(right.both) {
            self.kinds(old, new, &inside);
        }
        // At most one side is not a `map`, and only that side has other fields.
        for field in left.others {
            let text = format!("number {} removed", field.number);
            self.report.add(&member_path(&inside, &field.name), text, (true, !field.required));
        }
        for field in right.others {
            let text = format!("added with number {}", field.number);
            self.report.add(&member_path(&inside, &field.name), text, (!field.required, true));
        }
    }

    fn enums(&mut self, left: usize, right: usize, at: &str) {
        let (old, new) = (&self.old.enums[left], &self.new.enums[right]);
        for value in &old.values {
            match new.values.iter().find(|other| other.number == value.number) {
                Some(other) if other.proto_name != value.proto_name => {
                    let text = format!(
                        "{} = {} became {}: bytes stay the same, JSON and text do not",
                        value.proto_name, value.number, other.proto_name
                    );
                    self.report.add(at, text, BOTH);
                }
                Some(_) => {}
                None => {
                    let text = format!("{} = {} removed", value.proto_name, value.number);
                    self.report.add(at, text, (new.open, true));
                }
            }
            self.aliases(value, new, at);
        }
        for value in &new.values {
            if old.reserved.has_number(value.number) {
                let text =
                    format!("{} takes {}, which was reserved", value.proto_name, value.number);
                self.report.add(at, text, NEITHER);
            } else if !old.values.iter().any(|known| known.number == value.number) {
                let text = format!("{} = {} added", value.proto_name, value.number);
                self.report.add(at, text, (true, old.open));
            }
        }
    }
}

impl Comparison<'_> {
    /// Finds the further names of a value that the new enum lacks, or has for another number.
    fn aliases(&mut self, value: &EnumValue, new: &Enum, at: &str) {
        let keeps_number = new.values.iter().any(|other| other.number == value.number);
        for alias in &value.proto_aliases {
            let is_named = |other: &&EnumValue| {
                other.proto_name == *alias || other.proto_aliases.contains(alias)
            };
            match new.values.iter().find(is_named).map(|other| other.number) {
                Some(number) if number == value.number => {}
                Some(number) => {
                    let text = format!("{alias} moved from {} to {number}", value.number);
                    self.report.add(at, text, NEITHER);
                }
                None if keeps_number => {
                    let text = format!(
                        "{alias} = {} removed, another name of {}: bytes stay the same, JSON and \
                         text do not",
                        value.number, value.proto_name
                    );
                    self.report.add(at, text, BOTH);
                }
                // The value itself was removed.
                None => {}
            }
        }
    }
}

/// Returns whether readers of one type read the bytes of another, unless both are messages or enums,
/// whose contents decide.
fn reads(read: Kind, written: Kind) -> bool {
    use Kind::{Bool, Bytes, Enum, Int32, Int64, Sint32, Sint64, String, Uint32, Uint64};
    match (written, read) {
        // A wider varint type reads a narrower one; a narrower type truncates large values.
        (Bool, Int32 | Uint32 | Int64 | Uint64) => true,
        (Int32 | Uint32 | Enum(_), Int64) | (Uint32, Uint64) | (Sint32, Sint64) => true,
        // Enums are open in proto3: unknown numbers are kept.
        (Enum(_), Int32) | (Int32, Enum(_)) => true,
        // Text is valid bytes; bytes are valid text only if they are UTF-8.
        (String, Bytes) => true,
        // The same bytes are different numbers with another sign or encoding.
        (written, read) => written == read,
    }
}
