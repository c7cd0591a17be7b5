//! The numbers that CBOR writes as a tag and other items: bignums and decimal fractions
//! (RFC 8949, sections 3.4.3 and 3.4.4).
//!
//! The walker reports each item separately, because each has its own bytes. The row of the last
//! item also shows the number that all of its items form.

use manywire_codec::Category;
use manywire_format::Format;
use manywire_inspect::{Event, Role};
use manywire_shape::{Arena, Value};
use manywire_tools::payload::LIMITS;

/// The largest size in bytes of an encoded number that is shown as a whole.
const BYTES_MAX: usize = 4_096;

/// Collects the bytes of a tagged number from successive events.
#[derive(Default)]
pub(crate) struct TaggedNumbers {
    /// The bytes from the tag on; empty outside of a number.
    bytes: Vec<u8>,
}

impl TaggedNumbers {
    /// Adds the next event of a walk over CBOR. Returns the number that the event completes, if
    /// any.
    pub(crate) fn add(&mut self, event: &Event<'_>) -> Option<String> {
        let Event::Span(span) = event else {
            self.bytes.clear();
            return None;
        };
        if self.bytes.is_empty() && !(span.role == Role::Head && is_number_tag(span.bytes)) {
            return None;
        }
        self.bytes.extend_from_slice(span.bytes);
        if self.bytes.len() > BYTES_MAX {
            self.bytes.clear();
            return None;
        }
        // The tag and the head of an array are followed by further items of the number.
        if !matches!(span.role, Role::Value | Role::Key) {
            return None;
        }
        let arena = Arena::new();
        let number = match manywire_codec::read_value(Format::Cbor, &self.bytes, &arena, LIMITS) {
            // The exponent of a fraction comes before its mantissa.
            Err(error) if error.category() == Category::Eof => return None,
            Ok(Value::Number(text)) => Some(text.to_owned()),
            Ok(Value::I64(number)) => Some(number.to_string()),
            Ok(Value::U64(number)) => Some(number.to_string()),
            _ => None,
        };
        self.bytes.clear();
        number
    }
}

/// Returns whether a head is that of a tag for a number: 2 to 4, in any length.
fn is_number_tag(head: &[u8]) -> bool {
    let Some((first, argument)) = head.split_first() else { return false };
    let tag = match first & 0x1f {
        short @ 0..24 => u64::from(short),
        _ => argument.iter().fold(0, |tag, byte| tag << 8 | u64::from(*byte)),
    };
    first >> 5 == 6 && (2..=4).contains(&tag)
}
