//! The table of the languages that a shape can be written in: schemas, and types of programming
//! languages.
//!
//! `shape --as`, the packages for JavaScript and Python, the page of `play`, the generated types of
//! lanes and the tests read the table, so that a new row reaches all of them.

use crate::native::NativeLanguage;

/// A language that a shape can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TargetLanguage {
    /// Protocol Buffers.
    Proto,
    /// Avro.
    Avro,
    /// JSON Schema.
    JsonSchema,
    /// The types of a programming language.
    Native(NativeLanguage),
}

/// A row of [`TARGET_LANGUAGES`].
#[derive(Clone, Copy, Debug)]
pub struct TargetRow {
    /// The language.
    pub language: TargetLanguage,
    /// The name on the command line, in the packages and in the manifests of lanes.
    pub name: &'static str,
    /// Another name on the command line.
    pub alias: Option<&'static str>,
    /// The name for people.
    pub title: &'static str,
    /// A description of the text, for the help.
    pub summary: &'static str,
    /// The extension of a file, without the first dot.
    pub extension: &'static str,
}

impl TargetLanguage {
    /// Returns the row of this language in [`TARGET_LANGUAGES`].
    pub fn row(self) -> &'static TargetRow {
        &TARGET_LANGUAGES[match self {
            TargetLanguage::Proto => 0,
            TargetLanguage::Avro => 1,
            TargetLanguage::JsonSchema => 2,
            TargetLanguage::Native(language) => 3 + language as usize,
        }]
    }

    /// Returns the language with this name or alias, or `None` if there is none.
    pub fn named(name: &str) -> Option<TargetLanguage> {
        let is_named = |row: &&TargetRow| row.name == name || row.alias == Some(name);
        TARGET_LANGUAGES.iter().find(is_named).map(|row| row.language)
    }
}

/// The languages that a shape can be written in, in the order in which they are listed.
pub static TARGET_LANGUAGES: [TargetRow; 11] = [
    TargetRow {
        language: TargetLanguage::Proto,
        name: "proto",
        alias: None,
        title: "Protocol Buffers",
        summary: "Protocol Buffers, a .proto: proto3 if it has everything that the shape needs",
        extension: "proto",
    },
    TargetRow {
        language: TargetLanguage::Avro,
        name: "avro",
        alias: None,
        title: "Avro",
        summary: "An Avro schema, .avsc",
        extension: "avsc",
    },
    TargetRow {
        language: TargetLanguage::JsonSchema,
        name: "jsonschema",
        alias: Some("json-schema"),
        title: "JSON Schema",
        summary: "JSON Schema, draft 2020-12",
        extension: "schema.json",
    },
    TargetRow {
        language: TargetLanguage::Native(NativeLanguage::Rust),
        name: "rust",
        alias: None,
        title: "Rust",
        summary: "Structs and enums with serde's derives",
        extension: "rs",
    },
    TargetRow {
        language: TargetLanguage::Native(NativeLanguage::Go),
        name: "go",
        alias: None,
        title: "Go",
        summary: "Structs with tags for json, msgpack and cbor",
        extension: "go",
    },
    TargetRow {
        language: TargetLanguage::Native(NativeLanguage::TypeScript),
        name: "typescript",
        alias: Some("ts"),
        title: "TypeScript",
        summary: "Interfaces and type guards",
        extension: "ts",
    },
    TargetRow {
        language: TargetLanguage::Native(NativeLanguage::Java),
        name: "java",
        alias: None,
        title: "Java",
        summary: "Records for Jackson, Java 17",
        extension: "java",
    },
    TargetRow {
        language: TargetLanguage::Native(NativeLanguage::CSharp),
        name: "csharp",
        alias: Some("cs"),
        title: "C#",
        summary: "Classes for System.Text.Json and Newtonsoft.Json, C# 7",
        extension: "cs",
    },
    TargetRow {
        language: TargetLanguage::Native(NativeLanguage::Python),
        name: "python",
        alias: None,
        title: "Python",
        summary: "msgspec's structs, Python 3.11",
        extension: "py",
    },
    TargetRow {
        language: TargetLanguage::Native(NativeLanguage::Haskell),
        name: "haskell",
        alias: None,
        title: "Haskell",
        summary: "Records and sums with instances of aeson 2",
        extension: "hs",
    },
    TargetRow {
        language: TargetLanguage::Native(NativeLanguage::Scala),
        name: "scala",
        alias: None,
        title: "Scala",
        summary: "Case classes for derived codecs, Scala 2.13 and 3",
        extension: "scala",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_one_row_and_its_own_names() {
        let mut names = Vec::new();
        for row in &TARGET_LANGUAGES {
            assert_eq!(row.language.row().name, row.name);
            for name in std::iter::once(row.name).chain(row.alias) {
                assert_eq!(TargetLanguage::named(name), Some(row.language));
                assert!(!names.contains(&name), "{name}");
                names.push(name);
            }
        }
        assert_eq!(TargetLanguage::named("outline"), None);
    }
}
