//! Generated messages as content over the wire, compared with our own Protocol Buffers codec.

use std::convert::Infallible;

use bytes::Bytes;
use http::{HeaderMap, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use manywire::content::Items;
use manywire::input::Body;
use manywire::{Api, Client, Endpoint, Format, Problem, Service, Shaped, post};
use manywire_codec::Limits;
use manywire_codec::protobuf::Plan;
use manywire_format::SchemaNeeds;
use manywire_prost::{Prost, ProstSerde, Schemas};
use manywire_shape::{Arena, Shape, ValueSeed};
use prost::Message as _;
use serde::{Deserialize, Serialize};
use tower_service::Service as _;

/// The messages that prost-build generated.
mod generated {
    pub(crate) mod common {
        #![allow(unreachable_pub, missing_docs, rust_2018_idioms)]
        include!("../generated/common.rs");
    }
    pub(crate) mod hotels {
        pub(crate) mod v1 {
            #![allow(unreachable_pub, missing_docs, rust_2018_idioms)]
            include!("../generated/hotels.v1.rs");
        }
    }
}

use generated::common::Point;
use generated::hotels::v1::hotel::{Contact, Owner};
use generated::hotels::v1::{Hotel, Room, room};

const DESCRIPTORS: &[u8] = include_bytes!("../generated/descriptors.bin");

fn ritz() -> Hotel {
    let room = |code: &str, kind: room::Kind| Room {
        code: code.to_owned(),
        rate: 99.5,
        kind: kind.into(),
        breakfast: true,
    };
    #[allow(deprecated, reason = "a field that is deprecated is still a field")]
    Hotel {
        id: u64::MAX,
        name: "Ritz".to_owned(),
        rooms: vec![room("1a", room::Kind::Single), room("2b", room::Kind::Unspecified)],
        altitude: Some(-3),
        kinds: [("cheap".to_owned(), room::Kind::Single.into())].into(),
        annexes: [(-1, Hotel { id: 8, ..Hotel::default() })].into(),
        place: Some(Point { latitude: 48.2, longitude: 16.4 }),
        opened: None,
        codes: vec![1, 2, 3],
        years: vec![1898, -44],
        motto: "toujours".to_owned(),
        contact: Some(Contact::Owner(Owner { name: "César".to_owned(), since: 1898 })),
    }
}

fn api() -> Api {
    let machines = post("/machines").body::<Prost<Hotel>>().returns::<Prost<Hotel>>();
    let everybody = post("/everybody").body::<ProstSerde<Hotel>>().returns::<ProstSerde<Hotel>>();
    Api::new("Hotels")
        .formats([Format::Json, Format::MsgPack, Format::Avro, Format::Cbor, Format::Protobuf])
        .serve(machines.to(|hotel: Hotel| async move { hotel }))
        .serve(everybody.to(|hotel: Hotel| async move { hotel }))
}

async fn ask(
    service: &Service,
    path: &str,
    content_type: &str,
    accept: &str,
    body: impl Into<Bytes>,
) -> (StatusCode, HeaderMap, Bytes) {
    let method = if content_type.is_empty() { "GET" } else { "POST" };
    let request = Request::builder().method(method).uri(path).header("accept", accept);
    let request = request.header("content-type", content_type);
    let request = request.body(Full::new(body.into())).expect("a request");
    let answered: Result<_, Infallible> = service.clone().call(request).await;
    let (parts, body) = answered.expect("an answer").into_parts();
    (parts.status, parts.headers, body.collect().await.expect("a body").to_bytes())
}

const PROTOBUF: &str = "application/protobuf";

#[tokio::test]
async fn encodes_and_decodes_protobuf_with_prost() {
    let service = api().build().expect("an API");
    for path in ["/machines", "/everybody"] {
        let bytes = ritz().encode_to_vec();
        let (status, headers, body) =
            ask(&service, path, "application/x-protobuf", PROTOBUF, bytes).await;
        assert_eq!(
            (status.as_u16(), headers["content-type"].as_bytes()),
            (200, PROTOBUF.as_bytes())
        );
        assert_eq!(Hotel::decode(body).expect("a hotel"), ritz());
    }
}

#[tokio::test]
async fn encodes_and_decodes_other_formats_with_serde() {
    let service = api().build().expect("an API");
    let json = serde_json::to_vec(&ritz()).expect("JSON");
    let (status, headers, body) =
        ask(&service, "/everybody", "application/json", "application/json", json).await;
    assert_eq!(
        (status.as_u16(), headers["content-type"].as_bytes()),
        (200, &b"application/json"[..])
    );
    assert_eq!(serde_json::from_slice::<Hotel>(&body).expect("a hotel"), ritz());
    let (_, _, body) =
        ask(&service, "/everybody", "application/json", "application/cbor", body).await;
    assert_eq!(manywire_codec::cbor::from_slice::<Hotel>(&body).expect("a hotel"), ritz());
    let (_, _, body) =
        ask(&service, "/everybody", "application/cbor", "application/vnd.msgpack", body).await;
    assert_eq!(manywire_codec::msgpack::from_slice::<Hotel>(&body).expect("a hotel"), ritz());
    // The first listed format that can represent the message is used if there is no preference.
    let bytes = ritz().encode_to_vec();
    let (_, headers, _) = ask(&service, "/machines", PROTOBUF, "*/*", bytes.clone()).await;
    assert_eq!(headers["content-type"], PROTOBUF);
    let (_, headers, _) = ask(&service, "/everybody", PROTOBUF, "*/*", bytes).await;
    assert_eq!(headers["content-type"], "application/json");
}

/// The formats of `ProstSerde` are those whose bytes contain all names and types, which serde alone
/// writes and reads, and Protocol Buffers.
#[tokio::test]
async fn serves_every_format_that_needs_no_shape() {
    let echo = post("/echo").body::<ProstSerde<Hotel>>().returns::<ProstSerde<Hotel>>();
    // BSON has no unsigned integers of 64 bits, and only texts as keys.
    let hotel = || Hotel { id: 7, annexes: Default::default(), ..ritz() };
    for format in Format::ALL {
        let needs = format.row().schema;
        let is_served = needs == SchemaNeeds::InBand || format == Format::Protobuf;
        let route = echo.clone().to(|hotel: Hotel| async move { hotel });
        match Api::new("Hotels").formats([format]).serve(route).build() {
            Ok(service) => {
                assert!(is_served, "{format} needs {needs:?}");
                let client = Client::of(service).formats([format]);
                let echoed = client.call(&echo, hotel()).await;
                assert_eq!(echoed.unwrap_or_else(|error| panic!("{format}: {error}")), hotel());
            }
            Err(error) => assert!(!is_served, "{format}: {error}"),
        }
    }
}

#[tokio::test]
async fn rejects_unsupported_formats_and_invalid_messages() {
    let service = api().build().expect("an API");
    let problem =
        |body: Bytes| -> Problem { manywire_codec::json::from_slice(&body).expect("JSON") };
    let json = "application/json";

    let (status, _, body) =
        ask(&service, "/machines", PROTOBUF, json, ritz().encode_to_vec()).await;
    assert_eq!((status.as_u16(), problem(body).available()), (406, &[PROTOBUF.to_owned()][..]));
    let (status, headers, _) = ask(&service, "/machines", json, PROTOBUF, "{}").await;
    assert_eq!((status.as_u16(), headers["accept"].as_bytes()), (415, PROTOBUF.as_bytes()));
    let avro = ask(&service, "/everybody", "application/avro", json, "").await;
    assert_eq!(
        (avro.0.as_u16(), avro.1["accept"].to_str().expect("text")),
        (415, "application/json, application/vnd.msgpack, application/cbor, application/protobuf")
    );

    // The field rooms[0].rate as text: a valid message with a wrong type.
    let room = [&[0x0A, 1, b'x', 0x12, 1, b'y'][..]].concat();
    let hotel = [&[0x1A, 6][..], &room].concat();
    let (status, _, body) = ask(&service, "/everybody", PROTOBUF, json, hotel).await;
    let problem_of_type = problem(body);
    assert_eq!((status.as_u16(), problem_of_type.errors()[0].path()), (422, Some("$.rooms.rate")));
    assert!(
        problem_of_type.errors()[0].detail().starts_with("invalid wire type"),
        "{problem_of_type}"
    );
    // A truncated message is malformed.
    let mut cut = ritz().encode_to_vec();
    cut.pop();
    let (status, _, body) = ask(&service, "/everybody", PROTOBUF, json, cut).await;
    assert_eq!((status.as_u16(), problem(body).errors().len()), (400, 1));
    // A message that contains itself, deeper than prost's limit.
    let mut deep = Vec::new();
    for _ in 0..200 {
        // Wraps the bytes in an entry of annexes, as its value.
        let mut entry = vec![0x12];
        prost::encoding::encode_varint(deep.len() as u64, &mut entry);
        entry.extend(&deep);
        deep = vec![0x52];
        prost::encoding::encode_varint(entry.len() as u64, &mut deep);
        deep.extend(entry);
    }
    let (status, _, body) = ask(&service, "/machines", PROTOBUF, PROTOBUF, deep).await;
    assert!(status.is_client_error(), "{status}: {body:?}");

    let none = Api::new("None").formats([Format::Json]);
    let none = none.serve(post("/").returns::<Prost<Hotel>>().to(|| async { ritz() }));
    let error = none.build().expect_err("no format").to_string();
    assert!(error.contains("Hotel needs one of protobuf among the formats, found json"), "{error}");
}

/// The type of an endpoint that takes a stream and returns one.
type Streaming<C> = Endpoint<(Body<Items<C>>,), Items<C>>;

fn doubled() -> Streaming<Prost<Hotel>> {
    post("/doubled").body::<Items<Prost<Hotel>>>().returns::<Items<Prost<Hotel>>>()
}

fn streamed() -> Streaming<ProstSerde<Hotel>> {
    post("/streamed").body::<Items<ProstSerde<Hotel>>>().returns::<Items<ProstSerde<Hotel>>>()
}

fn streams() -> Api {
    // The handler receives plain messages.
    let same = |hotels: Items<Hotel>| async move { hotels };
    Api::new("Hotels")
        .formats([Format::Json, Format::MsgPack, Format::Avro, Format::Cbor, Format::Protobuf])
        .serve(doubled().to(same))
        .serve(streamed().to(same))
}

const DELIMITED: &str = "application/protobuf;delimited=true";

#[tokio::test]
async fn streams_length_prefixed_messages() {
    let service = streams().build().expect("an API");
    let hotels = [Hotel::default(), ritz(), Hotel { id: 7, ..Hotel::default() }];
    let mut bytes = Vec::new();
    for hotel in &hotels {
        // The expected bytes are written by prost's own encoder.
        hotel.encode_length_delimited(&mut bytes).expect("bytes");
    }
    for path in ["/doubled", "/streamed"] {
        let answer = ask(&service, path, DELIMITED, DELIMITED, bytes.clone()).await;
        assert_eq!((answer.0.as_u16(), &*answer.2), (200, &*bytes), "{path}");
        assert_eq!(answer.1["content-type"], "application/protobuf; delimited=true");
        let (_, headers, _) = ask(&service, path, DELIMITED, "*/*", bytes.clone()).await;
        let first =
            if path == "/doubled" { "application/protobuf" } else { "application/x-ndjson" };
        assert!(headers["content-type"].to_str().expect("text").starts_with(first));
    }
    let (_, _, body) =
        ask(&service, "/streamed", DELIMITED, "application/x-ndjson", bytes.clone()).await;
    let lines = std::str::from_utf8(&body).expect("text").lines();
    let read: Vec<Hotel> = lines.map(|it| serde_json::from_str(it).expect("JSON")).collect();
    assert_eq!(read, hotels);
    let back = ask(&service, "/streamed", "application/x-ndjson", DELIMITED, body).await;
    assert_eq!(&*back.2, &*bytes);
    // Messages without serde support have no line format.
    let (status, headers, _) = ask(&service, "/doubled", "application/x-ndjson", "*/*", "").await;
    assert_eq!((status.as_u16(), headers["accept"].as_bytes()), (415, DELIMITED.as_bytes()));
    let (status, ..) =
        ask(&service, "/doubled", DELIMITED, "application/x-ndjson", bytes.clone()).await;
    assert_eq!(status.as_u16(), 406);
}

#[tokio::test]
async fn reports_the_position_of_a_wrong_message_in_a_stream() {
    let count = post("/count").body::<Items<Prost<Hotel>>>().returns::<u64>();
    let route = count.to(|mut hotels: Items<Hotel>| async move {
        let mut count = 0;
        while let Some(hotel) = hotels.next().await {
            drop(hotel?);
            count += 1;
        }
        Ok::<u64, Problem>(count)
    });
    let api = Api::new("Count").formats([Format::Json, Format::Protobuf]).serve(route);
    let service = api.build().expect("an API");
    let mut bytes = ritz().encode_length_delimited_to_vec();
    let (status, _, body) = ask(&service, "/count", DELIMITED, "*/*", bytes.clone()).await;
    assert_eq!((status.as_u16(), &*body), (200, &b"1"[..]));
    // Appends a second message whose id is text.
    let start = bytes.len();
    bytes.extend_from_slice(&[3, 0x0A, 1, b'x']);
    let (status, _, body) = ask(&service, "/count", DELIMITED, "*/*", bytes).await;
    let problem: Problem = manywire_codec::json::from_slice(&body).expect("JSON");
    let fault = &problem.errors()[0];
    assert_eq!((status.as_u16(), fault.path()), (422, Some("$[1].id")), "{problem}");
    assert_eq!(fault.offset(), Some(start as u64 + 1));
}

#[tokio::test]
async fn client_streams_messages() {
    let server = streams().build().expect("an API").bind("127.0.0.1:0").await.expect("a port");
    let base = format!("http://{}", server.local_address());
    tokio::spawn(server.run());
    for formats in [vec![Format::Protobuf], vec![Format::Cbor, Format::Protobuf]] {
        let client = Client::new(&base).expect("a base").formats(formats);
        let hotels = |id| Hotel { id, ..ritz() };
        for length in [0, 1, 500] {
            let sent = || Items::from_values((0..length).map(hotels));
            let mut answers = vec![client.call(&doubled(), sent()).await.expect("a stream")];
            answers.push(client.call(&streamed(), sent()).await.expect("a stream"));
            for mut answer in answers {
                for id in 0..length {
                    let hotel = answer.next().await.expect("one more").expect("a hotel");
                    assert_eq!(hotel, hotels(id));
                }
                assert!(answer.next().await.is_none());
            }
        }
    }
}

/// The same hotel for our own derive, with the fields that both can represent.
#[derive(Debug, PartialEq, Serialize, Deserialize, Shaped)]
struct OurHotel {
    id: u64,
    #[shaped(number = 4)]
    name: String,
    #[shaped(number = 3)]
    rooms: Vec<OurRoom>,
    #[shaped(number = 14)]
    place: Option<OurPoint>,
    #[shaped(number = 17)]
    years: Vec<i32>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Shaped)]
struct OurRoom {
    code: String,
    rate: f64,
    #[shaped(number = 4)]
    breakfast: bool,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Shaped)]
struct OurPoint {
    latitude: f64,
    longitude: f64,
}

#[test]
fn agrees_with_our_own_protobuf_codec() {
    let plan = Plan::from_shape(&Shape::of::<OurHotel>()).expect("a plan");
    let read: OurHotel = plan.decode(&ritz().encode_to_vec()).expect("a hotel");
    assert_eq!((read.id, &*read.name, &*read.years), (u64::MAX, "Ritz", &[1898, -44][..]));
    assert_eq!(read.rooms[1], OurRoom { code: "2b".to_owned(), rate: 99.5, breakfast: true });
    let written = Hotel::decode(&*plan.to_vec(&read).expect("bytes")).expect("a hotel");
    assert_eq!(written.rooms[1].code, "2b");
    assert_eq!((written.place, written.years), (ritz().place, ritz().years));
}

#[test]
fn published_schema_decodes_the_messages() {
    let schemas = Schemas::from_descriptors(DESCRIPTORS).expect("schemas");
    // Our reader takes one file, so the imported message is added to the text.
    let text = schemas.root().replace("import \"common/geo.proto\";\n", "");
    let text = text.replace("common.Point place", "Point place");
    let text = format!("{text}\nmessage Point {{ double latitude = 1; double longitude = 2; }}\n");
    let (schema, _) = manywire_schema::read_proto("hotels.proto", &text, Some("Hotel"))
        .unwrap_or_else(|error| panic!("{error}"));
    let plan = Plan::new(&schema).expect("a plan");
    let arena = Arena::new();
    let bytes = ritz().encode_to_vec();
    let mut seed = ValueSeed::new(&arena);
    let value = plan.decode_seed(&mut seed, &bytes, Limits::DEFAULT).expect("a value");
    let again = plan.to_vec(&value).expect("bytes");
    assert_eq!(Hotel::decode(&*again).expect("a hotel"), ritz());
}

#[tokio::test]
async fn serves_the_schema_and_documents_the_formats() {
    let schemas = Schemas::from_descriptors(DESCRIPTORS).expect("schemas");
    let api = schemas.serve_in(api()).serve(schemas.root_at("/hotels.proto"));
    let service = api.documented().build().expect("an API");
    let geo = schemas.files().next().map(|(_, text)| text).expect("the imported file");
    for (path, expected) in [
        ("/hotels.proto", schemas.root()),
        ("/schemas/hotels/v1/hotels.proto", schemas.root()),
        ("/schemas/common/geo.proto", geo),
    ] {
        let (status, headers, body) = ask(&service, path, "", "*/*", "").await;
        assert_eq!((status.as_u16(), &*body), (200, expected.as_bytes()), "{path}");
        assert_eq!(headers["content-type"], "text/plain; charset=utf-8");
    }
    let (_, _, document) = ask(&service, "/openapi.json", "", "*/*", "").await;
    let document: serde_json::Value = serde_json::from_slice(&document).expect("JSON");
    let content = |path: &str| {
        let of_path = &document["paths"][path]["post"];
        let content = &of_path["responses"]["200"]["content"];
        assert_eq!(content, &of_path["requestBody"]["content"]);
        let mut types: Vec<_> = content.as_object().expect("content").keys().cloned().collect();
        types.sort();
        types
    };
    assert_eq!(content("/machines"), [PROTOBUF]);
    let all = ["application/cbor", "application/json", PROTOBUF, "application/vnd.msgpack"];
    assert_eq!(content("/everybody"), all);
}

#[tokio::test]
async fn client_calls_with_messages() {
    let server = api().build().expect("an API").bind("127.0.0.1:0").await.expect("a port");
    let base = format!("http://{}", server.local_address());
    tokio::spawn(server.run());
    let client = Client::new(&base).expect("a base").formats([Format::Cbor, Format::Protobuf]);
    let machines = post("/machines").body::<Prost<Hotel>>().returns::<Prost<Hotel>>();
    let everybody = post("/everybody").body::<ProstSerde<Hotel>>().returns::<ProstSerde<Hotel>>();
    assert_eq!(client.call(&machines, ritz()).await.expect("a hotel"), ritz());
    assert_eq!(client.call(&everybody, ritz()).await.expect("a hotel"), ritz());
}
