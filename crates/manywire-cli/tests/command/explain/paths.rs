//! `--path`: its syntax, and paths that do not exist; numbers of CBOR that are tagged.

use crate::run::{Folder, Run, manywire};

fn paths(run: &Run) -> Vec<String> {
    let path = |line: &str| -> String {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        line["path"].as_str().expect("a path").to_owned()
    };
    run.stdout.lines().map(path).collect()
}

#[test]
fn paths_in_brackets_select_what_dots_select() {
    let folder = Folder::new();
    let text = r#"{"a-b":{"c d":[10,20]},"it's":1}"#;
    let file = folder.file("a.json", text);
    for (query, expected) in [
        (r#"$["a-b"]["c d"][1]"#, r#"$.a-b["c d"][1]"#),
        ("$['a-b']['c d'][1]", r#"$.a-b["c d"][1]"#),
        ("$.a-b['c d'][*]", r#"$.a-b["c d"][0]"#),
        (r"$['it\'s']", r#"$["it's"]"#),
    ] {
        let run = manywire(&["explain", &file, "--json", "--path", query]);
        assert_eq!(run.code, Some(0), "{query}: {}", run.stderr);
        assert!(paths(&run).iter().any(|path| path == expected), "{query}: {}", run.stdout);
        assert!(paths(&run).iter().all(|path| path != "$"), "{query}: {}", run.stdout);
    }
    // Integer keys: {1: 5} in CBOR.
    for query in ["$.1", "$[1]", "$['1']"] {
        let run = manywire(&["explain", "a1 01 05", "--from", "cbor", "--json", "--path", query]);
        assert_eq!(run.code, Some(0), "{query}: {}", run.stderr);
        assert_eq!(paths(&run), ["$.1", "$.1"], "{query}");
    }
}

#[test]
fn an_unknown_path_lists_the_nearest() {
    let folder = Folder::new();
    let file = folder.file("a.json", r#"{"hotels":[{"name":"x","rate":1},{"name":"y"}]}"#);
    let table = ["explain", &file, "--path", "$.hotels[1].nam"];
    for view in [&[][..], &["--json"], &["--uncut"], &["--check"]] {
        let run = manywire(&[&table[..], view].concat());
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{view:?}: {}", run.stderr);
        let nearest = "a.json has no such path; the nearest are $.hotels[*].name, ";
        assert!(run.stderr.contains(nearest), "{view:?}: {}", run.stderr);
    }
    let run = manywire(&["explain", &file, "--path", "hotels"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("expected $, the whole value at character 1"), "{}", run.stderr);
    let run = manywire(&["explain", "--diff", &file, &file, "--path", "$.x"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
}

#[test]
fn cbor_bignums_and_decimal_fractions_show_their_number() {
    for (bytes, number) in [
        // RFC 8949, sections 3.4.3 and 3.4.4.
        ("c2 49 01 00 00 00 00 00 00 00 00", "18446744073709551616"),
        ("c3 49 01 00 00 00 00 00 00 00 00", "-18446744073709551617"),
        ("c4 82 21 19 6a b3", "273.15"),
        ("d8 04 82 21 c2 43 01 00 00", "655.36"),
    ] {
        let run = manywire(&["explain", bytes, "--from", "cbor"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(run.stdout.contains(&format!(" = {number} ")), "{bytes}: {}", run.stdout);
        let run = manywire(&["explain", bytes, "--from", "cbor", "--json"]);
        let last = run.stdout.lines().last().expect("a line");
        let line: serde_json::Value = serde_json::from_str(last).expect("JSON");
        assert_eq!(line["number"], number, "{bytes}: {line}");
        assert_eq!(run.stdout.matches("\"number\"").count(), 1, "{bytes}: {}", run.stdout);
    }
    // A tag other than those of numbers, and an invalid or truncated bignum, show no number.
    for bytes in ["c1 1a 51 4b 67 b0", "c2 61 61", "c2 49 01"] {
        let run = manywire(&["explain", bytes, "--from", "cbor", "--json"]);
        assert!(!run.stdout.contains("\"number\""), "{bytes}: {}", run.stdout);
    }
}
