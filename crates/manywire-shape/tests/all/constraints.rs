//! Constraints of derived types: their places in shapes and schemas, and the paths under which
//! their violations are found.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::{NonZero, Saturating, Wrapping};
use std::path::{Path, PathBuf};

use manywire_shape::fit::fits;
use manywire_shape::json_schema::JsonSchema;
use manywire_shape::path::KeyStep;
use manywire_shape::{
    Arena, Check, Constraints, InvalidConstraint, Node, Shape, ShapeBuilder, ShapeRules, Shaped,
    Violation,
};
use serde::{Deserialize, Serialize};

use crate::sample::read;

#[derive(Serialize, Deserialize, Shaped)]
struct Hotel {
    #[shaped(length = 1..=40)]
    name: String,
    #[shaped(min = 1, max = 5)]
    stars: Option<u8>,
    #[shaped(pattern = "^[A-Z]{2}$")]
    country: String,
    #[shaped(one_of = ["EUR", "USD"])]
    currency: Option<String>,
    #[shaped(length = ..=2)]
    rooms: Vec<Room>,
    #[serde(rename = "rate-by-season")]
    rates: BTreeMap<String, Money>,
    tags: BTreeSet<Tag>,
    place: (Latitude, f64),
    #[serde(flatten)]
    contact: Contact,
    payment: Payment,
    size: Size,
    extra: Extra,
}

#[derive(Serialize, Deserialize, Shaped)]
struct Room {
    #[shaped(multiple_of = 5, max = 500)]
    rate: u32,
    beds: Box<Beds>,
}

#[derive(Serialize, Deserialize, Shaped)]
struct Beds(#[shaped(min = 1)] u8, #[shaped(min = 0)] i8);

#[derive(Serialize, Deserialize, Shaped)]
struct Money(#[shaped(min = 0.5)] f64);

#[derive(PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Shaped)]
struct Tag(#[shaped(length = 2..)] String);

#[derive(Serialize, Deserialize, Shaped)]
#[serde(transparent)]
struct Latitude {
    #[shaped(min = -90, max = 90)]
    degrees: f64,
}

#[derive(Serialize, Deserialize, Shaped)]
struct Contact {
    #[shaped(pattern = r"^[\w.+-]+@[\w.-]+$")]
    mail: String,
}

#[derive(Serialize, Deserialize, Shaped)]
#[serde(rename_all = "lowercase")]
enum Payment {
    Card {
        #[shaped(length = 16)]
        number: String,
    },
    Voucher(Tag),
    Split(Money, Money),
    Cash,
}

#[derive(Serialize, Deserialize, Shaped)]
#[serde(tag = "kind", content = "of")]
enum Size {
    Square(Money),
}

#[derive(Serialize, Deserialize, Shaped)]
#[serde(tag = "kind")]
enum Extra {
    Parking {
        #[shaped(max = 9)]
        places: u8,
    },
}

fn hotel() -> Hotel {
    Hotel {
        name: "Ritz".to_owned(),
        stars: Some(5),
        country: "FR".to_owned(),
        currency: None,
        rooms: vec![Room { rate: 500, beds: Box::new(Beds(2, 0)) }],
        rates: BTreeMap::from([("low".to_owned(), Money(90.0))]),
        tags: BTreeSet::from([Tag("old".to_owned())]),
        place: (Latitude { degrees: 48.9 }, 2.3),
        contact: Contact { mail: "desk@ritz.example".to_owned() },
        payment: Payment::Cash,
        size: Size::Square(Money(1.0)),
        extra: Extra::Parking { places: 9 },
    }
}

fn violations<T: Shaped>(value: &T) -> Vec<String> {
    texts(Check::run(|check| value.check(check)))
}

/// Returns the violations of the value as a dynamic one, read from JSON.
fn dynamic_violations<T: Shaped + Serialize>(value: &T) -> Vec<String> {
    let json = serde_json::to_string(value).expect("a value with a form in JSON");
    let arena = Arena::new();
    let value = read(&arena, &json);
    let shape = Shape::of::<T>();
    assert_eq!(fits(&shape, &value), Ok(()), "{json}");
    texts(Check::run(|check| ShapeRules::new(&shape).check(&shape, &value, check)))
}

fn texts(found: Vec<Violation>) -> Vec<String> {
    found.into_iter().map(|violation| format!("{}: {}", violation.path, violation.detail)).collect()
}

#[test]
fn a_valid_value_has_no_violations() {
    assert_eq!(violations(&hotel()), [""; 0]);
    assert_eq!(dynamic_violations(&hotel()), [""; 0]);
    assert_eq!(Shape::of::<Hotel>().invalid_constraint(), None);
}

#[test]
fn every_violation_is_found_with_its_path() {
    let wrong = Hotel {
        name: String::new(),
        stars: Some(6),
        country: "fr".to_owned(),
        currency: Some("DM".to_owned()),
        rooms: (0..3).map(|_| Room { rate: 7, beds: Box::new(Beds(0, -1)) }).take(1).collect(),
        rates: BTreeMap::from([("high season".to_owned(), Money(0.0))]),
        tags: BTreeSet::from([Tag("x".to_owned())]),
        place: (Latitude { degrees: 91.0 }, 2.3),
        contact: Contact { mail: "desk".to_owned() },
        payment: Payment::Card { number: "12".to_owned() },
        size: Size::Square(Money(0.25)),
        extra: Extra::Parking { places: 10 },
    };
    let found = violations(&wrong);
    assert_eq!(
        found,
        [
            "$.name: must have 1 to 40 characters, got 0",
            "$.stars: must be at most 5, got 6",
            "$.country: must match the pattern ^[A-Z]{2}$, got \"fr\"",
            "$.currency: must be one of \"EUR\", \"USD\", got \"DM\"",
            "$.rooms[0].rate: must be a multiple of 5, got 7",
            "$.rooms[0].beds[0]: must be at least 1, got 0",
            "$.rooms[0].beds[1]: must be at least 0, got -1",
            "$.rate-by-season[\"high season\"]: must be at least 0.5, got 0.0",
            "$.tags: must have at least 2 characters, got 1",
            "$.place[0]: must be at most 90, got 91.0",
            "$.mail: must match the pattern ^[\\w.+-]+@[\\w.-]+$, got \"desk\"",
            "$.payment.card.number: must have exactly 16 characters, got 2",
            "$.size.of: must be at least 0.5, got 0.25",
            "$.extra.places: must be at most 9, got 10",
        ]
    );
    // The items of a dynamic value have positions, those of a set have none.
    let found: Vec<String> =
        found.iter().map(|text| text.replace("$.tags:", "$.tags[0]:")).collect();
    assert_eq!(dynamic_violations(&wrong), found);
    let split = Payment::Split(Money(1.0), Money(0.0));
    assert_eq!(violations(&split), ["$.split[1]: must be at least 0.5, got 0.0"]);
    assert_eq!(dynamic_violations(&split), violations(&split));
    let voucher = Payment::Voucher(Tag(String::new()));
    assert_eq!(violations(&voucher), ["$.voucher: must have at least 2 characters, got 0"]);
    assert_eq!(dynamic_violations(&voucher), violations(&voucher));
}

#[test]
fn the_tag_of_a_variant_is_not_among_the_other_entries() {
    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(tag = "kind")]
    enum Item {
        #[serde(rename = "x")]
        Labelled(Labels),
    }

    #[derive(Serialize, Deserialize, Shaped)]
    struct Labels {
        id: u8,
        #[serde(flatten)]
        labels: BTreeMap<String, Tag>,
    }

    let item = |label: &str| {
        let labels = BTreeMap::from([("size".to_owned(), Tag(label.to_owned()))]);
        Item::Labelled(Labels { id: 1, labels })
    };
    assert_eq!(dynamic_violations(&item("xl")), [""; 0]);
    let found = dynamic_violations(&item("x"));
    assert_eq!(found, ["$.size: must have at least 2 characters, got 1"]);
}

#[test]
fn the_tag_of_a_variant_is_not_in_the_content_of_a_newtype() {
    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(tag = "kind")]
    enum Item {
        Counts(BTreeMap<String, u8>),
        Labels(Labels),
        Room(Room),
        Nothing(()),
    }

    #[derive(Serialize, Deserialize, Shaped)]
    struct Labels(#[shaped(length = ..=1)] BTreeMap<String, Tag>);

    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(tag = "size")]
    enum Room {
        Single { rate: u8 },
    }

    let labels = |labels: &[(&str, &str)]| {
        let entries = labels.iter().map(|(key, tag)| ((*key).to_owned(), Tag((*tag).to_owned())));
        Item::Labels(Labels(entries.collect()))
    };
    for item in [
        Item::Counts(BTreeMap::from([("beds".to_owned(), 2)])),
        Item::Counts(BTreeMap::new()),
        labels(&[("size", "xl")]),
        Item::Room(Room::Single { rate: 90 }),
        Item::Nothing(()),
    ] {
        assert_eq!(dynamic_violations(&item), [""; 0]);
    }
    let found = dynamic_violations(&labels(&[("size", "x"), ("view", "sea")]));
    assert_eq!(
        found,
        ["$: must have at most 1 entry, got 2", "$.size: must have at least 2 characters, got 1",]
    );

    let (arena, shape) = (Arena::new(), Shape::of::<Item>());
    let misfit = |json| {
        let misfit = fits(&shape, &read(&arena, json)).expect_err(json);
        misfit.to_string()
    };
    assert_eq!(
        misfit(r#"{"kind":"Counts","beds":"two"}"#),
        "$.beds: expected an unsigned integer of 8 bits, found the string \"two\""
    );
    let unknown = misfit(r#"{"kind":"Room","size":"Single","rate":90,"sea":1}"#);
    assert!(unknown.ends_with(", found the key \"sea\""), "{unknown}");
    assert_eq!(misfit(r#"{"kind":"Nothing","sea":1}"#), "$: expected null, found a map");
}

#[test]
fn violations_are_limited() {
    let wrong: Vec<Money> = (0..1_000).map(|_| Money(0.0)).collect();
    assert_eq!(violations(&wrong).len(), 100);
}

#[test]
fn keys_of_maps_are_part_of_paths() {
    #[derive(PartialEq, Eq, Hash, Serialize, Deserialize, Shaped)]
    enum Season {
        #[serde(rename = "low")]
        Low,
    }
    let by_enum = HashMap::from([(Season::Low, Money(0.0))]);
    assert_eq!(violations(&by_enum), ["$.low: must be at least 0.5, got 0.0"]);
    let by_number = BTreeMap::from([(-3_i64, Money(0.0))]);
    assert_eq!(violations(&by_number), ["$.-3: must be at least 0.5, got 0.0"]);
    let by_newtype = BTreeMap::from([(Tag("x".to_owned()), Money(1.0))]);
    assert_eq!(violations(&by_newtype), ["$.x: must have at least 2 characters, got 1"]);
}

#[test]
fn paths_name_keys_as_json_does() {
    #[track_caller]
    fn check<K: Shaped + Serialize + Eq + Hash>(key: K) {
        let map = HashMap::from([(key, Money(0.0))]);
        let json = serde_json::to_value(&map).unwrap();
        let key = json.as_object().unwrap().keys().next().unwrap();
        let expected = format!("${}: must be at least 0.5, got 0.0", KeyStep(key));
        assert_eq!(violations(&map), [expected]);
    }
    check(true);
    check('a');
    check("a b");
    check(Box::new(i128::MIN));
    check(NonZero::new(7_u8).unwrap());
    check(Wrapping(-7));
    check(Saturating(7_u64));
    check(Reverse(7));
    check(Path::new("a/b"));
    check(PathBuf::from("a/b"));
    check(Ipv4Addr::LOCALHOST);
    check(IpAddr::V6(Ipv6Addr::LOCALHOST));
    check(SocketAddr::from((Ipv4Addr::LOCALHOST, 80)));
    check(url::Url::parse("http://a/b?c").unwrap());
    let id = uuid::Uuid::from_u128(7);
    check(id);
    check(id.braced());
    check(id.hyphenated());
    check(id.simple());
    check(id.urn());
    let now = chrono::DateTime::UNIX_EPOCH;
    check(now);
    check(now.naive_utc());
    check(now.date_naive());
    check(now.time());
    check(chrono::Month::May);
    check(chrono::Weekday::Sun);
    check(time::Month::May);
    check(time::Weekday::Sunday);
}

#[test]
fn newtypes_of_tokens_that_a_macro_was_given_are_keys() {
    macro_rules! text {
        () => {
            String
        };
    }
    macro_rules! newtypes {
        ($($name:ident($($ty:tt)+);)*) => {$(
            #[derive(PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Shaped)]
            struct $name($($ty)+);
        )*};
    }
    newtypes! {
        Named(String);
        Expanded(text!());
    }
    let by_named = BTreeMap::from([(Named("x".to_owned()), Money(0.0))]);
    assert_eq!(violations(&by_named), ["$.x: must be at least 0.5, got 0.0"]);
    let by_expanded = BTreeMap::from([(Expanded("y".to_owned()), Money(0.0))]);
    assert_eq!(violations(&by_expanded), ["$.y: must be at least 0.5, got 0.0"]);
}

#[test]
fn fields_with_their_own_encodings_are_checked() {
    #[derive(Serialize, Deserialize, Shaped)]
    struct Packet<'p> {
        #[serde(with = "serde_bytes")]
        #[shaped(length = 1..=2)]
        bytes: Vec<u8>,
        #[shaped(encoding = "zigzag", min = -1)]
        delta: i32,
        #[serde(borrow)]
        #[shaped(length = ..=1)]
        name: std::borrow::Cow<'p, str>,
        #[shaped(length = 0)]
        text: &'p str,
        // The server alone writes this field.
        #[serde(skip_deserializing)]
        #[shaped(max = 1)]
        sent: u8,
        #[serde(skip)]
        _cache: u8,
    }
    let packet =
        Packet { bytes: vec![], delta: -2, name: "ab".into(), text: "a", sent: 2, _cache: 0 };
    assert_eq!(
        violations(&packet),
        [
            "$.bytes: must have 1 to 2 items, got 0",
            "$.delta: must be at least -1, got -2",
            "$.name: must have at most 1 character, got 2",
            "$.text: must have exactly 0 characters, got 1",
        ]
    );
}

#[test]
fn types_that_contain_themselves_are_checked() {
    #[derive(Serialize, Deserialize, Shaped)]
    struct Tree {
        #[shaped(min = 1)]
        size: u32,
        inner: Vec<Tree>,
    }
    let leaf = |size| Tree { size, inner: vec![] };
    let tree = Tree { size: 1, inner: vec![leaf(1), Tree { size: 0, inner: vec![leaf(0)] }] };
    assert_eq!(
        violations(&tree),
        [
            "$.inner[1].size: must be at least 1, got 0",
            "$.inner[1].inner[0].size: must be at least 1, got 0",
        ]
    );
}

#[test]
fn types_with_parameters_are_checked() {
    #[derive(Serialize, Deserialize, Shaped)]
    struct Page<T> {
        #[shaped(length = ..=1)]
        items: Vec<T>,
    }
    let page = Page { items: vec![Money(0.0), Money(1.0)] };
    assert_eq!(
        violations(&page),
        ["$.items: must have at most 1 item, got 2", "$.items[0]: must be at least 0.5, got 0.0",]
    );
}

#[test]
fn constraints_are_keywords_of_the_schema() {
    #[derive(Serialize, Deserialize, Shaped)]
    struct Order {
        #[shaped(min = 1, max = 300, multiple_of = 2)]
        count: u8,
        #[shaped(max = 1.5)]
        weight: Option<f64>,
        #[shaped(length = 2, pattern = "^[A-Z]*$")]
        country: String,
        #[shaped(one_of = ["a", "b"])]
        class: Option<String>,
        #[shaped(one_of = [1, 2.5])]
        factor: f32,
        #[shaped(length = 1..)]
        items: Vec<Kilos>,
        #[shaped(length = ..=9)]
        notes: BTreeMap<String, String>,
    }
    #[derive(Serialize, Deserialize, Shaped)]
    struct Kilos(#[shaped(min = 1)] u16);
    let schema = JsonSchema::of(&Shape::of_readable::<Order>());
    let order = &schema.definitions[0].1;
    assert_eq!(
        order.compact(),
        concat!(
            r#"{"type":"object","properties":{"#,
            r#""count":{"type":"integer","format":"uint8","minimum":1,"maximum":255,"multipleOf":2},"#,
            r#""weight":{"type":["number","null"],"format":"double","maximum":1.5},"#,
            r#""country":{"type":"string","minLength":2,"maxLength":2,"pattern":"^[A-Z]*$"},"#,
            r#""class":{"type":["string","null"],"enum":["a","b",null]},"#,
            r#""factor":{"type":"number","format":"float","enum":[1,2.5]},"#,
            r#""items":{"type":"array","items":{"type":"integer","format":"uint16","minimum":1,"#,
            r#""maximum":65535},"minItems":1},"#,
            r#""notes":{"type":"object","additionalProperties":{"type":"string"},"maxProperties":9}},"#,
            r#""required":["count","weight","country","class","factor","items","notes"]}"#,
        )
    );
}

#[test]
fn constraints_survive_copies_of_a_shape() {
    let shape = Shape::of::<Hotel>();
    assert!(shape.constraints().len() > 10);
    let text = serde_json::to_string(&shape).unwrap();
    assert_eq!(serde_json::from_str::<Shape>(&text).unwrap(), shape);
    let mut builder = ShapeBuilder::default();
    builder.add(Node::Null);
    let root = builder.embed(&shape);
    assert_eq!(builder.finish(root).reachable(), shape);
    // A type without constraints has none in its text.
    assert!(!serde_json::to_string(&Shape::of::<Vec<u8>>()).unwrap().contains("constraints"));
}

#[test]
fn branches_with_different_constraints_have_none_together() {
    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(untagged)]
    enum Id {
        Small(#[shaped(max = 9)] u32),
        Large(#[shaped(min = 1_000)] u32),
    }
    assert_eq!(Shape::of::<Id>().constraints(), []);
    assert_eq!(violations(&Id::Small(10)), ["$: must be at most 9, got 10"]);
    assert_eq!(violations(&Id::Large(10)), ["$: must be at least 1000, got 10"]);
}

#[test]
fn constraints_that_are_not_checked_are_refused() {
    #[derive(Serialize, Deserialize, Shaped)]
    struct Stay {
        #[shaped(as = "Money")]
        #[serde(with = "money")]
        price: u8,
    }
    mod money {
        use serde::{Deserialize, Deserializer, Serialize, Serializer};

        pub(super) fn serialize<S: Serializer>(value: &u8, to: S) -> Result<S::Ok, S::Error> {
            f64::from(*value).serialize(to)
        }

        pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u8, D::Error> {
            f64::deserialize(from).map(|value| value as u8)
        }
    }
    #[derive(Clone, Serialize, Deserialize, Shaped)]
    #[serde(into = "Wire", from = "Wire")]
    struct Converted(u8);
    #[derive(Serialize, Deserialize, Shaped)]
    struct Wire {
        #[shaped(min = 1)]
        value: u8,
    }
    impl From<Converted> for Wire {
        fn from(Converted(value): Converted) -> Wire {
            Wire { value }
        }
    }
    impl From<Wire> for Converted {
        fn from(wire: Wire) -> Converted {
            Converted(wire.value)
        }
    }
    #[derive(Clone, Serialize, Deserialize, Shaped)]
    #[serde(into = "RecursiveWire", from = "RecursiveWire")]
    struct Recursive(Vec<Recursive>);
    #[derive(Serialize, Deserialize, Shaped)]
    struct RecursiveWire {
        #[shaped(min = 1)]
        value: u8,
        inner: Vec<Recursive>,
    }
    impl From<Recursive> for RecursiveWire {
        fn from(Recursive(inner): Recursive) -> RecursiveWire {
            RecursiveWire { value: 1, inner }
        }
    }
    impl From<RecursiveWire> for Recursive {
        fn from(wire: RecursiveWire) -> Recursive {
            Recursive(wire.inner)
        }
    }
    let refusal = |shape: Shape| shape.invalid_constraint().map(|error| error.to_string());
    assert!(refusal(Shape::of::<Recursive>()).unwrap().contains("Recursive is written as"));
    assert!(refusal(Shape::of::<Stay>()).unwrap().starts_with("the field `price` is written as"));
    assert!(refusal(Shape::of::<Vec<Converted>>()).unwrap().contains("Converted is written as"));
    assert!(refusal(Shape::of::<std::cell::Cell<Money>>()).is_some());
    assert_eq!(refusal(Shape::of::<Wire>()), None);
}

#[test]
fn constraints_that_do_not_suit_a_node_are_found() {
    let of = |node: Node, constraints| {
        let mut builder = ShapeBuilder::default();
        let node = builder.add(node);
        let root = builder.constrain(node, constraints);
        builder.finish(root).invalid_constraint()
    };
    assert_eq!(
        of(Node::Str, Constraints::new().min(1)),
        Some(InvalidConstraint::Unsuitable { keyword: "min", kind: "text" })
    );
    assert_eq!(of(Node::Str, Constraints::new().length(1..)), None);
    let mut builder = ShapeBuilder::default();
    let money = Money::node(&mut builder);
    let root = builder.constrain(money, Constraints::new().max(9));
    assert_eq!(builder.finish(root).invalid_constraint(), Some(InvalidConstraint::Repeated));
}
