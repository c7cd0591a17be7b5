//! Lowers enums and unions: an enum without content to an `enum`, others to a message with a oneof.

use std::collections::HashSet;

use super::{Lowering, Names, Result, assign_numbers, invalid};
use crate::names::unique;
use crate::proto::names::camel;
use crate::proto::schema::{Absent, Enum, EnumValue, Field, Form, Kind, Label, Reserved};
use crate::{Node, NodeId, Tagging, Variant, VariantKind};

impl Lowering<'_> {
    pub(super) fn enumeration(&mut self, node: NodeId, each: &crate::Enum) -> Result<Kind> {
        let name = self.type_name(&each.name);
        let declared: HashSet<u32> = each.variants.iter().filter_map(|v| v.number).collect();
        let mut free = (1..).filter(|number: &u32| !declared.contains(number));
        let mut taken = HashSet::new();
        let mut values = Vec::with_capacity(each.variants.len());
        for variant in &each.variants {
            let number = variant.number.or_else(|| free.next()).unwrap_or(u32::MAX);
            let number = match i32::try_from(number) {
                Ok(number) if taken.insert(number) => number,
                Ok(_) => return invalid(format_args!("{name}: two values have number {number}")),
                Err(_) => return invalid(format_args!("{name}: {number} is above {}", i32::MAX)),
            };
            values.push(EnumValue {
                name: variant.name.to_string(),
                proto_name: String::new(),
                proto_aliases: Vec::new(),
                aliases: variant.aliases.iter().map(ToString::to_string).collect(),
                doc: variant.doc.to_string(),
                number,
                given: variant.number.is_some(),
            });
        }
        let lowered = Enum {
            name,
            scope: None,
            doc: each.doc.to_string(),
            import: None,
            values,
            open: false,
            closed: false,
            reserved: Reserved::default(),
        };
        self.enums.push(lowered);
        let kind = Kind::Enum(self.enums.len() - 1);
        self.of_node.insert(node, kind);
        Ok(kind)
    }

    /// Names the values of all enums, which share one scope in a `.proto`. Each value has the name
    /// of its enum as a prefix. The names of the unspecified values are reserved first.
    pub(super) fn name_enum_values(&mut self) {
        let mut taken: HashSet<String> =
            self.enums.iter().map(|each| each.value_name("unspecified")).collect();
        for each in &mut self.enums {
            let names: Vec<String> =
                each.values.iter().map(|value| each.value_name(&value.name)).collect();
            for (value, name) in each.values.iter_mut().zip(names) {
                value.proto_name = unique(name, &mut taken, "_");
            }
        }
    }

    pub(super) fn variants(&mut self, node: NodeId, each: &crate::Enum) -> Result<Kind> {
        let form = Form::Variants(each.tagging.clone());
        let index = self.reserve_of(node, &each.name, &each.doc, form);
        self.messages[index].oneofs.push("variant".to_owned());
        let numbers =
            assign_numbers(&each.name, each.variants.iter().map(|variant| variant.number))?;
        let mut taken = Names::of(each.variants.iter().map(|variant| &variant.name));
        taken.add("variant");
        for (variant, number) in each.variants.iter().zip(numbers) {
            let mut field = Field::new(variant.name.clone(), number, Kind::Bool);
            field.given = variant.number.is_some();
            field.proto_name = taken.add(&variant.name);
            field.aliases = variant.aliases.iter().map(ToString::to_string).collect();
            field.doc = variant.doc.to_string();
            let hint = format!("{}{}", self.messages[index].name, camel(&variant.name));
            field.kind = self.variant(variant, &each.tagging, &hint)?;
            self.member(index, field);
        }
        Ok(Kind::Message(index))
    }

    pub(super) fn variant(
        &mut self,
        variant: &Variant,
        tagging: &Tagging,
        hint: &str,
    ) -> Result<Kind> {
        let kind = match &variant.kind {
            VariantKind::Unit => return Ok(Kind::Message(self.empty())),
            VariantKind::Struct(node) => self.single(*node, hint)?,
            VariantKind::Tuple(items) => {
                let index = self.reserve(hint, "", Form::Tuple);
                self.tuple(index, items, hint)?;
                Kind::Message(index)
            }
            VariantKind::Newtype(node) => match self.item(*node, hint)? {
                // A null as content differs from no content.
                Kind::Message(empty) if self.messages[empty].form == Form::Null => {
                    Kind::Message(self.wrapper(Label::Optional, Kind::Message(empty), hint))
                }
                kind => kind,
            },
        };
        let is_record = matches!(kind, Kind::Message(index)
            if matches!(self.messages[index].form, Form::Record { .. }));
        if matches!(tagging, Tagging::Internal { .. }) && !is_record {
            return invalid(format_args!(
                "{hint}: the content of an internally tagged variant is not a record"
            ));
        }
        Ok(kind)
    }

    /// Adds a field to the oneof of a message.
    pub(super) fn member(&mut self, index: usize, mut field: Field) {
        field.oneof = Some(0);
        field.label = Label::Optional;
        field.absent = Absent::Missing;
        self.messages[index].fields.push(field);
    }

    pub(super) fn union(&mut self, node: NodeId, branches: &[NodeId], hint: &str) -> Result<Kind> {
        let index = self.reserve_of(node, hint, "", Form::Union);
        self.messages[index].oneofs.push("kind".to_owned());
        let mut nodes = Vec::new();
        let mut nullable = false;
        // The branches of a union within the union are branches of this one.
        let mut unions = vec![node];
        let mut waiting: Vec<NodeId> = branches.iter().rev().copied().collect();
        while let Some(branch) = waiting.pop() {
            let (inner, null) = self.strip_options(branch)?;
            nullable |= null;
            match self.shape.node(inner) {
                Node::Null => nullable = true,
                Node::Union(_) if unions.contains(&inner) => {}
                Node::Union(branches) => {
                    unions.push(inner);
                    waiting.extend(branches.iter().rev());
                }
                _ => nodes.push(inner),
            }
        }
        let mut taken = Names::default();
        taken.add("kind");
        let mut number = 1;
        if nullable {
            let field = Field::new(taken.add("null"), number, Kind::Message(self.empty()));
            self.member(index, field);
            number += 1;
        }
        for branch in nodes {
            let name = taken.add(branch_name(self.shape.node(branch)));
            let kind = self.single(branch, &format!("{hint}{}", camel(&name)))?;
            self.member(index, Field::new(name, number, kind));
            number += 1;
        }
        Ok(Kind::Message(index))
    }
}

fn branch_name(node: &Node) -> &'static str {
    match node {
        Node::Null | Node::Option(_) => "null",
        Node::Bool => "bool",
        Node::Int(_) => "int",
        Node::F32 => "float",
        Node::F64 => "double",
        Node::Char | Node::Str => "string",
        Node::Bytes => "bytes",
        Node::Timestamp => "timestamp",
        Node::Any => "any",
        Node::Array(_) => "list",
        Node::Tuple(_) => "tuple",
        Node::Map { .. } => "map",
        Node::Record(_) => "record",
        Node::Enum(_) => "enum",
        Node::Union(_) => "union",
    }
}
