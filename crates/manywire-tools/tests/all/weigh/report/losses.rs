//! Losses below the table of a report.

use manywire_shape::fidelity::Loss;
use manywire_tools::page::weigh_page;
use manywire_tools::weigh::report::{Fidelity, Row, Style, csv, markdown, text};

use super::sample::{report, row};

/// Returns a row with this number of losses.
fn lossy(format: &str, count: usize) -> Row {
    let loss = |field: usize| Loss {
        path: format!("$.{format}{field}"),
        lost: "null came back as absent".to_owned(),
        places: 1,
    };
    Row { fidelity: Some(Fidelity::of((0..count).map(loss).collect())), ..row(format, 100) }
}

#[test]
fn losses_that_are_not_listed_are_counted() {
    let rows = vec![
        lossy("json", 3),
        lossy("cbor", 4),
        lossy("msgpack", 8),
        // A list of losses ends at a hundred.
        lossy("protobuf", 100),
    ];
    let text = text(&report(rows), Style::default());
    let line = |wanted: &str| text.lines().any(|line| line.trim() == wanted);
    assert!(line("cbor: $.cbor2: null came back as absent"), "{text}");
    assert!(!text.contains("$.cbor3"), "{text}");
    assert!(line("cbor: 1 more loss"), "{text}");
    assert!(line("msgpack: 5 more losses"), "{text}");
    assert!(line("protobuf: at least 97 more losses"), "{text}");
    assert!(!text.contains("json: 0 more"), "{text}");
    for cell in ["3 losses", "4 losses", "8 losses", "100+ losses"] {
        assert!(text.lines().any(|line| line.ends_with(cell)), "{cell}\n{text}");
    }
}

/// The other outputs list all losses that a report has.
#[test]
fn a_full_list_of_losses_says_so() {
    let last = "null came back as absent; 100+ losses";
    for (count, is_full) in [(99, false), (100, true)] {
        let report = report(vec![lossy("cbor", count)]);
        for text in [csv(&report), markdown(&report), weigh_page(&report, None)] {
            assert_eq!(text.contains(last), is_full, "{count}: {text}");
            assert_eq!(text.contains("losses"), is_full, "{count}: {text}");
        }
    }
}
