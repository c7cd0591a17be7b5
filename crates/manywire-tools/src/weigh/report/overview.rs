//! The report of several languages on one screen: for each language and format, the fastest library
//! against the fastest of the reference format.

use manywire_format::{FORMATS, Format};

use super::compare::{Direction, Judged, Peers, peers};
use super::grid::{Cell, Grid, Style, Tone, cut, mark};
use super::metric::Size;
use super::table::subject_parts;
use super::words::push_wrapped;
use super::{Report, Row, number};
use crate::weigh::subject::ValueKind;

/// Returns the overview of the rows of one payload, with its heading.
pub(super) fn overview(rows: &[&Row], report: &Report, style: Style) -> String {
    let all = peers(rows, report);
    let mut parts = subject_parts(rows[0], report);
    let reference = &report.reference;
    parts.push(format!(
        "the fastest library of each format, as ratio to the fastest {reference} for the same kind of value"
    ));
    let mut text = String::new();
    push_wrapped(&mut text, &parts.join(" · "), "", style.width);
    let timed = rows.iter().any(|row| row.launches > 0);
    let kinds = if timed { kinds(&all) } else { Vec::new() };
    text.push_str(&tables(&all, &kinds, report, style));
    text
}

/// Returns the kinds of values that some row has.
fn kinds(all: &[Peers<'_>]) -> Vec<ValueKind> {
    let has = |target: &ValueKind| all.iter().any(|peers| peers.target == *target);
    ValueKind::ALL.into_iter().filter(has).collect()
}

/// The maximum numbers of characters of the names of libraries, from the widest table to the narrowest,
/// which has no names.
const NAME_WIDTHS: [usize; 4] = [usize::MAX, 12, 8, 0];

/// Returns one table if it fits the terminal, and otherwise a table for each kind of value, with shorter
/// names of libraries.
fn tables(all: &[Peers<'_>], kinds: &[ValueKind], report: &Report, style: Style) -> String {
    let [whole, short, ..] = NAME_WIDTHS;
    let together = [whole, short].map(|names| (false, names)).into_iter();
    let layouts = together.chain(NAME_WIDTHS.map(|names| (kinds.len() > 1, names)));
    let mut text = String::new();
    for (is_split, names) in layouts {
        let tables: Vec<(Option<ValueKind>, Grid)> = match is_split {
            false => vec![(None, grid(all, kinds, names, report))],
            true => {
                let of = |&kind: &ValueKind| {
                    let of_kind = all.iter().filter(|peers| peers.target == kind);
                    let of_kind: Vec<Peers<'_>> = of_kind.cloned().collect();
                    (Some(kind), grid(&of_kind, &[kind], names, report))
                };
                kinds.iter().map(of).collect()
            }
        };
        let fits = |width: usize| tables.iter().all(|(_, grid)| grid.width() <= width);
        text.clear();
        for (kind, grid) in &tables {
            text.extend(kind.map(|kind| format!("{kind} values\n")));
            text.push_str(&grid.render(style));
        }
        if names == 0 && !kinds.is_empty() {
            let note = "left out at this width: the names of libraries";
            push_wrapped(&mut text, note, "  ", style.width);
        }
        if style.width.is_none_or(fits) {
            break;
        }
    }
    text
}

/// Returns the table of these kinds of values, with names of libraries of at most `names` characters.
fn grid(all: &[Peers<'_>], kinds: &[ValueKind], names: usize, report: &Report) -> Grid {
    let mut head = vec!["language".to_owned(), "format".to_owned(), Size::Plain.title().to_owned()];
    head.extend(
        kinds.iter().flat_map(|kind| {
            Direction::ALL.map(|direction| format!("{}, {kind}", direction.verb()))
        }),
    );
    let head = head.into_iter().map(|text| Cell { text, tone: Tone::Head });
    let mut grid = Grid::left_aligned(head.collect());
    let mut titles: Vec<&str> = all.iter().map(|peers| peers.title).collect();
    titles.dedup();
    for title in titles {
        let of_language = all.iter().filter(|peers| peers.title == title);
        let of_language: Vec<(&Peers<'_>, Vec<Judged<'_>>)> =
            of_language.map(|peers| (peers, peers.best_of_formats(report.reference))).collect();
        let columns = |format: Format| -> Vec<Cell> {
            let cells = kinds.iter().flat_map(|kind| {
                let found = of_language.iter().find(|(peers, _)| peers.target == *kind);
                Direction::ALL.map(|direction| match found {
                    Some((peers, judged)) => time_cell(peers, format, direction, judged, names),
                    None => Cell::default(),
                })
            });
            cells.collect()
        };
        let own: Vec<&Row> =
            of_language.iter().flat_map(|(peers, _)| peers.rows.iter().copied()).collect();
        let mut name = title;
        for format in FORMATS {
            let Some(bytes) = bytes(&own, format.format, report) else { continue };
            let first = [std::mem::take(&mut name), format.name, &bytes];
            let mut line = first.map(|text| Cell::from(text.to_owned())).to_vec();
            line.extend(columns(format.format));
            grid.push(line);
        }
    }
    grid
}

/// Returns the bytes of one payload in a format; two figures if libraries write different ones.
fn bytes(rows: &[&Row], format: Format, report: &Report) -> Option<String> {
    let sizes = rows
        .iter()
        .filter(|row| row.format == format)
        .filter_map(|row| Some(row.size_bytes? as f64 / report.count_of(&row.payload) as f64));
    let sizes: Vec<f64> = sizes.collect();
    let least = sizes.iter().copied().min_by(f64::total_cmp)?;
    let most = sizes.iter().copied().max_by(f64::total_cmp)?;
    Some(match least == most {
        true => number::mean(least),
        false => format!("{}–{}", number::mean(least), number::mean(most)),
    })
}

/// Returns the cell of the fastest library of a format: the ratio to the fastest library of the
/// reference, with a mark and the name, or the time and the name if there is no such ratio. The name has
/// at most `names` characters.
fn time_cell(
    peers: &Peers<'_>,
    format: Format,
    direction: Direction,
    judged: &[Judged<'_>],
    names: usize,
) -> Cell {
    let named = |figure: String, row: &Row| match names {
        0 => figure,
        names => format!("{figure} {}", cut(short(&row.library), names)),
    };
    let of_format = |it: &&Judged<'_>| it.direction == direction && it.row.format == format;
    let judged = judged.iter().find(of_format);
    let found = judged.and_then(|judged| Some((judged, mark(judged.verdict.into())?)));
    let Some((judged, (mark, tone))) = found else {
        let time = peers
            .best(format, direction)
            .and_then(|row| Some(named(number::time(direction.of(row)?.ns?), row)));
        return Cell { text: time.unwrap_or_default(), tone: Tone::Plain };
    };
    let ratio = number::significant(judged.interval.exp().0);
    Cell { text: named(format!("{ratio} {mark}"), judged.row), tone }
}

/// The maximum number of characters of the name of a library that is shown in full.
const LIBRARY_WIDTH: usize = 16;

/// Returns the name of a library; of a long path, such as `google.golang.org/protobuf`, the last part.
fn short(library: &str) -> &str {
    match library.rsplit_once('/') {
        Some((_, last)) if library.len() > LIBRARY_WIDTH => last,
        _ => library,
    }
}
