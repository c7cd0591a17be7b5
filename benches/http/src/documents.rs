//! The documents of the scenarios.

use std::sync::Arc;

use manywire::Shaped;
use serde::{Deserialize, Serialize, Serializer};

/// A record with a few text fields.
#[derive(Clone, Debug, Serialize, Deserialize, Shaped)]
#[expect(missing_docs, reason = "the names say it all")]
pub struct Person {
    pub name: String,
    pub age: u32,
    pub tags: Vec<String>,
}

/// [`Person`] borrowed from the body.
#[derive(Debug, Serialize, Deserialize, Shaped)]
#[expect(missing_docs, reason = "the names say it all")]
pub struct PersonRef<'b> {
    pub name: &'b str,
    pub age: u32,
    pub tags: Vec<&'b str>,
}

/// A hotel and its rooms.
#[derive(Clone, Debug, Serialize, Deserialize, Shaped)]
#[expect(missing_docs, reason = "the names say it all")]
pub struct Hotel {
    pub id: u64,
    pub name: String,
    pub city: String,
    pub rooms: Vec<Room>,
}

/// A type of room.
#[derive(Clone, Debug, Serialize, Deserialize, Shaped)]
#[expect(missing_docs, reason = "the names say it all")]
pub struct Room {
    pub code: String,
    pub beds: u8,
    pub rate: u32,
    pub breakfast: bool,
}

/// `examples/hotels.json`: fifty hotels with ten rooms each, small fields.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Shaped)]
pub struct Catalogue {
    /// The hotels.
    pub hotels: Vec<Listed>,
}

/// A hotel of a [`Catalogue`].
#[derive(Clone, Debug, Serialize, Deserialize, Shaped)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the names are those of the document")]
pub struct Listed {
    pub id: String,
    pub hotel_code: String,
    pub hotel_status: String,
    pub hotel_currency: String,
    pub minutes_offset_utc: i32,
    pub provider_name: String,
    pub rooms: Vec<ListedRoom>,
}

/// A room of a [`Listed`] hotel.
#[derive(Clone, Debug, Serialize, Deserialize, Shaped)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the names are those of the document")]
pub struct ListedRoom {
    pub id: u32,
    pub inv_code: String,
    pub rack_rate: String,
    pub hide_rack_rate: bool,
}

/// [`hotels`] without a copy for each response, so that only writing is measured.
#[derive(Clone, Debug, Shaped)]
#[shaped(as = "Vec<Hotel>")]
pub struct SharedHotels(pub Arc<Vec<Hotel>>);

/// [`catalogue`] without a copy for each response.
#[derive(Clone, Debug, Shaped)]
#[shaped(as = "Catalogue")]
pub struct SharedCatalogue(pub Arc<Catalogue>);

impl Serialize for SharedHotels {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl Serialize for SharedCatalogue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// The size of the large document in bytes of JSON, reached by padding.
pub const HOTELS_BYTES: usize = 10_161;

/// Returns a document's JSON text as serde_json writes it.
pub fn json<T: Serialize>(document: &T) -> Vec<u8> {
    serde_json::to_vec(document).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the catalogue from the example file.
pub fn catalogue() -> Catalogue {
    let text = include_str!("../../../examples/hotels.json");
    serde_json::from_str(text).unwrap_or_else(|error| panic!("hotels.json: {error}"))
}

/// Returns a record of 101 bytes of JSON.
pub fn person() -> Person {
    let tags =
        ["alpha", "beta", "gamma", "delta", "epsilon", "zeta-eta!"].map(str::to_owned).to_vec();
    Person { name: "Ada King Lovelace".to_owned(), age: 36, tags }
}

/// Returns twenty hotels of eight rooms, with padding in the last name.
pub fn hotels() -> Vec<Hotel> {
    let room = |number: u32| Room {
        code: format!("R{number}"),
        beds: 2,
        rate: 80 + number,
        breakfast: number.is_multiple_of(2),
    };
    let hotel = |id: u64| Hotel {
        id: 1_000 + id,
        name: format!("Hotel {id}"),
        city: "Lisboa".to_owned(),
        rooms: (1..=8).map(room).collect(),
    };
    let mut all: Vec<Hotel> = (0..20).map(hotel).collect();
    let bytes = serde_json::to_vec(&all).map_or(0, |json| json.len());
    if let Some(last) = all.last_mut() {
        last.name.push_str(&"o".repeat(HOTELS_BYTES.saturating_sub(bytes)));
    }
    all
}
