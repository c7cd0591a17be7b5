//! Where values end: read from the place where the walker saw one begin, the codec must stop where
//! the walker saw it end, with the same value.

use manywire_codec::json::ValueReader;
use manywire_codec::{Limits, Result, bson, cbor, msgpack};
use manywire_format::Format;
use manywire_shape::{Arena, Value, ValueSeed};

use super::Meaning;
use crate::difference::difference;
use crate::reading::{Content, Raw};
use crate::target::{Broken, Holds, hold};

/// How many values of an input are looked at, so that a check takes time in proportion to its
/// length. Which ones, the input decides.
const VALUES_MAX: usize = 3;

pub(super) fn check<M: Meaning>(meaning: &M, raw: &Raw<'_>, bytes: &[u8], arena: &Arena) -> Holds {
    let mut values = Vec::new();
    gather(M::FORMAT, raw, &mut values);
    let step = values.len().div_ceil(VALUES_MAX).max(1);
    let first = bytes.iter().fold(bytes.len(), |sum, byte| sum.wrapping_add(usize::from(*byte)));
    for raw in values.iter().skip(first % step).step_by(step) {
        let (value, end) = match read(M::FORMAT, bytes, raw.start, raw.end, arena) {
            Ok(Some(read)) => read,
            Ok(None) => continue,
            Err(error) => {
                let place = raw.start..raw.end;
                return Err(Broken(format!("the value at {place:?} by itself: {error}")));
            }
        };
        hold!(
            raw.start + end == raw.end,
            "a value from {} on ends at {} for the walker, at {} for the codec",
            raw.start,
            raw.end,
            raw.start + end
        );
        let meant = meaning.value(raw, bytes, arena);
        if let Some(found) = difference(&value, &meant) {
            let start = raw.start;
            return Err(Broken(format!("at {start} the codec and the walker read ${found}")));
        }
    }
    Ok(())
}

/// Every value that stands by itself: chunks do not, nor does what BSON says the type of elsewhere;
/// and a number of JSON does not say where it ends.
fn gather<'a, 'r>(format: Format, raw: &'r Raw<'a>, values: &mut Vec<&'r Raw<'a>>) {
    let by_itself = match format {
        Format::Bson => raw.code == 0x03 && matches!(raw.content, Content::Items(_)),
        Format::Json => matches!(raw.code, b'"' | b'[' | b'{'),
        _ => true,
    };
    if by_itself {
        values.push(raw);
    }
    let is_chunks = format == Format::Cbor && matches!(raw.code, 0x5f | 0x7f);
    if let Content::Items(items) = raw.content
        && !is_chunks
    {
        items.iter().for_each(|item| gather(format, item, values));
    }
}

/// Reads one value from `start` on, without being told where it ends; says where it does. BSON
/// alone is told, as it says so itself.
fn read<'a>(
    format: Format,
    bytes: &'a [u8],
    start: usize,
    end: usize,
    arena: &'a Arena,
) -> Result<Option<(Value<'a>, usize)>> {
    let rest = &bytes[start..];
    let mut seed = ValueSeed::new(arena);
    Ok(Some(match format {
        Format::MsgPack => {
            let mut deserializer = msgpack::Deserializer::new(rest);
            (deserializer.read_seed(&mut seed)?, deserializer.offset())
        }
        Format::Cbor => {
            let mut deserializer = cbor::Deserializer::new(rest);
            (deserializer.read_seed(&mut seed)?, deserializer.offset())
        }
        Format::Json => {
            let mut reader = ValueReader::new(Limits::DEFAULT);
            let mut stream = reader.stream(rest);
            match stream.next_value(arena)? {
                Some((range, value)) => (value, range.end),
                None => return Ok(None),
            }
        }
        _ => {
            let document = &bytes[start..end];
            let top = bson::Top::Document;
            let value = bson::from_slice_seed(&mut seed, document, top, Limits::DEFAULT)?;
            (value, document.len())
        }
    }))
}
