//! Generates types of programming languages for the values of a shape.
//!
//! [`write()`] returns the source of one file: a declaration for every record and enum. Names
//! follow the conventions of the language, and attributes of its usual libraries map these names to
//! the names in the data. If a language cannot express a type, a comment at the field or
//! declaration describes the type.
//!
//! | shape | Rust (serde) | Go | TypeScript | Java (Jackson) | Python (msgspec) |
//! |---|---|---|---|---|---|
//! | record | `struct` | `struct` | `interface` | `record` | `Struct` |
//! | optional field | `Option`, skipped | pointer, `omitempty` | `name?:` | boxed, `NON_NULL` | `UnsetType` |
//! | field that may be null | `Option` | pointer | `\| null` | boxed | `\| None` |
//! | other keys | `#[serde(flatten)]` | a map, JSON only | index signature | `@JsonAnySetter` | ignored |
//! | integer of 64 bits | `i64`, `u64` | `int64`, `uint64` | `Int64`: a `number` | `long`, `BigInteger` | `int` |
//! | integer of 128 bits | `i128`, `u128` | `*big.Int` | `Int64` | `BigInteger` | `int` |
//! | enum without content | `enum` | `string` and constants | union of literals | `enum` | `Enum` |
//! | other enum | `enum` | `any`, or a struct of its variants | union | `Object`, or a sealed interface | union of tagged `Struct`s |
//! | union | untagged `enum` | `any` | union | `Object` | union |
//! | tuple | tuple | struct written as an array | tuple | record written as an array | `tuple` |
//! | map | `BTreeMap`, or entries in order | `map` | index signature, or `Map` | `Map` | `dict` |
//! | bytes | `serde_bytes::ByteBuf` | `[]byte` | `Uint8Array` | `byte[]` | `bytes` |
//! | timestamp | `manywire_shape::Timestamp` | `time.Time` | `Date` | `Instant` | `datetime` |
//! | any value | `serde_json::Value` | `any` | `unknown` | `Object` | `Any` |
//!
//! C# has classes for records and `string` with constants for enums without content; a field that
//! may be null or absent is nullable. An integer beyond 64 bits is a `decimal`. Other enums, unions
//! and any values are `object`, tuples `List<object>`, maps `Dictionary`, bytes `byte[]` and
//! timestamps `DateTimeOffset`. System.Text.Json alone reads other keys.
//!
//! | shape | Haskell (aeson) |
//! |---|---|
//! | record | `data` with strict fields and derived instances |
//! | field that may be absent or null | `Maybe`; absent if the field may be absent, otherwise null |
//! | other keys | a `Map` |
//! | integer of 64 bits, of 128 bits | `Int64` and `Word64`, `Integer` |
//! | enum | `data` with constructors |
//! | union, any value | `Value` |
//! | tuple | tuple |
//! | array, map | list, `Map` |
//! | bytes | `Text` in base64 |
//! | timestamp | `UTCTime` |
//!
//! Scala has a `case class` for a record, with the keys as the names of its fields, `Option` for what
//! may be absent or null, a `sealed trait` for an enum, and `Any` for a union.

mod build;
mod csharp;
mod cycle;
mod go;
mod haskell;
mod java;
mod layout;
mod names;
mod python;
mod rust;
mod scala;
mod source;
mod typescript;

use manywire_shape::Shape;

use layout::Layout;

pub use source::{Options, Source};

/// The programming languages that types are generated for, in the order of
/// [`TARGET_LANGUAGES`](crate::TARGET_LANGUAGES).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NativeLanguage {
    /// Structs and enums with serde's derives.
    Rust,
    /// Structs with tags for `encoding/json`, MessagePack and CBOR libraries.
    Go,
    /// Interfaces and type guards.
    TypeScript,
    /// Records with Jackson's annotations, within one class. Java 17.
    Java,
    /// Classes with attributes for System.Text.Json and Newtonsoft.Json. C# 7.
    CSharp,
    /// msgspec's structs. Python 3.11.
    Python,
    /// Records and sums with instances of aeson 2.
    Haskell,
    /// Case classes, from which libraries derive codecs. Scala 2.13 and 3.
    Scala,
}

/// Returns the declarations for the values of a shape.
pub fn write(shape: &Shape, language: NativeLanguage, options: &Options) -> Source {
    let (rules, text): (_, fn(&Layout, &Options) -> Source) = match language {
        NativeLanguage::Rust => (&rust::RULES, rust::write),
        NativeLanguage::Go => (&go::RULES, go::write),
        NativeLanguage::TypeScript => (&typescript::RULES, typescript::write),
        NativeLanguage::Java => (&java::RULES, java::write),
        NativeLanguage::CSharp => (&csharp::RULES, csharp::write),
        NativeLanguage::Python => (&python::RULES, python::write),
        NativeLanguage::Haskell => (&haskell::RULES, haskell::write),
        NativeLanguage::Scala => (&scala::RULES, scala::write),
    };
    text(&Layout::new(shape, rules), options)
}
