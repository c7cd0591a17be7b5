//! What the specification forbids, looked for once, so that every schema can be relied upon.

use std::collections::HashSet;
use std::mem::discriminant;

use super::schema::is_name;
use super::{FullName, Node, NodeId, Record, Role, Schema, SchemaError, Type};

pub(super) fn check(schema: &Schema) -> Result<(), SchemaError> {
    let reached = reach(schema);
    let mut names = HashSet::new();
    for &id in &reached {
        let Node { ty, .. } = schema.node(id);
        match ty {
            Type::Union(branches) => check_union(schema, branches)?,
            Type::Record(record) => {
                check_name(&record.name, &mut names)?;
                check_record(schema, record)?;
            }
            Type::Enum(symbols) => {
                check_name(&symbols.name, &mut names)?;
                let of = format!("enum {}", symbols.name);
                check_members(&of, symbols.symbols.iter().map(|symbol| &*symbol.name))?;
                if symbols.symbols.is_empty() {
                    return Err(SchemaError::new(format_args!("{of} has no symbols")));
                }
            }
            Type::Fixed(fixed) => check_name(&fixed.name, &mut names)?,
            _ => {}
        }
    }
    check_ends(schema, &reached)
}

/// The nodes that the root leads to.
fn reach(schema: &Schema) -> Vec<NodeId> {
    let mut seen = HashSet::from([schema.root()]);
    let mut reached = vec![schema.root()];
    let mut next = 0;
    while let Some(&id) = reached.get(next) {
        next += 1;
        let fresh: Vec<NodeId> =
            children(schema, id).into_iter().filter(|&child| seen.insert(child)).collect();
        reached.extend(fresh);
    }
    reached
}

fn children(schema: &Schema, id: NodeId) -> Vec<NodeId> {
    match schema.ty(id) {
        Type::Array(inner) | Type::Map(inner) => vec![*inner],
        Type::Union(branches) => branches.clone(),
        Type::Record(record) => record.fields.iter().map(|field| field.node).collect(),
        _ => Vec::new(),
    }
}

fn check_name(name: &FullName, names: &mut HashSet<String>) -> Result<(), SchemaError> {
    let parts = name.namespace.split('.').filter(|part| !part.is_empty());
    if !is_name(&name.name) || !parts.clone().all(is_name) {
        return Err(SchemaError::new(format_args!("`{name}` is no name to Avro")));
    }
    if !names.insert(name.to_string()) {
        return Err(SchemaError::new(format_args!("two types are called {name}")));
    }
    Ok(())
}

fn check_members<'n>(of: &str, names: impl Iterator<Item = &'n str>) -> Result<(), SchemaError> {
    let mut seen = HashSet::new();
    for name in names {
        if !is_name(name) {
            return Err(SchemaError::new(format_args!("`{name}` in {of} is no name to Avro")));
        }
        if !seen.insert(name) {
            return Err(SchemaError::new(format_args!("{of} has `{name}` twice")));
        }
    }
    Ok(())
}

fn check_union(schema: &Schema, branches: &[NodeId]) -> Result<(), SchemaError> {
    let mut unnamed = HashSet::new();
    let mut named = HashSet::new();
    for &branch in branches {
        let ty = schema.ty(branch);
        match ty {
            Type::Union(_) => return Err(SchemaError::new("a union stands inside a union")),
            Type::Record(_) | Type::Enum(_) | Type::Fixed(_) if named.insert(branch) => {}
            _ if unnamed.insert(discriminant(ty)) => {}
            _ => {
                return Err(SchemaError::new(
                    "a union has two branches of one type, which only names could tell apart",
                ));
            }
        }
    }
    if branches.is_empty() {
        return Err(SchemaError::new("a union has no branches"));
    }
    Ok(())
}

/// A role promises the codec certain fields.
fn check_record(schema: &Schema, record: &Record) -> Result<(), SchemaError> {
    let of = format!("record {}", record.name);
    check_members(&of, record.fields.iter().map(|field| &*field.name))?;
    let types: Vec<&Type> = record.fields.iter().map(|field| schema.ty(field.node)).collect();
    let fits = match &record.role {
        Role::Record | Role::Tuple => true,
        Role::Transparent => types.len() == 1,
        Role::Entry => types.len() == 2,
        Role::Timestamp => matches!(types[..], [Type::Long, Type::Int]),
        Role::Number => matches!(types[..], [Type::String]),
        Role::Extension => {
            matches!(types[..], [Type::Enum(space), Type::Long, _] if space.symbols.len() == 4)
        }
        Role::Variant(variant) => match variant.form {
            super::Form::Unit => types.is_empty(),
            super::Form::Newtype => types.len() == 1,
            super::Form::Tuple | super::Form::Struct => true,
        },
    };
    let rests = record.fields.iter().filter(|field| field.rest);
    let rest_fits = match rests.clone().count() {
        0 => true,
        1 => record
            .fields
            .last()
            .is_some_and(|last| last.rest && matches!(schema.ty(last.node), Type::Map(_))),
        _ => false,
    };
    let nullable = |id: NodeId| match schema.ty(id) {
        Type::Null => true,
        Type::Union(branches) => {
            branches.iter().any(|&branch| matches!(schema.ty(branch), Type::Null))
        }
        _ => false,
    };
    if let Some(field) = record.fields.iter().find(|field| field.optional && !nullable(field.node))
    {
        return Err(SchemaError::new(format_args!(
            "field `{}` of {of} may be left out, but has no null to say so",
            field.name
        )));
    }
    if !fits || !rest_fits {
        return Err(SchemaError::new(format_args!(
            "{of} has not the fields that its role asks for"
        )));
    }
    Ok(())
}

/// Finds types without an end: records that every value of would contain another of, and unnamed
/// types that contain themselves, which no text can say.
fn check_ends(schema: &Schema, reached: &[NodeId]) -> Result<(), SchemaError> {
    let ends = settle(schema, reached, |ty, ends| match ty {
        Type::Record(record) => record.fields.iter().all(|field| ends(field.node)),
        Type::Union(branches) => branches.iter().any(|&branch| ends(branch)),
        _ => true,
    });
    let sayable = settle(schema, reached, |ty, sayable| match ty {
        Type::Array(inner) | Type::Map(inner) => sayable(*inner),
        Type::Union(branches) => branches.iter().all(|&branch| sayable(branch)),
        _ => true,
    });
    for &id in reached {
        match schema.ty(id) {
            _ if !sayable[id.index()] => {
                return Err(SchemaError::new("a type without a name contains itself"));
            }
            Type::Record(record) if !ends[id.index()] => {
                return Err(SchemaError::new(format_args!(
                    "record {} always contains itself, so that no value of it ends",
                    record.name
                )));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The nodes of which something holds once it holds of the nodes it rests on.
fn settle(
    schema: &Schema,
    reached: &[NodeId],
    holds: impl Fn(&Type, &dyn Fn(NodeId) -> bool) -> bool,
) -> Vec<bool> {
    let mut settled = vec![false; schema.nodes().len()];
    loop {
        let mut changed = false;
        // What a node rests on was mostly reached after it.
        for &id in reached.iter().rev() {
            if !settled[id.index()] && holds(schema.ty(id), &|other| settled[other.index()]) {
                settled[id.index()] = true;
                changed = true;
            }
        }
        if !changed {
            return settled;
        }
    }
}
