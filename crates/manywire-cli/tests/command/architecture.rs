//! Checks crate dependencies and the code map against ARCHITECTURE.md.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use crate::run::root;

type Edges = BTreeMap<String, BTreeSet<String>>;

/// The crates that measure or test others. They may use any crate, and no crate depends on them.
const UNBOUND: [&str; 5] = [
    "manywire-benches",
    "manywire-compile-errors",
    "manywire-harness-benches",
    "manywire-http-benches",
    "manywire-properties",
];

/// Returns the dependencies of each crate on other crates of the workspace, except
/// dev-dependencies.
fn real_edges() -> Edges {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let edges = packages.iter().map(|package| {
        let dependencies = package["dependencies"].as_array().expect("dependencies").iter();
        let ours = dependencies
            .filter(|dependency| dependency["kind"] != "dev")
            .filter_map(|dependency| dependency["name"].as_str())
            .filter(|name| *name == "manywire" || name.starts_with("manywire-"));
        (package["name"].as_str().expect("a name").to_owned(), ours.map(str::to_owned).collect())
    });
    edges.filter(|(name, _): &(String, _)| !UNBOUND.contains(&name.as_str())).collect()
}

/// Returns the rows of the table "Edges" in ARCHITECTURE.md.
fn allowed_edges() -> Edges {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let section = text
        .split("## Edges")
        .nth(1)
        .and_then(|rest| rest.split("\n## ").next())
        .expect("a section Edges");
    let names = |cell: &str| {
        cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<BTreeSet<String>>()
    };
    section
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| {
            let mut cells = line.split('|').skip(1);
            let of = names(cells.next().expect("a crate")).into_iter().next().expect("a name");
            (of, names(cells.next().expect("its edges")))
        })
        .collect()
}

#[test]
fn every_edge_is_in_the_table() {
    let (real, allowed) = (real_edges(), allowed_edges());
    assert_eq!(
        real.keys().collect::<Vec<_>>(),
        allowed.keys().collect::<Vec<_>>(),
        "crates of the table"
    );
    for (name, edges) in &real {
        let surplus: Vec<_> = edges.difference(&allowed[name]).collect();
        assert!(
            surplus.is_empty(),
            "{name} uses {surplus:?}, which ARCHITECTURE.md does not allow"
        );
    }
}

#[test]
fn every_crate_is_in_the_code_map() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let map = text
        .split("## Code map")
        .nth(1)
        .and_then(|rest| rest.split("\n## ").next())
        .expect("a code map");
    for name in real_edges().keys() {
        assert!(map.contains(&format!("| `{name}` |")), "{name} is not in the code map");
    }
}
