//! Round trips between our BSON codec and MongoDB's crate, on generated values, typed and dynamic.

use std::collections::BTreeMap;

use crate::support::any_value::{Tree, any_of, bytes, common, ext, text, timestamp, tree};
use crate::support::bson_reference::extended_json;
use manywire_codec::{Limits, bson as ours};
use manywire_shape::{Arena, Space, ValueSeed};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Variant {
    Unit,
    Newtype(i64),
    Tuple(u8, String),
    Struct { x: f32, y: Option<u16> },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Record {
    int: (i8, i16, i32, i64),
    uint: (u8, u16, u32),
    big: u64,
    float: (f32, f64),
    text: String,
    char: char,
    flag: bool,
    #[serde(with = "serde_bytes")]
    bytes: Vec<u8>,
    option: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    variants: Vec<Variant>,
    map: BTreeMap<String, Vec<i32>>,
    #[serde(flatten)]
    rest: BTreeMap<String, Option<bool>>,
}

fn variant() -> impl Strategy<Value = Variant> {
    prop_oneof![
        Just(Variant::Unit),
        any::<i64>().prop_map(Variant::Newtype),
        (any::<u8>(), any::<String>()).prop_map(|(first, second)| Variant::Tuple(first, second)),
        (prop::num::f32::ANY.prop_filter("equal to itself", |x| !x.is_nan()), any::<Option<u16>>())
            .prop_map(|(x, y)| Variant::Struct { x, y }),
    ]
}

fn key() -> impl Strategy<Value = String> {
    "[^\0]{0,12}"
}

fn record() -> impl Strategy<Value = Record> {
    let float = (
        prop::num::f32::ANY.prop_filter("equal to itself", |x| !x.is_nan()),
        prop::num::f64::ANY.prop_filter("equal to itself", |x| !x.is_nan()),
    );
    (
        (any::<(i8, i16, i32, i64)>(), any::<(u8, u16, u32)>(), 0..i64::MAX as u64, float),
        (any::<String>(), any::<char>(), any::<bool>(), any::<Vec<u8>>(), any::<Option<String>>()),
        prop::collection::vec(variant(), 0..4),
        prop::collection::btree_map(key(), any::<Vec<i32>>(), 0..4),
        prop::collection::btree_map("rest[^\0]{0,9}", any::<Option<bool>>(), 0..3),
    )
        .prop_map(|(numbers, scalars, variants, map, rest)| {
            let (int, uint, big, float) = numbers;
            let (text, char, flag, bytes, option) = scalars;
            Record { int, uint, big, float, text, char, flag, bytes, option, variants, map, rest }
        })
}

/// Generates documents that MongoDB's crate reads as we do: it keeps the last of two equal keys, so
/// there are none here.
fn document() -> impl Strategy<Value = Tree> {
    let exactly = |count| prop::collection::vec(any::<u8>(), count).prop_map(Tree::Bytes).boxed();
    let own = |code: u64, content: BoxedStrategy<Tree>| ext(Space::Bson, Just(code), content);
    let uuid = (Just(Tree::I64(4)), exactly(16))
        .prop_map(|(subtype, bytes)| Tree::Array(vec![subtype, bytes]));
    let leaf = any_of(vec![
        common(),
        bytes(),
        timestamp(-60_000_000_000..250_000_000_000, 1_000_000),
        own(0x05, uuid.boxed()),
        own(0x07, exactly(12)),
        own(0x0D, text()),
        own(0x0E, text()),
        own(0x11, any::<u64>().prop_map(Tree::U64).boxed()),
        own(0x13, exactly(16)),
        own(0x7F, Just(Tree::Null).boxed()),
        own(0xFF, Just(Tree::Null).boxed()),
    ]);
    tree(leaf, key().prop_map(Tree::Str).boxed()).prop_map(|tree| {
        let tree = without_duplicates(tree);
        match tree {
            Tree::Map(_) => tree,
            other => Tree::Map(vec![(Tree::Str("a".into()), other)]),
        }
    })
}

fn without_duplicates(tree: Tree) -> Tree {
    match tree {
        Tree::Array(items) => Tree::Array(items.into_iter().map(without_duplicates).collect()),
        Tree::Map(entries) => {
            let mut seen = std::collections::HashSet::new();
            Tree::Map(
                entries
                    .into_iter()
                    .filter(|(key, _)| matches!(key, Tree::Str(text) if seen.insert(text.clone())))
                    .map(|(key, value)| (key, without_duplicates(value)))
                    .collect(),
            )
        }
        other => other,
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 500, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn typed_values_have_the_same_bytes(record in record()) {
        let written = ours::to_vec(&record).expect("a record");
        let theirs = bson::serialize_to_vec(&record).expect("a record");
        prop_assert_eq!(&written, &theirs);
        let read: Record = ours::from_slice(&theirs).expect("their bytes");
        prop_assert_eq!(&read, &record);
        let read: Record = bson::deserialize_from_slice(&written).expect("our bytes");
        prop_assert_eq!(&read, &record);
    }

    #[test]
    fn dynamic_values_have_the_same_document(tree in document()) {
        let arena = Arena::new();
        let value = tree.value(&arena);
        let written = ours::to_vec(&value).expect("a document");
        let document = bson::Document::from_reader(written.as_slice()).expect("our bytes");
        let theirs = document.to_vec().expect("a document");
        prop_assert_eq!(&written, &theirs);
        let mut seed = ValueSeed::new(&arena);
        let read =
            ours::from_slice_seed(&mut seed, &theirs, ours::TopLevel::Document, Limits::DEFAULT)
                .expect("their bytes");
        prop_assert_eq!(read, value);
        let json = bson::Bson::Document(document).into_canonical_extjson();
        prop_assert_eq!(extended_json(&value), json);
    }
}
