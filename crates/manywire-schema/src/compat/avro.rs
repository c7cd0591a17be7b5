//! Compares Avro schemas by the specification's schema resolution.

use manywire_shape::avro::{Logical, NodeId, Record, Schema, Type};

use super::report::{OneWay, Pairs, Report, member_path};

pub(super) fn compare(old: &Schema, new: &Schema) -> Report {
    OneWay::compare(old, new, |report, reader, writer| {
        let mut resolution = Resolution { reader, writer, report, records: Pairs::default() };
        resolution.types(reader.root(), writer.root(), "$");
        while let Some((read, written, path)) = resolution.records.pop() {
            if let (Type::Record(read), Type::Record(written)) =
                (reader.ty(read), writer.ty(written))
            {
                resolution.records(read, written, &path);
            }
        }
    })
}

struct Resolution<'s, 'r> {
    reader: &'s Schema,
    writer: &'s Schema,
    report: OneWay<'r>,
    /// The records that are still to be compared. Other types cannot contain themselves.
    records: Pairs<NodeId>,
}

impl Resolution<'_, '_> {
    fn types(&mut self, read: NodeId, written: NodeId, path: &str) {
        let (reader, writer) = (self.reader, self.writer);
        match (reader.ty(read), writer.ty(written)) {
            (_, Type::Union(branches)) => {
                for branch in branches {
                    self.written_type(read, *branch, path);
                }
            }
            _ => self.written_type(read, written, path),
        }
    }

    /// Compares a writer's type that is not a union.
    fn written_type(&mut self, read: NodeId, written: NodeId, path: &str) {
        let (reader, writer) = (self.reader, self.writer);
        let (left, right) = (reader.ty(read), writer.ty(written));
        if let Type::Union(branches) = left {
            let exact = branches.iter().find(|branch| is_alike(reader.ty(**branch), right));
            let promoted = branches.iter().find(|branch| matches(reader.ty(**branch), right));
            return match exact.or(promoted) {
                Some(branch) => self.written_type(*branch, written, path),
                None => {
                    let message = format!("{} fits no branch of the reader's union", name(right));
                    self.report.broken(path, message);
                }
            };
        }
        if !matches(left, right) {
            let message = format!("{} is written where {} is read", name(right), name(left));
            return self.report.broken(path, message);
        }
        let decimals = (decimal(reader, read), decimal(writer, written));
        if let (Some(read), Some(written)) = decimals
            && read != written
        {
            let message = format!("decimal{written:?} is written where decimal{read:?} is read");
            return self.report.broken(path, message);
        }
        match (left, right) {
            (Type::Array(left), Type::Array(right)) => {
                self.types(*left, *right, &format!("{path}[*]"));
            }
            (Type::Map(left), Type::Map(right)) => self.types(*left, *right, &format!("{path}.*")),
            (Type::Record(_), Type::Record(_)) => {
                self.records.add(read, written, path.to_owned());
            }
            (Type::Enum(read), Type::Enum(written)) => {
                let known = |symbol: &str| read.symbols.iter().any(|known| known.name == symbol);
                if read.default.is_none() {
                    for symbol in written.symbols.iter().filter(|symbol| !known(&symbol.name)) {
                        let message = format!(
                            "the symbol {} is unknown to the reader's enum {}, which has no default",
                            symbol.name, read.name.name
                        );
                        self.report.broken(path, message);
                    }
                }
            }
            _ => {}
        }
    }

    fn records(&mut self, read: &Record, written: &Record, path: &str) {
        for field in &read.fields {
            let at = member_path(path, field.key());
            // The writer's field with the reader's name or one of its aliases.
            let named = |other: &&manywire_shape::avro::Field| {
                other.name == field.name || field.aliases.contains(&other.name)
            };
            match written.fields.iter().find(named) {
                Some(other) => self.types(field.node, other.node, &at),
                None if field.default.is_none() => {
                    self.report
                        .broken(&at, "the reader's field was not written, and has no default");
                }
                None => self.report.not_needed(
                    &at,
                    "added with a default",
                    "removed; old readers take its default",
                ),
            }
        }
    }
}

/// Returns whether types have the same kind, and the same name if they have names.
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

/// Returns whether a reader's type matches a written type, directly or by promotion.
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

/// Returns whether names match, without their namespaces and by the reader's aliases.
fn same_name(read: &str, aliases: &[String], written: &str) -> bool {
    let last = |name: &str| name.rsplit('.').next().is_some_and(|last| last == written);
    read == written || aliases.iter().any(|alias| last(alias))
}

/// Returns the precision and the scale of a decimal. Both must match, because the bytes have neither
/// (specification, "Decimal").
fn decimal(schema: &Schema, id: NodeId) -> Option<(u32, u32)> {
    let Some(Logical { name, precision, scale }) = &schema.node(id).logical else { return None };
    let precision = precision.filter(|_| name == "decimal")?;
    Some((precision, scale.unwrap_or(0)))
}

fn name(ty: &Type) -> String {
    match ty {
        Type::Array(_) => "an array".to_owned(),
        Type::Map(_) | Type::Union(_) => format!("a {}", ty.keyword()),
        Type::Record(record) => format!("the record {}", record.name.name),
        Type::Enum(symbols) => format!("the enum {}", symbols.name.name),
        Type::Fixed(fixed) => format!("{} ({} bytes)", fixed.name.name, fixed.size),
        primitive => primitive.keyword().to_owned(),
    }
}
