//! Converts shapes to JSON Schema, draft 2020-12.
//!
//! A [`JsonSchema`] describes the JSON that serde_json writes for a value of the shape. Records and
//! enums become definitions with references to them, so types may contain themselves, and an
//! OpenAPI document can use them as components.
//!
//! | shape | JSON Schema |
//! |---|---|
//! | null, boolean, text | `"type": "null"`, `"boolean"`, `"string"` |
//! | one character | `"string"` of `"maxLength": 1` and `"minLength": 1` |
//! | integer | `"integer"`, `"format": "int32"` …, with `minimum` and `maximum` |
//! | float | `"number"`, `"format": "float"` or `"double"` |
//! | bytes | `"array"` of numbers to 255, `"format": "bytes"`, as serde_json writes them |
//! | timestamp | `"string"`, `"format": "date-time"`, `"manywire.type": "timestamp"` |
//! | any value | `true` |
//! | option | `null` among the types, or in an `anyOf` |
//! | array | `items`, with `minItems` and `maxItems` where the length is known |
//! | tuple | `prefixItems` |
//! | map | `additionalProperties`; `propertyNames` where keys are numbers or names |
//! | record | `properties`, and `required` for the required fields |
//! | other entries of a record | `additionalProperties` beside `properties` |
//! | enum without content | `enum`, or `oneOf` with `const` where variants are documented |
//! | other enum | `oneOf` with one schema per variant, as serde tags it |
//! | union | `anyOf` |
//!
//! Constraints are `minimum`, `maximum`, `multipleOf`, `pattern`, `enum`, and `minLength`,
//! `minItems` or `minProperties` with their counterparts. Of two bounds, the tighter one is written.
//!
//! JSON Schema cannot express the encoding and number of a field in Protocol Buffers, the aliases
//! of a field, and whether a field with a default is always written.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt;

use crate::constraints::{Length, Number};
use crate::names::unique;
use crate::{
    Array, Choice, Constraints, Enum, Field, Int, Literal, Name, Node, NodeId, Presence, Record,
    Shape, Tagging, Variant, VariantKind,
};

/// The dialect that the documents are written in.
pub const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// A JSON Schema: the schema of the whole value and the definitions that it refers to.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonSchema {
    /// The schema of the whole value.
    pub root: Literal,
    /// The named types, in the order of their first reference.
    pub definitions: Vec<(String, Literal)>,
}

impl JsonSchema {
    /// Returns the schema of a shape, with its definitions in `$defs`.
    pub fn of(shape: &Shape) -> JsonSchema {
        document(shape, Purpose::Shape)
    }

    /// Returns the schema of a shape for an OpenAPI document, whose components are the definitions.
    /// The schema differs from that of [`JsonSchema::of`] where tools generate code from such
    /// documents:
    ///
    /// - A field that may be null is not required, since serde reads an absent field as `None`. This
    ///   includes a field with `deserialize_with`, which serde does require.
    /// - An enum without content is an `enum` even if its variants are documented. Their
    ///   documentation is a list in the description: generators make no type of a `oneOf` of
    ///   constants.
    /// - No schema is a boolean, because generators reject a document with a boolean schema. The
    ///   schema of any value is `{}`, and a tuple has `maxItems` instead of `"items": false`.
    pub fn for_openapi(shape: &Shape) -> JsonSchema {
        document(shape, Purpose::OpenApi)
    }

    /// Returns the whole document, with its dialect and `$defs`.
    pub fn to_literal(&self) -> Literal {
        let mut members = vec![("$schema".to_owned(), Literal::text(DIALECT))];
        // The schema `true` has no keywords, and adds no constraint.
        if let Literal::Object(root) = &self.root {
            members.extend(root.iter().cloned());
        }
        if !self.definitions.is_empty() {
            let definitions = Literal::Object(self.definitions.clone());
            members.push(("$defs".to_owned(), definitions));
        }
        Literal::Object(members)
    }
}

/// Writes the text of the whole document, indented, with a line feed at the end.
impl fmt::Display for JsonSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_literal().pretty())
    }
}

/// The keywords of a schema, in order.
type Keywords = Vec<(String, Literal)>;

/// The purpose of a schema.
#[derive(Clone, Copy, PartialEq)]
enum Purpose {
    /// To keep the shape, so that it can be read back.
    Shape,
    /// To be a part of an OpenAPI document.
    OpenApi,
}

impl Purpose {
    /// Returns the place of the definitions, as references begin.
    fn prefix(self) -> &'static str {
        match self {
            Purpose::Shape => "#/$defs/",
            Purpose::OpenApi => "#/components/schemas/",
        }
    }
}

fn document(shape: &Shape, purpose: Purpose) -> JsonSchema {
    let mut writer = Writer {
        shape,
        purpose,
        names: HashSet::new(),
        named: HashMap::new(),
        definitions: Vec::new(),
        inside: Vec::new(),
        pending: VecDeque::new(),
    };
    let root = writer.schema_or_reference(shape.root());
    // A queue instead of recursion, so a long chain of types does not exhaust the stack.
    while let Some((at, id)) = writer.pending.pop_front() {
        let schema = writer.node(id);
        writer.definitions[at].1 = schema;
    }
    JsonSchema { root, definitions: writer.definitions }
}

struct Writer<'s> {
    shape: &'s Shape,
    purpose: Purpose,
    /// The names of definitions in use.
    names: HashSet<String>,
    named: HashMap<NodeId, String>,
    definitions: Vec<(String, Literal)>,
    /// Unnamed nodes that are being written. A node that occurs again contains itself.
    inside: Vec<NodeId>,
    /// Definitions that have an index and a name, but no contents yet.
    pending: VecDeque<(usize, NodeId)>,
}

impl Writer<'_> {
    /// Returns the schema of a node, or a reference to it.
    fn schema_or_reference(&mut self, id: NodeId) -> Literal {
        let name = match self.shape.node(id) {
            Node::Record(record) => &record.name,
            Node::Enum(sum) => &sum.name,
            // An unnamed type that contains itself, such as a list of such lists, gets a name for
            // references.
            _ if self.inside.contains(&id) => "Recursive",
            _ => return self.unnamed(id),
        };
        if let Some(name) = self.named.get(&id) {
            return self.reference(name);
        }
        let name = unique(definition_name(name), &mut self.names, "");
        self.named.insert(id, name.clone());
        self.pending.push_back((self.definitions.len(), id));
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
        let prefix = self.purpose.prefix();
        object(vec![keyword("$ref", Literal::text(format!("{prefix}{name}")))])
    }

    fn node(&mut self, id: NodeId) -> Literal {
        let mut schema = self.type_of(id);
        let constraints = self.shape.constraints().iter().filter(|(known, _)| *known == id);
        if let Literal::Object(keywords) = &mut schema {
            constraints.for_each(|(_, it)| constrain(keywords, self.shape.node(id), it));
        }
        schema
    }

    /// Returns the schema of a node without its constraints.
    fn type_of(&mut self, id: NodeId) -> Literal {
        // The shape outlives the writer, so nodes can be borrowed while definitions are added.
        let shape = self.shape;
        object(match shape.node(id) {
            Node::Any if self.purpose == Purpose::OpenApi => Vec::new(),
            Node::Any => return Literal::Boolean(true),
            Node::Null => typed("null", []),
            Node::Bool => typed("boolean", []),
            Node::Str => typed("string", []),
            Node::F32 => typed("number", [("format", Literal::text("float"))]),
            Node::F64 => typed("number", [("format", Literal::text("double"))]),
            Node::Int(int) => integer(*int),
            Node::Char => {
                let one = || Literal::number(1);
                typed("string", [("minLength", one()), ("maxLength", one())])
            }
            Node::Bytes => {
                let byte = object(integer(Int::unsigned(8)));
                typed("array", [("format", Literal::text("bytes")), ("items", byte)])
            }
            Node::Timestamp => {
                // In schemas from elsewhere, `date-time` may describe plain text. `manywire.type`
                // says that other formats have a timestamp here.
                let [format, ty] = ["date-time", "timestamp"].map(Literal::text);
                typed("string", [("format", format), ("manywire.type", ty)])
            }
            Node::Option(inner) => return self.option(*inner),
            Node::Union(branches) => {
                let branches =
                    branches.iter().map(|branch| self.schema_or_reference(*branch)).collect();
                vec![keyword("anyOf", Literal::Array(branches))]
            }
            Node::Array(array) => self.array(array),
            Node::Tuple(parts) => self.tuple(parts),
            Node::Map { key, value } => self.map(*key, *value),
            Node::Record(record) => self.record(record, None),
            Node::Enum(sum) => self.sum(sum),
        })
    }

    /// Adds `null`: to the types if `type` is the only choice, as a branch of `anyOf` otherwise.
    fn option(&mut self, inner: NodeId) -> Literal {
        let mut schema = match self.schema_or_reference(inner) {
            Literal::Object(schema) if !schema.is_empty() => schema,
            anything => return anything,
        };
        let null = Literal::text("null");
        match schema.iter_mut().find(|(key, _)| matches!(key.as_str(), "type" | "anyOf")) {
            Some((key, ty)) if key == "type" => {
                *ty = Literal::Array(vec![ty.clone(), null]);
                // An `enum` beside the type lists null as well.
                if let Some((_, Literal::Array(values))) =
                    schema.iter_mut().find(|(key, _)| key == "enum")
                {
                    values.push(Literal::Null);
                }
                object(schema)
            }
            Some((_, Literal::Array(branches))) => {
                branches.push(object(typed("null", [])));
                object(schema)
            }
            _ => {
                let branches = vec![object(schema), object(typed("null", []))];
                object(vec![keyword("anyOf", Literal::Array(branches))])
            }
        }
    }

    fn array(&mut self, array: &Array) -> Keywords {
        let mut schema = typed("array", [("items", self.schema_or_reference(array.item))]);
        let min = array.len.or(array.non_empty.then_some(1));
        schema.extend(min.map(|min| keyword("minItems", Literal::number(min))));
        schema.extend(array.len.map(|max| keyword("maxItems", Literal::number(max))));
        schema
    }

    fn tuple(&mut self, parts: &[NodeId]) -> Keywords {
        let mut schema = typed("array", []);
        // The list of `prefixItems` must not be empty.
        if !parts.is_empty() {
            let parts = parts.iter().map(|part| self.schema_or_reference(*part)).collect();
            schema.push(keyword("prefixItems", Literal::Array(parts)));
        }
        let len = || Literal::number(parts.len());
        schema.push(match self.purpose {
            Purpose::Shape => keyword("items", Literal::Boolean(false)),
            Purpose::OpenApi => keyword("maxItems", len()),
        });
        schema.push(keyword("minItems", len()));
        schema
    }

    fn map(&mut self, key: NodeId, value: NodeId) -> Keywords {
        let pattern = |text: &str| vec![keyword("pattern", Literal::text(text))];
        let names = match self.shape.node(key) {
            Node::Int(Int { signed: true, .. }) => Some(object(pattern("^-?[0-9]+$"))),
            Node::Int(_) => Some(object(pattern("^[0-9]+$"))),
            Node::Bool => {
                let names = ["false", "true"].map(Literal::text).to_vec();
                Some(object(vec![keyword("enum", Literal::Array(names))]))
            }
            Node::Char | Node::Enum(_) => Some(self.schema_or_reference(key)),
            _ => None,
        };
        let mut schema = typed("object", []);
        schema.extend(names.map(|names| keyword("propertyNames", names)));
        schema.push(keyword("additionalProperties", self.schema_or_reference(value)));
        schema
    }

    /// Returns the schema of a record. `tag` is the name and the schema of an internal tag, which
    /// becomes the first property.
    fn record(&mut self, record: &Record, tag: Option<(&str, Literal)>) -> Keywords {
        let mut schema: Keywords = description(&record.doc).into_iter().collect();
        schema.extend(typed("object", []));
        let mut properties: Keywords = Vec::new();
        let mut required = Vec::new();
        if let Some((tag, schema)) = tag {
            properties.push(keyword(tag, schema));
            required.push(Literal::text(tag));
        }
        for field in &record.fields {
            properties.push(keyword(&field.name, self.field(field)));
            let may_be_absent = self.purpose == Purpose::OpenApi
                && matches!(self.shape.node(field.node), Node::Option(_));
            if field.presence == Presence::Required && !may_be_absent {
                required.push(Literal::text(&*field.name));
            }
        }
        schema.push(keyword("properties", Literal::Object(properties)));
        if !required.is_empty() {
            schema.push(keyword("required", Literal::Array(required)));
        }
        if let Some(rest) = record.rest {
            schema.push(keyword("additionalProperties", self.schema_or_reference(rest)));
        }
        schema
    }

    fn field(&mut self, field: &Field) -> Literal {
        let schema = self.schema_or_reference(field.node);
        let Some(description) = description(&field.doc) else { return schema };
        let mut documented = vec![description];
        if let Literal::Object(keywords) = schema {
            documented.extend(keywords);
        }
        object(documented)
    }
}

/// Adds the keywords of constraints, which replace those of the type.
fn constrain(schema: &mut Keywords, node: &Node, constraints: &Constraints) {
    for (name, argument) in constraints.keywords(node) {
        match schema.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = argument,
            None => schema.push(keyword(name, argument)),
        }
    }
}

impl Constraints {
    /// Returns the keywords of JSON Schema for the constraints of a node. The keywords replace
    /// those of the same name in the schema of the node's type.
    fn keywords(&self, node: &Node) -> Vec<(&'static str, Literal)> {
        let mut keywords = Vec::new();
        let (mut min, mut max) = (self.min, self.max);
        if let Node::Int(int) = node {
            // The tighter of two bounds counts.
            let (lowest, highest) = (int.min_value(), int.max_value());
            let (lowest, highest) = (Number::from(lowest), Number::from(highest));
            min = min.map(|min| if lowest > min { lowest } else { min });
            max = max.map(|max| if highest < max { highest } else { max });
        }
        keywords.extend(min.map(|min| ("minimum", Literal::number(min))));
        keywords.extend(max.map(|max| ("maximum", Literal::number(max))));
        keywords.extend(self.multiple_of.map(|divisor| ("multipleOf", Literal::number(divisor))));
        let [shortest, longest] = match node {
            Node::Array(_) | Node::Bytes => ["minItems", "maxItems"],
            Node::Map { .. } => ["minProperties", "maxProperties"],
            _ => ["minLength", "maxLength"],
        };
        if let Some(Length { min, max }) = self.length {
            keywords.extend((min > 0).then(|| (shortest, Literal::number(min))));
            keywords.extend(max.map(|max| (longest, Literal::number(max))));
        }
        keywords.extend(self.pattern.as_ref().map(|it| ("pattern", Literal::text(&**it))));
        if let Some(choices) = &self.one_of {
            let choices = choices.iter().map(|choice| match choice {
                Choice::Number(choice) => Literal::number(choice),
                Choice::Text(text) => Literal::text(&**text),
            });
            keywords.push(("enum", Literal::Array(choices.collect())));
        }
        keywords
    }
}

fn object(keywords: Keywords) -> Literal {
    Literal::Object(keywords)
}

fn keyword(name: &str, argument: Literal) -> (String, Literal) {
    (name.to_owned(), argument)
}

/// Returns a type and further keywords.
fn typed<const N: usize>(ty: &str, more: [(&str, Literal); N]) -> Keywords {
    let more = more.into_iter().map(|(name, argument)| keyword(name, argument));
    std::iter::once(keyword("type", Literal::text(ty))).chain(more).collect()
}

/// Returns the keyword of a documentation, if there is any.
fn description(doc: &str) -> Option<(String, Literal)> {
    (!doc.is_empty()).then(|| keyword("description", Literal::text(doc)))
}

/// Returns an integer with the bounds of its width. Validators that parse numbers as doubles read
/// `u64::MAX` and `i64::MAX` as the next power of two, so they accept this power as well, and
/// refuse no number within the bounds.
fn integer(int: Int) -> Keywords {
    let sign = if int.signed { "" } else { "u" };
    let format = Literal::text(format!("{sign}int{}", int.bits));
    let minimum = Literal::number(int.min_value());
    let maximum = Literal::number(int.max_value());
    typed("integer", [("format", format), ("minimum", minimum), ("maximum", maximum)])
}

impl Writer<'_> {
    /// Returns an enum, as serde writes it.
    fn sum(&mut self, sum: &Enum) -> Keywords {
        let is_plain = |variant: &Variant| {
            variant.kind == VariantKind::Unit
                && (variant.doc.is_empty() || self.purpose == Purpose::OpenApi)
        };
        if sum.tagging == Tagging::External && sum.variants.iter().all(is_plain) {
            let names = sum.variants.iter().map(|variant| Literal::text(&*variant.name));
            let schema = typed("string", [("enum", Literal::Array(names.collect()))]);
            return description(&with_variants(sum)).into_iter().chain(schema).collect();
        }
        let variants = sum.variants.iter().map(|variant| {
            let mut schema = match &sum.tagging {
                Tagging::External => self.external(variant),
                Tagging::Internal { tag } => self.internal(variant, tag),
                Tagging::Adjacent { tag, content } => self.adjacent(variant, tag, content),
            };
            if let Some(description) = description(&variant.doc) {
                schema.retain(|(key, _)| key != "description");
                schema.insert(0, description);
            }
            object(schema)
        });
        let one_of = keyword("oneOf", Literal::Array(variants.collect()));
        description(&sum.doc).into_iter().chain([one_of]).collect()
    }

    /// Returns the schema of `{"Variant": content}`, or of the name alone.
    fn external(&mut self, variant: &Variant) -> Keywords {
        match self.content(&variant.kind) {
            None => vec![constant(&variant.name)],
            Some(content) => closed(vec![keyword(&variant.name, content)]),
        }
    }

    /// Returns the schema of `{"tag": "Variant", …fields}`.
    fn internal(&mut self, variant: &Variant, tag: &str) -> Keywords {
        let name = object(vec![constant(&variant.name)]);
        let inner = match &variant.kind {
            VariantKind::Newtype(inner) | VariantKind::Struct(inner) => *inner,
            // Serde does not compile a tuple variant with an internal tag.
            VariantKind::Unit | VariantKind::Tuple(_) => {
                return all_required(vec![keyword(tag, name)]);
            }
        };
        let shape = self.shape;
        if let Node::Record(record) = shape.node(inner) {
            return self.record(record, Some((tag, name)));
        }
        let parts =
            vec![self.schema_or_reference(inner), object(all_required(vec![keyword(tag, name)]))];
        vec![keyword("allOf", Literal::Array(parts))]
    }

    /// Returns the schema of `{"tag": "Variant", "content": content}`.
    fn adjacent(&mut self, variant: &Variant, tag: &str, content: &str) -> Keywords {
        let mut properties = vec![keyword(tag, object(vec![constant(&variant.name)]))];
        properties.extend(self.content(&variant.kind).map(|schema| keyword(content, schema)));
        all_required(properties)
    }

    fn content(&mut self, kind: &VariantKind) -> Option<Literal> {
        match kind {
            VariantKind::Unit => None,
            VariantKind::Newtype(inner) => Some(self.schema_or_reference(*inner)),
            VariantKind::Struct(inner) => {
                let shape = self.shape;
                Some(match shape.node(*inner) {
                    // The fields of a variant are not a separate type.
                    Node::Record(record) => object(self.record(record, None)),
                    _ => self.schema_or_reference(*inner),
                })
            }
            VariantKind::Tuple(parts) => Some(object(self.tuple(parts))),
        }
    }
}

/// Returns the documentation of an enum, with a list of the variants that have documentation.
fn with_variants(sum: &Enum) -> String {
    let documented = sum.variants.iter().filter(|variant| !variant.doc.is_empty());
    let list = documented.map(|variant| format!("- `{}`: {}", variant.name, variant.doc));
    let list = list.collect::<Vec<_>>().join("\n");
    let parts = [sum.doc.to_string(), list];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

fn constant(name: &Name) -> (String, Literal) {
    keyword("const", Literal::text(&**name))
}

fn all_required(properties: Keywords) -> Keywords {
    let names = properties.iter().map(|(name, _)| Literal::text(name)).collect();
    let properties = Literal::Object(properties);
    typed("object", [("properties", properties), ("required", Literal::Array(names))])
}

/// Returns an object with these properties and no others.
fn closed(properties: Keywords) -> Keywords {
    let mut schema = all_required(properties);
    schema.push(keyword("additionalProperties", Literal::Boolean(false)));
    schema
}

/// Returns a name for a definition. The name has only letters, digits, `.`, `_` and `-`, which need
/// no escapes in references and are allowed in OpenAPI components.
fn definition_name(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let name: String = name.chars().map(|c| if plain(c) { c } else { '_' }).collect();
    if name.is_empty() { "Record".to_owned() } else { name }
}
