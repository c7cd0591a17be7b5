//! The formats that describe themselves: MessagePack, BSON and JSON, and the comparison that CBOR
//! shares with them.
//! The codec and the walker must read the same value, or fail at the same byte. A codec that starts
//! at a value inside the input must stop where the walker saw that value end.

use manywire_codec::json::ValueReader;
use manywire_codec::{Category, Error, Limits, bson, cbor, msgpack, read_value};
use manywire_format::Format;
use manywire_shape::{Arena, Ext, Space, Value, ValueSeed};

use crate::difference::difference;
use crate::span_tree::{self, Content, WalkedTree, WalkedValue};
use crate::target::{CheckResult, Violation, ensure};

/// Computes the value that the codec must read, from the value that the walker read. Uses no code
/// of codec or walker.
pub(super) trait ExpectedValue {
    const FORMAT: Format;

    /// Returns the value that the codec's documentation promises for a value that the walker read.
    fn value<'a>(&self, raw: &WalkedValue<'a>, bytes: &[u8], arena: &'a Arena) -> Value<'a>;

    /// Returns true if a value that the walker reads can meet a limit of the codec other than
    /// depth.
    fn meets_other_limit(&self, _: &WalkedValue<'_>) -> bool {
        false
    }
}

pub(crate) fn msgpack(bytes: &[u8]) -> CheckResult {
    check(&MsgPack, bytes)
}

pub(crate) fn bson(bytes: &[u8]) -> CheckResult {
    check(&Bson, bytes)
}

pub(crate) fn json(bytes: &[u8]) -> CheckResult {
    check(&Json, bytes)
}

pub(super) fn check<E: ExpectedValue>(expected_value: &E, bytes: &[u8]) -> CheckResult {
    let arena = Arena::new();
    let limits = Limits::DEFAULT;
    let tree = span_tree::read(E::FORMAT, bytes, limits.depth, &arena);
    let value = match read_value(E::FORMAT, bytes, &arena, limits) {
        Ok(value) => value,
        Err(error) => return compare_failures(expected_value, &tree, &error),
    };
    if let Some((offset, expected)) = tree.fault {
        return Err(Violation(format!(
            "the codec reads {value:?}, the walker expects {expected} at {offset}"
        )));
    }
    let Some(raw) = tree.value else {
        return Err(Violation(format!("the codec reads {value:?}, the walker reads no value")));
    };
    // The codec may go one container deeper inside a tag that it skips, and no more.
    ensure!(
        tree.nesting <= limits.depth + 2,
        "the codec reads {} levels, more than 2 beyond the limit of {}",
        tree.nesting,
        limits.depth
    );
    let expected = expected_value.value(&raw, bytes, &arena);
    if let Some(found) = difference(&value, &expected) {
        return Err(Violation(format!("the codec and the walker read ${found}")));
    }
    check_ends(expected_value, &raw, bytes, &arena)
}

/// Checks that codec and walker fail at the same byte. If the codec reports a limit, checks that
/// the walker does not fail earlier, and that the limit was met unless the walker fails, too.
fn compare_failures<E: ExpectedValue>(
    expected_value: &E,
    tree: &WalkedTree<'_>,
    error: &Error,
) -> CheckResult {
    let Some(offset) = error.offset() else {
        return Err(Violation(format!("the codec error has no offset: {error}")));
    };
    if error.category() == Category::Limit {
        let met = tree.too_deep.is_some_and(|at| at <= offset)
            || tree.value.is_some_and(|raw| expected_value.meets_other_limit(&raw));
        // A walker that fails first does not see the value that meets the limit.
        let first = tree.fault.as_ref().is_none_or(|fault| fault.0 >= offset);
        ensure!(
            first && (met || tree.fault.is_some()),
            "the codec reports a limit that was not met: {error}; too deep at {:?}, fault {:?}",
            tree.too_deep,
            tree.fault
        );
        return Ok(());
    }
    let Some((fault, expected)) = &tree.fault else {
        return Err(Violation(format!("the codec fails, the walker does not: {error}")));
    };
    ensure!(
        *fault == offset,
        "the codec fails at {offset}: {error}; the walker at {fault}: expected {expected}"
    );
    Ok(())
}

/// The maximum number of values to check per input, so that a check takes time proportional to the
/// length of the input. The bytes of the input determine the values.
const VALUES_MAX: usize = 3;

fn check_ends<E: ExpectedValue>(
    expected_value: &E,
    raw: &WalkedValue<'_>,
    bytes: &[u8],
    arena: &Arena,
) -> CheckResult {
    let mut values = Vec::new();
    collect(E::FORMAT, raw, &mut values);
    let step = values.len().div_ceil(VALUES_MAX).max(1);
    let first = bytes.iter().fold(bytes.len(), |sum, byte| sum.wrapping_add(usize::from(*byte)));
    for raw in values.iter().skip(first % step).step_by(step) {
        let (value, end) = match read(E::FORMAT, bytes, raw.start, raw.end, arena) {
            Ok(Some(read)) => read,
            Ok(None) => continue,
            Err(error) => {
                let place = raw.start..raw.end;
                return Err(Violation(format!("the value at {place:?} alone: {error}")));
            }
        };
        ensure!(
            raw.start + end == raw.end,
            "a value from {} on ends at {} for the walker, at {} for the codec",
            raw.start,
            raw.end,
            raw.start + end
        );
        let expected = expected_value.value(raw, bytes, arena);
        if let Some(found) = difference(&value, &expected) {
            let start = raw.start;
            return Err(Violation(format!("at {start} the codec and the walker read ${found}")));
        }
    }
    Ok(())
}

/// Collects every value that can be read alone. Chunks are left out. BSON values other than
/// documents are left out, because the type is not among their bytes, and JSON numbers and
/// literals, because the reader of streams requires white space or a string or container after
/// them.
fn collect<'a, 'r>(
    format: Format,
    raw: &'r WalkedValue<'a>,
    values: &mut Vec<&'r WalkedValue<'a>>,
) {
    let is_standalone = match format {
        Format::Bson => raw.code == 0x03 && matches!(raw.content, Content::Items(_)),
        Format::Json => matches!(raw.code, b'"' | b'[' | b'{'),
        _ => true,
    };
    if is_standalone {
        values.push(raw);
    }
    let is_chunks = format == Format::Cbor && matches!(raw.code, 0x5f | 0x7f);
    if let Content::Items(items) = raw.content
        && !is_chunks
    {
        items.iter().for_each(|item| collect(format, item, values));
    }
}

/// Reads one value from `start` on, and returns the value with its length, or `None` if there is no
/// value. Only BSON uses `end`; a document contains its length, too.
fn read<'a>(
    format: Format,
    bytes: &'a [u8],
    start: usize,
    end: usize,
    arena: &'a Arena,
) -> manywire_codec::Result<Option<(Value<'a>, usize)>> {
    let rest = &bytes[start..];
    let mut seed = ValueSeed::new(arena);
    Ok(Some(match format {
        Format::MsgPack => {
            let mut deserializer = msgpack::Deserializer::new(rest);
            (deserializer.read_seed(&mut seed)?, deserializer.offset())
        }
        Format::Cbor => {
            let mut deserializer = cbor::Deserializer::new(rest);
            (deserializer.read_seed(&mut seed)?, deserializer.offset())
        }
        Format::Json => {
            let mut reader = ValueReader::new(Limits::DEFAULT);
            let mut stream = reader.stream(rest);
            match stream.next_value(arena)? {
                Some((range, value)) => (value, range.end),
                None => return Ok(None),
            }
        }
        _ => {
            let document = &bytes[start..end];
            let top = bson::TopLevel::Document;
            let value = bson::from_slice_seed(&mut seed, document, top, Limits::DEFAULT)?;
            (value, document.len())
        }
    }))
}

struct MsgPack;

impl ExpectedValue for MsgPack {
    const FORMAT: Format = Format::MsgPack;

    fn value<'a>(&self, raw: &WalkedValue<'a>, bytes: &[u8], arena: &'a Arena) -> Value<'a> {
        match raw.content {
            Content::Items(items) => {
                container(items, is_map(raw.code), arena, |item| self.value(item, bytes, arena))
            }
            // The walker reports every extension but the timestamp as bytes.
            Content::Leaf(content @ Value::Bytes(_)) if matches!(raw.code, 0xc7..=0xc9 | 0xd4..=0xd8) =>
            {
                let code = bytes[raw.head_start + raw.head - 1].cast_signed();
                let code = i64::from(code).cast_unsigned();
                Value::Ext(arena.alloc(Ext { space: Space::MessagePack, code, content }))
            }
            Content::Leaf(value) => value,
        }
    }
}

fn is_map(code: u8) -> bool {
    matches!(code, 0x80..=0x8f | 0xde | 0xdf)
}

/// Builds an array of the items, or a map of alternating keys and values.
pub(super) fn container<'a>(
    items: &[WalkedValue<'a>],
    map: bool,
    arena: &'a Arena,
    mut value: impl FnMut(&WalkedValue<'a>) -> Value<'a>,
) -> Value<'a> {
    if map {
        let entries: Vec<_> =
            items.chunks_exact(2).map(|entry| (value(&entry[0]), value(&entry[1]))).collect();
        return Value::Map(arena.alloc_slice_copy(&entries));
    }
    let items: Vec<_> = items.iter().map(value).collect();
    Value::Array(arena.alloc_slice_copy(&items))
}

struct Bson;

impl ExpectedValue for Bson {
    const FORMAT: Format = Format::Bson;

    fn value<'a>(&self, raw: &WalkedValue<'a>, bytes: &[u8], arena: &'a Arena) -> Value<'a> {
        let own = |content| {
            let code = raw.code.into();
            Value::Ext(arena.alloc(Ext { space: Space::Bson, code, content }))
        };
        let pair = |first, second| own(Value::Array(arena.alloc_slice_copy(&[first, second])));
        let place = &bytes[raw.start..raw.end];
        match (raw.content, raw.code) {
            (Content::Items([code, scope]), 0x0f) => {
                let Content::Leaf(code) = code.content else { return Value::Null };
                pair(code, self.value(&WalkedValue { code: 0x03, ..*scope }, bytes, arena))
            }
            (Content::Items(items), code) => {
                container(items, code == 0x03, arena, |item| self.key_or_value(item, bytes, arena))
            }
            (Content::Leaf(content @ Value::Bytes(_)), 0x05) => match place[4] {
                0 => content,
                subtype => pair(Value::I64(subtype.into()), content),
            },
            (Content::Leaf(_), 0x06 | 0x7f | 0xff) => own(Value::Null),
            (Content::Leaf(content), 0x07 | 0x0d | 0x0e | 0x11 | 0x13) => own(content),
            (Content::Leaf(_), 0x0b) => {
                let mut texts = place
                    .split(|byte| *byte == 0)
                    .map(|text| std::str::from_utf8(text).unwrap_or_default());
                let mut next = || texts.next().unwrap_or_default();
                let pattern = Value::Str(arena.alloc_str(next()));
                // The codec sorts the options.
                let mut options: Vec<char> = next().chars().collect();
                options.sort_unstable();
                pair(pattern, Value::Str(arena.alloc_str(&String::from_iter(options))))
            }
            (Content::Leaf(namespace), 0x0c) => {
                let id = &place[place.len() - 12..];
                pair(namespace, Value::Bytes(arena.alloc_slice_copy(id)))
            }
            (Content::Leaf(value), _) => value,
        }
    }
}

impl Bson {
    /// Returns the text of a key, or the value of an element.
    fn key_or_value<'a>(&self, raw: &WalkedValue<'a>, bytes: &[u8], arena: &'a Arena) -> Value<'a> {
        match raw.content {
            Content::Leaf(key) if raw.is_key => key,
            _ => self.value(raw, bytes, arena),
        }
    }
}

struct Json;

impl ExpectedValue for Json {
    const FORMAT: Format = Format::Json;

    fn value<'a>(&self, raw: &WalkedValue<'a>, _: &[u8], arena: &'a Arena) -> Value<'a> {
        json_value(raw, arena)
    }
}

fn json_value<'a>(raw: &WalkedValue<'a>, arena: &'a Arena) -> Value<'a> {
    match raw.content {
        Content::Items(items) => {
            container(items, raw.code == b'{', arena, |item| json_value(item, arena))
        }
        Content::Leaf(Value::Number(text)) => number(text),
        Content::Leaf(value) => value,
    }
}

/// Returns the value of a number by the table of `manywire_codec::json`, read with the standard
/// library.
fn number(text: &str) -> Value<'_> {
    if text.contains(['.', 'e', 'E']) {
        return match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Value::F64(number),
            _ => Value::Number(text),
        };
    }
    match (text, text.parse::<i64>(), text.parse::<u64>()) {
        ("-0", ..) => Value::F64(-0.0),
        (_, Ok(number), _) => Value::I64(number),
        (_, _, Ok(number)) => Value::U64(number),
        _ => Value::Number(text),
    }
}
