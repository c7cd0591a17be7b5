//! The declarations that a shape needs in a programming language: which types have names, what
//! they are called, and what each holds. The languages differ only in how they write it down.

use std::collections::{HashMap, VecDeque};

use manywire_shape::{
    Enum, Field, Int, IntEncoding, Node, NodeId, Presence, Record, Shape, Tagging, VariantKind,
};

use super::names::{Rules, Scope};

/// Types without a name nested deeper than this are anything: no program declares such a type, and
/// writing it must not exhaust the stack.
const DEPTH_MAX: usize = 200;

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
    /// Whether it may be missing.
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
    pub(super) fn new(shape: &Shape, rules: &Rules) -> Layout {
        let mut builder = Builder {
            shape,
            rules,
            scope: Scope::of_types(rules),
            declarations: Vec::new(),
            of_node: HashMap::new(),
            open: Vec::new(),
            waiting: VecDeque::new(),
        };
        let root = builder.place(shape.root(), "Root");
        // One after the other, so that a long chain of records needs no stack.
        while let Some((index, id)) = builder.waiting.pop_front() {
            builder.fill(index, id);
        }
        let named = matches!(root, Type::Named(_));
        let root_name = (!named).then(|| builder.scope.type_name(rules, "Document"));
        Layout { declarations: builder.declarations, root, root_name }
    }

    pub(super) fn declaration(&self, index: usize) -> &Declaration {
        &self.declarations[index]
    }

    /// Whether a type, or one that it is made of without a name between, is such.
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

    /// Whether any type of the file is such.
    pub(super) fn uses(&self, test: &dyn Fn(&Type) -> bool) -> bool {
        Layout::has(&self.root, test)
            || self.declarations.iter().any(|declaration| match &declaration.kind {
                Kind::Record(members) => {
                    let rest = members.rest.iter().map(|(_, ty)| ty);
                    members.fields.iter().map(|field| &field.ty).chain(rest).any(|ty| Layout::has(ty, test))
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

struct Builder<'s> {
    shape: &'s Shape,
    rules: &'s Rules,
    scope: Scope,
    declarations: Vec<Declaration>,
    of_node: HashMap<NodeId, usize>,
    /// Nodes without a name that are being looked into.
    open: Vec<NodeId>,
    /// Records and sums that were declared, and are still to be looked into.
    waiting: VecDeque<(usize, NodeId)>,
}

impl Builder<'_> {
    /// The type of a node; `hint` names what has no name of its own.
    fn place(&mut self, id: NodeId, hint: &str) -> Type {
        if let Some(index) = self.of_node.get(&id) {
            return Type::Named(*index);
        }
        let shape = self.shape;
        match shape.node(id) {
            Node::Null => Type::Null,
            Node::Bool => Type::Bool,
            Node::Int(int) => Type::Int(*int),
            Node::F32 => Type::F32,
            Node::F64 => Type::F64,
            Node::Char => Type::Char,
            Node::Str => Type::Text,
            Node::Bytes => Type::Bytes,
            Node::Timestamp => Type::Timestamp,
            Node::Any => Type::Any,
            Node::Record(Record { name, doc, .. }) | Node::Enum(Enum { name, doc, .. }) => {
                let name = if name.is_empty() { hint } else { name };
                // What it holds comes later.
                let index = self.declare(name, doc, Kind::Symbols(Vec::new()));
                self.of_node.insert(id, index);
                self.waiting.push_back((index, id));
                Type::Named(index)
            }
            _ if self.open.contains(&id) => self.knot(id, hint),
            _ if self.open.len() >= DEPTH_MAX => Type::Any,
            nameless => {
                self.open.push(id);
                let ty = self.nameless(nameless, hint);
                self.open.pop();
                // Somebody inside has met this node again, and gave it a name.
                match self.of_node.get(&id) {
                    Some(&index) => {
                        self.declarations[index].kind = Kind::Alias(ty);
                        Type::Named(index)
                    }
                    None => ty,
                }
            }
        }
    }

    fn nameless(&mut self, node: &Node, hint: &str) -> Type {
        match node {
            Node::Option(inner) => match self.place(*inner, hint) {
                plain @ (Type::Option(_) | Type::Null | Type::Any) => plain,
                inner => Type::Option(Box::new(inner)),
            },
            Node::Array(array) => {
                Type::Array(Box::new(self.place(array.item, &format!("{hint}Item"))), array.len)
            }
            Node::Map { key, value } => Type::Map(
                Box::new(self.place(*key, &format!("{hint}Key"))),
                Box::new(self.place(*value, &format!("{hint}Value"))),
            ),
            Node::Tuple(items) => {
                let types = self.each(items, hint);
                if !types.is_empty() && types.len() <= self.rules.tuple_max {
                    return Type::Tuple(types);
                }
                Type::Named(self.declare(hint, "", Kind::Tuple(types)))
            }
            Node::Union(branches) => self.union(branches, hint),
            _ => Type::Any,
        }
    }

    fn each(&mut self, nodes: &[NodeId], hint: &str) -> Vec<Type> {
        let place = |(at, id): (usize, &NodeId)| self.place(*id, &format!("{hint}{at}"));
        nodes.iter().enumerate().map(place).collect()
    }

    fn union(&mut self, branches: &[NodeId], hint: &str) -> Type {
        let mut types: Vec<Type> = Vec::new();
        let mut nullable = false;
        for id in branches {
            match self.place(*id, hint) {
                Type::Null => nullable = true,
                Type::Option(inner) => {
                    nullable = true;
                    types.push(*inner);
                }
                Type::Any => return Type::Any,
                ty => types.push(ty),
            }
        }
        let union = match types.len() {
            0 => return Type::Null,
            1 => types.remove(0),
            _ if !self.rules.declares_unions => Type::Union(types),
            _ => {
                // A reader that tries one after the other would take every integer for a float.
                types.sort_by_key(|ty| matches!(ty, Type::F32 | Type::F64));
                let mut scope = Scope::default();
                let named = types.into_iter().map(|ty| {
                    let word = self.branch_name(&ty);
                    (scope.variant(self.rules, &word), ty)
                });
                let kind = Kind::Union(named.collect());
                Type::Named(self.declare(hint, "", kind))
            }
        };
        if nullable { Type::Option(Box::new(union)) } else { union }
    }

    fn branch_name(&self, ty: &Type) -> String {
        let word = match ty {
            Type::Bool => "bool",
            Type::Int(_) => "int",
            Type::F32 | Type::F64 => "float",
            Type::Text | Type::Char => "text",
            Type::Bytes => "bytes",
            Type::Timestamp => "timestamp",
            Type::Array(..) | Type::Tuple(_) => "list",
            Type::Map(..) => "map",
            Type::Named(index) => return self.declarations[*index].name.clone(),
            Type::Null | Type::Any | Type::Option(_) | Type::Union(_) => "other",
        };
        word.to_owned()
    }

    /// The name of a nameless type that contains itself.
    fn knot(&mut self, id: NodeId, hint: &str) -> Type {
        if !self.rules.recursive_aliases {
            return Type::Any;
        }
        let index = self.declare(hint, "", Kind::Alias(Type::Any));
        self.of_node.insert(id, index);
        Type::Named(index)
    }

    fn declare(&mut self, name: &str, doc: &str, kind: Kind) -> usize {
        let name = self.scope.type_name(self.rules, name);
        self.declarations.push(Declaration { name, doc: doc.to_owned(), kind });
        self.declarations.len() - 1
    }

    fn fill(&mut self, index: usize, id: NodeId) {
        let prefix = self.declarations[index].name.clone();
        let kind = match self.shape.node(id) {
            Node::Record(record) => self.record(record, &prefix),
            Node::Enum(sum) => self.sum(sum, &prefix),
            _ => return,
        };
        self.declarations[index].kind = kind;
    }

    fn record(&mut self, record: &Record, prefix: &str) -> Kind {
        let mut scope = Scope::default();
        let fields = record.fields.iter().map(|field| self.member(field, &mut scope, prefix));
        let fields = fields.collect();
        let rest = record.rest.map(|rest| {
            let ty = self.place(rest, &format!("{prefix}Rest"));
            (scope.field(self.rules, "rest"), ty)
        });
        Kind::Record(Members { fields, rest })
    }

    fn member(&mut self, field: &Field, scope: &mut Scope, prefix: &str) -> Member {
        let hint = format!("{prefix}_{}", field.name);
        let (ty, nullable) = match self.place(field.node, &hint) {
            Type::Option(inner) => (*inner, true),
            ty => (ty, false),
        };
        let encoding = match &ty {
            Type::Int(int) => int.encoding,
            _ => IntEncoding::Varint,
        };
        Member {
            key: field.name.to_string(),
            name: scope.field(self.rules, &field.name),
            aliases: field.aliases.iter().map(ToString::to_string).collect(),
            doc: field.doc.to_string(),
            ty,
            nullable,
            presence: field.presence,
            number: field.number,
            encoding,
        }
    }

    fn sum(&mut self, sum: &Enum, prefix: &str) -> Kind {
        let mut scope = Scope::default();
        let mut alternatives = Vec::new();
        for variant in &sum.variants {
            let symbol = Symbol {
                key: variant.name.to_string(),
                name: scope.variant(self.rules, &variant.name),
                aliases: variant.aliases.iter().map(ToString::to_string).collect(),
                doc: variant.doc.to_string(),
                number: variant.number,
            };
            let hint = format!("{prefix}_{}", variant.name);
            let content = match &variant.kind {
                VariantKind::Unit => Content::Nothing,
                VariantKind::Newtype(inner) | VariantKind::Struct(inner) => {
                    Content::One(self.place(*inner, &hint))
                }
                VariantKind::Tuple(items) => Content::Several(self.each(items, &hint)),
            };
            alternatives.push(Alternative { symbol, content });
        }
        let names_alone = sum.tagging == Tagging::External
            && sum.variants.iter().all(|variant| variant.kind == VariantKind::Unit);
        if names_alone {
            Kind::Symbols(alternatives.into_iter().map(|each| each.symbol).collect())
        } else {
            Kind::Sum(sum.tagging.clone(), alternatives)
        }
    }
}
