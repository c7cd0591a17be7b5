//! A small service. Every endpoint responds in JSON, MessagePack, CBOR, Protocol Buffers, Avro or
//! BSON, as the client asks, and reads each of them.
//!
//! ```text
//! cargo run --release --example hotels -- --listen 127.0.0.1:8080   # or unix:/tmp/hotels.sock
//! curl -s -H 'Accept: application/cbor' http://127.0.0.1:8080/hotels/7 | manywire explain - --from cbor
//! ```

use std::process::ExitCode;
use std::sync::Arc;

use manywire::content::{Items, Text};
use manywire::{Api, Failure, Format, Reply, Service, Shaped, get, post, scope};
use serde::{Deserialize, Serialize};

/// A hotel and its rooms.
#[derive(Clone, Debug, Serialize, Deserialize, Shaped)]
struct Hotel {
    id: u64,
    name: String,
    city: String,
    stars: u8,
    rooms: Vec<Room>,
}

/// A type of room.
#[derive(Clone, Debug, Serialize, Deserialize, Shaped)]
struct Room {
    code: String,
    beds: u8,
    rate: f64,
    breakfast: bool,
}

/// The filter of a list of hotels.
#[derive(Debug, Serialize, Deserialize, Shaped)]
struct Filter {
    city: Option<String>,
    limit: Option<u32>,
}

/// A person, as an example of a body.
#[derive(Debug, Serialize, Deserialize, Shaped)]
struct Person {
    name: String,
    age: u32,
    tags: Vec<String>,
}

/// The errors of looking up a hotel.
#[derive(Debug, Failure)]
enum HotelError {
    /// No such hotel
    #[failure(status = 404, type = "/problems/no-such-hotel")]
    NotFound(String),
}

/// Returns fifty hotels in five cities.
fn hotels() -> Vec<Hotel> {
    const CITIES: [&str; 5] = ["Wien", "Lisboa", "Kraków", "Porto", "Graz"];
    let room = |number: u32| Room {
        code: format!("R{number}"),
        beds: 1 + (number % 4) as u8,
        rate: 80.0 + f64::from(number) * 12.5,
        breakfast: number.is_multiple_of(2),
    };
    let hotel = |id: u64| Hotel {
        id,
        name: format!("Hotel {id}"),
        city: CITIES[(id % 5) as usize].to_owned(),
        stars: 1 + (id % 5) as u8,
        rooms: (1..=10).map(room).collect(),
    };
    (1..=50).map(hotel).collect()
}

/// Returns the API without its endpoints. With the feature `metrics` it records metrics, and with
/// `docs-page` it has a page for people.
fn api() -> Api {
    let api = Api::new("Hotels")
        .description("Fifty hotels in five cities, in every format.")
        .license("MIT OR Apache-2.0")
        .tag("hotels", "Hotels and their rooms");
    #[cfg(feature = "metrics")]
    let api = api.metrics("/metrics");
    #[cfg(feature = "docs-page")]
    let api = api.docs_page("/docs");
    api
}

fn service() -> Result<Service, manywire::InvalidApi> {
    let all = Arc::new(hotels());

    let hotels = scope("/hotels").tag("hotels");
    let list = hotels.get("").query::<Filter>().returns::<Vec<Hotel>>().summary("Lists hotels");
    let find = hotels.get("/{id}").path::<u64>().returns::<Hotel>().fails::<HotelError>();
    let find = find.summary("Finds a hotel").describe("id", "Its number, from 1 to 50");
    let find = find.example("Hotel 1", &all[0]);
    let stream = hotels.get("/stream").returns::<Items<Hotel>>().summary("Streams all hotels");
    let stream =
        stream.description("One JSON text per line, unless the client prefers another form.");
    let create = hotels.post("").body::<Hotel>().status(201).returns::<Hotel>().sends("location");
    let create = create.summary("Returns a hotel as if it were created");
    let ada = Person { name: "Ada".to_owned(), age: 36, tags: vec!["first".to_owned()] };
    let echo = post("/echo").body::<Person>().returns::<Person>().summary("Returns a person");
    let echo = echo.body_example("Ada", &ada).example("Ada", &ada);
    let text = get("/text/{s}").path::<String>().returns::<Text>().summary("Returns a segment");
    let health = get("/health").summary("Returns nothing");

    let (listed, streamed) = (Arc::clone(&all), Arc::clone(&all));
    api()
        .formats([
            Format::Json,
            Format::MsgPack,
            Format::Cbor,
            Format::Protobuf,
            Format::Avro,
            Format::Bson,
        ])
        .documented()
        .serve(list.to(move |filter| {
            let all = Arc::clone(&listed);
            async move {
                let is_there =
                    |hotel: &&Hotel| filter.city.as_ref().is_none_or(|city| *city == hotel.city);
                let limit = filter.limit.map_or(usize::MAX, |limit| limit as usize);
                all.iter().filter(is_there).take(limit).cloned().collect::<Vec<_>>()
            }
        }))
        .serve(stream.to(move || {
            let all = Arc::clone(&streamed);
            let hotels = (0..all.len()).filter_map(move |index| all.get(index).cloned());
            async move { Items::from_values(hotels) }
        }))
        .serve(
            find.to(move |id| {
                let found = all.iter().find(|hotel| hotel.id == id).cloned();
                async move {
                    found.ok_or_else(|| HotelError::NotFound(format!("there is no hotel {id}")))
                }
            }),
        )
        .serve(create.to(|hotel| async move {
            let location = format!("/hotels/{}", hotel.id);
            Reply::new(hotel).with_location(&location)
        }))
        .serve(echo.to(|person| async move { person }))
        .serve(text.to(|segment| async move { segment }))
        .serve(health.to(|| async {}))
        .build()
}

/// Returns the address of `--listen`, or the default address.
fn address() -> Result<String, String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [] => Ok("127.0.0.1:8080".to_owned()),
        [flag, address] if flag == "--listen" => Ok(address.clone()),
        other => {
            Err(format!("expected --listen ADDRESS:PORT or --listen unix:PATH, found {other:?}"))
        }
    }
}

async fn run(address: &str) -> Result<(), Box<dyn std::error::Error>> {
    let cannot = |error| format!("{address}: {error}");
    #[cfg(unix)]
    if let Some(path) = address.strip_prefix("unix:") {
        let server = service()?.bind_unix(path).await.map_err(cannot)?;
        println!("listening on unix:{path}");
        return Ok(server.run().await?);
    }
    let server = service()?.bind(address).await.map_err(cannot)?;
    println!("listening on http://{}", server.local_address());
    Ok(server.run().await?)
}

#[tokio::main]
async fn main() -> ExitCode {
    let result = match address() {
        Ok(address) => run(&address).await.map_err(|error| error.to_string()),
        Err(usage) => Err(usage),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}
