//! Builds the shape and its evidence from the profiles, with the names of records and recursive
//! types.

use std::collections::{HashMap, HashSet};

use super::counts::{Counts, SampleKind};
use super::evidence;
use super::evidence::{Evidence, MapReason};
use super::group::{Group, KeyGroup, ObjectGroup};
use super::profile::Profile;
use crate::names::{pascal, unique};
use crate::path::KeyStep;
use crate::proto::RESERVED_NUMBERS;
use crate::{
    Array, Field, Int, IntEncoding, Name, Node, NodeId, Presence, Record, Shape, ShapeBuilder,
};

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

impl super::counts::IntegerStats {
    /// Returns the integer type that holds every integer seen.
    fn int_type(&self) -> Int {
        let negative = self.any_negative();
        // An integer above `i64::MAX` takes ten bytes as a varint and eight at full width, which
        // also tells Avro that its `long` does not suffice.
        let (signed, bits, encoding) = match (self.above > 0, negative) {
            (false, false) => (true, 64, IntEncoding::Varint),
            (false, true) => (true, 64, IntEncoding::Zigzag),
            (true, false) => (false, 64, IntEncoding::Fixed),
            (true, true) => (true, 128, IntEncoding::Zigzag),
        };
        Int { signed, bits, encoding }
    }
}

impl<'a> Group<'a> {
    /// Returns this group's objects together with similar objects below them, if there are any:
    /// objects under one of their keys, directly or in arrays, that have this key and mostly the
    /// same other keys. Such objects form a tree.
    pub(super) fn with_descendants(&self) -> Option<Group<'a>> {
        let mut tree = self.clone();
        loop {
            let next = tree.next_level();
            if next.0.is_empty() {
                return (tree.0.len() > self.0.len()).then_some(tree);
            }
            tree.0.extend(next.0);
        }
    }

    /// Returns whether this group contains all objects of another group.
    pub(super) fn contains_objects_of(&self, other: &Group<'a>) -> bool {
        let ours = self.addresses();
        other.with_objects().0.iter().all(|profile| ours.contains(&std::ptr::from_ref(*profile)))
    }

    /// Returns the similar objects below that are not in the group yet.
    fn next_level(&self) -> Group<'a> {
        let objects = self.objects();
        let ours = self.addresses();
        let known = |profile: &&Profile| ours.contains(&std::ptr::from_ref(*profile));
        let mut next = Group::default();
        for key in &objects.keys {
            let children = key.group.through_arrays().with_objects();
            let (known, new): (Vec<_>, Vec<_>) = children.0.into_iter().partition(known);
            let new = Group(new);
            if new.0.is_empty() {
                continue;
            }
            let theirs = new.objects();
            let again = theirs.keys.iter().any(|theirs| theirs.name == key.name);
            // Under a key that already leads to objects of the group, it is enough that the new
            // objects share half of their keys.
            let alike = if known.is_empty() {
                again && objects.resemble(&theirs)
            } else {
                objects.shared_with(&theirs) * 2 >= theirs.keys.len()
            };
            if theirs.maps.is_empty() && alike {
                next.0.extend(new.0);
            }
        }
        next
    }

    fn addresses(&self) -> HashSet<*const Profile> {
        self.0.iter().map(|profile| std::ptr::from_ref(*profile)).collect()
    }

    fn with_objects(&self) -> Group<'a> {
        let has = |profile: &&Profile| profile.counts.get(SampleKind::Map) > 0;
        Group(self.0.iter().copied().filter(has).collect())
    }

    /// Returns the profiles and the items of their arrays, at any depth.
    fn through_arrays(&self) -> Group<'a> {
        let mut all = self.clone();
        let mut items = self.items();
        while !items.0.is_empty() {
            all.0.extend(&items.0);
            items = items.items();
        }
        all
    }
}

impl ObjectGroup<'_> {
    /// Returns whether at least two keys, and at least half of all keys, are shared.
    fn resemble(&self, other: &ObjectGroup<'_>) -> bool {
        let shared = self.shared_with(other);
        let all = self.keys.len() + other.keys.len() - shared;
        shared >= 2 && shared * 2 >= all
    }

    /// Returns the number of keys that both have.
    fn shared_with(&self, other: &ObjectGroup<'_>) -> usize {
        let ours: HashSet<&str> = self.keys.iter().map(|key| key.name).collect();
        other.keys.iter().filter(|key| ours.contains(key.name)).count()
    }
}

/// Plurals that the rules of `singular` do not cover.
const IRREGULAR: [(&str, &str); 8] = [
    ("people", "person"),
    ("children", "child"),
    ("men", "man"),
    ("women", "woman"),
    ("indices", "index"),
    ("statuses", "status"),
    ("series", "series"),
    ("news", "news"),
];

/// The names in use.
#[derive(Debug, Default)]
pub(super) struct Names(HashSet<String>);

impl Names {
    /// Returns an unused name for a record: the key's name; if that is taken, with the parent's
    /// name in front; if that is taken too, with a number appended.
    pub(super) fn claim(&mut self, key: &str, parent: &str) -> Name {
        let mut name = pascal(key);
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            name.insert_str(0, "Record");
        }
        if self.0.insert(name.clone()) {
            return name.into();
        }
        unique(format!("{parent}{name}"), &mut self.0, "").into()
    }

    /// Makes a name available again.
    pub(super) fn release(&mut self, name: &str) {
        self.0.remove(name);
    }
}

/// Returns the singular of an English plural by simple rules: `rooms` becomes `room`.
pub(super) fn singular(key: &str) -> String {
    let lower = key.to_ascii_lowercase();
    for (plural, singular) in IRREGULAR {
        if let Some(head) = lower.strip_suffix(plural)
            && (head.is_empty() || !head.ends_with(|c: char| c.is_ascii_lowercase()))
        {
            let stem = &key[..key.len() - plural.len() + 1];
            return format!("{stem}{}", &singular[1..]);
        }
    }
    let stem = |suffix: usize| &key[..key.len() - suffix];
    let ends = |suffixes: &[&str]| suffixes.iter().any(|suffix| lower.ends_with(suffix));
    if ends(&["ies"]) && key.len() > 4 {
        format!("{}y", stem(3))
    } else if ends(&["sses", "shes", "ches", "xes", "zes"]) {
        stem(2).to_owned()
    } else if ends(&["s"]) && !ends(&["ss", "us", "is"]) && key.len() > 2 {
        stem(1).to_owned()
    } else {
        key.to_owned()
    }
}
