use std::borrow::Cow;
use std::time::Duration;

use manywire::content::ZeroCopy;
use manywire::{Endpoint, Format, Shaped, post as endpoint};
use serde::{Deserialize, Serialize};

use super::wire::{post, service};
use crate::support::{client, listening};

#[derive(Debug, PartialEq, Serialize, Deserialize, Shaped)]
#[serde(rename = "Hotel")]
struct HotelRef<'b> {
    id: u32,
    name: &'b str,
    #[serde(borrow)]
    city: Cow<'b, str>,
    tags: Vec<&'b str>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
struct Hotel {
    id: u32,
    name: String,
    city: String,
    tags: Vec<String>,
}

fn hotel() -> Hotel {
    Hotel {
        id: 7,
        name: "Zur Brücke".to_owned(),
        city: "Wien".to_owned(),
        tags: vec!["a".to_owned(), "b".to_owned()],
    }
}

fn is_within(body: &[u8], text: &str) -> bool {
    body.as_ptr_range().contains(&text.as_ptr())
}

#[tokio::test]
async fn borrowed_values_live_across_awaits_in_every_format() {
    let echo = endpoint("/")
        .body::<ZeroCopy<HotelRef<'_>>>()
        .returns::<ZeroCopy<HotelRef<'_>>>()
        .formats(Format::ALL);
    let route = echo.to(|hotel| async move {
        let (name, tags) = (hotel.get().name, hotel.get().tags.len());
        tokio::time::sleep(Duration::from_millis(1)).await;
        assert_eq!((name, tags), ("Zur Brücke", 2));
        assert!(is_within(hotel.bytes(), hotel.get().name), "not a copy");
        assert!(matches!(hotel.get().city, Cow::Borrowed("Wien")));
        let moved = tokio::spawn(async move { hotel }).await;
        moved.expect("no panic")
    });
    let address = listening(service([route])).await;
    // A client with an owned type calls the same endpoint.
    let owned: Endpoint<_, Hotel> = endpoint("/").body::<Hotel>().returns::<Hotel>();
    for format in Format::ALL {
        let client = client(address).formats([format]);
        let response = client.call(&owned, hotel()).await;
        assert_eq!(response.unwrap_or_else(|error| panic!("{format}: {error}")), hotel());
        // A response may be borrowed, too.
        let lent = endpoint("/").body::<Hotel>().returns::<ZeroCopy<HotelRef<'_>>>();
        let response = client.call(&lent, hotel()).await.expect("lent");
        assert_eq!(response.get().city, "Wien");
    }
}

#[tokio::test]
async fn reports_values_that_cannot_be_borrowed_by_path() {
    let echo = endpoint("/").body::<ZeroCopy<HotelRef<'_>>>().returns::<ZeroCopy<HotelRef<'_>>>();
    let address = listening(service([echo.to(|hotel| async move { hotel })])).await;
    let escaped = r#"{"id":1,"name":"a","city":"\u0057ien","tags":[]}"#;
    let response = post(address, "/", "application/json", escaped).await;
    assert_eq!(response.text(), r#"{"id":1,"name":"a","city":"Wien","tags":[]}"#, "a Cow copies");
    let escaped = r#"{"id":1,"name":"\u0061","city":"Wien","tags":[]}"#;
    let response = post(address, "/", "application/json", escaped).await;
    assert_eq!(response.status, 422);
    assert_eq!(response.json()["errors"][0]["path"], "$.name", "a &str cannot");
    assert_eq!(post(address, "/", "application/json", "{").await.status, 400);
}
