//! Cuts or repeats an array to several lengths, to show how cost grows with length.

use std::fmt;
use std::str::FromStr;

use manywire_shape::{Arena, Value};

use crate::payload::{PathStep, PayloadPath};
use crate::weigh::payload::{LIMITS, Payload};

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
    /// Returns the payload with the array cut or repeated to a length.
    ///
    /// # Errors
    /// Fails if the path does not lead to an array or leads to an empty array, or if a length
    /// exceeds [`SWEEP_LENGTH_MAX`].
    pub fn resized(&self, payload: &Payload, length: usize) -> Result<Payload, String> {
        if length > SWEEP_LENGTH_MAX {
            return Err(too_long(length));
        }
        let arena = Arena::new();
        let value = manywire_codec::read_value(payload.format, &payload.bytes, &arena, LIMITS)
            .map_err(|error| format!("{}: {error}", payload.name))?;
        let resized = replace(value, &self.steps, length, &arena)
            .map_err(|reason| format!("{}: {}: {reason}", payload.name, self.path))?;
        let mut bytes = Vec::new();
        manywire_codec::write_value(payload.format, &resized, &mut bytes)
            .map_err(|error| format!("{}: {error}", payload.name))?;
        Ok(Payload::new(&payload.name, payload.format, bytes))
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
pub struct InvalidSweep(String);

impl fmt::Display for InvalidSweep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--sweep {}", self.0)
    }
}

impl std::error::Error for InvalidSweep {}

impl FromStr for SweepSpec {
    type Err = InvalidSweep;

    fn from_str(text: &str) -> Result<Self, InvalidSweep> {
        let malformed = || {
            let example = "'$.hotels=1,10,100'";
            InvalidSweep(format!("{text:?}: write a path and lengths, such as {example}"))
        };
        let (path, lengths) = text.rsplit_once('=').ok_or_else(malformed)?;
        let steps = steps(path).ok_or_else(|| {
            InvalidSweep(format!(
                "{path:?} is no path; write one like $.hotels or $.pages[0].items (keys with a dot or a bracket in them cannot be named)"
            ))
        })?;
        let lengths = lengths.split(',').map(|length| digits(length.trim()).ok_or_else(malformed));
        let lengths = lengths.collect::<Result<Vec<usize>, _>>()?;
        if let Some(&length) = lengths.iter().find(|&&length| length > SWEEP_LENGTH_MAX) {
            return Err(InvalidSweep(format!("{text:?}: {}", too_long(length))));
        }
        Ok(SweepSpec { path: path.to_owned(), lengths, steps })
    }
}

#[cold]
fn too_long(length: usize) -> String {
    format!("an array is repeated to at most {SWEEP_LENGTH_MAX} items, not {length}")
}

/// Parses a path to one array, such as `$.name["other name"][0]`; `None` if it is invalid.
fn steps(path: &str) -> Option<Vec<Step>> {
    let PayloadPath { root, steps } = path.parse().ok()?;
    let step = |step| match step {
        PathStep::Key(name) => Some(Step::Key(name)),
        PathStep::Index(index) => digits(&index).map(Step::Index),
        PathStep::AnyIndex | PathStep::Entry(_) => None,
    };
    root.is_empty().then(|| steps.into_iter().map(step).collect())?
}

/// Parses a number of digits only; the standard library also accepts a plus sign.
fn digits(text: &str) -> Option<usize> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

fn replace<'a>(
    value: Value<'a>,
    steps: &[Step],
    length: usize,
    arena: &'a Arena,
) -> Result<Value<'a>, String> {
    match (steps.split_first(), value) {
        (None, Value::Array([])) => {
            Err("the array is empty: there is nothing to repeat".to_owned())
        }
        (None, Value::Array(items)) => Ok(Value::Array(
            arena.alloc_slice_fill_iter((0..length).map(|index| items[index % items.len()])),
        )),
        (None, other) => Err(format!("expected an array, found {}", other.kind())),
        (Some((Step::Key(name), rest)), Value::Map(entries)) => {
            let at = entries.iter().rposition(|(key, _)| *key == Value::Str(name));
            let at = at.ok_or_else(|| format!("there is no {name:?}"))?;
            let entries = arena.alloc_slice_copy(entries);
            entries[at].1 = replace(entries[at].1, rest, length, arena)?;
            Ok(Value::Map(entries))
        }
        (Some((Step::Index(index), rest)), Value::Array(items)) if *index < items.len() => {
            let items = arena.alloc_slice_copy(items);
            items[*index] = replace(items[*index], rest, length, arena)?;
            Ok(Value::Array(items))
        }
        (Some((Step::Key(name), _)), other) => {
            Err(format!("expected a map with {name:?}, found {}", other.kind()))
        }
        (Some((Step::Index(index), _)), other) => {
            Err(format!("expected an array of more than {index} items, found {}", other.kind()))
        }
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
        let steps = [Step::Key("a b".to_owned()), Step::Index(0), Step::Key("c=d".to_owned())];
        for text in [r#"$["a b"][0]["c=d"]=1"#, "$['a b'][0]['c=d']=1"] {
            assert_eq!(text.parse::<SweepSpec>().unwrap().steps, steps);
        }
        assert_eq!("$.a[0]= 1 ,2".parse::<SweepSpec>().unwrap().to_string(), "$.a[0]=1,2");
    }
}
