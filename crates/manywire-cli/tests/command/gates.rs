//! Gates and baselines, and their exit codes.

use crate::run::{Folder, example, manywire};

fn gated(gates: &[&str]) -> crate::run::Run {
    let file = example("hotels.json");
    let mut arguments =
        vec!["weigh", &file, "--sizes-only", "--formats", "msgpack,bson", "--json", "-"];
    for gate in gates {
        arguments.extend(["--gate", gate]);
    }
    manywire(&arguments)
}

#[test]
fn gates_pass_fail_and_stay_undecided() {
    for (gate, result, code) in [
        ("msgpack.bytes<=json*0.8", "pass", 0),
        ("msgpack.bytes < 1000", "fail", 1),
        ("bson.bytes>json", "pass", 0),
        ("msgpack.gzip:6<=json", "pass", 0),
        ("msgpack.gzip:9<=json*10", "pass", 0),
        ("msgpack.decode<=0.7", "undecided", 3),
        ("avro.bytes<=json", "undecided", 3),
    ] {
        let run = gated(&[gate]);
        assert_eq!(run.json()["gates"][0]["result"], result, "{gate}");
        assert_eq!(run.code, Some(code), "{gate}: {}", run.stderr);
    }
}

#[test]
fn a_failed_gate_outweighs_an_undecided_one() {
    assert_eq!(gated(&["msgpack.decode<=0.7", "msgpack.bytes<10"]).code, Some(1));
    assert_eq!(gated(&["msgpack.bytes<=json", "msgpack.decode<=0.7"]).code, Some(3));
}

#[test]
fn time_gates_fail_only_beyond_the_interval() {
    let file = example("people.json");
    let measure = |gate: &str| {
        manywire(&[
            "weigh",
            &file,
            "--quick",
            "--formats",
            "msgpack",
            "--gate",
            gate,
            "--json",
            "-",
        ])
    };
    assert_eq!(measure("msgpack.encode<=1000").code, Some(0));
    assert_eq!(measure("msgpack.encode<=0.0001").code, Some(1));
}

#[test]
fn a_baseline_compares_sizes_exactly() {
    let folder = Folder::new();
    let old = format!("{}/old.json", folder.path());
    let small = folder.file("payload.json", r#"{"a":[1,2,3]}"#);
    assert_eq!(manywire(&["weigh", &small, "--sizes-only", "--json", &old]).code, Some(0));
    let gate = ["--gate", "msgpack.bytes<=baseline*1.02"];
    let same = manywire(
        &[&["weigh", &small, "--sizes-only", "--baseline", &old, "--json", "-"][..], &gate]
            .concat(),
    );
    assert_eq!(same.code, Some(0), "{}", same.stderr);
    assert_eq!(same.json()["baseline"]["changes"].as_array().unwrap().len(), 0);
    folder.file("payload.json", r#"{"a":[1,2,3,4]}"#);
    let grown = manywire(
        &[&["weigh", &small, "--sizes-only", "--baseline", &old, "--json", "-"][..], &gate]
            .concat(),
    );
    assert_eq!(grown.code, Some(1));
    let changes = grown.json()["baseline"]["changes"].to_string();
    assert!(changes.contains("payload.json msgpack: bytes went from 7 to 8"), "{changes}");
}

#[test]
fn a_baseline_must_be_a_report() {
    let run = manywire(&[
        "weigh",
        &example("user.json"),
        "--sizes-only",
        "--baseline",
        &example("user.json"),
    ]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("not a report"), "{}", run.stderr);
}
