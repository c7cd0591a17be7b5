//! Every input that once broke a property.
//!
//! `fuzz/regressions/TARGET.txt` has a line `name = hex` for each, under a comment that says what was
//! wrong. Whoever fixes a find adds its line.

use std::path::Path;

use manywire_properties::TARGETS;

#[test]
fn finds_stay_fixed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/regressions");
    let mut replayed = 0;
    for entry in std::fs::read_dir(&folder).expect("fuzz/regressions") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let target = manywire_properties::target(&name)
            .unwrap_or_else(|| panic!("{path:?} is named after no property"));
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
    println!("{replayed} finds replayed");
    assert!(replayed >= 18, "finds are missing: {replayed}");
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = |at| u8::from_str_radix(&hex[at..at + 2], 16).expect("two hex digits a byte");
    (0..hex.len()).step_by(2).map(digits).collect()
}

/// Each row has a fuzz target that is called like it, and each fuzz target a row.
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
