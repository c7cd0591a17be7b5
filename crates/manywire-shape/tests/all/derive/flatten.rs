//! Fields that are flattened into the enclosing record.

use std::collections::HashMap;

use manywire_shape::Shaped;
use serde::{Deserialize, Serialize};

use super::check;

#[test]
fn flatten_adds_fields_to_the_enclosing_record() {
    #[derive(Serialize, Deserialize, Shaped)]
    struct Page {
        before: u8,
        #[serde(flatten)]
        paging: Paging,
        #[serde(flatten)]
        more: Option<Extra>,
        #[serde(flatten)]
        external: Shape1,
        #[serde(flatten)]
        internal: Internal,
        #[serde(flatten)]
        adjacent: Adjacent,
        #[serde(flatten)]
        rest: HashMap<String, String>,
    }
    #[derive(Serialize, Deserialize, Shaped)]
    struct Paging {
        /// From 0.
        offset: u64,
        #[serde(default)]
        limit: u64,
    }
    #[derive(Serialize, Deserialize, Shaped)]
    struct Extra {
        note: String,
        #[serde(flatten)]
        deeper: HashMap<String, bool>,
    }
    #[derive(Serialize, Deserialize, Shaped)]
    enum Shape1 {
        Nothing,
        Circle(f64),
        Square { side: f64 },
    }
    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(tag = "kind")]
    enum Internal {
        One { x: u8 },
        Two { x: u16, y: bool },
    }
    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(tag = "t", content = "c")]
    enum Adjacent {
        Text(String),
        Number(i32),
        None,
    }
    check::<Page>(
        "
        Page {
          before: u8
          /// From 0.
          offset: u64
          limit: u64 = default
          note?: str
          Nothing?: null
          Circle?: f64
          Square?: Square
          kind: str
          x?: u16
          y?: bool
          t: str
          c?: str | i32
          ..: bool | str
        }

        Square {
          side: f64
        }
        ",
    );
}
