//! The documents of `examples/` as types.

use manywire_shape::Shaped;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use zerompk::{FromMessagePack, ToMessagePack};

/// `people.json`: seven records of 22 fields, mostly text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
#[serde(transparent)]
pub struct People {
    /// The people.
    pub people: Vec<Person>,
}

/// One of [`People`].
#[derive(
    Clone, Debug, PartialEq, Serialize, Deserialize, Shaped, ToMessagePack, FromMessagePack,
)]
#[serde(rename_all = "camelCase")]
#[msgpack(map)]
#[expect(missing_docs, reason = "the names are those of the document")]
pub struct Person {
    #[serde(rename = "_id")]
    #[msgpack(key = "_id")]
    pub id: String,
    pub index: u32,
    pub guid: String,
    #[msgpack(key = "isActive")]
    pub is_active: bool,
    pub balance: String,
    pub picture: String,
    pub age: u32,
    #[msgpack(key = "eyeColor")]
    pub eye_color: String,
    pub name: String,
    pub gender: String,
    pub company: String,
    pub email: String,
    pub phone: String,
    pub address: String,
    pub about: String,
    pub registered: String,
    pub latitude: f64,
    pub longitude: f64,
    pub tags: Vec<String>,
    pub friends: Vec<Friend>,
    pub greeting: String,
    #[msgpack(key = "favoriteFruit")]
    pub favorite_fruit: String,
}

/// A friend of a [`Person`].
#[derive(
    Clone, Debug, PartialEq, Serialize, Deserialize, Shaped, ToMessagePack, FromMessagePack,
)]
#[msgpack(map)]
#[expect(missing_docs, reason = "the names are those of the document")]
pub struct Friend {
    pub id: u32,
    pub name: String,
}

/// `hotels.json`: fifty hotels with ten rooms each, small fields.
#[derive(
    Clone, Debug, PartialEq, Serialize, Deserialize, Shaped, ToMessagePack, FromMessagePack,
)]
#[msgpack(map)]
pub struct Hotels {
    /// The hotels.
    pub hotels: Vec<Hotel>,
}

/// One of [`Hotels`].
#[derive(
    Clone, Debug, PartialEq, Serialize, Deserialize, Shaped, ToMessagePack, FromMessagePack,
)]
#[serde(rename_all = "camelCase")]
#[msgpack(map)]
#[expect(missing_docs, reason = "the names are those of the document")]
pub struct Hotel {
    pub id: String,
    #[msgpack(key = "hotelCode")]
    pub hotel_code: String,
    #[msgpack(key = "hotelStatus")]
    pub hotel_status: String,
    #[msgpack(key = "hotelCurrency")]
    pub hotel_currency: String,
    #[msgpack(key = "minutesOffsetUtc")]
    pub minutes_offset_utc: i32,
    #[msgpack(key = "providerName")]
    pub provider_name: String,
    pub rooms: Vec<Room>,
}

/// A room of a [`Hotel`].
#[derive(
    Clone, Debug, PartialEq, Serialize, Deserialize, Shaped, ToMessagePack, FromMessagePack,
)]
#[serde(rename_all = "camelCase")]
#[msgpack(map)]
#[expect(missing_docs, reason = "the names are those of the document")]
pub struct Room {
    pub id: u32,
    #[msgpack(key = "invCode")]
    pub inv_code: String,
    #[msgpack(key = "rackRate")]
    pub rack_rate: String,
    #[msgpack(key = "hideRackRate")]
    pub hide_rack_rate: bool,
}

/// `record-a.json`: eight fields, one of them a sum type.
#[derive(
    Clone, Debug, PartialEq, Serialize, Deserialize, Shaped, ToMessagePack, FromMessagePack,
)]
#[serde(rename_all = "camelCase")]
#[msgpack(map)]
#[expect(missing_docs, reason = "the names are those of the document")]
pub struct RecordA {
    #[msgpack(key = "fieldB")]
    pub field_b: FieldB,
    #[msgpack(key = "fieldText")]
    pub field_text: String,
    #[msgpack(key = "fieldInt")]
    pub field_int: i64,
    #[msgpack(key = "fieldDouble")]
    pub field_double: f64,
    #[msgpack(key = "fieldFloat")]
    pub field_float: f32,
    #[msgpack(key = "fieldWord")]
    pub field_word: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[msgpack(key = "fieldMaybeText")]
    pub field_maybe_text: Option<String>,
    #[msgpack(key = "fieldListText")]
    pub field_list_text: Vec<String>,
}

/// The sum type of [`RecordA`].
#[derive(
    Clone, Debug, PartialEq, Serialize, Deserialize, Shaped, ToMessagePack, FromMessagePack,
)]
#[msgpack(map)]
#[expect(missing_docs, reason = "the names are those of the document")]
pub enum FieldB {
    B1(i64),
    B2(f32),
}

/// [`People`] whose text is lent by the input.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PeopleRef<'a> {
    /// The people.
    #[serde(borrow)]
    pub people: Vec<PersonRef<'a>>,
}

/// One of [`PeopleRef`].
#[derive(Debug, PartialEq, Serialize, Deserialize, FromMessagePack)]
#[serde(rename_all = "camelCase")]
#[msgpack(map)]
#[expect(missing_docs, reason = "the names are those of the document")]
pub struct PersonRef<'a> {
    #[serde(rename = "_id")]
    #[msgpack(key = "_id")]
    pub id: &'a str,
    pub index: u32,
    pub guid: &'a str,
    #[msgpack(key = "isActive")]
    pub is_active: bool,
    pub balance: &'a str,
    pub picture: &'a str,
    pub age: u32,
    #[msgpack(key = "eyeColor")]
    pub eye_color: &'a str,
    pub name: &'a str,
    pub gender: &'a str,
    pub company: &'a str,
    pub email: &'a str,
    pub phone: &'a str,
    pub address: &'a str,
    pub about: &'a str,
    pub registered: &'a str,
    pub latitude: f64,
    pub longitude: f64,
    pub tags: Vec<&'a str>,
    pub friends: Vec<FriendRef<'a>>,
    pub greeting: &'a str,
    #[msgpack(key = "favoriteFruit")]
    pub favorite_fruit: &'a str,
}

/// A friend of a [`PersonRef`].
#[derive(Debug, PartialEq, Serialize, Deserialize, FromMessagePack)]
#[msgpack(map)]
#[expect(missing_docs, reason = "the names are those of the document")]
pub struct FriendRef<'a> {
    pub id: u32,
    pub name: &'a str,
}

/// [`Hotels`] whose text is lent by the input.
#[derive(Debug, PartialEq, Serialize, Deserialize, FromMessagePack)]
#[msgpack(map)]
pub struct HotelsRef<'a> {
    /// The hotels.
    #[serde(borrow)]
    pub hotels: Vec<HotelRef<'a>>,
}

/// One of [`HotelsRef`].
#[derive(Debug, PartialEq, Serialize, Deserialize, FromMessagePack)]
#[serde(rename_all = "camelCase")]
#[msgpack(map)]
#[expect(missing_docs, reason = "the names are those of the document")]
pub struct HotelRef<'a> {
    pub id: &'a str,
    #[msgpack(key = "hotelCode")]
    pub hotel_code: &'a str,
    #[msgpack(key = "hotelStatus")]
    pub hotel_status: &'a str,
    #[msgpack(key = "hotelCurrency")]
    pub hotel_currency: &'a str,
    #[msgpack(key = "minutesOffsetUtc")]
    pub minutes_offset_utc: i32,
    #[msgpack(key = "providerName")]
    pub provider_name: &'a str,
    #[serde(borrow)]
    pub rooms: Vec<RoomRef<'a>>,
}

/// A room of a [`HotelRef`].
#[derive(Debug, PartialEq, Serialize, Deserialize, FromMessagePack)]
#[serde(rename_all = "camelCase")]
#[msgpack(map)]
#[expect(missing_docs, reason = "the names are those of the document")]
pub struct RoomRef<'a> {
    pub id: u32,
    #[msgpack(key = "invCode")]
    pub inv_code: &'a str,
    #[msgpack(key = "rackRate")]
    pub rack_rate: &'a str,
    #[msgpack(key = "hideRackRate")]
    pub hide_rack_rate: bool,
}

/// The documents, kept for as long as the process runs.
#[derive(Clone, Copy)]
pub struct Documents {
    /// [`People`].
    pub people: &'static People,
    /// [`Hotels`].
    pub hotels: &'static Hotels,
    /// [`RecordA`].
    pub record_a: &'static RecordA,
    /// JSON of a few hundred kilobytes with text, numbers and nesting in it: `twitter.json` where
    /// the external suites are, else the events beside the documents, ten times over.
    pub large_json: &'static str,
}

impl Documents {
    /// Reads the documents.
    pub fn load() -> Self {
        Documents {
            people: typed(include_str!("../../examples/people.json")),
            hotels: typed(include_str!("../../examples/hotels.json")),
            record_a: typed(include_str!("../../examples/record-a.json")),
            large_json: leak(large_json()),
        }
    }
}

fn large_json() -> String {
    let suite = std::env::var("MANYWIRE_SUITES")
        .and_then(|suites| {
            let path = format!("{suites}/payloads/nativejson/twitter.json");
            std::fs::read_to_string(path).map_err(|_| std::env::VarError::NotPresent)
        })
        .ok();
    suite.unwrap_or_else(|| {
        let lines: Vec<&str> = include_str!("../../examples/events.ndjson").lines().collect();
        format!("[{}]", vec![lines.join(","); 10].join(","))
    })
}

fn typed<T: DeserializeOwned>(text: &str) -> &'static T {
    leak(serde_json::from_str(text).expect("the examples are of these types"))
}

fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}
