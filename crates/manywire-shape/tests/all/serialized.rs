//! Shapes as data: they come back unchanged, and a shape that refers to a missing node is refused.

use std::collections::BTreeMap;

use manywire_shape::{Shape, Shaped};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Shaped)]
struct Order {
    /// Counted from 1.
    number: u64,
    #[serde(alias = "sum", default)]
    total: Option<f64>,
    lines: Vec<(String, i16)>,
    state: State,
    parents: Vec<Order>,
    #[serde(flatten)]
    rest: BTreeMap<String, bool>,
}

#[derive(Serialize, Deserialize, Shaped)]
#[serde(tag = "kind", content = "of")]
enum State {
    Open,
    Paid(u8),
    Sent { by: String },
}

#[test]
fn shapes_come_back_unchanged() {
    for shape in [Shape::of::<Order>(), Shape::of::<State>(), Shape::any()] {
        let text = serde_json::to_string(&shape).unwrap();
        let returned: Shape = serde_json::from_str(&text).unwrap();
        assert_eq!(returned, shape, "{text}");
    }
}

#[test]
fn missing_nodes_are_refused() {
    for text in [
        r#"{"nodes":["Null"],"root":1}"#,
        r#"{"nodes":[],"root":0}"#,
        r#"{"nodes":[{"Option":4294967295}],"root":0}"#,
        r#"{"nodes":[{"Map":{"key":0,"value":3}}],"root":0}"#,
    ] {
        let error = serde_json::from_str::<Shape>(text).unwrap_err().to_string();
        assert!(error.contains("invalid shape: node "), "{text}: {error}");
    }
}
