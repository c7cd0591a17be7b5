//! Cuts or repeats an array to several lengths, to show how cost grows with length.

use std::fmt;
use std::str::FromStr;

use manywire_shape::{Arena, Value};

use crate::payload::{InvalidPath, LIMITS, PathStep, Payload, PayloadPath};

/// An array to cut or repeat to several lengths: `$.hotels=1,10,100`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SweepSpec {
    /// The path to the array, such as `$.hotels`.
    pub path: String,
    /// The lengths, each at most [`SWEEP_LENGTH_MAX`].
    pub lengths: Vec<usize>,
    steps: Vec<Step>,
}

/// The maximum length of an array, because the document is built in memory.
pub const SWEEP_LENGTH_MAX: usize = 10_000_000;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Key(String),
    Index(usize),
}

impl SweepSpec {
    /// Returns the payload with the array cut or repeated to `length` items.
    ///
    /// # Errors
    /// Fails if the payload cannot be read, if the path does not lead to an array or leads to an
    /// empty array, if `length` exceeds [`SWEEP_LENGTH_MAX`], or if the format cannot hold the
    /// result.
    pub fn resized(&self, payload: &Payload, length: usize) -> Result<Payload, ResizeError> {
        if length > SWEEP_LENGTH_MAX {
            return Err(ResizeError::TooLong(TooLong(length)));
        }
        let codec = |error| ResizeError::Payload { payload: payload.name.clone(), error };
        let arena = Arena::new();
        let value = manywire_codec::read_value(payload.format, &payload.bytes, &arena, LIMITS)
            .map_err(codec)?;
        let resized = replace(value, &self.steps, length, &arena).map_err(|misfit| {
            let (payload, path) = (payload.name.clone(), self.path.clone());
            ResizeError::Path { payload, path, misfit }
        })?;
        let mut bytes = Vec::new();
        manywire_codec::write_value(payload.format, &resized, &mut bytes).map_err(codec)?;
        Ok(Payload::new(&payload.name, payload.format, bytes))
    }
}

/// The error for an array that cannot be cut or repeated.
#[derive(Debug)]
pub enum ResizeError {
    /// The length exceeds [`SWEEP_LENGTH_MAX`].
    TooLong(TooLong),
    /// The payload cannot be read, or its format cannot hold the result.
    Payload {
        /// The name of the payload.
        payload: String,
        /// The error, with its position.
        error: manywire_codec::Error,
    },
    /// The path does not lead to an array with items.
    Path {
        /// The name of the payload.
        payload: String,
        /// The path of the sweep.
        path: String,
        /// The reason that the path does not lead to an array with items.
        misfit: PathMisfit,
    },
}

/// The error for a length that exceeds [`SWEEP_LENGTH_MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong(usize);

/// The reason that a path does not lead to an array with items. Kinds of values are named as in
/// [`Value::kind`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathMisfit {
    /// The array is empty.
    Empty,
    /// The value at the path is of this kind.
    NotArray(&'static str),
    /// A map has no such key.
    NoKey(String),
    /// The path continues with this key, but the value is of this kind and not a map.
    NotMap(String, &'static str),
    /// The path continues with this index, but the value is of this kind: an array that is too
    /// short, or not an array.
    TooShort(usize, &'static str),
}

impl fmt::Display for ResizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResizeError::TooLong(error) => error.fmt(f),
            ResizeError::Payload { payload, error } => write!(f, "{payload}: {error}"),
            ResizeError::Path { payload, path, misfit } => {
                write!(f, "{payload}: {path}: {misfit}")
            }
        }
    }
}

impl std::error::Error for ResizeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ResizeError::Payload { error, .. } => Some(error),
            ResizeError::TooLong(_) | ResizeError::Path { .. } => None,
        }
    }
}

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an array is repeated to at most {SWEEP_LENGTH_MAX} items, not {}", self.0)
    }
}

impl fmt::Display for PathMisfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PathMisfit::Empty => f.write_str("the array is empty: there is nothing to repeat"),
            PathMisfit::NotArray(found) => write!(f, "expected an array, found {found}"),
            PathMisfit::NoKey(key) => write!(f, "there is no key {key:?}"),
            PathMisfit::NotMap(key, found) => {
                write!(f, "expected a map with {key:?}, found {found}")
            }
            PathMisfit::TooShort(index, found) => {
                write!(f, "expected an array of more than {index} items, found {found}")
            }
        }
    }
}

impl fmt::Display for SweepSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lengths: Vec<String> = self.lengths.iter().map(usize::to_string).collect();
        write!(f, "{}={}", self.path, lengths.join(","))
    }
}

/// The error for an invalid sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvalidSweep {
    /// The text is not a path and lengths.
    Malformed(String),
    /// The path is invalid.
    Path(String, InvalidPath),
    /// The path leads to more than one value, has a step that no array can be under (a `[key 3]`,
    /// or an index that is negative or too large), or does not start at the root of a payload, as
    /// `$#7.a` does not.
    NotOneArray(String),
    /// A length of the text exceeds [`SWEEP_LENGTH_MAX`].
    TooLong(String, TooLong),
}

impl fmt::Display for InvalidSweep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidSweep::Malformed(text) => {
                write!(f, "--sweep {text:?}: write a path and lengths, such as '$.hotels=1,10,100'")
            }
            InvalidSweep::Path(path, error) => write!(f, "--sweep {path:?}: {error}"),
            InvalidSweep::NotOneArray(path) => write!(
                f,
                "--sweep {path:?} does not name one array; write a path of names and indexes, such as '$.pages[0].items'"
            ),
            InvalidSweep::TooLong(text, error) => write!(f, "--sweep {text:?}: {error}"),
        }
    }
}

impl std::error::Error for InvalidSweep {}

impl FromStr for SweepSpec {
    type Err = InvalidSweep;

    fn from_str(text: &str) -> Result<Self, InvalidSweep> {
        let malformed = || InvalidSweep::Malformed(text.to_owned());
        let (path, lengths) = text.rsplit_once('=').ok_or_else(malformed)?;
        let parsed = path.parse().map_err(|error| InvalidSweep::Path(path.to_owned(), error))?;
        let steps = steps(parsed).ok_or_else(|| InvalidSweep::NotOneArray(path.to_owned()))?;
        let lengths = lengths.split(',').map(|length| digits(length.trim()).ok_or_else(malformed));
        let lengths = lengths.collect::<Result<Vec<usize>, _>>()?;
        if let Some(&length) = lengths.iter().find(|&&length| length > SWEEP_LENGTH_MAX) {
            return Err(InvalidSweep::TooLong(text.to_owned(), TooLong(length)));
        }
        Ok(SweepSpec { path: path.to_owned(), lengths, steps })
    }
}

/// Returns the steps of a path to one array, such as `$.name["other name"][0]`; `None` if the path
/// is not one to an array, as [`InvalidSweep::NotOneArray`] describes.
fn steps(PayloadPath { root, steps }: PayloadPath) -> Option<Vec<Step>> {
    let step = |step| match step {
        PathStep::Key(name) => Some(Step::Key(name)),
        PathStep::Index(index) => digits(&index).map(Step::Index),
        PathStep::AnyIndex | PathStep::Entry(_) => None,
    };
    root.is_empty().then(|| steps.into_iter().map(step).collect())?
}

/// Parses a number that has only digits; the standard library also accepts a plus sign.
fn digits(text: &str) -> Option<usize> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

fn replace<'a>(
    value: Value<'a>,
    steps: &[Step],
    length: usize,
    arena: &'a Arena,
) -> Result<Value<'a>, PathMisfit> {
    match (steps.split_first(), value) {
        (None, Value::Array([])) => Err(PathMisfit::Empty),
        (None, Value::Array(items)) => Ok(Value::Array(
            arena.alloc_slice_fill_iter((0..length).map(|index| items[index % items.len()])),
        )),
        (None, other) => Err(PathMisfit::NotArray(other.kind())),
        (Some((Step::Key(name), rest)), Value::Map(entries)) => {
            let at = entries.iter().rposition(|(key, _)| *key == Value::Str(name));
            let at = at.ok_or_else(|| PathMisfit::NoKey(name.clone()))?;
            let entries = arena.alloc_slice_copy(entries);
            entries[at].1 = replace(entries[at].1, rest, length, arena)?;
            Ok(Value::Map(entries))
        }
        (Some((Step::Index(index), rest)), Value::Array(items)) if *index < items.len() => {
            let items = arena.alloc_slice_copy(items);
            items[*index] = replace(items[*index], rest, length, arena)?;
            Ok(Value::Array(items))
        }
        (Some((Step::Key(name), _)), other) => Err(PathMisfit::NotMap(name.clone(), other.kind())),
        (Some((Step::Index(index), _)), other) => Err(PathMisfit::TooShort(*index, other.kind())),
    }
}

#[cfg(test)]
mod tests {
    use manywire_format::Format;

    use super::*;

    #[test]
    fn document_with_numbered_keys_stays_a_document() {
        let arena = Arena::new();
        let document = manywire_codec::json::read_value(br#"{"0":[7],"1":true}"#, &arena, LIMITS);
        let mut bytes = Vec::new();
        manywire_codec::write_value(Format::Bson, &document.unwrap(), &mut bytes).unwrap();
        let plan: SweepSpec = "$.0=3".parse().unwrap();
        let payload = plan.resized(&Payload::new("numbered", Format::Bson, bytes), 3).unwrap();
        let value =
            manywire_codec::read_value(Format::Bson, &payload.bytes, &arena, LIMITS).unwrap();
        let mut text = Vec::new();
        manywire_codec::json::write_value(&value, &mut text).unwrap();
        assert_eq!(text, br#"{"0":[7,7,7],"1":true}"#);
    }

    #[test]
    fn rejects_invalid_sweeps() {
        for text in ["$.a", "a=1", "$a=1", "$.=1", "$[x]=1", "$[+1]=1", "$.a]=1", "$.a=", "$.a=+1"]
        {
            assert!(text.parse::<SweepSpec>().is_err(), "{text}");
        }
        let error = "$.a=1,99999999999".parse::<SweepSpec>().unwrap_err().to_string();
        assert!(error.contains("at most 10000000 items, not 99999999999"), "{error}");
        let error = "$.a[0=1".parse::<SweepSpec>().unwrap_err().to_string();
        assert!(error.contains("expected a closing bracket at character 6"), "{error}");
        for text in ["$[*].a=1", "$[-1]=1", "$#7.a=1"] {
            let error = text.parse::<SweepSpec>().unwrap_err().to_string();
            assert!(error.contains("does not name one array"), "{error}");
        }
        let steps = [Step::Key("a b".to_owned()), Step::Index(0), Step::Key("c=d".to_owned())];
        for text in [r#"$["a b"][0]["c=d"]=1"#, "$['a b'][0]['c=d']=1"] {
            assert_eq!(text.parse::<SweepSpec>().unwrap().steps, steps);
        }
        assert_eq!("$.a[0]= 1 ,2".parse::<SweepSpec>().unwrap().to_string(), "$.a[0]=1,2");
    }
}
