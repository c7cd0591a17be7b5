//! The forms in which typed values are written and read.

use std::collections::BTreeMap;
use std::fmt::Debug;

use manywire_codec::cbor::{self, Deserializer, Options, Serializer};
use manywire_codec::{Category, Limits};
use manywire_format::Format;
use manywire_shape::{Arena, Ext, Space, Timestamp, Value, ValueSeed};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u32> = hex.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A value is written as these bytes, and they are read as the value.
#[track_caller]
fn both_ways<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: T, expected: &str) {
    let expected = expected.replace(' ', "");
    assert_eq!(hex(&cbor::to_vec(&value).unwrap()), expected);
    assert_eq!(cbor::from_slice::<T>(&bytes(&expected)).unwrap(), value);
}

#[track_caller]
fn reads<T: DeserializeOwned + PartialEq + Debug>(input: &str, value: T) {
    assert_eq!(cbor::from_slice::<T>(&bytes(input)).unwrap(), value, "{input}");
}

#[track_caller]
fn refuses<T: DeserializeOwned + Debug>(input: &str, category: Category, text: &str) {
    let error = cbor::from_slice::<T>(&bytes(input)).unwrap_err();
    assert_eq!(error.to_string(), text, "{input}");
    assert_eq!((error.category(), error.format()), (category, Some(Format::Cbor)), "{input}");
}

#[test]
fn integers_take_the_shortest_form() {
    both_ways(23u8, "17");
    both_ways(24u64, "1818");
    both_ways(255i64, "18ff");
    both_ways(256u16, "190100");
    both_ways(65_536u32, "1a00010000");
    both_ways(u64::from(u32::MAX) + 1, "1b0000000100000000");
    both_ways(u64::MAX, "1bffffffffffffffff");
    both_ways(-1i8, "20");
    both_ways(-24i64, "37");
    both_ways(-25i64, "3818");
    both_ways(i64::MIN, "3b7fffffffffffffff");
    both_ways(i128::from(i64::MIN) - 1, "3b8000000000000000");
    both_ways(-(1i128 << 64), "3bffffffffffffffff");
    both_ways(-(1i128 << 64) - 1, "c349010000000000000000");
    both_ways(1u128 << 64, "c249010000000000000000");
    both_ways(u128::MAX, "c250ffffffffffffffffffffffffffffffff");
    both_ways(i128::MIN, "c3507fffffffffffffffffffffffffffffff");
}

#[test]
fn integers_are_read_in_any_form_and_checked() {
    reads("1b0000000000000005", 5u8);
    reads("c24105", 5u8);
    reads("c243000005", 5u8);
    reads("c25f4101420203ff", 0x01_02_03_u32);
    reads("c34104", -5i8);
    reads("d9d9f7 05", 5u8);
    refuses::<u8>("190100", Category::Data, "invalid value: integer `256`, expected u8 (byte 0)");
    refuses::<u8>("20", Category::Data, "invalid value: integer `-1`, expected u8 (byte 0)");
    refuses::<u64>(
        "c249010000000000000000",
        Category::Data,
        "invalid type: integer `18446744073709551616` as i128, expected u64 (byte 0)",
    );
    refuses::<i128>(
        "c25100ffffffffffffffffffffffffffffffff",
        Category::Data,
        "invalid value: u128, expected i128 (byte 0)",
    );
    refuses::<u128>(
        "c25101ffffffffffffffffffffffffffffffff",
        Category::Data,
        "invalid value: integer `680564733841876926926749214863536422911`, expected u128 (byte 0)",
    );
    refuses::<u8>(
        "c482 20 0f",
        Category::Data,
        "invalid type: decimal fraction `1.5`, expected u8 (byte 0)",
    );
    refuses::<u8>("6161", Category::Data, "invalid type: string \"a\", expected u8 (byte 0)");
}

#[test]
fn floats_keep_their_width_unless_told_otherwise() {
    both_ways(1.5f32, "fa3fc00000");
    both_ways(1.5f64, "fb3ff8000000000000");
    let shortest = |value: f64| {
        let mut out = Vec::new();
        let options = Options::default().with_shortest_floats(true);
        Serializer::new(&mut out).with_options(options).write(&value).unwrap();
        hex(&out)
    };
    assert_eq!(shortest(1.5), "f93e00");
    assert_eq!(shortest(65_504.0), "f97bff");
    assert_eq!(shortest(65_520.0), "fa477ff000");
    assert_eq!(shortest(2f64.powi(-24)), "f90001");
    assert_eq!(shortest(2f64.powi(-25)), "fa33000000");
    assert_eq!(shortest(-0.0), "f98000");
    assert_eq!(shortest(0.1), "fb3fb999999999999a");
    assert_eq!(shortest(f64::from_bits(0x7ff8_0000_0000_0001)), "fb7ff8000000000001");
    assert_eq!(shortest(f64::from_bits(0x7ff0_0000_2000_0000)), "fa7f800001");
    assert_eq!(shortest(f64::NEG_INFINITY), "f9fc00");
}

#[test]
fn every_half_float_is_read_and_written_back() {
    for bits in 0..=u16::MAX {
        let [high, low] = bits.to_be_bytes();
        let input = [0xf9, high, low];
        let single: f32 = cbor::from_slice(&input).unwrap();
        // Appendix D of RFC 8949.
        let (exponent, mantissa) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
        let magnitude = match exponent {
            0 => mantissa * 2f64.powi(-24),
            31 if mantissa == 0.0 => f64::INFINITY,
            31 => f64::NAN,
            _ => (mantissa + 1024.0) * 2f64.powi(exponent - 25),
        };
        let expected = if bits >> 15 == 1 { -magnitude } else { magnitude };
        assert!(
            f64::from(single) == expected || single.is_nan() && expected.is_nan(),
            "{bits:04x}"
        );
        assert_eq!(single.is_sign_negative(), bits >> 15 == 1, "{bits:04x}");
        let mut out = Vec::new();
        let options = Options::default().with_shortest_floats(true);
        Serializer::new(&mut out).with_options(options).write(&single).unwrap();
        assert_eq!(out, input);
    }
}

#[test]
fn numbers_are_read_as_floats() {
    reads("05", 5.0f64);
    reads("24", -5.0f32);
    reads("f93e00", 1.5f64);
    reads("fa3fc00000", 1.5f64);
    reads("fb3ff8000000000000", 1.5f32);
    reads("3bffffffffffffffff", -18_446_744_073_709_551_616.0f64);
    reads("c249010000000000000000", 18_446_744_073_709_551_616.0f64);
    reads("c48221196ab3", 273.15f64);
    refuses::<f64>(
        "c482 19018f 01",
        Category::Data,
        "invalid value: number `1e399`, expected f64 (byte 0)",
    );
    refuses::<f64>("f5", Category::Data, "invalid type: boolean `true`, expected f64 (byte 0)");
}

#[test]
fn text_and_bytes_are_lent_or_put_together() {
    let input = bytes("6161");
    assert_eq!(cbor::from_slice::<&str>(&input).unwrap(), "a");
    let input = bytes("4161");
    assert_eq!(cbor::from_slice::<&[u8]>(&input).unwrap(), b"a");
    reads("7f61616162ff", "ab".to_owned());
    reads("7fff", String::new());
    reads("63e6b0b4", '\u{6c34}');
    reads("4403020100", vec![3u8, 2, 1, 0]);
    reads("5f420302420100ff", vec![3u8, 2, 1, 0]);
    reads("5f420302420100ff", serde_bytes::ByteBuf::from(vec![3u8, 2, 1, 0]));
    reads("d8404403020100", vec![3u8, 2, 1, 0]);
    reads("820102", serde_bytes::ByteBuf::from(vec![1, 2]));
    both_ways(String::from_utf8(vec![b'a'; 24]).unwrap(), &format!("7818{}", "61".repeat(24)));
    // The two bytes of one character are in two chunks.
    refuses::<String>("7f61c361bcff", Category::Syntax, "a string that is not UTF-8 (byte 2)");
    refuses::<String>("626180", Category::Syntax, "a string that is not UTF-8 (byte 2)");
}

#[test]
fn displayed_text_has_the_right_length_at_every_size() {
    struct Displayed(usize);
    impl Serialize for Displayed {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_str(&format_args!("{:>width$}", "x", width = self.0))
        }
    }
    for length in [1, 2, 23, 24, 25, 255, 256, 257, 65_535] {
        let written = cbor::to_vec(&(1, Displayed(length), 2)).unwrap();
        let expected = cbor::to_vec(&(1, format!("{:>length$}", "x"), 2)).unwrap();
        assert_eq!(written, expected, "{length}");
    }
}

#[test]
fn nothing_is_null_or_undefined() {
    both_ways((), "f6");
    both_ways(None::<u8>, "f6");
    both_ways(Some(5u8), "05");
    reads("f7", ());
    reads("f7", None::<u8>);
    reads("d9d9f7f6", None::<u8>);
    reads("c005", Some(5u8));
    reads("82f7f6", (None::<u8>, ()));
    refuses::<()>("00", Category::Data, "invalid type: integer `0`, expected unit (byte 0)");
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Shape {
    Unit,
    Newtype(u8),
    Tuple(u8, bool),
    Struct { x: u8 },
}

#[test]
fn variants_are_names_or_maps_of_one_entry() {
    both_ways(Shape::Unit, "64 556e6974");
    both_ways(Shape::Newtype(5), "a1 674e657774797065 05");
    both_ways(Shape::Tuple(5, true), "a1 655475706c65 82 05 f5");
    both_ways(Shape::Struct { x: 5 }, "a1 66537472756374 a1 6178 05");
    reads("bf 674e657774797065 05 ff", Shape::Newtype(5));
    reads("d81b bf 66537472756374 bf 6178 05 ffff", Shape::Struct { x: 5 });
    reads("a1 64556e6974 f6", Shape::Unit);
    reads("7f 62556e 626974 ff", Shape::Unit);
    refuses::<Shape>(
        "674e657774797065",
        Category::Data,
        "invalid type: unit variant, expected newtype variant (byte 0)",
    );
    refuses::<Shape>(
        "a2 64556e6974 f6 64556e6974 f6",
        Category::Data,
        "expected a map of one entry, the variant, found 2 (byte 1)",
    );
    refuses::<Shape>(
        "a1 655475706c65 82 05 06",
        Category::Data,
        "invalid type: integer `6`, expected a boolean, at $.Tuple[1] (byte 9)",
    );
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t")]
enum Internal {
    A { x: u8 },
    B,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    A(u8, String),
    B,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Number(i64),
    Time(Timestamp),
    Text(String),
    Pair(u8, f64),
}

#[test]
fn other_enum_forms_go_through_serde() {
    both_ways(Internal::A { x: 5 }, "a2 6174 6141 6178 05");
    both_ways(Internal::B, "a1 6174 6142");
    both_ways(Adjacent::A(5, "a".into()), "a2 6174 6141 6163 82 05 6161");
    both_ways(Adjacent::B, "a1 6174 6142");
    both_ways(Untagged::Number(-5), "24");
    both_ways(Untagged::Text("a".into()), "6161");
    both_ways(Untagged::Pair(5, 1.5), "82 05 fb3ff8000000000000");
    both_ways(Untagged::Time(Timestamp::new(5, 0).unwrap()), "c105");
    both_ways(Untagged::Time(Timestamp::new(5, 7).unwrap()), "d903e9 a2 01 05 28 07");
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Outer {
    id: u8,
    #[serde(flatten)]
    inner: Inner,
    #[serde(flatten)]
    rest: BTreeMap<String, i64>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Inner {
    name: String,
}

#[test]
fn flattened_structs_are_maps_without_a_length() {
    let value = Outer {
        id: 5,
        inner: Inner { name: "a".into() },
        rest: BTreeMap::from([("z".into(), -1)]),
    };
    both_ways(value, "bf 626964 05 646e616d65 6161 617a 20 ff");
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Header {
    #[serde(rename = "1")]
    algorithm: i8,
    #[serde(rename = "-2")]
    x: bool,
}

#[test]
fn integer_keys_name_fields_and_are_kept_in_maps() {
    reads("a2 01 26 21 f5", Header { algorithm: -7, x: true });
    reads("a2 6131 26 622d32 f5", Header { algorithm: -7, x: true });
    // The key 0 is not the first field.
    refuses::<Header>("a2 00 26 21 f5", Category::Data, "missing field `1` (byte 0)");
    both_ways(BTreeMap::from([(-1i8, 5u8), (300i16 as i8, 6)]), "a2 20 05 182c 06");
    both_ways(BTreeMap::from([((1u8, true), 5u8)]), "a1 82 01 f5 05");
}

#[test]
fn unknown_fields_are_skipped_whatever_they_hold() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct One {
        id: u8,
    }
    for unknown in [
        "00",
        "3903e7",
        "43010203",
        "5f41014102ff",
        "7f6161ff",
        "83010203",
        "9f01820203ff",
        "a1 01 a1 02 9fff",
        "bf 01 bfff 02 c3 43010203 ff",
        "d9d9f7 c1 fb41d452d9ec200000",
        "f6",
        "f7",
        "f0",
        "f8ff",
        "f93c00",
        "fa47c35000",
    ] {
        reads(&format!("a3 6161 {unknown} 626964 05 19012c {unknown}"), One { id: 5 });
        reads(&format!("bf 6161 {unknown} 626964 05 7f6162ff {unknown} ff"), One { id: 5 });
    }
}

#[test]
fn typed_values_look_through_tags() {
    reads("d820 6161", "a".to_owned());
    reads("c2 d820 f5", true);
    reads("d9d9f7 82 c0 01 c0 02", vec![1u8, 2]);
    reads("d9d9f7 a2 c0 6131 d8ff 26 c0 622d32 f5", Header { algorithm: -7, x: true });
    reads("d9d9f7 a1 c0 6161 c0 01", BTreeMap::from([("a".to_owned(), 1u8)]));
    reads("c1 1a514b67b0", 1_363_896_240u64);
    reads("c1 1a514b67b0", Timestamp::new(1_363_896_240, 0).unwrap());
    reads("d903e9 a2 01 05 22 07", Timestamp::new(5, 7_000_000).unwrap());
    reads("d903e9 a2 25 07 01 05", Timestamp::new(5, 7_000).unwrap());
    refuses::<Timestamp>(
        "05",
        Category::Data,
        "expected a tag or a simple value, found an integer (byte 0)",
    );
}

fn value<'a>(arena: &'a Arena, input: &str) -> Value<'a> {
    let input = arena.alloc_slice_copy(&bytes(input));
    cbor::from_slice_seed(&mut ValueSeed::new(arena), input, Limits::DEFAULT).unwrap()
}

#[test]
fn tags_that_do_not_hold_what_they_call_for_are_kept() {
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
fn numbers_have_one_text() {
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
fn what_has_no_place_is_refused_with_its_path_and_leaves_nothing_behind() {
    let arena = Arena::new();
    let ext = |space, code, content| Value::Ext(arena.alloc(Ext { space, code, content }));
    let cases = [
        (
            ext(Space::MessagePack, 5, Value::Bytes(b"a")),
            "CBOR has no place for the MessagePack extension 5, at $.k[1][\"a b\"]",
        ),
        (
            ext(Space::Bson, 7, Value::Bytes(b"a")),
            "CBOR has no place for the BSON extension 7, at $.k[1][\"a b\"]",
        ),
        (
            ext(Space::CborSimple, 24, Value::Null),
            "there is no simple value 24: they are 0 to 23 and 32 to 255, at $.k[1][\"a b\"]",
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

#[test]
fn a_serialize_that_miscounts_is_refused() {
    struct Miscounts;
    impl Serialize for Miscounts {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            use serde::ser::SerializeSeq;
            let mut items = serializer.serialize_seq(Some(3))?;
            items.serialize_element(&1)?;
            items.end()
        }
    }
    let error = cbor::to_vec(&Miscounts).unwrap_err();
    assert_eq!(error.to_string(), "a value that says it has 3 items, but writes 1");
}

#[test]
fn sequences_are_written_and_read_value_by_value() {
    let mut out = Vec::new();
    let mut ser = Serializer::new(&mut out);
    ser.write(&1u8).unwrap();
    ser.write("a").unwrap();
    ser.write(&[true]).unwrap();
    assert_eq!(hex(&out), "01616181f5");
    let mut de = Deserializer::new(&out);
    assert_eq!((de.offset(), de.remaining()), (0, 5));
    assert_eq!(de.read::<u8>().unwrap(), 1);
    assert_eq!((de.offset(), de.remaining()), (1, 4));
    assert!(de.finish().is_err());
    de.read::<IgnoredAny>().unwrap();
    assert_eq!(de.read::<Vec<bool>>().unwrap(), [true]);
    assert_eq!((de.offset(), de.remaining()), (5, 0));
    de.finish().unwrap();
    let error = de.read::<u8>().unwrap_err();
    assert_eq!(error.to_string(), "the bytes end here, expected a value (byte 5)");
    assert_eq!(error.category(), Category::Eof);
}

#[test]
fn errors_say_where() {
    #[derive(Debug, Deserialize)]
    #[allow(dead_code)]
    struct Place {
        rooms: Vec<BTreeMap<i32, u8>>,
    }
    refuses::<Place>(
        "a1 65726f6f6d73 82 a1 01 02 a1 03 19ffff",
        Category::Data,
        "invalid value: integer `65535`, expected u8, at $.rooms[1].3 (byte 13)",
    );
    refuses::<Place>(
        "a1 65726f6f6d73 82 a1 01 02 a1 6161 02",
        Category::Data,
        "invalid type: string \"a\", expected i32, at $.rooms[1] (byte 12)",
    );
    refuses::<Place>(
        "bf 65726f6f6d73 9f bf 01 02 19",
        Category::Eof,
        "the bytes end here, expected a number of 2 bytes, at $.rooms[0] (byte 12)",
    );
    refuses::<(u8, u8)>("83 01 02 03", Category::Data, "1 more than expected (byte 3)");
    refuses::<(u8, u8)>("9f 01 02 03 ff", Category::Data, "more items than expected (byte 3)");
    reads("9f 01 02 ff", (1u8, 2u8));
}
