//! Hotels in axum, in the format each client asks for.
//!
//! `cargo run -p manywire-axum --example axum -- 127.0.0.1:8080`, then
//! `curl -s -H 'Accept: application/cbor' http://127.0.0.1:8080/hotels/7`.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use manywire::content::Items;
use manywire::{Failure, Format, Problem, Shaped};
use manywire_axum::{Wire, WireLayer};
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
#[cfg(unix)]
use tokio::signal::unix::{SignalKind, signal};

#[derive(Clone, Serialize, Deserialize, Shaped)]
struct Hotel {
    id: u64,
    name: String,
    stars: Option<u8>,
}

#[derive(Failure)]
enum HotelError {
    /// No such hotel
    #[failure(status = 404, type = "/problems/no-such-hotel")]
    NotFound(String),
    /// There is such a hotel already
    #[failure(status = 409, type = "/problems/taken")]
    Taken,
}

/// The stored hotels by id.
type Hotels = Arc<Mutex<BTreeMap<u64, Hotel>>>;

async fn find(
    State(hotels): State<Hotels>,
    Path(id): Path<u64>,
) -> Result<Wire<Hotel>, Wire<Problem>> {
    let hotels = hotels.lock().unwrap_or_else(PoisonError::into_inner);
    let hotel = hotels.get(&id).cloned();
    Ok(Wire(hotel.ok_or_else(|| HotelError::NotFound(format!("there is no hotel {id}")))?))
}

/// In `application/x-ndjson`, a JSON array, server-sent events, a CBOR sequence …
async fn all(State(hotels): State<Hotels>) -> Wire<Items<Hotel>> {
    let hotels = hotels.lock().unwrap_or_else(PoisonError::into_inner);
    let hotels: Vec<Hotel> = hotels.values().cloned().collect();
    Wire(Items::from_values(hotels))
}

async fn create(
    State(hotels): State<Hotels>,
    Wire(hotel): Wire<Hotel>,
) -> Result<impl IntoResponse, Wire<Problem>> {
    let mut hotels = hotels.lock().unwrap_or_else(PoisonError::into_inner);
    if hotels.contains_key(&hotel.id) {
        Err(HotelError::Taken)?;
    }
    hotels.insert(hotel.id, hotel.clone());
    let location = format!("/hotels/{}", hotel.id);
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Wire(hotel)))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let hotels: Hotels = Arc::default();
    let app = Router::new()
        .route("/hotels", post(create).get(all))
        .route("/hotels/{id}", get(find))
        .layer(WireLayer::new([Format::Json, Format::MsgPack, Format::Cbor, Format::Protobuf])?)
        .with_state(hotels);
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8080".to_owned());
    let listener = TcpListener::bind(&address).await?;
    println!("listening on http://{}", listener.local_addr()?);
    axum::serve(listener, app).with_graceful_shutdown(terminated()).await?;
    Ok(())
}

/// Waits for Ctrl-C or, on Unix, SIGTERM.
async fn terminated() {
    #[cfg(unix)]
    if let Ok(mut terminate) = signal(SignalKind::terminate()) {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = tokio::signal::ctrl_c() => {}
        }
        return;
    }
    // If the handler cannot be installed, the signal itself ends the process.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}
