//! Integers beyond 64 bits in values of any kind, which serde_json passes on as doubles.

use std::collections::BTreeMap;

use manywire_codec::{Category, Limits, erased, json, read_value};
use manywire_format::Format;
use manywire_shape::{Arena, OwnedValue, Value, ValueSeed};
use serde::Deserialize;

const BELOW_I64: &str = "-9223372036854775809";
const ABOVE_U64: &str = "18446744073709551616";
const ABOVE_I128: &str = "170141183460469231731687303715884105728";
const BEYOND_128: &str = "-100000000000000000000000000000000000000000000000001";

fn number(text: &str) -> OwnedValue {
    OwnedValue::Number(text.to_owned())
}

#[test]
fn keep_their_digits() {
    for text in [BELOW_I64, ABOVE_U64, ABOVE_I128, BEYOND_128] {
        let read: OwnedValue = json::from_slice(text.as_bytes()).expect(text);
        assert_eq!(read, number(text));

        let list = format!(r#"{{"a":[0,1e300,{text},"{text}"],"{text}":{{"b": {text} }}}}"#);
        let read: OwnedValue = json::from_slice(list.as_bytes()).expect(text);
        let arena = Arena::new();
        let dynamic = json::read_value(list.as_bytes(), &arena, Limits::DEFAULT).expect(text);
        assert_eq!(read, OwnedValue::from(dynamic));

        let mut seed = ValueSeed::new(&arena);
        let seeded = json::from_slice_seed(&mut seed, list.as_bytes(), Limits::DEFAULT);
        assert_eq!(seeded.expect(text), dynamic);
        let read: OwnedValue = erased::read(std::marker::PhantomData, |seed| {
            json::from_slice_seed(seed, list.as_bytes(), Limits::DEFAULT)
        })
        .expect(text);
        assert_eq!(read, OwnedValue::from(dynamic));
    }
}

#[test]
fn are_read_after_deep_values() {
    let deep = format!("{}{ABOVE_U64}{}", "[".repeat(200), "]".repeat(200));
    let limits = Limits::DEFAULT.with_depth(300);
    let mut read: OwnedValue = json::from_slice_with(deep.as_bytes(), limits).expect("300 levels");
    while let OwnedValue::Array(mut items) = read {
        read = items.pop().expect("one item");
    }
    assert_eq!(read, number(ABOVE_U64));
}

#[test]
fn are_written_as_they_were_read_or_refused() {
    for text in [BELOW_I64, ABOVE_U64, ABOVE_I128] {
        let read: OwnedValue = json::from_slice(text.as_bytes()).expect(text);
        assert_eq!(json::to_vec(&read).expect(text), text.as_bytes());
    }
    let list = OwnedValue::from([("a", OwnedValue::from(vec![number(BEYOND_128)]))]);
    let error = json::to_vec(&list).expect_err("more than 128 bits");
    assert_eq!(error.path_text(), "$.a[0]");
    assert!(error.message().contains(BEYOND_128), "{error}");
}

/// Serde's buffer keeps the double, by which the digits are found.
#[test]
fn keep_their_digits_in_buffers() {
    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(untagged)]
    enum Either {
        Text(String),
        Any(OwnedValue),
    }
    #[derive(Debug, PartialEq, Deserialize)]
    struct Open {
        id: u32,
        either: Either,
        #[serde(flatten)]
        rest: BTreeMap<String, OwnedValue>,
    }
    let text = format!(r#"{{"x":{BELOW_I64},"either":{ABOVE_U64},"id":1,"y":2.5,"z":1e19}}"#);
    let open: Open = json::from_slice(text.as_bytes()).expect("an open record");
    assert_eq!((open.id, open.either), (1, Either::Any(number(ABOVE_U64))));
    let rest = [("x", number(BELOW_I64)), ("y", 2.5.into()), ("z", 1e19.into())];
    assert_eq!(open.rest, rest.map(|(key, value)| (key.to_owned(), value)).into());
}

/// Both numbers have the same nearest double, so the double identifies neither.
#[test]
fn are_refused_beside_a_number_with_the_same_double() {
    let cases = [
        (r#"{"a":[1,18446744073709551617],"b":18446744073709551618}"#, "$.a[1]"),
        (r#"{"a":1.8446744073709552e19,"b":18446744073709551616}"#, "$.a"),
        (r#"{"a":100000000000000000000,"b":1e20}"#, "$.a"),
    ];
    for (text, path) in cases {
        let error = json::from_slice::<OwnedValue>(text.as_bytes()).expect_err(text);
        assert_eq!((error.path_text().as_str(), error.category()), (path, Category::Data));
        assert!(error.message().contains("read a `Value` by `json::read_value`"), "{error}");
    }
    let error = json::from_slice::<OwnedValue>(cases[0].0.as_bytes()).expect_err("one double");
    assert_eq!(
        error.message(),
        "cannot tell the integer 18446744073709551617 from the number 18446744073709551618 in the \
         same text: beyond 64 bits, serde_json passes on only the nearest double, \
         1.8446744073709552e19; read a `Value` by `json::read_value`, or write the integer as a \
         string"
    );
    // The same integer twice is one number, and so are numbers that fit 64 bits or are floats.
    let text = format!("[{ABOVE_U64},{ABOVE_U64},18446744073709551615,9223372036854775808,-1e19]");
    let read: OwnedValue = json::from_slice(text.as_bytes()).expect("no conflict");
    let (above, max) = (number(ABOVE_U64), OwnedValue::U64(u64::MAX));
    let items = vec![above.clone(), above, max, OwnedValue::U64(1 << 63), OwnedValue::F64(-1e19)];
    assert_eq!(read, OwnedValue::from(items));
}

/// Other types receive the double, as from serde_json.
#[test]
fn are_doubles_for_floats_and_foreign_values() {
    #[derive(Debug, Deserialize)]
    struct Mixed {
        float: f64,
        foreign: serde_json::Value,
        any: OwnedValue,
        wide: u128,
    }
    let text = format!(
        r#"{{"float":{ABOVE_U64},"foreign":{ABOVE_U64},"any":{ABOVE_U64},"wide":{ABOVE_U64}}}"#
    );
    let mixed: Mixed = json::from_slice(text.as_bytes()).expect("four types");
    assert_eq!((mixed.float, mixed.wide), (18_446_744_073_709_551_616.0, 1 << 64));
    let foreign: serde_json::Value = serde_json::from_str(ABOVE_U64).expect("a double");
    assert_eq!((mixed.foreign, mixed.any), (foreign, number(ABOVE_U64)));
    // Without our codec, there is no text to look up.
    let read: OwnedValue = serde_json::from_str(ABOVE_U64).expect("a double");
    assert_eq!(read, OwnedValue::F64(18_446_744_073_709_551_616.0));
}

/// A failed or nested reader leaves no texts behind.
#[test]
fn do_not_outlast_their_document() {
    struct Nested(OwnedValue);

    impl<'de> Deserialize<'de> for Nested {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let text = String::deserialize(deserializer)?;
            json::from_slice(text.as_bytes()).map(Nested).map_err(serde::de::Error::custom)
        }
    }

    // The float of the nested document is not the integer of the outer one, nor the other way round.
    let text =
        format!(r#"["1.8446744073709552e19",{ABOVE_U64},"{BELOW_I64}",-9.223372036854776e18]"#);
    let (nested, integer, inner, float): (Nested, OwnedValue, Nested, OwnedValue) =
        json::from_slice(text.as_bytes()).expect("nested documents");
    assert_eq!((nested.0, integer), (1.844_674_407_370_955_2e19.into(), number(ABOVE_U64)));
    assert_eq!((inner.0, float), (number(BELOW_I64), (-9.223_372_036_854_776e18).into()));

    json::from_slice::<(OwnedValue, bool)>(format!("[{ABOVE_U64},1]").as_bytes()).expect_err("1");
    let read: OwnedValue = serde_json::from_str(ABOVE_U64).expect("a double");
    assert_eq!(read, OwnedValue::F64(18_446_744_073_709_551_616.0));
    let arena = Arena::new();
    let value = read_value(Format::Json, b"1.8446744073709552e19", &arena, Limits::DEFAULT);
    assert_eq!(value.expect("a float"), Value::F64(18_446_744_073_709_551_616.0));
}
