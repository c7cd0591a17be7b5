use manywire_format::Format;
use manywire_shape::fidelity::has_duplicate_keys;
use manywire_shape::{Ext, Space, Timestamp, Value};

/// What a format holds as it is, so that it is read back as the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct Takes {
    bytes: bool,
    /// Integers above `i64::MAX`.
    unsigned: bool,
    /// Numbers beyond 64 bits.
    numbers: bool,
    /// Floats of 32 bits. Without them, the float of 64 bits with the same value does.
    narrow_floats: bool,
    /// NaN and infinities.
    non_finite: bool,
    times: Times,
    /// Keys that are no text.
    any_key: bool,
    /// The formats whose own values it holds.
    spaces: &'static [Space],
}

/// Which points in time a format holds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Times {
    None,
    Milliseconds,
    All,
}

/// What the shape of the values decides is not for the table to say.
const BY_SHAPE: Takes = Takes {
    bytes: true,
    unsigned: true,
    numbers: true,
    narrow_floats: true,
    non_finite: true,
    times: Times::All,
    any_key: true,
    spaces: &[Space::MessagePack, Space::CborTag, Space::CborSimple, Space::Bson],
};

impl Takes {
    /// The row of a format.
    pub(super) fn of(format: Format) -> Takes {
        match format {
            Format::Json => Takes {
                bytes: false,
                narrow_floats: false,
                non_finite: false,
                times: Times::None,
                any_key: false,
                spaces: &[],
                ..BY_SHAPE
            },
            Format::MsgPack => Takes { numbers: false, spaces: &[Space::MessagePack], ..BY_SHAPE },
            Format::Cbor => Takes { spaces: &[Space::CborTag, Space::CborSimple], ..BY_SHAPE },
            Format::Bson => Takes {
                unsigned: false,
                numbers: false,
                narrow_floats: false,
                times: Times::Milliseconds,
                any_key: false,
                spaces: &[Space::Bson],
                ..BY_SHAPE
            },
            Format::MsgPackArray => {
                Takes { numbers: false, spaces: &[Space::MessagePack], ..BY_SHAPE }
            }
            Format::Protobuf | Format::Avro => Takes { spaces: &[], ..BY_SHAPE },
        }
    }

    /// Whether it holds a value with everything in it.
    pub(super) fn all(&self, value: &Value<'_>) -> bool {
        match value {
            Value::Array(items) => items.iter().all(|item| self.all(item)),
            Value::Map(entries) => {
                entries.iter().all(|(key, value)| self.key(key) && self.all(value))
                    && !has_duplicate_keys(entries)
            }
            Value::Ext(ext) => self.extension(ext) && (!is_open(ext) || self.all(&ext.content)),
            scalar => self.scalar(scalar),
        }
    }

    /// Whether it holds a value that holds no others.
    #[inline]
    pub(super) fn scalar(&self, value: &Value<'_>) -> bool {
        match value {
            Value::Null | Value::Bool(_) | Value::I64(_) | Value::Str(_) => true,
            Value::U64(_) => self.unsigned,
            Value::Number(_) => self.numbers,
            Value::F64(number) => self.non_finite || number.is_finite(),
            Value::F32(number) => self.narrow_floats && (self.non_finite || number.is_finite()),
            Value::Bytes(_) => self.bytes,
            Value::Timestamp(time) => match self.times {
                Times::None => false,
                Times::All => true,
                Times::Milliseconds => is_of_milliseconds(time),
            },
            Value::Array(_) | Value::Map(_) | Value::Ext(_) => false,
        }
    }

    /// Whether it holds extensions of this kind, apart from what is in them.
    pub(super) fn extension(&self, ext: &Ext<'_>) -> bool {
        self.spaces.contains(&ext.space)
    }

    /// Whether it holds a key.
    #[inline]
    pub(super) fn key(&self, key: &Value<'_>) -> bool {
        matches!(key, Value::Str(_)) || (self.any_key && self.all(key))
    }
}

/// Whether an extension carries any value, and not just what its type calls for.
pub(super) fn is_open(ext: &Ext<'_>) -> bool {
    ext.space == Space::CborTag
}

/// Whether a time is a whole number of milliseconds that fits 64 bits.
fn is_of_milliseconds(time: &Timestamp) -> bool {
    let within = i128::from(time.nanoseconds / 1_000_000);
    let milliseconds = i128::from(time.seconds) * 1_000 + within;
    time.nanoseconds.is_multiple_of(1_000_000) && i64::try_from(milliseconds).is_ok()
}
