//! A client with its own formats.

use manywire::{Api, CallError, Failure, Format, get};

use super::formats::{POSTCARD, Yaml};
use super::service::{create, find, hotel, service};
use crate::support::{client, listening};

#[tokio::test]
async fn client_sends_and_reads_own_formats() {
    let address = listening(service()).await;
    let clients = [
        (client(address).formats([&Yaml]), "application/yaml"),
        (client(address).formats([&POSTCARD]), "application/x-postcard; v=1"),
        (client(address).formats((&Yaml, Format::Json)), "application/yaml"),
    ];
    for (client, content_type) in clients {
        let answer = client.fetch(&create(), hotel(9)).await.expect("an answer");
        assert_eq!(*answer.value(), hotel(9));
        assert_eq!(answer.header::<String>("content-type").expect("a field"), content_type);
        assert_eq!(client.call(&find(), 9).await.expect("a hotel"), hotel(9));
    }
}

#[tokio::test]
async fn client_falls_back_to_an_accepted_format() {
    let service = Api::new("Hotels")
        .formats([&Yaml])
        .serve(create().to(|hotel| async move { hotel }))
        .build();
    let address = listening(service.expect("a valid API")).await;
    let client = client(address).formats((&POSTCARD, Format::Cbor, &Yaml));
    assert_eq!(client.call(&create(), hotel(2)).await.expect("a hotel"), hotel(2));
    assert_eq!(client.learned(), Some((&Yaml).into()));
}

#[derive(Debug, PartialEq, Failure)]
enum Gone {
    /// Gone for good
    #[failure(status = 410, type = "/problems/gone")]
    Gone(String),
}

#[tokio::test]
async fn returns_typed_failures_in_own_formats() {
    let gone = || get("/gone").returns::<u8>().fails::<Gone>();
    let service = Api::new("Gone")
        .formats((&POSTCARD, &Yaml))
        .serve(gone().to(|| async { Err::<u8, _>(Gone::Gone("in 1912".to_owned())) }))
        .build();
    let address = listening(service.expect("a valid API")).await;
    match client(address).formats([&Yaml]).call(&gone(), ()).await {
        Err(CallError::Failed(Gone::Gone(why))) => assert_eq!(why, "in 1912"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn reports_the_path_of_a_mistyped_response() {
    let service = Api::new("Wrong")
        .formats([&Yaml])
        .serve(
            get("/hotels/{id}")
                .path::<u64>()
                .returns::<Vec<u64>>()
                .to(|id| async move { vec![id] }),
        )
        .build();
    let address = listening(service.expect("a valid API")).await;
    let error = client(address).formats([&Yaml]).call(&find(), 1).await.expect_err("no hotel");
    assert!(matches!(error, CallError::Answer(_)), "{error}");
}
