//! Round trips of every self-describing format: each value that it can represent is read back
//! unchanged, and each other value is rejected, never changed.

use std::cell::Cell;

use crate::support::any_value::{
    above_i64, any_of, beyond_64_bits, beyond_128_bits, bytes, common, ext, not_finite, single,
    text, timestamp, tree, with_single,
};
use manywire_codec::{Category, Error, Limits, Result, bson, cbor, json, msgpack};
use manywire_shape::{Arena, OwnedValue, Space, Value, ValueSeed};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// A format's functions, and the values that it represents.
struct Row {
    format: &'static str,
    write: fn(&Value<'_>) -> Result<Vec<u8>>,
    /// The second argument is the written value: some formats need the type of the top-level value.
    read: for<'a> fn(&'a [u8], &Value<'_>, &'a Arena) -> Result<Value<'a>>,
    /// The value that a 32-bit float is read back as.
    single: fn(f32) -> OwnedValue,
    /// True if a scalar is allowed at the top level.
    scalar_at_top: bool,
    leaf: fn() -> BoxedStrategy<OwnedValue>,
    key: fn() -> BoxedStrategy<OwnedValue>,
}

const ROWS: &[Row] = &[
    Row {
        format: "json",
        write: |value| {
            let mut out = Vec::new();
            json::write_value(value, &mut out)?;
            Ok(out)
        },
        read: |bytes, _, arena| json::read_value(bytes, arena, Limits::DEFAULT),
        // The shortest text, which may be nearer to another double. Of two equally short and near
        // texts, serde_json's writer chooses the same as ours.
        single: |value| {
            let text = serde_json::to_string(&value).expect("a number is written");
            OwnedValue::F64(text.parse().expect("a number"))
        },
        scalar_at_top: true,
        leaf: || any_of(vec![common(), above_i64(), beyond_64_bits()]),
        key: text,
    },
    Row {
        format: "msgpack",
        write: |value| msgpack::to_vec(value),
        read: |bytes, _, arena| {
            msgpack::from_slice_seed(
                &mut ValueSeed::new(arena),
                bytes,
                msgpack::ExtraItems::Skipped,
                Limits::DEFAULT,
            )
        },
        single: OwnedValue::F32,
        scalar_at_top: true,
        leaf: msgpack_leaf,
        key: msgpack_leaf,
    },
    Row {
        format: "cbor",
        write: |value| cbor::to_vec(value),
        read: |bytes, _, arena| {
            cbor::from_slice_seed(&mut ValueSeed::new(arena), bytes, Limits::DEFAULT)
        },
        single: OwnedValue::F32,
        scalar_at_top: true,
        leaf: cbor_leaf,
        key: cbor_leaf,
    },
    Row {
        format: "bson",
        write: |value| bson::to_vec(value),
        read: |bytes, written, arena| {
            let top = match written {
                Value::Array(_) => bson::TopLevel::Array,
                _ => bson::TopLevel::Document,
            };
            bson::from_slice_seed(&mut ValueSeed::new(arena), bytes, top, Limits::DEFAULT)
        },
        single: |value| OwnedValue::F64(value.into()),
        scalar_at_top: false,
        leaf: bson_leaf,
        key: || "[^\0]{0,20}".prop_map(OwnedValue::Str).boxed(),
    },
];

pub(crate) fn msgpack_leaf() -> BoxedStrategy<OwnedValue> {
    any_of(vec![
        common(),
        above_i64(),
        not_finite(),
        single(),
        bytes(),
        timestamp(-9_000_000_000..99_000_000_000, 1),
        // The type -1 is the timestamp.
        ext(
            Space::MessagePack,
            prop_oneof![0..128_u64, (-128..-1_i64).prop_map(|n| n as u64)],
            bytes(),
        ),
    ])
}

fn cbor_leaf() -> BoxedStrategy<OwnedValue> {
    let scalar = any_of(vec![
        common(),
        above_i64(),
        beyond_64_bits(),
        decimal_fraction(),
        not_finite(),
        single(),
        bytes(),
        timestamp(i64::MIN..i64::MAX, 1),
        timestamp(i64::MIN..i64::MAX, 1_000_000_000),
        ext(
            Space::CborSimple,
            prop_oneof![0..20_u64, Just(23), 32..256_u64],
            Just(OwnedValue::Null),
        ),
    ]);
    let tagged = ext(Space::CborTag, unclaimed_tag(), tree(scalar.clone(), scalar.clone()));
    any_of(vec![scalar.clone(), scalar, tagged])
}

/// Generates CBOR tags that represent no other type of value.
fn unclaimed_tag() -> BoxedStrategy<u64> {
    prop_oneof![Just(0_u64), 5..1_001_u64, 1_002..70_000_u64, 1_u64 << 32..].boxed()
}

/// Generates numbers with a fraction or an exponent, in the form of the scientific string.
fn decimal_fraction() -> BoxedStrategy<OwnedValue> {
    prop_oneof![
        "-?[1-9][0-9]{0,30}\\.[0-9]{1,30}",
        "-?0\\.0{0,5}[1-9][0-9]{0,30}",
        "-?[1-9](\\.[0-9]{1,30})?e(-[1-9][0-9]|[3-9][0-9])[0-9]{0,9}",
    ]
    .prop_map(OwnedValue::Number)
    .boxed()
}

fn bson_leaf() -> BoxedStrategy<OwnedValue> {
    let exactly =
        |count| prop::collection::vec(any::<u8>(), count).prop_map(OwnedValue::Bytes).boxed();
    let pair = |first: BoxedStrategy<OwnedValue>, second: BoxedStrategy<OwnedValue>| {
        (first, second).prop_map(|(first, second)| OwnedValue::Array(vec![first, second])).boxed()
    };
    let own = |code: u64, content: BoxedStrategy<OwnedValue>| ext(Space::Bson, Just(code), content);
    let str_of = |pattern: &'static str| pattern.prop_map(OwnedValue::Str).boxed();
    let null = Just(OwnedValue::Null).boxed();
    let scope =
        prop::collection::vec((str_of("[a-z]{0,9}"), common()), 0..4).prop_map(OwnedValue::Map);
    any_of(vec![
        common(),
        not_finite(),
        bytes(),
        timestamp(i64::MIN / 1_000..i64::MAX / 1_000, 1_000_000),
        own(0x05, pair((1..256).prop_map(OwnedValue::I32).boxed(), bytes())),
        own(0x06, null.clone()),
        own(0x07, exactly(12)),
        // Options are sorted when written.
        own(0x0B, pair(str_of("[^\0]{0,9}"), str_of("i?l?m?s?u?x?"))),
        own(0x0C, pair(text(), exactly(12))),
        own(0x0D, text()),
        own(0x0E, text()),
        own(0x0F, pair(text(), scope.boxed())),
        own(0x11, any::<u64>().prop_map(OwnedValue::U64).boxed()),
        own(0x13, exactly(16)),
        own(0x7F, null.clone()),
        own(0xFF, null),
    ])
}

/// Generates values that at least one format represents.
fn any_leaf() -> BoxedStrategy<OwnedValue> {
    any_of(vec![
        msgpack_leaf(),
        bson_leaf(),
        // MessagePack writes those within 128 bits as bytes, like its typed i128 and u128.
        beyond_128_bits(),
        ext(Space::CborTag, unclaimed_tag(), common()),
        ext(Space::CborSimple, 32..256_u64, Just(OwnedValue::Null)),
    ])
}

fn round_trip(row: &Row, owned: OwnedValue) -> std::result::Result<Option<Error>, TestCaseError> {
    let (here, there) = (Arena::new(), Arena::new());
    let value = owned.borrowed(&here);
    let written = match (row.write)(&value) {
        Ok(written) => written,
        Err(error) => return Ok(Some(error)),
    };
    let expected = with_single(owned.clone(), row.single);
    match (row.read)(&written, &value, &there) {
        Ok(read) => {
            let expected = expected.borrowed(&here);
            prop_assert_eq!(read, expected, "{}: {:02x?}", row.format, written);
        }
        Err(error) => prop_assert!(false, "{}: {} in {:02x?}", row.format, error, written),
    }
    Ok(None)
}

/// Failures are shrunk and printed. Persisting them in a file would depend on the location of this
/// one.
fn config() -> ProptestConfig {
    ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() }
}

#[test]
fn round_trips_supported_values() {
    for row in ROWS {
        let mut values = tree((row.leaf)(), (row.key)());
        if !row.scalar_at_top {
            values = values
                .prop_map(|value| match value {
                    OwnedValue::Array(_) | OwnedValue::Map(_) => value,
                    scalar => OwnedValue::Array(vec![scalar]),
                })
                .boxed();
        }
        TestRunner::new(config())
            .run(&values, |value| {
                let refused = round_trip(row, value)?;
                prop_assert!(refused.is_none(), "{}: refused: {:?}", row.format, refused);
                Ok(())
            })
            .unwrap_or_else(|error| panic!("{}: {error}", row.format));
    }
}

#[test]
fn rejects_unsupported_values() {
    for row in ROWS {
        let refused = Cell::new(0);
        TestRunner::new(config())
            .run(&tree(any_leaf(), any_leaf()), |value| {
                if let Some(error) = round_trip(row, value)? {
                    prop_assert_eq!(error.category(), Category::Unsupported, "{}", error);
                    prop_assert_eq!(error.format().map(|format| format.name()), Some(row.format));
                    refused.set(refused.get() + 1);
                }
                Ok(())
            })
            .unwrap_or_else(|error| panic!("{}: {error}", row.format));
        let refused = refused.get();
        assert!(
            refused > 100,
            "{}: refused only {refused} of what it mostly cannot hold",
            row.format
        );
    }
}
