//! Avro object container files, which bring their schema.

use manywire_codec::avro::Plan;
use manywire_codec::avro::container::{Block, BlockCodec, Header};
use manywire_codec::{Category, Error};
use manywire_schema::{Language, read_avro};
use manywire_shape::{Arena, ValueSeed};

use super::{Fault, Stand, Take, fault, is_cut_off};
use crate::payload::{LIMITS, Schema};

/// What is known of a file once its header was read.
#[derive(Default)]
pub(crate) struct Container(Option<Open>);

struct Open {
    header: Header,
    plan: Plan,
    blocks: BlockCodec,
    // The datums of a block that was compressed.
    datums: Vec<u8>,
}

/// Datums that take no bytes are bounded by this number in a block: nothing else bounds them.
const EMPTY_DATUMS_MAX: u64 = 65_536;

impl Container {
    /// Reads the header at the start of the file and says how long it is, and what the values are.
    pub(crate) fn open(&mut self, bytes: &[u8], file: &str) -> Result<(usize, Schema), Error> {
        let header = Header::read(bytes)?;
        let (schema, shape) = read_avro(file, &header.schema).map_err(|error| {
            let message = format_args!(
                "the schema in the header, line {} column {}: {}",
                error.line, error.column, error.message
            );
            Error::new(Category::Syntax, message)
        })?;
        let plan = Plan::new(&schema)?;
        let blocks = BlockCodec::new(header.compression)?;
        let length = header.len;
        self.0 = Some(Open { header, plan, blocks, datums: Vec::new() });
        Ok((length, Schema { shape, language: Some(Language::Avro(schema)) }))
    }

    pub(super) fn read(
        &mut self,
        bytes: &[u8],
        last: bool,
        arena: &mut Arena,
        take: &mut Take<'_>,
    ) -> Result<usize, Fault> {
        // The header was read, and taken, before the first value was asked for.
        let Some(open) = &mut self.0 else { return Ok(bytes.len()) };
        let mut start = 0;
        while start < bytes.len() {
            let block = match Block::read(&bytes[start..], &open.header.sync) {
                Ok(block) => block,
                Err(error) if is_cut_off(&error, last) => break,
                Err(error) => return Err(fault(start, error)),
            };
            open.block(&block, start, arena, take)?;
            start += block.len;
        }
        Ok(start)
    }
}

impl Open {
    /// The values of one block. In a compressed one, no value has a place of its own in the file:
    /// theirs is that of the block.
    fn block(
        &mut self,
        block: &Block<'_>,
        start: usize,
        arena: &mut Arena,
        take: &mut Take<'_>,
    ) -> Result<(), Fault> {
        let wrong = |message: String| fault(start, Error::new(Category::Syntax, message));
        let datums = self
            .blocks
            .open(block.data, &mut self.datums)
            .map_err(|error| fault(start + block.head, error))?;
        let is_plain = std::ptr::eq(datums, block.data);
        let place = |at: usize| if is_plain { start + block.head + at } else { start };
        if datums.is_empty() && block.count > EMPTY_DATUMS_MAX {
            let count = block.count;
            return Err(wrong(format!("a block claims {count} datums that take no bytes")));
        }
        let mut at = 0;
        for index in 0..block.count {
            let mut seed = ValueSeed::new(arena);
            let first = self.plan.decode_first(&mut seed, &datums[at..], LIMITS);
            let (value, length) = first.map_err(|error| {
                let within = at + error.offset().unwrap_or(0);
                Fault::Bytes { at: place(within), error }
            })?;
            if length == 0 && index >= EMPTY_DATUMS_MAX {
                return Err(wrong(format!(
                    "a block has more than {EMPTY_DATUMS_MAX} datums that take no bytes"
                )));
            }
            let bytes = &datums[at..at + length];
            take(Stand { bytes, at: place(at), packed: !is_plain }, &value, arena)?;
            at += length;
            arena.reset();
        }
        if at < datums.len() {
            let (count, left) = (block.count, datums.len() - at);
            let message =
                format_args!("a block of {count} datums has {left} bytes left over behind them");
            return Err(fault(place(at), Error::new(Category::Syntax, message)));
        }
        Ok(())
    }
}
