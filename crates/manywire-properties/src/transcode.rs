//! Values of one format converted to every other.
//!
//! A format may refuse a value that it cannot hold, and may change a value as its documentation
//! says. The format must read what it wrote and write what it read, and a second round trip must
//! change nothing.

use manywire_codec::{Codec, Limits, read_value};
use manywire_format::{FORMATS, Format};
use manywire_shape::infer::Inference;
use manywire_shape::{Arena, Value};

use crate::target::{CheckResult, Violation, ensure};

pub(crate) fn msgpack(bytes: &[u8]) -> CheckResult {
    from(Format::MsgPack, bytes)
}

pub(crate) fn cbor(bytes: &[u8]) -> CheckResult {
    from(Format::Cbor, bytes)
}

fn from(format: Format, bytes: &[u8]) -> CheckResult {
    let arena = Arena::new();
    let limits = Limits::DEFAULT.with_depth(32);
    let Ok(value) = read_value(format, bytes, &arena, limits) else { return Ok(()) };
    let mut inference = Inference::new();
    inference.add(&value);
    let shape = inference.shape();
    for row in FORMATS {
        if let Ok(codec) = Codec::new(row.format, &shape) {
            through(&codec, &value)
                .map_err(|broken| Violation(format!("{} to {}: {broken}", format, row.format)))?;
        }
    }
    Ok(())
}

fn through(codec: &Codec, value: &Value<'_>) -> CheckResult {
    let mut written = Vec::new();
    if codec.encode(value, &mut written).is_err() {
        ensure!(written.is_empty(), "refused with {} bytes of output", written.len());
        return Ok(());
    }
    // The first round trip may change a value, such as a decimal fraction to a double.
    let first = again(codec, &written)?;
    let second = again(codec, &first)?;
    ensure!(second == first, "{value:?} changes again: {first:02x?} became {second:02x?}");
    Ok(())
}

/// Decodes the bytes and encodes the value again.
fn again(codec: &Codec, written: &[u8]) -> Result<Vec<u8>, Violation> {
    let arena = Arena::new();
    let value = codec.decode(written, &arena).map_err(|error| {
        Violation(format!("{written:02x?} was written and cannot be read: {error}"))
    })?;
    let mut out = Vec::new();
    codec
        .encode(&value, &mut out)
        .map_err(|error| Violation(format!("{value:?} was read and cannot be written: {error}")))?;
    Ok(out)
}
