//! Compares JSON Schemas by their shapes: values of the writer must fit the reader's shape.

use manywire_shape::{Enum, Int, Node, NodeId, Presence, Record, Shape, Tagging, VariantKind};

use super::report::{OneWay, Pairs, Report, member_path};

pub(super) fn compare(old: &Shape, new: &Shape) -> Report {
    OneWay::compare(old, new, |report, reader, writer| {
        let mut fitting = Fitting { reader, writer, report, pairs: Pairs::default() };
        fitting.pairs.add(reader.root(), writer.root(), "$".to_owned());
        while let Some((read, written, path)) = fitting.pairs.pop() {
            fitting.nodes(read, written, &path);
        }
    })
}

struct Fitting<'s, 'r> {
    reader: &'s Shape,
    writer: &'s Shape,
    report: OneWay<'r>,
    pairs: Pairs<NodeId>,
}

impl Fitting<'_, '_> {
    fn nodes(&mut self, read: NodeId, written: NodeId, path: &str) {
        let (reader, writer) = (self.reader, self.writer);
        match (reader.node(read), writer.node(written)) {
            (Node::Any, _) | (Node::Null | Node::Option(_), Node::Null) => {}
            (_, Node::Option(inner)) => {
                if !matches!(reader.node(read), Node::Option(_) | Node::Null) {
                    self.report.broken(path, "null may be written, but is not read");
                }
                self.pairs.add(read, *inner, path.to_owned());
            }
            (Node::Option(inner), _) => self.pairs.add(*inner, written, path.to_owned()),
            (_, Node::Union(branches)) => {
                branches.iter().for_each(|branch| self.pairs.add(read, *branch, path.to_owned()));
            }
            (Node::Union(branches), node) => {
                match branches.iter().find(|branch| is_alike(reader.node(**branch), node)) {
                    Some(branch) => self.pairs.add(*branch, written, path.to_owned()),
                    None => self
                        .report
                        .broken(path, format_args!("{} fits no branch of the reader", word(node))),
                }
            }
            (Node::Int(left), Node::Int(right)) => {
                if left.min_value() > right.min_value() || left.max_value() < right.max_value() {
                    let (left, right) = (range(*left), range(*right));
                    self.report
                        .broken(path, format_args!("{right} may be written where {left} is read"));
                }
            }
            (Node::Array(left), Node::Array(right)) => {
                if left.len.is_some() && left.len != right.len {
                    self.report.broken(path, "arrays of other lengths may be written");
                }
                if left.non_empty && !right.non_empty && right.len.is_none_or(|len| len == 0) {
                    self.report.broken(path, "an empty array may be written, but is not read");
                }
                self.pairs.add(left.item, right.item, format!("{path}[*]"));
            }
            (Node::Array(left), Node::Tuple(items))
                if left.len.is_none_or(|len| len as usize == items.len()) =>
            {
                for (at, item) in items.iter().enumerate() {
                    self.pairs.add(left.item, *item, format!("{path}[{at}]"));
                }
            }
            (Node::Tuple(left), Node::Tuple(right)) if left.len() == right.len() => {
                for (at, (read, written)) in left.iter().zip(right).enumerate() {
                    self.pairs.add(*read, *written, format!("{path}[{at}]"));
                }
            }
            (Node::Tuple(items), Node::Array(right))
                if right.len.is_some_and(|len| len as usize == items.len()) =>
            {
                for (at, item) in items.iter().enumerate() {
                    self.pairs.add(*item, right.item, format!("{path}[{at}]"));
                }
            }
            (Node::Array(_) | Node::Tuple(_), Node::Array(_) | Node::Tuple(_)) => {
                self.report.broken(path, "arrays of other lengths may be written");
            }
            (Node::Map { value: left, .. }, Node::Map { value: right, .. }) => {
                self.pairs.add(*left, *right, format!("{path}.*"));
            }
            (Node::Map { value, .. }, Node::Record(record)) => {
                for field in &record.fields {
                    self.pairs.add(*value, field.node, member_path(path, &field.name));
                }
                if let Some(rest) = record.rest {
                    self.pairs.add(*value, rest, format!("{path}.*"));
                }
            }
            (Node::Record(record), Node::Map { value, .. }) => self.entries(record, *value, path),
            (Node::Record(left), Node::Record(right)) => self.records(left, right, path),
            (Node::Enum(left), Node::Enum(right)) => self.sums(left, right, path),
            (left, right) if is_alike(left, right) => {}
            // Both are a number in JSON Schema, which tells them apart by one keyword.
            (Node::F32, Node::F64) => self.report.broken(
                path,
                "a 64-bit float may be written where a 32-bit float is read: \
                 give both the same \"format\"",
            ),
            (left, right) => {
                self.report.broken(
                    path,
                    format_args!("{} is written where {} is read", word(right), word(left)),
                );
            }
        }
    }

    fn entries(&mut self, record: &Record, value: NodeId, path: &str) {
        for field in &record.fields {
            let at = member_path(path, &field.name);
            if field.presence == Presence::Required {
                self.report.broken(&at, "may be missing, but is required");
            }
            self.pairs.add(field.node, value, at);
        }
        if let Some(rest) = record.rest {
            self.pairs.add(rest, value, format!("{path}.*"));
        }
    }

    fn records(&mut self, read: &Record, written: &Record, path: &str) {
        for field in &read.fields {
            let at = member_path(path, &field.name);
            match written.fields.iter().find(|other| field.is_named(&other.name)) {
                Some(other) => {
                    if field.presence == Presence::Required && other.presence == Presence::Optional
                    {
                        self.report.broken(&at, "may be missing, but is required");
                    }
                    self.pairs.add(field.node, other.node, at);
                }
                None if field.presence == Presence::Required => {
                    self.report.broken(&at, "is not written, but is required");
                }
                None => {
                    self.report.not_needed(&at, "added, optional", "removed; it was optional");
                    // The key may be among those that the writer does not name. If their type is
                    // any, the schema says as little of them as without `additionalProperties`.
                    if let Some(rest) = written.rest
                        && *self.writer.node(rest) != Node::Any
                    {
                        self.pairs.add(field.node, rest, at);
                    }
                }
            }
        }
        let Some(rest) = read.rest else { return };
        for other in &written.fields {
            if !read.fields.iter().any(|field| field.is_named(&other.name)) {
                self.pairs.add(rest, other.node, member_path(path, &other.name));
            }
        }
        if let Some(written) = written.rest {
            self.pairs.add(rest, written, format!("{path}.*"));
        }
    }

    fn sums(&mut self, read: &Enum, written: &Enum, path: &str) {
        if read.tagging != written.tagging {
            return self.report.broken(path, "variants are tagged differently");
        }
        for variant in &written.variants {
            let Some(known) = read.variants.iter().find(|known| known.is_named(&variant.name))
            else {
                self.report.broken(
                    path,
                    format_args!("{:?} may be written, but is unknown to readers", variant.name),
                );
                continue;
            };
            let at = match &read.tagging {
                Tagging::External => member_path(path, &variant.name),
                Tagging::Internal { .. } => path.to_owned(),
                Tagging::Adjacent { content, .. } => member_path(path, content),
            };
            match (&known.kind, &variant.kind) {
                (VariantKind::Unit, VariantKind::Unit) => {}
                (
                    VariantKind::Newtype(left) | VariantKind::Struct(left),
                    VariantKind::Newtype(right) | VariantKind::Struct(right),
                ) => self.pairs.add(*left, *right, at),
                (VariantKind::Tuple(left), VariantKind::Tuple(right))
                    if left.len() == right.len() =>
                {
                    for (place, (left, right)) in left.iter().zip(right).enumerate() {
                        self.pairs.add(*left, *right, format!("{at}[{place}]"));
                    }
                }
                _ => self
                    .report
                    .broken(&at, format_args!("{:?} has different content", variant.name)),
            }
        }
    }
}

/// Returns whether the kinds of two nodes match; their contents are compared separately.
fn is_alike(read: &Node, written: &Node) -> bool {
    match (read, written) {
        (Node::Any, _) => true,
        (Node::F64, Node::Int(_) | Node::F32) => true,
        (Node::Str, Node::Char) => true,
        (Node::Str, Node::Enum(sum)) => sum.is_names(),
        (Node::Map { .. }, Node::Record(_)) | (Node::Record(_), Node::Map { .. }) => true,
        (Node::Array(_), Node::Tuple(_)) | (Node::Tuple(_), Node::Array(_)) => true,
        _ => std::mem::discriminant(read) == std::mem::discriminant(written),
    }
}

fn range(int: Int) -> String {
    let sign = if int.signed { "a signed" } else { "an unsigned" };
    format!("{sign} integer of {} bits", int.bits)
}

fn word(node: &Node) -> String {
    match node {
        Node::Null => "null",
        Node::Bool => "a boolean",
        Node::Int(_) => "an integer",
        Node::F32 => "a 32-bit float",
        Node::F64 => "a 64-bit float",
        Node::Char => "a single character",
        Node::Str => "text",
        Node::Bytes => "bytes",
        Node::Timestamp => "a timestamp",
        Node::Any => "anything",
        Node::Option(_) => "null or more",
        Node::Array(_) | Node::Tuple(_) => "an array",
        Node::Map { .. } => "a map",
        Node::Union(_) => "one of several",
        Node::Record(record) => return format!("the record {}", record.name),
        Node::Enum(sum) => return format!("a variant of {}", sum.name),
    }
    .to_owned()
}
