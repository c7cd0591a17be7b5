use std::fmt;

use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::extension::{self, Kind};

/// A point in time: seconds since 1970-01-01T00:00:00Z and nanoseconds on top of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    /// Whole seconds, negative before 1970.
    pub seconds: i64,
    /// Nanoseconds after them, 0 to 999,999,999.
    pub nanoseconds: u32,
}

impl Timestamp {
    /// A timestamp, if the nanoseconds are less than a second.
    pub fn new(seconds: i64, nanoseconds: u32) -> Option<Self> {
        (nanoseconds < 1_000_000_000).then_some(Timestamp { seconds, nanoseconds })
    }
}

/// The extension triple of [`crate::extension`], which binary formats turn into their own type.
impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        extension::serialize(
            serializer,
            Kind::Timestamp,
            u64::from(self.nanoseconds),
            &self.seconds,
        )
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(extension::NAME, TimestampVisitor)
    }
}

struct TimestampVisitor;

impl<'de> Visitor<'de> for TimestampVisitor {
    type Value = Timestamp;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a timestamp")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Self::Value, D::Error> {
        inner.deserialize_tuple(3, self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Self::Value, A::Error> {
        let missing = |index| de::Error::invalid_length(index, &"a timestamp");
        let kind = parts.next_element::<u8>()?.ok_or_else(|| missing(0))?;
        if Kind::from_u8(kind) != Some(Kind::Timestamp) {
            return Err(de::Error::custom("expected a timestamp, found another extension"));
        }
        let nanoseconds = parts.next_element::<u32>()?.ok_or_else(|| missing(1))?;
        let seconds = parts.next_element::<i64>()?.ok_or_else(|| missing(2))?;
        Timestamp::new(seconds, nanoseconds).ok_or_else(|| {
            de::Error::custom(format_args!("{nanoseconds} nanoseconds are more than a second"))
        })
    }
}
