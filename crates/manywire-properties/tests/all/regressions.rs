//! Regressions: every input that once broke a property.
//!
//! `fuzz/regressions/TARGET.txt` has a line `name = hex` for each, after a comment that says what
//! was wrong. A fix adds a line.

use std::path::Path;

use manywire_properties::TARGETS;

#[test]
fn regressions_stay_fixed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/regressions");
    let mut replayed = 0;
    for entry in std::fs::read_dir(&folder).expect("fuzz/regressions") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let target = manywire_properties::target(&name)
            .unwrap_or_else(|| panic!("{path:?} has the name of no property"));
        let text = std::fs::read_to_string(&path).expect("text");
        let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        for line in lines {
            let (find, hex) = line.split_once(" = ").unwrap_or_else(|| panic!("{path:?}: {line}"));
            if let Err(broken) = target.check(&bytes(hex)) {
                panic!("{name}, {find}: {broken}");
            }
            replayed += 1;
        }
    }
    println!("{replayed} regressions replayed");
    assert!(replayed >= 35, "regressions are missing: {replayed}");
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = |at| u8::from_str_radix(&hex[at..at + 2], 16).expect("two hex digits a byte");
    (0..hex.len()).step_by(2).map(digits).collect()
}

/// Each row has a fuzz target with its name, and each fuzz target has a row.
#[test]
fn each_row_has_a_fuzz_target() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/fuzz_targets");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .expect("fuzz/fuzz_targets")
        .map(|entry| entry.expect("an entry").path())
        .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    let mut rows: Vec<String> = TARGETS.iter().map(|target| target.name.to_owned()).collect();
    files.sort();
    rows.sort();
    assert_eq!(files, rows);
}

/// Each fault that `fuzz/planted/run` injects has one place in the sources and a target that finds
/// it.
#[test]
fn planted_faults_match_the_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read(root.join("fuzz/planted/faults.json")).expect("the list of faults");
    let list: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
    let faults = list["faults"].as_array().expect("faults");
    assert!(faults.len() >= 10, "{} faults", faults.len());
    for fault in faults {
        let member = |name: &str| fault[name].as_str().unwrap_or_else(|| panic!("{name}: {fault}"));
        let source = std::fs::read_to_string(root.join(member("file"))).expect("a source file");
        let places = source.matches(member("find")).count();
        assert_eq!(
            places,
            1,
            "{} does not occur exactly once in {}",
            member("name"),
            member("file")
        );
        assert!(manywire_properties::target(member("target")).is_some(), "{fault}");
        assert_ne!(member("find"), member("replace"), "{fault}");
    }
}
