//! Constraints that no value satisfies, that the type does not accept, or that nothing checks.

use std::time::Duration;

use manywire_shape::Shaped;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Shaped)]
struct Bounds {
    #[shaped(min = 5, max = 1)]
    stars: u8,
}

#[derive(Serialize, Deserialize, Shaped)]
struct Lengths {
    #[shaped(length = 4..=2)]
    name: String,
}

#[derive(Serialize, Deserialize, Shaped)]
struct NoLength {
    #[shaped(length = ..)]
    name: String,
}

#[derive(Serialize, Deserialize, Shaped)]
struct Multiple {
    #[shaped(multiple_of = 0.01)]
    price: f64,
}

#[derive(Serialize, Deserialize, Shaped)]
struct NoChoice {
    #[shaped(one_of = [])]
    class: String,
}

#[derive(Serialize, Deserialize, Shaped)]
struct MixedChoices {
    #[shaped(one_of = ["a", 1])]
    class: String,
}

#[derive(Serialize, Deserialize, Shaped)]
struct Pattern {
    #[shaped(pattern = "^[A-Z")]
    country: String,
}

#[derive(Serialize, Deserialize, Shaped)]
struct LookAround {
    #[shaped(pattern = "^(?=a)")]
    country: String,
}

#[derive(Serialize, Deserialize, Shaped)]
struct PatternOfNumber {
    #[shaped(pattern = "^1")]
    number: u32,
}

#[derive(Serialize, Deserialize, Shaped)]
struct LengthOfArray {
    #[shaped(length = 2)]
    place: [f64; 2],
}

#[derive(Serialize, Deserialize, Shaped)]
struct BoundOfType {
    #[shaped(min = 1)]
    wait: Duration,
}

#[derive(Serialize, Deserialize, Shaped)]
struct WrittenAs {
    #[serde(with = "seconds")]
    #[shaped(as = "u64", min = 1)]
    wait: Duration,
}

#[derive(Serialize, Deserialize, Shaped)]
struct Skipped {
    #[serde(skip)]
    #[shaped(min = 1)]
    cache: u8,
}

#[derive(Serialize, Deserialize, Shaped)]
struct Flattened {
    #[serde(flatten)]
    #[shaped(length = 1)]
    inner: Skipped,
}

#[derive(Serialize, Deserialize, Shaped)]
#[shaped(min = 1)]
struct Container(u8);

mod seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(wait: &Duration, to: S) -> Result<S::Ok, S::Error> {
        wait.as_secs().serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_secs)
    }
}

fn main() {}
