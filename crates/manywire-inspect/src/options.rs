//! How to walk.

use manywire_shape::{avro, proto};

/// What bytes are known to hold beforehand.
#[derive(Clone, Copy, Debug)]
pub enum Schema<'s> {
    /// Messages, of which the whole value is the root.
    Protobuf(&'s proto::Schema),
    /// A datum of the schema's root.
    Avro(&'s avro::Schema),
}

/// Reads the text of an Avro schema; the error says what is wrong with it.
pub type ReadAvro = fn(&str) -> Result<avro::Schema, String>;

/// How to walk.
#[derive(Clone, Copy, Debug)]
pub struct Options<'s> {
    /// How many containers may stand inside each other; deeper ones are a fault. Memory for the
    /// stack is bounded by this, and the length of a path is.
    pub depth_max: usize,
    /// Remark on keys that stand twice in a map. Costs eight bytes a key of the open maps. Keys
    /// that are containers themselves are not compared.
    pub duplicate_keys: bool,
    /// The schema of Protocol Buffers or Avro; one of another format is passed over.
    pub schema: Option<Schema<'s>>,
    /// What reads the schema that an Avro container file carries. Without it, only the header and
    /// the outlines of the blocks are read.
    pub read_avro: Option<ReadAvro>,
    /// How many bytes one value of a stream, or one block of a container file, may have: it is held
    /// whole. What is longer, or claims to be, is a fault.
    pub value_max: usize,
    /// Up to how many bytes an input that is one value is held whole. Of a longer one in JSON,
    /// MessagePack or CBOR no more is held than its longest token and the open containers; a few
    /// times the memory of the latter are needed where keys are compared.
    pub held_max: usize,
    /// To how many bytes a block of a container file may unpack. Beyond 1 MiB, its packed bytes
    /// allow 200 times their number at most.
    pub unpacked_max: usize,
    /// How much of an Avro input may be reported that takes no bytes, such as nulls and records.
    pub empties_max: usize,
    /// How much more of it for each byte that is there.
    pub empties_ratio: usize,
    /// How many bytes of a stream are read at once, at least 1: the least that is held of it.
    pub read_size: usize,
}

impl Options<'_> {
    /// 1,024 containers deep, eight times what the codecs read; duplicate keys go unnoticed; there
    /// is no schema; a value of a stream has 256 MiB at most; one value by itself is held whole up
    /// to 1 MiB; a block unpacks to 4 MiB, sixty times what writers put into one; 65,536 things may
    /// take no bytes, and 64 more for each byte; 64 KiB are read at once.
    pub const DEFAULT: Options<'static> = Options {
        depth_max: 1_024,
        duplicate_keys: false,
        schema: None,
        read_avro: None,
        value_max: 256 << 20,
        held_max: 1 << 20,
        unpacked_max: 4 << 20,
        empties_max: 65_536,
        empties_ratio: 64,
        read_size: 64 << 10,
    };
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options::DEFAULT
    }
}
