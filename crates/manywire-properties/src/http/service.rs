//! Requests of any kind to a service with endpoints of every kind.
//!
//! For any request, the response is one that the endpoint can give, the same each time, and in the
//! format that its header fields state. Handlers receive the values that the request text
//! represents.

use std::sync::LazyLock;

use http::{Method, StatusCode, header};
use manywire::content::{Raw, Text};
use manywire::{Api, Format, Service, Shaped, get, post, put};
use serde::{Deserialize, Serialize};

use super::client::{Answer, Request, call, problem};
use crate::target::{CheckResult, ensure};

pub(crate) fn request(bytes: &[u8]) -> CheckResult {
    let Some(request) = Request::parse(bytes) else { return Ok(()) };
    let answer = call(&SERVICE, &request, None)?;
    let again = call(&SERVICE, &request, None)?;
    ensure!(again.status == answer.status, "{}, then {}", answer.status, again.status);
    ensure!(again.body == answer.body, "{:?}, then {:?}", answer.body, again.body);
    let Answer { status, headers, body } = &answer;
    ensure!(!status.is_server_error(), "{status}: {:?}", String::from_utf8_lossy(body));
    if request.method == Method::HEAD {
        ensure!(body.is_empty(), "a response to HEAD with {} bytes", body.len());
        return Ok(());
    }
    if *status == StatusCode::METHOD_NOT_ALLOWED {
        ensure!(headers.contains_key(header::ALLOW), "405 without Allow");
    }
    if let Some(text) = request.text().filter(|_| *status == StatusCode::OK) {
        let coded = headers.contains_key(header::CONTENT_ENCODING);
        let in_utf8 = request.fields.iter().all(|(name, _)| *name != header::ACCEPT_CHARSET);
        let same = text.as_ref().is_some_and(|text| text.as_bytes() == &body[..]);
        let found = String::from_utf8_lossy(body);
        ensure!(text.is_some(), "broken percent-encoding was read back as {found:?}");
        ensure!(same || coded || !in_utf8, "{text:?} was read back as {found:?}");
    }
    problem(&answer)
}

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
