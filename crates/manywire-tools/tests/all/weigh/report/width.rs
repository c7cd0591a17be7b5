//! Reports on narrow terminals.

use manywire_tools::weigh::report::{Answer, Report, Row, Style, text};

use super::sample::{report, row, timed};

fn weighed() -> Report {
    let formats = ["json", "msgpack", "protobuf"].map(|format| Row {
        coded_bytes: [("gzip:6", 60), ("zstd:3", 55)]
            .map(|(coding, bytes)| (coding.to_owned(), bytes))
            .into(),
        encode: timed(1.2, 1.1, 1.3, 0.0),
        decode: timed(0.8, 0.7, 0.9, 0.0),
        launches: 10,
        ..row(format, 12_345)
    });
    let mut report = report(formats.to_vec());
    let long = "Compressed, the saving is 45 % (gzip:6) and 36 % (br:4). Uncompressed: it wins at any bandwidth.";
    report.verdicts = vec![long.to_owned()];
    report.answers = vec![Answer {
        payload: report.rows[0].payload.clone(),
        sweep: None,
        lane: report.rows[0].lane.clone(),
        text: long.to_owned(),
    }];
    report.notes = vec![long.to_owned()];
    report
}

/// Returns the report for a terminal of this width.
fn at(width: Option<usize>) -> String {
    text(&weighed(), Style { width, ..Style::default() })
}

#[test]
fn every_line_fits_the_terminal() {
    let whole = at(None);
    assert!(whole.lines().any(|line| line.chars().count() > 90), "{whole}");
    for width in [60, 80, 100, 120] {
        let text = at(Some(width));
        for line in text.lines() {
            assert!(line.chars().count() <= width, "{width}: {line}\n{text}");
        }
        assert!(!text.lines().any(|line| line.trim_start().starts_with('%')), "{text}");
        // Words are not cut.
        assert!(text.split_whitespace().any(|word| word == "bandwidth."), "{text}");
    }
}

#[test]
fn narrow_tables_leave_out_columns_and_name_them() {
    let whole = at(None);
    assert!(!whole.contains("left out"), "{whole}");
    assert_eq!(at(Some(200)).lines().count(), whole.lines().count());
    let head = |text: &str| -> Vec<String> {
        let head = text.lines().find(|line| line.starts_with("format")).expect("a head");
        head.split_whitespace().map(str::to_owned).collect()
    };
    let narrow = at(Some(80));
    let note = narrow.lines().find(|line| line.contains("left out at this width: "));
    assert!(note.is_some_and(|note| note.contains("peak")), "{narrow}");
    assert!(!head(&narrow).contains(&"peak".to_owned()), "{narrow}");
    // The figures that decide are kept.
    let narrowest = at(Some(60));
    for name in ["format", "bytes", "encode", "decode", "fidelity"] {
        assert!(head(&narrowest).contains(&name.to_owned()), "{name}\n{narrowest}");
    }
    assert!(head(&narrowest).contains(&"gzip:6".to_owned()), "{narrowest}");
    assert!(!head(&narrowest).contains(&"zstd:3".to_owned()), "{narrowest}");
}
