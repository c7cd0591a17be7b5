//! Typed fields for the types that only one format has, and for values of any kind: each keeps its type
//! in the formats that have it and is refused elsewhere.

use ::bson::Bson;
use manywire_codec::bson::{Binary, Decimal128, ObjectId, Regex, ReplicationTimestamp};
use manywire_codec::cbor::Tagged;
use manywire_codec::msgpack::Extension;
use manywire_codec::{bson, cbor, json, msgpack};
use manywire_shape::{Arena, OwnedExt, OwnedValue, Space, Timestamp, Value, ValueSeed};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Order {
    id: ObjectId,
    price: Decimal128,
    uuid: Binary,
    photo: Binary,
    pattern: Regex,
    operation: ReplicationTimestamp,
    at: Timestamp,
    maybe: Option<ObjectId>,
    list: Vec<ObjectId>,
}

fn order() -> Order {
    let id = "65a1b2c3d4e5f60718293a4b".parse().expect("an ObjectId");
    Order {
        id,
        price: Decimal128([7; 16]),
        uuid: Binary { subtype: 4, bytes: vec![9; 16] },
        photo: Binary { subtype: 0, bytes: vec![1, 2, 3] },
        pattern: Regex { pattern: "^a".to_owned(), options: "im".to_owned() },
        operation: ReplicationTimestamp { seconds: 1_700_000_000, increment: 3 },
        at: Timestamp { seconds: 1_700_000_000, nanoseconds: 5_000_000 },
        maybe: Some(id),
        list: vec![id, ObjectId([0; 12])],
    }
}

/// The `bson` crate reads the same types from the same bytes.
#[test]
fn types_of_bson_keep_their_type() {
    let bytes = bson::to_vec(&order()).expect("BSON");
    assert_eq!(bson::from_slice::<Order>(&bytes).expect("it is read"), order());

    let peer = ::bson::Document::from_reader(&bytes[..]).expect("a document");
    let id = ::bson::oid::ObjectId::parse_str("65a1b2c3d4e5f60718293a4b").expect("an ObjectId");
    assert_eq!(peer["id"], Bson::ObjectId(id));
    assert_eq!(peer["price"], Bson::Decimal128(::bson::Decimal128::from_bytes([7; 16])));
    let operation = ::bson::Timestamp { time: 1_700_000_000, increment: 3 };
    assert_eq!(peer["operation"], Bson::Timestamp(operation));
    let Bson::RegularExpression(regex) = &peer["pattern"] else { panic!("{peer:?}") };
    assert_eq!(regex.options.to_string(), "im");
    let subtype = |name: &str| match &peer[name] {
        Bson::Binary(binary) => u8::from(binary.subtype),
        other => panic!("{other:?}"),
    };
    assert_eq!((subtype("uuid"), subtype("photo")), (4, 0));
    let mut theirs = Vec::new();
    peer.to_writer(&mut theirs).expect("BSON");
    assert_eq!(theirs, bytes);
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Field<T> {
    field: T,
}

#[test]
fn types_of_one_format_are_refused_by_others_with_the_path() {
    let id = Field { field: ObjectId([1; 12]) };
    let errors = [
        json::to_vec(&id).expect_err("no place"),
        msgpack::to_vec(&id).expect_err("no place"),
        cbor::to_vec(&id).expect_err("no place"),
        bson::to_vec(&Field { field: Tagged { tag: 32, value: "x" } }).expect_err("no place"),
        cbor::to_vec(&Field { field: Extension { kind: 5, bytes: vec![1] } })
            .expect_err("no place"),
    ];
    for error in errors {
        assert!(error.to_string().contains("$.field"), "{error}");
    }
    let read = |bytes: Vec<u8>| bson::from_slice::<Field<ObjectId>>(&bytes).map(drop);
    let cases = [
        (bson::to_vec(&Field { field: "65a1b2c3d4e5f60718293a4b" }), "invalid type: string"),
        (bson::to_vec(&Field { field: ByteBuf::from([1; 12]) }), "invalid type: byte array"),
        (bson::to_vec(&Field { field: Decimal128([0; 16]) }), "found a BSON value of type 19"),
        (
            bson::to_vec(&Field { field: Timestamp { seconds: 0, nanoseconds: 0 } }),
            "found a timestamp",
        ),
    ];
    for (bytes, expected) in cases {
        let error = read(bytes.expect("BSON")).expect_err(expected).to_string();
        assert!(
            error.contains(expected) && error.contains("expected an ObjectId of BSON"),
            "{error}"
        );
        assert!(error.contains("$.field"), "{error}");
    }
    // A type for plain bytes refuses an ObjectId, because it would be written back as binary.
    let error = bson::from_slice::<Field<ByteBuf>>(&bson::to_vec(&id).expect("BSON"));
    let error = error.expect_err("an ObjectId").to_string();
    assert!(error.contains("read it as manywire_codec::bson::ObjectId, at $.field"), "{error}");
}

/// Serde's buffer cannot represent the type, so 12 bytes could be anything.
#[test]
fn a_buffered_value_is_refused() {
    #[derive(Debug, Serialize, Deserialize)]
    struct Outer {
        #[serde(flatten)]
        inner: Field<ObjectId>,
    }
    let id = || Field { field: ObjectId([1; 12]) };
    let bytes = bson::to_vec(&Outer { inner: id() }).expect("BSON");
    assert_eq!(bson::from_slice::<Field<ObjectId>>(&bytes).expect("not buffered"), id());
    let error = bson::from_slice::<Outer>(&bytes).expect_err("a buffer").to_string();
    assert!(error.contains("found a value without its type"), "{error}");
}

#[test]
fn tags_and_extensions_keep_their_type() {
    let tagged = Field { field: vec![Tagged { tag: 32, value: "https://a.example".to_owned() }] };
    let bytes = cbor::to_vec(&tagged).expect("CBOR");
    assert!(bytes.windows(2).any(|pair| pair == b"\xd8\x20"), "{bytes:02x?}");
    assert_eq!(cbor::from_slice::<Field<Vec<Tagged<String>>>>(&bytes).expect("it is read"), tagged);
    let nested = Tagged { tag: 9, value: Tagged { tag: 8, value: OwnedValue::from(true) } };
    let bytes = cbor::to_vec(&nested).expect("CBOR");
    assert_eq!(cbor::from_slice::<Tagged<Tagged<OwnedValue>>>(&bytes).expect("it is read"), nested);
    cbor::from_slice::<Tagged<String>>(b"\x61x").expect_err("no tag");

    for kind in [0, 5, 127, -2, -128] {
        let extension = Field { field: Some(Extension { kind, bytes: vec![1, 2, 3] }) };
        let bytes = msgpack::to_vec(&extension).expect("MessagePack");
        let read: Field<Option<Extension>> = msgpack::from_slice(&bytes).expect("it is read");
        assert_eq!(read, extension);
    }
    msgpack::from_slice::<Extension>(b"\xc4\x01x").expect_err("bytes");
}

fn any() -> OwnedValue {
    let ext = OwnedExt { space: Space::Bson, code: 7, content: OwnedValue::Bytes(vec![3; 12]) };
    OwnedValue::from([
        ("null", OwnedValue::Null),
        ("narrow", OwnedValue::from(5_i32)),
        ("wide", OwnedValue::from(5_i64)),
        ("float", OwnedValue::from(0.5)),
        ("text", OwnedValue::from("é")),
        ("bytes", OwnedValue::Bytes(vec![0, 255])),
        ("time", OwnedValue::from(order().at)),
        (
            "list",
            OwnedValue::from(vec![OwnedValue::from(true), OwnedValue::from([("a", 1.into())])]),
        ),
        ("id", OwnedValue::Ext(Box::new(ext))),
    ])
}

/// The bytes are the same after reading them as a field of any kind, so widths and types were kept.
#[test]
fn values_of_any_kind_are_fields() {
    let bytes = bson::to_vec(&Field { field: any() }).expect("BSON");
    let read: Field<OwnedValue> = bson::from_slice(&bytes).expect("it is read");
    assert_eq!(read.field, any());
    assert_eq!(bson::to_vec(&read).expect("BSON"), bytes);
    let peer = ::bson::Document::from_reader(&bytes[..]).expect("a document");
    let peer = peer.get_document("field").expect("a document");
    assert_eq!((&peer["narrow"], &peer["wide"]), (&Bson::Int32(5), &Bson::Int64(5)));

    // The borrowed value and the owned one are the same, in both directions.
    let arena = Arena::new();
    let borrowed = any();
    let borrowed = borrowed.borrowed(&arena);
    assert_eq!(OwnedValue::from(borrowed), any());
    assert_eq!(bson::to_vec(&Field { field: borrowed }).expect("BSON"), bytes);

    let error = json::to_vec(&read).expect_err("an ObjectId").to_string();
    assert!(error.contains("$.field"), "{error}");
}

/// Reads documents as a [`Value`] and as an [`OwnedValue`].
#[test]
fn owned_values_are_read_as_borrowed_ones() {
    let json = br#"{"a":[1,-1,18446744073709551615,1.5,null,true,"x"],"b":{},"a":{}}"#;
    let arena = Arena::new();
    let value = json::from_slice_seed(&mut ValueSeed::new(&arena), json, Default::default());
    let value: Value<'_> = value.expect("JSON");
    let owned: OwnedValue = json::from_slice(json).expect("JSON");
    assert_eq!(owned, OwnedValue::from(value));
    assert_eq!(json::to_vec(&owned).expect("JSON"), json);
    assert_eq!(owned.get("a"), Some(&OwnedValue::Map(Vec::new())));

    let bytes = cbor::to_vec(&value).expect("CBOR");
    assert_eq!(cbor::to_vec(&owned).expect("CBOR"), bytes);
    assert_eq!(cbor::from_slice::<OwnedValue>(&bytes).expect("CBOR"), owned);
    let deep = [vec![b'['; 100_000], vec![b']'; 100_000]].concat();
    json::from_slice::<OwnedValue>(&deep).expect_err("too deep");
    // A claimed length allocates nothing.
    msgpack::from_slice::<OwnedValue>(b"\xdd\xff\xff\xff\xff").expect_err("no items");
}

/// MessagePack would write the bytes of an `i128`, which come back as bytes, and BSON has no such number.
#[test]
fn a_number_beyond_64_bits_keeps_its_type_or_is_refused() {
    for text in ["-9223372036854775809", "18446744073709551616"] {
        let number = OwnedValue::Number(text.to_owned());
        let field = Field { field: vec![OwnedValue::Null, number] };
        let bytes = cbor::to_vec(&field).expect("CBOR");
        assert_eq!(cbor::from_slice::<Field<Vec<OwnedValue>>>(&bytes).expect("CBOR"), field);
        let bytes = json::to_vec(&field).expect("JSON");
        assert_eq!(json::from_slice::<Field<Vec<OwnedValue>>>(&bytes).expect("JSON"), field);
        let errors = [msgpack::to_vec(&field), bson::to_vec(&field)];
        for error in errors.map(|written| written.expect_err("no such number")) {
            assert_eq!(error.path_text(), "$.field[1]");
            assert!(error.message().contains("has no number beyond 64 bits"), "{error}");
        }
        // The type of the field says what the bytes are.
        let field = Field { field: text.parse::<i128>().expect("an integer") };
        let bytes = msgpack::to_vec(&field).expect("MessagePack");
        assert_eq!(msgpack::from_slice::<Field<i128>>(&bytes).expect("MessagePack"), field);
    }
}

/// `serde_json::Value` cannot represent these values, and its visitor takes no newtype.
#[test]
fn serde_json_value_refuses_values_of_our_own_types() {
    #[derive(Debug, Deserialize)]
    struct Foreign {
        #[expect(dead_code, reason = "reading it fails")]
        any: serde_json::Value,
    }
    let time = OwnedValue::Timestamp(Timestamp { seconds: 1, nanoseconds: 0 });
    let value = OwnedValue::from([("any", time)]);
    let errors = [
        msgpack::from_slice::<Foreign>(&msgpack::to_vec(&value).expect("MessagePack")),
        cbor::from_slice::<Foreign>(&cbor::to_vec(&value).expect("CBOR")),
        bson::from_slice::<Foreign>(&bson::to_vec(&value).expect("BSON")),
    ];
    for error in errors.map(|read| read.expect_err("a time")) {
        assert_eq!(error.path_text(), "$.any");
        assert_eq!(
            error.message(),
            "invalid type: a time, a number beyond 64 bits or a value that only this format has \
             (`OwnedValue` reads all of them), expected any valid JSON value"
        );
    }
}
