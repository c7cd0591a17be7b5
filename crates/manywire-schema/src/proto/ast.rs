//! What a `.proto` file declares, before any name is looked up.

use manywire_shape::proto::Reserved;

/// Which rules hold where a field says nothing of its presence or packing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    Proto2,
    Proto3,
    Edition,
}

/// A file. Nested types stand in one list with the others, under their full names.
#[derive(Debug)]
pub(super) struct File {
    pub(super) syntax: Syntax,
    pub(super) package: String,
    pub(super) imports: Vec<String>,
    pub(super) messages: Vec<Message>,
    pub(super) enums: Vec<Enum>,
}

#[derive(Debug)]
pub(super) struct Message {
    /// With the package and the messages around it, joined by dots.
    pub(super) full_name: String,
    pub(super) doc: String,
    pub(super) offset: usize,
    /// Whether it stands in no other message.
    pub(super) outermost: bool,
    pub(super) fields: Vec<Field>,
    pub(super) oneofs: Vec<String>,
    /// The file it was imported from, if it is one of Google's.
    pub(super) import: Option<&'static str>,
    pub(super) reserved: Reserved,
}

#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) doc: String,
    pub(super) offset: usize,
    pub(super) number: u32,
    pub(super) label: Option<Label>,
    pub(super) ty: Type,
    pub(super) oneof: Option<usize>,
    pub(super) json_name: Option<String>,
    pub(super) packed: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Label {
    Optional,
    Required,
    Repeated,
}

#[derive(Debug)]
pub(super) enum Type {
    Named(TypeName),
    Map(TypeName, TypeName),
}

/// A type as it is called where it is used.
#[derive(Debug)]
pub(super) struct TypeName {
    pub(super) name: String,
    pub(super) offset: usize,
}

#[derive(Debug)]
pub(super) struct Enum {
    pub(super) full_name: String,
    pub(super) doc: String,
    pub(super) offset: usize,
    pub(super) values: Vec<EnumValue>,
    pub(super) reserved: Reserved,
}

#[derive(Debug)]
pub(super) struct EnumValue {
    pub(super) name: String,
    pub(super) doc: String,
    pub(super) number: i32,
}
