//! Checks a schema against the rules of the specification once, so that codecs and writers can rely
//! on it.

use std::collections::HashSet;
use std::mem::discriminant;

use super::schema::is_name;
use super::{Field, Form, FullName, NodeId, Record, Role, Schema, SchemaError, Type};
use crate::Tagging;

pub(super) fn check(schema: &Schema) -> Result<(), SchemaError> {
    let reached = reach(schema);
    let mut names = HashSet::new();
    for &id in &reached {
        check_type(schema, schema.ty(id), &mut names).map_err(|error| error.in_node(id))?;
    }
    check_ends(schema, &reached)
}

fn check_type(schema: &Schema, ty: &Type, names: &mut HashSet<String>) -> Result<(), SchemaError> {
    if let Some(name) = ty.name() {
        check_name(name, names)?;
    }
    match ty {
        Type::Union(branches) => check_union(schema, branches),
        Type::Record(record) => check_record(schema, record),
        Type::Enum(symbols) => {
            let of = format!("enum {}", symbols.name);
            check_members(&of, symbols.symbols.iter().map(|symbol| &*symbol.name))?;
            if symbols.symbols.is_empty() {
                return Err(SchemaError::new(format_args!("{of} has no symbols")));
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Returns the nodes that are reachable from the root.
fn reach(schema: &Schema) -> Vec<NodeId> {
    let mut seen = HashSet::from([schema.root()]);
    let mut reached = vec![schema.root()];
    let mut next = 0;
    while let Some(&id) = reached.get(next) {
        next += 1;
        let unseen: Vec<NodeId> =
            children(schema, id).into_iter().filter(|&child| seen.insert(child)).collect();
        reached.extend(unseen);
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
        return Err(SchemaError::new(format_args!("`{name}` is not a valid Avro name")));
    }
    if !names.insert(name.to_string()) {
        return Err(SchemaError::new(format_args!("two types are called {name}")));
    }
    Ok(())
}

fn check_members<'n>(of: &str, names: impl Iterator<Item = &'n str>) -> Result<(), SchemaError> {
    let mut seen = HashSet::new();
    for (at, name) in names.enumerate() {
        if !is_name(name) {
            let message = format_args!("`{name}` in {of} is not a valid Avro name");
            return Err(SchemaError::new(message).in_member(at));
        }
        if !seen.insert(name) {
            let message = format_args!("{of} has `{name}` twice");
            return Err(SchemaError::new(message).in_member(at));
        }
    }
    Ok(())
}

fn check_union(schema: &Schema, branches: &[NodeId]) -> Result<(), SchemaError> {
    let mut unnamed = HashSet::new();
    let mut named = HashSet::new();
    for (at, &branch) in branches.iter().enumerate() {
        let ty = schema.ty(branch);
        let fault = match ty {
            Type::Union(_) => "a union is inside a union",
            _ if ty.name().is_some() => match named.insert(branch) {
                true => continue,
                false => "a union has two branches of one named type",
            },
            _ if unnamed.insert(discriminant(ty)) => continue,
            _ => "a union has two branches of one unnamed type",
        };
        return Err(SchemaError::new(fault).in_member(at));
    }
    if branches.is_empty() {
        return Err(SchemaError::new("a union has no branches"));
    }
    Ok(())
}

/// Checks the fields of a record. The codec relies on the fields that its role requires.
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
            Form::Unit => types.is_empty(),
            Form::Newtype => types.len() == 1,
            Form::Tuple | Form::Struct => true,
        },
    };
    let has_names = match &record.role {
        Role::Record => true,
        Role::Variant(variant) => variant.form == Form::Struct,
        _ => false,
    };
    if !has_names && let Some(at) = record.fields.iter().position(|field| field.rest) {
        let message = format_args!(
            "field `{}` of {of} has manywire.rest, which only records and struct variants may have",
            record.fields[at].name
        );
        return Err(SchemaError::new(message).in_member(at));
    }
    let rest_fits = record.fields.split_last().is_none_or(|(last, others)| {
        let is_map = matches!(schema.ty(last.node), Type::Map(_));
        (is_map || !last.rest) && !others.iter().any(|field| field.rest)
    });
    let nullable = |id: NodeId| match schema.ty(id) {
        Type::Null => true,
        Type::Union(branches) => {
            branches.iter().any(|&branch| matches!(schema.ty(branch), Type::Null))
        }
        _ => false,
    };
    let unable = |field: &Field| field.optional && !nullable(field.node);
    if let Some((at, field)) = record.fields.iter().enumerate().find(|(_, field)| unable(field)) {
        let message =
            format_args!("field `{}` of {of} is optional, but its type has no null", field.name);
        return Err(SchemaError::new(message).in_member(at));
    }
    if let Role::Variant(variant) = &record.role
        && let Tagging::Internal { tag } = &variant.tagging
        && !has_place_for_tag(schema, record, variant.form)
    {
        return Err(SchemaError::new(format_args!(
            "{of} is a variant without fields beside which the tag `{tag}` could be written"
        )));
    }
    if !fits || !rest_fits {
        return Err(SchemaError::new(format_args!(
            "{of} does not have the fields that its role requires"
        )));
    }
    Ok(())
}

/// Returns whether the content of an internally tagged variant is a map in other formats, or
/// nothing, so that the tag can be one of its entries.
fn has_place_for_tag(schema: &Schema, record: &Record, form: Form) -> bool {
    let mut content = match (form, &record.fields[..]) {
        (Form::Newtype, [field]) => schema.ty(field.node),
        (form, _) => return form != Form::Tuple,
    };
    // A transparent record may contain itself, so the loop is bounded.
    for _ in schema.nodes() {
        content = match content {
            Type::Null | Type::Map(_) => return true,
            Type::Record(Record { role: Role::Transparent, fields, .. }) => match &fields[..] {
                [field] => schema.ty(field.node),
                _ => return false,
            },
            Type::Record(record) => return record.role == Role::Record,
            _ => return false,
        };
    }
    false
}

/// Refuses records whose every value contains another value of the record, and unnamed types that
/// contain themselves, which an `.avsc` cannot express.
fn check_ends(schema: &Schema, reached: &[NodeId]) -> Result<(), SchemaError> {
    let ends = settle(schema, reached, |ty, ends| match ty {
        Type::Record(record) => record.fields.iter().all(|field| ends(field.node)),
        Type::Union(branches) => branches.iter().any(|&branch| ends(branch)),
        _ => true,
    });
    let expressible = settle(schema, reached, |ty, expressible| match ty {
        Type::Array(inner) | Type::Map(inner) => expressible(*inner),
        Type::Union(branches) => branches.iter().all(|&branch| expressible(branch)),
        _ => true,
    });
    for &id in reached {
        match schema.ty(id) {
            _ if !expressible[id.index()] => {
                let error = SchemaError::new("a type without a name contains itself");
                return Err(error.in_node(id));
            }
            Type::Record(record) if !ends[id.index()] => {
                let message = format_args!(
                    "record {} always contains itself, so its values would be infinite",
                    record.name
                );
                return Err(SchemaError::new(message).in_node(id));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns whether `holds` is true, for each node by its index. Starts with false for all nodes and
/// repeats until nothing changes; `holds` receives the type of a node and the result so far for
/// other nodes.
fn settle(
    schema: &Schema,
    reached: &[NodeId],
    holds: impl Fn(&Type, &dyn Fn(NodeId) -> bool) -> bool,
) -> Vec<bool> {
    let mut settled = vec![false; schema.nodes().len()];
    loop {
        let mut changed = false;
        // Children were mostly reached after their parents, so the reverse order needs few rounds.
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
