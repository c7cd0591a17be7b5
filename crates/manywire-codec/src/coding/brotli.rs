//! The content coding `br`: Brotli (RFC 7932).

use std::io::{self, BufRead, Read, Write};

use brotli::enc::{BrotliEncoderParams, StandardAlloc};
use brotli::{BrotliDecompressStream, BrotliResult, BrotliState, CompressorWriter};
use manywire_format::Coding;

use super::error::{TRAILING_BYTES, corrupt, truncated};
use super::limits::OutputBudget;
use crate::core::error::{Error, Result};

/// The number of bytes that go through the library at a time, in either direction. The library's
/// own `BrotliCompress` takes 4 KiB, which makes large documents up to four times larger and
/// slower.
const BUFFER_BYTES: usize = 64 << 10;

/// The window in bits: 4 MiB, the default of the format's own tools and of servers.
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
        // Ends the stream. Writing into a vector does not fail.
        writer.into_inner();
        written.map_err(Error::unsupported)
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

/// The windows that the format allows (RFC 7932, section 9.1), in bits.
const WINDOW_BITS_ALLOWED: std::ops::RangeInclusive<u32> = 10..=24;

/// Creates a writer that encodes a stream. `window_bytes` bounds the window if it is set.
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

/// Decodes a stream. The library's own reader stops at the end of the coding and does not report
/// whether anything follows.
pub(super) struct Reader<R> {
    input: R,
    state: BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>,
    next: ReadState,
}

/// The next step of a reader.
#[derive(PartialEq)]
enum ReadState {
    /// The decoder needs input before it has more output.
    NeedsInput,
    /// The decoder has more output without input.
    HasOutput,
    /// The coding has ended; nothing may follow.
    Ended,
}

impl<R: BufRead> Reader<R> {
    pub(super) fn new(input: R) -> Self {
        let alloc = StandardAlloc::default;
        let state = BrotliState::new_strict(alloc(), alloc(), alloc());
        Reader { input, state, next: ReadState::NeedsInput }
    }
}

impl<R: BufRead> Read for Reader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let broken = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what);
        while !buffer.is_empty() {
            // An input that has nothing yet must not hold back bytes that were decoded before.
            let bytes = match self.next {
                ReadState::HasOutput => &[],
                ReadState::NeedsInput => self.input.fill_buf()?,
                ReadState::Ended if self.input.fill_buf()?.is_empty() => return Ok(0),
                ReadState::Ended => return Err(broken(TRAILING_BYTES)),
            };
            let at_end = self.next == ReadState::NeedsInput && bytes.is_empty();
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
                BrotliResult::ResultFailure => return Err(broken("corrupt stream")),
                BrotliResult::ResultSuccess => ReadState::Ended,
                BrotliResult::NeedsMoreInput if at_end && output_at == 0 => {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                // The library asks for input although it has output that did not fit.
                BrotliResult::NeedsMoreInput if output_left == 0 => ReadState::HasOutput,
                BrotliResult::NeedsMoreInput => ReadState::NeedsInput,
                BrotliResult::NeedsMoreOutput => ReadState::HasOutput,
            };
            if output_at > 0 {
                return Ok(output_at);
            }
        }
        Ok(0)
    }
}

/// Decodes one whole message.
pub(super) fn decode(bytes: &[u8], out: &mut Vec<u8>, budget: &OutputBudget) -> Result<()> {
    let alloc = StandardAlloc::default;
    // Strict: without the large windows of an extension of the format.
    let mut state = BrotliState::new_strict(alloc(), alloc(), alloc());
    let mut input_left = bytes.len();
    let mut input_at = 0;
    loop {
        let mut output_left = budget.reserve(out, input_at)?.min(BUFFER_BYTES);
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
                budget.check(out)?;
                return Err(truncated(bytes.len(), Coding::Brotli));
            }
            BrotliResult::ResultSuccess if input_left > 0 => {
                return Err(corrupt(Coding::Brotli, input_at, TRAILING_BYTES));
            }
            BrotliResult::ResultSuccess => return budget.check(out).map(drop),
            BrotliResult::ResultFailure => {
                return Err(corrupt(Coding::Brotli, input_at, "corrupt stream"));
            }
        }
    }
}
