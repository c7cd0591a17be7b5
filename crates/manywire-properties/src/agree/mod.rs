//! The codec and the walker of a format, held against each other.

mod avro;
mod bignum;
mod bson;
mod cbor;
mod ends;
mod json;
mod merge;
mod merged;
mod msgpack;
mod named;
mod protobuf;

use manywire_codec::{Category, Error, Limits, read_value};
use manywire_format::Format;
use manywire_shape::{Arena, Value};

use crate::difference::difference;
use crate::reading::{self, Raw, Reading};
use crate::target::{Broken, Holds, hold};

pub(crate) use avro::{FEW_EMPTIES, avro, avro_schema};
pub(crate) use named::{protobuf_document, protobuf_named, protobuf_schema};
pub(crate) use protobuf::protobuf;

/// What a codec makes of one value, told by someone who is neither codec nor walker.
trait Meaning {
    const FORMAT: Format;

    /// The value that the codec's documentation promises for what the walker saw.
    fn value<'a>(&self, raw: &Raw<'a>, bytes: &[u8], arena: &'a Arena) -> Value<'a>;

    /// Whether a limit other than that of depth may be the reason: of values that the walker reads.
    fn other_limit(&self, _: &Raw<'_>) -> bool {
        false
    }
}

pub(crate) fn msgpack(bytes: &[u8]) -> Holds {
    check(&msgpack::MsgPack, bytes)
}

pub(crate) fn cbor(bytes: &[u8]) -> Holds {
    check(&cbor::Cbor, bytes)
}

pub(crate) fn bson(bytes: &[u8]) -> Holds {
    check(&bson::Bson, bytes)
}

pub(crate) fn json(bytes: &[u8]) -> Holds {
    check(&json::Json, bytes)
}

fn check<M: Meaning>(meaning: &M, bytes: &[u8]) -> Holds {
    let arena = Arena::new();
    let limits = Limits::DEFAULT;
    let reading = reading::read(M::FORMAT, bytes, limits.depth, &arena);
    let value = match read_value(M::FORMAT, bytes, &arena, limits) {
        Ok(value) => value,
        Err(error) => return both_fail(meaning, &reading, &error),
    };
    if let Some((offset, expected)) = reading.fault {
        return Err(Broken(format!(
            "the codec reads {value:?}, the walker expects {expected} at {offset}"
        )));
    }
    let Some(raw) = reading.value else {
        return Err(Broken(format!("the codec reads {value:?}, the walker no value")));
    };
    // A tag that is looked through may take the codec one container further, no more.
    hold!(
        reading.nesting <= limits.depth + 2,
        "the codec reads {} deep, beyond its limit of {}",
        reading.nesting,
        limits.depth
    );
    let meant = meaning.value(&raw, bytes, &arena);
    if let Some(found) = difference(&value, &meant) {
        return Err(Broken(format!("the codec and the walker read ${found}")));
    }
    ends::check(meaning, &raw, bytes, &arena)
}

/// Both must fail at the same byte; a limit of the codec's must really have been met there.
fn both_fail<M: Meaning>(meaning: &M, reading: &Reading<'_>, error: &Error) -> Holds {
    let Some(offset) = error.offset() else {
        return Err(Broken(format!("the codec says no place: {error}")));
    };
    if error.category() == Category::Limit {
        let met = reading.too_deep.is_some_and(|at| at <= offset)
            || reading.value.is_some_and(|raw| meaning.other_limit(&raw));
        // Where the walker gives up first, it cannot say what a limit was met by.
        let first = reading.fault.as_ref().is_none_or(|fault| fault.0 >= offset);
        hold!(
            first && (met || reading.fault.is_some()),
            "the codec meets a limit that is not there: {error}; too deep at {:?}, fault {:?}",
            reading.too_deep,
            reading.fault
        );
        return Ok(());
    }
    let Some((fault, expected)) = &reading.fault else {
        return Err(Broken(format!("the codec fails, the walker does not: {error}")));
    };
    hold!(
        *fault == offset,
        "the codec fails at {offset}: {error}; the walker at {fault}: expected {expected}"
    );
    Ok(())
}
