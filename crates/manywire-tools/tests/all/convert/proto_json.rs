//! JSON that a `.proto` describes, which is read as ProtoJSON.

use super::harness::{Converted, conversion, run};
use manywire_tools::convert::Conversion;
use manywire_tools::payload::Schema;

const PROTO: &str = "syntax = \"proto3\";
    import \"google/protobuf/duration.proto\";
    import \"google/protobuf/timestamp.proto\";
    import \"google/protobuf/wrappers.proto\";
    message A {
      bytes data = 1;
      repeated bytes list = 2;
      map<string, google.protobuf.Timestamp> times = 3;
      google.protobuf.Timestamp time = 4;
      google.protobuf.Duration wait = 5;
      repeated google.protobuf.Duration waits = 6;
      google.protobuf.BytesValue wrapped = 7;
      A inner = 8;
      string text = 9;
    }";

fn schema(file: &str, text: &str) -> Option<Schema> {
    Some(Schema::from(manywire_schema::read(file, text, None).expect("a schema")))
}

fn by_proto(bytes: &[u8], from: &str, to: &str, lossy: bool) -> Converted {
    by(schema("a.proto", PROTO), bytes, from, to, lossy)
}

fn by(schema: Option<Schema>, bytes: &[u8], from: &str, to: &str, lossy: bool) -> Converted {
    run(&Conversion { schema, lossy, ..conversion(bytes, from, to) })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn text_stands_for_bytes_and_times() {
    for (json, expected) in [
        (r#"{"data":"AQI="}"#, "0a 02 0102"),
        (r#"{"data":"+/8"}"#, "0a 02 fbff"),
        (r#"{"data":"-_8="}"#, "0a 02 fbff"),
        (r#"{"data":""}"#, ""),
        (r#"{"list":["","YQ==","Yg"]}"#, "12 00 12 01 61 12 01 62"),
        (r#"{"time":"1970-01-01T01:00:01.5+01:00"}"#, "22 08 0801 1080cab5ee01"),
        (r#"{"times":{"k":"1970-01-01T00:00:01.5Z"}}"#, "1a 0d 0a016b 12 08 0801 1080cab5ee01"),
        (r#"{"wait":"1.5s"}"#, "2a 08 0801 1080cab5ee01"),
        (r#"{"wait":"-0.500000000s"}"#, "2a 0b 1080b6ca91feffffffff01"),
        (r#"{"wait":"0s"}"#, "2a 00"),
        (r#"{"wait":{"seconds":3}}"#, "2a 02 0803"),
        (r#"{"wait":null,"wrapped":null}"#, ""),
        (r#"{"waits":["3s","-1s"]}"#, "32 02 0803 32 0b 08ffffffffffffffffff01"),
        (r#"{"wrapped":"YQ=="}"#, "3a 03 0a0161"),
        (r#"{"text":"YQ==","inner":{"data":"YQ=="}}"#, "4a 04 59513d3d 42 03 0a0161"),
    ] {
        let there = by_proto(json.as_bytes(), "json", "protobuf", false);
        assert_eq!(there.failure(), "", "{json}");
        assert_eq!(hex(&there.bytes), expected.replace(' ', ""), "{json}");
        // The JSON that is written for bytes and times is read again.
        let back = by_proto(&there.bytes, "protobuf", "json", true);
        let again = by_proto(&back.bytes, "json", "protobuf", false);
        assert_eq!(again.failure(), "", "{json}");
        assert_eq!(again.bytes.len(), there.bytes.len(), "{json}");
    }
}

#[test]
fn invalid_text_for_bytes_and_times_is_refused() {
    for (json, message) in [
        (
            r#"{"data":"a"}"#,
            "invalid base64: JSON has the bytes of a .proto as base64 text, at $.data",
        ),
        (r#"{"list":["YQ==","Y!=="]}"#, ", at $.list[1]"),
        (r#"{"wrapped":"="}"#, ", at $.wrapped"),
        (r#"{"data":" YQ=="}"#, "invalid base64"),
        (r#"{"data":"YQ==\n"}"#, "invalid base64"),
        (
            r#"{"time":"2023-02-29T00:00:00Z"}"#,
            "invalid time: expected a day of the month at byte 8",
        ),
        (r#"{"times":{"k":""}}"#, ", at $.times.k"),
        (r#"{"inner":{"inner":{"time":"now"}}}"#, ", at $.inner.inner.time"),
        (r#"{"waits":["1s","1"]}"#, "such as \"1.5s\", at $.waits[1]"),
        (r#"{"data":1}"#, "expected bytes, found the integer 1, at $.data"),
    ] {
        for lossy in [false, true] {
            let failure = by_proto(json.as_bytes(), "json", "protobuf", lossy).failure();
            assert!(failure.contains(message), "{json}: {failure}");
        }
    }
    let durations = ["", "s", "1,5s", "1.s", ".5s", "+1s", "--1s", "1e2s", "1.0000000001s", "1 s"];
    for text in durations.iter().chain(&["315576000001s", "99999999999999999999s"]) {
        let json = format!("{{\"wait\":{text:?}}}");
        let failure = by_proto(json.as_bytes(), "json", "protobuf", false).failure();
        assert!(failure.contains("invalid duration: expected seconds with"), "{json}: {failure}");
    }
}

#[test]
fn numbers_may_be_text_and_values_of_enums_numbers() {
    let proto = "syntax = \"proto3\";
                 enum E { option allow_alias = true; OFF = 0; ON = 1; YES = 1; LOW = -1; }
                 message A { int64 a = 1; uint64 b = 2; double c = 3; float d = 4; E e = 5;
                 repeated E list = 6; map<string, int64> m = 7; int32 f = 8; }";
    let to = |json: &str| by(schema("a.proto", proto), json.as_bytes(), "json", "protobuf", false);
    for (json, expected) in [
        (r#"{"a":"-9223372036854775808"}"#, "08 80808080808080808001"),
        (r#"{"b":"18446744073709551615"}"#, "10 ffffffffffffffffff01"),
        (r#"{"c":"NaN"}"#, "19 000000000000f87f"),
        (r#"{"c":"-Infinity"}"#, "19 000000000000f0ff"),
        (r#"{"d":"Infinity"}"#, "25 0000807f"),
        (r#"{"c":"1.5e3"}"#, "19 0000000000709740"),
        (r#"{"c":"2","f":"12"}"#, "19 0000000000000040 40 0c"),
        (r#"{"e":"YES"}"#, "28 01"),
        (r#"{"e":1}"#, "28 01"),
        (r#"{"e":7}"#, "28 07"),
        (r#"{"e":-1}"#, "28 ffffffffffffffffff01"),
        (r#"{"list":["LOW",-1]}"#, "32 14 ffffffffffffffffff01 ffffffffffffffffff01"),
        (r#"{"list":[0,"YES","ON"]}"#, "32 03 00 01 01"),
        (r#"{"m":{"k":"7"}}"#, "3a 05 0a016b 10 07"),
    ] {
        let there = to(json);
        assert_eq!(there.failure(), "", "{json}");
        assert_eq!(hex(&there.bytes), expected.replace(' ', ""), "{json}");
    }
    for (json, message) in [
        (r#"{"a":"1.5"}"#, "expected int64, found the float 1.5, at $.a"),
        (r#"{"a":" 1"}"#, "expected int64, found the string \" 1\", at $.a"),
        (r#"{"a":"0x1"}"#, "expected int64, found the string \"0x1\", at $.a"),
        (r#"{"a":"NaN"}"#, "expected int64, found the string \"NaN\", at $.a"),
        (r#"{"a":""}"#, "expected int64, found the string \"\", at $.a"),
        (r#"{"f":"2147483648"}"#, "2147483648 is out of range for int32, at $.f"),
        (r#"{"c":"nan"}"#, "expected double, found the string \"nan\", at $.c"),
        (r#"{"list":["MAYBE"]}"#, "E has no value \"MAYBE\", at $.list[0]"),
    ] {
        let failure = to(json).failure();
        assert!(failure.contains(message), "{json}: {failure}");
    }
}

/// Writers of ProtoJSON leave out fields that are zero or empty, or write null for them.
#[test]
fn null_and_absence_stand_for_zero() {
    let proto = "syntax = \"proto3\"; import \"google/protobuf/empty.proto\";
                 enum E { OFF = 0; ON = 1; }
                 message A { string s = 1; repeated int32 list = 2; map<string, A> m = 3; E e = 4;
                 optional string o = 5; google.protobuf.Empty em = 6; int64 i = 7; double d = 8;
                 bool b = 9; A inner = 10; }";
    let to = |json: &[u8], from, to| by(schema("a.proto", proto), json, from, to, false);
    for (json, expected) in [
        (r#"{"s":null,"list":null,"m":null,"e":null,"o":null,"i":null,"inner":null}"#, ""),
        (r#"{"inner":{"s":null,"b":true},"d":null}"#, "52 02 4801"),
        (r#"{"em":{}}"#, "32 00"),
    ] {
        let there = to(json.as_bytes(), "json", "protobuf");
        assert_eq!(there.failure(), "", "{json}");
        assert_eq!(hex(&there.bytes), expected.replace(' ', ""), "{json}");
    }
    for (json, message) in [
        (r#"{"list":[null]}"#, "expected int32, found null, at $.list[0]"),
        (r#"{"m":{"k":null}}"#, "found null, at $.m.k"),
        (r#"{"i":1,"s":null,"i":null}"#, "a duplicate key; --lossy makes it the last of its"),
        (r#"{"i":null,"i":1}"#, "a duplicate key; --lossy makes it the last of its"),
    ] {
        let failure = to(json.as_bytes(), "json", "protobuf").failure();
        assert!(failure.contains(message), "{json}: {failure}");
    }
    // Avro has no absent zero.
    let zeros = r#""s":"","list":[],"m":{},"e":"OFF","i":0,"d":0.0,"b":false"#;
    for (json, expected) in [
        ("{}".to_owned(), format!("{{{zeros}}}\n")),
        (r#"{"s":null}"#.to_owned(), format!("{{{zeros}}}\n")),
        (format!("{{{zeros}}}"), format!("{{{zeros}}}\n")),
        (
            r#"{"inner":{},"m":{"k":{}}}"#.to_owned(),
            format!(
                "{{{},\"inner\":{{{zeros}}}}}\n",
                zeros.replace("{}", &format!("{{\"k\":{{{zeros}}}}}"))
            ),
        ),
    ] {
        let there = to(json.as_bytes(), "json", "avro-datum");
        assert_eq!(there.failure(), "", "{json}");
        let back = to(&there.bytes, "avro-datum", "json");
        assert_eq!((back.failure().as_str(), &*back.bytes), ("", expected.as_bytes()), "{json}");
    }
}

#[test]
fn enums_of_google_have_numbers_and_zero_as_well() {
    let proto = "syntax = \"proto3\"; import \"google/protobuf/type.proto\";
                 message A { google.protobuf.Syntax s = 1; repeated google.protobuf.Syntax list = 2;
                 google.protobuf.Field.Kind kind = 3; }";
    let to = |json: &[u8], from, to| by(schema("a.proto", proto), json, from, to, false);
    for (json, expected) in [
        ("{}", r#"{"s":"SYNTAX_PROTO2","list":[],"kind":"TYPE_UNKNOWN"}"#),
        (
            r#"{"s":null,"list":[1,"SYNTAX_PROTO2"],"kind":9}"#,
            r#"{"s":"SYNTAX_PROTO2","list":["SYNTAX_PROTO3","SYNTAX_PROTO2"],"kind":"TYPE_STRING"}"#,
        ),
    ] {
        let there = to(json.as_bytes(), "json", "avro-datum");
        assert_eq!(there.failure(), "", "{json}");
        let back = to(&there.bytes, "avro-datum", "json");
        let found = String::from_utf8_lossy(&back.bytes);
        assert_eq!((back.failure().as_str(), found.trim_end()), ("", expected), "{json}");
    }
}

/// The JSON name of a field is what is written, and its name in the `.proto` is read, too.
#[test]
fn fields_have_two_names() {
    let proto = "syntax = \"proto3\"; message A { int32 room_count = 1; bytes raw_data = 2;
                 repeated A inner_list = 3; map<string, A> by_name = 4; int32 n = 5 [json_name = \"m\"]; }";
    let to =
        |json: &str, to, lossy| by(schema("a.proto", proto), json.as_bytes(), "json", to, lossy);
    let own = r#"{"roomCount":1,"rawData":"YQ==","innerList":[{"roomCount":2}],"byName":{"room_count":{"m":3}}}"#;
    let other = r#"{"room_count":1,"raw_data":"YQ==","inner_list":[{"room_count":2}],"by_name":{"room_count":{"n":3}}}"#;
    let mixed = r#"{"roomCount":1,"raw_data":"YQ==","inner_list":[{"roomCount":2}],"byName":{"room_count":{"n":3}}}"#;
    let expected = to(own, "protobuf", false);
    assert_eq!(expected.failure(), "");
    for json in [other, mixed] {
        let there = to(json, "protobuf", false);
        assert_eq!((there.failure(), &there.bytes), (String::new(), &expected.bytes), "{json}");
    }
    for (json, failure, lost) in [
        (
            r#"{"room_count":1,"roomCount":2}"#,
            "a duplicate key; --lossy makes it the last of its entries, at $.roomCount",
            "$.roomCount: a duplicate key became the last of its entries x1",
        ),
        (
            r#"{"innerList":[{"n":1,"m":2}]}"#,
            "a duplicate key; --lossy makes it the last of its entries, at $.innerList[0].m",
            "$.innerList[0].m: a duplicate key became the last of its entries x1",
        ),
    ] {
        let refused = to(json, "protobuf", false).failure();
        assert!(refused.contains(failure), "{json}: {refused}");
        assert_eq!(to(json, "protobuf", true).lost(), [lost], "{json}");
    }
    // A null under one name does not hide a value under the other.
    for json in [r#"{"roomCount":1,"room_count":null}"#, r#"{"room_count":null,"roomCount":1}"#] {
        let refused = to(json, "protobuf", false).failure();
        assert!(refused.contains("a duplicate key; --lossy makes it"), "{json}: {refused}");
        assert!(refused.contains(", at $.roomCount\n"), "{json}: {refused}");
    }
    let unknown = to(r#"{"ROOM_COUNT":1}"#, "protobuf", false).failure();
    assert!(unknown.contains("A has no such field, at $.ROOM_COUNT"), "{unknown}");
}

#[test]
fn only_a_proto_gives_text_another_meaning() {
    let json = br#"{"data":"YQ=="}"#;
    let proto = "syntax = \"proto3\"; message A { bytes data = 1; }";
    let by_proto = |bytes: &[u8], from, to| by(schema("a.proto", proto), bytes, from, to, false);
    for to in ["avro-datum", "msgpack-array"] {
        let there = by_proto(json, "json", to);
        assert_eq!(there.failure(), "", "{to}");
        let back = by_proto(&there.bytes, to, "json").failure();
        assert!(back.contains("JSON cannot represent bytes"), "{to}: {back}");
    }
    let cbor = by_proto(json, "json", "cbor");
    assert_eq!(cbor.bytes, b"\xa1\x64data\x64YQ==", "{}", cbor.failure());
    let avsc = r#"{"type":"record","name":"A","fields":[{"name":"data","type":"bytes"}]}"#;
    let refused = by(schema("a.avsc", avsc), json, "json", "avro-datum", false).failure();
    assert!(refused.contains(", at $.data"), "{refused}");
    // MessagePack has text and bytes, so its text stays text.
    let msgpack = by_proto(b"\x81\xa4data\xa4YQ==", "msgpack", "protobuf").failure();
    assert!(msgpack.contains("expected bytes, found the string \"YQ==\", at $.data"), "{msgpack}");
}
