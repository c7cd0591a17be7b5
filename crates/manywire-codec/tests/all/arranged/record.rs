//! Records as arrays of their fields.

use manywire_codec::Category;
use manywire_shape::{Arena, Field, Int, Node, Presence, Record, Shape, ShapeBuilder, Value};

use super::{array_of, field, json, read, record, write};

/// Returns a shape of a record with fields of every presence, nullable and not.
fn guest() -> Shape {
    let mut builder = ShapeBuilder::default();
    let text = builder.add(Node::Str);
    let number = builder.add(Node::Int(Int::signed(16)));
    let nullable = builder.add(Node::Option(number));
    let tags = builder.add(array_of(text));
    let root = builder.add(record(vec![
        field("name", text, Presence::Required),
        field("age", nullable, Presence::Required),
        field("nick", text, Presence::Optional),
        field("room", nullable, Presence::Optional),
        field("tags", tags, Presence::Defaulted),
    ]));
    builder.finish(root)
}

#[test]
fn writes_records_as_arrays() {
    let shape = guest();
    let cases: [(&str, &[u8], &str); 5] = [
        (
            r#"{"name":"a","age":1,"nick":"b","room":2,"tags":["c"]}"#,
            b"\x95\xa1a\x01\xa1b\x02\x91\xa1c",
            r#"{"name":"a","age":1,"nick":"b","room":2,"tags":["c"]}"#,
        ),
        // An absent field keeps its position.
        (r#"{"name":"a","age":null}"#, b"\x95\xa1a\xc0\xc0\xc0\xc0", r#"{"name":"a","age":null}"#),
        // Fields in any order. The last of two equal keys counts.
        (
            r#"{"tags":[],"age":1,"name":"x","name":"a"}"#,
            b"\x95\xa1a\x01\xc0\xc0\x90",
            r#"{"name":"a","age":1,"tags":[]}"#,
        ),
        // Fields in order, but one is repeated.
        (
            r#"{"name":"x","name":"a","age":1}"#,
            b"\x95\xa1a\x01\xc0\xc0\xc0",
            r#"{"name":"a","age":1}"#,
        ),
        // Null in an optional field means absent.
        (
            r#"{"name":"a","age":1,"nick":null,"room":null}"#,
            b"\x95\xa1a\x01\xc0\xc0\xc0",
            r#"{"name":"a","age":1}"#,
        ),
    ];
    for (given, bytes, expected) in cases {
        let arena = Arena::new();
        assert_eq!(write(&shape, &json(given, &arena)).unwrap(), bytes, "{given}");
        assert_eq!(read(&shape, bytes, &arena).unwrap(), json(expected, &arena), "{given}");
    }
}

#[test]
fn arranges_records_with_more_than_128_fields() {
    let mut builder = ShapeBuilder::default();
    let number = builder.add(Node::Int(Int::signed(32)));
    let fields = (0..300)
        .map(|index| Field {
            presence: Presence::Optional,
            ..Field::new(format!("f{index}"), number)
        })
        .collect();
    let root = builder.add(record(fields));
    let shape = builder.finish(root);
    let arena = Arena::new();
    for step in [1, 2, 127, 299] {
        let texts = (0..300).step_by(step).map(|index| format!("\"f{index}\":{index}"));
        let text = format!("{{{}}}", texts.collect::<Vec<_>>().join(","));
        let value = json(&text, &arena);
        let bytes = write(&shape, &value).unwrap();
        assert_eq!(bytes[..3], [0xdc, 1, 44]);
        assert_eq!(read(&shape, &bytes, &arena).unwrap(), value);
        // Another order of entries gives the same bytes.
        let Value::Map(entries) = value else { unreachable!() };
        let mut turned = entries.to_vec();
        turned.reverse();
        assert_eq!(write(&shape, &Value::Map(&turned)).unwrap(), bytes);
    }
}

#[test]
fn reads_shorter_and_longer_arrays() {
    let shape = guest();
    let arena = Arena::new();
    let expected = json(r#"{"name":"a","age":1}"#, &arena);
    assert_eq!(read(&shape, b"\x92\xa1a\x01", &arena).unwrap(), expected);
    assert_eq!(read(&shape, b"\x93\xa1a\x01\xc0", &arena).unwrap(), expected);
    let longer = b"\x97\xa1a\x01\xc0\xc0\xc0\x92\x01\x02\x81\x01\x02";
    assert_eq!(read(&shape, longer, &arena).unwrap(), expected);
    // A missing field that is required and nullable is read as null.
    let expected = json(r#"{"name":"a","age":null}"#, &arena);
    assert_eq!(read(&shape, b"\x91\xa1a", &arena).unwrap(), expected);
    let error = read(&shape, b"\x90", &arena).unwrap_err();
    assert_eq!(error.message(), "expected 5 items, found 0");
    // A record that kept its names is read, too.
    let expected = json(r#"{"age":1,"name":"a"}"#, &arena);
    assert_eq!(read(&shape, b"\x82\xa3age\x01\xa4name\xa1a", &arena).unwrap(), expected);
}

#[test]
fn aliases_become_names() {
    let shape_of = |has_rest: bool| {
        let mut builder = ShapeBuilder::default();
        let text = builder.add(Node::Str);
        let number = builder.add(Node::Int(Int::signed(16)));
        let rest = has_rest.then(|| builder.add(Node::Bool));
        let fields = vec![
            Field { aliases: vec!["title".into(), "label".into()], ..Field::new("name", text) },
            // A name comes before an alias of another field.
            Field {
                aliases: vec!["name".into(), "years".into()],
                presence: Presence::Optional,
                ..Field::new("age", number)
            },
        ];
        let named = Record { name: "R".into(), doc: "".into(), fields, rest };
        let root = builder.add(Node::Record(named));
        builder.finish(root)
    };
    let shape = shape_of(false);
    let cases: [(&str, &[u8]); 6] = [
        (r#"{"title":"a","age":1}"#, b"\x92\xa1a\x01"),
        (r#"{"years":1,"label":"a"}"#, b"\x92\xa1a\x01"),
        (r#"{"name":"a","years":1}"#, b"\x92\xa1a\x01"),
        (r#"{"title":"a"}"#, b"\x92\xa1a\xc0"),
        // The last of two entries of one field counts.
        (r#"{"name":"x","title":"a","years":2,"age":1}"#, b"\x92\xa1a\x01"),
        (r#"{"age":2,"title":"x","name":"a","years":1}"#, b"\x92\xa1a\x01"),
    ];
    for (given, bytes) in cases {
        let arena = Arena::new();
        assert_eq!(write(&shape, &json(given, &arena)).unwrap(), bytes, "{given}");
    }
    let arena = Arena::new();
    let error = write(&shape, &json(r#"{"title":"a","yeers":1}"#, &arena)).unwrap_err();
    assert_eq!(error.message(), "the shape has no field `yeers`");
    let error = write(&shape, &json(r#"{"years":1}"#, &arena)).unwrap_err();
    assert_eq!(error.message(), "the field `name` is missing");
    // Bytes by name may have aliases as well.
    let expected = json(r#"{"age":1,"name":"a"}"#, &arena);
    assert_eq!(read(&shape, b"\x82\xa5years\x01\xa5title\xa1a", &arena).unwrap(), expected);
    let error = read(&shape, b"\x82\xa5years\xa1x\xa5title\xa1a", &arena).unwrap_err();
    assert_eq!(error.path_text(), "$.years");

    // A record that keeps its names has them on the wire, not the aliases.
    let shape = shape_of(true);
    let value = json(r#"{"x":true,"years":1,"title":"a"}"#, &arena);
    let bytes = write(&shape, &value).unwrap();
    assert_eq!(bytes, b"\x83\xa1x\xc3\xa3age\x01\xa4name\xa1a");
    let expected = json(r#"{"x":true,"age":1,"name":"a"}"#, &arena);
    assert_eq!(read(&shape, &bytes, &arena).unwrap(), expected);
    let error = write(&shape, &json(r#"{"years":1}"#, &arena)).unwrap_err();
    assert_eq!(error.message(), "the field `name` is missing");
    // The path follows the alias to the nodes below.
    let error = write(&shape, &json(r#"{"title":1}"#, &arena)).unwrap_err();
    assert_eq!(error.path_text(), "$.name");
}

#[test]
fn rejects_values_that_do_not_fit_with_their_path() {
    let mut builder = ShapeBuilder::default();
    let text = builder.add(Node::Str);
    let small = builder.add(Node::Int(Int::unsigned(8)));
    let pair = builder.add(Node::Tuple(vec![small, text]));
    let room = builder.add(record(vec![
        field("beds", small, Presence::Required),
        field("pair", pair, Presence::Optional),
    ]));
    let rooms = builder.add(array_of(room));
    let by_name = builder.add(Node::Map { key: text, value: rooms });
    let root = builder.add(record(vec![field("hotels", by_name, Presence::Required)]));
    let shape = builder.finish(root);
    let cases = [
        (
            r#"{"hotels":{"a":[{"beds":300}]}}"#,
            "$.hotels.a[0].beds",
            "expected an unsigned integer of 8 bits, found 300",
        ),
        (
            r#"{"hotels":{"a":[{"beds":"2"}]}}"#,
            "$.hotels.a[0].beds",
            "expected an unsigned integer of 8 bits, found a string",
        ),
        (
            r#"{"hotels":{"a":[{"beds":1},{"beds":1,"x":2}]}}"#,
            "$.hotels.a[1]",
            "the shape has no field `x`",
        ),
        (r#"{"hotels":{"a":[{}]}}"#, "$.hotels.a[0]", "the field `beds` is missing"),
        (
            r#"{"hotels":{"a":[{"beds":1,"pair":[1]}]}}"#,
            "$.hotels.a[0].pair",
            "expected 2 items, found 1",
        ),
        (
            r#"{"hotels":{"a":[{"beds":1,"pair":[1,2]}]}}"#,
            "$.hotels.a[0].pair[1]",
            "expected a string, found an integer",
        ),
        (r#"{"hotels":[]}"#, "$.hotels", "expected a map, found an array"),
        (r#"[]"#, "$", "expected a record, found an array"),
    ];
    for (text, path, message) in cases {
        let arena = Arena::new();
        let error = write(&shape, &json(text, &arena)).unwrap_err();
        assert_eq!((error.path_text().as_str(), error.message()), (path, message), "{text}");
        assert_eq!(error.category(), Category::Unsupported, "{text}");
        assert_eq!(error.format(), Some(manywire_format::Format::MsgPackArray));
    }
    // Also on reading: the first room has text for its beds.
    let arena = Arena::new();
    let error = read(&shape, b"\x91\x81\xa1a\x91\x92\xa12\xc0", &arena).unwrap_err();
    assert_eq!(error.path_text(), "$.hotels.a[0].beds");
    assert_eq!((error.category(), error.offset()), (Category::Data, Some(6)));
}

#[test]
fn rejects_null_in_non_nullable_positions() {
    let shape = guest();
    let arena = Arena::new();
    let error = write(&shape, &json(r#"{"name":null,"age":1}"#, &arena)).unwrap_err();
    assert_eq!(
        (error.path_text().as_str(), error.message()),
        ("$.name", "expected a string, found null")
    );
    let error = read(&shape, b"\x92\xc0\x01", &arena).unwrap_err();
    assert_eq!(
        (error.path_text().as_str(), error.message()),
        ("$.name", "expected a string, found null")
    );
}
