//! Codings over streams of any length, in the memory of their windows.

use std::io::{self, BufRead, Read, Write};

use manywire_format::{Coding, CodingLevel};

use crate::core::error::Result;

/// Takes a coding off what is read: gzip may have several members, zstd several frames.
///
/// Reading fails with [`io::ErrorKind::InvalidData`] where the bytes are not of the coding, and
/// with [`io::ErrorKind::UnexpectedEof`] where they end early. An input that has nothing yet
/// ([`io::ErrorKind::WouldBlock`]) may be read on once it has. There is no limit on what comes out
/// but that of a window of 128 MiB for zstd: whoever reads decides how much to read.
///
/// # Errors
/// [`Category::Unsupported`](crate::Category::Unsupported) if the coding was not compiled in.
pub fn reader<'r>(
    coding: Coding,
    input: impl BufRead + Send + 'r,
) -> Result<Box<dyn Read + Send + 'r>> {
    read(coding, None, input)
}

/// The same of input that one does not trust: a zstd frame may ask for a window of so many bytes,
/// a power of two, and no more. RFC 9659 has every sender keep to 8 MiB.
///
/// # Errors
/// As [`reader`].
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
    Ok(match coding {
        #[cfg(feature = "gzip")]
        Coding::Gzip => Box::new(Named(coding, flate2::bufread::MultiGzDecoder::new(input))),
        #[cfg(feature = "gzip")]
        Coding::Deflate => Box::new(Named(coding, Zlib(flate2::bufread::ZlibDecoder::new(input)))),
        #[cfg(feature = "zstd")]
        Coding::Zstd => Box::new(Named(coding, super::zstd::reader(input, _window_bytes)?)),
        #[cfg(feature = "br")]
        Coding::Brotli => Box::new(Named(coding, super::brotli::Reader::new(input))),
        #[allow(unreachable_patterns, reason = "reached when a coding is not compiled in")]
        coding => return Err(super::not_compiled_in(coding)),
    })
}

/// The zlib format, of which nothing follows the end: the library does not look.
#[cfg(feature = "gzip")]
struct Zlib<R>(flate2::bufread::ZlibDecoder<R>);

#[cfg(feature = "gzip")]
impl<R: BufRead> Read for Zlib<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(buffer)?;
        if count == 0 && !buffer.is_empty() && !self.0.get_mut().fill_buf()?.is_empty() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "more bytes follow its end"));
        }
        Ok(count)
    }
}

/// Says in every error which coding it was.
struct Named<R>(Coding, R);

impl<R: Read> Read for Named<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.1.read(buffer).map_err(|error| self.explain(error))
    }
}

impl<R> Named<R> {
    #[cold]
    fn explain(&self, error: io::Error) -> io::Error {
        let coding = self.0;
        match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                let message = format!("the bytes end in the middle of {coding}");
                io::Error::new(io::ErrorKind::UnexpectedEof, message)
            }
            // What the source of the bytes had to say is its own matter.
            _ if error.raw_os_error().is_some() => error,
            io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock => error,
            _ => {
                let message = format!("these bytes are not {coding}: {error}");
                io::Error::new(io::ErrorKind::InvalidData, message)
            }
        }
    }
}

/// Applies a coding to what is written; [`Writer::finish`] ends it.
pub struct Writer<W: Write>(Inner<W>);

enum Inner<W: Write> {
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
    /// A writer of this coding at this level.
    ///
    /// # Errors
    /// [`Category::Unsupported`](crate::Category::Unsupported) if the coding was not compiled in,
    /// or its library has no memory.
    pub fn new(level: CodingLevel, output: W) -> Result<Self> {
        Writer::of(level, None, output)
    }

    /// The same within a window of so many bytes, a power of two: what zstd and brotli look back
    /// on, and so most of the memory that each stream takes. gzip has 32 KiB in any case.
    ///
    /// # Errors
    /// As [`Writer::new`].
    pub fn within(window_bytes: usize, level: CodingLevel, output: W) -> Result<Self> {
        Writer::of(level, Some(window_bytes), output)
    }

    fn of(level: CodingLevel, _window_bytes: Option<usize>, output: W) -> Result<Self> {
        #[cfg(feature = "gzip")]
        let effort = flate2::Compression::new(u32::from(level.level()));
        Ok(Writer(match level.coding() {
            #[cfg(feature = "gzip")]
            Coding::Gzip => Inner::Gzip(flate2::write::GzEncoder::new(output, effort)),
            #[cfg(feature = "gzip")]
            Coding::Deflate => Inner::Deflate(flate2::write::ZlibEncoder::new(output, effort)),
            #[cfg(feature = "zstd")]
            Coding::Zstd => Inner::Zstd(super::zstd::writer(level.level(), _window_bytes, output)?),
            #[cfg(feature = "br")]
            Coding::Brotli => {
                let writer = super::brotli::writer(level.level(), _window_bytes, output);
                Inner::Brotli(Box::new(writer))
            }
            #[allow(unreachable_patterns, reason = "reached when a coding is not compiled in")]
            coding => return Err(super::not_compiled_in(coding)),
        }))
    }

    /// The output, with what was written to it so far.
    pub fn get_mut(&mut self) -> &mut W {
        match &mut self.0 {
            #[cfg(feature = "gzip")]
            Inner::Gzip(writer) => writer.get_mut(),
            #[cfg(feature = "gzip")]
            Inner::Deflate(writer) => writer.get_mut(),
            #[cfg(feature = "zstd")]
            Inner::Zstd(writer) => writer.get_mut(),
            #[cfg(feature = "br")]
            Inner::Brotli(writer) => writer.get_mut(),
        }
    }

    /// Writes the end of the coding and gives the output back.
    ///
    /// # Errors
    /// Those of the output.
    pub fn finish(self) -> io::Result<W> {
        match self.0 {
            #[cfg(feature = "gzip")]
            Inner::Gzip(writer) => writer.finish(),
            #[cfg(feature = "gzip")]
            Inner::Deflate(writer) => writer.finish(),
            #[cfg(feature = "zstd")]
            Inner::Zstd(writer) => writer.finish(),
            // Its end is written as it is taken apart, which cannot report a failure: everything
            // else is written first, so that a failing output has shown itself.
            #[cfg(feature = "br")]
            Inner::Brotli(mut writer) => {
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
            Inner::Gzip(writer) => writer.write(bytes),
            #[cfg(feature = "gzip")]
            Inner::Deflate(writer) => writer.write(bytes),
            #[cfg(feature = "zstd")]
            Inner::Zstd(writer) => writer.write(bytes),
            #[cfg(feature = "br")]
            Inner::Brotli(writer) => writer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            #[cfg(feature = "gzip")]
            Inner::Gzip(writer) => writer.flush(),
            #[cfg(feature = "gzip")]
            Inner::Deflate(writer) => writer.flush(),
            #[cfg(feature = "zstd")]
            Inner::Zstd(writer) => writer.flush(),
            #[cfg(feature = "br")]
            Inner::Brotli(writer) => writer.flush(),
        }
    }
}
