//! Values made fit for a format.

mod decimal;
mod replace;
mod takes;
mod text;

use crate::payload::Halt;
use manywire_codec::json;
use manywire_format::Format;
use manywire_shape::fidelity::{Losses, Path, Step, without_duplicates};
use manywire_shape::{Arena, Ext, Value};

use replace::Replacement;
use takes::{Takes, is_open};

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
                    replace::scalar(self.target, &scalar, arena);
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
        Value::Ext(ext) => replace::name(ext),
        other => other.kind().to_owned(),
    }
}
