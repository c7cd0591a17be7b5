//! A type with one field of every type of Protocol Buffers and Avro, and its plans.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use manywire_codec::{avro, protobuf};
use manywire_shape::{Shape, Shaped};
use serde::{Deserialize, Serialize};

/// A type with one field of every type of Protocol Buffers and Avro. `agree_protobuf` uses the
/// names of the first four numbers.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Shaped)]
#[serde(default)]
pub(crate) struct Everything {
    int64: i64,
    uint32: u32,
    #[shaped(encoding = "zigzag")]
    sint64: i64,
    truth: bool,
    #[shaped(encoding = "fixed")]
    fixed32: u32,
    #[shaped(encoding = "fixed")]
    fixed64: u64,
    single: f32,
    double: f64,
    text: String,
    #[serde(with = "serde_bytes")]
    bytes: Vec<u8>,
    small: i8,
    list: Vec<u32>,
    words: Vec<String>,
    doubles: Vec<f64>,
    map: BTreeMap<String, i64>,
    by_number: BTreeMap<u32, Point>,
    point: Option<Point>,
    points: Vec<Point>,
    nested: Vec<Vec<i32>>,
    kind: Kind,
    action: Action,
    child: Option<Box<Everything>>,
    maybe: Option<u64>,
    letter: char,
    pair: (u8, String),
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, Shaped)]
pub(crate) struct Point {
    x: f64,
    y: f64,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, Shaped)]
pub(crate) enum Kind {
    #[default]
    Plain,
    Odd,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, Shaped)]
pub(crate) enum Action {
    #[default]
    Wait,
    Say(String),
    Move {
        x: i32,
        y: Option<i32>,
    },
    Both(i64, bool),
}

/// Returns the plan of [`Everything`] in Protocol Buffers.
pub(crate) fn everything_plan() -> &'static protobuf::Plan {
    static PLAN: LazyLock<protobuf::Plan> = LazyLock::new(|| {
        protobuf::Plan::from_shape(&Shape::of::<Everything>()).expect("a plan of a fixed type")
    });
    &PLAN
}

/// Returns the plan of [`Everything`] in Avro.
pub(crate) fn everything_avro_plan() -> &'static avro::Plan {
    static PLAN: LazyLock<avro::Plan> = LazyLock::new(|| {
        avro::Plan::from_shape(&Shape::of::<Everything>()).expect("a plan of a fixed type")
    });
    &PLAN
}
