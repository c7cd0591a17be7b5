//! Sources of bytes: files, standard input and memory, each with or without a content coding.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use manywire_format::{Coding, Form, InvalidCoding};

use crate::payload::window::Window;
use crate::payload::{ByteReader, InputError};

/// The name of standard input, on the command line and in messages.
pub const STDIN: &str = "standard input";

/// A source of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    origin: SourceKind,
    /// The content coding by the extension or the caller. `None` detects it by the first bytes.
    coding: Option<InputCoding>,
}

/// The content coding of an input, as `--from-coding` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputCoding {
    /// No coding, even if the first bytes look compressed.
    None,
    /// This coding.
    Of(Coding),
}

impl FromStr for InputCoding {
    type Err = InvalidCoding;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "none" { Ok(InputCoding::None) } else { text.parse().map(InputCoding::Of) }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum SourceKind {
    Stdin,
    /// Standard input, from which these bytes were read already.
    StdinAfter(Arc<[u8]>),
    File(PathBuf),
    Memory {
        name: String,
        bytes: Arc<[u8]>,
    },
}

impl Source {
    /// Returns the source for a file, or for standard input if the path is `-`. If the extension of the
    /// path names no content coding, gzip and zstd are detected by their first bytes.
    pub fn new(path: &Path) -> Source {
        let stdin = path.as_os_str() == "-";
        let origin = if stdin { SourceKind::Stdin } else { SourceKind::File(path.to_owned()) };
        let (_, coding) = Form::of_path(path);
        Source { origin, coding: coding.map(InputCoding::Of) }
    }

    /// Returns a source of bytes in memory, which is treated as a file of this name.
    pub fn of_bytes(name: &str, bytes: impl Into<Arc<[u8]>>) -> Source {
        let origin = SourceKind::Memory { name: name.to_owned(), bytes: bytes.into() };
        Source { origin, coding: None }
    }

    /// Returns the source for standard input, from which `head` was read already.
    pub fn of_stdin_after(head: impl Into<Arc<[u8]>>) -> Source {
        Source { origin: SourceKind::StdinAfter(head.into()), coding: None }
    }

    /// Sets the content coding, unless `coding` is `None`. A set coding takes precedence over the
    /// extension and the first bytes.
    #[must_use]
    pub fn with_coding(mut self, coding: Option<InputCoding>) -> Source {
        self.coding = coding.or(self.coding);
        self
    }

    /// Returns the path of the file as in the arguments, or [`STDIN`].
    pub fn name(&self) -> String {
        match &self.origin {
            SourceKind::Stdin | SourceKind::StdinAfter(_) => STDIN.to_owned(),
            SourceKind::File(path) => path.display().to_string(),
            SourceKind::Memory { name, .. } => name.clone(),
        }
    }

    /// Returns whether the source can be read again from its start.
    pub fn is_repeatable(&self) -> bool {
        match &self.origin {
            SourceKind::Stdin | SourceKind::StdinAfter(_) => false,
            SourceKind::File(path) => path.is_file(),
            SourceKind::Memory { .. } => true,
        }
    }

    /// Returns the number of bytes before decoding, if it is known without reading. Returns 0 if
    /// the metadata of the file cannot be read, for example because the file does not exist.
    pub fn coded_bytes(&self) -> Option<u64> {
        match &self.origin {
            SourceKind::Stdin | SourceKind::StdinAfter(_) => None,
            SourceKind::File(path) => match path.metadata() {
                Ok(file) => file.is_file().then_some(file.len()),
                // The metadata cannot be read.
                Err(_) => Some(0),
            },
            SourceKind::Memory { bytes, .. } => Some(bytes.len() as u64),
        }
    }

    /// Returns whether the name or the caller gives a content coding.
    pub fn is_coded(&self) -> bool {
        matches!(self.coding, Some(InputCoding::Of(_)))
    }

    /// Reads all decoded bytes.
    ///
    /// # Errors
    /// Fails for an unreadable file, or for a file that decodes to many times its size.
    pub fn bytes(&self) -> Result<Vec<u8>, InputError> {
        let rest = Window::new(self.open()?).into_rest();
        rest.map_err(|error| InputError::unreadable(&self.name(), &error))
    }

    /// Opens a reader of the decoded bytes.
    ///
    /// # Errors
    /// Fails for an unreadable file, or for a coding that is not compiled in.
    pub fn open(&self) -> Result<ByteReader, InputError> {
        let unreadable = |error: io::Error| InputError::unreadable(&self.name(), &error);
        let mut input: Box<dyn Read + Send> = match &self.origin {
            SourceKind::Stdin => Box::new(io::stdin()),
            SourceKind::StdinAfter(head) => Box::new(Cursor::new(head.clone()).chain(io::stdin())),
            SourceKind::File(path) => Box::new(File::open(path).map_err(unreadable)?),
            SourceKind::Memory { bytes, .. } => Box::new(Cursor::new(bytes.clone())),
        };
        match self.coding {
            Some(InputCoding::None) => return Ok(ByteReader::plain(input)),
            Some(InputCoding::Of(coding)) => return self.decode(coding, input),
            None => {}
        }
        let mut head = Vec::new();
        input.by_ref().take(MAGIC_BYTES).read_to_end(&mut head).map_err(unreadable)?;
        let coding = coding_of(&head);
        let whole = Cursor::new(head).chain(input);
        match coding {
            Some(coding) => Ok(self.decode(coding, whole)?.with_detected_coding()),
            None => Ok(ByteReader::plain(whole)),
        }
    }

    fn decode(
        &self,
        coding: Coding,
        input: impl Read + Send + 'static,
    ) -> Result<ByteReader, InputError> {
        let opened = ByteReader::coded(coding, input);
        opened.map_err(|error| InputError::whole(&self.name(), error))
    }
}

const MAGIC_BYTES: u64 = 4;

/// Detects the coding by the first bytes (RFC 1952, section 2.3.1; RFC 8878, section 3.1.1). No text,
/// no BSON document of a likely size and no Avro container begins with these bytes; as MessagePack or
/// CBOR they are a small number followed by another value.
fn coding_of(head: &[u8]) -> Option<Coding> {
    match head {
        [0x1F, 0x8B, 0x08, ..] => Some(Coding::Gzip),
        [0x28, 0xB5, 0x2F, 0xFD] => Some(Coding::Zstd),
        _ => None,
    }
}
