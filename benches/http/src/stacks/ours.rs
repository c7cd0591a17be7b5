//! Our service with all defaults on. For many idle connections, the limits on their number are off.

use std::io;
use std::sync::Arc;

use manywire::content::{Text, ZeroCopy};
use manywire::{Api, Format, Limits, Service, get, post};

use crate::Scenario;
use crate::documents::{Person, PersonRef, SharedCatalogue, SharedHotels, catalogue, hotels};
use crate::process::ended;

/// The formats of the service.
const FORMATS: [Format; 6] =
    [Format::Json, Format::MsgPack, Format::Cbor, Format::Protobuf, Format::Avro, Format::Bson];

/// Returns the service of a scenario.
///
/// # Panics
/// Panics if the library refuses the endpoints.
pub fn manywire(scenario: Scenario) -> Service {
    let echo = post("/echo").body::<Person>().returns::<Person>();
    let borrowed =
        post("/lent").body::<ZeroCopy<PersonRef<'_>>>().returns::<ZeroCopy<PersonRef<'_>>>();
    let list = get("/hotels").returns::<SharedHotels>();
    let whole = get("/catalogue").returns::<SharedCatalogue>();
    let hotels = SharedHotels(Arc::new(hotels()));
    let catalogue = SharedCatalogue(Arc::new(catalogue()));
    let mut api = Api::new("Bench")
        .formats(FORMATS)
        .serve(echo.to(|person| async move { person }))
        .serve(borrowed.to(|person| async move { person }))
        .serve(list.to(move || {
            let hotels = hotels.clone();
            async move { hotels }
        }))
        .serve(whole.to(move || {
            let catalogue = catalogue.clone();
            async move { catalogue }
        }));
    for route in 0..scenario.routes() {
        let tiny = get(format!("/r{route}/{{id}}")).path::<String>().returns::<Text>();
        api = api.serve(tiny.to(|id| async move { id }));
    }
    if scenario == Scenario::Idle {
        let limits = Limits::DEFAULT.with_connections(usize::MAX);
        api = api.limits(limits.with_peer_connections(usize::MAX));
    }
    api.build().unwrap_or_else(|error| panic!("{error}"))
}

/// Runs the service behind its own server.
pub(super) async fn run(scenario: Scenario) -> io::Result<()> {
    let server = manywire(scenario).bind("127.0.0.1:0").await?;
    println!("{}", server.local_address());
    server.run_until(ended()).await
}
