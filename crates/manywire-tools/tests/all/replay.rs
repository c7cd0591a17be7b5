//! The table of evaluations, and the page that is written from their records.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use manywire_tools::replay::{
    EVALUATIONS, Record, Recorded, SCHEMA, Source, Unit, newest_records, page,
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn records() -> Vec<Record> {
    newest_records(&root().join("benches/records")).expect("records")
}

#[test]
fn the_page_is_written_from_the_records() {
    let text = std::fs::read_to_string(root().join("docs/origins.md")).expect("docs/origins.md");
    let expected = page(&records());
    assert!(text == expected, "docs/origins.md differs: run `manywire replay --page-only`");
}

#[test]
fn every_record_has_the_figures_of_the_table() {
    for record in records() {
        assert_eq!(record.schema, SCHEMA);
        let evaluation = EVALUATIONS.iter().find(|each| each.name == record.evaluation);
        let evaluation = evaluation.unwrap_or_else(|| panic!("{}", record.evaluation));
        let name = |measured: &str, subject: &str| format!("{measured}: {subject}");
        let expected: Vec<String> = evaluation
            .rows()
            .map(|(measurement, figure)| name(measurement.measured, figure.subject))
            .collect();
        let found: Vec<String> =
            record.figures.iter().map(|figure| name(&figure.measured, &figure.subject)).collect();
        assert_eq!(found, expected, "{}", record.evaluation);
        for figure in &record.figures {
            for recorded in [&figure.same, &figure.today] {
                let Recorded::Measured(measured) = recorded else { continue };
                assert_eq!(measured.samples.len(), record.launches, "{figure:?}");
                let (low, high) = (measured.low.expect("an end"), measured.high.expect("an end"));
                assert!(low <= measured.value && measured.value <= high, "{figure:?}");
                let mean = measured.samples.iter().map(|each| each.ln()).sum::<f64>();
                let mean = (mean / measured.samples.len() as f64).exp();
                assert!((mean / measured.value - 1.0).abs() < 1e-9, "{figure:?}");
            }
        }
    }
}

#[test]
fn every_figure_of_the_table_is_named_once_and_has_its_reference() {
    let mut names = BTreeSet::new();
    for evaluation in EVALUATIONS {
        assert!(names.insert(evaluation.name), "{}", evaluation.name);
        let mut figures = BTreeSet::new();
        for (measurement, figure) in evaluation.rows() {
            let name = (measurement.measured, figure.subject);
            assert!(figures.insert(name), "{name:?}");
            assert!(figure.value.is_none_or(|value| value > 0.0), "{name:?}");
            match measurement.unit {
                Unit::Ratio => assert!(figure.value.is_some(), "{name:?}: no limit"),
                _ => {
                    let reference = measurement.figures[0];
                    assert_eq!(reference.value.is_some(), figure.value.is_some(), "{name:?}");
                    assert!(measurement.figures.len() > 1, "{name:?}: nothing to compare");
                }
            }
        }
    }
}

#[test]
fn every_trial_has_its_document_and_the_servers_that_are_compared() {
    let mut compared = 0;
    let check = |source: Source| match source {
        Source::Trial(trial, format, _) => {
            assert!(trial.formats.contains(&format) && !trial.servers.is_empty(), "{source:?}");
            assert!(root().join("examples").join(trial.document).is_file(), "{source:?}");
        }
        Source::ServerCpu(trial, server, format) => {
            assert!(trial.formats.contains(&format), "{source:?}");
            assert!(trial.servers.contains(&server), "{source:?}");
            assert!(root().join("examples").join(trial.document).is_file(), "{source:?}");
            // Alone, a server is not measured at the rate of others.
            let lane = |server: &str| server.split(':').next().map(str::to_owned);
            let others = trial.servers.iter().filter(|other| lane(other) == lane(server));
            assert!(others.count() > 1, "{source:?}");
            compared += 1;
        }
        Source::Missing(_) | Source::Program { .. } | Source::Ratio(..) => {}
    };
    EVALUATIONS.iter().flat_map(|evaluation| evaluation.sources()).for_each(check);
    assert!(compared > 0);
}
