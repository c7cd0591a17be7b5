//! Every document of the external suites, read by our reader and by serde_json.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use manywire_codec::{Category, Limits, json};
use manywire_shape::{Arena, Value};

/// Returns every file below a folder of the suites by its path, or `None` without suites.
fn files(folder: &str) -> Option<BTreeMap<String, Vec<u8>>> {
    let Some(suites) = std::env::var_os("MANYWIRE_SUITES") else {
        println!("skipped: no suites");
        return None;
    };
    let mut found = BTreeMap::new();
    let root = Path::new(&suites).join(folder);
    let mut folders: Vec<PathBuf> = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the suites") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "json") {
                let name = path
                    .strip_prefix(&root)
                    .expect("below the folder")
                    .to_string_lossy()
                    .into_owned();
                found.insert(name, fs::read(&path).expect("a file of the suites"));
            }
        }
    }
    assert!(!found.is_empty(), "nothing in {folder}");
    Some(found)
}

#[test]
fn agrees_with_the_parsing_suite() {
    let Some(files) = files("json/JSONTestSuite/test_parsing") else { return };
    let mut counts = [0; 4];
    for (name, bytes) in &files {
        let arena = Arena::new();
        let result = json::read_value(bytes, &arena, Limits::default());
        match name.as_bytes()[0] {
            b'y' => assert!(result.is_ok(), "{name}: {result:?}"),
            b'n' => {
                let error = result.expect_err(name);
                assert!(error.offset().is_some_and(|offset| offset <= bytes.len()), "{name}");
            }
            _ => counts[if result.is_ok() { 2 } else { 3 }] += 1,
        }
        counts[usize::from(name.starts_with('n'))] += usize::from(!name.starts_with('i'));
    }
    let [accepted, refused, either_accepted, either_refused] = counts;
    println!(
        "JSONTestSuite: {accepted} accepted, {refused} refused, of those that may be either \
         {either_accepted} accepted and {either_refused} refused; 0 failed, 0 skipped"
    );
    assert_eq!(accepted + refused + either_accepted + either_refused, files.len());
}

/// The documents on which our reader and serde_json differ, and the reasons.
const DIFFERENCES: [(&str, &str); 5] = [
    (
        "test_parsing/i_number_huge_exp.json",
        "beyond a double: kept as text, where serde_json refuses",
    ),
    ("test_parsing/i_number_neg_int_huge_exp.json", "as above"),
    ("test_parsing/i_number_pos_double_huge_exp.json", "as above"),
    ("test_parsing/i_number_real_neg_overflow.json", "as above"),
    ("test_parsing/i_number_real_pos_overflow.json", "as above"),
];

#[test]
fn reads_suite_files_like_serde_json() {
    let (mut same, mut both_refuse, mut differ) = (0, 0, Vec::new());
    for folder in ["json/JSONTestSuite", "json/jcs", "payloads"] {
        let Some(files) = files(folder) else { return };
        for (name, bytes) in &files {
            let arena = Arena::new();
            let ours = json::read_value(bytes, &arena, Limits::default());
            match (ours, serde_json::from_slice::<serde_json::Value>(bytes)) {
                (Ok(ours), Ok(theirs)) => {
                    assert_same(&ours, &theirs, name);
                    let mut text = Vec::new();
                    json::write_value(&ours, &mut text).expect(name);
                    let back: serde_json::Value = serde_json::from_slice(&text).expect(name);
                    assert_eq!(back, theirs, "{name}");
                    let again = Arena::new();
                    let back = json::read_value(&text, &again, Limits::default()).expect(name);
                    assert_eq!(back, ours, "{name}");
                    same += 1;
                }
                (Err(_), Err(_)) => both_refuse += 1,
                (ours, theirs) => {
                    println!("{name}: ours {:?}, serde_json {:?}", ours.err(), theirs.err());
                    differ.push(name.clone());
                }
            }
        }
    }
    println!("{same} read alike, {both_refuse} refused by both, {} differ", differ.len());
    assert_eq!(differ, DIFFERENCES.map(|(name, _)| name));
}

fn assert_same(ours: &Value<'_>, theirs: &serde_json::Value, name: &str) {
    match (ours, theirs) {
        (Value::Null, serde_json::Value::Null) => {}
        (Value::Bool(ours), serde_json::Value::Bool(theirs)) => assert_eq!(ours, theirs, "{name}"),
        (Value::I64(ours), serde_json::Value::Number(theirs)) => {
            assert_eq!(Some(*ours), theirs.as_i64(), "{name}");
        }
        (Value::U64(ours), serde_json::Value::Number(theirs)) => {
            assert_eq!(Some(*ours), theirs.as_u64(), "{name}");
        }
        (Value::F64(ours), serde_json::Value::Number(theirs)) => {
            assert!(theirs.is_f64(), "{name}: {ours} and {theirs}");
            assert_eq!(Some(ours.to_bits()), theirs.as_f64().map(f64::to_bits), "{name}");
        }
        // serde_json reads an integer beyond 64 bits as a float; our reader keeps its text.
        (Value::Number(ours), serde_json::Value::Number(theirs)) => {
            assert!(theirs.is_f64(), "{name}: {ours} and {theirs}");
            assert_eq!(ours.parse().ok(), theirs.as_f64(), "{name}");
        }
        (Value::Str(ours), serde_json::Value::String(theirs)) => assert_eq!(ours, theirs, "{name}"),
        (Value::Array(ours), serde_json::Value::Array(theirs)) => {
            assert_eq!(ours.len(), theirs.len(), "{name}");
            for (ours, theirs) in ours.iter().zip(theirs) {
                assert_same(ours, theirs, name);
            }
        }
        (Value::Map(entries), serde_json::Value::Object(theirs)) => {
            for (key, _) in *entries {
                let Value::Str(key) = key else { panic!("{name}: a key that is {key:?}") };
                let last = ours.get(key).expect("an entry");
                assert_same(&last, theirs.get(*key).expect("the same key"), name);
            }
            let duplicates = json::duplicate_keys(&Value::Map(entries));
            let here = duplicates.iter().filter(|duplicate| duplicate.path.is_empty());
            let extra: usize = here.map(|duplicate| duplicate.count - 1).sum();
            assert_eq!(entries.len() - extra, theirs.len(), "{name}");
        }
        _ => panic!("{name}: {ours:?} and {theirs:?}"),
    }
}

#[test]
fn reports_depth_as_a_limit() {
    let Some(files) = files("json/JSONTestSuite/test_parsing") else { return };
    for name in ["n_structure_100000_opening_arrays.json", "n_structure_open_array_object.json"] {
        let arena = Arena::new();
        let error = json::read_value(&files[name], &arena, Limits::default()).expect_err(name);
        assert_eq!(error.category(), Category::Limit, "{name}");
    }
}
