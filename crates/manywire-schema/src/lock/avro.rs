//! The lock of bare Avro: unions must keep their branches, because a branch index precedes the
//! value.

use std::fmt::Write;

use manywire_shape::avro::{Field, Node, NodeId, Record, Role, Schema, Type};
use manywire_shape::{self as shape, Presence, Shape, ShapeBuilder};

use super::{Breach, Breaches};

/// The unions of a published Avro schema. A value in a union follows the index of its branch, so a
/// field that becomes nullable has a different encoding.
#[derive(Clone, Debug)]
pub struct AvroLock(Schema);

/// The maximum nesting depth at which arrays, maps and unions are compared. Only named records can
/// contain themselves.
const NESTED_MAX: usize = 64;

impl AvroLock {
    /// Returns the lock of a published schema.
    pub fn of(schema: Schema) -> AvroLock {
        AvroLock(schema)
    }

    /// Returns the shape with null wherever the lock allows null. The method is for inferred
    /// shapes: samples without a null must not change the encoding.
    pub fn widen(&self, found: &Shape) -> Shape {
        let mut builder = ShapeBuilder::default();
        let mut records = Vec::new();
        // Nodes that are added in order keep their ids.
        for node in found.nodes() {
            let id = builder.add(node.clone());
            if let shape::Node::Record(record) = node
                && let Some(old) = record_of(&self.0, &record.name)
            {
                records.push((id, record, old));
            }
        }
        for (id, record, old) in records {
            let mut record = record.clone();
            for field in &mut record.fields {
                let Some(known) = old.fields.iter().find(|known| known.key() == field.name) else {
                    continue;
                };
                if !takes_null(&self.0, known.node) || may_be_null(found, field) {
                    continue;
                }
                if known.optional {
                    field.presence = Presence::Optional;
                } else {
                    field.node = builder.add(shape::Node::Option(field.node));
                }
            }
            builder.fill(id, shape::Node::Record(record));
        }
        builder.finish(found.root())
    }

    /// Checks that the fields of the next schema have the same unions as before. A union may get
    /// branches at its end.
    ///
    /// # Errors
    ///
    /// Returns every field that changed.
    pub fn check(&self, next: &Schema) -> Result<(), Breaches> {
        let mut breaches = Vec::new();
        for record in records(next) {
            let Some(old) = record_of(&self.0, record.key()) else { continue };
            for field in &record.fields {
                let same = |known: &&Field| {
                    known.key() == field.key() || field.aliases.contains(&known.name)
                };
                if let Some(known) = old.fields.iter().find(same)
                    && !is_compatible((&self.0, known.node), (next, field.node), 0)
                {
                    breaches.push(Breach::Changed {
                        place: format!("{}.{}", old.name.name, known.name),
                        locked: text(&self.0, known.node),
                        asked: text(next, field.node),
                    });
                }
            }
        }
        if breaches.is_empty() { Ok(()) } else { Err(Breaches(breaches)) }
    }
}

fn records(schema: &Schema) -> impl Iterator<Item = &Record> {
    schema.nodes().iter().filter_map(|node| match node {
        Node { ty: Type::Record(record), .. } if record.role == Role::Record => Some(record),
        _ => None,
    })
}

fn record_of<'s>(schema: &'s Schema, name: &str) -> Option<&'s Record> {
    records(schema).find(|record| record.key() == name)
}

fn takes_null(schema: &Schema, id: NodeId) -> bool {
    match schema.ty(id) {
        Type::Union(branches) => branches.iter().any(|id| *schema.ty(*id) == Type::Null),
        _ => false,
    }
}

/// Returns whether a field of a shape has a union with null already, or cannot have one.
fn may_be_null(shape: &Shape, field: &shape::Field) -> bool {
    use shape::Node::{Any, Null, Option, Union};
    field.presence == Presence::Optional
        || match shape.node(field.node) {
            Any | Null | Option(_) => true,
            Union(branches) => {
                branches.iter().any(|id| matches!(shape.node(*id), Null | Option(_)))
            }
            _ => false,
        }
}

/// Returns whether the new type reads old bytes, as far as unions matter.
fn is_compatible(old: (&Schema, NodeId), new: (&Schema, NodeId), nested: usize) -> bool {
    if nested == NESTED_MAX {
        return true;
    }
    let within =
        |left: &NodeId, right: &NodeId| is_compatible((old.0, *left), (new.0, *right), nested + 1);
    match (old.0.ty(old.1), new.0.ty(new.1)) {
        (Type::Union(left), Type::Union(right)) => {
            let same = |(left, right): (&NodeId, &NodeId)| {
                name(old.0, *left) == name(new.0, *right) && within(left, right)
            };
            left.len() <= right.len() && left.iter().zip(right).all(same)
        }
        (Type::Union(_), _) | (_, Type::Union(_)) => false,
        (Type::Array(left), Type::Array(right)) | (Type::Map(left), Type::Map(right)) => {
            within(left, right)
        }
        // Other differences are left to `Lock::check_order`.
        _ => true,
    }
}

/// Returns the name that identifies a branch; `int` and `long` have the same encoding.
fn name(schema: &Schema, id: NodeId) -> &str {
    match schema.ty(id) {
        Type::Int => Type::Long.keyword(),
        ty => ty.name().map_or(ty.keyword(), |name| &name.name),
    }
}

/// Describes a type: `[null, string]`, `array of long`.
fn text(schema: &Schema, mut id: NodeId) -> String {
    let mut text = String::new();
    for _ in 0..NESTED_MAX {
        match schema.ty(id) {
            Type::Array(item) | Type::Map(item) => {
                // Writing to a string does not fail.
                let _ = write!(text, "{} of ", name(schema, id));
                id = *item;
            }
            Type::Union(branches) => {
                let names: Vec<&str> = branches.iter().map(|id| name(schema, *id)).collect();
                let _ = write!(text, "[{}]", names.join(", "));
                break;
            }
            _ => {
                text.push_str(name(schema, id));
                break;
            }
        }
    }
    text
}
