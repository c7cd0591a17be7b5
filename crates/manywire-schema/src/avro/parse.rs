//! Parses the JSON of an Avro schema into the model.
//!
//! Java and Python write names that the specification does not have, such as `Outer$Inner` or
//! `@type`. The parser accepts such a name: the model gets a valid name, and keeps the original as
//! the name in the data. It also accepts a default that is no value of its field's type, because the
//! default does not matter for data that have the field.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use manywire_shape::avro::{
    Enum, Field, Fixed, Form, FullName, Logical, Names, Node, NodeId, Order, Record, Role, Schema,
    SchemaBuilder, SchemaError, Symbol, Type, VariantOf, is_name,
};
use manywire_shape::{Literal, Tagging};

use crate::json::{Fault, Step, kind, member, text_member};

type Result<T, E = Box<Fault>> = std::result::Result<T, E>;

/// Returns the schema in a JSON value, and a note for each kind of departure from the specification.
pub(super) fn schema(literal: &Literal) -> Result<(Schema, Vec<Fault>)> {
    let mut parser = Parser::new(literal);
    let root = parser.parse_type(literal, "")?;
    let names = parser.invalid_names.map(|invalid| *invalid.note());
    let defaults = parser.invalid_defaults.map(|invalid| *invalid.note());
    let schema = parser.builder.finish(root).map_err(|error| locate(literal, &error))?;
    Ok((schema, names.into_iter().chain(defaults).collect()))
}

/// Returns the fault at the place in the JSON that a check of the model complains about. Only errors
/// need the places of nodes, so the JSON is parsed again instead of storing them.
#[cold]
fn locate(literal: &Literal, error: &SchemaError) -> Box<Fault> {
    let Some(node) = error.node() else { return Fault::new(&[], error) };
    let mut parser = Parser { wanted: Some(node), ..Parser::new(literal) };
    // The same JSON was parsed before without an error.
    let parsed = parser.parse_type(literal, "");
    let mut path = parser.found.unwrap_or_default();
    if let (Ok(_), Some(member)) = (parsed, error.member()) {
        path.extend(match parser.builder.ty(node) {
            Type::Record(_) => vec![key("fields"), Step::Index(member), key("name")],
            Type::Enum(_) => vec![key("symbols"), Step::Index(member)],
            _ => vec![Step::Index(member)],
        });
    }
    Fault::new(&path, error)
}

/// The names that the specification does not allow: the first with its path, and the number of all.
struct InvalidNames {
    path: Vec<Step>,
    name: String,
    valid: String,
    count: usize,
}

impl InvalidNames {
    fn note(self) -> Box<Fault> {
        let InvalidNames { path, name, valid, count } = self;
        let names = match count {
            1 => format!("{name:?} is not a valid Avro name; it is"),
            2 => format!("{name:?} and 1 other are not valid Avro names; they are"),
            _ => format!("{name:?} and {} others are not valid Avro names; they are", count - 1),
        };
        Fault::new(&path, format_args!("{names} read, and written as valid ones such as {valid:?}"))
    }
}

/// The defaults that are no values of their field's type: the field of the first with the path of the
/// default, and the number of all.
struct InvalidDefaults {
    path: Vec<Step>,
    field: String,
    count: usize,
}

impl InvalidDefaults {
    fn note(self) -> Box<Fault> {
        let InvalidDefaults { path, field, count } = self;
        let others = match count {
            1 => String::new(),
            2 => " and of 1 other".to_owned(),
            _ => format!(" and of {} others", count - 1),
        };
        let message =
            format_args!("the default of the field {field:?}{others} is no value of its type");
        Fault::new(&path, message)
    }
}

/// The maximum number of values that are compared with types to check the defaults of a schema. A
/// default may fit many branches of unions in its parts.
const DEFAULT_VALUES_MAX: usize = 100_000;

struct Parser<'l> {
    root: &'l Literal,
    builder: SchemaBuilder,
    /// The named types, by the full names in the text.
    named: HashMap<String, NodeId>,
    /// The names of types in the model, once a type with an invalid name was found.
    type_names: Option<Names>,
    /// The records whose fields are being parsed.
    open: Vec<NodeId>,
    path: Vec<Step>,
    invalid_names: Option<InvalidNames>,
    invalid_defaults: Option<InvalidDefaults>,
    /// The number of values that may still be compared with types.
    default_values_left: Cell<usize>,
    /// The node whose path is wanted. Its path goes to `found`.
    wanted: Option<NodeId>,
    found: Option<Vec<Step>>,
}

impl<'l> Parser<'l> {
    fn new(root: &'l Literal) -> Self {
        Parser {
            root,
            builder: SchemaBuilder::default(),
            named: HashMap::new(),
            type_names: None,
            open: Vec::new(),
            path: Vec::new(),
            invalid_names: None,
            invalid_defaults: None,
            default_values_left: Cell::new(DEFAULT_VALUES_MAX),
            wanted: None,
            found: None,
        }
    }

    fn add(&mut self, node: impl Into<Node>) -> NodeId {
        let id = self.builder.add(node);
        self.record_place(id);
        id
    }

    fn record_place(&mut self, id: NodeId) {
        if self.wanted == Some(id) {
            self.found = Some(self.path.clone());
        }
    }

    /// Notes that a name at the end of this path is not valid.
    fn note(&mut self, path: &[Step], name: &str, valid: &str) {
        let at = |path: &[Step]| self.path.iter().chain(path).cloned().collect();
        match &mut self.invalid_names {
            Some(invalid) => invalid.count += 1,
            none => {
                let (name, valid) = (name.to_owned(), valid.to_owned());
                *none = Some(InvalidNames { path: at(path), name, valid, count: 1 });
            }
        }
    }

    /// Parses a type within a namespace. The recursion is as deep as the JSON, whose depth is
    /// bounded.
    fn parse_type(&mut self, literal: &Literal, namespace: &str) -> Result<NodeId> {
        match literal {
            Literal::String(name) => self.named_type(name, namespace),
            Literal::Array(branches) => {
                let mut nodes = Vec::new();
                for (at, branch) in branches.iter().enumerate() {
                    let step = Step::Index(at);
                    nodes.push(self.within(step, |parser| parser.parse_type(branch, namespace))?);
                }
                Ok(self.add(Type::Union(nodes)))
            }
            Literal::Object(_) => self.described(literal, namespace),
            other => Err(self.expected("a type: its name, an object or a union", other)),
        }
    }

    /// Returns a type by its name: a primitive, or a type that was declared before.
    fn named_type(&mut self, name: &str, namespace: &str) -> Result<NodeId> {
        if let Some(primitive) = Type::primitive(name) {
            return Ok(self.add(primitive));
        }
        let full = full_name(name, None, namespace);
        let known = self.named.get(&full.to_string()).or_else(|| self.named.get(name));
        known.copied().ok_or_else(|| {
            self.fault(format_args!(
                "expected the name of a type that is declared before, found {name:?}"
            ))
        })
    }

    fn described(&mut self, literal: &Literal, namespace: &str) -> Result<NodeId> {
        let ty = match member(literal, "type") {
            Some(Literal::String(ty)) => ty.as_str(),
            Some(nested) => {
                return self.within(key("type"), |parser| parser.parse_type(nested, namespace));
            }
            None => return Err(self.fault("expected a member \"type\"")),
        };
        let ty = match ty {
            "record" | "error" => return self.record(literal, namespace),
            "enum" => {
                let (in_text, ty) = self.enumeration(literal, namespace)?;
                let id = self.add(Node { ty, logical: logical(literal) });
                self.named.insert(in_text.to_string(), id);
                return Ok(id);
            }
            "fixed" => {
                let (name, in_text) = self.name(literal, namespace)?;
                let size = match member(literal, "size") {
                    Some(Literal::Number(size)) => size.parse().ok(),
                    _ => None,
                };
                let size = size.ok_or_else(|| self.fault("expected a \"size\" in bytes"))?;
                let aliases = self.texts(literal, "aliases")?;
                let id = self.add(Node {
                    ty: Type::Fixed(Fixed { name, aliases, size }),
                    logical: logical(literal),
                });
                self.named.insert(in_text.to_string(), id);
                return Ok(id);
            }
            "array" => Type::Array(self.inner(literal, "items", namespace)?),
            "map" => Type::Map(self.inner(literal, "values", namespace)?),
            name => match Type::primitive(name) {
                Some(primitive) => primitive,
                None => {
                    return self.within(key("type"), |parser| parser.named_type(name, namespace));
                }
            },
        };
        Ok(self.add(Node { ty, logical: logical(literal) }))
    }

    fn inner(&mut self, literal: &Literal, of: &str, namespace: &str) -> Result<NodeId> {
        let inner = member(literal, of)
            .ok_or_else(|| self.fault(format_args!("expected a member {of:?}")))?;
        self.within(key(of), |parser| parser.parse_type(inner, namespace))
    }

    fn record(&mut self, literal: &Literal, namespace: &str) -> Result<NodeId> {
        let (name, in_text) = self.name(literal, namespace)?;
        let id = self.builder.reserve();
        self.record_place(id);
        self.named.insert(in_text.to_string(), id);
        let Some(Literal::Array(listed)) = member(literal, "fields") else {
            return Err(self.fault("expected a member \"fields\": an array"));
        };
        let mut names = FieldNames::of(listed);
        let mut fields = Vec::new();
        self.open.push(id);
        for (at, field) in listed.iter().enumerate() {
            let step = Step::Index(at);
            fields.push(self.within(key("fields"), |parser| {
                parser.within(step, |parser| parser.field(field, &in_text.namespace, &mut names))
            })?);
        }
        self.open.pop();
        let record = Record {
            original: original(literal, &name, &in_text),
            doc: owned(literal, "doc").unwrap_or_default(),
            aliases: self.aliases(literal)?,
            fields,
            role: self.role(literal)?,
            name,
        };
        self.builder.set(id, Type::Record(record));
        Ok(id)
    }

    fn field(
        &mut self,
        literal: &Literal,
        namespace: &str,
        names: &mut FieldNames,
    ) -> Result<Field> {
        let in_text = text_member(literal, "name")
            .filter(|name| !name.is_empty())
            .ok_or_else(|| self.fault("expected a field: an object with a \"name\""))?;
        let name = match names.valid(in_text) {
            Some(name) => name,
            None => {
                let message = format_args!("the field {in_text:?} is declared twice");
                return self.within(key("name"), |parser| Err(parser.fault(message)));
            }
        };
        if name != in_text {
            self.note(&[key("name")], in_text, &name);
        }
        let node = self.inner(literal, "type", namespace)?;
        if member(literal, "default").is_some_and(|default| !self.suits(node, default)) {
            self.note_default(in_text);
        }
        Ok(Field {
            original: owned(literal, "manywire.name")
                .or_else(|| (name != in_text).then(|| in_text.to_owned())),
            name,
            doc: owned(literal, "doc").unwrap_or_default(),
            aliases: self.aliases(literal)?,
            node,
            default: member(literal, "default").map(|default| self.renamed(node, default)),
            order: order(literal),
            optional: text_member(literal, "manywire.presence") == Some("optional"),
            rest: member(literal, "manywire.rest") == Some(&Literal::Boolean(true)),
        })
    }

    /// Notes that the default of the field at this path is no value of its type.
    fn note_default(&mut self, field: &str) {
        match &mut self.invalid_defaults {
            Some(invalid) => invalid.count += 1,
            none => {
                let path = self.path.iter().cloned().chain([key("default")]).collect();
                *none = Some(InvalidDefaults { path, field: field.to_owned(), count: 1 });
            }
        }
    }

    /// Returns whether a default is a value of a type (specification, "Complex Types, Records"), or
    /// `true` if that is not known: in a record around the default. The recursion is as deep as the
    /// default, whose depth is bounded.
    fn suits(&self, node: NodeId, value: &Literal) -> bool {
        let Some(left) = self.default_values_left.get().checked_sub(1) else { return true };
        self.default_values_left.set(left);
        if self.open.contains(&node) {
            return true;
        }
        // Each character of the text is a byte.
        let is_bytes = |text: &str| text.chars().all(|c| u32::from(c) <= 0xff);
        match (self.builder.ty(node), value) {
            (Type::Null, Literal::Null)
            | (Type::Boolean, Literal::Boolean(_))
            | (Type::Float | Type::Double, Literal::Number(_))
            | (Type::String, Literal::String(_)) => true,
            (Type::Int, Literal::Number(digits)) => digits.parse::<i32>().is_ok(),
            (Type::Long, Literal::Number(digits)) => digits.parse::<i64>().is_ok(),
            (Type::Bytes, Literal::String(text)) => is_bytes(text),
            (Type::Fixed(fixed), Literal::String(text)) => {
                is_bytes(text) && text.chars().count() == fixed.size
            }
            (Type::Enum(symbols), Literal::String(text)) => {
                symbols.symbols.iter().any(|symbol| symbol.name == *text || symbol.key() == text)
            }
            (Type::Array(item), Literal::Array(items)) => {
                items.iter().all(|value| self.suits(*item, value))
            }
            (Type::Map(item), Literal::Object(members)) => {
                members.iter().all(|(_, value)| self.suits(*item, value))
            }
            (Type::Record(record), Literal::Object(members)) => record.fields.iter().all(|field| {
                let is_own = |name: &str| name == field.name || name == field.key();
                match members.iter().find(|(name, _)| is_own(name)) {
                    Some((_, value)) => self.suits(field.node, value),
                    None => field.default.is_some(),
                }
            }),
            (Type::Union(branches), value) => {
                branches.iter().any(|branch| self.suits(*branch, value))
            }
            _ => false,
        }
    }

    /// Returns a default value with the names of the model.
    fn renamed(&self, node: NodeId, value: &Literal) -> Literal {
        match (self.builder.ty(node), value) {
            (Type::Enum(symbols), Literal::String(text)) => {
                let symbol = symbols.symbols.iter().find(|symbol| symbol.key() == text);
                Literal::String(symbol.map_or(text, |symbol| &symbol.name).clone())
            }
            (Type::Record(record), Literal::Object(members)) => {
                let renamed = members.iter().map(|(key, value)| {
                    match record.fields.iter().find(|field| field.key() == key) {
                        Some(field) => (field.name.clone(), self.renamed(field.node, value)),
                        None => (key.clone(), value.clone()),
                    }
                });
                Literal::Object(renamed.collect())
            }
            (Type::Array(item), Literal::Array(items)) => {
                Literal::Array(items.iter().map(|value| self.renamed(*item, value)).collect())
            }
            (Type::Map(item), Literal::Object(members)) => {
                let entry =
                    |(key, value): &(String, Literal)| (key.clone(), self.renamed(*item, value));
                Literal::Object(members.iter().map(entry).collect())
            }
            // The default of a union is a value of the first branch that it suits.
            (Type::Union(branches), value) => {
                match branches.iter().find(|branch| self.suits(**branch, value)) {
                    Some(branch) => self.renamed(*branch, value),
                    None => value.clone(),
                }
            }
            (_, value) => value.clone(),
        }
    }

    /// Returns the full name of an enum in the text, and the enum.
    fn enumeration(&mut self, literal: &Literal, namespace: &str) -> Result<(FullName, Type)> {
        let (name, in_text) = self.name(literal, namespace)?;
        if member(literal, "symbols").is_none() {
            return Err(self.fault("expected a member \"symbols\": an array of names"));
        }
        let listed = self.texts(literal, "symbols")?;
        let originals = self.texts(literal, "manywire.symbols")?;
        let mut names: Names = listed.iter().filter(|name| is_name(name)).cloned().collect();
        let mut seen = HashSet::new();
        let mut symbols = Vec::with_capacity(listed.len());
        for (at, in_text) in listed.iter().enumerate() {
            // The check of the model reports valid names that are declared twice.
            let invalid = !in_text.is_empty() && !is_name(in_text) && seen.insert(in_text);
            let name = if invalid { names.give(in_text) } else { in_text.clone() };
            if invalid {
                self.note(&[key("symbols"), Step::Index(at)], in_text, &name);
            }
            let original = originals.get(at).unwrap_or(in_text);
            let original = (*original != name).then(|| original.clone());
            symbols.push(Symbol { name, original, aliases: Vec::new() });
        }
        let default = match member(literal, "default") {
            // Other readers take null for no default.
            None | Some(Literal::Null) => None,
            Some(default) => {
                let is_default =
                    |in_text: &String| matches!(default, Literal::String(text) if text == in_text);
                match listed.iter().position(is_default) {
                    Some(at) => Some(symbols[at].name.clone()),
                    None => {
                        let expected = format!("a symbol of the enum {in_text} as its default");
                        return self.within(key("default"), |parser| {
                            Err(parser.expected(&expected, default))
                        });
                    }
                }
            }
        };
        let symbols = Enum {
            original: original(literal, &name, &in_text),
            name,
            doc: owned(literal, "doc").unwrap_or_default(),
            aliases: self.aliases(literal)?,
            symbols,
            default,
        };
        Ok((in_text, Type::Enum(symbols)))
    }

    fn role(&self, literal: &Literal) -> Result<Role> {
        if let Some(variant) = member(literal, "manywire.variant") {
            return self.variant(variant).map(Role::Variant);
        }
        let Some(name) = text_member(literal, "manywire.role") else { return Ok(Role::Record) };
        let known = Role::NAMED.into_iter().find(|(known, _)| *known == name);
        let unknown = || self.fault(format_args!("unknown manywire.role {name:?}"));
        known.map(|(_, role)| role).ok_or_else(unknown)
    }

    fn variant(&self, literal: &Literal) -> Result<VariantOf> {
        let name = text_member(literal, "form");
        let form = Form::ALL.into_iter().find(|form| name == Some(form.name()));
        let form = form.ok_or_else(|| self.fault("expected the \"form\" of a variant"))?;
        let tagging = match (owned(literal, "tag"), owned(literal, "content")) {
            (None, _) => Tagging::External,
            (Some(tag), None) => Tagging::Internal { tag: tag.into() },
            (Some(tag), Some(content)) => {
                Tagging::Adjacent { tag: tag.into(), content: content.into() }
            }
        };
        let sum = owned(literal, "enum")
            .ok_or_else(|| self.fault("expected the \"enum\" of a variant"))?;
        Ok(VariantOf { sum, tagging, form })
    }

    /// Returns the full name of a declared type, in the model and in the text.
    fn name(&mut self, literal: &Literal, namespace: &str) -> Result<(FullName, FullName)> {
        let name = text_member(literal, "name")
            .ok_or_else(|| self.fault("expected a named type to have a \"name\""))?;
        let in_text = full_name(name, text_member(literal, "namespace"), namespace);
        if self.named.contains_key(&in_text.to_string()) {
            return Err(self.fault(format_args!("the name {in_text} is declared twice")));
        }
        if in_text.name.is_empty() {
            let message = format_args!("expected a name, found {name:?}");
            return self.within(key("name"), |parser| Err(parser.fault(message)));
        }
        let is_primitive = Type::primitive(&in_text.name).is_some();
        if is_primitive && in_text.namespace.is_empty() {
            let message = format_args!("{name:?} is the name of a primitive type");
            return self.within(key("name"), |parser| Err(parser.fault(message)));
        }
        // The specification forbids `x.string`, too, but Java writes it, always with its namespace.
        let is_valid = is_name(&in_text.name) && !is_primitive;
        let parts = in_text.namespace.split('.').filter(|part| !part.is_empty());
        if is_valid && parts.clone().all(is_name) {
            return Ok((in_text.clone(), in_text));
        }
        let valid = |part: &str| Names::default().give(part);
        let namespace = parts.map(valid).collect::<Vec<_>>().join(".");
        let root = self.root;
        let names = self.type_names.get_or_insert_with(|| {
            let mut all = Vec::new();
            collect_names(root, &mut all);
            all.into_iter().collect()
        });
        // A valid name stays if only the namespace is not valid.
        let short = match is_valid {
            true => in_text.name.clone(),
            false => names.give(&in_text.name),
        };
        let name = FullName { name: short, namespace };
        self.note(&[key("name")], &in_text.to_string(), &name.to_string());
        Ok((name, in_text))
    }

    fn aliases(&self, literal: &Literal) -> Result<Vec<String>> {
        let mut aliases = self.texts(literal, "aliases")?;
        aliases.extend(self.texts(literal, "manywire.aliases")?);
        Ok(aliases)
    }

    fn texts(&self, literal: &Literal, of: &str) -> Result<Vec<String>> {
        let Some(listed) = member(literal, of) else { return Ok(Vec::new()) };
        let text = |item: &Literal| match item {
            Literal::String(text) => Some(text.clone()),
            _ => None,
        };
        let texts = match listed {
            Literal::Array(items) => items.iter().map(text).collect(),
            _ => None,
        };
        texts.ok_or_else(|| {
            let mut path = self.path.clone();
            path.push(key(of));
            Fault::new(&path, "expected an array of names")
        })
    }

    fn within<T>(&mut self, step: Step, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.path.push(step);
        let result = parse(self);
        self.path.pop();
        result
    }

    #[cold]
    fn fault(&self, message: impl std::fmt::Display) -> Box<Fault> {
        Fault::new(&self.path, message)
    }

    #[cold]
    fn expected(&self, expected: &str, found: &Literal) -> Box<Fault> {
        self.fault(format_args!("expected {expected}, found {}", kind(found)))
    }
}

/// The names of the fields of one record.
struct FieldNames {
    /// The names in the model.
    names: Names,
    /// The names in the text that were seen.
    seen: HashSet<String>,
}

impl FieldNames {
    /// Returns the names of the fields. Valid names are in use from the beginning.
    fn of(fields: &[Literal]) -> Self {
        let names = fields.iter().filter_map(|field| text_member(field, "name"));
        FieldNames { names: names.filter(|name| is_name(name)).collect(), seen: HashSet::new() }
    }

    /// Returns the name in the model for a name in the text, or `None` if the name was seen before.
    fn valid(&mut self, in_text: &str) -> Option<String> {
        let new = self.seen.insert(in_text.to_owned());
        new.then(|| match is_name(in_text) {
            true => in_text.to_owned(),
            false => self.names.give(in_text),
        })
    }
}

/// Collects the short names of all types. The recursion is as deep as the JSON, whose depth is
/// bounded.
fn collect_names<'l>(literal: &'l Literal, names: &mut Vec<&'l str>) {
    match literal {
        Literal::Array(items) => items.iter().for_each(|item| collect_names(item, names)),
        Literal::Object(members) => {
            let name = text_member(literal, "name");
            names.extend(name.and_then(|name| name.rsplit('.').next()));
            members.iter().for_each(|(_, value)| collect_names(value, names));
        }
        _ => {}
    }
}

/// Returns the name of a type in the data, if it is not its name in the model.
fn original(literal: &Literal, name: &FullName, in_text: &FullName) -> Option<String> {
    let differs = || (name.name != in_text.name).then(|| in_text.name.clone());
    owned(literal, "manywire.name").or_else(differs)
}

/// Returns the order of a field. A word that the specification does not have is ignored, as other
/// attributes are.
fn order(field: &Literal) -> Order {
    let name = text_member(field, "order");
    Order::ALL.into_iter().find(|order| name == Some(order.name())).unwrap_or_default()
}

fn key(name: &str) -> Step {
    Step::Key(name.to_owned())
}

fn owned(literal: &Literal, key: &str) -> Option<String> {
    text_member(literal, key).map(str::to_owned)
}

/// Returns the full name of a type. A name with dots is full; another is in the given or the
/// enclosing namespace.
fn full_name(name: &str, namespace: Option<&str>, around: &str) -> FullName {
    let (namespace, name) = match name.rsplit_once('.') {
        Some((namespace, name)) => (namespace, name),
        None => (namespace.unwrap_or(around), name),
    };
    FullName { name: name.to_owned(), namespace: namespace.to_owned() }
}

/// Returns the logical type, or `None` if there is none. A logical type with invalid attributes is
/// ignored (specification, "Logical Types").
fn logical(literal: &Literal) -> Option<Logical> {
    let number = |key| match member(literal, key) {
        None => Some(None),
        Some(Literal::Number(text)) => text.parse().ok().map(Some),
        Some(_) => None,
    };
    let name = owned(literal, "logicalType")?;
    let (precision, scale): (Option<u32>, Option<u32>) = (number("precision")?, number("scale")?);
    let is_decimal =
        || precision.is_some_and(|precision| precision > 0 && scale.unwrap_or(0) <= precision);
    (name != "decimal" || is_decimal()).then_some(Logical { name, precision, scale })
}
