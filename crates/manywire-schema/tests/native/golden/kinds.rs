// Written by `manywire shape`. Crates: serde (with derive), serde_json, manywire-shape.

use std::collections::BTreeMap;

use manywire_shape::Shaped;
use serde::{Deserialize, Serialize};

/// Of every kind one. */ // """ \u002a
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
pub struct Kinds {
    pub small: u8,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sizes: Option<Vec<u8>>,
    pub letter: char,
    pub color: Color,
    pub pair: (String, i64),
    pub square: [f64; 4],
    pub one: Option<KindsOne>,
    pub any: serde_json::Value,
    pub external: Vec<External>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<Whole>,
    pub internal: Vec<Internal>,
    pub adjacent: Vec<Adjacent>,
    #[serde(rename = "byNumber")]
    pub by_number: BTreeMap<i64, String>,
    #[serde(rename = "byColor")]
    pub by_color: BTreeMap<Color, bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nested: Option<KindsNestedItem>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<Open>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<Tree>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Shaped)]
pub enum Color {
    #[serde(rename = "red")]
    Red,
    #[serde(rename = "dark green")]
    DarkGreen,
    #[serde(rename = "")]
    Empty,
    #[serde(rename = "class")]
    Class,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
#[serde(untagged)]
pub enum KindsOne {
    Text(String),
    Int(i64),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
pub enum External {
    #[serde(rename = "none")]
    None,
    #[serde(rename = "circle")]
    Circle(Circle),
    #[serde(rename = "a box")]
    ABox(Box2),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
pub enum Whole {
    #[serde(rename = "circle")]
    Circle(Circle),
    #[serde(rename = "number")]
    Number(i64),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
#[serde(tag = "kind")]
pub enum Internal {
    #[serde(rename = "circle")]
    Circle(Circle2),
    #[serde(rename = "a box")]
    ABox(ABox),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
#[serde(tag = "t", content = "c")]
pub enum Adjacent {
    #[serde(rename = "circle")]
    Circle(Circle),
    #[serde(rename = "text")]
    Text(String),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
#[serde(transparent)]
pub struct KindsNestedItem(pub Vec<KindsNestedItem>);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
pub struct Open {
    pub id: i64,
    /// Every other key.
    #[serde(flatten)]
    pub rest: BTreeMap<String, String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
pub struct Tree {
    pub left: Option<Box<Tree>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub right: Option<Box<Tree>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
pub struct Circle {
    pub radius: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
pub struct Box2 {
    pub width: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
pub struct Circle2 {
    pub radius: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
pub struct ABox {
    pub width: f64,
}
