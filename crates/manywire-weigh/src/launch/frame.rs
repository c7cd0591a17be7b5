use std::io::{self, Read, Write};

/// Writes a frame: its length as four bytes, most significant first, then its bytes.
pub(super) fn write(out: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len())
        .map_err(|_| io::Error::other("a frame holds less than 4 GiB"))?;
    out.write_all(&length.to_be_bytes())?;
    out.write_all(bytes)
}

/// Reads a frame. Memory grows with what arrives, not with what the length claims.
pub(super) fn read(input: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    input.read_exact(&mut length)?;
    let length = u32::from_be_bytes(length);
    let mut bytes = Vec::new();
    input.by_ref().take(length.into()).read_to_end(&mut bytes)?;
    if bytes.len() == length as usize {
        Ok(bytes)
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}
