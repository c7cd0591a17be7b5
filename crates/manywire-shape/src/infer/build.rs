use std::collections::{HashMap, HashSet};

use super::counts::{Counts, Kind};
use super::evidence;
use super::evidence::Evidence;
use super::fit::step;
use super::group::{Group, Key, Objects, Why};
use super::profile::Place;
use crate::{
    Array, Field, Int, IntEncoding, Name, Node, NodeId, Presence, Record, Shape, ShapeBuilder,
};

/// Decides from the counts, place by place, what the shape is, and notes why.
#[derive(Debug, Default)]
pub(super) struct Builder<'a> {
    shape: ShapeBuilder,
    nodes: HashMap<Node, NodeId>,
    /// Records by the name they asked for and their fields, so that equal ones are one type.
    records: HashMap<(String, Vec<Field>), NodeId>,
    names: Names,
    /// The recursive records being built.
    recursive: Vec<(NodeId, Group<'a>)>,
    evidence: Vec<Evidence>,
    path: String,
}

/// What a place is called and stands in.
#[derive(Clone, Copy)]
struct Context<'c> {
    /// The key that a record here is named after.
    key: &'c str,
    /// The name of the record around.
    parent: &'c str,
    /// Whether some objects lack the place.
    absent: bool,
}

impl<'a> Builder<'a> {
    /// The shape of a place, and why.
    pub(super) fn build(root: &'a Place, name: &str) -> (Shape, Vec<Evidence>) {
        let mut builder = Builder { path: String::from("$"), ..Builder::default() };
        let context = Context { key: name, parent: "", absent: false };
        let node = builder.place(&Group(vec![root]), context);
        (builder.shape.finish(node), builder.evidence)
    }

    fn place(&mut self, group: &Group<'a>, context: Context<'_>) -> NodeId {
        let counts = group.counts();
        let examples = group.0.iter().flat_map(|place| place.examples.iter().cloned()).collect();
        let noted = self.evidence.len();
        self.evidence.push(Evidence::new(&self.path, &counts, examples));
        if counts.unknown || counts.of(Kind::Number) > 0 || counts.of(Kind::Ext) > 0 {
            return self.node(Node::Any);
        }
        let nullable = counts.of(Kind::Null) > 0;
        let mut branches = self.scalars(&counts);
        let (arrays, maps) = (counts.of(Kind::Array), counts.of(Kind::Map));
        if arrays > 0 {
            let alone = branches.is_empty() && maps == 0;
            let non_empty = alone && (nullable || context.absent) && counts.items.min > 0;
            branches.push((arrays, self.array(&group.items(), non_empty, context)));
        }
        if maps > 0 {
            branches.push((maps, self.objects(group, noted, context)));
        }
        // The most frequent first: Avro and readers that try in turn gain by it.
        branches.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        let node = match branches[..] {
            [] => return self.node(Node::Null),
            [(_, only)] => only,
            _ => self.node(Node::Union(branches.iter().map(|(_, node)| *node).collect())),
        };
        if nullable { self.node(Node::Option(node)) } else { node }
    }

    /// The node, added once however often it occurs.
    fn node(&mut self, node: Node) -> NodeId {
        if let Some(id) = self.nodes.get(&node) {
            return *id;
        }
        let id = self.shape.add(node.clone());
        self.nodes.insert(node, id);
        id
    }

    /// The nodes of what holds no other values, with how often each was seen.
    fn scalars(&mut self, counts: &Counts) -> Vec<(u64, NodeId)> {
        let mut seen = vec![
            (counts.of(Kind::Bool), Node::Bool),
            (counts.of(Kind::Str), Node::Str),
            (counts.of(Kind::Bytes), Node::Bytes),
            (counts.of(Kind::Timestamp), Node::Timestamp),
        ];
        let ints = counts.of(Kind::Int);
        let (singles, doubles) = (counts.of(Kind::F32), counts.of(Kind::F64));
        let float = if doubles == 0 && ints == 0 { Node::F32 } else { Node::F64 };
        if singles + doubles > 0 && counts.ints.inexact == 0 {
            seen.push((ints + singles + doubles, float));
        } else {
            seen.push((ints, Node::Int(counts.ints.node())));
            seen.push((singles + doubles, float));
        }
        seen.retain(|(count, _)| *count > 0);
        seen.into_iter().map(|(count, node)| (count, self.node(node))).collect()
    }

    fn array(&mut self, items: &Group<'a>, non_empty: bool, context: Context<'_>) -> NodeId {
        let key = singular(context.key);
        let item = self.below("[*]", items, Context { key: &key, absent: false, ..context });
        self.node(Node::Array(Array { item, len: None, non_empty }))
    }

    fn objects(&mut self, group: &Group<'a>, noted: usize, context: Context<'_>) -> NodeId {
        let objects = group.objects();
        let why = objects.why_map();
        let once = objects.keys.iter().filter(|key| key.present == 1).count();
        self.evidence[noted].objects = Some(evidence::Objects {
            keys: objects.open.is_empty().then_some(objects.keys.len()),
            once: objects.open.is_empty().then_some(once),
            map: why,
        });
        match why {
            Some(why) => self.map(&objects, why, context),
            None => self.record(group, context),
        }
    }

    fn map(&mut self, objects: &Objects<'a>, why: Why, context: Context<'_>) -> NodeId {
        let key = match why {
            Why::NonTextKeys if objects.keys.is_empty() => {
                // Keys are no place of their own: what is noted of them is dropped again.
                let noted = self.evidence.len();
                let node = self.below(".~", &objects.open_keys(), context);
                self.evidence.truncate(noted);
                node
            }
            Why::NonTextKeys => self.node(Node::Any),
            _ => self.node(Node::Str),
        };
        let name = singular(context.key);
        let within = Context { key: &name, absent: false, ..context };
        let value = self.below(".*", &objects.values(), within);
        self.node(Node::Map { key, value })
    }

    fn record(&mut self, group: &Group<'a>, context: Context<'_>) -> NodeId {
        let part_of = |(_, whole): &&(NodeId, Group<'a>)| whole.contains_objects_of(group);
        if let Some((id, _)) = self.recursive.iter().find(part_of) {
            return *id;
        }
        let name = self.names.claim(context.key, context.parent);
        let Some(whole) = group.with_descendants() else {
            let fields = self.fields(&group.objects(), &name);
            return self.add_record(name, fields, context.key);
        };
        let id = self.shape.reserve(Node::Null);
        self.recursive.push((id, whole.clone()));
        let fields = self.fields(&whole.objects(), &name);
        self.recursive.pop();
        self.shape.fill(id, Node::Record(record(name, fields)));
        id
    }

    fn add_record(&mut self, name: Name, fields: Vec<Field>, key: &str) -> NodeId {
        let asked = (key.to_owned(), fields);
        if let Some(id) = self.records.get(&asked) {
            self.names.release(&name);
            return *id;
        }
        let id = self.shape.add(Node::Record(record(name, asked.1.clone())));
        self.records.insert(asked, id);
        id
    }

    fn fields(&mut self, objects: &Objects<'a>, parent: &str) -> Vec<Field> {
        let numbers = numbers(&objects.keys);
        let field = |(key, number): (&Key<'a>, u32)| {
            let absent = objects.count - key.present;
            let noted = self.evidence.len();
            let context = Context { key: key.name, parent, absent: absent > 0 };
            let node = self.below(&step(key.name), &key.group, context);
            self.evidence[noted].absent = absent;
            self.evidence[noted].repeats = key.repeats;
            let mut field = Field::new(key.name.to_owned(), node);
            field.number = Some(number);
            if absent > 0 {
                field.presence = Presence::Optional;
            }
            field
        };
        objects.keys.iter().zip(numbers).map(field).collect()
    }

    fn below(&mut self, step: &str, group: &Group<'a>, context: Context<'_>) -> NodeId {
        let len = self.path.len();
        self.path.push_str(step);
        let node = self.place(group, context);
        self.path.truncate(len);
        node
    }
}

fn record(name: Name, fields: Vec<Field>) -> Record {
    Record { name, doc: Name::default(), fields, rest: None }
}

/// Protocol Buffers numbers: the most often written field gets 1, because 1 to 15 take one byte.
/// Null is not written.
fn numbers(keys: &[Key<'_>]) -> Vec<u32> {
    let written: Vec<u64> = keys
        .iter()
        .map(|key| key.group.counts())
        .map(|counts| counts.seen() - counts.of(Kind::Null))
        .collect();
    let mut by_frequency: Vec<usize> = (0..keys.len()).collect();
    by_frequency.sort_by_key(|at| std::cmp::Reverse(written[*at]));
    // 19,000 to 19,999 are reserved for the implementation of Protocol Buffers.
    let free = (1..19_000).chain(20_000..);
    let mut numbers = vec![0; keys.len()];
    for (at, number) in by_frequency.into_iter().zip(free) {
        numbers[at] = number;
    }
    numbers
}

impl super::counts::Ints {
    /// The integer type that holds all that was seen.
    fn node(&self) -> Int {
        let negative = self.any_negative();
        let encoding = if negative { IntEncoding::Zigzag } else { IntEncoding::Varint };
        let (signed, bits) = match (self.above > 0, negative) {
            (false, _) => (true, 64),
            (true, false) => (false, 64),
            (true, true) => (true, 128),
        };
        Int { signed, bits, encoding }
    }
}

impl<'a> Group<'a> {
    /// This group's objects together with the objects of the same kind below them, if there are
    /// any: under a key that they have themselves, perhaps in arrays, with much the same keys.
    pub(super) fn with_descendants(&self) -> Option<Group<'a>> {
        let mut whole = self.clone();
        loop {
            let found = whole.next_level();
            if found.0.is_empty() {
                return (whole.0.len() > self.0.len()).then_some(whole);
            }
            whole.0.extend(found.0);
        }
    }

    /// Whether all objects of another group are among ours.
    pub(super) fn contains_objects_of(&self, other: &Group<'a>) -> bool {
        let ours = self.addresses();
        other.with_objects().0.iter().all(|place| ours.contains(&std::ptr::from_ref(*place)))
    }

    /// Objects of the same kind below that are not in the group yet.
    fn next_level(&self) -> Group<'a> {
        let objects = self.objects();
        let ours = self.addresses();
        let known = |place: &&Place| ours.contains(&std::ptr::from_ref(*place));
        let mut found = Group::default();
        for key in &objects.keys {
            let below = key.group.through_arrays().with_objects();
            let (known, new): (Vec<_>, Vec<_>) = below.0.into_iter().partition(known);
            let new = Group(new);
            if new.0.is_empty() {
                continue;
            }
            let theirs = new.objects();
            let again = theirs.keys.iter().any(|theirs| theirs.name == key.name);
            // Under a key that is known to lead to our kind, one key in common is enough.
            let alike = if known.is_empty() {
                again && objects.resemble(&theirs)
            } else {
                objects.shared_with(&theirs) * 2 >= theirs.keys.len()
            };
            if theirs.open.is_empty() && alike {
                found.0.extend(new.0);
            }
        }
        found
    }

    fn addresses(&self) -> HashSet<*const Place> {
        self.0.iter().map(|place| std::ptr::from_ref(*place)).collect()
    }

    fn with_objects(&self) -> Group<'a> {
        let has = |place: &&Place| place.counts.of(Kind::Map) > 0;
        Group(self.0.iter().copied().filter(has).collect())
    }

    /// The places themselves and the items of their arrays, however deep.
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

impl Objects<'_> {
    /// Whether at least two keys, and half of all, are shared.
    fn resemble(&self, other: &Objects<'_>) -> bool {
        let shared = self.shared_with(other);
        let all = self.keys.len() + other.keys.len() - shared;
        shared >= 2 && shared * 2 >= all
    }

    /// How many keys both have.
    fn shared_with(&self, other: &Objects<'_>) -> usize {
        let ours: HashSet<&str> = self.keys.iter().map(|key| key.name).collect();
        other.keys.iter().filter(|key| ours.contains(key.name)).count()
    }
}

/// Plurals that no rule below undoes.
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

/// The names given so far.
#[derive(Debug, Default)]
pub(super) struct Names(HashSet<String>);

impl Names {
    /// A name that no other record has: that of the key, with its parent's in front if it is
    /// taken, with a number behind if that is taken too.
    pub(super) fn claim(&mut self, key: &str, parent: &str) -> Name {
        let name = pascal(key);
        let with_parent = format!("{parent}{name}");
        let numbered = (2..).map(|number| format!("{with_parent}{number}"));
        let free = [name.clone(), with_parent.clone()]
            .into_iter()
            .chain(numbered)
            .find(|name| !self.0.contains(name))
            .unwrap_or(name);
        self.0.insert(free.clone());
        free.into()
    }

    /// Gives a name back.
    pub(super) fn release(&mut self, name: &str) {
        self.0.remove(name);
    }
}

/// The words of a key, each with a capital, of ASCII letters and digits, beginning with a letter.
fn pascal(key: &str) -> String {
    let mut name = String::new();
    for word in key.split(|c: char| !c.is_ascii_alphanumeric()) {
        let mut letters = word.chars();
        name.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        name.extend(letters);
    }
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { format!("Record{name}") }
}

/// One of what the key names several of, where English makes that simple: `rooms` is `room`.
pub(super) fn singular(key: &str) -> String {
    let lower = key.to_ascii_lowercase();
    for (plural, singular) in IRREGULAR {
        if let Some(head) = lower.strip_suffix(plural)
            && (head.is_empty() || !head.ends_with(|c: char| c.is_ascii_lowercase()))
        {
            let kept = &key[..key.len() - plural.len() + 1];
            return format!("{kept}{}", &singular[1..]);
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
