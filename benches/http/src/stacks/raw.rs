//! Hyper alone, with routing by hand, or by `matchit`, as in the library, if there are many routes.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, Request, Response, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::service::service_fn;

use super::server::{BODY_BYTES_MAX, BODY_TIMEOUT, Protection, listen};
use crate::Scenario;
use crate::documents::{Catalogue, Hotel, Person, catalogue, hotels};
use crate::handwritten::HandwrittenCodec;

/// The data that the responses are made of.
struct Known {
    hotels: Vec<Hotel>,
    catalogue: Catalogue,
    codecs: HandwrittenCodec,
    router: matchit::Router<()>,
    protection: Protection,
}

pub(super) async fn run(scenario: Scenario, protection: Protection) -> io::Result<()> {
    let mut router = matchit::Router::new();
    for route in 0..scenario.routes() {
        router.insert(format!("/r{route}/{{id}}"), ()).map_err(io::Error::other)?;
    }
    let codecs = HandwrittenCodec::for_type::<Catalogue>().map_err(io::Error::other)?;
    let known =
        Arc::new(Known { hotels: hotels(), catalogue: catalogue(), codecs, router, protection });
    let service = service_fn(move |request: Request<Incoming>| {
        let known = Arc::clone(&known);
        async move { Ok::<_, Infallible>(answer(&known, scenario, request).await) }
    });
    listen(service, protection, scenario).await
}

async fn answer(
    known: &Known,
    scenario: Scenario,
    request: Request<Incoming>,
) -> Response<Full<Bytes>> {
    match scenario {
        Scenario::Echo | Scenario::Lent => match known.protection {
            Protection::Full => echo(request).await,
            Protection::None => echo_any(request).await,
        },
        Scenario::Hotels | Scenario::HotelsHttp2 => {
            json(serde_json::to_vec(&known.hotels).unwrap_or_default())
        }
        Scenario::Tiny
        | Scenario::Curl
        | Scenario::Browser
        | Scenario::TinyHttp2
        | Scenario::Idle => {
            let id = request.uri().path().strip_prefix("/r0/").unwrap_or_default();
            text(id.to_owned())
        }
        Scenario::Last => {
            let found = known.router.at(request.uri().path()).ok();
            let id = found.and_then(|found| found.params.get("id").map(str::to_owned));
            text(id.unwrap_or_default())
        }
        Scenario::Catalogue(format) => {
            let content = known.codecs.write(format, &known.catalogue).unwrap_or_default();
            typed(content.into(), format.row().media_type)
        }
    }
}

/// A handler as a careful author writes it: a limit, a timer, a status for bytes that are not JSON.
async fn echo(request: Request<Incoming>) -> Response<Full<Bytes>> {
    let body = Limited::new(request.into_body(), BODY_BYTES_MAX).collect();
    let body = match tokio::time::timeout(BODY_TIMEOUT, body).await {
        Ok(Ok(body)) => body.to_bytes(),
        _ => return status(413),
    };
    echoed(&body)
}

/// A handler without a limit or a timer.
async fn echo_any(request: Request<Incoming>) -> Response<Full<Bytes>> {
    match request.into_body().collect().await {
        Ok(body) => echoed(&body.to_bytes()),
        Err(_) => status(400),
    }
}

fn echoed(body: &[u8]) -> Response<Full<Bytes>> {
    match serde_json::from_slice::<Person>(body) {
        Ok(person) => json(serde_json::to_vec(&person).unwrap_or_default()),
        Err(_) => status(400),
    }
}

fn json(content: Vec<u8>) -> Response<Full<Bytes>> {
    typed(content.into(), "application/json")
}

fn text(content: String) -> Response<Full<Bytes>> {
    typed(content.into(), "text/plain; charset=utf-8")
}

fn typed(content: Bytes, content_type: &'static str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(content));
    let content_type = HeaderValue::from_static(content_type);
    response.headers_mut().insert(header::CONTENT_TYPE, content_type);
    response
}

fn status(status: u16) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = http::StatusCode::from_u16(status).unwrap_or_default();
    response
}
