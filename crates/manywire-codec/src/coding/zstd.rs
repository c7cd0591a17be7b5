//! The content coding `zstd`: Zstandard (RFC 8878), with the window of RFC 9659.

use std::io::{self, BufRead, Read, Write};

use manywire_format::Coding;
use zstd::zstd_safe::zstd_sys::ZSTD_EndDirective;
use zstd::zstd_safe::{
    self, CCtx, CParameter, DCtx, DParameter, InBuffer, OutBuffer, ResetDirective,
};

use super::error::{corrupt, truncated};
use super::limits::OutputBudget;
use crate::core::error::{Category, Error, Result};

/// The window that every receiver must accept and no sender may exceed (RFC 9659, section 3): 8
/// MiB, as a power of two.
const WINDOW_LOG_MAX: u32 = 23;

/// The window of the highest level, 128 MiB, for local files.
const WINDOW_LOG_OF_FILES: u32 = 27;

/// Levels above this level take a window larger than 8 MiB for large messages unless the window is
/// set.
const LEVEL_WITHIN_WINDOW: u8 = 19;

pub(super) struct Encoder(CCtx<'static>);

impl Encoder {
    pub(super) fn new(level: u8) -> Result<Self> {
        let mut context = CCtx::try_create().ok_or_else(no_memory)?;
        set(context.set_parameter(CParameter::CompressionLevel(i32::from(level))))?;
        if level > LEVEL_WITHIN_WINDOW {
            set(context.set_parameter(CParameter::WindowLog(WINDOW_LOG_MAX)))?;
        }
        Ok(Encoder(context))
    }

    pub(super) fn encode(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
        set(self.0.reset(ResetDirective::SessionOnly))?;
        // With room for the worst case, the library compresses straight into the output.
        out.reserve(zstd_safe::compress_bound(bytes.len()));
        let start = out.len();
        let mut input = InBuffer::around(bytes);
        let mut output = OutBuffer::around_pos(out, start);
        let end = ZSTD_EndDirective::ZSTD_e_end;
        match self.0.compress_stream2(&mut output, &mut input, end) {
            Ok(0) => Ok(()),
            Ok(_) => Err(Error::unsupported("zstd did not finish the frame")),
            Err(code) => Err(Error::unsupported(zstd_safe::get_error_name(code))),
        }
    }
}

/// A reader that decodes a stream of frames.
///
/// The library fails after 16 calls in a row without progress, which happens with a source that is
/// often read before it has data. This reader therefore calls the library only with input or if the
/// library has output left, which the reader of the `zstd` crate does not ensure.
pub(super) struct Reader<R> {
    context: DCtx<'static>,
    input: R,
    /// True if the input may end here: at least one frame was read, and every frame is complete.
    may_end: bool,
    /// True if the last call filled its buffer, so that the library may have more output.
    has_output: bool,
}

impl<R: BufRead> Reader<R> {
    /// Creates a reader that accepts windows of at most `window_bytes`, or up to the window of the
    /// highest level if `window_bytes` is not set.
    pub(super) fn new(input: R, window_bytes: Option<usize>) -> Result<Self> {
        let mut context = DCtx::try_create().ok_or_else(no_memory)?;
        let allowed = window_bytes.map_or(WINDOW_LOG_OF_FILES, window_log);
        set(context.set_parameter(DParameter::WindowLogMax(allowed)))?;
        Ok(Reader { context, input, may_end: false, has_output: false })
    }
}

impl<R: BufRead> Read for Reader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let bytes = if self.has_output { &[] } else { self.input.fill_buf()? };
            if bytes.is_empty() && !self.has_output {
                let truncated = io::ErrorKind::UnexpectedEof;
                return if self.may_end { Ok(0) } else { Err(truncated.into()) };
            }
            let mut input = InBuffer::around(bytes);
            let mut output = OutBuffer::around(&mut *buffer);
            let hint = self
                .context
                .decompress_stream(&mut output, &mut input)
                .map_err(|code| io::Error::other(zstd_safe::get_error_name(code)))?;
            let (consumed, written) = (input.pos(), output.pos());
            self.input.consume(consumed);
            self.may_end = hint == 0;
            self.has_output = hint != 0 && written == buffer.len();
            if written > 0 {
                return Ok(written);
            }
        }
    }
}

/// Creates a writer that encodes a stream, with a window of at most `window_bytes` if it is set,
/// and never more than every receiver accepts.
pub(super) fn writer<W: Write>(
    level: u8,
    window_bytes: Option<usize>,
    output: W,
) -> Result<zstd::stream::write::Encoder<'static, W>> {
    let mut encoder =
        zstd::stream::write::Encoder::new(output, i32::from(level)).map_err(Error::unsupported)?;
    if let Some(bytes) = window_bytes {
        encoder.window_log(window_log(bytes).min(WINDOW_LOG_MAX)).map_err(Error::unsupported)?;
    } else if level > LEVEL_WITHIN_WINDOW {
        encoder.window_log(WINDOW_LOG_MAX).map_err(Error::unsupported)?;
    }
    encoder.include_checksum(true).map_err(Error::unsupported)?;
    Ok(encoder)
}

/// Returns the base-2 logarithm of a window, rounded down, within the bounds of the format (section
/// 3.1.1.1.2) and of the library.
fn window_log(bytes: usize) -> u32 {
    bytes.max(1).ilog2().clamp(10, if cfg!(target_pointer_width = "64") { 31 } else { 30 })
}

pub(super) struct Decoder {
    context: DCtx<'static>,
    window_log: u32,
}

impl Decoder {
    pub(super) fn new(window_bytes: usize) -> Result<Self> {
        let mut context = DCtx::try_create().ok_or_else(no_memory)?;
        let allowed = window_log(window_bytes);
        set(context.set_parameter(DParameter::WindowLogMax(allowed)))?;
        Ok(Decoder { context, window_log: allowed })
    }

    pub(super) fn decode(
        &mut self,
        bytes: &[u8],
        out: &mut Vec<u8>,
        budget: &OutputBudget,
    ) -> Result<()> {
        set(self.context.reset(ResetDirective::SessionOnly))?;
        let mut input = InBuffer::around(bytes);
        loop {
            let start = out.len();
            let before = input.pos();
            let (result, is_full) = budget.decode_step(out, before, |out| {
                let end = out.len();
                let mut output = OutBuffer::around_pos(out, end);
                self.context.decompress_stream(&mut output, &mut input)
            })?;
            let hint = match result {
                Ok(hint) => hint,
                Err(code) => return Err(self.refused(code, input.pos())),
            };
            if hint == 0 && input.pos() == bytes.len() {
                budget.check(out)?;
                return Ok(());
            }
            let stuck = !is_full && hint != 0;
            if stuck && input.pos() == bytes.len() {
                return Err(truncated(bytes.len(), Coding::Zstd));
            }
            if out.len() == start && input.pos() == before && stuck {
                return Err(corrupt(Coding::Zstd, before, "the stream does not advance"));
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn refused(&self, code: usize, offset: usize) -> Error {
        let name = zstd_safe::get_error_name(code);
        // The library distinguishes its errors by name only. This one is about the window.
        if name.contains("too much memory") {
            let window = 1u64 << self.window_log;
            let message =
                format_args!("the zstd frame requires a window larger than {window} bytes");
            return Error::at(Category::Limit, offset, message);
        }
        corrupt(Coding::Zstd, offset, name)
    }
}

fn set(result: zstd_safe::SafeResult) -> Result<()> {
    result.map(drop).map_err(|code| Error::unsupported(zstd_safe::get_error_name(code)))
}

#[cold]
fn no_memory() -> Error {
    Error::unsupported("no memory for a zstd context")
}
