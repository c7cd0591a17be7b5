//! HTTP Archives: every entry is a body, is counted as left out, or is an error, and an archive of
//! known bodies is read as these bodies.

use std::collections::HashSet;

use manywire_codec::json;
use manywire_format::{Form, Format, MediaType};
use manywire_shape::{Arena, Value};
use manywire_tools::payload::har::{self, Body, Har, HarSelection, InvalidEntry};
use manywire_tools::payload::{InputPosition, LIMITS};

use crate::target::{CheckResult, Violation, ensure};
use crate::text::in_base64;

pub(crate) fn check(bytes: &[u8]) -> CheckResult {
    recorded(bytes)?;
    for requests in [false, true] {
        archive(bytes, HarSelection { requests, reads: |_| true })?;
        archive(bytes, HarSelection { requests, reads: |form| !form.needs_schema() })?;
    }
    Ok(())
}

/// Checks that the input is read as it was recorded: as text if that is possible, and in base64.
fn recorded(bytes: &[u8]) -> CheckResult {
    let body = |number: usize, format| Body {
        endpoint: "GET /".to_owned(),
        name: format!("GET / #{number}"),
        form: Form::single(format),
        bytes: bytes.to_vec(),
    };
    let bodies = [body(1, Format::Json), body(2, Format::Cbor)];
    let wanted = HarSelection { requests: false, reads: |_| true };
    let har = har::read("archive", written(&bodies).as_bytes(), wanted)
        .map_err(|error| Violation(format!("{bytes:02x?} is refused: {error}")))?;
    ensure!(har.bodies == bodies, "{bodies:?} are read as {har:?}");
    Ok(())
}

fn archive(bytes: &[u8], wanted: HarSelection) -> CheckResult {
    let (entry_count, har) = match (entry_count(bytes), har::read("archive", bytes, wanted)) {
        (Some(entry_count), Ok(har)) => (entry_count, har),
        (None, Err(error)) => {
            ensure!(!error.message.is_empty(), "refused without a message");
            return Ok(());
        }
        (None, Ok(_)) => return Err(Violation("an invalid archive was accepted".to_owned())),
        (Some(_), Err(error)) => {
            return Err(Violation(format!("a valid archive was refused: {error}")));
        }
    };
    entries_are_counted(&har, entry_count, wanted)?;
    names_are_unique(&har.bodies)?;
    let written = written(&har.bodies);
    let again = har::read("archive", written.as_bytes(), wanted)
        .map_err(|error| Violation(format!("{written} is refused: {error}")))?;
    ensure!(again.bodies == har.bodies, "{:?} are read as {again:?}", har.bodies);
    Ok(())
}

/// Returns the number of entries of an archive, or `None` for other bytes.
fn entry_count(bytes: &[u8]) -> Option<u64> {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let arena = Arena::new();
    match json::read_value(text, &arena, LIMITS).ok()?.get("log")?.get("entries")? {
        Value::Array(entries) => Some(entries.len() as u64),
        _ => None,
    }
}

/// Checks that each entry is a body, is left out, or is an error with its position.
fn entries_are_counted(har: &Har, entry_count: u64, wanted: HarSelection) -> CheckResult {
    let left_out = har.left_out.count();
    ensure!(har.left_out.to_string().contains(&left_out.to_string()), "{}", har.left_out);
    let (bodies, errors) = (har.bodies.len() as u64, har.errors.len() as u64);
    // An entry has a response, and also a request if requests are selected.
    let most = if wanted.requests { 2 * entry_count } else { entry_count };
    ensure!(
        (entry_count..=most).contains(&(bodies + errors + left_out)),
        "{entry_count} entries: {bodies} bodies, {errors} errors, {left_out} left out"
    );
    for InvalidEntry { error, .. } in &har.errors {
        let named = error.path.starts_with("$.log.entries[");
        let named = named && matches!(error.place, InputPosition::Whole);
        ensure!(named, "an error without the path of its entry: {}", error.path);
    }
    Ok(())
}

fn names_are_unique(bodies: &[Body]) -> CheckResult {
    let mut names = HashSet::new();
    for Body { name, endpoint, .. } in bodies {
        ensure!(name.starts_with(endpoint.as_str()), "{name} of {endpoint}");
        ensure!(names.insert(name), "two bodies are named {name}");
        ensure!(!name.contains(char::is_control), "{name:?} is a name with control characters");
    }
    Ok(())
}

/// The media type of messages with their lengths, which are told from one message by a parameter.
const DELIMITED: &str = "application/protobuf; delimited=true";

/// Returns an archive whose responses have these bodies: as text where that is possible and the
/// length is odd, and otherwise in base64 with a line break.
fn written(bodies: &[Body]) -> String {
    let entry = |Body { endpoint, form, bytes, .. }: &Body| {
        let (method, target) = endpoint.split_once(' ').unwrap_or_default();
        let is_of_form = |text: &&str| {
            MediaType::parse(text).is_ok_and(|found| Form::from_media_type(&found) == Some(*form))
        };
        let media_type = [form.media_type(), DELIMITED].into_iter().find(is_of_form);
        let text = std::str::from_utf8(bytes).ok();
        let content = match text.filter(|text| form.format.row().text && text.len() % 2 == 1) {
            Some(text) => serde_json::json!({"mimeType": media_type, "text": text}),
            None => serde_json::json!({
                "mimeType": media_type,
                "text": in_base64(bytes) + "\r\n",
                "encoding": "base64",
            }),
        };
        serde_json::json!({
            "request": {"method": method, "url": format!("http://{target}")},
            "response": {"status": 200, "content": content},
        })
    };
    let entries: Vec<serde_json::Value> = bodies.iter().map(entry).collect();
    serde_json::json!({"log": {"entries": entries}}).to_string()
}
