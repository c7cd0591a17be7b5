//! Bodies that take long to decode, and responses in an endpoint's own formats.

use std::thread;
use std::time::Duration;

use manywire::{Api, CallError, Format, Limits, Problem, StatusCode, post as endpoint};

use super::wire::{post, service};
use crate::support::{client, listening};

/// Returns a route that responds with the name of its handler's thread.
fn thread_name_route() -> manywire::Route {
    let route = endpoint("/").body::<Vec<u64>>().returns::<String>();
    route.to(|numbers: Vec<u64>| {
        let place = format!("{:?} {}", thread::current().id(), numbers.len());
        async move { place }
    })
}

#[tokio::test]
async fn decodes_a_long_body_on_a_blocking_thread() {
    let here = format!("{:?}", thread::current().id());
    let address = listening(service([thread_name_route()])).await;
    for (count, is_long) in [(10, false), (20_000, false), (200_000, true)] {
        let body = serde_json::to_vec(&vec![7_u64; count]).expect("JSON");
        assert_eq!(body.len() >= 256 << 10, is_long, "{count}");
        let response = post(address, "/", "application/json", &body).await;
        let found = response.json();
        let (place, length) = found.as_str().expect("text").rsplit_once(' ').expect("two words");
        assert_eq!(length, count.to_string());
        assert_eq!(place != here, is_long, "{count}: {place}");
    }
    // Faults in a long body are reported as usual.
    let wrong = format!("[{}-1]", "7,".repeat(200_000));
    let response = post(address, "/", "application/json", wrong).await;
    assert_eq!(response.status, 422);
    assert_eq!(response.json()["errors"][0]["path"], "$[200000]");
}

#[tokio::test]
async fn limits_the_time_of_inflating() {
    let json = serde_json::to_vec(&(0..500_000_u64).collect::<Vec<_>>()).expect("JSON");
    let level = manywire_codec::coding::Encoder::new(manywire::Coding::Gzip.into());
    let mut coded = Vec::new();
    level.expect("a level").encode(&json, &mut coded).expect("gzip");
    let gzip = "application/json\r\ncontent-encoding: gzip";
    let address = listening(service([thread_name_route()])).await;
    assert_eq!(post(address, "/", gzip, &coded).await.status, 200);
    let limits = Limits::DEFAULT.with_inflate_timeout(Duration::ZERO);
    let api = Api::new("Large").limits(limits).serve(thread_name_route());
    let address = listening(api.build().expect("a valid API")).await;
    let response = post(address, "/", gzip, &coded).await;
    assert_eq!(response.status, 413);
    assert!(response.text().contains("decoding took longer than the limit of 0ns"), "{response:?}");
}

#[tokio::test]
async fn writes_problems_in_the_formats_of_the_endpoint() {
    for format in [Format::Protobuf, Format::Avro, Format::Cbor] {
        let own = endpoint("/").body::<u64>().returns::<String>().formats([format]);
        let route = own.clone().to(|number| async move {
            let detail = format!("{number} is too many");
            Err::<String, _>(Problem::new(StatusCode::CONFLICT).with_detail(detail))
        });
        let address = listening(service([route])).await;
        let error = client(address).call(&own, 7).await.expect_err("a conflict");
        let CallError::Problem(problem) = error else { panic!("{format}: {error}") };
        assert_eq!(
            (problem.status().as_u16(), problem.detail()),
            (409, Some("7 is too many")),
            "{format}"
        );
    }
}
