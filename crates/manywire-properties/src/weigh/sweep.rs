//! `--sweep`: valid plans by an independent parser, and the resized documents.

use manywire_codec::Limits;
use manywire_codec::json;
use manywire_format::Format;
use manywire_shape::{Arena, Value};
use manywire_tools::weigh::payload::Payload;
use manywire_tools::weigh::{SWEEP_LENGTH_MAX, SweepSpec};

use crate::difference::difference;
use crate::target::{CheckResult, Violation, ensure};

/// Longer arrays take long to build and find nothing new.
const LENGTH_MAX: usize = 200;

/// One step of a path.
enum Step<'t> {
    Name(&'t str),
    Index(usize),
}

/// Checks an input of a line with a plan, and a document.
pub(crate) fn check(bytes: &[u8]) -> CheckResult {
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let text = String::from_utf8_lossy(&bytes[..end]);
    let document = bytes.get(end + 1..).unwrap_or_default();
    let expected = read(&text);
    let plan = match (text.parse::<SweepSpec>(), &expected) {
        (Ok(plan), Some(_)) => plan,
        (Ok(_), None) => {
            return Err(Violation(format!("invalid plan {text:?} was accepted")));
        }
        (Err(error), Some(_)) => {
            return Err(Violation(format!("valid plan {text:?} was refused: {error}")));
        }
        (Err(error), None) => {
            let message = error.to_string();
            let advice = message.contains("write") || message.contains("at most");
            ensure!(advice, "{text:?} is refused without advice: {message}");
            return Ok(());
        }
    };
    let again = plan.to_string().parse();
    ensure!(again.as_ref() == Ok(&plan), "{plan} is read as {again:?}");
    let Some((steps, lengths)) = expected else { return Ok(()) };
    ensure!(plan.lengths == lengths, "{text:?}: {:?}, not {lengths:?}", plan.lengths);
    for &length in lengths.iter().filter(|length| **length <= LENGTH_MAX).take(2) {
        resized(&plan, &steps, length, document)?;
    }
    Ok(())
}

/// Parses a plan: steps, an equals sign, lengths.
fn read(text: &str) -> Option<(Vec<Step<'_>>, Vec<usize>)> {
    let number = |digits: &str| -> Option<usize> {
        let plain = !digits.is_empty() && digits.chars().all(|it| it.is_ascii_digit());
        plain.then(|| digits.parse().ok())?
    };
    let (path, list) = text.rsplit_once('=')?;
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while let Some(sign) = rest.chars().next() {
        let inner = rest.get(1..)?;
        let end = match sign {
            '.' => inner.find(|it| "[].".contains(it)).unwrap_or(inner.len()),
            '[' => inner.find(']')?,
            _ => return None,
        };
        match sign {
            '.' => {
                (end > 0).then(|| steps.push(Step::Name(&inner[..end])))?;
                rest = &inner[end..];
            }
            _ => {
                steps.push(Step::Index(number(&inner[..end])?));
                rest = &inner[end + 1..];
            }
        }
    }
    let lengths: Option<Vec<usize>> = list.split(',').map(|it| number(it.trim())).collect();
    let lengths = lengths?;
    lengths.iter().all(|length| *length <= SWEEP_LENGTH_MAX).then_some((steps, lengths))
}

/// Checks that the array at the path has the length, and that the rest of the document is
/// unchanged.
fn resized(plan: &SweepSpec, steps: &[Step<'_>], length: usize, document: &[u8]) -> CheckResult {
    let arena = Arena::new();
    let limits = Limits::DEFAULT.with_depth(512);
    let Ok(before) = json::read_value(document, &arena, limits) else { return Ok(()) };
    let payload = Payload::new("document", Format::Json, document.to_vec());
    let expected = with_length(before, steps, length, &arena);
    let found = plan.resized(&payload, length);
    match (expected, found) {
        (None, Err(message)) => {
            ensure!(message.to_string().contains(&plan.path), "{plan}: {message}");
            Ok(())
        }
        (None, Ok(_)) => Err(Violation(format!("{plan} leads to no array in {before:?}"))),
        (Some(_), Err(message)) => Err(Violation(format!("{plan} of {before:?}: {message}"))),
        (Some(expected), Ok(payload)) => {
            let found = json::read_value(&payload.bytes, &arena, limits).map_err(|error| {
                Violation(format!("{plan}: the resized document cannot be read: {error}"))
            })?;
            match difference(&expected, &found) {
                None => Ok(()),
                Some(place) => Err(Violation(format!("{plan} of {before:?}: ${place}"))),
            }
        }
    }
}

/// Returns the expected value; `None` if the path leads to no array with items. Among entries with
/// one name the last counts.
fn with_length<'a>(
    value: Value<'a>,
    steps: &[Step<'_>],
    length: usize,
    arena: &'a Arena,
) -> Option<Value<'a>> {
    match (value, steps) {
        (Value::Array(items), []) => {
            let turns = items.iter().copied().cycle().take(length);
            (!items.is_empty())
                .then(|| Value::Array(arena.alloc_slice_fill_iter(turns.collect::<Vec<_>>())))
        }
        (Value::Array(items), [Step::Index(index), inner @ ..]) => {
            let mut items = items.to_vec();
            let item = items.get_mut(*index)?;
            *item = with_length(*item, inner, length, arena)?;
            Some(Value::Array(arena.alloc_slice_fill_iter(items)))
        }
        (Value::Map(entries), [Step::Name(name), inner @ ..]) => {
            let mut entries = entries.to_vec();
            let mut named = entries.iter_mut().rev();
            let entry = named.find(|(key, _)| matches!(key, Value::Str(key) if key == name))?;
            entry.1 = with_length(entry.1, inner, length, arena)?;
            Some(Value::Map(arena.alloc_slice_fill_iter(entries)))
        }
        _ => None,
    }
}
