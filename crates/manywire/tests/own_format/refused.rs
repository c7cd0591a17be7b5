//! Lists that make no sense, and types that a format cannot hold.

use manywire::content::Items;
use manywire::content::dynamic::{Dynamic, Shape, Value};
use manywire::{Api, Format, get};

use crate::formats::{POSTCARD, Postcard, Yaml};

fn faults(api: Api) -> Vec<String> {
    api.build().expect_err("no valid API").faults().to_vec()
}

#[test]
fn names_that_are_none_or_those_of_another_are_faults() {
    static NAMELESS: Postcard = Postcard { name: "nameless", media_types: &[] };
    static BROKEN: Postcard = Postcard { name: "broken", media_types: &["postcard"] };
    static SECOND: Postcard = Postcard { name: "second", media_types: &["application/json"] };
    assert_eq!(
        faults(Api::new("Named").formats((&NAMELESS, &BROKEN, &SECOND, Format::Json))),
        [
            "the format nameless names no media type",
            "the format broken: \"postcard\" is no media type: expected a slash, as in \
             application/json",
            "the formats second and json both go by application/json: list one of them, or give \
             one another name",
        ]
    );
    // Alone it may have any name, that of a built-in one, too.
    let route = get("/").returns::<u8>().to(|| async { 1 });
    assert!(Api::new("Alone").formats([&SECOND]).serve(route).build().is_ok());
}

#[test]
fn a_format_says_what_it_cannot_hold() {
    let any = get("/").returns_shape(Shape::any()).formats([&POSTCARD]);
    let route = any.to(|| async { Dynamic::new(Value::Null) });
    assert_eq!(
        faults(Api::new("Any").serve(route)),
        ["GET /: postcard holds no values of which nothing is known"]
    );
}

#[test]
fn a_stream_needs_a_built_in_format() {
    let count = || get("/").returns::<Items<u8>>();
    let route = count().formats([&Yaml]).to(|| async { Items::from_values([1]) });
    assert_eq!(
        faults(Api::new("Streams").serve(route)),
        ["GET /: a stream needs json, msgpack, cbor or protobuf among the formats, found yaml"]
    );
    let route = count().formats((&Yaml, Format::Json)).to(|| async { Items::from_values([1]) });
    assert!(Api::new("Streams").serve(route).build().is_ok());
}
