// Written by `manywire shape`. Crates: serde (with derive), manywire-shape.

use std::collections::BTreeMap;

use manywire_shape::Shaped;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
pub struct Root {
    #[serde(rename = "")]
    #[shaped(number = 1)]
    pub field: i64,
    #[serde(rename = "odd key")]
    #[shaped(number = 2)]
    pub odd_key: i64,
    #[shaped(number = 3)]
    pub class: i64,
    #[serde(rename = "Class")]
    #[shaped(number = 4)]
    pub class_2: i64,
    #[serde(rename = "CLASS")]
    #[shaped(number = 5)]
    pub class_3: i64,
    #[serde(rename = "self")]
    #[shaped(number = 6)]
    pub self_: i64,
    #[serde(rename = "Self")]
    #[shaped(number = 7)]
    pub self_2: String,
    #[shaped(number = 8)]
    pub r#type: String,
    #[shaped(number = 9)]
    pub import: bool,
    #[shaped(number = 10)]
    pub int: i64,
    #[shaped(number = 11)]
    pub list: Vec<String>,
    #[serde(rename = "naïve")]
    #[shaped(number = 12)]
    pub na_ve: i64,
    #[serde(rename = "名前")]
    #[shaped(number = 13)]
    pub field_2: String,
    #[serde(rename = "имя")]
    #[shaped(number = 14)]
    pub field_3: String,
    #[serde(rename = "a-b")]
    #[shaped(number = 15)]
    pub a_b: i64,
    #[serde(rename = "a_b")]
    #[shaped(number = 16)]
    pub a_b_2: i64,
    #[serde(rename = "aB")]
    #[shaped(number = 17)]
    pub a_b_3: i64,
    #[serde(rename = "1st")]
    #[shaped(number = 18)]
    pub n1st: i64,
    #[serde(rename = "quote\"")]
    #[shaped(number = 19)]
    pub quote: i64,
    #[serde(rename = "back\\slash")]
    #[shaped(number = 20)]
    pub back_slash: i64,
    #[serde(rename = "it's")]
    #[shaped(number = 21)]
    pub it_s: i64,
    #[serde(rename = "comma,")]
    #[shaped(number = 22)]
    pub comma: i64,
    #[serde(rename = "`tick`")]
    #[shaped(number = 23)]
    pub tick: i64,
    #[serde(rename = "xml:lang")]
    #[shaped(number = 24)]
    pub xml_lang: String,
    #[serde(rename = "tab\t")]
    #[shaped(number = 25)]
    pub tab: i64,
    #[serde(rename = "line\nfeed")]
    #[shaped(number = 26)]
    pub line_feed: i64,
    #[serde(rename = "emoji😀")]
    #[shaped(number = 27)]
    pub emoji: i64,
    #[serde(rename = "rtl\u{202e}")]
    #[shaped(number = 28)]
    pub rtl: i64,
    #[serde(rename = "\\u0022")]
    #[shaped(number = 29)]
    pub u0022: i64,
    #[serde(rename = "$ref")]
    #[shaped(number = 30)]
    pub r#ref: String,
    #[serde(rename = "-")]
    #[shaped(number = 31)]
    pub field_4: i64,
    #[serde(rename = "_")]
    #[shaped(number = 32)]
    pub field_5: i64,
    #[serde(rename = "__proto__")]
    #[shaped(number = 33)]
    pub proto: i64,
    #[shaped(number = 34)]
    pub constructor: i64,
    #[serde(rename = "hashCode")]
    #[shaped(number = 35)]
    pub hash_code: i64,
    #[serde(rename = "toString")]
    #[shaped(number = 36)]
    pub to_string: String,
    #[serde(rename = "*/")]
    #[shaped(number = 37)]
    pub field_6: String,
    #[serde(rename = "userId")]
    #[shaped(number = 38)]
    pub user_id: i64,
    #[shaped(number = 39)]
    pub http_url: String,
    #[shaped(number = 53)]
    pub nothing: (),
    #[shaped(number = 40, encoding = "fixed")]
    pub unsigned: u64,
    #[shaped(number = 41, encoding = "zigzag")]
    pub least: i64,
    #[shaped(number = 42)]
    pub mixed: Vec<Option<RootMixedItem>>,
    #[shaped(number = 43)]
    pub numbers: Vec<f64>,
    #[shaped(number = 44)]
    pub empty: Vec<()>,
    #[serde(rename = "emptyObject")]
    #[shaped(number = 45)]
    pub empty_object: EmptyObject,
    #[shaped(number = 46)]
    pub matrix: Vec<Vec<i64>>,
    #[shaped(number = 47)]
    pub maybe: Vec<Maybe>,
    #[serde(rename = "byNumber")]
    #[shaped(number = 48)]
    pub by_number: BTreeMap<String, ByNumber>,
    #[serde(rename = "String")]
    #[shaped(number = 49)]
    pub string: String2,
    #[serde(rename = "Option")]
    #[shaped(number = 50)]
    pub option: Option2,
    #[shaped(number = 51)]
    pub tree: Tree,
    #[shaped(number = 52)]
    pub chain: Chain,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
pub struct Mixed {
    #[shaped(number = 1)]
    pub b: i64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
#[serde(untagged)]
pub enum RootMixedItem {
    Bool(bool),
    Text(String),
    List(Vec<i64>),
    Float(f64),
    Mixed(Mixed),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
pub struct EmptyObject {
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
pub struct Maybe {
    #[shaped(number = 1)]
    pub x: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[shaped(number = 2)]
    pub y: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
pub struct ByNumber {
    #[shaped(number = 1)]
    pub n: i64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
pub struct String2 {
    #[serde(rename = "Object")]
    #[shaped(number = 1)]
    pub object: Object,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
pub struct Option2 {
    #[serde(rename = "Vec")]
    #[shaped(number = 1)]
    pub vec: Vec2,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
pub struct Tree {
    #[shaped(number = 1)]
    pub name: String,
    #[shaped(number = 2)]
    pub children: Vec<Tree>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
pub struct Chain {
    #[shaped(number = 1)]
    pub value: i64,
    #[shaped(number = 2)]
    pub next: Option<Box<Chain>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
pub struct Object {
    #[serde(rename = "List")]
    #[shaped(number = 1)]
    pub list: List,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
pub struct Vec2 {
    #[serde(rename = "Box")]
    #[shaped(number = 1)]
    pub r#box: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
pub struct List {
    #[serde(rename = "Map")]
    #[shaped(number = 1)]
    pub map: i64,
}
