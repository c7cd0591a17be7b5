//! The totals below the table, and the findings of `--check`.

use std::io::{self, Write};

use manywire_format::{Form, Format, Framing};
use manywire_inspect::{Event, Summary, display};
use manywire_tools::payload::CodedInput;

/// Writes the totals.
pub(crate) fn write_totals(
    form: Form,
    others: &[Form],
    has_schema: bool,
    summary: &Summary,
    writer: &mut dyn Write,
) -> io::Result<()> {
    let Summary { keys, heads, values, unread, .. } = *summary;
    let length = length(summary);
    let title = form.format.row().title;
    if is_stream(form, summary) {
        write!(writer, "{}, ", count(summary.value_count as usize, "value"))?;
    }
    write!(writer, "{length} bytes of {title}")?;
    let parts = [("keys", keys), ("heads", heads), ("values", values)];
    for (index, (name, part)) in parts.into_iter().enumerate() {
        let separator = if index == 0 { ':' } else { ',' };
        write!(writer, "{separator} {name} {part} ({})", share(part, length))?;
    }
    if unread > 0 {
        write!(writer, ", unread {unread} ({})", share(unread, length))?;
    }
    writeln!(writer)?;
    write_json_sizes(form.format, has_schema, length, summary, writer)?;
    write_savings(form.format, length, summary, writer)?;
    if summary.faults > 0 {
        writeln!(writer, "{}", count(summary.faults, "fault"))?;
    }
    if !others.is_empty() {
        let names: Vec<String> = others.iter().map(ToString::to_string).collect();
        writeln!(writer, "could also be {}: say so with --from", names.join(", "))?;
    }
    Ok(())
}

/// Writes the compressed size of an input that was compressed. All other totals are about the
/// decompressed bytes.
pub(crate) fn write_unpacked(
    packed: &CodedInput,
    summary: &Summary,
    writer: &mut dyn Write,
) -> io::Result<()> {
    let (coding, coded, length) = (packed.coding(), packed.bytes(), length(summary));
    let ratio = length as f64 / coded.max(1) as f64;
    writeln!(
        writer,
        "unpacked from {coded} bytes of {coding} (ratio {ratio:.2}): offsets are of the {length} \
         unpacked bytes"
    )
}

/// Returns whether the totals say how many values there are.
fn is_stream(form: Form, summary: &Summary) -> bool {
    form.framing != Framing::Single || summary.value_count > 1
}

/// Returns the number of bytes in the totals.
fn length(summary: &Summary) -> usize {
    summary.keys + summary.heads + summary.values + summary.unread
}

/// Writes the size of the same value as JSON, minified and with a space after each colon and comma.
fn write_json_sizes(
    format: Format,
    has_schema: bool,
    length: usize,
    summary: &Summary,
    writer: &mut dyn Write,
) -> io::Result<()> {
    let sizes = [("minified JSON", summary.minified_json), ("spaced", summary.spaced_json)];
    if length == 0 {
        return Ok(());
    }
    let [(_, Some(_)), (_, Some(_))] = sizes else {
        return match (format, has_schema, summary.faults) {
            (Format::Protobuf, false, 0) => {
                writeln!(writer, "minified JSON n/a: the names of the fields are not in the bytes")
            }
            _ => Ok(()),
        };
    };
    for (index, (name, size)) in sizes.into_iter().enumerate() {
        let json = size.unwrap_or_default();
        let ratio = json as f64 / length as f64;
        let saving = 100.0 * (1.0 - length as f64 / json as f64);
        // The addition makes a zero positive, which would be shown as -0.
        let saving = saving.round_ties_even() + 0.0;
        let separator = if index == 0 { "" } else { "; " };
        write!(writer, "{separator}{name} {json} bytes: ratio {ratio:.2}, saving {saving:.0} %")?;
    }
    writeln!(writer)
}

/// Writes the number of bytes that integer keys, or records as arrays, would save. Without a
/// schema, every map is assumed to be a record.
fn write_savings(
    format: Format,
    length: usize,
    summary: &Summary,
    writer: &mut dyn Write,
) -> io::Result<()> {
    let keyed = matches!(format, Format::MsgPack | Format::MsgPackArray | Format::Cbor);
    if !keyed || summary.keys == 0 || summary.faults > 0 {
        return Ok(());
    }
    let without = length - summary.keys;
    write!(writer, "array layout {without} bytes: {} less", share(summary.keys, length))?;
    if let Some(saved) = summary.keys.checked_sub(summary.numbered_keys).filter(|saved| *saved > 0)
    {
        let numbered = length - saved;
        write!(writer, "; integer keys {numbered} bytes: {} less", share(saved, length))?;
    }
    writeln!(writer)
}

pub(crate) fn share(part: usize, whole: usize) -> String {
    match whole {
        0 => "0 %".to_owned(),
        _ => format!("{:.0} %", 100.0 * part as f64 / whole as f64),
    }
}

pub(crate) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Writes a fault or a remark as one line of `--check`.
pub(crate) fn write_finding(event: &Event<'_>, writer: &mut dyn Write) -> io::Result<()> {
    let position = |offset: usize, inside: Option<usize>| match inside {
        None => format!("byte {offset}"),
        Some(packed) => format!("byte {offset} of the data packed at byte {packed}"),
    };
    match event {
        Event::Span(_) => Ok(()),
        Event::Fault(fault) => {
            let (position, path) =
                (position(fault.offset, fault.inside), display::visible(fault.path));
            writeln!(writer, "{position}, {path}: expected {}", fault.expected)
        }
        Event::Remark(remark) => {
            let (position, path) =
                (position(remark.offset, remark.inside), display::visible(remark.path));
            writeln!(writer, "{position}, {path}: {}", remark.message)
        }
    }
}

/// Writes the number of faults and remarks, the last line of `--check`.
pub(crate) fn write_counts(
    form: Form,
    summary: &Summary,
    writer: &mut dyn Write,
) -> io::Result<()> {
    let title = form.format.row().title;
    let values = match is_stream(form, summary) {
        false => String::new(),
        true => format!("{}, ", count(summary.value_count as usize, "value")),
    };
    let (faults, remarks) = (count(summary.faults, "fault"), count(summary.remarks, "remark"));
    writeln!(writer, "{title}: {values}{faults}, {remarks}")
}
