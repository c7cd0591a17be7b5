//! The table of the rows of one payload in one language, with its heading and its footnotes.

use super::compare::Direction;
use super::grid::{Cell, Grid, Style, Tone, mark, ratio_cell, unknown};
use super::metric::{Memory, Size, memory};
use super::words::{list, push_wrapped};
use super::{CodedSummary, Fidelity, HoldOut, Report, Row, Summary, describe_input_size, number};
use crate::weigh::subject::ValueKind;

/// Returns the payload of a row, its size, and the unit of the columns.
pub(super) fn subject_parts(row: &Row, report: &Report) -> Vec<String> {
    let mut parts = vec![match (&row.sweep, row.payload.as_str()) {
        (Some(sweep), _) => format!("{} = {}", sweep.path, sweep.length),
        (None, "*") => format!("{} payloads", number::count(report.payload_count)),
        (None, name) => match report.count_of(name) {
            1 => name.to_owned(),
            count => format!("{name} · {} payloads", number::count(count)),
        },
    }];
    if row.sweep.is_none() {
        let payloads = report.payloads_of(&row.payload);
        parts.push(describe_input_size(payloads.map(|it| (it.bytes, it.made_from.as_deref()))));
    }
    if report.count_of(&row.payload) > 1 {
        parts.push("bytes and times of one, as a mean".to_owned());
    }
    parts
}

/// Returns the heading of the table of these rows.
pub(super) fn heading(group: &[&Row], report: &Report) -> String {
    let row = group[0];
    let mut parts = subject_parts(row, report);
    let by_format = report.is_by_format();
    let note = report.note_of(&row.lane);
    if !by_format {
        let runtime = note.and_then(|note| note.runtime.as_deref());
        parts.push(format!("{}: {}", row.lane, runtime.unwrap_or("its runtime is unknown")));
    }
    let launches = group.iter().map(|row| row.launches).max().unwrap_or(0);
    if launches > 0 {
        parts.push(format!("{launches} launches"));
        let reference = &report.reference;
        parts.push(match by_format {
            true => format!("times as ratio to {reference}, 95 % intervals"),
            false => {
                let by = libraries_of_reference(group);
                let delta = note.map_or(report.delta, |note| note.delta) * 100.0;
                format!("times as ratio to {reference}{by}, δ {delta:.0} %")
            }
        });
    }
    parts.join(" · ")
}

/// Returns the libraries that the ratios of a table are relative to: ` by encoding/json`.
fn libraries_of_reference(group: &[&Row]) -> String {
    let mut libraries: Vec<&str> = Vec::new();
    for reference in group.iter().filter_map(|row| row.reference.as_ref()) {
        if !libraries.contains(&reference.library.as_str()) {
            libraries.push(&reference.library);
        }
    }
    match libraries.is_empty() {
        true => String::new(),
        false => format!(" by {}", list(&libraries)),
    }
}

/// The columns between the format and the fidelity.
struct Columns<'a> {
    /// The number of payloads in each row. Bytes are shown for one payload, as a mean.
    payloads: u64,
    sizes: Vec<Size<'a>>,
    timed: bool,
    /// Columns of memory: their heads, and how their cells are read.
    memory: Vec<(&'static str, &'static Memory)>,
}

/// The columns of each direction: the ratio and the time.
const TIME_COLUMNS: usize = 2;

impl<'a> Columns<'a> {
    fn of(group: &[&'a Row], report: &Report) -> Self {
        let (mut memory, of_others): (Vec<_>, Vec<_>) = memory().partition(|it| it.1.is_own);
        if !report.is_lane_by_format(&group[0].lane) {
            memory.extend(of_others);
            // A figure that no runtime counts has no column.
            memory.retain(|column| group.iter().any(|row| column.1.of_both(row).is_some()));
        }
        let timed = group.iter().any(|row| row.launches > 0);
        let payloads = report.count_of(&group[0].payload);
        Columns { payloads, sizes: Size::of_rows(group.iter().copied()), timed, memory }
    }

    /// Returns the columns that a narrow terminal can do without: memory, then absolute times, then
    /// compressed sizes.
    fn optional(&self) -> Vec<(usize, String)> {
        // The format comes first.
        let first_time = 1 + self.sizes.len();
        let first_memory = first_time + TIME_COLUMNS * Direction::ALL.len();
        let mut optional = Vec::new();
        if self.timed {
            let memory = self.memory.iter().enumerate().rev();
            optional.extend(memory.map(|(index, it)| (first_memory + index, it.0.to_owned())));
            let times = Direction::ALL.map(Direction::verb).into_iter().enumerate().rev();
            optional.extend(times.map(|(index, verb)| {
                (first_time + TIME_COLUMNS * index + 1, format!("the time to {verb}"))
            }));
        }
        let coded = self.sizes.iter().enumerate().skip(1).rev();
        optional.extend(coded.map(|(index, size)| (1 + index, size.title().to_owned())));
        optional
    }
}

/// Returns the grid of the rows of one table.
pub(super) fn grid(group: &[&Row], report: &Report) -> Grid {
    let columns = Columns::of(group, report);
    let mut head = vec!["format"];
    head.extend(columns.sizes.iter().map(|size| size.title()));
    if columns.timed {
        head.extend(Direction::ALL.iter().flat_map(|direction| [direction.verb(), ""]));
        head.extend(columns.memory.iter().map(|column| column.0));
    }
    head.push("fidelity");
    let optional = columns.optional();
    let mut lines = vec![
        head.into_iter().map(|text| Cell { text: text.to_owned(), tone: Tone::Head }).collect(),
    ];
    for row in group {
        lines.push(line(row, report, &columns));
        lines.extend(coded_lines(row, &columns));
    }
    Grid::right_aligned(lines, optional)
}

/// Returns the cells of a row.
fn line(row: &Row, report: &Report, columns: &Columns<'_>) -> Vec<Cell> {
    let mut cells = vec![name(row, report)];
    if let Some(reason) = row.status.reason() {
        cells.push(Cell { text: reason.replace('\n', " | "), tone: Tone::Worse });
        return cells;
    }
    let bytes = columns.sizes.iter().map(|size| size.of_one(row, columns.payloads));
    cells.extend(bytes.map(|bytes| Cell::from(bytes.map_or_else(unknown, number::mean))));
    if columns.timed {
        cells.extend(Direction::ALL.iter().flat_map(|direction| time_cells(direction.of(row))));
        let figures = columns.memory.iter().map(|it| it.1.text(row).unwrap_or_else(unknown));
        cells.extend(figures.map(Cell::from));
    }
    cells.push(fidelity_cell(row));
    cells
}

/// Returns separate lines for times with compression.
fn coded_lines(row: &Row, columns: &Columns<'_>) -> Vec<Vec<Cell>> {
    row.coded
        .iter()
        .map(|(coding, times)| {
            let mut cells = vec![Cell { text: format!("  + {coding}"), tone: Tone::Faint }];
            cells.extend(columns.sizes.iter().map(|_| Cell::default()));
            cells.extend(coded_cells(times));
            cells.extend(columns.memory.iter().map(|_| Cell::default()));
            cells.push(Cell::default());
            cells
        })
        .collect()
}

/// Returns the cells of the ratio, with its interval and a mark for the verdict, and of the time.
fn time_cells(summary: Option<&Summary>) -> [Cell; 2] {
    let Some(summary) = summary else { return [Cell::from(unknown()), Cell::from(unknown())] };
    let time = Cell { text: summary.ns.map_or_else(unknown, number::time), tone: Tone::Faint };
    let ratio = match (summary.ratio, summary.ratio_low, summary.ratio_high) {
        (Some(ratio), Some(low), Some(high)) => {
            let Some((mark, tone)) = summary.verdict.and_then(mark) else {
                // Spaces take the place of the interval and the mark.
                return [Cell::from(format!("{}       ", number::significant(ratio))), time];
            };
            ratio_cell([ratio, low, high], (mark, tone))
        }
        _ => Cell::from(unknown()),
    };
    [ratio, time]
}

/// Returns the cell with the number of losses, or `exact`.
fn fidelity_cell(row: &Row) -> Cell {
    match &row.fidelity {
        None => Cell { text: unknown(), tone: Tone::Faint },
        Some(Fidelity::Exact(_)) => Cell { text: "exact".to_owned(), tone: Tone::Plain },
        Some(Fidelity::Lost(losses)) => {
            let noun = if losses.len() == 1 { "loss" } else { "losses" };
            let plus = if Fidelity::is_full(losses) { "+" } else { "" };
            Cell { text: format!("{}{plus} {noun}", losses.len()), tone: Tone::Worse }
        }
    }
}

/// Returns the cells of times with compression.
fn coded_cells(times: &CodedSummary) -> Vec<Cell> {
    Direction::ALL.iter().flat_map(|direction| time_cells(direction.of_coded(times))).collect()
}

/// Returns the name of a row: its format and its library. In a lane whose rows are named by their
/// format, rows of our own codecs have only the format, and those of other libraries, which follow
/// below, only the library.
fn name(row: &Row, report: &Report) -> Cell {
    if !report.is_lane_by_format(&row.lane) {
        let typed = if row.target == ValueKind::Typed { " typed" } else { "" };
        return Cell::from(format!("{} {}{typed}", row.format, row.library));
    }
    match row.is_of_own_codec() {
        true => Cell::from(row.format.to_string()),
        false => Cell { text: format!("  {}", row.library), tone: Tone::Faint },
    }
}

/// Returns the footnotes of a table: losses, fit of the shape, headers, sizes of single payloads,
/// warnings and, if `style` is verbose, means, standard deviations and fitted slopes.
pub(super) fn footnotes(group: &[&Row], report: &Report, style: Style) -> String {
    let mut text = String::new();
    let mut note = |line: String| push_wrapped(&mut text, &line, "  ", style.width);
    // A loss that several rows have is listed once, with their names.
    let mut lost: Vec<(Vec<String>, String)> = Vec::new();
    let mut unlisted: Vec<String> = Vec::new();
    for row in group {
        if let Some(Fidelity::Lost(losses)) = &row.fidelity {
            if let Some(more) = losses.len().checked_sub(LOSSES_SHOWN).filter(|&more| more > 0) {
                let least = if Fidelity::is_full(losses) { "at least " } else { "" };
                let noun = if more == 1 { "loss" } else { "losses" };
                let name = name(row, report).text;
                unlisted.push(format!("{}: {least}{more} more {noun}", name.trim_start()));
            }
            for loss in losses.iter().take(LOSSES_SHOWN) {
                let places = if loss.places > 1 {
                    format!(" ({} places)", loss.places)
                } else {
                    String::new()
                };
                let name = name(row, report).text.trim_start().to_owned();
                let text = format!("{}: {}{places}", loss.path, loss.lost);
                match lost.iter_mut().find(|(_, known)| *known == text) {
                    Some((names, _)) => names.push(name),
                    None => lost.push((vec![name], text)),
                }
            }
        }
    }
    if group.iter().any(|row| row.status.is_ok() && row.fidelity.is_none()) {
        note(
            "fidelity n/a: not every payload was read back, and none of those showed a loss".into(),
        );
    }
    let read_back = group.iter().filter(|row| row.fidelity.is_some()).count();
    for (names, text) in lost {
        match names.len() {
            all if all == read_back && all > 1 => note(format!("every row: {text}")),
            _ => note(format!("{}: {text}", names.join(", "))),
        }
    }
    unlisted.into_iter().for_each(&mut note);
    // The fit and the sizes of single payloads are noted once, below the tables of the first lane.
    let is_first = |row: &Row| report.rows.first().is_some_and(|first| first.lane == row.lane);
    if let Some(hold_out) =
        report.hold_out.as_ref().filter(|_| group[0].payload == "*" && is_first(group[0]))
    {
        note(hold_out_note(hold_out));
    }
    if let Some(share) = header_share(group, report) {
        note(share);
    }
    let mut of_first = group.iter().filter(|row| is_first(row));
    if let Some((row, spread)) =
        of_first.find_map(|row| row.size_spread.map(|spread| (row, spread)))
    {
        note(format!(
            "single payloads take {} to {} bytes of {}, {} in the middle",
            number::count(spread.min),
            number::count(spread.max),
            row.format,
            number::mean(spread.median)
        ));
    }
    let warnings = warnings(group.iter().copied());
    warnings.into_iter().for_each(|warning| note(format!("warning: {warning}")));
    if style.verbose {
        group.iter().for_each(|row| verbose(row, &mut note));
    }
    text
}

/// Returns the warnings of rows, each once.
pub(super) fn warnings<'r>(rows: impl Iterator<Item = &'r Row>) -> Vec<&'r str> {
    let mut warnings: Vec<&str> = Vec::new();
    for warning in rows.flat_map(|row| &row.warnings) {
        if !warnings.contains(&warning.as_str()) {
            warnings.push(warning);
        }
    }
    warnings
}

/// Describes how many payloads fit the shape of the others, and the first misfit.
fn hold_out_note(hold_out: &HoldOut) -> String {
    let held = hold_out.fitting + hold_out.misfits.len();
    let share = format!(
        "a shape inferred from {} payloads fits {} of the {held} others",
        number::count(hold_out.inferred_from as u64),
        hold_out.fitting
    );
    match hold_out.misfits.first() {
        None => share,
        Some(misfit) => format!(
            "{share}; {} does not: {}: expected {}, found {}",
            misfit.payload, misfit.path, misfit.expected, misfit.found
        ),
    }
}

/// The maximum number of losses of each row that are listed under a table. Others are counted there;
/// the JSON report lists them.
const LOSSES_SHOWN: usize = 3;

/// Payloads below this many bytes get a footnote about headers.
const SMALL_PAYLOAD: u64 = 2_048;

fn header_share(group: &[&Row], report: &Report) -> Option<String> {
    let payloads = report.count_of(&group[0].payload);
    let shares: Vec<String> = group
        .iter()
        .filter(|row| row.is_of_own_codec())
        .filter_map(|row| {
            let size = row.size_bytes? / payloads;
            (size < SMALL_PAYLOAD).then(|| {
                format!(
                    "{} {:.0} %",
                    row.format,
                    100.0 * row.header_bytes as f64 / (row.header_bytes + size) as f64
                )
            })
        })
        .collect();
    (!shares.is_empty())
        .then(|| format!("of one HTTP/1.1 exchange, headers are: {}", shares.join(", ")))
}

fn verbose(row: &Row, note: &mut impl FnMut(String)) {
    let typed = if row.target == ValueKind::Typed { " typed" } else { "" };
    for direction in Direction::ALL {
        let what = direction.verb();
        let Some(summary) = direction.of(row) else { continue };
        let (Some(mean), Some(deviation)) = (summary.mean_ns, summary.standard_deviation_ns) else {
            continue;
        };
        let fit = match summary.slope_ns.zip(summary.r_squared) {
            // No more time for more iterations is noise, and no time of an operation.
            Some((slope, _)) if slope <= 0.0 => "no fit: noise hides the slope".to_owned(),
            Some((slope, r)) => format!("slope {} with R² {r:.4}", number::time(slope)),
            None => "no fit: rounds take different payloads, or all as many iterations".to_owned(),
        };
        note(format!(
            "{} {}{typed} {what}: mean {}, standard deviation {}, {fit}",
            row.library,
            row.format,
            number::time(mean),
            number::time(deviation)
        ));
    }
}
