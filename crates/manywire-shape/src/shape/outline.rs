//! Formats a shape as a text outline for people, by `Display`.

use std::collections::HashMap;
use std::fmt;
use std::fmt::{Display, Formatter, Write};

use super::{
    Array, Enum, Field, Int, IntEncoding, Node, NodeId, Presence, Record, Shape, Tagging, Variant,
    VariantKind,
};

/// Writes an outline for people: the whole value first, then each record and enum that it leads to,
/// once.
///
/// ```text
/// Hotel {
///   /// The key in the booking system.
///   id: str #1
///   stars?: u8                may be absent
///   rating: f32? = default    may be null; a reader that misses it fills in a default
///   rooms: [Room]
///   place: (f64, f64)
///   tags: {str: any}
///   ..: str                   any other key
/// }
///
/// Room = "kind" / "data" {    an enum, tagged adjacently; internally it would be = "kind"
///   Single
///   Suite(u8)
/// }
/// ```
impl Display for Shape {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut outline = Outline { shape: self, names: HashMap::new(), order: Vec::new() };
        outline.visit(self.root);
        if outline.names.contains_key(&self.root) {
            if outline.order.is_empty() {
                return outline.inline(f, self.root);
            }
        } else {
            outline.inline(f, self.root)?;
            f.write_char('\n')?;
        }
        for (at, id) in outline.order.iter().enumerate() {
            if at > 0 || *id != self.root {
                f.write_char('\n')?;
            }
            outline.definition(f, *id)?;
        }
        Ok(())
    }
}

struct Outline<'s> {
    shape: &'s Shape,
    // The name of each record and enum in the outline, numbered if several share it.
    names: HashMap<NodeId, String>,
    order: Vec<NodeId>,
}

impl Outline<'_> {
    /// Names every record and enum below a node, in the order in which they are met. A stack on the
    /// heap replaces recursion, because shapes may be deep.
    fn visit(&mut self, root: NodeId) {
        let mut taken: HashMap<String, usize> = HashMap::new();
        let mut seen = vec![false; self.shape.nodes.len()];
        let mut waiting = vec![root];
        while let Some(id) = waiting.pop() {
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            if let Node::Record(Record { name, .. }) | Node::Enum(Enum { name, .. }) =
                self.shape.node(id)
            {
                let name = if name.is_empty() { "Record" } else { name };
                let uses = taken.entry(name.to_owned()).or_default();
                *uses += 1;
                let unique = if *uses == 1 { name.to_owned() } else { format!("{name}#{uses}") };
                self.names.insert(id, unique);
                self.order.push(id);
            }
            waiting.extend(self.parts(id).into_iter().rev());
        }
    }

    /// Returns the nodes to describe after this one. The fields of a struct variant are part of the
    /// enum's description.
    fn parts(&self, id: NodeId) -> Vec<NodeId> {
        let node = self.shape.node(id);
        let Node::Enum(sum) = node else { return node.parts() };
        let content = |variant: &Variant| match &variant.kind {
            VariantKind::Struct(inner) => self.parts(*inner),
            kind => kind.parts(),
        };
        sum.variants.iter().flat_map(content).collect()
    }

    fn definition(&self, f: &mut Formatter<'_>, id: NodeId) -> fmt::Result {
        match self.shape.node(id) {
            Node::Record(record) => {
                doc(f, "", &record.doc)?;
                write!(f, "{} ", self.names[&id])?;
                self.fields(f, "", record)?;
                f.write_char('\n')
            }
            Node::Enum(sum) => {
                doc(f, "", &sum.doc)?;
                write!(f, "{} =", self.names[&id])?;
                match &sum.tagging {
                    Tagging::External => {}
                    Tagging::Internal { tag } => write!(f, " {tag:?}")?,
                    Tagging::Adjacent { tag, content } => write!(f, " {tag:?} / {content:?}")?,
                }
                f.write_str(" {\n")?;
                for variant in &sum.variants {
                    self.variant(f, variant)?;
                }
                f.write_str("}\n")
            }
            _ => Ok(()),
        }
    }

    fn fields(&self, f: &mut Formatter<'_>, indent: &str, record: &Record) -> fmt::Result {
        f.write_str("{\n")?;
        for field in &record.fields {
            doc(f, &format!("{indent}  "), &field.doc)?;
            write!(f, "{indent}  ")?;
            self.field(f, field)?;
            f.write_char('\n')?;
        }
        if let Some(rest) = record.rest {
            write!(f, "{indent}  ..: ")?;
            self.inline(f, rest)?;
            f.write_char('\n')?;
        }
        write!(f, "{indent}}}")
    }

    fn field(&self, f: &mut Formatter<'_>, field: &Field) -> fmt::Result {
        name(f, &field.name)?;
        f.write_str(if field.presence == Presence::Optional { "?: " } else { ": " })?;
        self.inline(f, field.node)?;
        if field.presence == Presence::Defaulted {
            f.write_str(" = default")?;
        }
        marks(f, &field.aliases, field.number)
    }

    fn variant(&self, f: &mut Formatter<'_>, variant: &Variant) -> fmt::Result {
        doc(f, "  ", &variant.doc)?;
        f.write_str("  ")?;
        name(f, &variant.name)?;
        match &variant.kind {
            VariantKind::Unit => {}
            VariantKind::Newtype(inner) => self.list(f, "(", &[*inner], ")")?,
            VariantKind::Tuple(items) => {
                self.list(f, "(", items, if items.len() == 1 { ",)" } else { ")" })?
            }
            VariantKind::Struct(inner) => {
                f.write_char(' ')?;
                match self.shape.node(*inner) {
                    Node::Record(record) => self.fields(f, "  ", record)?,
                    _ => self.inline(f, *inner)?,
                }
            }
        }
        marks(f, &variant.aliases, variant.number)?;
        f.write_char('\n')
    }
}

fn doc(f: &mut Formatter<'_>, indent: &str, doc: &str) -> fmt::Result {
    doc.lines().try_for_each(|line| {
        writeln!(f, "{indent}///{}{line}", if line.is_empty() { "" } else { " " })
    })
}

/// Writes a name, quoted unless it has only letters, digits, `_`, `-`, `$` and `@`.
fn name(f: &mut Formatter<'_>, name: &str) -> fmt::Result {
    let plain = !name.is_empty()
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$' | '@'));
    if plain { f.write_str(name) } else { write!(f, "{name:?}") }
}

fn marks(f: &mut Formatter<'_>, aliases: &[super::Name], number: Option<u32>) -> fmt::Result {
    for alias in aliases {
        write!(f, " or {alias:?}")?;
    }
    match number {
        Some(number) => write!(f, " #{number}"),
        None => Ok(()),
    }
}

impl Outline<'_> {
    /// Writes a node as a type. Recursion passes through a record or an enum, which is written by
    /// name, or comes back to a node that is being written, which is written as `…`.
    fn inline(&self, f: &mut Formatter<'_>, id: NodeId) -> fmt::Result {
        self.inline_within(f, id, &mut Vec::new())
    }

    fn inline_within(
        &self,
        f: &mut Formatter<'_>,
        id: NodeId,
        outer: &mut Vec<NodeId>,
    ) -> fmt::Result {
        if let Some(name) = self.names.get(&id) {
            return f.write_str(name);
        }
        if outer.contains(&id) {
            return f.write_str("…");
        }
        outer.push(id);
        match self.shape.node(id) {
            Node::Null => f.write_str("null"),
            Node::Bool => f.write_str("bool"),
            Node::Int(int) => write!(f, "{int}"),
            Node::F32 => f.write_str("f32"),
            Node::F64 => f.write_str("f64"),
            Node::Char => f.write_str("char"),
            Node::Str => f.write_str("str"),
            Node::Bytes => f.write_str("bytes"),
            Node::Timestamp => f.write_str("timestamp"),
            Node::Any => f.write_str("any"),
            Node::Option(inner) => {
                let union = matches!(self.shape.node(*inner), Node::Union(_));
                f.write_str(if union { "(" } else { "" })?;
                self.inline_within(f, *inner, outer)?;
                f.write_str(if union { ")?" } else { "?" })
            }
            Node::Array(Array { item, len, non_empty, .. }) => {
                f.write_char('[')?;
                self.inline_within(f, *item, outer)?;
                match (len, non_empty) {
                    (Some(len), _) => write!(f, "; {len}]"),
                    (None, true) => f.write_str("; 1..]"),
                    (None, false) => f.write_char(']'),
                }
            }
            Node::Tuple(items) => {
                f.write_char('(')?;
                self.separated(f, items, ", ", outer)?;
                f.write_str(if items.len() == 1 { ",)" } else { ")" })
            }
            Node::Union(branches) => self.separated(f, branches, " | ", outer),
            Node::Map { key, value } => {
                f.write_char('{')?;
                self.inline_within(f, *key, outer)?;
                f.write_str(": ")?;
                self.inline_within(f, *value, outer)?;
                f.write_char('}')
            }
            Node::Record(record) => f.write_str(&record.name),
            Node::Enum(sum) => f.write_str(&sum.name),
        }?;
        outer.pop();
        Ok(())
    }

    fn list(
        &self,
        f: &mut Formatter<'_>,
        open: &str,
        items: &[NodeId],
        close: &str,
    ) -> fmt::Result {
        f.write_str(open)?;
        self.separated(f, items, ", ", &mut Vec::new())?;
        f.write_str(close)
    }

    fn separated(
        &self,
        f: &mut Formatter<'_>,
        items: &[NodeId],
        separator: &str,
        outer: &mut Vec<NodeId>,
    ) -> fmt::Result {
        for (at, item) in items.iter().enumerate() {
            f.write_str(if at == 0 { "" } else { separator })?;
            self.inline_within(f, *item, outer)?;
        }
        Ok(())
    }
}

impl Display for Int {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.signed { 'i' } else { 'u' }, self.bits)?;
        f.write_str(match self.encoding {
            IntEncoding::Varint => "",
            IntEncoding::Zigzag => " zigzag",
            IntEncoding::Fixed => " fixed",
        })
    }
}
