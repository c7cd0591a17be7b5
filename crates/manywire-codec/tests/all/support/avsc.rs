//! Parses the text of Avro schemas, as far as tests need it, into the model of `manywire-shape`.

use std::collections::HashMap;

use manywire_shape::Tagging;
use manywire_shape::avro::{
    Enum, Field, Fixed, Form, FullName, Literal, Logical, Node, NodeId, Record, Role, Schema,
    SchemaBuilder, Symbol, Type, VariantOf,
};
use serde_json::{Map, Value as Json};

/// Parses a schema's text.
pub(crate) fn read(text: &str) -> Result<Schema, String> {
    let json: Json = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut reader = Reader { builder: SchemaBuilder::default(), named: HashMap::new() };
    let root = reader.place(&json, "")?;
    reader.builder.finish(root).map_err(|error| error.to_string())
}

struct Reader {
    builder: SchemaBuilder,
    named: HashMap<FullName, NodeId>,
}

fn text<'j>(object: &'j Map<String, Json>, key: &str) -> Option<&'j str> {
    object.get(key).and_then(Json::as_str)
}

fn owned(object: &Map<String, Json>, key: &str) -> Option<String> {
    text(object, key).map(str::to_owned)
}

fn texts(object: &Map<String, Json>, key: &str) -> Vec<String> {
    let items = object.get(key).and_then(Json::as_array).into_iter().flatten();
    items.filter_map(Json::as_str).map(str::to_owned).collect()
}

fn aliases(object: &Map<String, Json>) -> Vec<String> {
    [texts(object, "aliases"), texts(object, "manywire.aliases")].concat()
}

fn full_name(name: &str, namespace: &str) -> FullName {
    let (namespace, name) = name.rsplit_once('.').unwrap_or((namespace, name));
    FullName { name: name.to_owned(), namespace: namespace.to_owned() }
}

fn literal(json: &Json) -> Literal {
    match json {
        Json::Null => Literal::Null,
        Json::Bool(value) => Literal::Boolean(*value),
        Json::Number(number) => Literal::Number(number.to_string()),
        Json::String(text) => Literal::String(text.clone()),
        Json::Array(items) => Literal::Array(items.iter().map(literal).collect()),
        Json::Object(members) => Literal::Object(
            members.iter().map(|(key, value)| (key.clone(), literal(value))).collect(),
        ),
    }
}

impl Reader {
    fn place(&mut self, json: &Json, namespace: &str) -> Result<NodeId, String> {
        match json {
            Json::String(name) => self.name(name, namespace),
            Json::Array(branches) => {
                let branches = branches.iter().map(|branch| self.place(branch, namespace));
                let branches = branches.collect::<Result<_, _>>()?;
                Ok(self.builder.add(Type::Union(branches)))
            }
            Json::Object(object) => self.object(object, namespace),
            _ => Err(format!("{json} is no schema")),
        }
    }

    fn name(&mut self, name: &str, namespace: &str) -> Result<NodeId, String> {
        Ok(self.builder.add(match name {
            "null" => Type::Null,
            "boolean" => Type::Boolean,
            "int" => Type::Int,
            "long" => Type::Long,
            "float" => Type::Float,
            "double" => Type::Double,
            "bytes" => Type::Bytes,
            "string" => Type::String,
            name => {
                let known = self.named.get(&full_name(name, namespace));
                let known = known.or_else(|| self.named.get(&full_name(name, "")));
                return known.copied().ok_or_else(|| format!("no type is called {name}"));
            }
        }))
    }

    fn object(&mut self, object: &Map<String, Json>, namespace: &str) -> Result<NodeId, String> {
        let ty = match object.get("type") {
            Some(Json::String(ty)) => ty.as_str(),
            Some(inner) => return self.place(inner, namespace),
            None => return Err("a schema without a type".to_owned()),
        };
        let part = |key: &str| object.get(key).ok_or_else(|| format!("{ty} without {key}"));
        let ty = match ty {
            "array" => Type::Array(self.place(part("items")?, namespace)?),
            "map" => Type::Map(self.place(part("values")?, namespace)?),
            "record" | "enum" | "fixed" => return self.definition(object, ty, namespace),
            name => {
                let place = self.name(name, namespace)?;
                let Some(logical) = logical(object) else { return Ok(place) };
                let ty = match name {
                    "bytes" => Type::Bytes,
                    "int" => Type::Int,
                    "long" => Type::Long,
                    "string" => Type::String,
                    _ => return Err(format!("{name} with a logical type")),
                };
                return Ok(self.builder.add(Node { ty, logical: Some(logical) }));
            }
        };
        Ok(self.builder.add(ty))
    }

    fn definition(
        &mut self,
        object: &Map<String, Json>,
        ty: &str,
        namespace: &str,
    ) -> Result<NodeId, String> {
        let namespace = text(object, "namespace").unwrap_or(namespace);
        let name = full_name(text(object, "name").ok_or("a type without a name")?, namespace);
        let place = self.builder.reserve();
        if self.named.insert(name.clone(), place).is_some() {
            return Err(format!("two types are called {name}"));
        }
        let original = owned(object, "manywire.name");
        let doc = owned(object, "doc").unwrap_or_default();
        let aliases = aliases(object);
        let ty = match ty {
            "fixed" => {
                let size = object.get("size").and_then(Json::as_u64).ok_or("fixed without size")?;
                Type::Fixed(Fixed { name, aliases, size: size as usize })
            }
            "enum" => {
                let originals = texts(object, "manywire.symbols");
                let symbols = texts(object, "symbols").into_iter().enumerate();
                let symbols = symbols.map(|(index, name)| Symbol {
                    original: originals.get(index).filter(|&other| *other != name).cloned(),
                    name,
                    aliases: vec![],
                });
                let symbols = symbols.collect();
                let default = owned(object, "default");
                Type::Enum(Enum { name, original, doc, aliases, symbols, default })
            }
            _ => {
                let role = role(object)?;
                let fields = object.get("fields").and_then(Json::as_array).ok_or("no fields")?;
                let fields = fields.iter().map(|field| self.field(field, &name.namespace));
                let fields = fields.collect::<Result<_, String>>()?;
                Type::Record(Record { name, original, doc, aliases, fields, role })
            }
        };
        self.builder.set(place, Node { ty, logical: logical(object) });
        Ok(place)
    }

    fn field(&mut self, field: &Json, namespace: &str) -> Result<Field, String> {
        let object = field.as_object().ok_or("a field that is no object")?;
        let node = self.place(object.get("type").ok_or("a field without a type")?, namespace)?;
        Ok(Field {
            original: owned(object, "manywire.name"),
            doc: owned(object, "doc").unwrap_or_default(),
            aliases: aliases(object),
            default: object.get("default").map(literal),
            optional: text(object, "manywire.presence") == Some("optional"),
            rest: object.get("manywire.rest") == Some(&Json::Bool(true)),
            ..Field::new(text(object, "name").ok_or("a field without a name")?, node)
        })
    }
}

fn logical(object: &Map<String, Json>) -> Option<Logical> {
    let number = |key: &str| object.get(key).and_then(Json::as_u64).map(|number| number as u32);
    Some(Logical {
        name: owned(object, "logicalType")?,
        precision: number("precision"),
        scale: number("scale"),
    })
}

fn role(object: &Map<String, Json>) -> Result<Role, String> {
    if let Some(Json::Object(variant)) = object.get("manywire.variant") {
        let tagging = match (text(variant, "tag"), text(variant, "content")) {
            (None, _) => Tagging::External,
            (Some(tag), None) => Tagging::Internal { tag: tag.to_owned().into() },
            (Some(tag), Some(content)) => {
                Tagging::Adjacent { tag: tag.to_owned().into(), content: content.to_owned().into() }
            }
        };
        let form = match text(variant, "form") {
            Some("unit") => Form::Unit,
            Some("newtype") => Form::Newtype,
            Some("tuple") => Form::Tuple,
            Some("struct") => Form::Struct,
            other => return Err(format!("no form is called {other:?}")),
        };
        let sum = owned(variant, "enum").ok_or("a variant of no enum")?;
        return Ok(Role::Variant(VariantOf { sum, tagging, form }));
    }
    Ok(match text(object, "manywire.role") {
        None => Role::Record,
        Some("tuple") => Role::Tuple,
        Some("transparent") => Role::Transparent,
        Some("entry") => Role::Entry,
        Some("timestamp") => Role::Timestamp,
        Some("number") => Role::Number,
        Some("extension") => Role::Extension,
        Some(other) => return Err(format!("no role is called {other}")),
    })
}
