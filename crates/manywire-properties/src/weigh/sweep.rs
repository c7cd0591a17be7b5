//! `--sweep`: the text of plans, and the resized documents.

use manywire_codec::Limits;
use manywire_codec::json;
use manywire_format::Format;
use manywire_shape::{Arena, Value};
use manywire_tools::payload::{LIMITS, PathStep, Payload, PayloadPath};
use manywire_tools::weigh::{SWEEP_LENGTH_MAX, SweepSpec};

use crate::difference::difference;
use crate::target::{CheckResult, Violation, ensure};

/// The maximum length of a checked array, because longer ones take long and find nothing new.
const LENGTH_MAX: usize = 200;

/// The maximum depth of a document, and of the path to it.
const DEPTH_MAX: usize = 64;

/// The maximum index in a path to a document.
const INDEX_MAX: usize = 8;

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
        any_document(&plan, length, document)?;
        known_document(&plan, &path.steps, length, document)?;
    }
    Ok(())
}

/// Checks that cutting an array that was made longer gives the same document as resizing it once.
fn any_document(plan: &SweepSpec, length: usize, document: &[u8]) -> CheckResult {
    let payload = Payload::new("document", Format::Json, document.to_vec());
    let once = match plan.resized(&payload, length) {
        Ok(once) => once,
        Err(error) => {
            let (message, arena) = (error.to_string(), Arena::new());
            ensure!(message.starts_with("document: "), "{plan}: {message}");
            let is_json = json::read_value(document, &arena, LIMITS).is_ok();
            ensure!(!is_json || message.contains(&plan.path), "{plan}: {message}");
            return Ok(());
        }
    };
    let longer = resized(plan, &payload, length + 7)?;
    let cut = resized(plan, &longer, length)?;
    ensure!(cut.bytes == once.bytes, "{plan} of {payload:?}: {once:?}, then {cut:?}");
    Ok(())
}

/// Checks documents that are built around the path of the sweep: the items of an array are repeated in
/// turn, and the rest of the document is unchanged. Anything but an array with items is refused.
fn known_document(
    plan: &SweepSpec,
    steps: &[PathStep],
    length: usize,
    document: &[u8],
) -> CheckResult {
    let arena = Arena::new();
    let limits = Limits::DEFAULT.with_depth(DEPTH_MAX);
    let Ok(content) = json::read_value(document, &arena, limits) else { return Ok(()) };
    let items = match content {
        Value::Array(items) if !items.is_empty() => items.to_vec(),
        other => vec![other],
    };
    let turns: Vec<Value<'_>> = items.iter().copied().cycle().take(length).collect();
    let around = |inner| around(steps, inner, &arena);
    let (Some(before), Some(expected)) =
        (around(Value::Array(&items)), around(Value::Array(&turns)))
    else {
        return Ok(());
    };
    for without_items in [Value::Array(&[]), Value::Bool(true)].into_iter().filter_map(around) {
        let Err(error) = plan.resized(&payload(&without_items)?, length) else {
            return Err(Violation(format!("{plan} leads to no items in {without_items:?}")));
        };
        let message = error.to_string();
        ensure!(message.contains(&plan.path), "{plan} of {without_items:?}: {message}");
    }
    let found = resized(plan, &payload(&before)?, length)?;
    let found = json::read_value(&found.bytes, &arena, LIMITS)
        .map_err(|error| Violation(format!("{plan}: the document cannot be read: {error}")))?;
    match difference(&expected, &found) {
        None => Ok(()),
        Some(place) => Err(Violation(format!("{plan} of {before:?}: ${place}"))),
    }
}

fn payload(value: &Value<'_>) -> Result<Payload, Violation> {
    let mut bytes = Vec::new();
    json::write_value(value, &mut bytes).map_err(|error| Violation(error.to_string()))?;
    Ok(Payload::new("document", Format::Json, bytes))
}

fn resized(plan: &SweepSpec, payload: &Payload, length: usize) -> Result<Payload, Violation> {
    plan.resized(payload, length).map_err(|error| Violation(format!("{plan}: {error}")))
}

/// Returns a document with this value at the path and other values beside it, or `None` for a path or
/// an index that is too long.
fn around<'a>(steps: &[PathStep], mut inner: Value<'a>, arena: &'a Arena) -> Option<Value<'a>> {
    if steps.len() > DEPTH_MAX {
        return None;
    }
    let other = Value::Bool(true);
    for step in steps.iter().rev() {
        inner = match step {
            PathStep::Key(name) => {
                let key = Value::Str(arena.alloc_str(name));
                // Among entries with the same name, a step leads to the last one.
                Value::Map(arena.alloc_slice_copy(&[(key, other), (key, inner)]))
            }
            PathStep::Index(index) => {
                let index = index.parse().ok().filter(|index| *index <= INDEX_MAX)?;
                let mut around = vec![other; index];
                around.extend([inner, other]);
                Value::Array(arena.alloc_slice_copy(&around))
            }
            PathStep::AnyIndex | PathStep::Entry(_) => return None,
        };
    }
    Some(inner)
}
