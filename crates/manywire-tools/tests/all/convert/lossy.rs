//! Values that a format cannot represent: the error text, and the replacement in lossy mode.

use super::harness::{conversion, form, run};
use manywire_codec::json;
use manywire_format::{FORMATS, Format};
use manywire_shape::fit::fits;
use manywire_shape::path::KeyStep;
use manywire_shape::{
    Arena, Ext, Field, Name, Node, NodeId, Record, Shape, ShapeBuilder, Space, Tagging, Value,
    Variant, VariantKind,
};
use manywire_tools::convert::{Conversion, encode_by_schema};
use manywire_tools::payload::{Halt, LIMITS, Schema};

/// The columns: hex, from, to, the error text, the JSON of the replacement, and the reported loss.
const CASES: &[(&str, &str, &str, &str, &str, &str)] = &[
    (
        "81 a1 61 c4 02 fbff",
        "msgpack",
        "json",
        "cannot represent bytes; --lossy makes it base64 text, at $.a",
        r#"{"a":"+/8="}"#,
        "$.a: bytes became base64 text x1",
    ),
    (
        "93 c4 00 c4 00 c4 00",
        "msgpack",
        "json",
        "at $[0]",
        r#"["","",""]"#,
        "$[0]: bytes became base64 text x3",
    ),
    (
        "cb 7ff8000000000000",
        "msgpack",
        "json",
        "cannot represent NaN",
        "null",
        "$: NaN became null x1",
    ),
    ("ca ff800000", "msgpack", "json", "cannot represent -inf", "null", "$: -inf became null x1"),
    (
        "82 01 02 c3 04",
        "msgpack",
        "json",
        "a key that is an integer; --lossy makes it text, at ${1}",
        r#"{"1":2,"true":4}"#,
        "${1}: a key that is an integer became text x1",
    ),
    ("81 92 01 a1 61 02", "msgpack", "json", "a key that is an array", r#"{"[1,\"a\"]":2}"#, ""),
    ("82 01 02 a1 31 04", "msgpack", "json", "a key that is an integer", r#"{"1":4}"#, ""),
    (
        "d4 05 10",
        "msgpack",
        "json",
        "the MessagePack extension 5",
        r#""EA==""#,
        "$: the MessagePack extension 5 became its content x1",
    ),
    (
        "d4 fb 10",
        "msgpack",
        "cbor",
        "the MessagePack extension -5",
        r#""EA==""#,
        "$: the MessagePack extension -5 became its content x1",
    ),
    (
        "d6 ff 386d4380",
        "msgpack",
        "json",
        "cannot represent a timestamp",
        r#""2000-01-01T00:00:00Z""#,
        "$: a timestamp became text as in RFC 3339 x1",
    ),
    (
        "81 a1 61 cf ffffffffffffffff",
        "msgpack",
        "bson",
        "an integer above 2^63",
        r#"{"a":1.8446744073709552e+19}"#,
        "$.a: an integer above 2^63 became the nearest float x1",
    ),
    (
        "81 01 02",
        "msgpack",
        "bson",
        "a key that is an integer",
        r#"{"1":2}"#,
        "${1}: a key that is an integer became text x1",
    ),
    (
        "92 01 02",
        "msgpack",
        "bson",
        "an array at the top",
        r#"{"0":1,"1":2}"#,
        "$: an array at the top became a document with the keys 0, 1, … x1",
    ),
    (
        "d8 20 61 61",
        "cbor",
        "json",
        "the CBOR tag 32",
        r#""a""#,
        "$: the CBOR tag 32 became its content x1",
    ),
    ("f7", "cbor", "msgpack", "CBOR's undefined", "null", "$: CBOR's undefined became null x1"),
    (
        "c2 49 010000000000000000",
        "cbor",
        "msgpack",
        "the number 18446744073709551616, which a double would make 1.8446744073709552e19",
        "1.8446744073709552e+19",
        "$: a number of arbitrary precision became the nearest float x1",
    ),
    (
        "a2 01 02 01 03",
        "cbor",
        "cbor",
        "a duplicate key",
        r#"{"1":3}"#,
        "${1}: a duplicate key became the last of its entries x1",
    ),
    ("16000000 07 6100 000102030405060708090a0b 00 00", "bson", "json", "", "", ""),
    (
        "14000000 07 6100 000102030405060708090a0b 00",
        "bson",
        "json",
        "an ObjectId",
        r#"{"a":"000102030405060708090a0b"}"#,
        "$.a: an ObjectId became its hex text x1",
    ),
    (
        "18000000 13 6100 d2040000000000000000000000003430 00",
        "bson",
        "json",
        "decimal128",
        r#"{"a":0.001234}"#,
        "$.a: decimal128 became a number x1",
    ),
    (
        "0d000000 0b 6100 6e6f00 6900 00",
        "bson",
        "json",
        "regular expression",
        r#"{"a":"/no/i"}"#,
        "$.a: BSON's regular expression became text x1",
    ),
    (
        "10000000 09 6100 ffffffffffffffff 00",
        "bson",
        "json",
        "cannot represent a timestamp",
        r#"{"a":"1969-12-31T23:59:59.999Z"}"#,
        "",
    ),
];

fn bytes(hex: &str) -> Vec<u8> {
    let digits: String = hex.split(' ').collect();
    let pair = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).expect("hex");
    (0..digits.len()).step_by(2).map(pair).collect()
}

#[test]
fn unsupported_values_are_refused_or_replaced() {
    for (hex, from, to, refusal, json, lost) in CASES {
        let bytes = bytes(hex);
        let strict = run(&conversion(&bytes, from, to));
        let failure = strict.failure();
        assert_ne!(failure, "", "{hex} to {to} was not refused");
        if refusal.is_empty() {
            continue;
        }
        assert!(failure.contains(refusal), "{hex} to {to}: {failure}");
        assert_eq!(strict.bytes, b"", "{hex} to {to}");

        let lossy = run(&Conversion { lossy: true, ..conversion(&bytes, from, to) });
        assert_eq!(lossy.failure(), "", "{hex} to {to}");
        let list = lossy.lost();
        assert!(lost.is_empty() || list.contains(&(*lost).to_owned()), "{hex} to {to}: {list:?}");
        let shown = run(&Conversion { lossy: true, ..conversion(&lossy.bytes, to, "json") });
        assert_eq!(String::from_utf8_lossy(&shown.bytes).trim_end(), *json, "{hex} to {to}");
    }
}

#[test]
fn every_duplicate_key_is_listed() {
    // {"a": 1, "b": 2, "a": 3, "b": {"c": 4, "c": 5}, "a": 6}.
    let map = bytes("85 a161 01 a162 02 a161 03 a162 82 a163 04 a163 05 a161 06");
    let lossy = run(&Conversion { lossy: true, ..conversion(&map, "msgpack", "json") });
    assert_eq!(String::from_utf8_lossy(&lossy.bytes), "{\"b\":{\"c\":5},\"a\":6}\n");
    let lost = "a duplicate key became the last of its entries";
    let expected = [("$.b.c", 1), ("$.a", 2), ("$.b", 1)];
    assert_eq!(lossy.lost(), expected.map(|(path, places)| format!("{path}: {lost} x{places}")));
    // A single one is found at once, however many other keys there are.
    let keys = (0..100_000).map(|key| format!("\"{key}\":0,")).collect::<String>();
    let json = format!("{{{keys}\"99999\":1}}");
    let lossy = run(&Conversion { lossy: true, ..conversion(json.as_bytes(), "json", "json") });
    assert_eq!(lossy.lost(), [format!("$.99999: {lost} x1")]);
}

/// A value of the types that only one format has: hex, the format, and its name in the table.
const EXTENSIONS: [(&str, &str, &str); 3] = [
    ("d4 05 10", "msgpack", "MessagePack"),
    ("d8 20 61 61", "cbor", "CBOR"),
    ("14000000 07 61 00 0102030405060708090a0b0c 00", "bson", "BSON"),
];

#[test]
fn the_table_says_which_extensions_are_refused() {
    for (hex, from, name) in EXTENSIONS {
        for row in FORMATS {
            let is_refused = !run(&conversion(&bytes(hex), from, row.name)).failure().is_empty();
            let mut words = row.cannot_hold.iter().filter(|words| words.contains("extensions"));
            let is_listed = words.any(|words| *words == "extensions" || words.contains(name));
            assert_eq!(is_refused, is_listed, "{from} to {}", row.name);
        }
    }
}

#[test]
fn avro_keeps_extensions_where_its_schema_has_any_value() {
    for (hex, from, _) in EXTENSIONS {
        let there = run(&conversion(&bytes(hex), from, "avro"));
        assert_eq!(there.failure(), "", "{from}");
        let again = run(&conversion(&there.bytes, "avro", "avro"));
        assert_eq!(again.failure(), "", "{from}");
        let back = run(&conversion(&again.bytes, "avro", from));
        assert_eq!((back.bytes, back.outcome.values), (bytes(hex), 1), "{from}");
    }
    let text = r#"{"type":"record","name":"A","fields":[{"name":"a","type":"string"}]}"#;
    let schema = manywire_schema::read("a.avsc", text, None).expect("a schema");
    let (hex, from, _) = EXTENSIONS[2];
    let object_id = bytes(hex);
    let strict = Conversion {
        schema: Some(Schema::from(schema)),
        ..conversion(&object_id, from, "avro-datum")
    };
    let refusal = "Avro cannot represent an ObjectId; --lossy makes it its hex text, at $.a";
    assert!(run(&strict).failure().contains(refusal), "{}", run(&strict).failure());
    let lossy = run(&Conversion { lossy: true, ..strict });
    assert_eq!(lossy.lost(), ["$.a: an ObjectId became its hex text x1"]);
    assert_eq!(lossy.bytes, b"\x300102030405060708090a0b0c");
}

fn record(builder: &mut ShapeBuilder, fields: &[(&'static str, NodeId)]) -> NodeId {
    let fields = fields.iter().map(|(name, node)| Field::new(*name, *node)).collect();
    let (name, doc) = (Name::from("R"), Name::default());
    builder.add(Node::Record(Record { name, doc, fields, rest: None }))
}

/// Returns the shape of a record with text in `a` and any value in `b`.
fn text_and_any() -> Shape {
    let mut builder = ShapeBuilder::default();
    let fields = [("a", builder.add(Node::Str)), ("b", builder.add(Node::Any))];
    let root = record(&mut builder, &fields);
    builder.finish(root)
}

#[test]
fn avro_replaces_extensions_where_its_schema_has_text_beside_any_value() {
    let document =
        bytes("23000000 07 61 00 0102030405060708090a0b0c 07 62 00 0102030405060708090a0b0c 00");
    let schema = Some(Schema::from(text_and_any()));
    let strict = Conversion { schema, ..conversion(&document, "bson", "avro") };
    let refusal = "Avro cannot represent an ObjectId; --lossy makes it its hex text, at $.a";
    assert!(run(&strict).failure().contains(refusal), "{}", run(&strict).failure());
    let lossy = run(&Conversion { lossy: true, ..strict });
    assert_eq!((lossy.failure(), lossy.outcome.values), (String::new(), 1));
    assert_eq!(lossy.lost(), ["$.a: an ObjectId became its hex text x1"]);
    let back = run(&conversion(&lossy.bytes, "avro", "bson"));
    let expected = [
        &bytes("34000000 02 61 00 19000000")[..],
        b"0102030405060708090a0b0c\0",
        &bytes("07 62 00 0102030405060708090a0b0c 00"),
    ];
    assert_eq!((back.failure(), back.bytes), (String::new(), expected.concat()));
}

#[test]
fn one_value_is_adapted_to_avro_by_the_place_of_its_extensions() {
    let id = Ext { space: Space::Bson, code: 0x07, content: Value::Bytes(b"0123456789ab") };
    let id = Value::Ext(&id);
    let write = |shape: &Shape, value: Value<'_>| {
        let codec = Schema::from(shape.clone()).codec(Format::Avro).expect("a codec");
        let bytes = encode_by_schema(&codec, shape, true, value).map_err(|it| format!("{it:?}"))?;
        let back = codec.decode(&bytes, &Arena::new()).map(|back| back == value);
        assert_eq!(back.map_err(|error| error.to_string()), Ok(true));
        Ok::<_, String>(())
    };
    let both =
        |a, b| write(&text_and_any(), Value::Map(&[(Value::Str("a"), a), (Value::Str("b"), b)]));
    assert_eq!(both(Value::Str("text"), id), Ok(()));
    let refusal = both(id, Value::Null).expect_err("a refusal");
    assert!(refusal.contains("Avro cannot represent an ObjectId; --lossy"), "{refusal}");

    // Options, arrays, maps and the variants of an enum have places, too.
    let mut builder = ShapeBuilder::default();
    let (text, any) = (builder.add(Node::Str), builder.add(Node::Any));
    let variant = |name: &'static str, kind| {
        let (aliases, doc) = (Vec::new(), Name::default());
        Variant { name: name.into(), aliases, doc, kind, number: None }
    };
    let choice = builder.add(Node::Enum(manywire_shape::Enum {
        name: "Choice".into(),
        doc: Name::default(),
        tagging: Tagging::External,
        variants: vec![
            variant("One", VariantKind::Newtype(any)),
            variant("Two", VariantKind::Tuple(vec![text, any])),
        ],
    }));
    let option = builder.add(Node::Option(choice));
    let choices = builder.add(Node::Array(manywire_shape::Array::new(option)));
    let root = builder.add(Node::Map { key: text, value: choices });
    let shape = builder.finish(root);
    let two = |first| {
        let parts = [first, id];
        let two = [(Value::Str("Two"), Value::Array(&parts))];
        let one = [(Value::Str("One"), id)];
        let items = [Value::Map(&one), Value::Null, Value::Map(&two)];
        write(&shape, Value::Map(&[(Value::Str("key"), Value::Array(&items))]))
    };
    assert_eq!(two(Value::Str("text")), Ok(()));
    let refusal = two(id).expect_err("a refusal");
    assert!(refusal.contains("$.key[2].Two[0]"), "{refusal}");
}

/// Each level of text inside text is quoted again, which can double its length.
#[test]
fn nested_keys_become_text_up_to_a_depth() {
    let nested = |maps: usize| [vec![0x81; maps], vec![1], vec![0xC0; maps]].concat();
    let lossy =
        |maps| run(&Conversion { lossy: true, ..conversion(&nested(maps), "msgpack", "json") });
    assert_eq!(lossy(2).bytes, b"{\"{\\\"1\\\":null}\":null}\n");
    assert_eq!(lossy(5).failure(), "");
    for maps in [6, 40] {
        let refused = lossy(maps).failure();
        assert!(refused.contains("deeper than 4 levels"), "{maps} maps: {refused}");
    }
}

#[test]
fn a_float_of_32_bits_is_the_same_number_in_json() {
    let converted = run(&conversion(&bytes("ca 3dcccccd"), "msgpack", "json"));
    assert_eq!(converted.bytes, b"0.10000000149011612\n");
    assert_eq!(converted.lost(), [""; 0]);
}

#[test]
fn numbers_of_any_size_are_kept_or_refused() {
    let text = b"[18446744073709551616,-0.0,1e400,0.1,9007199254740993]\n";
    let there = run(&conversion(text, "json", "cbor"));
    assert_eq!(there.failure(), "");
    let back = run(&conversion(&there.bytes, "cbor", "json"));
    assert_eq!(back.bytes, b"[18446744073709551616,-0.0,1e400,0.1,9007199254740993]\n");
    let refused = run(&conversion(text, "json", "msgpack"));
    assert!(refused.failure().contains("at $[0]"), "{}", refused.failure());
}

/// A decimal beyond the precision of a double is exact in CBOR, refused in MessagePack, and keeps
/// its digits in JSON.
#[test]
fn fractions_keep_their_digits() {
    let text = b"[0.1234567890123456789,-65.613616999999977,1e-400]\n";
    assert_eq!(
        run(&conversion(text, "json", "json")).bytes,
        b"[0.1234567890123456789,-65.61361699999998,1e-400]\n"
    );
    let cbor = run(&conversion(text, "json", "cbor"));
    assert_eq!(cbor.bytes[1..4], [0xC4, 0x82, 0x32], "{}", cbor.failure());
    let msgpack = run(&conversion(text, "json", "msgpack"));
    let refusal = "cannot represent the number 0.1234567890123456789, which a double would \
                   make 0.12345678901234568; --lossy makes it the nearest float, at $[0]";
    assert!(msgpack.failure().contains(refusal), "{}", msgpack.failure());
    let lossy = run(&Conversion { lossy: true, ..conversion(text, "json", "msgpack") });
    let lost = "$[0]: a number of arbitrary precision became the nearest float x2";
    assert_eq!(lossy.lost(), [lost]);
}

#[test]
fn losses_of_a_stream_are_counted_and_folded() {
    let stream = bytes("81 a1 61 92 c4 01 00 c4 01 01").repeat(1_000);
    let converted = run(&Conversion { lossy: true, ..conversion(&stream, "msgpack", "ndjson") });
    assert_eq!(converted.outcome.values, 1_000);
    assert_eq!(converted.lost(), ["$.a[0]: bytes became base64 text x2000"]);
}

#[test]
fn a_conversion_by_an_inferred_shape_loses_nothing() {
    let lines = b"{\"a\":1,\"b\":null}\n{\"a\":2,\"b\":3}\n{\"a\":3}\n";
    for (to, title) in [
        ("protobuf-delimited", "Protocol Buffers"),
        ("avro", "Avro"),
        ("avro-datum", "Avro"),
        ("msgpack-array", "MessagePack (array)"),
    ] {
        let failure = run(&conversion(lines, "ndjson", to)).failure();
        let expected = format!(
            "input:1:1: {title} loses data: null came back as absent; --lossy permits it, at $.b"
        );
        assert_eq!(failure.lines().next(), Some(expected.as_str()), "{to}");
        let lossy = run(&Conversion { lossy: true, ..conversion(lines, "ndjson", to) });
        assert_eq!((lossy.failure(), lossy.outcome.values), (String::new(), 3), "{to}");
        assert_eq!(lossy.lost(), ["$.b: null came back as absent x1"], "{to}");
    }
}

#[test]
fn a_given_schema_defines_the_meaning_of_absence() {
    let proto =
        "syntax = \"proto3\"; message A { int32 a = 1; optional string b = 2; float c = 3; }";
    let schema = Schema::from(manywire_schema::read("a.proto", proto, None).expect("a schema"));
    let to = |json: &str| {
        let conversion = conversion(json.as_bytes(), "json", "protobuf");
        run(&Conversion { schema: Some(schema.clone()), ..conversion })
    };
    assert_eq!(to(r#"{"a":1,"b":"x","c":0.1}"#).bytes, bytes("08 01 12 01 78 1d cdcccc3d"));
    assert_eq!(to(r#"{"a":0,"c":1}"#).bytes, bytes("1d 0000803f"));
    // An absent enum is its first value, which is not written.
    let proto = "syntax = \"proto3\"; message A { E e = 1; repeated B list = 2; string s = 3; }
                 message B { E e = 1; } enum E { OFF = 0; ON = 1; }";
    let by_enum = Schema::from(manywire_schema::read("a.proto", proto, None).expect("a schema"));
    for (json, expected) in [
        (r#"{"s":"x"}"#, "1a 01 78"),
        (r#"{"list":[{},{"e":"ON"}]}"#, "12 00 12 02 08 01"),
        (r#"{"e":"OFF"}"#, ""),
    ] {
        let conversion = conversion(json.as_bytes(), "json", "protobuf");
        let run = run(&Conversion { schema: Some(by_enum.clone()), ..conversion });
        assert_eq!((run.failure(), &run.bytes), (String::new(), &bytes(expected)), "{json}");
    }
    for (json, failure) in [
        (r#"{"a":"x"}"#, "at $.a"),
        (r#"{"a":1,"d":2}"#, "$"),
        (r#"{"a":3000000000}"#, "at $.a"),
        // The nearest 32-bit float is another number.
        (r#"{"c":0.12345678901234567}"#, "at $.c"),
        (r#"{"c":1e300}"#, "expected float, found the float 1e300, at $.c"),
        (r#"{"a":2.0}"#, "expected int32, found the float 2.0, at $.a"),
        (
            r#"{"a":123456789012345678901234567890123}"#,
            "expected int32, found the number 12345678901234567890123456789012…, at $.a",
        ),
    ] {
        let found = to(json).failure();
        assert!(found.contains(failure), "{json}: {found}");
    }
}

/// Readers of MessagePack arrays skip items beyond the fields that their schema has.
#[test]
fn items_without_a_place_in_the_schema_are_refused_or_listed() {
    let schema = r##"{"type":"object","properties":{"a":{"type":"integer"},"list":{"type":"array",
        "items":{"$ref":"#"}}},"required":["a","list"]}"##;
    let schema = Schema::from(manywire_schema::read("a.json", schema, None).expect("a schema"));
    for (hex, json, path) in [
        ("93 01 90 c0", r#"{"a":1,"list":[]}"#, "$[2]"),
        ("92 01 91 93 02 90 03", r#"{"a":1,"list":[{"a":2,"list":[]}]}"#, "$.list[0][2]"),
    ] {
        let (bytes, schema) = (bytes(hex), Some(schema.clone()));
        let strict = Conversion { schema, ..conversion(&bytes, "msgpack-array", "json") };
        let refused = run(&strict);
        let message = format!(
            "the schema has no field for this item; give a schema that has it, or drop it by `convert` with --lossy, at {path}"
        );
        assert!(refused.failure().contains(&message), "{hex}: {}", refused.failure());
        assert_eq!(refused.bytes, b"");
        let lossy = run(&Conversion { lossy: true, ..strict });
        assert_eq!(lossy.failure(), "", "{hex}");
        assert_eq!(String::from_utf8_lossy(&lossy.bytes).trim_end(), json);
        let lost = "a field was dropped, and perhaps more: the schema has no field for this item";
        assert_eq!(lossy.lost(), [format!("{path}: {lost} x1")]);
    }
    // A value that ends early is no value with an extra item.
    let bytes = bytes("93 01 90");
    let cut = Conversion { schema: Some(schema), ..conversion(&bytes, "msgpack-array", "json") };
    assert!(!run(&cut).failure().contains("no field"), "{}", run(&cut).failure());
    assert_ne!(run(&cut).failure(), "");
}

/// A key that is text becomes the key of the schema's type, which another format may have beside it.
#[test]
fn two_keys_do_not_become_one_without_a_word() {
    let proto = "syntax = \"proto3\"; message A { map<int32, string> i = 1; }";
    let schema = Schema::from(manywire_schema::read("a.proto", proto, None).expect("a schema"));
    // {"i": {"7": "x", 7: "y"}}.
    let map = bytes("81 a169 82 a137 a178 07 a179");
    let strict = Conversion { schema: Some(schema), ..conversion(&map, "msgpack", "protobuf") };
    let refusal =
        "loses data: a key that is text came back as another key; --lossy permits it, at $.i.7";
    assert!(run(&strict).failure().contains(refusal), "{}", run(&strict).failure());
    let lossy = run(&Conversion { lossy: true, ..strict });
    assert_eq!((lossy.failure(), lossy.bytes.clone()), (String::new(), bytes("0a05 0807 120179")));
    let lost = ["a key that is text came back as another key", "a string came back changed"];
    assert_eq!(lossy.lost(), lost.map(|lost| format!("$.i.7: {lost} x1")));
}

/// The keys of JSON are text, and the schema says of which type they are.
#[test]
fn keys_have_the_type_of_the_schema() {
    let proto = "syntax = \"proto3\"; message A { map<int32, string> i = 1; map<bool, int32> b = 2;
                 map<uint64, int32> u = 3; map<sfixed64, int32> s = 4; map<string, int32> t = 5; }";
    let schema = Schema::from(manywire_schema::read("a.proto", proto, None).expect("a schema"));
    let to = |bytes: &[u8], from: &str, to: &str, lossy: bool| {
        let schema = Some(schema.clone());
        run(&Conversion { schema, lossy, ..conversion(bytes, from, to) })
    };
    // Avro has no unsigned integers of 64 bits.
    for (format, largest) in [
        ("protobuf", "18446744073709551615"),
        ("msgpack-array", "18446744073709551615"),
        ("avro-datum", "9223372036854775807"),
    ] {
        let text = concat!(
            r#"{"i":{"-2147483648":"x","0":""},"b":{"true":1,"false":0},"u":{"LARGEST":1},"#,
            r#""s":{"-9223372036854775808":2},"t":{"01":3}}"#,
        );
        let text = text.replace("LARGEST", largest);
        let there = to(text.as_bytes(), "json", format, false);
        assert_eq!(there.failure(), "", "{format}");
        let back = to(&there.bytes, format, "json", true);
        assert_eq!(String::from_utf8_lossy(&back.bytes), format!("{text}\n"), "{format}");
        let again = to(&back.bytes, "json", format, false);
        assert_eq!((again.failure(), &again.bytes), (String::new(), &there.bytes), "{format}");
        let arena = Arena::new();
        let value = json::read_value(text.as_bytes(), &arena, LIMITS).expect("JSON");
        assert_eq!(fits(&schema.shape, &value), Ok(()));
        // The packages give back the same types of keys that they were given.
        let codec = schema.codec(form(format).format).expect("a codec");
        let refused = encode_by_schema(&codec, &schema.shape, true, value);
        let is_typed = |message: &str| message.contains("a key that is text came back as");
        assert!(
            matches!(&refused, Err(Halt::Refused { message, .. }) if is_typed(message)),
            "{refused:?}"
        );
    }
    for (field, value, keys) in [
        ("i", "\"\"", &["01", "+1", " 1", "1.0", "-0", "", "true", "2147483648"][..]),
        ("b", "0", &["1", "True", ""]),
        ("u", "0", &["-1", "00", "18446744073709551616"]),
    ] {
        for key in keys {
            let text = format!("{{\"{field}\":{{\"{key}\":{value}}}}}");
            for format in ["protobuf", "msgpack-array"] {
                let found = to(text.as_bytes(), "json", format, false).failure();
                let path = format!(", at $.{field}{}", KeyStep(key));
                assert!(found.contains(&path), "{format}: {text}: {found}");
            }
            let arena = Arena::new();
            let value = json::read_value(text.as_bytes(), &arena, LIMITS).expect("JSON");
            assert!(fits(&schema.shape, &value).is_err(), "{text}");
        }
    }
}
