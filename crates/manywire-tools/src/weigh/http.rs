//! The bytes around a payload: the headers of HTTP, and those of every segment on the line.

use manywire_format::Format;

/// Bytes of payload in a segment: 1,500 of an Ethernet frame, less IP (20), TCP (20) and its
/// timestamps (12), which Linux sends by default.
pub const SEGMENT_BYTES: u64 = 1_448;

/// Header bytes of each segment: IP, TCP and its timestamps.
pub const SEGMENT_OVERHEAD_BYTES: u64 = 52;

/// Returns the bytes on the link for a stream of this many bytes.
pub fn wire_bytes(bytes: u64) -> u64 {
    bytes + bytes.div_ceil(SEGMENT_BYTES) * SEGMENT_OVERHEAD_BYTES
}

/// Returns the size of the headers of one HTTP/1.1 exchange whose response has `size_bytes`: the
/// request of a plain client and the response of a plain server, including blank lines.
///
/// A browser sends more, and HTTP/2 compresses repeated headers to less.
pub fn header_bytes(format: Format, size_bytes: u64) -> u64 {
    let media_type = format.row().media_type;
    let request = format!(
        "GET /v1/items HTTP/1.1\r\nHost: api.example.com\r\nAccept: {media_type}\r\nAccept-Encoding: gzip\r\nUser-Agent: client/1.0\r\n\r\n"
    );
    let answer = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nContent-Length: {size_bytes}\r\nVary: Accept\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n\r\n"
    );
    (request.len() + answer.len()) as u64
}
