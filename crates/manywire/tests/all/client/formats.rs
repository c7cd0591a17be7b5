use manywire::content::Items;
use manywire::{Api, CallError, Client, Format, Shaped, post};
use serde::{Deserialize, Serialize};

use super::service::{
    Counted, Filter, Hotel, Order, create, file, find, gone, hotel, list, room, search, service,
    sum, text,
};
use crate::support::{client, listening};

#[tokio::test]
async fn round_trips_every_input_and_response_in_every_format() {
    let server = Counted::serve(service(&Format::ALL)).await;
    for format in Format::ALL {
        let client = server.client().formats([format]);
        let shown = format.to_string();
        assert_eq!(client.call(&find(), 7).await.expect(&shown), hotel(7));
        assert_eq!(client.call(&create(), hotel(3)).await.expect(&shown), hotel(3));
        let filter = Filter {
            city: "São Paulo & Wien=?".to_owned(),
            limit: None,
            tags: vec!["a b".to_owned(), "ü".to_owned()],
            order: Some(Order::Stars),
        };
        let listed = client.call(&list(), filter.clone()).await.expect(&shown);
        assert_eq!(listed, [filter.clone(), filter]);
        let arguments = ("a/b%2F ü".to_owned(), Some(true), 9, hotel(2));
        let changed = client.call(&room(), arguments).await.expect(&shown);
        assert_eq!(changed, Hotel { name: "a/b%2F ü Some(true) 9".to_owned(), ..hotel(2) });
        let arguments = ("x".to_owned(), None, 9, hotel(2));
        let changed = client.call(&room(), arguments).await.expect(&shown);
        assert_eq!(changed.name, "x None 9");
        assert_eq!(client.call(&text(), "straße ü".to_owned()).await.expect(&shown), "STRASSE Ü");
        assert_eq!(client.call(&file(), "a/b c".to_owned()).await.expect(&shown), "a/b c");
        assert_eq!(client.call(&search(), "a.b:c".to_owned()).await.expect(&shown), "a.b:c");
        client.call(&gone(), ()).await.expect(&shown);
        assert_eq!(server.requests(), 9, "{format}: one request a call");
        assert_eq!(client.learned(), None);
    }
    assert_eq!(server.connections(), Format::ALL.len(), "each client reuses its connection");
}

/// A type whose values are tuples and records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
#[serde(untagged)]
enum Range {
    Pair(u8, u8),
    From { low: u8 },
}

#[tokio::test]
async fn bson_keeps_tuples_and_records_at_the_top_apart() {
    let echo = || post("/range").body::<Range>().returns::<Range>();
    let api = Api::new("Ranges").formats([Format::Bson]);
    let api = api.serve(echo().to(|range| async move { range }));
    let server = Counted::serve(api.build().expect("a valid API")).await;
    let client = server.client().formats([Format::Bson]);
    for range in [Range::Pair(1, 2), Range::From { low: 3 }] {
        assert_eq!(client.call(&echo(), range.clone()).await.expect("an answer"), range);
    }
}

#[tokio::test]
async fn learns_the_format_of_the_server_once() {
    for taken in Format::ALL {
        let server = Counted::serve(service(&[taken])).await;
        let others = Format::ALL.into_iter().filter(|format| *format != taken);
        let client = server.client().formats(others.chain([taken]));
        assert_eq!(client.call(&create(), hotel(3)).await.expect("found out"), hotel(3));
        let is_msgpack = |format| matches!(format, Format::MsgPack | Format::MsgPackArray);
        assert_eq!(server.requests(), 2, "{taken}: one refusal");
        // A server that accepts one layout of MessagePack accepts the other.
        assert!(is_msgpack(taken) || client.learned() == Some(taken.into()), "{taken}");
        assert_eq!(client.clone().call(&create(), hotel(4)).await.expect("known"), hotel(4));
        assert_eq!(server.requests(), 1, "{taken}: what was learned is remembered by clones, too");
    }
}

#[tokio::test]
async fn returns_the_problem_if_no_format_is_shared() {
    let server = Counted::serve(service(&[Format::Cbor])).await;
    let client = server.client().formats([Format::Bson]);
    let error = client.call(&create(), hotel(3)).await.expect_err("no format");
    // The response is not available in BSON either, which the server detects before it reads the
    // body.
    assert!(error.to_string().contains("406 Not Acceptable"), "{error}");
    assert!(error.to_string().contains("application/cbor"), "{error}");
}

#[tokio::test]
async fn skips_formats_that_cannot_represent_the_body_after_a_refusal() {
    // A server that refuses JSON and does not say what it accepts.
    let refuse = |request: http::Request<axum::body::Body>| async move {
        match request.headers()["content-type"].as_bytes() {
            b"application/cbor" => {
                (http::StatusCode::OK, [("content-type", "application/cbor")], "\x07")
            }
            _ => (http::StatusCode::UNSUPPORTED_MEDIA_TYPE, [("content-type", "text/plain")], ""),
        }
    };
    let client = Client::of(axum::Router::new().route("/number", axum::routing::post(refuse)));
    // BSON has no numbers at the top.
    let client = client.formats([Format::Json, Format::Bson, Format::Cbor]);
    let number = post("/number").body::<u8>().returns::<u8>();
    assert_eq!(client.call(&number, 7).await.expect("CBOR"), 7);
}

#[tokio::test]
async fn calls_over_http_1_and_http_2() {
    let address = listening(service(&Format::ALL)).await;
    for client in [client(address), client(address).http2()] {
        let client = client.formats([Format::Protobuf]);
        let calls = (2..20).map(|id| {
            let client = client.clone();
            tokio::spawn(async move { (id, client.call(&find(), id).await) })
        });
        for call in calls.collect::<Vec<_>>() {
            let (id, response) = call.await.expect("no panic");
            assert_eq!(response.expect("an answer"), hotel(id));
        }
    }
}

#[tokio::test]
async fn calls_an_endpoint_in_its_own_formats() {
    let own = || create().formats([Format::Cbor]);
    let api = manywire::Api::new("Own").serve(own().to(|hotel| async move { hotel }));
    let server = Counted::serve(api.build().expect("a valid API")).await;
    let client = server.client();
    assert_eq!(client.call(&own(), hotel(3)).await.expect("CBOR"), hotel(3));
    assert_eq!(server.requests(), 1);
}

#[tokio::test]
async fn resends_a_repeatable_stream_in_an_accepted_format() {
    for taken in [Format::Json, Format::MsgPack, Format::Cbor, Format::Protobuf] {
        let server = Counted::serve(service(&[taken])).await;
        let others = [Format::Json, Format::Cbor, Format::MsgPack, Format::Protobuf];
        let client =
            server.client().formats(others.into_iter().filter(|it| *it != taken).chain([taken]));
        let numbers = || Items::repeatable(|| Items::from_values(1..=1_000));
        assert_eq!(client.call(&sum(), numbers()).await.expect("found out"), "500500");
        assert_eq!((server.requests(), client.learned()), (2, Some(taken.into())), "one refusal");
        // The client remembers the format for the second call.
        let once = Items::from_values(1..=10);
        assert_eq!(client.call(&sum(), once).await.expect("known"), "55");
        assert_eq!(server.requests(), 1);
    }
}

#[tokio::test]
async fn reports_a_stream_that_cannot_be_resent_and_learns_the_format() {
    let server = Counted::serve(service(&[Format::Cbor])).await;
    let client = server.client().formats([Format::Json, Format::Cbor]);
    let once = || Items::from_values(1..=10);
    let error = client.call(&sum(), once()).await.expect_err("JSON is refused");
    let cbor = Some(Format::Cbor.into());
    assert!(matches!(&error, CallError::SentOnce { next, .. } if *next == cbor), "{error:?}");
    let said = error.to_string();
    for words in ["415", "call again, which sends cbor", "Items::repeatable"] {
        assert!(said.contains(words), "{said}");
    }
    assert_eq!(client.call(&sum(), once()).await.expect("the next call"), "55");
    assert_eq!(server.requests(), 2);
}
