//! Outputs of `weigh`: the table, JSON that matches its schema, Markdown and CSV.

use crate::run::{Folder, example, manywire, manywire_reading};

fn schema() -> jsonschema::Validator {
    let path = format!("{}/../../docs/weigh.schema.json", env!("CARGO_MANIFEST_DIR"));
    let schema =
        serde_json::from_str(&std::fs::read_to_string(path).expect("the schema")).expect("JSON");
    jsonschema::validator_for(&schema).expect("a valid schema")
}

pub(crate) fn assert_valid(report: &serde_json::Value) {
    let errors: Vec<String> = schema()
        .iter_errors(report)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert_eq!(errors, Vec::<String>::new());
}

#[test]
fn json_report_matches_its_schema() {
    let user = example("user.json");
    assert_valid(&manywire(&["weigh", &user, "--sizes-only", "--json", "-"]).json());
    let timed = manywire(&[
        "weigh",
        &user,
        "--quick",
        "--coding",
        "none,gzip:1",
        "--gate",
        "msgpack.bytes<json",
        "--json",
        "-",
    ]);
    assert_eq!(timed.code, Some(0), "{}", timed.stderr);
    let report = timed.json();
    assert_valid(&report);
    let row = &report["rows"][0];
    assert_eq!(row["launches"], 5);
    assert_eq!(row["encode"]["verdict"], "reference");
    assert_eq!(row["encode"]["samples"].as_array().unwrap().len(), 5);
    assert!(row["coded"]["gzip:1"]["compress"]["ns"].as_f64() > row["encode"]["ns"].as_f64());
    assert!(row["decode"]["allocs"].as_f64().is_some(), "the command counts allocations");
    let several = manywire(&[
        "weigh",
        &user,
        &example("people.json"),
        "--each",
        "--sizes-only",
        "--json",
        "-",
    ]);
    assert_valid(&several.json());
}

#[test]
fn the_report_schema_rejects_other_json() {
    let mut report =
        manywire(&["weigh", &example("user.json"), "--sizes-only", "--json", "-"]).json();
    report["rows"][0]["size_bytes"] = "large".into();
    assert!(!schema().is_valid(&report));
}

/// `MANYWIRE_WRITE=1 cargo test -p manywire-cli --test command the_schemas_of` writes the lists.
#[test]
fn the_schemas_of_reports_list_every_format() {
    let names = manywire_format::FORMATS.iter().map(|row| format!("\"{}\"", row.name));
    let names: Vec<String> = names.collect();
    for file in ["weigh.schema.json", "trial.schema.json"] {
        let path = format!("{}/../../docs/{file}", env!("CARGO_MANIFEST_DIR"));
        let found = std::fs::read_to_string(&path).expect("the schema");
        // The list begins with JSON, which is in no other list of the schema.
        let (before, list) = found.split_once(&names[0]).expect("the list of formats");
        let (_, after) = list.split_once(']').expect("the end of the list");
        let indent = before.lines().last().unwrap_or_default();
        let list = names.join(&format!(",\n{indent}"));
        let expected = format!("{before}{list}\n{}]{after}", &indent[2..]);
        if std::env::var_os("MANYWIRE_WRITE").is_some() {
            std::fs::write(&path, &expected).expect("the schema is written");
            continue;
        }
        assert!(found == expected, "docs/{file} is out of date: run with MANYWIRE_WRITE=1");
    }
}

#[test]
fn unmeasured_figures_are_null() {
    let report = manywire(&["weigh", &example("user.json"), "--sizes-only", "--json", "-"]).json();
    for row in report["rows"].as_array().unwrap().iter().filter(|row| row["status"] == "ok") {
        assert!(row["encode"]["ns"].is_null(), "{row}");
        assert_eq!(row["launches"], 0);
    }
}

#[test]
fn the_table_has_a_row_per_format_and_a_verdict() {
    let run = manywire(&["weigh", &example("people.json"), "--quick"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for row in manywire_format::FORMATS {
        assert!(
            run.stdout.lines().any(|line| line.starts_with(&format!("{} ", row.name))),
            "{}\n{}",
            row.name,
            run.stdout
        );
    }
    // The answer comes first. The comparison of each format is a detail.
    assert!(run.stdout.starts_with("For dynamic values in Rust: "), "{}", run.stdout);
    assert!(run.stdout.contains("δ is 10 %"), "{}", run.stdout);
    let details = |stdout: &str| stdout.lines().filter(|line| line.starts_with("- ")).count();
    assert_eq!(details(&run.stdout), 0, "{}", run.stdout);
    let verbose = manywire(&["weigh", &example("people.json"), "--sizes-only", "--verbose"]);
    assert!(details(&verbose.stdout) >= 6, "{}", verbose.stdout);
    assert!(!run.stdout.contains('\u{1b}'), "no colour into a pipe");
    assert!(!run.stderr.contains('\r'), "no line is rewritten in a pipe: {}", run.stderr);
}

#[test]
fn the_bytes_of_fields_add_up_to_those_of_rows() {
    let hotels = example("hotels.json");
    let report = manywire(&["weigh", &hotels, "--sizes-only", "--json", "-"]).json();
    assert_valid(&report);
    let rows = report["rows"].as_array().expect("rows");
    for row in rows.iter().filter(|row| row["library"] == "manywire") {
        let fields = report["fields"].as_array().expect("fields");
        let found = fields.iter().find(|it| it["format"] == row["format"]).expect("a format");
        assert_eq!(found["payload"], row["payload"]);
        let part = |name: &str| found[name].as_u64().expect("bytes");
        let bytes = part("keys") + part("structure") + part("values");
        assert_eq!(Some(bytes), row["size_bytes"].as_u64(), "{}", row["format"]);
    }
    // In a sweep, each length has its own payload, so the report has no fields.
    let sweep = ["--sweep", "$.hotels=1,2", "--quick", "--formats", "json", "--json", "-"];
    let sweep = manywire(&[&["weigh", &hotels], &sweep[..]].concat()).json();
    assert!(sweep["rows"].is_array() && sweep["fields"].is_null(), "{}", sweep["fields"]);
}

#[test]
fn payloads_are_compared_on_request() {
    let folder = Folder::new();
    let base = folder.file("base.json", br#"{"id":1,"tags":["a","b"]}"#);
    let twice =
        folder.file("twice.json", br#"[{"id":1,"tags":["a","b"]},{"id":1,"tags":["a","b"]}]"#);
    let weigh = ["weigh", &base, &twice, "--compare", "payloads"];
    let sizes = manywire(&[&weigh[..], &["--sizes-only"]].concat()).stdout;
    assert!(sizes.contains("twice.json against base.json · ratios of one payload\n"), "{sizes}");
    let timed = ["--quick", "--formats", "json,msgpack", "--coding", "none"];
    let json = manywire(&[&weigh[..], &timed, &["--json", "-"]].concat());
    assert_eq!(json.code, Some(0), "{}", json.stderr);
    assert_valid(&json.json());
    let report = json.json();
    let comparisons = report["payload_comparisons"].as_array().expect("comparisons");
    let of_manywire: Vec<_> = comparisons.iter().filter(|it| it["library"] == "manywire").collect();
    assert_eq!(of_manywire.len(), 2, "{comparisons:?}");
    for (comparison, format) in of_manywire.iter().zip(["json", "msgpack"]) {
        assert_eq!(
            (&comparison["format"], &comparison["payload"]),
            (&format.into(), &"twice.json".into())
        );
        assert_eq!(comparison["base"], "base.json");
        let sizes = |name: &str| {
            let rows = report["rows"].as_array().expect("rows");
            let is_it = |row: &&serde_json::Value| {
                row["payload"] == name && row["library"] == "manywire" && row["format"] == format
            };
            rows.iter().find(is_it).and_then(|row| row["size_bytes"].as_f64()).expect("a size")
        };
        let bytes = comparison["bytes"].as_f64().expect("a ratio");
        assert!((bytes - sizes("twice.json") / sizes("base.json")).abs() < 1e-9, "{comparison}");
        let [low, ratio, high] =
            ["ratio_low", "ratio", "ratio_high"].map(|it| comparison["decode"][it].as_f64());
        assert!(low < ratio && ratio < high, "{comparison}");
    }
    let markdown = manywire(&[&weigh[..], &["--sizes-only", "--markdown"]].concat()).stdout;
    assert!(markdown.contains("| twice.json | base.json | msgpack | manywire | "), "{markdown}");
    // Without the option nothing is compared.
    let each = manywire(&["weigh", &base, &twice, "--each", "--sizes-only"]).stdout;
    assert!(!each.contains("against base.json"), "{each}");
    let single = manywire(&["weigh", &base, "--compare", "payloads"]);
    assert_eq!(single.code, Some(2));
    assert!(single.stderr.contains("takes two payloads or more, found one"), "{}", single.stderr);
}

#[test]
fn color_always_colours_the_table() {
    let run = manywire(&["weigh", &example("user.json"), "--sizes-only", "--color", "always"]);
    assert!(run.stdout.contains("\u{1b}[1m"));
}

#[test]
fn markdown_and_csv_have_every_row() {
    let user = example("user.json");
    let markdown = manywire(&["weigh", &user, "--sizes-only", "--markdown"]).stdout;
    assert!(markdown.starts_with("| payload | format | library | bytes |"), "{markdown}");
    let csv = manywire(&["weigh", &user, "--sizes-only", "--csv"]).stdout;
    assert!(csv.starts_with("payload,sweep path,"), "{csv}");
    let columns = csv.lines().next().unwrap().matches(',').count();
    for row in manywire_format::FORMATS {
        assert!(markdown.contains(&format!("| {} |", row.name)), "{markdown}");
        let line =
            csv.lines().find(|line| line.contains(&format!(",{},", row.name))).expect(row.name);
        assert_eq!(line.matches(',').count(), columns, "{line}");
    }
}

#[test]
fn the_libraries_that_compress_are_named() {
    let people = example("people.json");
    let report = manywire(&["weigh", &people, "--sizes-only", "--json", "-"]).json();
    let library = report["tool"]["codings"]["gzip"].as_str().expect("a library");
    assert!(library.starts_with("flate2 ") && library.contains(" with zlib-rs "), "{library}");
    let text = manywire(&["weigh", &people, "--sizes-only"]).stdout;
    assert!(text.contains(&format!("gzip by {library}")), "{text}");
    // The other order of keys is named where it shows.
    let json = |row: &&serde_json::Value| row["format"] == "json";
    let rows: Vec<_> = report["rows"].as_array().unwrap().iter().filter(json).collect();
    assert_eq!(rows[0]["size_bytes"], rows[1]["size_bytes"]);
    let differ = rows[0]["coded_bytes"] != rows[1]["coded_bytes"];
    assert_eq!(text.contains("write the keys in another order"), differ, "{text}");
    let none = manywire(&["weigh", &people, "--sizes-only", "--coding", "none"]).stdout;
    assert!(!none.contains("flate2"), "{none}");
}

#[test]
fn a_stream_that_is_not_read_back_whole_says_so() {
    let lines = "{\"a\":1}\n".repeat(20_000);
    let run = manywire_reading(&["weigh", "-", "--sizes-only"], lines.as_bytes());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let json = run.stdout.lines().find(|line| line.starts_with("json ")).expect("a row");
    assert!(json.ends_with("n/a"), "{json}");
    assert!(run.stdout.contains("not every payload was read back"), "{}", run.stdout);
}

#[test]
fn json_to_a_file_keeps_the_table_on_standard_output() {
    let folder = Folder::new();
    let file = format!("{}/report.json", folder.path());
    let run = manywire(&["weigh", &example("user.json"), "--sizes-only", "--json", &file]);
    assert!(run.stdout.contains("msgpack"));
    assert_valid(&serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap());
}

#[test]
fn formats_completions_and_man_page() {
    let formats = manywire(&["formats", "--json"]).json();
    assert_eq!(formats.as_array().unwrap().len(), manywire_format::FORMATS.len());
    let forms =
        formats.as_array().unwrap().iter().map(|row| row["forms"].as_array().unwrap().len());
    assert_eq!(forms.sum::<usize>(), manywire_format::FORMS.len());
    let text = manywire(&["formats"]).stdout;
    assert!(text.contains("ndjson, jsonl, json-lines: a JSON value a line (.ndjson, .jsonl)\n"));
    assert!(text.contains("application/vnd.msgpack"));
    // Every extension that names a form is there.
    for row in manywire_format::FORMS {
        let missing = row.extensions.iter().find(|name| !text.contains(&format!(".{name}")));
        assert_eq!(missing, None, "{}", row.name);
    }
    assert!(manywire(&["completions", "bash"]).stdout.contains("--sizes-only"));
    let page = manywire(&["man"]).stdout;
    assert!(page.contains("sizes\\-only") && page.contains(".TH"), "{page}");
    assert!(manywire(&["--help"]).stdout.contains("weigh"));
}

#[test]
fn a_plot_has_a_letter_for_each_row() {
    let people = example("people.json");
    let quick = ["weigh", &people, "--quick", "--formats", "json,avro"];
    let run = manywire(&[&quick[..], &["--sweep", "$=1,10", "--plot"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let plot = run.stdout.split_once("bytes by items in the array\n").expect("the plot").1;
    assert!(plot.contains("a avro by manywire (rust, dynamic)"), "{plot}");
    assert!(plot.lines().take(14).any(|line| line.contains('a')), "{plot}");
    let sizes = manywire(&["weigh", &people, "--sizes-only", "--plot"]);
    assert!(sizes.stdout.ends_with("\nno plot: nothing was timed\n"), "{}", sizes.stdout);
}
