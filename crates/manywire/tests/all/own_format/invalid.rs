//! Invalid lists of formats, and types that a format cannot represent.

use manywire::content::Items;
use manywire::content::dynamic::{Dynamic, Shape, Value};
use manywire::{Api, Format, Sequence, get};

use super::formats::{POSTCARD, Postcard, Yaml};

fn faults(api: Api) -> Vec<String> {
    api.build().expect_err("an invalid API").faults().to_vec()
}

#[test]
fn rejects_invalid_and_duplicate_names_at_build() {
    static NAMELESS: Postcard = Postcard { name: "nameless", media_types: &[], sequence: None };
    static BROKEN: Postcard =
        Postcard { name: "broken", media_types: &["postcard"], sequence: None };
    static SECOND: Postcard =
        Postcard { name: "second", media_types: &["application/json"], sequence: None };
    assert_eq!(
        faults(Api::new("Named").formats((&NAMELESS, &BROKEN, &SECOND, Format::Json))),
        [
            "the format nameless names no media type",
            "the format broken: invalid media type \"postcard\": expected a slash, as in \
             application/json",
            "the formats second and json both go by application/json: list one of them, or give \
             one another name",
        ]
    );
    // A single format may have any name, including that of a built-in one.
    let route = get("/").returns::<u8>().to(|| async { 1 });
    assert!(Api::new("Alone").formats([&SECOND]).serve(route).build().is_ok());
}

#[test]
fn rejects_two_formats_of_one_name() {
    static OLD: Postcard = Postcard { name: "twin", media_types: &["x/old"], sequence: None };
    static NEW: Postcard = Postcard { name: "twin", media_types: &["x/new"], sequence: None };
    assert_eq!(
        faults(Api::new("Twins").formats((&OLD, &NEW))),
        ["two formats have the name twin: give one another name"]
    );
}

#[test]
fn rejects_types_that_a_format_cannot_represent() {
    let any = get("/").returns_shape(Shape::any()).formats([&POSTCARD]);
    let route = any.to(|| async { Dynamic::new(Value::Null) });
    assert_eq!(
        faults(Api::new("Any").serve(route)),
        ["GET /: postcard holds no values of which nothing is known"]
    );
}

#[test]
fn streams_need_a_format_with_a_sequence() {
    static SINGLE: Postcard =
        Postcard { name: "single", media_types: &["x/single"], sequence: None };
    let count = || get("/").returns::<Items<u8>>();
    let route = count().formats([&SINGLE]).to(|| async { Items::from_values([1]) });
    assert_eq!(
        faults(Api::new("Streams").serve(route)),
        [
            "GET /: a stream needs one of json, cbor, msgpack, protobuf among the formats, or an own \
             format with a sequence, found single"
        ]
    );
    for route in [
        count().formats((&SINGLE, Format::Json)).to(|| async { Items::from_values([1]) }),
        count().formats((&SINGLE, &Yaml)).to(|| async { Items::from_values([1]) }),
    ] {
        assert!(Api::new("Streams").serve(route).build().is_ok());
    }
}

#[test]
fn rejects_ambiguous_sequences_at_build() {
    const NAMED: &[&str] = &["application/x-ndjson", "seq", "x/both"];
    let named = |bytes| Some(Sequence::separated_by(bytes).named(NAMED));
    let leak = |name, media_types, bytes| -> &'static Postcard {
        Box::leak(Box::new(Postcard { name, media_types, sequence: named(bytes) }))
    };
    let (one, other) = (leak("one", &["x/one"], b";"), leak("other", &["x/other"], b""));
    let found = faults(Api::new("Named").formats((Format::Json, one, other)));
    let clash = |one: &str, other: &str, name: &str| {
        format!(
            "streams of the formats {one} and {other} both go by {name}: give one another name by \
             Sequence::named"
        )
    };
    let none = |name: &str| {
        format!(
            "streams of the format {name}: invalid media type \"seq\": expected a slash, as in \
             application/json"
        )
    };
    let expected = [
        clash("json", "one", NAMED[0]),
        none("one"),
        "the format other has an empty delimiter for streams".to_owned(),
        clash("json", "other", NAMED[0]),
        clash("one", "other", NAMED[0]),
        none("other"),
        clash("one", "other", NAMED[2]),
    ];
    assert_eq!(found, expected);
}
