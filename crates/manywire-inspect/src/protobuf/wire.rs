//! The wire format below fields, and heuristics for bytes without a schema.

/// The maximum field number: 29 bits.
pub(super) const FIELD_NUMBER_MAX: u64 = (1 << 29) - 1;

/// Field numbers reserved for implementations of Protocol Buffers.
pub(super) const RESERVED_NUMBERS: std::ops::RangeInclusive<u64> = 19_000..=19_999;

/// The names of the wire types by number. An `end` closes a `group`.
pub(super) const WIRE_TYPES: [&str; 6] = ["varint", "64-bit", "length", "group", "end", "32-bit"];

/// An invalid varint: the bytes end, or it has more than 64 bits.
pub(crate) enum VarintError {
    Truncated,
    TooLong,
}

/// Decodes a varint and returns its length in bytes.
pub(crate) fn varint(bytes: &[u8]) -> Result<(u64, usize), VarintError> {
    let mut number = 0;
    for (index, &byte) in bytes.iter().enumerate() {
        if index == 9 && byte > 1 {
            return Err(VarintError::TooLong);
        }
        number |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            return Ok((number, index + 1));
        }
    }
    Err(VarintError::Truncated)
}

/// Decodes a zigzag number, whose lowest bit is its sign.
pub(crate) fn zigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

/// Returns true for text without control characters other than tabs and line breaks.
pub(super) fn is_printable(text: &str) -> bool {
    text.chars().all(|c| !c.is_control() || matches!(c, '\t' | '\n' | '\r'))
}

/// Returns true if bytes parse as at least one field of a message. The content of fields is not
/// parsed, so each level of nesting is scanned once.
pub(super) fn is_message(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while !rest.is_empty() {
        match past_field(rest) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    !bytes.is_empty()
}

fn past_field(bytes: &[u8]) -> Option<&[u8]> {
    let (tag, length) = varint(bytes).ok()?;
    let rest = &bytes[length..];
    if !(1..=FIELD_NUMBER_MAX).contains(&(tag >> 3)) {
        return None;
    }
    rest.get(content_length(tag, rest)?..)
}

/// Returns the number of bytes after the tag of a field. Groups have no known length.
fn content_length(tag: u64, rest: &[u8]) -> Option<usize> {
    Some(match tag & 7 {
        0 => varint(rest).ok()?.1,
        1 => 8,
        2 => {
            let (content, length) = varint(rest).ok()?;
            length.checked_add(usize::try_from(content).ok()?)?
        }
        5 => 4,
        _ => return None,
    })
}

/// Returns the bytes after the last tag of a field in a message. Returns `None` if the message has
/// no such field, or does not parse.
pub(super) fn field_content(message: &[u8], number: u64) -> Option<&[u8]> {
    let mut rest = message;
    let mut found = None;
    while !rest.is_empty() {
        let (tag, length) = varint(rest).ok()?;
        rest = rest.get(length..)?;
        let (content, after) = rest.split_at_checked(content_length(tag, rest)?)?;
        if tag >> 3 == number {
            found = Some(content);
        }
        rest = after;
    }
    found
}
