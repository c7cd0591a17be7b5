//! Builds the layout of a shape: chooses the types that are declared, and their names.

use std::collections::{HashMap, VecDeque};

use manywire_shape::{Enum, Field, Int, IntEncoding, Node, NodeId, Record, Shape, VariantKind};

use super::layout::{
    Alternative, Content, Declaration, DeclarationKind, Layout, Member, Members, Symbol, Type,
};
use super::names::{Rules, Scope};

/// The maximum nesting depth of unnamed types. Deeper types become `Any`, so that writing the types
/// does not exhaust the stack. No real program has such types.
const DEPTH_MAX: usize = 200;

impl Layout {
    pub(super) fn new(shape: &Shape, rules: &Rules) -> Layout {
        let mut builder = Builder {
            shape,
            rules,
            scope: Scope::of_types(rules),
            declarations: Vec::new(),
            of_node: HashMap::new(),
            open: Vec::new(),
            pending: VecDeque::new(),
        };
        let root = builder.type_of(shape.root(), "Root");
        // A queue instead of recursion, so a long chain of records does not exhaust the stack.
        while let Some((index, id)) = builder.pending.pop_front() {
            builder.fill(index, id);
        }
        let named = matches!(root, Type::Named(_));
        let root_name = (!named).then(|| builder.scope.type_name(rules, "Document"));
        Layout { declarations: builder.declarations, root, root_name }
    }
}

struct Builder<'s> {
    shape: &'s Shape,
    rules: &'s Rules,
    scope: Scope,
    declarations: Vec<Declaration>,
    of_node: HashMap<NodeId, usize>,
    /// The unnamed nodes that are being converted.
    open: Vec<NodeId>,
    /// Records and enums that are declared, but not converted yet.
    pending: VecDeque<(usize, NodeId)>,
}

impl Builder<'_> {
    /// Returns the type of a node; `hint` names unnamed types.
    fn type_of(&mut self, id: NodeId, hint: &str) -> Type {
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
                // The contents are filled in later.
                let index = self.declare(name, doc, DeclarationKind::Symbols(Vec::new()));
                self.of_node.insert(id, index);
                self.pending.push_back((index, id));
                Type::Named(index)
            }
            _ if self.open.contains(&id) => self.recursive_alias(id, hint),
            _ if self.open.len() >= DEPTH_MAX => Type::Any,
            unnamed => {
                self.open.push(id);
                let ty = self.unnamed(unnamed, hint);
                self.open.pop();
                // If a type inside the node refers to the node itself, the node has a name by now.
                match self.of_node.get(&id) {
                    Some(&index) => {
                        self.declarations[index].kind = DeclarationKind::Alias(ty);
                        Type::Named(index)
                    }
                    None => ty,
                }
            }
        }
    }

    fn unnamed(&mut self, node: &Node, hint: &str) -> Type {
        match node {
            Node::Option(inner) => match self.type_of(*inner, hint) {
                plain @ (Type::Option(_) | Type::Null | Type::Any) => plain,
                inner => Type::Option(Box::new(inner)),
            },
            Node::Array(array) => {
                Type::Array(Box::new(self.type_of(array.item, &format!("{hint}Item"))), array.len)
            }
            Node::Map { key, value } => Type::Map(
                Box::new(self.type_of(*key, &format!("{hint}Key"))),
                Box::new(self.type_of(*value, &format!("{hint}Value"))),
            ),
            Node::Tuple(items) => {
                let types = self.types_of(items, hint);
                if !types.is_empty() && types.len() <= self.rules.tuple_max {
                    return Type::Tuple(types);
                }
                Type::Named(self.declare(hint, "", DeclarationKind::Tuple(types)))
            }
            Node::Union(branches) => self.union(branches, hint),
            _ => Type::Any,
        }
    }

    fn types_of(&mut self, nodes: &[NodeId], hint: &str) -> Vec<Type> {
        let item_type = |(at, id): (usize, &NodeId)| self.type_of(*id, &format!("{hint}{at}"));
        nodes.iter().enumerate().map(item_type).collect()
    }

    fn union(&mut self, branches: &[NodeId], hint: &str) -> Type {
        let mut types: Vec<Type> = Vec::new();
        let mut nullable = false;
        for id in branches {
            match self.type_of(*id, hint) {
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
                let types = in_order_of_trial(types);
                let mut scope = Scope::default();
                let named = types.into_iter().map(|ty| {
                    let word = self.branch_name(&ty);
                    (scope.variant(self.rules, &word), ty)
                });
                let kind = DeclarationKind::Union(named.collect());
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

    /// Returns an alias for an unnamed type that contains itself, or `Any` if the language does not
    /// allow such an alias.
    fn recursive_alias(&mut self, id: NodeId, hint: &str) -> Type {
        if !self.rules.recursive_aliases {
            return Type::Any;
        }
        let index = self.declare(hint, "", DeclarationKind::Alias(Type::Any));
        self.of_node.insert(id, index);
        Type::Named(index)
    }

    fn declare(&mut self, name: &str, doc: &str, kind: DeclarationKind) -> usize {
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

    fn record(&mut self, record: &Record, prefix: &str) -> DeclarationKind {
        let mut scope = Scope::default();
        let fields = record.fields.iter().map(|field| self.member(field, &mut scope, prefix));
        let fields = fields.collect();
        let rest = record.rest.map(|rest| {
            let ty = self.type_of(rest, &format!("{prefix}Rest"));
            (scope.field(self.rules, "rest"), ty)
        });
        DeclarationKind::Record(Members { fields, rest })
    }

    fn member(&mut self, field: &Field, scope: &mut Scope, prefix: &str) -> Member {
        let hint = format!("{prefix}_{}", field.name);
        let (ty, nullable) = match self.type_of(field.node, &hint) {
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

    fn sum(&mut self, sum: &Enum, prefix: &str) -> DeclarationKind {
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
                VariantKind::Unit => Content::Empty,
                VariantKind::Newtype(inner) | VariantKind::Struct(inner) => {
                    Content::Single(self.type_of(*inner, &hint))
                }
                VariantKind::Tuple(items) => Content::Multiple(self.types_of(items, &hint)),
            };
            alternatives.push(Alternative { symbol, content });
        }
        if sum.is_names() {
            DeclarationKind::Symbols(alternatives.into_iter().map(|each| each.symbol).collect())
        } else {
            DeclarationKind::Sum(sum.tagging.clone(), alternatives)
        }
    }
}

/// Orders the branches for readers that try them in turn, such as serde's untagged enums.
///
/// Integers come before floats, because a float also accepts an integer. Records and maps come
/// last, because serde reads a record from a list of its fields. Serde buffers integers of at most
/// 64 bits, so wider ones become integers of 64 bits.
fn in_order_of_trial(types: Vec<Type>) -> Vec<Type> {
    let mut types: Vec<Type> = types
        .into_iter()
        .flat_map(|ty| match ty {
            Type::Int(int) if int.bits > 64 && int.signed => {
                vec![Type::Int(Int::signed(64)), Type::Int(Int::unsigned(64))]
            }
            Type::Int(int) if int.bits > 64 => vec![Type::Int(Int::unsigned(64))],
            ty => vec![ty],
        })
        .collect();
    types.sort_by_key(|ty| match ty {
        Type::Named(_) | Type::Map(..) => 2,
        Type::F32 | Type::F64 => 1,
        _ => 0,
    });
    types
}
