//! `--sweep`: the text of plans, and the resized documents.

use manywire_codec::Limits;
use manywire_codec::json;
use manywire_format::Format;
use manywire_shape::{Arena, Value};
use manywire_tools::payload::{PathStep, Payload, PayloadPath};
use manywire_tools::weigh::{SWEEP_LENGTH_MAX, SweepSpec};

use crate::difference::difference;
use crate::target::{CheckResult, Violation, ensure};

/// The maximum length of a checked array, because longer ones take long and find nothing new.
const LENGTH_MAX: usize = 200;

/// Checks an input of a line with a plan, and a document.
pub(crate) fn check(bytes: &[u8]) -> CheckResult {
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let text = String::from_utf8_lossy(&bytes[..end]);
    let document = bytes.get(end + 1..).unwrap_or_default();
    let plan: SweepSpec = match text.parse() {
        Ok(plan) => plan,
        Err(error) => {
            let message = error.to_string();
            let advice = ["write", "at most"];
            let advises = advice.iter().any(|advice| message.contains(advice));
            ensure!(advises, "{text:?} is refused without advice: {message}");
            return Ok(());
        }
    };
    let again = plan.to_string().parse();
    ensure!(again.as_ref() == Ok(&plan), "{plan} is read as {again:?}");
    let longest = plan.lengths.iter().max();
    ensure!(longest.is_some_and(|length| *length <= SWEEP_LENGTH_MAX), "{text:?} was accepted");
    let path = plan.path.parse::<PayloadPath>();
    let path = path.map_err(|error| Violation(format!("{text:?} has no path: {error}")))?;
    for &length in plan.lengths.iter().filter(|length| **length <= LENGTH_MAX).take(2) {
        resized(&plan, &path.steps, length, document)?;
    }
    Ok(())
}

/// Checks that the array at the path has the length, and that the rest of the document is
/// unchanged.
fn resized(plan: &SweepSpec, steps: &[PathStep], length: usize, document: &[u8]) -> CheckResult {
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
/// the same name, a step leads to the last one.
fn with_length<'a>(
    value: Value<'a>,
    steps: &[PathStep],
    length: usize,
    arena: &'a Arena,
) -> Option<Value<'a>> {
    match (value, steps) {
        (Value::Array(items), []) => {
            let turns = items.iter().copied().cycle().take(length);
            (!items.is_empty())
                .then(|| Value::Array(arena.alloc_slice_fill_iter(turns.collect::<Vec<_>>())))
        }
        (Value::Array(items), [PathStep::Index(index), inner @ ..]) => {
            let mut items = items.to_vec();
            let item = items.get_mut(index.parse::<usize>().ok()?)?;
            *item = with_length(*item, inner, length, arena)?;
            Some(Value::Array(arena.alloc_slice_fill_iter(items)))
        }
        (Value::Map(entries), [PathStep::Key(name), inner @ ..]) => {
            let mut entries = entries.to_vec();
            let mut named = entries.iter_mut().rev();
            let entry = named.find(|(key, _)| matches!(key, Value::Str(key) if key == name))?;
            entry.1 = with_length(entry.1, inner, length, arena)?;
            Some(Value::Map(arena.alloc_slice_fill_iter(entries)))
        }
        _ => None,
    }
}
