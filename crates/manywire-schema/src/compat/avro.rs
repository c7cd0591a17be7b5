//! Avro: the specification's resolution of a writer's schema with a reader's.

use std::collections::{HashSet, VecDeque};

use manywire_shape::avro::{NodeId, Record, Schema, Type};

use super::{Report, below};

pub(super) fn compare(old: &Schema, new: &Schema) -> Report {
    let mut report = Report::default();
    for backward in [true, false] {
        let (reader, writer) = if backward { (new, old) } else { (old, new) };
        let mut resolution = Resolution {
            reader,
            writer,
            backward,
            report: &mut report,
            seen: HashSet::new(),
            waiting: VecDeque::new(),
        };
        resolution.place(reader.root(), writer.root(), "$");
        while let Some((read, written, path)) = resolution.waiting.pop_front() {
            if let (Type::Record(read), Type::Record(written)) =
                (reader.ty(read), writer.ty(written))
            {
                resolution.records(read, written, &path);
            }
        }
    }
    report
}

struct Resolution<'s, 'r> {
    reader: &'s Schema,
    writer: &'s Schema,
    /// True if the reader's schema is the new one.
    backward: bool,
    report: &'r mut Report,
    seen: HashSet<(NodeId, NodeId)>,
    waiting: VecDeque<(NodeId, NodeId, String)>,
}

impl Resolution<'_, '_> {
    fn broken(&mut self, path: &str, message: String) {
        let who = if self.backward { "new readers of old data" } else { "old readers of new data" };
        let both = if self.backward { (false, true) } else { (true, false) };
        self.report.add(path, format!("{message} ({who})"), both);
    }

    fn place(&mut self, read: NodeId, written: NodeId, path: &str) {
        let (reader, writer) = (self.reader, self.writer);
        match (reader.ty(read), writer.ty(written)) {
            (_, Type::Union(branches)) => {
                for branch in branches {
                    self.one(read, *branch, path);
                }
            }
            _ => self.one(read, written, path),
        }
    }

    /// A writer's type that is no union.
    fn one(&mut self, read: NodeId, written: NodeId, path: &str) {
        let (reader, writer) = (self.reader, self.writer);
        let (left, right) = (reader.ty(read), writer.ty(written));
        if let Type::Union(branches) = left {
            let exact = branches.iter().find(|branch| is_alike(reader.ty(**branch), right));
            let promoted = branches.iter().find(|branch| matches(reader.ty(**branch), right));
            return match exact.or(promoted) {
                Some(branch) => self.one(*branch, written, path),
                None => {
                    let message = format!("{} fits no branch of the reader's union", name(right));
                    self.broken(path, message);
                }
            };
        }
        if !matches(left, right) {
            let message = format!("{} is written where {} is read", name(right), name(left));
            return self.broken(path, message);
        }
        match (left, right) {
            (Type::Array(left), Type::Array(right)) => {
                self.place(*left, *right, &format!("{path}[*]"));
            }
            (Type::Map(left), Type::Map(right)) => self.place(*left, *right, &format!("{path}.*")),
            (Type::Record(_), Type::Record(_)) if self.seen.insert((read, written)) => {
                self.waiting.push_back((read, written, path.to_owned()));
            }
            (Type::Enum(read), Type::Enum(written)) => {
                let known = |symbol: &str| read.symbols.iter().any(|known| known.name == symbol);
                if read.default.is_none() {
                    for symbol in written.symbols.iter().filter(|symbol| !known(&symbol.name)) {
                        let message = format!(
                            "the symbol {} is unknown to the reader's enum {}, which has no default",
                            symbol.name, read.name.name
                        );
                        self.broken(path, message);
                    }
                }
            }
            _ => {}
        }
    }

    fn records(&mut self, read: &Record, written: &Record, path: &str) {
        for field in &read.fields {
            let at = below(path, field.key());
            // The writer's field of this name, or of an alias of the reader's.
            let named = |other: &&manywire_shape::avro::Field| {
                other.name == field.name || field.aliases.contains(&other.name)
            };
            match written.fields.iter().find(named) {
                Some(other) => self.place(field.node, other.node, &at),
                None if field.default.is_none() => {
                    self.broken(
                        &at,
                        "the reader's field was not written, and has no default".to_owned(),
                    );
                }
                None if self.backward => {
                    self.report.add(&at, "added with a default", super::BOTH);
                }
                None => self.report.add(&at, "removed; old readers take its default", super::BOTH),
            }
        }
    }
}

/// True if types are of one kind, and of one name where they have one.
fn is_alike(read: &Type, written: &Type) -> bool {
    match (read, written) {
        (Type::Record(left), Type::Record(right)) => {
            same_name(&left.name.name, &left.aliases, &right.name.name)
        }
        (Type::Enum(left), Type::Enum(right)) => {
            same_name(&left.name.name, &left.aliases, &right.name.name)
        }
        (Type::Fixed(left), Type::Fixed(right)) => {
            left.size == right.size && same_name(&left.name.name, &left.aliases, &right.name.name)
        }
        _ => std::mem::discriminant(read) == std::mem::discriminant(written),
    }
}

/// True if a reader takes what was written as its own, by itself or promoted.
fn matches(read: &Type, written: &Type) -> bool {
    is_alike(read, written)
        || matches!(
            (written, read),
            (Type::Int, Type::Long | Type::Float | Type::Double)
                | (Type::Long, Type::Float | Type::Double)
                | (Type::Float, Type::Double)
                | (Type::String, Type::Bytes)
                | (Type::Bytes, Type::String)
        )
}

/// Names match without their namespaces, and by the reader's aliases.
fn same_name(read: &str, aliases: &[String], written: &str) -> bool {
    let last = |name: &str| name.rsplit('.').next().is_some_and(|last| last == written);
    read == written || aliases.iter().any(|alias| last(alias))
}

fn name(ty: &Type) -> String {
    match ty {
        Type::Null => "null".to_owned(),
        Type::Boolean => "boolean".to_owned(),
        Type::Int => "int".to_owned(),
        Type::Long => "long".to_owned(),
        Type::Float => "float".to_owned(),
        Type::Double => "double".to_owned(),
        Type::Bytes => "bytes".to_owned(),
        Type::String => "string".to_owned(),
        Type::Array(_) => "an array".to_owned(),
        Type::Map(_) => "a map".to_owned(),
        Type::Union(_) => "a union".to_owned(),
        Type::Record(record) => format!("the record {}", record.name.name),
        Type::Enum(symbols) => format!("the enum {}", symbols.name.name),
        Type::Fixed(fixed) => format!("{} ({} bytes)", fixed.name.name, fixed.size),
    }
}
