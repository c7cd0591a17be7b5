//! Hostile CBOR input.

use std::collections::HashMap;

use manywire_codec::cbor::{self, Deserializer};
use manywire_codec::{Category, Error, Limits, Result};
use manywire_format::Format;
use manywire_shape::{Arena, Value, ValueSeed};
use proptest::prelude::*;
use serde::Deserialize;
use serde::de::IgnoredAny;

#[derive(Debug, Deserialize)]
#[allow(dead_code)]
struct Record {
    id: u64,
    name: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    variant: Option<Variant>,
}

#[derive(Debug, Deserialize)]
#[allow(dead_code)]
enum Variant {
    Unit,
    Pair(i8, f64),
    Deep(Box<Variant>),
    Fields { bytes: Vec<u8> },
}

#[derive(Debug, Deserialize)]
#[allow(dead_code)]
struct Nested(Vec<Nested>);

fn dynamic(bytes: &[u8], limits: Limits) -> Result<()> {
    cbor::from_slice_seed(&mut ValueSeed::new(&Arena::new()), bytes, limits).map(drop)
}

fn every_way(bytes: &[u8]) -> Vec<(&'static str, Result<()>)> {
    vec![
        ("value", dynamic(bytes, Limits::DEFAULT)),
        ("ignored", cbor::from_slice::<IgnoredAny>(bytes).map(drop)),
        ("record", cbor::from_slice::<Record>(bytes).map(drop)),
        ("variant", cbor::from_slice::<Variant>(bytes).map(drop)),
        ("nested", cbor::from_slice::<Nested>(bytes).map(drop)),
        ("map", cbor::from_slice::<HashMap<String, i64>>(bytes).map(drop)),
        ("texts", cbor::from_slice::<Vec<String>>(bytes).map(drop)),
        ("bytes", cbor::from_slice::<Vec<u8>>(bytes).map(drop)),
        ("wide", cbor::from_slice::<u128>(bytes).map(drop)),
        ("float", cbor::from_slice::<f64>(bytes).map(drop)),
    ]
}

#[track_caller]
fn placed(error: &Error, bytes: &[u8]) {
    assert_eq!(error.format(), Some(Format::Cbor), "{error}");
    assert!(error.offset().is_some_and(|offset| offset <= bytes.len()), "{error}");
}

#[test]
fn rejects_false_lengths_at_once() {
    for head in [
        "5affffffff",
        "7affffffff",
        "9affffffff",
        "baffffffff",
        "5bffffffffffffffff",
        "7bffffffffffffffff",
        "9bffffffffffffffff",
        "bbffffffffffffffff",
        "9b8000000000000000",
        "bb8000000000000001",
        "c25affffffff",
        "5f5affffffff",
        "9f9affffffff",
    ] {
        let bytes: Vec<u8> = (0..head.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&head[at..at + 2], 16).unwrap())
            .collect();
        for (way, result) in every_way(&bytes) {
            let error = result.expect_err(way);
            placed(&error, &bytes);
            assert!(
                matches!(error.category(), Category::Eof | Category::Data),
                "{head}, {way}: {error}"
            );
        }
        let error = cbor::from_slice::<IgnoredAny>(&bytes).unwrap_err();
        assert_eq!(error.category(), Category::Eof, "{head}: {error}");
    }
}

#[test]
fn rejects_a_hundred_thousand_levels() {
    let deep = [
        ("arrays", vec![0x81], vec![]),
        ("arrays without a length", vec![0x9f], vec![]),
        ("maps", vec![0xa1, 0x00], vec![]),
        ("maps as keys", vec![0xa1], vec![]),
        ("maps without a length", vec![0xbf, 0x00], vec![]),
        ("tags", vec![0xc0], vec![]),
        ("variants", b"\xa1\x64Deep".to_vec(), vec![]),
        ("in an unknown field", vec![0x81], b"\xa1\x61x".to_vec()),
        ("tags in an unknown field", vec![0xc0], b"\xa1\x61x".to_vec()),
    ];
    for (what, level, before) in deep {
        let mut bytes = before;
        bytes.extend(level.repeat(100_000));
        for (way, result) in every_way(&bytes) {
            let error = result.expect_err(way);
            placed(&error, &bytes);
            let asked_for = matches!(way, "value" | "ignored");
            assert!(!asked_for || error.category() == Category::Limit, "{what}, {way}: {error}");
        }
    }
    let mut bytes = vec![0x81; 100_000];
    bytes.push(0);
    let error = cbor::from_slice::<Nested>(&bytes).unwrap_err();
    assert_eq!(error.category(), Category::Limit);
    assert_eq!(
        (error.message(), error.offset()),
        ("nested deeper than the limit of 128", Some(129))
    );
}

/// The limit is the same whether a value is read, skipped, or typed.
#[test]
fn depth_counts_containers_and_tags() {
    // Without optimisation, 1,000 levels take more than the stack of a test.
    let thread = std::thread::Builder::new().stack_size(32 << 20);
    let checked = thread.spawn(check_depths).expect("a thread");
    checked.join().expect("no panic");
}

fn check_depths() {
    let nested = |depth: usize| {
        let mut bytes = vec![0x81; depth - 1];
        bytes.push(0x80);
        bytes
    };
    let tagged = |depth: usize| {
        let mut bytes = vec![0xc5; depth];
        bytes.push(0x00);
        bytes
    };
    for depth in [1, 2, 5, 128, 129, 1_000] {
        let limits = Limits::DEFAULT.with_depth(depth);
        let ignored = |bytes: &[u8]| {
            Deserializer::new(bytes).with_limits(limits).read::<IgnoredAny>().map(drop)
        };
        let typed =
            |bytes: &[u8]| Deserializer::new(bytes).with_limits(limits).read::<Nested>().map(drop);
        let number =
            |bytes: &[u8]| Deserializer::new(bytes).with_limits(limits).read::<u8>().map(drop);
        dynamic(&nested(depth), limits).unwrap();
        ignored(&nested(depth)).unwrap();
        typed(&nested(depth)).unwrap();
        dynamic(&tagged(depth), limits).unwrap();
        ignored(&tagged(depth)).unwrap();
        number(&tagged(depth)).unwrap();
        for result in [
            dynamic(&nested(depth + 1), limits),
            ignored(&nested(depth + 1)),
            typed(&nested(depth + 1)),
            dynamic(&tagged(depth + 1), limits),
            ignored(&tagged(depth + 1)),
            number(&tagged(depth + 1)),
        ] {
            assert_eq!(result.unwrap_err().category(), Category::Limit, "{depth}");
        }
    }
}

#[test]
fn rejects_numbers_longer_than_the_limit() {
    let bignum = |length: u16| {
        let [high, low] = length.to_be_bytes();
        let mut bytes = vec![0xc2, 0x59, high, low];
        bytes.resize(4 + usize::from(length), 0xff);
        bytes
    };
    let arena = Arena::new();
    let longest = bignum(512);
    let value = cbor::from_slice_seed(&mut ValueSeed::new(&arena), &longest, Limits::DEFAULT);
    let value = value.unwrap();
    let Value::Number(digits) = value else { panic!("{value:?}") };
    assert_eq!(digits.len(), 1_234);
    assert_eq!(cbor::to_vec(&value).unwrap(), longest);

    let too_long = bignum(513);
    let error = dynamic(&too_long, Limits::DEFAULT).unwrap_err();
    assert_eq!(error.category(), Category::Limit);
    assert_eq!(error.message(), "a bignum longer than the limit of 512 bytes");
    placed(&error, &too_long);
    for digits in [1_234, 1_235, 1_000_000] {
        let error = cbor::to_vec(&Value::Number(&"9".repeat(digits))).unwrap_err();
        assert_eq!(error.category(), Category::Limit, "{digits}");
    }
}

#[test]
fn every_prefix_is_an_early_end() {
    let arena = Arena::new();
    let document = [
        &b"\xa7\x00\x82\x01\x3a\x00\x01\x00\x00\x61b\x5f\x41a\x42bc\xff\xf9\x3c\x00\xbf\x61d\x9f"[..],
        b"\x7f\x63abc\xff\xff\xff\xc1\x1a\x51\x4b\x67\xb0\xd9\x03\xe9\xa2\x01\x05\x28\x07\xf5",
        b"\xf8\xff\xf6\xc4\x82\x21\xc2\x49\x01\x00\x00\x00\x00\x00\x00\x00\x00",
        b"\xfb\x3f\xf8\x00\x00\x00\x00\x00\x00\xfa\x3f\xc0\x00\x00",
    ]
    .concat();
    cbor::from_slice_seed(&mut ValueSeed::new(&arena), &document, Limits::DEFAULT).unwrap();
    cbor::from_slice::<IgnoredAny>(&document).unwrap();
    for end in 0..document.len() {
        let prefix = &document[..end];
        for error in [
            dynamic(prefix, Limits::DEFAULT).unwrap_err(),
            cbor::from_slice::<IgnoredAny>(prefix).map(drop).unwrap_err(),
        ] {
            assert_eq!(error.category(), Category::Eof, "{end}: {error}");
            placed(&error, prefix);
        }
    }
}

/// Generates bytes that are CBOR more often than random bytes.
fn likely() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![
        4 => any::<u8>(),
        2 => prop::sample::select(vec![
            0x00, 0x20, 0x40, 0x41, 0x5f, 0x60, 0x61, 0x7f, 0x80, 0x81, 0x82, 0x9f, 0xa0, 0xa1,
            0xbf, 0xc1, 0xc2, 0xc4, 0xd9, 0xf6, 0xf7, 0xf9, 0xff,
        ]),
    ];
    prop::collection::vec(byte, 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 4_000,
        failure_persistence: None,
        ..Default::default()
    })]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in likely()) {
        for (_, result) in every_way(&bytes) {
            if let Err(error) = result {
                placed(&error, &bytes);
            }
        }
        // A value that can be read can be skipped. Bytes that can be skipped are well formed; only
        // invalid UTF-8 or a bignum can make them unreadable.
        let arena = Arena::new();
        let read = cbor::from_slice_seed(&mut ValueSeed::new(&arena), &bytes, Limits::DEFAULT);
        let skipped = cbor::from_slice::<IgnoredAny>(&bytes);
        match (&read, &skipped) {
            (Ok(value), Ok(_)) => {
                let written = cbor::to_vec(value).unwrap();
                let again =
                    cbor::from_slice_seed(&mut ValueSeed::new(&arena), &written, Limits::DEFAULT);
                prop_assert_eq!(&again.unwrap(), value);
            }
            (Err(_), Err(_)) => {}
            (Err(error), Ok(_)) => {
                prop_assert_eq!(error.message(), "a string that is not UTF-8");
            }
            (Ok(_), Err(error)) => prop_assert!(false, "read but not skipped: {}", error),
        }
    }
}
