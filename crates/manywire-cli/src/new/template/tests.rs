//! Calls the service in this process, without sockets, in every format.

use manywire::{CallError, Client};

use {crate}::{FORMATS, FindError, NewNote, Note, api, create, find, list};

#[tokio::test]
async fn a_note_that_was_added_is_found_in_every_format() {
    for format in FORMATS {
        let client = Client::of(api().build().expect("a valid API")).formats([format]);
        let note = NewNote {
            text: "Buy milk".to_owned(),
        };
        let added = client.call(&create(), note).await.expect("it is added");
        assert_eq!(
            added,
            Note {
                id: 1,
                text: "Buy milk".to_owned()
            }
        );
        assert_eq!(
            client.call(&find(), added.id).await.expect("it is found"),
            added
        );
        assert_eq!(client.call(&list(), ()).await.expect("a list"), [added]);
    }
}

#[tokio::test]
async fn a_note_that_does_not_exist_is_a_failure() {
    let client = Client::of(api().build().expect("a valid API"));
    match client.call(&find(), 7).await {
        Err(CallError::Failed(failure)) => assert_eq!(failure, FindError::NotFound { id: 7 }),
        other => panic!("{other:?}"),
    }
}

/// The schema is what clients in other languages are generated from. A change that would break them
/// is an error when the service starts. Any other change shows here.
#[test]
fn the_published_schema_is_that_of_the_service() {
    let documents = api().documents().expect("a valid API");
    let schema = documents
        .proto()
        .expect("Protocol Buffers are among the formats");
    let published = concat!(env!("CARGO_MANIFEST_DIR"), "/schema.proto");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(published, schema).expect("the schema is written");
    }
    let written = std::fs::read_to_string(published).expect("the schema");
    assert_eq!(written, schema, "UPDATE=1 cargo test writes {published}");
}
