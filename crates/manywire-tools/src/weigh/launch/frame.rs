//! Frames: a length and that many bytes, as `lanes/CONTRACT.md` defines them.

use std::io;
use std::io::{Read, Write};

/// Writes a frame: its length as four bytes, big-endian, then its bytes.
pub(crate) fn write_frame(out: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len())
        .map_err(|_| io::Error::other("a frame holds less than 4 GiB"))?;
    out.write_all(&length.to_be_bytes())?;
    out.write_all(bytes)
}

/// Reads a frame of at most `max` bytes. Memory grows with the bytes that arrive, not with the
/// claimed length.
pub(crate) fn read_frame(input: &mut impl Read, max: u32) -> io::Result<Vec<u8>> {
    let frame = read_next_frame(input, max)?;
    frame.ok_or_else(|| unexpected_end("expected the four bytes of a length, found 0".to_owned()))
}

/// Reads a frame as [`read_frame`] does. Returns `None` at the end of the input.
pub(crate) fn read_next_frame(input: &mut impl Read, max: u32) -> io::Result<Option<Vec<u8>>> {
    let mut length = Vec::new();
    input.by_ref().take(4).read_to_end(&mut length)?;
    if length.is_empty() {
        return Ok(None);
    }
    let length: [u8; 4] = length.try_into().map_err(|found: Vec<u8>| {
        unexpected_end(format!("expected the four bytes of a length, found {}", found.len()))
    })?;
    let length = u32::from_be_bytes(length);
    if length > max {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("a frame that claims {length} bytes, more than {max}"),
        ));
    }
    let mut bytes = Vec::new();
    input.by_ref().take(length.into()).read_to_end(&mut bytes)?;
    if bytes.len() == length as usize {
        Ok(Some(bytes))
    } else {
        Err(unexpected_end(format!("a frame that ends after {} of {length} bytes", bytes.len())))
    }
}

fn unexpected_end(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, message)
}
