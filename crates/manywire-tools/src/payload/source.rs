//! `Source`: where the bytes of an input come from.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use manywire_format::Coding;

use crate::payload::window::Window;
use crate::payload::{InputError, Opened};

/// The name of standard input, on the command line and in messages.
pub const STDIN: &str = "standard input";

/// Where bytes come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    origin: Origin,
    coded: Coded,
}

/// Which coding is to be taken off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coded {
    /// The one that the first bytes show, if they do.
    AsItBegins,
    /// None, whatever the first bytes are.
    Not,
    By(Coding),
}

impl From<Option<Coding>> for Coded {
    fn from(coding: Option<Coding>) -> Self {
        coding.map_or(Coded::AsItBegins, Coded::By)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Origin {
    Stdin,
    File(PathBuf),
    /// Bytes that are there; behind them comes the rest of standard input, if they are its head.
    Memory {
        name: String,
        bytes: Arc<[u8]>,
        is_head: bool,
    },
}

impl Source {
    /// A file, or standard input for `-`. Without a coding, gzip and zstd are known by the bytes
    /// that begin them.
    pub fn new(path: &Path, coding: Option<Coding>) -> Source {
        let stdin = path.as_os_str() == "-";
        let origin = if stdin { Origin::Stdin } else { Origin::File(path.to_owned()) };
        Source { origin, coded: coding.into() }
    }

    /// Bytes that are there already, as they would be in a file of this name.
    pub fn of_bytes(name: &str, bytes: impl Into<Arc<[u8]>>) -> Source {
        let origin = Origin::Memory { name: name.to_owned(), bytes: bytes.into(), is_head: false };
        Source { origin, coded: Coded::AsItBegins }
    }

    /// Standard input, of which this much was read already.
    pub fn of_stdin_after(head: impl Into<Arc<[u8]>>) -> Source {
        let origin = Origin::Memory { name: STDIN.to_owned(), bytes: head.into(), is_head: true };
        Source { origin, coded: Coded::AsItBegins }
    }

    /// The same with this coding to be taken off, whatever the first bytes say.
    #[must_use]
    pub fn with_coding(mut self, coding: Option<Coding>) -> Source {
        if let Some(coding) = coding {
            self.coded = Coded::By(coding);
        }
        self
    }

    /// The same with nothing to be taken off, whatever its extension and its first bytes say.
    #[must_use]
    pub fn without_coding(mut self) -> Source {
        self.coded = Coded::Not;
        self
    }

    /// The file's path, as it was given, or [`STDIN`].
    pub fn name(&self) -> String {
        match &self.origin {
            Origin::Stdin => STDIN.to_owned(),
            Origin::File(path) => path.display().to_string(),
            Origin::Memory { name, .. } => name.clone(),
        }
    }

    /// Whether it can be read again from its start.
    pub fn is_repeatable(&self) -> bool {
        match &self.origin {
            Origin::Stdin => false,
            Origin::File(path) => path.is_file(),
            Origin::Memory { is_head, .. } => !is_head,
        }
    }

    /// How many bytes it has, coded as they are, where that is known without reading them.
    pub fn coded_bytes(&self) -> Option<u64> {
        match &self.origin {
            Origin::Stdin | Origin::Memory { is_head: true, .. } => None,
            Origin::File(path) => match path.metadata() {
                Ok(file) => file.is_file().then_some(file.len()),
                // There is nothing to be read of it.
                Err(_) => Some(0),
            },
            Origin::Memory { bytes, .. } => Some(bytes.len() as u64),
        }
    }

    /// Whether its name or whoever named it says that a coding has to be taken off.
    pub fn is_coded(&self) -> bool {
        matches!(self.coded, Coded::By(_))
    }

    /// All of its bytes at once, without the coding.
    ///
    /// # Errors
    /// A file that cannot be read, or one that unpacks to many times its bytes.
    pub fn bytes(&self) -> Result<Vec<u8>, InputError> {
        let rest = Window::new(self.open()?).into_rest();
        rest.map_err(|error| InputError::unreadable(&self.name(), &error))
    }

    /// Its bytes, without the coding.
    ///
    /// # Errors
    /// A file that cannot be opened or read, a coding that was not compiled in.
    pub fn open(&self) -> Result<Opened, InputError> {
        let unreadable = |error: io::Error| InputError::unreadable(&self.name(), &error);
        let mut input: Box<dyn Read + Send> = match &self.origin {
            Origin::Stdin => Box::new(io::stdin()),
            Origin::File(path) => Box::new(File::open(path).map_err(unreadable)?),
            Origin::Memory { bytes, is_head: true, .. } => {
                Box::new(Cursor::new(bytes.clone()).chain(io::stdin()))
            }
            Origin::Memory { bytes, .. } => Box::new(Cursor::new(bytes.clone())),
        };
        match self.coded {
            Coded::Not => return Ok(Opened::plain(input)),
            Coded::By(coding) => return self.decode(coding, input),
            Coded::AsItBegins => {}
        }
        let mut head = Vec::new();
        input.by_ref().take(MAGIC_BYTES).read_to_end(&mut head).map_err(unreadable)?;
        let coding = coding_of(&head);
        let whole = Cursor::new(head).chain(input);
        match coding {
            Some(coding) => self.decode(coding, whole),
            None => Ok(Opened::plain(whole)),
        }
    }

    fn decode(
        &self,
        coding: Coding,
        input: impl Read + Send + 'static,
    ) -> Result<Opened, InputError> {
        let opened = Opened::coded(coding, input);
        opened.map_err(|error| InputError::whole(&self.name(), error))
    }
}

const MAGIC_BYTES: u64 = 4;

/// The coding that bytes begin with (RFC 1952, section 2.3.1; RFC 8878, section 3.1.1). What
/// begins so is no text, no BSON document of any likely size, and no container of Avro; as
/// MessagePack or CBOR it is a small number and a value behind it.
fn coding_of(head: &[u8]) -> Option<Coding> {
    match head {
        [0x1F, 0x8B, 0x08, ..] => Some(Coding::Gzip),
        [0x28, 0xB5, 0x2F, 0xFD] => Some(Coding::Zstd),
        _ => None,
    }
}
