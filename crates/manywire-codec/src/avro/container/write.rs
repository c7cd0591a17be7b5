use super::{Blocks, Compression, MAGIC, Sync};
use crate::avro::wire::{write_len, write_long};
use crate::core::error::Result;

/// Datums are gathered up to this size before they are written as a block: what Apache's own
/// writers begin with, and small enough for a reader to hold many.
const BLOCK_BYTES: usize = 64 << 10;

/// Makes the bytes of a container file.
pub struct Writer {
    blocks: Blocks,
    sync: Sync,
    datums: Vec<u8>,
    count: usize,
    data: Vec<u8>,
}

impl Writer {
    /// A writer of a file of this schema, whose header is appended to `out`. The marker ends every
    /// block; it must not be predictable where readers look for it in files they do not trust.
    ///
    /// # Errors
    /// [`Category::Unsupported`](crate::Category) if the compression was not compiled in.
    pub fn new(
        schema: &str,
        compression: Compression,
        sync: Sync,
        out: &mut Vec<u8>,
    ) -> Result<Writer> {
        let blocks = Blocks::new(compression)?;
        let metadata = [("avro.schema", schema), ("avro.codec", compression.name())];
        out.extend_from_slice(&MAGIC);
        write_len(out, metadata.len());
        for part in metadata.into_iter().flat_map(|(name, value)| [name, value]) {
            write_len(out, part.len());
            out.extend_from_slice(part.as_bytes());
        }
        write_long(out, 0);
        out.extend_from_slice(&sync);
        Ok(Writer { blocks, sync, datums: Vec::new(), count: 0, data: Vec::new() })
    }

    /// Adds a datum that was encoded by the schema, and appends a block to `out` once enough of
    /// them are there.
    ///
    /// # Errors
    /// As [`flush`](Self::flush).
    pub fn push(&mut self, datum: &[u8], out: &mut Vec<u8>) -> Result<()> {
        self.datums.extend_from_slice(datum);
        self.count += 1;
        if self.datums.len() >= BLOCK_BYTES { self.flush(out) } else { Ok(()) }
    }

    /// Appends the values that have not been written, if there are any.
    ///
    /// # Errors
    /// Only when the library of the compression fails, for want of memory.
    pub fn flush(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if self.count == 0 {
            return Ok(());
        }
        self.data.clear();
        self.blocks.close(&self.datums, &mut self.data)?;
        write_len(out, self.count);
        write_len(out, self.data.len());
        out.extend_from_slice(&self.data);
        out.extend_from_slice(&self.sync);
        self.datums.clear();
        self.count = 0;
        Ok(())
    }
}
