//! Builds the shape and its evidence from the profiles.

use std::collections::HashMap;

use super::counts::{Counts, SampleKind};
use super::evidence;
use super::evidence::{Evidence, MapReason};
use super::group::{Group, KeyGroup, ObjectGroup};
use super::names::{Names, singular};
use super::profile::Profile;
use crate::path::KeyStep;
use crate::proto::RESERVED_NUMBERS;
use crate::{Array, Field, Name, Node, NodeId, Presence, Record, Shape, ShapeBuilder};

/// Builds the nodes of a shape from profiles, and the evidence for each.
#[derive(Debug, Default)]
pub(super) struct Builder<'a> {
    shape: ShapeBuilder,
    nodes: HashMap<Node, NodeId>,
    /// Records by their key and fields, so that equal records become one type.
    records: HashMap<(String, Vec<Field>), NodeId>,
    names: Names,
    /// The recursive records under construction.
    recursive: Vec<(NodeId, Group<'a>)>,
    evidence: Vec<Evidence>,
    path: String,
}

/// The surroundings of a profile.
#[derive(Clone, Copy)]
struct Context<'c> {
    /// The key that names a record.
    key: &'c str,
    /// The name of the enclosing record.
    parent: &'c str,
    /// True if some objects lack the field.
    absent: bool,
}

impl<'a> Builder<'a> {
    /// Returns the shape of a profile and the evidence for it.
    pub(super) fn build(root: &'a Profile, name: &str) -> (Shape, Vec<Evidence>) {
        let mut builder = Builder { path: String::from("$"), ..Builder::default() };
        let context = Context { key: name, parent: "", absent: false };
        let node = builder.build_node(&Group(vec![root]), context);
        (builder.shape.finish(node), builder.evidence)
    }

    fn build_node(&mut self, group: &Group<'a>, context: Context<'_>) -> NodeId {
        let counts = group.counts();
        let examples =
            group.0.iter().flat_map(|profile| profile.examples.iter().cloned()).collect();
        let evidence_index = self.evidence.len();
        self.evidence.push(Evidence::new(&self.path, &counts, examples));
        if counts.unknown || counts.get(SampleKind::Number) > 0 || counts.get(SampleKind::Ext) > 0 {
            return self.node(Node::Any);
        }
        let nullable = counts.get(SampleKind::Null) > 0;
        let mut branches = self.scalars(&counts);
        let (arrays, maps) = (counts.get(SampleKind::Array), counts.get(SampleKind::Map));
        if arrays > 0 {
            let alone = branches.is_empty() && maps == 0;
            // Only Protocol Buffers, which writes an absent list as an empty one, uses
            // `never_empty`.
            let never_empty = alone && (nullable || context.absent) && counts.items.min > 0;
            branches.push((arrays, self.array(&group.items(), never_empty, context)));
        }
        if maps > 0 {
            branches.push((maps, self.objects(group, evidence_index, context)));
        }
        // The most frequent branch comes first, because readers of untagged unions try the branches
        // in turn.
        branches.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        let node = match branches[..] {
            [] => return self.node(Node::Null),
            [(_, only)] => only,
            _ => self.node(Node::Union(branches.iter().map(|(_, node)| *node).collect())),
        };
        if nullable { self.node(Node::Option(node)) } else { node }
    }

    /// Returns the id of a node, which is added only once.
    fn node(&mut self, node: Node) -> NodeId {
        if let Some(id) = self.nodes.get(&node) {
            return *id;
        }
        let id = self.shape.add(node.clone());
        self.nodes.insert(node, id);
        id
    }

    /// Returns the nodes of the scalars, with the number of values of each.
    fn scalars(&mut self, counts: &Counts) -> Vec<(u64, NodeId)> {
        let mut seen = vec![
            (counts.get(SampleKind::Bool), Node::Bool),
            (counts.get(SampleKind::Str), Node::Str),
            (counts.get(SampleKind::Bytes), Node::Bytes),
            (counts.get(SampleKind::Timestamp), Node::Timestamp),
        ];
        let ints = counts.get(SampleKind::Int);
        let (singles, doubles) = (counts.get(SampleKind::F32), counts.get(SampleKind::F64));
        let float = if doubles == 0 && ints == 0 { Node::F32 } else { Node::F64 };
        if singles + doubles > 0 && counts.ints.inexact == 0 {
            seen.push((ints + singles + doubles, float));
        } else {
            seen.push((ints, Node::Int(counts.ints.int_type())));
            seen.push((singles + doubles, float));
        }
        seen.retain(|(count, _)| *count > 0);
        seen.into_iter().map(|(count, node)| (count, self.node(node))).collect()
    }

    fn array(&mut self, items: &Group<'a>, never_empty: bool, context: Context<'_>) -> NodeId {
        let key = singular(context.key);
        let item = self.build_child("[*]", items, Context { key: &key, absent: false, ..context });
        self.node(Node::Array(Array { never_seen_empty: never_empty, ..Array::new(item) }))
    }

    fn objects(
        &mut self,
        group: &Group<'a>,
        evidence_index: usize,
        context: Context<'_>,
    ) -> NodeId {
        let objects = group.objects();
        let reason = objects.map_reason();
        let once = objects.keys.iter().filter(|key| key.present == 1).count();
        self.evidence[evidence_index].objects = Some(evidence::Objects {
            keys: objects.maps.is_empty().then_some(objects.keys.len()),
            once: objects.maps.is_empty().then_some(once),
            map: reason,
        });
        match reason {
            Some(reason) => self.map(&objects, reason, context),
            None => self.record(group, context),
        }
    }

    fn map(
        &mut self,
        objects: &ObjectGroup<'a>,
        reason: MapReason,
        context: Context<'_>,
    ) -> NodeId {
        let key = match reason {
            MapReason::NonTextKeys if objects.keys.is_empty() => {
                // The keys of a map have no evidence, so the entries for them are removed.
                let evidence_index = self.evidence.len();
                let node = self.build_child(".~", &objects.map_keys(), context);
                self.evidence.truncate(evidence_index);
                node
            }
            MapReason::NonTextKeys => self.node(Node::Any),
            _ => self.node(Node::Str),
        };
        let name = singular(context.key);
        let within = Context { key: &name, absent: false, ..context };
        let value = self.build_child(".*", &objects.values(), within);
        self.node(Node::Map { key, value })
    }

    fn record(&mut self, group: &Group<'a>, context: Context<'_>) -> NodeId {
        let part_of = |(_, tree): &&(NodeId, Group<'a>)| tree.contains_objects_of(group);
        if let Some((id, _)) = self.recursive.iter().find(part_of) {
            return *id;
        }
        let name = self.names.claim(context.key, context.parent);
        let Some(tree) = group.with_descendants() else {
            let fields = self.fields(&group.objects(), &name);
            return self.add_record(name, fields, context.key);
        };
        let id = self.shape.reserve(Node::Null);
        self.recursive.push((id, tree.clone()));
        let fields = self.fields(&tree.objects(), &name);
        self.recursive.pop();
        self.shape.fill(id, Node::Record(Record { name, fields, ..Record::default() }));
        id
    }

    fn add_record(&mut self, name: Name, fields: Vec<Field>, key: &str) -> NodeId {
        let key = (key.to_owned(), fields);
        if let Some(id) = self.records.get(&key) {
            self.names.release(&name);
            return *id;
        }
        let record = Record { name, fields: key.1.clone(), ..Record::default() };
        let id = self.shape.add(Node::Record(record));
        self.records.insert(key, id);
        id
    }

    fn fields(&mut self, objects: &ObjectGroup<'a>, parent: &str) -> Vec<Field> {
        let numbers = numbers(&objects.keys);
        let field = |(key, number): (&KeyGroup<'a>, u32)| {
            let absent = objects.count - key.present;
            let evidence_index = self.evidence.len();
            let context = Context { key: key.name, parent, absent: absent > 0 };
            let node = self.build_child(&KeyStep(key.name).to_string(), &key.group, context);
            self.evidence[evidence_index].absent = absent;
            self.evidence[evidence_index].repeats = key.repeats;
            let mut field = Field::new(key.name.to_owned(), node);
            field.number = Some(number);
            if absent > 0 {
                field.presence = Presence::Optional;
            }
            field
        };
        objects.keys.iter().zip(numbers).map(field).collect()
    }

    fn build_child(&mut self, step: &str, group: &Group<'a>, context: Context<'_>) -> NodeId {
        let len = self.path.len();
        self.path.push_str(step);
        let node = self.build_node(group, context);
        self.path.truncate(len);
        node
    }
}

/// Returns the Protocol Buffers numbers of the fields. The most frequent field gets 1, because the
/// numbers 1 to 15 take one byte. Nulls are not written and do not count.
fn numbers(keys: &[KeyGroup<'_>]) -> Vec<u32> {
    let written: Vec<u64> = keys
        .iter()
        .map(|key| key.group.counts())
        .map(|counts| counts.total() - counts.get(SampleKind::Null))
        .collect();
    let mut by_frequency: Vec<usize> = (0..keys.len()).collect();
    by_frequency.sort_by_key(|at| std::cmp::Reverse(written[*at]));
    let free = (1..).filter(|number| !RESERVED_NUMBERS.contains(number));
    let mut numbers = vec![0; keys.len()];
    for (at, number) in by_frequency.into_iter().zip(free) {
        numbers[at] = number;
    }
    numbers
}
