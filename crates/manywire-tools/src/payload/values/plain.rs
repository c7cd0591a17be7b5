//! Formats whose values show where they end and what they are.

use manywire_codec::arranged::{self, ArrangedSeed};
use manywire_codec::json::ValueReader;
use manywire_codec::{cbor, msgpack, read_value};
use manywire_format::Format;
use manywire_shape::{Arena, Shape, ValueSeed};
use memchr::memchr;

use super::{Fault, Stand, Take, fault, is_cut_off};
use crate::payload::LIMITS;

pub(super) fn json(
    reader: &mut ValueReader,
    bytes: &[u8],
    last: bool,
    arena: &mut Arena,
    take: &mut Take<'_>,
) -> Result<usize, Fault> {
    let bytes = if last { bytes } else { &bytes[..certain(bytes)] };
    let mut stream = reader.stream(bytes);
    let mut taken = 0;
    loop {
        match stream.next_value(arena) {
            Ok(Some((range, value))) => {
                taken = range.end;
                take(Stand::of(bytes, range), &value, arena)?;
            }
            // The white space behind the last value is taken, too.
            Ok(None) => return Ok(bytes.len()),
            Err(error) if is_cut_off(&error, last) => return Ok(taken),
            Err(error) => return Err(fault(0, error)),
        }
        arena.reset();
    }
}

/// No value reaches over the end of its line, so that a broken one spoils no other.
pub(super) fn lines(
    reader: &mut ValueReader,
    bytes: &[u8],
    last: bool,
    arena: &mut Arena,
    take: &mut Take<'_>,
) -> Result<usize, Fault> {
    let mut start = 0;
    while start < bytes.len() {
        let rest = &bytes[start..];
        // Without the line feed, so that what is missing is missing before it.
        let line = match memchr(b'\n', rest) {
            Some(end) => &rest[..end],
            None if last => rest,
            None => break,
        };
        let mut stream = reader.stream(line);
        while let Some((range, value)) =
            stream.next_value(arena).map_err(|error| fault(start, error))?
        {
            let stand = Stand::of(bytes, start + range.start..start + range.end);
            take(stand, &value, arena)?;
            arena.reset();
        }
        start += line.len() + 1;
    }
    Ok(start.min(bytes.len()))
}

/// How many of the bytes can be looked at while more may come: up to what no number, no word and
/// no character of several bytes goes on behind. What is cut in two there is seen to be.
fn certain(bytes: &[u8]) -> usize {
    let ends = |byte: &u8| matches!(byte, b'\n' | b' ' | b'\t' | b'\r' | b'}' | b']');
    bytes.iter().rposition(ends).map_or(0, |at| at + 1)
}

/// What the readers of MessagePack and CBOR have in common, which no trait says.
macro_rules! each_value {
    ($deserializer:expr, $bytes:ident, $last:ident, $arena:ident, $take:ident, $seed:expr, $placed:expr) => {{
        let mut deserializer = $deserializer;
        while deserializer.remaining() > 0 {
            let start = deserializer.offset();
            match deserializer.read_seed(&mut $seed) {
                Ok(value) => {
                    let stand = Stand::of($bytes, start..deserializer.offset());
                    $take(stand, &value, $arena)?
                }
                Err(error) if is_cut_off(&error, $last) => return Ok(start),
                Err(error) => return Err(fault(0, $placed(error.with_offset(start)))),
            }
            $arena.reset();
        }
        Ok(deserializer.offset())
    }};
}

pub(super) fn msgpack(
    bytes: &[u8],
    last: bool,
    arena: &mut Arena,
    take: &mut Take<'_>,
) -> Result<usize, Fault> {
    let deserializer = msgpack::Deserializer::new(bytes).with_limits(LIMITS);
    each_value!(deserializer, bytes, last, arena, take, ValueSeed::new(arena), |error| error)
}

pub(super) fn arranged(
    shape: &Shape,
    bytes: &[u8],
    last: bool,
    arena: &mut Arena,
    take: &mut Take<'_>,
) -> Result<usize, Fault> {
    let deserializer =
        msgpack::Deserializer::new(bytes).with_limits(LIMITS).with_layout(msgpack::Layout::Array);
    let placed = |error| arranged::placed(shape, error);
    each_value!(deserializer, bytes, last, arena, take, ArrangedSeed::new(shape, arena), placed)
}

pub(super) fn cbor(
    bytes: &[u8],
    last: bool,
    arena: &mut Arena,
    take: &mut Take<'_>,
) -> Result<usize, Fault> {
    let deserializer = cbor::Deserializer::new(bytes).with_limits(LIMITS);
    each_value!(deserializer, bytes, last, arena, take, ValueSeed::new(arena), |error| error)
}

/// A document begins with its length, itself included (bsonspec.org).
pub(super) fn bson(
    bytes: &[u8],
    last: bool,
    arena: &mut Arena,
    take: &mut Take<'_>,
) -> Result<usize, Fault> {
    let mut start = 0;
    while start < bytes.len() {
        let rest = &bytes[start..];
        let claimed = rest.first_chunk().map(|length| i32::from_le_bytes(*length));
        // A length that is none is for the codec to refuse.
        let length = claimed.map_or(usize::MAX, |length| usize::try_from(length).unwrap_or(0));
        if length > rest.len() && !last {
            break;
        }
        let document = rest.get(..length).filter(|document| document.len() > 4).unwrap_or(rest);
        let value = read_value(Format::Bson, document, arena, LIMITS)
            .map_err(|error| fault(start, error))?;
        let end = start + document.len();
        take(Stand::of(bytes, start..end), &value, arena)?;
        start = end;
        arena.reset();
    }
    Ok(start)
}
