//! Hostile Avro input: every claim is checked, nothing overflows, and a few bytes never cause large
//! allocations or long loops.

use std::marker::PhantomData;

use manywire_codec::avro::Plan;
use manywire_codec::{Category, Error, Limits};
use manywire_shape::{Arena, ValueSeed};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::support::read_avro;

fn plan(schema: &str) -> Plan {
    Plan::new(&read_avro(schema).expect("a schema")).expect("a plan")
}

/// Reads bytes as a dynamic value and skips them. Both must fail with the same error.
#[track_caller]
fn rejection(schema: &str, bytes: &[u8]) -> Error {
    let plan = plan(schema);
    let arena = Arena::new();
    let error = plan
        .decode_seed(&mut ValueSeed::new(&arena), bytes, Limits::DEFAULT)
        .expect_err("the bytes are no datum");
    plan.decode::<IgnoredAny>(bytes).map(drop).expect_err("the bytes are no datum");
    assert_eq!(error.format(), Some(manywire_format::Format::Avro));
    error
}

const LIST: &str = r#"{"type": "record", "name": "List", "fields": [
    {"name": "next", "type": ["null", "List"]}]}"#;

#[test]
fn rejects_malformed_bytes_with_their_offset() {
    let array = r#"{"type": "array", "items": "long"}"#;
    let nulls = r#"{"type": "array", "items": "null"}"#;
    let map = r#"{"type": "map", "values": "int"}"#;
    let enum_ = r#"{"type": "enum", "name": "E", "symbols": ["A", "B"]}"#;
    use Category::{Eof, Limit, Syntax};
    #[rustfmt::skip]
    let table: &[(&str, &[u8], Category, usize)] = &[
        ("\"long\"", &[], Eof, 0),
        ("\"long\"", &[0x80], Eof, 1),
        ("\"long\"", &[0x80, 0x00], Syntax, 0),
        ("\"long\"", &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02], Syntax, 0),
        ("\"long\"", &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], Syntax, 0),
        ("\"int\"", &[0x80, 0x80, 0x80, 0x80, 0x10], Syntax, 0),
        ("\"null\"", &[0], Syntax, 0),
        ("\"boolean\"", &[2], Syntax, 0),
        ("\"float\"", &[0, 0, 0], Eof, 0),
        ("\"double\"", &[0; 7], Eof, 0),
        ("\"string\"", &[0x01], Syntax, 0),
        ("\"string\"", &[0x06, b'a', b'b'], Eof, 1),
        ("\"bytes\"", &[0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], Eof, 10),
        (r#"["null", "int"]"#, &[0x04], Syntax, 0),
        (r#"["null", "int"]"#, &[0x01], Syntax, 0),
        (r#"["null", "int", "string"]"#, &[0x06], Syntax, 0),
        (enum_, &[0x04], Syntax, 0),
        (enum_, &[0x01], Syntax, 0),
        (r#"{"type": "fixed", "name": "F", "size": 4}"#, &[1, 2, 3], Eof, 0),
        (array, &[0x02, 0x02], Eof, 2),
        (array, &[0x06, 0x02, 0x00], Eof, 0),
        // 2^62 items claimed by a handful of bytes.
        (array, &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0x00], Eof, 0),
        (nulls, &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0x00], Limit, 0),
        // A count of i64::MIN, whose absolute value does not fit i64.
        (array, &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0x00], Eof, 0),
        // Sizes that are negative, beyond the end, or other than the size of the items.
        (array, &[0x01, 0x01, 0x02, 0x00], Eof, 1),
        (array, &[0x01, 0x20, 0x02, 0x00], Eof, 1),
        (map, &[0x02, 0x02, b'a'], Eof, 3),
        (r#"{"type": "map", "values": "string"}"#, &[0x02, 0x02, b'a', 0x08, b'b'], Eof, 4),
    ];
    for (schema, bytes, category, offset) in table {
        let error = rejection(schema, bytes);
        assert_eq!(error.category(), *category, "{schema} {bytes:02x?}: {error:?}");
        assert_eq!(error.offset(), Some(*offset), "{schema} {bytes:02x?}: {error:?}");
    }
    // Skipping trusts a block's size, so only reading detects the difference.
    let error = plan(array).decode::<Vec<i64>>(&[0x03, 0x06, 0x06, 0x36, 0x02, 0x00]).unwrap_err();
    assert_eq!((error.category(), error.offset()), (Syntax, Some(4)), "{error:?}");
    let error = plan("\"string\"").decode::<String>(&[0x04, b'a', 0xff]).unwrap_err();
    assert_eq!((error.category(), error.offset()), (Syntax, Some(2)), "{error:?}");
}

#[test]
fn rejects_trailing_bytes() {
    let error = rejection("\"int\"", &[0x02, 0x00]);
    assert_eq!((error.category(), error.offset()), (Category::Syntax, Some(1)));
}

#[derive(Debug, Deserialize)]
struct List {
    #[allow(dead_code)]
    next: Option<Box<List>>,
}

#[test]
fn limits_depth() {
    let list = plan(LIST);
    let deep = |levels: usize| [vec![2; levels - 1], vec![0]].concat();
    list.decode::<List>(&deep(128)).expect("as deep as the limit");
    for levels in [129, 100_000] {
        let error = list.decode::<List>(&deep(levels)).expect_err("too deep");
        assert_eq!(error.category(), Category::Limit, "{error}");
        assert_eq!(rejection(LIST, &deep(levels)).category(), Category::Limit);
    }
    // Without optimisation, 2,000 levels need more than the stack of a test.
    let thread = std::thread::Builder::new().stack_size(32 << 20);
    let reader = thread.spawn(move || {
        let arena = Arena::new();
        let limits = Limits::DEFAULT.with_depth(2_000);
        plan(LIST).decode_seed(&mut ValueSeed::new(&arena), &deep(2_000), limits).map(drop)
    });
    reader.expect("a thread").join().expect("no panic").expect("within its limit");

    let sum = r#"[{"type": "record", "name": "End", "fields": [],
          "manywire.variant": {"enum": "Sum", "form": "unit"}},
        {"type": "record", "name": "More",
          "manywire.variant": {"enum": "Sum", "form": "newtype"},
          "fields": [{"name": "value", "type": ["End", "More"]}]}]"#;
    #[derive(Debug, Deserialize)]
    enum Sum {
        End,
        #[allow(dead_code)]
        More(Box<Sum>),
    }
    let error = plan(sum).decode::<Sum>(&deep(100_000)).expect_err("too deep");
    assert_eq!(error.category(), Category::Limit, "{error}");
    assert!(matches!(plan(sum).decode(&[0]), Ok(Sum::End)));

    let options = r#"{"type": "record", "name": "Nest", "manywire.role": "transparent",
        "fields": [{"name": "value", "type": ["null", "Nest"]}]}"#;
    #[derive(Debug, Deserialize)]
    struct Nest(#[allow(dead_code)] Option<Box<Nest>>);
    let error = plan(options).decode::<Nest>(&deep(100_000)).expect_err("too deep");
    assert_eq!(error.category(), Category::Limit, "{error}");
}

/// The codec takes a rest for the other entries of a record. Elsewhere it would be a missing field.
#[test]
fn refuses_a_rest_of_a_record_without_names() {
    let rest = r#"{"name": "more", "type": {"type": "map", "values": "int"},
        "manywire.rest": true}"#;
    for (property, fields) in [
        (r#""manywire.role": "entry""#, r#"{"name": "key", "type": "long"},"#),
        (r#""manywire.role": "tuple""#, r#"{"name": "_0", "type": "long"},"#),
        (r#""manywire.role": "transparent""#, ""),
        (r#""manywire.variant": {"enum": "Sum", "form": "newtype"}"#, ""),
        (r#""manywire.variant": {"enum": "Sum", "form": "tuple"}"#, ""),
    ] {
        let schema = format!(
            r#"{{"type": "array", "items":
                {{"type": "record", "name": "R", {property}, "fields": [{fields} {rest}]}}}}"#
        );
        let error = read_avro(&schema).expect_err("a rest without names").to_string();
        assert!(error.contains("field `more` of record R has manywire.rest"), "{error}");
    }
    let variant = r#"{"type": "record", "name": "V",
        "manywire.variant": {"enum": "Sum", "form": "struct"}, "fields": [REST]}"#;
    let plan = plan(&variant.replace("REST", rest));
    plan.decode::<IgnoredAny>(&[0]).expect("a variant without entries");
}

/// The bytes of other content would be neither read nor skipped.
#[test]
fn refuses_an_internal_tag_beside_content_without_fields() {
    let read = |form: &str, ty: &str| {
        read_avro(&format!(
            r#"{{"type": "record", "name": "V",
                "manywire.variant": {{"enum": "Sum", "form": "{form}", "tag": "kind"}},
                "fields": [{{"name": "value", "type": {ty}}}]}}"#
        ))
    };
    let map = r#"{"type": "map", "values": "long"}"#;
    let record = |role: &str, ty: &str| {
        format!(
            r#"{{"type": "record", "name": "R", "manywire.role": "{role}",
                "fields": [{{"name": "value", "type": {ty}}}]}}"#
        )
    };
    for (form, ty) in [
        ("tuple", map.to_owned()),
        ("newtype", r#""long""#.to_owned()),
        ("newtype", r#"["null", "long"]"#.to_owned()),
        ("newtype", record("tuple", map)),
        ("newtype", record("transparent", r#""long""#)),
    ] {
        let error = read(form, &ty).expect_err("no fields").to_string();
        assert!(error.contains("the tag `kind`"), "{form} {ty}: {error}");
    }
    for (form, ty) in [
        ("struct", r#""long""#.to_owned()),
        ("newtype", r#""null""#.to_owned()),
        ("newtype", map.to_owned()),
        ("newtype", record("transparent", map)),
    ] {
        read(form, &ty).unwrap_or_else(|error| panic!("{form} {ty}: {error}"));
    }
}

#[test]
fn skipping_counts_as_many_levels_as_reading() {
    let table: &[(&str, &[u8], usize)] = &[
        // Fields, and entries that are not fields: an array in each.
        (
            r#"{"type": "record", "name": "R", "fields": [
                {"name": "a", "type": {"type": "array", "items": "long"}},
                {"name": "rest", "manywire.rest": true,
                    "type": {"type": "map", "values": {"type": "array", "items": "long"}}}]}"#,
            &[0x02, 0x02, 0x00, 0x02, 0x02, b'k', 0x02, 0x02, 0x00, 0x00],
            2,
        ),
        // A map with integer keys.
        (
            r#"{"type": "array", "items": {"type": "record", "name": "E",
                "manywire.role": "entry",
                "fields": [{"name": "key", "type": "long"}, {"name": "value", "type": "long"}]}}"#,
            &[0x04, 0x02, 0x04, 0x06, 0x08, 0x00],
            1,
        ),
        // A variant with its tag among its fields.
        (
            r#"{"type": "record", "name": "V",
                "manywire.variant": {"enum": "Sum", "form": "struct", "tag": "type"},
                "fields": [{"name": "a", "type": "long"}]}"#,
            &[0x02],
            1,
        ),
    ];
    for (schema, bytes, levels) in table {
        let plan = plan(schema);
        for (depth, fits) in [(levels - 1, false), (*levels, true)] {
            let limits = Limits::DEFAULT.with_depth(depth);
            let arena = Arena::new();
            let read = plan.decode_seed(&mut ValueSeed::new(&arena), bytes, limits);
            assert_eq!(read.is_ok(), fits, "{depth} levels: {read:?}\n{schema}");
            let skipped = plan.decode_seed(PhantomData::<IgnoredAny>, bytes, limits);
            assert_eq!(skipped.is_ok(), fits, "{depth} levels: {skipped:?}\n{schema}");
        }
    }
}

#[test]
fn limits_items_without_bytes() {
    let schema = r#"{"type": "array", "items": {"type": "array", "items": "null"}}"#;
    let nested = plan(schema);
    // 65,536 nulls are accepted in any distribution over blocks; one more is not.
    let fine = [0x04, 0x80, 0x80, 0x04, 0x00, 0x80, 0x80, 0x04, 0x00, 0x00];
    let read: Vec<Vec<()>> = nested.decode(&fine).expect("at the limit");
    assert_eq!(read.iter().map(Vec::len).sum::<usize>(), 65_536);
    let mut again = Vec::new();
    nested.encode(&read, &mut again).expect("at the limit");
    assert_eq!(again, fine);
    let over = [0x04, 0x80, 0x80, 0x04, 0x00, 0x82, 0x80, 0x04, 0x00, 0x00];
    assert_eq!(rejection(schema, &over).category(), Category::Limit);
    let error = nested.encode(&[vec![(); 65_537]], &mut again).expect_err("beyond the limit");
    assert_eq!((error.category(), again.len()), (Category::Limit, fine.len()));
}

#[test]
fn errors_have_offset_and_path() {
    let schema = plan(
        r#"{"type": "record", "name": "Hotel", "fields": [{"name": "rooms", "type":
            {"type": "array", "items": {"type": "map", "values": "int"}}}]}"#,
    );
    #[derive(Debug, Deserialize, serde::Serialize)]
    struct Hotel {
        rooms: Vec<std::collections::BTreeMap<String, i64>>,
    }
    let bytes = [0x04, 0x00, 0x02, 0x02, b'a', 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0x00, 0x00];
    let error = schema.decode::<Hotel>(&bytes).expect_err("no int");
    assert_eq!(error.path_text(), "$.rooms[1].a");
    assert_eq!(error.offset(), Some(5));

    // An error about the whole datum is at its start, not where reading stopped.
    #[derive(Debug, Deserialize)]
    struct Other {
        #[expect(dead_code)]
        name: String,
    }
    let bytes = [0x02, 0x00, 0x00];
    let error = schema.decode::<Other>(&bytes).expect_err("no name");
    assert_eq!((error.message(), error.offset()), ("missing field `name`", Some(0)));
    let seed = PhantomData::<Other>;
    let error = schema.decode_first(seed, &bytes, Limits::DEFAULT).expect_err("no name");
    assert_eq!((error.path_text().as_str(), error.offset()), ("$", Some(0)));
    let error = plan("\"long\"").decode::<u8>(&[0x80, 0x80, 0x01]).expect_err("no u8");
    assert_eq!(error.offset(), Some(0));

    let hotel = Hotel { rooms: vec![Default::default(), [("b".to_owned(), 1 << 40)].into()] };
    let mut out = b"kept".to_vec();
    let error = schema.encode(&hotel, &mut out).expect_err("no int");
    assert_eq!(error.path_text(), "$.rooms[1].b");
    assert_eq!(error.category(), Category::Unsupported);
    assert_eq!(out, b"kept");

    let big = plan("\"long\"").encode(&u64::MAX, &mut out).expect_err("beyond a long");
    assert_eq!(
        big.message(),
        "18446744073709551615 does not fit an integer of 64 bits of the schema"
    );
}

#[test]
fn rejects_every_prefix() {
    let schema = r#"{"type": "record", "name": "R", "fields": [
        {"name": "a", "type": {"type": "map", "values": ["null", "double"]}},
        {"name": "b", "type": {"type": "array", "items": "string"}}]}"#;
    let bytes = [
        0x04, 0x02, b'k', 0x02, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0x02, b'l', 0x00, 0x00, 0x02, 0x04,
        b'h', b'i', 0x00,
    ];
    plan(schema).decode::<IgnoredAny>(&bytes).expect("a datum");
    for end in 0..bytes.len() {
        assert_eq!(rejection(schema, &bytes[..end]).category(), Category::Eof, "{end}");
    }
}
