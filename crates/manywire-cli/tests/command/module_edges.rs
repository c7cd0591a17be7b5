//! Checks the modules of the large crates against the table "Edges between modules" of
//! ARCHITECTURE.md, as `architecture` does for the crates.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::run::root;

type Edges = BTreeMap<String, BTreeSet<String>>;

/// The crates and modules that have a table: their name, their folder, and the path prefix of their
/// modules.
const PARENTS: [(&str, &str, &str); 4] = [
    ("manywire", "crates/manywire/src", "crate::"),
    ("manywire-codec", "crates/manywire-codec/src", "crate::"),
    ("manywire-tools", "crates/manywire-tools/src", "crate::"),
    ("manywire-tools::weigh", "crates/manywire-tools/src/weigh", "crate::weigh::"),
];

/// Returns the first segments after `prefix` in code. Braces are expanded: `crate::{a::B, c}` gives
/// `a` and `c`.
fn paths_after<'a>(prefix: &str, code: &'a str) -> Vec<&'a str> {
    let is_word = |it: char| it.is_alphanumeric() || it == '_';
    let first = |path: &str| path.find(|it| !is_word(it)).unwrap_or(path.len());
    let mut found = Vec::new();
    for rest in code.split(prefix).skip(1) {
        let Some(braced) = rest.strip_prefix('{') else {
            found.push(&rest[..first(rest)]);
            continue;
        };
        let mut depth = 0;
        let mut start = 0;
        for (index, it) in braced.char_indices() {
            match it {
                '{' => depth += 1,
                '}' if depth == 0 => {
                    found.push(braced[start..index].trim());
                    break;
                }
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    found.push(braced[start..index].trim());
                    start = index + 1;
                }
                _ => {}
            }
        }
    }
    found.into_iter().map(|path| &path[..first(path)]).collect()
}

/// Adds the edges of the files in `folder`, which belong to the module `top`.
fn add_edges(folder: &Path, top: Option<&str>, (source, prefix): (&Path, &str), edges: &mut Edges) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("UTF-8").to_owned();
        let module = top.unwrap_or(&stem);
        if path.is_dir() {
            add_edges(&path, Some(module), (source, prefix), edges);
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && (top.is_some() || !["lib", "mod"].contains(&&*stem))
        {
            let text = std::fs::read_to_string(&path).expect("UTF-8");
            let code: String = text
                .lines()
                .map(|line| line.split("//").next().unwrap_or_default())
                .collect::<Vec<_>>()
                .join("\n");
            let used = edges.entry(module.to_owned()).or_default();
            for name in paths_after(prefix, &code).into_iter().filter(|name| *name != module) {
                if source.join(name).is_dir() || source.join(format!("{name}.rs")).is_file() {
                    used.insert(name.to_owned());
                }
            }
        }
    }
}

/// Returns the rows of the table below the line that names a crate.
fn stated_edges(text: &str, name: &str) -> Edges {
    let section = text.split("\n## Edges between modules\n").nth(1).expect("the section");
    let section = section.split("\n## ").next().unwrap_or_default();
    let table = section.split(&format!("\n| modules of `{name}` |")).nth(1);
    let table = table.unwrap_or_else(|| panic!("no table for {name}"));
    let names = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
        let [module, used] = cells[..] else { panic!("two cells: {line}") };
        (module.trim().trim_matches('`').to_owned(), names(used))
    })
    .collect()
}

#[test]
fn every_edge_between_modules_is_in_the_table() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    for (name, source, prefix) in PARENTS {
        let source = root().join(source);
        let mut real = Edges::new();
        add_edges(&source, None, (&source, prefix), &mut real);
        assert!(real.len() > 3, "{name} has {} modules", real.len());
        let mut stated = stated_edges(&text, name);
        for (module, used) in real {
            let allowed = stated.remove(&module).unwrap_or_default();
            assert_eq!(used, allowed, "{name}: edges of the module {module} (left: in the code)");
        }
        assert!(stated.is_empty(), "{name}: the table names modules that do not exist: {stated:?}");
    }
}

#[test]
fn paths_are_read_with_and_without_braces() {
    assert_eq!(
        paths_after("crate::", "use crate::server::Body; crate::input::x()"),
        ["server", "input"]
    );
    assert_eq!(paths_after("crate::", "use crate::{a::{B, C}, d, e::F};"), ["a", "d", "e"]);
}
