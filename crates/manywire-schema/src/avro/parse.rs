//! Parses the JSON of an Avro schema into the model.

use std::collections::HashMap;

use manywire_shape::avro::{
    Enum, Field, Fixed, Form, FullName, Logical, Node, NodeId, Record, Role, Schema, SchemaBuilder,
    Symbol, Type, VariantOf,
};
use manywire_shape::{Literal, Tagging};

use crate::json::{Fault, Step, kind, member, text_member};

type Result<T, E = Box<Fault>> = std::result::Result<T, E>;

/// Returns the schema in a JSON value.
pub(super) fn schema(literal: &Literal) -> Result<Schema> {
    let mut parser =
        Parser { builder: SchemaBuilder::default(), named: HashMap::new(), path: Vec::new() };
    let root = parser.parse_type(literal, "")?;
    parser.builder.finish(root).map_err(|error| Fault::new(&[], error))
}

struct Parser {
    builder: SchemaBuilder,
    named: HashMap<String, NodeId>,
    path: Vec<Step>,
}

impl Parser {
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
                Ok(self.builder.add(Type::Union(nodes)))
            }
            Literal::Object(_) => self.described(literal, namespace),
            other => Err(self.expected("a type: its name, an object or a union", other)),
        }
    }

    /// Returns a type by its name: a primitive, or a type that was declared before.
    fn named_type(&mut self, name: &str, namespace: &str) -> Result<NodeId> {
        if let Some(primitive) = primitive(name) {
            return Ok(self.builder.add(primitive));
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
            "enum" => self.enumeration(literal, namespace)?,
            "fixed" => {
                let name = self.name(literal, namespace)?;
                let size = match member(literal, "size") {
                    Some(Literal::Number(size)) => size.parse().ok(),
                    _ => None,
                };
                let size = size.ok_or_else(|| self.fault("expected a \"size\" in bytes"))?;
                let aliases = self.texts(literal, "aliases")?;
                Type::Fixed(Fixed { name, aliases, size })
            }
            "array" => Type::Array(self.inner(literal, "items", namespace)?),
            "map" => Type::Map(self.inner(literal, "values", namespace)?),
            name => match primitive(name) {
                Some(primitive) => primitive,
                None => {
                    return self.within(key("type"), |parser| parser.named_type(name, namespace));
                }
            },
        };
        let name = match &ty {
            Type::Enum(symbols) => Some(symbols.name.to_string()),
            Type::Fixed(fixed) => Some(fixed.name.to_string()),
            _ => None,
        };
        let id = self.builder.add(Node { ty, logical: logical(literal) });
        self.named.extend(name.map(|name| (name, id)));
        Ok(id)
    }

    fn inner(&mut self, literal: &Literal, of: &str, namespace: &str) -> Result<NodeId> {
        let inner = member(literal, of)
            .ok_or_else(|| self.fault(format_args!("expected a member {of:?}")))?;
        self.within(key(of), |parser| parser.parse_type(inner, namespace))
    }

    fn record(&mut self, literal: &Literal, namespace: &str) -> Result<NodeId> {
        let name = self.name(literal, namespace)?;
        let id = self.builder.reserve();
        if self.named.insert(name.to_string(), id).is_some() {
            return Err(self.fault(format_args!("the name {name} is declared twice")));
        }
        let Some(Literal::Array(listed)) = member(literal, "fields") else {
            return Err(self.fault("expected a member \"fields\": an array"));
        };
        let mut fields = Vec::new();
        for (at, field) in listed.iter().enumerate() {
            let step = Step::Index(at);
            fields.push(self.within(key("fields"), |parser| {
                parser.within(step, |parser| parser.field(field, &name.namespace))
            })?);
        }
        let record = Record {
            original: owned(literal, "manywire.name"),
            doc: owned(literal, "doc").unwrap_or_default(),
            aliases: self.aliases(literal)?,
            fields,
            role: self.role(literal)?,
            name,
        };
        self.builder.set(id, Type::Record(record));
        Ok(id)
    }

    fn field(&mut self, literal: &Literal, namespace: &str) -> Result<Field> {
        let name = text_member(literal, "name")
            .ok_or_else(|| self.fault("expected a field: an object with a \"name\""))?;
        let node = self.inner(literal, "type", namespace)?;
        Ok(Field {
            name: name.to_owned(),
            original: owned(literal, "manywire.name"),
            doc: owned(literal, "doc").unwrap_or_default(),
            aliases: self.aliases(literal)?,
            node,
            default: member(literal, "default").cloned(),
            optional: text_member(literal, "manywire.presence") == Some("optional"),
            rest: member(literal, "manywire.rest") == Some(&Literal::Boolean(true)),
        })
    }

    fn enumeration(&mut self, literal: &Literal, namespace: &str) -> Result<Type> {
        let name = self.name(literal, namespace)?;
        if member(literal, "symbols").is_none() {
            return Err(self.fault("expected a member \"symbols\": an array of names"));
        }
        let names = self.texts(literal, "symbols")?;
        let originals = self.texts(literal, "manywire.symbols")?;
        let symbol = |(at, name): (usize, String)| {
            let original = originals.get(at).filter(|original| **original != name).cloned();
            Symbol { name, original, aliases: Vec::new() }
        };
        Ok(Type::Enum(Enum {
            name,
            original: owned(literal, "manywire.name"),
            doc: owned(literal, "doc").unwrap_or_default(),
            aliases: self.aliases(literal)?,
            symbols: names.into_iter().enumerate().map(symbol).collect(),
            default: owned(literal, "default"),
        }))
    }

    fn role(&self, literal: &Literal) -> Result<Role> {
        if let Some(variant) = member(literal, "manywire.variant") {
            return self.variant(variant).map(Role::Variant);
        }
        Ok(match text_member(literal, "manywire.role") {
            None => Role::Record,
            Some("tuple") => Role::Tuple,
            Some("transparent") => Role::Transparent,
            Some("entry") => Role::Entry,
            Some("timestamp") => Role::Timestamp,
            Some("number") => Role::Number,
            Some("extension") => Role::Extension,
            Some(other) => return Err(self.fault(format_args!("unknown role {other:?}"))),
        })
    }

    fn variant(&self, literal: &Literal) -> Result<VariantOf> {
        let form = match text_member(literal, "form") {
            Some("unit") => Form::Unit,
            Some("newtype") => Form::Newtype,
            Some("tuple") => Form::Tuple,
            Some("struct") => Form::Struct,
            _ => return Err(self.fault("expected the \"form\" of a variant")),
        };
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

    fn name(&self, literal: &Literal, namespace: &str) -> Result<FullName> {
        let name = text_member(literal, "name")
            .ok_or_else(|| self.fault("expected a named type to have a \"name\""))?;
        let name = full_name(name, text_member(literal, "namespace"), namespace);
        let is_declared = |name: &FullName| self.named.contains_key(&name.to_string());
        if is_declared(&name) {
            return Err(self.fault(format_args!("the name {name} is declared twice")));
        }
        Ok(name)
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

fn key(name: &str) -> Step {
    Step::Key(name.to_owned())
}

fn owned(literal: &Literal, key: &str) -> Option<String> {
    text_member(literal, key).map(str::to_owned)
}

fn primitive(name: &str) -> Option<Type> {
    Some(match name {
        "null" => Type::Null,
        "boolean" => Type::Boolean,
        "int" => Type::Int,
        "long" => Type::Long,
        "float" => Type::Float,
        "double" => Type::Double,
        "bytes" => Type::Bytes,
        "string" => Type::String,
        _ => return None,
    })
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

/// Returns the logical type. One with invalid attributes is ignored (specification, "Logical
/// Types").
fn logical(literal: &Literal) -> Option<Logical> {
    let number = |key| match member(literal, key) {
        None => Some(None),
        Some(Literal::Number(text)) => text.parse().ok().map(Some),
        Some(_) => None,
    };
    Some(Logical {
        name: owned(literal, "logicalType")?,
        precision: number("precision")?,
        scale: number("scale")?,
    })
}
