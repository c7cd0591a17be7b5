//! The table: offset, bytes, what they are, path, cost; a row for each token.

use std::fmt::Write as _;
use std::io::{self, Write};

use manywire_format::Format;
use manywire_inspect::{Event, Role, Summary};
use manywire_shape::Value;

/// Rows that are looked at before the widths of the columns are settled.
const ROWS_MEASURED: usize = 500;

/// Bytes that are shown whole.
const BYTES_SHOWN: usize = 8;

/// Characters of a value or a path that are shown.
const TEXT_SHOWN: usize = 48;

/// Levels of nesting that indent.
const INDENT_MAX: usize = 16;

struct Row {
    role: Option<Role>,
    cells: [String; 5],
}

pub(crate) struct Table<'b> {
    bytes: &'b [u8],
    color: bool,
    rows: Vec<Row>,
    /// The widths of all columns but the last, once they are settled.
    widths: Option<[usize; 4]>,
}

const TITLES: [&str; 5] = ["offset", "bytes", "what it is", "path", "cost"];

impl<'b> Table<'b> {
    pub(crate) fn new(bytes: &'b [u8], color: bool) -> Self {
        Table { bytes, color, rows: Vec::new(), widths: None }
    }

    /// Adds the row of an event; writes it, once the widths are known.
    pub(crate) fn add(&mut self, event: &Event<'_>, writer: &mut dyn Write) -> io::Result<()> {
        let row = match event {
            Event::Span(span) => {
                let indent = " ".repeat(2 * span.depth.min(INDENT_MAX));
                let mut what = format!("{indent}{}", span.type_name);
                if let Some(value) = span.value {
                    let _ = write!(what, " {}", short(value));
                }
                Row {
                    role: Some(span.role),
                    cells: [
                        span.range.start.to_string(),
                        cut(&self.bytes[span.range.clone()]),
                        what,
                        shortened(span.path),
                        self.cost(span.range.len()),
                    ],
                }
            }
            Event::Fault(fault) => {
                let what = format!("FAULT: expected {}", fault.expected);
                let path = shortened(fault.path);
                let offset = fault.offset.to_string();
                Row { role: None, cells: [offset, String::new(), what, path, String::new()] }
            }
            Event::Remark(_) => return Ok(()),
        };
        self.rows.push(row);
        match self.widths.is_some() || self.rows.len() >= ROWS_MEASURED {
            true => self.flush(writer),
            false => Ok(()),
        }
    }

    /// Writes the rows that are held back.
    pub(crate) fn flush(&mut self, writer: &mut dyn Write) -> io::Result<()> {
        let widths = match self.widths {
            Some(widths) => widths,
            None => {
                let mut widths = [0, 1, 2, 3].map(|column| TITLES[column].len());
                for row in &self.rows {
                    for (width, cell) in widths.iter_mut().zip(&row.cells) {
                        *width = (*width).max(cell.chars().count());
                    }
                }
                self.widths = Some(widths);
                line(&TITLES.map(str::to_owned), widths, "", writer)?;
                widths
            }
        };
        for row in self.rows.drain(..) {
            line(&row.cells, widths, if self.color { paint(row.role) } else { "" }, writer)?;
        }
        Ok(())
    }

    /// Says which colour is which.
    pub(crate) fn legend(&self, writer: &mut dyn Write) -> io::Result<()> {
        if !self.color {
            return Ok(());
        }
        writeln!(writer)?;
        for role in Role::ALL {
            write!(writer, "{}{}\x1b[0m ", paint(Some(role)), role.name())?;
        }
        writeln!(writer)
    }

    fn cost(&self, length: usize) -> String {
        format!("{length:>4} {:>6}", share(length, self.bytes.len()))
    }
}

fn line(
    cells: &[String; 5],
    widths: [usize; 4],
    paint: &str,
    writer: &mut dyn Write,
) -> io::Result<()> {
    let [offset, bytes, what, path, cost] = cells;
    let [w0, w1, w2, w3] = widths;
    let text = format!("{offset:>w0$}  {bytes:<w1$}  {what:<w2$}  {path:<w3$}  {cost}");
    let reset = if paint.is_empty() { "" } else { "\x1b[0m" };
    writeln!(writer, "{paint}{}{reset}", text.trim_end())
}

fn paint(role: Option<Role>) -> &'static str {
    match role {
        Some(Role::Key) => "\x1b[36m",
        Some(Role::Value) => "\x1b[32m",
        Some(Role::Fixed) => "\x1b[35m",
        Some(Role::Head | Role::Length) => "\x1b[33m",
        Some(Role::Separator) => "\x1b[2m",
        Some(Role::Unread) => "\x1b[2;31m",
        None => "\x1b[1;31m",
    }
}

/// Bytes in hex, with something between them.
pub(crate) fn hex(bytes: &[u8], between: &str) -> String {
    let pairs: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    pairs.join(between)
}

fn cut(bytes: &[u8]) -> String {
    match bytes.get(..BYTES_SHOWN / 2) {
        Some(first) if bytes.len() > BYTES_SHOWN => {
            format!("{} … ({} bytes)", hex(first, " "), bytes.len())
        }
        _ => hex(bytes, " "),
    }
}

/// Text with what a terminal would obey made visible.
pub(crate) fn visible(text: &str) -> String {
    let visible = |c: char| match c {
        _ if c.is_control() => c.escape_debug().collect(),
        _ => String::from(c),
    };
    text.chars().map(visible).collect()
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(TEXT_SHOWN) {
        Some((end, _)) => visible(&text[..end]) + "…",
        None => visible(text),
    }
}

/// A value in a few words.
fn short(value: Value<'_>) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(truth) => truth.to_string(),
        Value::I64(number) => number.to_string(),
        Value::U64(number) => number.to_string(),
        Value::Number(text) => shortened(text),
        Value::F32(number) => format!("{number:?}"),
        Value::F64(number) => format!("{number:?}"),
        Value::Str(text) => match text.char_indices().nth(TEXT_SHOWN) {
            Some((end, _)) => format!("{:?}…", &text[..end]),
            None => format!("{text:?}"),
        },
        Value::Bytes(bytes) if bytes.len() > BYTES_SHOWN => {
            hex(&bytes[..BYTES_SHOWN / 2], " ") + " …"
        }
        Value::Bytes(bytes) => hex(bytes, " "),
        Value::Timestamp(time) if time.nanoseconds == 0 => format!("{} s", time.seconds),
        Value::Timestamp(time) => format!("{} s and {} ns", time.seconds, time.nanoseconds),
        Value::Array(_) | Value::Map(_) | Value::Ext(_) => String::new(),
    }
}

fn share(part: usize, whole: usize) -> String {
    match whole {
        0 => "0 %".to_owned(),
        _ => format!("{:.0} %", 100.0 * part as f64 / whole as f64),
    }
}

/// The totals: what kinds of bytes there are, and how JSON compares.
pub(crate) fn summary(
    format: Format,
    others: &[Format],
    length: usize,
    summary: &Summary,
    writer: &mut dyn Write,
) -> io::Result<()> {
    let title = format.row().title;
    write!(writer, "{length} bytes of {title}")?;
    let parts = [("keys", summary.keys), ("heads", summary.heads), ("values", summary.values)];
    for (index, (name, part)) in parts.into_iter().enumerate() {
        let separator = if index == 0 { ':' } else { ',' };
        write!(writer, "{separator} {name} {part} ({})", share(part, length))?;
    }
    if summary.unread > 0 {
        write!(writer, ", unread {} ({})", summary.unread, share(summary.unread, length))?;
    }
    writeln!(writer)?;
    if let Some(json) = summary.minified_json.filter(|_| length > 0) {
        let ratio = json as f64 / length as f64;
        let saving = 100.0 * (1.0 - length as f64 / json as f64);
        writeln!(writer, "minified JSON {json} bytes: ratio {ratio:.2}, saving {saving:.0} %")?;
    } else if format == Format::Protobuf {
        writeln!(writer, "minified JSON n/a: the names of the fields are not in the bytes")?;
    }
    if summary.faults > 0 {
        let s = if summary.faults == 1 { "" } else { "s" };
        writeln!(writer, "{} fault{s}", summary.faults)?;
    }
    if !others.is_empty() {
        let names: Vec<&str> = others.iter().map(|format| format.name()).collect();
        writeln!(writer, "could also be {}: say so with --from", names.join(", "))?;
    }
    Ok(())
}
