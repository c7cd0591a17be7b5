//! The table: offset, bytes, what they are, path, cost; a row for each token.

use std::fmt::Write as _;
use std::io::{self, Write};

use manywire_inspect::{Event, Role, Span};

use super::short;
use super::summary::share;

/// Rows that are looked at before the widths of the columns are settled.
const ROWS_MEASURED: usize = 500;

/// Bytes in each row, where none are left out.
pub(crate) const BYTES_A_ROW: usize = 16;

/// Levels of nesting that indent.
const INDENT_MAX: usize = 16;

struct Row {
    role: Option<Role>,
    cells: [String; 5],
}

pub(crate) struct Table {
    /// How long the input is, if that is known.
    length: Option<usize>,
    color: bool,
    /// Whether nothing is cut short.
    uncut: bool,
    rows: Vec<Row>,
    /// The widths of all columns but the last, once they are settled.
    widths: Option<[usize; 4]>,
}

const TITLES: [&str; 5] = ["offset", "bytes", "what it is", "path", "cost"];

impl Table {
    pub(crate) fn new(length: Option<usize>, color: bool, uncut: bool) -> Self {
        Table { length, color, uncut, rows: Vec::new(), widths: None }
    }

    /// Adds the rows of an event; writes them, once the widths are known.
    pub(crate) fn add(&mut self, event: &Event<'_>, writer: &mut dyn Write) -> io::Result<()> {
        match event {
            Event::Span(span) => self.add_span(span),
            Event::Fault(fault) => {
                let what = short::visible(&format!("FAULT: expected {}", fault.expected));
                let offset = offset(fault.offset, fault.inside);
                let path = self.text(fault.path);
                let cells = [offset, String::new(), what, path, String::new()];
                self.rows.push(Row { role: None, cells });
            }
            Event::Remark(_) => return Ok(()),
        }
        match self.widths.is_some() || self.rows.len() >= ROWS_MEASURED {
            true => self.flush(writer),
            false => Ok(()),
        }
    }

    fn add_span(&mut self, span: &Span<'_>) {
        let indent = " ".repeat(2 * span.depth.min(INDENT_MAX));
        let mut what = format!("{indent}{}", span.type_name);
        if let Some(value) = span.value {
            let _ = write!(what, " {}", short::value(value, self.uncut));
        }
        let (start, inside) = (span.range.start, span.inside);
        let mut rest: &[u8] = &[];
        let bytes = match span.bytes.split_at_checked(BYTES_A_ROW) {
            Some((first, others)) if self.uncut => {
                rest = others;
                short::hex(first, " ")
            }
            _ if self.uncut => short::hex(span.bytes, " "),
            _ => short::cut(span.bytes),
        };
        let cost = self.cost(span);
        let what = short::visible(&what);
        let cells = [offset(start, inside), bytes, what, self.text(span.path), cost];
        self.rows.push(Row { role: Some(span.role), cells });
        for (index, bytes) in rest.chunks(BYTES_A_ROW).enumerate() {
            let offset = offset(start + (index + 1) * BYTES_A_ROW, inside);
            let [what, path, cost] = [const { String::new() }; 3];
            let cells = [offset, short::hex(bytes, " "), what, path, cost];
            self.rows.push(Row { role: Some(span.role), cells });
        }
    }

    fn text(&self, text: &str) -> String {
        if self.uncut { short::visible(text) } else { short::shortened(text) }
    }

    /// What was unpacked costs what it was packed into.
    fn cost(&self, span: &Span<'_>) -> String {
        let bytes = span.range.len();
        match self.length.filter(|_| span.inside.is_none()) {
            Some(length) => format!("{bytes:>4} {:>6}", share(bytes, length)),
            None => format!("{bytes:>4}"),
        }
    }

    /// Writes the rows that are held back.
    pub(crate) fn flush(&mut self, writer: &mut dyn Write) -> io::Result<()> {
        let widths = match self.widths {
            Some(widths) => widths,
            None => {
                let widths = self.measure();
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

    fn measure(&self) -> [usize; 4] {
        let mut widths = [0, 1, 2, 3].map(|column| TITLES[column].len());
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(&row.cells) {
                *width = (*width).max(cell.chars().count());
            }
        }
        // One long text does not push everything else away.
        for width in &mut widths[2..] {
            *width = (*width).min(COLUMN_MAX);
        }
        widths
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
        writeln!(writer, "{}fault\x1b[0m", paint(None))
    }
}

/// The widest column of text.
const COLUMN_MAX: usize = 100;

/// Where bytes stand; behind a plus, where they stand in what was unpacked.
fn offset(offset: usize, inside: Option<usize>) -> String {
    match inside {
        None => offset.to_string(),
        Some(_) => format!("+{offset}"),
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
