//! The declarations that a shape needs in a programming language: the named types, their names and
//! their contents. The languages differ only in the syntax that they write.

use manywire_shape::{Int, IntEncoding, Presence, Tagging};

use super::source::{also_known, quoted};

/// The declarations of a file and the type of the whole value.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) declarations: Vec<Declaration>,
    pub(super) root: Type,
    /// The name of the whole value, if its type has none.
    pub(super) root_name: Option<String>,
}

/// A use of a type.
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
    /// Never an option of an option, of null or of any value.
    Option(Box<Type>),
    /// The length, if it is known.
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
    pub(super) kind: DeclarationKind,
}

#[derive(Debug)]
pub(super) enum DeclarationKind {
    Record(Members),
    /// An enum without content.
    Symbols(Vec<Symbol>),
    Sum(Tagging, Vec<Alternative>),
    /// A union of types that differ in kind, each with a name.
    Union(Vec<(String, Type)>),
    Tuple(Vec<Type>),
    /// An alias for an unnamed type that contains itself.
    Alias(Type),
}

impl DeclarationKind {
    /// Returns the types of the parts, apart from the values of a record's other keys, which are in
    /// a map.
    pub(super) fn parts(&self) -> Vec<&Type> {
        match self {
            DeclarationKind::Record(members) => members.fields.iter().map(|it| &it.ty).collect(),
            DeclarationKind::Symbols(_) => Vec::new(),
            DeclarationKind::Sum(_, alternatives) => {
                alternatives.iter().flat_map(|it| it.content.types()).collect()
            }
            DeclarationKind::Union(branches) => branches.iter().map(|(_, ty)| ty).collect(),
            DeclarationKind::Tuple(types) => types.iter().collect(),
            DeclarationKind::Alias(ty) => vec![ty],
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Members {
    pub(super) fields: Vec<Member>,
    /// The name of the field for all other keys, and the type of their values.
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
    /// The encoding of the field, if it is an integer.
    pub(super) encoding: IntEncoding,
}

/// Returns the variants with content as fields, of which one is present.
pub(super) fn with_content(alternatives: &[Alternative]) -> Vec<Member> {
    alternatives.iter().filter_map(|it| it.field(&it.symbol.key, Presence::Optional)).collect()
}

/// Returns an externally tagged enum as optional fields, for languages without enums with content.
/// Returns `None` for other taggings, and if a variant does not have exactly one value.
pub(super) fn as_fields(tagging: &Tagging, alternatives: &[Alternative]) -> Option<Vec<Member>> {
    let fields = with_content(alternatives);
    let plain = |it: &Alternative| matches!(it.content, Content::Single(_));
    (*tagging == Tagging::External && alternatives.iter().all(plain)).then_some(fields)
}

/// Returns the member beside an adjacent tag: the content under its key. The other names and the
/// description of the variant belong to the tag.
pub(super) fn content_members(content: &str, alternative: &Alternative) -> Members {
    let field = alternative.field(content, Presence::Required);
    let field = field.map(|it| Member { aliases: Vec::new(), doc: String::new(), ..it });
    Members { fields: field.into_iter().collect(), rest: None }
}

impl Alternative {
    /// Returns the content of the variant as a field with this key.
    fn field(&self, key: &str, presence: Presence) -> Option<Member> {
        let (ty, nullable) = match self.content.ty()? {
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

/// Describes the variants of an enum: `tag "kind": "circle" with Circle, "none"`.
pub(super) fn describe_enum(
    layout: &Layout,
    tagging: &Tagging,
    alternatives: &[Alternative],
) -> String {
    let mut text = match tagging {
        Tagging::External => "One key, or a name alone: ".to_owned(),
        Tagging::Internal { tag } => format!("The key {tag:?} says which: "),
        Tagging::Adjacent { tag, content } => format!("The key {tag:?} says what {content:?} is: "),
    };
    for (at, alternative) in alternatives.iter().enumerate() {
        let separator = if at == 0 { "" } else { ", " };
        let symbol = &alternative.symbol;
        text.push_str(&format!("{separator}{:?}", symbol.key));
        if !symbol.aliases.is_empty() {
            let aliases: Vec<String> = symbol.aliases.iter().map(|it| format!("{it:?}")).collect();
            text.push_str(&format!(" (also known as {})", aliases.join(", ")));
        }
        if let Some(ty) = alternative.content.ty() {
            text.push_str(&format!(" with {}", layout.describe(&ty)));
        }
    }
    text
}

/// Returns a line for each of these symbols that has other names, for types that are only a list of
/// literals.
pub(super) fn other_names<'s>(symbols: impl Iterator<Item = &'s Symbol>) -> String {
    let named = symbols.filter(|symbol| !symbol.aliases.is_empty());
    let all = named.map(|it| format!("{}: {}", quoted(&it.key), also_known(&it.aliases)));
    all.collect::<Vec<_>>().join("\n")
}

impl Member {
    /// Returns whether the member may be absent.
    pub(super) fn is_optional(&self) -> bool {
        self.presence == Presence::Optional
    }

    /// Returns the type of the member, including null.
    pub(super) fn full_type(&self) -> Type {
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
    Empty,
    Single(Type),
    Multiple(Vec<Type>),
}

impl Content {
    /// Returns the type of the content, if there is any. Several values are a tuple.
    pub(super) fn ty(&self) -> Option<Type> {
        match self {
            Content::Empty => None,
            Content::Single(ty) => Some(ty.clone()),
            Content::Multiple(types) => Some(Type::Tuple(types.clone())),
        }
    }

    /// Returns the types of the values.
    fn types(&self) -> &[Type] {
        match self {
            Content::Empty => &[],
            Content::Single(ty) => std::slice::from_ref(ty),
            Content::Multiple(types) => types,
        }
    }
}

impl Layout {
    pub(super) fn declaration(&self, index: usize) -> &Declaration {
        &self.declarations[index]
    }

    /// Returns whether a type or one of its unnamed parts passes a test.
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

    /// Returns a sentence with the type of a member that has a union, for languages without unions;
    /// empty for other members.
    pub(super) fn union_note(&self, member: &Member) -> String {
        self.note_if(member, &|ty| matches!(ty, Type::Union(_)))
    }

    /// Returns a sentence with the type of a member if the type or one of its unnamed parts passes a
    /// test; empty otherwise.
    pub(super) fn note_if(&self, member: &Member, test: &dyn Fn(&Type) -> bool) -> String {
        match Layout::has(&member.ty, test) {
            true => format!("{}.", self.describe(&member.full_type())),
            false => String::new(),
        }
    }

    /// Describes a type in words, for languages that cannot express it.
    pub(super) fn describe(&self, ty: &Type) -> String {
        let several = |types: &[Type], separator: &str| {
            types.iter().map(|ty| self.describe(ty)).collect::<Vec<_>>().join(separator)
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
            Type::Option(inner) => format!("{} or null", self.describe(inner)),
            Type::Array(item, _) => format!("an array of ({})", self.describe(item)),
            Type::Map(_, value) => format!("a map of ({})", self.describe(value)),
            Type::Tuple(types) => format!("an array of ({})", several(types, ", ")),
            Type::Union(types) => several(types, " or "),
            Type::Named(index) => self.declaration(*index).name.clone(),
        }
    }

    /// Returns whether any type of the file passes a test.
    pub(super) fn uses(&self, test: &dyn Fn(&Type) -> bool) -> bool {
        let uses = |declaration: &Declaration| {
            let rest = match &declaration.kind {
                DeclarationKind::Record(Members { rest: Some((_, ty)), .. }) => Some(ty),
                _ => None,
            };
            declaration.kind.parts().into_iter().chain(rest).any(|ty| Layout::has(ty, test))
        };
        Layout::has(&self.root, test) || self.declarations.iter().any(uses)
    }
}
