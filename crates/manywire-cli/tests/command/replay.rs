//! `replay` in a folder like a checkout, with lanes whose replays print fixed figures.

use crate::lane_folder::Lanes;
use crate::run::{Folder, Run};

/// A folder with what `replay` needs of a checkout.
fn checkout() -> Folder {
    let folder = Folder::new();
    for name in ["examples", "docs", "benches/records"] {
        std::fs::create_dir_all(format!("{}/{name}", folder.path())).expect("a folder");
    }
    folder
}

/// Returns lanes that build by this command, and whose replays print a figure for each of these names, with
/// another value in each launch.
fn lanes(build: &str, times: &[(&str, [f64; 2])]) -> Lanes {
    let lanes = Lanes::new();
    for name in ["node6", "node"] {
        let table = format!(
            "[replay]\nbuild = [[\"sh\", \"-c\", \"{build}\"]]\nrun = [\"sh\", \"lane.sh\"]\n"
        );
        // The first launch leaves a file for the second.
        let figures = |launch: usize| {
            let figure = |(name, values): &(&str, [f64; 2])| {
                format!(r#"{{"name": "{name}", "system": "S 1", "value": {}}}"#, values[launch])
            };
            times.iter().map(figure).collect::<Vec<_>>().join(",")
        };
        let script = format!(
            "test -d \"$1\" || exit 1\nif [ -f ran ]; then echo '{{\"figures\": [{}]}}'; else \
             touch ran; echo '{{\"figures\": [{}]}}'; fi\necho a warning >&2\n",
            figures(1),
            figures(0)
        );
        lanes.add_shell_with(name, "sh", "true", &script, &table);
    }
    lanes
}

fn replay(lanes: &Lanes, checkout: &Folder, arguments: &[&str]) -> Run {
    lanes.run_in(&checkout.path(), &[&["replay"], arguments].concat())
}

const FIGURES: [(&str, [f64; 2]); 20] = [
    ("size user json", [56.0; 2]),
    ("size user msgpack", [38.0; 2]),
    ("size document json", [1000.0; 2]),
    ("size document msgpack", [500.0; 2]),
    ("read json 1", [1000.0, 1100.0]),
    ("read msgpack 1", [3000.0, 3300.0]),
    ("read json 10", [1.0, 1.0]),
    ("read msgpack 10", [1.0, 1.0]),
    ("read json 100", [1.0, 1.0]),
    ("read msgpack 100", [1.0, 1.0]),
    ("read json 1000", [1.0, 1.0]),
    ("read msgpack 1000", [1.0, 1.0]),
    ("write json 1", [1.0, 1.0]),
    ("write msgpack 1", [1.0, 1.0]),
    ("write json 10", [1.0, 1.0]),
    ("write msgpack 10", [1.0, 1.0]),
    ("write json 100", [1.0, 1.0]),
    ("write msgpack 100", [1.0, 1.0]),
    ("write json 1000", [1.0, 1.0]),
    ("write msgpack 1000", [1.0, 1.0]),
];

#[test]
fn figures_of_the_lanes_get_into_a_record_and_onto_the_page() {
    let (lanes, checkout) = (lanes("touch built", &FIGURES), checkout());
    let run = replay(&lanes, &checkout, &["node2016", "--launches", "2"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let path = format!("{}/{}", checkout.path(), run.stdout.trim());
    let record = std::fs::read_to_string(path).expect("the record");
    let record: serde_json::Value = serde_json::from_str(&record).expect("JSON");
    let figure = record["figures"].as_array().expect("figures").iter().find(|figure| {
        (figure["measured"].as_str(), figure["subject"].as_str()) == (Some("read"), Some("JSON"))
    });
    let same = &figure.expect("a figure")["same"];
    assert_eq!((&same["system"], &same["samples"]), (&"S 1".into(), &vec![1000.0, 1100.0].into()));
    let page = std::fs::read_to_string(format!("{}/docs/origins.md", checkout.path()));
    let page = page.expect("the page");
    let row = page.lines().find(|line| line.starts_with("| read | MessagePack |"));
    let words = row.expect("a row").rsplit('|').nth(1).expect("a cell");
    assert!(words.contains("then 2.27; with the same versions 3.00 ±"), "{words}");
    assert!(words.contains(": stands; today 3.00 ±"), "{words}");
    let claim = page.lines().find(|line| line.contains("saves more than 40 %")).expect("a row");
    assert!(
        claim.ends_with(
            "then at most 0.60; with the same versions 0.50: stands; today 0.50: stands |"
        )
    );
    assert!(page.contains("Not recorded yet: `manywire replay haskell` measures it."));
    // The page alone is the same again.
    let again = replay(&lanes, &checkout, &["--page-only"]);
    assert_eq!((again.code, again.stdout.as_str()), (Some(0), ""), "{}", again.stderr);
    let same = std::fs::read_to_string(format!("{}/docs/origins.md", checkout.path()));
    assert_eq!(same.expect("the page"), page);
}

#[test]
fn evaluation_without_its_lanes_or_figures_leaves_everything_as_it_was() {
    let checkout = checkout();
    let failures = [
        (lanes("exit 3", &FIGURES), 4, "`sh -c exit 3`: exit status: 3"),
        (lanes("true", &FIGURES[..3]), 4, "the replay printed no figure \"size document msgpack\""),
        (lanes("true", &[("x", [0.0; 2])]), 4, "x is 0, expected a number above 0"),
        (Lanes::new(), 1, "no lane \"node6\""),
    ];
    for (lanes, code, reason) in failures {
        let run = replay(&lanes, &checkout, &["node2016", "--launches", "1"]);
        assert!(run.stderr.contains(reason), "{reason}: {}", run.stderr);
        assert!(run.stderr.contains("node2016: not measured: "), "{}", run.stderr);
        assert_eq!(run.code, Some(code), "{reason}");
        let records = std::fs::read_dir(format!("{}/benches/records", checkout.path()));
        assert_eq!(records.expect("a folder").count(), 0, "{reason}");
    }
}

#[test]
fn replay_outside_of_a_checkout_and_unknown_names_are_errors() {
    let lanes = Lanes::new();
    let run = replay(&lanes, &Folder::new(), &["all"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("run `manywire replay` in a checkout"), "{}", run.stderr);
    let run = replay(&lanes, &checkout(), &["fortran"]);
    assert_eq!(run.code, Some(2));
    let names = "expected haskell, finch, go-node-dotnet, node2016 or all";
    assert!(run.stderr.contains(names), "{}", run.stderr);
}
