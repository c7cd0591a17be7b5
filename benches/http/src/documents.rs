//! The documents of the scenarios.

use manywire::Shaped;
use serde::{Deserialize, Serialize};

/// A record with a few texts.
#[derive(Clone, Debug, Serialize, Deserialize, Shaped)]
#[expect(missing_docs, reason = "the names say it all")]
pub struct Person {
    pub name: String,
    pub age: u32,
    pub tags: Vec<String>,
}

/// The same, borrowed from the body.
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

/// A kind of room.
#[derive(Clone, Debug, Serialize, Deserialize, Shaped)]
#[expect(missing_docs, reason = "the names say it all")]
pub struct Room {
    pub code: String,
    pub beds: u8,
    pub rate: u32,
    pub breakfast: bool,
}

/// The size that the large document is made up to, in bytes of JSON.
pub const HOTELS_BYTES: usize = 10_161;

/// Which document.
#[derive(Clone, Copy, Debug)]
pub enum Document {
    /// [`Person`], 101 bytes of JSON.
    Echo,
    /// [`Hotel`]s, [`HOTELS_BYTES`] of JSON.
    Hotels,
}

impl Document {
    /// Its JSON text, as serde_json writes it.
    pub fn json(self) -> Vec<u8> {
        let json = match self {
            Document::Echo => serde_json::to_vec(&person()),
            Document::Hotels => serde_json::to_vec(&hotels()),
        };
        json.unwrap_or_default()
    }
}

/// 101 bytes of JSON.
pub fn person() -> Person {
    let tags =
        ["alpha", "beta", "gamma", "delta", "epsilon", "zeta-eta!"].map(str::to_owned).to_vec();
    Person { name: "Ada King Lovelace".to_owned(), age: 36, tags }
}

/// Twenty hotels of eight rooms, the last with a name that makes up the size.
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
