//! A checked-in `.proto` fixes the numbers of fields, on the wire and in the documents.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::Request;
use http::request::Builder;
use manywire::content::dynamic::Shape;
use manywire::content::{Items, Multipart, Raw, Type};
use manywire::{
    Api, CallError, Client, Fault, Format, InputLocation, InvalidApi, Problem, Service, Shaped,
    StatusCode, get, post,
};
use serde::{Deserialize, Serialize};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::support::{client, listening, send};

/// The published version, with `name` as the first field of `Hotel`.
const PUBLISHED: &str = r#"syntax = "proto3";

message Hotel {
  reserved 3;
  reserved "stars";
  string name = 1;
  uint64 id = 2;
}
"#;

/// The current version: reordered, with a new field.
mod reordered {
    use super::*;

    #[derive(Serialize, Deserialize, Shaped)]
    pub(super) struct Hotel {
        pub(super) id: u64,
        pub(super) open: bool,
        pub(super) name: String,
    }
}

fn api<T: Serialize + for<'de> Deserialize<'de> + Shaped + Send + 'static>(
    format: Format,
    make: fn() -> T,
) -> Api {
    let show = get("/hotel").returns::<T>();
    let echo = post("/hotel").body::<T>().returns::<T>();
    Api::new("Hotels")
        .formats([format])
        .documented()
        .serve(show.to(move || async move { make() }))
        .serve(echo.to(|hotel| async move { hotel }))
}

fn hotel() -> reordered::Hotel {
    reordered::Hotel { id: 7, open: true, name: "Ritz".to_owned() }
}

#[derive(Serialize, Deserialize, Shaped)]
struct Upload {
    hotel: reordered::Hotel,
}

/// Parts belong to no message and have no locked numbers, so they are refused in numbered formats.
/// The refusal lists the other formats, so a client can choose one.
#[tokio::test]
async fn restricts_parts_to_formats_without_numbers() {
    let upload = post("/upload").body::<Multipart<Upload>>().returns::<u64>();
    let route = upload.clone().to(|form| async move {
        let Upload { hotel } = form.read().await?;
        Ok::<u64, Problem>(hotel.id)
    });
    let api = Api::new("Hotels")
        .formats([Format::Protobuf, Format::Json, Format::Avro])
        .schema_lock(PUBLISHED)
        .documented()
        .serve(route);
    let client = client(listening(api.build().expect("a valid API")).await);
    let form = || Multipart::new().with_value("hotel", hotel());
    let machines = client.clone().formats([Format::Protobuf]);
    let error = machines.call(&upload, form()).await.expect_err("no shared format");
    let CallError::Problem(problem) = &error else { panic!("{error}") };
    assert_eq!(
        (problem.status().as_u16(), problem.available()),
        (415, &["application/json".to_owned()][..])
    );
    let either = client.clone().formats([Format::Protobuf, Format::Json]);
    assert_eq!(either.call(&upload, form()).await.expect("an id"), 7);
    // A client with the lock does not try.
    let locked = client.formats([Format::Protobuf]).schema_lock(PUBLISHED);
    let error = locked.call(&upload, form()).await.expect_err("no format");
    assert!(error.to_string().contains("list json, msgpack, cbor or bson"), "{error}");
    let document = get("/openapi.json").returns::<Raw>();
    let document = either.call(&document, ()).await.expect("a document");
    let document: serde_json::Value = serde_json::from_slice(&document).expect("JSON");
    let body =
        &document["paths"]["/upload"]["post"]["requestBody"]["content"]["multipart/form-data"];
    assert_eq!(body["encoding"]["hotel"]["contentType"], "application/json");
}

/// Returns the status of a response to a hotel in MessagePack.
async fn status_of((path, hotel): (&str, &[u8]), formats: &[Format], lock: Option<&str>) -> u16 {
    let route = match path {
        "/typed" => {
            let typed = post(path).body::<reordered::Hotel>().returns::<u64>();
            typed.to(|hotel| async move { hotel.id })
        }
        "/dynamic" => {
            let shape = Type::from(Shape::of::<reordered::Hotel>());
            post(path).body_shape(shape).returns::<u64>().to(|_| async { 7_u64 })
        }
        "/items" => {
            let items = post(path).body::<Items<reordered::Hotel>>().returns::<u64>();
            items.to(|mut hotels| async move {
                let mut sum = 0;
                while let Some(hotel) = hotels.next().await {
                    sum += hotel?.id;
                }
                Ok::<u64, Problem>(sum)
            })
        }
        path => post(path)
            .body::<Multipart<Upload>>()
            .returns::<u64>()
            .to(|form| async move { Ok::<u64, Problem>(form.read().await?.hotel.id) }),
    };
    let msgpack = "application/vnd.msgpack";
    let (content_type, body) = match path {
        "/form" => {
            let head = format!(
                "--edge\r\nContent-Disposition: form-data; name=\"hotel\"\r\n\
                 Content-Type: {msgpack}\r\n\r\n"
            );
            let body = [head.as_bytes(), hotel, b"\r\n--edge--\r\n"].concat();
            ("multipart/form-data; boundary=edge", body)
        }
        _ => (msgpack, hotel.to_vec()),
    };
    let request = Request::post(path).header("content-type", content_type);
    let api = Api::new("Hotels").formats(formats.iter().copied()).serve(route);
    let api = match lock {
        Some(lock) => api.schema_lock(lock),
        None => api,
    };
    send(&api.build().expect("a valid API"), request, body).await.status.as_u16()
}

/// With a lock, MessagePack is read by position only where the lock fixes the positions of fields.
#[tokio::test]
async fn reads_arrays_of_fields_only_in_locked_positions() {
    let by_name: &[u8] = b"\x83\xA2id\x07\xA4open\xC3\xA4name\xA4Ritz";
    let by_position: &[u8] = b"\x93\x07\xC3\xA4Ritz";
    let in_order = "syntax = \"proto3\"; message Hotel { uint64 id = 1; bool open = 2; }";
    let both = [Format::MsgPack, Format::MsgPackArray];
    for (formats, lock, whole, part) in [
        (&both[..1], None, 200, 200),
        (&both[..1], Some(PUBLISHED), 422, 422),
        (&both[..], Some(in_order), 200, 422),
    ] {
        for (path, expected) in
            [("/typed", whole), ("/dynamic", whole), ("/items", whole), ("/form", part)]
        {
            assert_eq!(status_of((path, by_name), formats, lock).await, 200, "{path} {formats:?}");
            let status = status_of((path, by_position), formats, lock).await;
            assert_eq!(status, expected, "{path} {formats:?} {lock:?}");
        }
    }
}

#[tokio::test]
async fn a_client_with_the_lock_reads_arrays_of_fields_only_if_it_lists_them() {
    let show = get("/hotel").returns::<reordered::Hotel>();
    let api = Api::new("Hotels").formats([Format::MsgPackArray]);
    let service = api.serve(show.clone().to(|| async { hotel() })).build().expect("an API");
    let client = Client::of(service).formats([Format::MsgPack]);
    assert_eq!(client.call(&show, ()).await.expect("either layout").id, 7);
    let locked = client.schema_lock(PUBLISHED);
    let error = locked.call(&show, ()).await.map(|hotel| hotel.id).expect_err("by position");
    assert!(error.to_string().contains("fields are read by name only"), "{error}");
    let both = locked.formats([Format::MsgPack, Format::MsgPackArray]);
    assert_eq!(both.call(&show, ()).await.expect("either layout").id, 7);
}

/// The library fixes the positions of a problem's fields, so a lock does not concern them.
#[tokio::test]
async fn a_client_with_the_lock_reads_problems_in_either_layout() {
    let show = get("/hotel").returns::<reordered::Hotel>();
    let refuse = show.clone().to(|| async {
        let fault = Fault::new(InputLocation::Query, "stars", "expected a number");
        let problem = Problem::new(StatusCode::UNPROCESSABLE_ENTITY).with_error(fault);
        Err::<reordered::Hotel, _>(problem)
    });
    let api = Api::new("Hotels").formats([Format::MsgPackArray]).serve(refuse);
    let client = Client::of(api.build().expect("an API")).schema_lock(PUBLISHED);
    let both = [Format::MsgPack, Format::MsgPackArray];
    for formats in [&both[..1], &both[1..], &both[..]] {
        let client = client.clone().formats(formats.iter().copied());
        let error = client.call(&show, ()).await.map(|hotel| hotel.id).expect_err("a problem");
        let CallError::Problem(problem) = &error else { panic!("{formats:?}: {error}") };
        let fault = &problem.errors()[0];
        assert_eq!((fault.name(), fault.detail()), (Some("stars"), "expected a number"));
    }
}

async fn exchange(service: &Service, request: Builder, body: &'static [u8]) -> Bytes {
    let answer = send(service, request, body).await;
    assert_eq!(answer.status, 200);
    answer.body
}

/// The field `name` is 1 in Protocol Buffers, `id` is 2, and the new `open` is 4, since 3 was
/// removed.
const BYTES: &[u8] = b"\x10\x07\x20\x01\x0A\x04Ritz";

#[tokio::test]
async fn keeps_numbers_when_fields_move() {
    let service = api(Format::Protobuf, hotel).schema_lock(PUBLISHED).build().expect("an API");
    assert_eq!(exchange(&service, Request::get("/hotel"), b"").await, BYTES);
    let echoed = Request::post("/hotel").header("content-type", "application/protobuf");
    assert_eq!(exchange(&service, echoed, BYTES).await, BYTES);

    let schema = exchange(&service, Request::get("/schema.proto"), b"").await;
    let text = String::from_utf8(schema.into()).expect("UTF-8");
    for line in ["uint64 id = 2;", "bool open = 4;", "string name = 1;", "reserved 3;"] {
        assert!(text.contains(line), "{line} in\n{text}");
    }
    // The generated `.proto` is the next lock, and changes nothing.
    let again = api(Format::Protobuf, hotel).schema_lock(&text).documents().expect("documents");
    assert_eq!(again.proto(), Some(text.as_str()));
}

#[test]
fn assigns_numbers_by_order_without_a_lock() {
    let documents = api(Format::Protobuf, hotel).documents().expect("documents");
    assert!(documents.proto().is_some_and(|text| text.contains("uint64 id = 1;")));
}

fn refused<T>(result: Result<T, InvalidApi>) -> String {
    match result {
        Ok(_) => panic!("the lock holds nothing back"),
        Err(invalid) => invalid.to_string(),
    }
}

mod renumbered {
    use super::*;

    #[derive(Default, Serialize, Deserialize, Shaped)]
    pub(super) struct Hotel {
        #[shaped(number = 3)]
        pub(super) id: u64,
        pub(super) name: u32,
        pub(super) stars: u8,
    }
}

#[test]
fn rejects_changes_that_break_the_lock_with_advice() {
    let api = api(Format::Protobuf, renumbered::Hotel::default).schema_lock(PUBLISHED);
    let text = refused(api.build());
    for words in [
        "Hotel.id has number 2 in the lock but declares 3: declare 2, or no number",
        "Hotel.name = 1 is string in the lock and would become uint32",
        "Hotel.stars takes the name \"stars\", which belongs to a field that was removed",
    ] {
        assert!(text.contains(words), "{words} in\n{text}");
    }
}

#[test]
fn locks_positional_formats() {
    for format in [Format::MsgPackArray, Format::Avro] {
        let text = refused(api(format, hotel).schema_lock(PUBLISHED).build());
        assert!(text.contains("Hotel.name was field 1 and would be field 3"), "{text}");
        // Additional fields break nothing.
        let start = "syntax = \"proto3\"; message Hotel { uint64 id = 1; bool open = 2; }";
        assert!(api(format, hotel).schema_lock(start).build().is_ok());
    }
}

#[test]
fn reports_the_location_of_an_invalid_lock() {
    let text = refused(api(Format::Protobuf, hotel).schema_lock("message {").build());
    assert!(text.contains("schema_lock:1:9"), "{text}");
}

/// A subscriber that keeps the messages of warnings.
#[derive(Clone, Default)]
struct Warnings(Arc<Mutex<Vec<String>>>);

impl Subscriber for Warnings {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() == tracing::Level::WARN
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut text = String::new();
        event.record(&mut |field: &tracing::field::Field, value: &dyn std::fmt::Debug| {
            text.push_str(&format!("{field}={value:?} "));
        });
        self.0.lock().expect("not poisoned").push(text);
    }

    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

fn warnings(api: Api) -> Vec<String> {
    let warnings = Warnings::default();
    tracing::subscriber::with_default(warnings.clone(), || api.build().expect("an API"));
    warnings.0.lock().expect("not poisoned").clone()
}

#[test]
fn warns_of_numbers_that_may_move() {
    let unlocked = warnings(api(Format::Protobuf, hotel));
    assert_eq!(unlocked.len(), 1, "{unlocked:?}");
    assert!(unlocked[0].contains("schema_lock"), "{unlocked:?}");
    let older = warnings(api(Format::Protobuf, hotel).schema_lock(PUBLISHED));
    assert_eq!(older.len(), 1, "{older:?}");
    assert!(older[0].contains("Hotel.open"), "{older:?}");
    let text = api(Format::Protobuf, hotel).documents().expect("documents");
    let text = text.proto().expect("a .proto").to_owned();
    assert!(warnings(api(Format::Protobuf, hotel).schema_lock(text)).is_empty());
    assert!(warnings(api(Format::Json, hotel)).is_empty(), "JSON has no numbers");
}
