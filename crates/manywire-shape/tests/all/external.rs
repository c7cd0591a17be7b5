//! Shapes of the types of other crates, which are behind features.

use bytes::{Bytes, BytesMut};
use manywire_shape::{Shape, Shaped};
use uuid::Uuid;

#[track_caller]
fn check<T: Shaped>(binary: &str, readable: &str) {
    assert_eq!(Shape::of::<T>().to_string().trim_end(), binary);
    assert_eq!(Shape::of_readable::<T>().to_string().trim_end(), readable);
}

/// Returns the JSON type of a value, as an outline.
fn json(value: &impl serde::Serialize) -> &'static str {
    match serde_json::to_value(value).expect("these values are JSON") {
        serde_json::Value::String(_) => "str",
        serde_json::Value::Number(_) => "number",
        serde_json::Value::Array(_) => "array",
        _ => "other",
    }
}

#[test]
fn uuid_is_bytes_in_binary_formats() {
    check::<Uuid>("bytes", "str");
    check::<uuid::fmt::Simple>("str", "str");
    assert_eq!(json(&Uuid::nil()), "str");
}

#[test]
fn chrono_is_text() {
    check::<chrono::DateTime<chrono::Utc>>("str", "str");
    check::<chrono::NaiveDate>("str", "str");
    check::<chrono::TimeDelta>("(i64, i32)", "(i64, i32)");
    assert_eq!(json(&chrono::DateTime::UNIX_EPOCH), "str");
    assert_eq!(json(&chrono::TimeDelta::zero()), "array");
}

#[test]
fn time_is_numbers_without_its_human_readable_feature() {
    check::<time::Date>("(i32, u16)", "(i32, u16)");
    check::<time::OffsetDateTime>(
        "(i32, u16, u8, u8, u8, u32, i8, i8, i8)",
        "(i32, u16, u8, u8, u8, u32, i8, i8, i8)",
    );
    check::<time::Weekday>("u8", "u8");
    assert_eq!(json(&time::Date::MIN), "array");
}

#[test]
fn bytes_url_and_serde_json_have_shapes() {
    check::<url::Url>("str", "str");
    check::<Bytes>("bytes", "bytes");
    check::<BytesMut>("bytes", "bytes");
    check::<serde_bytes::ByteBuf>("bytes", "bytes");
    check::<&serde_bytes::Bytes>("bytes", "bytes");
    check::<serde_json::Value>("any", "any");
    check::<serde_json::Map<String, serde_json::Value>>("{str: any}", "{str: any}");
    check::<serde_json::Number>("i128 | f64", "i128 | f64");
}

#[test]
fn serde_bytes_types_are_bytes() {
    #[derive(Shaped)]
    #[expect(dead_code, reason = "only its shape is wanted")]
    struct Blob {
        #[serde(with = "serde_bytes")]
        bytes: serde_bytes::ByteBuf,
    }
    assert_eq!(Shape::of::<Blob>().to_string(), "Blob {\n  bytes: bytes\n}\n");
}
