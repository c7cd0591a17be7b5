//! Enums and how they are tagged.

use std::collections::BTreeMap;

use manywire_shape::Shaped;
use serde::{Deserialize, Serialize};

use super::check;

#[test]
fn enums_keep_their_tagging() {
    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(rename_all = "snake_case", rename_all_fields = "UPPERCASE")]
    enum External {
        UnitCase,
        Newtype(u8),
        Tuple(u8, String),
        /// With fields.
        Struct {
            a: i8,
            #[serde(default)]
            b: bool,
        },
        #[serde(alias = "old")]
        Empty {},
        EmptyTuple(),
        #[serde(skip)]
        Skipped,
    }
    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(tag = "type")]
    enum Internal {
        Unit,
        Newtype(Inner),
        Struct {
            x: f64,
        },
        #[serde(other)]
        Unknown,
    }
    #[derive(Serialize, Deserialize, Shaped)]
    struct Inner {
        y: f64,
    }
    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(tag = "t", content = "c")]
    enum Adjacent {
        Unit,
        Pair(i32, i32),
    }
    check::<(External, Internal, Adjacent)>(
        r#"
        (External, Internal, Adjacent)

        External = {
          unit_case
          newtype(u8)
          tuple(u8, str)
          /// With fields.
          struct {
            A: i8
            B: bool = default
          }
          empty {
          } or "old"
          empty_tuple()
        }

        Internal = "type" {
          Unit
          Newtype(Inner)
          Struct {
            x: f64
          }
          Unknown
        }

        Inner {
          y: f64
        }

        Adjacent = "t" / "c" {
          Unit
          Pair(i32, i32)
        }
        "#,
    );
}

#[test]
fn untagged_enums_are_unions_by_kind() {
    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(untagged)]
    enum Json {
        Null,
        Bool(bool),
        Int(i64),
        Small(u8),
        Float(f64),
        Text(String),
        List(Vec<Json>),
        Object(BTreeMap<String, Json>),
    }
    #[derive(Serialize, Deserialize, Shaped)]
    struct Holder {
        json: Json,
    }
    check::<Holder>(
        "
        Holder {
          json: (bool | i64 | f64 | str | […] | {str: …})?
        }
        ",
    );

    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(untagged)]
    enum Records {
        First { id: u32, a: String },
        Second { id: i64, b: bool },
        Third(Inner),
    }
    #[derive(Serialize, Deserialize, Shaped)]
    struct Inner {
        c: f32,
    }
    check::<Records>(
        "
        First {
          id?: i64
          a?: str
          b?: bool
          c?: f32
        }
        ",
    );

    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(untagged)]
    enum Lists {
        Pair(u8, u8),
        Other(i8, String),
        Many(Vec<bool>),
        Word(char),
        Words(String),
        Wide(u64),
        Signed(i64),
    }
    check::<Lists>("[i16 | str | bool] | str | i128");

    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(untagged)]
    enum Pairs {
        Left(u8, String),
        Right(u16, bool),
    }
    check::<Pairs>("(u16, str | bool)");
}

#[test]
fn untagged_beside_tagged_variants() {
    #[derive(Serialize, Deserialize, Shaped)]
    enum Known {
        Red,
        Rgb(u8, u8, u8),
        #[serde(untagged)]
        Code(i32),
    }
    check::<Known>(
        "
        Known | i32

        Known = {
          Red
          Rgb(u8, u8, u8)
        }
        ",
    );

    // A unit variant is also text, and another a map, so the enum is merged.
    #[derive(Serialize, Deserialize, Shaped)]
    enum Open {
        Red,
        Rgb(u8, u8, u8),
        #[serde(untagged)]
        Name(String),
        #[serde(untagged)]
        Other {
            hue: f32,
        },
    }
    check::<Open>(
        "
        str | Other

        Other {
          Rgb?: (u8, u8, u8)
          hue?: f32
        }
        ",
    );
}
