//! Brotli (RFC 7932).

use std::io::{self, BufRead, Read, Write};

use brotli::enc::{BrotliEncoderParams, StandardAlloc};
use brotli::{BrotliDecompressStream, BrotliResult, BrotliState, CompressorWriter};
use manywire_format::Coding;

use super::limits::Room;
use super::{corrupt, truncated};
use crate::core::error::{Category, Error, Result};

/// How much goes through the library at a time, either way. Its own `BrotliCompress` takes 4 KiB,
/// which makes large documents up to four times larger and slower.
const BUFFER_BYTES: usize = 64 << 10;

/// The window in bits: the default of the format's own tools and of servers, 4 MiB.
const WINDOW_BITS: i32 = 22;

pub(super) struct Encoder {
    quality: u8,
}

impl Encoder {
    pub(super) fn new(quality: u8) -> Self {
        Encoder { quality }
    }

    pub(super) fn encode(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let parameters = parameters(self.quality, WINDOW_BITS, bytes.len());
        let mut writer = CompressorWriter::with_params(&mut *out, BUFFER_BYTES, &parameters);
        let written = writer.write_all(bytes);
        // Ends the stream; writing into a vector does not fail.
        writer.into_inner();
        written.map_err(|error| Error::new(Category::Unsupported, error))
    }
}

fn parameters(quality: u8, window_bits: i32, size_hint: usize) -> BrotliEncoderParams {
    BrotliEncoderParams {
        quality: i32::from(quality),
        lgwin: window_bits,
        size_hint,
        ..BrotliEncoderParams::default()
    }
}

/// The windows that the format has (section 9.1), in bits.
const WINDOW_BITS_ALLOWED: std::ops::RangeInclusive<u32> = 10..=24;

/// Applies the coding to a stream, within a window of so many bytes if they are given.
pub(super) fn writer<W: Write>(
    quality: u8,
    window_bytes: Option<usize>,
    output: W,
) -> CompressorWriter<W> {
    let (least, most) = WINDOW_BITS_ALLOWED.into_inner();
    let window_bits =
        window_bytes.map_or(WINDOW_BITS, |bytes| bytes.max(1).ilog2().clamp(least, most) as i32);
    CompressorWriter::with_params(output, BUFFER_BYTES, &parameters(quality, window_bits, 0))
}

/// Takes the coding off a stream. The library's own reader ends where the coding does, and does
/// not say whether anything follows.
pub(super) struct Reader<R> {
    input: R,
    state: BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>,
    next: Next,
}

/// What a reader has to do next.
#[derive(PartialEq)]
enum Next {
    /// More bytes are needed before there is more to give.
    Take,
    /// There is more to give without any.
    Give,
    /// The coding has ended; nothing may follow.
    End,
}

impl<R: BufRead> Reader<R> {
    pub(super) fn new(input: R) -> Self {
        let alloc = StandardAlloc::default;
        let state = BrotliState::new_strict(alloc(), alloc(), alloc());
        Reader { input, state, next: Next::Take }
    }
}

impl<R: BufRead> Read for Reader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let broken = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what);
        while !buffer.is_empty() {
            // An input that has nothing yet must not hold back what was decoded before.
            let bytes = match self.next {
                Next::Give => &[],
                Next::Take => self.input.fill_buf()?,
                Next::End if self.input.fill_buf()?.is_empty() => return Ok(0),
                Next::End => return Err(broken("more bytes follow its end")),
            };
            let at_end = self.next == Next::Take && bytes.is_empty();
            let (mut input_left, mut input_at) = (bytes.len(), 0);
            let (mut output_left, mut output_at) = (buffer.len(), 0);
            let result = BrotliDecompressStream(
                &mut input_left,
                &mut input_at,
                bytes,
                &mut output_left,
                &mut output_at,
                buffer,
                &mut 0,
                &mut self.state,
            );
            self.input.consume(input_at);
            self.next = match result {
                BrotliResult::ResultFailure => return Err(broken("it breaks the format")),
                BrotliResult::ResultSuccess => Next::End,
                BrotliResult::NeedsMoreInput if at_end && output_at == 0 => {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                // The library asks for input though it has output that found no room.
                BrotliResult::NeedsMoreInput if output_left == 0 => Next::Give,
                BrotliResult::NeedsMoreInput => Next::Take,
                BrotliResult::NeedsMoreOutput => Next::Give,
            };
            if output_at > 0 {
                return Ok(output_at);
            }
        }
        Ok(0)
    }
}

/// Decodes one whole message.
pub(super) fn decode(bytes: &[u8], out: &mut Vec<u8>, room: &Room) -> Result<()> {
    let alloc = StandardAlloc::default;
    // Strict: without the large windows that only an extension of the format has.
    let mut state = BrotliState::new_strict(alloc(), alloc(), alloc());
    let mut input_left = bytes.len();
    let mut input_at = 0;
    loop {
        let mut output_left = room.make(out, input_at)?.min(BUFFER_BYTES);
        let mut output_at = out.len();
        out.resize(output_at + output_left, 0);
        let result = BrotliDecompressStream(
            &mut input_left,
            &mut input_at,
            bytes,
            &mut output_left,
            &mut output_at,
            out,
            &mut 0,
            &mut state,
        );
        out.truncate(output_at);
        match result {
            BrotliResult::NeedsMoreOutput => {}
            BrotliResult::NeedsMoreInput => {
                room.check(out)?;
                return Err(truncated(bytes.len(), Coding::Brotli));
            }
            BrotliResult::ResultSuccess if input_left > 0 => {
                return Err(corrupt(Coding::Brotli, input_at, "more bytes follow its end"));
            }
            BrotliResult::ResultSuccess => return room.check(out).map(drop),
            BrotliResult::ResultFailure => {
                return Err(corrupt(Coding::Brotli, input_at, "it breaks the format"));
            }
        }
    }
}
