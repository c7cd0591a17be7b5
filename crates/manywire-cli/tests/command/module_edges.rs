//! Checks the modules of the large crates against the table "Edges between modules" of
//! ARCHITECTURE.md, as `architecture` does for the crates.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::run::root;

type Edges = BTreeMap<String, BTreeSet<String>>;

/// The crates and modules that have a table: their name, their folder, and the path prefix of their
/// modules.
const PARENTS: [(&str, &str, &str); 5] = [
    ("manywire", "crates/manywire/src", "crate::"),
    ("manywire-codec", "crates/manywire-codec/src", "crate::"),
    ("manywire-tools", "crates/manywire-tools/src", "crate::"),
    ("manywire-tools::trial", "crates/manywire-tools/src/trial", "crate::trial::"),
    ("manywire-tools::weigh", "crates/manywire-tools/src/weigh", "crate::weigh::"),
];

/// Returns the first segments after `prefix` in code. Braces are expanded: `crate::{a::B, c}` gives
/// `a` and `c`.
fn paths_after<'a>(prefix: &str, code: &'a str) -> Vec<&'a str> {
    code.split(prefix).skip(1).flat_map(first_segments).collect()
}

/// Returns the first segments after exactly `levels` times `super::` in code.
fn paths_above(levels: usize, code: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut consecutive = 0;
    for rest in code.split("super::").skip(1) {
        consecutive += 1;
        // An empty rest stands between this `super::` and the next.
        if !rest.is_empty() {
            if consecutive == levels {
                found.extend(first_segments(rest));
            }
            consecutive = 0;
        }
    }
    found
}

/// Returns the first segment of the path that `rest` begins with, or those of the paths in its braces.
fn first_segments(rest: &str) -> Vec<&str> {
    let is_word = |it: char| it.is_alphanumeric() || it == '_';
    let first = |path: &str| path.find(|it| !is_word(it)).unwrap_or(path.len());
    let Some(braced) = rest.strip_prefix('{') else { return vec![&rest[..first(rest)]] };
    let mut found = Vec::new();
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
    found.into_iter().map(|path| &path[..first(path)]).collect()
}

/// Returns the text of a file without its comments.
fn code_of(path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("UTF-8");
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns whether a name is that of a module of `source`. The name of `*` is empty.
fn is_module(source: &Path, name: &str) -> bool {
    let has_file = source.join(name).is_dir() || source.join(format!("{name}.rs")).is_file();
    !name.is_empty() && has_file
}

/// Returns the module of each name that the root of a crate or module exports again. A path to such
/// a name is an edge to its module.
fn reexports(source: &Path) -> BTreeMap<String, String> {
    let root = ["lib.rs", "mod.rs"].map(|name| source.join(name));
    let code = code_of(root.iter().find(|root| root.is_file()).expect("lib.rs or mod.rs"));
    let statements = code.split("use ").skip(1).filter_map(|rest| rest.split(';').next());
    let mut found = BTreeMap::new();
    for statement in statements {
        let path = statement.strip_prefix("crate::").unwrap_or(statement);
        let mut words = path.split(|it: char| !it.is_alphanumeric() && it != '_');
        if let Some(module) = words.next().filter(|name| is_module(source, name)) {
            let names = words.filter(|word| !word.is_empty());
            found.extend(names.map(|name| (name.to_owned(), module.to_owned())));
        }
    }
    found
}

/// Adds the edges of the files in `folder`, which is `depth` folders below `source` and belongs to the
/// module `top`.
fn add_edges(
    folder: &Path,
    (top, depth): (Option<&str>, usize),
    (source, prefix): (&Path, &str),
    reexports: &BTreeMap<String, String>,
    edges: &mut Edges,
) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("UTF-8").to_owned();
        let module = top.unwrap_or(&stem);
        if path.is_dir() {
            add_edges(&path, (Some(module), depth + 1), (source, prefix), reexports, edges);
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && (top.is_some() || !["lib", "mod"].contains(&&*stem))
        {
            let code = code_of(&path);
            let used = edges.entry(module.to_owned()).or_default();
            // As many `super::` lead from this file to the root of the crate or module.
            let levels = if stem == "mod" { depth } else { depth + 1 };
            for name in paths_after(prefix, &code).into_iter().chain(paths_above(levels, &code)) {
                let used_module = if is_module(source, name) {
                    Some(name)
                } else {
                    reexports.get(name).map(|it| &**it)
                };
                used.extend(used_module.filter(|it| *it != module).map(str::to_owned));
            }
        }
    }
}

/// Returns the names in backquotes.
fn quoted_names(text: &str) -> BTreeSet<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Returns the text that begins with the table of a crate and ends before the next table.
fn table_of<'t>(text: &'t str, name: &str) -> &'t str {
    let section = text.split("\n## Edges between modules\n").nth(1).expect("the section");
    let section = section.split("\n## ").next().unwrap_or_default();
    let table = section.split(&format!("\n| modules of `{name}` |")).nth(1);
    let table = table.unwrap_or_else(|| panic!("no table for {name}"));
    table.split("\n| modules of ").next().unwrap_or_default()
}

/// Returns the modules that use themselves through others.
fn circles(edges: &Edges) -> BTreeSet<String> {
    let is_in_circle = |module: &&String| {
        let mut reached = BTreeSet::new();
        let mut open = vec![*module];
        while let Some(next) = open.pop() {
            open.extend(edges.get(next).into_iter().flatten().filter(|it| reached.insert(*it)));
        }
        reached.contains(*module)
    };
    edges.keys().filter(is_in_circle).cloned().collect()
}

/// Returns the rows of the table below the line that names a crate.
fn stated_edges(text: &str, name: &str) -> Edges {
    let table = table_of(text, name);
    let names = quoted_names;
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
        let reexports = reexports(&source);
        add_edges(&source, (None, 0), (&source, prefix), &reexports, &mut real);
        assert!(real.len() > 3, "{name} has {} modules", real.len());
        assert_eq!(circles(&real), BTreeSet::new(), "{name}: modules in a circle");
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
    let code = "use super::a::B; use super::super::{c::D, e}; super::super::super::f()";
    assert_eq!(paths_above(1, code), ["a"]);
    assert_eq!(paths_above(2, code), ["c", "e"]);
}

#[test]
fn names_that_the_root_exports_again_belong_to_their_module() {
    let found = reexports(&root().join("crates/manywire-codec/src"));
    assert_eq!(found.get("Error").map(|it| &**it), Some("core"));
    assert_eq!(found.get("Codec").map(|it| &**it), Some("dynamic"));
}

#[test]
fn circles_are_found() {
    let edges = [("a", "b"), ("b", "c"), ("c", "b"), ("d", "a")];
    let edges: Edges =
        edges.map(|(from, to)| (from.to_owned(), BTreeSet::from([to.to_owned()]))).into();
    assert_eq!(circles(&edges), BTreeSet::from(["b".to_owned(), "c".to_owned()]));
}
