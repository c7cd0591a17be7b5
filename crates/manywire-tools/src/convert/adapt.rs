//! Adapts values to a format: replaces the values that the format cannot represent, by the
//! capabilities in `FORMATS`.

use base64::Engine;
use base64::prelude::BASE64_STANDARD as STANDARD;
use manywire_codec::json;
use manywire_format::{Capabilities, Format, IntegerRange, SchemaNeeds, TimePrecision};
use manywire_shape::fidelity::{Losses, earlier_duplicates, has_duplicate_keys};
use manywire_shape::path::{Path, Step};
use manywire_shape::{Arena, Ext, Shape, Space, Timestamp, Value};

use crate::convert::place::Place;
use crate::convert::text;
use crate::payload::Halt;

/// The largest depth of keys in keys that become text. Each level of keys escapes the quotes of the
/// level below, which can double the length of the text: without a limit, some thirty bytes of
/// input could take all memory.
const KEYS_IN_KEYS_MAX: u32 = 4;

/// Adapts values to one format.
pub(crate) struct Adapter<'s> {
    target: Format,
    accepted: Accepted,
    /// The shape whose places decide about extensions.
    shape: Option<&'s Shape>,
    lossy: bool,
    losses: Losses,
    /// The number of enclosing keys that become text.
    keys_above: u32,
}

type Result<T> = std::result::Result<T, Halt>;

impl<'s> Adapter<'s> {
    /// Returns an adapter to a format. `lossy` allows replacements.
    pub(crate) fn new(target: Format, lossy: bool) -> Self {
        let accepted = Accepted::by(target);
        Adapter { target, accepted, shape: None, lossy, losses: Losses::default(), keys_above: 0 }
    }

    /// Returns the adapter for output by a schema of this shape. Avro holds extensions only where a
    /// value may be of any type.
    pub(crate) fn for_shape(mut self, shape: &'s Shape) -> Self {
        if self.target == Format::Avro {
            self.accepted.spaces = &[];
            self.shape = Some(shape);
        }
        self
    }

    /// Returns the list of losses, if losses are allowed.
    pub(crate) fn losses_if_lossy(&mut self) -> Option<&mut Losses> {
        self.lossy.then_some(&mut self.losses)
    }

    /// Returns the losses so far.
    pub(crate) fn losses(&mut self) -> &mut Losses {
        &mut self.losses
    }

    /// Returns the value, with replacements for every part that the format cannot represent.
    ///
    /// # Errors
    /// Fails if losses are not allowed and the format cannot represent a part of the value: the
    /// error has the path of the part and its possible replacement. Fails in any case for a BSON
    /// document that is not a map or an array, and for keys that are nested too deeply.
    pub(crate) fn fit<'a>(&mut self, value: Value<'a>, arena: &'a Arena) -> Result<Value<'a>> {
        let value = if self.target == Format::Bson { self.document(value, arena)? } else { value };
        if self.accepted.all(&value) {
            return Ok(value);
        }
        let at = self.shape.map(Place::root);
        self.place(value, at.as_ref(), arena, &mut Path::default())
    }

    /// Makes the root a map, as BSON documents must be.
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
                    "BSON cannot represent {} at the top: a document is a map",
                    other.kind()
                ),
            }),
        }
    }

    fn place<'a>(
        &mut self,
        value: Value<'a>,
        at: Option<&Place<'_>>,
        arena: &'a Arena,
        path: &mut Path<'a>,
    ) -> Result<Value<'a>> {
        match value {
            Value::Array(items) => {
                let items = arena.alloc_slice_copy(items);
                for (index, item) in items.iter_mut().enumerate() {
                    path.push(Step::Index(index));
                    let at = at.map(|place| place.item(index));
                    *item = self.place(*item, at.as_ref(), arena, path)?;
                    path.pop();
                }
                Ok(Value::Array(items))
            }
            Value::Map(entries) => self.map(entries, at, arena, path),
            Value::Ext(ext) if self.keeps_extension(ext, at) && is_open(ext) => {
                let content = self.place(ext.content, at, arena, path)?;
                Ok(Value::Ext(arena.alloc(Ext { content, ..*ext })))
            }
            Value::Ext(ext) if self.keeps_extension(ext, at) => Ok(value),
            scalar if self.accepted.scalar(&scalar) => Ok(scalar),
            scalar => {
                let Replacement { was, becomes, value, lost } =
                    replacement(self.target, &scalar, arena);
                if lost {
                    match scalar {
                        // An error names the number. A list of losses has the same text for every
                        // number, so that equal losses are counted as one entry.
                        Value::Number(text) if !self.lossy => {
                            self.lose(path, &number_in_words(text), becomes)?;
                        }
                        _ => self.lose(path, &was, becomes)?,
                    }
                }
                // The replacement of an extension may need a replacement itself.
                self.place(value, at, arena, path)
            }
        }
    }

    /// Returns whether an extension stays at this place. Without a shape, the format decides.
    fn keeps_extension(&self, ext: &Ext<'_>, at: Option<&Place<'_>>) -> bool {
        at.map_or_else(|| self.accepted.extension(ext), Place::is_any)
    }

    /// Returns whether a value and everything in it stays at this place.
    fn keeps_all(&self, value: &Value<'_>, at: &Place<'_>) -> bool {
        match value {
            Value::Array(items) => {
                let mut items = items.iter().enumerate();
                items.all(|(index, item)| self.keeps_all(item, &at.item(index)))
            }
            Value::Map(entries) => {
                entries.iter().all(|(key, inner)| {
                    self.keeps_all(key, &at.key()) && self.keeps_all(inner, &at.entry(value, key))
                }) && !has_duplicate_keys(entries)
            }
            Value::Ext(ext) => at.is_any() && (!is_open(ext) || self.keeps_all(&ext.content, at)),
            scalar => self.accepted.scalar(scalar),
        }
    }

    fn map<'a>(
        &mut self,
        entries: &'a [(Value<'a>, Value<'a>)],
        at: Option<&Place<'_>>,
        arena: &'a Arena,
        path: &mut Path<'a>,
    ) -> Result<Value<'a>> {
        let map = Value::Map(entries);
        let entries = arena.alloc_slice_copy(entries);
        for (key, value) in entries.iter_mut() {
            path.push(Step::Key(*key));
            let inner = at.map(|place| place.entry(&map, key));
            let keeps_key = |place: &Place<'_>| self.keeps_all(key, &place.key());
            if !self.accepted.key(key) && !at.is_some_and(keeps_key) {
                let was = format!("a key that is {}", kind(key));
                self.lose(path, &was, "text")?;
                *key = Value::Str(self.key_text(*key, arena, path)?);
            }
            *value = self.place(*value, inner.as_ref(), arena, path)?;
            path.pop();
        }
        self.without_duplicates(entries, arena, path)
    }

    /// Returns a key as text: its JSON without quotes.
    fn key_text<'a>(&self, key: Value<'a>, arena: &'a Arena, path: &Path<'a>) -> Result<&'a str> {
        if let Some(text) = text::of_key(&key) {
            return Ok(arena.alloc_str(&text));
        }
        let holds_values = matches!(key, Value::Array(_) | Value::Map(_) | Value::Ext(_));
        if holds_values && self.keys_above == KEYS_IN_KEYS_MAX {
            let message = format!(
                "map keys that are not text are nested in keys deeper than {KEYS_IN_KEYS_MAX} levels"
            );
            return Err(Halt::Refused { path: path.text(), message });
        }
        let keys_above = self.keys_above + 1;
        let mut text = Vec::new();
        match (Adapter { keys_above, ..Adapter::new(Format::Json, true) }).fit(key, arena)? {
            Value::Str(text) => return Ok(text),
            value => json::write_value(&value, &mut text).map_err(|error| refusal_of(&error))?,
        }
        Ok(arena.alloc_str(&String::from_utf8_lossy(&text)))
    }

    /// Removes all entries of a duplicate key but the last, which readers usually keep. Each removed
    /// entry is a loss.
    fn without_duplicates<'a>(
        &mut self,
        entries: &'a [(Value<'a>, Value<'a>)],
        arena: &'a Arena,
        path: &mut Path<'a>,
    ) -> Result<Value<'a>> {
        let removed = earlier_duplicates(entries);
        for index in &removed {
            path.push(Step::Key(entries[*index].0));
            self.lose(path, "a duplicate key", "the last of its entries")?;
            path.pop();
        }
        if removed.is_empty() {
            return Ok(Value::Map(entries));
        }
        let kept = (0..entries.len()).filter(|index| removed.binary_search(index).is_err());
        let kept: Vec<_> = kept.map(|index| entries[index]).collect();
        Ok(Value::Map(arena.alloc_slice_copy(&kept)))
    }

    /// Adds a loss, or returns an error if losses are not allowed.
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
    let message = format!("{title} cannot represent {was}; --lossy makes it {becomes}");
    Halt::Refused { path: path.text(), message }
}

/// Returns the refusal for an error of a codec.
#[cold]
pub(crate) fn refusal_of(error: &manywire_codec::Error) -> Halt {
    Halt::Refused { path: error.path_text(), message: error.message().to_owned() }
}

/// Describes the kind of a key.
fn kind(key: &Value<'_>) -> String {
    match key {
        Value::Ext(ext) => extension_name(ext),
        other => other.kind().to_owned(),
    }
}

/// The values that a format can represent unchanged.
#[derive(Clone, Copy, Debug)]
struct Accepted {
    values: Capabilities,
    /// The spaces of the extensions that the format can represent.
    spaces: &'static [Space],
}

impl Accepted {
    /// Returns what a format accepts. A format with a schema accepts every value here apart from
    /// extensions that it does not have, because its schema decides about values.
    fn by(format: Format) -> Accepted {
        let row = format.row();
        let values = match row.schema {
            SchemaNeeds::Shape => Capabilities::ALL,
            SchemaNeeds::InBand | SchemaNeeds::FieldOrder => row.holds,
        };
        Accepted { values, spaces: spaces(format) }
    }

    /// Returns whether the format can represent a value and everything in it.
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

    /// Returns whether the format can represent a scalar.
    #[inline]
    fn scalar(&self, value: &Value<'_>) -> bool {
        match value {
            Value::Null | Value::Bool(_) | Value::I64(_) | Value::Long(_) | Value::Str(_) => true,
            Value::U64(_) => self.values.integers >= IntegerRange::U64,
            // Writing the number as bytes would lose its type.
            Value::Number(_) => self.values.integers == IntegerRange::Any,
            Value::F64(number) => self.values.non_finite || number.is_finite(),
            Value::F32(number) => {
                // In a format without 32-bit floats, the float becomes a 64-bit float with the same
                // value.
                self.values.narrow_floats && (self.values.non_finite || number.is_finite())
            }
            Value::Bytes(_) => self.values.bytes,
            Value::Timestamp(time) => match self.values.times {
                TimePrecision::None => false,
                TimePrecision::Nanoseconds => true,
                TimePrecision::Milliseconds => is_of_milliseconds(time),
            },
            Value::Array(_) | Value::Map(_) | Value::Ext(_) => false,
        }
    }

    /// Returns whether the format can represent extensions of this kind, without looking at their
    /// content.
    fn extension(&self, ext: &Ext<'_>) -> bool {
        self.spaces.contains(&ext.space)
    }

    /// Returns whether the format can represent a key.
    #[inline]
    fn key(&self, key: &Value<'_>) -> bool {
        matches!(key, Value::Str(_)) || (self.values.any_key && self.all(key))
    }
}

/// Returns the spaces of the extensions that a format has.
fn spaces(format: Format) -> &'static [Space] {
    match format {
        Format::MsgPack | Format::MsgPackArray => &[Space::MessagePack],
        Format::Cbor => &[Space::CborTag, Space::CborSimple],
        Format::Bson => &[Space::Bson],
        // The codec writes every extension as a record, where the schema has a value of any type.
        Format::Avro => &[Space::MessagePack, Space::CborTag, Space::CborSimple, Space::Bson],
        Format::Json | Format::Protobuf => &[],
    }
}

/// Returns whether the content of an extension may be any value.
fn is_open(ext: &Ext<'_>) -> bool {
    ext.space == Space::CborTag
}

/// Returns whether a time is a whole number of milliseconds that fits in 64 bits.
fn is_of_milliseconds(time: &Timestamp) -> bool {
    let within = i128::from(time.nanoseconds / 1_000_000);
    let milliseconds = i128::from(time.seconds) * 1_000 + within;
    time.nanoseconds.is_multiple_of(1_000_000) && i64::try_from(milliseconds).is_ok()
}

/// The replacement of a value.
struct Replacement<'a> {
    /// The description of the value.
    was: String,
    /// The description of the replacement.
    becomes: &'static str,
    /// The replacement.
    value: Value<'a>,
    /// True if the replacement is a loss.
    lost: bool,
}

/// Returns the replacement of a scalar or an extension.
fn replacement<'a>(target: Format, value: &Value<'a>, arena: &'a Arena) -> Replacement<'a> {
    let (was, becomes, value) = match *value {
        // The 64-bit float is exactly the same number, so this is not a loss.
        Value::F32(number) if number.is_finite() || target != Format::Json => {
            let value = Value::F64(f64::from(number));
            return Replacement { was: String::new(), becomes: "", value, lost: false };
        }
        Value::F32(number) => (float_name(number.into()), "null", Value::Null),
        Value::F64(number) => (float_name(number), "null", Value::Null),
        Value::U64(number) => {
            // The conversion rounds to the nearest float.
            ("an integer above 2^63".to_owned(), "the nearest float", Value::F64(number as f64))
        }
        Value::Number(number) => self::number(number),
        Value::Bytes(bytes) => (
            "bytes".to_owned(),
            "base64 text",
            Value::Str(arena.alloc_str(&STANDARD.encode(bytes))),
        ),
        Value::Timestamp(time) => timestamp(target, time, arena),
        Value::Ext(ext) => extension(ext, arena),
        // Every format can represent the other kinds of scalars.
        other => (other.kind().to_owned(), "null", Value::Null),
    };
    Replacement { was, becomes, value, lost: true }
}

fn float_name(number: f64) -> String {
    if number.is_nan() { "NaN".to_owned() } else { format!("{number:+}") }
}

/// The maximum length, in bytes, of a number in a message. Longer numbers are cut.
const NUMBER_SHOWN_MAX: usize = 60;

/// Describes a number, with the double that it would become.
#[cold]
fn number_in_words(number: &str) -> String {
    let shown = number.get(..NUMBER_SHOWN_MAX).map_or(number.to_owned(), |cut| format!("{cut}…"));
    match number.parse::<f64>() {
        Ok(double) if double.is_finite() => {
            format!("the number {shown}, which a double would make {double:?}")
        }
        _ => format!("the number {shown}, which is beyond every double"),
    }
}

fn number(number: &str) -> (String, &'static str, Value<'_>) {
    let was = "a number of arbitrary precision".to_owned();
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
    let text = Value::Str(arena.alloc_str(&time.to_string()));
    ("a timestamp".to_owned(), "text as in RFC 3339", text)
}

/// Returns the name of an extension.
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

/// Returns the replacement of an extension: its content or the nearest value. A CBOR extension is
/// replaced as RFC 8949 advises for JSON (section 6.1): a tag by its content, a simple value by
/// null.
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
