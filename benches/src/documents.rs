//! The documents of `examples/` as types: one type for all libraries that can share it.

use manywire_shape::Shaped;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use zerompk::{FromMessagePack, ToMessagePack};

/// `people.json`: seven records of 22 fields, mostly text.
#[derive(Clone, PartialEq, Serialize, Deserialize, Shaped, prost::Message)]
#[serde(transparent)]
pub struct People {
    /// The records.
    #[prost(message, repeated, tag = 1)]
    pub people: Vec<Person>,
}

/// A record of [`People`].
#[derive(
    Clone, PartialEq, Serialize, Deserialize, Shaped, ToMessagePack, FromMessagePack, prost::Message,
)]
#[serde(rename_all = "camelCase")]
#[msgpack(map)]
#[expect(missing_docs, reason = "the names are those of the document")]
pub struct Person {
    #[serde(rename = "_id")]
    #[msgpack(key = "_id")]
    #[prost(string, tag = 1)]
    pub id: String,
    #[prost(uint32, tag = 2)]
    pub index: u32,
    #[prost(string, tag = 3)]
    pub guid: String,
    #[msgpack(key = "isActive")]
    #[prost(bool, tag = 4)]
    pub is_active: bool,
    #[prost(string, tag = 5)]
    pub balance: String,
    #[prost(string, tag = 6)]
    pub picture: String,
    #[prost(uint32, tag = 7)]
    pub age: u32,
    #[msgpack(key = "eyeColor")]
    #[prost(string, tag = 8)]
    pub eye_color: String,
    #[prost(string, tag = 9)]
    pub name: String,
    #[prost(string, tag = 10)]
    pub gender: String,
    #[prost(string, tag = 11)]
    pub company: String,
    #[prost(string, tag = 12)]
    pub email: String,
    #[prost(string, tag = 13)]
    pub phone: String,
    #[prost(string, tag = 14)]
    pub address: String,
    #[prost(string, tag = 15)]
    pub about: String,
    #[prost(string, tag = 16)]
    pub registered: String,
    #[prost(double, tag = 17)]
    pub latitude: f64,
    #[prost(double, tag = 18)]
    pub longitude: f64,
    #[prost(string, repeated, tag = 19)]
    pub tags: Vec<String>,
    #[prost(message, repeated, tag = 20)]
    pub friends: Vec<Friend>,
    #[prost(string, tag = 21)]
    pub greeting: String,
    #[msgpack(key = "favoriteFruit")]
    #[prost(string, tag = 22)]
    pub favorite_fruit: String,
}

/// A friend of a [`Person`].
#[derive(
    Clone, PartialEq, Serialize, Deserialize, Shaped, ToMessagePack, FromMessagePack, prost::Message,
)]
#[msgpack(map)]
#[expect(missing_docs, reason = "the names are those of the document")]
pub struct Friend {
    #[prost(uint32, tag = 1)]
    pub id: u32,
    #[prost(string, tag = 2)]
    pub name: String,
}

/// `hotels.json`: fifty hotels with ten rooms each, small fields.
#[derive(
    Clone, PartialEq, Serialize, Deserialize, Shaped, ToMessagePack, FromMessagePack, prost::Message,
)]
#[msgpack(map)]
pub struct Hotels {
    /// The list of hotels.
    #[prost(message, repeated, tag = 1)]
    pub hotels: Vec<Hotel>,
}

/// A hotel of [`Hotels`].
#[derive(
    Clone, PartialEq, Serialize, Deserialize, Shaped, ToMessagePack, FromMessagePack, prost::Message,
)]
#[serde(rename_all = "camelCase")]
#[msgpack(map)]
#[expect(missing_docs, reason = "the names are those of the document")]
pub struct Hotel {
    #[prost(string, tag = 1)]
    pub id: String,
    #[msgpack(key = "hotelCode")]
    #[prost(string, tag = 2)]
    pub hotel_code: String,
    #[msgpack(key = "hotelStatus")]
    #[prost(string, tag = 3)]
    pub hotel_status: String,
    #[msgpack(key = "hotelCurrency")]
    #[prost(string, tag = 4)]
    pub hotel_currency: String,
    #[msgpack(key = "minutesOffsetUtc")]
    #[prost(int32, tag = 5)]
    pub minutes_offset_utc: i32,
    #[msgpack(key = "providerName")]
    #[prost(string, tag = 6)]
    pub provider_name: String,
    #[prost(message, repeated, tag = 7)]
    pub rooms: Vec<Room>,
}

/// A room of a [`Hotel`].
#[derive(
    Clone, PartialEq, Serialize, Deserialize, Shaped, ToMessagePack, FromMessagePack, prost::Message,
)]
#[serde(rename_all = "camelCase")]
#[msgpack(map)]
#[expect(missing_docs, reason = "the names are those of the document")]
pub struct Room {
    #[prost(uint32, tag = 1)]
    pub id: u32,
    #[msgpack(key = "invCode")]
    #[prost(string, tag = 2)]
    pub inv_code: String,
    #[msgpack(key = "rackRate")]
    #[prost(string, tag = 3)]
    pub rack_rate: String,
    #[msgpack(key = "hideRackRate")]
    #[prost(bool, tag = 4)]
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

/// [`People`] with text borrowed from the input.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PeopleRef<'a> {
    /// The records.
    #[serde(borrow)]
    pub people: Vec<PersonRef<'a>>,
}

/// A record of [`PeopleRef`].
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

/// [`Hotels`] with text borrowed from the input.
#[derive(Debug, PartialEq, Serialize, Deserialize, FromMessagePack)]
#[msgpack(map)]
pub struct HotelsRef<'a> {
    /// The list of hotels.
    #[serde(borrow)]
    pub hotels: Vec<HotelRef<'a>>,
}

/// A hotel of [`HotelsRef`].
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

/// The documents, which live as long as the process.
#[derive(Clone, Copy)]
pub struct Documents {
    /// [`People`].
    pub people: &'static People,
    /// [`Hotels`].
    pub hotels: &'static Hotels,
    /// [`RecordA`].
    pub record_a: &'static RecordA,
    /// JSON of a few hundred kilobytes with text, numbers and nesting: `twitter.json` of the
    /// external suites, or else the example events ten times over.
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
