//! Structs: their fields, defaults and numbers.

use std::marker::PhantomData;

use manywire_shape::{Shape, ShapeBuilder, Shaped};
use serde::{Deserialize, Serialize};

use super::check;

#[test]
fn a_record_has_its_fields_in_order() {
    /// A place to sleep.
    ///
    /// With rooms.
    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(rename_all = "camelCase")]
    struct Hotel {
        /// The key in the booking system.
        hotel_code: String,
        #[serde(rename = "UTC", alias = "offset", alias = "minutes")]
        minutes_offset_utc: i16,
        #[serde(rename(serialize = "out", deserialize = "in"))]
        direction: char,
        stars: Option<u8>,
        #[serde(default)]
        rating: f32,
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
        #[serde(skip)]
        cache: PhantomData<fn()>,
        #[serde(skip_serializing)]
        password: String,
        #[serde(skip_deserializing)]
        computed: u64,
        rooms: Vec<Room>,
    }
    #[derive(Serialize, Deserialize, Shaped)]
    struct Room {
        id: u32,
        #[serde(rename = "two words")]
        r#type: bool,
    }
    check::<Hotel>(
        r#"
        /// A place to sleep.
        ///
        /// With rooms.
        Hotel {
          /// The key in the booking system.
          hotelCode: str
          UTC: i16 or "minutes" or "offset"
          out: char or "in"
          stars: u8?
          rating: f32 = default
          note?: str?
          password?: str
          computed: u64 = default
          rooms: [Room]
        }

        Room {
          id: u32
          "two words": bool
        }
        "#,
    );
}

#[test]
fn a_container_may_default_every_field() {
    #[derive(Default, Serialize, Deserialize, Shaped)]
    #[serde(default, rename = "Conf", deny_unknown_fields)]
    struct Settings {
        depth: usize,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tags: Vec<String>,
    }
    check::<Settings>(
        "
        Conf {
          depth: u64 = default
          tags?: [str]
        }
        ",
    );
}

#[test]
fn an_embedded_shape_denies_unknown_fields() {
    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(deny_unknown_fields)]
    struct Strict {
        depth: usize,
    }
    #[derive(Serialize, Deserialize, Shaped)]
    struct Lenient {
        depth: usize,
    }
    for (shape, denies) in [(Shape::of::<Strict>(), true), (Shape::of::<Lenient>(), false)] {
        let mut builder = ShapeBuilder::default();
        let root = builder.embed(&shape);
        let embedded = builder.finish(root);
        assert_eq!(embedded.denies_unknown_fields(), denies);
        assert_eq!(embedded, shape);
    }
}

#[test]
fn shaped_sets_numbers_and_encodings() {
    #[derive(Serialize, Deserialize, Shaped)]
    struct Numbered {
        #[shaped(number = 7, encoding = "zigzag")]
        delta: i64,
        #[shaped(encoding = "fixed")]
        hashes: Vec<Option<u32>>,
        #[shaped(encoding = "varint", number = 536_870_911)]
        plain: i32,
    }
    #[derive(Serialize, Deserialize, Shaped)]
    enum Choice {
        #[shaped(number = 3)]
        First,
        #[shaped(number = 1)]
        Second(#[shaped(encoding = "zigzag")] i32),
    }
    check::<(Numbered, Choice)>(
        "
        (Numbered, Choice)

        Numbered {
          delta: i64 zigzag #7
          hashes: [u32 fixed?]
          plain: i32 #536870911
        }

        Choice = {
          First #3
          Second(i32 zigzag) #1
        }
        ",
    );
}

#[test]
fn a_struct_may_have_its_name_as_a_tag() {
    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(tag = "type", rename = "user")]
    struct User {
        id: u64,
    }
    check::<User>(
        "
        user {
          type: str = default
          id: u64
        }
        ",
    );
}
