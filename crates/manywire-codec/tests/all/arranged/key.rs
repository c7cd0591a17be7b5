//! Keys of maps in the array layout.

use manywire_shape::path::KeyStep;
use manywire_shape::{
    Arena, Int, Node, Presence, Shape, ShapeBuilder, Tagging, Variant, VariantKind,
};

use super::{field, json, read, record, sum, variant, write};

/// Returns the shape of a record whose field `m` is a map with keys of this type.
fn map_from(key: Node) -> Shape {
    let mut builder = ShapeBuilder::default();
    let key = builder.add(key);
    let value = builder.add(Node::Int(Int::signed(8)));
    let map = builder.add(Node::Map { key, value });
    let root = builder.add(record(vec![field("m", map, Presence::Required)]));
    builder.finish(root)
}

fn season() -> Node {
    let winter = Variant { aliases: vec!["Snow".into()], ..variant("Winter", VariantKind::Unit) };
    sum(Tagging::External, vec![winter])
}

#[test]
fn text_has_the_type_of_the_keys() {
    let cases: [(Node, &str, &[u8]); 6] = [
        (Node::Int(Int::signed(16)), r#"{"-7":1,"300":2}"#, b"\x82\xf9\x01\xcd\x01\x2c\x02"),
        (Node::Bool, r#"{"true":1,"false":2}"#, b"\x82\xc3\x01\xc2\x02"),
        (Node::Str, r#"{"07":1}"#, b"\x81\xa207\x01"),
        (Node::Any, r#"{"7":1}"#, b"\x81\xa17\x01"),
        (Node::Char, r#"{"a":1}"#, b"\x81\xa1a\x01"),
        (season(), r#"{"Snow":1}"#, b"\x81\xa6Winter\x01"),
    ];
    for (key, given, map) in cases {
        let (shape, arena) = (map_from(key), Arena::new());
        let bytes = write(&shape, &json(&format!(r#"{{"m":{given}}}"#), &arena)).unwrap();
        assert_eq!(bytes, [&b"\x91"[..], map].concat(), "{given}");
    }
    // Some writers have only text as keys.
    let cases: [(Node, &[u8], &[u8]); 3] = [
        (Node::Int(Int::signed(16)), b"\x91\x81\xa2-7\x01", b"\x91\x81\xf9\x01"),
        (Node::Bool, b"\x91\x81\xa4true\x01", b"\x91\x81\xc3\x01"),
        (season(), b"\x91\x81\xa4Snow\x01", b"\x91\x81\xa6Winter\x01"),
    ];
    for (key, texts, typed) in cases {
        let (shape, arena) = (map_from(key), Arena::new());
        let expected = read(&shape, typed, &arena).unwrap();
        assert_eq!(read(&shape, texts, &arena).unwrap(), expected);
    }
}

#[test]
fn text_that_is_no_key_is_refused() {
    let numbers = ["01", "+1", " 1", "1.0", "-0", "", "true", "32768", "x"];
    let cases: [(Node, &[&str]); 6] = [
        (Node::Int(Int::signed(16)), &numbers),
        (Node::Int(Int::unsigned(16)), &["-1", "65536"]),
        (Node::Bool, &["1", "True", ""]),
        (Node::F64, &["1", "1.5"]),
        (Node::Bytes, &["x"]),
        (Node::Null, &["null"]),
    ];
    for (key, texts) in cases {
        let shape = map_from(key);
        for text in texts {
            let arena = Arena::new();
            let value = json(&format!(r#"{{"m":{{"{text}":1}}}}"#), &arena);
            let error = write(&shape, &value).unwrap_err();
            assert_eq!(error.path_text(), format!("$.m{}", KeyStep(text)), "{error}");
            let mut bytes = vec![0x91, 0x81, 0xa0 | text.len() as u8];
            bytes.extend_from_slice(text.as_bytes());
            bytes.push(1);
            let error = read(&shape, &bytes, &arena).unwrap_err();
            assert_eq!((error.path_text().as_str(), error.offset()), ("$.m", Some(2)), "{error}");
            assert!(error.message().ends_with(", found a string"), "{error}");
        }
    }
    let (shape, arena) = (map_from(season()), Arena::new());
    let error = write(&shape, &json(r#"{"m":{"Sun":1}}"#, &arena)).unwrap_err();
    assert_eq!(error.message(), "E has no variant \"Sun\"");
}
