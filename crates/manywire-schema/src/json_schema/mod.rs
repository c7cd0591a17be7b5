//! Reads JSON Schema, draft 2020-12 and the parts shared with draft 7, as shapes.
//!
//! | schema | shape |
//! |---|---|
//! | `true`, `{}` | any value |
//! | `type` | the scalar, record, map or array; several types a union, `null` among them an option, as `nullable` in a document of OpenAPI 3.0 |
//! | `integer` | by `format` (`int8` … `uint128`), else the narrowest that holds `minimum` and `maximum`, else 64 bits |
//! | `number` | `f64`; `f32` for the format `float` |
//! | `string` | text; one character where `minLength` and `maxLength` are 1 |
//! | `enum` or `const` of text | an enum without content |
//! | `properties` | a record, with optional fields unless `required`; `patternProperties`, and `additionalProperties: true` or a schema, give `rest` |
//! | `required` names without a property | fields of any type, unless there is a `rest` |
//! | `object` without `properties` | a map, with keys by `propertyNames` |
//! | `items` | an array; equal `minItems` and `maxItems` give its length |
//! | `prefixItems` | a tuple, or an array of the union of all items if `items` follow |
//! | `oneOf`, `anyOf` | an enum if the branches are tagged as serde tags them, else a union |
//! | `allOf` | one record with all fields; the type of the first part that has one, if it is no object |
//! | `$ref` | the schema with a JSON Pointer, an anchor or an `$id` within the document, recursion included; together with the keywords beside it, as in `allOf`, unless `$schema` is draft 7 or earlier |
//!
//! Properties of alternatives beside `properties` (`anyOf`, `oneOf`, `then`, `else`) are optional
//! fields. Keywords that restrict values without changing their shape (`pattern`, `multipleOf`,
//! `not` …) are ignored.

mod choice;
mod object;
mod reference;

use std::cell::OnceCell;
use std::collections::HashMap;

use manywire_shape::{Array, Int, Literal, Node, NodeId, Record, Shape, ShapeBuilder};

use crate::Error;
use crate::json::{Fault, Step, kind, member, parse, text_member};
use reference::steps;

/// The maximum nesting depth of a schema, including references.
const DEPTH_MAX: usize = 256;

/// Reads a JSON Schema.
///
/// `file` is used only in error messages.
///
/// # Errors
///
/// Fails if the text is not JSON, if a keyword has an invalid argument, if a reference does not
/// resolve within the document, or if no value fits the schema.
pub fn read_json_schema(file: &str, text: &str) -> Result<Shape, Error> {
    read_literal(file, text, parse(file, text)?)
}

/// Reads a parsed JSON Schema.
pub(crate) fn read_literal(file: &str, text: &str, mut schema: Literal) -> Result<Shape, Error> {
    if joins_references(&schema) {
        object::compose_references(&mut schema);
    }
    let schema = &schema;
    let mut reader = Reader {
        document: schema,
        identified: OnceCell::new(),
        builder: ShapeBuilder::default(),
        path: Vec::new(),
        referred: HashMap::new(),
        depth: 0,
    };
    // The root is read as the target of a reference, so that all references to it share one node.
    let root = match member(schema, "$ref") {
        Some(_) => reader.schema_node(schema, "Root"),
        None => reader.refer("#"),
    };
    let root = root.map_err(|fault| fault.locate(file, text))?;
    Ok(reader.builder.finish(root).reachable())
}

/// Returns whether the keywords beside a `$ref` apply together with it: since draft 2019-09, and if no
/// draft is named. Earlier drafts and OpenAPI 3.0 ignore them.
fn joins_references(document: &Literal) -> bool {
    let dialect = text_member(document, "$schema").unwrap_or_default();
    !dialect.contains("json-schema.org/draft-0") && !is_openapi_3_0(document)
}

/// Returns whether the document is one of OpenAPI 3.0, whose schemas are not those of a draft.
fn is_openapi_3_0(document: &Literal) -> bool {
    text_member(document, "openapi").is_some_and(|version| version.starts_with("3.0"))
}

type Result<T, E = Box<Fault>> = std::result::Result<T, E>;

struct Reader<'l> {
    document: &'l Literal,
    /// The pointers of the schemas that references can name by URI, found at the first such
    /// reference. Most documents have none.
    identified: OnceCell<HashMap<String, String>>,
    builder: ShapeBuilder,
    /// The path of the current schema.
    path: Vec<Step>,
    /// The nodes of referenced schemas, by pointer.
    referred: HashMap<String, NodeId>,
    depth: usize,
}

impl<'l> Reader<'l> {
    /// Returns the node of a schema; `hint` names a type that has no title.
    fn schema_node(&mut self, schema: &'l Literal, hint: &str) -> Result<NodeId> {
        self.nested(|reader| reader.schema(schema, hint))
    }

    /// Runs `read` one level deeper.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= DEPTH_MAX {
            return Err(self.fault(format_args!(
                "the schema nests deeper than {DEPTH_MAX} levels, references included"
            )));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn schema(&mut self, schema: &'l Literal, hint: &str) -> Result<NodeId> {
        match schema {
            Literal::Boolean(true) => return Ok(self.builder.add(Node::Any)),
            Literal::Boolean(false) => {
                return Err(self.fault("expected a schema that something fits, found false"));
            }
            Literal::Object(_) => {}
            other => return Err(self.expected("a schema: an object or a boolean", other)),
        }
        if let Some(reference) = self.text(schema, "$ref")? {
            return self.within(Step::Key("$ref".into()), |reader| reader.refer(reference));
        }
        let hint = text_member(schema, "title").unwrap_or(hint);
        if let Some(node) = self.choice(schema, hint)? {
            return Ok(node);
        }
        match member(schema, "type") {
            None => self.untyped(schema, hint),
            Some(Literal::String(ty)) => {
                let node = self.typed(ty, schema, hint)?;
                if !self.is_nullable(schema) {
                    return Ok(node);
                }
                let null = self.builder.add(Node::Null);
                Ok(self.builder.union(&[node, null]))
            }
            Some(Literal::Array(types)) => {
                let mut branches = Vec::new();
                for ty in types {
                    match ty {
                        Literal::String(ty) => branches.push(self.typed(ty, schema, hint)?),
                        other => return Err(self.bad_type(other)),
                    }
                }
                Ok(self.builder.union(&branches))
            }
            Some(other) => Err(self.bad_type(other)),
        }
    }

    /// Returns whether a schema with a type has the keyword by which OpenAPI 3.0 adds null. It is no
    /// keyword of JSON Schema.
    fn is_nullable(&self, schema: &Literal) -> bool {
        member(schema, "nullable") == Some(&Literal::Boolean(true)) && is_openapi_3_0(self.document)
    }

    fn typed(&mut self, ty: &str, schema: &'l Literal, hint: &str) -> Result<NodeId> {
        let format = text_member(schema, "format");
        let node = match (ty, format) {
            ("null", _) => Node::Null,
            ("boolean", _) => Node::Bool,
            ("integer", _) => Node::Int(self.integer(schema)?),
            ("number", Some("float")) => Node::F32,
            ("number", _) => Node::F64,
            ("string", _) if text_member(schema, "manywire.type") == Some("timestamp") => {
                Node::Timestamp
            }
            ("string", _) if self.is_char(schema)? => Node::Char,
            ("string", _) => Node::Str,
            ("array", Some("bytes")) => Node::Bytes,
            ("array", _) => return self.sequence(schema, hint),
            ("object", _) => return self.object(schema, hint),
            _ => return Err(self.bad_type(&Literal::String(ty.to_owned()))),
        };
        Ok(self.builder.add(node))
    }

    /// Returns the node of a schema without `type`, inferred from its other keywords.
    fn untyped(&mut self, schema: &'l Literal, hint: &str) -> Result<NodeId> {
        let has = |keys: &[&str]| keys.iter().any(|key| member(schema, key).is_some());
        if has(&["properties", "additionalProperties", "patternProperties", "required"])
            || object::is_composed(schema)
        {
            self.object(schema, hint)
        } else if has(&["items", "prefixItems"]) {
            self.sequence(schema, hint)
        } else {
            Ok(self.builder.add(Node::Any))
        }
    }

    fn is_char(&self, schema: &Literal) -> Result<bool> {
        let [min, max] = ["minLength", "maxLength"].map(|key| self.count(schema, key));
        Ok(min? == Some(1) && max? == Some(1))
    }

    /// Returns the object of schemas in a keyword.
    fn named(&self, schema: &'l Literal, key: &str) -> Result<&'l [(String, Literal)]> {
        match member(schema, key) {
            None => Ok(&[]),
            Some(Literal::Object(members)) => Ok(members),
            Some(other) => Err(self.bad_argument(key, "an object of schemas", other)),
        }
    }

    /// Returns the array in a keyword.
    fn listed(&self, schema: &'l Literal, key: &str) -> Result<Option<&'l [Literal]>> {
        match member(schema, key) {
            None => Ok(None),
            Some(Literal::Array(items)) => Ok(Some(items)),
            Some(other) => Err(self.bad_argument(key, "an array", other)),
        }
    }

    fn text(&self, schema: &'l Literal, key: &str) -> Result<Option<&'l str>> {
        match member(schema, key) {
            None => Ok(None),
            Some(Literal::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.bad_argument(key, "text", other)),
        }
    }

    fn count(&self, schema: &Literal, key: &str) -> Result<Option<u32>> {
        match member(schema, key) {
            None => Ok(None),
            Some(Literal::Number(text)) => {
                Ok(whole(text).and_then(|count| u32::try_from(count).ok()))
            }
            Some(other) => Err(self.bad_argument(key, "a number", other)),
        }
    }

    /// Runs `read` with the path extended by one step.
    fn within<T>(&mut self, step: Step, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.path.push(step);
        let result = read(self);
        self.path.pop();
        result
    }

    /// Runs `read` with the path extended by a keyword and a key or index in it.
    fn within_keyword<T>(
        &mut self,
        keyword: &str,
        step: Step,
        read: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        self.within(Step::Key(keyword.to_owned()), |reader| reader.within(step, read))
    }

    #[cold]
    fn fault(&self, message: impl std::fmt::Display) -> Box<Fault> {
        Fault::new(&self.path, message)
    }

    #[cold]
    fn expected(&self, expected: &str, found: &Literal) -> Box<Fault> {
        self.fault(format_args!("expected {expected}, found {}", kind(found)))
    }

    #[cold]
    fn bad_argument(&self, keyword: &str, expected: &str, found: &Literal) -> Box<Fault> {
        let mut path = self.path.clone();
        path.push(Step::Key(keyword.to_owned()));
        Fault::new(&path, format_args!("expected {expected}, found {}", kind(found)))
    }

    #[cold]
    fn bad_type(&self, found: &Literal) -> Box<Fault> {
        let types =
            "\"null\", \"boolean\", \"integer\", \"number\", \"string\", \"array\" or \"object\"";
        self.bad_argument("type", types, found)
    }

    /// Returns the node of the target of a `$ref`.
    fn refer(&mut self, reference: &'l str) -> Result<NodeId> {
        let (pointer, target) = self.resolve(reference)?;
        if let Some(id) = self.referred.get(&pointer) {
            return Ok(*id);
        }
        let is_object = ["properties", "allOf"].iter().any(|key| member(target, key).is_some());
        let outline = if is_object { Node::Record(Record::default()) } else { Node::Null };
        let id = self.builder.reserve(outline);
        let steps = steps(&pointer, self.document);
        let name = match steps.last() {
            Some(Step::Key(name)) => name.clone(),
            _ => "Root".to_owned(),
        };
        self.referred.insert(pointer.clone(), id);
        let outer = std::mem::replace(&mut self.path, steps);
        let node = self.schema_node(target, &name);
        self.path = outer;
        let node = node?;
        if node == id {
            return Err(self.fault("expected a schema, found a reference to itself"));
        }
        if self.builder.is_open(node) {
            // The target refers to a schema that is still being read, whose node cannot be copied.
            self.referred.insert(pointer, node);
            return Ok(node);
        }
        let node = self.builder.node(node).clone();
        self.builder.fill(id, node);
        Ok(id)
    }
}

/// The integer formats of the OpenAPI registry.
const FORMATS: [(&str, Int); 10] = [
    ("int8", Int::signed(8)),
    ("int16", Int::signed(16)),
    ("int32", Int::signed(32)),
    ("int64", Int::signed(64)),
    ("int128", Int::signed(128)),
    ("uint8", Int::unsigned(8)),
    ("uint16", Int::unsigned(16)),
    ("uint32", Int::unsigned(32)),
    ("uint64", Int::unsigned(64)),
    ("uint128", Int::unsigned(128)),
];

/// Returns the whole number in a text. Writers that have only floats write 1.0, and the parser of
/// JSON reads an integer beyond 64 bits as a float.
fn whole(text: &str) -> Option<i128> {
    text.parse().ok().or_else(|| {
        let float: f64 = text.parse().ok()?;
        // The cast saturates beyond 128 bits.
        (float.fract() == 0.0).then_some(float as i128)
    })
}

impl Reader<'_> {
    /// Returns the integer type of the format, or else the narrowest that holds the limits.
    fn integer(&self, schema: &Literal) -> Result<Int> {
        let format = text_member(schema, "format");
        if let Some((_, int)) = FORMATS.iter().find(|(name, _)| format == Some(*name)) {
            return Ok(*int);
        }
        let min = self.limit(schema, "minimum", "exclusiveMinimum", 1)?;
        let max = self.limit(schema, "maximum", "exclusiveMaximum", -1)?;
        if let (Some(min), Some(max)) = (min, max)
            && min > max
        {
            return Err(self.fault(format_args!("expected limits in order, found {min} to {max}")));
        }
        // A type with one limit or none has 64 bits, if they suffice.
        let narrowest = if min.is_some() && max.is_some() { 8 } else { 64 };
        let (lowest, highest) = (i128::from(i64::MIN), i128::from(i64::MAX));
        let low = min.unwrap_or(match max {
            Some(max) if max > highest => 0,
            Some(max) => lowest.min(max),
            None => lowest,
        });
        let high = max.unwrap_or(highest.max(low));
        let signed = low < 0 || narrowest == 64 && high <= highest;
        let of = if signed { Int::signed } else { Int::unsigned };
        let holds = |int: &Int| {
            low >= int.min_value() && u128::try_from(high).unwrap_or(0) <= int.max_value()
        };
        let widths = [8, 16, 32, 64].into_iter().filter(|bits| *bits >= narrowest);
        Ok(widths.map(of).find(holds).unwrap_or(of(128)))
    }

    /// Returns an inclusive limit, from the inclusive or the exclusive keyword. `step` leads from
    /// an exclusive limit to the inclusive one.
    fn limit(
        &self,
        schema: &Literal,
        inclusive: &str,
        exclusive: &str,
        step: i128,
    ) -> Result<Option<i128>> {
        for (key, step) in [(inclusive, 0), (exclusive, step)] {
            match member(schema, key) {
                // In drafts up to 4, the exclusive keyword was a boolean beside the inclusive one.
                None | Some(Literal::Boolean(_)) => {}
                Some(Literal::Number(text)) => {
                    return Ok(whole(text).map(|limit| limit.saturating_add(step)));
                }
                Some(other) => return Err(self.bad_argument(key, "a number", other)),
            }
        }
        Ok(None)
    }
}

impl<'l> Reader<'l> {
    /// Returns an array or a tuple.
    fn sequence(&mut self, schema: &'l Literal, hint: &str) -> Result<NodeId> {
        // Before draft 2020-12, `items` listed the items of a tuple, and `additionalItems` was the
        // schema of the items after them.
        let (prefix, after) = match member(schema, "items") {
            Some(Literal::Array(_)) => ("items", "additionalItems"),
            _ => ("prefixItems", "items"),
        };
        let mut parts = Vec::new();
        for (at, part) in self.listed(schema, prefix)?.unwrap_or_default().iter().enumerate() {
            let part = self
                .within_keyword(prefix, Step::Index(at), |reader| reader.schema_node(part, hint))?;
            parts.push(part);
        }
        let rest = match member(schema, after) {
            // Further items are forbidden, or not mentioned after a prefix.
            Some(Literal::Boolean(false)) => None,
            None if !parts.is_empty() => None,
            None => Some(self.builder.add(Node::Any)),
            Some(item) => Some(
                self.within(Step::Key(after.to_owned()), |reader| reader.schema_node(item, hint))?,
            ),
        };
        let (min, max) = (self.count(schema, "minItems")?, self.count(schema, "maxItems")?);
        let node = match rest {
            None if !parts.is_empty() => Node::Tuple(parts),
            None => {
                let item = self.builder.add(Node::Null);
                Node::Array(Array { len: Some(0), ..Array::new(item) })
            }
            Some(rest) => {
                parts.push(rest);
                let item = self.builder.union(&parts);
                let len = min.filter(|min| Some(*min) == max);
                Node::Array(Array {
                    len,
                    non_empty: min > Some(0) && len.is_none(),
                    ..Array::new(item)
                })
            }
        };
        Ok(self.builder.add(node))
    }
}
