//! The servers. Each prints its address, serves one connection, and ends with it.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::Path;
use axum::routing::{get as axum_get, post as axum_post};
use bytes::Bytes;
use http::{HeaderValue, Request, Response, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use manywire::content::{Lent, Text};
use manywire::{Api, Format, Service, get, post};
use tokio::net::{TcpListener, TcpStream};

use super::Scenario;
use super::documents::{Hotel, Person, PersonRef, hotels};

/// The stacks, the base first.
pub const STACKS: [&str; 3] = ["hyper", "manywire", "axum"];

/// The most a body may take, in bytes, and how long a head or a body may take: the same in each
/// stack that can be told.
const BODY_BYTES_MAX: usize = 2 << 20;
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
const BODY_TIMEOUT: Duration = Duration::from_secs(15);

/// Our service, with every default on.
pub fn manywire(scenario: Scenario) -> Service {
    let echo = post("/echo").body::<Person>().returns::<Person>();
    let lent = post("/lent").body::<Lent<PersonRef<'_>>>().returns::<Lent<PersonRef<'_>>>();
    let list = get("/hotels").returns::<Shared>();
    let all = Arc::new(hotels());
    let mut api = Api::new("Bench")
        .formats([Format::Json, Format::MsgPack, Format::Cbor, Format::Protobuf])
        .serve(echo.to(|person| async move { person }))
        .serve(lent.to(|person| async move { person }))
        .serve(list.to(move || {
            let all = Shared(Arc::clone(&all));
            async move { all }
        }));
    for route in 0..scenario.routes() {
        let tiny = get(format!("/r{route}/{{id}}")).path::<String>().returns::<Text>();
        api = api.serve(tiny.to(|id| async move { id }));
    }
    match api.build() {
        Ok(service) => service,
        Err(error) => panic!("{error}"),
    }
}

/// Serves one connection.
///
/// # Errors
/// When no port can be bound.
pub async fn serve(stack: &str, scenario: Scenario) -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    let (stream, _) = listener.accept().await?;
    stream.set_nodelay(true)?;
    let ended = match stack {
        "manywire" => connection(stream, manywire(scenario)).await,
        "axum" => connection(stream, TowerToHyperService::new(axum(scenario))).await,
        _ => raw(stream, scenario).await,
    };
    ended.map_err(io::Error::other)
}

/// The connection that every stack is served on.
async fn connection<S, B>(stream: TcpStream, service: S) -> hyper::Result<()>
where
    S: hyper::service::Service<Request<Incoming>, Response = Response<B>>,
    S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    B: hyper::body::Body + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .serve_connection(TokioIo::new(stream), service)
        .await
}

/// Hyper alone: the path by hand, or by the same index where there are many.
async fn raw(stream: TcpStream, scenario: Scenario) -> hyper::Result<()> {
    let all = Arc::new(hotels());
    let mut router = matchit::Router::new();
    for route in 0..scenario.routes() {
        if let Err(error) = router.insert(format!("/r{route}/{{id}}"), ()) {
            panic!("{error}");
        }
    }
    let router = Arc::new(router);
    let service = service_fn(move |request: Request<Incoming>| {
        let (all, router) = (Arc::clone(&all), Arc::clone(&router));
        async move {
            Ok::<_, Infallible>(match scenario {
                Scenario::Echo | Scenario::Lent => raw_echo(request).await,
                Scenario::Hotels => json(serde_json::to_vec(&*all).unwrap_or_default()),
                Scenario::Tiny => {
                    let id = request.uri().path().strip_prefix("/r0/").unwrap_or_default();
                    text(id.to_owned())
                }
                Scenario::Last => {
                    let found = router.at(request.uri().path()).ok();
                    let id = found.and_then(|found| found.params.get("id").map(str::to_owned));
                    text(id.unwrap_or_default())
                }
            })
        }
    });
    connection(stream, service).await
}

/// What a careful author writes: a limit, a timer, a status for bytes that are not JSON.
async fn raw_echo(request: Request<Incoming>) -> Response<Full<Bytes>> {
    let body = Limited::new(request.into_body(), BODY_BYTES_MAX).collect();
    let body = match tokio::time::timeout(BODY_TIMEOUT, body).await {
        Ok(Ok(body)) => body.to_bytes(),
        _ => return status(413),
    };
    match serde_json::from_slice::<Person>(&body) {
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

fn axum(scenario: Scenario) -> axum::Router {
    let all = Arc::new(hotels());
    let mut router = axum::Router::new()
        .route(
            "/echo",
            axum_post(async |axum::Json(person): axum::Json<Person>| axum::Json(person)),
        )
        .route(
            "/lent",
            axum_post(async |axum::Json(person): axum::Json<Person>| axum::Json(person)),
        )
        .route(
            "/hotels",
            axum_get(move || {
                let all = Shared(Arc::clone(&all));
                async move { axum::Json(all) }
            }),
        );
    for route in 0..scenario.routes() {
        router =
            router.route(&format!("/r{route}/{{id}}"), axum_get(async |Path(id): Path<String>| id));
    }
    router
}

/// The hotels without a copy of them: what is measured is writing them.
#[derive(Clone, manywire::Shaped)]
#[shaped(as = "Vec<Hotel>")]
pub struct Shared(Arc<Vec<Hotel>>);

impl serde::Serialize for Shared {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}
