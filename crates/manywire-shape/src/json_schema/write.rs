use std::collections::{HashMap, VecDeque};

use super::JsonSchema;
use super::names::Names;
use crate::{Array, Field, Int, Literal, Node, NodeId, Presence, Record, Shape};

/// The keywords of a schema, in order.
pub(super) type Keywords = Vec<(String, Literal)>;

pub(super) fn document(shape: &Shape, prefix: &str) -> JsonSchema {
    let mut writer = Writer {
        shape,
        prefix,
        names: Names::default(),
        named: HashMap::new(),
        definitions: Vec::new(),
        inside: Vec::new(),
        waiting: VecDeque::new(),
    };
    let root = writer.place(shape.root());
    // One after the other, so that a long chain of types needs no stack.
    while let Some((at, id)) = writer.waiting.pop_front() {
        let schema = writer.node(id);
        writer.definitions[at].1 = schema;
    }
    JsonSchema { root, definitions: writer.definitions }
}

pub(super) struct Writer<'s> {
    pub(super) shape: &'s Shape,
    prefix: &'s str,
    names: Names,
    named: HashMap<NodeId, String>,
    definitions: Vec<(String, Literal)>,
    /// Nodes without a name that are being written: one that comes again contains itself.
    inside: Vec<NodeId>,
    /// Definitions that have a place and a name, but no contents yet.
    waiting: VecDeque<(usize, NodeId)>,
}

impl Writer<'_> {
    /// The schema of a node, or a reference to it.
    pub(super) fn place(&mut self, id: NodeId) -> Literal {
        let name = match self.shape.node(id) {
            Node::Record(record) => &record.name,
            Node::Enum(sum) => &sum.name,
            // A list of itself, say, has no name of its own; it gets one to refer to.
            _ if self.inside.contains(&id) => "Recursive",
            _ => return self.unnamed(id),
        };
        if let Some(name) = self.named.get(&id) {
            return self.reference(name);
        }
        let name = self.names.give(name);
        self.named.insert(id, name.clone());
        self.waiting.push_back((self.definitions.len(), id));
        self.definitions.push((name.clone(), Literal::Boolean(true)));
        self.reference(&name)
    }

    fn unnamed(&mut self, id: NodeId) -> Literal {
        self.inside.push(id);
        let schema = self.node(id);
        self.inside.pop();
        schema
    }

    fn reference(&self, name: &str) -> Literal {
        object(vec![keyword("$ref", Literal::text(format!("{}{name}", self.prefix)))])
    }

    fn node(&mut self, id: NodeId) -> Literal {
        // The shape outlives the writer, so its nodes may be read while definitions are added.
        let shape = self.shape;
        object(match shape.node(id) {
            Node::Any => return Literal::Boolean(true),
            Node::Null => typed("null"),
            Node::Bool => typed("boolean"),
            Node::Str => typed("string"),
            Node::F32 => formatted("number", "float"),
            Node::F64 => formatted("number", "double"),
            Node::Int(int) => integer(*int),
            Node::Char => {
                let mut schema = typed("string");
                schema.extend([count("minLength", 1), count("maxLength", 1)]);
                schema
            }
            Node::Bytes => {
                let mut schema = formatted("array", "bytes");
                schema.push(keyword("items", object(integer(Int::unsigned(8)))));
                schema
            }
            Node::Timestamp => {
                let mut schema = formatted("array", "timestamp");
                let parts = [Int::unsigned(8), Int::unsigned(32), Int::signed(64)];
                let parts = parts.map(|int| object(integer(int)));
                schema.extend(prefix_items(parts.into()));
                schema
            }
            Node::Option(inner) => return self.option(*inner),
            Node::Union(branches) => {
                let branches = branches.iter().map(|branch| self.place(*branch)).collect();
                vec![keyword("anyOf", Literal::Array(branches))]
            }
            Node::Array(array) => self.array(array),
            Node::Tuple(parts) => {
                let mut schema = typed("array");
                schema.extend(self.tuple(parts));
                schema
            }
            Node::Map { key, value } => self.map(*key, *value),
            Node::Record(record) => self.record(record, None),
            Node::Enum(sum) => self.sum(sum),
        })
    }

    /// `null` besides: among the types where there is a single one, as an alternative elsewhere.
    fn option(&mut self, inner: NodeId) -> Literal {
        let mut schema = match self.place(inner) {
            Literal::Object(schema) => schema,
            anything => return anything,
        };
        let null = Literal::text("null");
        match schema.iter_mut().find(|(key, _)| matches!(key.as_str(), "type" | "anyOf")) {
            // An `enum` beside the type would have to hold null too; it is a definition, though.
            Some((key, ty)) if key == "type" => {
                *ty = Literal::Array(vec![ty.clone(), null]);
                object(schema)
            }
            Some((_, Literal::Array(branches))) => {
                branches.push(object(typed("null")));
                object(schema)
            }
            _ => {
                let branches = vec![object(schema), object(typed("null"))];
                object(vec![keyword("anyOf", Literal::Array(branches))])
            }
        }
    }

    fn array(&mut self, array: &Array) -> Keywords {
        let mut schema = typed("array");
        schema.push(keyword("items", self.place(array.item)));
        match array.len {
            Some(len) => schema.extend([count("minItems", len), count("maxItems", len)]),
            None if array.non_empty => schema.push(count("minItems", 1)),
            None => {}
        }
        schema
    }

    /// What a tuple of these parts has beside its type.
    pub(super) fn tuple(&mut self, parts: &[NodeId]) -> Keywords {
        prefix_items(parts.iter().map(|part| self.place(*part)).collect())
    }

    fn map(&mut self, key: NodeId, value: NodeId) -> Keywords {
        let mut schema = typed("object");
        let names = match self.shape.node(key) {
            Node::Int(Int { signed: true, .. }) => Some(("pattern", Literal::text("^-?[0-9]+$"))),
            Node::Int(_) => Some(("pattern", Literal::text("^[0-9]+$"))),
            Node::Bool => {
                Some(("enum", Literal::Array(vec![Literal::text("false"), Literal::text("true")])))
            }
            _ => None,
        };
        let names = match (names, self.shape.node(key)) {
            (Some((rule, argument)), _) => Some(object(vec![keyword(rule, argument)])),
            (None, Node::Char | Node::Enum(_)) => Some(self.place(key)),
            (None, _) => None,
        };
        schema.extend(names.map(|names| keyword("propertyNames", names)));
        schema.push(keyword("additionalProperties", self.place(value)));
        schema
    }

    /// A record, with a field in front that says which variant it is.
    pub(super) fn record(&mut self, record: &Record, tag: Option<(&str, Literal)>) -> Keywords {
        let mut schema = described("object", &record.doc);
        let mut properties: Keywords = Vec::new();
        let mut required = Vec::new();
        if let Some((tag, schema)) = tag {
            properties.push(keyword(tag, schema));
            required.push(Literal::text(tag));
        }
        for field in &record.fields {
            properties.push(keyword(&field.name, self.field(field)));
            if field.presence == Presence::Required {
                required.push(Literal::text(&*field.name));
            }
        }
        schema.push(keyword("properties", Literal::Object(properties)));
        if !required.is_empty() {
            schema.push(keyword("required", Literal::Array(required)));
        }
        if let Some(rest) = record.rest {
            schema.push(keyword("additionalProperties", self.place(rest)));
        }
        schema
    }

    fn field(&mut self, field: &Field) -> Literal {
        let schema = self.place(field.node);
        if field.doc.is_empty() {
            return schema;
        }
        let mut documented = vec![keyword("description", Literal::text(&*field.doc))];
        if let Literal::Object(keywords) = schema {
            documented.extend(keywords);
        }
        object(documented)
    }
}

pub(super) fn object(keywords: Keywords) -> Literal {
    Literal::Object(keywords)
}

pub(super) fn keyword(name: &str, argument: Literal) -> (String, Literal) {
    (name.to_owned(), argument)
}

pub(super) fn typed(ty: &str) -> Keywords {
    vec![keyword("type", Literal::text(ty))]
}

/// A type with documentation, if there is any.
pub(super) fn described(ty: &str, doc: &str) -> Keywords {
    let mut schema = typed(ty);
    if !doc.is_empty() {
        schema.insert(0, keyword("description", Literal::text(doc)));
    }
    schema
}

fn formatted(ty: &str, format: &str) -> Keywords {
    let mut schema = typed(ty);
    schema.push(keyword("format", Literal::text(format)));
    schema
}

fn count(name: &str, count: u32) -> (String, Literal) {
    keyword(name, Literal::Number(count.to_string()))
}

fn prefix_items(parts: Vec<Literal>) -> Keywords {
    let len = parts.len() as u32;
    vec![
        keyword("prefixItems", Literal::Array(parts)),
        keyword("items", Literal::Boolean(false)),
        count("minItems", len),
    ]
}

/// Readers take limits beyond 2⁵³ for floats, so only narrower ones are written.
fn integer(int: Int) -> Keywords {
    let Int { signed, bits, .. } = int;
    let mut schema = formatted("integer", &format!("{}int{bits}", if signed { "" } else { "u" }));
    let limit = |name, limit: i64| keyword(name, Literal::Number(limit.to_string()));
    match (signed, bits) {
        (true, ..=32) => {
            let half = 1i64 << (bits - 1);
            schema.extend([limit("minimum", -half), limit("maximum", half - 1)]);
        }
        (false, ..=32) => {
            schema.extend([limit("minimum", 0), limit("maximum", (1i64 << bits) - 1)]);
        }
        (false, _) => schema.push(limit("minimum", 0)),
        (true, _) => {}
    }
    schema
}
