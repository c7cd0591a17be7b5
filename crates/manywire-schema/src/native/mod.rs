//! Types of programming languages for the values of a shape.
//!
//! [`write()`] gives the source of one file: a declaration for every record and sum type, named and
//! escaped as the language wants it, tied to the names in the data by the attributes of the
//! libraries that its users decode with. What a language cannot say of a value is said in a
//! comment where it matters.
//!
//! | shape | Rust (serde) | Go | TypeScript | Java (Jackson) | Python (msgspec) |
//! |---|---|---|---|---|---|
//! | record | `struct` | `struct` | `interface` | `record` | `Struct` |
//! | field that may be left out | `Option`, skipped | pointer, `omitempty` | `name?:` | boxed, `NON_NULL` | `UnsetType` |
//! | field that may be null | `Option` | pointer | `\| null` | boxed | `\| None` |
//! | other keys | `#[serde(flatten)]` | a map, JSON only | index signature | `@JsonAnySetter` | passed over |
//! | integer of 64 bits | `i64`, `u64` | `int64`, `uint64` | `Int64`: a `number` | `long`, `BigInteger` | `int` |
//! | integer of 128 bits | `i128`, `u128` | `big.Int` | `Int64` | `BigInteger` | `int` |
//! | names alone | `enum` | `string` and constants | union of literals | `enum` | `Enum` |
//! | sum type | `enum` | `any`, or a struct of its variants | union | `Object`, or a sealed interface | union of tagged `Struct`s |
//! | union | untagged `enum` | `any` | union | `Object` | union |
//! | tuple | tuple | struct written as an array | tuple | record written as an array | `tuple` |
//! | map | `BTreeMap`, or entries in order | `map` | index signature, or `Map` | `Map` | `dict` |
//! | bytes | `serde_bytes::ByteBuf` | `[]byte` | `Uint8Array` | `byte[]` | `bytes` |
//! | timestamp | `manywire_shape::Timestamp` | `time.Time` | `Date` | `Instant` | `datetime` |
//! | anything | `serde_json::Value` | `any` | `unknown` | `Object` | `Any` |

mod build;
mod cycle;
mod go;
mod java;
mod layout;
mod names;
mod python;
mod rust;
mod typescript;

use manywire_shape::Shape;

use layout::Layout;

/// The languages that types are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// Structs and enums with serde's derives.
    Rust,
    /// Structs with tags for `encoding/json`, MessagePack and CBOR libraries.
    Go,
    /// Interfaces and type guards.
    TypeScript,
    /// Records with Jackson's annotations, within one class. Java 17.
    Java,
    /// msgspec's structs. Python 3.11.
    Python,
}

/// What is left open by the shape.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The Go or Java package; `main` and none if empty.
    pub package: String,
    /// The class around the records of Java; `Types` if empty.
    pub class: String,
    /// For Go: libraries whose tags stand beside those of json, msgpack and cbor, such as `bson`.
    pub go_tags: Vec<String>,
    /// For Rust: derive `manywire_shape::Shaped` too, with the field numbers of the shape.
    pub shaped: bool,
}

/// The source of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The text, with a line feed at its end.
    pub text: String,
    /// The type of the whole value, as it is written in another file of the same package.
    pub root: String,
}

/// The declarations that hold the values of a shape.
pub fn write(shape: &Shape, target: Target, options: &Options) -> Source {
    let (rules, text): (_, fn(&Layout, &Options) -> Source) = match target {
        Target::Rust => (&rust::RULES, rust::write),
        Target::Go => (&go::RULES, go::write),
        Target::TypeScript => (&typescript::RULES, typescript::write),
        Target::Java => (&java::RULES, java::write),
        Target::Python => (&python::RULES, python::write),
    };
    text(&Layout::new(shape, rules), options)
}

/// Writes documentation or remarks as comments of one line each.
fn comment(out: &mut String, prefix: &str, text: &str) {
    for line in text.lines() {
        let line: String = line.chars().filter(|c| !c.is_control()).collect();
        out.push_str(format!("{prefix} {line}").trim_end());
        out.push('\n');
    }
}

/// A string literal as Go, TypeScript, Java and Python all read it. What a reader could not see, or
/// would see in the wrong order, is escaped.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_unseen(c) => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Controls, line separators, byte order marks and marks of direction; all below U+10000.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
