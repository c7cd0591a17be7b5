//! What stands for a value in a format that has no place for it.

use manywire_format::Format;
use manywire_shape::{Arena, Ext, Space, Timestamp, Value};

use super::{decimal, text};

/// What becomes of a value.
pub(super) struct Replacement<'a> {
    /// What it is, in words.
    pub(super) was: String,
    /// What it becomes, in words.
    pub(super) becomes: &'static str,
    /// What it becomes.
    pub(super) value: Value<'a>,
    /// Whether that is a loss.
    pub(super) lost: bool,
}

/// The replacement of a value that holds no others, or of an extension.
pub(super) fn scalar<'a>(target: Format, value: &Value<'a>, arena: &'a Arena) -> Replacement<'a> {
    let (was, becomes, value) = match *value {
        // The same number to the last bit.
        Value::F32(number) if number.is_finite() || target != Format::Json => {
            let value = Value::F64(f64::from(number));
            return Replacement { was: String::new(), becomes: "", value, lost: false };
        }
        Value::F32(number) => (float_name(number.into()), "null", Value::Null),
        Value::F64(number) => (float_name(number), "null", Value::Null),
        Value::U64(number) => {
            // Rounding to the nearest is what makes it lossy.
            ("an integer above 2^63".to_owned(), "the nearest float", Value::F64(number as f64))
        }
        Value::Number(number) => self::number(number),
        Value::Bytes(bytes) => {
            ("bytes".to_owned(), "base64 text", Value::Str(arena.alloc_str(&text::base64(bytes))))
        }
        Value::Timestamp(time) => timestamp(target, time, arena),
        Value::Ext(ext) => extension(ext, arena),
        // The others have a place in every format.
        other => (other.kind().to_owned(), "null", Value::Null),
    };
    Replacement { was, becomes, value, lost: true }
}

fn float_name(number: f64) -> String {
    if number.is_nan() { "NaN".to_owned() } else { format!("{number:+}") }
}

fn number(number: &str) -> (String, &'static str, Value<'_>) {
    let was = "a number beyond 64 bits".to_owned();
    match number.parse::<f64>() {
        Ok(float) if float.is_finite() => (was, "the nearest float", Value::F64(float)),
        _ => (was, "text", Value::Str(number)),
    }
}

fn timestamp<'a>(
    target: Format,
    time: Timestamp,
    arena: &'a Arena,
) -> (String, &'static str, Value<'a>) {
    if target == Format::Bson && !time.nanoseconds.is_multiple_of(1_000_000) {
        let nanoseconds = time.nanoseconds - time.nanoseconds % 1_000_000;
        let cut = Value::Timestamp(Timestamp { nanoseconds, ..time });
        return ("a time finer than a millisecond".to_owned(), "one cut to milliseconds", cut);
    }
    let text = Value::Str(arena.alloc_str(&text::time(time)));
    ("a timestamp".to_owned(), "text as in RFC 3339", text)
}

/// What an extension is called.
pub(super) fn name(ext: &Ext<'_>) -> String {
    match (ext.space, ext.code) {
        (Space::MessagePack, code) => format!("the MessagePack extension {}", code.cast_signed()),
        (Space::CborTag, code) => format!("the CBOR tag {code}"),
        (Space::CborSimple, 23) => "CBOR's undefined".to_owned(),
        (Space::CborSimple, code) => format!("the CBOR simple value {code}"),
        (Space::Bson, 0x05) => "BSON's binary of a subtype".to_owned(),
        (Space::Bson, 0x06) => "BSON's undefined".to_owned(),
        (Space::Bson, 0x07) => "an ObjectId".to_owned(),
        (Space::Bson, 0x0B) => "BSON's regular expression".to_owned(),
        (Space::Bson, 0x0C) => "BSON's DBPointer".to_owned(),
        (Space::Bson, 0x0D) => "BSON's JavaScript".to_owned(),
        (Space::Bson, 0x0E) => "BSON's symbol".to_owned(),
        (Space::Bson, 0x0F) => "BSON's JavaScript with scope".to_owned(),
        (Space::Bson, 0x11) => "BSON's timestamp".to_owned(),
        (Space::Bson, 0x13) => "decimal128".to_owned(),
        (Space::Bson, 0x7F) => "BSON's max key".to_owned(),
        (Space::Bson, _) => "BSON's min key".to_owned(),
    }
}

/// What an extension carries, or the nearest to it. Of CBOR, what RFC 8949 advises for JSON
/// (section 6.1): the content of a tag, null for a simple value.
fn extension<'a>(ext: &'a Ext<'a>, arena: &'a Arena) -> (String, &'static str, Value<'a>) {
    let text = |text: String| Value::Str(arena.alloc_str(&text));
    let (becomes, value) = match (ext.space, ext.code, ext.content) {
        (Space::CborSimple, ..) => ("null", Value::Null),
        (Space::Bson, 0x05, Value::Array([_, bytes])) => ("its bytes", *bytes),
        (Space::Bson, 0x07, Value::Bytes(id)) => ("its hex text", text(text::hex(id))),
        (Space::Bson, 0x0B, Value::Array([Value::Str(pattern), Value::Str(options)])) => {
            ("text", text(format!("/{pattern}/{options}")))
        }
        (Space::Bson, 0x0C, Value::Array([namespace, Value::Bytes(id)])) => {
            let id = text(text::hex(id));
            let pair = [(Value::Str("$ref"), *namespace), (Value::Str("$id"), id)];
            ("a map of $ref and $id", Value::Map(arena.alloc_slice_copy(&pair)))
        }
        (Space::Bson, 0x0F, Value::Array([code, scope])) => {
            let pair = [(Value::Str("$code"), *code), (Value::Str("$scope"), *scope)];
            ("a map of $code and $scope", Value::Map(arena.alloc_slice_copy(&pair)))
        }
        (Space::Bson, 0x13, Value::Bytes(bytes)) => decimal::value(bytes, arena),
        (Space::Bson, 0x11, content) => ("an integer", content),
        (Space::Bson, 0x7F, _) => ("the text MaxKey", Value::Str("MaxKey")),
        (Space::Bson, 0xFF, _) => ("the text MinKey", Value::Str("MinKey")),
        (.., content) => ("its content", content),
    };
    (name(ext), becomes, value)
}
