//! Bytes that are not a message, or not of the schema, are rejected with their position.

use std::collections::BTreeMap;

use manywire_codec::protobuf::{Plan, UnknownFields};
use manywire_codec::{Category, Error, Limits};
use manywire_format::Format;
use manywire_shape::{Arena, Shape, Shaped, Value, ValueSeed};
use serde::{Deserialize, Serialize};

#[derive(Debug, Default, PartialEq, Serialize, Deserialize, Shaped)]
#[serde(default)]
struct All {
    number: i32,
    text: String,
    list: Vec<u32>,
    words: Vec<String>,
    map: BTreeMap<String, i64>,
    color: Option<Color>,
    child: Option<Box<All>>,
    float: f32,
    small: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Shaped)]
enum Color {
    Red,
    Green,
}

fn plan() -> Plan {
    Plan::from_shape(&Shape::of::<All>()).expect("a plan")
}

fn hex(text: &str) -> Vec<u8> {
    let digits: String = text.split_whitespace().collect();
    (0..digits.len() / 2)
        .map(|at| u8::from_str_radix(&digits[at * 2..at * 2 + 2], 16).expect("hex"))
        .collect()
}

/// Reads bytes as a typed and as a dynamic value. Both must fail with the same error.
fn rejection(bytes: &[u8]) -> Error {
    let plan = plan();
    let arena = Arena::new();
    let dynamic = plan.decode_seed(&mut ValueSeed::new(&arena), bytes, Limits::DEFAULT);
    let dynamic = dynamic.expect_err("dynamic").category();
    let error = plan.decode::<All>(bytes).expect_err("typed");
    assert_eq!(error.category(), dynamic, "{error:?}");
    assert_eq!(error.format(), Some(Format::Protobuf));
    error
}

#[test]
fn rejects_malformed_bytes_with_their_offset() {
    use Category::{Data, Eof, Syntax};
    // number 1, text 2, list 3, words 4, map 5, color 6, child 7, float 8, small 9
    let cases: &[(&str, &str, Category, usize, &str)] = &[
        ("a tag cut short", "88", Eof, 1, "$"),
        ("no value", "08", Eof, 1, "$.number"),
        ("a varint cut short", "08 80", Eof, 2, "$.number"),
        ("a varint of eleven bytes", "08 ff ff ff ff ff ff ff ff ff ff 01", Syntax, 1, "$.number"),
        ("a varint of 65 bits", "08 ff ff ff ff ff ff ff ff ff 02", Syntax, 1, "$.number"),
        ("field 0", "00 00", Syntax, 0, "$"),
        ("a field number of 33 bits", "f8 ff ff ff 7f 00", Syntax, 0, "$"),
        ("wire type 6", "0e 00", Syntax, 1, "$.number"),
        ("wire type 7 in an unknown field", "ff 06 00", Syntax, 2, "$"),
        ("text longer than the input", "12 05 61", Eof, 2, "$.text"),
        ("text of 4 GB", "12 ff ff ff ff 0f", Eof, 6, "$.text"),
        ("text of 2^63 bytes", "12 ff ff ff ff ff ff ff ff 7f", Eof, 10, "$.text"),
        ("text that is not UTF-8", "12 02 61 ff", Syntax, 3, "$.text"),
        ("a packed field longer than the input", "1a 7f 01", Eof, 2, "$.list"),
        ("a packed varint cut short", "1a 01 80", Eof, 3, "$.list[0]"),
        ("a float cut short", "45 00 00", Eof, 1, "$.float"),
        ("text where a number is", "0a 01 61", Data, 1, "$.number"),
        ("a number where text is", "10 01", Data, 1, "$.text"),
        ("fixed bytes where a number is", "0d 00 00 00 00", Data, 1, "$.number"),
        ("text that is not UTF-8, replaced", "12 02 61 ff 12 01 61", Syntax, 3, "$.text"),
        ("text where a number is, replaced", "0a 01 61 08 01", Data, 1, "$.number"),
        ("a value that an enum has not", "30 07", Data, 2, "$.color"),
        ("the unspecified value of an enum", "30 00", Data, 2, "$.color"),
        ("the end of a group that was not open", "54", Syntax, 1, "$"),
        ("a group cut short", "53 08 01", Eof, 3, "$"),
        ("a group closed as another", "53 5c", Syntax, 2, "$"),
        ("in a child", "3a 02 08 80", Eof, 4, "$.child.number"),
        ("in a map, without a key", "2a 02 10 80", Eof, 4, "$.map[\"\"]"),
        ("in the key of a map", "2a 03 0a 01 ff", Syntax, 4, "$.map[0]"),
        ("in a map, after the key", "2a 05 0a 01 6b 10 80", Eof, 7, "$.map.k"),
        ("in a word", "22 00 22 01 ff", Syntax, 4, "$.words[1]"),
    ];
    for (name, bytes, category, offset, path) in cases {
        let error = rejection(&hex(bytes));
        assert_eq!(error.category(), *category, "{name}: {error:?}");
        assert_eq!(error.offset(), Some(*offset), "{name}: {error:?}");
        assert_eq!(error.path_text(), *path, "{name}: {error:?}");
    }
}

#[test]
fn rejects_numbers_out_of_range() {
    let error = plan().decode::<All>(&hex("48 80 02")).expect_err("256 is no u8");
    assert_eq!((error.category(), error.path_text().as_str()), (Category::Data, "$.small"));
}

#[test]
fn reads_every_allowed_encoding() {
    let all = All::default;
    let one = || Some(Box::new(All { number: 1, ..all() }));
    let cases: &[(&str, &str, All)] = &[
        ("nothing", "", all()),
        ("the last of a scalar wins", "08 01 08 02", All { number: 2, ..all() }),
        ("any order", "12 01 61 08 01", All { number: 1, text: "a".into(), ..all() }),
        ("packed", "1a 02 01 02", All { list: vec![1, 2], ..all() }),
        ("unpacked", "18 01 18 02", All { list: vec![1, 2], ..all() }),
        ("both", "1a 02 01 02 18 03 1a 00 1a 01 04", All { list: vec![1, 2, 3, 4], ..all() }),
        (
            "in pieces",
            "18 01 22 01 61 18 02 22 01 62 1a 01 03",
            All { list: vec![1, 2, 3], words: vec!["a".into(), "b".into()], ..all() },
        ),
        ("a tag longer than it need be", "88 80 00 01", All { number: 1, ..all() }),
        ("a varint longer than it need be", "08 81 80 80 00", All { number: 1, ..all() }),
        ("the upper bits of an int32 go", "08 81 80 80 80 70", All { number: 1, ..all() }),
        (
            "a repeated tag longer than it need be",
            "18 01 98 00 02",
            All { list: vec![1, 2], ..all() },
        ),
        (
            "unknown fields",
            "08 01 50 01 59 00 00 00 00 00 00 00 00 62 01 61 6d 00 00 00 00",
            All { number: 1, ..all() },
        ),
        (
            "unknown groups in groups",
            "53 5b 08 01 5c 12 01 61 54 08 01",
            All { number: 1, ..all() },
        ),
        ("an unknown field between items", "18 01 50 01 18 02", All { list: vec![1, 2], ..all() }),
        (
            "a message in pieces",
            "3a 02 08 01 12 01 61 3a 03 12 01 62",
            All {
                text: "a".into(),
                child: Some(Box::new(All { number: 1, text: "b".into(), ..all() })),
                ..all()
            },
        ),
        (
            "a message in pieces within one",
            "3a 04 3a 02 08 01 3a 02 3a 00",
            All { child: Some(Box::new(All { child: one(), ..all() })), ..all() },
        ),
        ("an entry without key", "2a 02 10 05", All { map: [("".into(), 5)].into(), ..all() }),
        (
            "an entry without value",
            "2a 03 0a 01 61",
            All { map: [("a".into(), 0)].into(), ..all() },
        ),
        (
            "an entry the other way round",
            "2a 05 10 05 0a 01 61",
            All { map: [("a".into(), 5)].into(), ..all() },
        ),
        (
            "an entry twice",
            "2a 05 0a 01 61 10 01 2a 05 0a 01 61 10 02",
            All { map: [("a".into(), 2)].into(), ..all() },
        ),
        ("an enum", "30 02", All { color: Some(Color::Green), ..all() }),
    ];
    let plan = plan();
    for (name, bytes, expected) in cases {
        let bytes = hex(bytes);
        let read: All = plan.decode(&bytes).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert_eq!(read, *expected, "{name}");
        let seed = std::marker::PhantomData::<All>;
        assert_eq!(plan.decode_seed(seed, &bytes, Limits::DEFAULT).unwrap(), *expected, "{name}");
    }
}

#[test]
fn every_prefix_is_read_or_rejected() {
    let value = All {
        number: -1,
        text: "text".into(),
        list: vec![0, 300],
        words: vec!["".into(), "w".into()],
        map: [("k".into(), -1)].into(),
        color: Some(Color::Red),
        child: Some(Box::new(All { float: 1.5, ..All::default() })),
        float: f32::MAX,
        small: 255,
    };
    let plan = plan();
    let mut bytes = Vec::new();
    plan.encode(&value, &mut bytes).unwrap();
    assert_eq!(plan.decode::<All>(&bytes).unwrap(), value);
    for end in 0..bytes.len() {
        // A message may end between two fields, but nowhere else.
        if let Ok(part) = plan.decode::<All>(&bytes[..end]) {
            assert_ne!(part, value);
        }
        for flip in 0..8 {
            let mut broken = bytes.clone();
            broken[end] ^= 1 << flip;
            let _ = plan.decode::<All>(&broken);
            let arena = Arena::new();
            let _ = plan.decode_seed(&mut ValueSeed::new(&arena), &broken, Limits::DEFAULT);
        }
    }
}

/// Returns `child` nested in `child`, `times` times.
fn nested(times: usize) -> Vec<u8> {
    let mut reversed: Vec<u8> = Vec::new();
    for _ in 0..times {
        let mut len = reversed.len();
        let mut header = vec![0x3a];
        while len >= 0x80 {
            header.push(len as u8 | 0x80);
            len >>= 7;
        }
        header.push(len as u8);
        header.reverse();
        reversed.extend(header);
    }
    reversed.reverse();
    reversed
}

#[test]
fn limits_depth_in_both_directions() {
    let plan = plan();
    let deepest = plan.decode::<All>(&nested(126)).expect("within the limit");
    let levels = std::iter::successors(Some(&deepest), |level| level.child.as_deref());
    assert_eq!(levels.count(), 127);
    // The innermost message holds empty lists, one more level.
    for times in [127, 100_000] {
        let error = plan.decode::<All>(&nested(times)).expect_err("too deep");
        assert_eq!(error.category(), Category::Limit);
    }
    let arena = Arena::new();
    let limits = Limits::DEFAULT.with_depth(3);
    let read = |times| {
        plan.decode_seed(
            &mut ValueSeed::new(&arena),
            arena.alloc_slice_copy(&nested(times)),
            limits,
        )
    };
    assert!(read(1).is_ok());
    assert_eq!(read(2).expect_err("too deep").category(), Category::Limit);

    let mut value = All::default();
    for _ in 0..200 {
        value = All { child: Some(Box::new(value)), ..All::default() };
    }
    let mut out = b"before".to_vec();
    assert_eq!(plan.encode(&value, &mut out).expect_err("too deep").category(), Category::Limit);
    assert_eq!(out, b"before");

    let mut value = Value::Null;
    for _ in 0..100_000 {
        value = Value::Array(arena.alloc_slice_copy(&[value]));
    }
    let any = Plan::from_shape(&any_shape()).unwrap();
    assert_eq!(any.encode(&value, &mut out).expect_err("too deep").category(), Category::Limit);
}

fn any_shape() -> Shape {
    let mut builder = manywire_shape::ShapeBuilder::default();
    let root = builder.add(manywire_shape::Node::Any);
    builder.finish(root)
}

#[test]
fn skips_unknown_fields_of_any_depth() {
    let mut bytes = vec![0x53; 1_000_000];
    bytes.extend(vec![0x54; 1_000_000]);
    assert_eq!(plan().decode::<All>(&bytes).unwrap(), All::default());
}

/// A reader that must not lose anything gets an error for each field that it would skip.
#[test]
fn refuses_unknown_fields_on_request() {
    let read = |plan: &Plan, bytes: &[u8], unknown| {
        let arena = Arena::new();
        let seed = &mut ValueSeed::new(&arena);
        plan.decode_seed_with(seed, bytes, Limits::DEFAULT, unknown).map(drop)
    };
    let cases = [
        ("after the known fields", "08 01 50 01", 2, "$"),
        ("before a known field", "50 01 08 01", 0, "$"),
        ("out of order", "12 01 61 50 01 08 01", 3, "$"),
        ("between items", "18 01 50 01 18 02", 2, "$"),
        ("a group", "53 08 01 54", 0, "$"),
        ("in a message", "3a 04 08 01 50 01", 4, "$.child"),
        ("in an entry", "2a 07 0a 01 61 10 05 50 01", 7, "$.map"),
    ];
    let plan = plan();
    for (name, bytes, offset, path) in cases {
        let bytes = hex(bytes);
        read(&plan, &bytes, UnknownFields::Skipped).expect(name);
        let error = read(&plan, &bytes, UnknownFields::Refused).expect_err(name);
        assert_eq!(error.category(), Category::Data, "{name}");
        assert_eq!((error.offset(), error.path_text().as_str()), (Some(offset), path), "{name}");
        assert_eq!(error.message(), "the schema has no field 10 here", "{name}");
    }
    let known = hex("08 01 12 01 61 18 01 18 02 2a 05 0a 01 61 10 05 30 02 3a 02 08 01 48 01");
    read(&plan, &known, UnknownFields::Refused).expect("known fields");
}

#[test]
fn rejects_values_that_do_not_fit_the_shape() {
    let plan = plan();
    let text = Value::Str;
    type Entry = (Value<'static>, Value<'static>);
    let cases: &[(&str, Vec<Entry>, &str)] = &[
        ("a text where a number is", vec![(text("number"), text("1"))], "$.number"),
        ("a number beyond its type", vec![(text("number"), Value::I64(1 << 31))], "$.number"),
        ("a float where a number is", vec![(text("number"), Value::F64(1.0))], "$.number"),
        ("a null where none may be", vec![(text("text"), Value::Null)], "$.text"),
        ("an array where text is", vec![(text("text"), Value::Array(&[]))], "$.text"),
        (
            "in an item",
            vec![(text("list"), Value::Array(&[Value::I64(1), Value::I64(-1)]))],
            "$.list[1]",
        ),
        ("a field there is not", vec![(text("other"), Value::Null)], "$.other"),
        (
            "a field twice",
            vec![(text("small"), Value::I64(1)), (text("small"), Value::I64(1))],
            "$.small",
        ),
        ("a variant there is not", vec![(text("color"), text("Blue"))], "$.color"),
        ("a key that is no text", vec![(Value::I64(1), Value::Null)], "$"),
    ];
    for (name, entries, path) in cases {
        let mut out = vec![7];
        let error = plan.encode(&Value::Map(entries), &mut out).expect_err(name);
        assert_eq!(error.path_text(), *path, "{name}: {error:?}");
        assert_eq!(error.category(), Category::Unsupported, "{name}");
        assert_eq!(error.format(), Some(Format::Protobuf), "{name}");
        assert_eq!(out, [7], "{name}");
    }
}
