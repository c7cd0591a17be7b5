//! The documented service, and calls to it.

use http::Request;
use manywire::content::{Raw, Text};
use manywire::{Api, Failure, Format, Service, Shaped, delete, get, post, put};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::support::{TestResponse, send};

/// A hotel and its rooms.
#[derive(Clone, Debug, Serialize, Deserialize, Shaped)]
pub(crate) struct Hotel {
    pub(crate) id: u64,
    pub(crate) name: String,
    pub(crate) rooms: Vec<Room>,
    pub(crate) near: Option<Box<Hotel>>,
}

#[derive(Clone, Debug, Serialize, Deserialize, Shaped)]
pub(crate) struct Room {
    pub(crate) code: String,
    pub(crate) rate: f64,
}

pub(crate) mod other {
    use super::{Deserialize, Serialize, Shaped};

    /// Another type of the same name.
    #[derive(Clone, Debug, Serialize, Deserialize, Shaped)]
    pub(crate) struct Room {
        pub(crate) square_metres: u32,
    }
}

/// A type with the same name as a type of the library.
#[derive(Clone, Debug, Serialize, Deserialize, Shaped)]
pub(crate) struct Problem {
    pub(crate) difficulty: u8,
}

#[derive(Debug, Serialize, Deserialize, Shaped)]
pub(crate) struct Filter {
    /// Where it is.
    city: String,
    limit: Option<u32>,
    #[serde(default)]
    tags: Vec<String>,
    order: Option<Order>,
}

#[derive(Debug, Serialize, Deserialize, Shaped)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Order {
    Name,
    Stars,
}

#[derive(Debug, Failure)]
pub(crate) enum HotelError {
    /// No such hotel
    #[failure(status = 404, type = "/problems/no-such-hotel")]
    NotFound,
    /// Closed for good.
    #[failure(status = 404, type = "/problems/closed")]
    Closed,
    /// Too many stars
    #[failure(status = 422, type = "/problems/stars")]
    Stars(String),
}

pub(crate) fn hotel(id: u64) -> Hotel {
    let near = (id > 1).then(|| Box::new(hotel(id / 2)));
    let rooms = (0..id).map(|number| Room { code: format!("R{number}"), rate: 80.5 });
    Hotel { id, name: format!("Hotel {id}"), rooms: rooms.collect(), near }
}

pub(crate) fn api() -> Api {
    let list = get("/hotels").query::<Filter>().returns::<Vec<Hotel>>().summary("Lists hotels");
    let find = get("/hotels/{id}").path::<u64>().returns::<Hotel>().fails::<HotelError>();
    let create = post("/hotels").body::<Hotel>().status(201).returns::<Hotel>().sends("location");
    let room = put("/hotels/{id}/room")
        .path::<u64>()
        .header::<Option<bool>>("x-dry-run")
        .cookie::<String>("session")
        .header::<String>("authorization")
        .body::<other::Room>()
        .returns::<other::Room>()
        .formats([Format::Cbor, Format::Json]);
    let problem = get("/problem").returns::<Problem>();
    let count = get("/count").returns::<u64>().formats([Format::Json, Format::Protobuf]);
    let file = get("/files/{*rest}").path::<String>().returns::<Raw>();
    let text = post("/text").body::<Text>().returns::<Text>();
    let gone = delete("/hotels/{id}").path::<u64>();
    Api::new("Hotels")
        .version("2.1.0")
        .formats(Format::ALL)
        .documented()
        .serve(list.to(|_| async { vec![hotel(1), hotel(2)] }))
        .serve(find.to(|id| async move { Ok(hotel(id)) }))
        .serve(create.to(|hotel| async move { hotel }))
        .serve(room.to(|_, _, _, _, room| async move { room }))
        .serve(problem.to(|| async { Problem { difficulty: 9 } }))
        .serve(count.to(|| async { 50 }))
        .serve(file.to(|rest| async move { bytes::Bytes::from(rest) }))
        .serve(text.to(|text| async move { text }))
        .serve(gone.to(|_| async {}))
}

pub(crate) fn service() -> Service {
    api().build().unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) async fn fetch(path: &str, accept: &str) -> TestResponse {
    send(&service(), Request::get(path).header("accept", accept), "").await
}

pub(crate) async fn document() -> Value {
    let response = fetch("/openapi.json", "application/json").await;
    assert_eq!(response.status, 200);
    assert_eq!(response.headers["content-type"], "application/json");
    response.json()
}
