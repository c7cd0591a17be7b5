//! Cutting or repeating an array, to see how cost grows with its length.

use manywire_shape::{Arena, Value};

use crate::payload::{LIMITS, Payload};

/// The payload with the array at a path cut or repeated to a length.
///
/// # Errors
///
/// A path that is not of the form `$.name.name[0]` (a name holds no dot and no bracket), or that leads to no array or to an empty one.
pub(crate) fn resize(payload: &Payload, path: &str, length: usize) -> Result<Payload, String> {
    let steps = steps(path)?;
    let arena = Arena::new();
    let value = manywire_codec::read_value(payload.format, &payload.bytes, &arena, LIMITS)
        .map_err(|error| format!("{}: {error}", payload.name))?;
    let resized = replace(value, &steps, length, &arena)
        .map_err(|reason| format!("{}: {path}: {reason}", payload.name))?;
    let mut bytes = Vec::new();
    manywire_codec::write_value(payload.format, &resized, &mut bytes)
        .map_err(|error| format!("{}: {error}", payload.name))?;
    Ok(Payload::new(&payload.name, payload.format, bytes))
}

/// Whether a path can be followed, if the payload has it.
pub(crate) fn check(path: &str) -> Result<(), String> {
    steps(path).map(drop)
}

enum Step {
    Key(String),
    Index(usize),
}

fn steps(path: &str) -> Result<Vec<Step>, String> {
    let malformed = || {
        format!(
            "--sweep: {path:?} is no path; write one like $.hotels or $.pages[0].items (keys with a dot or a bracket in them cannot be named)"
        )
    };
    let mut rest = path.strip_prefix('$').ok_or_else(malformed)?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(name) = rest.strip_prefix('.') {
            let end = name.find(['.', '[']).unwrap_or(name.len());
            if end == 0 {
                return Err(malformed());
            }
            steps.push(Step::Key(name[..end].to_owned()));
            rest = &name[end..];
        } else {
            let index = rest
                .strip_prefix('[')
                .and_then(|index| index.split_once(']'))
                .ok_or_else(malformed)?;
            steps.push(Step::Index(index.0.parse().map_err(|_| malformed())?));
            rest = index.1;
        }
    }
    Ok(steps)
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
    fn a_document_with_numbered_keys_stays_one() {
        let arena = Arena::new();
        let document = manywire_codec::json::read_value(br#"{"0":[7],"1":true}"#, &arena, LIMITS);
        let mut bytes = Vec::new();
        manywire_codec::write_value(Format::Bson, &document.unwrap(), &mut bytes).unwrap();
        let payload = resize(&Payload::new("numbered", Format::Bson, bytes), "$.0", 3).unwrap();
        let value =
            manywire_codec::read_value(Format::Bson, &payload.bytes, &arena, LIMITS).unwrap();
        let mut text = Vec::new();
        manywire_codec::json::write_value(&value, &mut text).unwrap();
        assert_eq!(text, br#"{"0":[7,7,7],"1":true}"#);
    }
}
