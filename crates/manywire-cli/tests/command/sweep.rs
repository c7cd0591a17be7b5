//! `--sweep`: truncates or repeats an array to each length.

use crate::run::{Folder, example, manywire};

#[test]
fn an_array_is_cut_and_repeated_to_each_length() {
    let file = example("hotels.json");
    let run = manywire(&[
        "weigh",
        &file,
        "--quick",
        "--formats",
        "json",
        "--sweep",
        "$.hotels=1,50,100",
        "--json",
        "-",
    ]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report = run.json();
    let ours: Vec<&serde_json::Value> = report["rows"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["library"] == "manywire")
        .collect();
    let lengths: Vec<u64> =
        ours.iter().map(|row| row["sweep"]["length"].as_u64().unwrap()).collect();
    assert_eq!(lengths, [1, 50, 100]);
    let sizes: Vec<u64> = ours.iter().map(|row| row["size_bytes"].as_u64().unwrap()).collect();
    assert_eq!(sizes[1], 38_592);
    // The bytes of {"hotels":[ and ]} are counted once, and a comma joins the two halves.
    assert_eq!(sizes[2], 2 * 38_592 - 13 + 1);
    assert!(
        ours.iter()
            .all(|row| row["sweep"]["path"] == "$.hotels"
                && row["encode"]["ns"].as_f64() > Some(0.0))
    );
}

/// A sweep has rows of all payloads together.
#[test]
fn a_sweep_refuses_rows_of_each_payload() {
    let hotels = example("hotels.json");
    for flags in [&["--each"][..], &["--compare", "payloads"]] {
        let run = manywire(&[&["weigh", &hotels, "--sweep", "$.hotels=1"], flags].concat());
        assert_eq!(run.code, Some(2), "{flags:?}: {}", run.stdout);
        assert!(run.stderr.contains("cannot be used with"), "{}", run.stderr);
    }
}

#[test]
fn sweep_reports_a_missing_path() {
    let file = example("user.json");
    for (sweep, reason) in [
        ("$.hotels=1", "there is no key \"hotels\""),
        ("$.fullname=1", "expected an array, found a string"),
    ] {
        let run = manywire(&["weigh", &file, "--sweep", sweep]);
        assert_eq!(run.code, Some(1), "{sweep}");
        assert!(run.stderr.contains(reason), "{}", run.stderr);
    }
}

#[test]
fn sweep_paths_may_have_indices() {
    let folder = Folder::new();
    let file = folder.file("pages.json", r#"{"pages":[{"items":[7]},{"items":[1,2]}]}"#);
    let sweep = ["weigh", &file, "--time-limit", "0.1", "--formats", "json", "--json", "-"];
    for (path, sizes) in [
        ("$.pages[0].items=1,3", [41, 45]),
        ("$.pages[1].items=0,4", [38, 45]),
        ("$.pages=1,4", [25, 71]),
    ] {
        let report = manywire(&[&sweep[..], &["--sweep", path]].concat()).json();
        let ours = |row: &&serde_json::Value| row["library"] == "manywire";
        let rows = report["rows"].as_array().unwrap().iter().filter(ours);
        let found: Vec<_> = rows.map(|row| row["size_bytes"].as_u64().unwrap()).collect();
        assert_eq!(found, sizes, "{path}");
    }
}

#[test]
fn an_invalid_sweep_path_is_a_usage_error() {
    let file = example("user.json");
    for (path, expected) in [
        ("fullname", "expected $, the whole value at character 1"),
        ("$fullname", "at character 2"),
        ("$.", "expected a name at character 3"),
        ("$..a", "expected a name at character 3"),
        ("$.a[", "expected an index, a name in quotes, or * at character 5"),
        ("$.a[x]", "expected an index, a name in quotes, or * at character 5"),
        ("$.a[-1]", "does not name one array"),
        ("$.a[*]", "does not name one array"),
    ] {
        let run = manywire(&["weigh", &file, "--sweep", &format!("{path}=1")]);
        assert_eq!(run.code, Some(2), "{path}: {}", run.stderr);
        assert!(run.stderr.contains(expected), "{path}: {}", run.stderr);
    }
}
