//! Frames: a length of four bytes, most significant first, and that many bytes.

use std::io::{self, ErrorKind, Read, Write};

/// Reads a frame, or returns `None` if the input ends between frames. Memory is allocated only for
/// received bytes, not for the declared length.
pub(crate) fn read(input: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut head = [0; 4];
    let first = input.read(&mut head)?;
    if first == 0 {
        return Ok(None);
    }
    input.read_exact(&mut head[first..])?;
    let length = u32::from_be_bytes(head);
    let mut frame = Vec::new();
    input.take(u64::from(length)).read_to_end(&mut frame)?;
    if frame.len() as u64 != u64::from(length) {
        let what = format!("input ends after {} bytes of a frame of {length}", frame.len());
        return Err(io::Error::new(ErrorKind::UnexpectedEof, what));
    }
    Ok(Some(frame))
}

/// Writes a frame.
pub(crate) fn write(output: &mut impl Write, frame: &[u8]) -> io::Result<()> {
    let length = u32::try_from(frame.len())
        .map_err(|_| io::Error::other("a frame holds less than 4 GiB"))?;
    output.write_all(&length.to_be_bytes())?;
    output.write_all(frame)
}

#[cfg(test)]
mod tests {
    use super::{read, write};

    #[test]
    fn what_is_written_is_read() {
        let mut bytes = Vec::new();
        write(&mut bytes, b"").expect("a Vec takes everything");
        write(&mut bytes, b"abc").expect("a Vec takes everything");
        assert_eq!(bytes, b"\0\0\0\0\0\0\0\x03abc");
        let mut input = bytes.as_slice();
        assert_eq!(read(&mut input).expect("a frame").as_deref(), Some(&b""[..]));
        assert_eq!(read(&mut input).expect("a frame").as_deref(), Some(&b"abc"[..]));
        assert_eq!(read(&mut input).expect("the end"), None);
    }

    #[test]
    fn an_end_within_a_frame_is_an_error() {
        assert!(read(&mut &b"\0\0"[..]).is_err());
        // The length claims four gigabytes, and only two bytes follow.
        let error = read(&mut &b"\xff\xff\xff\xffab"[..]).expect_err("it ends early");
        assert!(error.to_string().contains("after 2 bytes of a frame of 4294967295"), "{error}");
    }
}
