//! The invariants of every walk.

use manywire_format::Format;
use manywire_inspect::{Event, Options, Role, Schema, Summary, walk};

use crate::agree::{SMALL_ZERO_SIZE_BUDGET, is_container_file};
use crate::target::{CheckResult, Violation, ensure};

/// Returns options with a limit that depends on the length of the input, so that small inputs meet
/// it.
fn options(bytes: &[u8]) -> Options<'static> {
    let depth_max = if bytes.len().is_multiple_of(2) { 8 } else { 1_024 };
    Options { depth_max, duplicate_keys: true, ..SMALL_ZERO_SIZE_BUDGET }
}

/// Checks that spans are in order, cover every byte once and add up, and that nothing is unread
/// without a fault.
fn check(format: Format, bytes: &[u8], schema: Option<Schema<'_>>) -> CheckResult {
    let mut covered = 0;
    let mut faults = 0;
    let mut unread = 0;
    let mut broken = None;
    let mut wrong = |message: String| broken = broken.take().or(Some(Violation(message)));
    let options = Options { schema, ..options(bytes) };
    let summary = walk(format, bytes, options, &mut |event| match event {
        Event::Span(span) => {
            let (start, end) = (span.range.start, span.range.end);
            if start != covered || end < start || end > bytes.len() {
                wrong(format!("a span of {start}..{end} after {covered}"));
            }
            if span.head > end - start.min(end) || !span.path.starts_with('$') {
                wrong(format!("a span of {start}..{end}, head {}, {}", span.head, span.path));
            }
            if unread > 0 {
                wrong(format!("a span of {start}..{end} after unread bytes"));
            }
            // The type name must be printable.
            let _ = span.type_name.to_string();
            covered = end;
            unread += if span.role == Role::Unread { end - start } else { 0 };
        }
        Event::Fault(fault) => {
            faults += 1;
            if fault.offset > bytes.len() || fault.expected.to_string().is_empty() {
                wrong(format!("a fault at {} of {}", fault.offset, bytes.len()));
            }
        }
        Event::Remark(remark) => {
            if remark.offset >= bytes.len() || remark.message.to_string().is_empty() {
                wrong(format!("a remark at {} of {}", remark.offset, bytes.len()));
            }
        }
    });
    if let Some(broken) = broken {
        return Err(broken);
    }
    ensure!(covered == bytes.len(), "the walk ends at {covered} of {}", bytes.len());
    let Summary { keys, heads, values, .. } = summary;
    let sum = keys + heads + values + summary.unread;
    ensure!(sum == bytes.len(), "{sum} of {} bytes in {summary:?}", bytes.len());
    ensure!(summary.faults == faults, "{faults} faults, {summary:?}");
    ensure!(summary.unread == unread, "{unread} unread, {summary:?}");
    ensure!(unread == 0 || faults > 0, "unread without a fault: {summary:?}");
    Ok(())
}

pub(crate) fn msgpack(bytes: &[u8]) -> CheckResult {
    check(Format::MsgPack, bytes, None)
}

pub(crate) fn cbor(bytes: &[u8]) -> CheckResult {
    check(Format::Cbor, bytes, None)
}

pub(crate) fn bson(bytes: &[u8]) -> CheckResult {
    check(Format::Bson, bytes, None)
}

pub(crate) fn json(bytes: &[u8]) -> CheckResult {
    check(Format::Json, bytes, None)
}

pub(crate) fn protobuf(bytes: &[u8]) -> CheckResult {
    check(Format::Protobuf, bytes, None)
}

/// Checks a walk with the schema of `agree_avro`. Container files have spans in unpacked bytes and
/// continue after unread ones, so `container_avro` checks them instead.
pub(crate) fn avro(bytes: &[u8]) -> CheckResult {
    if is_container_file(bytes) {
        return Ok(());
    }
    check(Format::Avro, bytes, Some(crate::agree::avro_schema()))
}
