//! Formats whose values only a schema makes sense of.

use manywire_codec::{Category, Error, avro, protobuf};
use manywire_format::Format;
use manywire_shape::{Arena, ValueSeed};

use super::{Fault, Stand, Take, fault, is_cut_off};
use crate::payload::LIMITS;

/// One message, to the end of the input.
pub(super) fn whole(
    plan: &protobuf::Plan,
    bytes: &[u8],
    last: bool,
    arena: &mut Arena,
    take: &mut Take<'_>,
) -> Result<usize, Fault> {
    if !last {
        return Ok(0);
    }
    let value = plan
        .decode_seed(&mut ValueSeed::new(arena), bytes, LIMITS)
        .map_err(|error| fault(0, error))?;
    take(Stand::of(bytes, 0..bytes.len()), &value, arena)?;
    Ok(bytes.len())
}

/// Messages with their lengths before them, as `writeDelimitedTo` of the official library has it.
pub(super) fn delimited(
    plan: &protobuf::Plan,
    bytes: &[u8],
    last: bool,
    arena: &mut Arena,
    take: &mut Take<'_>,
) -> Result<usize, Fault> {
    let mut start = 0;
    while start < bytes.len() {
        let message = length(&bytes[start..]).and_then(|(head, length)| {
            let at = start + head;
            let message = usize::try_from(length)
                .ok()
                .and_then(|length| bytes.get(at..at.checked_add(length)?));
            let left = bytes.len() - at;
            message.map(|message| (at, message)).ok_or_else(|| {
                let message = format_args!(
                    "a message claims {length} bytes, but only {left} are left: is it delimited?"
                );
                Error::new(Category::Eof, message)
            })
        });
        let (at, message) = match message {
            Ok(found) => found,
            Err(error) if is_cut_off(&error, last) => break,
            Err(error) => return Err(fault(start, error.with_format(Format::Protobuf))),
        };
        let value = plan
            .decode_seed(&mut ValueSeed::new(arena), message, LIMITS)
            .map_err(|error| fault(at, error))?;
        start = at + message.len();
        take(Stand::of(bytes, at..start), &value, arena)?;
        arena.reset();
    }
    Ok(start)
}

/// The varint that these bytes begin with, and how many of them it takes.
fn length(bytes: &[u8]) -> Result<(usize, u64), Error> {
    let mut value = 0;
    for (index, byte) in bytes.iter().enumerate() {
        // The tenth byte has room for one more bit.
        if index == 9 && *byte > 1 {
            return Err(Error::new(Category::Syntax, "the length of a message exceeds 64 bits"));
        }
        value |= u64::from(byte & 0x7F) << (7 * index);
        if *byte < 0x80 {
            return Ok((index + 1, value));
        }
    }
    Err(Error::new(Category::Eof, "the bytes end here, in the length of a message"))
}

/// Datums behind each other, with nothing between them.
pub(super) fn datums(
    plan: &avro::Plan,
    bytes: &[u8],
    last: bool,
    arena: &mut Arena,
    take: &mut Take<'_>,
) -> Result<usize, Fault> {
    let mut start = 0;
    while start < bytes.len() {
        let mut seed = ValueSeed::new(arena);
        match plan.decode_first(&mut seed, &bytes[start..], LIMITS) {
            Ok((_, 0)) => {
                let message = "datums of this schema take no bytes, yet there are some";
                return Err(fault(start, Error::new(Category::Syntax, message)));
            }
            Ok((value, length)) => {
                take(Stand::of(bytes, start..start + length), &value, arena)?;
                start += length;
            }
            Err(error) if is_cut_off(&error, last) => break,
            Err(error) => return Err(fault(start, error)),
        }
        arena.reset();
    }
    Ok(start)
}
