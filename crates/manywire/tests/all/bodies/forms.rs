use std::collections::BTreeMap;

use manywire::content::Form;
use manywire::{Api, Endpoint, Format, Shaped, post as endpoint};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::wire::{post, service};
use crate::support::{client, listening};

const FORM: &str = "application/x-www-form-urlencoded";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
struct Booking {
    name: String,
    nights: u8,
    breakfast: Option<bool>,
    #[serde(default)]
    extras: Vec<u16>,
    board: Board,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Shaped)]
#[serde(rename_all = "lowercase")]
enum Board {
    Half,
    Full,
}

fn book() -> Endpoint<(manywire::input::Body<Form<Booking>>,), Booking> {
    endpoint("/book").body::<Form<Booking>>().returns::<Booking>()
}

#[tokio::test]
async fn reads_a_form_as_a_record_of_texts_and_lists() {
    let address = listening(service([book().to(|booking| async move { booking })])).await;
    let body = "name=S%C3%A3o+Jo%C3%A3o%2B&nights=3&extras=7&board=full&extras=9&unknown=x";
    let response = post(address, "/book", FORM, body).await;
    assert_eq!(response.status, 200, "{response:?}");
    assert_eq!(
        response.json(),
        json!({"name": "São João+", "nights": 3, "breakfast": null, "extras": [7, 9], "board": "full"})
    );
    let charset = format!("{FORM}; charset=UTF-8");
    assert_eq!(post(address, "/book", &charset, body).await.status, 200);
}

#[tokio::test]
async fn reports_every_fault_of_a_form_by_path() {
    let address = listening(service([book().to(|booking| async move { booking })])).await;
    let body = "nights=300&breakfast=on&extras=1&extras=-1&board=none";
    let response = post(address, "/book", FORM, body).await;
    assert_eq!(response.status, 422);
    assert!(response.head.contains("application/problem+json"), "{}", response.head);
    assert_eq!(
        response.json()["errors"],
        json!([
            {"in": "body", "path": "$.name", "detail": "missing required value"},
            {"in": "body", "path": "$.nights", "detail": "expected an integer from 0 to 255, found \"300\""},
            {"in": "body", "path": "$.breakfast", "detail": "expected true or false, found \"on\""},
            {"in": "body", "path": "$.extras", "detail": "expected an integer from 0 to 65535, found \"-1\""},
            {"in": "body", "path": "$.board", "detail": "expected one of half, full, found \"none\""},
        ])
    );
    let response = post(address, "/book", FORM, "name=a&nights=1&nights=2&board=full").await;
    assert_eq!(response.status, 422);
    assert_eq!(response.json()["errors"][0]["path"], "$.nights", "two values for one field");
}

#[tokio::test]
async fn reports_the_offset_of_an_invalid_form() {
    let address = listening(service([book().to(|booking| async move { booking })])).await;
    let response = post(address, "/book", FORM, "name=a&nights=%ZZ").await;
    assert_eq!(response.status, 400);
    assert_eq!(response.json()["errors"][0]["offset"], 14, "{response:?}");
    let response = post(address, "/book", FORM, b"name=\xFF").await;
    assert_eq!((response.status, &response.json()["errors"][0]["offset"]), (400, &json!(5)));
    let many = "a=1&".repeat(2_000);
    let response = post(address, "/book", FORM, many).await;
    assert_eq!(response.status, 400);
    assert!(response.text().contains("1,024"), "{response:?}");

    for content_type in
        ["application/json", "text/plain", "application/x-www-form-urlencoded; charset=utf-16"]
    {
        let response = post(address, "/book", content_type, "name=a").await;
        assert_eq!(response.status, 415, "{content_type}");
    }
    let response = post(address, "/book", "application/json", "{}").await;
    assert!(response.head.contains(&format!("accept: {FORM}")), "{}", response.head);
}

#[tokio::test]
async fn client_sends_forms_by_the_same_endpoint() {
    let mut extras = BTreeMap::new();
    extras.insert("a b&c=d".to_owned(), "ü+%".to_owned());
    type Extras = BTreeMap<String, String>;
    let echo = || endpoint("/echo").body::<Form<Extras>>().returns::<Form<Extras>>();
    let routes =
        [book().to(|booking| async move { booking }), echo().to(|extras| async move { extras })];
    let client = client(listening(service(routes)).await);
    let booking = Booking {
        name: "Zoë & Söhne = 100 %".to_owned(),
        nights: 2,
        breakfast: Some(true),
        extras: vec![1, 2],
        board: Board::Half,
    };
    let response = client.call(&book(), booking.clone()).await.expect("an answer");
    assert_eq!(response, booking);
    let response = client.call(&echo(), extras.clone()).await.expect("an answer");
    assert_eq!(response, extras, "an answer may be a form, too");
}

#[test]
fn documents_the_schema_of_a_form() {
    let api = Api::new("Forms").formats([Format::Json, Format::Protobuf, Format::Avro]);
    let api = api.serve(endpoint("/book").body::<Form<Booking>>().to(|_| async {}));
    let documents = api.documents().expect("documents");
    let document: serde_json::Value =
        serde_json::from_str(documents.openapi()).expect("a document");
    assert_eq!(
        document["paths"]["/book"]["post"]["requestBody"]["content"],
        json!({FORM: {"schema": {"$ref": "#/components/schemas/Booking"}}})
    );
    let proto = documents.proto().expect("problems are written in it");
    assert!(!proto.contains("Booking"), "a form is not in the .proto: {proto}");
}

#[derive(Serialize, Deserialize, Shaped)]
struct Nested {
    booking: Booking,
}

#[test]
fn rejects_types_that_a_form_cannot_represent_at_build() {
    let nested = endpoint("/nested").body::<Form<Nested>>().to(|_| async {});
    let list = endpoint("/list").body::<Form<Vec<u32>>>().to(|_| async {});
    let error = Api::new("Forms").serve(nested).serve(list).build().expect_err("two faults");
    let error = error.to_string();
    assert!(error.contains("POST /nested") && error.contains("\"booking\""), "{error}");
    assert!(
        error.contains("POST /list") && error.contains("expected a record with named fields"),
        "{error}"
    );
}
