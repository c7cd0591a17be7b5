//! The options of a walk: limits, schemas and buffer sizes.

use manywire_shape::{avro, proto};

/// The schema of the bytes, known before the walk.
#[derive(Clone, Copy, Debug)]
pub enum Schema<'s> {
    /// The Protocol Buffers messages of a schema; the value is the root message.
    Protobuf(&'s proto::Schema),
    /// An Avro schema; the value is a datum of its root type.
    Avro(&'s avro::Schema),
}

/// Parses the text of an Avro schema. The error says why the text is invalid.
pub type AvroSchemaReader = fn(&str) -> Result<avro::Schema, String>;

/// The options of a walk.
#[derive(Clone, Copy, Debug)]
pub struct Options<'s> {
    /// The maximum number of nested containers; deeper ones are a fault. The limit bounds the
    /// memory of the stack and the length of a path.
    pub depth_max: usize,
    /// Reports a remark for each key that occurs twice in a map. Costs eight bytes for each key of
    /// the open maps. Keys that are containers are not compared.
    pub duplicate_keys: bool,
    /// The schema of a Protocol Buffers or Avro input. A schema of another format is ignored.
    pub schema: Option<Schema<'s>>,
    /// Parses the schema in the header of an Avro container file. Without it, the walk reads only
    /// the header and the boundaries of the blocks.
    pub read_avro: Option<AvroSchemaReader>,
    /// Walks the bytes after a single value as further values. By default they are a fault. For
    /// inputs whose first bytes do not show whether there is more than one value.
    pub further_values: bool,
    /// The maximum length in bytes of one value of a stream or one block of a container file. The
    /// whole value is in memory. A value that is longer, or states a greater length, is a fault.
    pub value_max: usize,
    /// The maximum length in bytes of an input of a single value that is read into memory whole.
    /// For a longer input in JSON, MessagePack or CBOR the walk keeps only the longest token and
    /// the open containers. Comparing keys takes a few times the memory of the open containers.
    pub buffer_max: usize,
    /// The maximum length in bytes of an unpacked block of a container file. A block may unpack to
    /// more than 1 MiB only if that is at most 200 times its packed length.
    pub unpacked_max: usize,
    /// The maximum number of zero-length spans, such as nulls and records, that a walk of Avro may
    /// report.
    pub zero_size_max: usize,
    /// The number of additional zero-length spans for each byte of the input.
    pub zero_size_ratio: usize,
    /// The number of bytes of a stream to read at once, at least 1. The buffer is never smaller.
    pub read_size: usize,
}

impl Options<'_> {
    /// The default options: 1,024 nested containers, eight times the limit of the codecs; no
    /// comparison of keys; no schema; nothing after a single value; at most 256 MiB for a value of
    /// a stream; a single value of up to 1 MiB whole in memory; at most 4 MiB for an unpacked block,
    /// sixty times what writers put into a block; 65,536 zero-length spans, and 64 more for each
    /// byte; 64 KiB per read.
    pub const DEFAULT: Options<'static> = Options {
        depth_max: 1_024,
        duplicate_keys: false,
        schema: None,
        read_avro: None,
        further_values: false,
        value_max: 256 << 20,
        buffer_max: 1 << 20,
        unpacked_max: 4 << 20,
        zero_size_max: 65_536,
        zero_size_ratio: 64,
        read_size: 64 << 10,
    };
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options::DEFAULT
    }
}
