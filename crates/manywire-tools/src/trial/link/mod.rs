//! A line between client and server that is slower and longer than loopback.

mod line;
mod profile;
mod relay;

pub use profile::{InvalidLink, Link, PROFILES, Profile};
pub use relay::Relay;

/// Bytes of payload in a segment: 1,500 of an Ethernet frame, less IP (20), TCP (20) and its
/// timestamps (12), which Linux sends by default.
pub const SEGMENT_BYTES: u64 = 1_448;

/// What goes over the line with each segment: IP, TCP and its timestamps.
pub const SEGMENT_OVERHEAD_BYTES: u64 = 52;

/// Bytes on the line for this many of a stream.
pub fn wire_bytes(bytes: u64) -> u64 {
    bytes + bytes.div_ceil(SEGMENT_BYTES) * SEGMENT_OVERHEAD_BYTES
}
