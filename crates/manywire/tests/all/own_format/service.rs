//! The service, and requests without a socket.

use std::borrow::Cow;

use manywire::content::dynamic::{Dynamic, Shape};
use manywire::content::{Text, ZeroCopy};
use manywire::input::{Body, Path};
use manywire::{Api, Endpoint, EntityTags, Format, Service, Shaped, get, post};
use serde::{Deserialize, Serialize};

use super::formats::{POSTCARD, Yaml};
use crate::support::{self, TestResponse, request};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
pub(crate) struct Hotel {
    pub(crate) id: u64,
    pub(crate) name: String,
    pub(crate) rooms: Vec<Room>,
    pub(crate) near: Option<Box<Hotel>>,
    pub(crate) class: Class,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
pub(crate) struct Room {
    pub(crate) beds: u8,
    pub(crate) rate: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
pub(crate) enum Class {
    Plain,
    Stars(u8),
    Named { by: String },
}

#[derive(Debug, Serialize, Deserialize, Shaped)]
pub(crate) struct Note<'b> {
    #[serde(borrow)]
    pub(crate) text: Cow<'b, str>,
}

#[derive(Debug, Serialize, Deserialize, Shaped)]
pub(crate) struct Tree {
    pub(crate) inner: Vec<Tree>,
}

pub(crate) fn hotel(id: u64) -> Hotel {
    let near = (id > 1).then(|| Box::new(hotel(id / 2)));
    let class = match id % 3 {
        0 => Class::Plain,
        1 => Class::Stars(4),
        _ => Class::Named { by: "Ritz".to_owned() },
    };
    let rooms = vec![Room { beds: 2, rate: 80.5 }, Room { beds: 1, rate: -0.25 }];
    Hotel { id, name: format!("Hôtel {id}: \"№\""), rooms, near, class }
}

pub(crate) fn find() -> Endpoint<(Path<u64>,), Hotel> {
    get("/hotels/{id}").path::<u64>().returns::<Hotel>()
}

pub(crate) fn create() -> Endpoint<(Body<Hotel>,), Hotel> {
    post("/hotels").body::<Hotel>().status(201).returns::<Hotel>()
}

pub(crate) fn api() -> Api {
    let shape = Shape::of::<Room>();
    let only = get("/only").returns::<Room>().formats([&Yaml]);
    let dynamic = post("/dynamic").body_shape(shape.clone()).returns_shape(shape);
    let dynamic = dynamic.formats((&Yaml, Format::Json));
    Api::new("Hotels")
        .formats((Format::Json, Format::Cbor, &Yaml, &POSTCARD))
        .entity_tags(EntityTags::Weak)
        .serve(find().to(|id| async move { hotel(id) }))
        .serve(create().to(|hotel| async move { hotel }))
        .serve(only.to(|| async { Room { beds: 1, rate: 1.0 } }))
        .serve(dynamic.to(|value: Dynamic| async move { value }))
        .serve(
            post("/notes")
                .body::<ZeroCopy<Note<'_>>>()
                .returns::<ZeroCopy<Note<'_>>>()
                .to(|note: ZeroCopy<Note<'_>>| async move { note }),
        )
        .serve(post("/trees").body::<Tree>().to(|_| async {}))
        .serve(get("/text").returns::<Text>().to(|| async { "text".to_owned() }))
}

pub(crate) fn service() -> Service {
    api().build().unwrap_or_else(|error| panic!("{error}"))
}

/// Sends `POST` with a body, and `GET` without one.
pub(crate) async fn send(path: &str, fields: &[(&str, &str)], body: &[u8]) -> TestResponse {
    let method = if body.is_empty() { "GET" } else { "POST" };
    send_with(method, path, fields, body).await
}

pub(crate) async fn send_with(
    method: &str,
    path: &str,
    fields: &[(&str, &str)],
    body: &[u8],
) -> TestResponse {
    support::send(&service(), request(method, path, fields), body.to_vec()).await
}
