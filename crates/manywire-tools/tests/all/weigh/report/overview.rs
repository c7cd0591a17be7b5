use manywire_tools::weigh::report::{
    LaneNote, Report, Row, Status, Style, csv, markdown, plot, text,
};
use manywire_tools::weigh::subject::ValueKind;
use manywire_tools::weigh::subject::ValueKind::{Dynamic, Typed};

use super::sample::{json_by, lane, report, row, timed};

/// Returns a row of a lane that takes `ns` nanoseconds in each launch, or a millionth more.
fn of_lane(lane: &str, library: &str, format: &str, target: ValueKind, ns: f64) -> Row {
    let times = || {
        let mut summary = timed(ns / 500.0, ns / 510.0, ns / 490.0, 0.0)?;
        summary.ns = Some(ns);
        summary.samples = vec![ns, ns * 1.000_001, ns];
        Some(summary)
    };
    Row {
        lane: lane.to_owned(),
        library: library.to_owned(),
        target,
        encode: times(),
        decode: times(),
        ..row(format, 100)
    }
}

fn weighed() -> Report {
    let mut report = report(vec![
        of_lane("rust", "manywire", "json", Dynamic, 500.0),
        of_lane("rust", "manywire", "msgpack", Dynamic, 250.0),
        of_lane("go", "encoding/json", "json", Dynamic, 2_000.0),
        of_lane("go", "fast-json", "json", Dynamic, 1_000.0),
        of_lane("go", "some/msgpack", "msgpack", Dynamic, 1_500.0),
        of_lane("go", "other/msgpack", "msgpack", Dynamic, 1_200.0),
        of_lane("go", "encoding/json", "json", Typed, 800.0),
        of_lane("go", "some/msgpack", "msgpack", Typed, 810.0),
        Row {
            status: Status::Failed("has no type for $.a\nand more words".to_owned()),
            size_bytes: None,
            ..of_lane("go", "some/avro", "avro", Typed, 1.0)
        },
    ]);
    let java =
        LaneNote { status: Status::Failed("is missing".to_owned()), ..lane("java", "JAVA", 0.05) };
    report.lanes.extend([lane("go", "GO", 0.05), java]);
    report.verdicts = vec!["one".to_owned(), "two".to_owned()];
    report.differences = vec!["two".to_owned()];
    report
}

#[test]
fn every_language_and_format_has_a_row_with_the_fastest_library() {
    let text = text(&weighed(), Style::default());
    let lines: Vec<String> =
        text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    for expected in [
        "language format bytes encode, dynamic decode, dynamic encode, typed decode, typed",
        "Rust json 100 500 ns manywire 500 ns manywire",
        "msgpack 100 0.50 ▼ manywire 0.50 ▼ manywire",
        "GO json 100 1.00 µs fast-json 1.00 µs fast-json 800 ns encoding/json 800 ns encoding/json",
        "msgpack 100 1.20 ▲ other/msgpack 1.20 ▲ other/msgpack 1.01 = some/msgpack 1.01 = some/msgpack",
    ] {
        assert!(lines.iter().any(|line| line == expected), "{expected}\n{text}");
    }
}

#[test]
fn the_overview_has_the_delta_of_each_language() {
    let mut report = weighed();
    let line = "  δ: 2 % in Rust; 5 % in GO\n";
    assert_eq!(text(&report, Style::default()).matches(line).count(), 1);
    assert!(!text(&report, Style { verbose: true, ..Style::default() }).contains(line));
    report.lanes.push(lane("node", "NODE", 0.05));
    assert!(text(&report, Style::default()).contains("  δ: 2 % in Rust; 5 % in GO and NODE\n"));
}

#[test]
fn the_overview_fits_the_terminal() {
    let (mut report, long) = (weighed(), "a-library-with-a-long-name");
    let renamed = report.rows.iter_mut().filter(|row| row.library == "other/msgpack");
    renamed.for_each(|row| row.library = long.to_owned());
    for (width, has_name, tables) in [
        (None, true, 1),
        (Some(140), true, 1),
        (Some(120), false, 1),
        (Some(100), true, 2),
        (Some(80), false, 2),
        (Some(60), false, 2),
    ] {
        let text = text(&report, Style { width, ..Style::default() });
        for line in text.lines() {
            let columns = line.chars().count();
            assert!(width.is_none_or(|width| columns <= width), "{width:?}: {line}\n{text}");
        }
        assert_eq!(text.contains(long), has_name, "{width:?}: {text}");
        let heads = text.lines().filter(|line| line.starts_with("language "));
        assert_eq!(heads.count(), tables, "{width:?}: {text}");
    }
}

#[test]
fn reasons_for_missing_rows_are_one_line_each() {
    let text = text(&weighed(), Style::default());
    assert!(text.contains("  no figures: JAVA: is missing\n"), "{text}");
    assert!(
        text.contains("  no figures: GO avro by some/avro, typed: has no type for $.a\n"),
        "{text}"
    );
}

#[test]
fn lanes_without_rows_and_formats_are_named_once() {
    let mut report = weighed();
    report.options = serde_json::json!({ "formats": ["json", "msgpack", "avro", "bson"] });
    report.rows.retain(|row| row.lane == "rust" || row.format.name() != "msgpack");
    let others: Vec<Row> =
        report.rows.iter().map(|row| Row { payload: "b.json".to_owned(), ..row.clone() }).collect();
    report.rows.extend(others);
    // The tables of one language, too, and those of Rust alone.
    let mut of_rust = report.clone();
    of_rust.rows.retain(|row| row.lane == "rust");
    let long = Style { verbose: true, ..Style::default() };
    for (report, style, go) in [
        (&report, Style::default(), "msgpack and bson"),
        (&report, long, "msgpack and bson"),
        (&of_rust, Style::default(), "json, msgpack, avro and bson"),
    ] {
        for line in [
            "no figures: JAVA: is missing\n".to_owned(),
            "no library for avro and bson in Rust\n".to_owned(),
            format!("no library for {go} in GO\n"),
        ] {
            let text = text(report, style);
            assert_eq!(text.matches(&format!("  {line}")).count(), 1, "{line}{text}");
            let markdown = markdown(report);
            assert_eq!(markdown.matches(&format!("> {line}")).count(), 1, "{line}{markdown}");
        }
    }
}

#[test]
fn markdown_has_each_warning_once() {
    let mut report = weighed();
    report.rows.iter_mut().take(2).for_each(|row| row.warnings = vec!["noisy".to_owned()]);
    let markdown = markdown(&report);
    assert_eq!(markdown.matches("\n> warning: noisy\n").count(), 1, "{markdown}");
}

#[test]
fn only_the_verbose_report_has_all_rows_and_verdicts() {
    let short = text(&weighed(), Style::default());
    assert!(short.contains("- two\n") && !short.contains("- one\n"), "{short}");
    assert!(!short.contains("2.00 µs"), "the slower library is not in it: {short}");
    let long = text(&weighed(), Style { verbose: true, ..Style::default() });
    assert!(long.contains("- two\n") && long.contains("- one\n"), "{long}");
    assert!(long.contains("2.00 µs"), "{long}");
}

/// Returns the rows of the lane of Rust, which takes the place of the built-in one.
fn weighed_in_rust() -> Report {
    let row = |library: &str, format: &str, target: ValueKind, ns: f64| Row {
        launches: 10,
        reference: json_by("manywire"),
        ..of_lane("rust", library, format, target, ns)
    };
    report(vec![
        row("manywire", "json", Dynamic, 500.0),
        row("serde_json", "json", Dynamic, 4_000.0),
        row("manywire", "msgpack", Dynamic, 250.0),
        row("serde_json", "json", Typed, 400.0),
    ])
}

#[test]
fn rust_has_one_table_with_its_lane() {
    let short = text(&weighed_in_rust(), Style::default());
    assert_eq!(short.lines().filter(|line| line.starts_with("Rust ")).count(), 1, "{short}");
    let long = text(&weighed_in_rust(), Style { verbose: true, ..Style::default() });
    assert_eq!(long.lines().filter(|line| line.starts_with("format ")).count(), 1, "{long}");
    assert!(long.contains("times as ratio to json by manywire, δ 2 %"), "{long}");
    for name in
        ["json manywire ", "json serde_json ", "msgpack manywire ", "json serde_json typed "]
    {
        assert!(long.lines().any(|line| line.starts_with(name)), "{name}\n{long}");
    }
}

#[test]
fn means_of_typed_and_dynamic_values_are_told_apart() {
    let mut report = weighed_in_rust();
    for row in &mut report.rows {
        if let Some(summary) = &mut row.decode {
            (summary.mean_ns, summary.standard_deviation_ns) = (summary.ns, Some(1.0));
        }
    }
    let long = text(&report, Style { verbose: true, ..Style::default() });
    for mean in [
        "serde_json json decode: mean 4.00 µs, standard deviation 1.00 ns, no fit: rounds take ",
        "serde_json json typed decode: mean 400 ns, standard deviation 1.00 ns, no fit: rounds take ",
    ] {
        assert!(long.contains(mean), "{mean}\n{long}");
    }
}

/// In noise, the line of time against iterations may fall.
#[test]
fn no_time_of_a_fit_is_negative() {
    let mut report = weighed_in_rust();
    for (row, slope) in report.rows.iter_mut().zip([480.0, -3.0]) {
        let summary = row.decode.as_mut().expect("times");
        (summary.mean_ns, summary.standard_deviation_ns) = (summary.ns, Some(900.0));
        (summary.slope_ns, summary.r_squared) = (Some(slope), Some(0.5));
    }
    let long = text(&report, Style { verbose: true, ..Style::default() });
    for fit in ["slope 480 ns with R² 0.5000", "no fit: noise hides the slope"] {
        assert!(long.contains(&format!("standard deviation 900 ns, {fit}\n")), "{fit}\n{long}");
    }
}

#[test]
fn a_plot_marks_the_rows_for_which_no_other_is_as_small_and_as_fast() {
    let plot = plot(&weighed_in_rust(), None);
    let words: Vec<&str> = plot.split_whitespace().collect();
    // All rows are equally small.
    let legend = "a json by manywire · b json by serde_json · c msgpack* · + several at one place \
                  · * no other is as small and as fast, by the estimates";
    assert!(words.join(" ").contains(legend), "{plot}");
}

#[test]
fn formats_name_the_rows_of_the_built_in_lane() {
    let mut report = weighed_in_rust();
    report.rows.retain(|row| row.target == Dynamic);
    let text = text(&report, Style::default());
    assert!(text.contains("times as ratio to json, 95 % intervals"), "{text}");
    let names: Vec<&str> =
        text.lines().skip(2).take(3).filter_map(|line| line.split("  100").next()).collect();
    assert_eq!(
        names.iter().map(|name| name.trim_end()).collect::<Vec<_>>(),
        ["json", "  serde_json", "msgpack"],
        "{text}"
    );
}

#[test]
fn the_legend_is_below_the_first_table_only() {
    let legend = "  ▼ less time than the reference, ▲ more, = the same within δ, ~ undecided\n";
    let mut by_format = weighed_in_rust();
    by_format.rows.retain(|row| row.target == Dynamic);
    for mut report in [by_format, weighed()] {
        let of_other = |row: &Row| Row { payload: "b.json".to_owned(), ..row.clone() };
        let others: Vec<Row> = report.rows.iter().map(of_other).collect();
        report.rows.extend(others);
        let printed = text(&report, Style::default());
        let (table, rest) = printed.split_once(legend).expect(&printed);
        let row = table.lines().last().expect("a row");
        assert!(row.trim_start().starts_with("msgpack "), "{printed}");
        assert!(!rest.contains(legend), "{printed}");
        assert!(!csv(&report).contains('▼') && !markdown(&report).contains('▼'));
    }
    // Sizes have no marks.
    let mut sizes = weighed_in_rust();
    sizes.rows.iter_mut().for_each(|row| row.launches = 0);
    assert!(!text(&sizes, Style::default()).contains('▼'));
}
