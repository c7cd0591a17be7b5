//! Questions of `manywire shape` about samples: `--evidence` and `--hold-out`.

use crate::run::{Folder, Run, example, manywire};

#[test]
fn json_without_a_question_names_the_option_for_the_shape() {
    let run = manywire(&["shape", &example("user.json"), "--json"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.contains("--evidence") && run.stderr.contains("--as jsonschema"));
}

/// Returns the answer as JSON, which must match docs/shape.schema.json.
pub(crate) fn answer(run: &Run, question: &str) -> serde_json::Value {
    let path = format!("{}/../../docs/shape.schema.json", env!("CARGO_MANIFEST_DIR"));
    let schema = std::fs::read_to_string(path).expect("the schema");
    let schema = serde_json::from_str(&schema).expect("JSON");
    let schema = jsonschema::validator_for(&schema).expect("a valid schema");
    let document = run.json();
    let faults: Vec<String> = schema.iter_errors(&document).map(|it| it.to_string()).collect();
    assert!(faults.is_empty(), "{faults:?}\n{document}");
    assert!(document[question].is_object(), "{document}");
    document[question].clone()
}

const SAMPLES: &str = r#"{"id":1,"note":"x","price":1,"ids":{"1":1}}
{"id":-2,"note":null,"price":2.5,"ids":{"2":1}}
{"id":9223372036854775808,"price":3,"ids":{},"odd":[1,"a"],"odd":[2]}
"#;

#[test]
fn evidence_reports_counts_and_reasons() {
    let folder = Folder::new();
    let file = folder.file("a.ndjson", SAMPLES);
    let run = manywire(&["shape", &file, "--evidence"]);
    let expected = "\
path      present  seen
$           100 %  3 objects of 5 keys
$.id        100 %  3 integers -2 to 9223372036854775808
                     i128: negative ones, and some beyond 2^63
$.note       67 %  1 null; 1 string of 1 byte, such as \"x\"
                     may be absent: 1 of 3 objects lack it
                     may be null: 1 of 2 are
$.price     100 %  2 integers 1 to 3; 1 float, such as 2.5
                     f64: 2 integers among 1 float, all exact as one
$.ids       100 %  3 objects of 2 keys
                     a map: keys that are numbers
$.ids.*     100 %  2 integers 1
$.odd        33 %  1 array of 1 item
                     may be absent: 2 of 3 objects lack it
$.odd[*]    100 %  1 integer 2
";
    assert_eq!(run.stdout, expected, "{}", run.stderr);
    let answer = answer(&manywire(&["shape", &file, "--evidence", "--json"]), "evidence");
    assert_eq!(answer["samples"], 3);
    let id = &answer["places"][1];
    assert_eq!(
        (&id["path"], &id["integers"]["max"]),
        (&"$.id".into(), &"9223372036854775808".into())
    );
    let schema = folder.file("a.proto", "syntax = \"proto3\"; message A { int32 a = 1; }");
    assert_eq!(manywire(&["shape", &schema, "--evidence"]).code, Some(2));
    assert_eq!(manywire(&["shape", &file, "--json"]).code, Some(2), "JSON of what?");
}

#[test]
fn hold_out_checks_a_fifth_of_the_samples() {
    let folder = Folder::new();
    // The line with another type is held out in one of the five files.
    let lines = |odd: usize| -> String {
        (0..50).map(|at| if at == odd { "{\"n\":\"x\"}\n" } else { "{\"n\":1}\n" }).collect()
    };
    let mut shares = Vec::new();
    for odd in 0..5 {
        let file = folder.file("a.ndjson", lines(odd));
        let answer = answer(&manywire(&["shape", &file, "--hold-out", "--json"]), "hold_out");
        assert_eq!((&answer["inferred_from"], &answer["tried"]), (&40.into(), &10.into()));
        shares.push(answer["fitting"].as_u64().expect("a number"));
        if let Some(misfit) = answer["misfits"].get(0) {
            assert_eq!((&misfit["path"], &misfit["line"]), (&"$.n".into(), &(odd + 1).into()));
        }
    }
    shares.sort_unstable();
    assert_eq!(shares, [9, 10, 10, 10, 10], "held out once, inferred from four times");
    let run = manywire(&["shape", &folder.file("b.ndjson", lines(99)), "--hold-out"]);
    assert_eq!(
        run.stdout,
        "inferred from 40 samples; 10 of 10 others fit: 100 % (95 % interval 72 to 100 %)\n"
    );
    let one = manywire(&["shape", &example("user.json"), "--hold-out"]);
    assert!(one.stderr.contains("at least 2 samples"), "{}", one.stderr);
    assert_eq!(one.code, Some(1));
}
