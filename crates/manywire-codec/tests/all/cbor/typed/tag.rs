//! Tags, and the values that are written with them.

use std::collections::BTreeMap;

use manywire_codec::{Category, Limits, cbor};
use manywire_format::Format;
use manywire_shape::{Arena, Ext, Space, Timestamp, Value, ValueSeed};

use super::record::Header;
use super::{bytes, hex, reads, rejects};

#[test]
fn typed_values_ignore_tags() {
    reads("d820 6161", "a".to_owned());
    reads("c2 d820 f5", true);
    reads("d9d9f7 82 c0 01 c0 02", vec![1u8, 2]);
    reads("d9d9f7 a2 c0 6131 d8ff 26 c0 622d32 f5", Header { algorithm: -7, x: true });
    reads("d9d9f7 a1 c0 6161 c0 01", BTreeMap::from([("a".to_owned(), 1u8)]));
    reads("c1 1a514b67b0", 1_363_896_240u64);
    reads("c1 1a514b67b0", Timestamp::new(1_363_896_240, 0).unwrap());
    reads("d903e9 a2 01 05 22 07", Timestamp::new(5, 7_000_000).unwrap());
    reads("d903e9 a2 25 07 01 05", Timestamp::new(5, 7_000).unwrap());
    rejects::<Timestamp>(
        "05",
        Category::Data,
        "expected a tag or a simple value, found an integer (byte 0)",
    );
}

pub(super) fn value<'a>(arena: &'a Arena, input: &str) -> Value<'a> {
    let input = arena.alloc_slice_copy(&bytes(input));
    cbor::from_slice_seed(&mut ValueSeed::new(arena), input, Limits::DEFAULT).unwrap()
}

#[test]
fn keeps_tags_with_other_content() {
    let arena = Arena::new();
    for (input, code) in [
        ("c1 fb41d452d9ec200000", 1),
        ("c1 1bffffffffffffffff", 1),
        ("c2 6161", 2),
        ("c3 05", 3),
        ("c4 81 01", 4),
        ("c4 83 01 02 03", 4),
        ("c4 82 fa3f800000 01", 4),
        ("c4 82 1bffffffffffffffff 01", 4),
        ("d903e9 a1 28 01", 1001),
        ("d903e9 a2 01 05 28 1a3b9aca00", 1001),
        ("d903e9 a2 01 05 01 06", 1001),
        ("d903e9 05", 1001),
    ] {
        let read = value(&arena, input);
        assert!(
            matches!(read, Value::Ext(Ext { space: Space::CborTag, code: found, .. }) if *found == code),
            "{input}: {read:?}"
        );
        assert_eq!(hex(&cbor::to_vec(&read).unwrap()), input.replace(' ', ""));
    }
}

#[test]
fn numbers_have_one_canonical_text() {
    let arena = Arena::new();
    for (input, text) in [
        ("c482 21 196ab3", "273.15"),
        ("c482 21 396ab2", "-273.15"),
        ("c482 26 01", "1e-7"),
        ("c482 25 01", "0.000001"),
        ("c482 00 05", "5e0"),
        ("c482 190190 01", "1e400"),
        ("c482 19018f 0f", "1.5e400"),
        ("c482 20 c249010000000000000000", "1844674407370955161.6"),
        ("c482 20 c349010000000000000000", "-1844674407370955161.7"),
        ("c482 3b7fffffffffffffff 01", "1e-9223372036854775808"),
        ("c482 21 00", "0.00"),
        ("3bffffffffffffffff", "-18446744073709551616"),
    ] {
        assert_eq!(value(&arena, input), Value::Number(text), "{input}");
        assert_eq!(hex(&cbor::to_vec(&Value::Number(text)).unwrap()), input.replace(' ', ""));
    }
    for (text, same) in
        [("1E+400", "1e400"), ("15.0e399", "1.50e400"), ("1.0E2", "1.0e2"), ("100.0e0", "100.0")]
    {
        let written = cbor::to_vec(&Value::Number(text)).unwrap();
        assert_eq!(value(&arena, &hex(&written)), Value::Number(same), "{text}");
    }
    for zero in ["-0", "-0.0", "-0e5"] {
        let written = cbor::to_vec(&Value::Number(zero)).unwrap();
        assert_eq!(value(&arena, &hex(&written)), Value::F64(-0.0), "{zero}");
    }
    for not_a_number in
        ["", "-", "1.", ".5", "01", "1e", "1e+", "+1", "0x1", "NaN", "1 ", "1e5.0", "1e--1"]
    {
        let error = cbor::to_vec(&Value::Number(not_a_number)).unwrap_err();
        assert_eq!(error.category(), Category::Unsupported, "{not_a_number}");
    }
    for exponent in ["1e9223372036854775808", "0.1e-9223372036854775808"] {
        let error = cbor::to_vec(&Value::Number(exponent)).unwrap_err();
        assert_eq!(error.category(), Category::Unsupported, "{exponent}");
    }
}

#[test]
fn rejects_unsupported_values_without_output() {
    let arena = Arena::new();
    let ext = |space, code, content| Value::Ext(arena.alloc(Ext { space, code, content }));
    let cases = [
        (
            ext(Space::MessagePack, 5, Value::Bytes(b"a")),
            "CBOR cannot represent the MessagePack extension 5, at $.k[1][\"a b\"]",
        ),
        (
            ext(Space::Bson, 7, Value::Bytes(b"a")),
            "CBOR cannot represent the BSON extension 7, at $.k[1][\"a b\"]",
        ),
        (
            ext(Space::CborSimple, 24, Value::Null),
            "invalid simple value 24: expected 0 to 23 or 32 to 255, at $.k[1][\"a b\"]",
        ),
    ];
    for (refused, text) in cases {
        let inner = [(Value::Str("a b"), refused)];
        let items = [Value::Null, Value::Map(&inner)];
        let mut out = b"before".to_vec();
        let error =
            cbor::encode(&BTreeMap::from([("k", Value::Array(&items))]), &mut out).unwrap_err();
        assert_eq!(error.to_string(), text);
        assert_eq!((error.category(), error.format()), (Category::Unsupported, Some(Format::Cbor)));
        assert_eq!(out, b"before");
    }
    let refused = ext(Space::Bson, 7, Value::Null);
    let entries = [(Value::I64(-3), refused)];
    let error = cbor::to_vec(&Value::Map(&entries)).unwrap_err();
    assert_eq!(error.path_text(), "$.-3");
}
