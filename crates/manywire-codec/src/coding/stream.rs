//! Content codings over streams of any length, in the memory of their windows.

use std::io::{self, BufRead, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use manywire_format::{Coding, CodingLevel};

use crate::core::error::Result;

/// Creates a reader that decodes `input`. gzip may have several members, zstd several frames.
/// `deflate` must be in the zlib format: raw data is invalid.
///
/// Reading fails with [`io::ErrorKind::InvalidData`] if the bytes are invalid, and with
/// [`io::ErrorKind::UnexpectedEof`] if they end early. Errors of the input pass through. After
/// [`io::ErrorKind::WouldBlock`], reading may continue once the input has more. The only limit on
/// the output is a window of 128 MiB for zstd: the caller decides how much to read.
///
/// # Errors
/// Fails with [`Category::Unsupported`](crate::Category::Unsupported) if the coding was not
/// compiled in, or if its library runs out of memory.
pub fn reader<'r>(
    coding: Coding,
    input: impl BufRead + Send + 'r,
) -> Result<Box<dyn Read + Send + 'r>> {
    read(coding, None, input)
}

/// Creates a reader for untrusted input: a zstd frame may ask for a window of at most
/// `window_bytes`, a power of two. RFC 9659 limits senders to 8 MiB.
///
/// # Errors
/// Same as [`reader`].
pub fn reader_within<'r>(
    window_bytes: usize,
    coding: Coding,
    input: impl BufRead + Send + 'r,
) -> Result<Box<dyn Read + Send + 'r>> {
    read(coding, Some(window_bytes), input)
}

fn read<'r>(
    coding: Coding,
    _window_bytes: Option<usize>,
    input: impl BufRead + Send + 'r,
) -> Result<Box<dyn Read + Send + 'r>> {
    let input_failed = Arc::new(AtomicBool::new(false));
    let input = ObservedInput { input, has_failed: input_failed.clone() };
    let decoder: Box<dyn Read + Send + 'r> = match coding {
        #[cfg(feature = "gzip")]
        Coding::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(input)),
        #[cfg(feature = "gzip")]
        Coding::Deflate => Box::new(Zlib(flate2::bufread::ZlibDecoder::new(input))),
        #[cfg(feature = "zstd")]
        Coding::Zstd => Box::new(super::zstd::Reader::new(input, _window_bytes)?),
        #[cfg(feature = "br")]
        Coding::Brotli => Box::new(super::brotli::Reader::new(input)),
        #[allow(unreachable_patterns, reason = "reached when a coding is not compiled in")]
        coding => return Err(super::error::not_compiled_in(coding)),
    };
    Ok(Box::new(NamedErrors { coding, decoder, input_failed }))
}

fn is_temporary(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock)
}

/// Notes whether reading the input failed, so that this error is told from one about the bytes.
struct ObservedInput<R> {
    input: R,
    has_failed: Arc<AtomicBool>,
}

impl<R> ObservedInput<R> {
    fn note<T>(has_failed: &AtomicBool, result: io::Result<T>) -> io::Result<T> {
        result.inspect_err(|error| {
            // After these errors, a decoder may try again by itself.
            if !is_temporary(error) {
                has_failed.store(true, Ordering::Relaxed);
            }
        })
    }
}

impl<R: BufRead> Read for ObservedInput<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Self::note(&self.has_failed, self.input.read(buffer))
    }
}

impl<R: BufRead> BufRead for ObservedInput<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        Self::note(&self.has_failed, self.input.fill_buf())
    }

    fn consume(&mut self, amount: usize) {
        self.input.consume(amount);
    }
}

/// The zlib format. Nothing may follow its end, which the library does not check.
#[cfg(feature = "gzip")]
struct Zlib<R>(flate2::bufread::ZlibDecoder<R>);

#[cfg(feature = "gzip")]
impl<R: BufRead> Read for Zlib<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(buffer)?;
        if count == 0 && !buffer.is_empty() && !self.0.get_mut().fill_buf()?.is_empty() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, super::error::TRAILING_BYTES));
        }
        Ok(count)
    }
}

/// Names the coding in errors about the coded bytes. Errors of the input pass through unchanged.
struct NamedErrors<'r> {
    coding: Coding,
    decoder: Box<dyn Read + Send + 'r>,
    input_failed: Arc<AtomicBool>,
}

impl Read for NamedErrors<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.decoder.read(buffer).map_err(|error| self.explain(error))
    }
}

impl NamedErrors<'_> {
    #[cold]
    fn explain(&self, error: io::Error) -> io::Error {
        let coding = self.coding;
        // Reading may continue after some errors of the input, so the next error may be an error in
        // the bytes.
        if self.input_failed.swap(false, Ordering::Relaxed) {
            return error;
        }
        match error.kind() {
            _ if is_temporary(&error) => error,
            io::ErrorKind::UnexpectedEof => {
                let message = format!("truncated {coding} data");
                io::Error::new(io::ErrorKind::UnexpectedEof, message)
            }
            _ => {
                let message = format!("invalid {coding} data: {error}");
                io::Error::new(io::ErrorKind::InvalidData, message)
            }
        }
    }
}

/// Encodes the bytes written to it. [`Writer::finish`] ends the coding.
pub struct Writer<W: Write>(WriterKind<W>);

enum WriterKind<W: Write> {
    #[cfg(feature = "gzip")]
    Gzip(flate2::write::GzEncoder<W>),
    #[cfg(feature = "gzip")]
    Deflate(flate2::write::ZlibEncoder<W>),
    #[cfg(feature = "zstd")]
    Zstd(zstd::stream::write::Encoder<'static, W>),
    #[cfg(feature = "br")]
    Brotli(Box<brotli::CompressorWriter<W>>),
}

impl<W: Write> Writer<W> {
    /// Creates a writer for the coding and level.
    ///
    /// # Errors
    /// Fails with [`Category::Unsupported`](crate::Category::Unsupported) if the coding was not
    /// compiled in, or if its library runs out of memory.
    pub fn new(level: CodingLevel, output: W) -> Result<Self> {
        Writer::of(level, None, output)
    }

    /// Creates a writer with a window of `window_bytes`, a power of two. zstd and brotli refer back
    /// that far, so the window is most of the memory of a stream. The window is at most 8 MiB for
    /// zstd and 16 MiB for brotli; gzip always has 32 KiB.
    ///
    /// # Errors
    /// Same as [`Writer::new`].
    pub fn with_window(window_bytes: usize, level: CodingLevel, output: W) -> Result<Self> {
        Writer::of(level, Some(window_bytes), output)
    }

    fn of(level: CodingLevel, _window_bytes: Option<usize>, output: W) -> Result<Self> {
        #[cfg(feature = "gzip")]
        let effort = flate2::Compression::new(u32::from(level.level()));
        Ok(Writer(match level.coding() {
            #[cfg(feature = "gzip")]
            Coding::Gzip => WriterKind::Gzip(flate2::write::GzEncoder::new(output, effort)),
            #[cfg(feature = "gzip")]
            Coding::Deflate => WriterKind::Deflate(flate2::write::ZlibEncoder::new(output, effort)),
            #[cfg(feature = "zstd")]
            Coding::Zstd => {
                WriterKind::Zstd(super::zstd::writer(level.level(), _window_bytes, output)?)
            }
            #[cfg(feature = "br")]
            Coding::Brotli => {
                let writer = super::brotli::writer(level.level(), _window_bytes, output);
                WriterKind::Brotli(Box::new(writer))
            }
            #[allow(unreachable_patterns, reason = "reached when a coding is not compiled in")]
            coding => return Err(super::error::not_compiled_in(coding)),
        }))
    }

    /// Returns the output, with everything written to it so far.
    pub fn get_mut(&mut self) -> &mut W {
        match &mut self.0 {
            #[cfg(feature = "gzip")]
            WriterKind::Gzip(writer) => writer.get_mut(),
            #[cfg(feature = "gzip")]
            WriterKind::Deflate(writer) => writer.get_mut(),
            #[cfg(feature = "zstd")]
            WriterKind::Zstd(writer) => writer.get_mut(),
            #[cfg(feature = "br")]
            WriterKind::Brotli(writer) => writer.get_mut(),
        }
    }

    /// Ends the coding and returns the output.
    ///
    /// # Errors
    /// Fails if writing to the output fails.
    pub fn finish(self) -> io::Result<W> {
        match self.0 {
            #[cfg(feature = "gzip")]
            WriterKind::Gzip(writer) => writer.finish(),
            #[cfg(feature = "gzip")]
            WriterKind::Deflate(writer) => writer.finish(),
            #[cfg(feature = "zstd")]
            WriterKind::Zstd(writer) => writer.finish(),
            // `into_inner` writes the end of the coding but cannot report a failure. Flushing first
            // makes a failing output report its error.
            #[cfg(feature = "br")]
            WriterKind::Brotli(mut writer) => {
                writer.flush()?;
                let mut output = writer.into_inner();
                output.flush()?;
                Ok(output)
            }
        }
    }
}

impl<W: Write> Write for Writer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            #[cfg(feature = "gzip")]
            WriterKind::Gzip(writer) => writer.write(bytes),
            #[cfg(feature = "gzip")]
            WriterKind::Deflate(writer) => writer.write(bytes),
            #[cfg(feature = "zstd")]
            WriterKind::Zstd(writer) => writer.write(bytes),
            #[cfg(feature = "br")]
            WriterKind::Brotli(writer) => writer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            #[cfg(feature = "gzip")]
            WriterKind::Gzip(writer) => writer.flush(),
            #[cfg(feature = "gzip")]
            WriterKind::Deflate(writer) => writer.flush(),
            #[cfg(feature = "zstd")]
            WriterKind::Zstd(writer) => writer.flush(),
            #[cfg(feature = "br")]
            WriterKind::Brotli(writer) => writer.flush(),
        }
    }
}
