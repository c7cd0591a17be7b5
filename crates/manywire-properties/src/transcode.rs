//! A value of one format, through every other.
//!
//! What a format cannot hold it refuses, and what it holds otherwise than it came is its
//! documentation's matter. But what it wrote it must read, and what it read it must write; and once
//! it has come back, nothing changes any more.

use manywire_codec::{Codec, Limits, read_value};
use manywire_format::{FORMATS, Format};
use manywire_shape::infer::Inference;
use manywire_shape::{Arena, Value};

use crate::target::{Broken, Holds, hold};

pub(crate) fn msgpack(bytes: &[u8]) -> Holds {
    from(Format::MsgPack, bytes)
}

pub(crate) fn cbor(bytes: &[u8]) -> Holds {
    from(Format::Cbor, bytes)
}

fn from(format: Format, bytes: &[u8]) -> Holds {
    let arena = Arena::new();
    let limits = Limits::DEFAULT.with_depth(32);
    let Ok(value) = read_value(format, bytes, &arena, limits) else { return Ok(()) };
    let mut inference = Inference::new();
    inference.add(&value);
    let shape = inference.shape();
    for row in FORMATS {
        if let Ok(codec) = Codec::new(row.format, &shape) {
            through(&codec, &value)
                .map_err(|broken| Broken(format!("{} to {}: {broken}", format, row.format)))?;
        }
    }
    Ok(())
}

fn through(codec: &Codec, value: &Value<'_>) -> Holds {
    let mut written = Vec::new();
    if codec.encode(value, &mut written).is_err() {
        hold!(written.is_empty(), "refused, and {} bytes left behind", written.len());
        return Ok(());
    }
    // The first time something may become what the format has for it, such as a decimal fraction
    // a double.
    let first = again(codec, &written)?;
    let second = again(codec, &first)?;
    hold!(second == first, "{value:?} changes again: {first:02x?} became {second:02x?}");
    Ok(())
}

/// What is written of what was read.
fn again(codec: &Codec, written: &[u8]) -> Result<Vec<u8>, Broken> {
    let arena = Arena::new();
    let value = codec
        .decode(written, &arena)
        .map_err(|error| Broken(format!("{written:02x?} was written, and is not read: {error}")))?;
    let mut out = Vec::new();
    codec
        .encode(&value, &mut out)
        .map_err(|error| Broken(format!("{value:?} was read, and is not written: {error}")))?;
    Ok(out)
}
