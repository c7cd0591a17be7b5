//! The table: a row for each token with its offset, bytes, description, path and cost.

use std::fmt::{self, Write as _};
use std::io::{self, Write};

use manywire_inspect::{Event, Role, Span, display};
use manywire_shape::Value;

use super::summary::share;

/// The number of rows that decide the widths of the columns.
const ROWS_MEASURED: usize = 500;

/// The number of bytes in each row of `--uncut`.
pub(crate) const BYTES_PER_ROW: usize = 16;

/// The largest number of nesting levels that are indented.
const INDENT_MAX: usize = 16;

/// A row. Its cells are cleared and used again for later rows.
#[derive(Default)]
struct Row {
    role: Option<Role>,
    cells: [String; 5],
}

/// A table that is written row by row.
pub(crate) struct Table {
    /// The length of the input, if it is known.
    length: Option<usize>,
    color: bool,
    /// True if nothing is shortened.
    uncut: bool,
    /// The buffered rows.
    rows: Vec<Row>,
    /// The widths of all columns but the last, once they are decided.
    widths: Option<[usize; 4]>,
    /// The row and the line that were written last, whose memory is used again.
    spare: Row,
    line: String,
}

const TITLES: [&str; 5] = ["offset", "bytes", "what it is", "path", "cost"];

impl Table {
    pub(crate) fn new(length: Option<usize>, color: bool, uncut: bool) -> Self {
        let (rows, widths) = (Vec::new(), None);
        Table { length, color, uncut, rows, widths, spare: Row::default(), line: String::new() }
    }

    /// Adds the rows of an event. Writes them once the widths are known.
    /// `number` is the number that the event completes together with earlier ones.
    pub(crate) fn add(
        &mut self,
        event: &Event<'_>,
        number: Option<&str>,
        writer: &mut dyn Write,
    ) -> io::Result<()> {
        match event {
            Event::Span(span) => self.add_span(span, number, writer),
            Event::Fault(fault) => {
                let uncut = self.uncut;
                self.row(None, writer, |[offset, _, description, path, _]| {
                    write_offset(offset, fault.offset, fault.inside)?;
                    write!(description, "FAULT: expected {}", display::visible(fault.expected))?;
                    write_path(path, fault.path, uncut)
                })
            }
            Event::Remark(_) => Ok(()),
        }
    }

    /// Returns whether no row was added.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.widths.is_none()
    }

    fn add_span(
        &mut self,
        span: &Span<'_>,
        number: Option<&str>,
        writer: &mut dyn Write,
    ) -> io::Result<()> {
        let (start, inside, uncut) = (span.range.start, span.inside, self.uncut);
        // The cost is that of the compressed bytes, so decompressed bytes have none.
        let length = self.length.filter(|_| inside.is_none());
        let (first, rest) = match span.bytes.split_at_checked(BYTES_PER_ROW) {
            Some(parts) if uncut => parts,
            _ => (span.bytes, &[][..]),
        };
        self.row(Some(span.role), writer, |[offset, bytes, description, path, cost]| {
            write_offset(offset, start, inside)?;
            match uncut {
                true => write!(bytes, "{}", display::hex(first, " "))?,
                false => write!(bytes, "{}", display::hex_shortened(first))?,
            }
            write!(description, "{:1$}", "", 2 * span.depth.min(INDENT_MAX))?;
            write!(description, "{}", display::visible(span.type_name))?;
            if let Some(value) = span.value {
                write!(description, " {}", display::visible(display::value(value, uncut)))?;
            }
            if let Some(number) = number {
                let number = Value::Number(number);
                write!(description, " = {}", display::value(number, uncut))?;
            }
            write_path(path, span.path, uncut)?;
            match (span.range.len(), length) {
                (bytes, Some(length)) => write!(cost, "{bytes:>4} {:>6}", share(bytes, length)),
                (bytes, None) => write!(cost, "{bytes:>4}"),
            }
        })?;
        for (index, part) in rest.chunks(BYTES_PER_ROW).enumerate() {
            self.row(Some(span.role), writer, |[offset, bytes, ..]| {
                write_offset(offset, start + (index + 1) * BYTES_PER_ROW, inside)?;
                write!(bytes, "{}", display::hex(part, " "))
            })?;
        }
        Ok(())
    }

    /// Adds a row with the cells that `fill` writes. Rows are buffered until the widths are decided.
    fn row(
        &mut self,
        role: Option<Role>,
        writer: &mut dyn Write,
        fill: impl FnOnce(&mut [String; 5]) -> fmt::Result,
    ) -> io::Result<()> {
        let mut row = std::mem::take(&mut self.spare);
        row.role = role;
        row.cells.iter_mut().for_each(String::clear);
        fill(&mut row.cells).map_err(io::Error::other)?;
        if let Some(widths) = self.widths {
            self.write_row(&row, widths, writer)?;
            self.spare = row;
            return Ok(());
        }
        self.rows.push(row);
        if self.rows.len() < ROWS_MEASURED { Ok(()) } else { self.flush(writer) }
    }

    /// Writes the buffered rows.
    pub(crate) fn flush(&mut self, writer: &mut dyn Write) -> io::Result<()> {
        let widths = match self.widths {
            Some(widths) => widths,
            None => {
                let widths = self.measure();
                self.widths = Some(widths);
                self.write_cells(&TITLES, widths, "", writer)?;
                widths
            }
        };
        for row in std::mem::take(&mut self.rows) {
            self.write_row(&row, widths, writer)?;
        }
        Ok(())
    }

    fn write_row(
        &mut self,
        row: &Row,
        widths: [usize; 4],
        writer: &mut dyn Write,
    ) -> io::Result<()> {
        let color_code = if self.color { color_code(row.role) } else { "" };
        self.write_cells(&row.cells.each_ref().map(String::as_str), widths, color_code, writer)
    }

    fn write_cells(
        &mut self,
        cells: &[&str; 5],
        widths: [usize; 4],
        color_code: &str,
        writer: &mut dyn Write,
    ) -> io::Result<()> {
        let [offset, bytes, description, path, cost] = cells;
        let [w0, w1, w2, w3] = widths;
        self.line.clear();
        write!(self.line, "{offset:>w0$}  {bytes:<w1$}  {description:<w2$}  {path:<w3$}  {cost}")
            .map_err(io::Error::other)?;
        let reset = if color_code.is_empty() { "" } else { "\x1b[0m" };
        writeln!(writer, "{color_code}{}{reset}", self.line.trim_end())
    }

    fn measure(&self) -> [usize; 4] {
        let mut widths = [0, 1, 2, 3].map(|column| TITLES[column].len());
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(&row.cells) {
                *width = (*width).max(cell.chars().count());
            }
        }
        // A single long text must not widen the whole table.
        for width in &mut widths[2..] {
            *width = (*width).min(COLUMN_MAX);
        }
        widths
    }

    /// Writes the meaning of the colours.
    pub(crate) fn legend(&self, writer: &mut dyn Write) -> io::Result<()> {
        if !self.color {
            return Ok(());
        }
        writeln!(writer)?;
        for role in Role::ALL {
            write!(writer, "{}{}\x1b[0m ", color_code(Some(role)), role.name())?;
        }
        writeln!(writer, "{}fault\x1b[0m", color_code(None))
    }
}

/// The largest width of a text column.
const COLUMN_MAX: usize = 100;

/// Writes an offset in the input or, after a plus, an offset in decompressed bytes.
fn write_offset(cell: &mut String, offset: usize, inside: Option<usize>) -> fmt::Result {
    match inside {
        None => write!(cell, "{offset}"),
        Some(_) => write!(cell, "+{offset}"),
    }
}

fn write_path(cell: &mut String, path: &str, uncut: bool) -> fmt::Result {
    match uncut {
        true => write!(cell, "{}", display::visible(path)),
        false => write!(cell, "{}", display::shortened(path)),
    }
}

fn color_code(role: Option<Role>) -> &'static str {
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
