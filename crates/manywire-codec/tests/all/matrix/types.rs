//! The types of the matrix: the forms of enums and structs, and the places where they occur.

use std::collections::BTreeMap;

use manywire_shape::Shaped;
use serde::{Deserialize, Serialize};

/// A type with values that together reach every variant and every presence of a field.
pub(super) trait Samples: Sized {
    fn samples() -> Vec<Self>;
}

/// Declares types with their derives, and their samples.
macro_rules! types {
    ($($(#[$meta:meta])* $kind:ident $name:ident { $($body:tt)* } = [$($sample:expr),* $(,)?];)*) => {$(
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
        $(#[$meta])*
        pub(super) $kind $name { $($body)* }

        impl Samples for $name {
            fn samples() -> Vec<Self> {
                vec![$($sample),*]
            }
        }
    )*};
}

// The forms of enums: each tagging with every kind of variant that serde allows in it.

types! {
    enum Units { U, V } = [Self::U, Self::V];
    #[serde(tag = "t")]
    enum UnitsInternal { U, V } = [Self::U, Self::V];
    #[serde(tag = "t", content = "c")]
    enum UnitsAdjacent { U, V } = [Self::U, Self::V];

    enum Mixed { U, N(u8), T(u8, bool), S { x: u8, y: Option<u8> } } = [
        Self::U, Self::N(0), Self::N(7), Self::T(0, false), Self::T(1, true),
        Self::S { x: 0, y: None }, Self::S { x: 5, y: Some(0) },
    ];
    #[serde(tag = "t")]
    enum MixedInternal { U, R(Plain), S { x: u8, y: Option<u8> } } = [
        Self::U, Self::R(Plain { p: 0 }), Self::R(Plain { p: 3 }),
        Self::S { x: 0, y: None }, Self::S { x: 5, y: Some(0) },
    ];
    #[serde(tag = "t", content = "c")]
    enum MixedAdjacent { U, N(u8), T(u8, bool), S { x: u8, y: Option<u8> } } = [
        Self::U, Self::N(0), Self::N(7), Self::T(0, false), Self::T(1, true),
        Self::S { x: 0, y: None }, Self::S { x: 5, y: Some(0) },
    ];
    #[serde(untagged)]
    enum MixedUntagged { S { x: u8 }, N(u8), T(u8, bool), U } = [
        Self::S { x: 0 }, Self::S { x: 5 }, Self::N(0), Self::N(7), Self::T(0, false), Self::U,
    ];

    enum Contents { O(Option<u8>), L(Vec<u8>), M(BTreeMap<String, u8>), N(()), B(Box<Plain>) } = [
        Self::O(None), Self::O(Some(0)), Self::L(vec![]), Self::L(vec![0, 1]),
        Self::M(BTreeMap::new()), Self::M(map(&[("k", 1)])), Self::N(()), Self::B(Box::new(Plain { p: 1 })),
    ];
    #[serde(tag = "t", content = "c")]
    enum ContentsAdjacent { O(Option<u8>), L(Vec<u8>), M(BTreeMap<String, u8>), N(()), B(Box<Plain>) } = [
        Self::O(None), Self::O(Some(0)), Self::L(vec![]), Self::L(vec![0, 1]),
        Self::M(BTreeMap::new()), Self::M(map(&[("k", 1)])), Self::N(()), Self::B(Box::new(Plain { p: 1 })),
    ];
    #[serde(tag = "t")]
    enum ContentsInternal { M(BTreeMap<String, u8>), N(()), B(Box<Plain>) } = [
        Self::M(BTreeMap::new()), Self::M(map(&[("k", 1)])), Self::N(()), Self::B(Box::new(Plain { p: 1 })),
    ];
    #[serde(untagged)]
    enum ContentsUntagged { L(Vec<u8>), B(Box<Plain>), M(BTreeMap<String, u8>) } = [
        Self::L(vec![]), Self::L(vec![0, 1]), Self::B(Box::new(Plain { p: 1 })),
        Self::M(map(&[("k", 1)])),
    ];

    #[serde(untagged)]
    enum LikeRecords { P(Plain), R(Rest), S(Strict) } = [
        Self::P(Plain { p: 1 }), Self::S(Strict { p: 1, q: None }),
    ];

    #[serde(rename_all = "SCREAMING-KEBAB-CASE")]
    enum Renamed {
        FirstOne,
        #[serde(rename = "2nd", alias = "second")]
        Second { #[serde(rename = "the x", alias = "x")] x: u8 },
    } = [Self::FirstOne, Self::Second { x: 0 }, Self::Second { x: 1 }];
    #[serde(tag = "t")]
    enum OtherInternal { K { x: u8 }, #[serde(other)] Unknown } = [Self::K { x: 0 }, Self::Unknown];
    enum Skipping {
        A { #[serde(default, skip_serializing_if = "Vec::is_empty")] l: Vec<u8>, #[serde(skip)] s: u8 },
        B(#[serde(skip)] u8),
        C(#[serde(skip)] u8, u8),
    } = [Self::A { l: vec![], s: 0 }, Self::A { l: vec![1], s: 0 }, Self::B(0), Self::C(0, 1)];
    enum PartlyUntagged { U, N(u8), #[serde(untagged)] Rest(Plain) } = [
        Self::U, Self::N(1), Self::Rest(Plain { p: 0 }), Self::Rest(Plain { p: 1 }),
    ];
    enum Recursive { Leaf, Node(Box<Recursive>), Pair { l: Box<Recursive>, r: Option<Box<Recursive>> } } = [
        Self::Leaf, Self::Node(Box::new(Self::Leaf)),
        Self::Pair { l: Box::new(Self::Leaf), r: None },
        Self::Pair { l: Box::new(Self::Node(Box::new(Self::Leaf))), r: Some(Box::new(Self::Leaf)) },
    ];
    #[serde(tag = "t")]
    enum RecursiveInternal { Leaf, Pair { l: Box<RecursiveInternal>, r: Option<Box<RecursiveInternal>> } } = [
        Self::Leaf, Self::Pair { l: Box::new(Self::Leaf), r: None },
        Self::Pair { l: Box::new(Self::Leaf), r: Some(Box::new(Self::Leaf)) },
    ];
    #[serde(untagged)]
    enum RecursiveUntagged { Leaf(u8), List(Vec<RecursiveUntagged>) } = [
        Self::Leaf(1), Self::List(vec![]), Self::List(vec![Self::Leaf(1), Self::List(vec![])]),
    ];
    #[serde(untagged)]
    enum Scalars { B(bool), N(i64), F(f64), S(String) } = [
        Self::B(false), Self::N(0), Self::N(-5), Self::F(0.5), Self::S(String::new()), Self::S("s".into()),
    ];
    #[serde(untagged)]
    enum Records { A { x: u8 }, B { y: String, #[serde(default)] x: u8 }, C(Plain) } = [
        Self::A { x: 0 }, Self::B { y: String::new(), x: 0 }, Self::B { y: "y".into(), x: 1 },
        Self::C(Plain { p: 0 }),
    ];
}

// The forms of structs.

types! {
    struct Plain { p: u8 } = [Self { p: 0 }, Self { p: 9 }];
    struct Empty {} = [Self {}];
    #[serde(deny_unknown_fields)]
    struct Strict { p: u8, q: Option<String> } = [Self { p: 0, q: None }, Self { p: 1, q: Some(String::new()) }];
    #[derive(Default)]
    #[serde(default)]
    struct Defaulted {
        l: Vec<u8>,
        #[serde(skip)] s: u8,
        #[serde(skip_serializing_if = "is_zero")] z: u8,
        #[serde(skip_serializing_if = "Option::is_none")] o: Option<u8>,
        #[serde(rename = "$ref", alias = "ref")] r: String,
    } = [
        Self::default(), Self { l: vec![0], z: 1, o: Some(0), r: "r".into(), ..Self::default() },
        Self { o: Some(1), ..Self::default() }, Self { z: 1, ..Self::default() },
    ];
    #[serde(transparent)]
    struct Transparent { inner: Option<u8> } = [Self { inner: None }, Self { inner: Some(0) }];
    struct NonZeroDefaults {
        #[serde(default = "five")] f: u8,
        #[serde(default = "five", skip_serializing_if = "is_five")] g: u8,
        #[serde(default = "some_five")] h: Option<u8>,
    } = [
        Self { f: 0, g: 0, h: None }, Self { f: 5, g: 5, h: Some(5) }, Self { f: 1, g: 1, h: Some(0) },
    ];
    struct Options { o: Option<()>, u: (), l: Option<Vec<u8>>, m: Option<BTreeMap<String, u8>>, n: Option<Plain> } = [
        Self { o: None, u: (), l: None, m: None, n: None },
        Self { o: None, u: (), l: Some(vec![]), m: Some(BTreeMap::new()), n: Some(Plain { p: 0 }) },
    ];
    struct Rest { p: u8, #[serde(flatten)] rest: BTreeMap<String, u8> } = [
        Self { p: 0, rest: BTreeMap::new() }, Self { p: 1, rest: map(&[("k", 0), ("l", 1)]) },
    ];
    struct Tree { v: u8, kids: Vec<Tree>, next: Option<Box<Tree>> } = [
        Self { v: 0, kids: vec![], next: None },
        Self {
            v: 1,
            kids: vec![Self { v: 2, kids: vec![], next: None }],
            next: Some(Box::new(Self { v: 3, kids: vec![], next: None })),
        },
    ];
}

fn is_zero(number: &u8) -> bool {
    *number == 0
}

fn five() -> u8 {
    5
}

fn some_five() -> Option<u8> {
    Some(5)
}

fn is_five(number: &u8) -> bool {
    *number == 5
}

fn map(entries: &[(&str, u8)]) -> BTreeMap<String, u8> {
    entries.iter().map(|(key, value)| ((*key).to_owned(), *value)).collect()
}

macro_rules! foreign {
    ($($type:ty = [$($sample:expr),*];)*) => {$(
        impl Samples for $type {
            fn samples() -> Vec<Self> {
                vec![$($sample),*]
            }
        }
    )*};
}

foreign! {
    u8 = [0, 1];
    () = [()];
    Option<u8> = [None, Some(0), Some(1)];
    Vec<u8> = [vec![], vec![0, 1]];
    BTreeMap<String, u8> = [BTreeMap::new(), map(&[("k", 0), ("l", 1)])];
}

// The places where a type may occur. No other type has the names of their fields.

/// Declares the places, with the samples of each from one sample of the inner type.
macro_rules! places {
    ($($(#[$meta:meta])* $kind:ident $name:ident <$e:ident> { $($body:tt)* } = |$sample:ident| [$($made:expr),* $(,)?];)*) => {$(
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
        $(#[$meta])*
        pub(super) $kind $name<$e> { $($body)* }

        impl<$e: Samples + Clone> Samples for $name<$e> {
            fn samples() -> Vec<Self> {
                $e::samples().into_iter().flat_map(|$sample| [$($made),*]).collect()
            }
        }
    )*};
}

places! {
    struct Field<E> { before: u8, inner: E, after: u8 } = |e| [Self { before: 1, inner: e, after: 2 }];
    struct Flat<E> { before: u8, #[serde(flatten)] inner: E, after: u8 } =
        |e| [Self { before: 1, inner: e, after: 2 }];
    struct FlatOption<E> { before: u8, #[serde(flatten)] inner: Option<E> } =
        |e| [Self { before: 1, inner: Some(e) }, Self { before: 1, inner: None }];
    struct FlatRest<E> { #[serde(flatten)] inner: E, #[serde(flatten)] others: BTreeMap<String, u8> } =
        |e| [Self { inner: e.clone(), others: BTreeMap::new() }, Self { inner: e, others: map(&[("w", 1)]) }];
    struct FlatTwice<E> { #[serde(flatten)] inner: Flat<E> } =
        |e| [Self { inner: Flat { before: 1, inner: e, after: 2 } }];
    struct Opt<E> { inner: Option<E>, after: u8 } =
        |e| [Self { inner: Some(e), after: 2 }, Self { inner: None, after: 2 }];
    struct Skipped<E> {
        #[serde(default = "none", skip_serializing_if = "Option::is_none")] inner: Option<E>, after: u8,
    } = |e| [Self { inner: Some(e), after: 2 }, Self { inner: None, after: 2 }];
    struct Nested<E> { inner: Option<Option<E>>, after: u8 } =
        |e| [Self { inner: Some(Some(e)), after: 2 }, Self { inner: None, after: 2 }];
    struct Items<E> { list: Vec<E>, boxed: Box<E>, opts: Vec<Option<E>>, pair: (E, u8) } = |e| [
        Self { list: vec![], boxed: Box::new(e.clone()), opts: vec![], pair: (e.clone(), 0) },
        Self {
            list: vec![e.clone(), e.clone()], boxed: Box::new(e.clone()),
            opts: vec![None, Some(e.clone())], pair: (e, 1),
        },
    ];
    struct Keyed<E> { map: BTreeMap<String, E>, opts: Option<BTreeMap<String, Option<E>>> } = |e| [
        Self { map: BTreeMap::new(), opts: None },
        Self {
            map: BTreeMap::from([("k".to_owned(), e.clone())]),
            opts: Some(BTreeMap::from([("k".to_owned(), Some(e)), ("n".to_owned(), None)])),
        },
    ];
    enum External<E> { Unit, Newtype(E), Tuple(E, u8), Struct { inner: E, after: u8 }, Opt(Option<E>) } = |e| [
        Self::Unit, Self::Newtype(e.clone()), Self::Tuple(e.clone(), 1),
        Self::Struct { inner: e.clone(), after: 2 }, Self::Opt(Some(e)), Self::Opt(None),
    ];
    #[serde(tag = "kind")]
    enum Internal<E> { Unit, Struct { inner: E, after: u8 }, Opt { inner: Option<E> } } = |e| [
        Self::Unit, Self::Struct { inner: e.clone(), after: 2 }, Self::Opt { inner: Some(e) },
        Self::Opt { inner: None },
    ];
    #[serde(tag = "kind")]
    enum InternalNewtype<E> { Unit, Newtype(E), Flat { before: u8, #[serde(flatten)] inner: E } } =
        |e| [Self::Unit, Self::Newtype(e.clone()), Self::Flat { before: 1, inner: e }];
    #[serde(tag = "kind", content = "content")]
    enum Adjacent<E> { Unit, Newtype(E), Tuple(E, u8), Struct { inner: E, after: u8 }, Opt(Option<E>) } = |e| [
        Self::Unit, Self::Newtype(e.clone()), Self::Tuple(e.clone(), 1),
        Self::Struct { inner: e.clone(), after: 2 }, Self::Opt(Some(e)), Self::Opt(None),
    ];
    #[serde(untagged)]
    enum Untagged<E> { Struct { inner: E, after: u8 }, Newtype(E) } =
        |e| [Self::Struct { inner: e.clone(), after: 2 }, Self::Newtype(e)];
    #[serde(transparent)]
    struct Through<E> { inner: Box<E> } = |e| [Self { inner: Box::new(e) }];
}

fn none<E>() -> Option<E> {
    None
}
