//! Enums.

use std::fmt::Debug;

use manywire_codec::Category;
use manywire_shape::Timestamp;
use serde::{Deserialize, Serialize};

use super::{reads, rejects, round_trips};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Shape {
    Unit,
    Newtype(u8),
    Tuple(u8, bool),
    Struct { x: u8 },
}

#[test]
fn variants_are_names_or_maps_of_one_entry() {
    round_trips(Shape::Unit, "64 556e6974");
    round_trips(Shape::Newtype(5), "a1 674e657774797065 05");
    round_trips(Shape::Tuple(5, true), "a1 655475706c65 82 05 f5");
    round_trips(Shape::Struct { x: 5 }, "a1 66537472756374 a1 6178 05");
    reads("bf 674e657774797065 05 ff", Shape::Newtype(5));
    reads("d81b bf 66537472756374 bf 6178 05 ffff", Shape::Struct { x: 5 });
    reads("a1 64556e6974 f6", Shape::Unit);
    reads("7f 62556e 626974 ff", Shape::Unit);
    rejects::<Shape>(
        "674e657774797065",
        Category::Data,
        "invalid type: unit variant, expected newtype variant (byte 0)",
    );
    rejects::<Shape>(
        "a2 64556e6974 f6 64556e6974 f6",
        Category::Data,
        "expected a map of one entry, the variant, found 2 (byte 1)",
    );
    rejects::<Shape>(
        "a1 655475706c65 82 05 06",
        Category::Data,
        "invalid type: integer `6`, expected a boolean, at $.Tuple[1] (byte 9)",
    );
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t")]
enum Internal {
    A { x: u8 },
    B,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    A(u8, String),
    B,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Number(i64),
    Time(Timestamp),
    Text(String),
    Pair(u8, f64),
}

#[test]
fn round_trips_other_enum_taggings() {
    round_trips(Internal::A { x: 5 }, "a2 6174 6141 6178 05");
    round_trips(Internal::B, "a1 6174 6142");
    round_trips(Adjacent::A(5, "a".into()), "a2 6174 6141 6163 82 05 6161");
    round_trips(Adjacent::B, "a1 6174 6142");
    round_trips(Untagged::Number(-5), "24");
    round_trips(Untagged::Text("a".into()), "6161");
    round_trips(Untagged::Pair(5, 1.5), "82 05 fb3ff8000000000000");
    round_trips(Untagged::Time(Timestamp::new(5, 0).unwrap()), "c105");
    round_trips(Untagged::Time(Timestamp::new(5, 7).unwrap()), "d903e9 a2 01 05 28 07");
}
