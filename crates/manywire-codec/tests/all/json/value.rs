//! Dynamic values: their JSON text, and the value of a text.

use manywire_codec::json::{self, ValueReader};
use manywire_codec::{Category, Limits};
use manywire_shape::{Arena, Ext, Space, Timestamp, Value};

const F: fn(f64) -> Value<'static> = Value::F64;
const N: fn(&'static str) -> Value<'static> = Value::Number;

#[test]
fn number_text_decides_the_type() {
    let table: &[(&str, Value<'_>, &str)] = &[
        ("0", Value::I64(0), "0"),
        ("-1", Value::I64(-1), "-1"),
        ("12345678", Value::I64(12_345_678), "12345678"),
        ("9223372036854775807", Value::I64(i64::MAX), "9223372036854775807"),
        ("9223372036854775808", Value::U64(1 << 63), "9223372036854775808"),
        ("9999999999999999999", Value::U64(9_999_999_999_999_999_999), "9999999999999999999"),
        ("18446744073709551615", Value::U64(u64::MAX), "18446744073709551615"),
        ("18446744073709551616", N("18446744073709551616"), "18446744073709551616"),
        ("-9223372036854775808", Value::I64(i64::MIN), "-9223372036854775808"),
        ("-9223372036854775809", N("-9223372036854775809"), "-9223372036854775809"),
        ("-18446744073709551615", N("-18446744073709551615"), "-18446744073709551615"),
        (
            "123456789012345678901234567890",
            N("123456789012345678901234567890"),
            "123456789012345678901234567890",
        ),
        ("-0", F(-0.0), "-0.0"),
        ("-0.0", F(-0.0), "-0.0"),
        ("0.0", F(0.0), "0.0"),
        ("-0e9", F(-0.0), "-0.0"),
        ("0e999999999999999999999", F(0.0), "0.0"),
        ("2.0", F(2.0), "2.0"),
        ("1e0", F(1.0), "1.0"),
        ("1E+2", F(100.0), "100.0"),
        ("0.1", F(0.1), "0.1"),
        ("0.30000000000000004", F(0.30000000000000004), "0.30000000000000004"),
        ("-65.613616999999977", F(-65.61361699999998), "-65.61361699999998"),
        ("1e22", F(1e22), "1e+22"),
        ("1e23", F(1e23), "1e+23"),
        ("9007199254740993.0", F(9007199254740992.0), "9007199254740992.0"),
        ("9007199254740993.00000000000000000001", F(9007199254740994.0), "9007199254740994.0"),
        ("2.2250738585072011e-308", F(2.225_073_858_507_201e-308), "2.225073858507201e-308"),
        ("5e-324", F(5e-324), "5e-324"),
        ("1e-400", F(0.0), "0.0"),
        ("1.7976931348623157e308", F(f64::MAX), "1.7976931348623157e+308"),
        ("1e400", N("1e400"), "1e400"),
        ("-1.5E+4000", N("-1.5E+4000"), "-1.5E+4000"),
        ("1.7976931348623159e308", N("1.7976931348623159e308"), "1.7976931348623159e308"),
    ];
    for (text, value, written) in table {
        let arena = Arena::new();
        let read = json::read_value(text.as_bytes(), &arena, Limits::default()).expect(text);
        assert_eq!(read, *value, "{text}");
        let mut out = Vec::new();
        json::write_value(&read, &mut out).expect(text);
        assert_eq!(str::from_utf8(&out), Ok(*written), "{text}");
    }
}

#[test]
fn writes_floats_like_serde_json() {
    for number in
        [1.0, 0.1, -0.0, 1e15, 1e16, 1e17, 1e21, 1.5e-5, 1e-7, 123456.789, 5e-324, f64::MAX]
    {
        let mut out = Vec::new();
        json::write_value(&Value::F64(number), &mut out).expect("finite");
        assert_eq!(str::from_utf8(&out).ok(), serde_json::to_string(&number).ok().as_deref());
    }
    for number in [1.0f32, 0.1, 123.34563, f32::MAX, f32::MIN_POSITIVE] {
        let mut out = Vec::new();
        json::write_value(&Value::F32(number), &mut out).expect("finite");
        assert_eq!(str::from_utf8(&out).ok(), serde_json::to_string(&number).ok().as_deref());
    }
}

#[test]
fn decodes_escapes() {
    let table = [
        (r#""""#, ""),
        (r#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"),
        (r#""\u0041\u00e9\u20AC""#, "Aé€"),
        (r#""\ud834\udd1e""#, "\u{1d11e}"),
        (r#""\uDBFF\uDFFF!""#, "\u{10ffff}!"),
        (
            r#""plain text that is longer than a block\u0000and more of it behind""#,
            "plain text that is longer than a block\0and more of it behind",
        ),
        ("\"\u{7f}\u{80}é€\u{1d11e}\u{feff}\"", "\u{7f}\u{80}é€\u{1d11e}\u{feff}"),
    ];
    for (text, meaning) in table {
        let arena = Arena::new();
        let read = json::read_value(text.as_bytes(), &arena, Limits::default()).expect(text);
        assert_eq!(read, Value::Str(meaning), "{text}");
        let mut out = Vec::new();
        json::write_value(&read, &mut out).expect(text);
        assert_eq!(str::from_utf8(&out).ok(), serde_json::to_string(meaning).ok().as_deref());
    }
}

#[test]
fn escapes_every_byte_like_serde_json() {
    for byte in 0..=0x7Fu8 {
        for place in 0..40 {
            let mut text = "x".repeat(place);
            text.push(char::from(byte));
            text.push('y');
            let mut out = Vec::new();
            json::write_value(&Value::Str(&text), &mut out).expect("a string");
            assert_eq!(out, serde_json::to_vec(&text).expect("a string"));
            let arena = Arena::new();
            let read = json::read_value(&out, &arena, Limits::default()).expect("a string");
            assert_eq!(read, Value::Str(&text));
        }
    }
}

#[test]
fn borrows_text_without_escapes() {
    let bytes = br#"{"key":"value"}"#;
    let arena = Arena::new();
    let read = json::read_value(bytes, &arena, Limits::default()).expect("a document");
    let Value::Map([(Value::Str(key), Value::Str(value))]) = read else { panic!("{read:?}") };
    assert!(bytes.as_ptr_range().contains(&key.as_ptr()));
    assert!(bytes.as_ptr_range().contains(&value.as_ptr()));
}

#[test]
fn accepts_white_space_of_any_length() {
    let arena = Arena::new();
    let compact = json::read_value(br#"{"a":[1,{},[],"b"],"c":null}"#, &arena, Limits::default());
    let compact = compact.expect("a document");
    for length in 0..40 {
        for space in [" ", "\n", "\t", "\r", " \n"] {
            let space = space.repeat(length);
            let spaced = [
                "", "{", "\"a\"", ":", "[", "1", ",", "{", "}", ",", "[", "]", ",", "\"b\"", "]",
                ",", "\"c\"", ":", "null", "}", "",
            ]
            .join(&space);
            let read = json::read_value(spaced.as_bytes(), &arena, Limits::default());
            assert_eq!(read.expect("a document"), compact);
        }
    }
}

#[test]
fn rejects_unsupported_values_with_their_path() {
    let ext = Ext { space: Space::CborTag, code: 1, content: Value::Null };
    let table: &[(Value<'_>, &str)] = &[
        (Value::Bytes(b"x"), "JSON cannot represent bytes"),
        (Value::F64(f64::NAN), "JSON cannot represent NaN or infinity"),
        (Value::F32(f32::INFINITY), "JSON cannot represent NaN or infinity"),
        (
            Value::Timestamp(Timestamp { seconds: 0, nanoseconds: 0 }),
            "JSON cannot represent timestamps",
        ),
        (Value::Ext(&ext), "JSON cannot represent extensions of other formats"),
        (Value::Number("0x10"), "\"0x10\" is not a number in JSON's grammar"),
        (Value::Number("1 "), "\"1 \" is not a number in JSON's grammar"),
        (
            Value::Map(&[(Value::I64(1), Value::Null)]),
            "a key in JSON is a string, found an integer",
        ),
    ];
    for (value, message) in table {
        let entries = [(Value::Str("a"), Value::Null), (Value::Str("b c"), *value)];
        let items = [Value::Null, Value::Array(&[]), Value::Map(&entries)];
        let mut out = b"before".to_vec();
        let error = json::write_value(&Value::Array(&items), &mut out).expect_err(message);
        assert_eq!(error.category(), Category::Unsupported);
        assert_eq!(error.to_string(), format!("{message}, at $[2][\"b c\"]"));
        assert_eq!(out, b"before");
    }
}

#[test]
fn readers_are_reusable_after_errors() {
    let mut reader = ValueReader::new(Limits::default());
    for _ in 0..3 {
        let arena = Arena::new();
        assert!(reader.read(br#"{"a":[1,[2,{"b":"#, &arena).is_err());
        assert!(reader.read(br#"["\u00"]"#, &arena).is_err());
        let bytes = br#"{"a":["x\n"]}"#.to_vec();
        let read = reader.read(&bytes, &arena).expect("a document");
        assert_eq!(read, Value::Map(&[(Value::Str("a"), Value::Array(&[Value::Str("x\n")]))]));
    }
}

#[test]
fn writes_values_of_any_depth() {
    let depth = 100_000;
    let text = format!("{}1{}", "[{\"a\":".repeat(depth / 2), "}]".repeat(depth / 2));
    let arena = Arena::new();
    let limits = Limits::default().with_depth(depth);
    let read = json::read_value(text.as_bytes(), &arena, limits).expect("within the limit");
    let mut out = Vec::new();
    json::write_value(&read, &mut out).expect("a document");
    assert_eq!(out, text.as_bytes());
    assert!(json::duplicate_keys(&read).is_empty());
}

#[test]
fn streams_return_values_with_their_ranges() {
    let bytes = b" {\"a\":1}\n[2] \r\n\"x\"\"y\"3\n4.5 true[]null{}";
    let mut reader = ValueReader::new(Limits::default());
    let mut stream = reader.stream(bytes);
    let mut found = Vec::new();
    loop {
        let arena = Arena::new();
        let Some((place, value)) = stream.next_value(&arena).expect("a value") else { break };
        let mut out = Vec::new();
        json::write_value(&value, &mut out).expect("a value");
        assert_eq!(out, &bytes[place]);
        found.push(String::from_utf8(out).expect("text"));
    }
    assert_eq!(found.join(" "), r#"{"a":1} [2] "x" "y" 3 4.5 true [] null {}"#);
}

#[test]
fn streams_end_at_the_first_error() {
    let table: &[(&[u8], usize, &str)] = &[
        (b"1 truefalse", 1, "expected white space after the value, found 'f' (byte 6)"),
        (b"1\n{\"a\" 1}\n2", 1, "expected ':' after the key, found '1', at $.a (byte 7)"),
        (b"1 2 [3", 2, "the bytes end here, expected ',' or ']' after the item, at $[0] (byte 6)"),
        (b"[1]\n[\xFF]", 1, "expected UTF-8, found the byte 0xFF, at $[0] (byte 5)"),
        (b"[1]\n\xFF", 1, "expected UTF-8, found the byte 0xFF (byte 4)"),
        (b"1,2", 0, "expected white space after the value, found ',' (byte 1)"),
    ];
    for (bytes, before, message) in table {
        let arena = Arena::new();
        let mut reader = ValueReader::new(Limits::default());
        let mut stream = reader.stream(bytes);
        for _ in 0..*before {
            assert!(matches!(stream.next_value(&arena), Ok(Some(_))), "{message}");
        }
        let error = stream.next_value(&arena).expect_err(message);
        assert_eq!(error.to_string(), *message);
        assert!(matches!(stream.next_value(&arena), Ok(None)), "{message}");
    }
}
