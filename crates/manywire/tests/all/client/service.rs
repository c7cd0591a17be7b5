//! The endpoints, and servers that count their requests.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::TokioIo;
use manywire::content::{Items, NoContent, Raw, Text};
use manywire::input::{Body, Cookie, Header, Path, Query};
use manywire::{
    Api, Client, Endpoint, Failure, Format, Problem, Service, Shaped, delete, get, post, put,
};
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;

use crate::support::client;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
pub(crate) struct Hotel {
    pub(crate) id: u64,
    pub(crate) name: String,
    pub(crate) rates: Vec<f64>,
    pub(crate) near: Option<Box<Hotel>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
pub(crate) struct Filter {
    pub(crate) city: String,
    pub(crate) limit: Option<u32>,
    #[serde(default)]
    pub(crate) tags: Vec<String>,
    pub(crate) order: Option<Order>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Shaped)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Order {
    Name,
    Stars,
}

#[derive(Debug, PartialEq, Failure)]
pub(crate) enum HotelError {
    /// No such hotel
    #[failure(status = 404, type = "/problems/no-such-hotel")]
    NotFound(String),
    /// Closed for good
    #[failure(status = 410)]
    Closed,
}

pub(crate) fn find() -> Endpoint<(Path<u64>,), Hotel, HotelError> {
    get("/hotels/{id}").path::<u64>().returns::<Hotel>().fails::<HotelError>()
}

pub(crate) fn create() -> Endpoint<(Body<Hotel>,), Hotel> {
    post("/hotels").body::<Hotel>().status(201).returns::<Hotel>()
}

pub(crate) fn list() -> Endpoint<(Query<Filter>,), Vec<Filter>> {
    get("/hotels").query::<Filter>().returns::<Vec<Filter>>()
}

type Rooms = (Path<String>, Header<Option<bool>>, Cookie<u16>, Body<Hotel>);

pub(crate) fn room() -> Endpoint<Rooms, Hotel> {
    put("/hotels/{name}/room")
        .path::<String>()
        .header::<Option<bool>>("x-dry-run")
        .cookie::<u16>("session")
        .body::<Hotel>()
        .returns::<Hotel>()
}

pub(crate) fn text() -> Endpoint<(Body<Text>,), Text> {
    post("/text").body::<Text>().returns::<Text>()
}

pub(crate) fn file() -> Endpoint<(Path<String>,), Raw> {
    get("/files/{*rest}").path::<String>().returns::<Raw>()
}

pub(crate) fn search() -> Endpoint<(Path<String>,), Text> {
    get("/hotels:find/50%25 off/{name}.txt").path::<String>().returns::<Text>()
}

pub(crate) fn gone() -> Endpoint<(), NoContent> {
    delete("/all")
}

pub(crate) fn hotel(id: u64) -> Hotel {
    let near = (id > 1).then(|| Box::new(hotel(id / 2)));
    Hotel { id, name: format!("Hôtel {id}"), rates: vec![80.5; 200], near }
}

/// Sums up a stream, and responds in text regardless of the formats.
pub(crate) fn sum() -> Endpoint<(Body<Items<u64>>,), Text> {
    post("/sum").body::<Items<u64>>().returns::<Text>()
}

/// Returns a service of all endpoints in these formats.
pub(crate) fn service(formats: &[Format]) -> Service {
    let mut api = Api::new("Hotels").formats(formats.iter().copied());
    // Some formats have no framing for streams.
    if formats.iter().any(|format| manywire::content::Framing::of(*format).next().is_some()) {
        api = api.serve(sum().to(|mut numbers| async move {
            let mut sum = 0;
            while let Some(number) = numbers.next().await {
                sum += number?;
            }
            Ok::<_, Problem>(sum.to_string())
        }));
    }
    api.serve(find().to(|id| async move {
        match id {
            0 => Err(HotelError::NotFound("there is no hotel 0".to_owned())),
            1 => Err(HotelError::Closed),
            id => Ok(hotel(id)),
        }
    }))
    .serve(create().to(|hotel| async move { hotel }))
    .serve(list().to(|filter| async move { vec![filter.clone(), filter] }))
    .serve(room().to(|name, dry_run, session, hotel| async move {
        let name = format!("{name} {dry_run:?} {session}");
        Hotel { name, ..hotel }
    }))
    .serve(text().to(|text| async move { text.to_uppercase() }))
    .serve(file().to(|rest| async move { bytes::Bytes::from(rest) }))
    .serve(search().to(|name| async move { name }))
    .serve(gone().to(|| async {}))
    .build()
    .unwrap_or_else(|error| panic!("{error}"))
}

/// A server that counts its requests and connections.
pub(crate) struct Counted {
    pub(crate) address: SocketAddr,
    requests: Arc<AtomicUsize>,
    connections: Arc<AtomicUsize>,
}

impl Counted {
    pub(crate) async fn serve(service: Service) -> Counted {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let (requests, connections) =
            (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
        let (counted, opened) = (Arc::clone(&requests), Arc::clone(&connections));
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.expect("a connection");
                opened.fetch_add(1, Ordering::SeqCst);
                let (service, counted) = (service.clone(), Arc::clone(&counted));
                let counting = service_fn(move |request| {
                    counted.fetch_add(1, Ordering::SeqCst);
                    service.call(request)
                });
                tokio::spawn(
                    http1::Builder::new().serve_connection(TokioIo::new(stream), counting),
                );
            }
        });
        Counted { address, requests, connections }
    }

    pub(crate) fn client(&self) -> Client {
        client(self.address)
    }

    /// Returns the number of requests since the previous call.
    pub(crate) fn requests(&self) -> usize {
        self.requests.swap(0, Ordering::SeqCst)
    }

    /// Returns the total number of connections.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}
