//! The declarations that a shape needs in a programming language: which types have names, what
//! they are called, and what each holds. The languages differ only in how they write it down.

use manywire_shape::{Int, IntEncoding, Presence, Tagging};

/// What a file declares, and the type of the whole value.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) declarations: Vec<Declaration>,
    pub(super) root: Type,
    /// What the whole value is called, where its type has no name of its own.
    pub(super) root_name: Option<String>,
}

/// A type where it is used.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Type {
    Null,
    Bool,
    Int(Int),
    F32,
    F64,
    Text,
    Char,
    Bytes,
    Timestamp,
    Any,
    /// Never an option of an option, of null or of anything.
    Option(Box<Type>),
    /// The length, where it is known.
    Array(Box<Type>, Option<u32>),
    Map(Box<Type>, Box<Type>),
    Tuple(Vec<Type>),
    Union(Vec<Type>),
    /// The declaration at this index.
    Named(usize),
}

/// A type with a name.
#[derive(Debug)]
pub(super) struct Declaration {
    pub(super) name: String,
    pub(super) doc: String,
    pub(super) kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    Record(Members),
    /// Names alone.
    Symbols(Vec<Symbol>),
    Sum(Tagging, Vec<Alternative>),
    /// One of several, told apart by kind; each with a name.
    Union(Vec<(String, Type)>),
    Tuple(Vec<Type>),
    /// Another name for a type that contains itself.
    Alias(Type),
}

#[derive(Clone, Debug, Default)]
pub(super) struct Members {
    pub(super) fields: Vec<Member>,
    /// The type of what stands under other keys, and the field's name.
    pub(super) rest: Option<(String, Type)>,
}

#[derive(Clone, Debug)]
pub(super) struct Member {
    /// The name in the data.
    pub(super) key: String,
    /// The name in the language.
    pub(super) name: String,
    pub(super) aliases: Vec<String>,
    pub(super) doc: String,
    /// Never an option.
    pub(super) ty: Type,
    pub(super) nullable: bool,
    pub(super) presence: Presence,
    pub(super) number: Option<u32>,
    /// The layout of the integer that it holds, if that is one.
    pub(super) encoding: IntEncoding,
}

/// The variants that carry something, as fields of which one is there.
pub(super) fn filled(alternatives: &[Alternative]) -> Vec<Member> {
    alternatives.iter().filter_map(|it| it.field(&it.symbol.key, Presence::Optional)).collect()
}

/// A sum type whose variants are told apart by the one key of an object, as optional fields: what
/// languages without sum types can say of it.
pub(super) fn as_fields(tagging: &Tagging, alternatives: &[Alternative]) -> Option<Vec<Member>> {
    let fields = filled(alternatives);
    let plain = |it: &Alternative| matches!(it.content, Content::One(_));
    (*tagging == Tagging::External && alternatives.iter().all(plain)).then_some(fields)
}

/// What stands beside an adjacent tag: the content under its key.
pub(super) fn under(content: &str, alternative: &Alternative) -> Members {
    let field = alternative.field(content, Presence::Required);
    Members { fields: field.into_iter().collect(), rest: None }
}

impl Alternative {
    /// What the variant carries as a field of this key.
    fn field(&self, key: &str, presence: Presence) -> Option<Member> {
        let ty = match &self.content {
            Content::Nothing => return None,
            Content::One(ty) => ty.clone(),
            Content::Several(types) => Type::Tuple(types.clone()),
        };
        let (ty, nullable) = match ty {
            Type::Option(inner) => (*inner, true),
            ty => (ty, false),
        };
        let name = if presence == Presence::Optional { &self.symbol.name } else { "content" };
        Some(Member {
            key: key.to_owned(),
            name: name.to_owned(),
            aliases: self.symbol.aliases.clone(),
            doc: self.symbol.doc.clone(),
            ty,
            nullable,
            presence,
            number: self.symbol.number,
            encoding: IntEncoding::Varint,
        })
    }
}

/// What a sum type may be, in words: `tag "kind": "circle" with Circle, "none"`.
pub(super) fn in_words(layout: &Layout, tagging: &Tagging, alternatives: &[Alternative]) -> String {
    let mut text = match tagging {
        Tagging::External => "One key, or a name alone: ".to_owned(),
        Tagging::Internal { tag } => format!("The key {tag:?} says which: "),
        Tagging::Adjacent { tag, content } => format!("The key {tag:?} says what {content:?} is: "),
    };
    for (at, alternative) in alternatives.iter().enumerate() {
        let joint = if at == 0 { "" } else { ", " };
        text.push_str(&format!("{joint}{:?}", alternative.symbol.key));
        match &alternative.content {
            Content::Nothing => {}
            Content::One(ty) => text.push_str(&format!(" with {}", layout.words(ty))),
            Content::Several(types) => {
                text.push_str(&format!(" with {}", layout.words(&Type::Tuple(types.clone()))));
            }
        }
    }
    text
}

impl Member {
    /// True if it may be missing.
    pub(super) fn is_optional(&self) -> bool {
        self.presence == Presence::Optional
    }

    /// What the member holds where it is there.
    pub(super) fn whole(&self) -> Type {
        if self.nullable { Type::Option(Box::new(self.ty.clone())) } else { self.ty.clone() }
    }
}

#[derive(Debug)]
pub(super) struct Symbol {
    pub(super) key: String,
    pub(super) name: String,
    pub(super) aliases: Vec<String>,
    pub(super) doc: String,
    pub(super) number: Option<u32>,
}

#[derive(Debug)]
pub(super) struct Alternative {
    pub(super) symbol: Symbol,
    pub(super) content: Content,
}

#[derive(Debug)]
pub(super) enum Content {
    Nothing,
    One(Type),
    Several(Vec<Type>),
}

impl Layout {
    pub(super) fn declaration(&self, index: usize) -> &Declaration {
        &self.declarations[index]
    }

    /// True if a type, or one that it is made of without a name between, is such.
    pub(super) fn has(ty: &Type, test: &dyn Fn(&Type) -> bool) -> bool {
        if test(ty) {
            return true;
        }
        match ty {
            Type::Option(inner) | Type::Array(inner, _) => Layout::has(inner, test),
            Type::Map(key, value) => Layout::has(key, test) || Layout::has(value, test),
            Type::Tuple(items) | Type::Union(items) => {
                items.iter().any(|item| Layout::has(item, test))
            }
            _ => false,
        }
    }

    /// A type in words, for languages that have no words for it.
    pub(super) fn words(&self, ty: &Type) -> String {
        let several = |types: &[Type], joint: &str| {
            types.iter().map(|ty| self.words(ty)).collect::<Vec<_>>().join(joint)
        };
        match ty {
            Type::Null => "null".to_owned(),
            Type::Bool => "a boolean".to_owned(),
            Type::Int(_) => "an integer".to_owned(),
            Type::F32 | Type::F64 => "a float".to_owned(),
            Type::Text | Type::Char => "text".to_owned(),
            Type::Bytes => "bytes".to_owned(),
            Type::Timestamp => "a timestamp".to_owned(),
            Type::Any => "anything".to_owned(),
            Type::Option(inner) => format!("{} or null", self.words(inner)),
            Type::Array(item, _) => format!("an array of ({})", self.words(item)),
            Type::Map(_, value) => format!("a map of ({})", self.words(value)),
            Type::Tuple(types) => format!("an array of ({})", several(types, ", ")),
            Type::Union(types) => several(types, " or "),
            Type::Named(index) => self.declaration(*index).name.clone(),
        }
    }

    /// True if any type of the file is such.
    pub(super) fn uses(&self, test: &dyn Fn(&Type) -> bool) -> bool {
        Layout::has(&self.root, test)
            || self.declarations.iter().any(|declaration| match &declaration.kind {
                Kind::Record(members) => {
                    let rest = members.rest.iter().map(|(_, ty)| ty);
                    members
                        .fields
                        .iter()
                        .map(|field| &field.ty)
                        .chain(rest)
                        .any(|ty| Layout::has(ty, test))
                }
                Kind::Symbols(_) => false,
                Kind::Sum(_, alternatives) => alternatives.iter().any(|each| match &each.content {
                    Content::Nothing => false,
                    Content::One(ty) => Layout::has(ty, test),
                    Content::Several(types) => types.iter().any(|ty| Layout::has(ty, test)),
                }),
                Kind::Union(branches) => branches.iter().any(|(_, ty)| Layout::has(ty, test)),
                Kind::Tuple(types) => types.iter().any(|ty| Layout::has(ty, test)),
                Kind::Alias(ty) => Layout::has(ty, test),
            })
    }
}
