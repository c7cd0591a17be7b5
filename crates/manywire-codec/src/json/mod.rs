//! JSON (RFC 8259).
//!
//! Dynamic values have their own reader and writer ([`read_value`], [`write_value`]): the text of a
//! number decides its type, so nothing is lost between the text and a
//! [`Value`](manywire_shape::Value). The depth is configurable, and memory comes from an arena.
//!
//! | text | [`Value`](manywire_shape::Value) |
//! |---|---|
//! | an integer within 64 bits | `I64`, or `U64` above `i64::MAX` |
//! | a longer integer | `Number`, the text itself |
//! | `-0` | `F64(-0.0)`: no integer has the sign, and it is written `-0.0` |
//! | a fraction or an exponent | `F64`, rounded correctly; on request the text itself if a double would lose digits |
//! | the same, beyond the range of a double (`1e400`) | `Number`, the text itself |
//! | an object | `Map` with all entries in order, including duplicates (see [`duplicate_keys`]) |
//!
//! Typed values are read by serde_json ([`from_slice`]), which passes a longer integer to a visitor
//! as the nearest double. [`OwnedValue`](manywire_shape::OwnedValue) and
//! [`ValueSeed`](manywire_shape::ValueSeed) search the text for the digits of the integer by that
//! double, and fail with the path of the integer if the text has another number, written
//! differently, with the same double. A `u128` receives all digits, and visitors of other crates
//! keep the double. A fraction is always the nearest double.
//!
//! Reading is strict: no byte order mark, no comments, no trailing commas, no lone surrogates, no
//! invalid UTF-8, nothing after the value.

mod duplicates;
mod error;
mod number;
mod read;
mod scan;
mod stream;
mod typed;
mod write;

pub use self::duplicates::{DuplicateKey, duplicate_keys};
pub use self::read::{Position, ValueReader, position, read_value};
pub use self::stream::ValueStream;
pub use self::typed::{encode, from_slice, from_slice_seed, from_slice_with, to_vec};
pub use self::write::{write_pretty, write_value};
