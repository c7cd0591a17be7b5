//! JSON Schema, draft 2020-12: what the JSON of a shape looks like.
//!
//! A [`JsonSchema`] describes the text that serde_json writes of a value of the shape. Records and
//! sum types become definitions that the rest refers to, so types may contain themselves, and an
//! OpenAPI document can hold them among its components.
//!
//! | shape | JSON Schema |
//! |---|---|
//! | null, boolean, text | `"type": "null"`, `"boolean"`, `"string"` |
//! | one character | `"string"` of `"maxLength": 1` and `"minLength": 1` |
//! | integer | `"integer"`, `"format": "int32"` …, with `minimum` and `maximum` up to 32 bits |
//! | float | `"number"`, `"format": "float"` or `"double"` |
//! | bytes | `"array"` of numbers to 255, `"format": "bytes"`, as serde_json writes them |
//! | timestamp | `"array"` of three numbers, `"format": "timestamp"` |
//! | anything | `true` |
//! | option | `null` among the types, or in an `anyOf` |
//! | array | `items`, with `minItems` and `maxItems` where the length is known |
//! | tuple | `prefixItems` |
//! | map | `additionalProperties`; `propertyNames` where keys are numbers or names |
//! | record | `properties`, and `required` for those that are always there |
//! | entries that are no named field | `additionalProperties` beside `properties` |
//! | sum type without content | `enum`, or `oneOf` with `const` where variants are documented |
//! | other sum type | `oneOf`, a variant each, as serde tags it |
//! | union | `anyOf` |
//!
//! Not said, for want of words: the layout and number of a field in Protocol Buffers, other names
//! a field is read under, whether an absent field is written after all.

mod names;
mod variants;
mod write;

use std::fmt;

use crate::{Literal, Shape};

/// The dialect that the documents are written in.
pub const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// A JSON Schema: that of the whole value, and the definitions it refers to.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonSchema {
    /// What the whole value is.
    pub root: Literal,
    /// The named types, in the order they are met.
    pub definitions: Vec<(String, Literal)>,
}

impl JsonSchema {
    /// The schema of a shape, with its definitions in `$defs`.
    pub fn of(shape: &Shape) -> JsonSchema {
        JsonSchema::referring_to(shape, "#/$defs/")
    }

    /// The schema of a shape whose definitions will stand elsewhere: each reference is this prefix
    /// and the name, such as `#/components/schemas/Hotel`.
    pub fn referring_to(shape: &Shape, prefix: &str) -> JsonSchema {
        write::document(shape, prefix)
    }

    /// The whole document, with its dialect and `$defs`.
    pub fn to_literal(&self) -> Literal {
        let mut members = vec![("$schema".to_owned(), Literal::text(DIALECT))];
        // `true` cannot stand beside other keywords, and says nothing.
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

/// The text of the whole document, indented, with a line feed at its end.
impl fmt::Display for JsonSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_literal().pretty())
    }
}
