//! Checks the names in the code against the glossary of ARCHITECTURE.md: each term names a type
//! that exists, and no declaration has a retired name.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::run::root;

/// The maximum number of terms, which keeps the glossary short.
const TERMS_MAX: usize = 60;

/// Retired names of modules, types and functions, which were unclear to new readers.
const RETIRED: [&str; 22] = [
    "Given",
    "HOUSE",
    "Hall",
    "House",
    "Laid",
    "Matter",
    "Muster",
    "Player",
    "Stage",
    "Team",
    "asked",
    "cast",
    "complain",
    "gather",
    "given",
    "held",
    "laid",
    "made",
    "muster",
    "told",
    "watched",
    "whereabouts",
];

/// Keywords that precede a declared name.
const KEYWORDS: [&str; 8] = ["const", "enum", "fn", "mod", "static", "struct", "trait", "type"];

/// Adds every Rust file below `folder`.
fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() && name != "target" {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// Returns the names that a source file declares, each with its line.
fn declared(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().flat_map(|(index, line)| {
        let code = line.split("//").next().unwrap_or_default();
        let words: Vec<&str> = code
            .split(|it: char| !(it.is_alphanumeric() || it == '_'))
            .filter(|it| !it.is_empty())
            .collect();
        let names: Vec<&str> = words
            .windows(2)
            .filter(|pair| KEYWORDS.contains(&pair[0]))
            .map(|pair| pair[1])
            .collect();
        names.into_iter().map(move |name| (index + 1, name))
    })
}

fn sources() -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    for folder in ["crates", "lanes/rust", "benches"] {
        rust_files(&root().join(folder), &mut files);
    }
    assert!(files.len() > 300, "only {} Rust files", files.len());
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("UTF-8");
        (path, text)
    };
    files.into_iter().map(read).collect()
}

#[test]
fn retired_words_name_nothing() {
    let mut found = Vec::new();
    for (path, text) in sources() {
        for (line, name) in declared(&text).filter(|(_, name)| RETIRED.contains(name)) {
            found.push(format!("{}:{line}: {name}", path.display()));
        }
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if RETIRED.contains(&stem) {
            found.push(format!("{}: {stem}", path.display()));
        }
    }
    assert!(found.is_empty(), "retired words:\n{}", found.join("\n"));
}

/// Returns the file of the module that a path of the glossary leads to. A path that does not begin
/// with a crate begins with a module of `manywire-tools`.
fn module_file(path: &str) -> PathBuf {
    let mut modules: Vec<&str> = path.split("::").collect();
    modules.pop();
    let package = match modules.first() {
        Some(first) if first.starts_with("manywire") => modules.remove(0).replace('_', "-"),
        _ => "manywire-tools".to_owned(),
    };
    let source = root().join("crates").join(package).join("src");
    if modules.is_empty() {
        return source.join("lib.rs");
    }
    let module = source.join(modules.join("/"));
    if module.is_dir() { module.join("mod.rs") } else { module.with_extension("rs") }
}

/// Returns whether a module declares a name or exports it again.
fn has_name(module: &str, name: &str) -> bool {
    let is_word = |it: char| it.is_alphanumeric() || it == '_';
    let exports = |statement: &str| statement.split(|it| !is_word(it)).any(|word| word == name);
    declared(module).any(|(_, declared)| declared == name)
        || module.split("pub use ").skip(1).filter_map(|rest| rest.split(';').next()).any(exports)
}

#[test]
fn every_term_of_the_glossary_is_carried_by_a_type() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let section = text.split("\n## Glossary\n").nth(1).expect("a section Glossary");
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows: Vec<Vec<&str>> = section
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| term "))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert!((20..=TERMS_MAX).contains(&rows.len()), "{} terms", rows.len());
    let mut terms = BTreeSet::new();
    for row in rows {
        let [term, meaning, carriers] = row[..] else { panic!("three cells: {row:?}") };
        assert!(terms.insert(term), "{term} stands twice");
        assert!(!meaning.is_empty(), "{term} has no meaning");
        // Types are in backquotes, with the path by which code names them.
        let types: Vec<&str> = carriers.split('`').skip(1).step_by(2).collect();
        assert!(!types.is_empty(), "{term}: no type");
        for path in types {
            let name = path.rsplit("::").next().unwrap_or(path);
            let module = std::fs::read_to_string(module_file(path)).unwrap_or_default();
            assert!(has_name(&module, name), "{term}: no type {path}");
        }
    }
}
