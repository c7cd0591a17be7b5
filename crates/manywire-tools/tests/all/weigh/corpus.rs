//! Reading payloads keeps the last of duplicate keys, turns JSON fractions into doubles, and
//! reports what was lost. ProtoJSON has other values in formats that need the schema.

use manywire_format::Format;
use manywire_shape::fidelity::Loss;
use manywire_shape::{Arena, Value};
use manywire_tools::payload::{Payload, Schema};
use manywire_tools::weigh::payload::Corpus;

use Value::{Array, Bytes, F64, I64, Map, Number, Str};

fn loss(path: &str, lost: &str, places: u64) -> Loss {
    Loss { path: path.to_owned(), lost: lost.to_owned(), places }
}

fn read(format: Format, bytes: &[u8], check: impl FnOnce(&Value<'_>, &[Loss])) {
    let payloads = [Payload::new("a", format, bytes.to_vec())];
    let arena = Arena::new();
    let (corpus, errors) = Corpus::load(&payloads, None, &arena);
    assert!(errors.is_empty(), "{errors:?}");
    check(&corpus.samples[0].value, &corpus.samples[0].losses);
}

const ROUNDED: &str = "a number has more digits than a double holds";

const KEPT: &str = "duplicate key: the last one was kept";

/// A fraction is exact here if and only if `convert` accepts it.
#[test]
fn reports_fractions_that_a_double_rounds() {
    let text = b"[0.10000000000000001,13.3670000000000012,{\"a\":[0.1234567890123456789,2.5]}]";
    read(Format::Json, text, |value, lost| {
        let inner = Array(&[F64(0.123_456_789_012_345_68), F64(2.5)]);
        assert_eq!(*value, Array(&[F64(0.1), F64(13.367), Map(&[(Str("a"), inner)])]));
        assert_eq!(lost, [loss("$[1]", ROUNDED, 1), loss("$[2].a[0]", ROUNDED, 1)]);
    });
    // CBOR has such numbers, so its readers keep them.
    read(Format::Cbor, b"\xc4\x82\x20\x19\x30\x39", |value, lost| {
        assert_eq!((*value, lost), (Number("1234.5"), &[][..]));
    });
}

#[test]
fn keeps_last_duplicate_key_and_reports_the_others() {
    read(Format::Json, br#"[{"a":1,"b":[{"c":1,"c":2}],"a":3,"a":4}]"#, |value, lost| {
        let inner = Array(&[Map(&[(Str("c"), I64(2))])]);
        assert_eq!(*value, Array(&[Map(&[(Str("b"), inner), (Str("a"), I64(4))])]));
        assert_eq!(lost, [loss("$[0].a", KEPT, 2), loss("$[0].b[0].c", KEPT, 1)]);
    });
    // {1: 1, "1": 2, 1: 3}: only the integers are equal keys.
    read(Format::MsgPack, b"\x83\x01\x01\xa11\x02\x01\x03", |value, lost| {
        assert_eq!(*value, Map(&[(Str("1"), I64(2)), (I64(1), I64(3))]));
        assert_eq!(lost, [loss("${1}", KEPT, 1)]);
    });
    // The map has more entries than are compared pair by pair.
    let text: String = (0..40).map(|index| format!("\"k{}\":{index},", index % 20)).collect();
    read(Format::Json, format!("{{{}}}", text.trim_end_matches(',')).as_bytes(), |value, lost| {
        let Map(entries) = value else { panic!("{value:?}") };
        assert_eq!((entries.len(), lost.len()), (20, 20));
        assert_eq!(entries[0], (Str("k0"), I64(20)));
    });
}

#[test]
fn formats_by_a_schema_have_the_values_of_proto_json() {
    type Found<'f> = &'f dyn Fn(Format) -> String;
    const BY_SHAPE: [Format; 2] = [Format::Protobuf, Format::Avro];
    let proto = "syntax = \"proto3\"; message A { int64 room_count = 1; bytes b = 2; double d = 3;
                 optional string note = 4; }";
    let schema = manywire_schema::read("a.proto", proto, None).expect("a schema");
    let schema = Schema::from(schema);
    let read = |format: Format, bytes: &[u8], check: &dyn Fn(Found<'_>)| {
        let payloads = [Payload::new("a", format, bytes.to_vec())];
        let arena = Arena::new();
        let (corpus, errors) = Corpus::load(&payloads, Some(&schema), &arena);
        assert!(errors.is_empty(), "{errors:?}");
        let sample = &corpus.samples[0];
        check(&|format| format!("{:?} {:?}", sample.value_in(format), sample.losses_in(format)));
    };
    let text = |value: Value<'_>, losses: &[Loss]| format!("{value:?} {losses:?}");
    let json = br#"{"room_count":"300","b":"?","d":"0.1234567890123456789"}"#;
    let given = [
        (Str("room_count"), Str("300")),
        (Str("b"), Str("?")),
        (Str("d"), Str("0.1234567890123456789")),
    ];
    // Text that is invalid for its field stays, and does not fit the schema later.
    let meant = [
        (Str("roomCount"), I64(300)),
        (Str("b"), Str("?")),
        (Str("d"), F64(0.123_456_789_012_345_68)),
    ];
    read(Format::Json, json, &|found| {
        for format in Format::ALL {
            let expected = match format {
                Format::Protobuf | Format::Avro | Format::MsgPackArray => {
                    text(Map(&meant), &[loss("$.d", ROUNDED, 1)])
                }
                _ => text(Map(&given), &[]),
            };
            assert_eq!(found(format), expected, "{format}");
        }
    });
    // An absent field is zero in formats that return it as zero.
    read(Format::Json, br#"{"b":"YQ==","d":null,"note":null}"#, &|found| {
        let plain = [(Str("b"), Bytes(b"a"))];
        assert_eq!(found(Format::MsgPackArray), text(Map(&plain), &[]));
        let whole = [plain[0], (Str("roomCount"), I64(0)), (Str("d"), F64(0.0))];
        for format in BY_SHAPE {
            assert_eq!(found(format), text(Map(&whole), &[]), "{format}");
        }
    });
    // The two names of a field are two keys in JSON alone.
    read(Format::Json, br#"{"roomCount":1,"room_count":2}"#, &|found| {
        let given = [(Str("roomCount"), I64(1)), (Str("room_count"), I64(2))];
        assert_eq!(found(Format::Json), text(Map(&given), &[]));
        let kept = [(Str("roomCount"), I64(2))];
        let expected = text(Map(&kept), &[loss("$.roomCount", KEPT, 1)]);
        assert_eq!(found(Format::MsgPackArray), expected);
    });
    // MessagePack has integers and bytes, so its text stays text.
    read(Format::MsgPack, b"\x81\xa1b\xa4YQ==", &|found| {
        for format in BY_SHAPE {
            assert_eq!(found(format), text(Map(&[(Str("b"), Str("YQ=="))]), &[]), "{format}");
        }
    });
}
