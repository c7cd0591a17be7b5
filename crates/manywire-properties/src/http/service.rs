//! Endpoints with inputs of every kind, in all formats.

use std::pin::{Pin, pin};
use std::sync::LazyLock;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http_body::{Body as _, Frame};
use manywire::content::{Raw, Text};
use manywire::{Api, Format, Service, Shaped, get, post, put};
use serde::{Deserialize, Serialize};
use tower_service::Service as _;

use super::{Answer, Request};
use crate::target::Broken;

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

static SERVICE: LazyLock<Service> = LazyLock::new(|| {
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

/// A body that is there at once.
struct Whole(Option<Bytes>);

impl http_body::Body for Whole {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Poll::Ready(self.0.take().map(|bytes| Ok(Frame::data(bytes))))
    }
}

/// How often an answer is asked for that waits for nothing.
const POLLS_MAX: usize = 64;

/// What the service answers.
pub(super) fn answer(request: &Request) -> Result<Answer, Broken> {
    let body = Some(Bytes::from(request.body.clone())).filter(|body| !body.is_empty());
    let mut sent = http::Request::new(Whole(body));
    *sent.method_mut() = request.method.clone();
    *sent.uri_mut() = request.uri.clone();
    for (name, value) in &request.fields {
        sent.headers_mut().append(name, value.clone());
    }
    let mut context = Context::from_waker(Waker::noop());
    let pending = || Broken("the answer waits, and there is nothing to wait for".to_owned());
    let mut answering = pin!(SERVICE.clone().call(sent));
    let mut polls = 0..POLLS_MAX;
    let response = loop {
        polls.next().ok_or_else(pending)?;
        if let Poll::Ready(Ok(response)) = answering.as_mut().poll(&mut context) {
            break response;
        }
    };
    let (parts, body) = response.into_parts();
    let mut body = pin!(body);
    let mut bytes = Vec::new();
    loop {
        match body.as_mut().poll_frame(&mut context) {
            Poll::Ready(Some(Ok(frame))) => bytes.extend(frame.into_data().unwrap_or_default()),
            Poll::Ready(Some(Err(error))) => {
                return Err(Broken(format!("the answer breaks off: {error}")));
            }
            Poll::Ready(None) => break,
            Poll::Pending => {
                polls.next().ok_or_else(pending)?;
            }
        }
    }
    Ok(Answer { status: parts.status, headers: parts.headers, body: bytes })
}
