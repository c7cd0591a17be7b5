//! Endpoints with inputs of every kind, in all formats.

use std::sync::LazyLock;

use manywire::content::{Raw, Text};
use manywire::{Api, Format, Service, Shaped, get, post, put};
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize, Shaped)]
struct Hotel {
    id: u64,
    stars: u8,
    name: Option<String>,
    tags: Vec<String>,
    rate: Option<f64>,
}

#[derive(Debug, Serialize, Deserialize, Shaped)]
#[serde(rename_all = "lowercase")]
enum Order {
    Name,
    Stars,
}

#[derive(Debug, Serialize, Deserialize, Shaped)]
struct Filter {
    city: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    stars: Option<u8>,
    limit: Option<i32>,
    order: Option<Order>,
    rate: Option<f32>,
    letter: Option<char>,
}

pub(super) static SERVICE: LazyLock<Service> = LazyLock::new(|| {
    let list = get("/hotels").query::<Filter>().returns::<Filter>();
    let create = post("/hotels").body::<Hotel>().status(201).returns::<Hotel>();
    let update = put("/hotels/{id}/{room}")
        .path::<u32>()
        .path::<i8>()
        .header::<bool>("X-Dry-Run")
        .cookie::<u16>("session")
        .parameter::<Option<f64>>("rate")
        .returns::<Text>();
    let text = get("/text/{text}").path::<String>().returns::<Text>();
    let shout = post("/text").body::<Text>().returns::<Text>();
    let raw = post("/raw").body::<Raw>().returns::<Raw>();
    let api = Api::new("Fuzz")
        .formats([
            Format::Json,
            Format::MsgPack,
            Format::Cbor,
            Format::Protobuf,
            Format::Avro,
            Format::Bson,
        ])
        .documented()
        .serve(list.to(|filter| async move { filter }))
        .serve(create.to(|hotel| async move { hotel }))
        .serve(update.to(|id, room, dry, session, rate| async move {
            format!("{id} {room} {dry} {session} {rate:?}")
        }))
        .serve(text.to(|text| async move { text }))
        .serve(shout.to(|text| async move { text }))
        .serve(raw.to(|raw| async move { raw }));
    api.build().unwrap_or_else(|error| panic!("{error}"))
});
