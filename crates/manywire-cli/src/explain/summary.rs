//! The lines that need no table: totals below it, and the findings of `--check`.

use std::io::{self, Write};

use manywire_format::{Form, Format, Framing};
use manywire_inspect::{Event, Summary};
use manywire_tools::payload::Packed;

use super::short;

/// Writes the totals.
pub(crate) fn write(
    form: Form,
    others: &[Form],
    by_name: bool,
    summary: &Summary,
    writer: &mut dyn Write,
) -> io::Result<()> {
    let Summary { keys, heads, values, unread, .. } = *summary;
    let length = length(summary);
    let title = form.format.row().title;
    if form.framing != Framing::Single {
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
    json(form.format, by_name, length, summary, writer)?;
    savings(form.format, length, summary, writer)?;
    if summary.faults > 0 {
        writeln!(writer, "{}", count(summary.faults, "fault"))?;
    }
    if !others.is_empty() {
        let names: Vec<String> = others.iter().map(ToString::to_string).collect();
        writeln!(writer, "could also be {}: say so with --from", names.join(", "))?;
    }
    Ok(())
}

/// What the bytes were before, where they were compressed: all of the above is about what came out.
pub(crate) fn unpacked(
    packed: &Packed,
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

/// How many bytes the totals are of.
fn length(summary: &Summary) -> usize {
    summary.keys + summary.heads + summary.values + summary.unread
}

/// How JSON compares, without spaces and with one behind each colon and comma.
fn json(
    format: Format,
    by_name: bool,
    length: usize,
    summary: &Summary,
    writer: &mut dyn Write,
) -> io::Result<()> {
    let sizes = [("minified JSON", summary.minified_json), ("spaced", summary.spaced_json)];
    if length == 0 {
        return Ok(());
    }
    let [(_, Some(_)), (_, Some(_))] = sizes else {
        return match (format, by_name, summary.faults) {
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
        let separator = if index == 0 { "" } else { "; " };
        write!(writer, "{separator}{name} {json} bytes: ratio {ratio:.2}, saving {saving:.0} %")?;
    }
    writeln!(writer)
}

/// What it would save to leave the keys to a schema, or to number them. Every map is taken for a
/// record here; only a schema could tell.
fn savings(
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

/// A fault or a remark in a line.
pub(crate) fn write_finding(event: &Event<'_>, writer: &mut dyn Write) -> io::Result<()> {
    let place = |offset: usize, inside: Option<usize>| match inside {
        None => format!("byte {offset}"),
        Some(packed) => format!("byte {offset} of what was packed at byte {packed}"),
    };
    match event {
        Event::Span(_) => Ok(()),
        Event::Fault(fault) => {
            let (place, path) = (place(fault.offset, fault.inside), short::visible(fault.path));
            writeln!(writer, "{place}, {path}: expected {}", fault.expected)
        }
        Event::Remark(remark) => {
            let (place, path) = (place(remark.offset, remark.inside), short::visible(remark.path));
            writeln!(writer, "{place}, {path}: {}", remark.message)
        }
    }
}

/// How many there are.
pub(crate) fn conclude(form: Form, summary: &Summary, writer: &mut dyn Write) -> io::Result<()> {
    let title = form.format.row().title;
    let values = match form.framing {
        Framing::Single => String::new(),
        _ => format!("{}, ", count(summary.value_count as usize, "value")),
    };
    let (faults, remarks) = (count(summary.faults, "fault"), count(summary.remarks, "remark"));
    writeln!(writer, "{title}: {values}{faults}, {remarks}")
}
