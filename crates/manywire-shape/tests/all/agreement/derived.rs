//! Derived types and their serialized values.

#![allow(dead_code, reason = "some fields are here for their attributes")]

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use manywire_shape::Shaped;
use serde::{Deserialize, Serialize};

use super::{agree, agree_on_names};

#[derive(Clone, Default, Serialize, Deserialize, Shaped)]
#[serde(rename_all = "SCREAMING-KEBAB-CASE", rename = "elsewhere")]
struct Names {
    two_words: u8,
    #[serde(rename = "own", alias = "b", alias = "a", alias = "own")]
    renamed: u8,
    #[serde(rename(serialize = "out", deserialize = "in"), alias = "inward")]
    both: u8,
    r#type: u8,
}

#[derive(Default, Serialize, Deserialize, Shaped)]
#[serde(rename_all(serialize = "camelCase", deserialize = "PascalCase"))]
struct TwoRules {
    two_words: u8,
    three_more_words: u8,
}

#[derive(Serialize, Deserialize, Shaped)]
#[serde(rename_all = "kebab-case", rename_all_fields = "camelCase")]
enum Variants {
    UnitCase,
    #[serde(alias = "nt", rename(deserialize = "new"))]
    NewType(u8),
    TupleCase(u8, #[serde(skip_serializing, default)] u16, String),
    StructCase {
        first_field: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        second_field: Option<u8>,
    },
    NoFields {},
    NoItems(),
    NoContent(#[serde(skip)] u8),
    #[serde(rename_all = "UPPERCASE")]
    OwnRule {
        a: u8,
    },
    #[serde(skip_deserializing)]
    OnlyWritten,
}

#[test]
fn names() {
    agree(&[Names::default()]);
    agree_on_names::<Names>(&["out"]);
    agree(&[TwoRules::default()]);
    agree_on_names::<TwoRules>(&["twoWords", "threeMoreWords"]);
    agree(&[
        Variants::UnitCase,
        Variants::NewType(1),
        Variants::TupleCase(1, 2, "a".into()),
        Variants::StructCase { first_field: true, second_field: Some(1) },
        Variants::StructCase { first_field: true, second_field: None },
        Variants::NoFields {},
        Variants::NoItems(),
        Variants::NoContent(3),
        Variants::OwnRule { a: 1 },
        Variants::OnlyWritten,
    ]);
    agree_on_names::<Variants>(&["new-type", "only-written"]);
}

#[derive(Default, Serialize, Deserialize, Shaped)]
#[serde(default)]
struct Skips {
    always: u8,
    #[serde(skip)]
    never: std::marker::PhantomData<Skips>,
    #[serde(skip_serializing)]
    only_read: u8,
    #[serde(skip_deserializing)]
    only_written: u8,
    #[serde(skip_serializing_if = "String::is_empty")]
    sometimes: String,
}

#[test]
fn skips() {
    agree(&[Skips::default(), Skips { sometimes: "a".into(), ..Skips::default() }]);
    agree_on_names::<Skips>(&["only_written"]);
}

#[derive(Serialize, Deserialize, Shaped)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Internal {
    Unit,
    Newtype(Names),
    Map(BTreeMap<String, u8>),
    UnitStruct(UnitStruct),
    Fields {
        a: u8,
        #[serde(flatten)]
        rest: BTreeMap<String, bool>,
    },
    #[serde(other)]
    Other,
}

#[derive(Serialize, Deserialize, Shaped)]
struct UnitStruct;

#[derive(Serialize, Deserialize, Shaped)]
#[serde(tag = "type", content = "data")]
enum Adjacent {
    Unit,
    Newtype(Names),
    Tuple(u8, u16),
    Fields { a: Option<u8> },
}

#[derive(Serialize, Deserialize, Shaped)]
#[serde(untagged)]
enum Untagged {
    Nothing,
    Number(i64),
    Small(u32),
    Ratio(f32),
    Word(char),
    Text(String),
    Color(Color),
    Pair(u8, String),
    List(Vec<bool>),
    First { id: u32, a: u8 },
    Second { id: i64, b: String },
    Named(TwoRules),
    Maybe(Option<bool>),
}

#[derive(Serialize, Deserialize, Shaped)]
enum Color {
    Red,
    Green,
}

#[derive(Serialize, Deserialize, Shaped)]
#[serde(untagged)]
enum Mixed {
    Enum(Mix),
    Count(u8),
}

#[derive(Serialize, Deserialize, Shaped)]
enum Mix {
    Bare,
    Filled(u8),
    #[serde(untagged)]
    Other(f64),
}

#[test]
fn enums() {
    agree(&[
        Internal::Unit,
        Internal::Newtype(Names::default()),
        Internal::Map(BTreeMap::from([("a".into(), 1)])),
        Internal::UnitStruct(UnitStruct),
        Internal::Fields { a: 1, rest: BTreeMap::from([("b".into(), true)]) },
        Internal::Other,
    ]);
    agree(&[
        Adjacent::Unit,
        Adjacent::Newtype(Names::default()),
        Adjacent::Tuple(1, 2),
        Adjacent::Fields { a: None },
    ]);
    agree(&[
        Untagged::Nothing,
        Untagged::Number(-1),
        Untagged::Small(1),
        Untagged::Ratio(0.5),
        Untagged::Word('a'),
        Untagged::Text("a".into()),
        Untagged::Color(Color::Green),
        Untagged::Pair(1, "a".into()),
        Untagged::List(vec![true]),
        Untagged::First { id: 1, a: 2 },
        Untagged::Second { id: 1, b: "b".into() },
        Untagged::Named(TwoRules::default()),
        Untagged::Maybe(Some(true)),
        Untagged::Maybe(None),
    ]);
    agree(&[
        Mixed::Enum(Mix::Bare),
        Mixed::Enum(Mix::Filled(1)),
        Mixed::Enum(Mix::Other(0.5)),
        Mixed::Count(1),
    ]);
}

#[derive(Serialize, Deserialize, Shaped)]
struct Flat {
    before: u8,
    #[serde(flatten)]
    names: Names,
    #[serde(flatten)]
    maybe: Option<TwoRules>,
    #[serde(flatten)]
    choice: Choice,
    #[serde(flatten)]
    internal: Option<Internal>,
    #[serde(flatten)]
    nothing: (),
    after: u8,
    #[serde(flatten)]
    rest: HashMap<String, f64>,
}

#[derive(Serialize, Deserialize, Shaped)]
enum Choice {
    Unit,
    Newtype(u8),
    Tuple(u8, bool),
    Fields { x: u8 },
}

#[derive(Serialize, Deserialize, Shaped)]
struct FlatAdjacent {
    #[serde(flatten)]
    adjacent: Adjacent,
    #[serde(flatten)]
    deeper: Option<Box<Deeper>>,
}

#[derive(Serialize, Deserialize, Shaped)]
struct Deeper {
    deep: u8,
    #[serde(flatten)]
    untagged: Loose,
}

#[derive(Serialize, Deserialize, Shaped)]
#[serde(untagged)]
enum Loose {
    One { one: u8 },
    Two { two: u8 },
}

#[test]
fn flatten() {
    let flat = |choice, internal| Flat {
        before: 1,
        names: Names::default(),
        maybe: Some(TwoRules::default()),
        choice,
        internal,
        nothing: (),
        after: 2,
        rest: HashMap::from([("half".into(), 0.5)]),
    };
    agree(&[
        flat(Choice::Unit, None),
        flat(Choice::Newtype(1), Some(Internal::Unit)),
        flat(Choice::Tuple(1, true), Some(Internal::Fields { a: 1, rest: BTreeMap::new() })),
        Flat { maybe: None, ..flat(Choice::Fields { x: 1 }, None) },
    ]);
    agree(&[
        FlatAdjacent { adjacent: Adjacent::Unit, deeper: None },
        FlatAdjacent {
            adjacent: Adjacent::Tuple(1, 2),
            deeper: Some(Box::new(Deeper { deep: 1, untagged: Loose::One { one: 1 } })),
        },
        FlatAdjacent {
            adjacent: Adjacent::Fields { a: Some(1) },
            deeper: Some(Box::new(Deeper { deep: 1, untagged: Loose::Two { two: 1 } })),
        },
    ]);
}

#[derive(Serialize, Deserialize, Shaped)]
struct Borrowed<'a> {
    text: &'a str,
    bytes: &'a [u8],
    #[serde(borrow)]
    cow: Cow<'a, str>,
    #[serde(borrow)]
    cow_bytes: Cow<'a, [u8]>,
    #[serde(with = "serde_bytes")]
    owned: Vec<u8>,
    #[serde(with = "serde_bytes")]
    maybe: Option<Vec<u8>>,
    #[serde(with = "as_text")]
    #[shaped(as = "String")]
    text_of: u64,
}

mod as_text {
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(super) fn serialize<S: Serializer>(value: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[derive(Serialize, Deserialize, Shaped)]
struct Tree<T> {
    value: T,
    children: Vec<Tree<T>>,
}

#[derive(Serialize, Deserialize, Shaped)]
struct Tuple(u8, #[serde(skip)] u16, bool);

#[derive(Serialize, Deserialize, Shaped)]
#[serde(transparent)]
struct Transparent {
    #[serde(with = "serde_bytes")]
    bytes: Vec<u8>,
    #[serde(skip)]
    cache: Option<u8>,
}

#[derive(Clone, Serialize, Deserialize, Shaped)]
#[serde(into = "(u8, u8)", try_from = "(u8, u8)")]
struct Checked {
    low: u8,
    high: u8,
}

impl From<Checked> for (u8, u8) {
    fn from(checked: Checked) -> Self {
        (checked.low, checked.high)
    }
}

impl TryFrom<(u8, u8)> for Checked {
    type Error = &'static str;

    fn try_from((low, high): (u8, u8)) -> Result<Self, Self::Error> {
        if low <= high { Ok(Checked { low, high }) } else { Err("low must not be above high") }
    }
}

mod elsewhere {
    #[derive(Default)]
    pub(crate) struct Remote {
        pub(crate) a: u8,
        pub(crate) b: String,
    }
}

#[derive(Serialize, Deserialize, Shaped)]
#[serde(remote = "elsewhere::Remote")]
struct RemoteShape {
    a: u8,
    b: String,
}

#[derive(Serialize, Deserialize, Shaped)]
struct WithRemote {
    #[serde(with = "RemoteShape")]
    #[shaped(as = "RemoteShape")]
    remote: elsewhere::Remote,
}

#[derive(Serialize, Deserialize, Shaped)]
#[serde(tag = "struct")]
struct Tagged {
    id: u8,
}

#[test]
fn other_attributes() {
    agree(&[Borrowed {
        text: "a",
        bytes: b"b",
        cow: "c".into(),
        cow_bytes: b"d"[..].into(),
        owned: vec![1],
        maybe: None,
        text_of: 1,
    }]);
    let leaf = || Tree { value: Some(1u8), children: vec![] };
    agree(&[Tree { value: None, children: vec![leaf(), leaf()] }]);
    agree(&[Tuple(1, 2, true)]);
    agree(&[Transparent { bytes: vec![], cache: None }]);
    agree(&[Checked { low: 1, high: 2 }]);
    agree(&[WithRemote { remote: elsewhere::Remote::default() }]);
    agree(&[Tagged { id: 1 }]);
}
