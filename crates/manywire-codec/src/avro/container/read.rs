use manywire_format::Format;

use super::{Compression, MAGIC, Sync};
use crate::avro::wire::{Blocks, read_bytes, read_long, read_text};
use crate::core::error::{Category, Error, Result};
use crate::core::reader::Reader;
use crate::core::text::utf8;

/// What a container file says of itself before its first block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The schema of every datum, as JSON.
    pub schema: String,
    /// How the blocks are compressed.
    pub compression: Compression,
    /// The marker behind every block.
    pub sync: Sync,
    /// How many bytes the header takes.
    pub len: usize,
}

impl Header {
    /// Reads the header at the start of a file.
    ///
    /// # Errors
    /// Bytes that begin no container file, metadata without a schema, a compression that is not
    /// known; [`Category::Eof`] where the bytes end before the header does.
    pub fn read(bytes: &[u8]) -> Result<Header> {
        header(bytes).map_err(|error| error.with_format(Format::Avro))
    }
}

fn header(bytes: &[u8]) -> Result<Header> {
    let mut reader = Reader::new(bytes);
    for expected in MAGIC {
        let offset = reader.offset();
        if reader.byte("the header of a container file")? != expected {
            let message = "no Avro container file: one begins with \"Obj\" and 01";
            return Err(Error::at(Category::Syntax, offset, message));
        }
    }
    let (mut schema, mut compression) = (None, Compression::Null);
    // A map of bytes, in blocks as any other.
    let mut blocks = Blocks::START;
    loop {
        if !blocks.take() {
            blocks.open(&mut reader, None)?;
            if blocks.is_done() {
                break;
            }
            continue;
        }
        let name = read_text(&mut reader)?;
        let offset = reader.offset();
        let value = read_bytes(&mut reader, "the value of metadata")?;
        let text = || {
            utf8(value).ok_or_else(|| {
                Error::at(Category::Syntax, offset, format_args!("{name} is not UTF-8"))
            })
        };
        match name {
            "avro.schema" => schema = Some(text()?.to_owned()),
            "avro.codec" => {
                compression = text()?.parse().map_err(|error: Error| error.with_offset(offset))?
            }
            _ => {}
        }
    }
    let sync = reader.array("the marker behind the header")?;
    let schema = schema.ok_or_else(|| {
        Error::at(Category::Syntax, MAGIC.len(), "the metadata has no \"avro.schema\"")
    })?;
    Ok(Header { schema, compression, sync, len: reader.offset() })
}

/// Datums that stand together in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block<'b> {
    /// How many datums there are.
    pub count: u64,
    /// Their bytes, compressed as the header says.
    pub data: &'b [u8],
    /// How many bytes stand before the data.
    pub head: usize,
    /// How many bytes the block takes, its marker included.
    pub len: usize,
}

impl<'b> Block<'b> {
    /// Reads the block that begins here.
    ///
    /// # Errors
    /// Counts and sizes that are none, a marker that is not the file's; [`Category::Eof`] where
    /// the bytes end before the block does.
    pub fn read(bytes: &'b [u8], sync: &Sync) -> Result<Block<'b>> {
        let mut reader = Reader::new(bytes);
        block(&mut reader, sync).map_err(|error| error.with_format(Format::Avro))
    }
}

fn block<'b>(reader: &mut Reader<'b>, sync: &Sync) -> Result<Block<'b>> {
    let count = read_long(reader, "the count of a block")?;
    let count = u64::try_from(count).map_err(|_| {
        Error::at(Category::Syntax, 0, format_args!("a block of {count} datums is none"))
    })?;
    let data = read_bytes(reader, "the data of a block")?;
    let at = reader.offset();
    let found: Sync = reader.array("the marker behind a block")?;
    if found != *sync {
        let message = "the marker behind the block is not that of the file: the block is not as \
                       long as it says, or the file is damaged";
        return Err(Error::at(Category::Syntax, at, message));
    }
    Ok(Block { count, data, head: at - data.len(), len: reader.offset() })
}
