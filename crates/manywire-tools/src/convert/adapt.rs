//! Values made fit for a format: the table of what each format takes, and what stands for the rest.

use manywire_codec::json;
use manywire_format::Format;
use manywire_shape::fidelity::{Losses, Path, Step, has_duplicate_keys, without_duplicates};
use manywire_shape::{Arena, Ext, Space, Timestamp, Value};

use crate::convert::text;
use crate::payload::Halt;

/// How deep keys may stand in keys that become text. Each level quotes the one below, and what is
/// quoted once more is up to twice as long: some thirty bytes would take all memory there is.
const KEYS_IN_KEYS_MAX: u32 = 4;

/// Makes values fit for one format.
pub(crate) struct Adapter {
    target: Format,
    takes: Takes,
    lossy: bool,
    losses: Losses,
    /// How many keys that become text the values stand in.
    keys_above: u32,
}

type Result<T> = std::result::Result<T, Halt>;

impl Adapter {
    /// For values that become this format; `lossy` if what it cannot hold may be replaced.
    pub(crate) fn new(target: Format, lossy: bool) -> Self {
        let takes = Takes::of(target);
        Adapter { target, takes, lossy, losses: Losses::default(), keys_above: 0 }
    }

    /// Where to list what is lost, if that is allowed.
    pub(crate) fn losses_if_lossy(&mut self) -> Option<&mut Losses> {
        self.lossy.then_some(&mut self.losses)
    }

    /// What was replaced so far.
    pub(crate) fn losses(&mut self) -> &mut Losses {
        &mut self.losses
    }

    /// The same value, or one that stands for it, of which the format can hold every part.
    ///
    /// # Errors
    /// The path to what it cannot hold, and what it would have become.
    pub(crate) fn fit<'a>(&mut self, value: Value<'a>, arena: &'a Arena) -> Result<Value<'a>> {
        let value = if self.target == Format::Bson { self.document(value, arena)? } else { value };
        if self.takes.all(&value) {
            return Ok(value);
        }
        self.place(value, arena, &mut Path::default())
    }

    /// A BSON document is a map.
    fn document<'a>(&mut self, value: Value<'a>, arena: &'a Arena) -> Result<Value<'a>> {
        match value {
            Value::Map(_) => Ok(value),
            Value::Array(items) => {
                let path = Path::default();
                self.lose(&path, "an array at the top", "a document with the keys 0, 1, …")?;
                let entries = items
                    .iter()
                    .enumerate()
                    .map(|(index, item)| (Value::Str(arena.alloc_str(&index.to_string())), *item));
                Ok(Value::Map(arena.alloc_slice_fill_iter(entries)))
            }
            other => Err(Halt::Refused {
                path: "$".to_owned(),
                message: format!(
                    "BSON has no place for {} at the top: a document is a map",
                    other.kind()
                ),
            }),
        }
    }

    fn place<'a>(
        &mut self,
        value: Value<'a>,
        arena: &'a Arena,
        path: &mut Path<'a>,
    ) -> Result<Value<'a>> {
        match value {
            Value::Array(items) => {
                let items = arena.alloc_slice_copy(items);
                for (index, item) in items.iter_mut().enumerate() {
                    path.push(Step::Index(index));
                    *item = self.place(*item, arena, path)?;
                    path.pop();
                }
                Ok(Value::Array(items))
            }
            Value::Map(entries) => self.map(entries, arena, path),
            Value::Ext(ext) if self.takes.extension(ext) && is_open(ext) => {
                let content = self.place(ext.content, arena, path)?;
                Ok(Value::Ext(arena.alloc(Ext { content, ..*ext })))
            }
            Value::Ext(ext) if self.takes.extension(ext) => Ok(value),
            scalar if self.takes.scalar(&scalar) => Ok(scalar),
            scalar => {
                let Replacement { was, becomes, value, lost } =
                    replacement(self.target, &scalar, arena);
                if lost {
                    self.lose(path, &was, becomes)?;
                }
                // What stands for an extension may be beyond the format in its turn.
                self.place(value, arena, path)
            }
        }
    }

    fn map<'a>(
        &mut self,
        entries: &'a [(Value<'a>, Value<'a>)],
        arena: &'a Arena,
        path: &mut Path<'a>,
    ) -> Result<Value<'a>> {
        let entries = arena.alloc_slice_copy(entries);
        for (key, value) in entries.iter_mut() {
            path.push(Step::Key(*key));
            if !self.takes.key(key) {
                let was = format!("a key that is {}", kind(key));
                self.lose(path, &was, "text")?;
                *key = Value::Str(self.key_text(*key, arena, path)?);
            }
            *value = self.place(*value, arena, path)?;
            path.pop();
        }
        let map = Value::Map(entries);
        self.without_duplicates(map, entries, arena, path)
    }

    /// A key as text: what it would be as a value of JSON, without the quotes.
    fn key_text<'a>(&self, key: Value<'a>, arena: &'a Arena, path: &Path<'a>) -> Result<&'a str> {
        if let Some(text) = text::of_key(&key) {
            return Ok(arena.alloc_str(&text));
        }
        let holds_values = matches!(key, Value::Array(_) | Value::Map(_) | Value::Ext(_));
        if holds_values && self.keys_above == KEYS_IN_KEYS_MAX {
            let message = format!(
                "keys that are no text stand in keys at most {KEYS_IN_KEYS_MAX} deep, to become text"
            );
            return Err(Halt::Refused { path: path.text(), message });
        }
        let keys_above = self.keys_above + 1;
        let mut text = Vec::new();
        match (Adapter { keys_above, ..Adapter::new(Format::Json, true) }).fit(key, arena)? {
            Value::Str(text) => return Ok(text),
            value => json::write_value(&value, &mut text).map_err(|error| refused(&error))?,
        }
        Ok(arena.alloc_str(&String::from_utf8_lossy(&text)))
    }

    /// Of entries with one key, readers keep one: the last, if they are to be trusted with any.
    fn without_duplicates<'a>(
        &mut self,
        map: Value<'a>,
        entries: &[(Value<'a>, Value<'a>)],
        arena: &'a Arena,
        path: &mut Path<'a>,
    ) -> Result<Value<'a>> {
        if !manywire_shape::fidelity::has_duplicate_keys(entries) {
            return Ok(map);
        }
        let first = |index: usize| entries[..index].iter().any(|entry| entry.0 == entries[index].0);
        if let Some(index) = (0..entries.len()).find(|&index| first(index)) {
            path.push(Step::Key(entries[index].0));
            self.lose(path, "a key that stands twice", "the last of its entries")?;
            path.pop();
        }
        Ok(without_duplicates(map, arena).0)
    }

    /// Lists what is lost, or refuses to lose it.
    fn lose(&mut self, path: &Path<'_>, was: &str, becomes: &str) -> Result<()> {
        if self.lossy {
            self.losses.add(path, format!("{was} became {becomes}"));
            return Ok(());
        }
        Err(refusal(self.target, path, was, becomes))
    }
}

#[cold]
fn refusal(target: Format, path: &Path<'_>, was: &str, becomes: &str) -> Halt {
    let title = target.row().title;
    let message = format!("{title} has no place for {was}; --lossy makes it {becomes}");
    Halt::Refused { path: path.text(), message }
}

/// What a codec has to say against a value.
#[cold]
pub(crate) fn refused(error: &manywire_codec::Error) -> Halt {
    Halt::Refused { path: error.path_text(), message: error.message().to_owned() }
}

/// What a key is, in words.
fn kind(key: &Value<'_>) -> String {
    match key {
        Value::Ext(ext) => extension_name(ext),
        other => other.kind().to_owned(),
    }
}

/// What a format holds as it is, so that it is read back as the same.
#[derive(Clone, Copy, Debug)]
struct Takes {
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
    fn of(format: Format) -> Takes {
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
    fn all(&self, value: &Value<'_>) -> bool {
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
    fn scalar(&self, value: &Value<'_>) -> bool {
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
    fn extension(&self, ext: &Ext<'_>) -> bool {
        self.spaces.contains(&ext.space)
    }

    /// Whether it holds a key.
    #[inline]
    fn key(&self, key: &Value<'_>) -> bool {
        matches!(key, Value::Str(_)) || (self.any_key && self.all(key))
    }
}

/// Whether an extension carries any value, and not just what its type calls for.
fn is_open(ext: &Ext<'_>) -> bool {
    ext.space == Space::CborTag
}

/// Whether a time is a whole number of milliseconds that fits 64 bits.
fn is_of_milliseconds(time: &Timestamp) -> bool {
    let within = i128::from(time.nanoseconds / 1_000_000);
    let milliseconds = i128::from(time.seconds) * 1_000 + within;
    time.nanoseconds.is_multiple_of(1_000_000) && i64::try_from(milliseconds).is_ok()
}

/// What becomes of a value.
struct Replacement<'a> {
    /// What it is, in words.
    was: String,
    /// What it becomes, in words.
    becomes: &'static str,
    /// What it becomes.
    value: Value<'a>,
    /// Whether that is a loss.
    lost: bool,
}

/// The replacement of a value that holds no others, or of an extension.
fn replacement<'a>(target: Format, value: &Value<'a>, arena: &'a Arena) -> Replacement<'a> {
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
fn extension_name(ext: &Ext<'_>) -> String {
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
        (Space::Bson, 0x13, Value::Bytes(bytes)) => text::decimal(bytes, arena),
        (Space::Bson, 0x11, content) => ("an integer", content),
        (Space::Bson, 0x7F, _) => ("the text MaxKey", Value::Str("MaxKey")),
        (Space::Bson, 0xFF, _) => ("the text MinKey", Value::Str("MinKey")),
        (.., content) => ("its content", content),
    };
    (extension_name(ext), becomes, value)
}
